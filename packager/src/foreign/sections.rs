//! The sections of a foreign jar: folders whose classes have a suffix of their own, so that only their loader finds them.

use std::collections::{BTreeMap, HashSet};

use classfile::ClassFile;

use crate::archive::Archive;
use crate::error::Result;
use crate::paths;

/// Suffixes that are known without being told: OpenTelemetry's and Datadog's, and Elastic's.
pub(crate) const SUFFIXES: [&str; 2] = [paths::MASKED_SUFFIX, ".esclazz"];

/// Where copies for newer Java releases lie, at the root or below a section.
const VERSIONS: &str = "META-INF/versions/";

/// One section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// Its folder, with a slash at the end.
    pub(crate) folder: String,
    /// Suffix of its classes.
    pub(crate) suffix: String,
}

impl Section {
    /// Its folder as people write it.
    pub(crate) fn name(&self) -> &str {
        self.folder.trim_end_matches('/')
    }
}

/// All sections of a jar.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sections {
    /// The longest folder first, so that a section inside another one is found.
    list: Vec<Section>,
}

/// What a path of a jar means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Located<'s, 'p> {
    /// The section; none at the root.
    pub(crate) section: Option<&'s Section>,
    /// Java release of a versioned copy.
    pub(crate) version: Option<u32>,
    /// What the path would be in an ordinary jar, but for the suffix of a class.
    pub(crate) inner: &'p str,
}

impl<'p> Located<'_, 'p> {
    /// Internal name of the class at the path; none for other files.
    pub(crate) fn class(&self) -> Option<&'p str> {
        let suffix = self.section.map_or(paths::CLASS_SUFFIX, |section| &section.suffix);
        let name = self.inner.strip_suffix(suffix)?;
        (!name.is_empty() && !name.starts_with(paths::META_INF)).then_some(name)
    }
}

impl Sections {
    /// Adds a section, once.
    pub(crate) fn add(&mut self, section: Section) {
        if !self.list.contains(&section) {
            let at = self.list.partition_point(|known| known.folder.len() >= section.folder.len());
            self.list.insert(at, section);
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The sections in the order of their names.
    pub(crate) fn sorted(&self) -> Vec<&Section> {
        let mut sorted: Vec<&Section> = self.list.iter().collect();
        sorted.sort_by(|one, two| one.folder.cmp(&two.folder));
        sorted
    }

    /// Reads a path. A class with the usual suffix is one of the root, even where its package is called as a section.
    pub(crate) fn locate<'p>(&self, path: &'p str) -> Located<'_, 'p> {
        let (version, rest) = split_version(path);
        let section = self.folder_of(rest);
        let plain = |section: &&Section| {
            rest.ends_with(paths::CLASS_SUFFIX) && !rest[section.folder.len()..].starts_with(paths::META_INF)
        };
        let Some(section) = section.filter(|section| !plain(section)) else {
            return Located { section: None, version, inner: rest };
        };
        let inner = &rest[section.folder.len()..];
        let (inside, inner) = if version.is_none() { split_version(inner) } else { (None, inner) };
        Located { section: Some(section), version: version.or(inside), inner }
    }

    /// The section whose folder a path without version lies in.
    pub(crate) fn folder_of(&self, path: &str) -> Option<&Section> {
        self.list.iter().find(|section| path.starts_with(&section.folder))
    }

    /// The sections that the entries of a jar show. One class of each folder is read, whose name tells where its section
    /// begins; `more` are further suffixes.
    ///
    /// # Errors
    /// An entry cannot be read.
    pub(crate) fn find(archive: &Archive, more: &[String]) -> Result<Self> {
        let mut sections = Self::default();
        let mut seen = HashSet::new();
        for (index, entry) in archive.entries().iter().enumerate() {
            let Some(suffix) = masked_suffix(&entry.name, more) else { continue };
            let folder = entry.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !seen.insert((folder, suffix)) {
                continue;
            }
            let bytes = archive.read(index)?;
            let Ok(class) = ClassFile::parse(&bytes) else { continue };
            let name = String::from_utf8_lossy(class.this_name()).into_owned();
            if let Some(section) = section_of(&entry.name, suffix, &name) {
                sections.add(section);
            }
        }
        Ok(sections)
    }
}

/// The suffix of a masked class, if `path` has one.
pub(crate) fn masked_suffix<'a>(path: &str, more: &'a [String]) -> Option<&'a str> {
    SUFFIXES.into_iter().chain(more.iter().map(String::as_str)).find(|suffix| path.ends_with(suffix))
}

