//! Writes the class file with its changed texts.

use super::error::Error;
use super::rules::Rules;
use super::table::{Table, Text};
use super::{Change, Plan, With};

/// The greatest length of a text and the greatest count of constants.
pub(super) const LIMIT: usize = u16::MAX as usize;

/// Copies `bytes`, with the changes of the plan, and `added` texts at the end of the pool.
pub(super) fn write(
    bytes: &[u8],
    table: &Table,
    rules: &Rules,
    plan: &Plan,
    added: &[Vec<u8>],
) -> Result<Vec<u8>, Error> {
    let count = usize::from(table.count) + added.len();
    if count > LIMIT {
        return Err(Error::PoolTooLarge { got: count });
    }
    // Lengths first, so that the output is allocated once.
    let mut size = bytes.len();
    for change in &plan.changes {
        size = size + length(bytes, change, rules, plan)? - usize::from(change.text.length);
    }
    size += added.iter().map(|text| 3 + text.len()).sum::<usize>();
    let mut out = Vec::with_capacity(size + PAD);
    out.extend_from_slice(&bytes[..8]);
    out.extend_from_slice(&(count as u16).to_be_bytes());
    let mut copied = 10;
    for change in &plan.changes {
        let start = change.text.at as usize + 3;
        let end = start + usize::from(change.text.length);
        copy(&mut out, bytes, copied, start - 2);
        let length_at = out.len();
        out.extend_from_slice(&[0, 0]);
        match change.with {
            With::Edits(first, last) => {
                let mut at = start;
                for edit in &plan.edits[first as usize..last as usize] {
                    let rule = rules.rule(edit.rule);
                    let name = start + edit.at as usize;
                    copy(&mut out, bytes, at, name);
                    out.extend_from_slice(&rule.internal);
                    at = name + rule.from;
                }
                copy(&mut out, bytes, at, end);
            }
            With::Owned(index) => out.extend_from_slice(&plan.owned[index as usize]),
        }
        let length = (out.len() - length_at - 2) as u16;
        out[length_at..length_at + 2].copy_from_slice(&length.to_be_bytes());
        copied = end;
    }
    out.extend_from_slice(&bytes[copied..table.end]);
    for text in added {
        out.push(crate::reader::tag::UTF8);
        out.extend_from_slice(&(text.len() as u16).to_be_bytes());
        out.extend_from_slice(text);
    }
    out.extend_from_slice(&bytes[table.end..]);
    Ok(out)
}

/// How many bytes are copied at once where fewer are asked for.
const PAD: usize = 32;

/// Appends `bytes[from..to]`. Most such parts are short, and a copy of fixed length is much faster than one that must look
/// at the length; what was copied beyond the end is forgotten again.
#[inline]
fn copy(out: &mut Vec<u8>, bytes: &[u8], from: usize, to: usize) {
    let length = to - from;
    if length <= PAD
        && let Some(part) = bytes[from..].first_chunk::<PAD>()
    {
        let end = out.len() + length;
        out.extend_from_slice(part);
        out.truncate(end);
    } else {
        out.extend_from_slice(&bytes[from..to]);
    }
}

/// Length of the new text, which must fit.
fn length(bytes: &[u8], change: &Change, rules: &Rules, plan: &Plan) -> Result<usize, Error> {
    let new = match change.with {
        With::Owned(index) => plan.owned[index as usize].len(),
        With::Edits(first, last) => {
            plan.edits[first as usize..last as usize].iter().fold(usize::from(change.text.length), |length, edit| {
                let rule = rules.rule(edit.rule);
                length + rule.internal.len() - rule.from
            })
        }
    };
    if new > LIMIT { Err(too_long(bytes, change.text, new)) } else { Ok(new) }
}

#[cold]
pub(super) fn too_long(bytes: &[u8], text: Text, got: usize) -> Error {
    let start: String = String::from_utf8_lossy(text.of(bytes)).chars().take(60).collect();
    Error::ConstantTooLong { index: text.index, start, got }
}
