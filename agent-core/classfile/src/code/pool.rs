//! A constant pool that grows. Existing constants keep their indices; new ones are appended once each.

use crate::bytes::{put2, put4};
use crate::reader::{ClassFile, tag};
use crate::{Error, mutf8};

/// The greatest count a pool can state.
const MAX_COUNT: usize = 65_535;
/// Slots of the first hash table; always a power of two, and never more than half full.
const FIRST_SLOTS: usize = 64;

/// The pool, or a text in it, is as large as the format allows.
#[derive(Debug)]
pub(crate) struct Full {
    what: &'static str,
    got: usize,
}

impl From<Full> for Error {
    fn from(full: Full) -> Self {
        Self::TooLarge { what: full.what, limit: MAX_COUNT, got: full.got }
    }
}

/// Constants to append to a class. None takes two indices.
#[derive(Debug)]
pub(crate) struct PoolEditor {
    /// Index of the first new constant.
    first: usize,
    extra: Vec<u8>,
    /// Where each new constant begins in `extra`.
    starts: Vec<usize>,
    /// Open addressing: one more than the position in `starts`, 0 where free.
    slots: Vec<u16>,
}

impl PoolEditor {
    pub(crate) fn new(class: &ClassFile<'_>) -> Self {
        Self { first: usize::from(class.pool().len()), extra: Vec::new(), starts: Vec::new(), slots: Vec::new() }
    }

    /// The class up to and with its constant pool, the new constants included.
    pub(crate) fn write_head(&self, class: &ClassFile<'_>, out: &mut Vec<u8>) {
        self.write_head_of(class.bytes(), class.pool().end(), out);
    }

