//! `flatten-versions`: the newest versioned copy of each file of a package takes the place of the file itself.

use std::collections::{BTreeMap, BTreeSet};

use manifests::agent_toml::Location;

use super::Error as ForeignError;
use super::inputs::Inputs;
use super::slots::{Slot, sample};
use crate::class::slashed;
use crate::error::Result;
use crate::printer::Printer;

/// The packages.
#[derive(Debug)]
pub(super) struct Flatten<'a> {
    /// Dotted name, and folder with a slash.
    packages: Vec<(&'a str, String)>,
    at: &'a Location,
}

impl<'a> Flatten<'a> {
    /// Reads the names, which `at` is the place of.
    ///
    /// # Errors
    /// One is no name of a package.
    pub(super) fn new(names: &'a [String], at: &'a Location) -> Result<Self> {
        let part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        let read = |name: &'a String| {
            if name.split('.').all(part) {
                Ok((name.as_str(), format!("{}/", slashed(name))))
            } else {
                Err(ForeignError::Package { at: at.to_string(), name: name.clone() }.into())
            }
        };
        Ok(Self { packages: names.iter().map(read).collect::<Result<_>>()?, at })
    }

    /// Promotes the copies of each jar by itself and tells which.
    ///
    /// # Errors
    /// A package has no versioned copies.
    pub(super) fn apply<'s>(&self, slots: Vec<Slot<'s>>, inputs: &Inputs, printer: &Printer) -> Result<Vec<Slot<'s>>> {
        if self.packages.is_empty() {
            return Ok(slots);
        }
        let mut best: BTreeMap<(usize, String), u32> = BTreeMap::new();
        let mut used = BTreeSet::new();
        for slot in &slots {
            let Some((version, flat)) = &slot.version else { continue };
            let Some(package) = self.package(slot.inner) else { continue };
            used.insert(package);
            let highest = best.entry((slot.jar, flat.clone())).or_default();
            *highest = (*highest).max(*version);
        }
        if let Some((_, (name, _))) = self.packages.iter().enumerate().find(|(at, _)| !used.contains(at)) {
            let (at, pattern) = (self.at.to_string(), (*name).to_owned());
            let (key, what) = ("flatten-versions", "versioned copy of the inputs");
            return Err(ForeignError::Unmatched { at, key, what, pattern }.into());
        }
        let mut kept = Vec::with_capacity(slots.len());
        let mut report = Report::default();
        for mut slot in slots {
            let flat = slot.version.as_ref().map_or(&slot.path, |(_, flat)| flat).clone();
            let package = self.package(slot.inner);
            let Some(&highest) = best.get(&(slot.jar, flat.clone())).filter(|_| package.is_some()) else {
                kept.push(slot);
                continue;
            };
            let key = (slot.jar, package.unwrap_or_default());
            let name = slot.part.name().unwrap_or_default().to_owned();
            match slot.version.take() {
                Some((version, _)) if version == highest => {
                    slot.path = flat;
                    report.promoted.entry(key).or_default().push((version, name));
                    kept.push(slot);
                }
                _ => report.dropped.entry(key).or_default().push(name),
            }
        }
        report.print(&self.packages, inputs, printer);
        Ok(kept)
    }

    /// The package that a file of an ordinary jar belongs to; the longest name counts.
    fn package(&self, inner: &str) -> Option<usize> {
        let matching = self.packages.iter().enumerate().filter(|(_, (_, folder))| inner.starts_with(folder));
        matching.max_by_key(|(_, (_, folder))| folder.len()).map(|(at, _)| at)
    }
}

/// By jar and package.
#[derive(Default)]
struct Report {
    promoted: BTreeMap<(usize, usize), Vec<(u32, String)>>,
    dropped: BTreeMap<(usize, usize), Vec<String>>,
}

impl Report {
    fn print(&self, packages: &[(&str, String)], inputs: &Inputs, printer: &Printer) {
        let mut needed = 0;
        for ((jar, package), promoted) in &self.promoted {
            let label = inputs.jars[*jar].archive.label().display();
            let (name, _) = packages[*package];
            let highest = promoted.iter().map(|(version, _)| *version).max().unwrap_or_default();
            needed = needed.max(highest);
            let names: Vec<String> = promoted.iter().map(|(_, name)| name.clone()).collect();
            let dropped = self.dropped.get(&(*jar, *package)).map_or(&[][..], Vec::as_slice);
            let instead = if dropped.is_empty() {
                "instead of nothing".to_owned()
            } else {
                format!("instead of {}: {}", dropped.len(), sample(dropped))
            };
            let count = promoted.len();
            printer.status(
                "Flattened",
                &format!("`{name}` of `{label}`, {count}: {}, {instead}; it now needs Java {highest}", sample(&names)),
            );
            for name in &names {
                printer.detail(&format!("`{name}` of `{label}` is promoted"));
            }
            for name in dropped {
                printer.detail(&format!("`{name}` of `{label}` is left out"));
            }
        }
        if needed > 0 {
            printer.warning(&format!(
                "code that was flattened needs Java {needed}; older JVMs no longer find another copy"
            ));
        }
    }
}
