//! Masks ordinary agent jars: `layout = "masked"`, and `fatagent mask` as its short form.
//!
//! The result has our Loader and `MaskedClassLoader` at the root, the bootstrap classes that were asked for, and
//! everything else in sections, whose main classes the Loader calls as the JVM would. It has no native core.
//!
//! | module | task |
//! |---|---|
//! | `child` | class loaders of an agent that name no parent |
//! | `decide` | how files are named and joined in one place |
//! | `expand` | the short form as an `agent.toml` |
//! | `input` | what each entry of an input is |
//! | `selection` | which files are bootstrap ones |
//! | `moves` | how classes move at the root and in each section |
//! | `place` | where each file goes |
//! | `services` | service files |
//! | `manifest` | the manifests of the output and of its sections |

mod child;
mod decide;
mod error;
mod expand;
mod input;
mod manifest;
mod moves;
mod place;
mod selection;
pub(crate) mod services;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use expand::{Jars, Rules, expand, expand_rules};
pub(crate) use manifest::VERSIONS_LIST;

use std::sync::Arc;

use manifests::agent_toml::{Location, Parent, Section, Source, Versions};
use manifests::manifest::{Manifest, attribute};

use crate::archive::Limits;
use crate::assemble::{Content, Layout};
use crate::base::Base;
use crate::class::slashed;
use crate::config::Config;
use crate::error::{Error as BuildError, Result};
use crate::glob::Pattern;
use crate::maven;
use crate::merge::Relocation;
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;
use decide::Decisions;
use input::Input;
use selection::Selection;

/// The shim of the base that a masked agent needs.
const SHIM: &str = "io/btrace/boot/";

/// Attributes that name a main class, and the section that its loader reads.
const MAINS: [(&str, &str); 3] = [
    (attribute::BTRACE_AGENT_MAIN, "agent"),
    (attribute::BTRACE_ATTACH_MAIN, "agent"),
    (attribute::BTRACE_CLIENT_MAIN, "client"),
];

/// Everything that goes into the jar, and its manifest.
#[derive(Debug)]
pub(crate) struct Staged {
    /// The files.
    pub(crate) layout: Layout,
    /// The manifest, with its build id.
    pub(crate) manifest: Manifest,
    /// What tells how classes moved, once all are written.
    pub(crate) relocation: Option<Arc<Relocation>>,
}

/// The opened jars.
struct Inputs<'a> {
    bootstrap: Vec<Input>,
    sections: Vec<SectionInputs<'a>>,
}

struct SectionInputs<'a> {
    /// `agent`, `client` or `shared`.
    name: &'static str,
    section: &'a Section,
    inputs: Vec<Input>,
    exclude: Vec<Pattern>,
}

/// Reads the jars of a masked layout and places all their files; `file_name` is that of the output.
///
/// # Errors
/// The description is not one of a masked agent, an input is missing or malformed, or two files claim one place.
pub(crate) fn stage(
    config: &Config,
    base: &Base,
    file_name: &str,
    limits: Limits,
    printer: &Printer,
) -> Result<Staged> {
    refuse_other_layouts(config)?;
    let inputs = open(config, limits)?;
    let selection = Selection::new(config.toml.bootstrap.as_ref(), &config.origin)?;
    let relocations = moves::relocations(config, &inputs, &selection)?;
    let decisions =
        |relocation: &Option<Arc<Relocation>>| Decisions::new(relocation.clone(), &config.toml.merge, &config.origin);
    let moves =
        place::Moves { root: decisions(&relocations[0]), sections: relocations[1..].iter().map(decisions).collect() };
    let placed = place::place(&inputs, &selection, &moves, printer)?;
    moves::report_nested(&inputs, &moves, printer)?;

    let mut layout = Layout::default();
    for (index, entry) in base.archive.entries().iter().enumerate() {
        if entry.name.starts_with(SHIM) && !entry.is_dir() {
            layout.add_entry(entry.name.clone(), &base.archive, index)?;
        }
    }
    let mut merge = |prefix: &str, from: &Layout| -> Result<()> {
        from.iter().try_for_each(|(path, item)| {
            layout.add(format!("{prefix}{path}"), item.content.clone(), item.origin.clone())
        })
    };
    merge("", &placed.root)?;
    for (name, section) in &placed.sections {
        merge(&format!("{}{name}/", paths::SECTIONS), section)?;
    }
    for (section, decisions) in inputs.sections.iter().zip(&moves.sections) {
        if section.name == "shared" {
            continue;
        }
        let (bytes, origin) = manifest::of_section(section, &inputs.bootstrap, decisions.relocation())?;
        let path = format!("{}{}/{}", paths::SECTIONS, section.name, paths::MANIFEST);
        layout.add(path, Content::Bytes(bytes), origin)?;
    }
    if !placed.versions.is_empty() {
        let mut list: Vec<String> = placed.versions.iter().rev().map(u32::to_string).collect();
        list.push(String::new());
        let origin = Origin::Generated("from the versioned copies of the inputs".into());
        layout.add(VERSIONS_LIST, Content::Bytes(list.join("\n").into_bytes()), origin)?;
    }
    report(&placed, printer);

    let parent = inputs.sections.iter().find(|s| s.name == "agent").and_then(|s| s.section.parent);
    let by_section = inputs.sections.iter().zip(&relocations[1..]);
    let by_section = by_section.filter_map(|(section, moves)| Some((section.name, moves.clone()?))).collect();
    let main = manifest::Main {
        config,
        base,
        file_name,
        parent: parent.unwrap_or(Parent::Bootstrap),
        layout: &layout,
        relocations: &by_section,
    };
    let manifest = main.build(&layout.hash()?)?;
    check_mains(&manifest, &layout)?;
    let relocation = relocations.into_iter().flatten().next();
    Ok(Staged { layout, manifest, relocation })
}

