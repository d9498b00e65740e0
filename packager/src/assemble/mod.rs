//! The output jar before it exists: paths and where their bytes are, conflicts refused, then sorted and written.

mod epoch;
mod writer;

pub use epoch::EntryTime;
pub(crate) use epoch::Moment;
pub use writer::Written;
pub(crate) use writer::{set_mode, write_jar, write_zip};

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::archive::{Archive, case_clashes, check_name, refuse_file_that_is_folder};
use crate::digest::Sha256Hex;
use crate::error::{Error, Result};
use crate::merge::Relocation;
use crate::origin::Origin;

/// Where the bytes of one output file are.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// An entry of an open archive; its compressed bytes are copied as they are.
    Entry {
        /// The archive.
        archive: Arc<Archive>,
        /// The entry's index in it.
        index: usize,
    },
    /// A class of an open archive that moves to another package, or names what does.
    Moved {
        /// The archive.
        archive: Arc<Archive>,
        /// The entry's index in it.
        index: usize,
        /// How it moves.
        relocation: Arc<Relocation>,
    },
    /// A file on disk.
    File(PathBuf),
    /// Bytes made by this program.
    Bytes(Vec<u8>),
    /// None: a folder, whose path ends with `/`.
    Folder,
}

impl Content {
    /// The SHA-256 of the bytes, however many they are.
    pub(crate) fn sha256(&self) -> Result<Sha256Hex> {
        match self {
            Self::Entry { archive, index } => archive.sha256(*index),
            Self::File(path) => Sha256Hex::of_file(path),
            Self::Bytes(bytes) => Ok(Sha256Hex::of(bytes)),
            Self::Moved { .. } | Self::Folder => Ok(Sha256Hex::of(&self.read()?)),
        }
    }

    /// Writes the bytes, however many they are.
    pub(crate) fn copy_to(&self, to: &mut dyn Write) -> Result<()> {
        match self {
            Self::Entry { archive, index } => archive.stream(*index, |reader| Ok(io::copy(reader, to)?))?,
            Self::File(path) => io::copy(&mut fs_err::File::open(path)?, to)?,
            Self::Moved { .. } | Self::Bytes(_) | Self::Folder => {
                to.write_all(&self.read()?)?;
                0
            }
        };
        Ok(())
    }

    /// The bytes, read afresh.
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        match self {
            Self::Entry { archive, index } => archive.read(*index),
            Self::Moved { archive, index, relocation } => {
                let bytes = archive.read(*index)?;
                Ok(relocation.apply(&bytes, &archive.origin(*index))?.unwrap_or(bytes))
            }
            Self::File(path) => Ok(fs_err::read(path)?),
            Self::Bytes(bytes) => Ok(bytes.clone()),
            Self::Folder => Ok(Vec::new()),
        }
    }
}

/// One file of the output.
#[derive(Debug)]
pub(crate) struct Item {
    /// Where its bytes are.
    pub(crate) content: Content,
    /// Where it comes from, for messages.
    pub(crate) origin: Origin,
}

/// Two identical files that became one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collapsed {
    /// Path in the output.
    pub path: String,
    /// The origin that was kept.
    pub kept: Origin,
    /// The origin that brought nothing new.
    pub dropped: Origin,
}

/// The files of an output jar, without its manifest and its folder entries.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    items: BTreeMap<String, Item>,
    collapsed: Vec<Collapsed>,
    /// Whether the jar is an ordinary one, without the mark of a masked jar.
    plain: bool,
}

/// One file of the output with the SHA-256 of its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Hashed {
    /// Path in the output.
    pub(crate) path: String,
    /// SHA-256 of the bytes.
    pub(crate) sha256: Sha256Hex,
}

impl Layout {
    /// The layout of an ordinary jar.
    pub(crate) fn plain() -> Self {
        Self { plain: true, ..Self::default() }
    }

    /// Whether it is that of an ordinary jar.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Adds the folder at `path`, which ends with `/`.
    pub(crate) fn add_folder(&mut self, path: &str) {
        let item = || Item { content: Content::Folder, origin: Origin::Generated("as a folder".into()) };
        self.items.entry(path.to_owned()).or_insert_with(item);
    }

    /// Adds one file. An identical file at the same path collapses into the first and is recorded.
    ///
    /// # Errors
    /// Another file with different bytes is at the same path, or one of the two cannot be read.
    pub(crate) fn add(&mut self, path: impl Into<String>, content: Content, origin: Origin) -> Result<()> {
        let path = path.into();
        if let Some(first) = self.items.get(&path) {
            if first.content.sha256()? != content.sha256()? {
                return Err(Error::Conflict { path, first: Box::new(first.origin.clone()), second: Box::new(origin) });
            }
            self.collapsed.push(Collapsed { path, kept: first.origin.clone(), dropped: origin });
            return Ok(());
        }
        self.items.insert(path, Item { content, origin });
        Ok(())
    }

