//! Texts that one constant shares between uses, and what cannot be seen into.

use crate::harness::{homes, java, javac, javap, relocate_all, relocate_with, rules, texts};
use classfile::relocate::{Literals, Reason, relocate};

/// One text is the name of a field, of a method, of a parameter, a literal, an annotation's string, a local variable and
/// the name of a class in the unnamed package.
const SHARED: &str = r#"
import java.lang.annotation.*;
@Retention(RetentionPolicy.RUNTIME) @interface Say { String kafka() default "kafka"; String[] all() default {}; }
@Say(all = {"kafka", "Lkafka;"})
public class Main {
    static kafka kafka = new kafka();
    kafka[] more;
    static kafka kafka(kafka kafka) { return kafka; }
    public static void main(String[] a) throws Exception {
        kafka local = kafka(kafka);
        Object text = "kafka";
        Object type = "Lkafka;";
        System.out.println(local.getClass().getSimpleName() + text + Main.class.getDeclaredField("kafka").getName()
            + Main.class.getDeclaredMethod("kafka", kafka.class).getParameters()[0].getName()
            + Main.class.getAnnotation(Say.class).kafka() + Main.class.getAnnotation(Say.class).all()[1]
            + type + kafka.kafka + new kafka().getClass().getName().length());
    }
}"#;

const KAFKA: &str = "public class kafka { public static String kafka = \"k\"; public kafka() {} }";

#[test]
fn shared_texts_are_split() {
    let classes = javac(&[("Main.java", SHARED), ("kafka.java", KAFKA)], &["-g", "-parameters"]);
    let rules = rules(&[("=kafka", "x.y.kafka")]);
    let moved = relocate_all(&classes, &rules);
    for home in homes() {
        assert_eq!(java(&home, &classes, "Main").trim(), "kafkakafkakafkakafkakafkaLkafka;Lkafka;k5");
        assert_eq!(java(&home, &moved.classes, "Main").trim(), "kafkakafkakafkakafkakafkaLx/y/kafka;Lx/y/kafka;k9");
    }
    javap(&moved.classes);
    let new = texts(&moved.classes["Main"]);
    for text in ["kafka", "x/y/kafka", "Lx/y/kafka;", "[Lx/y/kafka;"] {
        assert!(new.iter().any(|t| t == text), "{text}: {new:?}");
    }
    assert!(!new.iter().any(|text| text == "Lkafka;"));
    // With literals left alone, the descriptor that is also a literal must be split too.
    let off = relocate_with(&classes, &rules, &Literals::Off);
    let new = texts(&off.classes["Main"]);
    assert!(new.iter().any(|t| t == "Lkafka;") && new.iter().any(|t| t == "Lx/y/kafka;"), "{new:?}");
    for home in homes() {
        assert_eq!(java(&home, &off.classes, "Main").trim(), "kafkakafkakafkakafkakafkaLkafka;Lkafka;k9");
    }
    javap(&off.classes);
}

/// A class in the unnamed package may be named like a primitive's descriptor.
#[test]
fn a_class_named_like_a_primitive() {
    let source = "public class I { static int I(I[] i, int n) { return n; } static I make() { return new I(); }
        public static void main(String[] a) { System.out.println(I(new I[1], 5) + make().getClass().getName()); } }";
    let classes = javac(&[("I.java", source)], &["-g"]);
    let moved = relocate_all(&classes, &rules(&[("=I", "x.I")]));
    for home in homes() {
        assert_eq!(java(&home, &moved.classes, "x.I").trim(), "5x.I");
    }
}

