//! Contents of entries as streams, so that an entry may be larger than the memory.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::Archive;
use super::source::{SharedReader, Source};
use crate::digest::Sha256Hex;
use crate::error::{Error, Result};

/// Deflated jars in jars up to this many inflated bytes are inflated in memory, larger ones into a temporary file.
const NESTED_IN_MEMORY: u64 = 8 << 20;

/// Counts what was read and keeps the error of the entry itself, whatever its reader makes of it.
struct Counting<'a> {
    inner: &'a mut dyn Read,
    count: u64,
    failure: Option<io::Error>,
}

impl Read for Counting<'_> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(target) {
            Ok(count) => {
                self.count += count as u64;
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let copy = io::Error::new(error.kind(), error.to_string());
                self.failure.get_or_insert(error);
                Err(copy)
            }
        }
    }
}

impl Archive {
    /// Gives the inflated bytes of the entry at `index` to `consume`, as a stream whose size and CRC-32 are checked. What
    /// `consume` leaves unread is read and checked too.
    ///
    /// # Errors
    /// The data is damaged, or longer or shorter than declared, or `consume` fails.
    pub(crate) fn stream<T>(&self, index: usize, consume: impl FnOnce(&mut dyn Read) -> Result<T>) -> Result<T> {
        let entry = &self.entries[index];
        // A clone shares the source but not the position, so that threads may read side by side.
        let mut zip = self.zip.clone();
        let file = zip.by_index(index).map_err(|error| self.damaged(index, error.into()))?;
        // One byte more than declared shows a declaration that is too small, without inflating a bomb.
        let mut limited = file.take(entry.size.saturating_add(1));
        let mut counting = Counting { inner: &mut limited, count: 0, failure: None };
        let result = consume(&mut counting);
        if let Some(error) = counting.failure {
            return Err(self.damaged(index, error));
        }
        let value = result?;
        io::copy(&mut counting, &mut io::sink()).map_err(|error| self.damaged(index, error))?;
        if counting.count == entry.size { Ok(value) } else { Err(self.wrong_size(index, counting.count > entry.size)) }
    }

    /// The inflated bytes of the entry called `name`, or nothing when there is none.
    ///
    /// # Errors
    /// As [`Archive::read`].
    pub fn read_name(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.index_of(name).map(|index| self.read(index)).transpose()
    }

    /// The SHA-256 of the inflated bytes of the entry at `index`, however many they are.
    ///
    /// # Errors
    /// The data is damaged, or longer or shorter than declared.
    pub fn sha256(&self, index: usize) -> Result<Sha256Hex> {
        self.stream(index, |reader| Sha256Hex::of_reader(reader).map_err(|error| self.damaged(index, error)))
    }

    /// Writes the bytes of the entry at `index` as they are stored, deflated or not.
    ///
    /// # Errors
    /// The archive is cut short, or `to` cannot be written.
    pub(crate) fn copy_raw(&self, index: usize, to: &mut dyn Write) -> Result<()> {
        let mut raw = self.raw(index);
        let copied = io::copy(&mut raw, to).map_err(|error| self.damaged(index, error))?;
        if copied == self.entries[index].compressed_size {
            Ok(())
        } else {
            Err(self.damaged(index, io::Error::from(io::ErrorKind::UnexpectedEof)))
        }
    }

    /// A reader of the bytes of the entry at `index` as they are stored.
    fn raw(&self, index: usize) -> SharedReader {
        self.bytes.part(self.starts[index], self.entries[index].compressed_size)
    }

    pub(super) fn damaged(&self, index: usize, source: io::Error) -> Error {
        Error::DamagedEntry { jar: self.label.clone(), entry: self.entries[index].name.clone(), source: source.into() }
    }

    pub(super) fn wrong_size(&self, index: usize, more: bool) -> Error {
        let entry = &self.entries[index];
        Error::WrongSize { jar: self.label.clone(), entry: entry.name.clone(), declared: entry.size, more }
    }

    /// Opens the jar that is the entry at `index`, under this archive's limits: a stored one in place, a deflated one
    /// inflated in memory or, when it is large, in a temporary file.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn nested(&self, index: usize) -> Result<Self> {
        let entry = &self.entries[index];
        let label = PathBuf::from(format!("{}!/{}", self.label.display(), entry.name));
        if entry.stored {
            // Other readers check the CRC-32 before they look inside.
            self.stream(index, |_| Ok(()))?;
            return Self::new(label, self.raw(index), self.limits);
        }
        if entry.size <= NESTED_IN_MEMORY.min(self.limits.memory_bytes) {
            return Self::from_memory(label, self.read(index)?, self.limits);
        }
        let mut file = tempfile::tempfile()?;
        self.stream(index, |reader| Ok(io::copy(reader, &mut file)?))?;
        file.seek(SeekFrom::Start(0))?;
        Self::new(label, SharedReader::new(Source::File(file), entry.size), self.limits)
    }
}
