//! Which line an instruction belongs to.

use crate::bytes::Cursor;
use crate::code::{Code, Failure};

/// The line number tables of a method.
#[derive(Debug)]
pub(super) struct Lines {
    /// Offset and line, by offset, else in the order of the table.
    entries: Vec<(usize, u16)>,
}

impl Lines {
    pub(super) fn read(code: &Code<'_>) -> Result<Self, Failure> {
        let mut entries = Vec::new();
        for (_, attribute) in code.attributes.iter().filter(|(_, attribute)| attribute.name == b"LineNumberTable") {
            let mut cursor = Cursor::new(attribute.data, attribute.offset);
            for _ in 0..cursor.u2()? {
                entries.push((usize::from(cursor.u2()?), cursor.u2()?));
            }
        }
        entries.sort_by_key(|entry| entry.0);
        Ok(Self { entries })
    }

    /// Line of the instruction at `at`, 0 if it is not known.
    pub(super) fn at(&self, at: usize) -> u16 {
        let next = self.entries.partition_point(|entry| entry.0 <= at);
        next.checked_sub(1).map_or(0, |last| self.entries[last].1)
    }

    /// Each entry: its offset, its line, and where the code of the next line begins.
    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, u16, Option<usize>)> + '_ {
        self.entries.iter().map(|&(at, line)| {
            let next = self.entries.partition_point(|entry| entry.0 <= at);
            (at, line, self.entries.get(next).map(|entry| entry.0))
        })
    }
}
