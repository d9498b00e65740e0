//! What each file of a jar or folder is for the scan.

use std::path::Path;
use std::sync::Arc;

use crate::archive::{Archive, Limits};
use crate::assemble::Content;
use crate::error::{Error, Result};
use crate::extension::pieces::of_folder;
use crate::origin::Origin;
use crate::paths;

/// Ends of the names of class files: ordinary ones, and those of masked jars.
const CLASSES: [&str; 3] = [".class", ".classdata", ".esclazz"];

/// Ends of the names of archives inside others.
const ARCHIVES: [&str; 4] = [".jar", ".zip", ".war", ".ear"];

/// Ends of the names of native libraries. Linux allows a version behind.
const LIBRARIES: [&str; 4] = [".so", ".dll", ".dylib", ".jnilib"];

/// Folder of service descriptors, in whichever section.
const SERVICES: &str = "META-INF/services/";

/// How deep jars may lie in each other.
const DEPTH: usize = 4;

/// A file to read.
pub(super) struct Piece {
    pub(super) path: String,
    pub(super) content: Content,
    pub(super) origin: Origin,
}

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
    if CLASSES
        .iter()
        .any(|end| file.strip_suffix(end).is_some_and(|name| !matches!(name, "module-info" | "package-info")))
    {
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

/// The providers that a descriptor names, dotted.
pub(super) fn providers(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The files of a jar, zip or folder that the scan reads, those of jars inside it too.
pub(super) fn of(path: &Path, limits: Limits) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    if path.is_dir() {
        for piece in of_folder(path)? {
            if is_archive(&piece.path) {
                let Content::File(file) = &piece.content else { continue };
                of_archive(&Arc::new(Archive::open_with(file, limits)?), DEPTH, &mut pieces)?;
            } else if kind(&piece.path) != Kind::Other {
                pieces.push(Piece { path: piece.path, content: piece.content, origin: piece.origin });
            }
        }
    } else {
        of_archive(&Arc::new(Archive::open_with(path, limits)?), DEPTH, &mut pieces)?;
    }
    Ok(pieces)
}

fn of_archive(archive: &Arc<Archive>, depth: usize, pieces: &mut Vec<Piece>) -> Result<()> {
    for (index, entry) in archive.entries().iter().enumerate() {
        if entry.is_dir() {
            continue;
        }
        if is_archive(&entry.name) {
            let Some(depth) = depth.checked_sub(1) else {
                let what = format!("{}, which lies in archives in archives", archive.origin(index));
                return Err(Error::NotSupported { at: archive.label().display().to_string(), what });
            };
            of_archive(&Arc::new(archive.nested(index)?), depth, pieces)?;
        } else if kind(&entry.name) != Kind::Other {
            pieces.push(Piece {
                path: entry.name.clone(),
                content: Content::Entry { archive: Arc::clone(archive), index },
                origin: archive.origin(index),
            });
        }
    }
    Ok(())
}

fn is_archive(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    ARCHIVES.iter().any(|end| lower.ends_with(end))
}
