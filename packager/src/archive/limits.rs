//! How much an archive may hold before reading it is refused, against archives made to exhaust memory or disk.

/// Most entries of one archive.
pub const MAX_ENTRIES: usize = 1_000_000;

/// Most bytes of one entry once inflated: 1 GiB, which is more than a Java array of a class or library needs.
pub const MAX_ENTRY_BYTES: u64 = 1 << 30;

/// Most bytes of all entries together once inflated: 8 GiB.
pub const MAX_TOTAL_BYTES: u64 = 8 << 30;

/// Most inflated bytes for each compressed byte. Deflate itself stops at about 1,030; real class files stay under 20.
pub const MAX_RATIO: u64 = 200;

/// Entries up to this many inflated bytes are not judged by ratio: a small file of zeros is harmless.
pub const RATIO_FREE_BYTES: u64 = 1 << 20;

/// The limits of one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most entries.
    pub entries: usize,
    /// Most inflated bytes of one entry.
    pub entry_bytes: u64,
    /// Most inflated bytes of all entries.
    pub total_bytes: u64,
    /// Most inflated bytes for each compressed byte.
    pub ratio: u64,
    /// Inflated bytes up to which the ratio is not looked at.
    pub ratio_free_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: MAX_ENTRIES,
            entry_bytes: MAX_ENTRY_BYTES,
            total_bytes: MAX_TOTAL_BYTES,
            ratio: MAX_RATIO,
            ratio_free_bytes: RATIO_FREE_BYTES,
        }
    }
}
