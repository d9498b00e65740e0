//! What holds for another vendor's agent jar, and for any agent jar without our Loader: nothing of our own layout.

use std::collections::BTreeSet;

use manifests::manifest::{Manifest, attribute};

use super::contents::{self, Contents};
use super::manifest::{AGENT_METHOD, MAIN_METHOD};
use super::{Kind, Report, SAMPLES, case_warnings};
use crate::archive::case_clashes;
use crate::class::{Class, dotted, slashed};
use crate::foreign::both::{self, AllowBoth};
use crate::foreign::sections::{Section, Sections, in_both, masked_suffix, section_of};
use crate::foreign::suffixes;
use crate::mask::services::providers;
use crate::paths;

/// Attributes of ours begin so.
const OWN: &str = "btrace-";
/// Where service files lie, at the root and below a section.
const SERVICES: &str = "META-INF/services/";
/// Where versioned copies lie.
const VERSIONS: &str = "META-INF/versions/";

/// Entry classes of agents that many JVMs have already.
const KNOWN: [(&str, &str); 8] = [
    ("co.elastic.apm.agent.premain.AgentMain", "Elastic's agent"),
    ("com.newrelic.bootstrap.BootstrapAgent", "New Relic's agent"),
    ("datadog.trace.bootstrap.AgentBootstrap", "Datadog's agent"),
    ("datadog.trace.bootstrap.AgentPreCheck", "Datadog's agent"),
    ("io.opentelemetry.javaagent.OpenTelemetryAgent", "OpenTelemetry's agent"),
    ("io.prometheus.jmx.JavaAgent", "the Prometheus agent"),
    ("org.jolokia.jvmagent.JvmAgent", "Jolokia's agent"),
    ("org.openjdk.btrace.agent.Main", "`BTrace` 2"),
];
/// Packages that tutorials use.
const EXAMPLES: [&str; 4] = ["com.example.", "org.example.", "example.", "com.mycompany."];

/// Whether the jar is an agent, and none of ours: it has neither our mark nor our Loader nor an attribute of ours.
pub(super) fn is_foreign(contents: &Contents<'_>) -> bool {
    if contents.contains(paths::SHARED) || contents.contains(paths::LOADER_CLASS) {
        return false;
    }
    let manifest = contents::manifest(contents.archive).ok().flatten().unwrap_or_default();
    if manifest.main.iter().any(|(name, _)| name.to_ascii_lowercase().starts_with(OWN)) {
        return false;
    }
    let entry = [attribute::PREMAIN_CLASS, attribute::AGENT_CLASS, attribute::LAUNCHER_AGENT_CLASS];
    let more = suffixes(&manifest);
    entry.iter().any(|name| manifest.main.get(name).is_some())
        || contents.files.keys().any(|path| masked_suffix(path, &more).is_some())
}

pub(super) fn check(contents: &Contents<'_>, report: &mut Report) {
    let manifest = match contents::manifest(contents.archive) {
        Ok(Some(manifest)) => manifest,
        Ok(None) => {
            report.fail(Kind::Manifest, format!("the jar has no `{}`", paths::MANIFEST));
            Manifest::default()
        }
        Err(problem) => {
            report.fail(Kind::Manifest, problem);
            Manifest::default()
        }
    };
    warn_of_order(contents, report);
    let sections = masked_classes(contents, &suffixes(&manifest), report);
    root_classes(contents, &sections, report);
    let allow = manifest.main.get(both::ATTRIBUTE).map(AllowBoth::of_attribute).unwrap_or_default();
    for (class, (_, section, path)) in in_both(&sections, contents.files.keys().copied()) {
        if !allow.allows(class) {
            report.fail(
                Kind::ClassTwice,
                format!("`{}`, in the section `{}` at `{path}`", dotted(class), section.name()),
            );
        }
    }
    entry_classes(contents, &manifest, &sections, report);
    services(contents, &sections, report);
    warn_of_versions(contents, &manifest, &sections, report);
    let names = contents.archive.entries().iter().map(|entry| entry.name.as_str());
    report.warnings.extend(case_warnings(&case_clashes(names)));
}

