//! `fatagent extension …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use packager::archive::Limits;
use packager::ops::extension::{build, check, lint};
use packager::ops::publish;
use packager::printer::Printer;

use super::publish::PublishArgs;

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
    /// Check that a provided-style extension fits releases of the application's library
    ///
    /// Every class and member that its code names, looks up by a constant name, or weaves a probe into must be there, in each
    /// release. What it looks up with `tryLoad` may be missing.
    Check(CheckArgs),
    /// Say what is wrong with an extension
    ///
    /// Claims of versions that its classes do not keep, providers that cannot be made or do not implement their service, packages
    /// that were not really moved, JDK modules that it cannot see, a missing licence or readme.
    Lint {
        /// The extension's zip, folder or `extension.toml`; the current folder by default
        extension: Option<PathBuf>,
        /// Let warnings count as errors
        #[arg(long)]
        strict: bool,
    },
    /// Put an extension where Maven finds it
    ///
    /// Writes `GROUP:ID:VERSION` with the type `zip` and the classifier `extension`, and `GROUP:ID-api:VERSION` for those who
    /// write probes. A release is never overwritten: the same bytes are left alone, others are an error. A version that ends
    /// with `-SNAPSHOT` may be published again and again.
    Publish {
        /// The zip, or the project that it was built from; that in the current folder by default
        zip: Option<PathBuf>,
        #[command(flatten)]
        args: Box<PublishArgs>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The extension's zip, folder or `extension.toml`; the current folder by default
    extension: Option<PathBuf>,
    /// Releases: `group:artifact:version` of the local Maven repository, or jars
    #[arg(long, value_name = "RELEASE,…", value_delimiter = ',', required = true)]
    against: Vec<String>,
    /// Jar that every release stands on
    #[arg(long, value_name = "JAR")]
    class_path: Vec<PathBuf>,
    /// Package, class or beginning of a probe's pattern (`/org\.acme`, `@`, `+`) that no release needs to have
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,
}

impl ExtensionCommand {
    /// Runs the command.
    pub(crate) fn run(self, limits: Limits, printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Build { file, output, compile } => {
                build::build(&build::Options { file, output, compile, limits }, printer)?;
            }
            Self::Check(CheckArgs { extension, against, class_path, ignore: ignored }) => {
                let extension = extension.unwrap_or_default();
                check::check(&check::Options { extension, against, class_path, ignored, limits }, printer)?;
            }
            Self::Lint { extension, strict } => {
                let extension = extension.unwrap_or_default();
                lint::lint(&lint::Options { extension, strict, limits }, printer)?;
            }
            Self::Publish { zip, args } => {
                publish::extension(&args.options(zip, None, limits), printer)?;
            }
        }
        Ok(())
    }
}
