//! The description of an extension: `extension.toml`, completed by what its classes and an older file say.

use classfile::{Annotation, ElementValue};
use manifests::extension::{DEFAULT_VERSION, ExtensionMetadata};
use manifests::properties::Properties;

use super::collect::File;
use super::error::Error;
use super::services::Stated;
use crate::error::Result;
use crate::extension::project::Project;
use crate::extension::{LEGACY, deprecated};
use crate::origin::Origin;
use crate::printer::Printer;

/// A value with its place, where nothing is said it is empty.
struct Found<'a> {
    value: &'a str,
    origin: &'a Origin,
}

/// Describes the extension; `legacy` are descriptions of old.
///
/// # Errors
/// Two places say different things.
pub(super) fn describe(
    project: &Project,
    stated: &Stated,
    legacy: Vec<(Origin, ExtensionMetadata)>,
    printer: &Printer,
) -> Result<ExtensionMetadata> {
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
    for (origin, old) in legacy {
        printer.warning(&deprecated(&origin));
        let found = |value| Found { value, origin: &origin };
        same(project, "id", &toml.id, &found(&old.id))?;
        if old.version != DEFAULT_VERSION {
            same(project, "version", &toml.version, &found(&old.version))?;
        }
        fill(project, "name", &mut metadata.name, &found(old.name.as_deref().unwrap_or_default()))?;
        fill(
            project,
            "description",
            &mut metadata.description,
            &found(old.description.as_deref().unwrap_or_default()),
        )?;
        if metadata.requires.is_empty() {
            metadata.requires = old.requires;
        }
    }
    if let Some(least) = least {
        metadata.api_version = least;
    }
    Ok(metadata)
}

/// Takes the descriptions of old out of the files: they do not become part of the extension.
///
/// # Errors
/// One is malformed.
pub(super) fn legacy(files: &mut Vec<File>) -> Result<Vec<(Origin, ExtensionMetadata)>> {
    let mut found = Vec::new();
    for file in files.extract_if(.., |file| LEGACY.contains(&file.path.as_str())) {
        let read = Properties::parse(&file.content.read()?)
            .and_then(|properties| ExtensionMetadata::from_legacy_properties(&properties));
        let metadata = read.map_err(|source| crate::error::Error::Format {
            origin: Box::new(file.origin.clone()),
            source: Box::new(source),
        })?;
        found.push((file.origin, metadata));
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
