//! Finds every reference to a text constant, and what the text means there.

use crate::Error;
use crate::bytes::{Cursor, get2};
use crate::reader::{ClassFile, ConstantPool, tag};

/// Deeper nesting of annotations or attributes is refused, so that no file can exhaust the stack.
const MAX_DEPTH: usize = 64;

/// What a text means to the structure that refers to it. Plain names and text are not reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Internal name of a class, or the descriptor of an array type.
    Class,
    /// Descriptor of a field or method.
    Descriptor,
    /// Generic signature of a class, field, method or record component.
    Signature,
}

/// Calls `visit` with the role and the offset of each 16-bit index that refers to a text naming types.
/// Attributes that this crate does not know are left out.
pub(super) fn visit(class: &ClassFile<'_>, visit: &mut dyn FnMut(Role, usize)) -> Result<(), Error> {
    let pool = class.pool();
    for index in 1..pool.len() {
        let Some(at) = pool.offset(index) else { continue };
        match class.bytes()[at] {
            tag::CLASS => visit(Role::Class, at + 1),
            tag::METHOD_TYPE => visit(Role::Descriptor, at + 1),
            tag::NAME_AND_TYPE => visit(Role::Descriptor, at + 3),
            _ => {}
        }
    }
    let mut walk = Walk { pool, visit };
    for member in class.fields().chain(class.methods()) {
        (walk.visit)(Role::Descriptor, member.offset + 4);
        for attribute in member.attributes() {
            walk.attribute(attribute.name, &mut Cursor::new(attribute.data, attribute.offset), 0)?;
        }
    }
    for attribute in class.attributes() {
        walk.attribute(attribute.name, &mut Cursor::new(attribute.data, attribute.offset), 0)?;
    }
    Ok(())
}

struct Walk<'w> {
    pool: &'w ConstantPool<'w>,
    visit: &'w mut dyn FnMut(Role, usize),
}

impl Walk<'_> {
    fn index(&mut self, role: Role, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        (self.visit)(role, cursor.offset());
        cursor.skip(2)
    }

    fn attributes(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Result<(), Error> {
        for _ in 0..cursor.u2()? {
            let name = self.pool.utf8(cursor.u2()?)?;
            let length = cursor.u4()? as usize;
            let offset = cursor.offset();
            self.attribute(name, &mut Cursor::new(cursor.take(length)?, offset), depth + 1)?;
        }
        Ok(())
    }

    fn attribute(&mut self, name: &[u8], cursor: &mut Cursor<'_>, depth: usize) -> Result<(), Error> {
        check_depth(depth, cursor)?;
        match name {
            b"Signature" => self.index(Role::Signature, cursor)?,
            b"Code" => {
                cursor.skip(4)?;
                let length = cursor.u4()? as usize;
                cursor.skip(length)?;
                let handlers = usize::from(cursor.u2()?);
                cursor.skip(8 * handlers)?;
                self.attributes(cursor, depth)?;
            }
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                let role = if name.ends_with(b"TypeTable") { Role::Signature } else { Role::Descriptor };
                for _ in 0..cursor.u2()? {
                    cursor.skip(6)?;
                    self.index(role, cursor)?;
                    cursor.skip(2)?;
                }
            }
            b"Record" => {
                for _ in 0..cursor.u2()? {
                    cursor.skip(2)?;
                    self.index(Role::Descriptor, cursor)?;
                    self.attributes(cursor, depth)?;
                }
            }
            b"AnnotationDefault" => self.value(cursor, 0)?,
            b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => self.annotations(cursor)?,
            b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations" => {
                for _ in 0..cursor.u1()? {
                    self.annotations(cursor)?;
                }
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                for _ in 0..cursor.u2()? {
                    skip_target(cursor)?;
                    let path = usize::from(cursor.u1()?);
                    cursor.skip(2 * path)?;
                    self.annotation(cursor, 0)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn annotations(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        for _ in 0..cursor.u2()? {
            self.annotation(cursor, 0)?;
        }
        Ok(())
    }

    fn annotation(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Result<(), Error> {
        self.index(Role::Descriptor, cursor)?;
        for _ in 0..cursor.u2()? {
            cursor.skip(2)?;
            self.value(cursor, depth + 1)?;
        }
        Ok(())
    }

    fn value(&mut self, cursor: &mut Cursor<'_>, depth: usize) -> Result<(), Error> {
        check_depth(depth, cursor)?;
        match cursor.u1()? {
            b'e' => {
                self.index(Role::Descriptor, cursor)?;
                cursor.skip(2)?;
            }
            b'c' => self.index(Role::Descriptor, cursor)?,
            b'@' => self.annotation(cursor, depth + 1)?,
            b'[' => {
                for _ in 0..cursor.u2()? {
                    self.value(cursor, depth + 1)?;
                }
            }
            _ => cursor.skip(2)?,
        }
        Ok(())
    }
}

fn check_depth(depth: usize, cursor: &Cursor<'_>) -> Result<(), Error> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    let expected = "at most 64 levels";
    Err(Error::Unexpected { what: "depth of an attribute", offset: cursor.offset(), expected, got: depth as u64 })
}

/// Skips what a type annotation says of its place.
fn skip_target(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    let offset = cursor.offset();
    let target = cursor.u1()?;
    let length = match target {
        0x00 | 0x01 | 0x16 => 1,
        0x10..=0x12 | 0x17 | 0x42..=0x46 => 2,
        0x13..=0x15 => 0,
        0x40 | 0x41 => 6 * usize::from(cursor.u2()?),
        0x47..=0x4B => 3,
        _ => {
            let expected = "a place of the format";
            return Err(Error::Unexpected {
                what: "target of a type annotation",
                offset,
                expected,
                got: target.into(),
            });
        }
    };
    cursor.skip(length)
}

/// The text that the index at `at` refers to.
pub(super) fn text<'a>(class: &ClassFile<'a>, at: usize) -> Result<&'a [u8], Error> {
    class.pool().utf8(get2(class.bytes(), at))
}
