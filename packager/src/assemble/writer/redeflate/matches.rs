//! Inflates an entry and keeps its matches.

use super::format::{
    DISTANCE_CODES, DISTANCES, END, LENGTH_CODES, LENGTHS, LITERALS, LONGEST, MAX_MATCH, ORDER, codes, fixed_lengths,
};

/// A copy of earlier bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    /// Where it stands among the inflated bytes.
    pub(super) at: u32,
    pub(super) length: u16,
    pub(super) distance: u16,
}

/// Bytes behind the inflated ones, so that short copies need not look at their length.
pub(super) const PAD: usize = MAX_MATCH + COPY;
/// Bytes that are copied at once.
const COPY: usize = 16;

/// Codes of up to this many bits are looked up in a table.
const LOOKED_UP: usize = 10;

/// Decodes the symbols of one alphabet.
struct Decoder {
    /// For the next bits the symbol and, in the lowest four bits, the length of its code; 0 if that is longer.
    table: [u16; 1 << LOOKED_UP],
    /// How many codes have each length.
    counts: [u16; LONGEST + 1],
    /// All symbols in the order of their codes.
    symbols: [u16; LITERALS],
}

impl Decoder {
    const fn new() -> Self {
        Self { table: [0; 1 << LOOKED_UP], counts: [0; LONGEST + 1], symbols: [0; LITERALS] }
    }

    /// Prepares for codes of these lengths; nothing if they are no complete set. A single code may be incomplete, as one
    /// distance is.
    fn prepare(&mut self, lengths: &[u8]) -> Option<()> {
        self.counts = [0; LONGEST + 1];
        for &length in lengths {
            self.counts[usize::from(length)] += 1;
        }
        self.counts[0] = 0;
        let mut left = 1_i32;
        let mut offsets = [0_u16; LONGEST + 2];
        for length in 1..=LONGEST {
            left = (left << 1) - i32::from(self.counts[length]);
            if left < 0 {
                return None;
            }
            offsets[length + 1] = offsets[length] + self.counts[length];
        }
        if left > 0 && offsets[LONGEST + 1] > 1 {
            return None;
        }
        let mut reversed = [0; LITERALS];
        codes(lengths, &mut reversed[..lengths.len()]);
        self.table.fill(0);
        for (symbol, (&length, &code)) in lengths.iter().zip(&reversed).enumerate() {
            let length = usize::from(length);
            if length == 0 {
                continue;
            }
            self.symbols[usize::from(offsets[length])] = symbol as u16;
            offsets[length] += 1;
            if length <= LOOKED_UP {
                let entry = (symbol as u16) << 4 | length as u16;
                for place in self.table[usize::from(code)..].iter_mut().step_by(1 << length) {
                    *place = entry;
                }
            }
        }
        Some(())
    }

    /// The next symbol; there are bits enough for any code.
    #[inline]
    fn next(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let entry = self.table[bits.hold as usize & ((1 << LOOKED_UP) - 1)];
        if entry != 0 {
            bits.drop(u32::from(entry & 15));
            return Some(usize::from(entry >> 4));
        }
        self.long(bits)
    }

    /// Compares bit by bit with the first code of each length.
    #[cold]
    fn long(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let (mut code, mut first, mut index) = (0_usize, 0_usize, 0_usize);
        for length in 1..=LONGEST {
            code |= bits.take(1) as usize;
            let count = usize::from(self.counts[length]);
            if code < first + count {
                return Some(usize::from(self.symbols[index + code - first]));
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// Bits of the compressed data, the lowest first.
struct Bits<'a> {
    data: &'a [u8],
    at: usize,
    hold: u64,
    count: u32,
    /// Zero bytes that stand for those behind the end.
    missing: u32,
}

impl Bits<'_> {
    /// Holds at least 56 bits.
    #[inline]
    fn refill(&mut self) {
        if let Some(chunk) = self.data.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            self.hold |= u64::from_le_bytes(*chunk) << self.count;
            self.at += (63 - self.count as usize) >> 3;
            // Whole bytes were added up to 56 bits and more: the lowest three bits stay.
            self.count |= 0x38;
        } else {
            while self.count < 56 {
                match self.data.get(self.at) {
                    Some(&byte) => self.hold |= u64::from(byte) << self.count,
                    None => self.missing += 1,
                }
                self.at += 1;
                self.count += 8;
            }
        }
    }

    #[inline]
    fn drop(&mut self, count: u32) {
        self.hold >>= count;
        self.count -= count;
    }

    #[inline]
    fn take(&mut self, count: u32) -> u32 {
        let value = (self.hold & ((1 << count) - 1)) as u32;
        self.drop(count);
        value
    }

    /// Whether more was taken than there is.
    fn overrun(&self) -> bool {
        self.missing * 8 > self.count
    }
}

/// Inflates, and is used for one entry after another.
pub(super) struct Inflater {
    literals: Decoder,
    distances: Decoder,
    /// The inflated bytes and [`PAD`] more.
    bytes: Vec<u8>,
    size: usize,
    matches: Vec<Match>,
}

impl Inflater {
    pub(super) fn new() -> Self {
        let (literals, distances) = (Decoder::new(), Decoder::new());
        Self { literals, distances, bytes: Vec::new(), size: 0, matches: Vec::new() }
    }

