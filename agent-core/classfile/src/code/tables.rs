//! Attributes of the code that hold offsets into it, other than frames.

use super::Failure;
use super::layout::Layout;
use crate::bytes::{Cursor, get2, put2};
use crate::reader::{Attribute, ConstantPool};
use crate::weave::Skip;
use std::cmp::Ordering;

/// Deeper nesting of annotations is refused, so that no file can exhaust the stack.
const MAX_DEPTH: usize = 64;

/// What the tables are moved by. JVMs do not ask that these offsets are those of instructions, so neither does this.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved<'m> {
    pub(crate) layout: &'m Layout,
    /// Length of the original code.
    pub(crate) length: usize,
    /// New index of each original entry of the exception table.
    pub(crate) handlers: &'m [usize],
}

impl Moved<'_> {
    /// Where a range of the source begins. What is inserted at the start of the method belongs to its first line and its parameters.
    fn begin(&self, offset: usize) -> Result<usize, Skip> {
        if offset == 0 {
            return Ok(0);
        }
        match offset.cmp(&self.length) {
            Ordering::Less => Ok(self.layout.of(offset).label),
            Ordering::Equal => Ok(self.layout.end),
            Ordering::Greater => Err(Skip::Malformed { offset, what: "offset in a table of the code" }),
        }
    }

    /// A variable's range as start and length.
    fn range(&self, start: u16, length: u16) -> Result<(u16, u16), Skip> {
        let (start, length) = (usize::from(start), usize::from(length));
        let end = start + length;
        if end > self.length {
            return Err(Skip::Malformed { offset: start, what: "range of a variable" });
        }
        let from = self.begin(start)?;
        let to = if length == 0 { from } else { self.layout.of(end).before };
        Ok((from as u16, to.saturating_sub(from) as u16))
    }
}

/// `LineNumberTable`.
pub(crate) fn lines(attribute: Attribute<'_>, moved: Moved<'_>, out: &mut Vec<u8>) -> Result<(), Failure> {
    for entry in copied(attribute, 4, out)?.chunks_exact_mut(4) {
        let offset = moved.begin(usize::from(get2(entry, 0)))? as u16;
        entry[..2].copy_from_slice(&offset.to_be_bytes());
    }
    Ok(())
}

/// `LocalVariableTable` and `LocalVariableTypeTable`.
pub(crate) fn variables(attribute: Attribute<'_>, moved: Moved<'_>, out: &mut Vec<u8>) -> Result<(), Failure> {
    for entry in copied(attribute, 10, out)?.chunks_exact_mut(10) {
        let (start, length) = moved.range(get2(entry, 0), get2(entry, 2))?;
        entry[..2].copy_from_slice(&start.to_be_bytes());
        entry[2..4].copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

/// Appends a table whose entries have that many bytes each; returns the entries.
fn copied<'o>(attribute: Attribute<'_>, size: usize, out: &'o mut Vec<u8>) -> Result<&'o mut [u8], Failure> {
    let mut cursor = Cursor::new(attribute.data, attribute.offset);
    let count = usize::from(cursor.u2()?);
    cursor.skip(size * count)?;
    finish(cursor)?;
    out.extend_from_slice(attribute.data);
    let start = out.len() - size * count;
    Ok(&mut out[start..])
}

/// `RuntimeVisibleTypeAnnotations` and `RuntimeInvisibleTypeAnnotations`.
pub(crate) fn type_annotations(
    attribute: Attribute<'_>,
    pool: &ConstantPool<'_>,
    moved: Moved<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    let mut cursor = Cursor::new(attribute.data, attribute.offset);
    let count = cursor.u2()?;
    put2(out, count);
    for _ in 0..count {
        let target = cursor.u1()?;
        out.push(target);
        match target {
            // A local variable or resource: ranges and the variable's slot.
            0x40 | 0x41 => {
                let ranges = cursor.u2()?;
                put2(out, ranges);
                for _ in 0..ranges {
                    let (start, length) = moved.range(cursor.u2()?, cursor.u2()?)?;
                    put2(out, start);
                    put2(out, length);
                    put2(out, cursor.u2()?);
                }
            }
            // The parameter of a handler.
            0x42 => {
                let handler = usize::from(cursor.u2()?);
                // javac leaves the index of a handler that it dropped; such a one is kept as it is.
                put2(out, moved.handlers.get(handler).copied().unwrap_or(handler) as u16);
            }
            // `instanceof`, `new` and method references: their instruction. Casts and type arguments also have an index.
            0x43..=0x4B => {
                let offset = cursor.u2()?;
                // javac also leaves offsets of code that it dropped.
                let inside = usize::from(offset) < moved.length;
                put2(out, if inside { moved.layout.of(usize::from(offset)).instruction as u16 } else { offset });
                if target >= 0x47 {
                    out.push(cursor.u1()?);
                }
            }
            _ => return Err(Skip::Malformed { offset: 0, what: "target of a type annotation" }.into()),
        }
        let mut end = cursor;
        let path = end.u1()?;
        end.skip(2 * usize::from(path))?;
        skip_annotation(&mut end, pool, 0)?;
        out.extend_from_slice(cursor.take(end.position() - cursor.position())?);
    }
    finish(cursor)
}

fn skip_annotation(cursor: &mut Cursor<'_>, pool: &ConstantPool<'_>, depth: usize) -> Result<(), Failure> {
    pool.utf8(cursor.u2()?)?;
    for _ in 0..cursor.u2()? {
        cursor.skip(2)?;
        skip_value(cursor, pool, depth + 1)?;
    }
    Ok(())
}

fn skip_value(cursor: &mut Cursor<'_>, pool: &ConstantPool<'_>, depth: usize) -> Result<(), Failure> {
    if depth > MAX_DEPTH {
        return Err(Skip::Malformed { offset: 0, what: "depth of an annotation" }.into());
    }
    match cursor.u1()? {
        b'e' => cursor.skip(4)?,
        b'@' => skip_annotation(cursor, pool, depth + 1)?,
        b'[' => {
            for _ in 0..cursor.u2()? {
                skip_value(cursor, pool, depth + 1)?;
            }
        }
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => cursor.skip(2)?,
        _ => return Err(Skip::Malformed { offset: 0, what: "value of an annotation" }.into()),
    }
    Ok(())
}

fn finish(cursor: Cursor<'_>) -> Result<(), Failure> {
    if cursor.remaining() == 0 {
        Ok(())
    } else {
        Err(Skip::Malformed { offset: 0, what: "bytes after a table of the code" }.into())
    }
}
