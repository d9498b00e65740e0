//! Reads the agent jar.

use manifests::library::LibraryAttributes;
use manifests::manifest::{Attributes, Manifest};
use manifests::properties::Properties;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use zip::ZipArchive;

/// Larger entries are no probe, index or settings of ours.
const LIMIT: u64 = 64 << 20;

/// The system that this core is for, as jars name it.
pub(crate) fn target() -> String {
    let libc = if cfg!(target_env = "musl") { "musl" } else { "gnu" };
    format!("linux-{}-{libc}", std::env::consts::ARCH)
}

/// The open agent jar.
pub(crate) struct Jar {
    path: PathBuf,
    file: File,
    archive: Mutex<ZipArchive<BufReader<File>>>,
    attributes: Attributes,
}

impl Jar {
    /// Opens a jar and reads its manifest.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let archive = Mutex::new(ZipArchive::new(BufReader::new(file.try_clone()?))?);
        let mut jar = Self { path: path.to_owned(), file, archive, attributes: Attributes::default() };
        let manifest = jar
            .entry("META-INF/MANIFEST.MF")?
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the jar has no manifest"))?;
        jar.attributes = Manifest::parse(&manifest).map_err(io::Error::other)?.main;
        Ok(jar)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads bytes of the file itself; fewer than fit, or none, at its end.
    pub(crate) fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        self.file.read_at(buffer, at)
    }

    /// A main attribute of the manifest.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name)
    }

    /// What the manifest says of jars outside this one.
    pub(crate) fn libraries(&self) -> LibraryAttributes {
        LibraryAttributes::from_attributes(&self.attributes)
    }

    /// An entry's bytes, or `None` if there is no such entry.
    pub(crate) fn entry(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        read(&mut self.archive.lock().unwrap_or_else(PoisonError::into_inner), name, LIMIT)
    }

    /// The class file of what woven code names.
    pub(crate) fn linker(&self) -> io::Result<Vec<u8>> {
        let name = "META-INF/btrace/agent/java/lang/FatAgentLinker.classdata";
        self.entry(name)?.ok_or_else(|| {
            let text = format!("{} lacks {name}; hint: build it again", self.path.display());
            io::Error::new(io::ErrorKind::NotFound, text)
        })
    }

    /// The SHA-256 of the core for this system as the manifest gives it, or `-`.
    pub(crate) fn core_digest(&self) -> &str {
        let (hashes, target) = (self.attribute("BTrace-Native-SHA256").unwrap_or_default(), target());
        hashes.split(',').find_map(|pair| pair.strip_prefix(&target)?.strip_prefix('=')).unwrap_or("-")
    }

    /// Names of the embedded probe classes, dotted.
    pub(crate) fn probes(&self) -> Vec<String> {
        let archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<String> = archive
            .file_names()
            .filter_map(|n| Some(n.ok()?.strip_prefix("META-INF/btrace-probes/")?.strip_suffix(".class")?.to_owned()))
            .map(|n| n.replace('/', "."))
            .collect();
        names.sort();
        names
    }

    /// Whether there is an entry of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.archive.lock().unwrap_or_else(PoisonError::into_inner).index_for_name(name).is_some()
    }

    /// Looks at the names of all entries.
    pub(crate) fn with_names<T>(&self, look: impl FnOnce(&mut dyn Iterator<Item = &str>) -> T) -> T {
        let archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<_> = archive.file_names().filter_map(Result::ok).collect();
        look(&mut names.iter().map(AsRef::as_ref))
    }

    /// Whether an embedded extension has a class that chooses probes. One that cannot be read is left to whoever uses it.
    pub(crate) fn has_configurator(&self) -> bool {
        let ids = self.attribute("BTrace-Embedded-Extensions").unwrap_or_default();
        ids.split(',').map(str::trim).filter(|id| !id.is_empty()).any(|id| {
            let bytes = self.entry(&format!("META-INF/btrace-extensions/{id}/extension.properties"));
            let properties = bytes.ok().flatten().and_then(|bytes| Properties::parse(&bytes).ok());
            properties.is_some_and(|p| p.get("configurator").is_some_and(|class| !class.trim().is_empty()))
        })
    }

    /// CRC-32 and size of an entry.
    pub(crate) fn fingerprint(&self, name: &str) -> Option<(u32, u64)> {
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        archive.by_name(name).ok().map(|entry| (entry.crc32(), entry.size()))
    }
}

/// The content of an entry of at most `limit` bytes, or nothing where there is no such entry.
pub(crate) fn read<S: Read + Seek>(archive: &mut ZipArchive<S>, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let entry = match archive.by_name(name) {
        Ok(entry) => entry,
        Err(zip::result::ZipError::FileNotFound) => return Ok(None),
        Err(e) => return Err(e.into()),
    };
    let size = entry.size();
    let too_large =
        |size: u64| io::Error::new(io::ErrorKind::InvalidData, format!("{name} is too large: {size} bytes"));
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // A header may say less than there is.
    entry.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit + 1)) } else { Ok(Some(bytes)) }
}
