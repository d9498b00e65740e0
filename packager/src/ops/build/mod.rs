//! `fatagent build`: from `agent.toml` to one agent jar.

mod defaults;
pub(crate) mod embed;
mod error;
mod known;
mod libraries;
mod manifest;
mod policy;
mod requires;
mod stage;
#[cfg(test)]
mod tests;

pub use error::BuildError;
pub(crate) use stage::masked_class;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use manifests::agent_toml;
use manifests::manifest::attribute;
use serde_json::{Map, Value, json};

use crate::archive::{Archive, Limits};
use crate::assemble::{self, EntryTime, Written};
use crate::base::Base;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::extension::{self, Extension, Fixed};
use crate::glob;
use crate::mask;
use crate::merge::{Relocation, combined};
use crate::native::{self, NativeCore};
use crate::ops::merge;
use crate::ops::verify::{self, Gates, case_warnings};
use crate::printer::Printer;
use crate::probes::Probe;

/// What to build.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `agent.toml`, a `Cargo.toml`, or a folder with one of them; the current folder when absent.
    pub file: Option<PathBuf>,
    /// The jar, or an existing folder for it; `<name>.jar` beside `agent.toml` when absent.
    pub output: Option<PathBuf>,
    /// Ids of the `[discover]` members to embed; `[discover] default` when absent.
    pub embed: Option<Vec<String>>,
    /// Writes the listing that `[verify] golden` names instead of comparing the jar with it.
    pub update_golden: bool,
    /// The limits of reading.
    pub limits: Limits,
}

/// Builds the agent and puts it in place.
///
/// # Errors
/// An input is missing, malformed or in conflict with another one, or the output cannot be written. An older output stays
/// as it was.
pub fn build(options: &Options, printer: &Printer) -> Result<Written> {
    let time = EntryTime::from_environment()?;
    let config = Config::load(options.file.as_deref())?;
    described(&config, options, time, printer)
}

/// As [`build`], of a description that was read.
pub(crate) fn described(config: &Config, options: &Options, time: EntryTime, printer: &Printer) -> Result<Written> {
    if let (Some(layout), true) = (config.toml.agent.layout, options.embed.is_some()) {
        let what = format!("`--embed` with `layout = \"{}\"`", layout.word());
        return Err(Error::NotSupported { at: config.origin.clone(), what });
    }
    if config.toml.agent.layout == Some(agent_toml::Layout::Masked) {
        return masked(config, options, printer);
    }
    let agent = &config.toml.agent;
    let target = output_path(options.output.as_deref(), config)?;
    if agent.layout == Some(agent_toml::Layout::Plain) {
        return merge::build(config, &target, options.limits, printer);
    }
    if agent.layout == Some(agent_toml::Layout::Foreign) {
        return foreign(config, &target, options, printer);
    }
    let file_name = checked_name(&target)?;

    let given_base = config.base_file()?;
    let base = given_base.as_deref().map_or_else(Base::builtin, |path| Base::open(path, options.limits))?;
    printer.status("Reading", &format!("{} ({} {})", config.origin, agent.name, agent.version));
    let targets = targets(&base, agent.targets.as_deref(), printer)?;
    let mut extensions = embed::select(config, options.embed.as_deref(), &base, options.limits, printer)?;
    let known = known::all(&base, &extensions)?;
    requires::check(&known, printer)?;
    let defaults = defaults::Defaults::read(config, &base, &known, printer)?;
    let relocation = relocate(&mut extensions, config, &base, printer)?;
    let probe_files = glob::expand_all(&config.toml.probes, &config.folder, false, &config.origin)?;
    let probes = probe_files.iter().map(|path| Probe::read(path)).collect::<Result<Vec<_>>>()?;

    let staged =
        stage::Inputs { base: &base, targets: &targets, extensions: &extensions, probes: &probes, defaults: &defaults };
    let layout = staged.layout(printer)?;
    for collapsed in layout.collapsed() {
        printer.detail(&format!("{} is the same as {}: kept once", collapsed.dropped, collapsed.kept));
    }
    let hashes = layout.hash()?;
    let libraries = libraries::Libraries::of(config, &base, &target);
    libraries.report(printer)?;
    let manifest = manifest::Inputs {
        base: &base,
        agent,
        file_name: &file_name,
        extensions: &extensions,
        targets: &targets,
        libraries: &libraries.attributes,
        attributes: &config.toml.manifest.attributes,
    }
    .build(&hashes)?;
    for warning in case_warnings(&layout.case_clashes()) {
        printer.warning(&warning);
    }
    let gates = Gates::new(config, options.update_golden)?;
    let written = assemble::write_jar(&target, &manifest.to_bytes(), &layout, time, printer, |path| {
        let archive = Archive::open_with(path, options.limits)?;
        let report = verify::check(&archive);
        if let Some(first) = report.failures.first() {
            let (count, first) = (report.problems(), first.first_line());
            return Err(Error::SelfCheck { count, first, base: given_base.clone() });
        }
        gates.check(&archive, fs_err::metadata(path)?.len(), printer)
    })?;
    if let Some(relocation) = &relocation {
        relocation.report(printer);
    }
    let build_id = manifest.main.get(attribute::BTRACE_BUILD_ID).unwrap_or_default();
    let denied = defaults.denied.iter().map(policy::Denied::to_json).collect();
    let more = [("denied".to_owned(), denied), ("libraries".to_owned(), libraries.to_json()?)];
    report_with(&written, "Built", Some(build_id), more, printer);
    Ok(written)
}

