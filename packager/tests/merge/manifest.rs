//! The manifest of the output, and signatures.

use std::path::PathBuf;

use fixtures::Jar;

use crate::work::{RELEASE_8, Work};

/// A program of the JDK that the fixtures compile with.
fn tool(name: &str) -> PathBuf {
    fixtures::compiler_home().unwrap().tool(name).unwrap()
}

pub(crate) fn agent(work: &Work) -> Jar {
    let source = "package org.ag; public class Ag {
        public static void premain(String a, java.lang.instrument.Instrumentation i) { System.out.println(\"agent\"); }
        public static void agentmain(String a, java.lang.instrument.Instrumentation i) {}
        public static void main(String[] a) { System.out.println(\"main\"); } }";
    Jar::new()
        .attributes(&[("Premain-Class", "org.ag.Ag"), ("Agent-Class", "org.ag.Ag"), ("Main-Class", "org.ag.Ag")])
        .file("org/ag/Ag.class", &work.class(&[("org/ag/Ag.java", source)], &RELEASE_8, "org/ag/Ag.class"))
}

fn sign(work: &Work, jar: &str) {
    let store = ["-keystore", "keys", "-storepass", "secret"];
    if !work.path("keys").exists() {
        let key = ["-genkeypair", "-alias", "k", "-keyalg", "RSA", "-dname", "CN=x", "-keypass", "secret"];
        work.program(&tool("keytool"), &[&key[..], &store].concat());
    }
    work.program(&tool("jarsigner"), &[&store[..], &[jar, "k"]].concat());
}

#[test]
fn case_22_signatures_go_and_the_result_can_be_signed_again() {
    let work = Work::new();
    work.jar("agent.jar", &agent(&work));
    let text = "Manifest-Version: 1.0\r\n\r\nName: dep/\r\nImplementation-Title: Dep\r\n\r\n";
    let index = b"JarIndex-Version: 1.0\n\ndep.jar\ndep\n\n";
    work.jar("dep.jar", &Jar::new().manifest(text.as_bytes()).file("dep/x", b"x").file("META-INF/INDEX.LIST", index));
    for jar in ["agent.jar", "dep.jar"] {
        sign(&work, jar);
    }
    work.jar("more.jar", &Jar::new().file("META-INF/SIG-X", b"x"));
    let stderr = work.merge(&["agent.jar", "dep.jar", "more.jar"]);
    for jar in ["agent", "dep", "more"] {
        assert!(stderr.contains(&format!("warning: the signature of `{jar}.jar` is dropped")), "{stderr}");
    }
    let left = |name: &String| name.starts_with("META-INF/") && !name.ends_with('/') && *name != "META-INF/MANIFEST.MF";
    assert_eq!(work.names().iter().filter(|name| left(name)).count(), 0, "{:?}", work.names());
    let manifest = work.text("META-INF/MANIFEST.MF");
    assert!(!manifest.contains("-Digest"), "{manifest}");
    assert!(manifest.ends_with("\r\n\r\nName: dep/\r\nImplementation-Title: Dep\r\n\r\n"), "{manifest}");
    work.java(&["-javaagent:out.jar", "-cp", "out.jar", "org.ag.Ag"], "agent\nmain\n");

    sign(&work, "out.jar");
    let verified = work.program(&tool("jarsigner"), &["-verify", "out.jar"]);
    assert!(verified.contains("jar verified."), "{verified}");
    work.java(&["-javaagent:out.jar", "-cp", "out.jar", "org.ag.Ag"], "agent\nmain\n");
}

#[test]
fn case_23_a_manifest_that_lies_last_or_in_lower_case_is_found() {
    let work = Work::new();
    let manifest = b"Manifest-Version: 1.0\r\nPremain-Class: org.ag.Ag\r\nMain-Class: org.ag.Ag\r\n\r\n";
    let whole = agent(&work);
    whole.write(&work.path("whole.jar")).unwrap();
    let class = fixtures::read_entry(&work.path("whole.jar"), "org/ag/Ag.class").unwrap();
    let reader = work.class(
        &[("R.java", "import java.util.jar.*; public class R { public static void main(String[] a) throws Exception {
            JarInputStream in = new JarInputStream(new java.io.FileInputStream(a[0]));
            System.out.println(in.getManifest() == null ? null : in.getManifest().getMainAttributes().getValue(\"Premain-Class\"));
            while (in.getNextJarEntry() != null) in.closeEntry(); } }")],
        &RELEASE_8,
        "R.class",
    );
    fs_err::write(work.path("R.class"), reader).unwrap();
    for (name, warned) in [("META-INF/MANIFEST.MF", false), ("meta-inf/manifest.mf", true)] {
        work.jar("a.jar", &Jar::new().file("org/ag/Ag.class", &class).file(name, manifest));
        let stderr = work.merge(&["a.jar"]);
        let warning = format!("`{name}` of `a.jar` is read as the manifest, which the JVM would not do");
        assert_eq!(stderr.contains(&warning), warned, "{stderr}");
        assert_eq!(work.names(), ["META-INF/", "META-INF/MANIFEST.MF", "org/ag/Ag.class"]);
        work.java(&["-cp", ".", "R", "out.jar"], "org.ag.Ag\n");
        work.java(&["-javaagent:out.jar", "-jar", "out.jar"], "agent\nmain\n");
    }
}

#[test]
fn main_attributes_are_those_of_the_first_jar_and_the_users_own_come_last() {
    let work = Work::new();
    work.jar("a.jar", &Jar::new().attributes(&[("Main-Class", "a.A"), ("X", "1"), ("Y", "2")]));
    work.jar("b.jar", &Jar::new().attributes(&[("Main-Class", "b.B"), ("Z", "3")]));
    let long = format!("Long={}", "é".repeat(60));
    work.merge(&["a.jar", "b.jar", "--attribute", "X=new", "--attribute", &long]);
    let text = work.text("META-INF/MANIFEST.MF");
    let expected = format!(
        "Manifest-Version: 1.0\r\nMain-Class: a.A\r\nY: 2\r\nX: new\r\nLong: {}\r\n {}\r\n\r\n",
        "é".repeat(33),
        "é".repeat(27)
    );
    assert_eq!(text, expected);
    for (attribute, message) in [
        ("Name=x", "manifest attribute is set by fatagent and cannot be changed: `Name`"),
        ("manifest-version=2", "manifest attribute is set by fatagent and cannot be changed: `manifest-version`"),
        ("X=a\nb", "value of manifest attribute `X` holds a line break or a NUL"),
        ("a b=c", "not a manifest attribute name: `a b`"),
    ] {
        fs_err::remove_file(work.path("out.jar")).ok();
        let stderr = work.refused(&["a.jar", "--attribute", attribute]);
        assert!(stderr.contains(message), "{stderr}");
    }
}

#[test]
fn sections_that_contradict_each_other_are_reported() {
    let work = Work::new();
    let section =
        |title: &str| format!("Manifest-Version: 1.0\r\n\r\nName: p/\r\nImplementation-Title: {title}\r\n\r\n");
    work.jar("a.jar", &Jar::new().manifest(section("A").as_bytes()));
    work.jar("b.jar", &Jar::new().manifest(section("B").as_bytes()));
    let stderr = work.merge(&["a.jar", "b.jar"]);
    let report = "Kept `Implementation-Title: A` of the manifest section `p/`, not the value of `b.jar`: B";
    assert!(stderr.contains(report), "{stderr}");
    assert_eq!(work.text("META-INF/MANIFEST.MF"), section("A"));
}
