//! The constant pool.

use crate::Error;
use crate::bytes::{Cursor, get2, get4};

/// Tags of constants.
pub mod tag {
    /// Text in modified UTF-8.
    pub const UTF8: u8 = 1;
    /// An `int`.
    pub const INTEGER: u8 = 3;
    /// A `float`.
    pub const FLOAT: u8 = 4;
    /// A `long`; takes two indices.
    pub const LONG: u8 = 5;
    /// A `double`; takes two indices.
    pub const DOUBLE: u8 = 6;
    /// A class, interface or array type.
    pub const CLASS: u8 = 7;
    /// A string literal.
    pub const STRING: u8 = 8;
    /// A field of a class.
    pub const FIELD: u8 = 9;
    /// A method of a class.
    pub const METHOD: u8 = 10;
    /// A method of an interface.
    pub const INTERFACE_METHOD: u8 = 11;
    /// Name and descriptor of a member.
    pub const NAME_AND_TYPE: u8 = 12;
    /// A handle to a member.
    pub const METHOD_HANDLE: u8 = 15;
    /// A method descriptor as a constant.
    pub const METHOD_TYPE: u8 = 16;
    /// A constant computed by a bootstrap method.
    pub const DYNAMIC: u8 = 17;
    /// A call site linked by a bootstrap method.
    pub const INVOKE_DYNAMIC: u8 = 18;
    /// A module.
    pub const MODULE: u8 = 19;
    /// A package of a module.
    pub const PACKAGE: u8 = 20;
}

/// A field or method reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberRef<'a> {
    /// Internal name of the class or array type searched.
    pub class: &'a [u8],
    /// Name of the member.
    pub name: &'a [u8],
    /// Its descriptor.
    pub descriptor: &'a [u8],
}

/// A dynamic constant or call site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DynamicRef<'a> {
    /// Index into the `BootstrapMethods` attribute.
    pub bootstrap: u16,
    /// Name handed to the bootstrap method.
    pub name: &'a [u8],
    /// Descriptor of the constant or the call site.
    pub descriptor: &'a [u8],
}

/// The constants of a class: where each begins, nothing copied. Every text is modified UTF-8, see [`crate::mutf8`].
#[derive(Debug, Clone)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Offset of each constant's tag; 0 where there is none.
    offsets: Vec<u32>,
    end: usize,
}

