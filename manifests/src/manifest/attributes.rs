//! A section's attributes.

use crate::Error;

/// Attributes of one section, in the order written. Names ignore case and keep their spelling; every name and value is
/// one that a manifest can carry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    entries: Vec<(String, String)>,
}

impl Attributes {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.position(name).map(|at| self.entries[at].1.as_str())
    }

    /// Sets an attribute: an existing one keeps position and spelling, a new one goes to the end.
    ///
    /// Fails with [`Error::ManifestName`] or [`Error::ManifestValue`] for what a manifest cannot carry.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        if !is_name(name.as_bytes()) {
            return Err(Error::ManifestName { name: name.to_owned() });
        }
        if value.contains(['\r', '\n', '\0']) {
            return Err(Error::ManifestValue { name: name.to_owned(), value: value.to_owned() });
        }
        match self.position(name) {
            Some(at) => value.clone_into(&mut self.entries[at].1),
            None => self.entries.push((name.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    /// Removes an attribute and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        self.position(name).map(|at| self.entries.remove(at).1)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no attribute.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
    }
}

/// Whether the bytes are an attribute name. 70 bytes are the specification's limit: with the colon and the space the
/// name then fills a line.
pub(super) fn is_name(name: &[u8]) -> bool {
    (1..=70).contains(&name.len())
        && name[0].is_ascii_alphanumeric()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
