//! Writes blocks of literals and matches.

use super::format::{
    DISTANCE_CODES, DISTANCES, END, LENGTH_CODE, LENGTH_CODES, LENGTHS, LITERALS, LONGEST, LONGEST_LENGTH, ORDER,
    codes, distance_code,
};
use super::huffman;

/// Literals and matches of one block. Longer data has several, each with codes of its own.
const BLOCK: usize = 24 * 1024;

/// A literal, or a match with the highest bit set, then its length and its distance.
type Symbol = u32;
const MATCH: Symbol = 1 << 31;

/// Takes literals and matches in order, and writes them.
pub(super) struct Encoder {
    symbols: Vec<Symbol>,
    literals: [u32; LITERALS],
    distances: [u32; DISTANCES],
    output: Vec<u8>,
    hold: u64,
    count: u32,
}

/// Codes of an alphabet with their lengths.
struct Codes<const N: usize> {
    lengths: [u8; N],
    codes: [u16; N],
}

impl<const N: usize> Codes<N> {
    fn new(frequencies: &[u32; N], limit: usize) -> Self {
        let mut made = Self { lengths: [0; N], codes: [0; N] };
        huffman::lengths(frequencies, limit, &mut made.lengths);
        codes(&made.lengths, &mut made.codes);
        made
    }

    /// How many there are up to the last that is used.
    fn used(&self, least: usize) -> usize {
        self.lengths.iter().rposition(|&length| length > 0).map_or(least, |last| least.max(last + 1))
    }
}

