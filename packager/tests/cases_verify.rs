//! The gates of `[verify]`, `verify --against`, `diff`, services, and signed inputs.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fixtures::Jar;
use support::Project;

fn fatagent(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    command.current_dir(folder).args(arguments).env_remove("SOURCE_DATE_EPOCH").env_remove("NO_COLOR");
    command
}

/// Exit code, stdout and stderr.
fn run(project: &Project, arguments: &[&str]) -> (i32, String, String) {
    let output = fatagent(&project.path(""), arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn build(project: &Project) -> PathBuf {
    let (code, _, stderr) = run(project, &["build"]);
    assert_eq!(code, 0, "{stderr}");
    project.path("acme-agent.jar")
}

/// The usual extensions and probe, then `more`.
fn toml(project: &Project, more: &str) {
    project.toml(&format!(
        "[[extension]]\npath = \"metrics\"\n[[extension]]\nfile = \"statsd.zip\"\n[probes]\ninclude = \
         [\"probes/*.class\"]\n{more}"
    ));
}

/// The only error line of a build that the gates stop; the old jar stays.
fn stopped(project: &Project) -> String {
    let jar = project.path("acme-agent.jar");
    fs_err::write(&jar, "old").unwrap();
    let (code, stdout, stderr) = run(project, &["build"]);
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert_eq!(fs_err::read(&jar).unwrap(), b"old");
    assert!(stderr.lines().any(|line| line.starts_with("hint: ")), "{stderr}");
    stderr.lines().find(|line| line.starts_with("error: ")).unwrap().to_owned()
}

#[test]
fn gates_let_a_good_jar_pass() {
    let project = Project::new();
    toml(
        &project,
        "[verify]\nmax-size = \"1 MB\"\nmin-classes = 10\nrequire = [\"META-INF/btrace-probes/**/*.class\", \
         \"acme/metrics/Metrics.class\"]\nforbid = [\"**/*.java\", \"META-INF/*.SF\"]\n",
    );
    build(&project);
}

#[test]
fn each_gate_stops_the_build_with_its_reason() {
    for (gate, reason) in [
        ("max-size = 500", "the jar is too large: `max-size` is 500 bytes, the jar has "),
        ("min-classes = 1000", "the jar has too few classes: `min-classes` is 1000, the jar has "),
        ("require = [\"a/**\", \"acme/**\"]", "required entries are missing: no entry matches `a/**`"),
        (
            "forbid = [\"acme/**\"]",
            "forbidden entries are there: `acme/metrics/Metrics$Unit.class`, by the pattern `acme/**`, \
             `acme/metrics/Metrics.class`, by the pattern `acme/**`, `acme/metrics/Sample.class`, by the pattern `acme/**`",
        ),
        (
            "golden = \"no.listing\"",
            "the entries are not those of the golden listing: the listing does not exist: `no.listing`",
        ),
    ] {
        let project = Project::new();
        toml(&project, &format!("[verify]\n{gate}\n"));
        let error = stopped(&project);
        let (_, problems) = error.split_once("does not pass its `[verify]` gates, problems: ").unwrap();
        assert!(problems.split_once(": ").unwrap().1.starts_with(reason), "{error}");
    }
}

#[test]
fn all_gates_are_tried_before_the_build_stops() {
    let project = Project::new();
    toml(&project, "[verify]\nmax-size = 1\nmin-classes = 1000\nforbid = [\"**\"]\n");
    let error = stopped(&project);
    for part in ["too large", "too few classes", "forbidden entries", ", and "] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn malformed_and_foreign_gates_are_refused() {
    for (gate, reason) in [
        ("require = [\"/a\"]", "not a pattern: `/a`: it is not relative"),
        ("forbid = [\"a**\"]", "not a pattern: `a**`: `**` stands for whole folders only"),
        ("allow-both = [\"a.B\"]", "`verify.allow-both` needs `layout = \"foreign\"`"),
    ] {
        let project = Project::new();
        toml(&project, &format!("[verify]\n{gate}\n"));
        let error = stopped(&project);
        assert!(error.contains(reason), "{error}");
    }
    let project = Project::new();
    toml(&project, "");
    let (code, _, stderr) = run(&project, &["build", "--update-golden"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("agent.toml: no golden listing to update: `verify.golden` is absent"), "{stderr}");
}

#[test]
fn a_golden_listing_is_written_compared_and_renewed() {
    let project = Project::new();
    toml(&project, "[verify]\ngolden = \"agent.listing\"\n");
    let (code, _, stderr) = run(&project, &["build", "--update-golden"]);
    assert_eq!(code, 0, "{stderr}");
    let listing = fs_err::read_to_string(project.path("agent.listing")).unwrap();
    let mut names: Vec<String> = fixtures::entry_names(&project.path("acme-agent.jar")).unwrap();
    names.retain(|name| !name.ends_with('/'));
    names.sort();
    assert_eq!(listing, format!("fatagent-listing 1\n{}\n", names.join("\n")));
    build(&project);

    project.write("metrics/acme/metrics/more.txt", "new");
    fs_err::remove_file(project.path("metrics/acme/metrics/names.txt")).unwrap();
    let error = stopped(&project);
    let folder = "META-INF/btrace-extensions/acme-metrics/resources/acme/metrics";
    assert!(error.contains(&format!("`{folder}/more.txt` is not listed, `{folder}/names.txt` is missing")), "{error}");
    assert_eq!(fs_err::read_to_string(project.path("agent.listing")).unwrap(), listing);

    // A gate that fails leaves the listing alone.
    toml(&project, "[verify]\ngolden = \"agent.listing\"\nmax-size = 1\n");
    assert_eq!(run(&project, &["build", "--update-golden"]).0, 1);
    assert_eq!(fs_err::read_to_string(project.path("agent.listing")).unwrap(), listing);
    toml(&project, "[verify]\ngolden = \"agent.listing\"\n");
    assert_eq!(run(&project, &["build", "--update-golden"]).0, 0);
    build(&project);

    project.write("agent.listing", "other\n");
    assert!(stopped(&project).contains("does not begin with the line `fatagent-listing 1`"));
}

/// A project with a finished jar, kept as `old/acme-agent.jar`.
fn with_old_jar() -> Project {
    let project = Project::new();
    toml(&project, "");
    let jar = build(&project);
    fs_err::create_dir_all(project.path("old")).unwrap();
    fs_err::rename(jar, project.path("old/acme-agent.jar")).unwrap();
    project
}

/// What `verify --against` says of the rebuilt project, which does not pass.
fn refused_against(project: &Project) -> String {
    build(project);
    let (code, stdout, stderr) = run(project, &["verify", "acme-agent.jar", "--against", "old/acme-agent.jar"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let message = "error: `acme-agent.jar` is not acceptable in place of `old/acme-agent.jar`, problems: ";
    assert!(stderr.contains(message) && stderr.contains("hint: "), "{stderr}");
    stdout
}

#[test]
fn the_same_jar_is_acceptable_in_place_of_itself() {
    let project = with_old_jar();
    build(&project);
    let (code, _, stderr) = run(&project, &["verify", "acme-agent.jar", "--against", "old/acme-agent.jar"]);
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn a_new_permission_is_refused_against_the_older_jar() {
    let project = with_old_jar();
    project.write("metrics/META-INF/MANIFEST.MF", support::FOLDER_MANIFEST.replace("THREADS,NETWORK", "THREADS,EXEC"));
    let text = refused_against(&project);
    assert!(text.contains("permissions are new: 1\n  `EXEC` of extension `acme-metrics`\n"), "{text}");
    assert!(!text.contains("NETWORK"), "a permission that is given up is no problem: {text}");
}

#[test]
fn the_permissions_of_a_new_extension_are_new() {
    let project = Project::new();
    project.toml("[[extension]]\npath = \"metrics\"\n");
    let jar = build(&project);
    fs_err::create_dir_all(project.path("old")).unwrap();
    fs_err::rename(jar, project.path("old/acme-agent.jar")).unwrap();
    toml(&project, "");
    let text = refused_against(&project);
    assert!(text.contains("  `NETWORK` of the new extension `vendor-statsd`\n"), "{text}");
    assert!(
        text.contains("bootstrap classes are new: 1\n  `vendor.statsd.Statsd` (classes before 11, now 12)\n"),
        "{text}"
    );
    assert!(text.contains("the jar is too large: 1\n"), "{text}");
}

#[test]
fn growth_is_refused_unless_it_is_allowed() {
    let project = with_old_jar();
    // Four kilobytes that do not shrink.
    let noise: Vec<u8> = (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    project.write("metrics/acme/metrics/noise.bin", noise);
    let text = refused_against(&project);
    assert!(text.contains("the jar is too large: 1\n") && text.contains(" more, allowed are 0\n"), "{text}");
    let allowed = ["verify", "acme-agent.jar", "--against", "old/acme-agent.jar", "--allow-growth", "10000"];
    let (code, stdout, stderr) = run(&project, &allowed);
    assert_eq!(code, 0, "{stdout}{stderr}");
}

#[test]
fn another_core_is_refused_against_the_older_jar() {
    let project = with_old_jar();
    let core = format!("META-INF/btrace/native/{}/libagent_core.so", support::target());
    let base = support::rewritten(&project.path("base.jar"), |name, bytes| {
        Some(if name == core { b"stands for another".to_vec() } else { bytes })
    });
    fs_err::write(project.path("base.jar"), base).unwrap();
    let text = refused_against(&project);
    let target = support::target();
    assert!(
        text.contains(&format!("native cores are not those of the older jar: 1\n  `{target}`: SHA-256 ")),
        "{text}"
    );
}

#[test]
fn diff_answers_by_its_exit_code() {
    let project = with_old_jar();
    build(&project);
    assert_eq!(run(&project, &["diff", "old/acme-agent.jar", "acme-agent.jar"]), (0, String::new(), String::new()));
    project.write("metrics/acme/metrics/more.txt", "new");
    build(&project);
    let (code, stdout, stderr) = run(&project, &["diff", "old/acme-agent.jar", "acme-agent.jar"]);
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert!(
        stdout.contains("  + META-INF/btrace-extensions/acme-metrics/resources/acme/metrics/more.txt\n"),
        "{stdout}"
    );
    assert!(stdout.contains("  ~ BTrace-Build-Id: `"), "{stdout}");
    let json = ["diff", "old/acme-agent.jar", "acme-agent.jar", "--message-format", "json"];
    let (code, stdout, _) = run(&project, &json);
    let value: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &value["reason"], &value["version"]), (1, &"diff".into(), &1.into()));
    assert_eq!(value["sections"]["extension acme-metrics"]["added"].as_array().unwrap().len(), 1);
    for arguments in [["diff", "old/acme-agent.jar", "absent.jar"], ["diff", "agent.toml", "acme-agent.jar"]] {
        let (code, stdout, stderr) = run(&project, &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    }
}

#[test]
fn services_must_implement_the_interface_that_their_loader_sees() {
    let provider = "META-INF/btrace/agent/spi/Impl.classdata";
    let file = "META-INF/btrace/agent/META-INF/services/spi.Spi";
    let spi = "package spi; public interface Spi {}";
    let good = "package spi; public class Impl extends Base {} class Base implements Spi {}";
    for (source, interface, extra, problem) in [
        (good, "META-INF/btrace/shared/spi/Spi.classdata", "META-INF/btrace/agent/spi/Base.classdata", None),
        (
            good,
            "META-INF/btrace/client/spi/Spi.classdata",
            "META-INF/btrace/agent/spi/Base.classdata",
            Some(
                "the loader of section `agent` does not see the interface `spi.Spi`, which is at `META-INF/btrace/client/spi/Spi.classdata`",
            ),
        ),
        (
            "package spi; public class Impl { } class Base {}",
            "META-INF/btrace/agent/spi/Spi.classdata",
            "META-INF/btrace/agent/spi/Base.classdata",
            Some("`spi.Impl` does not implement `spi.Spi` as the loader of section `agent` sees it"),
        ),
        (
            "package spi; public class Impl implements Spi { private Impl() {} } class Base {}",
            "META-INF/btrace/agent/spi/Spi.classdata",
            "META-INF/btrace/agent/spi/Base.classdata",
            Some("`spi.Impl` has no public constructor without parameters"),
        ),
    ] {
        let project = Project::new();
        toml(&project, "");
        let jar = build(&project);
        project.compile(&[("spi/Spi.java", spi), ("spi/Impl.java", source)], "spi-classes");
        let class = |name: &str| fs_err::read(project.path(&format!("spi-classes/spi/{name}.class"))).unwrap();
        let mut changed = Jar::new();
        for name in fixtures::entry_names(&jar).unwrap() {
            let bytes = fixtures::read_entry(&jar, &name).unwrap();
            changed = if name.ends_with('/') { changed.folder(&name) } else { changed.file(&name, &bytes) };
        }
        let changed = changed
            .file(file, b"spi.Impl\n")
            .file(provider, &class("Impl"))
            .file(interface, &class("Spi"))
            .file(extra, &class("Base"));
        changed.write(&jar).unwrap();
        let (_, stdout, _) = run(&project, &["verify", "acme-agent.jar"]);
        // The build id does not hold any more, which is not what is looked at here.
        let services = stdout.contains("services cannot be resolved");
        assert_eq!(services, problem.is_some(), "{source}: {stdout}");
        assert!(problem.is_none_or(|problem| stdout.contains(problem)), "{source}: {stdout}");
    }
}

/// Signs the jar at `path` with a key of its own.
fn sign(project: &Project, path: &Path) {
    let store = project.path("keys.p12");
    let home = fixtures::compiler_home().unwrap();
    let tool = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(home.tool(name).unwrap());
        command.args(arguments).args(["-keystore", store.to_str().unwrap(), "-storepass", "secret"]);
        command
    };
    if !store.exists() {
        let arguments = ["-genkeypair", "-alias", "test", "-keyalg", "EC", "-dname", "CN=test", "-storetype", "PKCS12"];
        let output = fixtures::run(&mut tool("keytool", &arguments), Duration::from_mins(1)).unwrap();
        assert!(output.status.success(), "{}", output.both());
    }
    let output = fixtures::run(tool("jarsigner", &[]).arg(path).arg("test"), Duration::from_mins(1)).unwrap();
    assert!(output.status.success(), "{}", output.both());
}

#[test]
fn case_22_nothing_of_a_signature_is_left() {
    let project = Project::new();
    toml(&project, "");
    // Per-entry attributes that are no digests have to stay.
    let base = support::rewritten(&project.path("base.jar"), |name, bytes| {
        Some(if name == "META-INF/MANIFEST.MF" {
            [&bytes[..], b"Name: io/btrace/core/\r\nSealed: false\r\n\r\n"].concat()
        } else {
            bytes
        })
    });
    fs_err::write(project.path("base.jar"), base).unwrap();
    sign(&project, &project.path("base.jar"));
    let signed = fixtures::entry_names(&project.path("base.jar")).unwrap();
    assert!(signed.iter().any(|name| name == "META-INF/TEST.SF"), "{signed:?}");
    let mut changed = Jar::new();
    for name in &signed {
        let bytes = fixtures::read_entry(&project.path("base.jar"), name).unwrap();
        changed = if name.ends_with('/') { changed.folder(name) } else { changed.file(name, &bytes) };
    }
    let stale = changed.file("META-INF/INDEX.LIST", b"JarIndex-Version: 1.0\n\n").file("META-INF/SIG-X", b"x");
    stale.write(&project.path("base.jar")).unwrap();

    // A signed dependency: the implementation jar inside the extension zip.
    let zip = project.path("statsd.zip");
    let mut changed = Jar::new();
    for name in fixtures::entry_names(&zip).unwrap() {
        let mut bytes = fixtures::read_entry(&zip, &name).unwrap();
        if name.ends_with("-impl.jar") {
            let inner = project.path("inner.jar");
            fs_err::write(&inner, &bytes).unwrap();
            sign(&project, &inner);
            bytes = fs_err::read(&inner).unwrap();
        }
        changed = changed.file(&name, &bytes);
    }
    changed.write(&zip).unwrap();

    let (code, _, stderr) = run(&project, &["build"]);
    assert_eq!(code, 0, "{stderr}");
    let jar = project.path("acme-agent.jar");
    for name in fixtures::entry_names(&jar).unwrap() {
        let upper = name.to_ascii_uppercase();
        let file = upper.rsplit('/').next().unwrap();
        assert!(!file.starts_with("SIG-") && file != "INDEX.LIST", "{name}");
        assert!(![".SF", ".RSA", ".DSA", ".EC"].iter().any(|end| file.ends_with(end)), "{name}");
    }
    let manifest = String::from_utf8(fixtures::read_entry(&jar, "META-INF/MANIFEST.MF").unwrap()).unwrap();
    assert!(!manifest.contains("-Digest"), "{manifest}");
    assert!(manifest.contains("Name: io/btrace/core/\r\nSealed: false\r\n"), "{manifest}");
    for source in ["base.jar", "-impl.jar"] {
        let warned = stderr.lines().any(|line| {
            line.starts_with("warning: ")
                && line.contains(source)
                && line.contains("a signature does not hold for another jar")
        });
        assert!(warned, "{source}: {stderr}");
    }
    let (code, stdout, stderr) = run(&project, &["verify", "acme-agent.jar"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
}

#[test]
fn jars_beside_the_agent_are_written_hashed_and_warned_about() {
    let project = Project::new();
    fs_err::create_dir(project.path("libs")).unwrap();
    fs_err::write(project.path("libs/my lib.jar"), "abc").unwrap();
    toml(
        &project,
        "[manifest]\nboot-libs = [\"my%20lib.jar\", \"gone.jar\"]\nsystem-libs = [\"/opt/none/s.jar\"]\nlibs-root = \"libs\"\n\
         libs-profile = \"spark\"\n",
    );
    let (code, json, stderr) = run(&project, &["build", "--message-format", "json"]);
    assert_eq!(code, 0, "{stderr}");
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    for line in [
        &format!(
            "`my%20lib.jar` of `BTrace-Boot-Libs` is not part of the jar and has to lie in `libs`, seen from the folder of the jar at run \
             time, sha256 {hash}"
        ),
        "`gone.jar` of `BTrace-Boot-Libs` is not part of the jar and has to lie in `libs`, seen from the folder of the jar at run time, \
         which it does not now",
        "`/opt/none/s.jar` of `BTrace-System-Libs` is not part of the jar and has to lie there at run time, which it does not now",
        "the jars in `boot` and `system` of the folder `spark` are not part of the jar: `BTrace-Libs-Profile` has to lie in `libs`, \
         seen from the folder of the jar at run time",
    ] {
        assert!(stderr.contains(line), "{line}: {stderr}");
    }
    let artifact = json.lines().find(|line| line.contains("\"libraries\"")).unwrap();
    let artifact: serde_json::Value = serde_json::from_str(artifact).unwrap();
    assert_eq!(artifact["libraries"][0]["sha256"], hash);
    assert_eq!(artifact["libraries"][1]["sha256"], serde_json::Value::Null);
    let (_, text, _) = run(&project, &["inspect", "acme-agent.jar"]);
    for (name, value) in [
        ("BTrace-Boot-Libs", "my%20lib.jar gone.jar"),
        ("BTrace-System-Libs", "/opt/none/s.jar"),
        ("BTrace-Libs-Root", "libs"),
        ("BTrace-Libs-Profile", "spark"),
    ] {
        assert!(text.contains(&format!("{name}: {value}\n")), "{text}");
    }
    let (code, _, stderr) = run(&project, &["verify", "acme-agent.jar"]);
    assert_eq!(code, 0, "{stderr}");
    let warning = "the jar needs files beside itself at run time: `BTrace-Boot-Libs` names `my%20lib.jar`, `gone.jar`";
    assert!(stderr.contains(warning), "{stderr}");

    toml(&project, "[manifest]\nboot-libs = [\"my lib.jar\"]\n");
    assert!(stopped(&project).contains("library path of `BTrace-Boot-Libs` is empty or holds a blank: `my lib.jar`"));
}