    /// The inflated bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.size]
    }

    /// The matches that they were made of, in order.
    pub(super) fn matches(&self) -> &[Match] {
        &self.matches
    }

    /// Inflates `data`, which must become exactly `size` bytes; nothing if it does not, whatever is wrong with it.
    pub(super) fn inflate(&mut self, data: &[u8], size: usize) -> Option<()> {
        self.matches.clear();
        self.size = size;
        if self.bytes.len() < size + PAD {
            self.bytes.resize(size + PAD, 0);
        }
        let mut bits = Bits { data, at: 0, hold: 0, count: 0, missing: 0 };
        let mut out = 0;
        loop {
            bits.refill();
            let last = bits.take(1) == 1;
            match bits.take(2) {
                0 => out = self.stored(&mut bits, out)?,
                1 => {
                    let (literals, distances) = fixed_lengths();
                    self.literals.prepare(&literals)?;
                    self.distances.prepare(&distances)?;
                    out = self.block(&mut bits, out)?;
                }
                2 => {
                    self.tables(&mut bits)?;
                    out = self.block(&mut bits, out)?;
                }
                _ => return None,
            }
            if bits.overrun() {
                return None;
            }
            if last {
                return (out == size).then_some(());
            }
        }
    }

    fn stored(&mut self, bits: &mut Bits<'_>, out: usize) -> Option<usize> {
        bits.drop(bits.count & 7);
        bits.refill();
        let (length, complement) = (bits.take(16), bits.take(16));
        if length ^ complement != 0xFFFF {
            return None;
        }
        // What is held in whole bytes is still to be read.
        let start = bits.at - bits.count as usize / 8;
        let end = start + length as usize;
        let part = bits.data.get(start..end)?;
        self.bytes[..self.size].get_mut(out..out + part.len())?.copy_from_slice(part);
        (bits.at, bits.hold, bits.count, bits.missing) = (end, 0, 0, 0);
        Some(out + part.len())
    }

    /// Reads the code lengths of a block.
    fn tables(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        let literals = bits.take(5) as usize + 257;
        let distances = bits.take(5) as usize + 1;
        let written = bits.take(4) as usize + 4;
        if literals > 286 || distances > 30 {
            return None;
        }
        let mut lengths = [0; LENGTHS];
        for &place in &ORDER[..written] {
            bits.refill();
            lengths[usize::from(place)] = bits.take(3) as u8;
        }
        // Borrowed for the code lengths, before it gets its own.
        self.literals.prepare(&lengths)?;
        let mut all = [0_u8; LITERALS + DISTANCES];
        let total = literals + distances;
        let mut at = 0;
        while at < total {
            bits.refill();
            let symbol = self.literals.next(bits)?;
            let (value, count) = match symbol {
                0..=15 => (symbol as u8, 1),
                16 => (*all.get(at.checked_sub(1)?)?, 3 + bits.take(2) as usize),
                17 => (0, 3 + bits.take(3) as usize),
                18 => (0, 11 + bits.take(7) as usize),
                _ => return None,
            };
            all[..total].get_mut(at..at + count)?.fill(value);
            at += count;
        }
        self.literals.prepare(&all[..literals])?;
        self.distances.prepare(&all[literals..total])
    }

    /// Inflates one block behind `out` bytes; returns how many there are then.
    fn block(&mut self, bits: &mut Bits<'_>, mut out: usize) -> Option<usize> {
        let size = self.size;
        let bytes = self.bytes.as_mut_slice();
        loop {
            bits.refill();
            let mut symbol = self.literals.next(bits)?;
            // A code has up to 15 bits, so that those of three are there, and of a match behind one more too.
            if symbol < END {
                *bytes.get_mut(out)? = symbol as u8;
                out += 1;
                symbol = self.literals.next(bits)?;
                if symbol < END {
                    *bytes.get_mut(out)? = symbol as u8;
                    out += 1;
                    continue;
                }
                bits.refill();
            }
            if out > size {
                return None;
            }
            if symbol == END {
                return Some(out);
            }
            let &(base, extra) = LENGTH_CODES.get(symbol - END - 1)?;
            let length = usize::from(base) + bits.take(extra.into()) as usize;
            let &(base, extra) = DISTANCE_CODES.get(self.distances.next(bits)?)?;
            let distance = usize::from(base) + bits.take(extra.into()) as usize;
            if distance > out || out + length > size {
                return None;
            }
            self.matches.push(Match { at: out as u32, length: length as u16, distance: distance as u16 });
            copy(bytes, out, distance, length);
            out += length;
        }
    }
}

/// Copies `length` bytes from `distance` before `out`, perhaps with some garbage behind them.
#[inline]
fn copy(bytes: &mut [u8], out: usize, distance: usize, length: usize) {
    if distance >= COPY {
        let mut done = 0;
        while done < length {
            let from = out + done - distance;
            let Some(&chunk) = bytes.get(from..).and_then(|rest| rest.first_chunk::<COPY>()) else { return };
            let Some(place) = bytes.get_mut(out + done..).and_then(|rest| rest.first_chunk_mut::<COPY>()) else {
                return;
            };
            *place = chunk;
            done += COPY;
        }
    } else {
        for at in out..out + length {
            bytes[at] = bytes[at - distance];
        }
    }
}
