//! Makes one ordinary jar of several: services, versions and resources stay at the root.
//!
//! | file | decides about |
//! |---|---|
//! | `decide` | what becomes of the files of one path |
//! | `rule` | which rule applies to which path |
//! | `services`, `licences`, `log4j`, `spring`, `properties`, `reference`, `native_image`, `groovy` | one kind of file each |
//! | `dropped` | what no longer holds in another jar |
//! | `manifest` | the manifest |
//! | `relocate` | classes that move to other packages |
//! | `places` | how classes move in several places of one jar that see each other |
//! | `nested` | jars within the inputs, which stay as they are |
//! | `kotlin` | tables of Kotlin modules |
//! | `clash` | names that differ in case only |
//!
//! Files that are copied are never inflated: two files of one path are compared by size and CRC-32, then by their bytes.

mod clash;
mod decide;
pub(crate) mod dropped;
mod error;
mod groovy;
mod kotlin;
mod licences;
mod log4j;
mod manifest;
mod native_image;
mod nested;
mod part;
mod places;
mod properties;
mod reference;
mod relocate;
mod rule;
pub(crate) mod services;
mod spring;

pub(crate) use classfile::relocate::Rules;
pub(crate) use decide::{Conflicts, Decisions};
pub use error::{MergeError, Target};
pub(crate) use manifest::{ENTRY_CLASSES, refuse_repetition};
pub(crate) use nested::{report as report_nested, report_whole};
pub(crate) use part::Part;
pub(crate) use places::{Place, agreeing, combined};
pub(crate) use relocate::{Holdings, Relocation, parse as parse_rules};

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use manifests::agent_toml::{self, LiteralPolicy, MergeRule};
use manifests::manifest::Manifest;

use crate::archive::Archive;
use crate::assemble::{Content, Layout};
use crate::error::Result;
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;

/// Where copies for newer Java versions lie.
const VERSIONS: &str = "META-INF/versions/";

/// What decides about the merged jar besides its inputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'a> {
    /// What the user decides about conflicts, the first matching pattern first, with where it is written.
    pub(crate) merge: (&'a [MergeRule], &'a str),
    /// How classes move.
    pub(crate) relocate: &'a [agent_toml::Relocation],
    /// Which string literals follow.
    pub(crate) literals: LiteralPolicy,
    /// Main attributes that the user sets.
    pub(crate) attributes: &'a [(String, String)],
    /// Whether the first input stays a module.
    pub(crate) keep_module: bool,
}

/// A merged jar before it is written.
#[derive(Debug)]
pub(crate) struct Merged {
    /// Its files.
    pub(crate) layout: Layout,
    /// Its manifest.
    pub(crate) manifest: Manifest,
    /// How classes move, which they do while they are written.
    pub(crate) relocation: Option<Arc<Relocation>>,
}

/// One file at its path in the output.
struct Placed<'a> {
    path: Cow<'a, str>,
    part: Part<'a>,
}

/// Merges `inputs`. The order counts: the first one's main attributes are kept, and providers keep it.
///
/// # Errors
/// An input is unreadable, two different files claim one path and nothing decides, or a rule cannot join its files.
pub(crate) fn merge(inputs: &[Arc<Archive>], options: &Options<'_>, printer: &Printer) -> Result<Merged> {
    if inputs.is_empty() {
        return Err(MergeError::NoInput.into());
    }
    let holdings = || Arc::new(Holdings::of(inputs));
    let relocation = Relocation::new(options.relocate, options.literals, holdings)?.map(Arc::new);
    let moves = relocation.as_deref();
    let mut placed = Vec::new();
    let mut read = Vec::new();
    let mut versioned = Vec::new();
    for (number, archive) in inputs.iter().enumerate() {
        let own_module = options.keep_module && number == 0;
        let taken = take(archive, own_module, moves, &mut placed, printer);
        read.push((archive, manifest::read(archive, taken.manifest, printer)?));
        versioned.push(taken.versioned);
    }
    let manifest =
        manifest::Inputs { read: &read, versioned: &versioned, relocation: moves, attributes: options.attributes }
            .build(printer)?;
    // Stable, so that the files of one path stay in the order of the inputs.
    placed.sort_by(|one, two| one.path.cmp(&two.path));
    if let Some(moves) = moves {
        nested::report(inputs, moves, printer)?;
    }
    let layout = layout(&placed, &Decisions::new(options.merge, relocation.clone())?, printer)?;
    Ok(Merged { layout, manifest, relocation })
}

/// What an input has besides the files that were taken.
struct Taken {
    manifest: Option<usize>,
    versioned: bool,
}

