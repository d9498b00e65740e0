//! The jar that an agent is built on: the one inside this program, or a masked jar that is given.

use std::path::Path;
use std::sync::Arc;

use manifests::manifest::{Manifest, attribute};

use crate::archive::{Archive, Limits};
use crate::class::slashed;
use crate::error::{Error, Result};
use crate::manifest_file;
use crate::native;
use crate::origin::Origin;
use crate::paths;

/// The bare masked jar that the build script made.
pub(crate) const BASE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/base.jar"));

/// What messages call it.
const BUILTIN: &str = "built-in base";

/// The attributes without which the JVM or the Loader does not start an agent.
pub(crate) const MANDATORY: [&str; 7] = [
    attribute::PREMAIN_CLASS,
    attribute::AGENT_CLASS,
    attribute::MAIN_CLASS,
    attribute::CAN_REDEFINE_CLASSES,
    attribute::CAN_RETRANSFORM_CLASSES,
    attribute::BTRACE_AGENT_MAIN,
    attribute::BTRACE_CLIENT_MAIN,
];

/// A checked base.
#[derive(Debug)]
pub(crate) struct Base {
    /// The jar.
    pub(crate) archive: Arc<Archive>,
    /// Its manifest.
    pub(crate) manifest: Manifest,
}

impl Base {
    /// The base inside this program.
    ///
    /// # Errors
    /// The program was built with a jar that is no base.
    pub(crate) fn builtin() -> Result<Self> {
        Self::check(Archive::from_static(BUILTIN, BASE)?)
    }

    /// The base at `path`, which may itself be an agent that this program built.
    ///
    /// # Errors
    /// The jar is unreadable or is not a masked one.
    pub(crate) fn open(path: &Path, limits: Limits) -> Result<Self> {
        Self::check(Archive::open_with(path, limits)?)
    }

    fn check(archive: Archive) -> Result<Self> {
        let not_masked = |missing: String| Error::NotMasked { jar: archive.label().to_owned(), missing };
        for entry in [paths::SHARED, paths::LOADER_CLASS] {
            if !archive.contains(entry) {
                return Err(not_masked(format!("it has no entry `{entry}`")));
            }
        }
        let Some(manifest) = manifest_file::of(&archive)? else {
            return Err(not_masked("it has no manifest".into()));
        };
        for name in MANDATORY {
            if manifest.main.get(name).is_none() {
                return Err(not_masked(format!("its manifest has no `{name}`")));
            }
        }
        for (name, section) in [(attribute::BTRACE_AGENT_MAIN, "agent"), (attribute::BTRACE_CLIENT_MAIN, "client")] {
            let main = masked_path(section, manifest.main.get(name).unwrap_or_default());
            if !archive.contains(&main) {
                return Err(not_masked(format!("it has no entry `{main}`, which `{name}` names")));
            }
        }
        Ok(Self { archive: Arc::new(archive), manifest })
    }

    /// Targets of the cores it holds, such as `linux-x86_64-gnu`, sorted.
    pub(crate) fn targets(&self) -> Vec<String> {
        let mut targets: Vec<String> = self
            .archive
            .entries()
            .iter()
            .filter_map(|entry| native::target_of(&entry.name))
            .map(str::to_owned)
            .collect();
        targets.sort();
        targets
    }

    /// Ids of the extensions it already embeds, in the order of its manifest.
    pub(crate) fn extensions(&self) -> Vec<String> {
        let list = self.manifest.main.get(attribute::BTRACE_EMBEDDED_EXTENSIONS).unwrap_or_default();
        list.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect()
    }

    /// Where the manifest comes from.
    pub(crate) fn origin(&self) -> Origin {
        Origin::Entry { archive: self.archive.label().to_owned(), name: paths::MANIFEST.to_owned() }
    }
}

/// Where a section holds a class, given by its dotted name.
pub(crate) fn masked_path(section: &str, class: &str) -> String {
    format!("{}{section}/{}{}", paths::SECTIONS, slashed(class.trim()), paths::MASKED_SUFFIX)
}
