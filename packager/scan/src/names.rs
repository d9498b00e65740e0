//! Numbers for the names of classes, so that each is hashed and compared with the rules once.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Distinct names, numbered in the order in which they were met.
#[derive(Debug, Default)]
pub(crate) struct Names<'s> {
    numbers: FxHashMap<&'s [u8], u32>,
    list: Vec<&'s [u8]>,
}

impl<'s> Names<'s> {
    /// The number of a name, a new one if it was not met before.
    #[inline]
    pub(crate) fn number(&mut self, name: &'s [u8]) -> u32 {
        match self.numbers.entry(name) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.list.push(name);
                *new.insert(self.list.len() as u32 - 1)
            }
        }
    }

    /// The number of a name that was met.
    pub(crate) fn find(&self, name: &[u8]) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(crate) fn get(&self, number: u32) -> &'s [u8] {
        self.list[number as usize]
    }

    pub(crate) fn list(&self) -> &[&'s [u8]] {
        &self.list
    }
}
