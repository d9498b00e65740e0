//! What can be wrong with an extension's files.

use std::io;
use std::path::PathBuf;

use zip::result::ZipError;

/// What can be wrong with an extension's files. [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read; the message of the cause names it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file is no zip, or a damaged one.
    #[error("`{origin}` cannot be read as a zip")]
    Zip {
        /// The file, or the entry of a zip.
        origin: String,
        /// What the reader says.
        source: ZipError,
    },
    /// A text in it is malformed.
    #[error("`{origin}` is malformed")]
    Format {
        /// The entry and the file that it is in.
        origin: String,
        /// What is wrong with it.
        source: Box<manifests::Error>,
    },
    /// It lacks what makes an extension.
    #[error("`{origin}` is no extension: {reason}")]
    NotAnExtension {
        /// The file or folder.
        origin: String,
        /// What it lacks.
        reason: String,
    },
    /// An entry is larger than anything of its kind.
    #[error("`{origin}` is too large: {size} bytes")]
    TooLarge {
        /// The entry and the file that it is in.
        origin: String,
        /// Bytes once inflated, as declared.
        size: u64,
    },
    /// An entry has a name that two readers could take for two things.
    #[error("`{}` has an entry whose name is refused: `{name}`", path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Io(_) => "look at its permissions".to_owned(),
            Self::Zip { .. } | Self::TooLarge { .. } | Self::Name { .. } => "install the extension again".to_owned(),
            Self::Format { source, .. } => source.hint().unwrap_or_else(|| "build the extension again".to_owned()),
            Self::NotAnExtension { .. } => {
                "install an API jar with its implementation jar in a folder, the zip with both, or remove it".to_owned()
            }
        }
    }

    /// The error and what to do, in one line.
    pub fn line(&self) -> String {
        let cause = std::error::Error::source(self).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{self}{cause}; hint: {}", self.hint())
    }
}
