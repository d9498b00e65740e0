//! A constant pool that grows. Existing constants keep their indices; new ones are appended once each.

use crate::bytes::{put2, put4};
use crate::reader::{ClassFile, tag};
use crate::{Error, mutf8};
use std::collections::HashMap;

/// The greatest count a pool can state.
const MAX_COUNT: usize = 65_535;

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

/// Constants to append to a class.
#[derive(Debug)]
pub(crate) struct PoolEditor {
    count: usize,
    extra: Vec<u8>,
    known: HashMap<Vec<u8>, u16>,
}

impl PoolEditor {
    pub(crate) fn new(class: &ClassFile<'_>) -> Self {
        let count = usize::from(class.pool().len());
        Self { count, extra: Vec::new(), known: HashMap::new() }
    }

    /// The class up to and with its constant pool, the new constants included.
    pub(crate) fn write_head(&self, class: &ClassFile<'_>, out: &mut Vec<u8>) {
        self.write_head_of(class.bytes(), class.pool().end(), out);
    }

    /// The same for bytes that were changed in place; `end` is where their pool ends.
    pub(crate) fn write_head_of(&self, bytes: &[u8], end: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&bytes[..8]);
        put2(out, self.count as u16);
        out.extend_from_slice(&bytes[10..end]);
        out.extend_from_slice(&self.extra);
    }

    /// Bytes that the new constants take.
    pub(crate) fn extra_len(&self) -> usize {
        self.extra.len()
    }

    fn add(&mut self, constant: Vec<u8>) -> Result<u16, Full> {
        if let Some(&index) = self.known.get(&constant) {
            return Ok(index);
        }
        if self.count >= MAX_COUNT {
            return Err(Full { what: "constant pool", got: self.count + 1 });
        }
        let index = self.count as u16;
        self.count += 1;
        self.extra.extend_from_slice(&constant);
        self.known.insert(constant, index);
        Ok(index)
    }

    fn add_indices(&mut self, tag: u8, indices: &[u16]) -> Result<u16, Full> {
        let mut constant = vec![tag];
        for &index in indices {
            put2(&mut constant, index);
        }
        self.add(constant)
    }

    /// Text that is in modified UTF-8 already.
    pub(crate) fn raw_utf8(&mut self, bytes: &[u8]) -> Result<u16, Full> {
        let length = u16::try_from(bytes.len()).map_err(|_| Full { what: "text constant", got: bytes.len() })?;
        let mut constant = Vec::with_capacity(bytes.len() + 3);
        constant.push(tag::UTF8);
        put2(&mut constant, length);
        constant.extend_from_slice(bytes);
        self.add(constant)
    }

    pub(crate) fn utf8(&mut self, text: &str) -> Result<u16, Full> {
        self.raw_utf8(&mutf8::encode(text))
    }

    pub(crate) fn raw_class(&mut self, name: &[u8]) -> Result<u16, Full> {
        let name = self.raw_utf8(name)?;
        self.add_indices(tag::CLASS, &[name])
    }

    pub(crate) fn class(&mut self, name: &str) -> Result<u16, Full> {
        self.raw_class(&mutf8::encode(name))
    }

    pub(crate) fn string(&mut self, text: &str) -> Result<u16, Full> {
        let text = self.utf8(text)?;
        self.add_indices(tag::STRING, &[text])
    }

    pub(crate) fn integer(&mut self, value: i32) -> Result<u16, Full> {
        let mut constant = vec![tag::INTEGER];
        put4(&mut constant, value.cast_unsigned());
        self.add(constant)
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

    /// A handle that invokes such a method.
    pub(crate) fn static_handle(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Full> {
        /// `REF_invokeStatic`
        const INVOKE_STATIC: u8 = 6;
        let method = self.method(class, name, descriptor)?;
        let mut constant = vec![tag::METHOD_HANDLE, INVOKE_STATIC];
        put2(&mut constant, method);
        self.add(constant)
    }

    /// A call site of the bootstrap entry with that index.
    pub(crate) fn invoke_dynamic(&mut self, bootstrap: u16, name: &str, descriptor: &str) -> Result<u16, Full> {
        let member = self.name_and_type(name, descriptor)?;
        self.add_indices(tag::INVOKE_DYNAMIC, &[bootstrap, member])
    }
}
