//! Whole programs do the same woven as not, and what enters also leaves.

use crate::harness::{Classes, Link, Program, everything, javac, runtime, weave_all};
use std::collections::BTreeMap;

/// Runs woven and not: the program's own lines must agree, and entries must equal returns and errors.
pub(crate) fn same(name: &str, classes: &Classes, options: &[&str]) {
    let plain = weave_all(classes, Link::Dynamic, &mut |_| None).run_with(name, options).unwrap();
    for link in [Link::Dynamic, Link::Direct] {
        let direct_only = classes.values().any(|bytes| bytes[7] < 51);
        if link == Link::Dynamic && direct_only {
            continue;
        }
        let program = weave_all(classes, link, &mut |m| {
            let abstract_or_native = m.access & (classfile::access::ABSTRACT | classfile::access::NATIVE) != 0;
            (!abstract_or_native).then(|| everything(m))
        });
        program.expect_none_skipped();
        check(name, &program, link, &plain, options);
    }
}

fn check(name: &str, program: &Program, link: Link, plain: &str, options: &[&str]) {
    let output = program.run_with(name, options).unwrap_or_else(|e| panic!("{name} {link:?}: {e}"));
    let own: String = output.lines().filter(|line| !line.starts_with('@')).map(|line| format!("{line}\n")).collect();
    assert_eq!(own, plain, "{name} {link:?}");
    assert!(!output.contains("<bad "), "{name} {link:?}: {output}");
    let mut open: BTreeMap<&str, i64> = BTreeMap::new();
    let mut events = 0;
    for line in output.lines().filter_map(|line| line.strip_prefix('@')) {
        let (kind, method) = line.split(' ').next().unwrap().split_once(':').unwrap();
        *open.entry(method).or_default() += if kind == "entry" { 1 } else { -1 };
        events += 1;
    }
    assert!(events > 2, "{name} {link:?}: {output}");
    open.retain(|_, count| *count != 0);
    assert_eq!(open, BTreeMap::new(), "{name} {link:?}: {output}");
}

/// Compiles one of `java/programs`.
fn program(name: &str, source: &str, options: &[&str]) {
    let classes = javac(&[(&format!("{name}.java"), source)], options);
    same(name, &classes, &[]);
}

/// Sources that any Java since 8 takes, at every level of the compiler under test.
macro_rules! programs {
    ($($test:ident = $name:literal [$($options:literal),*];)*) => {$(
        #[test]
        fn $test() {
            program($name, include_str!(concat!("java/programs/", $name, ".java")), &[$($options),*]);
        }
    )*};
}

programs! {
    flow = "Flow" ["-g"];
    flow_for_java_8 = "Flow" ["--release", "8", "-g"];
    flow_for_java_11 = "Flow" ["--release", "11"];
    types = "Types" ["-g"];
    types_for_java_8 = "Types" ["--release", "8"];
    construction = "Construction" ["-g"];
    construction_for_java_8 = "Construction" ["--release", "8"];
    modern = "Modern" ["-g", "-parameters"];
    annotated = "Annotated" ["-g"];
}

/// Switches at every distance from the start of the code, each kind at each alignment.
#[test]
fn switches_at_every_alignment() {
    let mut source = String::from("public class Switches {\n");
    for i in 0..8 {
        let before = "n++; ".repeat(i);
        source += &format!(
            "  static int table{i}(int n) {{ {before} switch (n - {i}) {{ case 0: return 1; case 1: n = 7; case 2: return n; default: break; }} \
             for (int k = 0; k < 2; k++) {{ switch (n + k) {{ case 5: n += 10; break; case 900: n = 1; break; case -77: n = 2; default: n--; }} }} return n; }}\n"
        );
        source += &format!(
            "  static String lookup{i}(String s, int n) {{ {before} switch (s) {{ case \"a\": return \"A\"; case \"Aa\": case \"BB\": return s + n; default: throw new IllegalArgumentException(s); }} }}\n"
        );
    }
    source += "  public static void main(String[] args) {\n";
    for i in 0..8 {
        source += &format!(
            "    for (int n = -80; n < 910; n += 7) {{ System.out.print(table{i}(n) + \" \"); }} System.out.println();\n"
        );
        source += &format!(
            "    for (String s : new String[] {{\"a\", \"Aa\", \"BB\", \"c\"}}) {{ try {{ System.out.println(lookup{i}(s, {i})); }} catch (IllegalArgumentException e) {{ System.out.println(e.getMessage()); }} }}\n"
        );
    }
    source += "  }\n}";
    // A line break before each event, or it would follow what `print` printed.
    let source = source.replace("System.out.print(", "System.out.println(");
    program("Switches", &source, &[]);
}

#[test]
fn the_runtime_is_not_woven_into_the_programs() {
    assert!(runtime().join("rt").join("Rt.class").exists());
}