/// The JVM finds the manifest wherever it is, but readers of streams do not.
fn warn_of_order(contents: &Contents<'_>, report: &mut Report) {
    let mut names = contents.archive.entries().iter().map(|entry| entry.name.as_str()).peekable();
    names.next_if_eq(&paths::META_INF);
    if contents.contains(paths::MANIFEST) && names.next() != Some(paths::MANIFEST) {
        report.warnings.push(format!(
            "`{}` is not the first file, so that readers of streams such as `JarInputStream` see no manifest",
            paths::MANIFEST
        ));
    }
}

/// Checks the classes with a suffix of their own, whose names tell the sections.
fn masked_classes(contents: &Contents<'_>, more: &[String], report: &mut Report) -> Sections {
    let mut sections = Sections::default();
    for (&path, file) in &contents.files {
        let Some(suffix) = masked_suffix(path, more) else { continue };
        match &file.class {
            None => {}
            Some(Err(problem)) => report.fail(Kind::ClassFile, problem.clone()),
            Some(Ok(class)) => match section_of(path, suffix, &class.name) {
                Some(section) => {
                    *report.sections.entry(section.name().to_owned()).or_default() += 1;
                    sections.add(section);
                }
                None if path.strip_suffix(suffix) == Some(&class.name) => {}
                None => report.fail(Kind::ClassFile, format!("`{path}` holds `{}`", dotted(&class.name))),
            },
        }
    }
    sections
}

fn root_classes(contents: &Contents<'_>, sections: &Sections, report: &mut Report) {
    for (&path, file) in &contents.files {
        let located = sections.locate(path);
        let Some(name) = located.class().filter(|_| located.section.is_none()) else { continue };
        match &file.class {
            Some(Err(problem)) if sections.folder_of(path).is_none() => {
                report.fail(Kind::ClassFile, problem.clone());
            }
            // In a section it is a resource of whoever reads it.
            Some(Ok(class)) if class.name != name && sections.folder_of(path).is_none() => {
                report.fail(Kind::ClassFile, format!("`{path}` holds `{}`", dotted(&class.name)));
            }
            _ => {}
        }
    }
}

/// The classes that the JVM starts are at the root, with the method that it calls.
fn entry_classes(contents: &Contents<'_>, manifest: &Manifest, sections: &Sections, report: &mut Report) {
    let main = &manifest.main;
    if main.get(attribute::PREMAIN_CLASS).or_else(|| main.get(attribute::AGENT_CLASS)).is_none() {
        let (one, other) = (attribute::PREMAIN_CLASS, attribute::AGENT_CLASS);
        report.fail(Kind::Attribute, format!("`{one}` and `{other}` are missing"));
    }
    let mut warned = BTreeSet::new();
    for (name, method, descriptors) in [
        (attribute::PREMAIN_CLASS, "premain", &AGENT_METHOD[..]),
        (attribute::AGENT_CLASS, "agentmain", &AGENT_METHOD),
        (attribute::LAUNCHER_AGENT_CLASS, "agentmain", &AGENT_METHOD),
        (attribute::MAIN_CLASS, "main", &MAIN_METHOD),
    ] {
        let Some(class) = main.get(name).map(str::trim) else { continue };
        let path = format!("{}{}", slashed(class), paths::CLASS_SUFFIX);
        if !contents.contains(&path) {
            let masked = sections.sorted().into_iter().map(|section| masked_path(section, class));
            let masked = masked.into_iter().find(|path| contents.contains(path));
            let masked = masked.map_or_else(String::new, |path| format!("; it is masked at `{path}`"));
            report.fail(Kind::MissingClass, format!("`{path}`, which `{name}` names{masked}"));
        } else if let Some(found) = contents.class(&path)
            && has_method(contents, found, method, descriptors) == Some(false)
        {
            report
                .fail(Kind::EntryMethod, format!("`{path}` has no `public static void {method}` as `{name}` needs it"));
        }
        // `java -jar` runs in a JVM of its own.
        if name != attribute::MAIN_CLASS && warned.insert(class.to_owned()) {
            report.warnings.extend(well_known(name, class));
        }
    }
}

