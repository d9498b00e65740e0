//! Reading; refusing in its own file.

mod refusing;

use super::*;
use crate::Error;

fn none(_: &str) -> Option<String> {
    None
}

fn parse(text: &str) -> Result<AgentToml, Error> {
    AgentToml::parse(text, "agent.toml", &|name| (name == "QUALIFIER").then(|| "rc1".to_owned()))
}

/// Parses what follows a valid `[agent]` of three lines.
fn with(text: &str) -> Result<AgentToml, Error> {
    parse(&format!("[agent]\nname = \"a\"\nversion = \"1.2\"\n{text}"))
}

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn pairs(items: &[(&str, &str)]) -> Vec<(String, String)> {
    items.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn rule(from: &str, to: &str) -> Relocation {
    Relocation { from: from.to_owned(), to: to.to_owned() }
}

fn coordinates(group: &str, artifact: &str, version: &str) -> Coordinates {
    Coordinates {
        group: group.to_owned(),
        artifact: artifact.to_owned(),
        version: version.to_owned(),
        classifier: None,
        kind: None,
    }
}

const FULL: &str = r#"
exclude = ["**/*.proto"]
flatten-versions = ["org.dep"]

[agent]
name = "spark-agent"
version = "1.4.0"
base = { file = "base-${agent.version}.jar" }
targets = ["x86_64-gnu", "aarch64-gnu"]
layout = "btrace3"

[[extension]]
path = "extensions/spark"
[[extension]]
maven = "com.example:metrics-ext:1.2.0"
relocate = { "com.google.common" = "shaded.{id}.guava" }
[[extension]]
file = "vendor/statsd-1.0.0-extension.zip"

[discover]
members = ["extensions/*"]
default = ["btrace-spark"]

[probes]
include = ["probes/**/*.java", "prebuilt/*.class"]

[relocate]
"org.z" = "x.z"
"=org.dep.Config" = "io.btrace.libs.Config"

[merge]
"META-INF/legal/**" = "concatenate"
"a" = "first"
"b" = "last"
"c" = "append"
"d" = "error"

[manifest]
boot-libs = ["libs/boot.jar"]
system-libs = ["libs/system.jar"]
libs-root = "/opt"
libs-profile = "spark"
attributes = { Specification-Title = "Acme ${agent.version}-${env:QUALIFIER}", X = 1 }

[args]
debug = true
port = 0
script = "$${x}, $5"

[config]
"extensions.disabled" = ["a", "b"]
btrace-metrics.stats.window = 1000
btrace-metrics.ratio = 1.0

[policy]
sealed = true
allowPrivileged = false

[limits]
maxMethods = 10
maxEventsPerSecond = 100

[verify]
max-size = "5 MB"
min-classes = 3
require = ["a/**"]
forbid = ["b/**"]
allow-both = ["a.B"]
golden = "listing.txt"

[[files]]
from = ["lib/*.jar", "maven:g:a:1:cls@zip"]
into = "extensions"

[[generate]]
run = ["tool", "--flag"]
outputs = ["index.txt"]

[bootstrap]
from = ["boot.jar"]
include = ["a/**"]
exclude = ["a/b/**"]

[[section]]
path = "inst"
parent = "platform"
from = ["maven:g:a:1"]
[[section]]
path = "x"
suffix = ".esclazz"
versions = "root"
from = ["x.jar"]
exclude = ["y"]
relocate = { p = "q" }
"#;

#[test]
fn every_key_is_read() {
    let toml = parse(FULL).unwrap();
    assert_eq!((toml.agent.name.as_str(), toml.agent.version.as_str()), ("spark-agent", "1.4.0"));
    assert_eq!(toml.agent.base, Base::File("base-1.4.0.jar".to_owned()));
    assert_eq!(toml.agent.targets, Some(strings(&["x86_64-gnu", "aarch64-gnu"])));
    assert_eq!(toml.agent.layout, Some(Layout::Btrace3));
    assert_eq!((toml.agent.at.line, toml.agent.at.column), (5, 1));

    let sources: Vec<_> = toml.extensions.iter().map(|extension| extension.source.clone()).collect();
    assert_eq!(
        sources,
        [
            ExtensionSource::Path("extensions/spark".to_owned()),
            ExtensionSource::Maven(coordinates("com.example", "metrics-ext", "1.2.0")),
            ExtensionSource::File("vendor/statsd-1.0.0-extension.zip".to_owned()),
        ]
    );
    assert_eq!(toml.extensions[1].relocate, [rule("com.google.common", "shaded.{id}.guava")]);
    assert_eq!(toml.extensions.iter().map(|extension| extension.at.line).collect::<Vec<_>>(), [12, 14, 17]);

    let discover = Discover { members: strings(&["extensions/*"]), default: strings(&["btrace-spark"]) };
    assert_eq!(toml.discover, Some(discover));
    assert_eq!(toml.probes, ["probes/**/*.java", "prebuilt/*.class"]);
    assert_eq!(toml.relocate, [rule("org.z", "x.z"), rule("=org.dep.Config", "io.btrace.libs.Config")]);
    let strategies: Vec<_> = toml.merge.iter().map(|rule| rule.strategy).collect();
    assert_eq!(toml.merge[0].pattern, "META-INF/legal/**");
    {
        use MergeStrategy::{Append, Concatenate, Error, First, Last};
        assert_eq!(strategies, [Concatenate, First, Last, Append, Error]);
    }
    assert_eq!(
        toml.manifest,
        ManifestTable {
            boot_libs: strings(&["libs/boot.jar"]),
            system_libs: strings(&["libs/system.jar"]),
            libs_root: Some("/opt".to_owned()),
            libs_profile: Some("spark".to_owned()),
            attributes: pairs(&[("Specification-Title", "Acme 1.4.0-rc1"), ("X", "1")]),
        }
    );
    assert_eq!(toml.args, pairs(&[("debug", "true"), ("port", "0"), ("script", "${x}, $5")]));
    let config =
        [("extensions.disabled", "a,b"), ("btrace-metrics.stats.window", "1000"), ("btrace-metrics.ratio", "1.0")];
    let read: Vec<(&str, &str)> = toml.config.iter().map(|entry| (&*entry.key, &*entry.value)).collect();
    assert_eq!(read, config);
    assert_eq!(toml.config[1].at.to_string().rsplit_once(':').unwrap().1, "31");
    assert_eq!(toml.policy, Some(Policy { sealed: true, entries: pairs(&[("allowPrivileged", "false")]) }));
    assert_eq!(toml.limits, Limits { max_methods: Some(10), max_events_per_second: Some(100) });
    assert_eq!(
        toml.verify,
        VerifyGates {
            max_size: Some(5_000_000),
            min_classes: Some(3),
            require: strings(&["a/**"]),
            forbid: strings(&["b/**"]),
            allow_both: strings(&["a.B"]),
            golden: Some("listing.txt".to_owned()),
        }
    );
    let zip =
        Coordinates { classifier: Some("cls".to_owned()), kind: Some("zip".to_owned()), ..coordinates("g", "a", "1") };
    assert_eq!(zip.to_string(), "g:a:1:cls@zip");
    let from = vec![Source::Path("lib/*.jar".to_owned()), Source::Maven(zip)];
    let at = toml.files[0].at.clone();
    assert_eq!(toml.files, [Files { from, into: "extensions".to_owned(), at }]);
    assert_eq!(toml.exclude, ["**/*.proto"]);
    assert_eq!(toml.flatten_versions, ["org.dep"]);
    let at = toml.generate[0].at.clone();
    let generate = Generate { run: strings(&["tool", "--flag"]), outputs: strings(&["index.txt"]), at };
    assert_eq!(toml.generate, [generate]);
    let from = vec![Source::Path("boot.jar".to_owned())];
    let (include, exclude) = (strings(&["a/**"]), strings(&["a/b/**"]));
    assert_eq!(toml.bootstrap, Some(Bootstrap { from, include, exclude }));
    assert_eq!(
        toml.sections,
        [
            Section {
                path: "inst".to_owned(),
                suffix: ".classdata".to_owned(),
                versions: Versions::Inside,
                from: vec![Source::Maven(coordinates("g", "a", "1"))],
                exclude: Vec::new(),
                relocate: Vec::new(),
                parent: Some(Parent::Platform),
                at: toml.sections[0].at.clone(),
            },
            Section {
                path: "x".to_owned(),
                suffix: ".esclazz".to_owned(),
                versions: Versions::Root,
                from: vec![Source::Path("x.jar".to_owned())],
                exclude: strings(&["y"]),
                relocate: vec![rule("p", "q")],
                parent: None,
                at: toml.sections[1].at.clone(),
            },
        ]
    );
}

#[test]
fn tables_and_keys_know_their_place() {
    let text = "exclude = [\"a\"]\n[agent]\nname = \"a\"\nversion = \"1\"\n[[section]]\npath = \"p\"\nfrom = [\"x\"]\n\
                [verify]\nallow-both = [\"a.B\"]\n";
    let toml = parse(text).unwrap();
    assert_eq!((toml.sections[0].at.line, toml.place_of("verify.allow-both").line), (5, 9));
    assert_eq!(toml.place_of("generate"), &toml.agent.at);
}

#[test]
fn what_is_present_is_listed_by_position() {
    let toml = parse(FULL).unwrap();
    let tables: Vec<&str> = toml.present_tables().map(|present| present.key.as_str()).collect();
    let expected = [
        "exclude",
        "flatten-versions",
        "agent",
        "extension",
        "discover",
        "probes",
        "relocate",
        "merge",
        "manifest",
        "args",
        "config",
        "policy",
        "limits",
        "verify",
        "files",
        "generate",
        "bootstrap",
        "section",
    ];
    assert_eq!(tables, expected);
    let find =
        |key: &str| toml.present().iter().find(|present| present.key == key).map(|present| present.at.to_string());
    assert_eq!(find("manifest.libs-root").as_deref(), Some("agent.toml:41:1"));
    assert_eq!(find("extension.maven").as_deref(), Some("agent.toml:15:1"));
    assert_eq!(find("extension.file").as_deref(), Some("agent.toml:18:1"));
    assert_eq!(find("section.suffix").as_deref(), Some("agent.toml:90:1"));
    assert_eq!(find("manifest.nothing"), None);
    let small = with("extension = []").unwrap_err();
    assert!(matches!(small, Error::UnknownKey { .. }), "a key after `[agent]` belongs to it");
}

#[test]
fn little_is_required() {
    let toml = with("").unwrap();
    assert_eq!(toml.agent.base, Base::Builtin);
    assert_eq!((toml.agent.targets, toml.agent.layout), (None, None));
    assert!(toml.extensions.is_empty() && toml.discover.is_none() && toml.policy.is_none());
    assert_eq!(toml.verify, VerifyGates::default());
    assert_eq!(with("base = \"builtin\"").unwrap().agent.base, Base::Builtin);
    let maven = with("base = { maven = \"g:a:v\" }").unwrap().agent.base;
    assert_eq!(maven, Base::Maven(coordinates("g", "a", "v")));
    let inline = parse("extension = [{ file = \"x\" }, { path = \"y\" }]\nagent = { name = \"a\", version = \"1\" }");
    let inline = inline.unwrap();
    assert_eq!(inline.extensions[1].source, ExtensionSource::Path("y".to_owned()));
    assert_eq!(inline.extensions[1].at.to_string(), "agent.toml:1:30");
}

#[test]
fn sizes_have_decimal_and_binary_units() {
    for (text, bytes) in [("7", 7), ("\"7\"", 7), ("\"2kB\"", 2000), ("\"2 KiB\"", 2048), ("\"1 GiB\"", 1 << 30)] {
        assert_eq!(with(&format!("[verify]\nmax-size = {text}")).unwrap().verify.max_size, Some(bytes), "{text}");
    }
}

#[test]
fn cargo_projects_hold_the_same_tables() {
    let text = "[package]\nname = \"pkg\"\nversion = \"0.1.0\"\n[package.metadata.fatagent.probes]\ninclude = [\"p-${agent.version}\"]\n\
        [[package.metadata.fatagent.extension]]\nfile = \"e.zip\"\n";
    let toml = AgentToml::parse_cargo(text, "Cargo.toml", CargoPackage::default(), &none).unwrap().unwrap();
    assert_eq!((toml.agent.name.as_str(), toml.agent.version.as_str()), ("pkg", "0.1.0"));
    assert_eq!(toml.probes, ["p-0.1.0"]);
    assert_eq!(toml.extensions[0].source, ExtensionSource::File("e.zip".to_owned()));
    assert_eq!(toml.present_tables().map(|present| present.key.as_str()).collect::<Vec<_>>(), ["probes", "extension"]);

    let resolved = CargoPackage { name: Some("other"), version: Some("2.0.0") };
    let toml = AgentToml::parse_cargo(text, "Cargo.toml", resolved, &none).unwrap().unwrap();
    assert_eq!((toml.agent.name.as_str(), toml.agent.version.as_str()), ("other", "2.0.0"));

    let named = format!("{text}[package.metadata.fatagent.agent]\nname = \"mine\"\n");
    let toml = AgentToml::parse_cargo(&named, "Cargo.toml", CargoPackage::default(), &none).unwrap().unwrap();
    assert_eq!((toml.agent.name.as_str(), toml.agent.version.as_str()), ("mine", "0.1.0"));

    // Cargo knows the members of a workspace.
    let discovering = format!("{text}[package.metadata.fatagent.discover]\ndefault = [\"x\"]\n");
    let toml = AgentToml::parse_cargo(&discovering, "Cargo.toml", CargoPackage::default(), &none).unwrap().unwrap();
    assert_eq!(toml.discover, Some(Discover { members: Vec::new(), default: strings(&["x"]) }));
}

#[test]
fn other_cargo_projects_hold_nothing() {
    for text in ["", "[package]\nname = \"a\"", "[package.metadata.deb]", "[workspace]"] {
        assert_eq!(AgentToml::parse_cargo(text, "Cargo.toml", CargoPackage::default(), &none), Ok(None), "{text}");
    }
}

#[test]
fn cargo_projects_are_refused_in_the_same_words() {
    let refused = |text: &str| {
        let error = AgentToml::parse_cargo(text, "Cargo.toml", CargoPackage::default(), &none).unwrap_err();
        (error.to_string(), error.hint())
    };
    assert_eq!(
        refused("[package.metadata.fatagent.agnt]"),
        (
            "Cargo.toml:1:28: unknown key in `[package.metadata.fatagent]`: `agnt`".to_owned(),
            Some("did you mean `agent`?".to_owned())
        )
    );
    assert_eq!(
        refused("[package.metadata]\nfatagent = 1"),
        ("Cargo.toml:2:12: `package.metadata.fatagent` must be a table, but is an integer".to_owned(), None)
    );
    assert_eq!(
        refused("[package]\nname = \"a\"\nversion.workspace = true\n[package.metadata.fatagent.agent]\ntargets = []"),
        ("Cargo.toml:4:1: `[agent]` has no key `version`".to_owned(), Some("add `version = …`".to_owned()))
    );
}

#[test]
fn output_names_need_no_encoding() {
    assert!(is_output_name("Spark_agent-1.0.jar"));
    for bad in ["", "a b", "é", "a/b", "a+b", "a%20"] {
        assert!(!is_output_name(bad), "{bad}");
    }
}
