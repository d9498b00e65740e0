//! `fatagent add` and `fatagent remove`: change `agent.toml`, or the same tables of a `Cargo.toml`.

use std::path::{Component, Path, PathBuf};

use manifests::agent_toml::ExtensionSource;
use manifests::agent_toml::edit::{self, How, Item, Kind};
use manifests::coordinates::Coordinates;
use serde_json::{Map, json};

use crate::cargo_driver::{CargoOptions, Workspace};
use crate::cargo_package::{CARGO_TOML, CargoPackage, Described, PackageError, describes};
use crate::config::{self, variable};
use crate::error::{Error, Result};
use crate::paths;
use crate::printer::Printer;
use crate::replace::replace;

/// What is added or removed, as it is named on a command line: paths are relative to the current folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// An extension's zip.
    File(String),
    /// An extension's folder.
    Path(String),
    /// An extension in a Maven repository.
    Maven(Coordinates),
    /// A pattern of probes.
    Probe(String),
    /// A package or class, and what it becomes; the latter may be absent where a rule is removed.
    Relocation(String, Option<String>),
}

/// The description that is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Where {
    /// `agent.toml`, a `Cargo.toml` or a folder with one of them; the current folder when absent.
    File(Option<PathBuf>),
    /// The description of a Cargo package.
    Cargo(CargoOptions),
}

/// Changes a description, and returns whether anything had to be changed.
///
/// # Errors
/// There is no description, it is malformed or would be, an extension that is to be added does not exist, or something that is to
/// be removed is not in it. The file is as it was then.
pub fn edit(how: How, given: &[Given], place: &Where, printer: &Printer) -> Result<bool> {
    let (file, kind) = match place {
        Where::File(file) => find(file.as_deref())?,
        Where::Cargo(cargo) => of_package(cargo)?,
    };
    let folder = paths::parent(&file);
    let items = given.iter().map(|given| item(how, given, &folder)).collect::<Result<Vec<_>>>()?;
    let origin = file.display().to_string();
    let before = fs_err::read_to_string(&file)?;
    let edited = edit::edit(&before, &origin, kind, how, &items, &variable)?;
    config::check(&edited.text, &origin, kind)?;
    let changed = edited.changed.contains(&true);
    if changed {
        replace(&file, edited.text.as_bytes())?;
    }
    let verb = match how {
        How::Add => "Added",
        How::Remove => "Removed",
    };
    for (item, changed) in items.iter().zip(&edited.changed) {
        if *changed {
            printer.status(verb, &format!("{item} in {origin}"));
        } else {
            printer.status("Unchanged", &format!("{origin} has {item} already"));
        }
    }
    printer.text(&origin);
    let mut fields = Map::new();
    fields.insert("path".into(), origin.into());
    fields.insert("changed".into(), changed.into());
    let list = items.iter().zip(&edited.changed);
    let list: Vec<_> = list.map(|(item, changed)| json!({ "item": item.to_string(), "changed": changed })).collect();
    fields.insert("items".into(), list.into());
    printer.json("edited", fields);
    Ok(changed)
}

/// The description in a file or folder.
fn find(file: Option<&Path>) -> Result<(PathBuf, Kind)> {
    let folder = match file {
        Some(file) if !file.is_dir() => {
            if !file.exists() {
                return Err(Error::FileMissing { path: file.to_owned() });
            }
            if file.file_name().is_none_or(|name| name != CARGO_TOML) {
                return Ok((file.to_owned(), Kind::Agent));
            }
            let package = CargoPackage::of(file, Described::Agent)?;
            return cargo_manifest(&package);
        }
        folder => folder.unwrap_or(Path::new("")),
    };
    let own = folder.join(Described::Agent.file());
    if own.is_file() {
        return Ok((own, Kind::Agent));
    }
    match CargoPackage::around(folder, Described::Agent)? {
        Some(package) => cargo_manifest(&package),
        None => Err(Error::NoAgentToml { folder: std::path::absolute(folder.join("."))? }),
    }
}

