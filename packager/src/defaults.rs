//! The defaults that a fat agent carries, as they are read from a jar: settings, policy, limits.

use manifests::arguments;
use manifests::policy::Policy;
use manifests::properties::Properties;

use crate::archive::Archive;
use crate::error::{Error, Result};
use crate::paths;

/// A properties file of a jar; nothing when the jar has none.
///
/// # Errors
/// It is malformed.
pub(crate) fn properties(archive: &Archive, name: &str) -> Result<Option<Properties>> {
    read(archive, name, Properties::parse_once)
}

/// The policy of a jar; nothing when the jar has none, so that the default one counts.
///
/// # Errors
/// It is malformed.
pub(crate) fn policy(archive: &Archive) -> Result<Option<Policy>> {
    read(archive, paths::PERMISSIONS_PROPERTIES, |bytes| Policy::from_properties(&Properties::parse_once(bytes)?))
}

/// Names and values of the limits among agent arguments.
pub(crate) fn limits(arguments: &[(String, String)]) -> impl Iterator<Item = &(String, String)> {
    arguments.iter().filter(|(key, _)| is_limit(key))
}

/// Whether an agent argument is a limit.
pub(crate) fn is_limit(key: &str) -> bool {
    arguments::LIMITS.contains(&key)
}

/// Parses one text of a jar; nothing when the jar has none.
pub(crate) fn read<T>(
    archive: &Archive,
    name: &str,
    parse: impl FnOnce(&[u8]) -> Result<T, manifests::Error>,
) -> Result<Option<T>> {
    let Some(index) = archive.index_of(name) else { return Ok(None) };
    let value = parse(&archive.read(index)?)
        .map_err(|source| Error::Format { origin: Box::new(archive.origin(index)), source: Box::new(source) })?;
    Ok(Some(value))
}
