//! The description of old, `btrace-extension.properties`: read, never written.

use manifests::extension::{ExtensionMetadata, LEGACY_KEYS, unknown_keys};
use manifests::permission::format_list;
use manifests::properties::Properties;

use super::{Extension, Resource, format_error, permissions};
use crate::archive::{Archive, Limits};
use crate::error::Result;
use crate::origin::Origin;

/// Where older tools put it.
pub(crate) const FILES: [&str; 2] = ["btrace-extension.properties", "META-INF/btrace-extension.properties"];

/// A description of old that was read.
#[derive(Debug)]
pub(crate) struct Legacy {
    /// What it says, with defaults for the rest.
    pub(crate) metadata: ExtensionMetadata,
    /// What it says and no more.
    pub(crate) properties: Properties,
    /// Where it is.
    pub(crate) origin: Origin,
}

/// Reads a description of old. The first note is the one line that is said about every such file.
///
/// # Errors
/// It is malformed.
pub(crate) fn parse(bytes: &[u8], origin: Origin, notes: &mut Vec<String>) -> Result<Legacy> {
    let properties = Properties::parse(bytes).map_err(|source| format_error(&origin, source))?;
    notes.push(format!(
        "{origin} is deprecated: describe the extension in `extension.toml`, from which `fatagent extension build` makes the \
         manifest"
    ));
    for (key, nearest) in unknown_keys(&properties, LEGACY_KEYS) {
        let nearest = nearest.map(|nearest| format!(", did you mean `{nearest}`?")).unwrap_or_default();
        notes.push(format!("{origin} has an unknown key: `{key}`{nearest}"));
    }
    let metadata =
        ExtensionMetadata::from_legacy_properties(&properties).map_err(|source| format_error(&origin, source))?;
    Ok(Legacy { metadata, properties, origin })
}

/// The description in a jar, if it has one.
///
/// # Errors
/// It is malformed.
pub(super) fn of_jar(jar: &Archive, notes: &mut Vec<String>) -> Result<Option<Legacy>> {
    let Some(index) = FILES.iter().find_map(|name| jar.index_of(name)) else { return Ok(None) };
    parse(&jar.read(index)?, jar.origin(index), notes).map(Some)
}

/// Leaves out files of that name, with a note about each that is not the one at `counts`, which describes the extension.
pub(super) fn leave_out(resources: &mut Vec<Resource>, counts: &Origin, notes: &mut Vec<String>) {
    for resource in resources.extract_if(.., |resource| FILES.contains(&resource.path.as_str())) {
        if resource.origin != *counts {
            notes.push(format!("{} is left out: {counts} describes the extension", resource.origin));
        }
    }
}

/// Such an extension declares nothing: what the scan finds is declared for it.
///
/// # Errors
/// It cannot be scanned.
pub(super) fn declare(extension: &mut Extension, limits: Limits) -> Result<()> {
    let found = permissions::scan(extension, limits)?.declared();
    let list = if found.is_empty() { "none".to_owned() } else { format_list(&found) };
    let id = extension.id();
    extension
        .notes
        .push(format!("extension `{id}` says nothing of permissions: what its code needs is declared, {list}"));
    extension.metadata.permissions = Some(found);
    Ok(())
}
