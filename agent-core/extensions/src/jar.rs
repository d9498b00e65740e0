//! Jars as far as descriptions of extensions need them.

use std::borrow::Cow;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use manifests::manifest::Manifest;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::Error;

/// A description is not larger, nor is a manifest of thousands of signed classes.
const MAX_TEXT: u64 = 16 << 20;
/// A jar inside a zip is not larger.
const MAX_JAR: u64 = 256 << 20;
/// Name of the manifest.
const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// A jar that holds embedded extensions, open already.
pub trait Container {
    /// The jar.
    fn path(&self) -> &Path;
    /// A main attribute of its manifest.
    fn attribute(&self, name: &str) -> Option<String>;
    /// The bytes of an entry; nothing where there is none.
    ///
    /// # Errors
    /// It is unreadable.
    fn entry(&self, name: &str) -> io::Result<Option<Vec<u8>>>;
    /// CRC-32 and size of an entry; nothing where there is none.
    fn fingerprint(&self, name: &str) -> Option<(u32, u64)>;
}

/// An open jar.
pub(crate) struct Jar<R> {
    zip: ZipArchive<R>,
    /// What it is called in messages.
    pub(crate) origin: String,
}

/// The bytes of a jar.
pub(crate) enum Source {
    /// All of a small one: an API is read in one call of the system instead of a dozen.
    Memory(Cursor<Vec<u8>>),
    /// A larger one. Descriptions are few and short: small reads around them cost less than large ones.
    File(BufReader<std::fs::File>),
}

/// Up to this size a jar is read whole.
const SMALL: u64 = 64 << 10;

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Memory(bytes) => bytes.read(buffer),
            Self::File(file) => file.read(buffer),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Memory(bytes) => bytes.seek(to),
            Self::File(file) => file.seek(to),
        }
    }
}

/// Opens a jar by its path.
pub(crate) fn open(path: &Path) -> Result<Jar<Source>, Error> {
    let mut file = fs_err::File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(Error::NotAnExtension { origin: path.display().to_string(), reason: "it is a folder".to_owned() });
    }
    let source = if metadata.len() <= SMALL {
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
        file.read_to_end(&mut bytes)?;
        Source::Memory(Cursor::new(bytes))
    } else {
        Source::File(BufReader::with_capacity(4096, file.into_file()))
    };
    Jar::new(source, path.display().to_string())
}

impl<R: Read + Seek> Jar<R> {
    pub(crate) fn new(reader: R, origin: String) -> Result<Self, Error> {
        let zip = match ZipArchive::new(reader) {
            Ok(zip) => zip,
            Err(source) => return Err(Error::Zip { origin, source }),
        };
        let jar = Self { zip, origin };
        if jar.zip.has_duplicate_names() {
            return Err(Error::Name { path: jar.origin.into(), name: "one that is there twice".to_owned() });
        }
        let refused = jar.names().find(|name| !is_plain(name)).map(|name| name.escape_default().to_string());
        if let Some(name) = refused {
            return Err(Error::Name { path: jar.origin.into(), name });
        }
        Ok(jar)
    }

    /// Names of all entries; one that is no text is not plain either.
    pub(crate) fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.zip.file_names().map(|name| name.unwrap_or(Cow::Borrowed("\\")))
    }

    /// The bytes of a text.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        self.read(name, MAX_TEXT)
    }

    /// The bytes of any entry.
    pub(crate) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        self.read(name, MAX_JAR)
    }

    /// A jar inside.
    pub(crate) fn nested(&mut self, name: &str) -> Result<Option<Jar<Cursor<Vec<u8>>>>, Error> {
        let origin = format!("{}!/{name}", self.origin);
        self.read(name, MAX_JAR)?.map(|bytes| Jar::new(Cursor::new(bytes), origin)).transpose()
    }

    /// The manifest; an empty one where there is none.
    pub(crate) fn manifest(&mut self) -> Result<Manifest, Error> {
        let bytes = self.text(MANIFEST)?.unwrap_or_default();
        Manifest::parse(&bytes).map_err(|source| self.malformed(MANIFEST, source))
    }

    /// CRC-32 and size of an entry.
    pub(crate) fn fingerprint(&mut self, name: &str) -> Option<(u32, u64)> {
        self.zip.by_name(name).ok().map(|entry| (entry.crc32(), entry.size()))
    }

    /// The error that a malformed text is.
    pub(crate) fn malformed(&self, name: &str, source: manifests::Error) -> Error {
        Error::Format { origin: format!("{}!/{name}", self.origin), source: Box::new(source) }
    }

    fn read(&mut self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        let origin = || format!("{}!/{name}", self.origin);
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(source) => return Err(Error::Zip { origin: origin(), source }),
        };
        let size = entry.size();
        if size > limit {
            return Err(Error::TooLarge { origin: origin(), size });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).min(1 << 20));
        // A header may say less than there is.
        let read = entry.take(limit + 1).read_to_end(&mut bytes);
        match read {
            Ok(_) if bytes.len() as u64 > limit => Err(Error::TooLarge { origin: origin(), size: limit + 1 }),
            Ok(_) => Ok(Some(bytes)),
            Err(e) => Err(Error::Zip { origin: origin(), source: e.into() }),
        }
    }
}

/// Whether a name means one place below a folder, for every reader.
fn is_plain(name: &str) -> bool {
    let inside = name.strip_suffix('/').unwrap_or(name);
    !name.contains(['\\', '\0'])
        && !name.contains(':')
        && inside.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// A jar as a container of embedded extensions.
pub struct ContainerFile {
    path: std::path::PathBuf,
    jar: std::sync::Mutex<Jar<Source>>,
    manifest: Manifest,
}

impl ContainerFile {
    /// Opens a jar that may hold embedded extensions.
    ///
    /// # Errors
    /// It is unreadable, or its manifest is malformed.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mut jar = open(path)?;
        let manifest = jar.manifest()?;
        Ok(Self { path: path.to_owned(), jar: std::sync::Mutex::new(jar), manifest })
    }

    fn jar(&self) -> std::sync::MutexGuard<'_, Jar<Source>> {
        self.jar.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Container for ContainerFile {
    fn path(&self) -> &Path {
        &self.path
    }

    fn attribute(&self, name: &str) -> Option<String> {
        self.manifest.main.get(name).map(str::to_owned)
    }

    fn entry(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.jar().bytes(name).map_err(io::Error::other)
    }

    fn fingerprint(&self, name: &str) -> Option<(u32, u64)> {
        self.jar().fingerprint(name)
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn names_that_climb_or_mean_two_things_are_refused() {
        for name in ["a/b.class", "a..b/x.txt", "META-INF/", "é.txt"] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["../a", "/a", "a/../b", "a//b", "a\\b", "C:/a", "./a", "..", ""] {
            assert!(!is_plain(name), "{name}");
        }
    }
}
