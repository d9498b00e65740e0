//! Files by Maven coordinates: a repository of Maven's layout below a home folder of its own.

mod support;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fixtures::Jar;
use support::Project;

/// How long one program may run.
const LIMIT: Duration = Duration::from_mins(2);

/// Runs `fatagent` with this home folder; exit code and stderr.
fn fatagent(folder: &Path, home: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    let output = fixtures::run(command.current_dir(folder).args(arguments).env("HOME", home), LIMIT).unwrap();
    (output.status.code(), output.stderr)
}

/// Puts a file where Maven would.
fn install(home: &Path, path: &str, bytes: &[u8]) {
    let file = home.join(".m2/repository").join(path);
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, bytes).unwrap();
}

#[test]
fn jars_of_an_ordinary_one_come_from_the_local_repository() {
    let work = tempfile::tempdir().unwrap();
    let toml = "[agent]\nname = \"all\"\nversion = \"1\"\nlayout = \"plain\"\nbase = { maven = \"com.acme:base:1.0\" }\n\
                [bootstrap]\nfrom = [\"maven:com.acme:lib:2.0:tests\"]\n";
    fs_err::write(work.path().join("agent.toml"), toml).unwrap();
    let (code, stderr) = fatagent(work.path(), work.path(), &["build"]);
    assert_eq!(code, Some(1));
    let missing = "agent.toml:5:1: the local Maven repository does not have `com.acme:base:1.0`";
    assert!(stderr.contains(missing), "{stderr}");
    assert!(stderr.contains("hint: run `mvn dependency:get -Dartifact=com.acme:base:1.0`"), "{stderr}");

    let base = Jar::new().attribute("Implementation-Title", "base").file("a.txt", b"a").bytes().unwrap();
    install(work.path(), "com/acme/base/1.0/base-1.0.jar", &base);
    install(work.path(), "com/acme/lib/2.0/lib-2.0-tests.jar", &Jar::new().file("b.txt", b"b").bytes().unwrap());
    let (code, stderr) = fatagent(work.path(), work.path(), &["build"]);
    assert_eq!(code, Some(0), "{stderr}");
    let names = fixtures::entry_names(&work.path().join("all.jar")).unwrap();
    assert!(names.contains(&"a.txt".to_owned()) && names.contains(&"b.txt".to_owned()), "{names:?}");
}

#[test]
fn an_extension_is_the_zip_with_that_classifier() {
    let project = Project::new();
    let home = project.path("home");
    let toml = project.path("agent.toml");
    let text = fs_err::read_to_string(&toml).unwrap();
    let file = text.lines().find(|line| line.starts_with("file = ")).expect("a zip by file").to_owned();
    let zip = fs_err::read(project.path(file.trim_start_matches("file = ").trim_matches('"'))).unwrap();
    fs_err::write(&toml, text.replace(&file, "maven = \"vendor:statsd:1.0.0\"")).unwrap();
    let (code, stderr) = fatagent(&project.path(""), &home, &["build"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("`vendor:statsd:1.0.0:extension@zip`"), "{stderr}");
    install(&home, "vendor/statsd/1.0.0/statsd-1.0.0-extension.zip", &zip);
    let (code, stderr) = fatagent(&project.path(""), &home, &["build"]);
    assert_eq!(code, Some(0), "{stderr}");
}
