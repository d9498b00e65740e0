//! From places to the files of the output: services are joined, identical files collapse, anything else is decided or
//! refused.

use std::collections::BTreeSet;

use super::files::Added;
use super::sections::Sections;
use super::slots::Slot;
use crate::assemble::{Content, Layout};
use crate::config::Config;
use crate::error::Result;
use crate::merge::{Decisions, MergeError, Outcome, Part};
use crate::origin::Origin;
use crate::printer::Printer;

/// Puts everything into a layout.
///
/// # Errors
/// Two different files claim one path and nothing decides, or files cannot be joined.
pub(super) fn layout(
    slots: &[Slot<'_>],
    folders: &BTreeSet<String>,
    added: &[Added],
    sections: &Sections,
    config: &Config,
    printer: &Printer,
) -> Result<Layout> {
    let merge = &config.toml.merge;
    let at = config.toml.place_of("merge").to_string();
    let decisions = Decisions::new((merge, &at), None)?.with_kind(|path| sections.locate(path).inner);
    let mut placed: Vec<(&str, Part<'_>)> = slots.iter().map(|slot| (slot.path.as_str(), slot.part)).collect();
    placed.extend(added.iter().map(|added| (added.path.as_str(), Part::File(&added.file))));
    // Stable, so that the files of one path stay in the order of the inputs.
    placed.sort_by_key(|(path, _)| *path);
    let mut layout = Layout::plain();
    for folder in folders {
        layout.add_folder(folder);
    }
    let mut conflicts: Vec<(&str, Origin, Origin)> = Vec::new();
    for group in placed.chunk_by(|one, two| one.0 == two.0) {
        let path = group[0].0;
        let parts: Vec<Part<'_>> = group.iter().map(|(_, part)| *part).collect();
        match decisions.decide(path, &parts, printer)? {
            Outcome::Copy(part) => layout.add(path, decisions.content(path, part)?, part.origin())?,
            Outcome::Made(bytes, how) => layout.add(path, Content::Bytes(bytes), Origin::Generated(how))?,
            Outcome::Conflict(first, second) => conflicts.push((path, first, second)),
        }
    }
    let mut conflicts = conflicts.into_iter();
    if let Some((path, first, second)) = conflicts.next() {
        let others = conflicts.map(|(path, ..)| path.to_owned()).collect();
        let (first, second) = (Box::new(first), Box::new(second));
        return Err(MergeError::Conflict { path: path.to_owned(), first, second, others }.into());
    }
    Ok(layout)
}