/// Moves classes of the extensions' implementations: by the rules of the whole agent, and by those of each extension, which
/// replace them where both have the same source. The result tells how.
fn relocate(
    extensions: &mut [Extension],
    config: &Config,
    base: &Base,
    printer: &Printer,
) -> Result<Option<Arc<Relocation>>> {
    let fixed = Fixed::new(base, extensions);
    let mut first: Option<Arc<Relocation>> = None;
    for (number, extension) in extensions.iter_mut().enumerate() {
        // Those of `[discover]` come after all that are described one by one.
        let own = config.toml.extensions.get(number).map_or(&[][..], |described| &described.relocate);
        let rules = combined(&config.toml.relocate, own);
        let policy = config.toml.relocate_literals;
        let relocation = extension::relocate(extension, &rules, policy, &fixed, first.as_deref(), printer)?;
        first = first.or(relocation);
    }
    Ok(first)
}

/// Builds an agent with `layout = "masked"`: ordinary agent jars behind our Loader.
///
/// # Errors
/// As [`build`].
pub(crate) fn masked(config: &Config, options: &Options, printer: &Printer) -> Result<Written> {
    let time = EntryTime::from_environment()?;
    let limits = options.limits;
    let target = output_path(options.output.as_deref(), config)?;
    let file_name = checked_name(&target)?;
    let base = config.base_file()?.map_or_else(Base::builtin, |path| Base::open(&path, limits))?;
    let staged = mask::stage(config, &base, &file_name, limits, printer)?;
    let bytes = staged.manifest.to_bytes();
    let gates = Gates::new(config, options.update_golden)?;
    let written = assemble::write_jar(&target, &bytes, &staged.layout, time, printer, |path| {
        let archive = Archive::open_with(path, limits)?;
        let report = verify::check(&archive);
        if let Some(first) = report.failures.first().map(verify::Failure::first_line) {
            return Err(Error::SelfCheck { count: report.problems(), first, base: None });
        }
        gates.check(&archive, fs_err::metadata(path)?.len(), printer)
    })?;
    if let Some(relocation) = &staged.relocation {
        relocation.report(printer);
    }
    let build_id = staged.manifest.main.get(attribute::BTRACE_BUILD_ID).unwrap_or_default();
    report(&written, "Built", Some(build_id), printer);
    Ok(written)
}

