use super::*;
use crate::ops::build;
use crate::testing::{CORE, Project, target};

const QUIET: Printer = Printer {
    quiet: true,
    verbose: false,
    no_progress: true,
    color: crate::printer::Color::Never,
    format: crate::printer::Format::Text,
};

fn view() -> (View, Project) {
    let project = Project::new();
    let options = build::Options { file: Some(project.path("agent.toml")), ..build::Options::default() };
    let jar = build::build(&options, &QUIET).unwrap().path;
    (View::read(&jar, Limits::default()).unwrap(), project)
}

#[test]
fn the_parts_are_counted_where_they_are() {
    let (view, project) = view();
    assert!(view.masked);
    assert_eq!(view.size, fs_err::metadata(project.path("acme-agent.jar")).unwrap().len());
    assert_eq!(view.bootstrap.count, 12);
    assert_eq!(view.bootstrap_classes.len(), 12);
    assert!(view.bootstrap_classes.contains(&"acme.metrics.Metrics$Unit".to_owned()));
    let sections: Vec<(&str, usize)> =
        view.sections.iter().map(|(name, amount)| (name.as_str(), amount.count)).collect();
    assert_eq!(sections, [("agent", 2), ("client", 1), ("shared", 1)]);
    let extensions: Vec<(&str, usize, usize)> =
        view.extensions.iter().map(|e| (e.id.as_str(), e.classes.count, e.resources.count)).collect();
    // The manifest of the implementation is one of them, where there is one.
    assert_eq!(extensions, [("acme-metrics", 2, 4), ("vendor-statsd", 1, 4)]);
    assert_eq!(view.probes, ["demo.Trace"]);
    assert_eq!(view.arguments[0], ("port".to_owned(), "0".to_owned()));
    let [core] = view.natives.as_slice() else { panic!("one core expected") };
    assert_eq!((core.target.as_str(), core.size), (target().as_str(), CORE.len() as u64));
}

#[test]
fn the_text_shows_each_part() {
    let (view, _project) = view();
    let text = view.lines().join("\n");
    for line in [
        "agent      acme-agent 1.4.0, build id ",
        "masked     yes",
        "bootstrap  12 classes, ",
        "section    client, 1 class, ",
        "extension  acme-metrics 1.2.0, 2 classes, ",
        "           service acme.metrics.Metrics",
        "           permissions NETWORK, THREADS",
        "probe      demo.Trace",
        "argument   scriptOutputFile=out file.txt",
        "attribute  Boot-Class-Path: acme-agent.jar",
    ] {
        assert!(text.lines().any(|shown| shown.starts_with(line)), "no `{line}` in:\n{text}");
    }
}

#[test]
fn a_jar_that_is_no_agent_is_shown_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.jar");
    fixtures::Jar::new().attribute("Main-Class", "a.B").file("a.txt", b"x").write(&path).unwrap();
    let view = View::read(&path, Limits::default()).unwrap();
    assert!(!view.masked && view.extensions.is_empty() && view.natives.is_empty());
    assert_eq!(view.attributes.len(), 2);
    inspect(&path, Limits::default(), &QUIET).unwrap();
}

#[test]
fn a_malformed_text_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.jar");
    fixtures::Jar::new().manifest(b"no colon\r\n\r\n").write(&path).unwrap();
    let error = View::read(&path, Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot use `META-INF/MANIFEST.MF` of `{}`", path.display()));
}
