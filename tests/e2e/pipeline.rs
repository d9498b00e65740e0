//! `templates/pipeline`: the steps of a release, and what they say when one of them fails.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::harness::{Output, Target, Test, e2e_test, each_jdk, fatagent, process_folder, scrub, step, with_jdk};
use crate::product::{app, expect_file, expect_undisturbed, expected_lines, project, root, rounds, with_entry};

const PUBLISHED: &str = "repository/com/acme/order-agent/1.2.3/order-agent-1.2.3.jar";

/// A folder with the project, its pipeline and a key.
struct Work {
    folder: TempDir,
}

impl Work {
    fn new(test: &Test) -> Self {
        let folder = tempfile::Builder::new().prefix("a b é").tempdir_in(process_folder()).expect("a folder");
        project().write(folder.path());
        fs_err::create_dir(folder.path().join("pipeline")).expect("a folder");
        let script = root().join("templates/pipeline/release.sh");
        fs_err::copy(script, folder.path().join("pipeline/release.sh")).expect("a script");
        let store = folder.path().join("keys.p12");
        let mut keytool = Command::new(fixtures::compiler_home().expect("a JDK").path.join("bin/keytool"));
        keytool.args([
            "-genkeypair",
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=Acme",
            "-alias",
            "release",
        ]);
        test.run(scrub(&mut keytool).args(["-storepass", "changeit", "-keystore"]).arg(store)).expect_code(0);
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command in the folder that finds `fatagent` and the tools of a JDK in its path, and knows the key.
    fn command(&self, program: &str) -> Command {
        let own = Path::new(fatagent().get_program()).parent().expect("a folder").to_owned();
        let jdk = fixtures::compiler_home().expect("a JDK").path.join("bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([own, jdk].into_iter().chain(std::env::split_paths(&path)));
        let mut command = Command::new(program);
        scrub(with_jdk(&mut command)).current_dir(self.folder.path()).env("PATH", path.expect("a path"));
        command.env("KEYSTORE", self.path("keys.p12")).env("KEYSTORE_PASSWORD", "changeit").env("KEY_ALIAS", "release");
        command.env("REPOSITORY", "repository").env("GROUP", "com.acme");
        command
    }

    fn release(&self, test: &Test, steps: &[&str], more: &[(&str, &str)]) -> Output {
        let mut bash = self.command("bash");
        test.run(bash.arg("pipeline/release.sh").args(steps).envs(more.iter().copied()))
    }
}

/// The shell text of the step `Release` in the workflow.
fn workflow_step() -> String {
    let text = fs_err::read_to_string(root().join("templates/pipeline/github.yml")).expect("a workflow");
    let step = text.split("- name: Release\n").nth(1).expect("the step");
    let script = step.split("run: |\n").nth(1).expect("its script");
    let lines = script.lines().take_while(|line| line.starts_with("          "));
    lines.map(str::trim_start).collect::<Vec<_>>().join("\n")
}

/// What the workflow released, once for all JDKs.
fn released(test: &Test) -> &'static Work {
    static RELEASED: OnceLock<Work> = OnceLock::new();
    RELEASED.get_or_init(|| {
        let work = Work::new(test);
        step("releasing as the workflow does");
        let store = fs_err::read(work.path("keys.p12")).expect("a key");
        fs_err::create_dir(work.path("temporary")).expect("a folder");
        let mut base64 = Command::new("base64");
        let encoded = test.run(base64.arg("-w0").arg(work.path("keys.p12"))).expect_code(0).stdout;
        let mut bash = work.command("bash");
        bash.args(["-e", "-o", "pipefail", "-c", &workflow_step()]);
        bash.env_remove("KEYSTORE").env("KEYSTORE_BASE64", encoded.trim()).env("RUNNER_TEMP", work.path("temporary"));
        test.run(&mut bash).expect_code(0);
        assert!(fs_err::read(work.path("temporary/keys.p12")).expect("a key") == store);
        work
    })
}

/// By each way in, with its signature.
#[test]
fn a_released_agent_starts() {
    each_jdk("released", |test, jdk| {
        let work = released(test);
        let jar = work.path(PUBLISHED);
        let names = fixtures::entry_names(&jar).expect("a jar");
        assert!(names.contains(&"META-INF/RELEASE.SF".to_owned()), "{names:?}");
        let arguments = |file: &Path| format!("probes=OrderTrace,scriptOutputFile={}", file.display());

        let file = test.folder().join("javaagent.txt");
        let option = format!("-javaagent:{}={}", jar.display(), arguments(&file));
        let target = app(test, jdk).jvm_option(option).launch();
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        expect_undisturbed(&target, &["x"]);

        let file = test.folder().join("attached.txt");
        let target = app(test, jdk).launch();
        rounds(&target, &["before"]);
        let client = Target::builder(jdk).jar(&jar).arg(target.pid().to_string()).arg(arguments(&file)).label("client");
        let said = client.launch().wait_exit().expect_code(0);
        assert_eq!(said.stdout, "");
        rounds(&target, &["after"]);
        expect_file(test, &file, &expected_lines("after", 101));
        expect_undisturbed(&target, &["before", "after"]);

        let file = test.folder().join("agentpath.txt");
        let mut extract = fatagent();
        extract.arg("extract").arg(&jar).arg("-o").arg(test.folder().join("core"));
        let library = test.run(&mut extract).expect_code(0).stdout;
        let option = format!("-agentpath:{}=jar={},{}", library.trim(), jar.display(), arguments(&file));
        let target = app(test, jdk).jvm_option(option).launch();
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        expect_undisturbed(&target, &["x"]);
    });
}

#[test]
fn a_release_is_whole_and_stays_as_it_is() {
    e2e_test("releases", |test| {
        let work = released(test);
        let (dist, published) = (work.path("dist/order-agent.jar"), work.path(PUBLISHED));
        assert!(fs_err::read(&dist).expect("a jar") == fs_err::read(&published).expect("a jar"));
        let sums = fs_err::read_to_string(work.path("dist/SHA256SUMS")).expect("checksums");
        assert!(sums.ends_with("  order-agent.jar\n") && sums.lines().count() == 1, "{sums}");
        // Again: nothing to do. Signed again, it is another one.
        let again = work.release(test, &["publish"], &[]).expect_code(0);
        assert!(again.stderr.contains("the repository has the same files already"), "{}", again.stderr);
        let before = fs_err::read(&published).expect("a jar");
        let other = work.release(test, &["build", "sign", "publish"], &[("DIST", "other")]);
        assert_eq!(other.code, Some(1), "{}", other.stderr);
        assert!(other.stderr.contains("error: ") && other.stderr.contains("hint: "), "{}", other.stderr);
        assert!(fs_err::read(&published).expect("a jar") == before);

        // What is rebuilt from a signed jar has no signature, and says so.
        let based = work.path("based");
        fs_err::create_dir(&based).expect("a folder");
        let toml = "[agent]\nname = \"based\"\nversion = \"2\"\nbase = { file = \"../dist/order-agent.jar\" }\n";
        fs_err::write(based.join("agent.toml"), toml).expect("a file");
        test.run(fatagent().arg("build").current_dir(&based)).expect_code(0);
        let names = fixtures::entry_names(&based.join("based.jar")).expect("a jar");
        assert!(!names.iter().any(|name| name.starts_with("META-INF/RELEASE")), "{names:?}");
        test.run(fatagent().args(["verify", "based.jar"]).current_dir(&based)).expect_code(0);
    });
}

#[test]
fn a_step_that_fails_ends_the_release() {
    e2e_test("failed releases", |test| {
        let work = Work::new(test);
        let refused = |steps: &[&str], more: &[(&str, &str)], code: i32, part: &str| {
            let output = work.release(test, steps, more);
            let said = format!("{}{}", output.stdout, output.stderr);
            assert_eq!(output.code, Some(code), "{said}");
            assert!(said.contains(part), "no {part:?} in\n{said}");
            assert!(!work.path("repository").exists(), "{said}");
        };
        refused(&["deploy"], &[], 2, "error: not a step: deploy");
        refused(&["sign"], &[], 1, "error: not exactly one jar in dist");
        refused(&[], &[("AGENT", "none.toml")], 1, "error: file does not exist: `none.toml`");
        refused(&[], &[("KEY_ALIAS", "nobody")], 1, "nobody");
        refused(&["build", "sign"], &[("KEYSTORE_PASSWORD", "wrong")], 1, "password");
        refused(&["publish"], &[], 1, "SHA256SUMS");
        work.release(test, &["build", "sign"], &[]).expect_code(0);
        // Changed after it was signed: both that look say so.
        let jar = work.path("dist/order-agent.jar");
        let changed = work.path("changed/order-agent.jar");
        with_entry(
            &jar,
            "META-INF/btrace-probes/trace/OrderTrace.class",
            |mut bytes| {
                bytes.push(0);
                bytes
            },
            &changed,
        );
        let verified = test.run(fatagent().arg("verify").arg(&changed));
        assert_eq!(verified.code, Some(1), "{}", verified.stderr);
        fs_err::copy(&changed, &jar).expect("a copy");
        refused(&["publish"], &[], 1, "order-agent.jar: FAILED");
        // A larger one than the release before.
        fs_err::copy(&changed, work.path("old.jar")).expect("a copy");
        let smaller = "[agent]\nname = \"order-agent\"\nversion = \"1.2.2\"\n";
        fs_err::create_dir(work.path("old")).expect("a folder");
        fs_err::write(work.path("old/agent.toml"), smaller).expect("a file");
        test.run(fatagent().args(["build", "--file", "agent.toml"]).current_dir(work.path("old"))).expect_code(0);
        refused(&["build", "sign"], &[("AGAINST", "old/order-agent.jar")], 1, "is not acceptable in place of");
    });
}
