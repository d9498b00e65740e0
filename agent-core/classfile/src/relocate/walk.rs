//! Visits every place behind the constant pool that refers to a text.

use super::attribute::Kind;
use super::table::{Table, Uses, role, truncated, u2, u4};
use crate::Error;

/// How deep annotations may nest.
const MAX_DEPTH: u64 = 64;

/// Where an attribute stands. Some are looked into only where they belong, which also bounds how deep they nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Class,
    Member,
    Code,
    Component,
}

/// What the class is, besides its texts.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Index of the class constant that names it.
    pub(super) this_class: u16,
    /// Indices of the names of attributes that are unknown.
    pub(super) unknown: Vec<u16>,
    /// Whether it carries Kotlin's metadata.
    pub(super) kotlin: bool,
}

/// Walks through the fields, methods and attributes of a class whose pool is in the table.
pub(super) fn walk<U: Uses>(bytes: &[u8], table: &mut Table, uses: &mut U) -> Result<Seen, Error> {
    let mut at = table.end + 6;
    let mut walker = Walker { bytes, table, uses, seen: Seen::default() };
    walker.seen.this_class = u2(bytes, at - 4)?;
    at += 2 + 2 * usize::from(u2(bytes, at)?);
    // First the fields, then the methods.
    for _ in 0..2 {
        let count = u2(bytes, at)?;
        at += 2;
        for _ in 0..count {
            walker.use_text(at + 2, role::PLAIN)?;
            walker.use_text(at + 4, role::DESCRIPTOR)?;
            at = walker.attributes(at + 6, Place::Member)?;
        }
    }
    at = walker.attributes(at, Place::Class)?;
    if at < bytes.len() {
        return Err(Error::Trailing { offset: at, count: bytes.len() - at });
    }
    Ok(walker.seen)
}

struct Walker<'w, U> {
    bytes: &'w [u8],
    table: &'w mut Table,
    uses: &'w mut U,
    seen: Seen,
}

