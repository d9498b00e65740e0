//! Gives uses that disagree about a text one text each.

use super::error::Error;
use super::rules::Rules;
use super::table::{Table, Text, Uses, role};
use super::walk::walk;
use super::write::{LIMIT, too_long, write};
use super::{Change, Scratch, With, names};
use std::collections::HashMap;

/// Moves uses of a text to another one.
struct Repoint<'r> {
    bytes: &'r mut [u8],
    moved: &'r HashMap<(u16, u8), u16>,
}

impl Uses for Repoint<'_> {
    fn text(&mut self, at: usize, index: u16, role: u8) {
        // Reading has found these two bytes before; they are checked again all the same.
        if let Some(new) = self.moved.get(&(index, role))
            && let Some(place) = self.bytes.get_mut(at..at + 2)
        {
            place.copy_from_slice(&new.to_be_bytes());
        }
    }
}

/// Rewrites a class some of whose texts must be split.
pub(super) fn split(bytes: &[u8], scratch: &mut Scratch, rules: &Rules) -> Result<Vec<u8>, Error> {
    let mut added: Vec<Vec<u8>> = Vec::new();
    let mut moved = HashMap::new();
    for text in std::mem::take(&mut scratch.plan.conflicts) {
        let forms = forms(bytes, text, scratch, rules);
        // The index stays with the old text if any use wants that, so that members and attributes keep their names.
        let old = text.of(bytes);
        let kept = forms.iter().position(|(form, _)| form == old).unwrap_or_default();
        for (number, (form, roles)) in forms.into_iter().enumerate() {
            if form.len() > LIMIT {
                return Err(too_long(bytes, text, form.len()));
            }
            if number == kept {
                if form != old {
                    let with = With::Owned(scratch.plan.owned.len() as u32);
                    scratch.plan.owned.push(form);
                    scratch.plan.changes.push(Change { text, with });
                }
                continue;
            }
            let index = usize::from(scratch.table.count) + added.len();
            if index >= LIMIT {
                return Err(Error::PoolTooLarge { got: index + 1 });
            }
            moved.extend(roles.into_iter().map(|role| ((text.index, role), index as u16)));
            added.push(form);
        }
    }
    scratch.plan.changes.sort_by_key(|change| change.text.at);
    let mut repointed = bytes.to_vec();
    let mut table = Table::new();
    let mut uses = Repoint { bytes: &mut repointed, moved: &moved };
    let again = table.read(bytes, &mut uses).and_then(|()| walk(bytes, &mut table, &mut uses));
    again.map_err(|source| Error::of(bytes, source))?;
    write(&repointed, &table, rules, &scratch.plan, &added)
}

/// What the uses of a text want it to be.
fn forms(bytes: &[u8], text: Text, scratch: &Scratch, rules: &Rules) -> Vec<(Vec<u8>, Vec<u8>)> {
    let content = text.of(bytes);
    let roles = scratch.roles[usize::from(text.index)];
    let mut forms: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for role in (0..8).map(|bit| 1 << bit).filter(|role| roles & role != 0) {
        let form = match role {
            role::LITERAL => scratch.plan.literal(text.index).unwrap_or(content).to_vec(),
            role::PLAIN | role::KOTLIN_DATA => content.to_vec(),
            _ => {
                let mut edits = Vec::new();
                names(rules, role, content, &mut edits);
                rules.apply(content, &edits)
            }
        };
        match forms.iter_mut().find(|(known, _)| *known == form) {
            Some((_, roles)) => roles.push(role),
            None => forms.push((form, vec![role])),
        }
    }
    forms
}
