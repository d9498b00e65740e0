//! `fatagent extension …`.

use std::path::PathBuf;

use clap::Subcommand;
use packager::archive::Limits;
use packager::ops::extension::build;
use packager::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum ExtensionCommand {
    /// Build the extension that `extension.toml` describes
    ///
    /// Its compiled classes are told apart into API and implementation; dependencies are packed into the implementation. Two
    /// jars and a zip with both are written: `<id>-<version>-api.jar`, `-impl.jar` and `-extension.zip`. What the code needs
    /// is found by scanning it and declared in the manifest.
    Build {
        /// `extension.toml`, a `Cargo.toml`, or a folder with one of them; the current folder by default
        file: Option<PathBuf>,
        /// Folder for the files; `target/extension` beside the description by default
        #[arg(short, long, value_name = "FOLDER")]
        output: Option<PathBuf>,
        /// Compile the sources with javac first
        #[arg(long)]
        compile: bool,
    },
}

impl ExtensionCommand {
    /// Runs the command.
    pub(crate) fn run(self, limits: Limits, printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Build { file, output, compile } => {
                build::build(&build::Options { file, output, compile, limits }, printer)?;
            }
        }
        Ok(())
    }
}
