//! `[relocate]`: how the classes of the inputs move, by the rules of the place that holds them. Those of the base stay.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::description::Described;
use super::files::Added;
use super::inputs::Inputs;
use super::sections::Sections;
use super::slots::{From, Slot};
use crate::archive::{Archive, Limits};
use crate::config::Config;
use crate::error::Result;
use crate::merge::{self, Holdings, Part, Place, Relocation};
use crate::paths;
use crate::printer::Printer;

/// How classes move, first at the root, then in each section.
#[derive(Debug)]
pub(super) struct Moves(Vec<Option<Arc<Relocation>>>);

impl Moves {
    /// Rules that agree with each other: what a class sees in another place, or in the base, has the name that it has
    /// there.
    ///
    /// # Errors
    /// A rule is wrong, a class sees two names for one, or an input was moved by the same rule before.
    pub(super) fn new(
        slots: &[Slot<'_>],
        described: &[Described<'_>],
        sections: &Sections,
        inputs: &Inputs,
        config: &Config,
    ) -> Result<Self> {
        let global = &config.toml.relocate;
        if global.is_empty() && described.iter().all(|described| described.table.relocate.is_empty()) {
            return Ok(Self(Vec::new()));
        }
        let of_base = sections.sorted();
        let base = described.len() + 1;
        let place = |name: String, rules, sees| Place { name, rules, classes: BTreeMap::new(), sees };
        let everywhere = |but: usize| (0..base + 1 + of_base.len()).filter(move |number| *number != but).collect();
        let mut places = vec![place("the root".into(), global.clone(), everywhere(0))];
        for (number, Described { section, table }) in described.iter().enumerate() {
            let rules = merge::combined(global, &table.relocate);
            places.push(place(format!("the section `{}`", section.name()), rules, everywhere(number + 1)));
        }
        places.push(place("the root of the base".into(), Vec::new(), Vec::new()));
        for section in &of_base {
            places.push(place(format!("the section `{}` of the base", section.name()), Vec::new(), Vec::new()));
        }
        for slot in slots.iter().filter(|slot| slot.version.is_none()) {
            let located = sections.locate(&slot.path);
            let number = match (slot.from, located.section) {
                (From::Bootstrap, _) => 0,
                (From::Section(number), _) => number + 1,
                (From::Base, None) => base,
                (From::Base, Some(section)) => {
                    base + 1 + of_base.iter().position(|known| *known == section).unwrap_or_default()
                }
            };
            if located.class().is_some()
                && let Some((class, _)) = slot.inner.rsplit_once('.')
            {
                places[number].classes.entry(class).or_insert(slot.part);
            }
        }
        let others = inputs.jars.iter().skip(usize::from(inputs.has_base));
        let archives: Vec<_> = others.clone().map(|input| Arc::clone(&input.archive)).collect();
        let mut relocations = merge::agreeing(&places, config.toml.relocate_literals, Holdings::of(&archives))?;
        relocations.truncate(base);
        for input in others {
            for relocation in relocations.iter().flatten() {
                merge::refuse_repetition(&input.archive, &input.manifest, Some(relocation))?;
            }
        }
        Ok(Self(relocations))
    }

    /// How classes move of what a table brings.
    pub(super) fn of(&self, from: From) -> Option<&Arc<Relocation>> {
        let number = match from {
            From::Base => return None,
            From::Bootstrap => 0,
            From::Section(number) => number + 1,
        };
        self.0.get(number)?.as_ref()
    }

    /// One of them, which tells what came of all.
    pub(super) fn first(&self) -> Option<Arc<Relocation>> {
        self.0.iter().flatten().next().cloned()
    }

    /// Gives all files their new places.
    pub(super) fn apply<'s>(&'s self, slots: Vec<Slot<'s>>, sections: &Sections) -> Vec<Slot<'s>> {
        slots.into_iter().map(|slot| self.moved(slot, sections)).collect()
    }

    fn moved<'s>(&'s self, mut slot: Slot<'s>, sections: &Sections) -> Slot<'s> {
        let (Some(relocation), Part::Entry { archive, index }) = (self.of(slot.from), slot.part) else { return slot };
        slot.part = Part::Moved { archive, index, plain: slot.inner, relocation };
        let Some(plain) = relocation.path(slot.inner) else { return slot };
        let located = sections.locate(&slot.path);
        let masked = match (located.section, located.class(), plain.strip_suffix(paths::CLASS_SUFFIX)) {
            (Some(section), Some(_), Some(class)) => format!("{class}{}", section.suffix),
            _ => plain,
        };
        slot.path.truncate(slot.path.len() - located.inner.len());
        slot.path.push_str(&masked);
        slot
    }

    /// Warns about jars within the inputs, and files that are jars, which stay as they are.
    ///
    /// # Errors
    /// One holds more than the limits of reading allow.
    pub(super) fn report_nested(
        &self,
        inputs: &Inputs,
        added: &[Added],
        limits: Limits,
        printer: &Printer,
    ) -> Result<()> {
        if self.first().is_none() {
            return Ok(());
        }
        let named = std::iter::once(&inputs.bootstrap).chain(&inputs.sections);
        for (jars, relocation) in named.zip(&self.0) {
            let archives: Vec<_> = jars.iter().map(|jar| Arc::clone(&inputs.jars[*jar].archive)).collect();
            if let Some(relocation) = relocation {
                merge::report_nested(&archives, relocation, printer)?;
            }
        }
        // They belong to no section, so any rule may have been meant for them.
        let moves = |path: &str| self.0.iter().flatten().any(|relocation| relocation.path(path).is_some());
        for added in added.iter().filter(|added| added.is_jar()) {
            // One after the other: there may be more of them than files that a process can have open.
            merge::report_whole(&Archive::open_with(&added.file, limits)?, &moves, printer)?;
        }
        Ok(())
    }
}
