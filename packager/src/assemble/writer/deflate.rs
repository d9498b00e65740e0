//! Deflates entries that are in memory.

use std::cell::RefCell;
use std::io;

use flate2::{Compress, Compression, FlushCompress, Status};

/// How hard everything is compressed.
pub(super) const LEVEL: Compression = Compression::new(6);

/// More output than this is not kept for the next entry.
const KEPT: usize = 2 << 20;

/// What a thread keeps from entry to entry: making a compressor means clearing 300 KB, a hundred times a class.
struct Deflater {
    state: Compress,
    output: Vec<u8>,
}

thread_local! {
    static DEFLATER: RefCell<Deflater> =
        RefCell::new(Deflater { state: Compress::new(LEVEL, false), output: Vec::new() });
}

/// Deflates `bytes`; the result does not depend on what was deflated before.
pub(super) fn whole(bytes: &[u8]) -> io::Result<Vec<u8>> {
    DEFLATER.with_borrow_mut(|Deflater { state, output }| {
        state.reset();
        output.clear();
        loop {
            // Nearly always enough for all of it.
            output.reserve(bytes.len() / 2 + 1024);
            let taken = state.total_in() as usize;
            match state.compress_vec(&bytes[taken..], output, FlushCompress::Finish)? {
                Status::StreamEnd => break,
                Status::Ok | Status::BufError => {}
            }
        }
        let data = output.as_slice().to_vec();
        if output.capacity() > KEPT {
            *output = Vec::new();
        }
        Ok(data)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use proptest::prelude::*;

    use super::*;

    /// Bytes that hardly shrink.
    fn noise(count: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    fn inflated(data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        flate2::read::DeflateDecoder::new(data).read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_hardly_shrinks_is_whole() {
        for count in [0, 1, 5000, 70_000, 3 << 20] {
            let bytes = noise(count);
            assert!(inflated(&whole(&bytes).unwrap()) == bytes, "{count}");
        }
    }

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_what_came_before(
            before in prop::collection::vec(0_u8..8, 0..3000), bytes in prop::collection::vec(0_u8..8, 0..3000),
        ) {
            let alone = { let bytes = bytes.clone(); std::thread::spawn(move || whole(&bytes).unwrap()).join().unwrap() };
            whole(&before).unwrap();
            prop_assert_eq!(&whole(&bytes).unwrap(), &alone);
            prop_assert_eq!(inflated(&alone), bytes);
        }
    }
}
