//! What is packed into the implementation, and how.

use fixtures::Jar;

use crate::work::{SOURCES, Work, entries, manifest, text};

/// A library with a service of its own.
const LIBRARY: [(&str, &str); 3] = [
    ("org/dep/D.java", "package org.dep; public class D { public static int n() { return 1; } }"),
    ("org/dep/Spi.java", "package org.dep; public interface Spi {}"),
    ("org/dep/One.java", "package org.dep; public class One implements Spi {}"),
];

/// The usual project, whose implementation calls `org.dep.D`; `more` follows in its description.
fn work(more: &str) -> Work {
    let calling = "package acme.metrics;
        public class MetricsImpl implements Metrics {
            public java.util.List<Sample> samples(Unit unit) { org.dep.D.n(); return null; }
        }";
    let mut sources = SOURCES;
    sources[3].1 = calling;
    let work = Work::new(&format!("dependencies = [\"lib/*.jar\"]\n{more}"), &sources);
    work.library("lib/dep.jar", &LIBRARY, |jar| jar.file("META-INF/services/org.dep.Spi", b"org.dep.One\n"));
    work
}

fn packed(work: &Work) -> Vec<String> {
    let all = entries(&work.implementation());
    all.into_iter().filter(|name| name.contains("dep") && !name.ends_with('/')).collect()
}

#[test]
fn dependencies_are_packed_and_their_services_joined() {
    let work = work("");
    let second = [("org/two/Two.java", "package org.two; public class Two {}")];
    work.library("lib/two.jar", &second, |jar| jar.file("META-INF/services/org.dep.Spi", b"org.two.Two\n"));
    let run = work.compile().ok();
    run.says("Joined `META-INF/services/org.dep.Spi` (providers) of `lib/dep.jar`, `lib/two.jar`");
    run.says("Packed 4 classes of dependencies under their own names: `org.dep`, `org.two`");
    assert_eq!(text(&work.implementation(), "META-INF/services/org.dep.Spi"), "org.dep.One\norg.two.Two\n");
    assert_eq!(
        packed(&work),
        ["META-INF/services/org.dep.Spi", "org/dep/D.class", "org/dep/One.class", "org/dep/Spi.class"]
    );
}

#[test]
fn what_does_not_hold_in_another_jar_is_dropped_with_a_report() {
    let work = work("");
    let versioned = fixtures::read_entry(&work.path("lib/dep.jar"), "org/dep/D.class").unwrap();
    let jar = Jar::new()
        .attribute("Multi-Release", "true")
        .file("META-INF/A.SF", b"x")
        .file("META-INF/INDEX.LIST", b"x")
        .file("module-info.class", b"x")
        .file("META-INF/versions/11/org/dep/D.class", &versioned)
        .file("META-INF/versions/11/module-info.class", b"x");
    jar.write(&work.path("lib/more.jar")).unwrap();
    let run = work.compile().ok();
    run.says("warning: the signature of `lib/more.jar` is dropped");
    run.says("`module-info.class`, `META-INF/versions/11/module-info.class` of `lib/more.jar`");
    run.says("`META-INF/INDEX.LIST` of `lib/more.jar`");
    let names = entries(&work.implementation());
    assert!(names.contains(&"META-INF/versions/11/org/dep/D.class".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with("module-info.class") || name == "META-INF/A.SF"), "{names:?}");
    assert!(manifest(&work.implementation()).contains(&"Multi-Release: true".to_owned()));
}

#[test]
fn two_files_of_one_path_name_both_origins() {
    let work = work("");
    work.library(
        "lib/other.jar",
        &[("org/dep/D.java", "package org.dep; public class D { long x; public static int n() { return 2; } }")],
        |jar| jar,
    );
    let error = work.compile().error();
    assert!(
        error.contains("`org/dep/D.class` of `lib/dep.jar`") && error.contains("`org/dep/D.class` of `lib/other.jar`"),
        "{error}"
    );
}

