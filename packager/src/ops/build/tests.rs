use std::collections::BTreeMap;

use manifests::extension::ExtensionMetadata;
use manifests::index::ClassIndex;
use manifests::manifest::Manifest;
use manifests::properties::Properties;

use super::*;
use crate::testing::{CORE, FOLDER_MANIFEST, Project, rewritten, statsd, target};

const QUIET: Printer = Printer {
    quiet: true,
    verbose: false,
    no_progress: true,
    color: crate::printer::Color::Never,
    format: crate::printer::Format::Text,
};

fn options(project: &Project) -> Options {
    Options { file: Some(project.path("agent.toml")), ..Options::default() }
}

fn built(project: &Project) -> PathBuf {
    build(&options(project), &QUIET).unwrap().path
}

/// The error of a build, with its hint; nothing may be written.
fn refused(project: &Project) -> String {
    refused_with(project, &options(project))
}

fn refused_with(project: &Project, options: &Options) -> String {
    let jar = project.path("acme-agent.jar");
    fs_err::write(&jar, "old").unwrap();
    let error = build(options, &QUIET).unwrap_err();
    assert_eq!(fs_err::read(&jar).unwrap(), b"old", "the old output was touched");
    assert!(error.hint().is_some(), "no hint for: {error}");
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.replace(&format!("{}/", project.path("").display().to_string().trim_end_matches('/')), "")
}

#[test]
fn everything_is_where_the_layout_says() {
    let project = Project::new();
    let jar = built(&project);
    assert_eq!(jar, project.path("acme-agent.jar"));
    let native = format!("META-INF/btrace/native/{}/libagent_core.so", target());
    let names = fixtures::entry_names(&jar).unwrap();
    let expected = [
        "META-INF/",
        "META-INF/MANIFEST.MF",
        "META-INF/btrace-extensions/acme-metrics/classes.index",
        "META-INF/btrace-extensions/acme-metrics/classes/acme/metrics/impl/MetricsImpl.classdata",
        "META-INF/btrace-extensions/acme-metrics/classes/acme/metrics/impl/Store.classdata",
        "META-INF/btrace-extensions/acme-metrics/extension.properties",
        "META-INF/btrace-extensions/acme-metrics/resources/META-INF/services/acme.metrics.Metrics",
        "META-INF/btrace-extensions/acme-metrics/resources/acme/metrics/names.txt",
        "META-INF/btrace-extensions/vendor-statsd/classes.index",
        "META-INF/btrace-extensions/vendor-statsd/classes/vendor/statsd/StatsdImpl.classdata",
        "META-INF/btrace-extensions/vendor-statsd/extension.properties",
        "META-INF/btrace-extensions/vendor-statsd/resources/META-INF/MANIFEST.MF",
        "META-INF/btrace-extensions/vendor-statsd/resources/vendor/statsd/defaults.properties",
        "META-INF/btrace-probes/demo/Trace.class",
        "META-INF/btrace/agent.properties",
        "META-INF/btrace/agent/io/btrace/agent/Main.classdata",
        "META-INF/btrace/agent/java/lang/FatAgentLinker.classdata",
        "META-INF/btrace/client/io/btrace/client/Main.classdata",
        native.as_str(),
        "META-INF/btrace/shared/",
        "META-INF/btrace/shared/io/btrace/core/extensions/Extension.classdata",
        "acme/metrics/Metrics$Unit.class",
        "acme/metrics/Metrics.class",
        "acme/metrics/Sample.class",
        "io/btrace/boot/Loader.class",
        "io/btrace/boot/MaskedClassLoader.class",
        "io/btrace/boot/MaskedJarUtils.class",
        "io/btrace/boot/NativeLoader.class",
        "io/btrace/boot/NativeLoader24.class",
        "io/btrace/core/annotations/BTrace.class",
        "io/btrace/extension/ExtensionBridge.class",
        "io/btrace/runtime/IndyDispatcher.class",
        "vendor/statsd/Statsd.class",
    ];
    assert_eq!(names, expected);
    assert_eq!(fixtures::read_entry(&jar, &native).unwrap(), CORE);
    assert_eq!(
        fixtures::read_entry(&jar, "META-INF/btrace/agent.properties").unwrap(),
        b"port=0\nscriptOutputFile=out file.txt\n"
    );
}