/// Builds a jar with `layout = "foreign"`: another vendor's, without our Loader.
fn foreign(config: &Config, target: &Path, options: &Options, printer: &Printer) -> Result<Written> {
    let time = EntryTime::from_environment()?;
    let agent = &config.toml.agent;
    printer.status("Reading", &format!("{} ({} {})", config.origin, agent.name, agent.version));
    let gates = Gates::new(config, options.update_golden)?;
    let staged = crate::foreign::stage(config, options.limits, printer)?;
    let layout = &staged.layout;
    for warning in case_warnings(&layout.case_clashes()) {
        printer.warning(&warning);
    }
    let base = config.base_file()?;
    let written = assemble::write_jar(target, &staged.manifest.to_bytes(), layout, time, printer, |path| {
        let archive = Archive::open_with(path, options.limits)?;
        let report = verify::check(&archive);
        if let Some(first) = report.failures.first().map(verify::Failure::first_line) {
            return Err(crate::foreign::Error::Faulty { count: report.problems(), first, base: base.clone() }.into());
        }
        for warning in &report.warnings {
            printer.warning(warning);
        }
        gates.check(&archive, fs_err::metadata(path)?.len(), printer)
    })?;
    if let Some(relocation) = &staged.relocation {
        relocation.report(printer);
    }
    report(&written, "Built", None, printer);
    Ok(written)
}

/// Says what was written: a last line for people, the path or an object for programs.
pub(super) fn report(written: &Written, verb: &str, build_id: Option<&str>, printer: &Printer) {
    report_with(written, verb, build_id, [], printer);
}

/// As [`report`], with more fields for programs.
fn report_with(
    written: &Written,
    verb: &str,
    build_id: Option<&str>,
    more: impl IntoIterator<Item = (String, Value)>,
    printer: &Printer,
) {
    let Written { path, size, entries, sha256 } = written;
    printer.status(verb, &format!("{}, {size} bytes, {entries} entries, sha256 {sha256}", path.display()));
    printer.text(&path.display().to_string());
    let mut fields = Map::new();
    fields.insert("path".into(), path.display().to_string().into());
    fields.insert("size".into(), json!(size));
    fields.insert("entries".into(), json!(entries));
    fields.insert("sha256".into(), sha256.to_string().into());
    if let Some(id) = build_id {
        fields.insert("build-id".into(), id.into());
    }
    fields.extend(more);
    printer.json("artifact", fields);
}

/// Where the jar goes.
fn output_path(output: Option<&Path>, config: &Config) -> Result<PathBuf> {
    let default = format!("{}.jar", config.toml.agent.name);
    match output {
        None => Ok(config.resolve(&default)),
        Some(path) if path.is_dir() => Ok(path.join(default)),
        Some(path) if path.file_name().is_some() => Ok(path.to_owned()),
        Some(path) => Err(Error::OutputName { name: path.display().to_string() }),
    }
}

/// The jar's file name, which the JVM reads from `Boot-Class-Path` as a URL and in the platform's encoding.
fn checked_name(target: &Path) -> Result<String> {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.chars().all(plain) && name.starts_with(|c: char| c != '.') {
        Ok(name)
    } else {
        Err(Error::OutputName { name })
    }
}

/// The full names of the targets to embed.
fn targets(base: &Base, wanted: Option<&[String]>, printer: &Printer) -> Result<Vec<String>> {
    let available = base.targets();
    let wanted = wanted.map_or_else(|| vec![native::host_target()], <[String]>::to_vec);
    let mut targets = Vec::new();
    for target in &wanted {
        let full = native::full_target(target);
        if !available.contains(&full) {
            let available = available.iter().map(|target| native::short_target(target).to_owned()).collect();
            return Err(Error::NoCore { target: target.clone(), available });
        }
        if let Some(bytes) = base.archive.read_name(&native::core_path(&full))? {
            let core = NativeCore::read(&full, &bytes);
            let floor = core.libc_floor.map_or_else(String::new, |floor| format!(", needs glibc {floor} or newer"));
            printer.status("Core", &format!("{full}{floor}"));
        }
        targets.push(full);
    }
    targets.sort();
    targets.dedup();
    Ok(targets)
}
