//! The types that annotations name, wherever annotations stand: on types, members, parameters, uses of types and as the
//! default of an element.

use classfile::{Attribute, ConstantPool, mutf8};

/// Annotations within annotations deeper than this are not followed, as the class-file reader refuses them too.
const MAX_DEPTH: usize = 64;

/// Internal names of the types in an attribute that holds annotations; none for another attribute.
pub(super) fn types(pool: &ConstantPool<'_>, attribute: &Attribute<'_>) -> Vec<String> {
    let mut reader = Reader { pool, bytes: attribute.data, found: Vec::new() };
    let _ended_early = match attribute.name {
        b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => reader.list(),
        b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations" => reader.parameters(),
        b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => reader.of_types(),
        b"AnnotationDefault" => reader.value(0),
        _ => None,
    };
    reader.found
}

struct Reader<'a> {
    pool: &'a ConstantPool<'a>,
    bytes: &'a [u8],
    found: Vec<String>,
}

impl Reader<'_> {
    fn u1(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn u2(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes([self.u1()?, self.u1()?]))
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.bytes = self.bytes.get(count..)?;
        Some(())
    }

    fn list(&mut self) -> Option<()> {
        for _ in 0..self.u2()? {
            self.annotation(0)?;
        }
        Some(())
    }

    fn parameters(&mut self) -> Option<()> {
        for _ in 0..self.u1()? {
            self.list()?;
        }
        Some(())
    }

    fn of_types(&mut self) -> Option<()> {
        for _ in 0..self.u2()? {
            match self.u1()? {
                // The index of a type parameter or of a parameter.
                0x00 | 0x01 | 0x16 => self.skip(1)?,
                // Supertypes, throws clauses, and bounds of type parameters.
                0x10 | 0x11 | 0x12 | 0x17 => self.skip(2)?,
                // Fields, results and receivers.
                0x13..=0x15 => {}
                // The rest is within code.
                _ => return None,
            }
            let path = usize::from(self.u1()?);
            self.skip(2 * path)?;
            self.annotation(0)?;
        }
        Some(())
    }

    fn annotation(&mut self, depth: usize) -> Option<()> {
        self.descriptor()?;
        for _ in 0..self.u2()? {
            self.skip(2)?;
            self.value(depth + 1)?;
        }
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.u1()? {
            b'e' => {
                self.descriptor()?;
                self.skip(2)
            }
            b'c' => self.descriptor(),
            b'@' => self.annotation(depth + 1),
            b'[' => {
                for _ in 0..self.u2()? {
                    self.value(depth + 1)?;
                }
                Some(())
            }
            _ => self.skip(2),
        }
    }

    /// The class in the descriptor that the next two bytes are the index of.
    fn descriptor(&mut self) -> Option<()> {
        let index = self.u2()?;
        let text = mutf8::decode(self.pool.utf8(index).ok()?).ok()?;
        let class = text.trim_start_matches('[').strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        self.found.extend(class.map(str::to_owned));
        Some(())
    }
}
