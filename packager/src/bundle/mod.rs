//! Builds an extension from its project: `extension.toml` and what a compiler made.
//!
//! | file | task |
//! |---|---|
//! | `output`, `compile` | the compiled classes, whichever tool made them |
//! | `parts` | files that the description names: dependencies, native libraries, the configurator |
//! | `probes` | the probes that it names |
//! | `collect` | all files together, each path once, without what the application provides |
//! | `services`, `describe` | what classes say of themselves, and the description completed by it |
//! | `shown`, `signature`, `annotations`, `closure` | which classes are the API |
//! | `access` | what the implementation may use of it |
//! | `packages` | whose a package is |
//! | `given` | the same rules for extensions that were built before |
//! | `permissions` | what the manifest declares |
//! | `write` | two jars and a zip |
//!
//! An extension that `fatagent build` embeds by its path goes through the same zip as one that was built before: an agent has
//! the same bytes either way.

mod access;
mod annotations;
mod closure;
mod collect;
mod compile;
mod describe;
mod error;
mod given;
mod output;
pub(crate) mod packages;
mod parts;
mod permissions;
mod probes;
mod services;
mod shown;
mod signature;
mod write;

pub use error::Error;
pub(crate) use given::{refused, unseen};
pub(crate) use output::zip_not_built;
pub(crate) use services::old_marker;
pub(crate) use write::FileNames;
pub use write::Files;

use crate::extension::ExtensionError;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use classfile::ClassFile;
use manifests::agent_toml::{LiteralPolicy, Relocation as Rule};
use manifests::extension::DEFAULT_JAVA_VERSION;
use rayon::prelude::*;

use crate::archive::Limits;
use crate::assemble::EntryTime;
use crate::base::Base;
use crate::class::slashed;
use crate::error::Result;
use crate::extension::pieces::{self, Piece};
use crate::extension::project::{Project, Supplied};
use crate::extension::{self, About, Extension, Fixed, check};
use crate::merge;
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;

use closure::World;
use collect::File;
use describe::Claim;

/// Packages that a message lists.
const SAMPLES: usize = 3;
/// The class-file version of Java 8, of which each later release has one more.
const VERSION_OF_8: u16 = 52;

/// Builds the extension of `project` into `folder`; with `compiling`, its sources are compiled first.
///
/// # Errors
/// It is not compiled, breaks one of the rules for extensions, or cannot be written.
pub(crate) fn build(
    project: &Project,
    folder: &Path,
    compiling: bool,
    limits: Limits,
    printer: &Printer,
) -> Result<(Files, Extension)> {
    let time = EntryTime::from_environment()?;
    let base = Base::builtin()?;
    let dependencies = parts::dependency_files(project)?;
    // Before the compiler meets them, which would blame the sources.
    let archives = parts::open(&dependencies, limits)?;
    let compiled = compiling.then(|| compile::run(project, &dependencies, &base, limits, printer)).transpose()?;
    let roots = if let Some(compiled) = &compiled {
        compiled.roots.clone()
    } else {
        let roots = output::find(project)?;
        output::warn_of_changes(project, &roots, printer);
        roots
    };
    let mut collected = collect::collect(&roots, &archives, &project.toml.provided, limits, printer)?;
    collected.compiled = compiling;
    let extension = assembled(project, &mut collected, &base, limits, printer)?;
    write::write(&extension, folder, time, limits, printer)
}

/// Checks that `folder`, for the files of [`build`], is not where these would be read as classes the next time.
///
/// # Errors
/// It is, or nothing is compiled.
pub(crate) fn check_output(project: &Project, folder: &Path, compiling: bool) -> Result<()> {
    let roots = if compiling { compile::given_roots(project) } else { output::find(project)? };
    output::check_outside(folder, &roots)
}

/// Builds the extension of `project`, to be embedded at once. Where no compiler left its output, the zip that
/// `fatagent extension build --compile` made stands for it.
///
/// # Errors
/// As [`build`].
pub(crate) fn embedded(project: &Project, limits: Limits, printer: &Printer) -> Result<Extension> {
    let compiling = needs_compiler(project);
    // A library that was built just now is in no zip.
    let is_whole = !compiling && project.supplied.libraries.is_empty();
    if let Some(zip) = output::own_zip(project).filter(|_| is_whole) {
        printer.status("Reading", &zip.display().to_string());
        return Extension::from_zip(&zip, limits);
    }
    let work = tempfile::Builder::new().prefix("fatagent-").tempdir()?;
    build(project, work.path(), compiling, limits, printer).map(|(_, extension)| extension)
}

