//! `fatagent inspect`: what is in a jar.

mod show;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use manifests::extension::ExtensionMetadata;
use manifests::manifest::{Manifest, attribute};
use manifests::policy::{Decision, Policy};
use manifests::properties::Properties;

use crate::archive::{Archive, Entry, Limits};
use crate::class::dotted;
use crate::defaults::{self, read};
use crate::digest::Sha256Hex;
use crate::error::{Error, Result};
use crate::foreign::sections::Sections;
use crate::foreign::suffixes;
use crate::native::{self, NativeCore};
use crate::ops::build::masked_class;
use crate::paths;
use crate::printer::Printer;

/// Number and inflated bytes of some files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    /// How many.
    pub count: usize,
    /// Bytes once inflated.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, entry: &Entry) {
        self.count += 1;
        self.bytes += entry.size;
    }
}

/// An embedded extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionView {
    /// Its description; without it, only the id is known.
    pub metadata: Option<ExtensionMetadata>,
    /// Its id, which is also its folder.
    pub id: String,
    /// Its masked classes.
    pub classes: Amount,
    /// Its other files.
    pub resources: Amount,
    /// What the policy of the jar decides about it.
    pub decision: Decision,
}

/// What is in a jar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The jar.
    pub path: PathBuf,
    /// Its bytes.
    pub size: u64,
    /// Its entries.
    pub entries: usize,
    /// SHA-256 of the whole jar.
    pub sha256: Sha256Hex,
    /// Whether it is marked as masked.
    pub masked: bool,
    /// Main attributes in order.
    pub attributes: Vec<(String, String)>,
    /// Classes that the bootstrap loader sees.
    pub bootstrap: Amount,
    /// Their dotted names, sorted.
    pub bootstrap_classes: Vec<String>,
    /// Masked classes by section.
    pub sections: BTreeMap<String, Amount>,
    /// Embedded extensions by id.
    pub extensions: Vec<ExtensionView>,
    /// Dotted names of the embedded probes, sorted.
    pub probes: Vec<String>,
    /// Default agent arguments, limits among them.
    pub arguments: Vec<(String, String)>,
    /// Keys and values of the embedded `extensions.conf`.
    pub config: Vec<(String, String)>,
    /// Whether a policy is embedded.
    pub has_policy: bool,
    /// Keys and values of the embedded policy.
    pub policy_entries: Vec<(String, String)>,
    /// The embedded policy, or the default one.
    pub policy: Policy,
    /// Native cores.
    pub natives: Vec<NativeCore>,
}

/// Reads the jar at `path` and prints what is in it.
///
/// # Errors
/// The jar is unreadable, or one of its texts is malformed.
pub fn inspect(path: &Path, limits: Limits, printer: &Printer) -> Result<View> {
    let view = View::read(path, limits)?;
    view.lines().iter().for_each(|line| printer.text(line));
    printer.json("inspect", view.to_json());
    Ok(view)
}