    /// Adds the entry at `index` of `archive` under `path`.
    ///
    /// # Errors
    /// As [`Layout::add`].
    pub(crate) fn add_entry(&mut self, path: impl Into<String>, archive: &Arc<Archive>, index: usize) -> Result<()> {
        let content = Content::Entry { archive: Arc::clone(archive), index };
        self.add(path, content, archive.origin(index))
    }

    /// Puts a file where another one may be already.
    pub(crate) fn replace(&mut self, path: &str, content: Content, origin: Origin) {
        self.items.insert(path.to_owned(), Item { content, origin });
    }

    /// Takes the file at `path` out.
    pub(crate) fn remove(&mut self, path: &str) {
        self.items.remove(path);
    }

    /// The file at `path`.
    pub(crate) fn get(&self, path: &str) -> Option<&Item> {
        self.items.get(path)
    }

    /// All files in the order of their paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Item)> {
        self.items.iter().map(|(path, item)| (path.as_str(), item))
    }

    /// The identical files that became one.
    pub(crate) fn collapsed(&self) -> &[Collapsed] {
        &self.collapsed
    }

    /// Checks the paths as those of a jar that is read: what is written for `jar` must pass there too.
    ///
    /// # Errors
    /// A path could be written outside a folder, as the name inside a class file may make it, or two paths clash.
    pub(crate) fn check_paths(&self, jar: &Path) -> Result<()> {
        for path in self.items.keys() {
            check_name(path.as_bytes()).map_err(|problem| Error::BadEntryName {
                jar: jar.to_owned(),
                entry: path.escape_default().to_string(),
                problem,
            })?;
        }
        refuse_file_that_is_folder(jar, self.items.keys().map(String::as_str))
    }

    /// Pairs of paths that a file system which ignores case cannot hold both.
    pub(crate) fn case_clashes(&self) -> Vec<(&str, &str)> {
        case_clashes(self.items.keys().map(String::as_str))
    }

    /// Hashes all files side by side; the result is in the order of the paths.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn hash(&self) -> Result<Vec<Hashed>> {
        let items: Vec<_> = self.items.iter().collect();
        items
            .into_par_iter()
            .map(|(path, item)| Ok(Hashed { path: path.clone(), sha256: item.content.sha256()? }))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> (Content, Origin) {
        (Content::Bytes(text.as_bytes().to_vec()), Origin::Generated(format!("as {text}")))
    }

    #[test]
    fn different_files_on_one_path_name_both_origins() {
        let mut layout = Layout::default();
        let (content, origin) = made("one");
        layout.add("a/B.class", content, origin).unwrap();
        let (content, origin) = made("two");
        let message = layout.add("a/B.class", content, origin).unwrap_err().to_string();
        assert_eq!(message, "two different files claim `a/B.class`: generated as one, and generated as two");
    }

    #[test]
    fn identical_files_collapse_with_a_record() {
        let mut layout = Layout::default();
        for name in ["x", "y"] {
            layout.add("a", Content::Bytes(b"same".to_vec()), Origin::Generated(name.into())).unwrap();
        }
        assert_eq!(layout.iter().count(), 1);
        let [only] = layout.collapsed() else { panic!("one record expected") };
        assert_eq!((only.path.as_str(), &only.dropped), ("a", &Origin::Generated("y".into())));
    }

    #[test]
    fn paths_that_no_jar_may_have_are_refused() {
        for (paths, message) in [
            (
                &["a/../b"][..],
                "`x.jar` has an entry whose name is refused because it holds a `.` or `..` part: `a/../b`",
            ),
            (&["a", "a/b"], "`x.jar` has a file that is also a folder: `a`, because of `a/b`"),
        ] {
            let mut layout = Layout::default();
            for path in paths {
                let (content, origin) = made(path);
                layout.add(*path, content, origin).unwrap();
            }
            assert_eq!(layout.check_paths(Path::new("x.jar")).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn hashes_come_in_path_order_whatever_the_insertion_order() {
        let mut layout = Layout::default();
        for name in ["c", "a", "b"] {
            let (content, origin) = made(name);
            layout.add(name, content, origin).unwrap();
        }
        let hashed = layout.hash().unwrap();
        let paths: Vec<&str> = hashed.iter().map(|h| h.path.as_str()).collect();
        assert_eq!(paths, ["a", "b", "c"]);
        assert_eq!(hashed[0].sha256.to_string(), "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    }
}
