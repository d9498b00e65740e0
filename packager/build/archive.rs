//! Zip files with nothing of this machine or this moment in them.

use std::{
    io::{Cursor, Read, Write},
    path::Path,
};

use anyhow::{Context, Result};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// Writes entries in the order given, deflated, dated 1980-01-01.
pub(crate) struct Writer {
    zip: ZipWriter<Cursor<Vec<u8>>>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self { zip: ZipWriter::new(Cursor::new(Vec::new())) }
    }

    /// Adds a directory entry; the name ends in `/`.
    pub(crate) fn folder(&mut self, name: &str) -> Result<()> {
        let options = SimpleFileOptions::default().last_modified_time(DateTime::DEFAULT).unix_permissions(0o755);
        self.zip.add_directory(name, options.compression_method(CompressionMethod::Stored))?;
        Ok(())
    }

    pub(crate) fn file(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let options = SimpleFileOptions::default().last_modified_time(DateTime::DEFAULT).unix_permissions(0o644);
        self.zip.start_file(name, options.compression_method(CompressionMethod::Deflated))?;
        self.zip.write_all(bytes)?;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        Ok(self.zip.finish()?.into_inner())
    }
}

/// The names of all entries, in the order of the archive.
pub(crate) fn names(bytes: &[u8]) -> Result<Vec<String>> {
    let zip = ZipArchive::new(Cursor::new(bytes)).context("not a jar")?;
    zip.file_names().map(|name| Ok(name.context("a damaged entry name")?.into_owned())).collect()
}

/// The content of one entry.
pub(crate) fn content(bytes: &[u8], name: &str) -> Result<Vec<u8>> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).context("not a jar")?;
    let mut content = Vec::new();
    zip.by_name(name)?.read_to_end(&mut content).with_context(|| format!("damaged entry `{name}`"))?;
    Ok(content)
}

/// Writes a file unless it holds these bytes already, so that its time says when it changed.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs_err::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs_err::write(path, bytes)?;
    Ok(())
}
