//! `fatagent mask`: ordinary agent jars behind our Loader.

use std::path::{Path, PathBuf};

use manifests::agent_toml::AgentToml;
use serde_json::Map;

use crate::archive::Limits;
use crate::assemble::Written;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::extension::project::Supplies;
use crate::mask::{self, Jars, Rules};
use crate::ops::build;
use crate::printer::Printer;

/// What messages call the expanded description.
const ORIGIN: &str = "the description of `fatagent mask`";

/// What to mask.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The jars.
    pub jars: Jars,
    /// Classes that move, and files that meet.
    pub rules: Rules,
    /// Print the `agent.toml` that does the same, and build nothing.
    pub print: bool,
    /// The jar to write.
    pub output: PathBuf,
    /// The limits of reading.
    pub limits: Limits,
}

/// Masks the jars, or prints the `agent.toml` that would.
///
/// # Errors
/// An input is missing, malformed or no agent, two inputs are in conflict, or the output cannot be written.
pub fn mask(options: &Options, printer: &Printer) -> Result<Option<Written>> {
    let name = options.output.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(".jar").unwrap_or(&name);
    if !manifests::agent_toml::is_output_name(stem) {
        return Err(Error::OutputName { name });
    }
    let (text, notes) = mask::expand(stem, &options.jars, options.limits)?;
    let (keys, tables) = mask::expand_rules(&options.rules);
    let text = format!("{keys}{text}{tables}");
    for note in &notes {
        printer.warning(note);
    }
    if options.print {
        printer.text(text.trim_end());
        let mut fields = Map::new();
        fields.insert("agent.toml".into(), text.into());
        printer.json("mask", fields);
        return Ok(None);
    }
    // Values of the manifests are literal: nothing is looked up.
    let toml = AgentToml::parse(&text, ORIGIN, &|_| None)?;
    let config = Config {
        toml,
        origin: ORIGIN.to_owned(),
        folder: Path::new("").to_owned(),
        members: Vec::new(),
        supplies: Supplies::default(),
    };
    let build =
        build::Options { output: Some(options.output.clone()), limits: options.limits, ..build::Options::default() };
    build::masked(&config, &build, printer).map(Some)
}
