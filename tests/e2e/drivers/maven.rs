//! The recipe for Maven, by real Maven: what it publishes, what it costs nobody, and what it says when something is wrong.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::harness::{Output, Test, cache_folder, e2e_test, each_jdk, fatagent, process_folder, scrub, step};
use crate::sample::{Sample, runs, tool};

/// What Maven calls the agent.
pub(crate) const JAR: &str = "acme-agent-1.0.0.jar";

/// What Maven made of the sample, once for all JDKs.
struct Built {
    _work: TempDir,
    sample: Sample,
    /// Where it deployed to.
    releases: PathBuf,
}

/// Maven's local repository of these tests: plugins stay, and nothing of the user's own is touched.
fn local() -> PathBuf {
    cache_folder().join("maven-local")
}

/// Runs Maven on the sample.
pub(crate) fn mvn(test: &Test, sample: &Sample, arguments: &[&str]) -> Output {
    let settings = sample.repository.with_file_name("settings.xml");
    // The global ones, so that mirrors of the user's own count.
    let text = format!(
        "<settings><profiles><profile><id>acme</id><repositories><repository><id>acme</id><url>file://{}</url>\
         </repository></repositories></profile></profiles><activeProfiles><activeProfile>acme</activeProfile>\
         </activeProfiles></settings>",
        sample.repository.display()
    );
    fs_err::write(&settings, text).expect("a file");
    let mut maven = Command::new("mvn");
    scrub(tool(&mut maven)).args(["-B", "-gs"]).arg(settings);
    maven.arg(format!("-Dmaven.repo.local={}", local().display()));
    maven.arg(format!("-Dfatagent={}", fatagent().get_program().display()));
    // After those above: the last of a name counts.
    test.run(maven.args(arguments).current_dir(&sample.folder))
}

fn built(test: &Test) -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let work = tempfile::tempdir_in(process_folder()).expect("a folder");
        let sample = Sample::new(test, work.path());
        let releases = work.path().join("releases");
        // What an earlier run installed there.
        let _ = fs_err::remove_dir_all(local().join("com/acme"));
        step("running Maven");
        let target = format!("-DaltDeploymentRepository=releases::file://{}", releases.display());
        mvn(test, &sample, &["deploy", &target]).expect_code(0);
        Built { _work: work, sample, releases }
    })
}

#[test]
fn what_maven_publishes_runs() {
    each_jdk("maven", |test, jdk| {
        let Built { sample, releases, .. } = built(test);
        let jar = releases.join("com/acme/acme-agent/1.0.0").join(JAR);
        test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
        runs(test, jdk, &jar, sample);
    });
}

#[test]
fn the_jar_is_the_one_that_other_tools_build() {
    e2e_test("maven and others", |test| {
        let Built { sample, releases, .. } = built(test);
        let bytes = |path: &Path| fs_err::read(path).expect("a jar");
        let published = bytes(&releases.join("com/acme/acme-agent/1.0.0").join(JAR));
        assert!(published == bytes(&local().join("com/acme/acme-agent/1.0.0").join(JAR)), "installed");
        assert!(!releases.join("com/acme/acme-audit").exists(), "the extension's classes are in the agent only");
        for own in ["fatagent", "cargo-fatagent"] {
            let folder = test.folder().join(own);
            fs_err::create_dir_all(&folder).expect("a folder");
            let mut command = Command::new(Path::new(fatagent().get_program()).with_file_name(own));
            match own {
                "fatagent" => command.args(["build", "--file", "agent/agent.toml"]),
                _ => command.args(["fatagent", "build", "--manifest-path", "agent/Cargo.toml"]),
            };
            command.arg("-o").arg(folder.join(JAR)).current_dir(&sample.folder);
            test.run(scrub(&mut command).env("FATAGENT_MAVEN_REPOSITORY", local())).expect_code(0);
            assert!(published == bytes(&folder.join(JAR)), "{own} builds another jar than Maven");
        }
    });
}

#[test]
fn a_build_that_fails_is_mavens_failure() {
    e2e_test("maven failures", |test| {
        // Plugins are there then.
        built(test);
        let sample = Sample::new(test, test.folder());
        let none = mvn(test, &sample, &["-o", "package", "-Dfatagent=/none/fatagent"]);
        assert_eq!(none.code, Some(1), "{}", none.stdout);
        assert!(none.stdout.contains("BUILD FAILURE") && none.stdout.contains("/none/fatagent"), "{}", none.stdout);
        let toml = sample.folder.join("agent/agent.toml");
        let text = fs_err::read_to_string(&toml).expect("a file").replace("version =", "verison =");
        fs_err::write(&toml, text).expect("a file");
        let bad = mvn(test, &sample, &["-o", "package"]);
        assert_eq!(bad.code, Some(1), "{}", bad.stdout);
        let said = format!("{}{}", bad.stdout, bad.stderr);
        for part in ["BUILD FAILURE", "unknown key in `[agent]`: `verison`", "hint: did you mean `version`?"] {
            assert!(said.contains(part), "no {part:?} in\n{said}");
        }
        assert!(!sample.folder.join("agent/target").join(JAR).exists());
    });
}