#[test]
fn what_the_application_provides_is_not_packed() {
    let work = work("provided = [\"org.dep\"]\n");
    work.compile().ok().says("Left out `lib/dep.jar`: the application provides its classes, 3");
    assert!(packed(&work).is_empty());

    let mixed = [("org/two/Two.java", "package org.two; public class Two {}"), LIBRARY[0]];
    work.library("lib/mixed.jar", &mixed, |jar| jar);
    work.compile().ok().says("Left out 1 classes of `lib/mixed.jar` that the application provides");
    assert!(entries(&work.implementation()).contains(&"org/two/Two.class".to_owned()));
}

#[test]
fn dependencies_come_from_the_local_repository() {
    let work = work("");
    let home = "home/.m2/repository/org/dep/dep/1.0/dep-1.0.jar";
    work.library(home, &LIBRARY, |jar| jar);
    work.describe("dependencies = [\"maven:org.dep:dep:1.0\"]\n");
    work.compile().ok();
    assert!(packed(&work).contains(&"org/dep/D.class".to_owned()));
    work.describe("dependencies = [\"maven:org.dep:dep:2.0\"]\n");
    let error = work.compile().error();
    assert!(
        error.starts_with("error: extension.toml: the local Maven repository does not have `org.dep:dep:2.0`"),
        "{error}"
    );
    assert!(error.contains("hint: run `mvn dependency:get -Dartifact=org.dep:dep:2.0`"), "{error}");
}

#[test]
fn shaded_packages_move_with_everything_that_names_them() {
    let work = work("[shade]\n\"org.dep\" = \"acme.shaded.{id}\"\n");
    work.compile().ok();
    let names = entries(&work.implementation());
    for name in ["acme/shaded/acme_metrics/D.class", "META-INF/services/acme.shaded.acme_metrics.Spi"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("org/dep") || name.contains("org.dep")), "{names:?}");
    let service = text(&work.implementation(), "META-INF/services/acme.shaded.acme_metrics.Spi");
    assert_eq!(service, "acme.shaded.acme_metrics.One\n");
    let calling = fixtures::read_entry(&work.implementation(), "acme/metrics/MetricsImpl.class").unwrap();
    assert!(!String::from_utf8_lossy(&calling).contains("org/dep"));
    assert!(manifest(&work.api()).contains(&"BTrace-Shaded-Packages: org.dep->acme.shaded.acme_metrics".to_owned()));
}

#[test]
fn rules_that_move_nothing_or_the_api_are_refused() {
    let work = work("[shade]\n\"org.dpe\" = \"x\"\n");
    assert_eq!(
        work.compile().error(),
        "error: extension.toml: a rule of `[shade]` matches no class that is packed: `org.dpe`\n\
         hint: correct the package, or remove the rule"
    );
    work.describe("dependencies = [\"lib/*.jar\"]\n[shade]\n\"acme\" = \"x\"\n");
    let error = work.compile().error();
    assert!(error.contains("`acme.metrics.") && error.contains("an API class of extension `acme-metrics`"), "{error}");
}

#[test]
fn broken_and_missing_jars_are_named() {
    let work = work("");
    let whole = fs_err::read(work.path("lib/dep.jar")).unwrap();
    work.compile_into("classes");
    work.write("lib/dep.jar", &whole[..whole.len() / 2]);
    let error = work.build().error();
    assert!(error.starts_with("error: jar is cut short: `lib/dep.jar`"), "{error}");
    fs_err::remove_file(work.path("lib/dep.jar")).unwrap();
    assert!(work.build().error().starts_with("error: extension.toml: pattern matches no file: `lib/*.jar`"));
    work.describe("dependencies = [\"lib/dep.jar\"]\n");
    assert!(work.build().error().starts_with("error: file does not exist: `lib/dep.jar`"));
    assert!(!work.zip().exists());
}
