//! Masking real class files; the result is checked by `verify`.

use std::path::{Path, PathBuf};

use fixtures::Jar;
use manifests::manifest::Manifest;
use tempfile::TempDir;

use super::*;
use crate::archive::{Archive, Limits};
use crate::ops::mask::{Options, mask};
use crate::ops::{build, verify};

const QUIET: Printer = Printer {
    quiet: true,
    verbose: false,
    no_progress: true,
    color: crate::printer::Color::Never,
    format: crate::printer::Format::Text,
};

const AGENT: &str = "package ag; public class Ag { public static void premain(String a) { lib.Api.call(); } }";
const MAIN: &str = "package cl; public class Cl { public static void main(String[] a) { lib.Util.help(); } }";
const API: &str = "package lib; public class Api { public static void call() { Util.help(); } }";
const UTIL: &str = "package lib; public class Util { public static void help() {} }";
const LOADER: &str = "package ag; public class Own extends ClassLoader { }";
const CHILD: &str = "package ag; public class Named extends ClassLoader { Named(ClassLoader p) { super(p); } }";

/// Compiled classes and a folder for jars.
struct Work {
    folder: TempDir,
}

impl Work {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sources = [
            ("ag/Ag.java", AGENT),
            ("cl/Cl.java", MAIN),
            ("lib/Api.java", API),
            ("lib/Util.java", UTIL),
            ("ag/Own.java", LOADER),
            ("ag/Named.java", CHILD),
        ];
        fixtures::javac(&sources, &["--release", "8", "-Xlint:-options"], &folder.path().join("classes")).unwrap();
        Self { folder }
    }

    fn class(&self, name: &str) -> Vec<u8> {
        fs_err::read(self.folder.path().join(format!("classes/{name}.class"))).unwrap()
    }

    fn jar(&self, name: &str, jar: Jar, classes: &[&str]) -> PathBuf {
        let path = self.folder.path().join(name);
        let jar = classes.iter().fold(jar, |jar, class| jar.file(&format!("{class}.class"), &self.class(class)));
        jar.write(&path).unwrap();
        path
    }

    fn options(&self, jars: Jars) -> Options {
        Options {
            jars,
            rules: Rules::default(),
            print: false,
            output: self.folder.path().join("out.jar"),
            limits: Limits::default(),
        }
    }

    /// Masks, verifies, and lists the files that are not the shim's.
    fn masked(&self, jars: Jars) -> (PathBuf, Vec<String>) {
        let jar = mask(&self.options(jars), &QUIET).unwrap().unwrap().path;
        assert_eq!(verify::verify(&jar, &QUIET).unwrap().failures, []);
        let names = fixtures::entry_names(&jar).unwrap();
        let shim = |name: &String| name.ends_with('/') || name.starts_with(SHIM) || name == paths::MANIFEST;
        let names = names.into_iter().filter(|name| !shim(name)).collect();
        (jar, names)
    }

    fn refused(&self, jars: Jars) -> String {
        let error = mask(&self.options(jars), &QUIET).unwrap_err();
        assert!(error.hint().is_some(), "no hint for: {error}");
        assert!(!self.folder.path().join("out.jar").exists(), "something was written");
        error.to_string().replace(&format!("{}/", self.folder.path().display()), "")
    }
}

fn agent_jar() -> Jar {
    Jar::new().attribute("Premain-Class", "ag.Ag").attribute("Implementation-Version", "1.2")
}

fn section_manifest(jar: &Path, section: &str) -> Manifest {
    let name = format!("META-INF/btrace/{section}/META-INF/MANIFEST.MF");
    Manifest::parse(&fixtures::read_entry(jar, &name).unwrap()).unwrap()
}

#[test]
fn the_short_form_expands_to_a_whole_description() {
    let work = Work::new();
    let agent = work.jar("agent.jar", agent_jar().attribute("Can-Retransform-Classes", "true"), &["ag/Ag"]);
    let client = work.jar("client.jar", Jar::new().attribute("Main-Class", "cl.Cl"), &["cl/Cl"]);
    let bootstrap = vec!["lib/**".to_owned(), "!lib/Util.class".to_owned()];
    let jars = Jars { agent: vec![agent], client: vec![client], bootstrap, ..Jars::default() };
    let (text, notes) = expand("acme", &jars, Limits::default()).unwrap();
    assert_eq!(notes, [""; 0]);
    let expected = r#"[agent]
name = "acme"
version = "1.2"
layout = "masked"

[bootstrap]
include = [
    "lib/**",
]
exclude = [
    "lib/Util.class",
]

[[section]]
path = "META-INF/btrace/agent"
from = ["DIR/agent.jar"]
parent = "platform"

[[section]]
path = "META-INF/btrace/client"
from = ["DIR/client.jar"]

[manifest.attributes]
BTrace-Agent-Main = "ag.Ag"
BTrace-Client-Main = "cl.Cl"
Can-Retransform-Classes = "true"
"#;
    assert_eq!(text.replace(&work.folder.path().display().to_string(), "DIR"), expected);
}

