//! The manifest of the merged jar: main attributes of the first input, sections of all.

use std::collections::BTreeSet;
use std::sync::Arc;

use manifests::manifest::{Attributes, Manifest, attribute};

use super::MergeError;
use super::relocate::Relocation;
use crate::archive::Archive;
use crate::error::{Error, Result};
use crate::manifest_file;
use crate::paths;
use crate::printer::Printer;

/// Attributes that the manifest has in any case, and that nobody may set.
const RESERVED: [&str; 2] = [attribute::MANIFEST_VERSION, attribute::NAME];

/// Attributes that name a class which somebody starts.
pub(crate) const ENTRY_CLASSES: [&str; 4] =
    [attribute::PREMAIN_CLASS, attribute::AGENT_CLASS, attribute::LAUNCHER_AGENT_CLASS, attribute::MAIN_CLASS];
/// Tells by which rules classes of the jar have moved, as `from->to` with commas, so that they do not move again.
const RELOCATIONS: &str = "Fatagent-Relocations";

/// One input's manifest.
#[derive(Debug)]
pub(super) struct Read {
    /// What it says.
    pub(super) manifest: Manifest,
    /// Whether its `META-INF/versions` counts.
    pub(super) multi_release: bool,
}

/// Reads the manifest of an input; one that is not there is empty.
///
/// # Errors
/// It is malformed, or two entries claim to be it.
pub(super) fn read(archive: &Arc<Archive>, index: Option<usize>, printer: &Printer) -> Result<Read> {
    let Some(index) = index else { return Ok(Read { manifest: Manifest::default(), multi_release: false }) };
    if archive.entries()[index].name != paths::MANIFEST {
        printer.warning(&format!("{} is read as the manifest, which the JVM would not do", archive.origin(index)));
    }
    let manifest = manifest_file::at(archive, index)?;
    let multi_release = says_true(manifest.main.get(attribute::MULTI_RELEASE));
    Ok(Read { manifest, multi_release })
}

/// The rules by which an input was relocated before.
fn earlier(manifest: &Manifest) -> impl Iterator<Item = &str> {
    let pairs = manifest.main.get(RELOCATIONS).unwrap_or_default();
    pairs.split(',').map(str::trim).filter(|pair| !pair.is_empty())
}

/// Refuses an input that one of our rules has relocated before and would once more.
///
/// # Errors
/// It is one.
pub(crate) fn refuse_repetition(archive: &Archive, manifest: &Manifest, relocation: Option<&Relocation>) -> Result<()> {
    let Some(relocation) = relocation else { return Ok(()) };
    match earlier(manifest).find(|pair| relocation.repeats(pair)) {
        None => Ok(()),
        Some(pair) => {
            let jar = archive.label().display().to_string();
            Err(MergeError::AlreadyRelocated { jar, rule: pair.to_owned() }.into())
        }
    }
}

fn says_true(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

/// What the manifest of the output is made of.
pub(super) struct Inputs<'a> {
    /// The inputs with their manifests.
    pub(super) read: &'a [(&'a Arc<Archive>, Read)],
    /// For each input whether it has files below `META-INF/versions`.
    pub(super) versioned: &'a [bool],
    /// How classes move.
    pub(super) relocation: Option<&'a Relocation>,
    /// Main attributes that the user sets.
    pub(super) attributes: &'a [(String, String)],
}

