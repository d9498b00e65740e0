//! Folder entries, which loaders find as resources.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::moves::Moves;
use super::slots::{From, Selection, Slot};
use crate::archive::Archive;
use crate::paths;

/// The folders of the output: one stays where something of it is, or where it was empty to begin with. Folders of a package
/// that moves follow it.
pub(super) fn folders(selection: &Selection<'_>, slots: &[Slot<'_>], moves: &Moves) -> BTreeSet<String> {
    let inputs = selection.inputs;
    let taken = slots.iter().flat_map(|slot| slot.path.match_indices('/').map(|(at, _)| &slot.path[..=at])).collect();
    let mut folders = Folders { taken, moves, emptiness: BTreeMap::new(), found: BTreeSet::new() };
    if inputs.has_base {
        folders.add(&inputs.jars[0].archive, From::Base, "");
    }
    for jar in &inputs.bootstrap {
        folders.add(&inputs.jars[*jar].archive, From::Bootstrap, "");
    }
    for (number, (described, jars)) in selection.described.iter().zip(&inputs.sections).enumerate() {
        for jar in jars {
            folders.add(&inputs.jars[*jar].archive, From::Section(number), &described.section.folder);
        }
    }
    folders.found
}

struct Folders<'a> {
    /// Those that hold a file of the output.
    taken: BTreeSet<&'a str>,
    moves: &'a Moves,
    /// Of each jar, by its path: its folders, and whether there is nothing in them.
    emptiness: BTreeMap<&'a std::path::Path, Vec<(&'a str, bool)>>,
    found: BTreeSet<String>,
}

impl<'a> Folders<'a> {
    fn add(&mut self, archive: &'a Archive, from: From, prefix: &str) {
        let of_jar = self.emptiness.entry(archive.label()).or_insert_with(|| of_jar(archive));
        for (name, empty) in of_jar.iter().copied() {
            if name.eq_ignore_ascii_case(paths::META_INF) && prefix.is_empty() {
                // Written anyway, and first.
                continue;
            }
            let moved = self.moves.of(from).and_then(|relocation| relocation.path(name));
            let path = format!("{prefix}{}", moved.as_deref().unwrap_or(name));
            if !empty && !self.taken.contains(path.as_str()) {
                continue;
            }
            // No input may have the folders that a moved one lies in.
            let parents = path.match_indices('/').filter(|(at, _)| moved.is_some() && *at >= prefix.len());
            self.found.extend(parents.map(|(at, _)| path[..=at].to_owned()));
            self.found.insert(path);
        }
    }
}

fn of_jar(archive: &Archive) -> Vec<(&str, bool)> {
    let names: BTreeSet<&str> = archive.entries().iter().map(|entry| entry.name.as_str()).collect();
    let next = |name: &str| names.range::<str, _>((Bound::Excluded(name), Bound::Unbounded)).next().copied();
    let folders = archive.entries().iter().filter(|entry| entry.is_dir()).map(|entry| entry.name.as_str());
    folders.map(|name| (name, next(name).is_none_or(|next| !next.starts_with(name)))).collect()
}
