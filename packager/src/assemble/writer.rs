//! Writes the sorted files of a layout as one jar, the same bytes on every machine.

use std::io::{self, BufWriter, Cursor, Seek, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tempfile::NamedTempFile;
use zip::read::ZipArchive;
use zip::result::{ZipError, ZipResult};
use zip::write::{PreparedZipFile, SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime, System};

use super::{Content, EntryTime, Item, Layout};
use crate::archive::Entry;
use crate::digest::Sha256Hex;
use crate::error::{Error, Result};
use crate::paths;
use crate::printer::Printer;

/// Files read or compressed side by side before they are written in order: bounds the memory.
const BATCH: usize = 256;

/// Entries of this many bytes or more are compressed anew instead of copied, because the copy is framed in memory.
const RAW_COPY_LIMIT: u64 = 64 << 20;

/// Permissions of files and folders inside the jar, whatever the umask is.
const FILE_MODE: u32 = 0o644;
const FOLDER_MODE: u32 = 0o755;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The jar.
    pub path: PathBuf,
    /// Its bytes.
    pub size: u64,
    /// Its entries, folders included.
    pub entries: usize,
    /// The SHA-256 of the whole jar.
    pub sha256: Sha256Hex,
}

/// Writes `manifest` and `layout` to a temporary file beside `target`, lets `check` read it, then renames it to
/// `target`. On failure nothing is left behind and an older `target` stays as it was.
///
/// # Errors
/// A content cannot be read, the folder cannot be written, or `check` refuses the result.
pub(crate) fn write_jar(
    target: &Path,
    manifest: &[u8],
    layout: &Layout,
    time: EntryTime,
    printer: &Printer,
    check: impl FnOnce(&Path) -> Result<()>,
) -> Result<Written> {
    let unwritable = |source: io::Error| Error::Unwritable { path: target.to_owned(), source };
    if target.is_dir() {
        return Err(unwritable(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    layout.check_paths(target)?;
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let temporary =
        tempfile::Builder::new().prefix(".fatagent-").suffix(".jar").tempfile_in(folder).map_err(unwritable)?;
    let entries = write_entries(&temporary, manifest, layout, time, printer)?;
    check(temporary.path())?;
    let size = temporary.as_file().metadata().map_err(unwritable)?.len();
    let sha256 = Sha256Hex::of_file(temporary.path())?;
    set_mode(&temporary).map_err(unwritable)?;
    temporary.persist(target).map_err(|error| unwritable(error.error))?;
    Ok(Written { path: target.to_owned(), size, entries, sha256 })
}

/// Gives the temporary file, which is private to the user, the mode of an ordinary file.
#[cfg(unix)]
fn set_mode(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(FILE_MODE))
}

#[cfg(not(unix))]
fn set_mode(_file: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

/// Writes all entries and returns their number.
fn write_entries(
    file: &NamedTempFile,
    manifest: &[u8],
    layout: &Layout,
    time: EntryTime,
    printer: &Printer,
) -> Result<usize> {
    let failed = |error: ZipError| Error::JarNotWritten { source: Box::new(error) };
    let options = options(time);
    let folder = options.compression_method(CompressionMethod::Stored).unix_permissions(FOLDER_MODE);
    let mut zip = ZipWriter::new(BufWriter::new(file.as_file()));
    zip.add_directory(paths::META_INF, folder).map_err(failed)?;
    let prepared = PreparedZipFile::from_data(paths::MANIFEST, options, manifest).map_err(failed)?;
    zip.add_prepared_file(prepared).map_err(failed)?;
    let mut count = 2;

    let items: Vec<(&str, &Item)> = layout.iter().collect();
    // The mark of a masked jar stands where sorting puts it.
    let mark = items.partition_point(|(path, _)| *path < paths::SHARED);
    let marked = !layout.is_plain();
    let progress = printer.progress("Writing", items.len() as u64);
    for (number, part) in [&items[..mark], &items[mark..]].into_iter().enumerate() {
        if number == 1 && marked {
            zip.add_directory(paths::SHARED, folder).map_err(failed)?;
            count += 1;
        }
        for batch in part.chunks(BATCH) {
            let ready: Vec<Ready> =
                batch.par_iter().map(|(path, item)| prepare(path, item, time)).collect::<Result<_>>()?;
            for ((path, _), ready) in batch.iter().zip(ready) {
                append(&mut zip, path, ready, folder).map_err(failed)?;
                count += 1;
            }
            progress.inc(batch.len() as u64);
        }
    }
    progress.finish_and_clear();
    let mut output = zip.finish().map_err(failed)?;
    output.flush()?;
    Ok(count)
}

/// One entry, ready to be appended.
enum Ready {
    /// Compressed here.
    Compressed(PreparedZipFile),
    /// A zip of one entry whose compressed bytes are those of the input.
    Copied(Vec<u8>),
    /// A folder.
    Folder,
}

/// Compresses one file, or frames the compressed bytes it already has.
fn prepare(path: &str, item: &Item, time: EntryTime) -> Result<Ready> {
    if matches!(item.content, Content::Folder) {
        return Ok(Ready::Folder);
    }
    if let Content::Moved { archive, index, relocation } = &item.content {
        let entry = &archive.entries()[*index];
        return Ok(match relocation.apply(&archive.read(*index)?, &archive.origin(*index))? {
            Some(bytes) => PreparedZipFile::from_data(path, options(time), &bytes)
                .map(Ready::Compressed)
                .map_err(|error| Error::JarNotWritten { source: Box::new(error) })?,
            None => Ready::Copied(one_entry_zip(entry, &archive.read_raw(*index)?, time.zip())),
        });
    }
    if let Content::Entry { archive, index } = &item.content {
        let entry = &archive.entries()[*index];
        if entry.compressed_size.max(entry.size) < RAW_COPY_LIMIT {
            return Ok(Ready::Copied(one_entry_zip(entry, &archive.read_raw(*index)?, time.zip())));
        }
    }
    let bytes = item.content.read()?;
    PreparedZipFile::from_data(path, options(time), &bytes)
        .map(Ready::Compressed)
        .map_err(|error| Error::JarNotWritten { source: Box::new(error) })
}

fn append<W: Write + Seek>(
    zip: &mut ZipWriter<W>,
    path: &str,
    ready: Ready,
    folder: SimpleFileOptions,
) -> ZipResult<()> {
    match ready {
        Ready::Folder => zip.add_directory(path, folder),
        Ready::Compressed(file) => zip.add_prepared_file(file),
        Ready::Copied(bytes) => {
            let mut source = ZipArchive::new(Cursor::new(bytes))?;
            zip.raw_copy_file_rename(source.by_index_raw(0)?, path)
        }
    }
}

/// The same for every entry: deflated, fixed time, fixed mode, made on a Unix system.
fn options(time: EntryTime) -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(time.zip())
        .unix_permissions(FILE_MODE)
        .system(System::Unix)
}

/// A zip in memory that holds `raw` as its only entry, with our time and mode and without the input's extra fields.
///
/// `raw_copy_file_rename` keeps the time and the extra fields of its source and `raw_copy_file_touch` its name, so
/// neither alone gives the same bytes for the same content. This source has nothing else to keep.
fn one_entry_zip(entry: &Entry, raw: &[u8], time: DateTime) -> Vec<u8> {
    /// Deflate needs version 2.0 to extract; the upper byte of "made by" is Unix.
    const VERSION: u16 = 20;
    const MADE_BY: u16 = 3 << 8 | VERSION;
    /// A regular file, as `st_mode` has it.
    const REGULAR: u32 = 0o100_000;
    /// The entry's name is replaced by the copy.
    const NAME: &[u8] = b"e";
    let mut common = Vec::with_capacity(26);
    common.extend(VERSION.to_le_bytes());
    common.extend(0_u16.to_le_bytes());
    common.extend(if entry.stored { 0_u16 } else { 8 }.to_le_bytes());
    common.extend(time.timepart().to_le_bytes());
    common.extend(time.datepart().to_le_bytes());
    common.extend(entry.crc32.to_le_bytes());
    common.extend((raw.len() as u32).to_le_bytes());
    common.extend((entry.size as u32).to_le_bytes());
    common.extend((NAME.len() as u16).to_le_bytes());
    common.extend(0_u16.to_le_bytes());

    let mut zip = Vec::with_capacity(raw.len() + 128);
    zip.extend(b"PK\x03\x04");
    zip.extend(&common);
    zip.extend(NAME);
    zip.extend(raw);
    let directory = zip.len();
    zip.extend(b"PK\x01\x02");
    zip.extend(MADE_BY.to_le_bytes());
    zip.extend(&common);
    // Comment length, disk number and internal attributes.
    zip.extend([0; 6]);
    zip.extend(((REGULAR | FILE_MODE) << 16).to_le_bytes());
    zip.extend(0_u32.to_le_bytes());
    zip.extend(NAME);
    let end = zip.len();
    zip.extend(b"PK\x05\x06");
    zip.extend([0; 4]);
    zip.extend(1_u16.to_le_bytes());
    zip.extend(1_u16.to_le_bytes());
    zip.extend(((end - directory) as u32).to_le_bytes());
    zip.extend((directory as u32).to_le_bytes());
    zip.extend(0_u16.to_le_bytes());
    zip
}

#[cfg(test)]
mod tests;
