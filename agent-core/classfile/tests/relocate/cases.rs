//! Reports about other relocators, each named after its case.

use crate::harness::{Moved, homes, java, javac, javap, relocate_all, relocate_with, rules, tags, texts};
use classfile::relocate::{Error, Literals, Reason, Rules, native_methods, relocate};

fn reasons(moved: &Moved, class: &str) -> Vec<(String, Option<String>, Reason)> {
    moved.literals(class).iter().map(|l| (l.text.clone(), l.replaced.clone(), l.reason)).collect()
}

const SWITCH: &str = r#"
package app;
public class Sw {
    static int k(String s) {
        switch (s) { case "org.dep.Codec": return 1; case "plain": return 2; default: return 0; }
    }
    static int near(String s) {
        switch (s) { case "org.dep.A": return 1; case "org.dep.B": return 2; default: return 0; }
    }
    static int single(String s) {
        return s.hashCode() == 47234766 && s.equals("org.dep.Coded") ? 1 : 0;
    }
    public static void main(String[] a) {
        System.out.println(k("org.dep.Codec") + " " + k("plain") + near("org.dep.A") + near("org.dep.B") + single("org.dep.Coded"));
    }
}"#;

const CONFIGURATION: &str = r#"
package app;
public class Cfg {
    static final String KEY = "kafka.schema.url";
    public static void main(String[] a) throws Exception {
        System.out.println(KEY + "at " + Class.forName("org.dep.Codec").getSimpleName()
            + Class.forName("[Lorg.dep.Codec;").getComponentType().getSimpleName()
            + Cfg.class.getResource("/org/dep/Codec.class").getPath().endsWith("dep/Codec.class")
            + Class.forName("org/dep/Codec".replace('/', '.')).getSimpleName() + " at large, org.dep.Codec");
    }
}"#;

#[test]
fn case_3_literals_and_switches() {
    let classes = javac(
        &[
            ("app/Sw.java", SWITCH),
            ("app/Cfg.java", CONFIGURATION),
            ("org/dep/Codec.java", "package org.dep; public class Codec {}"),
            ("org/dep/A.java", "package org.dep; public class A {}"),
            ("org/dep/B.java", "package org.dep; public class B {}"),
            ("org/dep/Coded.java", "package org.dep; public class Coded {}"),
            ("kafka/K.java", "package kafka; public class K {}"),
        ],
        &[],
    );
    let rules = rules(&[("org.dep", "shaded.org.dep"), ("kafka", "x.kafka"), ("at", "x.at")]);
    let moved = relocate_all(&classes, &rules);
    for home in homes() {
        assert_eq!(java(&home, &moved.classes, "app.Sw").trim(), "1 2121");
        assert_eq!(
            java(&home, &moved.classes, "app.Cfg").trim(),
            "kafka.schema.urlat CodecCodectrueCodec at large, org.dep.Codec"
        );
    }
    assert_eq!(moved.results["app/Sw"].bytes, None);
    let mut left = reasons(&moved, "app/Sw");
    left.sort_by(|a, b| a.0.cmp(&b.0));
    let stays = |text: &str| (text.to_owned(), None, Reason::Switch);
    assert_eq!(left, ["org.dep.A", "org.dep.B", "org.dep.Codec", "org.dep.Coded"].map(stays));
    let told = reasons(&moved, "app/Cfg");
    for (text, replaced, reason) in [
        ("org.dep.Codec", Some("shaded.org.dep.Codec"), Reason::Name),
        ("[Lorg.dep.Codec;", Some("[Lshaded.org.dep.Codec;"), Reason::Name),
        ("/org/dep/Codec.class", Some("/shaded/org/dep/Codec.class"), Reason::Name),
        ("org/dep/Codec", Some("shaded/org/dep/Codec"), Reason::Name),
        ("kafka.schema.url", None, Reason::Unknown),
    ] {
        assert!(told.contains(&(text.into(), replaced.map(Into::into), reason)), "{text}: {told:?}");
    }
    // The recipe of the concatenation holds the rest.
    assert!(
        told.iter().any(|(text, new, reason)| text.contains("at large") && new.is_none() && *reason == Reason::Part)
    );
    assert_eq!(told.len(), 6, "{told:?}");
    let by_default = relocate_with(&classes, &rules, &Literals::default());
    assert!(by_default.results["app/Cfg"].bytes.is_none());
    assert!(reasons(&by_default, "app/Cfg").contains(&("org.dep.Codec".into(), None, Reason::NotNames)));
}