impl<U: Uses> Walker<'_, U> {
    fn u1(&self, at: usize) -> Result<u8, Error> {
        self.bytes.get(at).copied().ok_or_else(|| truncated(self.bytes, at, 1))
    }

    /// Tells of the text whose index is at `at`; an index of 0 means that there is none.
    #[inline]
    fn use_text(&mut self, at: usize, role: u8) -> Result<u16, Error> {
        let index = u2(self.bytes, at)?;
        self.uses.text(at, index, role);
        Ok(index)
    }

    /// Attributes from their count on; returns where they end.
    fn attributes(&mut self, at: usize, place: Place) -> Result<usize, Error> {
        let count = u2(self.bytes, at)?;
        let mut at = at + 2;
        for _ in 0..count {
            let Some(&[n0, n1, l0, l1, l2, l3]) = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<6>()) else {
                return Err(truncated(self.bytes, at, 6));
            };
            let name = u16::from_be_bytes([n0, n1]);
            let length = u32::from_be_bytes([l0, l1, l2, l3]) as usize;
            self.uses.text(at, name, role::PLAIN);
            let start = at + 6;
            at = start + length;
            if at > self.bytes.len() {
                return Err(truncated(self.bytes, start, length));
            }
            match self.table.kind(self.bytes, name)? {
                Kind::Opaque | Kind::Unread => {}
                kind => {
                    // What is found beyond its end belongs to something else, which must not be rewritten by it.
                    let read = self.attribute(kind, place, name, start)?;
                    if read > at {
                        return Err(Error::Truncated { offset: at, missing: read - at });
                    }
                    if read < at && matches!(kind, Kind::Code | Kind::Record) && read > start {
                        return Err(Error::Trailing { offset: read, count: at - read });
                    }
                }
            }
        }
        Ok(at)
    }

    /// Returns how far the attribute was read; its start, if it was not.
    fn attribute(&mut self, kind: Kind, place: Place, name: u16, at: usize) -> Result<usize, Error> {
        match kind {
            Kind::Code if place == Place::Member => self.code(at),
            Kind::Signature | Kind::Text => {
                let role = if kind == Kind::Signature { role::SIGNATURE } else { role::PLAIN };
                self.use_text(at, role)?;
                Ok(at + 2)
            }
            Kind::Locals => self.locals(at, role::DESCRIPTOR),
            Kind::LocalTypes => self.locals(at, role::SIGNATURE),
            Kind::Annotations => self.annotations(at),
            Kind::ParameterAnnotations => {
                let count = self.u1(at)?;
                (0..count).try_fold(at + 1, |at, _| self.annotations(at))
            }
            Kind::TypeAnnotations => {
                let count = u2(self.bytes, at)?;
                (0..count).try_fold(at + 2, |at, _| self.type_annotation(at))
            }
            Kind::Default => self.value(at, 0, role::LITERAL),
            Kind::InnerClasses => {
                let count = usize::from(u2(self.bytes, at)?);
                for index in 0..count {
                    self.use_text(at + 2 + 8 * index + 4, role::PLAIN)?;
                }
                Ok(at + 2 + 8 * count)
            }
            Kind::Record if place == Place::Class => {
                let count = u2(self.bytes, at)?;
                let mut at = at + 2;
                for _ in 0..count {
                    self.use_text(at, role::PLAIN)?;
                    self.use_text(at + 2, role::DESCRIPTOR)?;
                    at = self.attributes(at + 4, Place::Component)?;
                }
                Ok(at)
            }
            Kind::Parameters => {
                let count = usize::from(self.u1(at)?);
                for index in 0..count {
                    self.use_text(at + 1 + 4 * index, role::PLAIN)?;
                }
                Ok(at + 1 + 4 * count)
            }
            Kind::Module => {
                // The versions of the module and of those it requires; all else are constants.
                self.use_text(at + 4, role::PLAIN)?;
                let count = usize::from(u2(self.bytes, at + 6)?);
                for index in 0..count {
                    self.use_text(at + 8 + 6 * index + 4, role::PLAIN)?;
                }
                Ok(at + 8 + 6 * count)
            }
            Kind::Code | Kind::Record | Kind::Unknown => {
                if !self.seen.unknown.contains(&name) {
                    self.seen.unknown.push(name);
                }
                Ok(at)
            }
            Kind::Unread | Kind::Opaque => Ok(at),
        }
    }

    fn code(&mut self, at: usize) -> Result<usize, Error> {
        let handlers = at + 8 + u4(self.bytes, at + 4)? as usize;
        let count = usize::from(u2(self.bytes, handlers)?);
        self.attributes(handlers + 2 + 8 * count, Place::Code)
    }

    /// Entries of ten bytes: start, length, name, type, slot.
    fn locals(&mut self, at: usize, role: u8) -> Result<usize, Error> {
        let length = 10 * usize::from(u2(self.bytes, at)?);
        let start = at + 2;
        let Some(entries) = self.bytes.get(start..start + length) else {
            return Err(truncated(self.bytes, start, length));
        };
        for (index, entry) in entries.as_chunks::<10>().0.iter().enumerate() {
            let at = start + 10 * index;
            self.uses.text(at + 4, u16::from_be_bytes([entry[4], entry[5]]), role::PLAIN);
            self.uses.text(at + 6, u16::from_be_bytes([entry[6], entry[7]]), role);
        }
        Ok(start + length)
    }

    fn annotations(&mut self, at: usize) -> Result<usize, Error> {
        let count = u2(self.bytes, at)?;
        let mut at = at + 2;
        for _ in 0..count {
            at = self.annotation(at, 0)?;
        }
        Ok(at)
    }

    fn type_annotation(&mut self, at: usize) -> Result<usize, Error> {
        let target = self.u1(at)?;
        let info = match target {
            0x00 | 0x01 | 0x16 => 1,
            0x10..=0x12 | 0x17 | 0x42..=0x46 => 2,
            0x13..=0x15 => 0,
            0x40 | 0x41 => 2 + 6 * usize::from(u2(self.bytes, at + 1)?),
            0x47..=0x4B => 3,
            _ => {
                let expected = "one of the format's 22";
                let what = "target of a type annotation";
                return Err(Error::Unexpected { what, offset: at, expected, got: target.into() });
            }
        };
        let path = at + 1 + info;
        self.annotation(path + 1 + 2 * usize::from(self.u1(path)?), 0)
    }

    fn annotation(&mut self, at: usize, depth: u64) -> Result<usize, Error> {
        let index = self.use_text(at, role::DESCRIPTOR)?;
        let kotlin = self.table.text(self.bytes, index)? == b"Lkotlin/Metadata;";
        self.seen.kotlin |= kotlin;
        let count = u2(self.bytes, at + 2)?;
        let mut at = at + 4;
        for _ in 0..count {
            let name = self.use_text(at, role::PLAIN)?;
            let mut strings = role::LITERAL;
            if kotlin {
                strings = match self.table.text(self.bytes, name)? {
                    b"d1" => role::KOTLIN_DATA,
                    // `xs` is the facade class of a part of it.
                    b"d2" | b"xs" => role::KOTLIN,
                    _ => role::LITERAL,
                };
            }
            at = self.value(at + 2, depth + 1, strings)?;
        }
        Ok(at)
    }

    /// A value of an annotation element, whose strings have the given role.
    fn value(&mut self, at: usize, depth: u64, strings: u8) -> Result<usize, Error> {
        if depth > MAX_DEPTH {
            let expected = "at most 64 levels";
            return Err(Error::Unexpected { what: "depth of an annotation", offset: at, expected, got: depth });
        }
        let tag = self.u1(at)?;
        match tag {
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => {}
            b's' => {
                self.use_text(at + 1, strings)?;
            }
            b'e' => {
                self.use_text(at + 1, role::DESCRIPTOR)?;
                self.use_text(at + 3, role::PLAIN)?;
                return Ok(at + 5);
            }
            b'c' => {
                self.use_text(at + 1, role::DESCRIPTOR)?;
            }
            b'@' => return self.annotation(at + 1, depth + 1),
            b'[' => {
                let count = u2(self.bytes, at + 1)?;
                let mut at = at + 3;
                for _ in 0..count {
                    at = self.value(at, depth + 1, strings)?;
                }
                return Ok(at);
            }
            _ => {
                let expected = "one of BCDFIJSZces@[";
                return Err(Error::Unexpected {
                    what: "tag of an element value",
                    offset: at,
                    expected,
                    got: tag.into(),
                });
            }
        }
        Ok(at + 3)
    }
}