#[test]
fn the_description_builds_the_same_jar_as_the_short_form() {
    let work = Work::new();
    let agent = work.jar("agent.jar", agent_jar(), &["ag/Ag", "lib/Api", "lib/Util"]);
    let jars = Jars { agent: vec![agent], ..Jars::default() };
    let (short, _) = work.masked(jars.clone());
    let toml = work.folder.path().join("agent.toml");
    fs_err::write(&toml, expand("out", &jars, Limits::default()).unwrap().0).unwrap();
    let folder = work.folder.path().join("second");
    fs_err::create_dir(&folder).unwrap();
    let output = Some(folder.join("out.jar"));
    let long = build::build(&build::Options { file: Some(toml), output, ..build::Options::default() }, &QUIET).unwrap();
    assert_eq!(fs_err::read(short).unwrap(), fs_err::read(long.path).unwrap());
}

#[test]
fn case_18_each_class_has_one_place() {
    let work = Work::new();
    let boot = work.jar("boot.jar", Jar::new(), &["lib/Api"]);
    // The agent carries the bootstrap class too, and shares the helper with the client.
    let agent = work.jar("agent.jar", agent_jar(), &["ag/Ag", "lib/Api", "lib/Util"]);
    let client = work.jar("client.jar", Jar::new().attribute("Main-Class", "cl.Cl"), &["cl/Cl", "lib/Util"]);
    let jars = Jars { boot: vec![boot], agent: vec![agent], client: vec![client], bootstrap: Vec::new() };
    let (_, names) = work.masked(jars);
    assert_eq!(
        names,
        [
            "META-INF/btrace/agent/META-INF/MANIFEST.MF",
            "META-INF/btrace/agent/ag/Ag.classdata",
            "META-INF/btrace/client/META-INF/MANIFEST.MF",
            "META-INF/btrace/client/cl/Cl.classdata",
            "META-INF/btrace/shared/lib/Util.classdata",
            "lib/Api.class",
        ]
    );
}

#[test]
fn a_client_with_other_copies_keeps_all_of_its_own() {
    let work = Work::new();
    let boot = work.jar("boot.jar", Jar::new(), &["lib/Api", "lib/Util"]);
    let agent = work.jar("agent.jar", agent_jar(), &["ag/Ag"]);
    let other = work.folder.path().join("other");
    fixtures::javac(
        &[("lib/Util.java", "package lib; public class Util { public static void help() { help(); } }")],
        &["--release", "8", "-Xlint:-options"],
        &other,
    )
    .unwrap();
    let client = Jar::new().attribute("Main-Class", "cl.Cl");
    let client = client.file("lib/Util.class", &fs_err::read(other.join("lib/Util.class")).unwrap());
    let client = work.jar("client.jar", client, &["cl/Cl", "lib/Api"]);
    let jars = Jars { boot: vec![boot], agent: vec![agent], client: vec![client], bootstrap: Vec::new() };
    let (jar, names) = work.masked(jars);
    for name in
        ["META-INF/btrace/client/lib/Api.classdata", "META-INF/btrace/client/lib/Util.classdata", "lib/Api.class"]
    {
        assert!(names.contains(&name.to_owned()), "{name} in {names:?}");
    }
    let own = fixtures::read_entry(&jar, "META-INF/btrace/client/lib/Util.classdata").unwrap();
    assert_eq!(own, fs_err::read(other.join("lib/Util.class")).unwrap());
}

#[test]
fn services_and_resources_follow_their_section_and_never_reach_the_root() {
    let work = Work::new();
    let boot = Jar::new().file("META-INF/services/lib.Api", b"lib.Util").file("lib/notes.txt", b"n");
    let boot = work.jar("boot.jar", boot, &["lib/Api"]);
    let agent = agent_jar().file("META-INF/services/lib.Api", b"# ours\nag.Ag\n").file("ag/r.txt", b"r");
    let agent = work.jar("agent.jar", agent, &["ag/Ag", "lib/Util"]);
    let jars =
        Jars { boot: vec![boot], agent: vec![agent], bootstrap: vec!["lib/Api.class".into()], ..Jars::default() };
    let (jar, names) = work.masked(jars);
    let service = fixtures::read_entry(&jar, "META-INF/btrace/agent/META-INF/services/lib.Api").unwrap();
    assert_eq!(String::from_utf8(service).unwrap(), "ag.Ag\nlib.Util\n");
    let root: Vec<&String> = names.iter().filter(|name| !name.starts_with("META-INF/btrace/")).collect();
    assert_eq!(root, ["lib/Api.class"]);
    assert!(names.contains(&"META-INF/btrace/agent/lib/notes.txt".to_owned()), "{names:?}");
}

