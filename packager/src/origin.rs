//! Where a file of the output comes from, so that every message can say it.

use std::fmt;
use std::path::PathBuf;

/// The origin of one file of the output.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// An entry of a jar or zip.
    Entry {
        /// Path of the archive.
        archive: PathBuf,
        /// Name of the entry.
        name: String,
    },
    /// A file on disk.
    File(PathBuf),
    /// Made by this program; the text says for what.
    Generated(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry { archive, name } => write!(f, "`{name}` of `{}`", archive.display()),
            Self::File(path) => write!(f, "`{}`", path.display()),
            Self::Generated(what) => write!(f, "generated {what}"),
        }
    }
}

/// Where a class would be, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What the place is, such as `a bootstrap class`.
    pub what: String,
    /// Where the class comes from.
    pub origin: Origin,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.what, self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_origin_reads_well() {
        let entry = Origin::Entry { archive: "x/a.jar".into(), name: "a/B.class".into() };
        assert_eq!(entry.to_string(), "`a/B.class` of `x/a.jar`");
        assert_eq!(Origin::File("x/B.class".into()).to_string(), "`x/B.class`");
        assert_eq!(Origin::Generated("from `[args]`".into()).to_string(), "generated from `[args]`");
    }
}
