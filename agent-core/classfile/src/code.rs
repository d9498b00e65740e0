//! Method bodies: decoding, laying out again with insertions, and everything that holds offsets into them.

pub(crate) mod body;
pub(crate) mod bootstrap;
pub(crate) mod emit;
pub(crate) mod flow;
pub(crate) mod frames;
pub(crate) mod layout;
pub(crate) mod opcode;
pub(crate) mod pool;
mod reach;
pub(crate) mod scan;
mod shift;
mod stack;
pub(crate) mod tables;

use crate::Error;
use crate::bytes::Cursor;
use crate::reader::{Attribute, ConstantPool};
use crate::weave::Skip;

/// The greatest length of a method's code, in bytes.
pub(crate) const MAX_CODE: usize = 65_535;

/// Why a method was given up: it alone, or the class with it.
#[derive(Debug)]
pub(crate) enum Failure {
    Method(Skip),
    Class(Error),
}

impl From<Skip> for Failure {
    fn from(skip: Skip) -> Self {
        Self::Method(skip)
    }
}

impl From<pool::Full> for Failure {
    fn from(full: pool::Full) -> Self {
        Self::Class(full.into())
    }
}

/// Errors of reading concern the method alone.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Method(error.into())
    }
}

/// An entry of the exception table; offsets into the original code, `end` exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handler {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) target: usize,
    /// Class constant caught; 0 catches everything.
    pub(crate) class: u16,
}

/// A `Code` attribute, split into its parts.
#[derive(Debug, Default)]
pub(crate) struct Code<'a> {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) bytes: &'a [u8],
    pub(crate) handlers: Vec<Handler>,
    /// With the index of each name, to write it back.
    pub(crate) attributes: Vec<(u16, Attribute<'a>)>,
}

impl<'a> Code<'a> {
    pub(crate) fn parse(pool: &ConstantPool<'a>, attribute: Attribute<'a>) -> Result<Self, Failure> {
        let mut code = Self::default();
        code.read(pool, attribute)?;
        Ok(code)
    }

    /// Takes another attribute, into the same memory.
    pub(crate) fn read(&mut self, pool: &ConstantPool<'a>, attribute: Attribute<'a>) -> Result<(), Failure> {
        let mut cursor = Cursor::new(attribute.data, attribute.offset);
        self.max_stack = cursor.u2()?;
        self.max_locals = cursor.u2()?;
        let length = cursor.u4()? as usize;
        if length == 0 || length > MAX_CODE {
            return Err(Skip::Malformed { offset: 0, what: "length of the code" }.into());
        }
        self.bytes = cursor.take(length)?;
        let count = cursor.u2()?;
        self.handlers.clear();
        self.handlers.reserve(usize::from(count).min(cursor.remaining() / 8));
        for _ in 0..count {
            let (start, end) = (usize::from(cursor.u2()?), usize::from(cursor.u2()?));
            let target = usize::from(cursor.u2()?);
            if start >= end || end > length {
                return Err(Skip::Malformed { offset: start, what: "exception range" }.into());
            }
            self.handlers.push(Handler { start, end, target, class: cursor.u2()? });
        }
        let count = cursor.u2()?;
        self.attributes.clear();
        self.attributes.reserve(usize::from(count).min(cursor.remaining() / 6));
        for _ in 0..count {
            let index = cursor.u2()?;
            let name = pool.utf8(index)?;
            let length = cursor.u4()? as usize;
            let offset = cursor.offset();
            self.attributes.push((index, Attribute { name, data: cursor.take(length)?, offset }));
        }
        if cursor.remaining() > 0 {
            return Err(Skip::Malformed { offset: length, what: "bytes after the code" }.into());
        }
        Ok(())
    }
}
