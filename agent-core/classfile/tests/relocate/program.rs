//! Whole programs do the same after relocation as before.

use crate::harness::{homes, java, javac, javap, relocate_all, rules, tags};

/// Compiled with everything that the compiler can add, the program prints its own types through reflection: after
/// relocation the same but for the package.
fn same_output(options: &[&str], pairs: &[(&str, &str)], back: &[(&str, &str)], main: &str) {
    let classes = javac(&[("org/dep/Everything.java", include_str!("java/Everything.java"))], options);
    let moved = relocate_all(&classes, &rules(pairs));
    assert!(moved.results.values().all(|result| result.bytes.is_some() && result.unseen.is_empty()));
    for home in homes() {
        let old = java(&home, &classes, "org.dep.Everything");
        let mut new = java(&home, &moved.classes, main);
        assert!(old.lines().count() > 80, "{old}");
        for (from, to) in back {
            assert!(new.contains(from));
            new = new.replace(from, to);
        }
        for (new, old) in sorted(&new).iter().zip(sorted(&old)) {
            assert_eq!(*new, old);
        }
        assert_eq!(new.lines().count(), old.lines().count());
    }
    for (old, result) in &moved.results {
        let (old, new) = (tags(&classes[old]), tags(result.bytes.as_deref().unwrap()));
        assert_eq!(old[..], new[..old.len()], "constants keep their kinds and places");
    }
    javap(&moved.classes);
}

/// Hash codes of names decide the order of some lines, and of the elements of annotations.
fn sorted(text: &str) -> Vec<String> {
    let words = |line: &str| {
        let mut words: Vec<&str> = line.split([' ', ',', '(', ')']).filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.join(" ")
    };
    let mut lines: Vec<String> = text.lines().map(words).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_package_moves() {
    for options in [&["-g", "-parameters"][..], &["-g:none"]] {
        same_output(options, &[("org.dep", "x.org.dep")], &[("x.org.dep", "org.dep")], "x.org.dep.Everything");
    }
}

#[test]
fn a_package_moves_to_a_shorter_name() {
    same_output(&["-g"], &[("org.dep", "q")], &[("q.Ev", "org.dep.Ev")], "q.Everything");
}

#[test]
fn one_class_moves_with_its_nested_ones() {
    let rule = [("=org.dep.Everything", "deep.er.and.deeper.Everything")];
    same_output(&["-g"], &rule, &[("deep.er.and.deeper.Ev", "org.dep.Ev")], "deep.er.and.deeper.Everything");
}

/// An application keeps its package; only what it uses moves.
#[test]
fn what_stays_follows_what_moves() {
    let classes = javac(
        &[
            (
                "org/dep/Lib.java",
                "package org.dep; public class Lib<T> { public T t; public static String s() { return \"s\"; } }",
            ),
            (
                "org/depot/Lib.java",
                "package org.depot; public class Lib { public static String s() { return \"t\"; } }",
            ),
            (
                "app/Main.java",
                "package app; public class Main { static org.dep.Lib<org.depot.Lib[]> f = new org.dep.Lib<>();
                 public static void main(String[] a) throws Exception {
                    System.out.println(org.dep.Lib.s() + org.depot.Lib.s() + f.t
                        + Main.class.getDeclaredField(\"f\").getGenericType()); } }",
            ),
        ],
        &[],
    );
    let moved = relocate_all(&classes, &rules(&[("org.dep", "x.y")]));
    assert_eq!(moved.classes.keys().collect::<Vec<_>>(), ["app/Main", "org/depot/Lib", "x/y/Lib"]);
    assert_eq!(moved.results["org/depot/Lib"].bytes, None);
    for home in homes() {
        assert_eq!(java(&home, &moved.classes, "app.Main").trim(), "stnullx.y.Lib<org.depot.Lib[]>");
    }
}
