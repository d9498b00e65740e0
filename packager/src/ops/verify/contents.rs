//! One pass over a jar: everything that the checks need of each entry.

use std::collections::BTreeMap;

use manifests::manifest::Manifest;
use rayon::prelude::*;

use super::{Kind, Report};
use crate::archive::Archive;
use crate::class::{Class, FACTORY};
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::foreign::sections::SUFFIXES;
use crate::foreign::suffixes;
use crate::paths;

/// The methods that a check asks for.
const KEPT_METHODS: [&str; 5] = ["premain", "agentmain", "main", "<init>", FACTORY];

/// A file of the jar.
#[derive(Debug)]
pub(super) struct File {
    /// SHA-256 of its bytes.
    pub(super) sha256: Sha256Hex,
    /// The class in it, or why there is none; nothing for other files.
    pub(super) class: Option<Result<Class, String>>,
}

/// A jar as the checks see it.
#[derive(Debug)]
pub(super) struct Contents<'a> {
    /// The jar.
    pub(super) archive: &'a Archive,
    /// Its readable files by name.
    pub(super) files: BTreeMap<&'a str, File>,
}

impl<'a> Contents<'a> {
    /// Inflates everything; what cannot be read is a failure.
    pub(super) fn read(archive: &'a Archive, report: &mut Report) -> Self {
        let suffixes = class_suffixes(archive);
        let read: Vec<(&str, Result<File>)> = archive
            .entries()
            .par_iter()
            .enumerate()
            .filter(|(_, entry)| !entry.is_dir())
            .map(|(index, entry)| (entry.name.as_str(), read_file(archive, index, &suffixes)))
            .collect();
        let mut files = BTreeMap::new();
        for (name, file) in read {
            match file {
                Ok(file) => {
                    files.insert(name, file);
                }
                Err(error) => report.fail(Kind::DamagedEntry, chain(&error)),
            }
        }
        Self { archive, files }
    }

    /// Whether the jar has a file of that name, readable or not.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.archive.contains(name)
    }

    /// The class at `path`.
    pub(super) fn class(&self, path: &str) -> Option<&Class> {
        self.files.get(path)?.class.as_ref()?.as_ref().ok()
    }

    /// The bytes of a small file, read again; nothing when it is missing or unreadable, which is a failure elsewhere.
    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        self.archive.read_name(path).ok().flatten()
    }
}

/// Ends of the names of classes. Another vendor's jar may have further ones, and says so where they are not known.
fn class_suffixes(archive: &Archive) -> Vec<String> {
    let mut all = vec![paths::CLASS_SUFFIX.to_owned(), paths::MASKED_SUFFIX.to_owned()];
    if !archive.contains(paths::SHARED) {
        all.extend(SUFFIXES.map(str::to_owned));
        all.extend(manifest(archive).ok().flatten().map(|manifest| suffixes(&manifest)).unwrap_or_default());
    }
    all
}

fn read_file(archive: &Archive, index: usize, suffixes: &[String]) -> Result<File> {
    let name = archive.entries()[index].name.as_str();
    if !suffixes.iter().any(|suffix| name.ends_with(suffix)) {
        return Ok(File { sha256: archive.sha256(index)?, class: None });
    }
    let bytes = archive.read(index)?;
    let class = Class::read(&bytes, &archive.origin(index)).map(thinned).map_err(|error| chain(&error));
    Ok(File { sha256: Sha256Hex::of(&bytes), class: Some(class) })
}

/// Only what the checks ask of a class: a jar may hold very many.
fn thinned(mut class: Class) -> Class {
    class.visible_types.clear();
    class.methods.retain(|method| KEPT_METHODS.contains(&method.name.as_str()));
    class.methods.shrink_to_fit();
    class
}

/// An error with its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// The manifest; nothing when there is none.
pub(super) fn manifest(archive: &Archive) -> Result<Option<Manifest>, String> {
    let bytes = archive.read_name(paths::MANIFEST).map_err(|error| chain(&error))?;
    bytes.map(|bytes| Manifest::parse(&bytes).map_err(|error| chain(&error))).transpose()
}
