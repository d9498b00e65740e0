//! Hash codes that a class compares with.
//!
//! Compilers turn a `switch` over strings into one over their hash codes, which they compute themselves. A literal whose
//! hash code occurs there must not change, or the branch is never taken again.

use super::table::u4;
use crate::bytes::get4;
use crate::code::opcode;
use crate::reader::{ClassFile, tag};

/// The hash codes of a class, read when the first literal asks.
pub(super) struct Switches<'a> {
    bytes: &'a [u8],
    read: Option<Hashes>,
}

#[derive(Default)]
struct Hashes {
    single: Vec<i32>,
    ranges: Vec<(i32, i32)>,
    /// Some code could not be followed, so that anything may be compared.
    unclear: bool,
}

impl<'a> Switches<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, read: None }
    }

    /// Whether the class may compare strings with this one by its hash code.
    pub(super) fn compares(&mut self, text: &str) -> bool {
        let hashes = self.read.get_or_insert_with(|| Hashes::of(self.bytes));
        let hash = text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
        hashes.unclear
            || hashes.single.binary_search(&hash).is_ok()
            || hashes.ranges.iter().any(|&(low, high)| (low..=high).contains(&hash))
    }
}

impl Hashes {
    fn of(bytes: &[u8]) -> Self {
        let mut hashes = Self::default();
        let Ok(class) = ClassFile::parse(bytes) else {
            return Self { unclear: true, ..Self::default() };
        };
        // A comparison with `if` loads the hash code as a constant.
        for index in 1..class.pool().len() {
            if class.pool().tag(index) == Some(tag::INTEGER)
                && let Ok(value) = class.pool().integer(index)
            {
                hashes.single.push(value);
            }
        }
        for method in class.methods() {
            if let Some(code) = method.attribute("Code")
                && hashes.code(code.data).is_none()
            {
                hashes.unclear = true;
            }
        }
        hashes.single.sort_unstable();
        hashes
    }

    /// Reads the switches of a `Code` attribute; `None` if it cannot be followed.
    fn code(&mut self, attribute: &[u8]) -> Option<()> {
        let length = u4(attribute, 4).ok()? as usize;
        let code = attribute.get(8..8 + length)?;
        let mut at = 0;
        while at < length {
            let next = at + opcode::length(code, at).ok()?;
            let operands = opcode::switch_operands(at);
            match code[at] {
                opcode::TABLESWITCH => {
                    let bounds = code.get(operands + 4..operands + 12)?;
                    self.ranges.push((get4(bounds, 0), get4(bounds, 4)));
                }
                opcode::LOOKUPSWITCH => {
                    let pairs = code.get(operands + 8..next)?;
                    self.single.extend(pairs.chunks_exact(8).map(|pair| get4(pair, 0)));
                }
                _ => {}
            }
            at = next;
        }
        Some(())
    }
}
