//! The zip records of the output, written front to back.
//!
//! The `zip` crate reads all inputs, but its writer wants each entry in memory or goes back to fill in sizes, keeps the
//! extra fields of what it copies, and leaves exactly 65,535 entries without a zip64 record, although readers take that
//! number as the sign of one. Here everything about an entry is known before its first byte, so nothing is patched, no
//! entry needs a data descriptor, and zip64 records stand where a number does not fit and nowhere else.

use std::cmp::Ordering;
use std::io::{self, Write};

use crate::assemble::EntryTime;

/// Permissions of files and folders inside the jar, whatever the umask is, with the type as `st_mode` has it.
const FILE_MODE: u32 = 0o100_644;
const FOLDER_MODE: u32 = 0o040_755;

/// A number that does not fit; its place then says so and the zip64 record holds it.
const MAX32: u64 = 0xffff_ffff;
const MAX16: u64 = 0xffff;
/// The zip64 extra field.
const ZIP64: u16 = 1;
/// Versions needed to extract: stored or deflated, and with zip64 records.
const VERSION: u16 = 20;
const VERSION_ZIP64: u16 = 45;
/// Upper byte of "made by": Unix, so that the mode counts.
const UNIX: u16 = 3 << 8;
/// The flag of a name in UTF-8.
const UTF8: u16 = 1 << 11;

/// What is known of an entry before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Whether the bytes are stored rather than deflated.
    pub(super) stored: bool,
    /// CRC-32 of the inflated bytes.
    pub(super) crc32: u32,
    /// Bytes as they are written.
    pub(super) compressed: u64,
    /// Bytes once inflated.
    pub(super) size: u64,
}

/// A zip that is being written.
#[derive(Debug)]
pub(super) struct Container<W> {
    output: W,
    time: EntryTime,
    offset: u64,
    entries: u64,
    directory: Vec<u8>,
    /// Where the data of the current entry has to end.
    data_end: u64,
}

impl<W: Write> Container<W> {
    pub(super) fn new(output: W, time: EntryTime) -> Self {
        Self { output, time, offset: 0, entries: 0, directory: Vec::new(), data_end: 0 }
    }

    /// Number of entries so far.
    pub(super) fn entries(&self) -> usize {
        usize::try_from(self.entries).unwrap_or(usize::MAX)
    }

    /// Writes a folder entry; `name` ends with `/`.
    pub(super) fn folder(&mut self, name: &str) -> io::Result<()> {
        self.begin(name, Sizes { stored: true, crc32: 0, compressed: 0, size: 0 }, FOLDER_MODE)
    }

    /// Begins a file, whose data of `sizes.compressed` bytes is written next, through [`Write`].
    pub(super) fn file(&mut self, name: &str, sizes: Sizes) -> io::Result<()> {
        self.begin(name, sizes, FILE_MODE)
    }

    fn begin(&mut self, name: &str, sizes: Sizes, mode: u32) -> io::Result<()> {
        self.check_data()?;
        let too_long = |_| io::Error::new(io::ErrorKind::InvalidInput, format!("name is too long: `{name}`"));
        let name_length = u16::try_from(name.len()).map_err(too_long)?;
        let Sizes { stored, crc32, compressed, size } = sizes;
        let large = compressed >= MAX32 || size >= MAX32;
        let far = self.offset >= MAX32;
        let flags = if name.is_ascii() { 0 } else { UTF8 };
        let time = self.time.zip();
        let common = |version: u16, compressed: u64, size: u64, extra: &[u8]| {
            let mut bytes = Vec::with_capacity(64);
            for value in [version, flags, if stored { 0 } else { 8 }, time.timepart(), time.datepart()] {
                bytes.extend(value.to_le_bytes());
            }
            for value in [u64::from(crc32), compressed.min(MAX32), size.min(MAX32)] {
                bytes.extend((value as u32).to_le_bytes());
            }
            bytes.extend(name_length.to_le_bytes());
            bytes.extend((extra.len() as u16).to_le_bytes());
            bytes
        };

        // In front of the data both sizes are given or none; in the directory those that do not fit.
        let both = if large { zip64_extra(&[size, compressed]) } else { Vec::new() };
        let mut local = b"PK\x03\x04".to_vec();
        let (shown_compressed, shown_size) = if large { (MAX32, MAX32) } else { (compressed, size) };
        local.extend(common(if large { VERSION_ZIP64 } else { VERSION }, shown_compressed, shown_size, &both));
        local.extend(name.as_bytes());
        local.extend(&both);

        let unfit: Vec<u64> = [size, compressed, self.offset].into_iter().filter(|value| *value >= MAX32).collect();
        let extra = if unfit.is_empty() { Vec::new() } else { zip64_extra(&unfit) };
        let version = if large || far { VERSION_ZIP64 } else { VERSION };
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend((UNIX | version).to_le_bytes());
        self.directory.extend(common(version, compressed, size, &extra));
        // Comment length, disk number and internal attributes.
        self.directory.extend([0; 6]);
        self.directory.extend((mode << 16).to_le_bytes());
        self.directory.extend((self.offset.min(MAX32) as u32).to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.directory.extend(extra);

        self.output.write_all(&local)?;
        self.entries += 1;
        self.offset += local.len() as u64;
        self.data_end = self.offset + compressed;
        Ok(())
    }

    /// The data of each entry must be as long as it was said to be.
    fn check_data(&self) -> io::Result<()> {
        let what = match self.offset.cmp(&self.data_end) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => "shorter",
            Ordering::Greater => "longer",
        };
        Err(io::Error::new(io::ErrorKind::InvalidData, format!("an entry is {what} than it was said to be")))
    }

