//! Makes one ordinary jar of several: services, versions and resources stay at the root.
//!
//! | file | decides about |
//! |---|---|
//! | `rule` | which rule applies to which path |
//! | `services`, `licences`, `log4j`, `spring`, `properties`, `reference`, `native_image`, `groovy` | one kind of file each |
//! | `dropped` | what no longer holds in another jar |
//! | `manifest` | the manifest |
//! | `relocate` | classes that move to other packages |
//! | `kotlin` | what is said about tables of Kotlin modules |
//! | `clash` | names that differ in case only |
//!
//! Files that are copied are never inflated: two files of one path are compared by size and CRC-32, then by their bytes.

mod clash;
pub(crate) mod dropped;
mod error;
mod groovy;
mod kotlin;
mod licences;
mod log4j;
mod manifest;
mod native_image;
mod part;
mod properties;
mod reference;
mod relocate;
mod rule;
pub(crate) mod services;
mod spring;

pub use error::MergeError;
pub(crate) use part::Part;
pub(crate) use relocate::Relocation;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use manifests::agent_toml::{self, MergeRule, MergeStrategy};
use manifests::manifest::Manifest;

use crate::archive::Archive;
use crate::assemble::{Content, Layout};
use crate::error::{Error, Result};
use crate::glob::Pattern;
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;
use rule::{Source, rule_for};

/// Where copies for newer Java versions lie.
const VERSIONS: &str = "META-INF/versions/";

/// What decides about the merged jar besides its inputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'a> {
    /// What the user decides about conflicts, the first matching pattern first, with where it is written.
    pub(crate) merge: (&'a [MergeRule], &'a str),
    /// How classes move.
    pub(crate) relocate: &'a [agent_toml::Relocation],
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
    let relocation = Relocation::new(options.relocate, inputs)?.map(Arc::new);
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
    if moves.is_some() {
        kotlin::report(&placed, printer);
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
    let mut conflicts: Vec<(String, Origin, Origin)> = Vec::new();
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
        let (content, origin) = match decisions.decide(path, &parts, printer)? {
            Outcome::Copy(part) => (decisions.content(path, part)?, part.origin()),
            Outcome::Made(bytes, how) => (Content::Bytes(bytes), Origin::Generated(how)),
            Outcome::Conflict(first, second) => {
                conflicts.push((path.to_owned(), first, second));
                continue;
            }
        };
        let target = renamed.get(path).map_or(path, String::as_str);
        layout.add(target, content, origin)?;
    }
    let mut conflicts = conflicts.into_iter();
    if let Some((path, first, second)) = conflicts.next() {
        let others = conflicts.map(|(path, ..)| path).collect();
        return Err(MergeError::Conflict { path, first: Box::new(first), second: Box::new(second), others }.into());
    }
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
        for (at, _) in path.match_indices('/') {
            layout.add_folder(&path[..=at]);
        }
    } else {
        layout.add_folder(path);
    }
}

/// What becomes of the files of one path.
pub(crate) enum Outcome<'a> {
    /// One of them is copied.
    Copy(Part<'a>),
    /// They became these bytes; the text says how.
    Made(Vec<u8>, String),
    /// Nothing decides between these two.
    Conflict(Origin, Origin),
}

/// The user's decisions, and how classes move.
pub(crate) struct Decisions<'a> {
    relocation: Option<Arc<Relocation>>,
    rules: Vec<(Pattern, &'a MergeRule)>,
    /// The path by which the kind of a file is known: without the folder of its section.
    kind: Box<dyn Fn(&str) -> &str + 'a>,
}

