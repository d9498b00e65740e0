//! One file of an input, before it is decided what becomes of it.

use std::sync::Arc;

use crate::archive::{Archive, Entry};
use crate::error::Result;
use crate::origin::Origin;

/// One file of an input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    /// The input.
    pub(crate) archive: &'a Arc<Archive>,
    /// The file's index in it.
    pub(crate) index: usize,
}

impl Part<'_> {
    /// Its record.
    pub(crate) fn entry(&self) -> &Entry {
        &self.archive.entries()[self.index]
    }

    /// Where it comes from.
    pub(crate) fn origin(&self) -> Origin {
        self.archive.origin(self.index)
    }

    /// Its bytes.
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        self.archive.read(self.index)
    }

    /// Whether both hold the same bytes. Size and CRC-32 come first, then the compressed bytes; only where those differ,
    /// as with another compressor, both are inflated.
    pub(crate) fn same_as(&self, other: &Self) -> Result<bool> {
        let (one, two) = (self.entry(), other.entry());
        if (one.size, one.crc32) != (two.size, two.crc32) {
            return Ok(false);
        }
        if (one.compressed_size, one.stored) == (two.compressed_size, two.stored)
            && self.archive.read_raw(self.index)? == other.archive.read_raw(other.index)?
        {
            return Ok(true);
        }
        Ok(self.read()? == other.read()?)
    }
}
