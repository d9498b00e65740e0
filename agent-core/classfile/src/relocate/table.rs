//! The constant pool as relocation sees it: where each constant lies, and what each text is used for.

use super::attribute::Kind;
use crate::Error;
use crate::reader::tag;

/// What a text is used for. A text can have several uses.
pub(super) mod role {
    /// The name in a class constant.
    pub(in super::super) const CLASS: u8 = 1;
    /// A field or method descriptor.
    pub(in super::super) const DESCRIPTOR: u8 = 2;
    /// A generic signature.
    pub(in super::super) const SIGNATURE: u8 = 4;
    /// The name in a package constant.
    pub(in super::super) const PACKAGE: u8 = 8;
    /// A string literal, or a string in an annotation.
    pub(in super::super) const LITERAL: u8 = 16;
    /// A string of Kotlin's metadata that holds names as text.
    pub(in super::super) const KOTLIN: u8 = 32;
    /// A string of Kotlin's metadata that holds encoded data.
    pub(in super::super) const KOTLIN_DATA: u8 = 64;
    /// Anything that relocation leaves alone: names of members, files, modules and attributes.
    pub(in super::super) const PLAIN: u8 = 128;

    /// Uses that follow the rules without further conditions.
    pub(in super::super) const NAMES: u8 = CLASS | DESCRIPTOR | SIGNATURE | PACKAGE | KOTLIN;
}

/// Told of every place of a class file that refers to a text.
pub(super) trait Uses {
    /// The two bytes at `at` hold the index of a text, which is used in the given role.
    fn text(&mut self, at: usize, index: u16, role: u8);
}

/// Collects the roles of each text.
pub(super) struct Collect<'r>(pub(super) &'r mut [u8; 1 << 16]);

impl Uses for Collect<'_> {
    #[inline]
    fn text(&mut self, _at: usize, index: u16, role: u8) {
        self.0[usize::from(index)] |= role;
    }
}

/// A text of the constant pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    /// Its index.
    pub(super) index: u16,
    /// Its length in bytes.
    pub(super) length: u16,
    /// Where its tag lies.
    pub(super) at: u32,
}

impl Text {
    #[inline]
    pub(super) fn of<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let start = self.at as usize + 3;
        &bytes[start..start + usize::from(self.length)]
    }
}

/// How a constant lies in the file.
#[derive(Clone, Copy)]
struct Shape {
    /// Bytes that it takes, with its tag; 0 if there is no such constant.
    size: u8,
    /// Indices that it takes.
    indices: u8,
    /// Role of the text that its first two bytes refer to; 0 if they do not.
    first: u8,
    /// The same for the next two.
    second: u8,
    /// All ones if the second role is not 0.
    mask: u16,
}

/// The shape of each constant but texts, by tag.
static SHAPES: [Shape; 32] = {
    const fn shape(size: u8, indices: u8, first: u8, second: u8) -> Shape {
        Shape { size, indices, first, second, mask: if second == 0 { 0 } else { u16::MAX } }
    }
    let mut shapes = [shape(0, 1, 0, 0); 32];
    shapes[tag::INTEGER as usize] = shape(5, 1, 0, 0);
    shapes[tag::FLOAT as usize] = shape(5, 1, 0, 0);
    shapes[tag::LONG as usize] = shape(9, 2, 0, 0);
    shapes[tag::DOUBLE as usize] = shape(9, 2, 0, 0);
    shapes[tag::CLASS as usize] = shape(3, 1, role::CLASS, 0);
    shapes[tag::STRING as usize] = shape(3, 1, role::LITERAL, 0);
    shapes[tag::FIELD as usize] = shape(5, 1, 0, 0);
    shapes[tag::METHOD as usize] = shape(5, 1, 0, 0);
    shapes[tag::INTERFACE_METHOD as usize] = shape(5, 1, 0, 0);
    shapes[tag::NAME_AND_TYPE as usize] = shape(5, 1, role::PLAIN, role::DESCRIPTOR);
    shapes[tag::METHOD_HANDLE as usize] = shape(4, 1, 0, 0);
    shapes[tag::METHOD_TYPE as usize] = shape(3, 1, role::DESCRIPTOR, 0);
    shapes[tag::DYNAMIC as usize] = shape(5, 1, 0, 0);
    shapes[tag::INVOKE_DYNAMIC as usize] = shape(5, 1, 0, 0);
    shapes[tag::MODULE as usize] = shape(3, 1, role::PLAIN, 0);
    shapes[tag::PACKAGE as usize] = shape(3, 1, role::PACKAGE, 0);
    shapes
};

/// The constant pool of one class after another; the memory is used again.
#[derive(Debug)]
pub(super) struct Table {
    /// Where the tag of each constant lies; 0 where there is none. Valid below `count`.
    offsets: Box<[u32; 1 << 16]>,
    /// The kind of attribute that each text names, as far as it was asked for.
    kinds: Box<[Kind; 1 << 16]>,
    /// One more than the last index, as the class file states it.
    pub(super) count: u16,
    /// Every text, in file order.
    pub(super) texts: Vec<Text>,
    /// Where the pool ends.
    pub(super) end: usize,
}

