//! Packages of a workspace, and which of them is meant.

use std::path::{Path, PathBuf};

use cargo_metadata::{CrateType, Metadata, MetadataCommand, Package};
use manifests::suggest;

use super::{CargoOptions, Error};
use crate::cargo_package::{CARGO_TOML, Described, describes, extension_folders};
use crate::error::{self, Result};
use crate::paths;

/// A workspace as cargo sees it.
#[derive(Debug)]
pub(crate) struct Workspace {
    metadata: Metadata,
    /// The manifest that was named, or the current folder: the nearest package is meant where none is named.
    around: PathBuf,
}

impl Workspace {
    /// The workspace of a manifest, by default the one that the current folder lies in.
    ///
    /// # Errors
    /// Cargo does not find or understand it.
    pub(crate) fn read(manifest: Option<&Path>) -> Result<Self> {
        let mut command = MetadataCommand::new();
        command.no_deps();
        if let Some(manifest) = manifest {
            if !manifest.exists() {
                return Err(error::Error::FileMissing { path: manifest.to_owned() });
            }
            command.manifest_path(manifest);
        }
        let metadata = command.exec().map_err(|source| {
            let manifest = manifest.map_or_else(|| PathBuf::from(CARGO_TOML), Path::to_owned);
            error::Error::Cargo { manifest, source: Box::new(source) }
        })?;
        let around = match manifest {
            Some(manifest) => manifest.canonicalize()?,
            None => std::env::current_dir()?.canonicalize()?,
        };
        Ok(Self { metadata, around })
    }

    /// The member that describes what is wanted: the one that was named, else the nearest, else the only one.
    ///
    /// # Errors
    /// There is none, there are several, or the one that was named describes something else.
    pub(crate) fn select(&self, wanted: Described, name: Option<&str>) -> Result<&Package> {
        if let Some(name) = name {
            let package = self.named(name)?;
            return if describes(package, wanted) { Ok(package) } else { Err(not_described(package, wanted)) };
        }
        if let Some(nearest) = self.nearest().filter(|package| describes(package, wanted)) {
            return Ok(nearest);
        }
        match self.all(wanted)[..] {
            [package] => Ok(package),
            [] => Err(Error::None { root: self.root(), wanted }.into()),
            ref several => {
                let found = several.iter().map(|package| package.name.to_string()).collect();
                Err(Error::Several { root: self.root(), wanted, found }.into())
            }
        }
    }

    /// The member that is to hold a description which may not be there yet.
    ///
    /// # Errors
    /// As [`Self::select`].
    pub(crate) fn select_for_edit(&self, name: Option<&str>) -> Result<&Package> {
        if let Some(name) = name {
            return self.named(name);
        }
        match (self.select(Described::Agent, None), self.nearest()) {
            (Err(error::Error::CargoDriver(Error::None { .. })), Some(nearest)) => Ok(nearest),
            (selected, _) => selected,
        }
    }

    /// All members that describe what is wanted.
    pub(crate) fn all(&self, wanted: Described) -> Vec<&Package> {
        self.metadata.workspace_packages().into_iter().filter(|package| describes(package, wanted)).collect()
    }

    /// The folders of all members that describe an extension.
    pub(crate) fn extension_folders(&self) -> Vec<PathBuf> {
        extension_folders(&self.metadata)
    }

    /// The package whose manifest lies in `folder`.
    pub(crate) fn package_in(&self, folder: &Path) -> Option<&Package> {
        let folder = folder.canonicalize().ok()?;
        self.metadata.packages.iter().find(|package| folder_of(package).canonicalize().is_ok_and(|own| own == folder))
    }

    /// The manifest of the workspace itself.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.root().join(CARGO_TOML)
    }

    /// Where output of ours goes.
    pub(crate) fn output(&self, options: &CargoOptions) -> PathBuf {
        let folder = self.metadata.target_directory.as_std_path();
        paths::relative_to_current(folder).join("fatagent").join(options.profile_folder())
    }

    fn root(&self) -> PathBuf {
        self.metadata.workspace_root.clone().into_std_path_buf()
    }

    fn named(&self, name: &str) -> Result<&Package> {
        let members = self.metadata.workspace_packages();
        let is_meant = |package: &&&Package| {
            let own = package.name.as_str();
            own == name || package.id.repr == name || format!("{own}@{}", package.version) == name
        };
        if let Some(package) = members.iter().find(is_meant) {
            return Ok(package);
        }
        let known: Vec<String> = members.iter().map(|package| package.name.to_string()).collect();
        let nearest = suggest::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Err(Error::NoSuchPackage { name: name.to_owned(), root: self.root(), nearest, known }.into())
    }

    /// The package of the manifest that was named, or whose folder holds the current one most closely.
    fn nearest(&self) -> Option<&Package> {
        let members = self.metadata.workspace_packages().into_iter();
        let holding = members.filter(|package| {
            let manifest = package.manifest_path.as_std_path();
            manifest.canonicalize().is_ok_and(|manifest| {
                manifest == self.around || self.around.is_dir() && self.around.starts_with(paths::parent(&manifest))
            })
        });
        holding.max_by_key(|package| package.manifest_path.components().count())
    }
}

fn not_described(package: &Package, wanted: Described) -> error::Error {
    let other = if wanted == Described::Agent { Described::Extension } else { Described::Agent };
    Error::NotDescribed {
        manifest: paths::relative_to_current(package.manifest_path.as_std_path()).to_owned(),
        wanted,
        found: Some(other).filter(|other| describes(package, *other)),
        name: package.name.to_string(),
    }
    .into()
}

/// The folder of a package, as messages name it.
pub(super) fn folder_of(package: &Package) -> PathBuf {
    paths::parent(package.manifest_path.as_std_path())
}

/// Whether cargo makes a shared library of a package.
pub(super) fn is_shared_library(package: &Package) -> bool {
    package.targets.iter().any(|target| target.crate_types.contains(&CrateType::CDyLib) && target.is_cdylib())
}
