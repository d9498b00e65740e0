//! `META-INF/MANIFEST.MF`.

pub mod attribute;
mod attributes;
#[cfg(test)]
mod tests;
mod text;

pub use attributes::Attributes;
pub(crate) use text::shorten;

use crate::Error;

/// A manifest: main attributes and named sections, in the order written.
///
/// Several sections of one name are kept apart; the JVM joins them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Attributes of the jar.
    pub main: Attributes,
    sections: Vec<(String, Attributes)>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// Lines end with CR, LF or both, the last one also with the text. Values are joined as bytes before they are
    /// decoded, since writers split inside UTF-8 sequences. Names keep their spelling. As in the JVM, a colon is followed
    /// by one space; unlike there, an attribute repeated in a section is an error.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        text::parse(bytes)
    }

    /// Writes the manifest with CRLF, `Manifest-Version` first (`1.0` where there is none: without it the JVM ignores all
    /// others) and lines of at most 72 bytes, never split inside a character.
    ///
    /// Equal manifests give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        text::write(self)
    }

    /// Sections of entries: the value of `Name`, then the section's other attributes.
    pub fn sections(&self) -> &[(String, Attributes)] {
        &self.sections
    }

    /// Adds a section at the end; a `Name` among the attributes gives way to `name`.
    ///
    /// Fails with [`Error::ManifestValue`] for a name that a manifest cannot carry.
    pub fn add_section(&mut self, name: &str, mut attributes: Attributes) -> Result<(), Error> {
        Attributes::default().set(attribute::NAME, name)?;
        attributes.remove(attribute::NAME);
        self.sections.push((name.to_owned(), attributes));
        Ok(())
    }

    /// Keeps the sections for which `keep` holds.
    pub fn retain_sections(&mut self, mut keep: impl FnMut(&str, &Attributes) -> bool) {
        self.sections.retain(|(name, attributes)| keep(name, attributes));
    }

    /// Removes the digests that signing adds to the sections of entries, and the sections that held nothing else. They
    /// hold for one jar only.
    pub fn remove_digests(&mut self) {
        self.sections.retain_mut(|(_, attributes)| {
            let digests: Vec<String> =
                attributes.iter().map(|(name, _)| name).filter(|name| is_digest(name)).map(str::to_owned).collect();
            for name in &digests {
                attributes.remove(name);
            }
            digests.is_empty() || !attributes.is_empty()
        });
    }

    /// Attributes of the first section of this name.
    pub fn section(&self, name: &str) -> Option<&Attributes> {
        self.sections.iter().find(|(section, _)| section == name).map(|(_, attributes)| attributes)
    }
}

/// Whether an attribute is a digest of an entry, such as `SHA-256-Digest` or `SHA-Digest-de`.
fn is_digest(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("-digest") || name.contains("-digest-")
}
