//! Relocation and decisions about conflicts where files are masked.

use fixtures::Jar;

use crate::relocation::compiled;
use crate::work::Work;

const SECTION: &str = "META-INF/btrace/agent/";

fn agent(name: &str) -> Jar {
    let source = "package ag; public class Ag { public static void premain(String a) { org.dep.A.call(); } }";
    compiled(&[
        ("ag/Ag.java", source),
        ("org/dep/A.java", "package org.dep; public class A { public static void call() {} }"),
    ])
    .attribute("Premain-Class", "ag.Ag")
    .file("notes.txt", name.as_bytes())
}

fn entry(work: &Work, jar: &str, name: &str) -> Vec<u8> {
    fixtures::read_entry(&work.path(jar), name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn conflicts_in_a_section_are_decided_as_in_ordinary_jars() {
    let work = Work::new();
    work.jar("one.jar", &agent("one\n").file("reference.conf", b"a = 1\n"));
    let more = compiled(&[(
        "org/dep/A.java",
        "package org.dep; public class A { public static void call() { int other; } int x; }",
    )]);
    work.jar("two.jar", &more.file("notes.txt", b"two\n").file("reference.conf", b"b = 2\n"));
    let mask = ["mask", "-o", "out.jar", "--agent", "one.jar", "--agent", "two.jar"];
    let run = work.fatagent(&mask);
    assert_eq!(run.code, Some(1));
    let message = "two different files claim `notes.txt`: `notes.txt` of `one.jar`, and `notes.txt` of `two.jar`; \
                   likewise `org/dep/A.classdata`";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert!(run.stderr.contains("hint: decide with `--merge PATH=RULE`"), "{}", run.stderr);
    let rules = ["--merge", "notes.txt=concatenate", "--merge", "org/**/*.class=last"];
    let run = work.fatagent(&[&mask[..], &rules[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(entry(&work, "out.jar", &format!("{SECTION}notes.txt")), b"one\ntwo\n");
    assert_eq!(entry(&work, "out.jar", &format!("{SECTION}reference.conf")), b"b = 2\na = 1\n");
    let last = fixtures::read_entry(&work.path("two.jar"), "org/dep/A.class").unwrap();
    assert_eq!(entry(&work, "out.jar", &format!("{SECTION}org/dep/A.classdata")), last);
    for line in ["Kept `org/dep/A.class` of `two.jar`, not of `one.jar`", "Joined `notes.txt`"] {
        assert!(run.stderr.contains(line), "{line}\n{}", run.stderr);
    }
}

#[test]
fn the_printed_description_does_the_same() {
    let work = Work::new();
    work.jar("one.jar", &agent("one"));
    let options = [
        "mask",
        "-o",
        "out.jar",
        "--agent",
        "one.jar",
        "--relocate",
        "org.dep=x.org.dep",
        "--relocate",
        "=ag.Ag=ag.Other",
        "--literals",
        "names",
        "--merge",
        "notes.txt=first",
    ];
    let run = work.fatagent(&options);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("Relocated 2 classes; "), "{}", run.stderr);
    let manifest = String::from_utf8(entry(&work, "out.jar", "META-INF/MANIFEST.MF")).unwrap();
    assert!(manifest.contains("\r\nBTrace-Agent-Main: ag.Other\r\n"), "{manifest}");
    assert_eq!(work.fatagent(&["verify", "out.jar"]).code, Some(0));
    let first = fs_err::read(work.path("out.jar")).unwrap();
    let printed = work.fatagent(&[&options[..], &["--print"]].concat());
    assert!(printed.stdout.starts_with("relocate-literals = \"names\"\n"), "{}", printed.stdout);
    fs_err::write(work.path("agent.toml"), printed.stdout).unwrap();
    let run = work.fatagent(&["build", "-o", "out.jar"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(fs_err::read(work.path("out.jar")).unwrap(), first);
}

/// An agent and a client that both bring `org.dep`, and a class at the root that names it or not.
fn disagreeing(work: &Work, api: &str) -> crate::run::Run {
    work.jar("one.jar", &agent("one"));
    let client = compiled(&[
        ("cl/Cl.java", "package cl; public class Cl { public static void main(String[] a) { } }"),
        ("org/dep/A.java", "package org.dep; public class A { public static void call() {} }"),
    ]);
    work.jar("client.jar", &client);
    work.jar(
        "dep.jar",
        &compiled(&[
            ("org/dep/A.java", "package org.dep; public class A { public static void call() {} }"),
            ("api/Api.java", api),
        ]),
    );
    let root = Jar::new().file("api/Api.class", &fixtures::read_entry(&work.path("dep.jar"), "api/Api.class").unwrap());
    work.jar("root.jar", &root);
    let toml = "[agent]\nname = \"acme\"\nversion = \"1\"\nlayout = \"masked\"\n[bootstrap]\nfrom = [\"root.jar\"]\n\
                [[section]]\npath = \"META-INF/btrace/agent\"\nfrom = [\"one.jar\"]\nrelocate = { \"org.dep\" = \"x.dep\" }\n\
                [[section]]\npath = \"META-INF/btrace/client\"\nfrom = [\"client.jar\"]\nrelocate = { \"org.dep\" = \"y.dep\" }\n\
                [manifest.attributes]\nBTrace-Agent-Main = \"ag.Ag\"\n";
    fs_err::write(work.path("agent.toml"), toml).unwrap();
    work.fatagent(&["build"])
}

#[test]
fn a_class_that_moves_to_two_names_may_not_be_named_where_both_are_seen() {
    let work = Work::new();
    let run = disagreeing(&work, "package api; public class Api { void call() { org.dep.A.call(); } }");
    assert_eq!(run.code, Some(1));
    let message = "`api/Api.class` of `root.jar` names `org.dep.A`, which moves to `x.dep.A` in the section `agent` and to \
                   `y.dep.A` in the section `client`";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    let run = disagreeing(&work, "package api; public class Api { }");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let names = fixtures::entry_names(&work.path("acme.jar")).unwrap();
    for name in ["META-INF/btrace/agent/x/dep/A.classdata", "META-INF/btrace/client/y/dep/A.classdata"] {
        assert!(names.contains(&name.to_owned()), "{name} in {names:?}");
    }
}

#[test]
fn case_44_an_input_is_not_relocated_twice() {
    let work = Work::new();
    work.jar("one.jar", &agent("one"));
    work.merge(&["one.jar", "--relocate", "org.dep=org.dep.moved"]);
    fs_err::rename(work.path("out.jar"), work.path("moved.jar")).unwrap();
    let run = work.fatagent(&["mask", "-o", "x.jar", "--agent", "moved.jar", "--relocate", "org.dep=org.dep.moved"]);
    assert_eq!(run.code, Some(1));
    let message = "`moved.jar` was already relocated by this rule, and would move again: `org.dep->org.dep.moved`";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    let run = work.fatagent(&["mask", "-o", "x.jar", "--agent", "one.jar", "--relocate", "org.dep={id}.dep"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("`{id}` stands for the id of an extension, and there is none"), "{}", run.stderr);
}
