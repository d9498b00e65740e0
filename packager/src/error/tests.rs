use std::collections::BTreeSet;

use super::*;
use crate::against::PatternError;
use crate::cargo_package::Described;
use crate::extension::ExtensionError;
use crate::ops::extension::{check::CheckError, lint::LintError};

fn file(path: &str) -> Origin {
    Origin::File(path.into())
}

fn zip_error() -> ZipError {
    ZipError::InvalidArchive("odd".into())
}

fn io_error() -> io::Error {
    io::Error::other("disk on fire")
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Every variant with its message and its hint.
fn all() -> Vec<(Error, &'static str, &'static str)> {
    let place = |what: &str, path: &str| Box::new(Place { what: what.into(), origin: Origin::File(path.into()) });
    let jar = || PathBuf::from("x.jar");
    let id = || "acme".to_owned();
    let manifest_error = || Box::new(manifests::Error::ManifestContinuation { line: 3 });
    let class_error = || Box::new(classfile::Error::Mutf8 { at: 2 });
    vec![
        (
            crate::ops::build::BuildError::Cycle { cycle: vec!["a".into()] }.into(),
            "extensions require each other in a circle: `a` requires `a`",
            "remove `a` from its own list of required extensions",
        ),
        (
            extensions::Error::NotAnExtension { origin: "x".into(), reason: "there is none in it".into() }.into(),
            "`x` is no extension: there is none in it",
            "install an API jar with its implementation jar in a folder, the zip with both, or remove it",
        ),
        (
            crate::ops::ext::ExtError::Unknown { id: id(), nearest: None }.into(),
            "no such extension: `acme`",
            "`fatagent ext list` shows those that there are",
        ),
        (
            crate::foreign::Error::NoEntry { at: "agent.toml".into() }.into(),
            "agent.toml: the manifest names no entry class: `Premain-Class` and `Agent-Class` are absent",
            "set `Premain-Class` under `[manifest.attributes]`",
        ),
        (
            Error::OtherLayout { at: "agent.toml:3:1".into(), what: "`files`".into(), layout: "foreign" },
            "agent.toml:3:1: `files` needs `layout = \"foreign\"`",
            "remove it, or set `layout = \"foreign\"` under `[agent]`",
        ),
        (
            crate::bundle::Error::NothingOffered { at: "extension.toml".into() }.into(),
            "extension.toml: the extension offers nothing: no service, no export, no probe and no configurator",
            "annotate the interface that probes use with `@ServiceDescriptor`, or list it with `services`",
        ),
        (
            crate::maven::Error::NoHome.into(),
            "the local Maven repository cannot be found: there is no home folder",
            "set HOME",
        ),
        (
            crate::publish::Error::SnapshotBundle { version: "1-SNAPSHOT".into() }.into(),
            "a bundle holds releases only, not: `1-SNAPSHOT`",
            "publish it with `--to`, or give it the version of a release",
        ),
        (crate::merge::MergeError::NoInput.into(), "no jar to merge", "name at least one jar"),
        (Error::Io(io_error()), "disk on fire", "check that the file exists and that you may use it"),
        (
            Error::FileMissing { path: "a/b".into() },
            "file does not exist: `a/b`",
            "check the path; it is relative to the current folder, or to the file that names it",
        ),
        (
            Error::NotAJar { path: jar(), reason: "it is empty".into() },
            "not a jar: `x.jar`: it is empty",
            "a jar is a zip archive: give the path of one, or build this one again",
        ),
        (
            Error::TruncatedJar { path: jar(), source: Box::new(zip_error()) },
            "jar is cut short: `x.jar`",
            "the copy or the download stopped early: get the file again",
        ),
        (
            Error::UnreadableJar { path: jar(), source: Box::new(zip_error()) },
            "cannot read jar: `x.jar`",
            "check the disk that holds it",
        ),
        (
            Error::BadEntryName { jar: jar(), entry: "../a".into(), problem: NameProblem::Traversal },
            "`x.jar` has an entry whose name is refused because it holds a `.` or `..` part: `../a`",
            "such names can escape a folder or hide a second file: build the jar again with plain relative names",
        ),
        (
            Error::DuplicateEntry { jar: jar(), entry: "a".into() },
            "`x.jar` has two entries of one name: `a`",
            "readers disagree which of the two counts: build the jar again without one",
        ),
        (
            Error::BadExtra { jar: jar(), entry: "a".into(), problem: "they give it another name" },
            "`x.jar` has an entry whose extra fields are refused because they give it another name: `a`",
            "the JVM refuses such jars or reads them otherwise: build the jar again",
        ),
        (
            Error::FileIsFolder { jar: jar(), file: "a".into(), child: "a/b".into() },
            "`x.jar` has a file that is also a folder: `a`, because of `a/b`",
            "rename `a`",
        ),
        (
            Error::OverlappingEntries { jar: jar() },
            "entries share bytes in jar: `x.jar`",
            "no ordinary tool writes such jars, which can inflate without end: do not use it",
        ),
        (
            Error::TooManyEntries { jar: jar(), limit: 5, got: 6 },
            "`x.jar` has more than 5 entries: 6",
            "leave out what the agent does not need, or raise the limit with `--limits`",
        ),
        (
            Error::EntryTooLarge { jar: jar(), entry: "a".into(), limit: 5, got: 6 },
            "`a` of `x.jar` inflates to more than 5 bytes: 6",
            "leave out what the agent does not need, or raise the limit with `--limits`",
        ),
        (
            Error::ArchiveTooLarge { jar: jar(), limit: 5 },
            "`x.jar` inflates to more than 5 bytes",
            "leave out what the agent does not need, or raise the limit with `--limits`",
        ),
        (
            Error::RatioTooHigh { jar: jar(), entry: "a".into(), limit: 200, got: 900 },
            "`a` of `x.jar` inflates to more than 200 times its size: 900",
            "this is how archives made to exhaust memory look: check where the jar comes from; `--limits ratio=…` accepts it",
        ),
        (
            Error::WrongSize { jar: jar(), entry: "a".into(), declared: 5, more: true },
            "`a` of `x.jar` inflates to more bytes than declared: 5",
            "the jar is damaged: get or build it again",
        ),
        (
            Error::WrongSize { jar: jar(), entry: "a".into(), declared: 5, more: false },
            "`a` of `x.jar` inflates to fewer bytes than declared: 5",
            "the jar is damaged: get or build it again",
        ),
        (
            Error::DamagedEntry { jar: jar(), entry: "a".into(), source: Box::new(io_error()) },
            "damaged entry in `x.jar`: `a`",
            "the jar is damaged: get or build it again",
        ),
        (
            Error::ForeignEntry { jar: jar(), entry: "a".into(), how: "encrypted".into() },
            "`a` of `x.jar` cannot be read by any JVM: it is encrypted",
            "build the jar again with deflate and without a password, as `jar` does",
        ),
        (
            Error::Conflict { path: "a".into(), first: Box::new(file("one")), second: Box::new(file("two")) },
            "two different files claim `a`: `one`, and `two`",
            "remove one of the two inputs, or rename the file in one of them",
        ),
        (
            Error::ClassTwice {
                class: "a.B".into(),
                first: place("a bootstrap class", "one"),
                second: place("an API class", "two"),
            },
            "class `a.B` would be both a bootstrap class (`one`) and an API class (`two`)",
            "two classes of one name are two types at run time: keep the class in one place only",
        ),
        (
            Error::Epoch { value: "now".into() },
            "environment variable `SOURCE_DATE_EPOCH` is not a number of seconds from 1970 to 2107: `now`",
            "unset it, or set it to the output of `git log -1 --format=%ct`",
        ),
        (
            Error::Unwritable { path: jar(), source: io_error() },
            "cannot write `x.jar`",
            "check that the folder exists and that you may write there, or choose another with `-o`",
        ),
        (
            Error::JarNotWritten { source: Box::new(zip_error()) },
            "the jar could not be written",
            "check the space on the disk",
        ),
        (
            Error::OutputName { name: "a b".into() },
            "file name of the output has other characters than `[A-Za-z0-9._-]`, or begins with a dot: `a b`",
            "the JVM reads the name from `Boot-Class-Path` as a URL: choose a plain one with `-o`",
        ),
        (
            Error::SelfCheck { count: 2, first: "x".into(), base: None },
            "the jar that was built does not pass its own check, problems: 2, first: x",
            "the old output was not touched; please report this with the inputs",
        ),
        (
            Error::SelfCheck { count: 2, first: "x".into(), base: Some("base.jar".into()) },
            "the jar that was built does not pass its own check, problems: 2, first: x",
            "`fatagent verify base.jar` shows whether the base is whole",
        ),
        (
            Error::Mask(crate::mask::Error::AlreadyMasked { jar: jar() }),
            "jar is masked already: `x.jar`",
            "give the ordinary jars that it was made from",
        ),
        (
            Error::NoAgentToml { folder: "a".into() },
            "no `agent.toml` and no `[package.metadata.fatagent]` in: `a`",
            "create `agent.toml` there, or name one with `--file`",
        ),
        (
            Error::Check(CheckError::Unresolved { id: "a".into(), unresolved: 3, releases: 1 }),
            "extension `a` does not fit all releases, unresolved: 3, releases: 1",
            "name what all releases have, or look it up with `tryLoad`; give jars that the library stands on with `--class-path`, \
             and leave out what is not its own with `--ignore`, which takes packages, classes and beginnings of probe patterns such as `/org\\.acme`",
        ),
        (
            Error::Check(CheckError::NothingAsked { id: "a".into() }),
            "extension `a` names nothing that an application's library could have",
            "check an extension whose implementation or probes name the application",
        ),
        (
            Error::Lint(LintError { id: "a".into(), errors: 1, warnings: 2 }),
            "extension `a` does not pass, errors: 1, warnings: 2",
            "each line above says what to do about it",
        ),
        (
            Error::ProbePattern(PatternError {
                place: "a.B.c".into(),
                pattern: "/(/".into(),
                reason: "unclosed".into(),
            }),
            "`a.B.c` has a pattern that cannot be used: `/(/`: unclosed",
            "correct the pattern; look-around and back references do not exist",
        ),
        (
            Error::NoExtensionToml { folder: "a".into() },
            "no `extension.toml` and no `[package.metadata.fatagent.extension]` in: `a`",
            "create `extension.toml` there, with `id` and `version`, or name one",
        ),
        (
            Error::AgentToml(manifest_error()),
            "manifest line 3 continues no attribute",
            "remove the space at the start of the line",
        ),
        (
            Error::Cargo {
                manifest: "Cargo.toml".into(),
                source: Box::new(cargo_metadata::Error::CargoMetadata { stderr: "x".into() }),
            },
            "cannot read the Cargo package at `Cargo.toml`",
            "run `cargo metadata` in that folder to see the whole error",
        ),
        (
            crate::cargo_package::PackageError::None { manifest: "a".into(), wanted: Described::Agent }.into(),
            "no package with `[package.metadata.fatagent]` in: `a`",
            "add `[package.metadata.fatagent]` to the manifest of one package",
        ),
        (
            crate::cargo_driver::Error::NoLibrary { package: "a".into() }.into(),
            "cargo named no shared library of package: `a`",
            "add `crate-type = [\"cdylib\"]` to its `[lib]`",
        ),
        (
            Error::NotSupported { at: "agent.toml:3:1".into(), what: "`merge`".into() },
            "agent.toml:3:1: `merge` is not supported by this version yet",
            "remove it, or use a later version of fatagent",
        ),
        (
            Error::ReservedAttribute { name: "Agent-Class".into() },
            "manifest attribute is set by fatagent and cannot be changed: `Agent-Class`",
            "remove it from `[manifest] attributes`",
        ),
        (
            Error::NoMatch { at: "agent.toml".into(), pattern: "a/*".into() },
            "agent.toml: pattern matches no file: `a/*`",
            "patterns are relative to the folder of the file that holds them; `**` stands for any folders",
        ),
        (
            Error::Pattern { at: "agent.toml".into(), pattern: "/a".into(), problem: "it is not relative" },
            "agent.toml: not a pattern: `/a`: it is not relative",
            "use a relative path with `*`, `?` and `**`",
        ),
        (
            Error::NotMasked { jar: jar(), missing: "it has no manifest".into() },
            "base is not a masked jar: `x.jar`: it has no manifest",
            "give a masked agent jar, such as one that fatagent built, or leave `base` out for the built-in one",
        ),
        (
            Error::NoCore { target: "a".into(), available: texts(&["b", "c"]) },
            "base has no core for target: `a`",
            "set `targets` to some of `b`, `c`",
        ),
        (
            Error::NoCore { target: "a".into(), available: Vec::new() },
            "base has no core for target: `a`",
            "the base has no core at all: use another base",
        ),
        (
            Error::Format { origin: Box::new(file("a")), source: manifest_error() },
            "cannot use `a`",
            "remove the space at the start of the line",
        ),
        (
            Error::Class { origin: Box::new(file("a")), source: class_error() },
            "not a usable class: `a`",
            "compile the class again",
        ),
        (
            Error::ClassName { origin: Box::new(file("a")), found: "b.C".into() },
            "`a` holds another class: `b.C`",
            "move the file to the folder of its package",
        ),
        (
            Error::Extension(ExtensionError::NotAnExtension { path: "a".into(), reason: "it is not a folder".into() }),
            "not an extension: `a`: it is not a folder",
            "an extension is a project with `extension.toml`, a zip with one `*-api.jar` and one `*-impl.jar`, or a folder of \
             classes with `META-INF/MANIFEST.MF`",
        ),
        (
            Error::Extension(ExtensionError::NoPermissions { id: id(), origin: Box::new(file("a")) }),
            "extension `acme` declares no permissions: `BTrace-Extension-Permissions` is absent from `a`",
            "add the attribute with the permissions that the code needs; an empty value declares none",
        ),
        (
            Error::Extension(ExtensionError::DuplicateExtension { id: id(), first: "a".into(), second: "b".into() }),
            "two extensions have the id `acme`: `a`, and `b`",
            "embed one of them, or give one another id",
        ),
        (
            Error::Extension(ExtensionError::NoServiceClass { id: id(), service: "a.B".into(), building: false }),
            "extension `acme` has no class for its service: `a.B`",
            "put the class into the API, or correct `BTrace-Extension-Services`",
        ),
        (
            Error::Extension(ExtensionError::NoImplementation {
                id: id(),
                service: "a.B".into(),
                expected: "a.BImpl".into(),
            }),
            "extension `acme` has no implementation of its service: `a.B`",
            "add the class `a.BImpl`, or name another in `META-INF/services/a.B`",
        ),
        (
            Error::Extension(ExtensionError::NoDeclaredClass { id: id(), role: "configurator", class: "a.B".into() }),
            "extension `acme` has no class that its configurator names: `a.B`",
            "add `a.B`, or correct the name",
        ),
        (
            Error::Extension(ExtensionError::ApiNotClosed {
                id: id(),
                class: "a.B".into(),
                hidden: "a.C".into(),
                building: false,
            }),
            "API class `a.B` of extension `acme` refers to an implementation class: `a.C`",
            "export it with `BTrace-Extension-Exports: a.C` or in `META-INF/btrace/exports.index`",
        ),
        (
            Error::Extension(ExtensionError::ReservedPackage { id: id(), class: "java.A".into() }),
            "extension `acme` has a class in a reserved package: `java.A`",
            "move it to a package of the extension: `java` and those of the agent are not yours to add to",
        ),
        (
            Error::Extension(ExtensionError::UnknownExtension {
                id: id(),
                from: "--embed",
                nearest: Some("acne".into()),
                known: texts(&["acne"]),
            }),
            "no extension to embed has the id: `acme`",
            "did you mean `acne`?",
        ),
        (
            Error::Extension(ExtensionError::UnknownExtension {
                id: id(),
                from: "--embed",
                nearest: None,
                known: texts(&["x", "y"]),
            }),
            "no extension to embed has the id: `acme`",
            "`[discover]` finds `x`, `y`",
        ),
        (
            Error::Extension(ExtensionError::UnknownExtension {
                id: id(),
                from: "--embed",
                nearest: None,
                known: Vec::new(),
            }),
            "no extension to embed has the id: `acme`",
            "`[discover] members` names no extension",
        ),
        (
            Error::SourceProbe { path: "a.java".into() },
            "source probes are not supported by this version yet: `a.java`",
            "compile it with `javac` and include the class",
        ),
        (
            Error::NotAProbe { origin: Box::new(file("a.class")), reason: "`a.B` has no `@BTrace`".into() },
            "not a probe: `a.class`: `a.B` has no `@BTrace`",
            "a probe is a `.class` file whose class has the annotation `io.btrace.core.annotations.BTrace`",
        ),
        (
            Error::VerifyFailed { jar: jar(), count: 2 },
            "verification of `x.jar` failed, problems: 2",
            "build the jar again; a jar that was edited by hand no longer holds",
        ),
        (
            Error::GatesFailed { count: 2, failures: texts(&["the jar is too large: a", "b"]) },
            "the jar that was built does not pass its `[verify]` gates, problems: 2: the jar is too large: a; b",
            "the old output was not touched; change the inputs or `[verify]`, and `--update-golden` writes the listing anew",
        ),
        (
            Error::NoGolden { at: "agent.toml".into() },
            "agent.toml: no golden listing to update: `verify.golden` is absent",
            "add `golden = \"agent.listing\"` to `[verify]`",
        ),
        (
            Error::AgainstFailed { jar: jar(), old: "old.jar".into(), count: 2 },
            "`x.jar` is not acceptable in place of `old.jar`, problems: 2",
            "where each of them is meant, compare with this jar from now on; `--allow-growth` accepts a larger one",
        ),
        (
            Error::JarWithoutCore { jar: jar(), target: "a".into(), available: texts(&["b"]) },
            "`x.jar` has no core for target: `a`",
            "it has cores for `b`; `--all` writes them out",
        ),
        (
            Error::JarWithoutCore { jar: jar(), target: "a".into(), available: Vec::new() },
            "`x.jar` has no core for target: `a`",
            "the jar is no agent that fatagent built: give another one",
        ),
        (
            Error::CoreHash { jar: jar(), target: "a".into() },
            "core of `x.jar` does not have the SHA-256 of its manifest: `a`",
            "the jar was changed after it was built: get or build it again",
        ),
        (
            Error::NoCoreRunning { pid: 7 },
            "no agent core is running in process: 7",
            "check the process id with `jcmd`; there is nothing to switch off",
        ),
        (
            Error::CoreProperty { pid: 7, value: "x".into() },
            "process 7 has an unknown value of the property `btrace.agent.core`: `x`",
            "use the version of fatagent that built the agent",
        ),
        (
            Error::JarGone { pid: 7, jar: jar() },
            "the jar of the core in process 7 is gone: `x.jar`",
            "put the same jar back at that path, or restart the process without the agent",
        ),
        (
            Error::Demo { reason: "no Java".into(), hint: Some("install one".into()) },
            "the demo failed: no Java",
            "install one",
        ),
    ]
}

#[test]
fn every_message_and_hint_reads_as_meant_and_follows_the_house_style() {
    for (error, message, hint) in all() {
        assert_eq!((error.to_string().as_str(), error.hint().as_deref()), (message, Some(hint)));
        assert!(!message.ends_with('.') && !hint.ends_with('.'), "{message}");
        assert!(
            message.starts_with(|c: char| c.is_lowercase() || c == '`') || message.starts_with("API "),
            "{message}"
        );
        // A cause is printed on its own line, so it must not be repeated.
        if let Some(source) = std::error::Error::source(&error) {
            assert!(!message.contains(&source.to_string()), "{message}");
        }
    }
}

#[test]
fn no_variant_is_left_out() {
    let name = |error: &Error| format!("{error:?}").split([' ', '(']).next().unwrap_or_default().to_owned();
    let tested: BTreeSet<String> = all().iter().map(|(error, ..)| name(error)).collect();
    // Variants stand at one level of indentation in the definition, and begin with a capital letter.
    let definition = include_str!("mod.rs").split_once("pub enum Error {").unwrap().1.split_once("\n}\n").unwrap().0;
    let defined = definition
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()) && line.contains(['{', '(']));
    let mut defined: BTreeSet<String> =
        defined.map(|line| line.split([' ', '(']).next().unwrap_or_default().to_owned()).collect();
    // Its cause can only be made by a process that does not exist, which the tests of the command line do.
    assert!(defined.remove("Attach"));
    assert_eq!(tested, defined);
}
