//! Adds entries to the `BootstrapMethods` attribute.

use super::pool::PoolEditor;
use crate::Error;
use crate::bytes::{get2, put2, put4};
use crate::reader::{Attribute, ClassFile};

/// Name of the attribute.
const NAME: &str = "BootstrapMethods";

/// New bootstrap entries of a class, each a handle and its static arguments.
#[derive(Debug)]
pub(crate) struct Bootstraps {
    first: u16,
    entries: Vec<(u16, Vec<u16>)>,
}

impl Bootstraps {
    pub(crate) fn new(class: &ClassFile<'_>) -> Result<Self, Error> {
        let first = match class.attribute(NAME) {
            Some(Attribute { data, offset, .. }) if data.len() < 2 => {
                return Err(Error::Truncated { offset, missing: 2 - data.len() });
            }
            Some(Attribute { data, .. }) => get2(data, 0),
            None => 0,
        };
        Ok(Self { first, entries: Vec::new() })
    }

    /// Index of the entry, which is added unless it was before.
    pub(crate) fn add(&mut self, handle: u16, arguments: Vec<u16>) -> Result<u16, Error> {
        let entry = (handle, arguments);
        let place = self.entries.iter().position(|known| *known == entry).unwrap_or_else(|| {
            self.entries.push(entry);
            self.entries.len() - 1
        });
        let index = usize::from(self.first) + place;
        // The count, one more than the index, must fit too.
        u16::try_from(index).ok().filter(|&index| index < u16::MAX).ok_or(Error::TooLarge {
            what: "table of bootstrap methods",
            limit: usize::from(u16::MAX),
            got: index + 1,
        })
    }

    /// Appends to `body` what follows offset `copied` of the class, with the new entries in its attribute.
    pub(crate) fn finish(
        &self,
        class: &ClassFile<'_>,
        copied: usize,
        body: &mut Vec<u8>,
        pool: &mut PoolEditor,
    ) -> Result<(), Error> {
        let bytes = class.bytes();
        if self.entries.is_empty() {
            body.extend_from_slice(&bytes[copied..]);
            return Ok(());
        }
        let mut added = Vec::new();
        for (handle, arguments) in &self.entries {
            put2(&mut added, *handle);
            put2(&mut added, arguments.len() as u16);
            for &argument in arguments {
                put2(&mut added, argument);
            }
        }
        let count = self.first + self.entries.len() as u16;
        if let Some(Attribute { data, offset, .. }) = class.attribute(NAME) {
            body.extend_from_slice(&bytes[copied..offset - 4]);
            put4(body, (data.len() + added.len()) as u32);
            put2(body, count);
            body.extend_from_slice(&data[2..]);
            body.extend_from_slice(&added);
            body.extend_from_slice(&bytes[offset + data.len()..]);
        } else {
            let attributes = class.layout().attributes;
            let limit = usize::from(u16::MAX);
            let held = get2(bytes, attributes);
            let now = held.checked_add(1).ok_or(Error::TooLarge { what: "attribute count", limit, got: limit + 1 })?;
            body.extend_from_slice(&bytes[copied..attributes]);
            put2(body, now);
            body.extend_from_slice(&bytes[attributes + 2..]);
            put2(body, pool.utf8(NAME)?);
            put4(body, added.len() as u32 + 2);
            put2(body, count);
            body.extend_from_slice(&added);
        }
        Ok(())
    }
}
