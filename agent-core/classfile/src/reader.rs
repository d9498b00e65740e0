//! Looks at a class file without copying it.

mod annotation;
mod bootstrap;
mod outline;
mod pool;

pub use annotation::{Annotation, ElementValue};
pub use bootstrap::Bootstrap;
pub use outline::{MethodSpan, Outline};
pub use pool::{ConstantPool, DynamicRef, MemberRef, tag};

use crate::bytes::{Cursor, get2};
use crate::{Error, mutf8};

/// First four bytes of every class file.
const MAGIC: u32 = 0xCAFE_BABE;

/// A class file whose structure has been checked down to its attributes. What lies inside an attribute is checked when read.
#[derive(Debug, Clone)]
pub struct ClassFile<'a> {
    bytes: &'a [u8],
    pool: ConstantPool<'a>,
    layout: Layout,
    this_name: &'a [u8],
    super_name: Option<&'a [u8]>,
}

/// Offsets of the parts that follow the constant pool, each at its 16-bit count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Where the constant pool ends: the access flags.
    pub(crate) access: usize,
    pub(crate) interfaces: usize,
    pub(crate) fields: usize,
    pub(crate) methods: usize,
    pub(crate) attributes: usize,
}

impl<'a> ClassFile<'a> {
    /// Reads the structure: pool, members and attribute headers.
    ///
    /// # Errors
    /// Any break of the format, with its offset; bytes after the class are one too, because no JVM accepts them.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::read(bytes, &mut |_| {}, &mut |_| {})
    }

    /// As [`Self::parse`]; `class` gets the index of each class constant, and `method` each method.
    #[inline]
    pub(super) fn read(
        bytes: &'a [u8],
        class: &mut impl FnMut(u16),
        method: &mut impl FnMut(MethodSpan),
    ) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes, 0);
        let magic = cursor.u4()?;
        if magic != MAGIC {
            return Err(Error::Magic { expected: MAGIC, got: magic });
        }
        cursor.skip(4)?;
        let pool = ConstantPool::parse(bytes, &mut cursor, class)?;
        let access = cursor.offset();
        cursor.skip(2)?;
        let this_name = pool.class_name(cursor.u2()?)?;
        let super_name = match cursor.u2()? {
            0 => None,
            index => Some(pool.class_name(index)?),
        };
        let interfaces = cursor.offset();
        for _ in 0..cursor.u2()? {
            pool.class_name(cursor.u2()?)?;
        }
        let fields = cursor.offset();
        check_members(&pool, &mut cursor)?;
        let methods = cursor.offset();
        outline::check_methods(&pool, &mut cursor, method)?;
        let attributes = cursor.offset();
        check_attributes(&pool, &mut cursor)?;
        if cursor.remaining() > 0 {
            return Err(Error::Trailing { offset: cursor.offset(), count: cursor.remaining() });
        }
        let layout = Layout { access, interfaces, fields, methods, attributes };
        Ok(Self { bytes, pool, layout, this_name, super_name })
    }

    /// The whole file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Major version: 52 is Java 8, one more for each later release.
    pub fn major(&self) -> u16 {
        get2(self.bytes, 6)
    }

    /// Minor version; 65535 marks a class that uses preview features.
    pub fn minor(&self) -> u16 {
        get2(self.bytes, 4)
    }

    /// The constant pool.
    pub fn pool(&self) -> &ConstantPool<'a> {
        &self.pool
    }

    /// Access flags of the class, see [`crate::access`].
    pub fn access(&self) -> u16 {
        get2(self.bytes, self.layout.access)
    }

    /// Internal name, for instance `java/lang/String`, in modified UTF-8.
    pub fn this_name(&self) -> &'a [u8] {
        self.this_name
    }

    /// [`Self::this_name`] as text; `None` if that would lose something.
    pub fn this_str(&self) -> Option<&'a str> {
        mutf8::as_str(self.this_name)
    }

    /// Internal name of the superclass; `None` for `java/lang/Object` and module descriptors.
    pub fn super_name(&self) -> Option<&'a [u8]> {
        self.super_name
    }

    /// [`Self::super_name`] as text; `None` also if that would lose something.
    pub fn super_str(&self) -> Option<&'a str> {
        self.super_name.and_then(mutf8::as_str)
    }

    /// Index of the class constant of [`Self::this_name`].
    pub fn this_index(&self) -> u16 {
        get2(self.bytes, self.layout.access + 2)
    }

    /// Indexes of the class constants of the superclass, 0 if there is none, and of the interfaces.
    pub fn super_indexes(&self) -> impl Iterator<Item = u16> + '_ {
        let start = self.layout.interfaces + 2;
        let count = usize::from(get2(self.bytes, self.layout.interfaces));
        std::iter::once(get2(self.bytes, self.layout.access + 4))
            .chain((0..count).map(move |i| get2(self.bytes, start + 2 * i)))
    }

    /// Internal names of the interfaces named directly.
    pub fn interfaces(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let start = self.layout.interfaces + 2;
        let count = usize::from(get2(self.bytes, self.layout.interfaces));
        // Checked by `parse`, so nothing is filtered out.
        (0..count).filter_map(move |i| self.pool.class_name(get2(self.bytes, start + 2 * i)).ok())
    }

    /// Fields in file order.
    pub fn fields(&self) -> Members<'_> {
        Members::new(self, self.layout.fields)
    }

    /// Methods in file order, initialisers included.
    pub fn methods(&self) -> Members<'_> {
        Members::new(self, self.layout.methods)
    }

    /// Attributes of the class itself.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.pool, self.bytes, self.layout.attributes)
    }

    /// The class attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'_>> {
        self.attributes().find(|a| a.name == name.as_bytes())
    }

    /// Annotations of the class, visible at run time and not.
    ///
    /// # Errors
    /// A malformed annotation attribute.
    pub fn annotations(&self) -> Result<Vec<Annotation>, Error> {
        annotation::of(&self.pool, self.attributes())
    }

    /// The bootstrap methods of dynamic constants and call sites, in the order of their indexes.
    ///
    /// # Errors
    /// An attribute that is cut off.
    pub fn bootstrap_methods(&self) -> Result<Vec<Bootstrap<'a>>, Error> {
        let Some(attribute) = self.attribute("BootstrapMethods") else { return Ok(Vec::new()) };
        let range = attribute.offset..attribute.offset + attribute.data.len();
        bootstrap::read(&self.bytes[range], attribute.offset)
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }
}

