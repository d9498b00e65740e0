//! Writes straight-line code and counts the stack it needs.

use super::opcode::{
    ACONST_NULL, ALOAD, BIPUSH, CHECKCAST, DLOAD, FLOAD, I2B, I2C, I2S, IAND, ICONST_0, ILOAD, ILOAD_0, ISTORE,
    ISTORE_0, LDC, LDC_W, LLOAD, SIPUSH, WIDE,
};
use super::pool::{Full, PoolEditor};
use crate::bytes::put2;
use crate::descriptor::Kind;

/// Code under construction.
#[derive(Debug, Default)]
pub(crate) struct Emitter {
    pub(crate) code: Vec<u8>,
    depth: usize,
    /// The most stack slots in use at once, beyond those in use before.
    pub(crate) max_depth: usize,
}

impl Emitter {
    /// An emitter whose code begins with `depth` slots in use.
    pub(crate) fn with_depth(depth: usize) -> Self {
        Self { code: Vec::new(), depth, max_depth: depth }
    }

    /// The same, into memory that is used again.
    pub(crate) fn reusing(mut code: Vec<u8>, depth: usize) -> Self {
        code.clear();
        Self { code, depth, max_depth: depth }
    }

    /// Code that leaves the stack as it was.
    pub(crate) fn append(&mut self, other: &Self) {
        self.code.extend_from_slice(&other.code);
        self.max_depth = self.max_depth.max(self.depth + other.max_depth);
    }

    /// An instruction without operands that takes `pops` slots and leaves `pushes`.
    pub(crate) fn op(&mut self, opcode: u8, pops: usize, pushes: usize) {
        self.code.push(opcode);
        self.depth = self.depth.saturating_sub(pops) + pushes;
        self.max_depth = self.max_depth.max(self.depth);
    }

    /// The same with an operand of two bytes.
    pub(crate) fn op2(&mut self, opcode: u8, operand: u16, pops: usize, pushes: usize) {
        self.op(opcode, pops, pushes);
        put2(&mut self.code, operand);
    }

    pub(crate) fn load(&mut self, kind: Kind, slot: u16) {
        self.local(ILOAD + family(kind), ILOAD_0 + 4 * family(kind), slot);
        self.depth += usize::from(kind.slots());
        self.max_depth = self.max_depth.max(self.depth);
    }

    pub(crate) fn store(&mut self, kind: Kind, slot: u16) {
        self.local(ISTORE + family(kind), ISTORE_0 + 4 * family(kind), slot);
        self.depth = self.depth.saturating_sub(usize::from(kind.slots()));
    }

    fn local(&mut self, general: u8, short: u8, slot: u16) {
        match u8::try_from(slot) {
            Ok(slot @ 0..=3) => self.code.push(short + slot),
            Ok(slot) => self.code.extend([general, slot]),
            Err(_) => {
                self.code.extend([WIDE, general]);
                put2(&mut self.code, slot);
            }
        }
    }

    pub(crate) fn null(&mut self) {
        self.op(ACONST_NULL, 0, 1);
    }

    /// Drops what a variable holds, of whatever class it is.
    pub(crate) fn forget(&mut self, slot: u16) {
        self.null();
        self.store(Kind::Reference, slot);
    }

    /// Lets the verifier know no more of what a variable holds than that it is an object; `object` is the constant of that class.
    pub(crate) fn widen(&mut self, slot: u16, object: u16) {
        self.load(Kind::Reference, slot);
        self.op2(CHECKCAST, object, 1, 1);
        self.store(Kind::Reference, slot);
    }

    pub(crate) fn int(&mut self, value: i32, pool: &mut PoolEditor) -> Result<(), Full> {
        if let (-1..=5, Ok(small)) = (value, i8::try_from(value)) {
            self.op(ICONST_0.wrapping_add_signed(small), 0, 1);
        } else if let Ok(byte) = i8::try_from(value) {
            self.op(BIPUSH, 0, 1);
            self.code.push(byte.cast_unsigned());
        } else if let Ok(short) = i16::try_from(value) {
            self.op2(SIPUSH, short.cast_unsigned(), 0, 1);
        } else {
            let index = pool.integer(value)?;
            self.constant(index);
        }
        Ok(())
    }

    /// A length or an index of an array.
    pub(crate) fn size(&mut self, value: usize, pool: &mut PoolEditor) -> Result<(), Full> {
        self.int(i32::try_from(value).unwrap_or(i32::MAX), pool)
    }

    pub(crate) fn string(&mut self, text: &str, pool: &mut PoolEditor) -> Result<(), Full> {
        let index = pool.string(text)?;
        self.constant(index);
        Ok(())
    }

    /// Cuts the `int` on the stack to the bits of the kind.
    pub(crate) fn narrow(&mut self, kind: Kind) {
        match kind {
            Kind::Boolean => {
                self.op(ICONST_0 + 1, 0, 1);
                self.op(IAND, 2, 1);
            }
            Kind::Byte => self.op(I2B, 1, 1),
            Kind::Char => self.op(I2C, 1, 1),
            Kind::Short => self.op(I2S, 1, 1),
            _ => {}
        }
    }

    /// A constant that takes one slot.
    pub(crate) fn constant(&mut self, index: u16) {
        if let Ok(short) = u8::try_from(index) {
            self.op(LDC, 0, 1);
            self.code.push(short);
        } else {
            self.op2(LDC_W, index, 0, 1);
        }
    }
}

/// Distance of the load or store opcode of that kind from the one of `int`.
fn family(kind: Kind) -> u8 {
    match kind {
        Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short | Kind::Int => 0,
        Kind::Long => LLOAD - ILOAD,
        Kind::Float => FLOAD - ILOAD,
        Kind::Double => DLOAD - ILOAD,
        Kind::Reference => ALOAD - ILOAD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locals_take_the_shortest_form() {
        let mut e = Emitter::default();
        e.load(Kind::Reference, 0);
        e.load(Kind::Double, 3);
        e.load(Kind::Char, 4);
        e.store(Kind::Long, 255);
        e.store(Kind::Float, 256);
        assert_eq!(e.code, [42, 41, 21, 4, 55, 255, 196, 56, 1, 0]);
        assert_eq!(e.max_depth, 4);
    }
}