fn report(placed: &place::Placed, printer: &Printer) {
    let classes = |layout: &Layout, suffix: &str| layout.iter().filter(|(path, _)| path.ends_with(suffix)).count();
    let mut parts = vec![format!("{} bootstrap classes", classes(&placed.root, paths::CLASS_SUFFIX))];
    for (name, layout) in &placed.sections {
        parts.push(format!("{name} {}", classes(layout, paths::MASKED_SUFFIX)));
        for (path, item) in layout.iter() {
            if let Some(class) = place::class_name(path) {
                printer.detail(&format!("{name}: {class} ({})", item.origin));
            }
        }
    }
    printer.status("Masking", &parts.join(", "));
}

/// Refuses what only another layout can do.
fn refuse_other_layouts(config: &Config) -> Result<()> {
    let toml = &config.toml;
    let mut found = None;
    if !toml.extensions.is_empty() || toml.discover.is_some() {
        found = Some("an extension".to_owned());
    } else if !toml.probes.is_empty() {
        found = Some("`[probes]`".to_owned());
    } else if !toml.args.is_empty() {
        found = Some("`[args]`".to_owned());
    } else if toml.agent.targets.as_ref().is_some_and(|targets| !targets.is_empty()) {
        found = Some("a core among `targets`".to_owned());
    }
    for section in &toml.sections {
        let of = |what: &str| format!("{what} of the section `{}`", section.path);
        let foreign = if section.suffix != paths::MASKED_SUFFIX {
            Some("`suffix`")
        } else if section.versions != Versions::Inside {
            Some("`versions = \"root\"`")
        } else {
            None
        };
        if let Some(what) = foreign {
            // Our Loader reads `.classdata` and versions inside a section only.
            return Err(BuildError::OtherLayout { at: section.at.to_string(), what: of(what), layout: "foreign" });
        }
        if section.parent.is_some() && ["/client", "/shared"].iter().any(|name| section.path.ends_with(name)) {
            found = Some(of("`parent`"));
        }
    }
    found.map_or(Ok(()), |found| {
        let what = format!("{found} with `layout = \"masked\"`");
        Err(BuildError::NotSupported { at: config.origin.clone(), what })
    })
}

fn open(config: &Config, limits: Limits) -> Result<Inputs<'_>> {
    let at = || config.origin.clone();
    let mut sections: Vec<SectionInputs<'_>> = Vec::new();
    for section in &config.toml.sections {
        let name = section.path.trim_end_matches('/').strip_prefix(paths::SECTIONS);
        let Some(name) = paths::SECTION_NAMES.into_iter().find(|known| Some(*known) == name) else {
            return Err(Error::SectionPath { at: at(), path: section.path.clone() }.into());
        };
        if sections.iter().any(|other| other.name == name) {
            return Err(Error::SectionTwice { at: at(), path: section.path.clone() }.into());
        }
        let exclude = selection::patterns(&section.exclude, &config.origin)?;
        sections.push(SectionInputs {
            name,
            section,
            inputs: open_all(config, &section.from, &section.at, limits)?,
            exclude,
        });
    }
    if !sections.iter().any(|section| section.name == "agent") {
        return Err(Error::NoAgentSection { at: at() }.into());
    }
    let bootstrap = config.toml.bootstrap.as_ref().map_or(&[][..], |bootstrap| &bootstrap.from);
    Ok(Inputs { bootstrap: open_all(config, bootstrap, config.toml.place_of("bootstrap.from"), limits)?, sections })
}

fn open_all(config: &Config, sources: &[Source], at: &Location, limits: Limits) -> Result<Vec<Input>> {
    let files = maven::files(sources, config, &at.to_string())?;
    files.iter().map(|path| Input::open(path, limits)).collect()
}

/// Each main class is where its loader looks.
fn check_mains(manifest: &Manifest, layout: &Layout) -> Result<()> {
    for (name, section) in MAINS {
        let Some(class) = manifest.main.get(name) else { continue };
        if main_places(class, section).iter().all(|path| layout.get(path).is_none()) {
            return Err(Error::NoMain { name, section, class: class.to_owned() }.into());
        }
    }
    Ok(())
}

/// Where the loader of a section looks for a class.
pub(crate) fn main_places(class: &str, section: &str) -> [String; 3] {
    let class = slashed(class.trim());
    [
        format!("{class}{}", paths::CLASS_SUFFIX),
        format!("{}{section}/{class}{}", paths::SECTIONS, paths::MASKED_SUFFIX),
        format!("{}shared/{class}{}", paths::SECTIONS, paths::MASKED_SUFFIX),
    ]
}
