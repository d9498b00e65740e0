//! Commands for authors of extensions.

use std::path::PathBuf;

use clap::Subcommand;
use packager::archive::Limits;
use packager::ops::publish;
use packager::printer::Printer;

use super::publish::PublishArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ExtensionCommand {
    /// Put an extension where Maven finds it
    ///
    /// Writes `GROUP:ID:VERSION` with the type `zip` and the classifier `extension`, and `GROUP:ID-api:VERSION` for those who
    /// write probes. A release is never overwritten: the same bytes are left alone, others are an error. A version that ends
    /// with `-SNAPSHOT` may be published again and again.
    Publish {
        /// The zip; that of the project in the current folder by default
        zip: Option<PathBuf>,
        #[command(flatten)]
        args: PublishArgs,
    },
}

impl ExtensionCommand {
    pub(crate) fn run(self, limits: Limits, printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Publish { zip, args } => {
                publish::extension(&args.options(zip, None, limits), printer)?;
            }
        }
        Ok(())
    }
}