/// The section of the masked class at `path`, which is called `class`; none where the path does not end with that name, or
/// is that name.
pub(crate) fn section_of(path: &str, suffix: &str, class: &str) -> Option<Section> {
    let folder = path.strip_suffix(suffix)?.strip_suffix(class)?;
    let (_, folder) = split_version(folder);
    let folder = match folder.find(VERSIONS) {
        Some(at) if split_version(&folder[at..]).0.is_some() => &folder[..at],
        _ => folder,
    };
    folder.ends_with('/').then(|| Section { folder: folder.to_owned(), suffix: suffix.to_owned() })
}

/// The Java release and the rest of a path; as the JVM has it, only numbers from 9 on name a release, and `META-INF` has
/// no versioned copies.
pub(crate) fn split_version(path: &str) -> (Option<u32>, &str) {
    let parts = path.strip_prefix(VERSIONS).and_then(|rest| rest.split_once('/'));
    match parts.and_then(|(number, rest)| Some((number.parse::<u32>().ok()?, rest))) {
        Some((version, rest)) if version > 8 && !rest.starts_with(paths::META_INF) => (Some(version), rest),
        _ => (None, path),
    }
}

/// Classes that lie at the root and in a section too, by internal name: the path at the root, and the section with the
/// path in it. Versioned copies count as the class.
pub(crate) fn in_both<'p, 's>(
    sections: &'s Sections,
    paths: impl Iterator<Item = &'p str>,
) -> BTreeMap<&'p str, (&'p str, &'s Section, &'p str)> {
    let (mut root, mut masked) = (BTreeMap::new(), BTreeMap::new());
    for path in paths {
        let located = sections.locate(path);
        let Some(class) = located.class() else { continue };
        match located.section {
            None => {
                root.entry(class).or_insert(path);
            }
            Some(section) => {
                masked.entry(class).or_insert((section, path));
            }
        }
    }
    masked.retain(|class, _| root.contains_key(class));
    masked.into_iter().map(|(class, (section, path))| (class, (root[class], section, path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(list: &[(&str, &str)]) -> Sections {
        let mut sections = Sections::default();
        for (folder, suffix) in list {
            sections.add(Section { folder: (*folder).to_owned(), suffix: (*suffix).to_owned() });
        }
        sections
    }

    #[test]
    fn paths_are_read_with_versions_inside_and_at_the_root() {
        let sections = sections(&[("inst/", ".classdata"), ("inst/deep/", ".classdata"), ("agent/", ".esclazz")]);
        for (path, section, version, class) in [
            ("a/B.class", None, None, Some("a/B")),
            ("META-INF/versions/11/a/B.class", None, Some(11), Some("a/B")),
            ("META-INF/versions/8/a/B.class", None, None, None),
            ("META-INF/x/B.class", None, None, None),
            ("inst/a/B.classdata", Some("inst"), None, Some("a/B")),
            ("inst/a/B.class", None, None, Some("inst/a/B")),
            ("inst/META-INF/versions/9/a/B.classdata", Some("inst"), Some(9), Some("a/B")),
            ("inst/deep/a/B.classdata", Some("inst/deep"), None, Some("a/B")),
            ("META-INF/versions/9/agent/a/B.esclazz", Some("agent"), Some(9), Some("a/B")),
            ("agent/META-INF/services/a.B", Some("agent"), None, None),
            ("agent/META-INF/x/B.class", Some("agent"), None, None),
        ] {
            let located = sections.locate(path);
            let found = (located.section.map(Section::name), located.version, located.class());
            assert_eq!(found, (section, version, class), "{path}");
        }
        assert_eq!(sections.locate("agent/META-INF/services/a.B").inner, "META-INF/services/a.B");
    }

    #[test]
    fn the_name_of_a_class_tells_its_section() {
        for (path, class, folder) in [
            ("inst/a/B.classdata", "a/B", Some("inst/")),
            ("META-INF/acme/agent/a/B.classdata", "a/B", Some("META-INF/acme/agent/")),
            ("inst/META-INF/versions/9/a/B.classdata", "a/B", Some("inst/")),
            ("META-INF/versions/9/agent/a/B.classdata", "a/B", Some("agent/")),
            ("a/B.classdata", "a/B", None),
            ("insta/B.classdata", "a/B", None),
            ("inst/a/B.classdata", "a/C", None),
        ] {
            let found = section_of(path, ".classdata", class).map(|section| section.folder);
            assert_eq!(found.as_deref(), folder, "{path}");
        }
    }

    #[test]
    fn a_class_in_both_places_is_found_whatever_its_version() {
        let sections = sections(&[("inst/", ".classdata")]);
        let paths = ["a/A.class", "a/B.class", "inst/META-INF/versions/9/a/B.classdata", "inst/a/C.classdata"];
        let both = in_both(&sections, paths.into_iter());
        assert_eq!(both.keys().copied().collect::<Vec<_>>(), ["a/B"]);
        assert_eq!(both["a/B"].0, "a/B.class");
    }
}
