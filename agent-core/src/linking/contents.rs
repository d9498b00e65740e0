//! Where the bytes of an extension are: a folder of the agent jar, or jars of its own. Loaders ask here and nowhere else.

use crate::jar::{self, Jar};
use extensions::{Extension, Files};
use manifests::index::ClassIndex;
use manifests::manifest::{Manifest, attribute};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use zip::ZipArchive;

const MANIFEST: &str = "META-INF/MANIFEST.MF";
const INDEX: &str = "classes.index";
const VERSIONS: &str = "META-INF/versions/";
/// Larger files are no part of an extension.
const LIMIT: u64 = 256 << 20;

pub(super) trait Source: Read + Seek + Send {}
impl<T: Read + Seek + Send> Source for T {}

/// The files of one extension.
pub(crate) struct Contents {
    place: Place,
    /// The file that all of it lies in.
    location: PathBuf,
    /// Which classes there are and what they hash to; where there is none, each class of the jar counts.
    index: Option<ClassIndex>,
    /// Releases with copies of their own, up to the running one, the newest first.
    versions: Vec<u32>,
}

/// A jar, wherever its bytes are.
pub(super) type OpenJar = ZipArchive<Box<dyn Source>>;

enum Place {
    /// Below a folder of an agent jar: this one's, where no other is named.
    Embedded { folder: String, other: Option<Jar> },
    /// A jar, or one within a zip, whose entry is named before `!/`.
    Jar { archive: Mutex<OpenJar>, within: String },
}

/// Why a file cannot be handed out.
#[derive(Debug)]
pub(crate) enum Problem {
    /// Its bytes are not those that were built.
    Damaged(String),
    /// It cannot be read.
    Unreadable(String),
}

impl Contents {
    /// Opens the implementation of an extension; `release` is the running Java.
    pub(crate) fn open(agent: &Jar, extension: &Extension, release: u32) -> io::Result<Self> {
        match &extension.files {
            Files::Embedded { jar } => {
                let other = if jar == agent.path() { None } else { Some(Jar::open(jar)?) };
                Self::embedded(agent, other, &extension.metadata.id, release)
            }
            Files::Pair { implementation, .. } => Self::of_jar(implementation, None, release),
            Files::Flat { jar } => Self::of_jar(jar, None, release),
            Files::Zip { zip, implementation, .. } => Self::of_jar(zip, Some(implementation), release),
        }
    }

