//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use packager::mask::Jars;
use packager::ops::{build, demo, extract, inspect, mask, off, verify};
use packager::printer::{Color, Format, Printer};

/// Builds and checks fat Java agents
#[derive(Debug, Parser)]
#[command(name = "fatagent", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    output: OutputArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArgs {
    /// Print nothing but data and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print what is done in detail
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Show no progress bars
    #[arg(long, global = true)]
    no_progress: bool,
    /// When to colour messages; `auto` means on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorArg,
    /// Form of the data on stdout; `json` means one object a line
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    message_format: FormatArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ColorArg {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build the agent jar that `agent.toml` describes
    ///
    /// Without `--file`, `agent.toml` of the current folder is read, else `[package.metadata.fatagent]` of the Cargo
    /// package there. Paths in the file are relative to its folder.
    ///
    /// Precompiled probes are trusted: until the safety verifier comes, a probe class is embedded as it is, whatever its
    /// code does. Embed only probes that you compiled or read yourself.
    ///
    /// The same inputs give the same bytes. `SOURCE_DATE_EPOCH` sets the time of all entries; times before 1980 become
    /// 1980-01-01, which is also the default.
    Build(BuildArgs),
    /// Hide the classes of ordinary agent jars from applications
    ///
    /// Writes one agent jar with our Loader, the bootstrap classes that are asked for, and everything else where only the
    /// agent's own loader finds it. The Loader calls the agent classes that the input manifests name. It is the short form
    /// of an `agent.toml` with `layout = "masked"`.
    Mask(MaskArgs),
    /// Check that a jar is a whole and unchanged agent
    Verify {
        /// The agent jar
        jar: PathBuf,
    },
    /// Show what is in a jar
    Inspect {
        /// The jar
        jar: PathBuf,
    },
    /// Write the native core out of a jar, for `-agentpath`
    Extract {
        /// The agent jar
        jar: PathBuf,
        /// Folder for the library; the current one by default
        #[arg(short, long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
        output: PathBuf,
        /// Write the cores of all targets, each into a folder of its target
        #[arg(long)]
        all: bool,
    },
    /// Write an example project, build its agent and run its application with it
    Demo {
        /// Folder for the project; `fatagent-demo` by default
        folder: Option<PathBuf>,
    },
    /// Remove all probes from a running JVM
    Off {
        /// Process id of the JVM
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        pid: u32,
    },
}

#[derive(Debug, Args)]
struct BuildArgs {
    /// `agent.toml`, a `Cargo.toml`, or a folder with one of them
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The jar, or an existing folder for it; `<name>.jar` beside the file by default
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Extensions to embed among those of `[discover] members`, instead of `[discover] default`
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    embed: Option<Vec<String>>,
}

#[derive(Debug, Args)]
struct MaskArgs {
    /// Jar with bootstrap classes
    #[arg(long, value_name = "JAR")]
    boot: Vec<PathBuf>,
    /// The agent jar, then jars that it needs
    #[arg(long, value_name = "JAR", required = true)]
    agent: Vec<PathBuf>,
    /// The client jar, then jars that it needs
    #[arg(long, value_name = "JAR")]
    client: Vec<PathBuf>,
    /// Files of any jar that the bootstrap loader sees, such as `com/acme/api/**`; `!GLOB` masks them nevertheless
    ///
    /// By default all classes of the jars given with `--boot`, of a `BTrace` boot jar those that its probes need.
    #[arg(long, value_name = "GLOB")]
    bootstrap: Vec<String>,
    /// Print the `agent.toml` that does the same, and build nothing
    #[arg(long)]
    print: bool,
    /// The jar to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

impl Cli {
    /// The printer that the options ask for.
    pub(crate) fn printer(&self) -> Printer {
        let options = &self.output;
        Printer {
            quiet: options.quiet,
            verbose: options.verbose,
            no_progress: options.no_progress,
            color: match options.color {
                ColorArg::Auto => Color::Auto,
                ColorArg::Always => Color::Always,
                ColorArg::Never => Color::Never,
            },
            format: match options.message_format {
                FormatArg::Text => Format::Text,
                FormatArg::Json => Format::Json,
            },
        }
    }

    /// Runs the command.
    pub(crate) fn run(self, printer: &Printer) -> anyhow::Result<()> {
        match self.command {
            Command::Build(BuildArgs { file, output, embed }) => {
                build::build(&build::Options { file, output, embed }, printer)?;
            }
            Command::Mask(MaskArgs { boot, agent, client, bootstrap, print, output }) => {
                let jars = Jars { boot, agent, client, bootstrap };
                mask::mask(&mask::Options { jars, print, output }, printer)?;
            }
            Command::Verify { jar } => {
                verify::verify(&jar, printer)?;
            }
            Command::Inspect { jar } => {
                inspect::inspect(&jar, printer)?;
            }
            Command::Extract { jar, output, all } => {
                extract::extract(&extract::Options { jar, folder: output, all }, printer)?;
            }
            Command::Demo { folder } => demo::demo(folder.as_deref(), printer)?,
            Command::Off { pid } => off::off(pid, printer)?,
        }
        Ok(())
    }
}
