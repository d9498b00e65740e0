//! Where each entry of the inputs goes, and which are left out, with a report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use manifests::agent_toml::Versions;

use super::both::AllowBoth;
use super::description::Described;
use super::globs::Globs;
use super::inputs::Inputs;
use super::sections::{Sections, split_version};
use crate::archive::Archive;
use crate::config::Config;
use crate::error::Result;
use crate::merge::{Part, dropped};
use crate::paths;
use crate::printer::Printer;

/// Where versioned copies lie.
const VERSIONS: &str = "META-INF/versions/";

/// By which table an entry is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// `base`.
    Base,
    /// `[bootstrap]`.
    Bootstrap,
    /// The `[[section]]` of this number.
    Section(usize),
}

/// One entry with its place in the output.
#[derive(Debug)]
pub(super) struct Slot<'a> {
    /// By which table it is there.
    pub(super) from: From,
    /// Number of its jar.
    pub(super) jar: usize,
    /// The entry.
    pub(super) part: Part<'a>,
    /// Its path in the output.
    pub(super) path: String,
    /// Java release of a versioned copy, and its path once it is promoted.
    pub(super) version: Option<(u32, String)>,
    /// What it is called in an ordinary jar, without versions.
    pub(super) inner: &'a str,
}

/// What decides about the entries.
pub(super) struct Selection<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) described: &'a [Described<'a>],
    /// Those of the base too.
    pub(super) sections: &'a Sections,
    pub(super) allow: &'a AllowBoth,
}

/// The patterns that are asked, and what they left out.
struct Filters {
    exclude: Globs,
    include: Globs,
    bootstrap: Globs,
    sections: Vec<Globs>,
    /// Of each jar and pattern: the names.
    left_out: BTreeMap<(usize, String), Vec<String>>,
}

impl Filters {
    fn new(config: &Config, described: &[Described<'_>]) -> Result<Self> {
        const ENTRY: &str = "entry of the inputs";
        let toml = &config.toml;
        let place = |key: &str| toml.place_of(key).to_string();
        let (include, exclude) =
            toml.bootstrap.as_ref().map_or((&[][..], &[][..]), |bootstrap| (&bootstrap.include, &bootstrap.exclude));
        let of_section = |Described { table, .. }: &Described<'_>| {
            Globs::new(&table.at.to_string(), "exclude", "entry of its jars", &table.exclude)
        };
        Ok(Self {
            exclude: Globs::new(&place("exclude"), "exclude", ENTRY, &toml.exclude)?,
            include: Globs::new(&place("bootstrap.include"), "include", ENTRY, include)?,
            bootstrap: Globs::new(&place("bootstrap.exclude"), "exclude", "entry that is included", exclude)?,
            sections: described.iter().map(of_section).collect::<Result<_>>()?,
            left_out: BTreeMap::new(),
        })
    }

    /// Whether `exclude` leaves the entry out.
    fn excluded(&mut self, jar: usize, name: &str) -> bool {
        let Some(pattern) = self.exclude.find(name) else { return false };
        self.note(jar, format!("`{}`", self.exclude.text(pattern)), name);
        true
    }

    /// Whether the `exclude` of a section leaves the entry out.
    fn excluded_by(&mut self, section: (usize, &Described<'_>), jar: usize, name: &str) -> bool {
        let (number, described) = section;
        let Some(pattern) = self.sections[number].find(name) else { return false };
        let by = format!("`{}` of the section `{}`", self.sections[number].text(pattern), described.section.name());
        self.note(jar, by, name);
        true
    }

    fn note(&mut self, jar: usize, by: String, name: &str) {
        let names = self.left_out.entry((jar, by)).or_default();
        // A jar may be named at several places.
        if let Err(at) = names.binary_search_by(|known| known.as_str().cmp(name)) {
            names.insert(at, name.to_owned());
        }
    }

    /// Whether the entry is one of the root; `own` when its jar is among `[bootstrap] from`.
    fn at_root(&mut self, name: &str, own: bool) -> bool {
        let included = if self.include.is_empty() { own } else { self.include.find(name).is_some() };
        included && self.bootstrap.find(name).is_none()
    }

    fn check(&self) -> Result<()> {
        self.exclude.check()?;
        self.include.check()?;
        self.bootstrap.check()?;
        self.sections.iter().try_for_each(Globs::check)
    }

    fn report(&self, inputs: &Inputs, printer: &Printer) {
        for ((jar, by), names) in &self.left_out {
            let label = inputs.jars[*jar].archive.label().display();
            let count = names.len();
            printer.status("Excluded", &format!("of `{label}` by {by}, {count}: {}", sample(names)));
            for name in names {
                printer.detail(&format!("`{name}` of `{label}` is excluded by {by}"));
            }
        }
    }
}

/// The first name, and that there are more.
pub(super) fn sample(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first, ..] => format!("`{first}` …"),
    }
}

