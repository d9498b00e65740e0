//! Sorts the files of a jar or folder into classes, probes and resources.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use walkdir::WalkDir;

use super::{About, ExtensionClass, Resource};
use crate::archive::{Archive, check_name};
use crate::assemble::Content;
use crate::class::Class;
use crate::digest::Sha256Hex;
use crate::error::{Error, Result};
use crate::origin::Origin;
use crate::paths;

/// One file before anything is known about it.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) path: String,
    pub(crate) content: Content,
    pub(crate) origin: Origin,
}

/// The files of one jar or folder, sorted.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub(crate) classes: Vec<ExtensionClass>,
    pub(crate) probes: Vec<ExtensionClass>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) notes: Vec<String>,
}

/// All files of an archive.
pub(super) fn of_archive(archive: &Arc<Archive>) -> Vec<Piece> {
    let files = archive.entries().iter().enumerate().filter(|(_, entry)| !entry.is_dir());
    files
        .map(|(index, entry)| Piece {
            path: entry.name.clone(),
            content: Content::Entry { archive: Arc::clone(archive), index },
            origin: archive.origin(index),
        })
        .collect()
}

/// All files below a folder.
pub(crate) fn of_folder(folder: &Path) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let entry = entry.map_err(std::io::Error::from)?;
        if !entry.file_type().is_file() {
            continue;
        }
        let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        let path = parts.join("/");
        // Names that are not Unicode hold a replacement character now, and say so.
        let problem = match check_name(path.as_bytes()) {
            Err(problem) => Some(problem),
            Ok(_) if relative.to_str().is_none() => Some(crate::archive::NameProblem::NotUtf8),
            Ok(_) => None,
        };
        if let Some(problem) = problem {
            return Err(Error::BadEntryName { jar: folder.to_owned(), entry: path, problem });
        }
        let file = entry.into_path();
        pieces.push(Piece { path, content: Content::File(file.clone()), origin: Origin::File(file) });
    }
    Ok(pieces)
}

/// Sorts `pieces` and reads their classes. What an agent has no use for is left out: the manifest (its contents go into
/// `extension.properties`, and what is `about` the implementation into a new one), the jar index, module descriptors, the list of exports, and signatures, which are noted.
pub(crate) fn sort(pieces: Vec<Piece>, about: &About) -> Result<Sorted> {
    let mut sorted = Sorted::default();
    let mut classes = Vec::new();
    let mut versioned = 0_usize;
    for piece in pieces {
        let path = piece.path.as_str();
        let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
        if matches!(path, paths::MANIFEST | paths::JAR_INDEX | super::folder::EXPORTS) || file == "module-info.class" {
            continue;
        }
        if paths::is_signature(path) {
            sorted.notes.push(format!("{} is left out: a signature does not hold for another jar", piece.origin));
            continue;
        }
        let is_class = path.ends_with(paths::CLASS_SUFFIX);
        if is_class && (path.starts_with(paths::PROBES) || !path.starts_with(paths::META_INF)) {
            classes.push(piece);
            continue;
        }
        if is_class && path.starts_with("META-INF/versions/") && !about.is_multi_release() {
            versioned += 1;
        }
        sorted.resources.push(Resource { path: piece.path, content: piece.content, origin: piece.origin });
    }
    if versioned > 0 {
        sorted.notes.push(format!("classes for newer Java versions are kept as resources but not used, as the manifest does not say `Multi-Release: true`: {versioned}"));
    }
    let read: Vec<(bool, ExtensionClass)> = classes.into_par_iter().map(read_class).collect::<Result<_>>()?;
    for (probe, class) in read {
        if probe { sorted.probes.push(class) } else { sorted.classes.push(class) }
    }
    Ok(sorted)
}

/// Reads one class; the first value says whether it is an embedded probe.
fn read_class(piece: Piece) -> Result<(bool, ExtensionClass)> {
    let bytes = piece.content.read()?;
    let name = piece.path.strip_suffix(paths::CLASS_SUFFIX).unwrap_or(&piece.path);
    let (probe, name) = match name.strip_prefix(paths::PROBES) {
        Some(name) => (true, name),
        None => (false, name),
    };
    let class = Class::read_at(&bytes, name, &piece.origin)?;
    let sha256 = Sha256Hex::of(&bytes);
    Ok((probe, ExtensionClass { class, content: piece.content, origin: piece.origin, sha256 }))
}
