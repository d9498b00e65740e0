//! The code of jars and folders as one program to scan: classes in all their forms, native libraries, and where it is entered.

mod entries;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use manifests::manifest::attribute;
use rayon::prelude::*;
use scan::native::Library;
use scan::{Class, Report, Roots};

use crate::archive::Limits;
use crate::class::slashed;
use crate::error::{Error, Result};
use crate::extension::pieces::Piece;
use crate::extension::provider_names;
use crate::manifest_file;
use crate::origin::Origin;

/// Attributes that name a class which is called from outside.
const MAINS: [&str; 8] = [
    attribute::PREMAIN_CLASS,
    attribute::AGENT_CLASS,
    attribute::LAUNCHER_AGENT_CLASS,
    attribute::MAIN_CLASS,
    attribute::BTRACE_AGENT_MAIN,
    attribute::BTRACE_ATTACH_MAIN,
    attribute::BTRACE_CLIENT_MAIN,
    attribute::BTRACE_EXTENSION_CONFIGURATOR,
];

/// A native library, or why it could not be read.
#[derive(Debug)]
pub(crate) struct Native {
    /// Where it lies.
    pub(crate) origin: Origin,
    /// What it needs.
    pub(crate) library: Result<Library, String>,
}

/// Code to scan.
#[derive(Debug, Default)]
pub(crate) struct Program {
    classes: Vec<Vec<u8>>,
    origins: Vec<Origin>,
    natives: Vec<Native>,
    /// Descriptors: the service, dotted, and its providers, dotted.
    services: BTreeMap<String, BTreeSet<String>>,
    /// Dotted names of services that are offered to probes, and of classes that are called from outside.
    offered: BTreeSet<String>,
    mains: BTreeSet<String>,
    /// Dotted names of classes whose visible members anybody may use.
    open: BTreeSet<String>,
}

impl Program {
    /// Reads the jars, zips and folders at `paths`, with the jars inside them.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(crate) fn read(paths: &[PathBuf], limits: Limits) -> Result<Self> {
        let mut program = Self::default();
        for path in paths {
            program.add(path, limits)?;
        }
        Ok(program)
    }

    /// Adds a jar, zip or folder.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn add(&mut self, path: &Path, limits: Limits) -> Result<()> {
        self.take_all(entries::of(path, limits)?)
    }

    fn take_all(&mut self, pieces: Vec<Piece>) -> Result<()> {
        let read: Vec<(Piece, Vec<u8>)> = pieces
            .into_par_iter()
            .map(|piece| piece.content.read().map(|bytes| (piece, bytes)))
            .collect::<Result<_>>()?;
        for (piece, bytes) in read {
            self.take(&piece.path, piece.origin, bytes)?;
        }
        Ok(())
    }

    /// Adds files, and those of jars among them.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(crate) fn add_pieces(&mut self, pieces: Vec<Piece>, limits: Limits) -> Result<()> {
        self.take_all(entries::opened(pieces, limits)?)
    }

    /// Takes one file by what it is.
    fn take(&mut self, path: &str, origin: Origin, bytes: Vec<u8>) -> Result<()> {
        match entries::kind(path) {
            entries::Kind::Class => {
                self.classes.push(bytes);
                self.origins.push(origin);
            }
            entries::Kind::Library if scan::native::is_library(&bytes) => {
                self.natives.push(Native { origin, library: scan::native::scan(&bytes) });
            }
            entries::Kind::Services(service) => {
                let providers = provider_names(&bytes);
                self.services.entry(service.to_owned()).or_default().extend(providers);
            }
            entries::Kind::Manifest => {
                let manifest = manifest_file::parse(&bytes, &origin)?;
                let mains = MAINS.iter().filter_map(|name| manifest.main.get(name));
                self.mains.extend(mains.map(|name| name.trim().to_owned()));
                let offered = manifest.main.get(attribute::BTRACE_EXTENSION_SERVICES).unwrap_or_default();
                self.offered
                    .extend(offered.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
            }
            entries::Kind::Library | entries::Kind::Other => {}
        }
        Ok(())
    }

    /// Enters the program at these classes, dotted, besides those that manifests and descriptors name.
    pub(crate) fn enter(&mut self, classes: impl IntoIterator<Item = String>) {
        self.mains.extend(classes);
    }

    /// Offers these services, dotted, to probes, with these classes of the API, dotted.
    pub(crate) fn offer(&mut self, services: impl IntoIterator<Item = String>, api: impl IntoIterator<Item = String>) {
        self.offered.extend(services);
        self.open.extend(api);
    }

    /// The native libraries.
    pub(crate) fn natives(&self) -> &[Native] {
        &self.natives
    }

    /// Where a class of the report lies.
    pub(crate) fn origin(&self, input: usize) -> &Origin {
        &self.origins[input]
    }

    /// Number of classes, and their bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.classes.len(), self.classes.iter().map(Vec::len).sum())
    }

    /// Where it is entered. Services that nobody in particular offers are entered at all their providers.
    fn roots(&self) -> Roots {
        let mut instantiated: BTreeSet<String> = self.mains.iter().map(|name| slashed(name)).collect();
        for (service, providers) in &self.services {
            if self.offered.is_empty() || self.offered.contains(service) {
                instantiated.extend(providers.iter().map(|name| slashed(name)));
            }
        }
        for service in &self.offered {
            // The rule of old for services without a descriptor.
            instantiated.insert(format!("{}Impl", slashed(service)));
        }
        Roots {
            instantiated: instantiated.into_iter().collect(),
            open: self.offered.union(&self.open).map(|name| slashed(name)).collect(),
            services: self.services.iter().map(|(name, all)| (name.clone(), all.iter().cloned().collect())).collect(),
        }
    }

    /// Scans it. With `everything`, what can be reached does not count.
    ///
    /// # Errors
    /// A class cannot be read.
    pub(crate) fn scan(&self, everything: bool) -> Result<Report> {
        let classes: Vec<Class<'_>> = self.classes.iter().map(|bytes| Class { bytes }).collect();
        let roots = if everything { Roots::default() } else { self.roots() };
        scan::scan(&classes, &roots).map_err(|error| Error::Class {
            origin: Box::new(self.origins[error.class].clone()),
            source: Box::new(error.source),
        })
    }
}
