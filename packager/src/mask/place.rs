//! Decides where each file of the inputs goes: the root, one section, or `shared`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::child;
use super::decide::Decisions;
use super::input::{Dropped, File, Input, Role, unversioned};
use super::selection::{Selection, any};
use super::services::SERVICES;
use super::{Error as MaskError, Inputs};
use crate::assemble::{Content, Layout};
use crate::class::dotted;
use crate::error::Result;
use crate::merge::Part;
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;

/// Packages that no input may add to.
const RESERVED: [&str; 2] = ["java/", "io/btrace/boot/"];

/// Where the files go.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// Files at the root, which the bootstrap loader sees.
    pub(super) root: Layout,
    /// Files of the sections `agent`, `client` and `shared`, by path below the section.
    pub(super) sections: BTreeMap<&'static str, Layout>,
    /// Java releases that have copies of their own.
    pub(super) versions: BTreeSet<u32>,
}

/// How each place gets its files: the rules by which classes move there, and what decides between two files.
pub(super) struct Moves {
    /// For the root.
    pub(super) root: Decisions,
    /// For each section, in the order of the inputs.
    pub(super) sections: Vec<Decisions>,
}

/// Places all files of the inputs.
///
/// # Errors
/// Two different files claim one place and nothing decides, or a bootstrap class is in a package that is not the agent's.
pub(super) fn place(inputs: &Inputs<'_>, selection: &Selection, moves: &Moves, printer: &Printer) -> Result<Placed> {
    let mut placed = Placed { root: root(inputs, selection, &moves.root, printer)?, ..Placed::default() };
    report_dropped(inputs, printer);
    for (section, decisions) in inputs.sections.iter().zip(&moves.sections) {
        // A client's JVM has no bootstrap part: there the classes of the root come from the class path, and a client that
        // brings other copies gets all of its own, first. Half of a package under another loader would break it.
        let brings = section.name == "client" && differs(section, &placed.root, decisions)?;
        let mut builder = Section::new(&placed.root, brings, decisions);
        for file in section.inputs.iter().flat_map(Input::files).filter(|file| !any(&section.exclude, file.path)) {
            builder.add(&file, selection.takes(file.path, false))?;
        }
        let own: BTreeSet<String> = builder.files.iter().map(|(path, _)| path.clone()).collect();
        // What the bootstrap jars have beside bootstrap classes is on the class path of agent and client alike.
        for file in inputs.bootstrap.iter().flat_map(Input::files).filter(|_| section.name != "shared") {
            let path = decisions.path(&file);
            let at_root = selection.takes(file.path, true) && may_be_root(&file);
            if !at_root && (!own.contains(&path) || path.starts_with(SERVICES)) {
                builder.add(&file, false)?;
            }
        }
        let layout = builder.finish(section.name, printer)?;
        placed.sections.insert(section.name, layout);
    }
    share(&mut placed)?;
    for layout in placed.sections.values() {
        for (path, _) in layout.iter() {
            let number = path.strip_prefix(super::input::VERSIONS).and_then(|rest| rest.split('/').next());
            placed.versions.extend(number.and_then(|number| number.parse::<u32>().ok()));
        }
    }
    Ok(placed)
}

