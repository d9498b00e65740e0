//! What the user decides about relocation: which literals follow, what stays, and what is told about the rest.

use fixtures::Jar;

use crate::relocation::compiled;
use crate::work::Work;

/// A class that prints literals of each kind.
const LITERALS: [(&str, &str); 2] = [
    ("org/dep/A.java", "package org.dep; public class A { }"),
    (
        "p/Main.java",
        "package p; public class Main { public static void main(String[] a) {
             System.out.println(\"org.dep.A\" + '|' + \"(Lorg/dep/A;)V\" + '|' + \"see org.dep.A\"); } }",
    ),
];

#[test]
fn the_policy_says_which_literals_follow() {
    let work = Work::new();
    // Strings that javac does not join at compile time.
    let main = LITERALS[1].1.replace("\"org.dep.A\" +", "args()[0] +").replace("\"(Lorg/dep/A;)V\"", "args()[1]");
    let main = main.replace("\"see org.dep.A\"); }", "args()[2]); } static String[] args() { return new String[] { \"org.dep.A\", \"(Lorg/dep/A;)V\", \"see org.dep.A\" }; }");
    work.jar("a.jar", &compiled(&[LITERALS[0], ("p/Main.java", &main)]));
    let rule = ["a.jar", "-v", "--relocate", "org.dep=x.org.dep"];
    for (policy, printed, told) in [
        ("descriptors", "x.org.dep.A|(Lx/org/dep/A;)V|see org.dep.A\n", "2 changed, 1 left"),
        ("names", "x.org.dep.A|(Lorg/dep/A;)V|see org.dep.A\n", "1 changed, 2 left"),
        ("off", "org.dep.A|(Lorg/dep/A;)V|see org.dep.A\n", "0 changed, 3 left"),
    ] {
        let stderr = work.merge(&[&rule[..], &["--literals", policy]].concat());
        assert!(stderr.contains(told), "{policy}: {stderr}");
        assert!(stderr.contains("literal \"see org.dep.A\" of `p.Main` is left: "), "{stderr}");
        work.java(&["-cp", "out.jar", "p.Main"], printed);
        let by_flag = fs_err::read(work.path("out.jar")).unwrap();
        let toml = format!(
            "relocate-literals = \"{policy}\"\n[agent]\nname = \"acme\"\nversion = \"1\"\nlayout = \"plain\"\n\
             base = {{ file = \"a.jar\" }}\n[relocate]\n\"org.dep\" = \"x.org.dep\"\n"
        );
        fs_err::write(work.path("agent.toml"), toml).unwrap();
        assert_eq!(work.fatagent(&["build"]).code, Some(0));
        assert_eq!(fs_err::read(work.path("acme.jar")).unwrap(), by_flag, "{policy}");
    }
    work.merge(&rule);
    work.java(&["-cp", "out.jar", "p.Main"], "x.org.dep.A|(Lx/org/dep/A;)V|see org.dep.A\n");
    let run = work.fatagent(&["merge", "a.jar", "-o", "out.jar", "--literals", "all"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("none of `descriptors`, `names` and `off`"), "{}", run.stderr);
}

#[test]
fn a_rule_with_two_equal_sides_keeps_what_it_names() {
    let work = Work::new();
    let jar = compiled(&[
        ("io/grpc/Grpc.java", "package io.grpc; public class Grpc { public static void main(String[] a) {
            System.out.println(Grpc.class.getName() + ' ' + io.grpc.netty.Netty.class.getName() + ' '
                + io.grpc.netty.shaded.Deep.class.getName() + ' ' + io.grpc.netty.shaded.io.Deeper.class.getName()); } }"),
        ("io/grpc/netty/Netty.java", "package io.grpc.netty; public class Netty { }"),
        ("io/grpc/netty/shaded/Deep.java", "package io.grpc.netty.shaded; public class Deep { }"),
        ("io/grpc/netty/shaded/io/Deeper.java", "package io.grpc.netty.shaded.io; public class Deeper { }"),
    ]);
    work.jar(
        "a.jar",
        &jar.file("io/grpc/netty/shaded/r.txt", b"r")
            .file("META-INF/services/io.grpc.netty.shaded.Deep", b"io.grpc.netty.shaded.io.Deeper\n"),
    );
    let keep = "io.grpc.netty.shaded=io.grpc.netty.shaded";
    for rules in [["io.grpc=shadow.io.grpc", keep], [keep, "io.grpc=shadow.io.grpc"]] {
        work.merge(&["a.jar", "--relocate", rules[0], "--relocate", rules[1]]);
        work.java(
            &["-cp", "out.jar", "shadow.io.grpc.Grpc"],
            "shadow.io.grpc.Grpc shadow.io.grpc.netty.Netty io.grpc.netty.shaded.Deep io.grpc.netty.shaded.io.Deeper\n",
        );
        let names = work.names();
        for name in ["io/grpc/netty/shaded/r.txt", "META-INF/services/io.grpc.netty.shaded.Deep"] {
            assert!(names.contains(&name.to_owned()), "{name} in {names:?}");
        }
        // The output is one that can be built on again.
        fs_err::rename(work.path("out.jar"), work.path("again.jar")).unwrap();
        work.merge(&["again.jar", "--relocate", rules[0], "--relocate", rules[1]]);
        assert_eq!(work.names(), names);
    }
}

#[test]
fn jars_within_the_inputs_are_told_of_and_count_against_the_limits() {
    let work = Work::new();
    let inner = compiled(&[
        ("org/dep/A.java", "package org.dep; public class A { class In { } }"),
        ("q/Q.java", "package q; public class Q { }"),
    ]);
    let deeper = Jar::new().stored("deep/inner.jar", &inner.bytes().unwrap()).file("empty.zip", b"no archive");
    work.jar(
        "a.jar",
        &Jar::new().file("lib/in.jar", &inner.bytes().unwrap()).file("lib/deeper.jar", &deeper.bytes().unwrap()),
    );
    let stderr = work.merge(&["a.jar", "--relocate", "org.dep=x.org.dep"]);
    for jar in ["`lib/in.jar` of `a.jar`", "`deep/inner.jar` of `a.jar!/lib/deeper.jar`"] {
        let line =
            format!("warning: {jar} is not relocated, although rules match classes of it, 2, such as `org/dep/A");
        assert!(stderr.contains(&line), "{line}\n{stderr}");
    }
    assert_eq!(work.read("lib/in.jar"), inner.bytes().unwrap(), "they are kept as they are");
    let stderr = work.merge(&["a.jar", "--relocate", "q.other=x.q"]);
    assert!(!stderr.contains("is not relocated"), "{stderr}");

    // Two files, then three and two more within them, and three once more.
    let with = |limit: &str| {
        work.fatagent(&["merge", "a.jar", "-o", "out.jar", "--relocate", "org.dep=x.org.dep", "--limits", limit])
    };
    assert_eq!(with("entries=10").code, Some(0));
    let run = with("entries=9");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("`a.jar` has more than 9 entries: 10"), "{}", run.stderr);
    let bomb = Jar::new().file("zeros", &vec![0; 3 << 20]);
    work.jar("bomb.jar", &Jar::new().stored("lib/bomb.jar", &bomb.bytes().unwrap()));
    let stderr = work.refused(&["bomb.jar", "--relocate", "org.dep=x.org.dep"]);
    assert!(stderr.contains("bomb.jar!/lib/bomb.jar"), "{stderr}");
    work.merge(&["bomb.jar", "--relocate", "org.dep=x.org.dep", "--limits", "ratio=2000"]);
}