/// Takes the files and folders of one input that the output has too.
fn take<'a>(
    archive: &'a Arc<Archive>,
    own_module: bool,
    relocation: Option<&Relocation>,
    placed: &mut Vec<Placed<'a>>,
    printer: &Printer,
) -> Taken {
    let mut taken = Taken { manifest: archive.index_of(paths::MANIFEST), versioned: false };
    let mut left_out = Vec::new();
    for (index, entry) in archive.entries().iter().enumerate() {
        if entry.name.eq_ignore_ascii_case(paths::MANIFEST) {
            taken.manifest = taken.manifest.or(Some(index));
        } else if entry.name.eq_ignore_ascii_case(paths::META_INF) {
            // Written anyway, and first.
        } else if let Some(reason) = dropped::reason(&entry.name, own_module) {
            left_out.push((reason, index));
        } else {
            taken.versioned |= !entry.is_dir() && entry.name.starts_with(VERSIONS);
            let moved = relocation.and_then(|relocation| relocation.path(&entry.name));
            let path = moved.map_or(Cow::Borrowed(entry.name.as_str()), Cow::Owned);
            placed.push(Placed { path, part: Part::Entry { archive, index } });
        }
    }
    dropped::report(archive, &left_out, printer);
    taken
}

/// Puts the files, sorted by path, into a layout.
fn layout(placed: &[Placed<'_>], decisions: &Decisions<'_>, printer: &Printer) -> Result<Layout> {
    let mut names: Vec<&str> = placed.iter().map(|placed| placed.path.as_ref()).collect();
    names.dedup();
    let renamed = clash::resolve(&names, printer);
    let vacated = vacated(placed);
    let mut layout = Layout::plain();
    let mut conflicts = Conflicts::default();
    for group in placed.chunk_by(|one, two| one.path == two.path) {
        let path = group[0].path.as_ref();
        if path.ends_with('/') {
            let next = names.partition_point(|name| *name <= path);
            let empty = names.get(next).is_none_or(|name| !name.starts_with(path));
            if !(empty && vacated.contains(path)) {
                add_folders(&mut layout, path, decisions.relocation.is_some());
            }
            continue;
        }
        let parts: Vec<Part<'_>> = group.iter().map(|placed| placed.part).collect();
        let Some((content, origin)) = decisions.settle(path, &parts, &mut conflicts, printer)? else { continue };
        let target = renamed.get(path).map_or(path, String::as_str);
        layout.add(target, content, origin)?;
    }
    conflicts.check(str::to_owned)?;
    Ok(layout)
}

/// Folders that something moved out of, with the slash at their end.
fn vacated<'a>(placed: &[Placed<'a>]) -> BTreeSet<&'a str> {
    let mut folders = BTreeSet::new();
    for Placed { path, part } in placed {
        if let (Cow::Owned(_), Some(old)) = (path, part.name()) {
            folders.extend(old.match_indices('/').map(|(at, _)| &old[..=at]));
        }
    }
    folders
}

/// Adds a folder; after a move also those that it lies in, which no input may have.
fn add_folders(layout: &mut Layout, path: &str, all: bool) {
    if all {
        let folders = path.match_indices('/').map(|(at, _)| &path[..=at]);
        // The writer puts that one in front of the manifest itself.
        for folder in folders.filter(|folder| *folder != paths::META_INF) {
            layout.add_folder(folder);
        }
    } else {
        layout.add_folder(path);
    }
}

/// The content of the file at `path`, before it moves, after classes have moved; nothing if it stays as it is.
///
/// # Errors
/// It is malformed, or cannot be relocated.
pub(crate) fn relocated_file(
    path: &str,
    content: &Content,
    origin: &Origin,
    relocation: &Relocation,
) -> Result<Option<Content>> {
    let bytes = if relocate::is_class(path) {
        relocation.apply(&content.read()?, origin)?
    } else if let Some(rule) = rule::rule_for(path) {
        rule.relocate(&rule::Source { bytes: content.read()?, origin: origin.clone() }, relocation)?
    } else {
        None
    };
    Ok(bytes.map(Content::Bytes))
}

/// Splits `META-INF/versions/<number>/` off a path.
pub(crate) fn unversioned(path: &str) -> (&str, &str) {
    let Some(rest) = path.strip_prefix(VERSIONS) else { return ("", path) };
    match rest.split_once('/') {
        Some((number, _)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            path.split_at(VERSIONS.len() + number.len() + 1)
        }
        _ => ("", path),
    }
}
