//! Writes a `Code` attribute again after its code was laid out anew.

use super::frames::{self, Adjust};
use super::layout::Layout;
use super::pool::PoolEditor;
use super::scan::Scan;
use super::tables::{self, Moved};
use super::{Code, Failure, shift};
use crate::bytes::{put2, put4};
use crate::reader::{Attribute, ConstantPool};
use crate::weave::Skip;

/// The attribute that holds frames.
const FRAMES: &[u8] = b"StackMapTable";
/// Below this version there are no frames.
const FRAMES_SINCE: u16 = 50;

/// Entries of the exception table: those with that original handler and class constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Caught {
    pub(crate) target: usize,
    pub(crate) class: u16,
}

/// A handler in the appended part that stands before an original one, for some entries only.
#[derive(Debug)]
pub(crate) struct Apart {
    pub(crate) caught: Caught,
    /// Offset in the appended part.
    pub(crate) start: usize,
    /// Offset of the jump at its end, also in the appended part.
    pub(crate) end: usize,
}

/// What is known of the method around its new code.
#[derive(Debug)]
pub(crate) struct Body<'b, 'a> {
    pub(crate) code: &'b Code<'a>,
    pub(crate) scan: &'b Scan,
    pub(crate) layout: &'b Layout,
    /// `None` if frames only move: their variables stay as they are, and there are no further ones.
    pub(crate) adjust: Option<&'b Adjust<'b>>,
    /// Class-file version.
    pub(crate) major: u16,
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    /// Ranges of the original code that the appended code handles; empty if it is no handler.
    pub(crate) caught: &'b [(usize, usize)],
    /// Further handlers of the appended part, ascending.
    pub(crate) apart: &'b [Apart],
}

/// Fails if an attribute of the code is none that this crate can move.
pub(crate) fn check_attributes(code: &Code<'_>) -> Result<(), Skip> {
    for (_, attribute) in &code.attributes {
        match attribute.name {
            FRAMES
            | b"LineNumberTable"
            | b"LocalVariableTable"
            | b"LocalVariableTypeTable"
            | b"RuntimeVisibleTypeAnnotations"
            | b"RuntimeInvisibleTypeAnnotations" => {}
            name => {
                return Err(Skip::UnknownAttribute { name: String::from_utf8_lossy(name).into_owned() });
            }
        }
    }
    Ok(())
}

impl Body<'_, '_> {
    /// Appends the contents of the new attribute.
    pub(crate) fn write(
        &self,
        constants: &ConstantPool<'_>,
        pool: &mut PoolEditor,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let Self { code, layout, .. } = *self;
        put2(out, self.max_stack);
        put2(out, self.max_locals);
        put4(out, layout.code.len() as u32);
        out.extend_from_slice(&layout.code);
        let handlers = self.write_handlers(out)?;
        let moved = Moved { layout, length: code.bytes.len(), handlers: &handlers };
        let count_at = out.len();
        let mut count = code.attributes.len();
        put2(out, 0);
        let mut frames_seen = false;
        for &(name, attribute) in &code.attributes {
            let start = begin_attribute(out, name);
            match attribute.name {
                FRAMES if frames_seen => {
                    return Err(Skip::Malformed { offset: 0, what: "second stack map" }.into());
                }
                FRAMES => {
                    frames_seen = true;
                    self.frames(Some(attribute), pool, out)?;
                }
                b"LineNumberTable" => tables::lines(attribute, moved, out)?,
                b"LocalVariableTable" | b"LocalVariableTypeTable" => tables::variables(attribute, moved, out)?,
                _ => tables::type_annotations(attribute, constants, moved, out)?,
            }
            end_attribute(out, start);
        }
        // A handler needs a frame. Where the method jumps without having any, the JVM infers types, and a table with our
        // frame alone would only claim to be complete.
        let straight = self.scan.jumps.is_empty() && code.handlers.is_empty();
        if !self.caught.is_empty() && !frames_seen && straight && self.major >= FRAMES_SINCE {
            let start = begin_attribute(out, pool.raw_utf8(FRAMES)?);
            self.frames(None, pool, out)?;
            end_attribute(out, start);
            count += 1;
        }
        let limit = usize::from(u16::MAX);
        let count = u16::try_from(count).map_err(|_| Skip::TooMany { what: "attributes", limit, needed: count })?;
        out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }

    fn frames(
        &self,
        attribute: Option<Attribute<'_>>,
        pool: &mut PoolEditor,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let Some(adjust) = self.adjust else {
            return attribute.map_or(Ok(()), |attribute| shift::frames(attribute, self.scan, self.layout, out));
        };
        let end = self.layout.end;
        let apart = self.apart.iter().map(|handler| (handler.caught.target, end + handler.start));
        let copies: Vec<_> = self.layout.steps.iter().copied().chain(apart).collect();
        let added = frames::Added { handler: !self.caught.is_empty(), copies: &copies };
        frames::rewrite(attribute, self.scan, self.layout, adjust, &added, pool, out)
    }

    /// Writes the exception table; returns the new index of each original entry.
    fn write_handlers(&self, out: &mut Vec<u8>) -> Result<Vec<usize>, Failure> {
        let Self { code, layout, scan, .. } = *self;
        let count_at = out.len();
        let mut count = 0;
        put2(out, 0);
        let mut put = |out: &mut Vec<u8>, (start, end): (usize, usize), target: usize, class: u16| {
            for value in [start as u16, end as u16, target as u16, class] {
                put2(out, value);
            }
            count += 1;
            count - 1
        };
        let mut moved = Vec::with_capacity(code.handlers.len());
        for handler in &code.handlers {
            scan.start(handler.start, "exception range")?;
            if handler.end != code.bytes.len() {
                scan.start(handler.end, "exception range")?;
            }
            let original = scan.start(handler.target, "exception handler")?;
            let caught = Caught { target: original, class: handler.class };
            let apart = self.apart.iter().find(|apart| apart.caught == caught);
            let target = apart.map_or(layout.of(original).label, |apart| layout.end + apart.start);
            let mut first = None;
            for part in layout.split(handler.start, handler.end) {
                let index = put(out, part, target, handler.class);
                first.get_or_insert(index);
            }
            moved.push(first.unwrap_or_default());
        }
        for &(start, end) in self.caught {
            for part in layout.split(start, end) {
                put(out, part, layout.end, 0);
            }
        }
        let limit = usize::from(u16::MAX);
        let count =
            u16::try_from(count).map_err(|_| Skip::TooMany { what: "exception ranges", limit, needed: count })?;
        out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(moved)
    }
}

/// Writes the header of an attribute whose length is not known yet; returns where its contents begin.
fn begin_attribute(out: &mut Vec<u8>, name: u16) -> usize {
    put2(out, name);
    put4(out, 0);
    out.len()
}

fn end_attribute(out: &mut [u8], start: usize) {
    let length = (out.len() - start) as u32;
    out[start - 4..start].copy_from_slice(&length.to_be_bytes());
}
