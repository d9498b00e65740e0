//! Inserted code by the place it goes to.

use crate::code::layout::Insertion;

/// Code to insert before original instructions. What is added first runs first.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    list: Vec<Piece>,
    code: Vec<u8>,
}

/// One piece; pieces are in the order in which they run once they are sorted.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    at: usize,
    /// Falling code comes first.
    always: bool,
    /// Where it begins in the code of all, which also tells what was added first.
    start: usize,
    end: usize,
}

impl Pieces {
    /// Adds code that runs only when control falls through to `at`.
    pub(super) fn falling(&mut self, at: usize, code: &[u8]) {
        self.add(at, false, code);
    }

    /// Adds code that runs however control arrives.
    pub(super) fn always(&mut self, at: usize, code: &[u8]) {
        self.add(at, true, code);
    }

    fn add(&mut self, at: usize, always: bool, code: &[u8]) {
        if !code.is_empty() {
            let start = self.code.len();
            self.code.extend_from_slice(code);
            self.list.push(Piece { at, always, start, end: self.code.len() });
        }
    }

    /// Brings the pieces of each place together.
    pub(super) fn sorted(mut self) -> Sorted {
        self.list.sort_unstable();
        let mut sorted =
            Sorted { places: Vec::with_capacity(self.list.len()), code: Vec::with_capacity(self.code.len()) };
        for piece in &self.list {
            let start = sorted.code.len();
            sorted.code.extend_from_slice(&self.code[piece.start..piece.end]);
            if sorted.places.last().is_none_or(|place| place.at != piece.at) {
                sorted.places.push(Place { at: piece.at, start, always: start, end: start });
            }
            if let Some(place) = sorted.places.last_mut() {
                place.end = sorted.code.len();
                if !piece.always {
                    place.always = place.end;
                }
            }
        }
        sorted
    }
}

/// Pieces of each place, ascending.
#[derive(Debug)]
pub(super) struct Sorted {
    places: Vec<Place>,
    code: Vec<u8>,
}

/// Falling code from `start` to `always`, and from there to `end` what always runs.
#[derive(Debug)]
struct Place {
    at: usize,
    start: usize,
    always: usize,
    end: usize,
}

impl Sorted {
    pub(super) fn insertions(&self) -> Vec<Insertion<'_>> {
        let code = |from, to| &self.code[from..to];
        let insertion = |place: &Place| Insertion {
            at: place.at,
            falling: code(place.start, place.always),
            always: code(place.always, place.end),
            instead: None,
        };
        self.places.iter().map(insertion).collect()
    }
}
