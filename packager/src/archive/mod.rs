//! Jars and zips as they are read: names checked, sizes limited, every entry with its origin.

mod directory;
mod limits;
mod names;
mod source;
mod stream;
mod whole;
pub(crate) mod within;

pub use limits::{
    Limits, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_MEMORY_BYTES, MAX_RATIO, MAX_TOTAL_BYTES, RATIO_FREE_BYTES,
};
pub use names::NameProblem;
pub(crate) use names::{case_clashes, check as check_name};

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use zip::CompressionMethod;
use zip::read::ZipArchive;
use zip::result::ZipError;

use crate::error::{Error, Result};
use crate::origin::Origin;
use directory::Problem;
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
    /// All of its bytes, by place.
    bytes: SharedReader,
    entries: Vec<Entry>,
    /// Where the data of each entry begins.
    starts: Vec<u64>,
    by_name: BTreeMap<String, usize>,
    limits: Limits,
}

impl Archive {
    /// Opens the jar or zip at `path` with the default [`Limits`].
    ///
    /// # Errors
    /// The file is missing, unreadable, not a zip, cut short, or holds names or sizes that are refused.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Limits::default())
    }

    /// Opens the jar or zip at `path`.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn open_with(path: &Path, limits: Limits) -> Result<Self> {
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
        Self::new(path.to_owned(), SharedReader::new(Source::File(file.into_file()), len), limits)
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
        let bytes = reader.clone();
        let mut zip = ZipArchive::new(reader).map_err(|error| match directory::check(&bytes, None) {
            Some(problem) => refused(&label, problem),
            None => unreadable(&label, &first, error),
        })?;
        if zip.len() > limits.entries {
            return Err(Error::TooManyEntries { jar: label, limit: limits.entries, got: zip.len() });
        }
        if let Some(problem) = directory::check(&bytes, Some(zip.central_directory_start())) {
            return Err(refused(&label, problem));
        }
        if zip.has_duplicate_names() {
            return Err(refused(&label, Problem::Duplicate("(unknown)".into())));
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
        refuse_file_that_is_folder(&label, entries.iter().map(|entry| entry.name.as_str()))?;
        if zip.has_overlapping_entries().map_err(|error| unreadable(&label, &first, error))? {
            return Err(Error::OverlappingEntries { jar: label });
        }
        let mut starts = Vec::with_capacity(zip.len());
        for index in 0..zip.len() {
            // Known since overlaps were looked for, so that nothing is read here.
            let start = zip.by_index_raw(index).map_err(|error| unreadable(&label, &first, error))?.data_start();
            starts.push(start.unwrap_or_default());
        }
        let by_name = entries.iter().enumerate().map(|(index, entry)| (entry.name.clone(), index)).collect();
        Ok(Self { label, zip, bytes, entries, starts, by_name, limits })
    }

    /// The archive's path, or what stands for it in messages.
    pub fn label(&self) -> &Path {
        &self.label
    }

    /// The limits it is read under.
    pub fn limits(&self) -> Limits {
        self.limits
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

    /// Whether the headers in front of the entries say the same as the directory, by which other readers go.
    ///
    /// # Errors
    /// They differ.
    pub(crate) fn check_headers(&self) -> Result<(), ZipError> {
        self.zip.clone().validate_header_consistency()
    }
}

/// Refuses a file among the names of `jar` that is also a folder, which no file system can hold.
pub(crate) fn refuse_file_that_is_folder<'a>(jar: &Path, names: impl Iterator<Item = &'a str>) -> Result<()> {
    match names::find_file_that_is_folder(names) {
        None => Ok(()),
        Some((file, child)) => {
            Err(Error::FileIsFolder { jar: jar.to_owned(), file: file.to_owned(), child: child.to_owned() })
        }
    }
}

/// The error that a problem of the directory is.
fn refused(label: &Path, problem: Problem) -> Error {
    let jar = label.to_owned();
    match problem {
        Problem::Duplicate(entry) => Error::DuplicateEntry { jar, entry },
        Problem::Extra(entry) => {
            Error::BadExtra { jar, entry, problem: "a block of them is longer than they are themselves" }
        }
        Problem::Renamed(entry) => Error::BadExtra { jar, entry, problem: "they give it another name" },
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

#[cfg(test)]
mod tests;
