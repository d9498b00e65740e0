//! Relocation of extensions inside a fat agent, through the command line.

use std::process::Command;

use crate::support::{FOLDER_MANIFEST, Project};

struct Done {
    code: Option<i32>,
    stderr: String,
}

fn build(project: &Project, toml: &str) -> Done {
    project.toml(toml);
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    let output = command.current_dir(project.path("")).args(["build", "-v"]).output().unwrap();
    Done { code: output.status.code(), stderr: String::from_utf8_lossy(&output.stderr).into_owned() }
}

const METRICS: &str = "[[extension]]\npath = \"metrics\"\n";
const STATSD: &str = "[[extension]]\nfile = \"statsd.zip\"\n";

#[test]
fn rules_that_would_move_what_others_link_to_are_refused_by_name() {
    let project = Project::new();
    let refused = |toml: &str, message: &str| {
        let done = build(&project, toml);
        assert_eq!(done.code, Some(1), "{}", done.stderr);
        assert!(done.stderr.contains(message), "{message}\n{}", done.stderr);
        assert!(done.stderr.contains("hint: "), "{}", done.stderr);
        assert!(!project.path("acme-agent.jar").exists());
    };
    let own = format!("{METRICS}relocate = {{ \"acme.metrics\" = \"x.metrics\" }}\n");
    let api = "would move an API class of extension `acme-metrics`: `acme.metrics.Metrics`";
    refused(&own, api);
    // Of another extension too, which may link to it.
    refused(&format!("{METRICS}{STATSD}relocate = {{ \"acme\" = \"x.{{id}}\" }}\n"), api);
    let ours = format!("{METRICS}[relocate]\n\"io.btrace.core\" = \"x\"\n");
    refused(&ours, "relocation rule `io.btrace.core` to `x` would move the agent's own: `io.btrace.core`");
    let around = format!("{METRICS}[relocate]\n\"io\" = \"x\"\n");
    refused(&around, "would move a class of the agent: `io.btrace.");
    refused(&format!("{METRICS}[relocate]\n\"java.util\" = \"x\"\n"), "classes in `java` cannot move");
    let into = format!("{METRICS}relocate = {{ \"acme.metrics.impl\" = \"io.btrace.core.metrics\" }}\n");
    refused(&into, "io.btrace.core.metrics");
    let meeting = format!(
        "{METRICS}relocate = {{ \"acme.metrics.impl.Store\" = \"x.S\", \"acme.metrics.impl.MetricsImpl\" = \"x.S\" }}\n"
    );
    refused(&meeting, "two different files claim `x/S.class`");
}

#[test]
fn implementations_move_with_their_descriptions() {
    let project = Project::new();
    project.write("metrics/acme/metrics/impl/r.txt", "r");
    let configured = "BTrace-Extension-Configurator: acme.metrics.impl.Store\r\n\r\n";
    project.write(
        "metrics/META-INF/MANIFEST.MF",
        format!("{}{configured}", FOLDER_MANIFEST.trim_end_matches("\r\n").to_owned() + "\r\n"),
    );
    let toml = format!(
        "{METRICS}relocate = {{ \"acme.metrics.impl\" = \"deep.{{id}}\" }}\n{STATSD}[relocate]\n\
         \"=vendor.statsd.StatsdImpl\" = \"hidden.{{id}}.Sender\"\n"
    );
    let done = build(&project, &toml);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let jar = project.path("acme-agent.jar");
    let read = |name: &str| String::from_utf8(fixtures::read_entry(&jar, name).unwrap()).unwrap();
    let metrics = "META-INF/btrace-extensions/acme-metrics/";
    assert_eq!(
        read(&format!("{metrics}resources/META-INF/services/acme.metrics.Metrics")),
        "deep.acme_metrics.MetricsImpl\n"
    );
    assert_eq!(read(&format!("{metrics}resources/deep/acme_metrics/r.txt")), "r");
    let index = read(&format!("{metrics}classes.index"));
    let properties = read(&format!("{metrics}extension.properties"));
    assert!(properties.contains("configurator=deep.acme_metrics.Store\n"), "{properties}");
    assert!(
        properties.contains("permissions=") && properties.contains("services=acme.metrics.Metrics\n"),
        "{properties}"
    );
    let line = format!("deep.acme_metrics.Store\t{metrics}classes/deep/acme_metrics/Store.classdata\t");
    assert!(index.contains(&line), "{index}");
    assert!(!index.contains("acme.metrics.impl"), "{index}");
    // Its provider was found by the name of the service, which it no longer has.
    let statsd = "META-INF/btrace-extensions/vendor-statsd/";
    assert_eq!(
        read(&format!("{statsd}resources/META-INF/services/vendor.statsd.Statsd")),
        "hidden.vendor_statsd.Sender\n"
    );
    assert!(done.stderr.contains("Relocated 3 classes; "), "{}", done.stderr);
    let mut verify = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    assert!(verify.arg("verify").arg(&jar).output().unwrap().status.success());
}

#[test]
fn what_an_extension_names_and_does_not_hold_keeps_its_name() {
    let project = Project::new();
    // A provided library: compiled against, not packed.
    project.compile(
        &[
            (
                "org/lib/given/Given.java",
                "package org.lib.given; public class Given { public static int g() { return 1; } }",
            ),
            (
                "org/lib/own/Own.java",
                "package org.lib.own; public class Own { public static int o() { return org.lib.given.Given.g(); } }",
            ),
            (
                "acme/metrics/impl/Store.java",
                "package acme.metrics.impl; class Store { long sum = org.lib.own.Own.o() + org.lib.given.Given.g(); }",
            ),
        ],
        "more",
    );
    for file in ["org/lib/own/Own.class", "acme/metrics/impl/Store.class"] {
        project.write(&format!("metrics/{file}"), fs_err::read(project.path(&format!("more/{file}"))).unwrap());
    }
    let done = build(&project, &format!("{METRICS}relocate = {{ \"org.lib\" = \"x.lib\" }}\n"));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let line = "Keeping classes that rules match and extension `acme-metrics` does not hold and leaves to others, 1: \
                `org.lib.given.Given`";
    assert!(done.stderr.contains(line), "{}", done.stderr);
    let class = "META-INF/btrace-extensions/acme-metrics/classes/x/lib/own/Own.classdata";
    let own = fixtures::read_entry(&project.path("acme-agent.jar"), class).unwrap();
    let holds = |name: &[u8]| own.windows(name.len()).any(|window| window == name);
    assert!(holds(b"x/lib/own/Own"));
    assert!(holds(b"org/lib/given/Given") && !holds(b"x/lib/given/Given"));
}
