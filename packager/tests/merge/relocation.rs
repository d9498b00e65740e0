//! Classes that move while jars are merged, with everything that names them.

use fixtures::Jar;

use crate::containers::versioned;
use crate::descriptors::{CACHE, cache, providers};
use crate::manifest::agent;
use crate::work::{RELEASE_8, Work};

/// A jar of all classes that `sources` compile to.
pub(crate) fn compiled(sources: &[(&str, &str)]) -> Jar {
    let out = tempfile::tempdir().unwrap();
    fixtures::javac(sources, &RELEASE_8, out.path()).unwrap();
    Jar::new().tree(out.path()).unwrap()
}

#[test]
fn case_01_provider_files_and_plugin_caches_follow() {
    let work = Work::new();
    let [one, two] = providers(&work);
    work.jar("a.jar", &one);
    work.jar("b.jar", &two);
    work.merge(&["a.jar", "b.jar", "--relocate", "org.dep=x.org.dep"]);
    let services = |names: &[String]| names.iter().filter(|name| name.starts_with("META-INF/services/")).count();
    assert_eq!(services(&work.names()), 1);
    assert_eq!(work.text("META-INF/services/x.org.dep.Spi"), "x.org.dep.A\nx.org.dep.B\n");
    work.java(&["-cp", "out.jar", "x.org.dep.Main"], "x.org.dep.A\nx.org.dep.B\n");
    let (one, two) = (cache("k1", "x.org.dep.P1"), cache("k2", "x.org.dep.P2"));
    let head = 4 + 2 + 4;
    let expected = [&one[..head], &2_u32.to_be_bytes(), &one[head + 4..], &two[head + 4..]].concat();
    assert_eq!(work.read(CACHE), expected);

    work.merge(&["b.jar", "--relocate", "org.dep=x.org.dep"]);
    assert_eq!(work.text("META-INF/services/x.org.dep.Spi"), "x.org.dep.B\nx.org.dep.A\n", "of one jar too");
}

