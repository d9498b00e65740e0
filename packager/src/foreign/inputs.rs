//! The jars that a foreign jar is made of, each opened once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manifests::agent_toml::Source;
use manifests::manifest::{Manifest, attribute};

use super::Error as ForeignError;
use super::description::Described;
use crate::archive::{Archive, Limits};
use crate::config::Config;
use crate::error::Result;
use crate::manifest_file;
use crate::maven;
use crate::paths;

/// One jar.
#[derive(Debug)]
pub(super) struct Input {
    /// The jar.
    pub(super) archive: Arc<Archive>,
    /// Its manifest; empty when it has none.
    pub(super) manifest: Manifest,
}

impl Input {
    /// Whether the JVM would look at its versioned copies.
    pub(super) fn multi_release(&self) -> bool {
        let value = self.manifest.main.get(attribute::MULTI_RELEASE).unwrap_or_default();
        value.trim().eq_ignore_ascii_case("true")
    }
}

/// All jars, and where each is named, in the order of `agent.toml`.
#[derive(Debug)]
pub(super) struct Inputs {
    /// The jars, the base first.
    pub(super) jars: Vec<Input>,
    /// Whether the first one is the base.
    pub(super) has_base: bool,
    /// Those of `[bootstrap] from`, as numbers of `jars`.
    pub(super) bootstrap: Vec<usize>,
    /// Those of each section.
    pub(super) sections: Vec<Vec<usize>>,
}

impl Inputs {
    /// Opens all jars.
    ///
    /// # Errors
    /// One is missing or malformed, or a pattern matches none.
    pub(super) fn open(config: &Config, described: &[Described<'_>], limits: Limits) -> Result<Self> {
        let mut opened = Opened { config, limits, jars: Vec::new(), by_path: BTreeMap::new() };
        let base = config.base_file()?;
        if let Some(path) = &base {
            let number = opened.open(path)?;
            let archive = &opened.jars[number].archive;
            if archive.contains(paths::SHARED) || archive.contains(paths::LOADER_CLASS) {
                return Err(ForeignError::OwnBase { jar: archive.label().to_owned() }.into());
            }
        }
        let has_base = base.is_some();
        let bootstrap = config.toml.bootstrap.as_ref().map_or(&[][..], |bootstrap| &bootstrap.from);
        let at = config.toml.place_of("bootstrap.from").to_string();
        let bootstrap = opened.open_all(bootstrap, &at)?;
        let sections = described
            .iter()
            .map(|Described { table, .. }| opened.open_all(&table.from, &table.at.to_string()))
            .collect::<Result<_>>()?;
        Ok(Self { jars: opened.jars, has_base, bootstrap, sections })
    }

    /// The base.
    pub(super) fn base(&self) -> Option<&Input> {
        self.jars.first().filter(|_| self.has_base)
    }
}

struct Opened<'a> {
    config: &'a Config,
    limits: Limits,
    jars: Vec<Input>,
    by_path: BTreeMap<PathBuf, usize>,
}

impl Opened<'_> {
    fn open(&mut self, path: &Path) -> Result<usize> {
        if let Some(number) = self.by_path.get(path) {
            return Ok(*number);
        }
        let archive = Arc::new(Archive::open_with(path, self.limits)?);
        let manifest = manifest_file::of(&archive)?.unwrap_or_default();
        self.jars.push(Input { archive, manifest });
        self.by_path.insert(path.to_owned(), self.jars.len() - 1);
        Ok(self.jars.len() - 1)
    }

    fn open_all(&mut self, sources: &[Source], at: &str) -> Result<Vec<usize>> {
        let mut numbers = Vec::new();
        for path in maven::files(sources, self.config, at)? {
            let number = self.open(&path)?;
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }
}
