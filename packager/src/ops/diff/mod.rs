//! `fatagent diff`: how two jars differ in what they contain.

mod compare;
mod show;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::archive::{Archive, Limits};
use crate::error::Result;
use crate::foreign::sections::Sections;
use crate::foreign::suffixes;
use crate::manifest_file;
use crate::ops::inspect::View;
use crate::paths;
use crate::printer::Printer;

/// What one section has more, less or otherwise in the second jar.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Entries of the second jar only, sorted.
    pub added: Vec<String>,
    /// Entries of the first jar only, sorted.
    pub removed: Vec<String>,
    /// Entries of both with other contents: name, bytes before, bytes now; sorted.
    pub changed: Vec<(String, u64, u64)>,
}

/// A value that differs: its name, and its value in the first and in the second jar.
pub type Change = (String, Option<String>, Option<String>);

/// How two jars differ. Order, times and compression of entries do not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// The first jar.
    pub first: PathBuf,
    /// The second jar.
    pub second: PathBuf,
    /// Entries by section, such as `bootstrap`, `section agent` or `extension acme-metrics`.
    pub sections: BTreeMap<String, Changes>,
    /// Main attributes, then those of entries as `<entry>: <attribute>`.
    pub attributes: Vec<Change>,
    /// By extension: permissions that only the second jar declares, and those that only the first one does.
    pub permissions: BTreeMap<String, (Vec<String>, Vec<String>)>,
    /// Keys of the embedded policy.
    pub policy: Vec<Change>,
    /// Keys of the embedded `extensions.conf`.
    pub config: Vec<Change>,
    /// Whether the files are the same byte for byte.
    pub identical: bool,
}

impl Difference {
    /// Whether anything in the jars differs.
    pub fn differs(&self) -> bool {
        let changes = [&self.attributes, &self.policy, &self.config];
        !(self.sections.is_empty() && self.permissions.is_empty() && changes.iter().all(|changes| changes.is_empty()))
    }

    /// Compares two jars.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn of(first: &Path, second: &Path, limits: Limits) -> Result<Self> {
        let views = (View::read(first, limits)?, View::read(second, limits)?);
        let archives = (Archive::open_with(first, limits)?, Archive::open_with(second, limits)?);
        let mut foreign = Sections::default();
        for archive in [&archives.0, &archives.1].into_iter().filter(|archive| !archive.contains(paths::SHARED)) {
            let found = Sections::find(archive, &suffixes(&manifest_file::of(archive)?.unwrap_or_default()))?;
            found.sorted().into_iter().cloned().for_each(|section| foreign.add(section));
        }
        Ok(Self {
            first: first.to_owned(),
            second: second.to_owned(),
            sections: compare::sections(&archives.0, &archives.1, &foreign)?,
            attributes: compare::attributes(&attributes(&archives.0)?, &attributes(&archives.1)?),
            permissions: compare::permissions(&permissions(&views.0), &permissions(&views.1)),
            policy: compare::values(&views.0.policy_entries, &views.1.policy_entries),
            config: compare::values(&views.0.config, &views.1.config),
            identical: views.0.sha256 == views.1.sha256,
        })
    }
}

/// Compares two jars and prints how they differ.
///
/// # Errors
/// One of them cannot be read.
pub fn diff(first: &Path, second: &Path, limits: Limits, printer: &Printer) -> Result<Difference> {
    let difference = Difference::of(first, second, limits)?;
    difference.lines().iter().for_each(|line| printer.text(line));
    printer.json("diff", difference.to_json());
    if !difference.differs() && !difference.identical {
        printer.status("Same", "contents; only order, times or compression differ");
    }
    Ok(difference)
}

/// All attributes of a jar's manifest, in order.
fn attributes(archive: &Archive) -> Result<Vec<(String, String)>> {
    let manifest = manifest_file::of(archive)?.unwrap_or_default();
    let mut all: Vec<(String, String)> =
        manifest.main.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    for (section, attributes) in manifest.sections() {
        all.extend(attributes.iter().map(|(name, value)| (format!("{section}: {name}"), value.to_owned())));
    }
    Ok(all)
}

/// The permissions that each extension declares.
fn permissions(view: &View) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for extension in &view.extensions {
        let declared = extension.metadata.as_ref().and_then(|metadata| metadata.permissions.as_deref());
        let names = declared.unwrap_or_default().iter().map(|permission| permission.name().to_owned()).collect();
        all.insert(extension.id.clone(), names);
    }
    all
}
