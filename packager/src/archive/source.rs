//! Where the bytes of an archive come from, and a cheap independent reader over them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

/// Bytes read ahead per reader: a central directory record is about 100 bytes, so small reads are shared.
const READ_AHEAD: usize = 16 * 1024;

/// The bytes of one archive.
#[derive(Debug)]
pub(crate) enum Source {
    /// A file, read by position so that readers need no common cursor.
    File(File),
    /// Bytes that are part of this program.
    Static(&'static [u8]),
    /// Bytes in memory.
    Memory(Vec<u8>),
    /// A stored entry of another source, read in place.
    Part {
        /// The source that holds it.
        whole: Arc<Source>,
        /// Where it begins, in bytes.
        start: u64,
        /// Its bytes.
        len: u64,
    },
}

impl Source {
    /// Reads at `offset` (bytes from the start) and returns how many bytes it read; 0 means the end.
    fn read_at(&self, offset: u64, target: &mut [u8]) -> io::Result<usize> {
        let bytes = match self {
            Self::File(file) => return read_file_at(file, offset, target),
            Self::Static(bytes) => bytes,
            Self::Memory(bytes) => bytes.as_slice(),
            Self::Part { whole, start, len } => {
                let left = usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX);
                let count = target.len().min(left);
                return whole.read_at(start.saturating_add(offset), &mut target[..count]);
            }
        };
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let count = target.len().min(bytes.len() - start);
        target[..count].copy_from_slice(&bytes[start..start + count]);
        Ok(count)
    }
}

#[cfg(unix)]
fn read_file_at(file: &File, offset: u64, target: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, target, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, offset: u64, target: &mut [u8]) -> io::Result<usize> {
    // Moves the file's own cursor, which nothing here relies on.
    std::os::windows::fs::FileExt::seek_read(file, target, offset)
}

/// A reader with its own position over a shared [`Source`]; a clone starts at the same position.
#[derive(Debug)]
pub(crate) struct SharedReader {
    source: Arc<Source>,
    len: u64,
    position: u64,
    buffer: Vec<u8>,
    buffer_start: u64,
}

impl SharedReader {
    /// A reader at the start of `source`, which holds `len` bytes.
    pub(crate) fn new(source: Source, len: u64) -> Self {
        Self { source: Arc::new(source), len, position: 0, buffer: Vec::new(), buffer_start: 0 }
    }

    /// A reader of `len` bytes that begin at `start`, which shares the source.
    pub(crate) fn part(&self, start: u64, len: u64) -> Self {
        Self::new(Source::Part { whole: Arc::clone(&self.source), start, len }, len)
    }

    /// Fills `target` from the bytes at `offset`, without the read-ahead of a reader.
    ///
    /// # Errors
    /// There are fewer.
    pub(crate) fn read_exact_at(&self, mut offset: u64, mut target: &mut [u8]) -> io::Result<()> {
        while !target.is_empty() {
            match self.source.read_at(offset, target) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
                Ok(count) => {
                    offset += count as u64;
                    target = &mut target[count..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// How many bytes there are in all.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The part of the read-ahead buffer that starts at the current position.
    fn buffered(&self) -> &[u8] {
        let Some(skip) = self.position.checked_sub(self.buffer_start) else { return &[] };
        usize::try_from(skip).ok().and_then(|skip| self.buffer.get(skip..)).unwrap_or(&[])
    }
}

impl Clone for SharedReader {
    fn clone(&self) -> Self {
        // The buffer is not worth copying: a clone usually goes somewhere else.
        Self {
            source: Arc::clone(&self.source),
            len: self.len,
            position: self.position,
            buffer: Vec::new(),
            buffer_start: 0,
        }
    }
}

impl Read for SharedReader {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.buffered().is_empty() {
            if target.len() >= READ_AHEAD {
                let count = self.source.read_at(self.position, target)?;
                self.position += count as u64;
                return Ok(count);
            }
            // A fresh one comes zeroed from the allocator.
            self.buffer = vec![0; READ_AHEAD];
            self.buffer_start = self.position;
            let count = self.source.read_at(self.position, &mut self.buffer)?;
            self.buffer.truncate(count);
        }
        let ready = self.buffered();
        let count = ready.len().min(target.len());
        target[..count].copy_from_slice(&ready[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for SharedReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.len.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_across_the_read_ahead_and_after_seeks() {
        let bytes: Vec<u8> = (0..READ_AHEAD * 2 + 100).map(|n| n as u8).collect();
        let mut reader = SharedReader::new(Source::Memory(bytes.clone()), bytes.len() as u64);
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        assert_eq!(all, bytes);

        reader.seek(SeekFrom::End(-3)).unwrap();
        let mut tail = Vec::new();
        reader.read_to_end(&mut tail).unwrap();
        assert_eq!(tail, bytes[bytes.len() - 3..]);

        reader.seek(SeekFrom::Start(5)).unwrap();
        let mut two = [0; 2];
        reader.read_exact(&mut two).unwrap();
        assert_eq!(two, [5, 6]);
        let mut other = reader.clone();
        other.read_exact(&mut two).unwrap();
        assert_eq!(two, [7, 8]);
        assert!(reader.seek(SeekFrom::Current(-100)).is_err());
    }

    #[test]
    fn a_part_ends_where_it_ends() {
        let whole = SharedReader::new(Source::Static(b"0123456789"), 10);
        let mut part = whole.part(3, 4);
        let mut all = Vec::new();
        part.read_to_end(&mut all).unwrap();
        assert_eq!((all.as_slice(), part.len()), (&b"3456"[..], 4));
        part.part(1, 2).read_exact(&mut [0; 3]).unwrap_err();
        let mut two = [0; 2];
        part.read_exact_at(2, &mut two).unwrap();
        assert_eq!(two, *b"56");
        assert_eq!(part.read_exact_at(3, &mut two).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        part.seek(SeekFrom::End(-1)).unwrap();
        let mut one = [0];
        part.read_exact(&mut one).unwrap();
        assert_eq!(one, *b"6");
    }

    #[test]
    fn reading_past_the_end_is_the_end() {
        let mut reader = SharedReader::new(Source::Static(b"abc"), 3);
        reader.seek(SeekFrom::Start(10)).unwrap();
        assert_eq!(reader.read(&mut [0; 4]).unwrap(), 0);
    }
}