    fn embedded(agent: &Jar, other: Option<Jar>, id: &str, release: u32) -> io::Result<Self> {
        let jar = other.as_ref().unwrap_or(agent);
        let folder = format!("META-INF/btrace-extensions/{id}/");
        let name = format!("{folder}{INDEX}");
        let bytes = jar.entry(&name)?.ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("{name} is missing in {}", jar.path().display()))
        })?;
        let index = ClassIndex::parse(&bytes).map_err(|e| io::Error::other(format!("{name}: {e}")))?;
        let manifest = jar.entry(&format!("{folder}resources/{MANIFEST}"))?;
        let mut found = Vec::new();
        if multi_release(manifest.as_deref()) {
            let below = |name: &'_ str| -> Option<String> {
                let rest = name.strip_prefix(&folder)?;
                Some(rest.strip_prefix("classes/").or_else(|| rest.strip_prefix("resources/"))?.to_owned())
            };
            let names: Vec<String> = jar.with_names(|names| names.filter_map(below).collect());
            found = versions(names.iter().map(String::as_str), release);
        }
        let location = jar.path().to_owned();
        Ok(Self { place: Place::Embedded { folder, other }, location, index: Some(index), versions: found })
    }

    /// A jar with an implementation: a file, or the entry `within` a zip, whose index then counts.
    fn of_jar(path: &Path, within: Option<&str>, release: u32) -> io::Result<Self> {
        let (mut archive, listed) = open_jar(path, within)?;
        let index = listed.map(|bytes| ClassIndex::parse(&bytes)).transpose();
        let index = index.map_err(|e| io::Error::other(format!("{INDEX} in {}: {e}", path.display())))?;
        let manifest = read(&mut archive, MANIFEST)?;
        let mut found = Vec::new();
        if multi_release(manifest.as_deref()) {
            let names: Vec<_> = archive.file_names().filter_map(Result::ok).collect();
            found = versions(names.iter().map(AsRef::as_ref), release);
        }
        let within = within.map(|entry| format!("{entry}!/")).unwrap_or_default();
        let place = Place::Jar { archive: Mutex::new(archive), within };
        Ok(Self { place, location: path.to_owned(), index, versions: found })
    }

    /// The file that all of it lies in.
    pub(crate) fn location(&self) -> &Path {
        &self.location
    }

    /// The class file of a class by its dotted name, from the copy for the newest release that the running Java takes.
    pub(crate) fn class(&self, jar: &Jar, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        if name.contains('/') {
            return Ok(None);
        }
        let Some((name, entry)) = self.class_entry(name) else { return Ok(None) };
        let unreadable = |e: io::Error| Problem::Unreadable(format!("{entry} in {}: {e}", self.location.display()));
        let bytes = self.entry(jar, &entry).map_err(unreadable)?;
        let Some(index) = &self.index else { return Ok(bytes) };
        let expected = index.get(&name).map(|indexed| indexed.sha256);
        match bytes {
            Some(bytes) if expected.is_some_and(|hash| Sha256::digest(&bytes)[..] == hash) => Ok(Some(bytes)),
            found => {
                let what = if found.is_some() { "is damaged" } else { "is missing" };
                Err(Problem::Damaged(format!(
                    "{entry} in {} {what}; hint: run `fatagent verify` on the file",
                    self.location.display()
                )))
            }
        }
    }

    /// Whether there is a class of that dotted name.
    pub(crate) fn has_class(&self, name: &str) -> bool {
        self.class_entry(name).is_some()
    }

    /// The name in the index and the entry of a class.
    fn class_entry(&self, name: &str) -> Option<(String, String)> {
        let names = self.versions.iter().map(|version| format!("{VERSIONS}{version}/{name}"));
        names.chain([name.to_owned()]).find_map(|name| {
            let entry = self.entry_of_class(&name)?;
            Some((name, entry))
        })
    }

    fn entry_of_class(&self, name: &str) -> Option<String> {
        match &self.place {
            Place::Embedded { .. } => Some(self.index.as_ref()?.get(name)?.path.clone()),
            Place::Jar { .. } => {
                let listed = self.index.as_ref().is_none_or(|index| index.get(name).is_some());
                let entry = format!("{}.class", name.replace('.', "/"));
                (listed && self.holds(&entry)).then_some(entry)
            }
        }
    }

    fn holds(&self, entry: &str) -> bool {
        match &self.place {
            Place::Embedded { .. } => false,
            Place::Jar { archive, .. } => {
                archive.lock().unwrap_or_else(PoisonError::into_inner).index_for_name(entry).is_some()
            }
        }
    }

    /// A file by the path that the extension knows it under; of classes too, with the bytes that they are defined from.
    pub(crate) fn resource(&self, jar: &Jar, path: &str) -> io::Result<Option<Vec<u8>>> {
        match self.place_of(jar, path) {
            Some(entry) => self.entry(jar, &entry),
            None => Ok(None),
        }
    }

    /// Where a file is within [`Self::location`].
    pub(crate) fn address(&self, jar: &Jar, path: &str) -> Option<String> {
        let entry = self.place_of(jar, path)?;
        Some(match &self.place {
            Place::Embedded { .. } => entry,
            Place::Jar { within, .. } => format!("{within}{entry}"),
        })
    }

    fn place_of(&self, jar: &Jar, path: &str) -> Option<String> {
        if path.is_empty() || path.ends_with('/') {
            return None;
        }
        if let Some(class) = path.strip_suffix(".class").filter(|class| !class.contains('.')) {
            return self.class_entry(&class.replace('/', ".")).map(|(_, entry)| entry);
        }
        let names = self.versions.iter().map(|version| format!("{VERSIONS}{version}/{path}"));
        // What lies in META-INF has no versions.
        names.filter(|_| !path.starts_with("META-INF/")).chain([path.to_owned()]).find_map(|name| match &self.place {
            Place::Embedded { folder, other } => {
                let entry = format!("{folder}resources/{name}");
                other.as_ref().unwrap_or(jar).has(&entry).then_some(entry)
            }
            Place::Jar { .. } => self.holds(&name).then_some(name),
        })
    }

    fn entry(&self, jar: &Jar, entry: &str) -> io::Result<Option<Vec<u8>>> {
        match &self.place {
            Place::Embedded { other, .. } => other.as_ref().unwrap_or(jar).entry(entry),
            Place::Jar { archive, .. } => read(&mut archive.lock().unwrap_or_else(PoisonError::into_inner), entry),
        }
    }
}

/// Opens a jar: a file, or the entry `within` a zip, with the index beside it if there is one.
pub(super) fn open_jar(path: &Path, within: Option<&str>) -> io::Result<(OpenJar, Option<Vec<u8>>)> {
    let file = BufReader::new(File::open(path)?);
    let Some(entry) = within else {
        let source: Box<dyn Source> = Box::new(file);
        return Ok((ZipArchive::new(source)?, None));
    };
    let mut zip = ZipArchive::new(file)?;
    let bytes = read(&mut zip, entry)?
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("{entry} is missing in {}", path.display())))?;
    let index = read(&mut zip, INDEX)?;
    let source: Box<dyn Source> = Box::new(Cursor::new(bytes));
    Ok((ZipArchive::new(source)?, index))
}

/// The content of an entry, or nothing where there is no such entry.
pub(super) fn read<S: Read + Seek>(archive: &mut ZipArchive<S>, name: &str) -> io::Result<Option<Vec<u8>>> {
    jar::read(archive, name, LIMIT)
}

fn multi_release(manifest: Option<&[u8]>) -> bool {
    let parsed = manifest.and_then(|bytes| Manifest::parse(bytes).ok());
    parsed.is_some_and(|m| m.main.get(attribute::MULTI_RELEASE).is_some_and(|value| value.eq_ignore_ascii_case("true")))
}

/// The releases that names begin with, from the running one down to 9.
fn versions<'a>(names: impl Iterator<Item = &'a str>, release: u32) -> Vec<u32> {
    let mut found: Vec<u32> = names
        .filter_map(|name| name.strip_prefix(VERSIONS)?.split_once('/')?.0.parse().ok())
        .filter(|version| (9..=release).contains(version))
        .collect();
    found.sort_unstable_by(|one, other| other.cmp(one));
    found.dedup();
    found
}
