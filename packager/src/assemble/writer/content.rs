//! Contents on their way into the output: small ones compressed side by side in memory, large ones streamed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Crc;
use flate2::write::DeflateEncoder;

use super::container::{Container, Sizes};
use super::{deflate, not_written};
use crate::archive::Archive;
use crate::assemble::Content;
use crate::digest::crc32;
use crate::error::Result;

/// Entries and files of more bytes than these are streamed instead of held in memory.
const HELD: u64 = 1 << 20;

/// Ends of the names of files that are stored: archives hardly shrink, and loaders read nested jars in place.
const STORED: [&str; 4] = ["jar", "zip", "war", "ear"];

/// One entry, ready to be appended.
pub(super) enum Ready<'a> {
    /// In memory.
    Held(Sizes, Vec<u8>),
    /// In an archive, whose bytes are copied as they are.
    Copied(Sizes, &'a Archive, usize),
    /// In a temporary file.
    Spooled(Sizes, File),
    /// A folder.
    Folder,
}

impl Ready<'_> {
    /// Appends the entry under `path`.
    pub(super) fn append<W: Write>(self, path: &str, zip: &mut Container<W>) -> Result<()> {
        match self {
            Self::Folder => zip.folder(path).map_err(not_written),
            Self::Held(sizes, bytes) => zip.file(path, sizes).and_then(|()| zip.write_all(&bytes)).map_err(not_written),
            Self::Copied(sizes, archive, index) => {
                zip.file(path, sizes).map_err(not_written)?;
                archive.copy_raw(index, zip)
            }
            Self::Spooled(sizes, mut file) => {
                let copied = zip.file(path, sizes).and_then(|()| io::copy(&mut file, zip));
                copied.map(drop).map_err(not_written)
            }
        }
    }
}

/// Bytes that [`prepare`] will hold in memory, about.
pub(super) fn held_bytes(content: &Content) -> Result<u64> {
    let size = match content {
        Content::Entry { archive, index } => archive.entries()[*index].compressed_size,
        Content::Moved { archive, index, .. } => archive.entries()[*index].size,
        Content::Folder => 0,
        Content::File(path) => fs_err::metadata(path)?.len(),
        Content::Bytes(bytes) => return Ok(bytes.len() as u64),
    };
    Ok(if size > HELD { 0 } else { size })
}

/// Compresses a content, or takes the compressed bytes it already has. Large ones go to a temporary file in `folder`.
pub(super) fn prepare<'a>(content: &'a Content, folder: &Path) -> Result<Ready<'a>> {
    match content {
        Content::Entry { archive, index } => copied(archive, *index),
        Content::Moved { archive, index, relocation } => {
            let moved = archive.with_bytes(*index, |bytes| relocation.apply(bytes, &archive.origin(*index)))?;
            match moved {
                Some(bytes) => deflated(&bytes).map_err(not_written),
                None => copied(archive, *index),
            }
        }
        Content::Folder => Ok(Ready::Folder),
        Content::Bytes(bytes) => deflated(bytes).map_err(not_written),
        Content::File(path) => {
            let mut file = fs_err::File::open(path)?;
            let stored =
                path.extension().is_some_and(|end| STORED.iter().any(|stored| end.eq_ignore_ascii_case(stored)));
            if file.metadata()?.len() > HELD {
                let target = tempfile::tempfile_in(folder).map_err(not_written)?;
                return spooled(&mut file, target, stored).map_err(not_written);
            }
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            if stored { Ok(kept(bytes)) } else { deflated(&bytes).map_err(not_written) }
        }
    }
}

/// Takes the bytes of an entry as they are, in memory where they are few.
fn copied(archive: &Arc<Archive>, index: usize) -> Result<Ready<'_>> {
    let entry = &archive.entries()[index];
    let sizes = Sizes { stored: entry.stored, crc32: entry.crc32, compressed: entry.compressed_size, size: entry.size };
    if entry.compressed_size > HELD {
        return Ok(Ready::Copied(sizes, archive, index));
    }
    Ok(Ready::Held(sizes, archive.read_raw(index)?))
}

/// Deflates `bytes` in memory.
pub(super) fn deflated(bytes: &[u8]) -> io::Result<Ready<'static>> {
    let data = deflate::whole(bytes)?;
    let sizes = Sizes { stored: false, crc32: crc32(bytes), compressed: data.len() as u64, size: bytes.len() as u64 };
    Ok(Ready::Held(sizes, data))
}

/// Stores `bytes`.
fn kept(bytes: Vec<u8>) -> Ready<'static> {
    let size = bytes.len() as u64;
    Ready::Held(Sizes { stored: true, crc32: crc32(&bytes), compressed: size, size }, bytes)
}

/// Deflates or stores what `source` gives into `target`.
fn spooled(source: &mut dyn Read, target: File, stored: bool) -> io::Result<Ready<'static>> {
    let mut crc = Crc::new();
    let mut size = 0;
    let mut pass = |to: &mut dyn Write| -> io::Result<()> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match source.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => {
                    crc.update(&buffer[..count]);
                    size += count as u64;
                    to.write_all(&buffer[..count])?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    };
    let mut target = target;
    if stored {
        pass(&mut target)?;
    } else {
        let mut encoder = DeflateEncoder::new(target, deflate::LEVEL);
        pass(&mut encoder)?;
        target = encoder.finish()?;
    }
    let compressed = target.stream_position()?;
    target.seek(SeekFrom::Start(0))?;
    Ok(Ready::Spooled(Sizes { stored, crc32: crc.sum(), compressed, size }, target))
}
