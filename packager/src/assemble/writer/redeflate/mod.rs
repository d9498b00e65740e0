//! Deflates a class file again after relocation, with the matches that its compressed form had.
//!
//! Finding matches is most of the work of any compressor. Here they are known: relocation changes some names in the
//! constant pool, and what was a copy of earlier bytes mostly still is one, perhaps at another distance. So the entry is
//! inflated with its matches, these are carried over to the new bytes and each one is compared before it is used, and what
//! relocation inserted is looked for where it was inserted before. The result is as small as the input's compressor made
//! it. Anything out of the ordinary makes the caller use the ordinary compressor.

mod align;
mod encode;
mod format;
mod huffman;
mod matches;

use align::{Run, align};
use encode::Encoder;
use format::{MAX_MATCH, MIN_MATCH, WINDOW};
use matches::{Inflater, Match};

/// Bits of the table of places where something was inserted.
const HASH: u32 = 10;
/// Bytes that are looked up there.
const KEY: usize = 4;

/// Inflates and deflates one entry after another with the same memory.
pub(super) struct Recoder {
    inflater: Inflater,
    encoder: Encoder,
    runs: Vec<Run>,
    /// For each old place the new one.
    places: Vec<u32>,
    /// Where the next inserted bytes were seen last, one more than that; 0 for nowhere.
    inserted: Box<[u32; 1 << HASH]>,
}

impl Recoder {
    pub(super) fn new() -> Self {
        Self {
            inflater: Inflater::new(),
            encoder: Encoder::new(),
            runs: Vec::new(),
            places: Vec::new(),
            inserted: Box::new([0; 1 << HASH]),
        }
    }

    /// Inflates `data` to exactly `size` bytes; nothing if it cannot be done, whatever the reason.
    pub(super) fn inflate(&mut self, data: &[u8], size: usize) -> Option<&[u8]> {
        self.inflater.inflate(data, size)?;
        Some(self.inflater.bytes())
    }

    /// Deflates `new`, what has become of the class file inflated last; nothing if it has nothing in common with that.
    pub(super) fn deflate(&mut self, new: &[u8]) -> Option<&[u8]> {
        let old = self.inflater.bytes();
        align(old, new, &mut self.runs)?;
        self.places.clear();
        for run in &self.runs {
            // What has been replaced is taken for what comes next.
            self.places.resize(run.old, run.new as u32);
            self.places.extend(run.new as u32..(run.new + run.length) as u32);
        }
        self.inserted.fill(0);
        self.encoder.clear();
        let mut pass = Pass {
            new,
            matches: self.inflater.matches(),
            places: &self.places,
            inserted: &mut self.inserted,
            encoder: &mut self.encoder,
            at: 0,
        };
        for run in &self.runs {
            pass.insertion(run);
            pass.run(run);
        }
        Some(self.encoder.finish())
    }
}

/// One pass over the new bytes.
struct Pass<'a> {
    new: &'a [u8],
    /// Old matches that do not end before the current place.
    matches: &'a [Match],
    places: &'a [u32],
    inserted: &'a mut [u32; 1 << HASH],
    encoder: &'a mut Encoder,
    at: usize,
}

