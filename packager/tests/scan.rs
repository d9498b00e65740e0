//! `fatagent scan` on real jars: what is reached, in which form classes lie, and what is told.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fixtures::Jar;
use serde_json::Value;
use tempfile::TempDir;

/// How long one program may run.
const LIMIT: Duration = Duration::from_mins(2);

/// A service whose provider opens a socket two calls away, and a class that nothing uses.
const SOURCES: [(&str, &str); 4] = [
    ("acme/Spi.java", "package acme; public interface Spi { void go() throws Exception; }"),
    (
        "acme/Impl.java",
        "package acme; public class Impl implements Spi { public void go() throws Exception { Wire.open(); } }",
    ),
    (
        "acme/Wire.java",
        "package acme; class Wire { static Object open() throws Exception { return new java.net.Socket(\"h\", 1); } }",
    ),
    (
        "acme/Dead.java",
        "package acme; class Dead { Object m() throws Exception { return new ProcessBuilder(\"x\").start(); } }",
    ),
];

struct Work {
    folder: TempDir,
}

impl Work {
    /// A folder with the compiled classes in `classes`.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fixtures::javac(&SOURCES, &["--release", "8", "-Xlint:-options"], &folder.path().join("classes")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The library as a jar.
    fn jar(&self) -> Jar {
        Jar::new().file("META-INF/services/acme.Spi", b"acme.Impl").tree(&self.path("classes")).unwrap()
    }

    /// Exit code, stdout and stderr of `fatagent`.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
        let output = fixtures::run(command.current_dir(self.folder.path()).args(arguments), LIMIT).unwrap();
        (output.status.code(), output.stdout, output.stderr)
    }

    /// The one JSON object of a scan that succeeds.
    fn scan(&self, arguments: &[&str]) -> Value {
        let (code, stdout, stderr) = self.run(&[&["--message-format", "json", "scan"], arguments].concat());
        assert_eq!(code, Some(0), "{stderr}");
        serde_json::from_str(&stdout).unwrap()
    }
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn the_text_tells_what_is_reached_and_by_which_way() {
    let work = Work::new();
    work.jar().write(&work.path("a.jar")).unwrap();
    let (code, stdout, stderr) = work.run(&["scan", "a.jar"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    for line in [
        "classes: 4, methods reached: 3 of 6",
        "reachable: NETWORK",
        "present: NETWORK,EXEC",
        "NETWORK: 1 uses, 1 reached",
        "  acme.Wire.open: call java.net.Socket.<init> reaches the network (`acme/Wire.class` of `a.jar`, by acme.Impl.go > acme.Wire.open)",
        "EXEC: 2 uses, 0 reached",
        "  acme.Dead.m: call java.lang.ProcessBuilder.<init> starts a process (`acme/Dead.class` of `a.jar`, not reached)",
    ] {
        assert!(stdout.lines().any(|found| found == line), "no {line:?} in\n{stdout}");
    }
    let (_, everything, _) = work.run(&["scan", "--everything", "a.jar"]);
    assert!(
        everything.starts_with("classes: 4, no class at which they are entered: everything counts\n"),
        "{everything}"
    );
    let (_, rooted, _) = work.run(&["scan", "--root", "acme.Dead", "a.jar"]);
    assert!(rooted.contains("\nreachable: NETWORK,EXEC\n"), "{rooted}");
}

#[test]
fn json_and_sarif_hold_the_same_findings() {
    let work = Work::new();
    work.jar().write(&work.path("a.jar")).unwrap();
    let scan = work.scan(&["a.jar"]);
    assert_eq!((scan["version"].as_u64(), scan["reason"].as_str()), (Some(1), Some("scan")));
    assert_eq!((names(&scan["reachable"]), names(&scan["present"])), (vec!["NETWORK"], vec!["NETWORK", "EXEC"]));
    assert_eq!(names(&scan["declared"]), ["NETWORK"]);
    let network = scan["findings"].as_array().unwrap().iter().find(|finding| finding["reachable"] == true).unwrap();
    assert_eq!(names(&network["path"]), ["acme.Impl.go", "acme.Wire.open"]);

    let (code, stdout, stderr) = work.run(&["scan", "--sarif", "a.jar"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let sarif: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules: Vec<&str> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap()).collect();
    assert_eq!(rules, ["EXEC", "NETWORK"]);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), scan["findings"].as_array().unwrap().len());
    let network = results.iter().find(|result| result["ruleId"] == "NETWORK").unwrap();
    assert_eq!(network["level"], "warning");
    let location = &network["locations"][0];
    assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], "a.jar");
    assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "acme/Wire.class: acme.Wire.open");
    assert!(results.iter().filter(|result| result["ruleId"] == "EXEC").all(|result| result["level"] == "note"));
}