#[test]
fn case_3_which_literals_change() {
    let literals = [
        ("Lorg/dep/A;", Some("Lx/org/dep/A;"), Reason::Descriptor),
        ("(ILorg/dep/A;[[Lorg/dep/B;)V", Some("(ILx/org/dep/A;[[Lx/org/dep/B;)V"), Reason::Descriptor),
        ("[Lorg/dep/A;", Some("[Lx/org/dep/A;"), Reason::Descriptor),
        ("<T:Lorg/dep/A;>Ljava/util/List<TT;>;", Some("<T:Lx/org/dep/A;>Ljava/util/List<TT;>;"), Reason::Descriptor),
        ("org.dep.A", Some("x.org.dep.A"), Reason::Name),
        ("org.dep", Some("x.org.dep"), Reason::Name),
        ("org/dep/", Some("x/org/dep/"), Reason::Name),
        ("/org/dep", Some("/x/org/dep"), Reason::Name),
        ("org.dep.A$In", Some("x.org.dep.A$In"), Reason::Name),
        ("org/dep/my file-1.txt", Some("x/org/dep/my file-1.txt"), Reason::Name),
        ("org.dep.Missing", None, Reason::Unknown),
        ("org.dep.", None, Reason::Part),
        ("org.dep.A.b()", None, Reason::Part),
        ("see org.dep.A", None, Reason::Part),
        ("kafka", None, Reason::Word),
        ("kafka.key", None, Reason::Unknown),
        ("https://org/dep/A", None, Reason::Part),
        ("(Lorg/dep/A;", None, Reason::Part),
        ("Lorg/dep/A; and", None, Reason::Part),
        ("a\0b org.dep \u{1F600}", None, Reason::Part),
    ];
    let unmentioned = ["org.depot.A", "x.org.dep.A", "xorg.dep.A", "my.kafka", "kafkaesque", "LIorg", "café org", ""];
    let list: Vec<String> = literals
        .iter()
        .map(|(text, ..)| *text)
        .chain(unmentioned)
        .map(|text| format!("\"{}\"", text.replace('\0', "\\0").replace('\u{1F600}', "\\ud83d\\ude00")))
        .collect();
    let source = format!("class C {{ String[] s = {{ {}, \"\\ud83d org.dep\" }}; }}", list.join(", "));
    let classes = javac(&[("C.java", &source)], &[]);
    let rules = rules(&[("org.dep", "x.org.dep"), ("kafka", "y.kafka")]);
    let there = ["org/dep/A", "org/dep", "org/dep/A$In", "org/dep/my file-1.txt", "kafka"];
    let known = |name: &str| there.contains(&name);
    let moved = relocate_with(&classes, &rules, &Literals::Descriptors(&known));
    let told = reasons(&moved, "C");
    for (text, replaced, reason) in literals {
        assert!(told.contains(&(text.into(), replaced.map(Into::into), reason)), "{text}: {told:?}");
    }
    assert!(told.contains(&("\u{FFFD} org.dep".into(), None, Reason::Malformed)), "{told:?}");
    assert_eq!(told.len(), literals.len() + 1, "{told:?}");
    let new = texts(&moved.classes["C"]);
    for (text, replaced, _) in &literals[..19] {
        assert!(new.contains(&replaced.unwrap_or(text).to_owned()), "{text}");
    }
    let off = relocate_with(&classes, &rules, &Literals::Off);
    assert_eq!(off.classes, classes);
    assert!(reasons(&off, "C").iter().all(|(_, new, reason)| new.is_none() && *reason == Reason::Off));
    let only_names = relocate_with(&classes, &rules, &Literals::Names(&known));
    assert!(reasons(&only_names, "C").contains(&("Lorg/dep/A;".into(), None, Reason::NotDescriptors)));
    assert!(reasons(&only_names, "C").contains(&("org.dep".into(), Some("x.org.dep".into()), Reason::Name)));
}

