//! Other vendors' masked jars: `layout = "foreign"`.
//!
//! A jar is built from a base, ordinary jars for the root, and ordinary jars for sections, which the vendor's own loader
//! reads. Neither our Loader nor a core nor our mark is added, and the base's entries are copied as they are.
//!
//! | module | task |
//! |---|---|
//! | `description` | what `agent.toml` says, checked |
//! | `inputs` | the jars, each opened once |
//! | `sections` | what a path of such a jar means; shared with `verify`, `inspect` and `diff` |
//! | `slots` | where each entry goes, and what is left out |
//! | `moves` | classes that move to other packages |
//! | `folders` | folder entries |
//! | `flatten` | versioned copies that take the place of the file |
//! | `files` | files of the disk |
//! | `place` | the files of one path become one |
//! | `manifest` | the manifest |
//! | `generate`, `tree` | commands that add files, and the tree they work on |
//! | `both` | classes that may be visible and masked |
//! | `globs` | patterns of which each has to match |

pub(crate) mod both;
mod description;
mod error;
mod files;
mod flatten;
mod folders;
mod generate;
mod globs;
mod inputs;
mod manifest;
mod moves;
mod place;
pub(crate) mod sections;
mod slots;
mod tree;

pub use error::Error;
pub(crate) use manifest::suffixes;

use std::sync::Arc;

use manifests::manifest::{Manifest, attribute};

use crate::archive::Limits;
use crate::assemble::Layout;
use crate::class::{dotted, slashed};
use crate::config::Config;
use crate::error::Result;
use crate::merge::{ENTRY_CLASSES, Relocation};
use crate::paths;
use crate::printer::Printer;
use both::AllowBoth;
use flatten::Flatten;
use inputs::Inputs;
use moves::Moves;
use sections::{Sections, in_both};
use slots::Selection;
use tree::Tree;

/// A foreign jar before it is written.
#[derive(Debug)]
pub(crate) struct Staged {
    /// Its files.
    pub(crate) layout: Layout,
    /// Its manifest.
    pub(crate) manifest: Manifest,
    /// How classes move, which they do while they are written.
    pub(crate) relocation: Option<Arc<Relocation>>,
    /// Holds what commands made until it is written.
    _trees: Vec<Tree>,
}

/// Reads what `config` describes and places all files.
///
/// # Errors
/// The description is not one of a foreign jar, an input is missing or malformed, two files claim one path, a class would
/// be visible and masked, or a command fails.
pub(crate) fn stage(config: &Config, limits: Limits, printer: &Printer) -> Result<Staged> {
    let toml = &config.toml;
    let described = description::read(config)?;
    let allow = AllowBoth::new(&toml.verify.allow_both, &toml.place_of("verify.allow-both").to_string())?;
    let flatten = Flatten::new(&toml.flatten_versions, toml.place_of("flatten-versions"))?;
    let added = files::collect(config, limits)?;
    let inputs = Inputs::open(config, &described, limits)?;
    let of_base = match inputs.base() {
        Some(base) => Sections::find(&base.archive, &suffixes(&base.manifest))?,
        None => Sections::default(),
    };
    let sections = description::join(&described, of_base)?;
    let selection = Selection { inputs: &inputs, described: &described, sections: &sections, allow: &allow };
    let slots = flatten.apply(slots::slots(&selection, config, printer)?, &inputs, printer)?;
    let moves = Moves::new(&slots, &described, &sections, &inputs, config)?;
    moves.report_nested(&inputs, &added, limits, printer)?;
    let slots = moves.apply(slots, &sections);
    let folders = folders::folders(&selection, &slots, &moves);
    let mut layout = place::layout(&slots, &folders, &added, &sections, config, printer)?;
    let parts =
        manifest::Parts { config, inputs: &inputs, slots: &slots, sections: &sections, allow: &allow, moves: &moves };
    let manifest = parts.build(printer)?;
    drop(slots);
    let trees = generate::run(config, &manifest, &mut layout, printer)?;
    check_both(&layout, &sections, &allow, printer)?;
    check_entry_classes(&layout, &manifest, &sections, config)?;
    report(&layout, &sections, printer);
    Ok(Staged { layout, manifest, relocation: moves.first(), _trees: trees })
}

/// No class is at the root and in a section, but for the exceptions.
fn check_both(layout: &Layout, sections: &Sections, allow: &AllowBoth, printer: &Printer) -> Result<()> {
    let both = in_both(sections, layout.iter().map(|(path, _)| path));
    let classes: Vec<&str> = both.keys().copied().collect();
    for pattern in allow.unused(&classes) {
        printer.warning(&format!("`allow-both` lists what is not both at the root and in a section: `{pattern}`"));
    }
    let (allowed, refused): (Vec<_>, Vec<_>) = classes.into_iter().partition(|class| allow.allows(class));
    for class in allowed {
        printer.detail(&format!("`{}` is both at the root and in a section, as `allow-both` says", dotted(class)));
    }
    let Some((first, others)) = refused.split_first() else { return Ok(()) };
    let (root, section, masked) = both[first];
    let (Some(at_root), Some(at_section)) = (layout.get(root), layout.get(masked)) else { return Ok(()) };
    Err(Error::Both {
        class: dotted(first),
        root: Box::new(at_root.origin.clone()),
        section: section.name().to_owned(),
        masked: Box::new(at_section.origin.clone()),
        others: both::names(others),
    }
    .into())
}

/// The JVM loads entry classes from the root.
fn check_entry_classes(layout: &Layout, manifest: &Manifest, sections: &Sections, config: &Config) -> Result<()> {
    let main = &manifest.main;
    if main.get(attribute::PREMAIN_CLASS).or_else(|| main.get(attribute::AGENT_CLASS)).is_none() {
        return Err(Error::NoEntry { at: config.origin.clone() }.into());
    }
    for name in ENTRY_CLASSES {
        let Some(class) = main.get(name).map(str::trim) else { continue };
        let internal = slashed(class);
        if layout.get(&format!("{internal}{}", paths::CLASS_SUFFIX)).is_some() {
            continue;
        }
        let masked = sections.sorted().into_iter().find_map(|section| {
            layout.get(&format!("{}{internal}{}", section.folder, section.suffix)).map(|item| item.origin.clone())
        });
        let class = class.to_owned();
        return Err(Error::NoEntryClass { name, class, masked: masked.map(Box::new) }.into());
    }
    Ok(())
}

/// Tells how many classes are where.
fn report(layout: &Layout, sections: &Sections, printer: &Printer) {
    let (mut root, mut counts) = (0_usize, vec![0_usize; sections.sorted().len()]);
    let sorted = sections.sorted();
    for (path, item) in layout.iter() {
        let located = sections.locate(path);
        let Some(class) = located.class() else { continue };
        match located.section.and_then(|section| sorted.iter().position(|known| *known == section)) {
            Some(at) => {
                counts[at] += 1;
                printer.detail(&format!("{}: {} ({})", sorted[at].name(), dotted(class), item.origin));
            }
            None => root += 1,
        }
    }
    let mut parts = vec![format!("{root} classes at the root")];
    parts.extend(sorted.iter().zip(counts).map(|(section, count)| format!("{} {count}", section.name())));
    printer.status("Masking", &parts.join(", "));
}
