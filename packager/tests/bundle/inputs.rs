//! What is read besides sources and compiled classes, and what must not be.

use crate::work::{RELEASE_8, SOURCES, Work, entries, manifest, text};

const TRACE: (&str, &str) =
    ("acme/probes/Trace.java", "package acme.probes; @io.btrace.core.annotations.BTrace public class Trace {}");

const CARRIED: &str = "META-INF/btrace-probes/acme/probes/Trace.class";

/// The usual project with a probe, and `more` in its description.
fn with_probe(more: &str) -> Work {
    let sources: Vec<(&str, &str)> = SOURCES.into_iter().chain([TRACE]).collect();
    Work::new(more, &sources)
}

#[track_caller]
fn carries_the_probe(work: &Work) {
    let names = entries(&work.implementation());
    assert!(names.contains(&CARRIED.to_owned()), "{names:?}");
    assert!(!names.contains(&"acme/probes/Trace.class".to_owned()), "{names:?}");
    assert!(manifest(&work.api()).contains(&"BTrace-Extension-Probes: acme.probes.Trace".to_owned()));
}

#[test]
fn probes_are_found_in_what_was_compiled_just_now() {
    // By the path in the jar, or by that of the compiler's usual output.
    for pattern in ["acme/probes/*.class", "target/classes/acme/probes/*.class", "out/**/Trace.class"] {
        let work = with_probe(&format!("probes = [\"{pattern}\"]\n"));
        work.compile().ok().is_silent_about("is no probe");
        carries_the_probe(&work);
    }
    let work = with_probe("probes = [\"made/acme/probes/*.class\"]\nclasses = [\"made\"]\n");
    // An older output does not count.
    work.write("made/acme/probes/Trace.class", "older");
    work.compile().ok();
    carries_the_probe(&work);
}

#[test]
fn probes_are_found_by_their_path_below_the_compiled_classes() {
    let work = with_probe("");
    work.compile_into("classes");
    work.describe("probes = [\"acme/probes/*.class\", \"classes/acme/probes/*.class\"]\n");
    work.build().ok();
    carries_the_probe(&work);
    let mut jar = fixtures::Jar::new();
    for class in ["acme/metrics/Metrics", "acme/metrics/Metrics$Unit", "acme/metrics/Sample", "acme/metrics/Full"]
        .into_iter()
        .chain(["acme/metrics/MetricsImpl", "acme/probes/Trace"])
    {
        let path = format!("{class}.class");
        jar = jar.file(&path, &fs_err::read(work.path(&format!("classes/{path}"))).unwrap());
    }
    jar.write(&work.path("made.jar")).unwrap();
    work.describe("classes = [\"made.jar\"]\nprobes = [\"acme/probes/*.class\"]\n");
    work.build().ok();
    carries_the_probe(&work);

    work.describe("probes = [\"acme/metrics/Sample*.class\"]\n");
    let error = work.build().error();
    assert!(error.contains("`acme.metrics.Sample` has no `@BTrace`"), "{error}");
    work.describe("probes = [\"acme/none/*.class\"]\n");
    assert_eq!(
        work.build().error(),
        "error: extension.toml: `probes` matches neither a file nor a compiled class: `acme/none/*.class`\n\
         hint: patterns are relative to the folder of the description or to that of the compiled classes, such as \
         `acme/probes/*.class`; `**` stands for any folders"
    );
}