#[test]
fn classes_count_in_whatever_form_they_lie() {
    let work = Work::new();
    let dead = fs_err::read(work.path("classes/acme/Dead.class")).unwrap();
    let nested = Jar::new().file("acme/Dead.class", &dead).bytes().unwrap();
    let forms = [
        (
            "versioned",
            Jar::new().attribute("Multi-Release", "true").file("META-INF/versions/11/acme/Dead.class", &dead),
        ),
        ("masked", Jar::new().file("META-INF/btrace/agent/acme/Dead.classdata", &dead)),
        ("elastic", Jar::new().file("agent/acme/Dead.esclazz", &dead)),
        ("nested", Jar::new().file("lib/x.jar", &nested)),
        ("stored", Jar::new().stored("lib/x.jar", &nested)),
        ("twice", Jar::new().file("lib/y.zip", &Jar::new().file("x.jar", &nested).bytes().unwrap())),
    ];
    for (name, jar) in forms {
        let path = format!("{name}.jar");
        jar.write(&work.path(&path)).unwrap();
        assert_eq!(names(&work.scan(&[&path])["present"]), ["EXEC"], "{name}");
    }
    assert_eq!(names(&work.scan(&["classes"])["present"]), ["NETWORK", "EXEC"]);
}

#[test]
fn the_answer_is_the_same_after_shading_and_masking() {
    let work = Work::new();
    let agent = "package acme; public class Agent { public static void premain(String a) throws Exception { new Impl().go(); } }";
    let sources: Vec<(&str, &str)> = SOURCES.into_iter().chain([("acme/Agent.java", agent)]).collect();
    fixtures::javac(&sources, &["--release", "8", "-Xlint:-options"], &work.path("agent")).unwrap();
    let jar = Jar::new().attribute("Premain-Class", "acme.Agent").file("META-INF/services/acme.Spi", b"acme.Impl");
    jar.tree(&work.path("agent")).unwrap().write(&work.path("a.jar")).unwrap();
    for arguments in [
        &["-q", "merge", "a.jar", "-o", "shaded.jar", "--relocate", "acme=shaded.acme"][..],
        &["-q", "mask", "--agent", "a.jar", "-o", "masked.jar"],
    ] {
        let (code, _, stderr) = work.run(arguments);
        assert_eq!(code, Some(0), "{stderr}");
    }
    let before = work.scan(&["a.jar"]);
    assert_eq!(names(&before["reachable"]), ["NETWORK"]);
    let shaded = work.scan(&["shaded.jar"]);
    assert_eq!((&shaded["reachable"], &shaded["present"]), (&before["reachable"], &before["present"]));
    // Our own Loader is in the masked jar too, so that only the agent's own classes are compared.
    let masked = work.scan(&["masked.jar"]);
    let of_agent = |scan: &Value| -> Vec<(String, String, bool)> {
        let findings = scan["findings"].as_array().unwrap().iter();
        let mut found: Vec<_> = findings
            .filter(|finding| finding["class"].as_str().unwrap().starts_with("acme."))
            .map(|finding| (finding["class"].to_string(), finding["target"].to_string(), finding["reachable"] == true))
            .collect();
        found.sort();
        found
    };
    assert_eq!(of_agent(&masked), of_agent(&before));
}

#[test]
fn native_libraries_show_what_they_import() {
    let work = Work::new();
    let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
    Jar::new().file("native/libx.so", &own).write(&work.path("n.jar")).unwrap();
    let scan = work.scan(&["n.jar"]);
    let present = names(&scan["present"]);
    assert!(present.contains(&"NATIVE") && present.contains(&"THREADS"), "{present:?}");
    assert_eq!(scan["libraries"][0]["origin"], "`native/libx.so` of `n.jar`");
    // A text that only ends like a library is none.
    Jar::new().file("native/libx.so", b"INPUT(-lc)").write(&work.path("t.jar")).unwrap();
    assert_eq!(names(&work.scan(&["t.jar"])["present"]), Vec::<&str>::new());
}

#[test]
fn what_cannot_be_read_is_named() {
    let work = Work::new();
    let refused = |path: &Path| {
        let (code, stdout, stderr) = work.run(&["scan", path.to_str().unwrap()]);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        stderr
    };
    Jar::new().file("acme/Bad.class", b"\xCA\xFE\xBA\xBE").write(&work.path("bad.jar")).unwrap();
    let stderr = refused(Path::new("bad.jar"));
    assert!(stderr.contains("`acme/Bad.class` of `bad.jar`"), "{stderr}");
    let bytes = work.jar().bytes().unwrap();
    fs_err::write(work.path("cut.jar"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(refused(Path::new("cut.jar")).contains("cut.jar"));
    assert!(refused(Path::new("missing.jar")).contains("missing.jar"));
}
