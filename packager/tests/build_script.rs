//! The parts of the build script that decide something, tested as ordinary modules: cargo does not test build scripts.

// The modules are compiled here as parts of another crate, which does not use all of them.
#[path = "../build/jdk.rs"]
#[expect(dead_code, reason = "the tests say themselves where to look")]
mod jdk;
#[path = "../build/shim.rs"]
mod shim;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held by every test that starts a process. Otherwise a process started by one test can hold open the program that
/// another one is just writing, and that one cannot be started then (`ETXTBSY`).
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the build script knows of the workspace.
struct Places {
    workspace: PathBuf,
    out: PathBuf,
}

fn search(java_home: Option<&Path>, path: Option<&Path>) -> jdk::Search {
    let value = |path: &Path| OsString::from(path);
    jdk::Search { java_home: java_home.map(value), path: path.map(value).unwrap_or_default() }
}

/// A program that answers as the javac of some version does.
#[cfg(unix)]
fn fake_javac(folder: &Path, answer: &str) {
    use std::os::unix::fs::PermissionsExt;

    fs_err::create_dir_all(folder).unwrap();
    let program = folder.join("javac");
    fs_err::write(&program, format!("#!/bin/sh\n{answer}\n")).unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn message(search: &jdk::Search) -> String {
    match search.javac() {
        Ok(_) => panic!("a javac was found"),
        Err(error) => format!("{error:#}"),
    }
}

#[test]
fn without_javac_there_is_one_message_with_the_remedy() {
    let empty = tempfile::tempdir().unwrap();
    let text = message(&search(None, Some(empty.path())));
    assert!(text.starts_with("a JDK of version 17 or newer is needed"), "{text}");
    assert!(text.contains("`JAVA_HOME` is not set, no javac in `PATH`"), "{text}");
    assert!(text.contains("\nhint: install a JDK"), "{text}");
    assert!(text.contains("`FATAGENT_BASE`"), "{text}");
    let text = message(&search(Some(empty.path()), None));
    assert!(text.contains("in `JAVA_HOME` there is no `"), "{text}");
}

#[test]
#[cfg(unix)]
fn an_old_javac_is_named_with_its_version() {
    let _alone = alone();
    let root = tempfile::tempdir().unwrap();
    fake_javac(&root.path().join("home/bin"), "echo 'javac 1.8.0_402' >&2");
    fake_javac(&root.path().join("path"), "echo 'javac 11.0.2'");
    let text = message(&search(Some(&root.path().join("home")), Some(&root.path().join("path"))));
    assert!(text.contains("home/bin/javac` is of version 8, in `PATH` `"), "{text}");
    assert!(text.contains("path/javac` is of version 11\n"), "{text}");
    fake_javac(&root.path().join("odd"), "echo hello");
    let text = message(&search(None, Some(&root.path().join("odd"))));
    assert!(text.contains("does not tell its version: `hello`"), "{text}");
}

#[test]
#[cfg(unix)]
fn path_is_used_where_the_one_of_java_home_is_too_old() {
    let _alone = alone();
    let root = tempfile::tempdir().unwrap();
    fake_javac(&root.path().join("home/bin"), "echo 'javac 16'");
    fake_javac(&root.path().join("path"), "echo 'javac 17-ea'");
    assert!(search(Some(&root.path().join("home")), Some(&root.path().join("path"))).javac().is_ok());
}

/// A small workspace with one class in each folder of sources, and `more` files.
fn workspace(more: &[(&str, &str)]) -> (tempfile::TempDir, Places) {
    let root = tempfile::tempdir().unwrap();
    let sources = [
        ("agent-core/java/boot/b/Boot.java", "package b; public class Boot { class $Odd { class $ {} } }"),
        ("agent-core/java/agent/a/Agent.java", "package a; public class Agent extends b.Boot {}"),
        ("agent-core/java/client/c/Client.java", "package c; public class Client { Object o = new b.Boot() {}; }"),
        ("agent-core/java/lang/java/lang/Linker.java", "package java.lang; public class Linker extends b.Boot {}"),
        (
            "agent-core/java/java24/b/Late.java",
            "package b; class Late { Object o = jdk.internal.loader.NativeLibraries.class; }",
        ),
        ("extension-sdk/java/s/Shared.java", "package s; public interface Shared { enum E { A } }"),
    ];
    for (path, text) in sources.iter().chain(more) {
        let file = root.path().join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }
    let places = Places { workspace: root.path().to_owned(), out: root.path().join("out") };
    (root, places)
}

fn compile(places: &Places) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let _alone = alone();
    let javac = jdk::Search { java_home: env::var_os("JAVA_HOME"), path: env::var_os("PATH").unwrap_or_default() };
    let javac = javac.javac().unwrap();
    shim::compile(places, &javac).map_err(|error| format!("{error:#}"))
}

#[test]
fn each_class_goes_where_its_source_lies() {
    let (_root, places) = workspace(&[]);
    let classes = compile(&places).unwrap();
    let names: Vec<&str> = classes.keys().map(String::as_str).collect();
    let expected = [
        "META-INF/btrace/agent/a/Agent.classdata",
        "META-INF/btrace/agent/java/lang/Linker.classdata",
        "META-INF/btrace/client/c/Client$1.classdata",
        "META-INF/btrace/client/c/Client.classdata",
        "META-INF/btrace/shared/s/Shared$E.classdata",
        "META-INF/btrace/shared/s/Shared.classdata",
        "b/Boot$$Odd$$.class",
        "b/Boot$$Odd.class",
        "b/Boot.class",
        "b/Late.class",
    ];
    assert_eq!(names, expected);
    for (name, bytes) in &classes {
        let major = u16::from_be_bytes([bytes[6], bytes[7]]);
        assert_eq!(major, if name == "b/Late.class" { 61 } else { 52 }, "{name}");
    }
    assert_eq!(compile(&places).unwrap(), classes, "two runs differ");
}

#[test]
fn a_class_without_a_source_of_its_name_is_an_error() {
    let (_root, places) = workspace(&[("agent-core/java/agent/a/Two.java", "package a; class Two {} class Other {}")]);
    let text = compile(&places).unwrap_err();
    assert_eq!(text, "the source of class `a/Other` must be in exactly one folder: found in []");
}

#[test]
fn what_is_no_java_source_is_an_error() {
    let (_root, places) = workspace(&[("agent-core/java/agent/a/names.txt", "")]);
    let text = compile(&places).unwrap_err();
    assert!(text.starts_with("not a Java source: `") && text.ends_with("names.txt`"), "{text}");
}

#[test]
fn what_javac_says_is_shown() {
    let (_root, places) = workspace(&[("agent-core/java/agent/a/Bad.java", "package a; class Bad { int x = y; }")]);
    let text = compile(&places).unwrap_err();
    assert!(text.starts_with("javac failed with exit status: 1\n"), "{text}");
    assert!(text.contains("Bad.java:1: error: cannot find symbol"), "{text}");
}
