//! The JDK's own classes, woven, and the JDK running on them.

use crate::harness::{Classes, everything, javac, module, read_classes, run, tool, write_classes};
use crate::sites::Everywhere;
use classfile::access;
use classfile::weave::{Linkage, Planner, SiteKind, Skip, methods, weave};
use fs_err as fs;
use std::fmt::Write as _;
use std::process::Command;
use tempfile::TempDir;

/// Weaves every method with everything, at every site too if `sites`, linked to the trampoline.
fn weave_module(classes: &Classes, sites: bool) -> (Classes, usize) {
    let mut out = Classes::new();
    let mut count = 0;
    for (name, bytes) in classes {
        let mut site = |name: &str, _: &str| match name.split_once(':') {
            Some(("entry", _)) => 0,
            Some(("return", _)) => 1,
            Some(("error", _)) => 2,
            _ => 3,
        };
        let linkage = Linkage::Direct { class: "java/lang/Trampoline", method: "hit", site: &mut site };
        // The first thing that this initialiser does is to register the clock.
        let clock = |method: &str| name == "java/lang/System" && method == "<clinit>";
        let has_code = |access: u16| access & (access::ABSTRACT | access::NATIVE) == 0;
        let mut ends = methods(|m| (has_code(m.access) && !clock(m.name)).then(|| everything(m)));
        let mut all = Everywhere { kinds: SiteKind::ALL.to_vec(), only: Vec::new(), ends: true };
        let planner: &mut dyn Planner = if sites { &mut all } else { &mut ends };
        let woven = weave(bytes, linkage, planner).unwrap_or_else(|e| panic!("{name}: {e}"));
        // Woven, `Object.finalize` would make every object finalizable, and no JVM would start.
        for (method, skip) in &woven.skipped {
            if sites && matches!(skip, Skip::CodeTooLarge { .. }) {
                continue;
            }
            assert_eq!((method.as_str(), skip), ("finalize()V", &Skip::EmptyFinalizer), "{name}");
        }
        count += woven.methods.len();
        if let Some(new) = woven.bytes {
            cafebabe::parse_class(&new).unwrap_or_else(|e| panic!("{name}: {e}"));
            out.insert(name.clone(), new);
        }
    }
    (out, count)
}

#[test]
fn the_base_module_runs_woven_and_every_class_verifies() {
    let folder = TempDir::new().unwrap();
    let base = module("java.base");
    let (mut woven, methods) = weave_module(&base, false);
    assert!(woven.len() > 3000 && methods > 30_000, "{} classes, {methods} methods", woven.len());
    let trampoline = include_str!("java/Trampoline.java");
    woven.extend(javac(&[("Trampoline.java", trampoline)], &["--patch-module", "java.base=."]));
    write_classes(&folder.path().join("base"), &woven);
    write_classes(folder.path(), &javac(&[("LinkAll.java", include_str!("java/LinkAll.java"))], &[]));
    let mut names = String::new();
    for name in woven.keys() {
        writeln!(names, "{}", name.replace('/', ".")).unwrap();
    }
    fs::write(folder.path().join("names"), names).unwrap();
    let mut java = Command::new(tool("java"));
    java.args(["-Xverify:all", "-XX:-PrintWarnings", "--patch-module"]);
    java.arg(format!("java.base={}", folder.path().join("base").display()));
    java.arg("-cp").arg(folder.path()).arg("LinkAll").arg(folder.path().join("names"));
    let output = run(&mut java).unwrap();
    assert!(!output.contains("FAILED"), "{output}");
    let linked: usize = output.lines().last().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    assert!(linked > woven.len() - 10, "{output}");
}

/// The compiler itself, woven through and through, must still compile to the same bytes.
#[test]
fn the_compiler_runs_woven_and_writes_the_same_classes() {
    run_compiler(false);
}

/// The same with calls at every instruction that can have some: `cargo test -p fatagent-classfile --test it -- --ignored the_compiler`.
#[test]
#[ignore = "takes minutes"]
fn the_compiler_runs_with_every_site_and_writes_the_same_classes() {
    run_compiler(true);
}

fn run_compiler(sites: bool) {
    let folder = TempDir::new().unwrap();
    let (woven, methods) = weave_module(&module("jdk.compiler"), sites);
    assert!(methods > 10_000, "{methods}");
    write_classes(&folder.path().join("compiler"), &woven);
    let trampoline = include_str!("java/Trampoline.java");
    write_classes(
        &folder.path().join("base"),
        &javac(&[("Trampoline.java", trampoline)], &["--patch-module", "java.base=."]),
    );
    let counting = include_str!("java/Compile.java");
    write_classes(folder.path(), &javac(&[("Compile.java", counting)], &[]));
    let sources: [(&str, &str); 3] = [
        ("Flow.java", include_str!("java/programs/Flow.java")),
        ("Types.java", include_str!("java/programs/Types.java")),
        ("Modern.java", include_str!("java/programs/Modern.java")),
    ];
    let expected = javac(&sources, &["-g"]);
    let mut java = Command::new(tool("java"));
    java.args(["-Xverify:all", "-XX:-PrintWarnings"]);
    for (module, part) in [("java.base", "base"), ("jdk.compiler", "compiler")] {
        java.arg("--patch-module").arg(format!("{module}={}", folder.path().join(part).display()));
    }
    let out = folder.path().join("out");
    fs::create_dir_all(&out).unwrap();
    java.arg("-cp").arg(folder.path()).arg("Compile").args(["-g", "-d"]).arg(&out);
    for (name, text) in sources {
        fs::write(folder.path().join(name), text).unwrap();
        java.arg(folder.path().join(name));
    }
    let output = run(&mut java).unwrap();
    assert!(read_classes(&out) == expected, "the woven compiler wrote other classes");
    // Errors come from inside as well as out: the compiler uses exceptions to leave nested visits.
    let counts: Vec<u64> = output.trim().split(' ').map(|n| n.parse().unwrap()).collect();
    assert!(counts[0] > 1_000_000 && counts[2] > 0, "{counts:?}");
    assert_eq!(counts[0], counts[1] + counts[2]);
    assert!(sites == (counts[3] > 10_000_000), "{counts:?}");
}
