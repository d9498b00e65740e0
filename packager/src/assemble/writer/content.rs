//! Contents on their way into the output: small ones compressed side by side in memory, large ones streamed.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Crc;
use flate2::write::DeflateEncoder;

use super::container::{Container, Sizes};
use super::redeflate::Recoder;
use super::{deflate, not_written};
use crate::archive::within::is_archive;
use crate::archive::{Archive, Entry};
use crate::assemble::Content;
use crate::digest::crc32;
use crate::error::Result;
use crate::merge::Relocation;

/// Entries and files of more bytes than these are streamed instead of held in memory.
const HELD: u64 = 1 << 20;

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
        Content::Moved { archive, index, relocation } => moved(archive, *index, relocation),
        Content::Folder => Ok(Ready::Folder),
        Content::Bytes(bytes) => deflated(bytes).map_err(not_written),
        Content::File(path) => {
            let mut file = fs_err::File::open(path)?;
            // Archives hardly shrink, and loaders read nested jars in place.
            let stored = path.file_name().is_some_and(|name| is_archive(&name.to_string_lossy()));
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
    let sizes = kept_sizes(entry);
    if entry.compressed_size > HELD {
        return Ok(Ready::Copied(sizes, archive, index));
    }
    Ok(Ready::Held(sizes, archive.read_raw(index)?))
}

/// The sizes of an entry whose bytes are taken as they are.
fn kept_sizes(entry: &Entry) -> Sizes {
    Sizes { stored: entry.stored, crc32: entry.crc32, compressed: entry.compressed_size, size: entry.size }
}

/// Relocates a class. Where it changes, the matches of its compressed form are used again; see [`redeflate`].
fn moved<'a>(archive: &'a Arc<Archive>, index: usize, relocation: &Relocation) -> Result<Ready<'a>> {
    thread_local! {
        static RECODER: Cell<Option<Box<Recoder>>> = const { Cell::new(None) };
    }
    let entry = &archive.entries()[index];
    let origin = archive.origin(index);
    if !entry.stored && entry.size.max(entry.compressed_size) <= HELD {
        let raw = archive.read_raw(index)?;
        // Taken out while in use, and lost with a panic.
        let mut recoder = RECODER.take().unwrap_or_else(|| Box::new(Recoder::new()));
        let ready = match recoder.inflate(&raw, entry.size as usize) {
            Some(bytes) if crc32(bytes) == entry.crc32 => match relocation.apply(bytes, &origin)? {
                None => Some(Ready::Held(kept_sizes(entry), raw)),
                Some(new) => Some(match recoder.deflate(&new) {
                    Some(data) => held(&new, data.to_vec()),
                    None => deflated(&new).map_err(not_written)?,
                }),
            },
            // What is wrong is told by the ordinary reader.
            _ => None,
        };
        RECODER.set(Some(recoder));
        if let Some(ready) = ready {
            return Ok(ready);
        }
    }
    match archive.with_bytes(index, |bytes| relocation.apply(bytes, &origin))? {
        Some(new) => deflated(&new).map_err(not_written),
        None => copied(archive, index),
    }
}

/// Deflates `bytes` in memory.
pub(super) fn deflated(bytes: &[u8]) -> io::Result<Ready<'static>> {
    Ok(held(bytes, deflate::whole(bytes)?))
}

/// `data`, which is what `bytes` were deflated to.
fn held(bytes: &[u8], data: Vec<u8>) -> Ready<'static> {
    let sizes = Sizes { stored: false, crc32: crc32(bytes), compressed: data.len() as u64, size: bytes.len() as u64 };
    Ready::Held(sizes, data)
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
