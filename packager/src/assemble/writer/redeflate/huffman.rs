//! Code lengths from frequencies.

use super::format::{LITERALS, LONGEST};

/// Gives each symbol that occurs a code length of at most `limit` bits. There are always two codes at least, because some
/// readers refuse fewer.
pub(super) fn lengths(frequencies: &[u32], limit: usize, lengths: &mut [u8]) {
    lengths.fill(0);
    // The frequency above, the symbol below: sorting them is the whole order.
    let mut sorted = [0_u64; LITERALS];
    let mut used = 0;
    for (symbol, &frequency) in frequencies.iter().enumerate() {
        if frequency > 0 {
            sorted[used] = u64::from(frequency) << 16 | symbol as u64;
            used += 1;
        }
    }
    if used < 2 {
        let only = (sorted[0] & 0xFFFF) as usize;
        lengths[only] = 1;
        lengths[usize::from(only == 0)] = 1;
        return;
    }
    let sorted = &mut sorted[..used];
    sorted.sort_unstable();
    let mut counts = depths(sorted);
    shorten(&mut counts, limit);
    // The rarest get the longest.
    let mut rest = sorted.iter();
    for length in (1..=limit).rev() {
        for entry in rest.by_ref().take(counts[length] as usize) {
            lengths[(entry & 0xFFFF) as usize] = length as u8;
        }
    }
}

/// How many leaves of the tree lie at each depth; those below the last are counted there.
fn depths(sorted: &[u64]) -> [u32; 33] {
    let used = sorted.len();
    // Inner nodes appear in the order of their weights, so that two queues take the place of a heap.
    let mut weights = [0_u64; LITERALS];
    let mut parents = [0_u16; 2 * LITERALS];
    let (mut leaf, mut inner) = (0, 0);
    for node in 0..used - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            if leaf < used && (inner >= node || sorted[leaf] >> 16 <= weights[inner]) {
                weight += sorted[leaf] >> 16;
                parents[leaf] = node as u16;
                leaf += 1;
            } else {
                weight += weights[inner];
                parents[LITERALS + inner] = node as u16;
                inner += 1;
            }
        }
        weights[node] = weight;
    }
    let mut depth = [0_u8; LITERALS];
    let mut counts = [0; 33];
    for node in (0..used - 2).rev() {
        depth[node] = (depth[usize::from(parents[LITERALS + node])] + 1).min(31);
    }
    for &parent in &parents[..used] {
        counts[usize::from(depth[usize::from(parent)]) + 1] += 1;
    }
    counts
}

/// Moves leaves below the limit up, and makes room for them by moving others down.
fn shorten(counts: &mut [u32; 33], limit: usize) {
    let (within, below) = counts.split_at_mut(limit + 1);
    within[limit] += below.iter().sum::<u32>();
    let room = 1_u32 << limit;
    let mut taken: u32 = (1..=limit).map(|length| within[length] << (limit - length)).sum();
    while taken > room {
        // One leaf of the limit goes to a new inner node, with one from above.
        let Some(length) = (1..limit).rev().find(|&length| within[length] > 0) else { return };
        within[limit] -= 1;
        within[length] -= 1;
        within[length + 1] += 2;
        taken -= 1;
    }
}

const _: () = assert!(LONGEST < 31, "depths are capped above the longest code");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(frequencies: &[u32], limit: usize) {
        let mut found = vec![0; frequencies.len()];
        lengths(frequencies, limit, &mut found);
        let used = found.iter().filter(|length| **length > 0);
        let sum: u32 = used.map(|&length| 1 << (limit - usize::from(length))).sum();
        assert_eq!(sum, 1 << limit, "{frequencies:?}: {found:?}");
        for (symbol, &frequency) in frequencies.iter().enumerate() {
            assert!(frequency == 0 || found[symbol] > 0);
            for (other, &less) in frequencies.iter().enumerate() {
                let shorter = found[symbol] <= found[other];
                assert!(frequency == 0 || less == 0 || frequency <= less || shorter, "{frequencies:?}: {found:?}");
            }
        }
    }

    #[test]
    fn few_symbols() {
        check(&[0, 0, 0], 7);
        check(&[0, 5, 0], 7);
        check(&[5, 0, 0], 7);
        check(&[1, 1], 7);
    }

    #[test]
    fn steep_frequencies_stay_within_the_limit() {
        let mut fibonacci = vec![1_u32, 1];
        for at in 2..30 {
            fibonacci.push(fibonacci[at - 1] + fibonacci[at - 2]);
        }
        check(&fibonacci, 15);
        check(&fibonacci[..19], 7);
    }

    proptest! {
        #[test]
        fn any_frequencies(frequencies in prop::collection::vec(0_u32..2000, 2..288)) {
            check(&frequencies, 15);
        }
    }
}
