//! Numbers of the deflate format, RFC 1951.

/// Literals, the end of a block, and lengths.
pub(super) const LITERALS: usize = 288;
/// Distances.
pub(super) const DISTANCES: usize = 32;
/// Symbols that code lengths are written with.
pub(super) const LENGTHS: usize = 19;
/// The symbol that ends a block.
pub(super) const END: usize = 256;
/// The longest code, and the longest of those that code lengths are written with.
pub(super) const LONGEST: usize = 15;
pub(super) const LONGEST_LENGTH: usize = 7;
/// Bytes of a match.
pub(super) const MIN_MATCH: usize = 3;
pub(super) const MAX_MATCH: usize = 258;
/// How far back a match may reach.
pub(super) const WINDOW: usize = 32 * 1024;

/// The order in which the code lengths of code lengths are written.
pub(super) const ORDER: [u8; LENGTHS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The smallest length of each symbol from 257 on, and how many bits are added to it.
pub(super) const LENGTH_CODES: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// The same for distances.
pub(super) const DISTANCE_CODES: [(u16, u8); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];

/// For each length of a match its entry of [`LENGTH_CODES`].
pub(super) static LENGTH_CODE: [u8; MAX_MATCH + 1] = {
    let mut table = [0; MAX_MATCH + 1];
    let mut code = 0;
    while code < LENGTH_CODES.len() {
        let (base, extra) = LENGTH_CODES[code];
        let mut length = base as usize;
        while length < base as usize + (1 << extra) && length <= MAX_MATCH {
            table[length] = code as u8;
            length += 1;
        }
        code += 1;
    }
    table
};

/// The entry of [`DISTANCE_CODES`] for a distance.
#[inline]
pub(super) fn distance_code(distance: usize) -> usize {
    let less = (distance - 1) as u32;
    if less < 4 {
        return less as usize;
    }
    let high = less.ilog2();
    (2 * high + (less >> (high - 1) & 1)) as usize
}

/// The lengths of the codes that a block without a table of its own has.
pub(super) fn fixed_lengths() -> ([u8; LITERALS], [u8; DISTANCES]) {
    let mut lengths = [8; LITERALS];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    (lengths, [5; DISTANCES])
}

/// The canonical codes of these lengths, written from the lowest bit on.
pub(super) fn codes(lengths: &[u8], codes: &mut [u16]) {
    let mut next = [0_u16; LONGEST + 1];
    for &length in lengths {
        next[usize::from(length)] += 1;
    }
    next[0] = 0;
    let mut code = 0;
    for count in &mut next[1..] {
        let first = code;
        code = (code + *count) << 1;
        *count = first;
    }
    for (&length, code) in lengths.iter().zip(codes) {
        if length > 0 {
            let next = &mut next[usize::from(length)];
            *code = next.reverse_bits() >> (16 - length);
            *next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_distance_has_its_code() {
        for length in MIN_MATCH..=MAX_MATCH {
            let (base, extra) = LENGTH_CODES[usize::from(LENGTH_CODE[length])];
            assert!((0..1 << extra).contains(&(length - usize::from(base))), "{length}");
        }
        for distance in 1..=WINDOW {
            let (base, extra) = DISTANCE_CODES[distance_code(distance)];
            assert!((0..1 << extra).contains(&(distance - usize::from(base))), "{distance}");
        }
    }

    #[test]
    fn codes_are_canonical() {
        // The example of the RFC, section 3.2.2: 010 011 100 101 110 00 1110 1111.
        let mut found = [0; 8];
        codes(&[3, 3, 3, 3, 3, 2, 4, 4], &mut found);
        assert_eq!(found, [0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111]);
    }
}