fn cargo_manifest(package: &CargoPackage) -> Result<(PathBuf, Kind)> {
    let file = paths::relative_to_current(&package.folder.join(CARGO_TOML)).to_owned();
    if package.described == Some(Described::Extension) {
        let (at, folder) = (package.origin.clone(), package.folder.clone());
        return Err(PackageError::DescribesExtension { at, folder }.into());
    }
    Ok((file, Kind::Cargo))
}

/// The description of a Cargo package: `agent.toml` beside the manifest, else the manifest.
fn of_package(cargo: &CargoOptions) -> Result<(PathBuf, Kind)> {
    let workspace = Workspace::read(cargo.manifest_path.as_deref())?;
    let package = workspace.select_for_edit(cargo.package.as_deref())?;
    let manifest = package.manifest_path.as_std_path();
    let own = manifest.with_file_name(Described::Agent.file());
    if own.is_file() {
        return Ok((paths::relative_to_current(&own).to_owned(), Kind::Agent));
    }
    let file = paths::relative_to_current(manifest).to_owned();
    if !describes(package, Described::Agent) && describes(package, Described::Extension) {
        let folder = paths::parent(manifest);
        return Err(PackageError::DescribesExtension { at: file.display().to_string(), folder }.into());
    }
    Ok((file, Kind::Cargo))
}

/// What is written into a description in `folder`.
fn item(how: How, given: &Given, folder: &Path) -> Result<Item> {
    let must_exist = |path: &str, is_folder: bool| {
        let path = Path::new(path);
        let exists = if is_folder { path.is_dir() } else { path.is_file() };
        if how == How::Add && !exists { Err(Error::FileMissing { path: path.to_owned() }) } else { Ok(()) }
    };
    Ok(match given {
        Given::File(path) => {
            must_exist(path, false)?;
            Item::Extension(ExtensionSource::File(from_folder(path, folder)?))
        }
        Given::Path(path) => {
            must_exist(path, true)?;
            Item::Extension(ExtensionSource::Path(from_folder(path, folder)?))
        }
        Given::Maven(coordinates) => Item::Extension(ExtensionSource::Maven(coordinates.clone())),
        Given::Probe(pattern) => Item::Probe(from_folder(pattern, folder)?),
        Given::Relocation(from, to) => Item::Relocation { from: from.clone(), to: to.clone() },
    })
}

/// A path or pattern that is relative to the current folder, as it is written relative to `folder`. Absolute ones stay.
fn from_folder(path: &str, folder: &Path) -> Result<String> {
    if Path::new(path).is_absolute() || path.is_empty() {
        return Ok(path.to_owned());
    }
    let current = Path::new(".").canonicalize()?;
    let folder = paths::or_current(folder).canonicalize()?;
    Ok(relative(path, &current, &folder))
}

fn relative(path: &str, current: &Path, folder: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let whole = current.join(path);
    for component in whole.components() {
        match component {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part.to_str().unwrap_or_default()),
            _ => {}
        }
    }
    let from: Vec<_> =
        folder.components().filter(|c| matches!(c, Component::Normal(_))).map(Component::as_os_str).collect();
    let common = parts.iter().zip(&from).take_while(|(one, other)| std::ffi::OsStr::new(one) == **other).count();
    let up = std::iter::repeat_n("..", from.len() - common);
    let text = up.chain(parts[common..].iter().copied()).collect::<Vec<_>>().join("/");
    if text.is_empty() { ".".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_the_description_sees_them() {
        for (path, folder, expected) in [
            ("a/x.zip", "/w", "a/x.zip"),
            ("./a//x.zip", "/w", "a/x.zip"),
            ("a/**/*.class", "/w/a", "**/*.class"),
            ("a", "/w/b/c", "../../a"),
            ("../o/x", "/w", "../o/x"),
            ("a", "/w/a", "."),
            ("é b/x", "/w/é b", "x"),
        ] {
            assert_eq!(relative(path, Path::new("/w"), Path::new(folder)), expected);
        }
    }
}
