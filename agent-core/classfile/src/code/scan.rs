//! The forward pass over a method's instructions.

use super::opcode::{
    self, ASTORE, ASTORE_3, GOTO_W, IFEQ, IFNONNULL, IFNULL, IINC, IRETURN, ISTORE, ISTORE_0, JSR, JSR_W, RETURN, WIDE,
};
use crate::bytes::{get2, get4};
use crate::weave::Skip;

/// Lengths of the instructions that the pass only steps over; 0 for those that it looks at.
const STEPS: [u8; 256] = {
    let mut steps = [0; 256];
    let mut op = 0;
    while op < opcode::LENGTHS.len() {
        let looked_at = matches!(
            op as u8,
            ISTORE..=ASTORE | ISTORE_0..=ASTORE_3 | IINC | IFEQ..=JSR | IRETURN..=RETURN | IFNULL..=JSR_W
        );
        if !looked_at {
            steps[op] = opcode::LENGTHS[op];
        }
        op += 1;
    }
    steps
};

/// A set of small numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    /// Becomes empty, with room for numbers below `size`.
    fn reset(&mut self, size: usize) {
        self.0.clear();
        self.0.resize(size.div_ceil(64), 0);
    }

    pub(crate) fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub(crate) fn assign(&mut self, at: usize, member: bool) {
        self.set(at);
        self.0[at / 64] ^= u64::from(!member) << (at % 64);
    }

    pub(crate) fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}

/// What one pass finds out about the code.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Offsets at which an instruction begins.
    pub(crate) starts: Bits,
    /// Offsets of jumps and switches, ascending.
    pub(crate) jumps: Vec<usize>,
    /// Offsets of returns, ascending.
    pub(crate) returns: Vec<usize>,
    /// Local variables that some instruction writes.
    pub(crate) written: Bits,
}

impl Scan {
    /// Walks the code once; jump targets are checked too.
    pub(crate) fn new(code: &[u8], max_locals: u16) -> Result<Self, Skip> {
        let mut scan = Self::default();
        scan.read(code, max_locals)?;
        Ok(scan)
    }

    /// Takes other code, into the same memory.
    pub(crate) fn read(&mut self, code: &[u8], max_locals: u16) -> Result<(), Skip> {
        self.starts.reset(code.len());
        self.written.reset(usize::from(max_locals));
        self.jumps.clear();
        self.returns.clear();
        let (mut at, mut last) = (0, 0);
        while at < code.len() {
            self.starts.set(at);
            last = at;
            let op = code[at];
            let step = STEPS[usize::from(op)];
            if step != 0 {
                at += usize::from(step);
                continue;
            }
            let length = opcode::length(code, at)?;
            match op {
                IRETURN..=RETURN => self.returns.push(at),
                IFEQ..=JSR | opcode::TABLESWITCH | opcode::LOOKUPSWITCH | IFNULL | IFNONNULL | GOTO_W | JSR_W => {
                    self.jumps.push(at);
                }
                _ => {
                    if let Some((first, slots)) = written(code, at) {
                        for slot in first..first + slots {
                            if slot >= usize::from(max_locals) {
                                return Err(Skip::Malformed { offset: at, what: "local variable out of range" });
                            }
                            self.written.set(slot);
                        }
                    }
                }
            }
            at += length;
        }
        if at > code.len() {
            return Err(Skip::Malformed { offset: last, what: "truncated instruction" });
        }
        for &jump in &self.jumps {
            each_target(code, jump, |target| self.check(jump, target))?;
        }
        Ok(())
    }

    /// Fails unless an instruction begins at `target`.
    fn check(&self, jump: usize, target: usize) -> Result<(), Skip> {
        if self.starts.has(target) { Ok(()) } else { Err(Skip::Malformed { offset: jump, what: "target of a jump" }) }
    }

    /// `offset` itself if an instruction begins there.
    pub(crate) fn start(&self, offset: usize, what: &'static str) -> Result<usize, Skip> {
        if self.starts.has(offset) { Ok(offset) } else { Err(Skip::Malformed { offset, what }) }
    }
}

/// The local variables written by the instruction at `at`: the first one and how many slots.
pub(crate) fn written(code: &[u8], at: usize) -> Option<(usize, usize)> {
    // The low bit tells one-slot kinds (int, float, reference: even) from two-slot ones.
    let slots = |kind: u8| if kind % 2 == 1 { 2 } else { 1 };
    match code[at] {
        op @ ISTORE..=ASTORE => Some((usize::from(code[at + 1]), slots(op - ISTORE))),
        op @ ISTORE_0..=ASTORE_3 => Some((usize::from((op - ISTORE_0) % 4), slots((op - ISTORE_0) / 4))),
        IINC => Some((usize::from(code[at + 1]), 1)),
        WIDE => match code[at + 1] {
            op @ ISTORE..=ASTORE => Some((usize::from(get2(code, at + 2)), slots(op - ISTORE))),
            IINC => Some((usize::from(get2(code, at + 2)), 1)),
            _ => None,
        },
        _ => None,
    }
}

/// Calls `visit` with the offset of each target of the jump or switch at `at`, in the order they are encoded.
/// They may be wild; one before the code is `usize::MAX`.
pub(crate) fn each_target<E>(code: &[u8], at: usize, mut visit: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
    let target = |distance: i32| at.checked_add_signed(distance as isize).unwrap_or(usize::MAX);
    match code[at] {
        GOTO_W | JSR_W => visit(target(get4(code, at + 1))),
        opcode::TABLESWITCH => {
            let operands = opcode::switch_operands(at);
            visit(target(get4(code, operands)))?;
            let entries = i64::from(get4(code, operands + 8)) - i64::from(get4(code, operands + 4)) + 1;
            (0..usize::try_from(entries).unwrap_or(0))
                .try_for_each(|i| visit(target(get4(code, operands + 12 + 4 * i))))
        }
        opcode::LOOKUPSWITCH => {
            let operands = opcode::switch_operands(at);
            visit(target(get4(code, operands)))?;
            let pairs = usize::try_from(get4(code, operands + 4)).unwrap_or(0);
            (0..pairs).try_for_each(|i| visit(target(get4(code, operands + 12 + 8 * i))))
        }
        _ => visit(target(i32::from(get2(code, at + 1).cast_signed()))),
    }
}
