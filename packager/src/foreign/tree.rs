//! The files of a jar laid out in a folder, and what a command changed there.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use tempfile::TempDir;
use walkdir::WalkDir;

use super::Error as ForeignError;
use crate::assemble::{Content, Layout};
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::origin::Origin;

/// Time of all files: 1980-01-01 00:00 UTC, in seconds since 1970, as entries have it.
const TIME: u64 = 315_532_800;

/// A folder with the files.
#[derive(Debug)]
pub(super) struct Tree {
    folder: TempDir,
    /// SHA-256 of each file, by path in the jar.
    known: BTreeMap<String, Sha256Hex>,
}

/// What a command did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Files that are new.
    pub(super) added: Vec<String>,
    /// Files with other bytes.
    pub(super) changed: Vec<String>,
    /// Files that are gone.
    pub(super) deleted: Vec<String>,
}

impl Tree {
    /// Lays out `layout` and `manifest`, which lies at `manifest_path`; `at` is the place of the command.
    ///
    /// # Errors
    /// A file cannot be read, or cannot be written on this disk.
    pub(super) fn lay_out(layout: &Layout, manifest: (&str, &[u8]), at: &str) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("fatagent-stage-").tempdir()?;
        let items: Vec<(&str, &Content, &Origin)> =
            layout.iter().map(|(path, item)| (path, &item.content, &item.origin)).collect();
        let (path, bytes) = manifest;
        let (content, origin) = (Content::Bytes(bytes.to_vec()), Origin::Generated("as the manifest".into()));
        let write = |path: &str, content: &Content, origin: &Origin| -> Result<Option<(String, Sha256Hex)>> {
            let target = folder.path().join(path);
            let refused = |source: io::Error| {
                let (at, path, origin) = (at.to_owned(), path.to_owned(), Box::new(origin.clone()));
                ForeignError::NotStaged { at, path, origin, source }
            };
            if matches!(content, Content::Folder) {
                std::fs::DirBuilder::new().recursive(true).create(&target).map_err(refused)?;
                return Ok(None);
            }
            if let Some(parent) = target.parent() {
                std::fs::DirBuilder::new().recursive(true).create(parent).map_err(refused)?;
            }
            // Never over another one: a disk without case would give one of the two.
            let mut file = OpenOptions::new().write(true).create_new(true).open(&target).map_err(refused)?;
            content.copy_to(&mut file)?;
            file.flush().and_then(|()| file.set_modified(time())).map_err(refused)?;
            drop(file);
            Ok(Some((path.to_owned(), Sha256Hex::of_file(&target)?)))
        };
        let written = items.par_iter().map(|(path, content, origin)| write(path, content, origin));
        let mut known: BTreeMap<String, Sha256Hex> =
            written.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        known.extend(write(path, &content, &origin)?);
        Ok(Self { folder, known })
    }

    /// The folder.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file of the jar on the disk.
    pub(super) fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Whether there was a file at `path` before.
    pub(super) fn had(&self, path: &str) -> bool {
        self.known.contains_key(path)
    }

    /// What is different now, sorted by path; and all files that are there. `refuse` makes an error of what is no file.
    ///
    /// # Errors
    /// The folder cannot be read, or holds something that cannot go into a jar.
    pub(super) fn changes(
        &self,
        refuse: impl Fn(&Path, &'static str) -> ForeignError,
    ) -> Result<(Changes, Vec<String>)> {
        let mut there = Vec::new();
        for entry in WalkDir::new(self.path()).min_depth(1).sort_by_file_name() {
            let entry = entry.map_err(io::Error::from)?;
            let relative = entry.path().strip_prefix(self.path()).unwrap_or(entry.path());
            let kind = entry.file_type();
            if kind.is_dir() {
                continue;
            }
            if !kind.is_file() {
                let what = if kind.is_symlink() { "it is a symbolic link" } else { "it is no ordinary file" };
                return Err(refuse(relative, what).into());
            }
            let parts: Option<Vec<&str>> = relative.iter().map(|part| part.to_str()).collect();
            let Some(parts) = parts else { return Err(refuse(relative, "its name is not UTF-8").into()) };
            there.push(parts.join("/"));
        }
        there.sort();
        let hashes: Vec<Sha256Hex> =
            there.par_iter().map(|path| Sha256Hex::of_file(&self.file(path))).collect::<Result<_>>()?;
        let mut changes = Changes::default();
        for (path, hash) in there.iter().zip(hashes) {
            match self.known.get(path) {
                None => changes.added.push(path.clone()),
                Some(known) if *known != hash => changes.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        let gone = self.known.keys().filter(|path| there.binary_search(path).is_err());
        changes.deleted = gone.cloned().collect();
        Ok((changes, there))
    }
}

fn time() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(TIME)
}
