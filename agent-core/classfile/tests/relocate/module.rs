//! A whole module of the JDK, relocated, runs: its compiler compiles to the same classes.

use crate::harness::{Classes, javac, read_classes, relocate_with, rules, succeed, write_classes};
use classfile::relocate::Literals;
use fixtures::compiler_home;
use std::fmt::Write as _;
use std::process::Command;
use tempfile::TempDir;

/// Extracts a module of the JDK under test.
fn module(name: &str) -> Classes {
    let folder = TempDir::new().unwrap();
    let home = compiler_home().unwrap();
    let include = format!("--include=regex:/{name}/.*\\.class");
    let mut jimage = Command::new(home.tool("jimage").unwrap());
    jimage.arg("extract").arg("--dir").arg(folder.path()).arg(include).arg(home.path.join("lib/modules"));
    succeed(&mut jimage);
    read_classes(&folder.path().join(name))
}

#[test]
fn the_compiler_runs_relocated_and_writes_the_same_classes() {
    let mut classes = module("jdk.compiler");
    classes.remove("module-info");
    assert!(classes.len() > 1500, "{}", classes.len());
    // The annotations of the tree API, used by the compiler's own classes, are not in the module.
    let rules =
        rules(&[("com.sun.tools", "shaded.tools"), ("sun.tools", "shaded.sun"), ("jdk.internal.shellsupport", "x.s")]);
    let known = |name: &str| {
        classes.contains_key(name)
            || classes.range(format!("{name}/")..).next().is_some_and(|(c, _)| c.starts_with(&format!("{name}/")))
    };
    let moved = relocate_with(&classes, &rules, &Literals::Descriptors(&known));
    assert!(moved.classes.contains_key("shaded/tools/javac/main/Main"));
    let folder = TempDir::new().unwrap();
    let (shaded, out, source) =
        (folder.path().join("shaded"), folder.path().join("out"), folder.path().join("Everything.java"));
    write_classes(&shaded, &moved.classes);
    write_classes(folder.path(), &javac(&[("LinkAll.java", include_str!("../it/java/LinkAll.java"))], &[]));
    fs_err::write(&source, include_str!("java/Everything.java")).unwrap();
    let mut names = String::new();
    for name in moved.classes.keys() {
        writeln!(names, "{}", name.replace('/', ".")).unwrap();
    }
    fs_err::write(folder.path().join("names"), names).unwrap();
    let java = || {
        let mut java = Command::new(compiler_home().unwrap().path.join("bin/java"));
        java.args(["-Xverify:all", "-XX:-PrintWarnings"]);
        for package in [
            "jdk.internal.jmod",
            "jdk.internal.misc",
            "jdk.internal.opt",
            "sun.invoke.util",
            "jdk.internal.javac",
            "sun.reflect.annotation",
        ] {
            java.arg(format!("--add-exports=java.base/{package}=ALL-UNNAMED"));
        }
        java.arg("-cp").arg(std::env::join_paths([&shaded, folder.path()]).unwrap());
        java
    };
    let output = succeed(java().arg("LinkAll").arg(folder.path().join("names")));
    assert!(!output.contains("FAILED"), "{output}");
    let linked: usize = output.lines().last().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    assert!(linked > moved.classes.len() - 20, "{output}");
    succeed(java().arg("shaded.tools.javac.Main").args(["-g", "-nowarn", "-Xlint:none", "-d"]).arg(&out).arg(&source));
    let expected = javac(&[("org/dep/Everything.java", include_str!("java/Everything.java"))], &["-g"]);
    assert!(read_classes(&out) == expected, "the relocated compiler wrote other classes");
}
