//! How the files of one place are named and joined there.

use std::sync::Arc;

use manifests::agent_toml::MergeRule;

use super::input::{File, Role};
use crate::assemble::{Content, Layout};
use crate::error::Result;
use crate::merge::{self, Conflicts, Part, Relocation};
use crate::printer::Printer;

/// The rules of one place.
pub(super) struct Decisions {
    relocation: Option<Arc<Relocation>>,
    merge: Vec<MergeRule>,
    /// Where `merge` is written.
    at: String,
}

impl Decisions {
    /// Classes move by `relocation`, and `merge`, which is written at `at`, decides between two files.
    pub(super) fn new(relocation: Option<Arc<Relocation>>, merge: &[MergeRule], at: &str) -> Self {
        Self { relocation, merge: merge.to_vec(), at: at.to_owned() }
    }

    /// How classes move.
    pub(super) fn relocation(&self) -> Option<&Arc<Relocation>> {
        self.relocation.as_ref()
    }

    /// The path that a file has here, with the suffix that it has in an ordinary jar.
    pub(super) fn path(&self, file: &File<'_>) -> String {
        let path = file.plain_path();
        self.relocation.as_ref().and_then(|relocation| relocation.path(&path)).unwrap_or(path)
    }

    /// The content that a class has here.
    pub(super) fn content(&self, file: &File<'_>) -> Content {
        let (archive, index) = (Arc::clone(&file.input.archive), file.index);
        match &self.relocation {
            Some(relocation) if file.role == Role::Class => {
                Content::Moved { archive, index, relocation: Arc::clone(relocation) }
            }
            _ => Content::Entry { archive, index },
        }
    }

    /// The layout of `files`, in the order of the inputs, at the paths that `place` makes of theirs and with the contents
    /// that `finish` makes of theirs.
    ///
    /// # Errors
    /// Two different files claim one path and nothing decides, or a file is malformed.
    pub(super) fn layout(
        &self,
        mut files: Vec<(String, Part<'_>)>,
        place: impl Fn(&str) -> String,
        finish: &mut dyn FnMut(&str, Content) -> Result<Content>,
        printer: &Printer,
    ) -> Result<Layout> {
        let decisions = merge::Decisions::new((&self.merge, &self.at), self.relocation.clone())?;
        // Stable, so that the files of one path stay in the order of the inputs.
        files.sort_by(|one, two| one.0.cmp(&two.0));
        let mut layout = Layout::default();
        let mut conflicts = Conflicts::default();
        for group in files.chunk_by(|one, two| one.0 == two.0) {
            let path = group[0].0.as_str();
            let parts: Vec<Part<'_>> = group.iter().map(|(_, part)| *part).collect();
            let Some((content, origin)) = decisions.settle(path, &parts, &mut conflicts, printer)? else { continue };
            layout.add(place(path), finish(path, content)?, origin)?;
        }
        conflicts.check(place)?;
        Ok(layout)
    }
}
