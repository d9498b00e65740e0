//! `fatagent add` and `fatagent remove`.

use clap::{Args, Subcommand};
use manifests::agent_toml::edit::How;
use manifests::coordinates::{BadCoordinates, Coordinates};
use packager::ops::edit::{Given, Where, edit};
use packager::printer::Printer;

use super::relocation;

#[derive(Debug, Subcommand)]
pub(crate) enum AddCommand {
    /// Embed an extension: a zip, a folder, or one of a Maven repository
    Extension(ExtensionArgs),
    /// Embed the probes that a pattern matches
    Probe {
        /// Path or pattern of compiled probe classes, from the current folder
        #[arg(required = true, value_name = "GLOB")]
        patterns: Vec<String>,
    },
    /// Move classes of a package, or with `=P` one class, to Q
    Relocation {
        /// Rule of `[relocate]`
        #[arg(required = true, value_name = "P=Q", value_parser = rule)]
        rules: Vec<(String, Option<String>)>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RemoveCommand {
    /// Do not embed an extension any more
    Extension(ExtensionArgs),
    /// Take a pattern out of `[probes] include`
    Probe {
        /// The pattern, from the current folder
        #[arg(required = true, value_name = "GLOB")]
        patterns: Vec<String>,
    },
    /// Take a rule out of `[relocate]`
    Relocation {
        /// Its left side, or all of it
        #[arg(required = true, value_name = "P[=Q]", value_parser = rule_or_source)]
        rules: Vec<(String, Option<String>)>,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct ExtensionArgs {
    /// Zip of an extension, from the current folder
    #[arg(long, value_name = "ZIP")]
    file: Vec<String>,
    /// Folder of an extension's project or compiled classes, from the current folder
    #[arg(long, value_name = "FOLDER")]
    path: Vec<String>,
    /// Coordinates in a Maven repository
    #[arg(long, value_name = "G:A:V", value_parser = coordinates)]
    maven: Vec<Coordinates>,
}

fn coordinates(text: &str) -> Result<Coordinates, String> {
    text.parse().map_err(|error: BadCoordinates| error.to_string())
}

fn rule(text: &str) -> Result<(String, Option<String>), String> {
    relocation(text).map(|rule| (rule.from, Some(rule.to)))
}

fn rule_or_source(text: &str) -> Result<(String, Option<String>), String> {
    let is_rule = text.strip_prefix('=').unwrap_or(text).contains('=');
    if is_rule { rule(text) } else { Ok((text.to_owned(), None)) }
}

impl ExtensionArgs {
    fn given(self) -> Vec<Given> {
        let files = self.file.into_iter().map(Given::File);
        files.chain(self.path.into_iter().map(Given::Path)).chain(self.maven.into_iter().map(Given::Maven)).collect()
    }
}

fn given_rules(rules: Vec<(String, Option<String>)>) -> Vec<Given> {
    rules.into_iter().map(|(from, to)| Given::Relocation(from, to)).collect()
}

impl AddCommand {
    /// Runs the command.
    pub(crate) fn run(self, place: &Where, printer: &Printer) -> anyhow::Result<()> {
        let given = match self {
            Self::Extension(extension) => extension.given(),
            Self::Probe { patterns } => patterns.into_iter().map(Given::Probe).collect(),
            Self::Relocation { rules } => given_rules(rules),
        };
        edit(How::Add, &given, place, printer)?;
        Ok(())
    }
}

impl RemoveCommand {
    /// Runs the command.
    pub(crate) fn run(self, place: &Where, printer: &Printer) -> anyhow::Result<()> {
        let given = match self {
            Self::Extension(extension) => extension.given(),
            Self::Probe { patterns } => patterns.into_iter().map(Given::Probe).collect(),
            Self::Relocation { rules } => given_rules(rules),
        };
        edit(How::Remove, &given, place, printer)?;
        Ok(())
    }
}