impl Encoder {
    pub(super) fn new() -> Self {
        Self {
            symbols: Vec::new(),
            literals: [0; LITERALS],
            distances: [0; DISTANCES],
            output: Vec::new(),
            hold: 0,
            count: 0,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.start_block();
        self.output.clear();
        (self.hold, self.count) = (0, 0);
    }

    fn start_block(&mut self) {
        self.symbols.clear();
        self.literals.fill(0);
        self.distances.fill(0);
    }

    #[inline]
    pub(super) fn literal(&mut self, byte: u8) {
        self.literals[usize::from(byte)] += 1;
        self.push(byte.into());
    }

    #[inline]
    pub(super) fn matched(&mut self, length: usize, distance: usize) {
        self.literals[END + 1 + usize::from(LENGTH_CODE[length])] += 1;
        self.distances[distance_code(distance)] += 1;
        self.push(MATCH | (length as u32) << 16 | distance as u32);
    }

    #[inline]
    fn push(&mut self, symbol: Symbol) {
        self.symbols.push(symbol);
        if self.symbols.len() == BLOCK {
            self.block(false);
        }
    }

    /// Ends the data and returns it.
    pub(super) fn finish(&mut self) -> &[u8] {
        self.block(true);
        let bytes = self.count.div_ceil(8) as usize;
        self.output.extend_from_slice(&self.hold.to_le_bytes()[..bytes]);
        &self.output
    }

    fn block(&mut self, last: bool) {
        self.literals[END] += 1;
        let literals = Codes::new(&self.literals, LONGEST);
        let distances = Codes::new(&self.distances, LONGEST);
        // A block without a table of its own is shorter only where there is next to nothing in it, and data that does not
        // shrink was not deflated before.
        self.put(u64::from(last) | 2 << 1, 3);
        self.tables(&literals, &distances);
        let symbols = std::mem::take(&mut self.symbols);
        // At most 48 bits each.
        self.output.reserve(symbols.len() * 6 + 16);
        for &symbol in &symbols {
            if symbol & MATCH == 0 {
                let symbol = symbol as usize;
                self.put(literals.codes[symbol].into(), literals.lengths[symbol].into());
                continue;
            }
            let (length, distance) = ((symbol >> 16 & 0x1FF) as usize, (symbol & 0xFFFF) as usize);
            let code = usize::from(LENGTH_CODE[length]);
            let (base, extra) = LENGTH_CODES[code];
            let (bits, width) =
                (u64::from(literals.codes[END + 1 + code]), u32::from(literals.lengths[END + 1 + code]));
            let value = bits | ((length - usize::from(base)) as u64) << width;
            let width = width + u32::from(extra);
            let code = distance_code(distance);
            let (base, extra) = DISTANCE_CODES[code];
            let value = value | u64::from(distances.codes[code]) << width;
            let width = width + u32::from(distances.lengths[code]);
            let value = value | ((distance - usize::from(base)) as u64) << width;
            self.put(value, width + u32::from(extra));
        }
        self.put(literals.codes[END].into(), literals.lengths[END].into());
        self.symbols = symbols;
        self.start_block();
    }

    /// Writes the code lengths: first the codes that they are written with.
    fn tables(&mut self, literals: &Codes<LITERALS>, distances: &Codes<DISTANCES>) {
        let counts = (literals.used(257), distances.used(1));
        let mut all = [0; LITERALS + DISTANCES];
        all[..counts.0].copy_from_slice(&literals.lengths[..counts.0]);
        all[counts.0..counts.0 + counts.1].copy_from_slice(&distances.lengths[..counts.1]);
        let mut written = [(0_u8, 0_u8); LITERALS + DISTANCES];
        let count = repeats(&all[..counts.0 + counts.1], &mut written);
        let written = &written[..count];
        let mut frequencies = [0; LENGTHS];
        for &(symbol, _) in written {
            frequencies[usize::from(symbol)] += 1;
        }
        let lengths = Codes::new(&frequencies, LONGEST_LENGTH);
        let last = ORDER.iter().rposition(|&place| lengths.lengths[usize::from(place)] > 0).unwrap_or(0).max(3);
        self.put((counts.0 - 257) as u64, 5);
        self.put((counts.1 - 1) as u64, 5);
        self.put((last - 3) as u64, 4);
        for &place in &ORDER[..=last] {
            self.put(lengths.lengths[usize::from(place)].into(), 3);
        }
        for &(symbol, more) in written {
            let at = usize::from(symbol);
            self.put(lengths.codes[at].into(), lengths.lengths[at].into());
            let width = match symbol {
                16 => 2,
                17 => 3,
                18 => 7,
                _ => continue,
            };
            self.put(more.into(), width);
        }
    }

    /// Writes up to 48 bits.
    #[inline]
    fn put(&mut self, value: u64, width: u32) {
        if self.count + width > 63 {
            let bytes = self.count as usize / 8;
            self.output.extend_from_slice(&self.hold.to_le_bytes()[..bytes]);
            self.hold >>= bytes * 8;
            self.count -= bytes as u32 * 8;
        }
        self.hold |= value << self.count;
        self.count += width;
    }
}

/// Writes code lengths with those that stand for several, and what these add; returns how many that are.
fn repeats(lengths: &[u8], written: &mut [(u8, u8)]) -> usize {
    let mut count = 0;
    let mut push = |symbol, more| {
        written[count] = (symbol, more);
        count += 1;
    };
    for group in lengths.chunk_by(|one, two| one == two) {
        let length = group[0];
        let mut left = group.len();
        if length != 0 {
            push(length, 0);
            left -= 1;
        }
        while left >= 3 {
            let (symbol, base, most) = match (length, left) {
                (0, 11..) => (18, 11, 138),
                (0, _) => (17, 3, 10),
                _ => (16, 3, 6),
            };
            let taken = left.min(most);
            push(symbol, (taken - base) as u8);
            left -= taken;
        }
        for _ in 0..left {
            push(length, 0);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_lengths_are_told_once() {
        let told = |lengths: &[u8]| {
            let mut written = vec![(0, 0); lengths.len()];
            let count = repeats(lengths, &mut written);
            written.truncate(count);
            written
        };
        assert_eq!(told(&[0; 140]), [(18, 127), (0, 0), (0, 0)]);
        assert_eq!(told(&[0; 10]), [(17, 7)]);
        assert_eq!(told(&[8; 8]), [(8, 0), (16, 3), (8, 0)]);
        assert_eq!(told(&[1, 2, 2, 0]), [(1, 0), (2, 0), (2, 0), (0, 0)]);
    }
}
