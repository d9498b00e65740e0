//! One file of an input, before it is decided what becomes of it.

use std::path::Path;
use std::sync::Arc;

use super::relocate::{Relocation, is_class};
use super::relocated_file;
use crate::archive::{Archive, Entry};
use crate::assemble::Content;
use crate::error::Result;
use crate::origin::Origin;

/// One file of an input.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    /// An entry of a jar.
    Entry {
        /// The input.
        archive: &'a Arc<Archive>,
        /// The file's index in it.
        index: usize,
    },
    /// An entry of a jar whose classes move.
    Moved {
        /// The input.
        archive: &'a Arc<Archive>,
        /// The file's index in it.
        index: usize,
        /// What its path is in an ordinary jar, without versions, by which its kind is known.
        plain: &'a str,
        /// How they move.
        relocation: &'a Arc<Relocation>,
    },
    /// A file on disk.
    File(&'a Path),
}

impl<'a> Part<'a> {
    /// Its record, if it is an entry.
    fn entry(&self) -> Option<&'a Entry> {
        match *self {
            Self::Entry { archive, index } | Self::Moved { archive, index, .. } => Some(&archive.entries()[index]),
            Self::File(_) => None,
        }
    }

    /// Its name in the jar that it comes from.
    pub(crate) fn name(&self) -> Option<&'a str> {
        self.entry().map(|entry| entry.name.as_str())
    }

    /// Where it comes from.
    pub(crate) fn origin(&self) -> Origin {
        match *self {
            Self::Entry { archive, index } | Self::Moved { archive, index, .. } => archive.origin(index),
            Self::File(path) => Origin::File(path.to_owned()),
        }
    }

    /// The jar that it comes from, or the file itself.
    pub(crate) fn input(&self) -> &'a Path {
        match *self {
            Self::Entry { archive, .. } | Self::Moved { archive, .. } => archive.label(),
            Self::File(path) => path,
        }
    }

    /// Its bytes, as they are after a move.
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        match *self {
            Self::Entry { archive, index } => archive.read(index),
            Self::Moved { .. } => self.content()?.read(),
            Self::File(path) => Ok(fs_err::read(path)?),
        }
    }

    /// It as the content of a file of the output.
    ///
    /// # Errors
    /// It is malformed and of a kind that names classes which move.
    pub(crate) fn content(&self) -> Result<Content> {
        Ok(match *self {
            Self::Entry { archive, index } => Content::Entry { archive: Arc::clone(archive), index },
            Self::Moved { archive, index, plain, relocation } if is_class(plain) => {
                Content::Moved { archive: Arc::clone(archive), index, relocation: Arc::clone(relocation) }
            }
            Self::Moved { archive, index, plain, relocation } => {
                let content = Content::Entry { archive: Arc::clone(archive), index };
                relocated_file(plain, &content, &self.origin(), relocation)?.unwrap_or(content)
            }
            Self::File(path) => Content::File(path.to_owned()),
        })
    }

    /// Whether both hold the same bytes. Size and CRC-32 come first, then the compressed bytes; only where those differ,
    /// as with another compressor, both are inflated.
    pub(crate) fn same_as(&self, other: &Self) -> Result<bool> {
        if let (Self::Entry { archive, index }, Self::Entry { archive: other, index: at }) = (*self, *other) {
            let (one, two) = (&archive.entries()[index], &other.entries()[at]);
            if (one.size, one.crc32) != (two.size, two.crc32) {
                return Ok(false);
            }
            if (one.compressed_size, one.stored) == (two.compressed_size, two.stored)
                && archive.read_raw(index)? == other.read_raw(at)?
            {
                return Ok(true);
            }
        }
        Ok(self.read()? == other.read()?)
    }
}
