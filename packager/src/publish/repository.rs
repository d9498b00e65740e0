//! Repositories that can be written to: folders here, HTTP in `http`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::artifact::Source;
use crate::assemble::set_mode;
use crate::digest::Sha256Hex;
use crate::error::{Error, Result};

/// Most bytes of a file of metadata or a checksum.
pub(crate) const SMALL: u64 = 16 << 20;

/// A repository in Maven's layout. Paths have `/` between their parts and none in front.
pub(crate) trait Repository {
    /// What messages call a file; with an empty path, the repository.
    fn place(&self, path: &str) -> String;

    /// SHA-256 of a file; nothing where it is not there.
    fn sha256(&self, path: &str) -> Result<Option<Sha256Hex>>;

    /// A small file; nothing where it is not there.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>>;

    /// Writes a file. One of a release is never replaced, even where it has come since it was looked for.
    fn write(&self, path: &str, source: &Source, replace: bool) -> Result<()>;
}

/// A folder.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    /// Keeps others who publish to this folder waiting, since metadata are read, merged and written.
    _lock: std::fs::File,
}

impl Folder {
    /// Opens the folder, which is made when it is missing.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn open(root: &Path) -> Result<Self> {
        fs_err::create_dir_all(root)?;
        let lock = fs_err::File::open(root)?.into_file();
        match lock.lock() {
            Ok(()) => {}
            // Some network file systems know no locks; then they have to be kept apart by their users.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(source) => return Err(Error::Unwritable { path: root.to_owned(), source }),
        }
        Ok(Self { root: root.to_owned(), _lock: lock })
    }

    fn open_file(&self, path: &str) -> Result<Option<fs_err::File>> {
        match fs_err::File::open(self.root.join(path)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Repository for Folder {
    fn place(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    fn sha256(&self, path: &str) -> Result<Option<Sha256Hex>> {
        self.open_file(path)?.map(|mut file| Ok(Sha256Hex::of_reader(&mut file)?)).transpose()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.open_file(path)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(SMALL).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    fn write(&self, path: &str, source: &Source, replace: bool) -> Result<()> {
        let target = self.root.join(path);
        let unwritable = |source: io::Error| Error::Unwritable { path: target.clone(), source };
        let folder = target.parent().unwrap_or(&self.root);
        fs_err::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".fatagent-").tempfile_in(folder).map_err(unwritable)?;
        source.copy_to(&mut file)?;
        set_mode(&file).map_err(unwritable)?;
        let persisted = if replace { file.persist(&target) } else { file.persist_noclobber(&target) };
        match persisted {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(super::Error::Exists { place: self.place(path) }.into())
            }
            Err(error) => Err(unwritable(error.error)),
        }
    }
}
