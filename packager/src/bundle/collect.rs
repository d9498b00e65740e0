//! Puts the compiled classes of an extension and its dependencies together, without what the application provides.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::archive::{Archive, Limits};
use crate::assemble::Content;
use crate::class::slashed;
use crate::error::Result;
use crate::extension::pieces::{Piece, of_folder};
use crate::merge::{Conflicts, Decisions, Part, dropped, unversioned};
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;

/// All files of the extension, each path once.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// The files in the order of their paths.
    pub(super) files: Vec<File>,
    /// Internal names of the classes of the extension itself.
    pub(super) own: BTreeSet<String>,
    /// Internal names of the classes of dependencies, those that are provided too, with where they come from.
    pub(super) dependencies: BTreeMap<String, Origin>,
    /// Whether the classes were compiled just now.
    pub(super) compiled: bool,
}

/// A file.
#[derive(Debug)]
pub(super) struct File {
    /// Path in the jar.
    pub(super) path: String,
    /// Where its bytes are.
    pub(super) content: Content,
    /// Where it comes from.
    pub(super) origin: Origin,
}

/// A folder or jar of compiled classes.
enum Root {
    Folder(PathBuf, Vec<Piece>),
    Jar(Arc<Archive>),
}

/// One file before it is known whether others have its path.
struct Placed<'a> {
    path: &'a str,
    part: Part<'a>,
}

/// Reads the compiled classes in `roots` and joins them with `dependencies`; classes of `provided` packages are left out.
///
/// # Errors
/// Something cannot be read, or two different files claim one path.
pub(super) fn collect(
    roots: &[PathBuf],
    dependencies: &[Arc<Archive>],
    provided: &[String],
    limits: Limits,
    printer: &Printer,
) -> Result<Collected> {
    let roots = roots.iter().map(|path| read(path, limits)).collect::<Result<Vec<_>>>()?;
    let provided = Provided(provided.iter().map(|package| format!("{}/", slashed(package))).collect());
    let mut collected = Collected::default();
    let mut placed = Vec::new();
    for root in &roots {
        match root {
            Root::Folder(folder, pieces) => {
                let left_out = take_folder(pieces, &provided, &mut collected.own, &mut placed, printer);
                report(left_out, &folder.display().to_string(), printer);
            }
            Root::Jar(archive) => {
                let names = classes(archive).map(|(name, _)| name.to_owned()).filter(|name| !provided.has(name));
                collected.own.extend(names);
                take_jar(archive, &provided, &mut placed, printer);
            }
        }
    }
    for archive in dependencies {
        collected.dependencies.extend(classes(archive).map(|(name, index)| (name.to_owned(), archive.origin(index))));
        take_jar(archive, &provided, &mut placed, printer);
    }
    // Stable, so that the extension's own files come before those of dependencies.
    placed.sort_by(|one, two| one.path.cmp(two.path));
    let decisions = Decisions::new((&[], ""), None)?;
    let mut conflicts = Conflicts::default();
    for group in placed.chunk_by(|one, two| one.path == two.path) {
        let parts: Vec<Part<'_>> = group.iter().map(|placed| placed.part).collect();
        let path = group[0].path;
        if let Some((content, origin)) = decisions.settle(path, &parts, &mut conflicts, printer)? {
            collected.files.push(File { path: path.to_owned(), content, origin });
        }
    }
    conflicts.check(str::to_owned)?;
    Ok(collected)
}

fn read(path: &Path, limits: Limits) -> Result<Root> {
    if path.is_dir() {
        return Ok(Root::Folder(path.to_owned(), of_folder(path)?));
    }
    Ok(Root::Jar(Arc::new(Archive::open_with(path, limits)?)))
}

/// Packages of the application, each with a slash at its end.
struct Provided(Vec<String>);

impl Provided {
    fn has(&self, class: &str) -> bool {
        self.0.iter().any(|package| class.starts_with(package))
    }

    /// Whether a file is a class of them, for whichever release.
    fn is_class(&self, path: &str) -> bool {
        path.ends_with(paths::CLASS_SUFFIX) && self.has(unversioned(path).1)
    }
}

/// The classes of a jar: internal names and indexes, without versioned copies.
fn classes(archive: &Archive) -> impl Iterator<Item = (&str, usize)> {
    archive.entries().iter().enumerate().filter_map(|(index, entry)| Some((class_name(&entry.name)?, index)))
}

fn class_name(path: &str) -> Option<&str> {
    let name = path.strip_suffix(paths::CLASS_SUFFIX)?;
    let ordinary = !name.starts_with(paths::META_INF) && !name.ends_with("module-info");
    ordinary.then_some(name)
}

/// Takes the files of a folder and returns how many provided classes are not among them.
fn take_folder<'a>(
    pieces: &'a [Piece],
    provided: &Provided,
    own: &mut BTreeSet<String>,
    placed: &mut Vec<Placed<'a>>,
    printer: &Printer,
) -> usize {
    let mut left_out = 0;
    for piece in pieces {
        let Content::File(file) = &piece.content else { continue };
        if piece.path.eq_ignore_ascii_case(paths::MANIFEST) {
            printer.status("Dropped", &format!("{}: the description of the extension makes one", piece.origin));
            continue;
        }
        if dropped::reason(&piece.path, false).is_some() {
            printer.status("Dropped", &format!("{}: it does not hold for another jar", piece.origin));
            continue;
        }
        if provided.is_class(&piece.path) {
            left_out += 1;
            continue;
        }
        own.extend(class_name(&piece.path).map(str::to_owned));
        placed.push(Placed { path: &piece.path, part: Part::File(file) });
    }
    left_out
}

/// Takes the files of a jar, unless the application provides all of its classes.
fn take_jar<'a>(archive: &'a Arc<Archive>, provided: &Provided, placed: &mut Vec<Placed<'a>>, printer: &Printer) {
    let jar = archive.label().display().to_string();
    let (given, all) =
        classes(archive).fold((0, 0), |(given, all), (name, _)| (given + usize::from(provided.has(name)), all + 1));
    if all > 0 && given == all {
        printer.status("Left out", &format!("`{jar}`: the application provides its classes, {all}"));
        return;
    }
    let mut left_out = 0;
    let mut unfit = Vec::new();
    for (index, entry) in archive.entries().iter().enumerate() {
        if entry.is_dir() || entry.name.eq_ignore_ascii_case(paths::MANIFEST) {
            continue;
        }
        if let Some(reason) = dropped::reason(&entry.name, false) {
            unfit.push((reason, index));
        } else if provided.is_class(&entry.name) {
            left_out += 1;
        } else {
            placed.push(Placed { path: &entry.name, part: Part::Entry { archive, index } });
        }
    }
    dropped::report(archive, &unfit, printer);
    report(left_out, &jar, printer);
}

fn report(left_out: usize, from: &str, printer: &Printer) {
    if left_out > 0 {
        printer.status("Left out", &format!("{left_out} classes of `{from}` that the application provides"));
    }
}
