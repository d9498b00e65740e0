//! Manifest, entry classes, native cores and build id.

use std::collections::BTreeMap;

use manifests::library::LibraryAttributes;
use manifests::manifest::{Attributes, Manifest, attribute};

use super::contents::{self, Contents};
use super::{Kind, Report};
use crate::base::{MANDATORY, masked_path};
use crate::class::slashed;
use crate::digest::build_id;
use crate::native;
use crate::paths;

/// Attributes of a finished agent beside those of every base.
const FINISHED: [&str; 7] = [
    attribute::BOOT_CLASS_PATH,
    attribute::BTRACE_EMBEDDED_EXTENSIONS,
    attribute::BTRACE_NATIVE_SHA256,
    attribute::BTRACE_BUILD_ID,
    attribute::IMPLEMENTATION_TITLE,
    attribute::IMPLEMENTATION_VERSION,
    attribute::ENABLE_NATIVE_ACCESS,
];

/// Descriptors of the methods that the JVM looks for, the preferred one first.
pub(super) const AGENT_METHOD: [&str; 2] =
    ["(Ljava/lang/String;Ljava/lang/instrument/Instrumentation;)V", "(Ljava/lang/String;)V"];
pub(super) const MAIN_METHOD: [&str; 1] = ["([Ljava/lang/String;)V"];

pub(super) fn check(contents: &Contents<'_>, report: &mut Report) {
    check_order(contents, report);
    let manifest = match contents::manifest(contents.archive) {
        Ok(Some(manifest)) => manifest,
        Ok(None) => return report.fail(Kind::Manifest, format!("the jar has no `{}`", paths::MANIFEST)),
        Err(problem) => return report.fail(Kind::Manifest, problem),
    };
    check_attributes(&manifest.main, report);
    check_entry_classes(contents, &manifest.main, report);
    check_natives(contents, &manifest.main, report);
    warn_of_libraries(&manifest.main, report);
    check_build_id(contents, &manifest, report);
}

/// The manifest comes first, at most after its folder, which signing moves, as readers of streams expect; and the mark of a
/// masked jar is there.
pub(super) fn check_order(contents: &Contents<'_>, report: &mut Report) {
    let mut names = contents.archive.entries().iter().map(|entry| entry.name.as_str()).peekable();
    names.next_if_eq(&paths::META_INF);
    if names.next() != Some(paths::MANIFEST) {
        report.fail(Kind::Manifest, format!("the first file is not `{}`", paths::MANIFEST));
    }
    if !contents.contains(paths::SHARED) {
        report.fail(Kind::Manifest, format!("no folder entry `{}` marks the jar as masked", paths::SHARED));
    }
}

fn check_attributes(main: &Attributes, report: &mut Report) {
    for name in MANDATORY.iter().chain(&FINISHED) {
        if main.get(name).is_none() {
            report.fail(Kind::Attribute, format!("`{name}` is missing"));
        }
    }
    for name in [attribute::CAN_REDEFINE_CLASSES, attribute::CAN_RETRANSFORM_CLASSES] {
        if let Some(value) = main.get(name).filter(|value| !value.eq_ignore_ascii_case("true")) {
            report.fail(Kind::Attribute, format!("`{name}` is not `true`: `{value}`"));
        }
    }
    for name in [attribute::LAUNCHER_AGENT_CLASS, attribute::MULTI_RELEASE] {
        if main.get(name).is_some() {
            report.fail(Kind::Attribute, format!("`{name}` must not be there"));
        }
    }
    let path = main.get(attribute::BOOT_CLASS_PATH).unwrap_or("a");
    if !path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        || matches!(path, "." | ".." | "")
    {
        report.fail(Kind::Attribute, format!("`{}` is not a plain file name: `{path}`", attribute::BOOT_CLASS_PATH));
    }
    let listed = main.get(attribute::BTRACE_EMBEDDED_EXTENSIONS).unwrap_or_default();
    let ids: Vec<&str> = listed.split(',').map(str::trim).filter(|id| !id.is_empty()).collect();
    for (at, id) in ids.iter().enumerate() {
        if ids[..at].contains(id) {
            report.fail(Kind::Attribute, format!("`{}` lists twice: `{id}`", attribute::BTRACE_EMBEDDED_EXTENSIONS));
        }
    }
}