impl Inputs<'_> {
    /// The manifest.
    ///
    /// # Errors
    /// An attribute of the user cannot be written.
    pub(super) fn build(&self, printer: &Printer) -> Result<Manifest> {
        let mut manifest = Manifest::default();
        if let Some((_, first)) = self.read.first() {
            manifest.main = first.manifest.main.clone();
        }
        let signed: Vec<String> =
            manifest.main.iter().map(|(name, _)| name).filter(|name| is_digest(name)).map(str::to_owned).collect();
        for name in signed {
            manifest.main.remove(&name);
        }
        self.add_relocations(&mut manifest)?;
        self.add_sections(&mut manifest, printer)?;
        self.set_multi_release(&mut manifest, printer)?;
        for (name, value) in self.attributes {
            if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
                return Err(Error::ReservedAttribute { name: name.clone() });
            }
            // The user's own come last.
            manifest.main.remove(name);
            manifest.main.set(name, value)?;
        }
        if self.versioned.contains(&true) && !says_true(manifest.main.get(attribute::MULTI_RELEASE)) {
            let value = manifest.main.get(attribute::MULTI_RELEASE).unwrap_or("absent");
            printer.warning(&format!(
                "files below `META-INF/versions` will be ignored, since `Multi-Release` is: {value}"
            ));
        }
        Ok(manifest)
    }

    /// Gives entry classes their new names, and notes the rules.
    fn add_relocations(&self, manifest: &mut Manifest) -> Result<()> {
        let mut pairs: BTreeSet<String> = BTreeSet::new();
        for (archive, read) in self.read {
            refuse_repetition(archive, &read.manifest, self.relocation)?;
            pairs.extend(earlier(&read.manifest).map(str::to_owned));
        }
        if let Some(relocation) = self.relocation {
            pairs.extend(relocation.pairs());
            for name in ENTRY_CLASSES {
                if let Some(new) = manifest.main.get(name).and_then(|class| relocation.class(class.trim())) {
                    manifest.main.set(name, &new)?;
                }
            }
        }
        if !pairs.is_empty() {
            let pairs: Vec<String> = pairs.into_iter().collect();
            manifest.main.set(RELOCATIONS, &pairs.join(","))?;
        }
        Ok(())
    }

    /// Takes over the sections of all inputs without digests. Where two inputs say different things about one entry, the
    /// first one's attribute stays, with a report.
    fn add_sections(&self, manifest: &mut Manifest, printer: &Printer) -> Result<()> {
        let mut sections: Vec<(String, Attributes)> = Vec::new();
        for (archive, read) in self.read {
            for (name, attributes) in read.manifest.sections() {
                let moved = self.relocation.and_then(|relocation| relocation.path(name));
                let name = moved.as_ref().unwrap_or(name);
                let mut kept = attributes.iter().filter(|(name, _)| !is_digest(name)).peekable();
                // A section that held digests only has nothing left to say.
                if kept.peek().is_none() {
                    continue;
                }
                let at = sections.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                    sections.push((name.clone(), Attributes::default()));
                    sections.len() - 1
                });
                for (attribute, value) in kept {
                    let known = sections[at].1.get(attribute).map(str::to_owned);
                    match known {
                        None => sections[at].1.set(attribute, value)?,
                        Some(known) if known == value => {}
                        Some(known) => printer.status(
                            "Kept",
                            &format!(
                                "`{attribute}: {known}` of the manifest section `{name}`, not the value of `{}`: {value}",
                                archive.label().display()
                            ),
                        ),
                    }
                }
            }
        }
        for (name, attributes) in sections {
            manifest.add_section(&name, attributes)?;
        }
        Ok(())
    }

    /// The output is a multi-release jar as soon as one input with versioned files is.
    fn set_multi_release(&self, manifest: &mut Manifest, printer: &Printer) -> Result<()> {
        let with_versions = || self.read.iter().zip(self.versioned).filter(|(_, versioned)| **versioned);
        if !with_versions().any(|((_, read), _)| read.multi_release) {
            return Ok(());
        }
        manifest.main.set(attribute::MULTI_RELEASE, "true")?;
        for ((archive, _), _) in with_versions().filter(|((_, read), _)| !read.multi_release) {
            printer.warning(&format!(
                "`META-INF/versions` of `{}` counts from now on, which it did not in that jar",
                archive.label().display()
            ));
        }
        Ok(())
    }
}

/// Whether an attribute belongs to a signature.
fn is_digest(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("-digest") || name.contains("-digest-") || name == "magic"
}