impl View {
    /// Reads the jar at `path`.
    ///
    /// # Errors
    /// As [`inspect`].
    pub fn read(path: &Path, limits: Limits) -> Result<Self> {
        let archive = Archive::open_with(path, limits)?;
        let manifest = read(&archive, paths::MANIFEST, Manifest::parse)?.unwrap_or_default();
        let pair = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let pairs = |name: &str| {
            let properties = defaults::properties(&archive, name)?.unwrap_or_default();
            Ok::<_, Error>(properties.iter().map(pair).collect::<Vec<_>>())
        };
        let policy = defaults::policy(&archive)?.unwrap_or_default();
        let mut view = Self {
            path: path.to_owned(),
            size: fs_err::metadata(path)?.len(),
            entries: archive.entries().len(),
            sha256: Sha256Hex::of_file(path)?,
            masked: archive.contains(paths::SHARED),
            attributes: manifest.main.iter().map(pair).collect(),
            bootstrap: Amount::default(),
            bootstrap_classes: Vec::new(),
            sections: BTreeMap::new(),
            extensions: extensions(&archive, &manifest, &policy)?,
            probes: Vec::new(),
            arguments: pairs(paths::AGENT_PROPERTIES)?,
            config: pairs(paths::EXTENSIONS_CONF)?,
            policy_entries: pairs(paths::PERMISSIONS_PROPERTIES)?,
            has_policy: archive.contains(paths::PERMISSIONS_PROPERTIES),
            policy,
            natives: Vec::new(),
        };
        let foreign = if view.masked { Sections::default() } else { Sections::find(&archive, &suffixes(&manifest))? };
        for (index, entry) in archive.entries().iter().enumerate() {
            let located = foreign.locate(&entry.name);
            match (located.section, located.class()) {
                (Some(section), Some(_)) => view.sections.entry(section.name().to_owned()).or_default().add(entry),
                (Some(_), None) => {}
                _ => view.add(&archive, index, entry)?,
            }
        }
        view.bootstrap_classes.sort();
        view.probes.sort();
        view.natives.sort_by(|a, b| a.target.cmp(&b.target));
        Ok(view)
    }

    fn add(&mut self, archive: &Archive, index: usize, entry: &Entry) -> Result<()> {
        let name = entry.name.as_str();
        if entry.is_dir() {
            return Ok(());
        }
        if let Some(target) = native::target_of(name) {
            self.natives.push(NativeCore::read(target, &archive.read(index)?));
        } else if let Some(rest) = name.strip_prefix(paths::EXTENSIONS) {
            let id = rest.split_once('/').map_or(rest, |(id, _)| id);
            if let Some(extension) = self.extensions.iter_mut().find(|extension| extension.id == id) {
                let masked = name.ends_with(paths::MASKED_SUFFIX);
                if masked { &mut extension.classes } else { &mut extension.resources }.add(entry);
            }
        } else if let Some(probe) = name.strip_prefix(paths::PROBES).and_then(|p| p.strip_suffix(paths::CLASS_SUFFIX)) {
            self.probes.push(dotted(probe));
        } else if masked_class(name).is_some() {
            let section = name[paths::SECTIONS.len()..].split('/').next().unwrap_or_default();
            self.sections.entry(section.to_owned()).or_default().add(entry);
        } else if let Some(class) = name.strip_suffix(paths::CLASS_SUFFIX)
            && !name.starts_with(paths::META_INF)
        {
            self.bootstrap.add(entry);
            self.bootstrap_classes.push(dotted(class));
        }
        Ok(())
    }

    /// The value of a main attribute.
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The extensions that the manifest lists or that have a folder, by id.
fn extensions(archive: &Archive, manifest: &Manifest, policy: &Policy) -> Result<Vec<ExtensionView>> {
    let listed = manifest.main.get(attribute::BTRACE_EMBEDDED_EXTENSIONS).unwrap_or_default();
    let folders =
        archive.entries().iter().filter_map(|entry| entry.name.strip_prefix(paths::EXTENSIONS)?.split_once('/'));
    let mut ids: Vec<&str> = listed.split(',').map(str::trim).filter(|id| !id.is_empty()).collect();
    ids.extend(folders.map(|(id, _)| id));
    ids.sort_unstable();
    ids.dedup();
    let mut extensions = Vec::new();
    for id in ids {
        let path = format!("{}{id}/{}", paths::EXTENSIONS, paths::EXTENSION_PROPERTIES);
        let described = |bytes: &[u8]| ExtensionMetadata::from_properties(&Properties::parse(bytes)?, id);
        let metadata = read(archive, &path, described)?;
        let declared = metadata.as_ref().and_then(|metadata| metadata.permissions.as_deref());
        extensions.push(ExtensionView {
            decision: policy.decide_declared(id, Ok(declared)),
            metadata,
            id: id.to_owned(),
            classes: Amount::default(),
            resources: Amount::default(),
        });
    }
    Ok(extensions)
}
