//! `fatagent sdk …`.

use std::path::PathBuf;

use clap::Subcommand;
use packager::ops::sdk::{install, jar};
use packager::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum SdkCommand {
    /// Write the SDK and the Gradle plugins into a Maven repository
    ///
    /// Extensions and probes are compiled against `io.btrace:fatagent-sdk`. The Gradle plugins `io.btrace.fat-agent` and
    /// `io.btrace.extension` come with it, and this program as `io.btrace:fatagent`, with a classifier for its platform. All of
    /// them have the version of this program. Files of another build of the same version are replaced, with a warning.
    Install {
        /// Folder of the repository; the local one that Maven uses by default, `~/.m2/repository`
        folder: Option<PathBuf>,
    },
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
            Self::Install { folder } => drop(install::write(folder.as_deref(), printer)?),
            Self::Jar { output } => drop(jar::write(&output, printer)?),
        }
        Ok(())
    }
}
