//! What is wrong with an extension that can nevertheless be read: claims that its classes do not keep, providers that cannot be
//! made, packages that were not really moved, and what its users would miss.

mod claims;
mod modules;
mod providers;
mod shaded;

use std::collections::HashMap;

use classfile::{ClassFile, access, mutf8};
use rayon::prelude::*;

use crate::archive::Limits;
use crate::base::Base;
use crate::bundle;
use crate::class::dotted;
use crate::error::{Error, Result};
use crate::extension::{Extension, ExtensionClass, papers, permissions};
use crate::probes::ANNOTATION;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// It does not work, or is not what it claims to be.
    Error,
    /// Users will miss something, or some users will.
    Warning,
}

impl Level {
    /// The word in reports.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// How bad it is.
    pub(crate) level: Level,
    /// What was looked at: `api`, `id`, `version`, `api-version`, `java-version`, `provider`, `configurator`, `shaded`, `modules`,
    /// `permissions`, `probe`, `licence`, `readme`.
    pub(crate) rule: &'static str,
    /// What is wrong.
    pub(crate) text: String,
    /// What to do about it.
    pub(crate) hint: String,
}

impl Finding {
    fn error(rule: &'static str, text: String, hint: impl Into<String>) -> Self {
        Self { level: Level::Error, rule, text, hint: hint.into() }
    }

    fn warning(rule: &'static str, text: String, hint: impl Into<String>) -> Self {
        Self { level: Level::Warning, rule, text, hint: hint.into() }
    }
}

/// What the rules ask of a class.
#[derive(Debug)]
struct Facts<'e> {
    class: &'e ExtensionClass,
    /// Whether it is of the API.
    is_api: bool,
    /// Major version of the class file.
    major: u16,
    access: u16,
    /// Internal names of the classes that its constants and its visible members name, array types by their elements.
    names: Vec<String>,
    /// String constants that may be names with packages.
    literals: Vec<String>,
}

impl Facts<'_> {
    fn name(&self) -> &str {
        &self.class.class.name
    }

    fn is(&self, flag: u16) -> bool {
        self.access & flag != 0
    }
}

/// Everything that was found, and the modules of the JDK that the extension needs besides `java.base`.
#[derive(Debug)]
pub(crate) struct Linted {
    pub(crate) findings: Vec<Finding>,
    pub(crate) modules: Vec<&'static str>,
}

/// Looks at an extension. `files` are the names of the files beside its jars.
///
/// # Errors
/// A class cannot be read.
pub(crate) fn lint(extension: &Extension, files: &[String], limits: Limits) -> Result<Linted> {
    let all = extension.api.iter().map(|class| (class, true));
    let all = all.chain(extension.implementation.iter().chain(&extension.probes).map(|class| (class, false)));
    let all: Vec<(&ExtensionClass, bool)> = all.collect();
    let facts: Vec<Facts<'_>> =
        all.into_par_iter().map(|(class, is_api)| facts(class, is_api)).collect::<Result<_>>()?;
    let by_name: HashMap<&str, &Facts<'_>> = facts.iter().map(|facts| (facts.name(), facts)).collect();
    let mut findings = Vec::new();
    claims::check(&extension.metadata, &facts, &mut findings);
    providers::check(extension, &by_name, &mut findings)?;
    shaded::check(extension, &facts, &mut findings)?;
    let modules = modules::check(&facts, &mut findings);
    let scanned = permissions::scan(extension, limits)?;
    for error in bundle::refused(extension, &scanned) {
        findings.push(Finding::error("api", error.to_string(), error.hint()));
    }
    // Another extension may bring a type, if this one requires any.
    let level = if extension.metadata.requires.is_empty() { Level::Error } else { Level::Warning };
    for error in bundle::unseen(extension, &Base::builtin()?, std::iter::empty())?.types {
        findings.push(Finding { level, rule: "api", text: error.to_string(), hint: error.hint() });
    }
    for difference in permissions::differences(extension, &scanned) {
        let hint = "build it with `fatagent extension build`, and say why in `[permissions]`";
        findings.push(Finding::warning("permissions", difference, hint));
    }
    unnamed_probes(extension, &mut findings);
    missing_papers(files, &mut findings);
    findings.sort();
    Ok(Linted { findings, modules })
}

fn facts(class: &ExtensionClass, is_api: bool) -> Result<Facts<'_>> {
    let bytes = class.content.read()?;
    let file = ClassFile::parse(&bytes)
        .map_err(|source| Error::Class { origin: Box::new(class.origin.clone()), source: Box::new(source) })?;
    let pool = file.pool();
    let mut names: Vec<String> = (1..pool.len())
        .filter_map(|index| pool.class_name(index).ok())
        .filter_map(|name| element(&mutf8::decode_lossy(name).ok()?))
        .chain(class.class.visible_types.iter().cloned())
        .collect();
    names.sort_unstable();
    names.dedup();
    let literals = (1..pool.len())
        .filter_map(|index| mutf8::decode_lossy(pool.string(index).ok()?).ok())
        .filter(|text| text.contains(['.', '/']))
        .map(std::borrow::Cow::into_owned)
        .collect();
    Ok(Facts { class, is_api, major: file.major(), access: file.access(), names, literals })
}

/// The class that a class constant names, or is an array of.
fn element(name: &str) -> Option<String> {
    match name.strip_prefix('[') {
        None => Some(name.to_owned()),
        Some(rest) => rest.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';').map(str::to_owned),
    }
}

/// Classes that are marked as probes and do not lie where probes do.
fn unnamed_probes(extension: &Extension, findings: &mut Vec<Finding>) {
    let classes = extension.api.iter().chain(&extension.implementation);
    for class in classes.filter(|class| class.class.annotations.iter().any(|name| name == ANNOTATION)) {
        let text = format!("`{}` has `@BTrace`, but is an ordinary class of the extension", dotted(&class.class.name));
        findings.push(Finding::warning(
            "probe",
            text,
            "name it with `probes` of `extension.toml`, or remove the annotation",
        ));
    }
}

/// Licence and readme beside the jars: those in a jar may be of a dependency.
fn missing_papers(files: &[String], findings: &mut Vec<Finding>) {
    if !files.iter().any(|name| papers::is_licence(name)) {
        let text = "no licence is beside the jars".to_owned();
        findings.push(Finding::warning("licence", text, "add a file `LICENSE` to the project"));
    }
    if !files.iter().any(|name| papers::is_readme(name)) {
        let text = "no readme is beside the jars".to_owned();
        findings.push(Finding::warning("readme", text, "add a file `README.md` to the project"));
    }
}

/// Whether a class can be seen from other packages.
fn is_public(facts: &Facts<'_>) -> bool {
    facts.is(access::PUBLIC)
}
