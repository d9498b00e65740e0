//! Cargo packages whose `[package.metadata.fatagent]` stands for a file of ours.

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::error::{Error, Result};
use crate::paths::parent;

/// The file of a package.
pub(crate) const CARGO_TOML: &str = "Cargo.toml";

/// A package, as Cargo sees it, and the text of its `Cargo.toml`.
#[derive(Debug)]
pub(crate) struct CargoPackage {
    /// The folder of its `Cargo.toml`.
    pub(crate) folder: PathBuf,
    /// What messages call its `Cargo.toml`.
    pub(crate) origin: String,
    /// The text of its `Cargo.toml`.
    pub(crate) text: String,
    /// Its name.
    pub(crate) name: String,
    /// Its version, where it comes from the workspace too.
    pub(crate) version: String,
}

impl CargoPackage {
    /// The package of exactly this `Cargo.toml`.
    ///
    /// # Errors
    /// There is no such file, or Cargo cannot read it.
    pub(crate) fn of(manifest: &Path) -> Result<Self> {
        if !manifest.exists() {
            return Err(Error::FileMissing { path: manifest.to_owned() });
        }
        let absolute = std::path::absolute(manifest)?;
        Self::near(&absolute, &parent(&absolute))
    }

    /// The package that `folder` lies in; in a virtual workspace, the only one that has our tables. `None` where no folder
    /// above holds a `Cargo.toml`.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(crate) fn around(folder: &Path) -> Result<Option<Self>> {
        let absolute = std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
        let manifest = absolute.ancestors().map(|folder| folder.join(CARGO_TOML)).find(|manifest| manifest.is_file());
        manifest.map(|manifest| Self::near(&manifest, &absolute)).transpose()
    }

    fn near(manifest: &Path, folder: &Path) -> Result<Self> {
        let metadata = MetadataCommand::new()
            .manifest_path(manifest)
            .no_deps()
            .exec()
            .map_err(|source| Error::Cargo { manifest: manifest.to_owned(), source: Box::new(source) })?;
        let package =
            find_package(&metadata, folder).ok_or_else(|| Error::NotACargoPackage { manifest: manifest.to_owned() })?;
        let path = package.manifest_path.clone().into_std_path_buf();
        Ok(Self {
            text: fs_err::read_to_string(&path)?,
            origin: path.strip_prefix(folder).unwrap_or(&path).display().to_string(),
            folder: parent(&path),
            name: package.name.to_string(),
            version: package.version.to_string(),
        })
    }
}

/// The package whose folder holds `folder` most closely, else the only one with our tables.
fn find_package<'a>(metadata: &'a Metadata, folder: &Path) -> Option<&'a Package> {
    let canonical = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let around = |package: &&Package| {
        let own = parent(package.manifest_path.as_std_path());
        canonical.starts_with(own.canonicalize().unwrap_or(own))
    };
    let closest = metadata
        .packages
        .iter()
        .filter(around)
        .max_by_key(|package| package.manifest_path.as_str().matches('/').count());
    if closest.is_some() {
        return closest;
    }
    let mut ours = metadata.packages.iter().filter(|package| package.metadata.get("fatagent").is_some());
    match (ours.next(), ours.next()) {
        (Some(package), None) => Some(package),
        _ => None,
    }
}
