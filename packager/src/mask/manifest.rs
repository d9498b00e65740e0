//! The manifests of a masked agent: that of the jar, and one for each section with what its packages say of themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use manifests::agent_toml::Parent;
use manifests::manifest::{Attributes, Manifest, attribute};

use super::input::{Input, Role};
use super::{Error as MaskError, MAINS, SectionInputs};
use crate::assemble::{Hashed, Layout};
use crate::base::Base;
use crate::config::Config;
use crate::digest::build_id;
use crate::error::{Error, Result};
use crate::merge::{ENTRY_CLASSES, Relocation};
use crate::origin::Origin;
use crate::paths;

/// The Java releases that have copies of their own, one a line, the newest first.
pub(crate) const VERSIONS_LIST: &str = "META-INF/btrace/versions.list";

/// Attributes that the JVM hands out with a package.
const OF_PACKAGES: [&str; 7] = [
    "Specification-Title",
    "Specification-Version",
    "Specification-Vendor",
    attribute::IMPLEMENTATION_TITLE,
    attribute::IMPLEMENTATION_VERSION,
    "Implementation-Vendor",
    "Sealed",
];

/// Main attributes of an input that say how the JVM starts or finds it, which no longer holds.
const NOT_CARRIED: [&str; 5] = [
    attribute::CLASS_PATH,
    attribute::BOOT_CLASS_PATH,
    attribute::MULTI_RELEASE,
    attribute::LAUNCHER_AGENT_CLASS,
    "Signature-Version",
];

/// Attributes that the description may set beside its own.
const SETTABLE: [&str; 7] = [
    attribute::BTRACE_AGENT_MAIN,
    attribute::BTRACE_ATTACH_MAIN,
    attribute::BTRACE_CLIENT_MAIN,
    attribute::CAN_REDEFINE_CLASSES,
    attribute::CAN_RETRANSFORM_CLASSES,
    attribute::CAN_SET_NATIVE_METHOD_PREFIX,
    attribute::ENABLE_NATIVE_ACCESS,
];

/// Attributes that only this program sets.
const RESERVED: [&str; 10] = [
    attribute::MANIFEST_VERSION,
    attribute::NAME,
    attribute::PREMAIN_CLASS,
    attribute::AGENT_CLASS,
    attribute::LAUNCHER_AGENT_CLASS,
    attribute::MAIN_CLASS,
    attribute::BOOT_CLASS_PATH,
    attribute::CLASS_PATH,
    attribute::IMPLEMENTATION_TITLE,
    attribute::IMPLEMENTATION_VERSION,
];

/// What the manifest of the jar is made from.
pub(super) struct Main<'a> {
    pub(super) config: &'a Config,
    pub(super) base: &'a Base,
    /// File name of the output.
    pub(super) file_name: &'a str,
    pub(super) parent: Parent,
    /// Where the classes of the jar are.
    pub(super) layout: &'a Layout,
    /// How the classes of each section move, by its name.
    pub(super) relocations: &'a BTreeMap<&'static str, Arc<Relocation>>,
}