#[test]
fn the_manifest_is_complete_and_in_order() {
    let project = Project::new();
    let jar = built(&project);
    let manifest = Manifest::parse(&fixtures::read_entry(&jar, "META-INF/MANIFEST.MF").unwrap()).unwrap();
    let core = crate::digest::Sha256Hex::of(CORE);
    let id = manifest.main.get("BTrace-Build-Id").unwrap();
    assert!(id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
    let natives = format!("{}={core}", target());
    let expected = [
        ("Manifest-Version", "1.0"),
        ("Premain-Class", "io.btrace.boot.Loader"),
        ("Agent-Class", "io.btrace.boot.Loader"),
        ("Main-Class", "io.btrace.boot.Loader"),
        ("Can-Redefine-Classes", "true"),
        ("Can-Retransform-Classes", "true"),
        ("Boot-Class-Path", "acme-agent.jar"),
        ("BTrace-Agent-Main", "io.btrace.agent.Main"),
        ("BTrace-Client-Main", "io.btrace.client.Main"),
        ("BTrace-Embedded-Extensions", "acme-metrics,vendor-statsd"),
        ("BTrace-Native-SHA256", natives.as_str()),
        ("BTrace-Build-Id", id),
        ("Implementation-Title", "acme-agent"),
        ("Implementation-Version", "1.4.0"),
        ("Enable-Native-Access", "ALL-UNNAMED"),
        ("Specification-Title", "Acme"),
    ];
    assert_eq!(manifest.main.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn extensions_are_described_and_indexed() {
    let project = Project::new();
    let jar = built(&project);
    let read = |name: &str| fixtures::read_entry(&jar, name).unwrap();
    let properties = Properties::parse(&read("META-INF/btrace-extensions/acme-metrics/extension.properties")).unwrap();
    let metadata = ExtensionMetadata::from_properties(&properties, "x").unwrap();
    assert_eq!((metadata.id.as_str(), metadata.version.as_str()), ("acme-metrics", "1.2.0"));
    assert_eq!(metadata.services, ["acme.metrics.Metrics"]);
    assert_eq!(metadata.exports, ["acme.metrics.Sample"]);
    assert_eq!(metadata.permissions.unwrap().len(), 2);

    let index = ClassIndex::parse(&read("META-INF/btrace-extensions/acme-metrics/classes.index")).unwrap();
    let classes: BTreeMap<&str, &str> = index.iter().map(|(class, entry)| (class, entry.path.as_str())).collect();
    assert_eq!(
        classes.keys().copied().collect::<Vec<_>>(),
        ["acme.metrics.impl.MetricsImpl", "acme.metrics.impl.Store"]
    );
    for (class, entry) in index.iter() {
        let hash = crate::digest::Sha256Hex::of(&read(&entry.path));
        assert_eq!(*hash.as_bytes(), entry.sha256, "{class}");
    }
}

#[test]
fn an_agent_of_ours_is_a_base() {
    let project = Project::new();
    project.toml("[[extension]]\npath = \"metrics\"\n[args]\nport = 0\n");
    let first = built(&project);
    fs_err::rename(&first, project.path("first.jar")).unwrap();
    let text = "[agent]\nname = \"second\"\nversion = \"2\"\nbase = { file = \"first.jar\" }\n[args]\nstdout = true\n";
    project.write("agent.toml", format!("{text}[[extension]]\nfile = \"statsd.zip\"\n"));
    let second = built(&project);
    verify::verify(&second, &QUIET).unwrap();
    let manifest = Manifest::parse(&fixtures::read_entry(&second, "META-INF/MANIFEST.MF").unwrap()).unwrap();
    assert_eq!(manifest.main.get("BTrace-Embedded-Extensions"), Some("acme-metrics,vendor-statsd"));
    assert_eq!(manifest.main.get("Boot-Class-Path"), Some("second.jar"));
    assert_eq!(manifest.main.get("Implementation-Version"), Some("2"));
    let arguments = fixtures::read_entry(&second, "META-INF/btrace/agent.properties").unwrap();
    assert_eq!(arguments, b"port=0\nstdout=true\n");

    project.write("agent.toml", format!("{text}[[extension]]\npath = \"metrics\"\n"));
    assert_eq!(refused(&project), "two extensions have the id `acme-metrics`: `first.jar`, and `metrics`");
}

#[test]
fn members_are_selected_by_id() {
    let project = Project::new();
    let other =
        FOLDER_MANIFEST.replace("acme-metrics", "acme-other").replace("-Services: acme.metrics.Metrics", "-Name: x");
    project.write("other/META-INF/MANIFEST.MF", other);
    project.write("plain/readme.txt", "carries no manifest");
    let discover = "[discover]\nmembers = [\"metrics\", \"o*\", \"plain\"]\ndefault = [\"acme-metrics\"]\n";
    project.toml(discover);
    let embedded = |options: &Options| {
        let jar = build(options, &QUIET).unwrap().path;
        let manifest = Manifest::parse(&fixtures::read_entry(&jar, "META-INF/MANIFEST.MF").unwrap()).unwrap();
        manifest.main.get("BTrace-Embedded-Extensions").unwrap().to_owned()
    };
    let with =
        |ids: &[&str]| Options { embed: Some(ids.iter().map(|id| (*id).to_owned()).collect()), ..options(&project) };
    assert_eq!(embedded(&options(&project)), "acme-metrics");
    assert_eq!(embedded(&with(&["acme-other", "acme-metrics", "acme-other"])), "acme-other,acme-metrics");
    assert_eq!(embedded(&with(&[""])), "");
    assert_eq!(refused_with(&project, &with(&["acme-metricz"])), "no extension to embed has the id: `acme-metricz`");
    let hint = build(&with(&["acme-metricz"]), &QUIET).unwrap_err().hint();
    assert_eq!(hint.as_deref(), Some("did you mean `acme-metrics`?"));
    // `[[extension]]` is always embedded, and is no member.
    project.toml(&format!("{discover}[[extension]]\nfile = \"statsd.zip\"\n"));
    assert_eq!(embedded(&with(&["acme-other"])), "vendor-statsd,acme-other");
    assert!(refused_with(&project, &with(&["vendor-statsd"])).starts_with("no extension to embed has the id"));
}

#[test]
fn the_bytes_do_not_depend_on_the_folder_or_the_threads() {
    let build_with = |threads: usize| {
        let project = Project::new();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let written = pool.install(|| build(&options(&project), &QUIET).unwrap());
        assert_eq!(crate::digest::Sha256Hex::of_file(&written.path).unwrap(), written.sha256);
        fs_err::read(written.path).unwrap()
    };
    let one = build_with(1);
    assert_eq!(one, build_with(4));
    let text = String::from_utf8_lossy(&one).into_owned();
    assert!(!text.contains(&*std::env::temp_dir().to_string_lossy()), "a path of this machine is inside");
}

#[test]
fn broken_bases_are_refused() {
    let project = Project::new();
    let base = project.path("base.jar");
    let whole = fs_err::read(&base).unwrap();
    let without = |names: &[&str]| crate::testing::without_entries(&base, names);
    let cases = [
        (b"no jar".to_vec(), "not a jar: `base.jar`: "),
        (whole[..whole.len() / 2].to_vec(), "jar is cut short: `base.jar`: "),
        (
            without(&["META-INF/btrace/shared/"]),
            "base is not a masked jar: `base.jar`: it has no entry `META-INF/btrace/shared/`",
        ),
        (
            without(&["io/btrace/boot/Loader.class"]),
            "base is not a masked jar: `base.jar`: it has no entry `io/btrace/boot/Loader.class`",
        ),
        (without(&["META-INF/MANIFEST.MF"]), "base is not a masked jar: `base.jar`: it has no manifest"),
        (
            without(&["META-INF/btrace/agent/io/btrace/agent/Main.classdata"]),
            "base is not a masked jar: `base.jar`: it has no entry `META-INF/btrace/agent/io/btrace/agent/Main.classdata`, \
             which `BTrace-Agent-Main` names",
        ),
        (
            rewritten(&base, |name, bytes| {
                let text = String::from_utf8_lossy(&bytes).replace("Agent-Class", "Agent-Clazz");
                Some(if name == "META-INF/MANIFEST.MF" { text.into_bytes() } else { bytes })
            }),
            "base is not a masked jar: `base.jar`: its manifest has no `Agent-Class`",
        ),
    ];
    for (bytes, message) in cases {
        // `without_entries` leaves folders alone, so the mark is removed by name here.
        let bytes = if message.ends_with("shared/`") { without_mark(&whole) } else { bytes };
        fs_err::write(&base, bytes).unwrap();
        let text = refused(&project);
        assert!(text.starts_with(message), "{text}");
        fs_err::write(&base, &whole).unwrap();
    }
    fs_err::remove_file(&base).unwrap();
    assert_eq!(refused(&project), "file does not exist: `base.jar`");
}

/// The base without the folder entry that marks it.
fn without_mark(whole: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jar");
    fs_err::write(&path, whole).unwrap();
    let names = fixtures::entry_names(&path).unwrap();
    let files = names.iter().filter(|name| !name.ends_with('/'));
    files
        .fold(fixtures::Jar::new(), |jar, name| jar.file(name, &fixtures::read_entry(&path, name).unwrap()))
        .bytes()
        .unwrap()
}

#[test]
fn a_missing_target_names_the_available_ones() {
    let project = Project::new();
    let text = fs_err::read_to_string(project.path("agent.toml")).unwrap();
    project.write("agent.toml", text.replace("\n\n", "\ntargets = [\"riscv64-musl\"]\n\n"));
    assert_eq!(refused(&project), "base has no core for target: `riscv64-musl`");
    let hint = build(&options(&project), &QUIET).unwrap_err().hint().unwrap();
    assert_eq!(hint, format!("set `targets` to some of `{}`", target().trim_start_matches("linux-")));
}

#[test]
fn conflicts_name_both_origins() {
    let project = Project::new();
    // The zip's API class is also an API class of another extension.
    let copy = statsd("vendor-copy").build(&project.path("")).unwrap();
    project.toml(&format!(
        "[[extension]]\nfile = \"statsd.zip\"\n[[extension]]\nfile = \"{}\"\n",
        copy.file_name().unwrap().to_str().unwrap()
    ));
    assert_eq!(
        refused(&project),
        "class `vendor.statsd.Statsd` would be both an API class of extension `vendor-statsd` (`vendor/statsd/Statsd.class` of \
         `statsd.zip!/vendor-statsd-1.0.0-api.jar`) and an API class of extension `vendor-copy` \
         (`vendor/statsd/Statsd.class` of `vendor-copy-1.0.0-extension.zip!/vendor-copy-1.0.0-api.jar`)"
    );
}

#[test]
fn a_bootstrap_class_that_is_also_masked_is_refused() {
    let project = Project::new();
    let base = project.path("base.jar");
    let shared = "META-INF/btrace/shared/io/btrace/core/extensions/Extension.classdata";
    let bytes = fixtures::read_entry(&base, shared).unwrap();
    let mut jar = fixtures::Jar::new();
    for name in fixtures::entry_names(&base).unwrap() {
        jar = if name.ends_with('/') {
            jar.folder(&name)
        } else {
            jar.file(&name, &fixtures::read_entry(&base, &name).unwrap())
        };
    }
    jar.file("io/btrace/core/extensions/Extension.class", &bytes).write(&base).unwrap();
    let text = refused(&project);
    assert_eq!(
        text,
        format!(
            "class `io.btrace.core.extensions.Extension` would be both a bootstrap class \
             (`io/btrace/core/extensions/Extension.class` of `base.jar`) and a class of section `shared` (`{shared}` of `base.jar`)"
        )
    );
}

#[test]
fn two_probes_of_one_name_are_refused_unless_they_are_the_same() {
    let project = Project::new();
    fs_err::copy(project.path("probes/Trace.class"), project.path("probes/Copy.class")).unwrap();
    built(&project);
    let other = "package demo; @io.btrace.core.annotations.BTrace public class Trace { static int more; }";
    project.compile(&[("demo/Trace.java", other)], "compiled");
    fs_err::copy(project.path("compiled/demo/Trace.class"), project.path("probes/Copy.class")).unwrap();
    assert_eq!(
        refused(&project),
        "two different files claim `META-INF/btrace-probes/demo/Trace.class`: `probes/Copy.class`, and `probes/Trace.class`"
    );
}

#[test]
fn probes_must_be_compiled_and_marked() {
    let project = Project::new();
    for (name, bytes, message) in [
        ("a.java", &b"class A {}"[..], "source probes are not supported by this version yet: `more/a.java`"),
        ("a.txt", b"x", "not a probe: `more/a.txt`: its name does not end with `.class`"),
        ("a.class", b"x", "not a usable class: `more/a.class`: class file ends too early"),
    ] {
        project.write(&format!("more/{name}"), bytes);
        project.toml("[probes]\ninclude = [\"more/*\"]\n");
        let text = refused(&project);
        assert!(text.starts_with(message), "{text}");
        fs_err::remove_file(project.path(&format!("more/{name}"))).unwrap();
    }
    assert_eq!(refused(&project), "agent.toml: pattern matches no file: `more/*`");
    project.compile(&[("x/Plain.java", "package x; class Plain {}")], "compiled");
    project.toml("[probes]\ninclude = [\"compiled/**/*.class\"]\n");
    assert_eq!(refused(&project), "not a probe: `compiled/x/Plain.class`: `x.Plain` has no `@BTrace`");
}

#[test]
fn an_extension_may_bring_the_probes_that_it_names() {
    let project = Project::new();
    let probe = fs_err::read(project.path("probes/Trace.class")).unwrap();
    let zip = |id: &str, named: &str, path: &str, bytes: &[u8]| {
        let zip = statsd(id).resource(path, bytes).attribute("BTrace-Extension-Probes", named);
        let file = zip.build(&project.path("")).unwrap();
        project.toml(&format!("[[extension]]\nfile = \"{}\"\n", file.file_name().unwrap().to_str().unwrap()));
    };
    let path = "META-INF/btrace-probes/demo/Trace.class";
    for named in ["Trace", "demo.Trace"] {
        zip("with-probe", named, path, &probe);
        let jar = built(&project);
        assert_eq!(fixtures::read_entry(&jar, path).unwrap(), probe);
        let names = fixtures::entry_names(&jar).unwrap();
        assert!(!names.iter().any(|name| name.contains("resources/META-INF/btrace-probes")), "{names:?}");
    }
    zip("misses-probe", "Tracer", path, &probe);
    assert_eq!(refused(&project), "extension `misses-probe` has no class that its list of probes names: `Tracer`");
    project.compile(&[("x/Plain.java", "package x; class Plain {}")], "compiled");
    let plain = fs_err::read(project.path("compiled/x/Plain.class")).unwrap();
    zip("no-probe", "x.Plain", "META-INF/btrace-probes/x/Plain.class", &plain);
    assert_eq!(
        refused(&project),
        "not a probe: `META-INF/btrace-probes/x/Plain.class` of `no-probe-1.0.0-extension.zip!/no-probe-1.0.0-impl.jar`: \
         `x.Plain` has no `@BTrace`"
    );
}

#[test]
fn attributes_of_ours_are_reserved() {
    let project = Project::new();
    for name in ["Premain-Class", "boot-class-path", "BTrace-Anything", "Launcher-Agent-Class", "Multi-Release"] {
        project.toml(&format!("[manifest]\nattributes = {{ {name} = \"x\" }}\n"));
        assert_eq!(refused(&project), format!("manifest attribute is set by fatagent and cannot be changed: `{name}`"));
    }
}

#[test]
fn names_outside_the_plain_ones_are_refused() {
    let project = Project::new();
    for name in ["a b.jar", "ä.jar", "a+b.jar", "a%b.jar", ".hidden.jar", "a#b"] {
        let options = Options { output: Some(project.path(name)), ..options(&project) };
        let text = refused_with(&project, &options);
        assert_eq!(
            text,
            format!(
                "file name of the output has other characters than `[A-Za-z0-9._-]`, or begins with a dot: `{name}`"
            )
        );
        assert!(!project.path(name).exists());
    }
    let written = build(&Options { output: Some(project.path("probes")), ..options(&project) }, &QUIET).unwrap();
    assert_eq!(written.path, project.path("probes/acme-agent.jar"));
}

#[test]
fn a_cargo_package_may_hold_the_tables() {
    let project = Project::new();
    project.write("crate/src/lib.rs", "");
    fs_err::copy(project.path("base.jar"), project.path("crate/base.jar")).unwrap();
    project.write(
        "crate/Cargo.toml",
        "[package]\nname = \"cargo-agent\"\nversion = \"3.2.1\"\nedition = \"2021\"\n\n[workspace]\n\n\
         [package.metadata.fatagent.agent]\nbase = { file = \"base.jar\" }\n",
    );
    for file in ["crate/Cargo.toml", "crate"] {
        let written = build(&Options { file: Some(project.path(file)), ..Options::default() }, &QUIET).unwrap();
        assert!(written.path.ends_with("crate/cargo-agent.jar"), "{}", written.path.display());
        let manifest = Manifest::parse(&fixtures::read_entry(&written.path, "META-INF/MANIFEST.MF").unwrap()).unwrap();
        assert_eq!(manifest.main.get("Implementation-Version"), Some("3.2.1"));
    }
    project.write(
        "crate/Cargo.toml",
        "[package]\nname = \"plain\"\nversion = \"1.0.0\"\nedition = \"2021\"\n\n[workspace]\n",
    );
    let options = Options { file: Some(project.path("crate")), ..Options::default() };
    let text = refused_with(&project, &options);
    assert!(text.starts_with("no `agent.toml` and no `[package.metadata.fatagent]` in: `"), "{text}");
    project.write("crate/Cargo.toml", "[package\n");
    let text = refused_with(&project, &options);
    assert!(text.starts_with("cannot read the Cargo package at `"), "{text}");
}
