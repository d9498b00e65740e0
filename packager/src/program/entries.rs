//! What each file of a jar or folder is for the scan.

use std::path::Path;
use std::sync::Arc;

use crate::archive::within::{Budget, DEPTH, is_archive};
use crate::archive::{Archive, Limits};
use crate::assemble::Content;
use crate::error::{Error, Result};
use crate::extension::pieces::{Piece, of_folder};
use crate::foreign::sections::SUFFIXES;
use crate::paths;

/// Ends of the names of native libraries. Linux allows a version behind.
const LIBRARIES: [&str; 4] = [".so", ".dll", ".dylib", ".jnilib"];

/// Folder of service descriptors, in whichever section.
const SERVICES: &str = "META-INF/services/";

/// What a file is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind<'p> {
    /// A class file.
    Class,
    /// A native library, by its name.
    Library,
    /// The descriptor of that service.
    Services(&'p str),
    /// A manifest.
    Manifest,
    /// Nothing that is scanned.
    Other,
}

/// What a file is, by its path.
pub(super) fn kind(path: &str) -> Kind<'_> {
    let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
    // Ordinary ones, and those of masked jars.
    let mut ends = SUFFIXES.into_iter().chain([paths::CLASS_SUFFIX]);
    if ends.any(|end| file.strip_suffix(end).is_some_and(|name| !matches!(name, "module-info" | "package-info"))) {
        return Kind::Class;
    }
    if let Some(at) = path.find(SERVICES)
        && (at == 0 || path.as_bytes()[at - 1] == b'/')
    {
        let service = &path[at + SERVICES.len()..];
        if !service.is_empty() && !service.contains('/') {
            return Kind::Services(service);
        }
    }
    if path == paths::MANIFEST {
        return Kind::Manifest;
    }
    let lower = file.to_ascii_lowercase();
    let versioned =
        lower.split_once(".so.").is_some_and(|(_, rest)| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    if versioned || LIBRARIES.iter().any(|end| lower.ends_with(end)) { Kind::Library } else { Kind::Other }
}

/// The files of a jar, zip or folder that the scan reads, those of jars inside it too.
pub(super) fn of(path: &Path, limits: Limits) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    if path.is_dir() {
        for piece in of_folder(path)? {
            if is_archive(&piece.path) {
                let Content::File(file) = &piece.content else { continue };
                of_jar(file, limits, &mut pieces)?;
            } else if kind(&piece.path) != Kind::Other {
                pieces.push(piece);
            }
        }
    } else {
        of_jar(path, limits, &mut pieces)?;
    }
    Ok(pieces)
}

/// Those of `pieces` that the scan reads, and those of jars among them.
pub(super) fn opened(given: Vec<Piece>, limits: Limits) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for piece in given {
        if !is_archive(&piece.path) {
            if kind(&piece.path) != Kind::Other {
                pieces.push(piece);
            }
            continue;
        }
        let archive = match &piece.content {
            Content::Entry { archive, index } => archive.nested(*index)?,
            Content::File(file) => Archive::open_with(file, limits)?,
            other => Archive::from_memory(piece.path.clone().into(), other.read()?, limits)?,
        };
        let archive = Arc::new(archive);
        look(&archive, DEPTH, &mut Budget::of(&archive), &mut pieces)?;
    }
    Ok(pieces)
}

fn of_jar(path: &Path, limits: Limits, pieces: &mut Vec<Piece>) -> Result<()> {
    let archive = Arc::new(Archive::open_with(path, limits)?);
    look(&archive, DEPTH, &mut Budget::of(&archive), pieces)
}

fn look(archive: &Arc<Archive>, depth: usize, budget: &mut Budget<'_>, pieces: &mut Vec<Piece>) -> Result<()> {
    budget.spend(archive)?;
    for (index, entry) in archive.entries().iter().enumerate() {
        if entry.is_dir() {
            continue;
        }
        if is_archive(&entry.name) {
            let Some(depth) = depth.checked_sub(1) else {
                let what = format!("{}, which lies in archives in archives", archive.origin(index));
                return Err(Error::NotSupported { at: archive.label().display().to_string(), what });
            };
            look(&Arc::new(archive.nested(index)?), depth, budget, pieces)?;
        } else if kind(&entry.name) != Kind::Other {
            let content = Content::Entry { archive: Arc::clone(archive), index };
            pieces.push(Piece { path: entry.name.clone(), content, origin: archive.origin(index) });
        }
    }
    Ok(())
}
