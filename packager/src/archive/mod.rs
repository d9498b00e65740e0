//! Jars and zips as they are read: names checked, sizes limited, every entry with its origin.

mod limits;
mod names;
mod source;

pub use limits::{Limits, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_RATIO, MAX_TOTAL_BYTES, RATIO_FREE_BYTES};
pub use names::NameProblem;
pub(crate) use names::check as check_name;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use zip::CompressionMethod;
use zip::read::ZipArchive;
use zip::result::ZipError;

use crate::error::{Error, Result};
use crate::origin::Origin;
use names::NameClash;
use source::{SharedReader, Source};

/// First bytes of a zip that starts with an entry.
const LOCAL_HEADER: &[u8] = b"PK\x03\x04";

/// One entry of an archive, from its central directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Checked name; a folder's name ends with `/`.
    pub name: String,
    /// Bytes once inflated, as declared.
    pub size: u64,
    /// Bytes as stored in the archive.
    pub compressed_size: u64,
    /// CRC-32 of the inflated bytes, as declared.
    pub crc32: u32,
    /// Whether the bytes are stored rather than deflated.
    pub stored: bool,
}

impl Entry {
    /// Whether this is a folder entry.
    pub fn is_dir(&self) -> bool {
        self.name.ends_with('/')
    }
}

/// An opened jar or zip whose names and sizes were checked.
#[derive(Debug)]
pub struct Archive {
    label: PathBuf,
    zip: ZipArchive<SharedReader>,
    entries: Vec<Entry>,
    by_name: BTreeMap<String, usize>,
    limits: Limits,
}