impl Pass<'_> {
    /// Encodes up to where `next` begins: what relocation has put there.
    fn insertion(&mut self, next: &Run) {
        while self.at < next.new {
            let at = self.at;
            let mut found = (0, 0);
            // What follows may be a copy of what follows the same insertion elsewhere.
            if let Some(known) = self.covering(next.old)
                && let Some(source) = self.source(next.old, known)
                && let Some(source) = source.checked_sub(next.new - at)
            {
                found = (self.common(source), source);
            }
            if let Some(key) = self.new[at..].first_chunk::<KEY>() {
                let slot =
                    &mut self.inserted[(u32::from_le_bytes(*key).wrapping_mul(0x9E37_79B1) >> (32 - HASH)) as usize];
                let last = std::mem::replace(slot, at as u32 + 1);
                if last > 0 {
                    let source = last as usize - 1;
                    let length = self.common(source);
                    if length > found.0 {
                        found = (length, source);
                    }
                }
            }
            self.take(found.0, found.1);
        }
    }

    /// Encodes what is left of a run.
    fn run(&mut self, run: &Run) {
        let end = run.new + run.length;
        while self.at < end {
            let old = run.old + (self.at - run.new);
            match self.covering(old) {
                Some(known) if known.at as usize <= old => {
                    let source = self.source(old, known);
                    let length = source.map_or(0, |source| self.common(source));
                    self.take(length, source.unwrap_or_default());
                }
                next => {
                    let literals = next.map_or(end, |next| end.min(run.new + (next.at as usize - run.old)));
                    for &byte in &self.new[self.at..literals] {
                        self.encoder.literal(byte);
                    }
                    self.at = literals;
                }
            }
        }
    }

    /// The first match that ends behind an old place.
    #[inline]
    fn covering(&mut self, old: usize) -> Option<Match> {
        while let [first, rest @ ..] = self.matches {
            if first.at as usize + usize::from(first.length) > old {
                return Some(*first);
            }
            self.matches = rest;
        }
        None
    }

    /// Where that which a match copies to an old place lies now, if it does so before the current place.
    #[inline]
    fn source(&self, old: usize, known: Match) -> Option<usize> {
        let source = *self.places.get(old.checked_sub(known.distance.into())?)? as usize;
        (source < self.at && known.at as usize <= old).then_some(source)
    }

    /// How many bytes at `source` are those at the current place, as far as a match may go.
    #[inline]
    fn common(&self, source: usize) -> usize {
        let at = self.at;
        if source >= at || at - source > WINDOW {
            return 0;
        }
        let most = (self.new.len() - at).min(MAX_MATCH);
        let (here, there) = (&self.new[at..at + most], &self.new[source..source + most]);
        let (chunks, rest) = here.as_chunks::<8>();
        for (index, (one, two)) in chunks.iter().zip(there.as_chunks::<8>().0).enumerate() {
            let differ = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*two);
            if differ != 0 {
                return index * 8 + differ.trailing_zeros() as usize / 8;
            }
        }
        let done = chunks.len() * 8;
        done + rest.iter().zip(&there[done..]).take_while(|(one, two)| one == two).count()
    }

    /// Encodes a match of `length` bytes from `source`, or one literal if that is too short.
    #[inline]
    fn take(&mut self, length: usize, source: usize) {
        if length >= MIN_MATCH {
            self.encoder.matched(length, self.at - source);
            self.at += length;
        } else {
            self.encoder.literal(self.new[self.at]);
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use flate2::Compression;
    use proptest::prelude::*;

    use super::*;

    fn deflated(bytes: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn inflated(data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        flate2::read::DeflateDecoder::new(data).read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// What has the form of a class file as far as it matters here: texts, some numbers, and a rest.
    fn class<'t>(texts: impl Iterator<Item = &'t str>, rest: &[u8]) -> Vec<u8> {
        let mut pool = Vec::new();
        let mut count = 1_u16;
        for text in texts {
            pool.push(1);
            pool.extend((text.len() as u16).to_be_bytes());
            pool.extend(text.as_bytes());
            pool.extend([7, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 1]);
            count += 4;
        }
        let mut class = b"\xca\xfe\xba\xbe\0\0\0\x34".to_vec();
        class.extend(count.to_be_bytes());
        class.extend(pool);
        class.extend(rest);
        class
    }

    fn recoded(old: &[u8], new: &[u8], level: u32) -> Vec<u8> {
        let mut recoder = Recoder::new();
        assert_eq!(recoder.inflate(&deflated(old, level), old.len()), Some(old));
        recoder.deflate(new).unwrap().to_vec()
    }

    #[test]
    fn matches_follow_what_was_inserted() {
        let texts: Vec<String> = (0..300).map(|n| format!("(ILorg/dep/Part{};Lorg/dep/Other{n};)V", n % 17)).collect();
        let moved: Vec<String> = texts.iter().map(|text| text.replace("org/dep", "shadow/org/dep")).collect();
        let rest = b"no name in here".repeat(40);
        let old = class(texts.iter().map(String::as_str), &rest);
        let new = class(moved.iter().map(String::as_str), &rest);
        let found = recoded(&old, &new, 6);
        assert!(inflated(&found) == new);
        let usual = deflated(&new, 6).len();
        assert!(found.len() < usual + usual / 20, "{} against {usual}", found.len());
    }

    #[test]
    fn every_kind_of_block_is_inflated() {
        let text: Vec<u8> = (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 29) as u8).collect();
        for level in 0..=9 {
            for bytes in [&b""[..], b"a", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaa", &text] {
                assert_eq!(Recoder::new().inflate(&deflated(bytes, level), bytes.len()), Some(bytes), "level {level}");
            }
        }
        let data = deflated(&text, 6);
        for (data, size) in [(&data[..data.len() - 1], text.len()), (&data, text.len() - 1), (&data, text.len() + 1)] {
            assert_eq!(Recoder::new().inflate(data, size), None);
        }
    }

    #[test]
    fn what_is_no_class_is_refused() {
        let mut recoder = Recoder::new();
        recoder.inflate(&deflated(b"short", 6), 5).unwrap();
        assert_eq!(recoder.deflate(b"other"), None);
    }

    proptest! {
        #[test]
        fn texts_may_change_in_any_way(
            texts in prop::collection::vec("[ab/;L]{0,40}", 0..60),
            from in "[ab/]{1,3}", to in "[abc/]{0,9}", level in 0_u32..=9, rest in prop::collection::vec(0_u8..4, 0..300),
        ) {
            let old = class(texts.iter().map(String::as_str), &rest);
            let moved: Vec<String> = texts.iter().map(|text| text.replace(&from, &to)).collect();
            let new = class(moved.iter().map(String::as_str), &rest);
            prop_assert_eq!(inflated(&recoded(&old, &new, level)), new);
        }

        #[test]
        fn texts_may_be_added(texts in prop::collection::vec("[ab/]{0,30}", 1..40)) {
            let old = class(texts.iter().map(String::as_str), b"rest");
            let added = texts.iter().chain(&texts[..1]).map(String::as_str);
            let new = class(added, b"rest");
            prop_assert_eq!(inflated(&recoded(&old, &new, 6)), new);
        }

        #[test]
        fn damaged_data_is_refused_or_inflated(
            bytes in prop::collection::vec(0_u8..9, 1..2000), at in any::<prop::sample::Index>(), value: u8,
        ) {
            let mut data = deflated(&bytes, 6);
            let at = at.index(data.len());
            data[at] = value;
            let mut usual = Vec::new();
            let fine = flate2::read::DeflateDecoder::new(&data[..]).read_to_end(&mut usual).is_ok();
            let mut recoder = Recoder::new();
            if let Some(found) = recoder.inflate(&data, bytes.len()) {
                prop_assert!(fine);
                prop_assert_eq!(found, &usual);
            }
        }

        #[test]
        fn any_bytes_are_refused_or_inflated(data: Vec<u8>, size in 0_usize..500) {
            let mut recoder = Recoder::new();
            if recoder.inflate(&data, size).is_some() {
                recoder.deflate(b"anything");
            }
        }
    }
}
