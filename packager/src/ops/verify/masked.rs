//! What holds for an agent with `layout = "masked"`: ordinary agent jars behind our Loader, without a core.

use manifests::manifest::{Manifest, attribute};

use super::contents::{self, Contents};
use super::manifest::{AGENT_METHOD, MAIN_METHOD, check_build_id, check_entry_class, check_order};
use super::{Kind, Report};
use crate::class::{dotted, slashed};
use crate::mask::{VERSIONS_LIST, main_places, services::providers};
use crate::ops::build::masked_class;
use crate::paths;

/// Classes of the shim that start such an agent.
const REQUIRED: [&str; 7] = [
    "ChildClassLoader",
    "ForeignAgent",
    "Loader",
    "MaskedClassLoader",
    "MaskedJarUtils",
    "SectionManifest",
    "StartedJar",
];
/// Values of `BTrace-Agent-Parent`.
const PARENTS: [&str; 3] = ["bootstrap", "platform", "system"];
/// The section of the client.
const CLIENT: &str = "META-INF/btrace/client/";
/// Where a section keeps its service files, below its folder.
const SERVICES: &str = "META-INF/services/";

/// The manifest, when the jar is such an agent.
pub(super) fn manifest_of(contents: &Contents<'_>) -> Option<Manifest> {
    let manifest = contents::manifest(contents.archive).ok().flatten()?;
    manifest.main.get(attribute::BTRACE_AGENT_PARENT).is_some().then_some(manifest)
}

pub(super) fn check(contents: &Contents<'_>, manifest: &Manifest, report: &mut Report) {
    check_order(contents, report);
    check_attributes(contents, manifest, report);
    for required in REQUIRED.map(|name| format!("io/btrace/boot/{name}{}", paths::CLASS_SUFFIX)) {
        if !contents.contains(&required) {
            report.fail(Kind::MissingClass, format!("`{required}`"));
        }
    }
    for (&path, file) in &contents.files {
        if path.starts_with(SERVICES) {
            report.fail(Kind::Root, format!("`{path}`: applications would look for a provider that is masked"));
        }
        if let Some((section, service)) = service_of(path) {
            check_service(contents, section, service, path, report);
        }
        let masked = masked_class(path).map(|(name, _)| unversioned(name));
        // The client's loader looks into its own section first, in a JVM without a bootstrap part.
        if let Some(name) = masked.filter(|_| !path.starts_with(CLIENT))
            && contents.contains(&format!("{name}{}", paths::CLASS_SUFFIX))
        {
            report.fail(Kind::ClassTwice, format!("`{}`, masked at `{path}`", dotted(name)));
        }
        let at_root = path.strip_suffix(paths::CLASS_SUFFIX).filter(|name| !name.starts_with(paths::META_INF));
        match &file.class {
            Some(Err(problem)) if masked.or(at_root).is_some() => report.fail(Kind::ClassFile, problem.clone()),
            Some(Ok(class)) if masked.or(at_root).is_some_and(|name| name != class.name) => {
                report.fail(Kind::ClassFile, format!("`{path}` holds `{}`", dotted(&class.name)));
            }
            _ => {}
        }
    }
    check_build_id(contents, manifest, report);
}

fn check_attributes(contents: &Contents<'_>, manifest: &Manifest, report: &mut Report) {
    let main = &manifest.main;
    for (name, method, descriptors) in [
        (attribute::PREMAIN_CLASS, "premain", &AGENT_METHOD[..]),
        (attribute::AGENT_CLASS, "agentmain", &AGENT_METHOD),
        (attribute::MAIN_CLASS, "main", &MAIN_METHOD),
    ] {
        match main.get(name) {
            None => report.fail(Kind::Attribute, format!("`{name}` is missing")),
            Some(class) => check_entry_class(contents, (name, class), method, descriptors, report),
        }
    }
    for name in [attribute::BOOT_CLASS_PATH, attribute::BTRACE_AGENT_MAIN, attribute::BTRACE_BUILD_ID] {
        if main.get(name).is_none() {
            report.fail(Kind::Attribute, format!("`{name}` is missing"));
        }
    }
    let parent = main.get(attribute::BTRACE_AGENT_PARENT).unwrap_or_default();
    if !PARENTS.contains(&parent) {
        let name = attribute::BTRACE_AGENT_PARENT;
        report.fail(Kind::Attribute, format!("`{name}` is none of `bootstrap`, `platform` and `system`: `{parent}`"));
    }
    for name in [attribute::LAUNCHER_AGENT_CLASS, attribute::MULTI_RELEASE] {
        if main.get(name).is_some() {
            report.fail(Kind::Attribute, format!("`{name}` must not be there"));
        }
    }
    // The methods may be inherited, so that only a class that has neither superclass nor method is surely wrong; the
    // packager cannot tell the superclass, hence only the place is checked.
    for (name, section) in [
        (attribute::BTRACE_AGENT_MAIN, "agent"),
        (attribute::BTRACE_ATTACH_MAIN, "agent"),
        (attribute::BTRACE_CLIENT_MAIN, "client"),
    ] {
        let Some(class) = main.get(name) else { continue };
        if !main_places(class, section).iter().any(|path| contents.contains(path)) {
            report.fail(Kind::MissingClass, format!("`{class}`, which `{name}` names"));
        }
    }
    let versioned = |path: &&str| masked_class(path).is_some_and(|(name, _)| unversioned(name) != name);
    if contents.files.keys().any(versioned) && !contents.contains(VERSIONS_LIST) {
        report.fail(Kind::MissingClass, format!("`{VERSIONS_LIST}`, without which no versioned copy is loaded"));
    }
}

/// The section and the service of a service file.
fn service_of(path: &str) -> Option<(&str, &str)> {
    let (section, rest) = path.strip_prefix(paths::SECTIONS)?.split_once('/')?;
    Some((section, rest.strip_prefix(SERVICES)?))
}

/// A provider that its loader would not find is a warning: the input may never have had it.
fn check_service(contents: &Contents<'_>, section: &str, service: &str, path: &str, report: &mut Report) {
    let Some(bytes) = contents.bytes(path) else { return };
    let text = String::from_utf8_lossy(&bytes);
    let sections: &[&str] = if section == "shared" { &paths::SECTION_NAMES } else { &[section] };
    for provider in providers(&text) {
        let places = sections.iter().flat_map(|section| main_places(provider, section));
        if !places.into_iter().any(|place| contents.contains(&place)) {
            report.warnings.push(format!(
                "`{path}` names a provider of `{service}` that is in none of the places its loader reads: `{}`",
                slashed(provider)
            ));
        }
    }
}

/// A class name without the folder of versioned copies.
fn unversioned(name: &str) -> &str {
    super::classes::unversioned(name)
}