impl Archive {
    /// Opens the jar or zip at `path` with the default [`Limits`].
    ///
    /// # Errors
    /// The file is missing, unreadable, not a zip, cut short, or holds names or sizes that are refused.
    pub fn open(path: &Path) -> Result<Self> {
        let file = match fs_err::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::FileMissing { path: path.to_owned() });
            }
            Err(error) => return Err(error.into()),
        };
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(Error::NotAJar { path: path.to_owned(), reason: "it is a folder".into() });
        }
        let len = metadata.len();
        Self::new(path.to_owned(), SharedReader::new(Source::File(file.into_file()), len), Limits::default())
    }

    /// Opens an archive that is part of this program; `label` stands for its path in messages.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn from_static(label: &str, bytes: &'static [u8]) -> Result<Self> {
        let reader = SharedReader::new(Source::Static(bytes), bytes.len() as u64);
        Self::new(PathBuf::from(label), reader, Limits::default())
    }

    /// Opens an archive in memory, such as a jar inside a zip; `label` stands for its path in messages.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn from_memory(label: PathBuf, bytes: Vec<u8>, limits: Limits) -> Result<Self> {
        let len = bytes.len() as u64;
        Self::new(label, SharedReader::new(Source::Memory(bytes), len), limits)
    }

    fn new(label: PathBuf, mut reader: SharedReader, limits: Limits) -> Result<Self> {
        let mut first = Vec::new();
        reader.by_ref().take(LOCAL_HEADER.len() as u64).read_to_end(&mut first)?;
        reader.seek(SeekFrom::Start(0))?;
        let mut zip = ZipArchive::new(reader).map_err(|error| unreadable(&label, &first, error))?;
        if zip.len() > limits.entries {
            return Err(Error::TooManyEntries { jar: label, limit: limits.entries, got: zip.len() });
        }
        if zip.has_duplicate_names() {
            let entry = duplicate_name(&zip).unwrap_or_else(|| "(unknown)".into());
            return Err(Error::DuplicateEntry { jar: label, entry });
        }
        let mut entries = Vec::with_capacity(zip.len());
        let mut total: u64 = 0;
        for index in 0..zip.len() {
            let entry = read_entry(&zip, index, &label)?;
            check_size(&label, &entry, &limits)?;
            total = total.saturating_add(entry.size);
            if total > limits.total_bytes {
                return Err(Error::ArchiveTooLarge { jar: label, limit: limits.total_bytes });
            }
            entries.push(entry);
        }
        refuse_clash(&label, entries.iter().map(|entry| entry.name.as_str()))?;
        if zip.has_overlapping_entries().map_err(|error| unreadable(&label, &first, error))? {
            return Err(Error::OverlappingEntries { jar: label });
        }
        let by_name = entries.iter().enumerate().map(|(index, entry)| (entry.name.clone(), index)).collect();
        Ok(Self { label, zip, entries, by_name, limits })
    }

    /// The archive's path, or what stands for it in messages.
    pub fn label(&self) -> &Path {
        &self.label
    }

    /// All entries in the order of the archive's central directory.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The index of the entry called `name`.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Whether the archive holds an entry called `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Where the entry at `index` comes from.
    pub fn origin(&self, index: usize) -> Origin {
        Origin::Entry { archive: self.label.clone(), name: self.entries[index].name.clone() }
    }

    /// The inflated bytes of the entry at `index`, with size and CRC-32 checked.
    ///
    /// # Errors
    /// The data is damaged, or longer or shorter than declared.
    pub fn read(&self, index: usize) -> Result<Vec<u8>> {
        let entry = &self.entries[index];
        // A clone shares the source but not the position, so that threads may read side by side.
        let mut zip = self.zip.clone();
        let damaged = |source: io::Error| Error::DamagedEntry {
            jar: self.label.clone(),
            entry: entry.name.clone(),
            source: source.into(),
        };
        let file = zip.by_index(index).map_err(|error| damaged(error.into()))?;
        let mut bytes = Vec::with_capacity(usize::try_from(entry.size).unwrap_or(0));
        // One byte more than declared shows a declaration that is too small, without inflating a bomb.
        file.take(entry.size + 1).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 == entry.size {
            Ok(bytes)
        } else {
            Err(Error::WrongSize {
                jar: self.label.clone(),
                entry: entry.name.clone(),
                declared: entry.size,
                more: bytes.len() as u64 > entry.size,
            })
        }
    }

    /// The inflated bytes of the entry called `name`, or nothing when there is none.
    ///
    /// # Errors
    /// As [`Archive::read`].
    pub fn read_name(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.index_of(name).map(|index| self.read(index)).transpose()
    }

    /// The bytes of the entry at `index` as they are stored, deflated or not.
    ///
    /// # Errors
    /// The archive is cut short.
    pub(crate) fn read_raw(&self, index: usize) -> Result<Vec<u8>> {
        let entry = &self.entries[index];
        let mut zip = self.zip.clone();
        let damaged = |source: io::Error| Error::DamagedEntry {
            jar: self.label.clone(),
            entry: entry.name.clone(),
            source: source.into(),
        };
        let mut file = zip.by_index_raw(index).map_err(|error| damaged(error.into()))?;
        let mut bytes = Vec::with_capacity(usize::try_from(entry.compressed_size).unwrap_or(0));
        file.read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 == entry.compressed_size {
            Ok(bytes)
        } else {
            Err(damaged(io::Error::from(io::ErrorKind::UnexpectedEof)))
        }
    }

    /// Whether the headers in front of the entries say the same as the directory, by which other readers go.
    ///
    /// # Errors
    /// They differ.
    pub(crate) fn check_headers(&self) -> Result<(), ZipError> {
        self.zip.clone().validate_header_consistency()
    }

    /// Opens the jar that is the entry at `index`, under this archive's limits.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn nested(&self, index: usize) -> Result<Self> {
        let label = format!("{}!/{}", self.label.display(), self.entries[index].name);
        Self::from_memory(PathBuf::from(label), self.read(index)?, self.limits)
    }
}

