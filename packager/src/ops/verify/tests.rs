use std::path::PathBuf;

use super::*;
use crate::archive::Limits;
use crate::ops::build;
use crate::testing::{Project, rewritten, without_entries};

const QUIET: Printer = Printer {
    quiet: true,
    verbose: false,
    no_progress: true,
    color: crate::printer::Color::Never,
    format: crate::printer::Format::Text,
};

/// A good jar with everything in it.
fn good() -> (Project, PathBuf) {
    let project = Project::new();
    let options = build::Options { file: Some(project.path("agent.toml")), ..build::Options::default() };
    let jar = build::build(&options, &QUIET).unwrap().path;
    (project, jar)
}

fn report(bytes: Vec<u8>) -> Report {
    check(&Archive::from_memory("x.jar".into(), bytes, Limits::default()).unwrap())
}

/// All samples of a kind.
fn samples(report: &Report, kind: Kind) -> String {
    report.failures.iter().filter(|failure| failure.kind == kind).map(|failure| failure.samples.join("; ")).collect()
}

#[test]
fn a_good_jar_passes() {
    let (_project, jar) = good();
    let report = report(fs_err::read(&jar).unwrap());
    assert_eq!(report.failures, []);
    assert!(verify(&jar, &QUIET).unwrap().warnings.is_empty());
}

#[test]
fn without_any_one_file_it_fails() {
    let (_project, jar) = good();
    let names = fixtures::entry_names(&jar).unwrap();
    let files: Vec<&String> = names.iter().filter(|name| !name.ends_with('/')).collect();
    assert!(files.len() > 20, "too few files to prove anything: {files:?}");
    for name in files {
        let report = report(without_entries(&jar, &[name]));
        assert!(report.problems() > 0, "passes without `{name}`");
    }
    // The same rewriting without a change passes, so it is the missing file that fails.
    assert_eq!(report(without_entries(&jar, &[])).failures, []);
}

#[test]
fn with_any_one_file_changed_it_fails() {
    let (_project, jar) = good();
    for name in fixtures::entry_names(&jar).unwrap().iter().filter(|name| !name.ends_with('/')) {
        let change = |entry: &str, mut bytes: Vec<u8>| {
            if entry == name {
                bytes.push(b'!');
            }
            Some(bytes)
        };
        assert!(report(rewritten(&jar, change)).problems() > 0, "passes with another `{name}`");
    }
}

#[test]
fn what_is_missing_is_named() {
    let (_project, jar) = good();
    let native = format!("META-INF/btrace/native/{}/libagent_core.so", crate::testing::target());
    for (name, kind, text) in [
        ("META-INF/MANIFEST.MF", Kind::Manifest, "the jar has no `META-INF/MANIFEST.MF`"),
        ("io/btrace/boot/Loader.class", Kind::MissingClass, "`io/btrace/boot/Loader.class`"),
        ("META-INF/btrace/agent/io/btrace/agent/Main.classdata", Kind::MissingClass, "which `BTrace-Agent-Main` names"),
        ("META-INF/btrace/agent/java/lang/FatAgentLinker.classdata", Kind::MissingClass, "FatAgentLinker"),
        (&native, Kind::Native, "the core for"),
        ("META-INF/btrace-extensions/acme-metrics/extension.properties", Kind::Extension, "`acme-metrics` has no"),
        ("META-INF/btrace-extensions/acme-metrics/classes.index", Kind::Extension, "has no `classes.index`"),
        (
            "META-INF/btrace-extensions/acme-metrics/classes/acme/metrics/impl/Store.classdata",
            Kind::IndexedClass,
            "`acme.metrics.impl.Store` of `acme-metrics` is missing",
        ),
        (
            "META-INF/btrace-extensions/acme-metrics/resources/META-INF/services/acme.metrics.Metrics",
            Kind::Service,
            "has no class `acme.metrics.MetricsImpl`",
        ),
        ("acme/metrics/Metrics.class", Kind::Service, "API class of `acme-metrics` is missing at the root"),
        ("META-INF/btrace-probes/demo/Trace.class", Kind::BuildId, "the contents give"),
    ] {
        let report = report(without_entries(&jar, &[name]));
        let found = samples(&report, kind);
        assert!(found.contains(text), "without `{name}`: {report:?}");
    }
}

/// The report of the good jar with one more file.
fn with_file(jar: &Path, name: &str, bytes: &[u8]) -> Report {
    let mut changed = fixtures::Jar::new();
    for entry in fixtures::entry_names(jar).unwrap() {
        let is_folder = entry.ends_with('/');
        changed = if is_folder {
            changed.folder(&entry)
        } else {
            changed.file(&entry, &fixtures::read_entry(jar, &entry).unwrap())
        };
    }
    report(changed.file(name, bytes).bytes().unwrap())
}

