//! The order in which files come into a repository, and what is never overwritten there.

use super::artifact::{Component, Source};
use super::checksum::Checksums;
use super::metadata::{self, Build};
use super::repository::Repository;
use super::sign::Signer;
use super::{Error, pom};
use crate::assemble::Moment;
use crate::error::{Error as AnyError, Result};
use crate::xml::Element;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Paths in the repository that were written, in that order.
    pub written: Vec<String>,
    /// Paths of files of a release that were there already.
    pub unchanged: Vec<String>,
    /// Those of the paths written where a file with other bytes was.
    pub replaced: Vec<String>,
}

/// What happens to a file of a release that is there with other bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Nothing is written at all.
    Refuse,
    /// It is written anew.
    Replace,
}

/// A file that is signed and has checksums.
struct File {
    path: String,
    source: Source,
    checksums: Checksums,
    /// Whether the repository has it already.
    is_there: bool,
    /// Whether it may be replaced.
    replace: bool,
}

/// What goes into a repository beside its metadata: all files, then the descriptions, so that nobody sees a description
/// of files that are not there.
pub(super) fn files(components: &[(&Component, String)]) -> Result<Vec<(String, Source)>> {
    let mut files = Vec::new();
    for (component, version) in components {
        for artifact in &component.artifacts {
            files.push((component.path(version, artifact.classifier, artifact.kind), artifact.source.clone()));
        }
    }
    for (component, version) in components {
        files.push((component.path(version, None, "pom"), Source::Bytes(pom::write(component)?)));
    }
    Ok(files)
}

/// Publishes the components.
///
/// # Errors
/// A release is there with other bytes, a signature cannot be made, or the repository cannot be read or written; what was
/// written until then is named.
pub(crate) fn upload(
    repository: &dyn Repository,
    components: &[Component],
    signer: Option<&Signer>,
    time: Moment,
    existing: Existing,
) -> Result<Outcome> {
    let read = |path: &str, component: &Component| -> Result<Option<Element>> {
        let known = repository.read(path)?.map(|bytes| metadata::read(&bytes, component, &repository.place(path)));
        Ok(known.transpose()?)
    };
    // Metadata are written last, but what cannot be read has to be known before anything is written.
    let mut versions = Vec::new();
    let mut indexes = Vec::new();
    let mut complete = Vec::new();
    for component in components {
        let mut version = component.version.clone();
        if component.is_snapshot() {
            let path = format!("{}{}", component.version_folder(), metadata::FILE);
            let known = read(&path, component)?;
            let build = Build::next(known.as_ref(), time);
            version = build.version(component);
            indexes.push((path, build.metadata(known, component)));
        }
        versions.push((component, version));
    }
    for component in components {
        let path = format!("{}{}", component.folder(), metadata::FILE);
        match metadata::with_version(read(&path, component)?, component, time) {
            Some(element) => indexes.push((path, element)),
            None => complete.push(path),
        }
    }

    let mut checked = Vec::new();
    for (path, source) in files(&versions)? {
        checked.push(check(repository, path, source, existing)?);
    }
    let mut signatures = Vec::new();
    for file in &checked {
        signatures.push(signature(repository, file, signer)?);
    }

    let replaced = checked.iter().filter(|file| file.replace).map(|file| file.path.clone()).collect();
    let mut outcome = Outcome { replaced, ..Outcome::default() };
    let mut result = Ok(());
    for (file, signature) in checked.iter().zip(&signatures) {
        result = result.and_then(|()| put(repository, file, &mut outcome));
        if let Some(signature) = signature {
            result = result.and_then(|()| put(repository, signature, &mut outcome));
        }
    }
    for (path, element) in indexes {
        result = result.and_then(|()| {
            let source = Source::Bytes(element.to_document()?);
            let checksums = Checksums::of(&source)?;
            put(repository, &File { path, source, checksums, is_there: false, replace: true }, &mut outcome)
        });
    }
    for path in complete {
        // A run that stopped after the file itself left out its checksums, or left those of the bytes before.
        result = result.and_then(|()| match repository.read(&path)? {
            Some(bytes) => put_checksums(repository, &path, &Checksums::of(&Source::Bytes(bytes))?, true, &mut outcome),
            None => Ok(()),
        });
    }
    match result {
        Ok(()) => Ok(outcome),
        Err(error) if outcome.written.is_empty() => Err(error),
        Err(error) => Err(Error::HalfWay { written: outcome.written, source: Box::new(error) }.into()),
    }
}

/// Compares a file with the one that the repository has. Names of a snapshot's files are new, so for them it has none.
fn check(repository: &dyn Repository, path: String, source: Source, existing: Existing) -> Result<File> {
    let checksums = Checksums::of(&source)?;
    let (is_there, replace) = match same(repository, &path, &checksums) {
        Err(AnyError::Publish(Error::Exists { .. })) if existing == Existing::Replace => (false, true),
        found => (found?, false),
    };
    Ok(File { path, source, checksums, is_there, replace })
}

/// Whether the repository has a file with these bytes.
///
/// # Errors
/// It has one with others, or cannot be read.
fn same(repository: &dyn Repository, path: &str, checksums: &Checksums) -> Result<bool> {
    match repository.sha256(path)? {
        None => Ok(false),
        Some(known) if known.to_string() == checksums.sha256() => Ok(true),
        Some(_) => Err(Error::Exists { place: repository.place(path) }.into()),
    }
}

/// The signature of a file, unless the repository has one: each signature of the same bytes is another one.
fn signature(repository: &dyn Repository, file: &File, signer: Option<&Signer>) -> Result<Option<File>> {
    let Some(signer) = signer else { return Ok(None) };
    let path = format!("{}.asc", file.path);
    let (source, is_there) = match repository.read(&path)?.filter(|_| file.is_there) {
        Some(known) => (Source::Bytes(known), true),
        None => (signer.sign(&file.source, &file.path)?, false),
    };
    let checksums = Checksums::of(&source)?;
    Ok(Some(File { path, source, checksums, is_there, replace: false }))
}

/// Writes a file with its checksums, or of those that it has already only what was left out or is wrong.
fn put(repository: &dyn Repository, file: &File, outcome: &mut Outcome) -> Result<(), AnyError> {
    // Between the first look and now another publisher may have come, and not all servers refuse the second one.
    let is_there = file.is_there || !file.replace && same(repository, &file.path, &file.checksums)?;
    if is_there {
        outcome.unchanged.push(file.path.clone());
    } else {
        repository.write(&file.path, &file.source, file.replace)?;
        outcome.written.push(file.path.clone());
    }
    put_checksums(repository, &file.path, &file.checksums, is_there, outcome)
}

/// Writes the checksums of the file at `path`; where it was there before, only those that are missing or wrong.
fn put_checksums(
    repository: &dyn Repository,
    path: &str,
    checksums: &Checksums,
    is_there: bool,
    outcome: &mut Outcome,
) -> Result<(), AnyError> {
    for (end, checksum) in checksums.iter() {
        let path = format!("{path}.{end}");
        // Other tools write the name of the file beside it, and some capitals.
        let says = |known: Vec<u8>| {
            let known = String::from_utf8_lossy(&known).into_owned();
            known.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(checksum))
        };
        if is_there && repository.read(&path)?.is_some_and(says) {
            continue;
        }
        // Where the file is new, its checksum can only be a left-over of one that never came.
        repository.write(&path, &Source::Bytes(checksum.as_bytes().to_vec()), true)?;
        outcome.written.push(path);
    }
    Ok(())
}