/// Refuses names of the archive `jar` that no file system could hold together.
pub(crate) fn refuse_clash<'a>(jar: &Path, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let jar = jar.to_owned();
    match names::find_clash(names) {
        None => Ok(()),
        Some(NameClash::Case(first, second)) => Err(Error::CaseClash { jar, first, second }),
        Some(NameClash::FileIsFolder(file, child)) => Err(Error::FileIsFolder { jar, file, child }),
    }
}

/// Reads and checks one central directory record.
fn read_entry(zip: &ZipArchive<SharedReader>, index: usize, label: &Path) -> Result<Entry> {
    let record = zip.by_index_data(index).map_err(|error| unreadable(label, LOCAL_HEADER, error))?;
    let name = names::check(record.name_raw()).map_err(|problem| Error::BadEntryName {
        jar: label.to_owned(),
        entry: record.name_raw().escape_ascii().to_string(),
        problem,
    })?;
    let foreign = |how: String| Error::ForeignEntry { jar: label.to_owned(), entry: name.to_owned(), how };
    if record.encrypted() {
        return Err(foreign("encrypted".into()));
    }
    let stored = match record.compression() {
        CompressionMethod::Stored => true,
        CompressionMethod::Deflated => false,
        other => return Err(foreign(format!("compressed by {other}"))),
    };
    Ok(Entry {
        name: name.to_owned(),
        size: record.size(),
        compressed_size: record.compressed_size(),
        crc32: record.crc32(),
        stored,
    })
}

/// Refuses an entry whose declared sizes are those of a decompression bomb.
fn check_size(label: &Path, entry: &Entry, limits: &Limits) -> Result<()> {
    if entry.size > limits.entry_bytes {
        return Err(Error::EntryTooLarge {
            jar: label.to_owned(),
            entry: entry.name.clone(),
            limit: limits.entry_bytes,
            got: entry.size,
        });
    }
    if entry.size > limits.ratio_free_bytes && entry.size / limits.ratio > entry.compressed_size {
        return Err(Error::RatioTooHigh {
            jar: label.to_owned(),
            entry: entry.name.clone(),
            limit: limits.ratio,
            got: entry.size / entry.compressed_size.max(1),
        });
    }
    Ok(())
}

/// Tells a jar that was cut short from a file that never was one.
fn unreadable(label: &Path, first: &[u8], error: ZipError) -> Error {
    let path = label.to_owned();
    if let ZipError::Io(io) = &error
        && io.kind() != io::ErrorKind::UnexpectedEof
        && io.kind() != io::ErrorKind::InvalidInput
    {
        return Error::UnreadableJar { path, source: Box::new(error) };
    }
    match first {
        b"" => Error::NotAJar { path, reason: "it is empty".into() },
        LOCAL_HEADER => Error::TruncatedJar { path, source: Box::new(error) },
        _ => Error::NotAJar { path, reason: error.to_string() },
    }
}

/// The first name that two central directory records share, which the `zip` crate folds into one.
fn duplicate_name(zip: &ZipArchive<SharedReader>) -> Option<String> {
    /// Length of the fixed part of a central directory record.
    const RECORD: usize = 46;
    let mut reader = zip.clone().into_inner();
    reader.seek(SeekFrom::Start(zip.central_directory_start())).ok()?;
    let mut seen = BTreeSet::new();
    loop {
        let mut record = [0; RECORD];
        reader.read_exact(&mut record).ok()?;
        if !record.starts_with(b"PK\x01\x02") {
            return None;
        }
        let length = |at: usize| usize::from(u16::from_le_bytes([record[at], record[at + 1]]));
        let mut name = vec![0; length(28)];
        reader.read_exact(&mut name).ok()?;
        reader.seek(SeekFrom::Current(i64::try_from(length(30) + length(32)).ok()?)).ok()?;
        let shown = name.escape_ascii().to_string();
        if !seen.insert(name) {
            return Some(shown);
        }
    }
}

#[cfg(test)]
mod tests;
