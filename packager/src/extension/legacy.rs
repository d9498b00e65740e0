//! The description of old, `btrace-extension.properties`: read, never written.

use manifests::extension::{ExtensionMetadata, LEGACY_KEYS, unknown_keys};
use manifests::permission::format_list;
use manifests::properties::Properties;

use super::{Extension, format_error, permissions};
use crate::archive::{Archive, Limits};
use crate::error::Result;
use crate::origin::Origin;

/// Where older tools put it.
pub(crate) const FILES: [&str; 2] = ["btrace-extension.properties", "META-INF/btrace-extension.properties"];

/// The one line that is said about it.
pub(crate) fn deprecated(origin: &Origin) -> String {
    format!("{origin} is deprecated: describe the extension by `BTrace-Extension-*` attributes of the manifest")
}

/// Reads a description of old.
///
/// # Errors
/// It is malformed.
pub(super) fn parse(bytes: &[u8], origin: &Origin, notes: &mut Vec<String>) -> Result<ExtensionMetadata> {
    let properties = Properties::parse(bytes).map_err(|source| format_error(origin, source))?;
    notes.push(deprecated(origin));
    for (key, nearest) in unknown_keys(&properties, LEGACY_KEYS) {
        let nearest = nearest.map(|nearest| format!(", did you mean `{nearest}`?")).unwrap_or_default();
        notes.push(format!("{origin} has an unknown key: `{key}`{nearest}"));
    }
    ExtensionMetadata::from_legacy_properties(&properties).map_err(|source| format_error(origin, source))
}

/// The description in a jar, if it has one.
///
/// # Errors
/// It is malformed.
pub(super) fn of_jar(jar: &Archive, notes: &mut Vec<String>) -> Result<Option<ExtensionMetadata>> {
    let Some(index) = FILES.iter().find_map(|name| jar.index_of(name)) else { return Ok(None) };
    parse(&jar.read(index)?, &jar.origin(index), notes).map(Some)
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