#[test]
fn case_4_dollars_and_interface_lambdas() {
    let sources = [
        (
            "foo/Outer.java",
            "package foo; public class Outer { static class $ser {} static class $ {}
             public static void main(String[] a) {
                System.out.println(new $ser().getClass().getSimpleName() + new $().getClass().getSimpleName() + I.auto().get()); } }",
        ),
        ("foo/I.java", "package foo; public interface I { String get(); static I auto() { return () -> \"d\"; } }"),
    ];
    let classes = javac(&sources, &[]);
    let moved = relocate_all(&classes, &rules(&[("foo", "x.foo")]));
    assert!(moved.classes.contains_key("x/foo/Outer$$ser"));
    for (old, new) in [("foo/I", "x/foo/I"), ("foo/Outer", "x/foo/Outer")] {
        assert_eq!(tags(&classes[old]), tags(&moved.classes[new]));
    }
    for home in homes() {
        assert_eq!(java(&home, &moved.classes, "x.foo.Outer").trim(), "$ser$d");
    }
}

#[test]
fn case_5_unused_constants_annotated_locals_and_untouched_classes() {
    let sources = [
        ("org/dep/Ops.java", "package org.dep; public class Ops { public static final int PRIV = 7; }"),
        (
            "org/dep/Nul.java",
            "package org.dep; import java.lang.annotation.*; @Target(ElementType.TYPE_USE) @Retention(RetentionPolicy.RUNTIME) public @interface Nul {}",
        ),
        ("app/Use.java", "package app; import static org.dep.Ops.*; class Use { int f() { return PRIV; } }"),
        (
            "app/Local.java",
            "package app; class Local { int f(Object in) { int n = 1; if (in != null) { @org.dep.Nul Object o = in; n += o.hashCode(); } return n; } }",
        ),
        ("app/Other.java", "package app; class Other { String s = \"no reference\"; }"),
    ];
    let classes = javac(&sources, &["-g"]);
    assert!(texts(&classes["app/Use"]).contains(&"org/dep/Ops".to_owned()), "the compiler leaves the constant");
    let moved = relocate_all(&classes, &rules(&[("org.dep", "x.org.dep")]));
    for name in ["app/Use", "app/Local"] {
        let new = texts(&moved.classes[name]);
        assert!(new.iter().any(|text| text.contains("x/org/dep")), "{new:?}");
        assert!(!new.iter().any(|text| text.starts_with("org/dep") || text.contains("Lorg/dep")), "{new:?}");
    }
    let target = |classes: &crate::harness::Classes| {
        let one = [("app/Local".to_owned(), classes["app/Local"].clone())].into();
        let shown = javap(&one);
        shown.lines().find(|line| line.contains("LOCAL_VARIABLE, {")).unwrap().trim().to_owned()
    };
    assert_eq!(target(&classes), target(&moved.classes));
    assert_eq!(moved.results["app/Other"].bytes, None);
}

const METADATA: &str = r#"
package kotlin;
import java.lang.annotation.*;
@Retention(RetentionPolicy.RUNTIME)
public @interface Metadata { int k() default 1; String[] d1() default {}; String[] d2() default {}; String xs() default ""; }
"#;

