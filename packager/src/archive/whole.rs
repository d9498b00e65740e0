//! Contents of entries that are read whole.
//!
//! A jar has thousands of entries of a few kilobytes. Each is read with one call at the place that is known since the
//! archive was opened, and inflated with state and memory that a thread keeps: making an inflater costs about as much as
//! inflating a class.

use std::cell::Cell;
use std::io;

use flate2::{Decompress, FlushDecompress, Status};

use super::Archive;
use crate::digest::crc32;
use crate::error::{Error, Result};

/// Entries of more bytes than these, compressed or inflated, are streamed, so that no thread keeps large memory.
const KEPT: u64 = 1 << 20;

thread_local! {
    static INFLATER: Cell<Option<Box<Inflater>>> = const { Cell::new(None) };
}

/// What a thread keeps from entry to entry.
struct Inflater {
    state: Decompress,
    /// The bytes of an entry as they are stored.
    raw: Vec<u8>,
    /// The same inflated.
    inflated: Vec<u8>,
}

impl Inflater {
    /// Lets `work` use this thread's inflater. It is taken out meanwhile, because `work` may read another entry.
    fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let fresh = || Box::new(Self { state: Decompress::new(false), raw: Vec::new(), inflated: Vec::new() });
        let mut inflater = INFLATER.take().unwrap_or_else(fresh);
        let value = work(&mut inflater);
        INFLATER.set(Some(inflater));
        value
    }

    /// Inflates what is in `raw`; of data that is longer than `size` the beginning, with at least one byte more.
    fn inflate(&mut self, size: usize) -> io::Result<&[u8]> {
        self.inflated.clear();
        // More than is needed, since others follow.
        self.inflated.reserve(size + 1);
        inflate(&mut self.state, &self.raw, &mut self.inflated, size)?;
        Ok(&self.inflated)
    }
}

/// Inflates `raw` into `target`, which is empty; of data that is longer than `size` the beginning, with at least one byte more.
fn inflate(state: &mut Decompress, raw: &[u8], target: &mut Vec<u8>, size: usize) -> io::Result<()> {
    state.reset(false);
    // What is inflated is bounded by the capacity.
    target.reserve_exact(size + 1);
    let status = state.decompress_vec(raw, target, FlushDecompress::Finish)?;
    if status != Status::StreamEnd && target.len() <= size {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
    }
    Ok(())
}

impl Archive {
    /// Gives the inflated bytes of the entry at `index`, with size and CRC-32 checked, to `work`.
    ///
    /// # Errors
    /// The data is damaged, longer or shorter than declared, or more than may be held in memory, or `work` fails.
    pub(crate) fn with_bytes<T>(&self, index: usize, work: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        let entry = &self.entries[index];
        if let Some(bytes) = self.read_large(index)? {
            return work(&bytes);
        }
        Inflater::with(|inflater| {
            self.fetch(index, &mut inflater.raw)?;
            let bytes = if entry.stored {
                &inflater.raw
            } else {
                inflater.inflate(entry.size as usize).map_err(|error| self.damaged(index, error))?
            };
            self.check_bytes(index, bytes)?;
            work(bytes)
        })
    }

    /// The bytes of an entry that is too large for the memory of a thread; nothing for another one.
    fn read_large(&self, index: usize) -> Result<Option<Vec<u8>>> {
        let entry = &self.entries[index];
        if entry.size > self.limits.memory_bytes {
            return Err(Error::EntryTooLarge {
                jar: self.label.clone(),
                entry: entry.name.clone(),
                limit: self.limits.memory_bytes,
                got: entry.size,
            });
        }
        if entry.size.max(entry.compressed_size) <= KEPT {
            return Ok(None);
        }
        let read = self.stream(index, |reader| {
            let mut bytes = Vec::with_capacity(entry.size as usize);
            reader.read_to_end(&mut bytes).map_err(|error| self.damaged(index, error))?;
            Ok(bytes)
        });
        read.map(Some)
    }

    /// Checks the inflated bytes of the entry at `index` by their size and CRC-32.
    fn check_bytes(&self, index: usize, bytes: &[u8]) -> Result<()> {
        let (entry, length) = (&self.entries[index], bytes.len() as u64);
        if length > entry.size {
            return Err(self.wrong_size(index, true));
        }
        if crc32(bytes) != entry.crc32 {
            let message = "the bytes are not those of its CRC-32";
            return Err(self.damaged(index, io::Error::new(io::ErrorKind::InvalidData, message)));
        }
        if length < entry.size {
            return Err(self.wrong_size(index, false));
        }
        Ok(())
    }

    /// The inflated bytes of the entry at `index`, with size and CRC-32 checked.
    ///
    /// # Errors
    /// The data is damaged, longer or shorter than declared, or more than may be held in memory.
    pub fn read(&self, index: usize) -> Result<Vec<u8>> {
        let entry = &self.entries[index];
        if let Some(bytes) = self.read_large(index)? {
            return Ok(bytes);
        }
        let mut bytes = Vec::new();
        if entry.stored {
            self.fetch(index, &mut bytes)?;
        } else {
            // Straight to where they stay.
            Inflater::with(|inflater| {
                self.fetch(index, &mut inflater.raw)?;
                inflate(&mut inflater.state, &inflater.raw, &mut bytes, entry.size as usize)
                    .map_err(|error| self.damaged(index, error))
            })?;
        }
        self.check_bytes(index, &bytes)?;
        Ok(bytes)
    }

    /// The bytes of the entry at `index` as they are stored, deflated or not.
    ///
    /// # Errors
    /// The archive is cut short.
    pub(crate) fn read_raw(&self, index: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.fetch(index, &mut bytes)?;
        Ok(bytes)
    }

    /// Puts the bytes of the entry at `index` as they are stored into `target`, in place of what it held.
    fn fetch(&self, index: usize, target: &mut Vec<u8>) -> Result<()> {
        // The directory may claim more than the archive has, which must not cost the memory.
        let size = self.entries[index].compressed_size;
        if size > self.bytes.len() {
            return Err(self.damaged(index, io::Error::from(io::ErrorKind::UnexpectedEof)));
        }
        target.resize(size as usize, 0);
        self.bytes.read_exact_at(self.starts[index], target).map_err(|error| self.damaged(index, error))
    }
}