#[test]
fn a_module_descriptor() {
    let sources = [
        (
            "module-info.java",
            "import org.dep.spi.Spi; @Deprecated module org.dep { requires static java.sql; exports org.dep.api; exports org.dep.spi to java.sql; opens org.dep.inner;
             uses Spi; provides Spi with org.dep.inner.Impl; }",
        ),
        ("org/dep/api/A.java", "package org.dep.api; public class A { public static void main(String[] a) {
            System.out.print(A.class.getModule().getName() + java.util.ServiceLoader.load(org.dep.spi.Spi.class).findFirst()
                .map(s -> s.getClass().getName()).orElse(\"\")); } }"),
        ("org/dep/spi/Spi.java", "package org.dep.spi; public interface Spi {}"),
        ("org/dep/inner/Impl.java", "package org.dep.inner; public class Impl implements org.dep.spi.Spi {}"),
    ];
    let classes = javac(&sources, &[]);
    let mut sources = sources;
    sources[2].1 = "package org.dep.spi; public interface Spi { }";
    sources[1].1 = "package org.dep.api; public class A { public static void main(String[] a) {
            System.out.print(A.class.getModule().getName() + org.dep.api.B.load()); } }";
    let with_uses: Vec<_> = sources
        .into_iter()
        .chain([(
            "org/dep/api/B.java",
            "package org.dep.api; class B { static String load() { return java.util.ServiceLoader.load(org.dep.spi.Spi.class)
                .findFirst().map(s -> s.getClass().getName()).orElse(\"\"); } }",
        )])
        .collect();
    let mut running = javac(&with_uses, &[]);
    running.extend(classes.into_iter().filter(|(name, _)| name == "module-info"));
    let moved = relocate_all(&running, &rules(&[("org.dep", "x.y")]));
    assert!(moved.results["module-info"].bytes.is_some());
    assert!(moved.results["module-info"].unseen.is_empty());
    let shown = javap(&[("module-info".to_owned(), moved.classes["module-info"].clone())].into());
    for part in ["// \"org.dep\"", "x/y/api", "x/y/inner", "x/y/spi/Spi", "x/y/inner/Impl"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    for home in homes() {
        let folder = tempfile::TempDir::new().unwrap();
        crate::harness::write_classes(folder.path(), &moved.classes);
        let mut java = std::process::Command::new(home.path.join("bin/java"));
        java.arg("-Xverify:all").arg("-p").arg(folder.path()).args(["-m", "org.dep/x.y.api.A"]);
        // The name of the module stays: it belongs to whoever ships it.
        assert_eq!(crate::harness::succeed(&mut java), "org.depx.y.inner.Impl");
    }
}

/// `ModulePackages` and `ModuleMainClass` are written by the `jar` tool.
#[test]
fn module_packages_and_main_class() {
    let folder = tempfile::TempDir::new().unwrap();
    let sources = [
        ("module-info.java", "module m { exports org.dep.api; }"),
        ("org/dep/api/A.java", "package org.dep.api; public class A { public static void main(String[] a) {} }"),
        ("org/dep/inner/B.java", "package org.dep.inner; public class B {}"),
    ];
    crate::harness::write_classes(&folder.path().join("in"), &javac(&sources, &[]));
    let jar_tool = fixtures::compiler_home().unwrap().tool("jar").unwrap();
    let jar = folder.path().join("m.jar");
    let mut create = std::process::Command::new(jar_tool);
    create.arg("--create").arg("--file").arg(&jar).args([
        "--main-class",
        "org.dep.api.A",
        "--module-version",
        "1.0-dep",
    ]);
    create.arg("-C").arg(folder.path().join("in")).arg(".");
    crate::harness::succeed(&mut create);
    fixtures::unzip(&jar, &folder.path().join("out")).unwrap();
    let classes = crate::harness::read_classes(&folder.path().join("out"));
    let moved = relocate_all(&classes, &rules(&[("org.dep", "x.y")]));
    let shown = javap(&[("module-info".to_owned(), moved.classes["module-info"].clone())].into());
    for part in ["ModulePackages", "ModuleMainClass", "x/y/inner", "x/y/api/A", "1.0-dep"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("org/dep"), "{shown}");
    assert!(moved.results["module-info"].unseen.is_empty());
}

/// Changes the name of an attribute to one that nobody knows.
#[test]
fn unknown_attributes_are_told() {
    let classes = javac(&[("org/dep/A.java", "package org.dep; public class A { A a = new A(); }")], &["-g"]);
    let mut bytes = classes["org/dep/A"].clone();
    for (from, to) in [(&b"LineNumberTable"[..], &b"XineNumberTable"[..]), (b"SourceFile", b"YourceFile")] {
        let at = bytes.windows(from.len()).position(|w| w == from).unwrap();
        bytes[at..at + from.len()].copy_from_slice(to);
    }
    let result = relocate(&bytes, &rules(&[("org.dep", "x")]), &Literals::default()).unwrap();
    assert_eq!(result.unseen, ["XineNumberTable", "YourceFile"]);
    // Where nothing moves there is nothing to tell.
    let result = relocate(&bytes, &rules(&[("org.other", "x")]), &Literals::default()).unwrap();
    assert_eq!((result.bytes, result.unseen.len()), (None, 0));
}

#[test]
fn strings_of_annotations_are_literals() {
    let sources = [
        ("org/dep/Codec.java", "package org.dep; public class Codec {}"),
        (
            "app/A.java",
            "package app; import java.lang.annotation.*; @Retention(RetentionPolicy.RUNTIME) @interface N { String value(); String d() default \"org.dep.Codec\"; }
             @N(\"org.dep.Codec\") public class A { public static void main(String[] a) throws Exception {
                N n = A.class.getAnnotation(N.class); System.out.print(Class.forName(n.value()).getName() + n.d()); } }",
        ),
    ];
    let classes = javac(&sources, &[]);
    let moved = relocate_all(&classes, &rules(&[("org.dep", "x.y")]));
    for home in homes() {
        assert_eq!(java(&home, &moved.classes, "app.A"), "x.y.Codecx.y.Codec");
    }
    let told = moved.literals("app/A");
    assert_eq!((told.len(), told[0].reason, told[0].replaced.as_deref()), (1, Reason::Name, Some("x.y.Codec")));
}

/// A rule whose two sides agree, and no rules at all, change nothing.
#[test]
fn nothing_to_do_leaves_every_byte() {
    let classes = javac(&[("Main.java", SHARED), ("kafka.java", KAFKA)], &["-g"]);
    for rules in [rules(&[]), rules(&[("kafka", "kafka")]), rules(&[("org.absent", "x")])] {
        let moved = relocate_all(&classes, &rules);
        assert!(moved.results.values().all(|result| result.bytes.is_none() && result.literals.is_empty()));
        assert_eq!(moved.classes, classes);
    }
}

/// The closure that knows the names may itself relocate.
#[test]
fn relocation_within_relocation() {
    let classes = javac(&[("org/dep/A.java", "package org.dep; class A { String s = \"org.dep.A\"; A a; }")], &[]);
    let bytes = &classes["org/dep/A"];
    let rules = rules(&[("org.dep", "x")]);
    let known = |_: &str| relocate(bytes, &rules, &Literals::Off).unwrap().bytes.is_some();
    let result = relocate(bytes, &rules, &Literals::Descriptors(&known)).unwrap();
    assert!(texts(&result.bytes.unwrap()).contains(&"x.A".to_owned()));
}
