//! Cargo packages whose `[package.metadata.fatagent]` stands for a file of ours.

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::error::{Error, Result, listed};
use crate::paths::{self, parent};
use crate::shell;

/// The file of a package.
pub(crate) const CARGO_TOML: &str = "Cargo.toml";

/// What the tables of a package describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Described {
    /// An agent, in the tables of `agent.toml`.
    Agent,
    /// An extension, in the one table `extension`. Agents have an array of that name.
    Extension,
}

impl Described {
    /// The table of a `Cargo.toml` that does it.
    pub(crate) fn table(self) -> &'static str {
        match self {
            Self::Agent => "[package.metadata.fatagent]",
            Self::Extension => "[package.metadata.fatagent.extension]",
        }
    }

    /// The file that does the same.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Agent => "agent.toml",
            Self::Extension => "extension.toml",
        }
    }

    /// The word for what is described.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Extension => "extension",
        }
    }
}

/// A package is not the one that is wanted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// A manifest names no package of its own, and no member of its workspace describes what is wanted.
    #[error("no package with `{}` in: `{}`", wanted.table(), manifest.display())]
    None {
        /// The `Cargo.toml`.
        manifest: PathBuf,
        /// What was looked for.
        wanted: Described,
    },
    /// Several members of a workspace describe what is wanted.
    #[error("more than one package, {}, with `{}` in: `{}`", listed(found), wanted.table(), manifest.display())]
    Several {
        /// The `Cargo.toml`.
        manifest: PathBuf,
        /// What was looked for.
        wanted: Described,
        /// The packages that have it.
        found: Vec<String>,
    },
    /// A package describes an extension where an agent is wanted.
    #[error("{at}: the package describes an extension, not an agent")]
    DescribesExtension {
        /// The `Cargo.toml`.
        at: String,
        /// Its folder.
        folder: PathBuf,
    },
}

impl PackageError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::None { wanted, .. } => format!("add `{}` to the manifest of one package", wanted.table()),
            Self::Several { wanted: Described::Agent, .. } => "name the manifest of one of them with `--file`".into(),
            Self::Several { wanted: Described::Extension, .. } => {
                "name the manifest of one of them instead of the folder".into()
            }
            Self::DescribesExtension { folder, .. } => format!(
                "`fatagent extension build {}` builds it; an agent embeds it with `[[extension]] path`",
                shell::quoted(paths::or_current(paths::relative_to_current(folder)))
            ),
        }
    }
}

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
    /// What it describes, if anything.
    pub(crate) described: Option<Described>,
    /// Folders of the members of its workspace that describe extensions.
    pub(crate) extensions: Vec<PathBuf>,
    /// The shared library that cargo would make of it.
    pub(crate) library: Option<String>,
}

impl CargoPackage {
    /// The package of exactly this `Cargo.toml`; in a virtual workspace, the only one that describes what is `wanted`.
    ///
    /// # Errors
    /// There is no such file, or Cargo cannot read it.
    pub(crate) fn of(manifest: &Path, wanted: Described) -> Result<Self> {
        if !manifest.exists() {
            return Err(Error::FileMissing { path: manifest.to_owned() });
        }
        let absolute = std::path::absolute(manifest)?;
        Self::near(&absolute, &parent(&absolute), wanted)
    }

    /// The package that `folder` lies in; in a virtual workspace, the only one that describes what is `wanted`. `None` where no
    /// folder above holds a `Cargo.toml`.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(crate) fn around(folder: &Path, wanted: Described) -> Result<Option<Self>> {
        let absolute = std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
        let manifest = absolute.ancestors().map(|folder| folder.join(CARGO_TOML)).find(|manifest| manifest.is_file());
        manifest.map(|manifest| Self::near(&manifest, &absolute, wanted)).transpose()
    }

    fn near(manifest: &Path, folder: &Path, wanted: Described) -> Result<Self> {
        let metadata = MetadataCommand::new()
            .manifest_path(manifest)
            .no_deps()
            .exec()
            .map_err(|source| Error::Cargo { manifest: manifest.to_owned(), source: Box::new(source) })?;
        let package = find_package(&metadata, folder, wanted).map_err(|found| {
            let manifest = manifest.to_owned();
            let found: Vec<String> = found.into_iter().map(|package| package.name.to_string()).collect();
            if found.is_empty() {
                PackageError::None { manifest, wanted }
            } else {
                PackageError::Several { manifest, wanted, found }
            }
        })?;
        let path = package.manifest_path.clone().into_std_path_buf();
        Ok(Self {
            text: fs_err::read_to_string(&path)?,
            origin: paths::relative_to_current(&path).display().to_string(),
            folder: parent(&path),
            name: package.name.to_string(),
            version: package.version.to_string(),
            described: described(package),
            extensions: extension_folders(&metadata),
            library: package.targets.iter().find(|target| target.is_cdylib()).map(|target| target.name.clone()),
        })
    }
}

/// What the tables of a package describe.
fn described(package: &Package) -> Option<Described> {
    let tables = package.metadata.get("fatagent")?;
    let is_extension = tables.get("extension").is_some_and(serde_json::Value::is_object);
    Some(if is_extension { Described::Extension } else { Described::Agent })
}

/// Whether a package describes what is wanted, in its manifest or in a file beside it.
pub(crate) fn describes(package: &Package, wanted: Described) -> bool {
    let beside = parent(package.manifest_path.as_std_path()).join(wanted.file());
    described(package) == Some(wanted) || beside.is_file()
}

/// The folders of the members of a workspace that describe extensions.
pub(crate) fn extension_folders(metadata: &Metadata) -> Vec<PathBuf> {
    let members = metadata.workspace_packages().into_iter();
    let extensions = members.filter(|package| describes(package, Described::Extension));
    extensions
        .map(|package| {
            let folder = parent(package.manifest_path.as_std_path());
            paths::or_current(paths::relative_to_current(&folder)).to_owned()
        })
        .collect()
}

/// The package whose folder holds `folder` most closely, else the only one that describes what is wanted; else all that do.
fn find_package<'a>(
    metadata: &'a Metadata,
    folder: &Path,
    wanted: Described,
) -> std::result::Result<&'a Package, Vec<&'a Package>> {
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
    if let Some(closest) = closest {
        return Ok(closest);
    }
    let ours: Vec<&Package> = metadata.packages.iter().filter(|package| described(package) == Some(wanted)).collect();
    match ours[..] {
        [package] => Ok(package),
        _ => Err(ours),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_has_its_remedy() {
        let manifest = || PathBuf::from("Cargo.toml");
        let found = || vec!["a".to_owned(), "b".to_owned()];
        let (agent, extension) = (Described::Agent, Described::Extension);
        for (error, message, hint) in [
            (
                PackageError::Several { manifest: manifest(), wanted: agent, found: found() },
                "more than one package, `a`, `b`, with `[package.metadata.fatagent]` in: `Cargo.toml`",
                "name the manifest of one of them with `--file`",
            ),
            (
                PackageError::Several { manifest: manifest(), wanted: extension, found: found() },
                "more than one package, `a`, `b`, with `[package.metadata.fatagent.extension]` in: `Cargo.toml`",
                "name the manifest of one of them instead of the folder",
            ),
            (
                PackageError::DescribesExtension { at: "a b/Cargo.toml".into(), folder: "a b".into() },
                "a b/Cargo.toml: the package describes an extension, not an agent",
                "`fatagent extension build 'a b'` builds it; an agent embeds it with `[[extension]] path`",
            ),
        ] {
            assert_eq!((error.to_string().as_str(), error.hint().as_str()), (message, hint));
        }
    }
}