/// Whether a driver that compiles has to: no build tool has left classes, and there are sources.
pub(crate) fn needs_compiler(project: &Project) -> bool {
    project.supplied.compiles && output::is_left_to_javac(project)
}

/// The extension in a folder: one that is built from its `extension.toml` and what a driver `supplied`, or compiled classes
/// with their manifest.
///
/// # Errors
/// There is none, or as [`build`].
pub(crate) fn of_folder(
    folder: &Path,
    supplied: Option<&Supplied>,
    limits: Limits,
    printer: &Printer,
) -> Result<Extension> {
    match Project::find(folder)? {
        Some(project) if extension::carries_manifest(folder) && extension::id_of(folder)?.is_some() => {
            let (first, second) = (project.origin, paths::MANIFEST.to_owned());
            Err(Error::DescribedTwice { folder: folder.to_owned(), first, second }.into())
        }
        Some(mut project) => {
            project.supplied = supplied.cloned().unwrap_or_default();
            embedded(&project, limits, printer)
        }
        None => Extension::from_folder(folder, limits),
    }
}

/// The extension that the files make, before it is written.
fn assembled(
    project: &Project,
    collected: &mut collect::Collected,
    base: &Base,
    limits: Limits,
    printer: &Printer,
) -> Result<Extension> {
    let toml = &project.toml;
    let mut files = std::mem::take(&mut collected.files);
    let legacy = describe::legacy(&mut files, printer)?;
    let sorted = sorted(&files)?;
    let own: Vec<_> = sorted.classes.iter().filter(|class| collected.own.contains(&class.class.name)).collect();
    let old = legacy.iter().flat_map(|old| old.metadata.services.iter().cloned());
    let stated = services::read(project, &own, &files, old, printer)?;
    let (mut metadata, java) = describe::describe(project, &stated, legacy, printer)?;

    let world = World::new(own.into_iter(), &collected.dependencies, &toml.provided, &toml.excluded_exports, base);
    for (role, names) in [("`exports`", &toml.exports), ("`excluded-exports`", &toml.excluded_exports)] {
        if let Some(name) = names.iter().find(|name| !world.own.contains_key(slashed(name).as_str())) {
            let (id, class) = (toml.id.clone(), name.clone());
            return Err(ExtensionError::NoDeclaredClass { id, role, class }.into());
        }
    }
    for (what, names) in [("a service", &metadata.services), ("in `exports`", &toml.exports)] {
        if let Some(class) = names.iter().find(|name| world.is_excluded(&slashed(name))) {
            let (at, class) = (project.origin.clone(), class.clone());
            return Err(Error::ExcludedExport { at, class, what }.into());
        }
    }
    let start = metadata.services.iter().chain(&toml.exports).cloned();
    let api = closure::follow(start, &world)?;
    for warning in &api.warnings {
        printer.warning(warning);
    }

    let (mut api, mut implementation): (Vec<_>, Vec<_>) =
        sorted.classes.into_iter().partition(|class| api.classes.contains(&class.class.name));
    let mut probes = sorted.probes;
    probes.extend(probes::take(project, [&mut api, &mut implementation], &collected.own, collected.compiled)?);
    probes::warn_of_others(project, api.iter().chain(&implementation), &collected.own, printer);
    metadata.probes = probes.iter().map(|probe| crate::class::dotted(&probe.class.name)).collect();
    metadata.probes.sort();
    let mut resources = sorted.resources;
    resources.extend(parts::natives(project)?);
    if let Some(library) = project.library.as_ref().filter(|_| project.supplied.libraries.is_empty()) {
        printer.warning(&format!(
            "{}: the package's own library `{library}` is not in the extension; hint: `cargo fatagent` builds and packs it",
            project.origin
        ));
    }
    for note in &sorted.notes {
        printer.detail(note);
    }
    metadata.permissions = Some(Vec::new());
    let mut built = Extension {
        metadata,
        source: project.folder.clone(),
        api,
        implementation,
        resources,
        about: About::multi_release()?,
        probes,
        notes: Vec::new(),
    };
    let is_empty = built.api.is_empty() && built.metadata.services.is_empty() && built.probes.is_empty();
    if is_empty && built.metadata.configurator.is_none() {
        return Err(Error::NothingOffered { at: project.origin.clone() }.into());
    }
    built.metadata.exports = check::exports(&built);
    let origin = Origin::Generated(format!("from `{}`", project.origin));
    check::check(&built, &origin)?;
    if let Some((class, origin)) = check::versioned_api(&built).into_iter().next() {
        return Err(Error::VersionedApi { class, origin: Box::new(origin.clone()) }.into());
    }
    access::check(&built)?;
    packages::check(&built, toml, &collected.dependencies)?;
    parts::check_configurator(&built, project)?;
    built.metadata.java_version = java_version(&built, java.as_ref(), printer)?;
    shade(&mut built, project, base, printer)?;
    report_packed(&built, &collected.dependencies, printer);
    permissions::declare(&mut built, &stated.permissions, toml.scan_permissions, limits, printer)?;
    Ok(built)
}

