//! Writes the sorted files of a layout as one jar, the same bytes on every machine.

mod container;
mod content;
mod deflate;
mod redeflate;

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tempfile::NamedTempFile;
use zip::result::ZipError;

use super::{EntryTime, Item, Layout};
use crate::digest::{HashingWriter, Sha256Hex};
use crate::error::{Error, Result};
use crate::paths;
use crate::printer::Printer;
use container::Container;
use content::Ready;

/// Files read or compressed side by side before they are written in order, and about as many bytes of them: both bound
/// the memory.
const BATCH: usize = 256;
const BATCH_BYTES: u64 = 16 << 20;

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
    write(target, Some(manifest), layout, time, printer, check)
}

/// Writes `layout` as a zip without a manifest, otherwise as [`write_jar`].
///
/// # Errors
/// As [`write_jar`].
pub(crate) fn write_zip(
    target: &Path,
    layout: &Layout,
    time: EntryTime,
    printer: &Printer,
    check: impl FnOnce(&Path) -> Result<()>,
) -> Result<Written> {
    write(target, None, layout, time, printer, check)
}

fn write(
    target: &Path,
    manifest: Option<&[u8]>,
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
    let (entries, sha256) = write_entries(&temporary, folder, manifest, layout, time, printer)?;
    check(temporary.path())?;
    let size = temporary.as_file().metadata().map_err(unwritable)?.len();
    set_mode(&temporary).map_err(unwritable)?;
    temporary.persist(target).map_err(|error| unwritable(error.error))?;
    Ok(Written { path: target.to_owned(), size, entries, sha256 })
}

/// Gives the temporary file, which is private to the user, the mode of an ordinary file.
#[cfg(unix)]
pub(crate) fn set_mode(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
pub(crate) fn set_mode(_file: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

/// Writes all entries and returns their number and the SHA-256 of the whole; `folder` is for further temporary files.
fn write_entries(
    file: &NamedTempFile,
    folder: &Path,
    manifest: Option<&[u8]>,
    layout: &Layout,
    time: EntryTime,
    printer: &Printer,
) -> Result<(usize, Sha256Hex)> {
    let output = BufWriter::with_capacity(256 * 1024, HashingWriter::new(file.as_file()));
    let mut zip = Container::new(output, time);
    if let Some(manifest) = manifest {
        zip.folder(paths::META_INF).map_err(not_written)?;
        content::deflated(manifest).map_err(not_written)?.append(paths::MANIFEST, &mut zip)?;
    }

    let items: Vec<(&str, &Item)> = layout.iter().collect();
    // The mark of a masked jar stands where sorting puts it.
    let mark = items.partition_point(|(path, _)| *path < paths::SHARED);
    let progress = printer.progress("Writing", items.len() as u64);
    for (number, part) in [&items[..mark], &items[mark..]].into_iter().enumerate() {
        if number == 1 && !layout.is_plain() {
            zip.folder(paths::SHARED).map_err(not_written)?;
        }
        let mut rest = part;
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(batch_length(rest)?);
            let ready: Vec<Ready<'_>> =
                batch.par_iter().map(|(_, item)| content::prepare(&item.content, folder)).collect::<Result<_>>()?;
            for ((path, _), ready) in batch.iter().zip(ready) {
                ready.append(path, &mut zip)?;
            }
            progress.inc(batch.len() as u64);
            rest = after;
        }
    }
    progress.finish_and_clear();
    let entries = zip.entries();
    let output = zip.finish().map_err(not_written)?;
    let hashed = output.into_inner().map_err(|error| not_written(error.into_error()))?;
    Ok((entries, hashed.finish()))
}

/// How many of `items`, which are not empty, make the next batch.
fn batch_length(items: &[(&str, &Item)]) -> Result<usize> {
    let mut bytes = 0;
    for (count, (_, item)) in items.iter().enumerate().take(BATCH) {
        bytes += content::held_bytes(&item.content)?;
        if bytes > BATCH_BYTES && count > 0 {
            return Ok(count);
        }
    }
    Ok(items.len().min(BATCH))
}

fn not_written(error: io::Error) -> Error {
    Error::JarNotWritten { source: Box::new(ZipError::Io(error)) }
}

#[cfg(test)]
mod tests;