fn masked_path(section: &Section, class: &str) -> String {
    format!("{}{}{}", section.folder, slashed(class), section.suffix)
}

/// Whether a class has or inherits the method; nothing where that depends on a class outside of the jar. A `main` method
/// may be an instance's since Java 25.
fn has_method(contents: &Contents<'_>, class: &Class, method: &str, descriptors: &[&str]) -> Option<bool> {
    let mut class = class;
    let mut seen = BTreeSet::new();
    loop {
        let has = |descriptor: &str| match method {
            "main" => class.methods.iter().any(|found| found.name == method),
            _ => class.has_public_static(method, descriptor),
        };
        if descriptors.iter().any(|descriptor| has(descriptor)) {
            return Some(true);
        }
        // The superclass comes first among the supertypes.
        match class.supertypes.first() {
            Some(parent) if parent != "java/lang/Object" && seen.insert(parent) => {
                class = contents.class(&format!("{parent}{}", paths::CLASS_SUFFIX))?;
            }
            _ => return Some(false),
        }
    }
}

/// Two agents in one JVM share the system class loader, so that of two classes of one name the first one runs for both.
fn well_known(attribute: &str, class: &str) -> Option<String> {
    let why = if !class.contains('.') {
        "is in the default package".to_owned()
    } else if let Some((_, whose)) = KNOWN.iter().find(|(known, _)| *known == class) {
        format!("is that of {whose}")
    } else if EXAMPLES.iter().any(|package| class.starts_with(package)) {
        "is in a package that examples use".to_owned()
    } else {
        return None;
    };
    Some(format!(
        "`{attribute}` {why}: `{class}`; where another agent or the class path of a JVM has a class of this name, the first \
         one runs for both, without a word"
    ))
}

/// Applications find service files of the root; those of a section are its loader's.
fn services(contents: &Contents<'_>, sections: &Sections, report: &mut Report) {
    let mut nowhere = Vec::new();
    for &path in contents.files.keys() {
        let located = sections.locate(path);
        let Some(service) = located.inner.strip_prefix(SERVICES) else { continue };
        if service.is_empty() || service.contains('/') {
            continue;
        }
        let Some(bytes) = contents.bytes(path) else { continue };
        for provider in providers(&String::from_utf8_lossy(&bytes)) {
            let at_root = contents.contains(&format!("{}{}", slashed(provider), paths::CLASS_SUFFIX));
            let masked = sections.sorted().into_iter().map(|section| masked_path(section, provider));
            let masked = masked.into_iter().find(|place| contents.contains(place));
            match (located.section, at_root, masked) {
                (None, false, Some(masked)) => report.fail(
                    Kind::Root,
                    format!("`{path}`: applications would look for a provider that is masked at `{masked}`"),
                ),
                (_, false, None) => nowhere.push(format!("`{provider}` of `{path}`")),
                _ => {}
            }
        }
    }
    if !nowhere.is_empty() {
        let shown = nowhere.iter().take(SAMPLES).cloned().collect::<Vec<_>>().join(", ");
        let more = nowhere.len().saturating_sub(SAMPLES);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        report.warnings.push(format!("service files name providers that the jar does not have: {shown}{more}"));
    }
}

/// Copies below the root's `META-INF/versions` count in a multi-release jar only.
fn warn_of_versions(contents: &Contents<'_>, manifest: &Manifest, sections: &Sections, report: &mut Report) {
    let value = manifest.main.get(attribute::MULTI_RELEASE).unwrap_or("absent");
    if value.trim().eq_ignore_ascii_case("true") {
        return;
    }
    let copies = |path: &&&str| path.starts_with(VERSIONS) && sections.locate(path).version.is_some();
    if let Some(first) = contents.files.keys().find(copies) {
        report.warnings.push(format!(
            "files below `{VERSIONS}` are ignored, since `Multi-Release` is {value}: `{first}` for instance"
        ));
    }
}
