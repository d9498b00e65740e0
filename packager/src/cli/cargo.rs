//! `cargo fatagent …`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use packager::archive::Limits;
use packager::cargo_driver::CargoOptions;
use packager::ops::edit::Where;
use packager::ops::extension::lint;
use packager::ops::{build, cargo, verify};
use packager::printer::Printer;

use super::OutputArgs;
use super::edit::{AddCommand, RemoveCommand};

/// Builds fat Java agents and their extensions from Cargo packages
#[derive(Debug, Parser)]
#[command(
    name = "cargo-fatagent",
    bin_name = "cargo fatagent",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct CargoCli {
    #[command(flatten)]
    output: OutputArgs,
    /// Change limits of reading jars, as those of `fatagent`
    #[arg(long, global = true, value_name = "NAME=VALUE,…")]
    limits: Option<Limits>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build the agent that `[package.metadata.fatagent]` describes, or an `agent.toml` beside the manifest
    ///
    /// The jar goes to `fatagent/<profile>/<name>.jar` in cargo's target folder. Extensions that it embeds by their paths are
    /// built, and cargo makes the shared libraries of those that are packages with a `cdylib`; they lie below
    /// `META-INF/native/<target>/`. Members of the workspace that describe an extension can be named with `--embed`.
    Build {
        #[command(flatten)]
        cargo: CargoArgs,
        /// The jar, or an existing folder for it
        #[arg(short, long, value_name = "OUT")]
        output: Option<PathBuf>,
        /// Extensions to embed among members of the workspace and `[discover] members`, instead of `[discover] default`
        #[arg(long, value_name = "ID,…", value_delimiter = ',')]
        embed: Option<Vec<String>>,
        /// Write the listing that `[verify] golden` names instead of comparing the jar with it
        #[arg(long)]
        update_golden: bool,
    },
    /// Build and check extensions
    #[command(subcommand)]
    Extension(ExtensionCommand),
    /// Check that the agent of a package is whole and unchanged
    Verify {
        /// The jar; the one that `build` writes by default
        jar: Option<PathBuf>,
        #[command(flatten)]
        cargo: CargoArgs,
        /// An older jar: fail on a permission, a bootstrap class or a core that it does not have, and on a larger size
        #[arg(long, value_name = "OLD")]
        against: Option<PathBuf>,
        /// Bytes by which the jar may be larger than the older one
        #[arg(long, value_name = "BYTES", requires = "against", default_value_t = 0, hide_default_value = true)]
        allow_growth: u64,
    },
    /// Add an extension, probes or relocations to the description of an agent
    ///
    /// As `fatagent add`, in the manifest of the package, or an `agent.toml` beside it.
    Add {
        #[command(subcommand)]
        what: AddCommand,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Remove an extension, probes or relocations from the description of an agent
    Remove {
        #[command(subcommand)]
        what: RemoveCommand,
        #[command(flatten)]
        place: PlaceArgs,
    },
}

/// The package that is edited.
#[derive(Debug, Args)]
struct PlaceArgs {
    /// The `Cargo.toml`; by default the nearest one from the current folder upwards
    #[arg(long, global = true, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// Member of the workspace; by default the nearest that describes an agent, else the only one
    #[arg(short, long, global = true, value_name = "NAME")]
    package: Option<String>,
}

impl PlaceArgs {
    fn place(self) -> Where {
        let Self { manifest_path, package } = self;
        Where::Cargo(CargoOptions { manifest_path, package, ..CargoOptions::default() })
    }
}

#[derive(Debug, Subcommand)]
enum ExtensionCommand {
    /// Build the extension that `[package.metadata.fatagent.extension]` describes, or an `extension.toml` beside the manifest
    ///
    /// Its two jars and its zip go to `fatagent/<profile>` in cargo's target folder. The shared library of a package with a
    /// `cdylib` is packed below `META-INF/native/<target>/`. Java sources are compiled where no build tool has left classes.
    Build {
        #[command(flatten)]
        cargo: CargoArgs,
        /// Build all members of the workspace that describe an extension
        #[arg(long, conflicts_with = "package")]
        workspace: bool,
        /// Folder for the files
        #[arg(short, long, value_name = "FOLDER")]
        output: Option<PathBuf>,
        /// Compile the sources with javac, whatever classes there are
        #[arg(long)]
        compile: bool,
    },
    /// Say what is wrong with an extension that was built
    Lint {
        #[command(flatten)]
        cargo: CargoArgs,
        /// Let warnings count as errors
        #[arg(long)]
        strict: bool,
    },
}

/// What is handed on to cargo.
#[derive(Debug, Args)]
#[command(next_help_heading = "Package")]
struct CargoArgs {
    /// The `Cargo.toml`; by default the nearest one from the current folder upwards
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// Member of the workspace; by default the nearest that describes what is built, else the only one
    #[arg(short, long, value_name = "NAME")]
    package: Option<String>,
    /// Build libraries with the profile `release`
    #[arg(short, long, conflicts_with = "profile")]
    release: bool,
    /// Build libraries with this profile
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Build libraries for this triple; may be given several times. An agent without `targets` has the cores for them
    #[arg(long = "target", value_name = "TRIPLE")]
    targets: Vec<String>,
    /// Features of the packages with libraries
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,
    /// All features of them
    #[arg(long)]
    all_features: bool,
    /// No default features of them
    #[arg(long)]
    no_default_features: bool,
    /// `Cargo.lock` is up to date
    #[arg(long)]
    locked: bool,
    /// Use no network
    #[arg(long)]
    offline: bool,
    /// Both
    #[arg(long)]
    frozen: bool,
}

impl CargoArgs {
    fn options(self) -> CargoOptions {
        let Self { manifest_path, package, release, profile, targets, .. } = self;
        CargoOptions {
            manifest_path,
            package,
            profile: if release { Some("release".to_owned()) } else { profile },
            targets,
            features: self.features,
            all_features: self.all_features,
            no_default_features: self.no_default_features,
            locked: self.locked,
            offline: self.offline,
            frozen: self.frozen,
        }
    }
}

impl CargoCli {
    /// The printer that the options ask for.
    pub(crate) fn printer(&self) -> Printer {
        self.output.printer()
    }

    /// Runs the command.
    pub(crate) fn run(self, printer: &Printer) -> anyhow::Result<()> {
        let limits = self.limits.unwrap_or_default();
        match self.command {
            Command::Build { cargo, output, embed, update_golden } => {
                let options = build::Options { file: None, output, embed, update_golden, limits };
                cargo::build(&cargo.options(), &options, printer)?;
            }
            Command::Extension(ExtensionCommand::Build { cargo, workspace, output, compile }) => {
                let options = cargo::ExtensionOptions { workspace, output, compile, limits };
                cargo::extension(&cargo.options(), &options, printer)?;
            }
            Command::Extension(ExtensionCommand::Lint { cargo, strict }) => {
                let extension = cargo::extension_zip(&cargo.options())?;
                lint::lint(&lint::Options { extension, strict, limits }, printer)?;
            }
            Command::Verify { jar, cargo, against, allow_growth } => {
                let options = verify::Options { against, allowed_growth: allow_growth, limits };
                cargo::verify(&cargo.options(), jar.as_deref(), &options, printer)?;
            }
            Command::Add { what, place } => what.run(&place.place(), printer)?,
            Command::Remove { what, place } => what.run(&place.place(), printer)?,
        }
        Ok(())
    }
}
