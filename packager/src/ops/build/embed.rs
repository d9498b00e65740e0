//! Which extensions are embedded.

use crate::extension::ExtensionError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use manifests::agent_toml::ExtensionSource;
use manifests::suggest;

use crate::archive::Limits;
use crate::base::Base;
use crate::bundle::{self, packages};
use crate::class::dotted;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::extension::project::Project;
use crate::extension::{self, Extension, permissions};
use crate::glob;
use crate::maven;
use crate::printer::Printer;

/// Reads the extensions of `[[extension]]`, then those of `[discover]` that `embed` or `default` selects.
///
/// # Errors
/// An extension is malformed, an id is unknown, or two extensions have one id.
pub(super) fn select(
    config: &Config,
    embed: Option<&[String]>,
    base: &Base,
    limits: Limits,
    printer: &Printer,
) -> Result<Vec<Extension>> {
    let mut extensions = Vec::new();
    for extension in &config.toml.extensions {
        extensions.push(match &extension.source {
            ExtensionSource::Path(path) => {
                let folder = config.resolve(path);
                bundle::of_folder(&folder, config.supplies.get(&folder), limits, printer)?
            }
            ExtensionSource::File(file) => zip(&config.resolve(file), limits)?,
            ExtensionSource::Maven(coordinates) => {
                Extension::from_zip(&maven::extension(coordinates, &extension.at.to_string())?, limits)?
            }
        });
    }
    for folder in selected(config, embed, printer)? {
        extensions.push(bundle::of_folder(&folder, config.supplies.get(&folder), limits, printer)?);
    }
    refuse_duplicates(&extensions, base)?;
    packages::check_together(&extensions, base)?;
    for (number, extension) in extensions.iter().enumerate() {
        let metadata = &extension.metadata;
        printer.status("Embedding", &format!("{} {} ({})", metadata.id, metadata.version, extension.source.display()));
        for note in &extension.notes {
            printer.warning(note);
        }
        let scanned = permissions::scan(extension, limits)?;
        if let Some(error) = bundle::refused(extension, &scanned).into_iter().next() {
            return Err(error.into());
        }
        let others = extensions.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, other)| other);
        let unseen = bundle::unseen(extension, base, others)?;
        for text in unseen.types.iter().map(ToString::to_string).chain(unseen.modules) {
            printer.warning(&text);
        }
        for difference in permissions::differences(extension, &scanned) {
            printer.warning(&difference);
        }
        warn_of_old_markers(extension, printer);
    }
    Ok(extensions)
}

/// The folders that extensions are built from: those of `[[extension]] path`, then those that `embed` or `default` selects.
///
/// # Errors
/// An id is unknown, or a description is malformed.
pub(crate) fn folders(config: &Config, embed: Option<&[String]>, printer: &Printer) -> Result<Vec<PathBuf>> {
    let described = config.toml.extensions.iter().filter_map(|extension| match &extension.source {
        ExtensionSource::Path(path) => Some(config.resolve(path)),
        _ => None,
    });
    let mut folders: Vec<PathBuf> = described.collect();
    folders.extend(selected(config, embed, printer)?);
    Ok(folders)
}

/// The folders of the discovered extensions that `embed` or `default` selects.
fn selected(config: &Config, embed: Option<&[String]>, printer: &Printer) -> Result<Vec<PathBuf>> {
    let default = config.toml.discover.as_ref().map_or(&[][..], |discover| &discover.default);
    let (ids, from) = match embed {
        Some(ids) => (ids, "--embed"),
        None => (default, "[discover] default"),
    };
    let mut wanted: Vec<&str> = Vec::new();
    for id in ids.iter().map(|id| id.trim()).filter(|id| !id.is_empty()) {
        if !wanted.contains(&id) {
            wanted.push(id);
        }
    }
    let members = members(config, !wanted.is_empty(), printer)?;
    let folder_of = |id: &str| {
        members.get(id).cloned().ok_or_else(|| {
            let nearest = suggest::nearest(id, members.keys().map(String::as_str)).map(str::to_owned);
            let known = members.keys().cloned().collect();
            ExtensionError::UnknownExtension { id: id.to_owned(), from, nearest, known }.into()
        })
    };
    wanted.into_iter().map(folder_of).collect()
}

/// Reads a zip, or says how it is built if it is that of a project.
fn zip(path: &Path, limits: Limits) -> Result<Extension> {
    match Extension::from_zip(path, limits) {
        Err(Error::FileMissing { path }) => {
            Err(bundle::zip_not_built(&path)?.map_or(Error::FileMissing { path }, Error::from))
        }
        read => read,
    }
}

/// Names the classes that carry an annotation of an older agent, which nobody reads.
fn warn_of_old_markers(extension: &Extension, printer: &Printer) {
    for class in extension.api.iter().chain(&extension.implementation) {
        if let Some(annotation) = bundle::old_marker(&class.class.annotations) {
            printer.warning(&format!(
                "`{}` has an annotation of an older agent, which marks nothing: `{annotation}` ({})",
                dotted(&class.class.name),
                class.origin
            ));
        }
    }
}

/// The folders that `[discover] members` matches and that carry an extension manifest or an `extension.toml`, by id; with
/// `all`, also those of the Cargo workspace.
fn members(config: &Config, all: bool, printer: &Printer) -> Result<BTreeMap<String, PathBuf>> {
    let mut members = BTreeMap::new();
    let patterns = config.toml.discover.as_ref().map_or(&[][..], |discover| &discover.members);
    let mut folders = glob::expand_all(patterns, &config.folder, true, &config.origin)?;
    if all {
        let real: Vec<_> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        let is_new = |folder: &&PathBuf| folder.canonicalize().is_ok_and(|folder| !real.contains(&folder));
        folders.extend(config.members.iter().filter(is_new).cloned());
    }
    for folder in folders {
        let id = match Project::find(&folder)? {
            Some(project) => Some(project.toml.id),
            None if extension::carries_manifest(&folder) => extension::id_of(&folder)?,
            None => None,
        };
        let Some(id) = id else {
            printer.detail(&format!("`{}` carries no extension manifest: not a member", folder.display()));
            continue;
        };
        if let Some(first) = members.insert(id.clone(), folder.clone()) {
            return Err(ExtensionError::DuplicateExtension { id, first, second: folder }.into());
        }
    }
    Ok(members)
}

fn refuse_duplicates(extensions: &[Extension], base: &Base) -> Result<()> {
    let label = base.archive.label();
    let mut sources: BTreeMap<String, PathBuf> =
        base.extensions().into_iter().map(|id| (id, label.to_owned())).collect();
    for extension in extensions {
        let id = extension.id().to_owned();
        if let Some(first) = sources.insert(id.clone(), extension.source.clone()) {
            return Err(ExtensionError::DuplicateExtension { id, first, second: extension.source.clone() }.into());
        }
    }
    Ok(())
}
