//! `fatagent merge`, and `fatagent build` with `layout = "plain"`: one ordinary jar of several.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use manifests::agent_toml::{LiteralPolicy, MergeRule, Relocation};

use crate::archive::{Archive, Limits};
use crate::assemble::{self, EntryTime, Written};
use crate::config::Config;
use crate::error::Result;
use crate::maven;
use crate::merge::{self, MergeError};
use crate::ops::build::report;
use crate::printer::Printer;

/// What to merge.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The jars, the one whose main attributes are kept first.
    pub jars: Vec<PathBuf>,
    /// The jar to write, or an existing folder for it, which then has the name of the first jar.
    pub output: PathBuf,
    /// Decisions about conflicts; the first whose pattern matches counts.
    pub merge: Vec<MergeRule>,
    /// How classes move to other packages.
    pub relocate: Vec<Relocation>,
    /// Which string literals follow.
    pub literals: LiteralPolicy,
    /// Further main attributes, in order; they replace those of the first jar.
    pub attributes: Vec<(String, String)>,
    /// Whether the module descriptor of the first jar stays.
    pub keep_module: bool,
    /// The limits of reading.
    pub limits: Limits,
}

/// Merges jars and puts the result in place, which may be the place of one of them.
///
/// # Errors
/// An input is missing, malformed or in conflict with another one, or the output cannot be written. An older output stays
/// as it was.
pub fn merge(options: &Options, printer: &Printer) -> Result<Written> {
    let Some(first) = options.jars.first() else { return Err(MergeError::NoInput.into()) };
    let target = match first.file_name() {
        Some(name) if options.output.is_dir() => options.output.join(name),
        _ => options.output.clone(),
    };
    let merge = merge::Options {
        merge: (&options.merge, "--merge"),
        relocate: &options.relocate,
        literals: options.literals,
        attributes: &options.attributes,
        keep_module: options.keep_module,
    };
    write(&options.jars, &merge, &target, options.limits, printer)
}

/// Builds what an `agent.toml` with `layout = "plain"` describes: its base, if it names one, and the jars of
/// `[bootstrap] from`.
///
/// # Errors
/// As [`merge`].
pub(crate) fn build(config: &Config, target: &Path, limits: Limits, printer: &Printer) -> Result<Written> {
    let mut jars: Vec<PathBuf> = config.base_file()?.into_iter().collect();
    let from = config.toml.bootstrap.as_ref().map_or(&[][..], |bootstrap| &bootstrap.from);
    jars.extend(maven::files(from, config, &config.toml.place_of("bootstrap.from").to_string())?);
    let merge = merge::Options {
        merge: (&config.toml.merge, &config.origin),
        relocate: &config.toml.relocate,
        literals: config.toml.relocate_literals,
        attributes: &config.toml.manifest.attributes,
        keep_module: false,
    };
    write(&jars, &merge, target, limits, printer)
}

fn write(
    jars: &[PathBuf],
    options: &merge::Options<'_>,
    target: &Path,
    limits: Limits,
    printer: &Printer,
) -> Result<Written> {
    let time = EntryTime::from_environment()?;
    let inputs = jars.iter().map(|jar| Archive::open_with(jar, limits).map(Arc::new)).collect::<Result<Vec<_>>>()?;
    let merged = merge::merge(&inputs, options, printer)?;
    let manifest = merged.manifest.to_bytes();
    let written = assemble::write_jar(target, &manifest, &merged.layout, time, printer, |_| Ok(()))?;
    if let Some(relocation) = &merged.relocation {
        relocation.report(printer);
    }
    report(&written, "Merged", None, printer);
    Ok(written)
}
