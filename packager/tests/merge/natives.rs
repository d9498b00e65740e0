//! Native libraries beside classes that move.

use std::process::Command;
use std::time::Duration;

use fixtures::Jar;

use crate::work::{RELEASE_8, Work};

const NAT: (&str, &str) = (
    "org/dep/Nat.java",
    r#"package org.dep;
    public class Nat {
        static {
            try (java.io.InputStream in = Nat.class.getResourceAsStream("/META-INF/native/libdep.so")) {
                java.io.File file = java.io.File.createTempFile("libdep", ".so");
                file.deleteOnExit();
                java.nio.file.Files.copy(in, file.toPath(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                System.load(file.getPath());
            } catch (java.io.IOException e) { throw new IllegalStateException(e); }
        }
        public native int v();
    }"#,
);
const CALLER: (&str, &str) = (
    "org/dep/Caller.java",
    "package org.dep; public class Caller { public static int call() { return new Nat().v(); } }",
);
const AGENT: (&str, &str) = (
    "org/dep/Ag.java",
    r#"package org.dep;
    public class Ag {
        public static void premain(String a) {
            System.err.println(a + " " + Caller.class.getName() + " " + Nat.class.getName() + " " + Caller.call());
        }
    }"#,
);
const APP: (&str, &str) = (
    "app/App.java",
    "package app; public class App { public static void main(String[] a) { System.out.println(\"app\"); } }",
);

/// A shared library that exports `symbol`, which returns `value`.
fn library(symbol: &str, value: i32) -> Vec<u8> {
    let source = format!(
        "#![allow(non_snake_case)]\n#[unsafe(no_mangle)]\npub extern \"C\" fn {symbol}(_: *const u8, _: *const u8) -> i32 {{ {value} }}\n"
    );
    fixtures::shared_library(&source).unwrap()
}

fn agent(sources: &[(&str, &str)], libraries: &[(&str, &[u8])]) -> Jar {
    let out = tempfile::tempdir().unwrap();
    fixtures::javac(sources, &RELEASE_8, out.path()).unwrap();
    let jar = Jar::new().attribute("Premain-Class", "org.dep.Ag").tree(out.path()).unwrap();
    libraries.iter().fold(jar, |jar, (name, bytes)| jar.file(&format!("META-INF/native/{name}"), bytes))
}

#[test]
fn case_30_native_methods_and_the_libraries_that_export_them() {
    let work = Work::new();
    let (seven, eight) = (library("Java_org_dep_Nat_v", 7), library("Java_y_org_dep_Nat_v", 8));
    let sources = [NAT, CALLER, AGENT];
    let others: [(&str, &[u8]); 2] = [("dep.dll", b"MZ"), ("libdep.jnilib", b"\xcf\xfa\xed\xfe")];
    work.jar("one.jar", &agent(&sources, &[&[("libdep.so", seven.as_slice())], &others[..]].concat()));
    work.jar("two.jar", &agent(&sources, &[&[("libdep.so", eight.as_slice())], &others[..]].concat()));

    // The library exports the old name: refused, by both commands.
    let message = "class `org.dep.Nat` cannot move: `META-INF/native/libdep.so` of `one.jar` exports its native method \
                   `v` as: `Java_org_dep_Nat_v`";
    let stderr = work.refused(&["one.jar", "--relocate", "org.dep=x.org.dep"]);
    assert!(stderr.contains(message), "{stderr}");
    let mask = ["mask", "-o", "x.jar", "--agent", "one.jar", "--relocate", "org.dep=x.org.dep"];
    let run = work.fatagent(&mask);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert!(!work.path("x.jar").exists());

    // Two libraries at one path stop the build, two equal ones are one.
    assert!(work.refused(&["one.jar", "two.jar"]).contains("two different files claim `META-INF/native/libdep.so`"));
    work.jar("same.jar", &Jar::new().file("META-INF/native/libdep.so", &seven));
    work.merge(&["one.jar", "same.jar"]);
    assert_eq!(work.names().iter().filter(|name| name.ends_with("libdep.so")).count(), 1);

    // Kept under its name by one agent, and made for the new name in the other: both answer in one JVM.
    assert_eq!(work.fatagent(&[&mask[..], &["--relocate", "=org.dep.Nat=org.dep.Nat"]].concat()).code, Some(0));
    let run = work.fatagent(&["mask", "-o", "y.jar", "--agent", "two.jar", "--relocate", "org.dep=y.org.dep"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("native methods move"), "{}", run.stderr);
    let out = tempfile::tempdir().unwrap();
    fixtures::javac(&[APP], &RELEASE_8, out.path()).unwrap();
    let classes = out.path().to_str().unwrap();
    for home in fixtures::java_homes().iter().filter(|home| home.feature >= 9) {
        let mut command = Command::new(home.tool("java").unwrap());
        command.current_dir(work.path("")).args(["-Xverify:all", "-javaagent:x.jar=one", "-javaagent:y.jar=two"]);
        let output = fixtures::run(command.args(["-cp", classes, "app.App"]), Duration::from_mins(1)).unwrap();
        assert_eq!(output.stdout, "app\n", "{}", output.stderr);
        let said: Vec<&str> = output.stderr.lines().filter(|line| line.contains("Caller")).collect();
        let expected = ["one x.org.dep.Caller org.dep.Nat 7", "two y.org.dep.Caller y.org.dep.Nat 8"];
        assert_eq!(said, expected, "on {}: {}", home.feature, output.stderr);
    }
}