#[test]
fn case_03_literals_that_only_look_like_packages_stay() {
    let work = Work::new();
    let jar = compiled(&[
        ("org/dep/Codec.java", "package org.dep; public class Codec {}"),
        (
            "p/Sw.java",
            "package p; public class Sw {
                 static int k(String s) { switch (s) { case \"org.dep.Codec\": return 1; case \"plain\": return 2; default: return 0; } }
                 public static void main(String[] a) throws Exception {
                     System.out.println(k(\"org.dep.Codec\") + \" \" + k(\"plain\"));
                     System.out.println(Cfg.KEY + Cfg.AT + Cfg.load());
                 } }",
        ),
        (
            "p/Cfg.java",
            "package p; public class Cfg { static String KEY = \"kafka.schema.url\", AT = \" at \";
                 static String load() throws Exception { return Class.forName(\"org.dep.Codec\").getName(); } }",
        ),
    ]);
    work.jar("a.jar", &jar);
    let rules = ["--relocate", "org.dep=shaded.org.dep", "--relocate", "kafka=x.kafka", "--relocate", "at=x.at"];
    let stderr = work.merge(&[&["a.jar", "-v"], &rules[..]].concat());
    work.java(&["-cp", "out.jar", "p.Sw"], "1 2\nkafka.schema.url at shaded.org.dep.Codec\n");
    for line in [
        "literal \"org.dep.Codec\" of `p.Cfg` becomes \"shaded.org.dep.Codec\": ",
        "literal \"org.dep.Codec\" of `p.Sw` is left: compared by hash code in a switch",
        "literal \"kafka.schema.url\" of `p.Cfg` is left: ",
        "Relocated 2 classes; string literals that mention a moved name: 1 changed, ",
    ] {
        assert!(stderr.contains(line), "{line}\n{stderr}");
    }
}

#[test]
fn case_04_nested_names_and_static_interface_methods() {
    let work = Work::new();
    let jar = compiled(&[
        (
            "foo/Outer.java",
            "package foo; public class Outer { static class $ser {}
                 public static void main(String[] a) { System.out.println($ser.class.getSimpleName() + I.auto().get()); } }",
        ),
        ("foo/I.java", "package foo; public interface I { String get(); static I auto() { return () -> \"d\"; } }"),
    ]);
    work.jar("a.jar", &jar);
    work.merge(&["a.jar", "--relocate", "foo=x.foo"]);
    assert!(work.names().contains(&"x/foo/Outer$$ser.class".to_owned()), "{:?}", work.names());
    work.java(&["-cp", "out.jar", "x.foo.Outer"], "$serd\n");
}

#[test]
fn case_05_a_class_without_a_match_keeps_its_bytes() {
    let work = Work::new();
    let other =
        work.class(&[("q/Q.java", "package q; public class Q { String s = \"org.depot\"; }")], &RELEASE_8, "q/Q.class");
    work.jar("a.jar", &compiled(&[("org/dep/A.java", "package org.dep; public class A {}")]).file("q/Q.class", &other));
    work.merge(&["a.jar", "--relocate", "org.dep=x.org.dep"]);
    assert_eq!(work.read("q/Q.class"), other);
    assert_eq!(work.names(), ["META-INF/", "META-INF/MANIFEST.MF", "q/Q.class", "x/org/dep/A.class"]);
}

#[test]
fn case_08_versioned_copies_move_below_their_version() {
    let work = Work::new();
    work.jar("mr.jar", &versioned(&work).attribute("Multi-Release", "true").folder("org/").folder("org/dep/"));
    work.jar("plain.jar", &Jar::new().file("y.txt", b"y").folder("META-INF/maven/"));
    work.merge(&["plain.jar", "mr.jar", "--relocate", "org.dep=x.org.dep"]);
    let expected = [
        "META-INF/",
        "META-INF/MANIFEST.MF",
        "META-INF/maven/",
        "META-INF/versions/11/x/org/dep/r.txt",
        "META-INF/versions/9/x/org/dep/A.class",
        "x/",
        "x/org/",
        "x/org/dep/",
        "x/org/dep/A.class",
        "y.txt",
    ];
    assert_eq!(work.names(), expected);
    assert!(work.text("META-INF/MANIFEST.MF").contains("Multi-Release: true\r\n"));
    work.java(&["-cp", "out.jar", "x.org.dep.A"], "9\n");
}

#[test]
fn case_09_kotlin_metadata_moves_whole_and_module_tables_stay() {
    let work = Work::new();
    let table: Vec<u8> = (0..20).map(|at| at * 7).collect();
    let jar = compiled(&[
        (
            "kotlin/Metadata.java",
            "package kotlin; @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
             public @interface Metadata { int k(); String[] d1(); String[] d2(); }",
        ),
        ("org/dep/A.java", "package org.dep; public class A {}"),
        ("org/dep/B.java", "package org.dep; public class B {}"),
        (
            "p/K.java",
            "package p; @kotlin.Metadata(k = 1, d1 = {\"\\u0001\\u0010org/dep\"}, d2 = {\"Lorg/dep/A;\", \"p\", \"(Lorg/dep/A;Lorg/dep/B;)V\"})
             public class K { public static void main(String[] a) {
                 kotlin.Metadata m = K.class.getAnnotation(kotlin.Metadata.class);
                 System.out.println(String.join(\" \", m.d2()) + \" \" + m.d1()[0].substring(2)); } }",
        ),
    ]);
    work.jar("a.jar", &jar.file("META-INF/m.kotlin_module", &table));
    let stderr = work.merge(&["a.jar", "--relocate", "org.dep=x.org.dep"]);
    work.java(&["-cp", "out.jar", "p.K"], "Lx/org/dep/A; p (Lx/org/dep/A;Lx/org/dep/B;)V org/dep\n");
    assert_eq!(work.read("META-INF/m.kotlin_module"), table);
    assert!(stderr.contains("warning: `META-INF/m.kotlin_module` of `a.jar` is copied untouched"), "{stderr}");
}

#[test]
fn case_14_classes_that_differ_in_case_only_move_apart() {
    let work = Work::new();
    let class = |name: &str| {
        let source =
            format!("package org.dep; public class {name} {{ public String toString() {{ return \"{name}\"; }} }}");
        work.class(&[(&format!("org/dep/{name}.java"), &source)], &RELEASE_8, &format!("org/dep/{name}.class"))
    };
    let main = work.class(
        &[("M.java", "public class M { public static void main(String[] a) throws Exception {
            for (String n : new String[] {\"x.org.dep.a\", \"x.org.dep.A\"}) System.out.println(Class.forName(n).newInstance()); } }")],
        &RELEASE_8,
        "M.class",
    );
    let jar =
        Jar::new().file("org/dep/a.class", &class("a")).file("org/dep/A.class", &class("A")).file("M.class", &main);
    work.jar("c.jar", &jar);
    work.merge(&["c.jar", "--relocate", "org.dep=x.org.dep"]);
    work.java(&["-cp", "out.jar", "M"], "a\nA\n");
}

#[test]
fn case_23_entry_classes_move_once() {
    let work = Work::new();
    work.jar("a.jar", &agent(&work).attribute("Launcher-Agent-Class", "org.ag.Ag"));
    work.merge(&["a.jar", "--relocate", "org.ag=org.ag.shaded"]);
    let text = work.text("META-INF/MANIFEST.MF");
    for name in ["Premain-Class", "Agent-Class", "Launcher-Agent-Class", "Main-Class"] {
        assert!(text.contains(&format!("\r\n{name}: org.ag.shaded.Ag\r\n")), "{text}");
    }
    // `java -jar` starts the launcher agent too; what matters here is that its class is found.
    work.java(&["-javaagent:out.jar", "-cp", "out.jar", "org.ag.shaded.Ag"], "agent\nmain\n");

    fs_err::rename(work.path("out.jar"), work.path("moved.jar")).unwrap();
    let stderr = work.refused(&["moved.jar", "--relocate", "org.ag=org.ag.shaded"]);
    let message = "`moved.jar` was already relocated by this rule, and would move again: `org.ag->org.ag.shaded`";
    assert!(stderr.contains(message), "{stderr}");
    assert!(stderr.contains("hint: build from the original jars"), "{stderr}");
}

#[test]
fn case_30_a_class_whose_native_method_a_library_exports_does_not_move() {
    let work = Work::new();
    let jar = compiled(&[("org/dep/Nat.java", "package org.dep; public class Nat { public native int v(); }")]);
    let library = b"\x7fELF....\0Java_org_dep_Nat_v\0other\0";
    work.jar("bare.jar", &jar);
    work.jar("a.jar", &jar.file("META-INF/native/libdep.so", library).file("META-INF/native/dep.dll", b"MZ"));
    let rule = ["--relocate", "org.dep=x.org.dep"];
    let stderr = work.refused(&[&["a.jar"], &rule[..]].concat());
    let message = "class `org.dep.Nat` cannot move: `META-INF/native/libdep.so` of `a.jar` exports its native method \
                   `v` as: `Java_org_dep_Nat_v`";
    assert!(stderr.contains(message), "{stderr}");
    assert!(stderr.contains("hint: keep the class with the rule `=org.dep.Nat=org.dep.Nat`"), "{stderr}");
    work.merge(&[&["a.jar"], &rule[..], &["--relocate", "=org.dep.Nat=org.dep.Nat"]].concat());
    assert!(work.names().contains(&"org/dep/Nat.class".to_owned()), "the hint works");

    work.jar("b.jar", &Jar::new().file("META-INF/native/libdep.so", b"\x7fELF other"));
    fs_err::remove_file(work.path("out.jar")).unwrap();
    assert!(work.refused(&["a.jar", "b.jar"]).contains("two different files claim `META-INF/native/libdep.so`"));

    let stderr = work.merge(&[&["bare.jar"], &rule[..]].concat());
    assert!(stderr.contains("warning: classes with native methods move; "), "{stderr}");
    assert!(stderr.contains("must know the new names: `org.dep.Nat`"), "{stderr}");
}

#[test]
fn case_44_a_second_run_moves_nothing_again() {
    let work = Work::new();
    let own = compiled(&[
        ("io/n/A.java", "package io.n; public class A {}"),
        ("a/deps/io/n/B.java", "package a.deps.io.n; public class B extends io.n.A {
            public static void main(String[] a) { System.out.println(new B().getClass().getSuperclass().getName()); } }"),
    ]);
    work.jar("a.jar", &own);
    let rule = ["--relocate", "io.n=a.deps.io.n"];
    work.merge(&[&["a.jar"], &rule[..]].concat());
    let first = fs_err::read(work.path("out.jar")).unwrap();
    assert!(!work.names().iter().any(|name| name.contains("a/deps/a/deps")), "{:?}", work.names());
    work.java(&["-cp", "out.jar", "a.deps.io.n.B"], "a.deps.io.n.A\n");
    work.merge(&[&["out.jar"], &rule[..]].concat());
    assert_eq!(fs_err::read(work.path("out.jar")).unwrap(), first, "the output as the only input");
    work.merge(&[&["out.jar", "a.jar"], &rule[..]].concat());
    assert_eq!(fs_err::read(work.path("out.jar")).unwrap(), first, "with the input once more");
}

#[test]
fn two_classes_that_would_meet_are_a_conflict() {
    let work = Work::new();
    let jar = compiled(&[
        ("org/dep/A.java", "package org.dep; public class A {}"),
        ("x/org/dep/A.java", "package x.org.dep; public class A { int other; }"),
    ]);
    work.jar("a.jar", &jar);
    let stderr = work.refused(&["a.jar", "--relocate", "org.dep=x.org.dep"]);
    let message = "two different files claim `x/org/dep/A.class`: `org/dep/A.class` of `a.jar`, and `x/org/dep/A.class` of `a.jar`";
    assert!(stderr.contains(message), "{stderr}");
}

#[test]
fn bad_rules_name_what_is_wrong() {
    let work = Work::new();
    work.jar("a.jar", &Jar::new().file("x", b"x"));
    let stderr = work.refused(&["a.jar", "--relocate", "java.util=x.util"]);
    assert!(stderr.contains("classes in `java` cannot move"), "{stderr}");
    let run = work.fatagent(&["merge", "a.jar", "-o", "out.jar", "--relocate", "org.dep"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("not of the form `P=Q`"), "{}", run.stderr);
}

#[test]
fn an_agent_toml_relocates_too() {
    let work = Work::new();
    work.jar("a.jar", &compiled(&[("org/dep/A.java", "package org.dep; public class A {}")]));
    work.merge(&["a.jar", "--relocate", "org.dep=x.org.dep"]);
    let toml = "[agent]\nname = \"acme\"\nversion = \"1\"\nlayout = \"plain\"\nbase = { file = \"a.jar\" }\n\
                [relocate]\n\"org.dep\" = \"x.org.dep\"\n";
    fs_err::write(work.path("agent.toml"), toml).unwrap();
    assert_eq!(work.fatagent(&["build"]).code, Some(0));
    assert_eq!(fs_err::read(work.path("acme.jar")).unwrap(), fs_err::read(work.path("out.jar")).unwrap());
}