/// The places of all entries, in the order of the inputs: base, bootstrap, sections.
///
/// # Errors
/// A pattern is malformed or matches nothing.
pub(super) fn slots<'a>(selection: &Selection<'a>, config: &Config, printer: &Printer) -> Result<Vec<Slot<'a>>> {
    let inputs = selection.inputs;
    let mut filters = Filters::new(config, selection.described)?;
    for (number, input) in inputs.jars.iter().enumerate() {
        report_dropped(&input.archive, printer);
        if input.archive.contains(paths::MANIFEST) && !(inputs.has_base && number == 0) {
            let (manifest, jar) = (paths::MANIFEST, input.archive.label().display());
            let what = if inputs.bootstrap.contains(&number) { "the main attributes" } else { "all" };
            printer.detail(&format!("{what} of `{manifest}` of `{jar}` is left out: the jar has its own"));
        }
    }
    let mut slots = Vec::new();
    if inputs.has_base {
        add_base(selection, &mut filters, &mut slots);
    }
    let mut unplaced = BTreeSet::new();
    for &jar in &inputs.bootstrap {
        for (part, name) in entries(&inputs.jars[jar].archive) {
            if filters.excluded(jar, name) {
                continue;
            }
            if filters.at_root(name, true) {
                slots.push(at_root(jar, part, name));
            } else {
                unplaced.insert((jar, name));
            }
        }
    }
    for (number, jars) in inputs.sections.iter().enumerate() {
        for &jar in jars {
            add_section(selection, number, jar, &mut filters, &mut slots, &mut unplaced);
        }
    }
    filters.check()?;
    filters.report(inputs, printer);
    report_unplaced(inputs, unplaced.into_iter(), printer);
    Ok(slots)
}

/// The files of a jar that go on, with their names.
fn entries(archive: &Arc<Archive>) -> impl Iterator<Item = (Part<'_>, &str)> {
    archive.entries().iter().enumerate().filter_map(move |(index, entry)| {
        let name = entry.name.as_str();
        let goes =
            !entry.is_dir() && !name.eq_ignore_ascii_case(paths::MANIFEST) && dropped::reason(name, false).is_none();
        goes.then_some((Part::Entry { archive, index }, name))
    })
}

fn report_dropped(archive: &Arc<Archive>, printer: &Printer) {
    let reasons = archive.entries().iter().enumerate();
    let left_out: Vec<_> =
        reasons.filter_map(|(index, entry)| Some((dropped::reason(&entry.name, false)?, index))).collect();
    dropped::report(archive, &left_out, printer);
}

/// The base keeps all paths.
fn add_base<'a>(selection: &Selection<'a>, filters: &mut Filters, slots: &mut Vec<Slot<'a>>) {
    for (part, name) in entries(&selection.inputs.jars[0].archive) {
        if filters.excluded(0, name) {
            continue;
        }
        let located = selection.sections.locate(name);
        let flat = || match located.section {
            None => located.inner.to_owned(),
            Some(section) => format!("{}{}", section.folder, located.inner),
        };
        let version = located.version.map(|version| (version, flat()));
        slots.push(Slot { from: From::Base, jar: 0, part, path: name.to_owned(), version, inner: located.inner });
    }
}

fn at_root<'a>(jar: usize, part: Part<'a>, name: &'a str) -> Slot<'a> {
    let (version, inner) = split_version(name);
    let version = version.map(|version| (version, inner.to_owned()));
    Slot { from: From::Bootstrap, jar, part, path: name.to_owned(), version, inner }
}

fn add_section<'a>(
    selection: &Selection<'a>,
    number: usize,
    jar: usize,
    filters: &mut Filters,
    slots: &mut Vec<Slot<'a>>,
    unplaced: &mut BTreeSet<(usize, &'a str)>,
) {
    let described = &selection.described[number];
    for (part, name) in entries(&selection.inputs.jars[jar].archive) {
        if filters.excluded(jar, name) {
            continue;
        }
        let (version, inner) = split_version(name);
        let class = inner.strip_suffix(paths::CLASS_SUFFIX).filter(|class| !class.starts_with(paths::META_INF));
        if !filters.include.is_empty() && filters.at_root(name, false) {
            slots.push(at_root(jar, part, name));
            unplaced.remove(&(jar, name));
            // A class that may be in both places stays in this one too.
            if !class.is_some_and(|class| selection.allow.allows(class)) {
                continue;
            }
        }
        unplaced.remove(&(jar, name));
        if filters.excluded_by((number, described), jar, name) {
            continue;
        }
        let masked = match class {
            Some(class) => format!("{class}{}", described.section.suffix),
            None => inner.to_owned(),
        };
        let folder = &described.section.folder;
        let flat = format!("{folder}{masked}");
        let path = match (version, described.table.versions) {
            (None, _) => flat.clone(),
            (Some(version), Versions::Inside) => format!("{folder}{VERSIONS}{version}/{masked}"),
            (Some(version), Versions::Root) => format!("{VERSIONS}{version}/{flat}"),
        };
        let (from, version) = (From::Section(number), version.map(|version| (version, flat)));
        slots.push(Slot { from, jar, part, path, version, inner });
    }
}

/// What `[bootstrap] include` selects of a jar of `from` is not all of it; the rest is nowhere, unless a section has it.
fn report_unplaced<'a>(inputs: &Inputs, unplaced: impl Iterator<Item = (usize, &'a str)>, printer: &Printer) {
    let mut by_jar: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (jar, name) in unplaced {
        by_jar.entry(jar).or_default().push(name.to_owned());
    }
    for (jar, names) in by_jar {
        let label = inputs.jars[jar].archive.label().display();
        let count = names.len();
        printer.warning(&format!(
            "files of `{label}` are left out, since `[bootstrap]` does not include them and no section has the jar, {count}: {}",
            sample(&names)
        ));
        for name in names {
            printer.detail(&format!("`{name}` of `{label}` is left out"));
        }
    }
}