impl<'a> ConstantPool<'a> {
    /// Reads a pool that stands alone: two bytes of count, then the constants, as in a class file.
    ///
    /// # Errors
    /// The bytes end within a constant, or have one of an unknown tag.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::parse(bytes, &mut Cursor::new(bytes, 0), &mut |_| {})
    }

    /// Reads the pool; `note` gets the index of each class constant.
    #[inline]
    pub(super) fn parse(bytes: &'a [u8], cursor: &mut Cursor<'a>, note: &mut impl FnMut(u16)) -> Result<Self, Error> {
        let count = cursor.u2()?;
        // A constant takes at least three bytes, so a short file cannot ask for much.
        let mut offsets = Vec::with_capacity(usize::from(count).min(cursor.remaining() / 3 + 2));
        offsets.push(0);
        while offsets.len() < usize::from(count) {
            let offset = cursor.offset();
            let index = offsets.len() as u16;
            offsets.push(u32::try_from(offset).map_err(|_| too_large(offset))?);
            match cursor.u1()? {
                tag::UTF8 => {
                    let length = cursor.u2()?;
                    cursor.skip(usize::from(length))?;
                }
                tag::CLASS => {
                    cursor.skip(2)?;
                    note(index);
                }
                tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => cursor.skip(2)?,
                tag::METHOD_HANDLE => cursor.skip(3)?,
                tag::INTEGER | tag::FLOAT | tag::FIELD..=tag::NAME_AND_TYPE | tag::DYNAMIC | tag::INVOKE_DYNAMIC => {
                    cursor.skip(4)?;
                }
                tag::LONG | tag::DOUBLE => {
                    cursor.skip(8)?;
                    offsets.push(0);
                }
                tag => return Err(Error::UnknownConstant { offset, index, tag }),
            }
        }
        // Constants that are added later begin at `count`, so nothing may claim that index; the JVM refuses it too.
        if offsets.len() > usize::from(count).max(1) {
            return Err(Error::ConstantIndex { expected: "second index of the last constant", count, index: count });
        }
        Ok(Self { bytes, offsets, end: cursor.offset() })
    }

    /// One more than the greatest index, as the file states it.
    pub fn len(&self) -> u16 {
        self.offsets.len() as u16
    }

    /// Whether it holds no constant. No valid class has such a pool.
    pub fn is_empty(&self) -> bool {
        self.offsets.len() <= 1
    }

    /// Where the pool ends in the class file.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Kind of the constant, see [`tag`]; `None` if there is no constant of that index.
    #[inline]
    pub fn tag(&self, index: u16) -> Option<u8> {
        self.offset(index).map(|at| self.bytes[at])
    }

    /// Offset of the constant's tag in the class file.
    #[inline]
    pub(crate) fn offset(&self, index: u16) -> Option<usize> {
        self.offsets.get(usize::from(index)).filter(|&&at| at != 0).map(|&at| at as usize)
    }

    /// Offset of what follows the tag.
    #[inline]
    fn body(&self, index: u16, tag: u8, expected: &'static str) -> Result<usize, Error> {
        match self.offset(index) {
            Some(offset) if self.bytes[offset] == tag => Ok(offset + 1),
            other => Err(self.not_found(index, other, expected)),
        }
    }

    /// Why [`Self::body`] fails; out of line, because it hardly ever does.
    #[cold]
    fn not_found(&self, index: u16, offset: Option<usize>, expected: &'static str) -> Error {
        match offset {
            Some(offset) => Error::ConstantKind { offset, index, expected, got: self.bytes[offset] },
            None => Error::ConstantIndex { expected, count: self.len(), index },
        }
    }

    /// Index of the class of a field or method reference, which [`Self::member_ref`] resolves.
    #[inline]
    pub fn member_class(&self, index: u16) -> Option<u16> {
        let at = self.offset(index)?;
        matches!(self.bytes[at], tag::FIELD | tag::METHOD | tag::INTERFACE_METHOD).then(|| get2(self.bytes, at + 1))
    }

    /// Text.
    ///
    /// # Errors
    /// No such constant, or one of another kind; so for every getter here.
    #[inline]
    pub fn utf8(&self, index: u16) -> Result<&'a [u8], Error> {
        let at = self.body(index, tag::UTF8, "text constant")?;
        Ok(&self.bytes[at + 2..at + 2 + usize::from(get2(self.bytes, at))])
    }

    /// Checks that there is a text of that index.
    #[inline]
    pub(super) fn check_utf8(&self, index: u16) -> Result<(), Error> {
        self.body(index, tag::UTF8, "text constant").map(|_| ())
    }

    /// Internal name of a class, or the descriptor of an array type.
    #[inline]
    pub fn class_name(&self, index: u16) -> Result<&'a [u8], Error> {
        let at = self.body(index, tag::CLASS, "class constant")?;
        self.utf8(get2(self.bytes, at))
    }

    /// A string literal.
    pub fn string(&self, index: u16) -> Result<&'a [u8], Error> {
        let at = self.body(index, tag::STRING, "string constant")?;
        self.utf8(get2(self.bytes, at))
    }

    /// Name and descriptor.
    #[inline]
    pub fn name_and_type(&self, index: u16) -> Result<(&'a [u8], &'a [u8]), Error> {
        let at = self.body(index, tag::NAME_AND_TYPE, "name-and-type constant")?;
        Ok((self.utf8(get2(self.bytes, at))?, self.utf8(get2(self.bytes, at + 2))?))
    }

    /// A field, method or interface method reference.
    #[inline]
    pub fn member_ref(&self, index: u16) -> Result<MemberRef<'a>, Error> {
        let at = match self.tag(index) {
            Some(kind @ (tag::FIELD | tag::METHOD | tag::INTERFACE_METHOD)) => self.body(index, kind, "member")?,
            _ => self.body(index, tag::METHOD, "field or method reference")?,
        };
        let class = self.class_name(get2(self.bytes, at))?;
        let (name, descriptor) = self.name_and_type(get2(self.bytes, at + 2))?;
        Ok(MemberRef { class, name, descriptor })
    }

    /// A method handle: its kind, 1 to 9 as the class-file format numbers them, and the index of the member.
    pub fn method_handle(&self, index: u16) -> Result<(u8, u16), Error> {
        let at = self.body(index, tag::METHOD_HANDLE, "method handle")?;
        Ok((self.bytes[at], get2(self.bytes, at + 1)))
    }

    /// A dynamic constant or call site.
    pub fn dynamic(&self, index: u16) -> Result<DynamicRef<'a>, Error> {
        let at = match self.tag(index) {
            Some(tag::DYNAMIC) => self.body(index, tag::DYNAMIC, "dynamic constant")?,
            _ => self.body(index, tag::INVOKE_DYNAMIC, "dynamic constant or call site")?,
        };
        let (name, descriptor) = self.name_and_type(get2(self.bytes, at + 2))?;
        Ok(DynamicRef { bootstrap: get2(self.bytes, at), name, descriptor })
    }

    /// An `int`.
    pub fn integer(&self, index: u16) -> Result<i32, Error> {
        Ok(get4(self.bytes, self.body(index, tag::INTEGER, "int constant")?))
    }

    /// A `float`.
    pub fn float(&self, index: u16) -> Result<f32, Error> {
        let at = self.body(index, tag::FLOAT, "float constant")?;
        Ok(f32::from_bits(get4(self.bytes, at).cast_unsigned()))
    }

    /// A `long`.
    pub fn long(&self, index: u16) -> Result<i64, Error> {
        let at = self.body(index, tag::LONG, "long constant")?;
        Ok(i64::from(get4(self.bytes, at)) << 32 | i64::from(get4(self.bytes, at + 4).cast_unsigned()))
    }

    /// A `double`.
    pub fn double(&self, index: u16) -> Result<f64, Error> {
        let at = self.body(index, tag::DOUBLE, "double constant")?;
        let high = u64::from(get4(self.bytes, at).cast_unsigned());
        Ok(f64::from_bits(high << 32 | u64::from(get4(self.bytes, at + 4).cast_unsigned())))
    }
}

pub(super) fn too_large(got: usize) -> Error {
    Error::TooLarge { what: "class file", limit: u32::MAX as usize, got }
}