impl Main<'_> {
    /// The manifest, with the build id over itself and `hashes`.
    ///
    /// # Errors
    /// No agent main is named, or an attribute is reserved.
    pub(super) fn build(&self, hashes: &[Hashed]) -> Result<Manifest> {
        let given = &self.config.toml.manifest.attributes;
        let is = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
        if !given.iter().any(|(name, _)| is(name, attribute::BTRACE_AGENT_MAIN)) {
            let (at, name) = (self.config.origin.clone(), attribute::BTRACE_AGENT_MAIN);
            return Err(MaskError::NoAttribute { at, name }.into());
        }
        let mut main = Attributes::default();
        main.set(attribute::MANIFEST_VERSION, "1.0")?;
        for name in [attribute::PREMAIN_CLASS, attribute::AGENT_CLASS, attribute::MAIN_CLASS] {
            main.set(name, self.base.manifest.main.get(name).unwrap_or_default())?;
        }
        main.set(attribute::BOOT_CLASS_PATH, self.file_name)?;
        main.set(attribute::BTRACE_AGENT_PARENT, self.parent.name())?;
        // Holds the place; the id is over all others.
        main.set(attribute::BTRACE_BUILD_ID, "")?;
        main.set(attribute::IMPLEMENTATION_TITLE, &self.config.toml.agent.name)?;
        main.set(attribute::IMPLEMENTATION_VERSION, &self.config.toml.agent.version)?;
        for (name, value) in given {
            let settable = SETTABLE.iter().any(|known| is(name, known));
            let ours = name.to_ascii_lowercase().starts_with("btrace-") || RESERVED.iter().any(|known| is(name, known));
            if ours && !settable {
                return Err(Error::ReservedAttribute { name: name.clone() });
            }
            main.set(name, &self.moved(name, value))?;
        }
        let attributes = main.iter().filter(|(name, _)| *name != attribute::BTRACE_BUILD_ID);
        let id = build_id(attributes, hashes.iter().map(|file| (file.path.as_str(), file.sha256)));
        main.set(attribute::BTRACE_BUILD_ID, &id)?;
        let mut manifest = Manifest::default();
        manifest.main = main;
        let mut package = Attributes::default();
        package.set(attribute::IMPLEMENTATION_VERSION, &id)?;
        manifest.add_section(paths::BOOT_PACKAGE, package)?;
        Ok(manifest)
    }

    /// The value of an attribute after the class that it names has moved, unless that is where its loader looks already.
    fn moved(&self, name: &str, value: &str) -> String {
        let section = MAINS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, section)| *section);
        let relocation = section.and_then(|section| Some((section, self.relocations.get(section)?)));
        let Some((section, relocation)) = relocation else { return value.to_owned() };
        let there = super::main_places(value, section).iter().any(|path| self.layout.get(path).is_some());
        if there { value.to_owned() } else { relocation.class(value.trim()).unwrap_or_else(|| value.to_owned()) }
    }
}

/// The manifest of a section: the main attributes of its first jar, and for each package that says something else of
/// itself, or comes from another jar, a section with all that holds for it.
///
/// # Errors
/// A name cannot be written.
pub(super) fn of_section(
    section: &SectionInputs<'_>,
    bootstrap: &[Input],
    relocation: Option<&Arc<Relocation>>,
) -> Result<(Vec<u8>, Origin)> {
    let inputs: Vec<&Input> = section.inputs.iter().chain(bootstrap).collect();
    let mut manifest = Manifest::default();
    let mut origin = Origin::Generated(format!("for the section `{}`", section.name));
    manifest.main.set(attribute::MANIFEST_VERSION, "1.0")?;
    if let Some(first) = inputs.first() {
        if let (1, Some(index)) = (inputs.len(), first.archive.index_of(paths::MANIFEST)) {
            origin = first.archive.origin(index);
        }
        for (name, value) in first.manifest.main.iter() {
            if !NOT_CARRIED.iter().any(|dropped| dropped.eq_ignore_ascii_case(name)) {
                let class = ENTRY_CLASSES.iter().any(|entry| entry.eq_ignore_ascii_case(name));
                let moved = relocation.filter(|_| class).and_then(|relocation| relocation.class(value.trim()));
                manifest.main.set(name, moved.as_deref().unwrap_or(value))?;
            }
        }
    }
    let mut claimed = BTreeSet::new();
    for (number, input) in inputs.iter().enumerate() {
        // New names with the old ones, by which the manifest of the input speaks of them.
        let package = |path: &str| path.rsplit_once('/').map(|(package, _)| format!("{package}/"));
        let packages: BTreeMap<String, String> = input
            .files()
            .filter(|file| file.role == Role::Class)
            .filter_map(|file| {
                let moved = relocation.and_then(|relocation| relocation.path(file.path));
                Some((package(moved.as_deref().unwrap_or(file.path))?, package(file.path)?))
            })
            .collect();
        for (package, old) in packages {
            if !claimed.insert(package.clone()) {
                continue;
            }
            let own = input.manifest.section(&old);
            // What the first jar says of all its packages is in the main attributes.
            if number == 0 && own.is_none() {
                continue;
            }
            let mut attributes = Attributes::default();
            for name in OF_PACKAGES {
                let value = own.and_then(|own| own.get(name)).or_else(|| input.manifest.main.get(name));
                if let Some(value) = value {
                    attributes.set(name, value)?;
                }
            }
            manifest.add_section(&package, attributes)?;
        }
    }
    Ok((manifest.to_bytes(), origin))
}
