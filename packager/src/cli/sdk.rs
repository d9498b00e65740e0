//! `fatagent sdk …`.

use std::path::PathBuf;

use clap::Subcommand;
use packager::ops::sdk::jar;
use packager::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum SdkCommand {
    /// Write the jar that extensions and probes are compiled against
    Jar {
        /// The jar to write
        #[arg(short, long, value_name = "OUT")]
        output: PathBuf,
    },
}

impl SdkCommand {
    /// Runs the command.
    pub(crate) fn run(self, printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Jar { output } => jar::write(&output, printer)?,
        };
        Ok(())
    }
}
