//! The manifest of a foreign jar: the base's, with what is set.

use manifests::manifest::{Attributes, Manifest, attribute};

use super::both::{self, AllowBoth};
use super::inputs::{Input, Inputs};
use super::moves::Moves;
use super::sections::{SUFFIXES, Section, Sections};
use super::slots::{From, Slot};
use crate::class::slashed;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::merge::ENTRY_CLASSES;
use crate::paths;
use crate::printer::Printer;

/// Main attribute that tells sections whose suffix nobody else knows, as `folder=suffix` with commas.
pub(crate) const SECTIONS: &str = "Fatagent-Sections";

/// Attributes that the manifest has in any case, or that tell what the build did.
const RESERVED: [&str; 4] = [attribute::MANIFEST_VERSION, attribute::NAME, both::ATTRIBUTE, SECTIONS];

/// What the manifest is made of.
pub(super) struct Parts<'a> {
    pub(super) config: &'a Config,
    pub(super) inputs: &'a Inputs,
    pub(super) slots: &'a [Slot<'a>],
    pub(super) sections: &'a Sections,
    pub(super) allow: &'a AllowBoth,
    pub(super) moves: &'a Moves,
}

impl Parts<'_> {
    /// The manifest.
    ///
    /// # Errors
    /// An attribute is reserved, or cannot be written.
    pub(super) fn build(&self, printer: &Printer) -> Result<Manifest> {
        let mut manifest = self.inputs.base().map_or_else(Manifest::default, |base| base.manifest.clone());
        self.remove_signature(&mut manifest, printer);
        self.add_packages(&mut manifest, printer)?;
        let given = &self.config.toml.manifest.attributes;
        for (name, value) in given {
            if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
                return Err(Error::ReservedAttribute { name: name.clone() });
            }
            if let Some(old) = manifest.main.get(name).filter(|old| old != value) {
                printer.detail(&format!("`{name}: {old}` of the base becomes: {value}"));
            }
            manifest.main.set(name, &self.moved(name, value))?;
        }
        if manifest.main.get(attribute::IMPLEMENTATION_VERSION).is_none() {
            manifest.main.set(attribute::IMPLEMENTATION_VERSION, &self.config.toml.agent.version)?;
        }
        self.set_multi_release(&mut manifest, printer)?;
        // A base that was built here may have its own, which no longer hold.
        for (name, value) in [(both::ATTRIBUTE, self.allow.attribute()), (SECTIONS, self.listed())] {
            match value {
                Some(value) => manifest.main.set(name, &value)?,
                None => drop(manifest.main.remove(name)),
            }
        }
        Ok(manifest)
    }

    /// The value of an attribute after the class that it names has moved, unless there is one of that name at the root.
    fn moved(&self, name: &str, value: &str) -> String {
        let names_class = ENTRY_CLASSES.iter().any(|known| known.eq_ignore_ascii_case(name));
        let Some(relocation) = self.moves.of(From::Bootstrap).filter(|_| names_class) else { return value.to_owned() };
        let path = format!("{}{}", slashed(value.trim()), paths::CLASS_SUFFIX);
        if self.slots.iter().any(|slot| slot.path == path) {
            return value.to_owned();
        }
        relocation.class(value.trim()).unwrap_or_else(|| value.to_owned())
    }

    /// The value of [`SECTIONS`]; nothing where all suffixes are known.
    fn listed(&self) -> Option<String> {
        let of = |section: &&Section| {
            let holds = |slot: &Slot<'_>| self.sections.locate(&slot.path).section == Some(section);
            !SUFFIXES.contains(&section.suffix.as_str()) && self.slots.iter().any(holds)
        };
        let sections = self.sections.sorted().into_iter().filter(of);
        let pairs: Vec<String> = sections.map(|section| format!("{}={}", section.name(), section.suffix)).collect();
        (!pairs.is_empty()).then(|| pairs.join(","))
    }

    /// Digests hold for one jar only. The files of the signature are reported where they are dropped.
    fn remove_signature(&self, manifest: &mut Manifest, printer: &Printer) {
        let before = manifest.sections().len();
        let digests = manifest
            .sections()
            .iter()
            .flat_map(|(_, attributes)| attributes.iter())
            .filter(|(name, _)| is_digest(name));
        let count = digests.count();
        manifest.remove_digests();
        let main: Vec<String> =
            manifest.main.iter().map(|(name, _)| name).filter(|name| is_digest(name)).map(str::to_owned).collect();
        for name in &main {
            manifest.main.remove(name);
        }
        if let Some(base) = self.inputs.base()
            && count + main.len() > 0
        {
            let gone = before - manifest.sections().len();
            printer.warning(&format!(
                "digests in the manifest of `{}` are dropped, {}, with {gone} sections that held nothing else",
                base.archive.label().display(),
                count + main.len()
            ));
        }
    }

    /// What the jars of the root say of their packages and entries. Where two say different things, the first one's stays,
    /// with a report.
    fn add_packages(&self, manifest: &mut Manifest, printer: &Printer) -> Result<()> {
        let mut added: Vec<(String, Attributes)> = Vec::new();
        let mut at_root: Vec<usize> = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.from == From::Bootstrap) {
            if !at_root.contains(&slot.jar) {
                at_root.push(slot.jar);
            }
        }
        for number in at_root {
            let Input { archive, manifest: own } = &self.inputs.jars[number];
            for (name, attributes) in own.sections() {
                let moved = self.moves.of(From::Bootstrap).and_then(|relocation| relocation.path(name));
                let name = moved.as_ref().unwrap_or(name);
                for (attribute, value) in attributes.iter().filter(|(name, _)| !is_digest(name)) {
                    let known = manifest
                        .section(name)
                        .or_else(|| added.iter().find(|(known, _)| known == name).map(|(_, attributes)| attributes));
                    match known.and_then(|known| known.get(attribute)) {
                        Some(known) if known == value => continue,
                        Some(known) => {
                            printer.status(
                                "Kept",
                                &format!(
                                    "`{attribute}: {known}` of the manifest section `{name}`, not the value of `{}`: {value}",
                                    archive.label().display()
                                ),
                            );
                            continue;
                        }
                        None => {}
                    }
                    let at = added.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                        added.push((name.clone(), Attributes::default()));
                        added.len() - 1
                    });
                    added[at].1.set(attribute, value)?;
                }
            }
        }
        for (name, attributes) in added {
            manifest.add_section(&name, attributes)?;
        }
        Ok(())
    }

    /// Copies below the root's `META-INF/versions` count only in a multi-release jar.
    fn set_multi_release(&self, manifest: &mut Manifest, printer: &Printer) -> Result<()> {
        let at_root = |slot: &&Slot<'_>| slot.version.is_some() && slot.path.starts_with("META-INF/versions/");
        let mut jars: Vec<usize> = self.slots.iter().filter(at_root).map(|slot| slot.jar).collect();
        jars.sort_unstable();
        jars.dedup();
        let given = &self.config.toml.manifest.attributes;
        let decided = given.iter().any(|(name, _)| name.eq_ignore_ascii_case(attribute::MULTI_RELEASE));
        let says = manifest.main.get(attribute::MULTI_RELEASE).unwrap_or("absent").trim().to_owned();
        if jars.is_empty() || says.eq_ignore_ascii_case("true") {
            self.warn_of_copies(printer);
            return Ok(());
        }
        let from_others = jars.iter().any(|jar| !(self.inputs.has_base && *jar == 0));
        if decided || !from_others {
            printer
                .warning(&format!("files below `META-INF/versions` will be ignored, since `Multi-Release` is: {says}"));
            return Ok(());
        }
        manifest.main.set(attribute::MULTI_RELEASE, "true")?;
        self.warn_of_copies(printer);
        Ok(())
    }

    /// Copies of a jar that is not multi-release did not count in it, but may do so now.
    fn warn_of_copies(&self, printer: &Printer) {
        for (number, input) in self.inputs.jars.iter().enumerate().skip(usize::from(self.inputs.has_base)) {
            let copies = self.slots.iter().any(|slot| slot.jar == number && slot.version.is_some());
            if copies && !input.multi_release() {
                printer.warning(&format!(
                    "`META-INF/versions` of `{}` counts from now on, which it did not in that jar",
                    input.archive.label().display()
                ));
            }
        }
    }
}

/// The suffixes that a manifest lists.
pub(crate) fn suffixes(manifest: &Manifest) -> Vec<String> {
    let listed = manifest.main.get(SECTIONS).unwrap_or_default();
    let mut suffixes: Vec<String> = listed
        .split(',')
        .filter_map(|pair| pair.rsplit_once('='))
        .map(|(_, suffix)| suffix.trim().to_owned())
        .filter(|suffix| suffix.starts_with('.'))
        .collect();
    suffixes.sort();
    suffixes.dedup();
    suffixes
}

/// Whether an attribute belongs to a signature.
fn is_digest(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("-digest") || name.contains("-digest-") || name == "magic"
}
