//! Manifests of jars and folders, read in one way wherever they lie.

use manifests::manifest::Manifest;

use crate::archive::Archive;
use crate::error::{Error, Result};
use crate::origin::Origin;
use crate::paths;

/// Reads a manifest, which `origin` is the place of.
///
/// # Errors
/// It is malformed.
pub(crate) fn parse(bytes: &[u8], origin: &Origin) -> Result<Manifest> {
    Manifest::parse(bytes)
        .map_err(|source| Error::Format { origin: Box::new(origin.clone()), source: Box::new(source) })
}

/// Reads the manifest that the entry at `index` holds.
///
/// # Errors
/// It is unreadable or malformed.
pub(crate) fn at(archive: &Archive, index: usize) -> Result<Manifest> {
    parse(&archive.read(index)?, &archive.origin(index))
}

/// Reads the manifest of a jar; nothing where it has none.
///
/// # Errors
/// As [`at`].
pub(crate) fn of(archive: &Archive) -> Result<Option<Manifest>> {
    archive.index_of(paths::MANIFEST).map(|index| at(archive, index)).transpose()
}
