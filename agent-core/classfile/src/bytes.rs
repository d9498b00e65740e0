//! Bounds-checked big-endian reading, and writing.

use crate::Error;

/// A position in a part of a class file. Errors carry offsets from the start of the whole file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: usize,
}

impl<'a> Cursor<'a> {
    /// Reads `bytes`, which lie at offset `base` of the file.
    pub(crate) fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    /// Offset in the whole file.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Offset within the part.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let left = self.remaining();
        if count > left {
            return Err(Error::Truncated { offset: self.offset(), missing: count - left });
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn skip(&mut self, count: usize) -> Result<(), Error> {
        self.take(count).map(|_| ())
    }

    #[inline]
    pub(crate) fn u1(&mut self) -> Result<u8, Error> {
        self.take(1).map(|b| b[0])
    }

    #[inline]
    pub(crate) fn u2(&mut self) -> Result<u16, Error> {
        self.take(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    #[inline]
    pub(crate) fn u4(&mut self) -> Result<u32, Error> {
        self.take(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }
}

/// Appends a `u2`.
pub(crate) fn put2(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Appends a `u4`.
pub(crate) fn put4(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// The `u2` at `at`, where the caller has already checked the bounds.
#[inline]
pub(crate) fn get2(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// The signed `u4` at `at`, where the caller has already checked the bounds.
#[inline]
pub(crate) fn get4(bytes: &[u8], at: usize) -> i32 {
    i32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
