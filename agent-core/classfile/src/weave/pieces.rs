//! Inserted code by the place it goes to.

use crate::code::layout::Insertion;
use std::collections::BTreeMap;

/// Code to insert before original instructions. What is added first runs first.
#[derive(Debug, Default)]
pub(super) struct Pieces(BTreeMap<usize, (Vec<u8>, Vec<u8>)>);

impl Pieces {
    /// Adds code that runs only when control falls through to `at`.
    pub(super) fn falling(&mut self, at: usize, code: &[u8]) {
        if !code.is_empty() {
            self.0.entry(at).or_default().0.extend_from_slice(code);
        }
    }

    /// Adds code that runs however control arrives.
    pub(super) fn always(&mut self, at: usize, code: &[u8]) {
        if !code.is_empty() {
            self.0.entry(at).or_default().1.extend_from_slice(code);
        }
    }

    pub(super) fn insertions(&self) -> Vec<Insertion<'_>> {
        self.0.iter().map(|(&at, (falling, always))| Insertion { at, falling, always, instead: None }).collect()
    }
}
