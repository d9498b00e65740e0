//! Changes of classes, by a generator of numbers that gives the same ones everywhere.

use classfile::ClassFile;

/// Numbers that look random (`SplitMix64`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, 0 if that is 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }
}

/// Values at which formats break.
const EDGES: [u16; 12] = [0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF];

/// One of the samples with a few changes, most of them in its code.
pub(crate) fn mutate(samples: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = samples[random.below(samples.len())].clone();
    // Beyond the head of the file: other changes there only give bytes that are no class at all.
    for _ in 0..=random.below(6) {
        let (start, end) = if random.below(4) == 0 { (8, bytes.len()) } else { code(&bytes, random) };
        change(&mut bytes, start, end, samples, random);
    }
    if random.below(4) == 0 && bytes.len() > 8 {
        // Other versions know other things.
        bytes[7] = [45, 46, 48, 49, 50, 51, 52, 55, 61, 69][random.below(10)];
    }
    bytes
}

/// Where the `Code` attribute of some method lies; the whole file if there is none.
fn code(bytes: &[u8], random: &mut Random) -> (usize, usize) {
    let whole = (8.min(bytes.len()), bytes.len());
    let Ok(class) = ClassFile::parse(bytes) else { return whole };
    let codes: Vec<_> = class.methods().filter_map(|method| method.attribute("Code")).collect();
    codes.get(random.below(codes.len())).map_or(whole, |code| (code.offset, code.offset + code.data.len()))
}

fn change(bytes: &mut Vec<u8>, start: usize, end: usize, samples: &[Vec<u8>], random: &mut Random) {
    let at = start + random.below(end.saturating_sub(start));
    if at + 2 > bytes.len() {
        return;
    }
    let length = (1 + random.below(24)).min(bytes.len() - at);
    match random.below(9) {
        0 => bytes[at] = random.next() as u8,
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = bytes[at].wrapping_add(1),
        3 => {
            let edge = EDGES[random.below(EDGES.len())].to_be_bytes();
            bytes[at..at + 2].copy_from_slice(&edge);
        }
        4 => {
            // Another constant, variable or distance of about the same size.
            let value =
                u16::from_be_bytes([bytes[at], bytes[at + 1]]).wrapping_add(random.below(5) as u16).wrapping_sub(2);
            bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
        }
        5 => {
            // The same length, so that the structure around it still holds.
            let from = start + random.below(end.saturating_sub(start));
            let part = bytes[from..(from + length).min(bytes.len())].to_vec();
            let until = (at + part.len()).min(bytes.len());
            bytes[at..until].copy_from_slice(&part[..until - at]);
        }
        6 => {
            let other = &samples[random.below(samples.len())];
            let from = random.below(other.len());
            let part = other[from..(from + length).min(other.len())].to_vec();
            bytes.splice(at..at, part);
        }
        7 => drop(bytes.drain(at..at + length)),
        _ => {
            if random.below(8) == 0 {
                bytes.truncate(at);
            } else {
                bytes[at..at + length].fill(random.next() as u8);
            }
        }
    }
}