#[test]
fn case_9_kotlin_metadata() {
    let data: String = (0_u8..128).fold(String::new(), |text, byte| format!("{text}\\{byte:03o}"));
    let source = format!(
        "package org.dep; @kotlin.Metadata(k = 1, d1 = {{\"{data}\", \"org/dep/A\"}}, d2 = {{\"Lorg/dep/A;\", \"p\", \"(Lorg/dep/A;Lorg/dep/B;)V\",
            \"org/dep/B\", \"Ljava/util/List<Lorg/dep/A;>;\", \"(ILorg/dep/A;)[Lorg/dep/A;\", \"Lorg/depot/A;\", \"f\", \"org.dep.A\"}}, xs = \"org/dep/FacadeKt\")
         public class A {{ A p; void f(B b) {{}} }} class B {{}}"
    );
    let classes = javac(&[("kotlin/Metadata.java", METADATA), ("org/dep/A.java", &source)], &[]);
    let moved = relocate_all(&classes, &rules(&[("org.dep", "x.org.dep")]));
    let strings = |bytes: &[u8], element: &str| {
        let class = classfile::ClassFile::parse(bytes).unwrap();
        let metadata = class.annotations().unwrap().remove(0);
        let found = metadata.elements.iter().find(|(name, _)| name == element).unwrap().1.clone();
        let all = found.as_array().unwrap().iter().map(|v| format!("{v:?}"));
        all.map(|text| text.replace("String(\"", "").replace("\")", "")).collect::<Vec<_>>()
    };
    let (old, new) = (&classes["org/dep/A"], &moved.classes["x/org/dep/A"]);
    assert_eq!(strings(old, "d1"), strings(new, "d1"));
    assert_eq!(
        strings(new, "d2"),
        [
            "Lx/org/dep/A;",
            "p",
            "(Lx/org/dep/A;Lx/org/dep/B;)V",
            "x/org/dep/B",
            "Ljava/util/List<Lx/org/dep/A;>;",
            "(ILx/org/dep/A;)[Lx/org/dep/A;",
            "Lorg/depot/A;",
            "f",
            "org.dep.A"
        ]
    );
    assert!(texts(new).contains(&"x/org/dep/FacadeKt".to_owned()));
    let result = &moved.results["org/dep/A"];
    assert_eq!(result.kotlin, 6);
    assert_eq!(reasons(&moved, "org/dep/A"), [("org/dep/A".into(), None, Reason::KotlinData)]);
    assert_eq!(moved.results["kotlin/Metadata"].bytes, None);
    // Kotlin itself may move as well.
    let moved = relocate_all(&classes, &rules(&[("kotlin", "shadow.kotlin")]));
    assert!(texts(&moved.classes["org/dep/A"]).contains(&"Lshadow/kotlin/Metadata;".to_owned()));
}

#[test]
fn case_23_the_target_contains_the_source() {
    let classes = javac(
        &[(
            "org/ag/Ag.java",
            "package org.ag; public class Ag { Ag a; public static void main(String[] a) { System.out.print(Ag.class.getName()); } }",
        )],
        &[],
    );
    let rules = rules(&[("org.ag", "org.ag.shaded")]);
    let moved = relocate_all(&classes, &rules);
    assert_eq!(rules.dotted("org.ag.Ag").as_deref(), Some("org.ag.shaded.Ag"));
    for home in homes() {
        assert_eq!(java(&home, &moved.classes, "org.ag.shaded.Ag"), "org.ag.shaded.Ag");
    }
}

#[test]
fn case_30_native_methods_are_named() {
    let source = "package org.dep; public class Nat { native int v(); static native void w(String[] a, long b); int x() { return 1; } }";
    let classes = javac(&[("org/dep/Nat.java", source)], &[]);
    let mut found = native_methods(&classes["org/dep/Nat"]).unwrap();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    let shown: Vec<_> = found.iter().map(|m| (&*m.class, &*m.name, &*m.descriptor, m.symbol())).collect();
    assert_eq!(
        shown,
        [
            ("org/dep/Nat", "v", "()I", "Java_org_dep_Nat_v".to_owned()),
            ("org/dep/Nat", "w", "([Ljava/lang/String;J)V", "Java_org_dep_Nat_w".to_owned()),
        ]
    );
    assert_eq!(found[1].long_symbol(), "Java_org_dep_Nat_w___3Ljava_lang_String_2J");
    assert!(native_methods(b"none").is_err());
}