/// Iterates the fields or the methods of a class.
#[derive(Debug, Clone)]
pub struct Members<'c> {
    class: &'c ClassFile<'c>,
    at: usize,
    left: u16,
}

impl<'c> Members<'c> {
    fn new(class: &'c ClassFile<'c>, count_at: usize) -> Self {
        Self { class, at: count_at + 2, left: get2(class.bytes, count_at) }
    }
}

impl<'c> Iterator for Members<'c> {
    type Item = Member<'c>;

    fn next(&mut self) -> Option<Member<'c>> {
        self.left = self.left.checked_sub(1)?;
        let (bytes, pool, offset) = (self.class.bytes, &self.class.pool, self.at);
        // Both were checked by `parse`.
        let name = pool.utf8(get2(bytes, offset + 2)).unwrap_or_default();
        let descriptor = pool.utf8(get2(bytes, offset + 4)).unwrap_or_default();
        self.at = offset + 8;
        for _ in 0..get2(bytes, offset + 6) {
            self.at += 6 + get_length(bytes, self.at + 2);
        }
        Some(Member { class: self.class, offset, access: get2(bytes, offset), name, descriptor })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(self.left), Some(usize::from(self.left)))
    }
}

impl ExactSizeIterator for Members<'_> {}

/// A field or a method.
#[derive(Debug, Clone, Copy)]
pub struct Member<'c> {
    class: &'c ClassFile<'c>,
    pub(crate) offset: usize,
    /// Access flags, see [`crate::access`].
    pub access: u16,
    /// Name in modified UTF-8.
    pub name: &'c [u8],
    /// Descriptor in modified UTF-8.
    pub descriptor: &'c [u8],
}

