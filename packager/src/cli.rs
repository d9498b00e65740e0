//! The command line.

pub(crate) mod cargo;
mod edit;
mod ext;
mod extension;
mod pages;
mod publish;
mod sdk;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use manifests::agent_toml::{LiteralPolicy, MergeRule, MergeStrategy, Relocation};
use packager::archive::Limits;
use packager::mask::{Jars, Rules};
use packager::ops::edit::Where;
use packager::ops::{self, build, demo, diff, extract, inspect, mask, merge, off, scan, verify};
use packager::printer::{Color, Format, Printer};

use edit::{AddCommand, RemoveCommand};
use ext::{ExtCommand, PolicyCommand};
use extension::ExtensionCommand;
use pages::PagesCommand;
use publish::PublishArgs;
use sdk::SdkCommand;

/// Builds and checks fat Java agents
#[derive(Debug, Parser)]
#[command(name = "fatagent", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    output: OutputArgs,
    /// Change limits of reading jars, which guard against archives made to exhaust memory or disk
    ///
    /// `entries` (1,000,000), `entry-bytes` (1GiB), `total-bytes` (8GiB), `ratio` of inflated to compressed bytes (200),
    /// `ratio-free-bytes` up to which the ratio does not count (1MiB), and `memory-bytes` of an entry that must be held in
    /// memory (64MiB)
    #[arg(long, global = true, value_name = "NAME=VALUE,…")]
    limits: Option<Limits>,
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
    /// Add an extension, probes or relocations to the description of an agent
    ///
    /// Comments, order and form of `agent.toml`, or of `[package.metadata.fatagent]`, stay as they are. The file is replaced once
    /// its new text was read without an error; what is there already is left as it is.
    Add {
        #[command(subcommand)]
        what: AddCommand,
        /// The `agent.toml`, a `Cargo.toml`, or a folder with one of them; the current folder by default
        #[arg(long, global = true, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Remove an extension, probes or relocations from the description of an agent
    ///
    /// The comment directly above goes, too; all others stay. Removing what is not there is an error.
    Remove {
        #[command(subcommand)]
        what: RemoveCommand,
        /// The `agent.toml`, a `Cargo.toml`, or a folder with one of them; the current folder by default
        #[arg(long, global = true, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Make one ordinary jar of several
    ///
    /// Main attributes are those of the first jar. Services and other files that every jar may have are joined. Two
    /// different files at one path are an error unless `--merge` decides. What is dropped, joined or decided is reported.
    Merge(MergeArgs),
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
        /// An older jar: fail on a permission, a bootstrap class or a core that it does not have, and on a larger size
        #[arg(long, value_name = "OLD")]
        against: Option<PathBuf>,
        /// Bytes by which the jar may be larger than the older one
        #[arg(long, value_name = "BYTES", requires = "against", default_value_t = 0, hide_default_value = true)]
        allow_growth: u64,
    },
    /// Show how two jars differ in entries, manifest attributes and permissions
    ///
    /// Order, times and compression of entries do not count. As with diff(1), the exit code is 0 when nothing differs, 1
    /// when something does, and 2 when a jar cannot be read.
    Diff {
        /// The first jar
        first: PathBuf,
        /// The second jar
        second: PathBuf,
    },
    /// Show what is in a jar
    Inspect {
        /// The jar
        jar: PathBuf,
    },
    /// Find out which permissions the code of jars needs
    ///
    /// Classes in all their forms (versioned, masked, in jars inside) and native libraries are read; together the jars are one
    /// program. It is entered at the classes that manifests and service descriptors name, and what they reach is told from what
    /// is only present. Permissions are a declaration, not a sandbox.
    Scan(ScanArgs),
    /// Build, check and publish extensions
    #[command(subcommand)]
    Extension(ExtensionCommand),
    /// Look at the extensions that there are, switch them on and off, and let them have permissions
    ///
    /// The program does the same where it is called `btracex`.
    #[command(subcommand)]
    Ext(ExtCommand),
    /// Explain the policy
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Put an agent where Maven finds it
    ///
    /// Writes `GROUP:NAME:VERSION`; name and version are those of its manifest. A release is never overwritten: the same bytes
    /// are left alone, others are an error. A version that ends with `-SNAPSHOT` may be published again and again.
    Publish {
        /// The agent jar
        jar: PathBuf,
        /// Version, where the manifest has none
        #[arg(long, value_name = "V")]
        version: Option<String>,
        #[command(flatten)]
        args: Box<PublishArgs>,
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
    /// What extensions, probes and build tools are made with
    #[command(subcommand)]
    Sdk(SdkCommand),
    #[command(flatten)]
    Pages(PagesCommand),
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
struct ScanArgs {
    /// Jars, zips and folders of classes
    #[arg(required = true)]
    jars: Vec<PathBuf>,
    /// Further class at which the program is entered
    #[arg(long = "root", value_name = "CLASS")]
    roots: Vec<String>,
    /// Count everything that is present, whatever can be reached
    #[arg(long, conflicts_with = "roots")]
    everything: bool,
    /// Print SARIF 2.1.0
    #[arg(long)]
    sarif: bool,
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
    /// Write the listing that `[verify] golden` names instead of comparing the jar with it
    #[arg(long)]
    update_golden: bool,
}

#[derive(Debug, Args)]
struct MergeArgs {
    /// The jars
    #[arg(required = true)]
    jars: Vec<PathBuf>,
    /// The jar to write, or an existing folder for it
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    rules: RuleArgs,
    /// Set a main attribute of the manifest
    #[arg(long, value_name = "K=V", value_parser = attribute)]
    attribute: Vec<(String, String)>,
    /// Keep the module descriptor of the first jar
    #[arg(long)]
    keep_module: bool,
}

/// What decides about classes that move and files that meet.
#[derive(Debug, Args)]
struct RuleArgs {
    /// Move classes of the package P, or with `=P` one class, to Q; the longest P counts, and `P=P` keeps what it names
    #[arg(long, value_name = "P=Q", value_parser = relocation)]
    relocate: Vec<Relocation>,
    /// Which string literals follow: `names` of classes, packages and resources in the jars, also `descriptors` and
    /// signatures, or none, `off`; only whole literals ever do
    #[arg(long, value_name = "POLICY", value_parser = literals, default_value = "descriptors")]
    literals: LiteralPolicy,
    /// Decide between different files at one path: `first`, `last`, `concatenate`, `append` or `error`; the first
    /// matching GLOB counts
    #[arg(long, value_name = "GLOB=RULE", value_parser = merge_rule)]
    merge: Vec<MergeRule>,
}

fn literals(text: &str) -> Result<LiteralPolicy, String> {
    LiteralPolicy::of(text).ok_or_else(|| "none of `descriptors`, `names` and `off`".into())
}

fn merge_rule(text: &str) -> Result<MergeRule, String> {
    let (pattern, rule) = text.rsplit_once('=').ok_or("not of the form `GLOB=RULE`")?;
    let strategy = match rule {
        "first" => MergeStrategy::First,
        "last" => MergeStrategy::Last,
        "concatenate" => MergeStrategy::Concatenate,
        "append" => MergeStrategy::Append,
        "error" => MergeStrategy::Error,
        _ => return Err("the rule is none of `first`, `last`, `concatenate`, `append` and `error`".into()),
    };
    Ok(MergeRule { pattern: pattern.to_owned(), strategy })
}

fn relocation(text: &str) -> Result<Relocation, String> {
    // The sign of a rule for one class stands in front.
    let (exact, pair) = text.strip_prefix('=').map_or(("", text), |pair| ("=", pair));
    let (from, to) = pair.split_once('=').ok_or("not of the form `P=Q`")?;
    Ok(Relocation { from: format!("{exact}{from}"), to: to.to_owned() })
}

fn attribute(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("not of the form `K=V`")?;
    Ok((name.to_owned(), value.to_owned()))
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
    #[command(flatten)]
    rules: RuleArgs,
    /// Print the `agent.toml` that does the same, and build nothing
    #[arg(long)]
    print: bool,
    /// The jar to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

impl OutputArgs {
    /// The printer that the options ask for.
    fn printer(&self) -> Printer {
        Printer {
            quiet: self.quiet,
            verbose: self.verbose,
            no_progress: self.no_progress,
            color: match self.color {
                ColorArg::Auto => Color::Auto,
                ColorArg::Always => Color::Always,
                ColorArg::Never => Color::Never,
            },
            format: match self.message_format {
                FormatArg::Text => Format::Text,
                FormatArg::Json => Format::Json,
            },
        }
    }
}

impl Cli {
    /// The printer that the options ask for.
    pub(crate) fn printer(&self) -> Printer {
        self.output.printer()
    }

    /// Whether an exit code of 1 is an answer, so that failures have another one.
    pub(crate) fn answers_by_code(&self) -> bool {
        matches!(self.command, Command::Diff { .. })
    }

    /// Runs the command and returns its exit code.
    pub(crate) fn run(self, printer: &Printer) -> anyhow::Result<ExitCode> {
        let limits = self.limits.unwrap_or_default();
        match self.command {
            Command::Build(BuildArgs { file, output, embed, update_golden }) => {
                build::build(&build::Options { file, output, embed, update_golden, limits }, printer)?;
            }
            Command::Add { what, to } => what.run(&Where::File(to), printer)?,
            Command::Remove { what, from } => what.run(&Where::File(from), printer)?,
            Command::Merge(MergeArgs { jars, output, rules, attribute: attributes, keep_module }) => {
                let RuleArgs { relocate, literals, merge } = rules;
                let options =
                    merge::Options { jars, output, merge, relocate, literals, attributes, keep_module, limits };
                merge::merge(&options, printer)?;
            }
            Command::Mask(MaskArgs { boot, agent, client, bootstrap, rules, print, output }) => {
                let jars = Jars { boot, agent, client, bootstrap };
                let RuleArgs { relocate, literals, merge } = rules;
                let rules = Rules { relocate, literals, merge };
                mask::mask(&mask::Options { jars, rules, print, output, limits }, printer)?;
            }
            Command::Verify { jar, against, allow_growth } => {
                let options = verify::Options { against, allowed_growth: allow_growth, limits };
                verify::verify_with(&jar, &options, printer)?;
            }
            Command::Diff { first, second } => {
                if diff::diff(&first, &second, limits, printer)?.differs() {
                    return Ok(ExitCode::FAILURE);
                }
            }
            Command::Inspect { jar } => {
                inspect::inspect(&jar, limits, printer)?;
            }
            Command::Scan(ScanArgs { jars, roots, everything, sarif }) => {
                scan::scan_jars(&scan::Options { jars, roots, everything, sarif, limits }, printer)?;
            }
            Command::Extension(command) => command.run(limits, printer)?,
            Command::Ext(command) => command.run(printer)?,
            Command::Policy(command) => command.run(printer)?,
            Command::Publish { jar, version, args } => {
                ops::publish::agent(&args.options(Some(jar), version, limits), printer)?;
            }
            Command::Extract { jar, output, all } => {
                extract::extract(&extract::Options { jar, folder: output, all, limits }, printer)?;
            }
            Command::Pages(command) => command.run::<Self>(printer)?,
            Command::Sdk(command) => command.run(printer)?,
            Command::Demo { folder } => demo::demo(folder.as_deref(), printer)?,
            Command::Off { pid } => off::off(pid, printer)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
