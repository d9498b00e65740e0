//! From places to the files of the output: services are joined, identical files collapse, anything else is decided or
//! refused.

use std::collections::BTreeSet;

use super::files::Added;
use super::sections::Sections;
use super::slots::Slot;
use crate::assemble::Layout;
use crate::config::Config;
use crate::error::Result;
use crate::merge::{Conflicts, Decisions, Part};
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
    let mut conflicts = Conflicts::default();
    for group in placed.chunk_by(|one, two| one.0 == two.0) {
        let path = group[0].0;
        let parts: Vec<Part<'_>> = group.iter().map(|(_, part)| *part).collect();
        if let Some((content, origin)) = decisions.settle(path, &parts, &mut conflicts, printer)? {
            layout.add(path, content, origin)?;
        }
    }
    conflicts.check(str::to_owned)?;
    Ok(layout)
}