#[test]
fn what_is_too_much_is_named() {
    let (_project, jar) = good();
    let hidden =
        fixtures::read_entry(&jar, "META-INF/btrace/shared/io/btrace/core/extensions/Extension.classdata").unwrap();
    let store = "META-INF/btrace-extensions/acme-metrics/classes/acme/metrics/impl/Store.classdata";
    let store = fixtures::read_entry(&jar, store).unwrap();
    for (name, bytes, kind, text) in [
        ("notes.txt", &b"x"[..], Kind::Root, "`notes.txt`"),
        ("other/Thing.class", &hidden, Kind::Root, "no embedded extension declares it as API"),
        (
            "other/Thing.class",
            &hidden,
            Kind::ClassFile,
            "`other/Thing.class` holds `io.btrace.core.extensions.Extension`",
        ),
        ("META-INF/services/java.sql.Driver", b"a.B", Kind::Root, "a provider that is masked"),
        (
            "io/btrace/core/extensions/Extension.class",
            &hidden,
            Kind::ClassTwice,
            "`io.btrace.core.extensions.Extension`",
        ),
        ("io/btrace/Bad.class", b"no class", Kind::ClassFile, "not a class file"),
        ("META-INF/btrace/agent/a/Bad.classdata", b"\xca\xfe\xba\xbe", Kind::ClassFile, "ends too early"),
        (
            "META-INF/btrace-extensions/acme-metrics/classes/acme/metrics/impl/More.classdata",
            &store,
            Kind::UnlistedClass,
            "impl/More.classdata",
        ),
        (
            "META-INF/btrace-extensions/unlisted/extension.properties",
            b"",
            Kind::Extension,
            "`unlisted` is not listed in",
        ),
        ("META-INF/btrace-probes/x/NoProbe.class", &hidden, Kind::Probe, "has no `@BTrace`"),
        ("META-INF/btrace/native/linux-other-gnu/libagent_core.so", b"x", Kind::Native, "is not listed"),
        ("META-INF/more.txt", b"x", Kind::BuildId, "the contents give"),
    ] {
        let report = with_file(&jar, name, bytes);
        assert!(samples(&report, kind).contains(text), "with `{name}`: {report:?}");
    }
    let harmless = with_file(&jar, "META-INF/services/io.btrace.core.Thing", b"");
    assert!(samples(&harmless, Kind::Root).is_empty());
}

#[test]
fn attributes_are_checked() {
    let (_project, jar) = good();
    let with = |from: &str, to: &str| {
        report(rewritten(&jar, |name, bytes| {
            if name != "META-INF/MANIFEST.MF" {
                return Some(bytes);
            }
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains(from), "{text}");
            Some(text.replacen(from, to, 1).into_bytes())
        }))
    };
    for (from, to, kind, text) in [
        ("Can-Retransform-Classes: true", "Can-Retransform-Classes: no", Kind::Attribute, "is not `true`: `no`"),
        ("Boot-Class-Path: acme-agent.jar", "Boot-Class-Path: .", Kind::Attribute, "is not a plain file name: `.`"),
        ("Boot-Class-Path: acme-agent.jar\r\n", "", Kind::Attribute, "`Boot-Class-Path` is missing"),
        ("Implementation-Version: 1.4.0", "Implementation-Version: 1.4.1", Kind::BuildId, "the contents give"),
        (
            "Agent-Class: io.btrace.boot.Loader",
            "Agent-Class: io.btrace.boot.NativeLoader",
            Kind::EntryMethod,
            "agentmain",
        ),
        ("Enable-Native", "Multi-Release: true\r\nEnable-Native", Kind::Attribute, "`Multi-Release` must not be there"),
        ("Extensions: acme-metrics,", "Extensions: acme-metrics,acme-metrics,", Kind::Attribute, "lists twice"),
        ("Extensions: acme-metrics,", "Extensions: acme-metrics,absent,", Kind::Extension, "`absent` has no"),
        ("Manifest-Version: 1.0", "Manifest-Version 1.0", Kind::Manifest, "is not of the form"),
    ] {
        let report = with(from, to);
        assert!(samples(&report, kind).contains(text), "{to}: {report:?}");
    }
}

#[test]
fn three_samples_of_each_kind_are_kept_and_all_are_counted() {
    let (_project, jar) = good();
    let report = report(rewritten(&jar, |name, bytes| {
        let damage = name.starts_with("io/btrace/boot/");
        Some(if damage { b"no class".to_vec() } else { bytes })
    }));
    let failure = report.failures.iter().find(|failure| failure.kind == Kind::ClassFile).unwrap();
    assert_eq!((failure.count, failure.samples.len()), (5, 3));
    assert!(report.failures.iter().any(|failure| failure.kind == Kind::BuildId), "other kinds are collected too");
}

#[test]
fn damaged_data_is_one_failure_among_others() {
    let (_project, jar) = good();
    let mut bytes = fs_err::read(&jar).unwrap();
    let archive = Archive::open(&jar).unwrap();
    let index = archive.index_of("META-INF/btrace-extensions/acme-metrics/classes.index").unwrap();
    let raw = archive.read_raw(index).unwrap();
    let at = bytes.windows(raw.len()).position(|window| window == raw).unwrap();
    bytes[at + raw.len() / 2] ^= 0xff;
    let report = report(bytes);
    assert!(samples(&report, Kind::DamagedEntry).contains("`META-INF/btrace-extensions/acme-metrics/classes.index`"));
}

#[test]
fn a_renamed_jar_passes_with_a_warning() {
    let (project, jar) = good();
    let renamed = project.path("other.jar");
    fs_err::rename(jar, &renamed).unwrap();
    let report = verify(&renamed, &QUIET).unwrap();
    let [warning] = report.warnings.as_slice() else { panic!("one warning expected: {report:?}") };
    assert!(
        warning.starts_with("the jar is called `other.jar`, but its `Boot-Class-Path` says `acme-agent.jar`"),
        "{warning}"
    );
}

#[test]
fn a_bare_base_is_no_finished_agent() {
    let project = Project::new();
    let error = verify(&project.path("base.jar"), &QUIET).unwrap_err();
    assert!(error.to_string().starts_with("verification of `"), "{error}");
}
