//! The jars that are masked, as they are read.

use std::path::Path;
use std::sync::Arc;

use manifests::manifest::{Manifest, attribute};

use super::Error as MaskError;
use crate::archive::{Archive, Limits};
use crate::error::Result;
use crate::foreign::sections::Sections;
use crate::manifest_file;
use crate::merge::Part;
use crate::paths;

/// Where a jar keeps the copies of its files for newer Java releases.
pub(super) const VERSIONS: &str = "META-INF/versions/";

/// One jar.
#[derive(Debug)]
pub(super) struct Input {
    /// The jar.
    pub(super) archive: Arc<Archive>,
    /// Its manifest; empty when it has none.
    pub(super) manifest: Manifest,
    /// Whether the JVM would look at its versioned copies.
    multi_release: bool,
}

/// What an entry is for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A class, whose name without suffix is the path without suffix.
    Class,
    /// Any other file that follows its section.
    Resource,
    /// What does not hold for another jar, or what no class loader would find: dropped.
    Dropped(Dropped),
}

/// Why an entry is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dropped {
    /// The manifest, which becomes that of the section.
    Manifest,
    /// A signature.
    Signature,
    /// A list of packages and jars.
    Index,
    /// A module descriptor.
    Module,
    /// A versioned copy in a jar that is not multi-release, so that the JVM ignores it.
    Unversioned,
}

impl Dropped {
    /// The reason for a message; none for what needs no message.
    pub(super) fn reason(self) -> Option<&'static str> {
        match self {
            Self::Manifest => None,
            Self::Signature => Some("a signature does not hold for another jar"),
            Self::Index => Some("an index does not hold for another jar"),
            Self::Module => Some("a masked class belongs to no named module"),
            Self::Unversioned => Some("the jar is not `Multi-Release: true`, so the JVM ignores its versioned copies"),
        }
    }
}

/// One entry of an input.
#[derive(Debug, Clone)]
pub(super) struct File<'a> {
    /// The jar.
    pub(super) input: &'a Input,
    /// Index of the entry in it.
    pub(super) index: usize,
    /// Path without the folder of versions.
    pub(super) path: &'a str,
    /// Java release of a versioned copy.
    pub(super) version: Option<u32>,
    /// What it is.
    pub(super) role: Role,
}

impl Input {
    /// Opens a jar.
    ///
    /// # Errors
    /// It is unreadable, or masked already.
    pub(super) fn open(path: &Path, limits: Limits) -> Result<Self> {
        let archive = Archive::open_with(path, limits)?;
        // Ours, or another vendor's, whose loader would look for its sections at the root of the jar.
        if archive.contains(paths::SHARED) || !Sections::find(&archive, &[])?.is_empty() {
            return Err(MaskError::AlreadyMasked { jar: path.to_owned() }.into());
        }
        let manifest = manifest_file::of(&archive)?.unwrap_or_default();
        let multi = manifest.main.get(attribute::MULTI_RELEASE).unwrap_or_default();
        let multi_release = multi.trim().eq_ignore_ascii_case("true");
        Ok(Self { archive: Arc::new(archive), manifest, multi_release })
    }

    /// Its files in the order of its directory.
    pub(super) fn files(&self) -> impl Iterator<Item = File<'_>> {
        let entries = self.archive.entries().iter().enumerate().filter(|(_, entry)| !entry.is_dir());
        entries.map(|(index, entry)| {
            let (version, path) = versioned(&entry.name);
            let role = self.role(version, path);
            File { input: self, index, path, version, role }
        })
    }

    fn role(&self, version: Option<u32>, path: &str) -> Role {
        if version.is_some() && !self.multi_release {
            return Role::Dropped(Dropped::Unversioned);
        }
        let Some(stem) = path.strip_suffix(paths::CLASS_SUFFIX) else {
            return match path {
                paths::MANIFEST => Role::Dropped(Dropped::Manifest),
                "META-INF/INDEX.LIST" => Role::Dropped(Dropped::Index),
                _ if paths::is_signature(path) || path.starts_with("META-INF/SIG-") => {
                    Role::Dropped(Dropped::Signature)
                }
                _ => Role::Resource,
            };
        };
        if stem == "module-info" {
            Role::Dropped(Dropped::Module)
        } else if stem.starts_with(paths::META_INF) {
            Role::Resource
        } else {
            Role::Class
        }
    }
}

impl<'a> File<'a> {
    /// The file as merging sees it.
    pub(super) fn part(&self) -> Part<'a> {
        Part::Entry { archive: &self.input.archive, index: self.index }
    }

    /// The path in the jar, without what only other readers would take for a folder of versions.
    pub(super) fn plain_path(&self) -> String {
        let folder = self.version.map_or_else(String::new, |version| format!("{VERSIONS}{version}/"));
        format!("{folder}{}", self.path)
    }
}

/// A path without its folder of versions.
pub(super) fn unversioned(path: &str) -> &str {
    versioned(path).1
}

/// The Java release and the rest of a path; as the JVM has it, only numbers from 9 on name a release.
fn versioned(path: &str) -> (Option<u32>, &str) {
    let parts = path.strip_prefix(VERSIONS).and_then(|rest| rest.split_once('/'));
    match parts.and_then(|(number, rest)| Some((number.parse::<u32>().ok()?, rest))) {
        Some((version, rest)) if version > 8 && !rest.starts_with(paths::META_INF) => (Some(version), rest),
        _ => (None, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_begin_with_9_and_hold_no_meta_inf() {
        assert_eq!(versioned("META-INF/versions/11/a/B.class"), (Some(11), "a/B.class"));
        assert_eq!(versioned("META-INF/versions/8/a/B.class").0, None);
        assert_eq!(versioned("META-INF/versions/x/a/B.class").0, None);
        assert_eq!(versioned("META-INF/versions/9/META-INF/services/x").0, None);
        assert_eq!(versioned("a/B.class"), (None, "a/B.class"));
    }
}
