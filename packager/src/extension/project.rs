//! Where an extension is described: `extension.toml`, or the same keys of a `Cargo.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use manifests::extension_toml::ExtensionToml;

use crate::cargo_package::{CARGO_TOML, CargoPackage, Described};
use crate::config::variable;
use crate::error::{Error, Result};
use crate::paths::parent;
use crate::shell;

/// The file that describes an extension.
pub(crate) const EXTENSION_TOML: &str = "extension.toml";

/// A described extension.
#[derive(Debug)]
pub(crate) struct Project {
    /// The description.
    pub(crate) toml: ExtensionToml,
    /// What messages call its file.
    pub(crate) origin: String,
    /// The folder that paths in it are relative to.
    pub(crate) folder: PathBuf,
    /// What a driver adds to it.
    pub(crate) supplied: Supplied,
    /// The shared library that cargo would make of its package.
    pub(crate) library: Option<String>,
}

/// What a driver adds to a description.
#[derive(Debug, Clone, Default)]
pub(crate) struct Supplied {
    /// Libraries that it built.
    pub(crate) libraries: Vec<Library>,
    /// Whether sources are compiled where no build tool has left classes.
    pub(crate) compiles: bool,
}

/// A native library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Library {
    /// The file.
    pub(crate) file: PathBuf,
    /// What it runs on, such as `linux-x86_64-gnu`.
    pub(crate) target: String,
}

/// What a driver adds, by the folder of the extension as it is named.
pub(crate) type Supplies = BTreeMap<PathBuf, Supplied>;

impl Project {
    /// Reads `path`, an `extension.toml`, a `Cargo.toml` or a folder with one of them; the current folder where it is empty.
    ///
    /// # Errors
    /// There is no description, or it is malformed.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        if path.as_os_str().is_empty() || path.is_dir() {
            return match Self::find(path)? {
                Some(project) => Ok(project),
                None => Err(Error::NoExtensionToml { folder: std::path::absolute(path.join("."))? }),
            };
        }
        if path.file_name().is_some_and(|name| name == CARGO_TOML) {
            let package = CargoPackage::of(path, Described::Extension)?;
            return Self::from_cargo(&package)?.ok_or(Error::NoExtensionToml { folder: package.folder });
        }
        if !path.exists() {
            return Err(Error::FileMissing { path: path.to_owned() });
        }
        Self::from_file(path)
    }

    /// The description in `folder`, if there is one.
    ///
    /// # Errors
    /// It is malformed.
    pub(crate) fn find(folder: &Path) -> Result<Option<Self>> {
        let file = folder.join(EXTENSION_TOML);
        if file.is_file() {
            return Self::from_file(&file).map(Some);
        }
        if folder.join(CARGO_TOML).is_file()
            && let Some(package) = CargoPackage::around(folder, Described::Extension)?
        {
            return Self::from_cargo(&package);
        }
        Ok(None)
    }

    /// A path of the description, relative to its folder.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// The command that builds it.
    pub(crate) fn build_command(&self, compiling: bool) -> String {
        let options = if compiling { " --compile" } else { "" };
        format!("fatagent extension build {}{options}", shell::quoted(Path::new(&self.origin)))
    }

    fn from_file(file: &Path) -> Result<Self> {
        let origin = file.display().to_string();
        let toml = ExtensionToml::parse(&fs_err::read_to_string(file)?, &origin, &variable)?;
        Ok(Self { toml, origin, folder: parent(file), supplied: Supplied::default(), library: None })
    }

    fn from_cargo(package: &CargoPackage) -> Result<Option<Self>> {
        let CargoPackage { folder, origin, text, version, library, .. } = package;
        let toml = ExtensionToml::parse_cargo(text, origin, Some(version), &variable)?;
        Ok(toml.map(|toml| Self {
            toml,
            origin: origin.clone(),
            folder: folder.clone(),
            supplied: Supplied::default(),
            library: library.clone(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_a_file_or_a_cargo_package_describes_an_extension() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let message = |path: &Path| Project::load(path).unwrap_err().to_string();
        assert!(Project::find(folder.path()).unwrap().is_none());
        assert!(
            message(folder.path()).starts_with("no `extension.toml` and no `[package.metadata.fatagent.extension]`")
        );
        assert!(message(&path("none.toml")).starts_with("file does not exist: "));
        fs_err::create_dir(path("src")).unwrap();
        fs_err::write(path("src/lib.rs"), "").unwrap();
        let cargo = "[package]\nname = \"m\"\nversion = \"0.3.0\"\nedition = \"2021\"\n[workspace]\n";
        fs_err::write(path("Cargo.toml"), cargo).unwrap();
        assert!(message(&path("Cargo.toml")).starts_with("no `extension.toml`"));
        let tables = "[package.metadata.fatagent.extension]\nid = \"in-cargo\"\n";
        fs_err::write(path("Cargo.toml"), format!("{cargo}{tables}")).unwrap();
        let project = Project::load(folder.path()).unwrap();
        assert_eq!((project.toml.id.as_str(), project.toml.version.as_str()), ("in-cargo", "0.3.0"));
        assert_eq!(project.resolve("a").canonicalize().ok(), None);
        fs_err::write(path("extension.toml"), "id = \"own\"\nversion = \"1.0.0\"\n").unwrap();
        for found in [folder.path().to_owned(), path("extension.toml")] {
            assert_eq!(Project::load(&found).unwrap().toml.id, "own");
        }
    }
}
