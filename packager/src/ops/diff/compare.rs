//! What differs, without any output.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::{Change, Changes};
use crate::archive::Archive;
use crate::error::Result;
use crate::foreign::sections::Sections;
use crate::paths;

/// The section that an entry belongs to; `foreign` are those of other vendors' jars.
fn section_of(path: &str, foreign: &Sections) -> String {
    if let Some(section) = foreign.locate(path).section {
        return format!("section {}", section.name());
    }
    if let Some((id, _)) = path.strip_prefix(paths::EXTENSIONS).and_then(|rest| rest.split_once('/')) {
        return format!("extension {id}");
    }
    if path.starts_with(paths::PROBES) {
        return "probes".into();
    }
    if path.starts_with(paths::NATIVE) {
        return "native".into();
    }
    if let Some((section, _)) = path.strip_prefix(paths::SECTIONS).and_then(|rest| rest.split_once('/')) {
        return format!("section {section}");
    }
    if path.starts_with(paths::META_INF) {
        return "META-INF".into();
    }
    if path.ends_with(paths::CLASS_SUFFIX) {
        return "bootstrap".into();
    }
    "root".into()
}

/// Compares the files of two jars, the manifest apart; `foreign` are the sections of either of them.
pub(super) fn sections(first: &Archive, second: &Archive, foreign: &Sections) -> Result<BTreeMap<String, Changes>> {
    let mut sections: BTreeMap<String, Changes> = BTreeMap::new();
    let is_file = |name: &str| !name.ends_with('/') && name != paths::MANIFEST;
    let mut common = Vec::new();
    for (index, entry) in first.entries().iter().enumerate().filter(|(_, entry)| is_file(&entry.name)) {
        match second.index_of(&entry.name) {
            Some(other) => common.push((index, other)),
            None => sections.entry(section_of(&entry.name, foreign)).or_default().removed.push(entry.name.clone()),
        }
    }
    for entry in second.entries().iter().filter(|entry| is_file(&entry.name) && !first.contains(&entry.name)) {
        sections.entry(section_of(&entry.name, foreign)).or_default().added.push(entry.name.clone());
    }
    let compare = |(index, other): (usize, usize)| -> Result<Option<(usize, usize)>> {
        let (a, b) = (&first.entries()[index], &second.entries()[other]);
        // The checksums alone would call a forged entry the same.
        let same = a.size == b.size && a.crc32 == b.crc32 && first.sha256(index)? == second.sha256(other)?;
        Ok((!same).then_some((index, other)))
    };
    let changed: Vec<Option<(usize, usize)>> = common.into_par_iter().map(compare).collect::<Result<_>>()?;
    for (index, other) in changed.into_iter().flatten() {
        let (a, b) = (&first.entries()[index], &second.entries()[other]);
        sections.entry(section_of(&a.name, foreign)).or_default().changed.push((a.name.clone(), a.size, b.size));
    }
    for changes in sections.values_mut() {
        changes.added.sort();
        changes.removed.sort();
        changes.changed.sort();
    }
    Ok(sections)
}

/// Attributes that differ, in the order of the first jar, then of the second.
pub(super) fn attributes(first: &[(String, String)], second: &[(String, String)]) -> Vec<Change> {
    changes(first, second, str::eq_ignore_ascii_case)
}

/// Keys of properties that differ, in the same order.
pub(super) fn values(first: &[(String, String)], second: &[(String, String)]) -> Vec<Change> {
    changes(first, second, |known, name| known == name)
}

fn changes(first: &[(String, String)], second: &[(String, String)], same: fn(&str, &str) -> bool) -> Vec<Change> {
    let value = |of: &[(String, String)], name: &str| {
        of.iter().find(|(known, _)| same(known, name)).map(|(_, value)| value.clone())
    };
    let mut changes = Vec::new();
    for (name, before) in first {
        let now = value(second, name);
        if now.as_ref() != Some(before) {
            changes.push((name.clone(), Some(before.clone()), now));
        }
    }
    for (name, now) in second {
        if value(first, name).is_none() {
            changes.push((name.clone(), None, Some(now.clone())));
        }
    }
    changes
}

/// Permissions by extension: those of the second jar only, and those of the first only.
pub(super) fn permissions(
    first: &BTreeMap<String, BTreeSet<String>>,
    second: &BTreeMap<String, BTreeSet<String>>,
) -> BTreeMap<String, (Vec<String>, Vec<String>)> {
    let none = BTreeSet::new();
    let ids: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let mut changes = BTreeMap::new();
    for id in ids {
        let (before, now) = (first.get(id).unwrap_or(&none), second.get(id).unwrap_or(&none));
        let added: Vec<String> = now.difference(before).cloned().collect();
        let removed: Vec<String> = before.difference(now).cloned().collect();
        if !(added.is_empty() && removed.is_empty()) {
            changes.insert(id.clone(), (added, removed));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::sections::Section;

    #[test]
    fn every_path_has_its_section() {
        let mut foreign = Sections::default();
        for (folder, suffix) in [("inst/", ".classdata"), ("agent/", ".esclazz")] {
            foreign.add(Section { folder: folder.into(), suffix: suffix.into() });
        }
        for (path, section) in [
            ("io/btrace/boot/Loader.class", "bootstrap"),
            ("META-INF/btrace/agent/a/B.classdata", "section agent"),
            ("META-INF/btrace/agent.properties", "META-INF"),
            ("META-INF/btrace/native/linux-x86_64-gnu/libagent_core.so", "native"),
            ("META-INF/btrace-extensions/x/classes/a/B.classdata", "extension x"),
            ("META-INF/btrace-probes/a/P.class", "probes"),
            ("META-INF/LICENSE", "META-INF"),
            ("inst/a/B.classdata", "section inst"),
            ("agent/a/B.esclazz", "section agent"),
            ("inst/a/names.txt", "section inst"),
            ("META-INF/versions/9/agent/a/B.esclazz", "section agent"),
            ("notes.txt", "root"),
        ] {
            assert_eq!(section_of(path, &foreign), section, "{path}");
        }
    }
}