#[test]
fn case_33_newer_and_older_versions() {
    let classes = javac(&[("org/dep/A.java", "package org.dep; public class A { A a; }")], &["--release", "8", "-g"]);
    let rules = rules(&[("org.dep", "x.org.dep")]);
    for (major, minor) in [(45_u16, 3_u16), (46, 0), (50, 0), (72, 0), (72, 65535), (65535, 65535)] {
        let mut bytes = classes["org/dep/A"].clone();
        bytes[4..6].copy_from_slice(&minor.to_be_bytes());
        bytes[6..8].copy_from_slice(&major.to_be_bytes());
        let result = relocate(&bytes, &rules, &Literals::default()).unwrap();
        let new = result.bytes.unwrap();
        assert_eq!(new[..8], bytes[..8]);
        assert_eq!(result.name, b"x/org/dep/A");
        // A constant of a kind that does not exist yet.
        let mut unknown = bytes.clone();
        unknown[10] = 21;
        let error = relocate(&unknown, &rules, &Literals::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot relocate a class of version {major}.{minor}"));
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(source.to_string(), "unknown constant at offset 10, index 1, tag: 21");
    }
}

#[test]
fn case_44_relocated_classes_are_left_alone() {
    let source = "package a.deps.io.n; public class Own { io.n.Dep d; }";
    let classes =
        javac(&[("a/deps/io/n/Own.java", source), ("io/n/Dep.java", "package io.n; public class Dep { Dep d; }")], &[]);
    let rules = rules(&[("io.n", "a.deps.io.n")]);
    let moved = relocate_all(&classes, &rules);
    assert_eq!(moved.classes.keys().collect::<Vec<_>>(), ["a/deps/io/n/Dep", "a/deps/io/n/Own"]);
    let again = relocate_all(&moved.classes, &rules);
    assert_eq!(again.classes, moved.classes);
    assert!(again.results.values().all(|result| result.bytes.is_none()));
}

/// Time must not follow the number of rules; here, that thousands of them are no obstacle and agree with one.
#[test]
fn case_44_many_rules() {
    let many = (0..5000).map(|n| (format!("io.n{n}.p{}", n % 7), format!("x.n{n}")));
    let rules = Rules::new(many.chain([("org.dep".to_owned(), "y".to_owned())])).unwrap();
    let classes = javac(&[("org/dep/A.java", "package org.dep; public class A { A a; }")], &[]);
    let one = relocate_all(&classes, &self::rules(&[("org.dep", "y")]));
    assert_eq!(relocate_all(&classes, &rules).classes, one.classes);
    assert_eq!(rules.dotted("io.n4999.p1.C").as_deref(), Some("x.n4999.C"));
}

#[test]
fn names_too_long_are_refused_by_name() {
    let source = format!("package p; class A {{ void m({}) {{}} }} class B {{}}", vec!["B b#"; 250].join(","));
    let numbered = source.split('#').enumerate().fold(String::new(), |text, (n, part)| format!("{text}{part}{n}"));
    let source = numbered.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let classes = javac(&[("p/A.java", &source)], &[]);
    let fits = rules(&[("p", &"q".repeat(250))]);
    let result = relocate(&classes["p/A"], &fits, &Literals::default()).unwrap();
    assert!(texts(&result.bytes.unwrap()).iter().any(|text| text.len() > 60_000));
    let too_long = rules(&[("p", &"q".repeat(400))]);
    let error = relocate(&classes["p/A"], &too_long, &Literals::default()).unwrap_err();
    let Error::ConstantTooLong { start, got, .. } = &error else { panic!("{error:?}") };
    assert!(start.starts_with("(Lp/B;Lp/B;") && *got == 3 + 250 * (400 + 4), "{error}");
}