#[test]
fn a_marked_class_that_no_pattern_names_is_pointed_out() {
    let said = "warning: `acme.probes.Trace` has `@BTrace`, but `probes` does not name it: it is no probe; \
                hint: add `acme/probes/Trace.class` to `probes` of `extension.toml`";
    let work = with_probe("");
    work.compile().ok().says(said);
    work.compile_into("classes");
    work.build().ok().says(said);
    work.describe("probes = [\"acme/probes/*.class\"]\n");
    work.build().ok().is_silent_about("is no probe");
    // That of a dependency is none of ours.
    let work = Work::usual("");
    work.compile_into("classes");
    work.describe("dependencies = [\"theirs.jar\"]\n");
    let probe = with_probe("");
    probe.compile_into("classes");
    let bytes = fs_err::read(probe.path("classes/acme/probes/Trace.class")).unwrap();
    fixtures::Jar::new().file("acme/probes/Trace.class", &bytes).write(&work.path("theirs.jar")).unwrap();
    work.build().ok().is_silent_about("is no probe");
}

#[test]
fn the_output_does_not_go_where_classes_are_read() {
    let work = Work::usual("");
    work.compile_into("target/classes");
    work.write("pom.xml", "");
    for folder in ["target/classes/out", "target/classes", "target/classes/../classes/deep/er"] {
        let run = work.fatagent(&["extension", "build", "-o", folder]);
        assert_eq!(
            run.error(),
            format!(
                "error: the output would go where classes are read from: `{folder}` is within `target/classes`\n\
                 hint: choose a folder outside of it with `-o`"
            )
        );
    }
    assert!(!work.path("target/classes/out").exists() && !work.path("target/classes/deep").exists());
    work.fatagent(&["extension", "build", "-o", "target"]).ok();
    work.write("src/main/resources/a.txt", "x");
    let run = work.fatagent(&["extension", "build", "--compile", "-o", "src/main/resources/out"]);
    assert!(run.error().contains("`src/main/resources/out` is within `src/main/resources`"), "{}", run.stderr);
}

#[test]
fn every_listed_folder_of_sources_exists() {
    let work = Work::usual("sources = [\"src/main/java\", \"gen\"]\n");
    assert_eq!(
        work.compile().error(),
        "error: extension.toml: a folder of `sources` does not exist: `gen`\n\
         hint: run what generates it, or remove it from `sources`"
    );
    work.write("gen/acme/metrics/More.java", "package acme.metrics; public class More {}");
    work.compile().ok();
    assert!(entries(&work.implementation()).contains(&"acme/metrics/More.class".to_owned()));
}

#[test]
fn other_classes_count_when_sources_are_compiled() {
    // Another compiler made a class that the sources use.
    let uses = "package acme.metrics; public class MetricsImpl implements Metrics {
        public java.util.List<Sample> samples(Unit unit) { acme.other.Made.go(); return null; } }";
    let mut sources = SOURCES;
    sources[3].1 = uses;
    let work = Work::new("classes = [\"made\", \"resources\", \"older\", \"absent\"]\n", &sources);
    let made = [("acme/other/Made.java", "package acme.other; public class Made { public static void go() {} }")];
    fixtures::javac(&made, &RELEASE_8, &work.path("made")).unwrap();
    work.write("resources/a.txt", "x");
    work.write("older/acme/metrics/Sample.class", "of an older run");
    work.write("older/b.txt", "y");
    let run = work.compile().ok();
    run.says("Passed over `older`: its classes are compiled anew");
    run.says("Passed over `absent`: it does not exist");
    let names = entries(&work.implementation());
    assert!(names.contains(&"acme/other/Made.class".to_owned()), "{names:?}");
    assert!(!names.contains(&"b.txt".to_owned()), "{names:?}");
    assert_eq!(text(&work.implementation(), "a.txt"), "x");
}

#[test]
fn a_truncated_dependency_is_no_fault_of_the_compiler() {
    let work = Work::usual("dependencies = [\"dep.jar\"]\n");
    work.library("dep.jar", &[("org/dep/D.java", "package org.dep; public class D {}")], |jar| jar);
    let whole = fs_err::read(work.path("dep.jar")).unwrap();
    work.write("dep.jar", &whole[..whole.len() / 2]);
    let error = work.compile().error();
    assert!(error.starts_with("error: jar is cut short: `dep.jar`\n"), "{error}");
}
