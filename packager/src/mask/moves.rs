//! How classes move in the places of a masked jar, which see each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Inputs;
use super::input::{File, Input, Role};
use super::place::Moves;
use super::selection::{Selection, any};
use crate::config::Config;
use crate::error::Result;
use crate::merge::{self, Holdings, Relocation};
use crate::paths;
use crate::printer::Printer;

/// How classes move at the root, then in each section: by the rules there, and by those of what they see.
///
/// # Errors
/// A rule is wrong, an input was relocated by it before, or a class names one that moves to two names.
pub(super) fn relocations(
    config: &Config,
    inputs: &Inputs<'_>,
    selection: &Selection,
) -> Result<Vec<Option<Arc<Relocation>>>> {
    let all = || inputs.bootstrap.iter().chain(inputs.sections.iter().flat_map(|section| &section.inputs));
    let global = &config.toml.relocate;
    let number = |name: &str| inputs.sections.iter().position(|section| section.name == name).map(|index| index + 1);
    let own = inputs.bootstrap.iter().flat_map(|input| input.files().map(|file| (file, true)));
    let others = inputs.sections.iter().flat_map(|section| &section.inputs);
    let others = others.flat_map(|input| input.files().map(|file| (file, false)));
    let at_root = own.chain(others).filter(|(file, own)| selection.takes(file.path, *own));
    let mut places = vec![merge::Place {
        name: "the bootstrap".into(),
        rules: global.clone(),
        classes: held(at_root.map(|(file, _)| file)),
        sees: ["agent", "shared", "client"].into_iter().filter_map(number).collect(),
    }];
    for section in &inputs.sections {
        let sees: &[&str] = match section.name {
            // It is defined by the loader of whichever section asks.
            "shared" => &["agent", "client"],
            _ => &["shared"],
        };
        let own = section.inputs.iter().flat_map(Input::files);
        let own = own.filter(|file| !any(&section.exclude, file.path) && !selection.takes(file.path, false));
        // What bootstrap jars have beside bootstrap classes is placed in agent and client alike.
        let rest = inputs.bootstrap.iter().flat_map(Input::files);
        let rest = rest.filter(|file| section.name != "shared" && !selection.takes(file.path, true));
        places.push(merge::Place {
            name: format!("the section `{}`", section.name),
            rules: merge::combined(global, &section.section.relocate),
            classes: held(own.chain(rest)),
            sees: std::iter::once(0).chain(sees.iter().copied().filter_map(number)).collect(),
        });
    }
    let archives: Vec<_> = all().map(|input| Arc::clone(&input.archive)).collect();
    let relocations = merge::agreeing(&places, config.toml.relocate_literals, Holdings::of(&archives))?;
    for input in all() {
        for relocation in relocations.iter().flatten() {
            merge::refuse_repetition(&input.archive, &input.manifest, Some(relocation))?;
        }
    }
    Ok(relocations)
}

/// The classes among `files`, by name.
fn held<'a>(files: impl Iterator<Item = File<'a>>) -> BTreeMap<&'a str, merge::Part<'a>> {
    let classes = files.filter(|file| file.role == Role::Class && file.version.is_none());
    classes.filter_map(|file| Some((file.path.strip_suffix(paths::CLASS_SUFFIX)?, file.part()))).collect()
}

/// Warns about jars within the inputs.
///
/// # Errors
/// One holds more than the limits of reading allow.
pub(super) fn report_nested(inputs: &Inputs<'_>, moves: &Moves, printer: &Printer) -> Result<()> {
    let archives = |inputs: &[Input]| inputs.iter().map(|input| Arc::clone(&input.archive)).collect::<Vec<_>>();
    let root = std::iter::once((&inputs.bootstrap, &moves.root));
    let sections = inputs.sections.iter().map(|section| &section.inputs).zip(&moves.sections);
    for (inputs, decisions) in root.chain(sections) {
        if let Some(relocation) = decisions.relocation() {
            merge::report_nested(&archives(inputs), relocation, printer)?;
        }
    }
    Ok(())
}