impl<'c> Member<'c> {
    /// The class that declares it.
    pub fn class(&self) -> &'c ClassFile<'c> {
        self.class
    }

    /// [`Self::name`] as text; `None` if that would lose something.
    pub fn name_str(&self) -> Option<&'c str> {
        mutf8::as_str(self.name)
    }

    /// [`Self::descriptor`] as text; `None` if that would lose something.
    pub fn descriptor_str(&self) -> Option<&'c str> {
        mutf8::as_str(self.descriptor)
    }

    /// Whether it is static.
    pub fn is_static(&self) -> bool {
        self.access & crate::access::STATIC != 0
    }

    /// Its attributes in file order.
    pub fn attributes(&self) -> Attributes<'c> {
        Attributes::new(&self.class.pool, self.class.bytes, self.offset + 6)
    }

    /// The attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'c>> {
        self.attributes().find(|a| a.name == name.as_bytes())
    }

    /// Its annotations, visible at run time and not.
    ///
    /// # Errors
    /// A malformed annotation attribute.
    pub fn annotations(&self) -> Result<Vec<Annotation>, Error> {
        annotation::of(&self.class.pool, self.attributes())
    }

    /// Annotations of a method's parameters: one list for each parameter of the descriptor. Where the compiler left out
    /// leading synthetic parameters, the lists it wrote belong to the last ones.
    ///
    /// # Errors
    /// A malformed annotation attribute or descriptor.
    pub fn parameter_annotations(&self) -> Result<Vec<Vec<Annotation>>, Error> {
        let descriptor = mutf8::decode(self.descriptor)?;
        let count = crate::descriptor::method(&descriptor)?.parameters.len();
        annotation::of_parameters(&self.class.pool, self.attributes(), count)
    }
}

/// Iterates attributes.
#[derive(Debug, Clone)]
pub struct Attributes<'c> {
    pool: &'c ConstantPool<'c>,
    bytes: &'c [u8],
    at: usize,
    left: u16,
}

impl<'c> Attributes<'c> {
    fn new(pool: &'c ConstantPool<'c>, bytes: &'c [u8], count_at: usize) -> Self {
        Self { pool, bytes, at: count_at + 2, left: get2(bytes, count_at) }
    }
}

impl<'c> Iterator for Attributes<'c> {
    type Item = Attribute<'c>;

    fn next(&mut self) -> Option<Attribute<'c>> {
        self.left = self.left.checked_sub(1)?;
        // Name and length were checked by `parse`.
        let name = self.pool.utf8(get2(self.bytes, self.at)).unwrap_or_default();
        let length = get_length(self.bytes, self.at + 2);
        let offset = self.at + 6;
        self.at = offset + length;
        Some(Attribute { name, data: &self.bytes[offset..self.at], offset })
    }
}

/// An attribute: its name and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'c> {
    /// Name in modified UTF-8.
    pub name: &'c [u8],
    /// Contents, without the header of six bytes.
    pub data: &'c [u8],
    /// Where the contents lie in the class file.
    pub offset: usize,
}

/// The length of an attribute, at `at`; its bounds were checked by `parse`.
fn get_length(bytes: &[u8], at: usize) -> usize {
    usize::from(get2(bytes, at)) << 16 | usize::from(get2(bytes, at + 2))
}

fn check_members(pool: &ConstantPool<'_>, cursor: &mut Cursor<'_>) -> Result<(), Error> {
    for _ in 0..cursor.u2()? {
        cursor.skip(2)?;
        pool.check_utf8(cursor.u2()?)?;
        pool.check_utf8(cursor.u2()?)?;
        check_attributes(pool, cursor)?;
    }
    Ok(())
}

fn check_attributes(pool: &ConstantPool<'_>, cursor: &mut Cursor<'_>) -> Result<(), Error> {
    for _ in 0..cursor.u2()? {
        pool.check_utf8(cursor.u2()?)?;
        let length = cursor.u4()?;
        cursor.skip(length as usize)?;
    }
    Ok(())
}
