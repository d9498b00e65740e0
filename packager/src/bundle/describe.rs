//! The description of an extension: `extension.toml`, completed by what its classes and an older file say.

use std::collections::BTreeSet;

use classfile::{Annotation, ElementValue};
use manifests::extension::ExtensionMetadata;

use super::collect::File;
use super::error::Error;
use super::services::Stated;
use crate::error::Result;
use crate::extension::project::Project;
use crate::extension::{LEGACY, Legacy, parse_legacy};
use crate::origin::Origin;
use crate::printer::Printer;

/// A value with its place, where nothing is said it is empty.
struct Found<'a> {
    value: &'a str,
    origin: &'a Origin,
}

/// The least Java that is claimed.
#[derive(Debug)]
pub(super) struct Claim {
    /// Such as `8+`.
    pub(super) version: String,
    /// Where, for messages.
    pub(super) place: String,
}

impl<'a> Found<'a> {
    fn at(origin: &'a Origin, value: &'a str) -> Self {
        Self { value, origin }
    }
}

/// Describes the extension; `legacy` are descriptions of old. What they claim of Java is for the classes to confirm.
///
/// # Errors
/// Two places say different things.
pub(super) fn describe(
    project: &Project,
    stated: &Stated,
    legacy: Vec<Legacy>,
    printer: &Printer,
) -> Result<(ExtensionMetadata, Option<Claim>)> {
    let toml = &project.toml;
    let mut metadata = ExtensionMetadata::new(&toml.id)?;
    metadata.version.clone_from(&toml.version);
    metadata.name.clone_from(&toml.name);
    metadata.description.clone_from(&toml.description);
    metadata.requires.clone_from(&toml.requires);
    metadata.configurator.clone_from(&toml.configurator);
    metadata.settings.clone_from(&toml.settings);
    metadata.settings.sort_by(|one, two| one.name.cmp(&two.name));
    metadata.reasons.clone_from(&toml.permissions);
    metadata.reasons.sort();
    metadata.services = stated.services.iter().cloned().collect();
    let mut least = toml.api_version.clone().map(|version| with_plus(&version));
    if let Some((descriptor, origin)) = &stated.descriptor {
        let text = |element| descriptor.element(element).and_then(ElementValue::as_str).unwrap_or_default();
        let found = |element| Found { value: text(element), origin };
        same(project, "version", &toml.version, &found("version"))?;
        fill(project, "name", &mut metadata.name, &found("name"))?;
        fill(project, "description", &mut metadata.description, &found("description"))?;
        let version = with_plus(text("minBTraceVersion"));
        fill(project, "api-version", &mut least, &Found { value: &version, origin })?;
        report_dependencies(project, descriptor, origin, printer);
    }
    let mut java = toml
        .java_version
        .clone()
        .map(|version| Claim { version, place: format!("`java-version` of `{}`", project.origin) });
    for old in legacy {
        take(project, old, &mut metadata, &mut least, &mut java, printer)?;
    }
    if let Some(least) = least {
        metadata.api_version = least;
    }
    Ok((metadata, java))
}

/// Completes the description by one of old.
fn take(
    project: &Project,
    old: Legacy,
    metadata: &mut ExtensionMetadata,
    least: &mut Option<String>,
    java: &mut Option<Claim>,
    printer: &Printer,
) -> Result<()> {
    let Legacy { metadata: old, properties, origin } = old;
    let toml = &project.toml;
    let says = |key: &str| properties.get(key).is_some_and(|value| !value.trim().is_empty());
    same(project, "id", &toml.id, &Found::at(&origin, &old.id))?;
    if says("extension.version") {
        same(project, "version", &toml.version, &Found::at(&origin, &old.version))?;
    }
    fill(project, "name", &mut metadata.name, &Found::at(&origin, old.name.as_deref().unwrap_or_default()))?;
    fill(
        project,
        "description",
        &mut metadata.description,
        &Found::at(&origin, old.description.as_deref().unwrap_or_default()),
    )?;
    if says("btrace.api.version") {
        fill(project, "api-version", least, &Found::at(&origin, &with_plus(&old.api_version)))?;
    }
    if says("java.version") {
        match java {
            Some(stated) => same(
                project,
                "java-version",
                &with_plus(&stated.version),
                &Found::at(&origin, &with_plus(&old.java_version)),
            )?,
            None => *java = Some(Claim { version: old.java_version, place: format!("`java.version` of {origin}") }),
        }
    }
    let list =
        |items: &[String]| items.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
    if metadata.requires.is_empty() {
        metadata.requires = old.requires;
    } else {
        same(project, "requires", &list(&metadata.requires), &Found::at(&origin, &list(&old.requires)))?;
    }
    if !toml.services.is_empty() {
        same(project, "services", &list(&toml.services), &Found::at(&origin, &list(&old.services)))?;
    }
    let moved: Vec<String> = old
        .shaded_packages
        .into_iter()
        .filter(|rule| !toml.shade.contains(rule))
        .map(|(from, to)| format!("`{from}` to `{to}`"))
        .collect();
    if !moved.is_empty() {
        printer.warning(&format!(
            "`shaded.packages` of {origin} moves nothing: {}; hint: write what is to move under `[shade]` of `{}`",
            moved.join(", "),
            project.origin
        ));
    }
    Ok(())
}

/// Takes the descriptions of old out of the files: they do not become part of the extension.
///
/// # Errors
/// One is malformed.
pub(super) fn legacy(files: &mut Vec<File>, printer: &Printer) -> Result<Vec<Legacy>> {
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    for file in files.extract_if(.., |file| LEGACY.contains(&file.path.as_str())) {
        found.push(parse_legacy(&file.content.read()?, file.origin, &mut notes)?);
    }
    for note in notes {
        printer.warning(&note);
    }
    Ok(found)
}

/// `3.0+` for `3.0`; nothing stays nothing.
fn with_plus(version: &str) -> String {
    if version.is_empty() || version.ends_with('+') { version.to_owned() } else { format!("{version}+") }
}

/// Takes what was found where nothing is stated.
fn fill(project: &Project, key: &'static str, target: &mut Option<String>, found: &Found<'_>) -> Result<()> {
    if let Some(stated) = target {
        return same(project, key, stated, found);
    }
    *target = Some(found.value.to_owned()).filter(|value| !value.is_empty());
    Ok(())
}

fn same(project: &Project, key: &'static str, stated: &str, found: &Found<'_>) -> Result<()> {
    if found.value.is_empty() || found.value == stated {
        return Ok(());
    }
    Err(Error::Disagree {
        at: project.origin.clone(),
        key,
        stated: stated.to_owned(),
        found: found.value.to_owned(),
        origin: Box::new(found.origin.clone()),
    }
    .into())
}

/// The annotation names classes where ids are needed.
fn report_dependencies(project: &Project, descriptor: &Annotation, origin: &Origin, printer: &Printer) {
    let named = descriptor.element("dependencies").and_then(ElementValue::as_array).unwrap_or_default();
    let count = named.len();
    if count > project.toml.requires.len() {
        printer.warning(&format!(
            "`dependencies` of {origin} names classes, {count}, which do not tell the ids of extensions; hint: list those with \
             `requires` of `{}`",
            project.origin
        ));
    }
}
