//! Whole programs do the same woven as not, and what enters also leaves.

use crate::harness::{Classes, Link, Program, everything, javac, run, tool, weave_all, weave_sites, write_classes};
use crate::sites::Everywhere;
use classfile::weave::SiteKind;
use std::collections::BTreeMap;
use std::fmt::Write as _;

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
    let own: Vec<&str> = output.lines().filter(|line| !line.starts_with('@')).collect();
    assert_eq!(own, plain.lines().collect::<Vec<_>>(), "{name} {link:?}");
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
    let template = include_str!("java/programs/Switches.java.txt");
    let mut source = String::from("public class Switches {\n");
    let mut calls = String::new();
    for i in 0..8 {
        source += &template.replace("{i}", &i.to_string()).replace("{before}", &"n++; ".repeat(i));
        writeln!(calls, "        Run.all(Switches::table{i}, Switches::lookup{i});").unwrap();
    }
    writeln!(source, "    public static void main(String[] args) {{\n{calls}    }}\n}}").unwrap();
    let classes = javac(&[("Switches.java", &source), ("Run.java", include_str!("java/programs/Run.java"))], &[]);
    same("Switches", &classes, &[]);
}

/// What was woven once can be woven again, as when a second probe comes.
#[test]
fn woven_twice() {
    let sources = [
        ("Flow", include_str!("java/programs/Flow.java")),
        ("Construction", include_str!("java/programs/Construction.java")),
    ];
    for (name, source) in sources {
        let classes = javac(&[(&format!("{name}.java"), source)], &["-g"]);
        let once = weave_all(&classes, Link::Dynamic, &mut |m| m.member.attribute("Code").map(|_| everything(m)));
        let mut outer = |m: &classfile::weave::MethodInfo<'_>| m.member.attribute("Code").map(|_| everything(m));
        let twice = weave_all(&once.classes, Link::Dynamic, &mut outer);
        twice.expect_none_skipped();
        let plain = weave_all(&classes, Link::Dynamic, &mut |_| None).run(name).unwrap();
        check(name, &twice, Link::Dynamic, &plain, &[]);
    }
}

/// Each type annotation must still point at an instruction of its kind.
#[test]
fn type_annotations_move_with_their_instructions() {
    let classes = javac(&[("Annotated.java", include_str!("java/programs/Annotated.java"))], &["-g"]);
    let before = targets(&javap(&classes));
    assert!(before.len() > 12, "{before:?}");
    for kinds in [Vec::new(), SiteKind::ALL.to_vec()] {
        let mut planner = Everywhere { kinds, only: vec!["work"], ends: true };
        let program = weave_sites(&classes, Link::Dynamic, &mut planner);
        program.expect_none_skipped();
        // A range begins with what was inserted before its first instruction.
        let after = targets(&javap(&program.classes)).into_iter().map(|target| target.replace(" aconst_null ", " ? "));
        let first = |target: &String| target.replace(" iload_2 ", " ? ").replace(" aload ", " ? ");
        let before: Vec<_> = before.iter().map(first).collect();
        let after: Vec<_> = after.map(|target| first(&target)).collect();
        assert_eq!(before, after);
    }
}

fn javap(classes: &Classes) -> String {
    let folder = tempfile::TempDir::new().unwrap();
    write_classes(folder.path(), classes);
    run(std::process::Command::new(tool("javap")).arg("-v").arg("-p").arg(folder.path().join("Annotated.class")))
        .unwrap()
}

/// Each annotation of `work` with what lies at its offset: an opcode, or the first and last opcode of its range.
fn targets(text: &str) -> Vec<String> {
    let method = &text[text.find(" work(").unwrap()..];
    let method = &method[..method.find("static <T extends").unwrap()];
    let mut opcodes = BTreeMap::new();
    for line in method.lines() {
        let mut words = line.split_whitespace();
        if let Some(offset) = words.next().and_then(|word| word.strip_suffix(':')).and_then(|n| n.parse::<usize>().ok())
            && let Some(opcode) = words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
        {
            opcodes.insert(offset, opcode);
        }
    }
    let number =
        |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().unwrap();
    let mut out = Vec::new();
    for line in method.lines().filter(|line| line.contains("): ")) {
        let kind = line.split("): ").nth(1).unwrap().split(',').next().unwrap().to_owned();
        if let Some((_, offset)) = line.split_once("offset=") {
            out.push(format!("{kind} {}", opcodes[&number(offset)]));
        } else if let Some((_, start)) = line.split_once("start_pc=") {
            let start = number(start);
            let length = number(line.split_once("length=").unwrap().1);
            let last = opcodes.range(..start + length).next_back().unwrap().1;
            out.push(format!("{kind} {} {last}", opcodes[&start]));
        } else if let Some((_, index)) = line.split_once("exception_index=") {
            // Which entry of the table that is.
            let entry = method[method.find("Exception table:").unwrap()..].lines().nth(2 + number(index)).unwrap();
            out.push(format!("{kind} {}", entry.split_whitespace().last().unwrap()));
        }
    }
    out
}
