//! Archives within archives.

use std::path::Path;

use super::{Archive, Limits};
use crate::error::{Error, Result};

/// Ends of the names of archives.
const ENDS: [&str; 4] = [".jar", ".zip", ".war", ".ear"];

/// How deep archives in archives are looked into.
pub(crate) const DEPTH: usize = 4;

/// Whether a file is an archive, by its name.
pub(crate) fn is_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ENDS.iter().any(|end| name.ends_with(end))
}

/// What one archive and all archives within it may hold together.
pub(crate) struct Budget<'a> {
    jar: &'a Path,
    limits: Limits,
    entries: usize,
    bytes: u64,
}

impl<'a> Budget<'a> {
    /// That of `archive`, whose own entries are not spent yet.
    pub(crate) fn of(archive: &'a Archive) -> Self {
        Self { jar: archive.label(), limits: archive.limits(), entries: 0, bytes: 0 }
    }

    /// Spends the entries of one of them.
    ///
    /// # Errors
    /// All together are more than the limits of reading allow.
    pub(crate) fn spend(&mut self, archive: &Archive) -> Result<()> {
        self.entries += archive.entries().len();
        self.bytes = archive.entries().iter().fold(self.bytes, |sum, entry| sum.saturating_add(entry.size));
        let (jar, limits) = (|| self.jar.to_owned(), self.limits);
        if self.entries > limits.entries {
            return Err(Error::TooManyEntries { jar: jar(), limit: limits.entries, got: self.entries });
        }
        if self.bytes > limits.total_bytes {
            return Err(Error::ArchiveTooLarge { jar: jar(), limit: limits.total_bytes });
        }
        Ok(())
    }
}