fn check_entry_classes(contents: &Contents<'_>, main: &Attributes, report: &mut Report) {
    for (name, method, descriptors) in [
        (attribute::PREMAIN_CLASS, "premain", &AGENT_METHOD[..]),
        (attribute::AGENT_CLASS, "agentmain", &AGENT_METHOD),
        (attribute::MAIN_CLASS, "main", &MAIN_METHOD),
    ] {
        let Some(class) = main.get(name) else { continue };
        check_entry_class(contents, (name, class), method, descriptors, report);
    }
    for (name, section) in [(attribute::BTRACE_AGENT_MAIN, "agent"), (attribute::BTRACE_CLIENT_MAIN, "client")] {
        let Some(class) = main.get(name) else { continue };
        let path = masked_path(section, class);
        if !contents.contains(&path) {
            report.fail(Kind::MissingClass, format!("`{path}`, which `{name}` names"));
        }
    }
}

/// A class that the JVM calls, named by an attribute, is at the root and has the method.
pub(super) fn check_entry_class(
    contents: &Contents<'_>,
    (name, class): (&str, &str),
    method: &str,
    descriptors: &[&str],
    report: &mut Report,
) {
    let path = format!("{}{}", slashed(class.trim()), paths::CLASS_SUFFIX);
    if !contents.contains(&path) {
        report.fail(Kind::MissingClass, format!("`{path}`, which `{name}` names"));
    } else if let Some(class) = contents.class(&path)
        && !descriptors.iter().any(|descriptor| class.has_public_static(method, descriptor))
    {
        report.fail(Kind::EntryMethod, format!("`{path}` has no `public static void {method}` as `{name}` needs it"));
    }
}

fn check_natives(contents: &Contents<'_>, main: &Attributes, report: &mut Report) {
    let Some(listed) = main.get(attribute::BTRACE_NATIVE_SHA256) else { return };
    let hashes = parse_natives(listed);
    if hashes.is_empty() {
        report.fail(Kind::Native, format!("`{}` lists no core", attribute::BTRACE_NATIVE_SHA256));
    }
    for (target, hash) in &hashes {
        match contents.files.get(native::core_path(target).as_str()) {
            None => report.fail(Kind::Native, format!("the core for `{target}` is missing")),
            Some(file) if file.sha256.to_string() != *hash => {
                report.fail(Kind::Native, format!("the core for `{target}` has another SHA-256: {}", file.sha256));
            }
            Some(_) => {}
        }
    }
    for path in contents.files.keys().filter(|path| path.starts_with(paths::NATIVE)) {
        if native::target_of(path).is_none_or(|target| !hashes.contains_key(target)) {
            report.fail(Kind::Native, format!("`{path}` is not listed"));
        }
    }
}

/// An agent with libraries is more than its jar.
fn warn_of_libraries(main: &Attributes, report: &mut Report) {
    let libraries = LibraryAttributes::from_attributes(main);
    let lists = [(attribute::BTRACE_BOOT_LIBS, libraries.boot), (attribute::BTRACE_SYSTEM_LIBS, libraries.system)];
    let profile = (attribute::BTRACE_LIBS_PROFILE, Vec::from_iter(libraries.profile));
    for (name, entries) in lists.into_iter().chain([profile]).filter(|(_, entries)| !entries.is_empty()) {
        report.warnings.push(format!(
            "the jar needs files beside itself at run time: `{name}` names {}",
            entries.iter().map(|entry| format!("`{entry}`")).collect::<Vec<_>>().join(", ")
        ));
    }
}

/// The pairs of `BTrace-Native-SHA256`.
pub(crate) fn parse_natives(listed: &str) -> BTreeMap<&str, &str> {
    listed.split(',').filter_map(|pair| pair.trim().split_once('=')).collect()
}

pub(super) fn check_build_id(contents: &Contents<'_>, manifest: &Manifest, report: &mut Report) {
    let Some(written) = manifest.main.get(attribute::BTRACE_BUILD_ID) else { return };
    let attributes = manifest.main.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(attribute::BTRACE_BUILD_ID));
    let files = contents.files.iter().filter(|(path, _)| **path != paths::MANIFEST && !paths::is_signature(path));
    let id = build_id(attributes, files.map(|(path, file)| (*path, file.sha256)));
    if id != written {
        report.fail(
            Kind::BuildId,
            format!("`{}` says `{written}`, the contents give `{id}`", attribute::BTRACE_BUILD_ID),
        );
    }
    let package = manifest.section(paths::BOOT_PACKAGE).and_then(|s| s.get(attribute::IMPLEMENTATION_VERSION));
    if package != Some(written) {
        let found = package.map_or_else(|| "nothing".to_owned(), |version| format!("`{version}`"));
        report.fail(
            Kind::BuildId,
            format!(
                "the section `{}` gives {found} as version instead of the build id `{written}`",
                paths::BOOT_PACKAGE
            ),
        );
    }
}