impl Table {
    pub(super) fn new() -> Self {
        Self { offsets: big(0), kinds: big(Kind::Unread), count: 0, texts: Vec::new(), end: 0 }
    }

    /// Reads the pool of a class whose magic was checked, and tells of the texts that its constants refer to.
    pub(super) fn read(&mut self, bytes: &[u8], uses: &mut impl Uses) -> Result<(), Error> {
        self.texts.clear();
        self.count = u2(bytes, 8)?;
        let count = usize::from(self.count);
        self.kinds[..count].fill(Kind::Unread);
        self.offsets[0] = 0;
        let mut index = 1;
        let mut at = 10;
        while index < count {
            // The longest fixed part of a constant is nine bytes, and the file goes on behind the pool.
            let Some(&[tag, a, b, c, d]) = bytes.get(at..).and_then(|rest| rest.first_chunk::<5>()) else {
                return Err(truncated(bytes, at, 5));
            };
            self.offsets[index & 0xFFFF] = at as u32;
            let first = u16::from_be_bytes([a, b]);
            if tag == tag::UTF8 {
                self.texts.push(Text { index: index as u16, length: first, at: at as u32 });
                at += 3 + usize::from(first);
                index += 1;
                continue;
            }
            // The others are told apart by a table: which comes next cannot be foreseen, and branches would cost more
            // than two needless stores.
            let shape = &SHAPES[usize::from(tag & 31)];
            if shape.size == 0 || tag > 31 {
                return Err(Error::UnknownConstant { offset: at, index: index as u16, tag });
            }
            uses.text(at + 1, first, shape.first);
            uses.text(at + 3, u16::from_be_bytes([c, d]) & shape.mask, shape.second);
            at += usize::from(shape.size);
            self.offsets[(index + 1) & 0xFFFF] = 0;
            index += usize::from(shape.indices);
        }
        // A text may claim more than there is.
        if at > bytes.len() {
            return Err(truncated(bytes, at, 0));
        }
        // Constants that are added begin at `count`, so a long or double must not claim that index.
        if index > count.max(1) {
            let expected = "second index of the last constant";
            return Err(Error::ConstantIndex { expected, count: self.count, index: self.count });
        }
        self.end = at;
        Ok(())
    }

    /// The text of that index.
    pub(super) fn text<'a>(&self, bytes: &'a [u8], index: u16) -> Result<&'a [u8], Error> {
        let at = self.find(bytes, index, tag::UTF8, "text constant")?;
        let start = at + 3;
        let length = usize::from(u2(bytes, at + 1)?);
        bytes.get(start..start + length).ok_or_else(|| truncated(bytes, start, length))
    }

    /// The name in the class constant of that index.
    pub(super) fn class<'a>(&self, bytes: &'a [u8], index: u16) -> Result<&'a [u8], Error> {
        let at = self.find(bytes, index, tag::CLASS, "class constant")?;
        self.text(bytes, u2(bytes, at + 1)?)
    }

    fn find(&self, bytes: &[u8], index: u16, tag: u8, expected: &'static str) -> Result<usize, Error> {
        let offset = if index < self.count { self.offsets[usize::from(index)] as usize } else { 0 };
        if offset == 0 {
            return Err(Error::ConstantIndex { expected, count: self.count, index });
        }
        let got = bytes[offset];
        if got == tag { Ok(offset) } else { Err(Error::ConstantKind { offset, index, expected, got }) }
    }

    /// The kind of attribute that a text names.
    #[inline]
    pub(super) fn kind(&mut self, bytes: &[u8], index: u16) -> Result<Kind, Error> {
        let known = self.kinds[usize::from(index)];
        if known != Kind::Unread && index < self.count {
            return Ok(known);
        }
        let kind = Kind::of(self.text(bytes, index)?);
        self.kinds[usize::from(index)] = kind;
        Ok(kind)
    }
}

/// An entry for every index there can be, made on the heap.
#[expect(clippy::unnecessary_box_returns, reason = "too large for the stack")]
pub(super) fn big<T: Copy>(value: T) -> Box<[T; 1 << 16]> {
    let Ok(made) = vec![value; 1 << 16].try_into() else { unreachable!("the length is that of the array") };
    made
}

/// The two bytes at `at`.
#[inline]
pub(super) fn u2(bytes: &[u8], at: usize) -> Result<u16, Error> {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()) {
        Some(&chunk) => Ok(u16::from_be_bytes(chunk)),
        None => Err(truncated(bytes, at, 2)),
    }
}

/// The four bytes at `at`.
#[inline]
pub(super) fn u4(bytes: &[u8], at: usize) -> Result<u32, Error> {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        Some(&chunk) => Ok(u32::from_be_bytes(chunk)),
        None => Err(truncated(bytes, at, 4)),
    }
}

#[cold]
pub(super) fn truncated(bytes: &[u8], at: usize, wanted: usize) -> Error {
    Error::Truncated { offset: at.min(bytes.len()), missing: (at + wanted).saturating_sub(bytes.len()) }
}