    /// The same for bytes that were changed in place; `end` is where their pool ends.
    pub(crate) fn write_head_of(&self, bytes: &[u8], end: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&bytes[..8]);
        put2(out, (self.first + self.starts.len()) as u16);
        out.extend_from_slice(&bytes[10..end]);
        out.extend_from_slice(&self.extra);
    }

    /// Bytes that the new constants take.
    pub(crate) fn extra_len(&self) -> usize {
        self.extra.len()
    }

    /// Takes what `write` appends as a constant, unless there is an equal one.
    fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<u16, Full> {
        if self.slots.len() <= 2 * self.starts.len() {
            self.grow();
        }
        let start = self.extra.len();
        write(&mut self.extra);
        let constant = &self.extra[start..];
        let mut slot = self.slot(constant);
        while self.slots[slot] != 0 {
            let known = usize::from(self.slots[slot]) - 1;
            if self.constant(known, start) == constant {
                self.extra.truncate(start);
                return Ok((self.first + known) as u16);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let index = self.first + self.starts.len();
        if index >= MAX_COUNT {
            self.extra.truncate(start);
            return Err(Full { what: "constant pool", got: index + 1 });
        }
        self.starts.push(start);
        self.slots[slot] = self.starts.len() as u16;
        Ok(index as u16)
    }

    /// The new constant at that position of `starts`; `end` is where the last one ends.
    fn constant(&self, position: usize, end: usize) -> &[u8] {
        &self.extra[self.starts[position]..self.starts.get(position + 1).copied().unwrap_or(end)]
    }

    /// Where the search for a constant begins.
    fn slot(&self, constant: &[u8]) -> usize {
        // The hash of FNV. Which constants there are is up to the plan and not to the class, so nobody can make them collide.
        let hash = constant.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        (hash ^ hash >> 32) as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(FIRST_SLOTS);
        self.slots = vec![0; size];
        for position in 0..self.starts.len() {
            let mut slot = self.slot(self.constant(position, self.extra.len()));
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = position as u16 + 1;
        }
    }

    fn add_indices(&mut self, tag: u8, indices: &[u16]) -> Result<u16, Full> {
        self.add(|out| {
            out.push(tag);
            for &index in indices {
                put2(out, index);
            }
        })
    }

    /// Text that is in modified UTF-8 already.
    pub(crate) fn raw_utf8(&mut self, bytes: &[u8]) -> Result<u16, Full> {
        let length = u16::try_from(bytes.len()).map_err(|_| Full { what: "text constant", got: bytes.len() })?;
        self.add(|out| {
            out.push(tag::UTF8);
            put2(out, length);
            out.extend_from_slice(bytes);
        })
    }

    pub(crate) fn utf8(&mut self, text: &str) -> Result<u16, Full> {
        self.raw_utf8(&mutf8::encode(text))
    }

    pub(crate) fn class(&mut self, name: &str) -> Result<u16, Full> {
        let name = self.utf8(name)?;
        self.add_indices(tag::CLASS, &[name])
    }

    pub(crate) fn string(&mut self, text: &str) -> Result<u16, Full> {
        let text = self.utf8(text)?;
        self.add_indices(tag::STRING, &[text])
    }

    pub(crate) fn integer(&mut self, value: i32) -> Result<u16, Full> {
        self.add(|out| {
            out.push(tag::INTEGER);
            put4(out, value.cast_unsigned());
        })
    }

    pub(crate) fn name_and_type(&mut self, name: &str, descriptor: &str) -> Result<u16, Full> {
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        self.add_indices(tag::NAME_AND_TYPE, &[name, descriptor])
    }

    /// A static method of a class (not of an interface).
    pub(crate) fn method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Full> {
        let class = self.class(class)?;
        let member = self.name_and_type(name, descriptor)?;
        self.add_indices(tag::METHOD, &[class, member])
    }

    /// A field of a class.
    pub(crate) fn field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Full> {
        let class = self.class(class)?;
        let member = self.name_and_type(name, descriptor)?;
        self.add_indices(tag::FIELD, &[class, member])
    }

    /// A handle that invokes such a method.
    pub(crate) fn static_handle(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Full> {
        /// `REF_invokeStatic`
        const INVOKE_STATIC: u8 = 6;
        let method = self.method(class, name, descriptor)?;
        self.add(|out| {
            out.extend([tag::METHOD_HANDLE, INVOKE_STATIC]);
            put2(out, method);
        })
    }

    /// A call site of the bootstrap entry with that index.
    pub(crate) fn invoke_dynamic(&mut self, bootstrap: u16, name: &str, descriptor: &str) -> Result<u16, Full> {
        let member = self.name_and_type(name, descriptor)?;
        self.add_indices(tag::INVOKE_DYNAMIC, &[bootstrap, member])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> PoolEditor {
        PoolEditor { first: 10, extra: Vec::new(), starts: Vec::new(), slots: Vec::new() }
    }

    #[test]
    fn equal_constants_are_one() {
        let mut pool = empty();
        let indices: Vec<u16> = (0..3000).map(|i| pool.string(&format!("text {i}")).unwrap()).collect();
        let size = pool.extra_len();
        assert_eq!(indices[..2], [11, 13]);
        assert_eq!((0..3000).map(|i| pool.string(&format!("text {i}")).unwrap()).collect::<Vec<_>>(), indices);
        assert_eq!(pool.extra_len(), size);
        // One number as text and as a constant of its own is two constants.
        assert_ne!(pool.integer(1).unwrap(), pool.utf8("\0\0\u{1}").unwrap());
    }

    #[test]
    fn a_full_pool_refuses_and_stays_as_it_was() {
        let mut pool = empty();
        for i in 10..65_535_u16 {
            assert_eq!(pool.integer(i.into()).unwrap(), i);
        }
        let size = pool.extra_len();
        let full = Error::from(pool.integer(0).unwrap_err());
        assert_eq!(full, Error::TooLarge { what: "constant pool", limit: 65_535, got: 65_536 });
        assert_eq!((pool.extra_len(), pool.integer(10).unwrap()), (size, 10));
        let long = Error::from(empty().utf8(&"x".repeat(65_536)).unwrap_err());
        assert_eq!(long.to_string(), "text constant too large, limit 65535, got: 65536");
    }
}