    /// Writes the directory and returns the output.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.check_data()?;
        let length = self.directory.len() as u64;
        let mut end = Vec::new();
        if self.entries >= MAX16 || length >= MAX32 || self.offset >= MAX32 {
            // The record is 44 bytes long after its own length.
            end.extend(b"PK\x06\x06");
            end.extend(44_u64.to_le_bytes());
            end.extend((UNIX | VERSION_ZIP64).to_le_bytes());
            end.extend(VERSION_ZIP64.to_le_bytes());
            // This disk and the directory's.
            end.extend([0; 8]);
            for value in [self.entries, self.entries, length, self.offset] {
                end.extend(value.to_le_bytes());
            }
            end.extend(b"PK\x06\x07");
            end.extend(0_u32.to_le_bytes());
            end.extend((self.offset + length).to_le_bytes());
            end.extend(1_u32.to_le_bytes());
        }
        end.extend(b"PK\x05\x06");
        end.extend([0; 4]);
        for _ in 0..2 {
            end.extend((self.entries.min(MAX16) as u16).to_le_bytes());
        }
        for value in [length, self.offset] {
            end.extend((value.min(MAX32) as u32).to_le_bytes());
        }
        end.extend(0_u16.to_le_bytes());
        self.output.write_all(&self.directory)?;
        self.output.write_all(&end)?;
        self.output.flush()?;
        Ok(self.output)
    }
}

impl<W: Write> Write for Container<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.offset += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// A zip64 extra field of these numbers.
fn zip64_extra(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = ZIP64.to_le_bytes().to_vec();
    bytes.extend((numbers.len() as u16 * 8).to_le_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use zip::ZipArchive;

    use super::*;

    const EMPTY: Sizes = Sizes { stored: true, crc32: 0, compressed: 0, size: 0 };

    /// A zip of `count` empty entries.
    fn many(count: usize) -> Vec<u8> {
        let mut zip = Container::new(Vec::new(), EntryTime::default());
        for number in 0..count {
            zip.file(&format!("r/{number}"), EMPTY).unwrap();
        }
        assert_eq!(zip.entries(), count);
        zip.finish().unwrap()
    }

    #[test]
    fn zip64_records_stand_where_the_count_does_not_fit_and_nowhere_else() {
        for (count, zip64) in [(0, false), (1, false), (65_534, false), (65_535, true), (65_536, true)] {
            let bytes = many(count);
            let has = bytes.windows(4).any(|window| window == b"PK\x06\x06" || window == b"PK\x06\x07");
            assert_eq!(has, zip64, "{count}");
            assert_eq!(ZipArchive::new(Cursor::new(bytes)).unwrap().len(), count);
        }
    }

    #[test]
    fn data_of_another_length_is_refused() {
        let sizes = Sizes { stored: true, crc32: 0, compressed: 2, size: 2 };
        for (data, message) in [(&b"x"[..], "shorter"), (b"xyz", "longer")] {
            let mut zip = Container::new(Vec::new(), EntryTime::default());
            zip.file("a", sizes).unwrap();
            zip.write_all(data).unwrap();
            assert!(zip.folder("b/").unwrap_err().to_string().contains(message));
            assert!(zip.finish().unwrap_err().to_string().contains(message));
        }
        let mut zip = Container::new(Vec::new(), EntryTime::default());
        let error = zip.file(&"n".repeat(65_536), EMPTY).unwrap_err();
        assert!(error.to_string().starts_with("name is too long: `nnn"), "{error}");
    }
}
