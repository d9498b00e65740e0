//! Stack map frames that only move: everything but offsets is copied.

use super::Failure;
use super::layout::Layout;
use super::scan::Scan;
use crate::bytes::{Cursor, put2};
use crate::reader::Attribute;
use crate::weave::Skip;

/// Appends a `StackMapTable` whose frames show the same variables at their new offsets.
pub(super) fn frames(attribute: Attribute<'_>, scan: &Scan, layout: &Layout, out: &mut Vec<u8>) -> Result<(), Failure> {
    let mut cursor = Cursor::new(attribute.data, attribute.offset);
    let count = cursor.u2()?;
    put2(out, count);
    // The least offset that the next frame may have, old and new.
    let (mut next, mut new_next) = (0, 0);
    for _ in 0..count {
        let tag = cursor.u1()?;
        let delta = match tag {
            0..=63 => u16::from(tag),
            64..=127 => u16::from(tag - 64),
            247..=255 => cursor.u2()?,
            _ => return Err(Skip::UnknownFrame { tag }.into()),
        };
        let offset = scan.start(next + usize::from(delta), "offset of a stack map frame")?;
        next = offset + 1;
        let at = layout.of(offset).label;
        let moved = at - new_next;
        new_next = at + 1;
        // Frames ascend and lie within 65,535 bytes, so the distance fits.
        match (tag, u8::try_from(moved)) {
            (0..=63 | 251, Ok(small @ 0..=63)) => out.push(small),
            (64..=127 | 247, Ok(small @ 0..=63)) => out.push(64 + small),
            (0..=63, _) => header(out, 251, moved),
            (64..=127, _) => header(out, 247, moved),
            _ => header(out, tag, moved),
        }
        match tag {
            64..=127 | 247 => types(&mut cursor, 1, scan, layout, out)?,
            252..=254 => types(&mut cursor, u16::from(tag) - 251, scan, layout, out)?,
            255 => {
                for _ in 0..2 {
                    let count = cursor.u2()?;
                    put2(out, count);
                    types(&mut cursor, count, scan, layout, out)?;
                }
            }
            _ => {}
        }
    }
    if cursor.remaining() > 0 {
        return Err(Skip::Malformed { offset: next, what: "bytes after the stack map" }.into());
    }
    Ok(())
}

fn header(out: &mut Vec<u8>, tag: u8, delta: usize) {
    out.push(tag);
    put2(out, delta as u16);
}

fn types(cursor: &mut Cursor<'_>, count: u16, scan: &Scan, layout: &Layout, out: &mut Vec<u8>) -> Result<(), Failure> {
    for _ in 0..count {
        let tag = cursor.u1()?;
        out.push(tag);
        match tag {
            0..=6 => {}
            7 => put2(out, cursor.u2()?),
            8 => {
                let made = scan.start(usize::from(cursor.u2()?), "offset of an uninitialized object")?;
                put2(out, layout.of(made).instruction as u16);
            }
            tag => return Err(Skip::UnknownFrame { tag }.into()),
        }
    }
    Ok(())
}