impl<'a> Decisions<'a> {
    /// Reads the rules, which `at` is the place of.
    ///
    /// # Errors
    /// A pattern is malformed.
    pub(crate) fn new((rules, at): (&'a [MergeRule], &str), relocation: Option<Arc<Relocation>>) -> Result<Self> {
        let parsed = rules.iter().map(|rule| {
            let pattern = Pattern::parse(&rule.pattern).map_err(|problem| Error::Pattern {
                at: at.to_owned(),
                pattern: rule.pattern.clone(),
                problem,
            })?;
            Ok((pattern, rule))
        });
        Ok(Self { relocation, rules: parsed.collect::<Result<_>>()?, kind: Box::new(|path| path) })
    }

    /// With `kind`, which says for a path of the output what it would be in an ordinary jar.
    pub(crate) fn with_kind(self, kind: impl Fn(&str) -> &str + 'a) -> Self {
        Self { kind: Box::new(kind), ..self }
    }

    /// Decides what becomes of `parts`, the files at `path` in the order of the inputs.
    ///
    /// # Errors
    /// A file cannot be read, or not be joined with the others.
    pub(crate) fn decide<'p>(&self, path: &str, parts: &[Part<'p>], printer: &Printer) -> Result<Outcome<'p>> {
        let first = parts[0];
        let mut distinct = vec![first];
        'parts: for part in &parts[1..] {
            for known in &distinct {
                if self.same(path, part, known)? {
                    printer.detail(&format!("{} is the same as {}: kept once", part.origin(), known.origin()));
                    continue 'parts;
                }
            }
            distinct.push(*part);
        }
        let [_, second, ..] = distinct[..] else {
            // A cache that cannot be read fails here, and not in somebody's production log.
            if (self.kind)(path) == log4j::PATH {
                log4j::read(&first.read()?, &first.origin())?;
            }
            return Ok(Outcome::Copy(first));
        };
        if let Some((_, rule)) = self.rules.iter().find(|(pattern, _)| pattern.matches(path)) {
            return self.apply(rule, path, &distinct, printer);
        }
        let Some(rule) = rule_for((self.kind)(path)) else {
            return Ok(Outcome::Conflict(first.origin(), second.origin()));
        };
        let bytes = rule.join(&self.sources(path, &distinct)?)?;
        report(path, rule.name(), &distinct, printer);
        Ok(Outcome::Made(bytes, format!("from the {} of {} inputs", rule.name(), distinct.len())))
    }

    /// Whether two files are the same one in the output.
    fn same(&self, path: &str, one: &Part<'_>, two: &Part<'_>) -> Result<bool> {
        match &self.relocation {
            Some(relocation) if relocate::is_class(path) => Ok(one.same_as(two)? || relocation.same(one, two)?),
            _ => one.same_as(two),
        }
    }

    /// The content of a file of which there is only one.
    fn content(&self, path: &str, part: Part<'_>) -> Result<Content> {
        let Some(relocation) = &self.relocation else { return Ok(part.content()) };
        if let Part::Entry { archive, index } = part
            && relocate::is_class(path)
        {
            let relocation = Arc::clone(relocation);
            return Ok(Content::Moved { archive: Arc::clone(archive), index, relocation });
        }
        let Some(rule) = rule_for((self.kind)(path)) else { return Ok(part.content()) };
        let source = Source { bytes: part.read()?, origin: part.origin() };
        Ok(rule.relocate(&source, relocation)?.map_or_else(|| part.content(), Content::Bytes))
    }

    /// The files of one path as their rule wants them, with new names.
    fn sources(&self, path: &str, parts: &[Part<'_>]) -> Result<Vec<Source>> {
        let moves = self.relocation.as_ref().zip(rule_for((self.kind)(path)));
        let source = |part: &Part<'_>| -> Result<Source> {
            let mut source = Source { bytes: part.read()?, origin: part.origin() };
            if let Some((relocation, rule)) = &moves
                && let Some(bytes) = rule.relocate(&source, relocation)?
            {
                source.bytes = bytes;
            }
            Ok(source)
        };
        parts.iter().map(source).collect()
    }

    /// Does what the user decided.
    fn apply<'p>(&self, rule: &MergeRule, path: &str, parts: &[Part<'p>], printer: &Printer) -> Result<Outcome<'p>> {
        let how = format!("`{}` as {}", rule.pattern, strategy_name(rule.strategy));
        let made = |bytes: Vec<u8>| Ok(Outcome::Made(bytes, format!("by {how}")));
        match rule.strategy {
            MergeStrategy::Error => return Ok(Outcome::Conflict(parts[0].origin(), parts[1].origin())),
            MergeStrategy::First | MergeStrategy::Last => {
                let kept = if rule.strategy == MergeStrategy::First { parts[0] } else { parts[parts.len() - 1] };
                let lost: Vec<String> = parts
                    .iter()
                    .map(Part::input)
                    .filter(|input| *input != kept.input())
                    .map(|input| format!("`{}`", input.display()))
                    .collect();
                let jar = kept.input().display();
                printer.status("Kept", &format!("`{path}` of `{jar}`, not of {}, by {how}", lost.join(", ")));
                return Ok(Outcome::Copy(kept));
            }
            MergeStrategy::Concatenate | MergeStrategy::Append => {}
        }
        report(path, &how, parts, printer);
        let sources = self.sources(path, parts)?;
        if rule.strategy == MergeStrategy::Concatenate {
            return made(sources.into_iter().flat_map(|source| source.bytes).collect());
        }
        if !path.ends_with(".properties") {
            return made(reference::lines(sources.iter()));
        }
        let (bytes, replaced) = properties::append(&sources)?;
        for line in replaced {
            printer.warning(&line);
        }
        made(bytes)
    }
}

/// Tells that the files at `path` became one.
fn report(path: &str, how: &str, parts: &[Part<'_>], printer: &Printer) {
    let jars: Vec<String> = parts.iter().map(|part| format!("`{}`", part.input().display())).collect();
    printer.status("Joined", &format!("`{path}` ({how}) of {}", jars.join(", ")));
}

fn strategy_name(strategy: MergeStrategy) -> &'static str {
    match strategy {
        MergeStrategy::First => "first",
        MergeStrategy::Last => "last",
        MergeStrategy::Concatenate => "concatenate",
        MergeStrategy::Append => "append",
        MergeStrategy::Error => "error",
    }
}

/// Splits `META-INF/versions/<number>/` off a path.
fn unversioned(path: &str) -> (&str, &str) {
    let Some(rest) = path.strip_prefix(VERSIONS) else { return ("", path) };
    match rest.split_once('/') {
        Some((number, _)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            path.split_at(VERSIONS.len() + number.len() + 1)
        }
        _ => ("", path),
    }
}