fn sorted(files: &[File]) -> Result<pieces::Sorted> {
    let pieces = files.iter().map(|file| Piece {
        path: file.path.clone(),
        content: file.content.clone(),
        origin: file.origin.clone(),
    });
    pieces::sort(pieces.collect(), &About::multi_release()?)
}

/// Tells which packages of dependencies keep their names. Only the extension's own loader has them.
fn report_packed(extension: &Extension, dependencies: &BTreeMap<String, Origin>, printer: &Printer) {
    let kept = extension.implementation.iter().filter(|class| dependencies.contains_key(&class.class.name));
    let mut packages: BTreeMap<String, usize> = BTreeMap::new();
    for class in kept {
        let package = class.class.name.rsplit_once('/').map_or("", |(package, _)| package);
        *packages.entry(crate::class::dotted(package)).or_default() += 1;
    }
    if packages.is_empty() {
        return;
    }
    let names: Vec<String> = packages.keys().take(SAMPLES).map(|package| format!("`{package}`")).collect();
    let more = if packages.len() > SAMPLES { " and others" } else { "" };
    let classes: usize = packages.values().sum();
    printer.status(
        "Packed",
        &format!("{classes} classes of dependencies under their own names: {}{more}", names.join(", ")),
    );
}

/// Moves classes by `[shade]`.
fn shade(extension: &mut Extension, project: &Project, base: &Base, printer: &Printer) -> Result<()> {
    let rules: Vec<Rule> =
        project.toml.shade.iter().map(|(from, to)| Rule { from: from.clone(), to: to.clone() }).collect();
    if rules.is_empty() {
        return Ok(());
    }
    let fixed = Fixed::new(base, std::slice::from_ref(extension));
    let named: Vec<Rule> = rules
        .iter()
        .map(|rule| Rule { from: rule.from.clone(), to: extension::with_id(&rule.to, extension.id()) })
        .collect();
    let parsed = merge::parse_rules(&named)?;
    let held = extension.implementation.iter().chain(&extension.api);
    let used: BTreeSet<&str> = held
        .filter_map(|class| parsed.rule_of(&classfile::mutf8::encode(&class.class.name)))
        .map(|rule| rule.from.as_str())
        .collect();
    if let Some(unused) = named.iter().find(|rule| !used.contains(rule.from.as_str())) {
        return Err(Error::UnusedShade { at: project.origin.clone(), from: unused.from.clone() }.into());
    }
    let relocation = extension::relocate(extension, &rules, LiteralPolicy::Descriptors, &fixed, None, printer)?;
    if let Some(relocation) = relocation {
        relocation.report(printer);
    }
    extension.metadata.shaded_packages = named.into_iter().map(|rule| (rule.from, rule.to)).collect();
    Ok(())
}

/// The least Java: what the description claims, else what the classes need.
fn java_version(extension: &Extension, claim: Option<&Claim>, printer: &Printer) -> Result<String> {
    let classes: Vec<_> = extension.api.iter().chain(&extension.implementation).chain(&extension.probes).collect();
    let versions = classes.into_par_iter().map(|class| {
        let bytes = class.content.read()?;
        // It was read before.
        let version = ClassFile::parse(&bytes).map(|file| file.major()).unwrap_or_default();
        Ok((version, &class.origin))
    });
    let versions: Vec<(u16, &Origin)> = versions.collect::<Result<_>>()?;
    let Some((highest, origin)) = versions.into_iter().max_by_key(|(version, _)| *version) else {
        return Ok(DEFAULT_JAVA_VERSION.to_owned());
    };
    let needed = highest.max(VERSION_OF_8) - VERSION_OF_8 + 8;
    let Some(Claim { version: stated, place }) = claim else { return Ok(format!("{needed}+")) };
    let number = stated.trim_end_matches('+');
    let number: u16 =
        number.strip_prefix("1.").unwrap_or(number).split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    if number < needed {
        printer.warning(&format!("{place} is {stated}, but a class needs {needed}: {origin}"));
    }
    Ok(if stated.ends_with('+') { stated.clone() } else { format!("{stated}+") })
}
