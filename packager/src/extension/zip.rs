//! Extensions as zips: one API jar and one implementation jar at the root, perhaps `extension.properties` and checksums.

use super::ExtensionError;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use manifests::extension::{ExtensionMetadata, PROPERTY_KEYS, unknown_keys};
use manifests::properties::Properties;

use super::{
    About, Extension, ExtensionClass, Resource, check, checksums, describe, format_error, legacy, papers, pieces,
};
use crate::archive::{Archive, Limits};
use crate::class::dotted;
use crate::error::{Error, Result};
use crate::manifest_file;
use crate::origin::Place;
use crate::paths;

/// Ends of the names of the two jars.
const API_JAR: &str = "-api.jar";
const IMPL_JAR: &str = "-impl.jar";

pub(super) fn read(path: &Path, limits: Limits) -> Result<Extension> {
    of_archive(&Archive::open_with(path, limits)?, path, limits)
}

/// Reads the extension in `archive`, which comes from `source`.
pub(super) fn of_archive(archive: &Archive, source: &Path, limits: Limits) -> Result<Extension> {
    let not = |reason: String| -> Error {
        ExtensionError::NotAnExtension { path: archive.label().to_owned(), reason }.into()
    };
    checksums::check(archive)?;
    let api_index = only(archive, API_JAR).map_err(not)?;
    let api = Arc::new(archive.nested(api_index)?);
    let Some(index) = api.index_of(paths::MANIFEST) else {
        return Err(not(format!("`{}` has no manifest", api.label().display())));
    };
    let (manifest, origin) = (manifest_file::at(&api, index)?, api.origin(index));
    let mut notes = Vec::new();
    let described = describe(&manifest, &origin)?;
    let is_legacy = described.is_none();
    let (mut metadata, origin) = if let Some(metadata) = described {
        (metadata, origin)
    } else {
        let old = legacy::of_jar(&api, &mut notes)?
            .ok_or_else(|| not(format!("`BTrace-Extension-Id` is absent from {origin}")))?;
        (old.metadata, old.origin)
    };
    let impl_index = match &metadata.implementation {
        Some(name) => archive.index_of(name).ok_or_else(|| not(format!("it has no `{name}`, which {origin} names")))?,
        None => only(archive, IMPL_JAR).map_err(not)?,
    };
    let implementation = Arc::new(archive.nested(impl_index)?);

    if let Some(index) = archive.index_of(paths::EXTENSION_PROPERTIES) {
        let at = archive.origin(index);
        let properties = Properties::parse(&archive.read(index)?).map_err(|source| format_error(&at, source))?;
        for (key, nearest) in unknown_keys(&properties, PROPERTY_KEYS) {
            let nearest = nearest.map(|nearest| format!(", did you mean `{nearest}`?")).unwrap_or_default();
            notes.push(format!("{at} has an unknown key: `{key}`{nearest}"));
        }
        let more = ExtensionMetadata::from_properties(&properties, &metadata.id)
            .map_err(|source| format_error(&at, source))?;
        metadata.complete(more);
        let overruled = overruled(&metadata, &properties);
        if !overruled.is_empty() {
            notes.push(format!("{origin} says otherwise than {at}, and counts: {}", overruled.join("; ")));
        }
    }
    let described = [paths::EXTENSION_PROPERTIES, paths::CLASSES_INDEX, checksums::FILE];
    for (index, entry) in archive.entries().iter().enumerate() {
        let used = index == api_index || index == impl_index || described.contains(&entry.name.as_str());
        // Licence and readme are for those who take the zip.
        if !used && !entry.is_dir() && !papers::is_paper(&entry.name) {
            notes.push(format!("{} is not embedded", archive.origin(index)));
        }
    }

    let about = About::new(manifest_file::of(&implementation)?.unwrap_or_default());
    let api = pieces::sort(pieces::of_archive(&api), &about)?;
    let hidden = pieces::sort(pieces::of_archive(&implementation), &about)?;
    notes.extend(api.notes);
    notes.extend(hidden.notes);
    let classes = without_api_copies(&api.classes, hidden.classes, &mut notes)?;
    let mut resources: Vec<Resource> = api.resources.into_iter().chain(hidden.resources).collect();
    legacy::leave_out(&mut resources, &origin, &mut notes);
    let mut extension = Extension {
        metadata,
        source: source.to_owned(),
        api: api.classes,
        implementation: classes,
        resources,
        about,
        probes: api.probes.into_iter().chain(hidden.probes).collect(),
        notes,
    };
    if is_legacy {
        legacy::declare(&mut extension, limits)?;
    }
    check::check(&extension, &origin)?;
    extension.metadata.exports = check::exports(&extension);
    check::note_versioned_api(&mut extension);
    Ok(extension)
}

/// The index of the only entry at the root whose name ends so.
fn only(archive: &Archive, suffix: &str) -> Result<usize, String> {
    let mut found = Vec::new();
    for (index, entry) in archive.entries().iter().enumerate() {
        if entry.name.ends_with(suffix) && !entry.name.contains('/') {
            found.push(index);
        }
    }
    match found[..] {
        [index] => Ok(index),
        [] => Err(format!("it has no `*{suffix}` at its root")),
        _ => Err(format!("it has more than one `*{suffix}` at its root")),
    }
}

/// The keys of `properties` with another value than `metadata`, each with both.
fn overruled(metadata: &ExtensionMetadata, properties: &Properties) -> Vec<String> {
    // The order of a list says nothing, nor does the plus sign of a least version.
    let parts = |value: &str| -> Vec<String> {
        let parts = value.split(',').map(|part| part.trim().trim_end_matches('+').to_owned());
        let mut parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        parts.sort_unstable();
        parts
    };
    let said = metadata.to_properties();
    let mut differing = Vec::new();
    for key in PROPERTY_KEYS {
        let Some(other) = properties.get(key) else { continue };
        match said.get(key) {
            Some(counts) if parts(counts) == parts(other) => {}
            None if other.trim().is_empty() => {}
            Some(counts) => differing.push(format!("`{key}` is `{counts}`, not `{other}`")),
            None => differing.push(format!("`{key}` is not given, instead of `{other}`")),
        }
    }
    differing
}

/// Leaves out the implementation's copies of API classes, which the bootstrap loader would hide anyway.
fn without_api_copies(
    api: &[ExtensionClass],
    classes: Vec<ExtensionClass>,
    notes: &mut Vec<String>,
) -> Result<Vec<ExtensionClass>> {
    let api: BTreeMap<&str, &ExtensionClass> = api.iter().map(|class| (class.class.name.as_str(), class)).collect();
    let mut kept = Vec::with_capacity(classes.len());
    for class in classes {
        match api.get(class.class.name.as_str()) {
            None => kept.push(class),
            Some(first) if first.sha256 == class.sha256 => {
                notes.push(format!("{} is left out: the same class is in the API", class.origin));
            }
            Some(first) => {
                return Err(Error::ClassTwice {
                    class: dotted(&class.class.name),
                    first: Box::new(Place { what: "an API class".into(), origin: first.origin.clone() }),
                    second: Box::new(Place { what: "an implementation class".into(), origin: class.origin }),
                });
            }
        }
    }
    Ok(kept)
}
