//! `fatagent ext …` and `fatagent policy …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use packager::ops::ext::{self, Options, Switch};
use packager::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum ExtCommand {
    /// List extensions, where they are, and whether they can be used
    ///
    /// Without a path, those of this computer: `BTRACE_HOME/extensions`, /etc/btrace/extensions, ~/.btrace/extensions,
    /// `BTRACE_EXT_PATH` and --ext-path, a later place over an earlier one, and those that `--agent` embeds.
    List {
        /// Agent jars, extensions and folders of extensions
        paths: Vec<PathBuf>,
        #[command(flatten)]
        args: WhichArgs,
    },
    /// Show everything about extensions
    Inspect {
        /// Zips, jars, folders and agent jars, or ids of extensions of this computer
        #[arg(required = true)]
        what: Vec<String>,
        #[command(flatten)]
        args: WhichArgs,
    },
    /// Switch extensions on, in `extensions.conf`
    Enable(SwitchArgs),
    /// Switch extensions off, in `extensions.conf`
    Disable(SwitchArgs),
    /// Let extensions have privileged permissions, in `permissions.properties`
    Allow(SwitchArgs),
    /// Keep extensions from being used, in `permissions.properties`
    Deny(SwitchArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say what the policy decides about extensions, and which rule decides
    ///
    /// The policy is the one that counts for a JVM of this user: `-Dbtrace.permissions` stands for `--policy`, then come
    /// ~/.btrace/permissions.properties, ~/.config/btrace/permissions.properties, and the policy that an agent jar embeds.
    Explain {
        /// Agent jars, extensions and folders of extensions; those of this computer by default
        paths: Vec<PathBuf>,
        #[command(flatten)]
        args: WhichArgs,
    },
}

/// Which extensions are meant, and what decides about them.
#[derive(Debug, Args)]
pub(crate) struct WhichArgs {
    /// The agent jar whose embedded extensions, settings and policy count
    #[arg(long, value_name = "JAR")]
    agent: Option<PathBuf>,
    /// Folder of further extensions
    #[arg(long, value_name = "FOLDER")]
    ext_path: Vec<PathBuf>,
    /// Only these are on
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    ext: Vec<String>,
    /// Leave out what comes with the agent: embedded extensions and those of `BTRACE_HOME`
    #[arg(long)]
    no_builtin_ext: bool,
    /// The `permissions.properties` that counts
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// The `extensions.conf` that counts
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Agent arguments, such as `grant=NETWORK`
    #[arg(long, value_name = "K=V,…")]
    arguments: Option<String>,
}

impl WhichArgs {
    fn options(self, paths: Vec<PathBuf>) -> Options {
        let Self { agent, ext_path, ext, no_builtin_ext, policy, config, arguments } = self;
        Options { paths, agent, ext_path, ext, no_builtin: no_builtin_ext, policy, config, arguments }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// Ids of the extensions
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The file to write; by default the one that counts, or the user's
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The agent jar with which it is used: its lists and policy are begun with
    #[arg(long, value_name = "JAR")]
    agent: Option<PathBuf>,
}

impl ExtCommand {
    /// Runs the command.
    pub(crate) fn run(self, printer: &Printer) -> anyhow::Result<()> {
        let (how, args) = match self {
            Self::List { paths, args } => {
                ext::list(&args.options(paths), printer)?;
                return Ok(());
            }
            Self::Inspect { what, args } => {
                ext::inspect(&what, &args.options(Vec::new()), printer)?;
                return Ok(());
            }
            Self::Enable(args) => (Switch::Enable, args),
            Self::Disable(args) => (Switch::Disable, args),
            Self::Allow(args) => (Switch::Allow, args),
            Self::Deny(args) => (Switch::Deny, args),
        };
        let SwitchArgs { ids, file, agent } = args;
        ext::switch(how, &ids, file.as_deref(), &Options { agent, ..Options::default() }, printer)?;
        Ok(())
    }
}

impl PolicyCommand {
    /// Runs the command.
    pub(crate) fn run(self, printer: &Printer) -> anyhow::Result<()> {
        let Self::Explain { paths, args } = self;
        ext::explain(&args.options(paths), printer)?;
        Ok(())
    }
}
