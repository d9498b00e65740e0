//! The JDK's own classes, woven, and the JDK running on them.

use crate::harness::{Classes, everything, javac, read_classes, run, tool, write_classes};
use classfile::access;
use classfile::weave::{Linkage, Skip, weave};
use fs_err as fs;
use std::fmt::Write as _;
use std::process::Command;
use tempfile::TempDir;

/// Extracts a module of the JDK under test.
fn module(name: &str) -> Classes {
    let folder = TempDir::new().unwrap();
    let image = java_home().join("lib").join("modules");
    let include = format!("--include=regex:/{name}/.*\\.class");
    run(Command::new(tool("jimage")).arg("extract").arg("--dir").arg(folder.path()).arg(include).arg(image)).unwrap();
    read_classes(&folder.path().join(name))
}

/// Home of the JDK under test, as it says itself.
fn java_home() -> std::path::PathBuf {
    let output = Command::new(tool("java")).args(["-XshowSettings:properties", "-version"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find_map(|line| line.trim().strip_prefix("java.home = ")).unwrap();
    line.into()
}

/// Weaves every method with everything, linked to the trampoline.
fn weave_module(classes: &Classes) -> (Classes, usize) {
    let mut out = Classes::new();
    let mut methods = 0;
    for (name, bytes) in classes {
        let mut site = |name: &str, _: &str| match name.split_once(':') {
            Some(("entry", _)) => 0,
            Some(("return", _)) => 1,
            _ => 2,
        };
        let linkage = Linkage::Direct { class: "java/lang/Trampoline", method: "hit", site: &mut site };
        // The first thing that this initialiser does is to register the clock.
        let clock = |method: &str| name == "java/lang/System" && method == "<clinit>";
        let has_code = |access: u16| access & (access::ABSTRACT | access::NATIVE) == 0;
        let woven = weave(bytes, linkage, &mut |m| (has_code(m.access) && !clock(m.name)).then(|| everything(m)))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        // Woven, `Object.finalize` would make every object finalizable, and no JVM would start.
        for (method, skip) in &woven.skipped {
            assert_eq!((method.as_str(), skip), ("finalize()V", &Skip::EmptyFinalizer), "{name}");
        }
        methods += woven.methods.len();
        if let Some(new) = woven.bytes {
            cafebabe::parse_class(&new).unwrap_or_else(|e| panic!("{name}: {e}"));
            out.insert(name.clone(), new);
        }
    }
    (out, methods)
}

#[test]
fn the_base_module_runs_woven_and_every_class_verifies() {
    let folder = TempDir::new().unwrap();
    let base = module("java.base");
    let (mut woven, methods) = weave_module(&base);
    assert!(woven.len() > 3000 && methods > 30_000, "{} classes, {methods} methods", woven.len());
    let trampoline = include_str!("java/Trampoline.java");
    woven.extend(javac(&[("Trampoline.java", trampoline)], &["--patch-module", "java.base=."]));
    write_classes(&folder.path().join("base"), &woven);
    write_classes(folder.path(), &javac(&[("LinkAll.java", include_str!("java/LinkAll.java"))], &[]));
    let mut names = String::new();
    woven.keys().for_each(|name| writeln!(names, "{}", name.replace('/', ".")).unwrap());
    fs::write(folder.path().join("names"), names).unwrap();
    let mut java = Command::new(tool("java"));
    java.args(["-Xverify:all", "-XX:-PrintWarnings", "--patch-module"]);
    java.arg(format!("java.base={}", folder.path().join("base").display()));
    java.arg("-cp").arg(folder.path()).arg("LinkAll").arg(folder.path().join("names"));
    let output = run(&mut java).unwrap();
    assert!(!output.contains("FAILED"), "{output}");
    println!("{output}");
}