/// Whether a section has a class that is another one at the root.
fn differs(section: &super::SectionInputs<'_>, root: &Layout, decisions: &Decisions) -> Result<bool> {
    for file in section.inputs.iter().flat_map(Input::files) {
        if file.role == Role::Class
            && file.version.is_none()
            && let Some(kept) = root.get(&decisions.path(&file))
            && !same(&kept.content, &decisions.content(&file))?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The files of all inputs that the selection takes.
fn root(inputs: &Inputs<'_>, selection: &Selection, decisions: &Decisions, printer: &Printer) -> Result<Layout> {
    let own = inputs.bootstrap.iter().map(|input| (input, true));
    let others = inputs.sections.iter().flat_map(|section| &section.inputs).map(|input| (input, false));
    let mut unversioned = BTreeMap::new();
    let mut files: Vec<(String, Part<'_>)> = Vec::new();
    let mut taken = BTreeSet::new();
    for (input, own) in own.chain(others) {
        for file in input.files().filter(|file| selection.takes(file.path, own) && may_be_root(file)) {
            if file.version.is_some() {
                *unversioned.entry(input.archive.label().to_owned()).or_insert(0_usize) += 1;
                continue;
            }
            let path = decisions.path(&file);
            if file.role == Role::Class && RESERVED.iter().any(|package| path.starts_with(package)) {
                let origin = Box::new(input.archive.origin(file.index));
                return Err(MaskError::ReservedPackage { origin }.into());
            }
            // A section's other copy of a bootstrap class is reported where the section is placed.
            if taken.insert(path.clone()) || own {
                files.push((path, file.part()));
            }
        }
    }
    for (jar, count) in unversioned {
        printer.warning(&format!(
            "versioned copies of bootstrap files in `{}` are left out, {count}: the bootstrap loader knows no versions",
            jar.display()
        ));
    }
    decisions.layout(files, str::to_owned, &mut |_, content| Ok(content), printer)
}

/// Applications look below `META-INF` of the bootstrap path, for services above all; nothing of ours belongs there.
fn may_be_root(file: &File<'_>) -> bool {
    file.role == Role::Class || file.role == Role::Resource && !file.path.starts_with(paths::META_INF)
}

/// One warning for each jar and reason.
fn report_dropped(inputs: &Inputs<'_>, printer: &Printer) {
    let mut counts: BTreeMap<_, (usize, String)> = BTreeMap::new();
    let inputs = inputs.bootstrap.iter().chain(inputs.sections.iter().flat_map(|section| &section.inputs));
    let mut seen = BTreeSet::new();
    for file in inputs.flat_map(Input::files) {
        let label = file.input.archive.label();
        if let Role::Dropped(reason) = file.role
            && reason != Dropped::Manifest
            // A jar may be named for two sections.
            && seen.insert((label.to_owned(), file.index))
        {
            let name = &file.input.archive.entries()[file.index].name;
            counts.entry((label.to_owned(), reason)).or_insert_with(|| (0, name.clone())).0 += 1;
        }
    }
    for ((jar, dropped), (count, first)) in counts {
        let Some(reason) = dropped.reason() else { continue };
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        printer.warning(&format!("`{first}`{more} of `{}` left out: {reason}", jar.display()));
    }
}

/// A section as it is filled.
struct Section<'a> {
    root: &'a Layout,
    /// Whether it keeps its own copies of bootstrap classes.
    brings: bool,
    decisions: &'a Decisions,
    /// Its files at their paths below it, classes under the name that they had in an ordinary jar.
    files: Vec<(String, Part<'a>)>,
    /// Other copies of bootstrap classes: how many, the first one, and the one that is kept.
    shadowed: BTreeMap<(Origin, Origin), usize>,
}

impl<'a> Section<'a> {
    fn new(root: &'a Layout, brings: bool, decisions: &'a Decisions) -> Self {
        Self { root, brings, decisions, files: Vec::new(), shadowed: BTreeMap::new() }
    }

    fn add(&mut self, file: &File<'a>, is_root: bool) -> Result<()> {
        let archive = &file.input.archive;
        if matches!(file.role, Role::Dropped(_)) {
            return Ok(());
        }
        let path = self.decisions.path(file);
        if file.role == Role::Class
            && !self.brings
            && let Some(kept) = self.root.get(unversioned(&path))
        {
            // The bootstrap loader is asked first, so that no other copy would ever load.
            if file.version.is_none() && !same(&kept.content, &self.decisions.content(file))? {
                let jar = |origin: &Origin| match origin {
                    Origin::Entry { archive, .. } => Origin::File(archive.clone()),
                    other => other.clone(),
                };
                *self.shadowed.entry((jar(&kept.origin), jar(&archive.origin(file.index)))).or_default() += 1;
            }
            return Ok(());
        }
        if is_root && !self.brings && may_be_root(file) {
            return Ok(());
        }
        self.files.push((path, file.part()));
        Ok(())
    }

    fn finish(self, name: &str, printer: &Printer) -> Result<Layout> {
        if self.brings {
            let text = "has other copies of bootstrap classes and keeps all of its own, which its loader finds first";
            printer.status("Keeping", &format!("the section `{name}` {text}"));
        }
        for ((kept, dropped), count) in &self.shadowed {
            printer.warning(&format!(
                "classes of {dropped} are left out of the section `{name}`, {count}: they differ from the bootstrap \
                 classes of {kept}, which every loader finds first"
            ));
        }
        // Class loaders that get the section's loader as their parent.
        let mut adopt = |path: &str, content: Content| {
            let Some(class) = path.strip_suffix(paths::CLASS_SUFFIX).filter(|_| is_masked(path)) else {
                return Ok(content);
            };
            Ok(match child::adopt(&content.read()?) {
                None => content,
                Some(bytes) => {
                    let text = format!("a class loader that names no parent gets that of the section `{name}`");
                    printer.status("Adapting", &format!("{}: {text}", dotted(unversioned(class))));
                    Content::Bytes(bytes)
                }
            })
        };
        self.decisions.layout(self.files, masked, &mut adopt, printer)
    }
}

/// Whether the class at a path of an ordinary jar is one that a loader would find, and so is masked in a section.
fn is_masked(path: &str) -> bool {
    path.ends_with(paths::CLASS_SUFFIX) && !unversioned(path).starts_with(paths::META_INF)
}

/// The path in a section of what has `path` in an ordinary jar.
fn masked(path: &str) -> String {
    match path.strip_suffix(paths::CLASS_SUFFIX) {
        Some(stem) if is_masked(path) => format!("{stem}{}", paths::MASKED_SUFFIX),
        _ => path.to_owned(),
    }
}

/// Moves what agent and client have in common to `shared`.
fn share(placed: &mut Placed) -> Result<()> {
    let (Some(agent), Some(client)) = (placed.sections.get("agent"), placed.sections.get("client")) else {
        // Only one of the two: nothing is shared but what was written so.
        return Ok(());
    };
    let mut shared = Layout::default();
    for (path, item) in placed.sections.get("shared").iter().flat_map(|written| written.iter()) {
        shared.add(path, item.content.clone(), item.origin.clone())?;
    }
    let (mut only_agent, mut only_client) = (Layout::default(), Layout::default());
    for (path, item) in agent.iter() {
        let common = match client.get(path) {
            Some(other) => same(&item.content, &other.content)?,
            None => false,
        };
        let to = if common { &mut shared } else { &mut only_agent };
        to.add(path, item.content.clone(), item.origin.clone())?;
    }
    for (path, item) in client.iter() {
        if shared.get(path).is_none() || !same(&shared_content(&shared, path), &item.content)? {
            only_client.add(path, item.content.clone(), item.origin.clone())?;
        }
    }
    placed.sections = BTreeMap::from([("agent", only_agent), ("client", only_client), ("shared", shared)]);
    Ok(())
}

fn shared_content(shared: &Layout, path: &str) -> Content {
    shared.get(path).map_or_else(|| Content::Bytes(Vec::new()), |item| item.content.clone())
}

/// Whether two contents are equal; sizes and check sums spare most of the reading.
fn same(one: &Content, other: &Content) -> Result<bool> {
    if let (
        Content::Moved { archive: a, index: i, relocation: r },
        Content::Moved { archive: b, index: j, relocation: s },
    ) = (one, other)
        && Arc::ptr_eq(a, b)
        && (i, Arc::as_ptr(r)) == (j, Arc::as_ptr(s))
    {
        return Ok(true);
    }
    if let (Content::Entry { archive: a, index: i }, Content::Entry { archive: b, index: j }) = (one, other) {
        let (a, b) = (&a.entries()[*i], &b.entries()[*j]);
        if (a.size, a.crc32) != (b.size, b.crc32) {
            return Ok(false);
        }
    }
    Ok(one.read()? == other.read()?)
}

/// Dotted name for messages of a class at a path below a section.
pub(super) fn class_name(path: &str) -> Option<String> {
    path.strip_suffix(paths::MASKED_SUFFIX).map(dotted)
}