#[test]
fn case_20_versions_and_package_attributes_are_kept() {
    let work = Work::new();
    let attributes = Jar::new().manifest(
        b"Manifest-Version: 1.0\r\nPremain-Class: ag.Ag\r\nImplementation-Version: 1.2.3\r\nMulti-Release: true\r\n\r\n\
          Name: ag/\r\nImplementation-Title: T\r\n\r\n",
    );
    let agent = attributes
        .file("META-INF/versions/11/lib/Util.class", &work.class("lib/Util"))
        .file("META-INF/versions/9/ag/r.txt", b"9")
        .file("META-INF/versions/9/module-info.class", b"no class");
    let agent = work.jar("agent.jar", agent, &["ag/Ag", "lib/Util"]);
    let more = work.jar("more.jar", Jar::new().attribute("Implementation-Version", "9"), &["lib/Api"]);
    let (jar, names) = work.masked(Jars { agent: vec![agent, more], ..Jars::default() });
    for name in ["META-INF/versions/11/lib/Util.classdata", "META-INF/versions/9/ag/r.txt", "lib/Util.classdata"] {
        assert!(names.contains(&format!("META-INF/btrace/agent/{name}")), "{name} in {names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("module-info")), "{names:?}");
    assert_eq!(fixtures::read_entry(&jar, VERSIONS_LIST).unwrap(), b"11\n9\n");
    let manifest = section_manifest(&jar, "agent");
    assert_eq!(manifest.main.get("Implementation-Version"), Some("1.2.3"));
    assert_eq!(manifest.main.get("Multi-Release"), None);
    let own = manifest.section("ag/").unwrap();
    assert_eq!((own.get("Implementation-Title"), own.get("Implementation-Version")), (Some("T"), Some("1.2.3")));
    // The first jar has classes of this package as well, so its own attributes hold.
    assert!(manifest.section("lib/").is_none());
}

#[test]
fn versions_of_a_jar_that_is_not_multi_release_are_left_out() {
    let work = Work::new();
    let agent = agent_jar().file("META-INF/versions/11/lib/Util.class", &work.class("lib/Util"));
    let agent = work.jar("agent.jar", agent, &["ag/Ag", "lib/Api", "lib/Util"]);
    let (_, names) = work.masked(Jars { agent: vec![agent], ..Jars::default() });
    assert!(!names.iter().any(|name| name.contains("versions")), "{names:?}");
}

#[test]
fn only_loaders_without_a_parent_are_adapted() {
    let work = Work::new();
    let adopted = child::adopt(&work.class("ag/Own")).unwrap();
    let file = classfile::ClassFile::parse(&adopted).unwrap();
    assert_eq!(file.super_name(), Some(&b"io/btrace/boot/ChildClassLoader"[..]));
    assert!(child::adopt(&adopted).is_none(), "twice");
    for other in ["ag/Named", "ag/Ag", "lib/Util"] {
        assert!(child::adopt(&work.class(other)).is_none(), "{other}");
    }
    assert!(child::adopt(b"\xca\xfe\xba\xbe").is_none());
}

#[test]
fn what_cannot_be_masked_is_refused() {
    let work = Work::new();
    let plain = work.jar("plain.jar", Jar::new(), &["lib/Util"]);
    let agent = work.jar("agent.jar", agent_jar(), &["ag/Ag", "lib/Util"]);
    let lost = work.jar("lost.jar", agent_jar(), &["lib/Util"]);
    let masked = work.jar("masked.jar", agent_jar().folder("META-INF/btrace/shared/"), &["ag/Ag"]);
    let differing = work.jar("differing.jar", Jar::new().file("lib/Util.class", &work.class("lib/Api")), &[]);
    let of = |agent: &[&PathBuf]| Jars { agent: agent.iter().map(|jar| (*jar).clone()).collect(), ..Jars::default() };
    assert_eq!(
        work.refused(of(&[&plain])),
        "no agent jar has `Premain-Class` or `Agent-Class` in its manifest: `plain.jar`"
    );
    assert_eq!(work.refused(of(&[&masked])), "jar is masked already: `masked.jar`");
    assert_eq!(
        work.refused(of(&[&lost])),
        "`BTrace-Agent-Main` names a class that neither the section `agent` nor the bootstrap has: `ag.Ag`"
    );
    assert_eq!(
        work.refused(of(&[&agent, &differing])),
        "two different files claim `lib/Util.classdata`: `lib/Util.class` of `agent.jar`, and `lib/Util.class` of \
         `differing.jar`"
    );
    let absent = of(&[&work.folder.path().join("absent.jar")]);
    assert_eq!(work.refused(absent), "file does not exist: `absent.jar`");
    let reserved = work.jar("reserved.jar", Jar::new().file("java/A.class", &work.class("lib/Util")), &[]);
    let jars = Jars { boot: vec![reserved], ..of(&[&agent]) };
    assert_eq!(work.refused(jars), "class cannot be a bootstrap class of this jar: `java/A.class` of `reserved.jar`");
}

#[test]
fn descriptions_that_our_loader_cannot_read_are_refused() {
    let work = Work::new();
    let agent = work.jar("agent.jar", agent_jar(), &["ag/Ag"]);
    let (good, _) = expand("out", &Jars { agent: vec![agent], ..Jars::default() }, Limits::default()).unwrap();
    let refused = |from: &str, to: &str| {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let file = work.folder.path().join("agent.toml");
        fs_err::write(&file, text).unwrap();
        let options = build::Options { file: Some(file), ..build::Options::default() };
        let error = build::build(&options, &QUIET).unwrap_err();
        assert!(error.hint().is_some(), "no hint for: {error}");
        error.to_string().replace(&format!("{}/", work.folder.path().display()), "")
    };
    for (from, to, message) in [
        (
            "btrace/agent",
            "btrace/other",
            "agent.toml: section is none of `META-INF/btrace/{agent,client,shared}`: `META-INF/btrace/other`",
        ),
        (
            "btrace/agent",
            "btrace/shared",
            "agent.toml: `parent` of the section `META-INF/btrace/shared` with `layout = \"masked\"` is not supported by \
             this version yet",
        ),
        (
            "parent =",
            "suffix = \".esclazz\"\nparent =",
            "agent.toml:6:1: `suffix` of the section `META-INF/btrace/agent` needs `layout = \"foreign\"`",
        ),
        (
            "BTrace-Agent-Main",
            "BTrace-Attach-Main",
            "agent.toml: `layout = \"masked\"` needs the manifest attribute `BTrace-Agent-Main`",
        ),
        (
            "BTrace-Agent-Main = ",
            "Premain-Class = \"x\"\nBTrace-Agent-Main = ",
            "manifest attribute is set by fatagent and cannot be changed: `Premain-Class`",
        ),
        (
            "[[section]]",
            "[probes]\ninclude = [\"p/*.class\"]\n[[section]]",
            "agent.toml: `[probes]` with `layout = \"masked\"` is not supported by this version yet",
        ),
    ] {
        assert_eq!(refused(from, to), message);
    }
}

#[test]
fn verify_sees_what_was_changed_afterwards() {
    let work = Work::new();
    let boot = work.jar("boot.jar", Jar::new(), &["lib/Api"]);
    let agent = work.jar("agent.jar", agent_jar(), &["ag/Ag", "lib/Util"]);
    let (jar, names) = work.masked(Jars { boot: vec![boot], agent: vec![agent], ..Jars::default() });
    let problems =
        |bytes: Vec<u8>| verify::check(&Archive::from_memory("x.jar".into(), bytes, Limits::default()).unwrap());
    for name in &names {
        let report = problems(crate::testing::without_entries(&jar, &[name]));
        assert!(report.problems() > 0, "passes without `{name}`");
    }
    let with = |name: &str, bytes: &[u8], kind: verify::Kind| {
        let mut changed = Jar::new();
        for entry in fixtures::entry_names(&jar).unwrap() {
            let folder = entry.ends_with('/');
            changed = if folder {
                changed.folder(&entry)
            } else {
                changed.file(&entry, &fixtures::read_entry(&jar, &entry).unwrap())
            };
        }
        let report = problems(changed.file(name, bytes).bytes().unwrap());
        assert!(report.failures.iter().any(|failure| failure.kind == kind), "{name}: {report:?}");
    };
    let api = work.class("lib/Api");
    with("META-INF/btrace/agent/lib/Api.classdata", &api, verify::Kind::ClassTwice);
    with("META-INF/services/lib.Api", b"ag.Ag", verify::Kind::Root);
    with("lib/Other.class", &api, verify::Kind::ClassFile);
    with(
        "META-INF/btrace/agent/META-INF/versions/11/ag/Ag.classdata",
        &work.class("ag/Ag"),
        verify::Kind::MissingClass,
    );
}
