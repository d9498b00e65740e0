//! What shells and `man` know of the command line.

use std::io;
use std::path::PathBuf;

use clap::{CommandFactory, Subcommand};
use clap_complete::Shell;
use packager::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum PagesCommand {
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write manual pages, one for each command
    Man {
        /// Folder for the pages, which is made when it is missing
        folder: PathBuf,
    },
}

impl PagesCommand {
    /// Runs the command for the command line of `C`.
    pub(crate) fn run<C: CommandFactory>(self, printer: &Printer) -> anyhow::Result<()> {
        let mut command = C::command();
        match self {
            Self::Completions { shell } => {
                let name = command.get_name().to_owned();
                let mut text = Vec::new();
                clap_complete::generate(shell, &mut command, name, &mut text);
                io::Write::write_all(&mut anstream::stdout().lock(), &text)?;
            }
            Self::Man { folder } => {
                fs_err::create_dir_all(&folder)?;
                clap_mangen::generate_to(command, &folder)?;
                printer.status("Wrote", &format!("manual pages to {}", folder.display()));
            }
        }
        Ok(())
    }
}
