//! How much an archive may hold before reading it is refused, against archives made to exhaust memory or disk.

use std::str::FromStr;

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

/// Most inflated bytes of an entry that must be in memory as a whole, such as a class or a text: 64 MiB. Other entries
/// are streamed.
pub const MAX_MEMORY_BYTES: u64 = 64 << 20;

/// The limits of one read. As text, `name=value` pairs with commas change single ones: `total-bytes=20GiB,ratio=1000`.
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
    /// Most inflated bytes of an entry that is held in memory as a whole.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: MAX_ENTRIES,
            entry_bytes: MAX_ENTRY_BYTES,
            total_bytes: MAX_TOTAL_BYTES,
            ratio: MAX_RATIO,
            ratio_free_bytes: RATIO_FREE_BYTES,
            memory_bytes: MAX_MEMORY_BYTES,
        }
    }
}

/// The names of the limits in text.
const NAMES: &str = "`entries`, `entry-bytes`, `total-bytes`, `ratio`, `ratio-free-bytes` or `memory-bytes`";

impl FromStr for Limits {
    type Err = String;

    /// The default limits with some changed; the error is a phrase for the user.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut limits = Self::default();
        for pair in text.split(',') {
            let Some((name, value)) = pair.split_once('=') else {
                return Err(format!("not of the form `name=value`: `{pair}`"));
            };
            let value = value.trim();
            let number = amount(value).ok_or_else(|| {
                format!("not a positive number, or one with a unit such as `20GiB` or `500 MB`: `{value}`")
            })?;
            match name.trim() {
                "entries" => limits.entries = usize::try_from(number).unwrap_or(usize::MAX),
                "entry-bytes" => limits.entry_bytes = number,
                "total-bytes" => limits.total_bytes = number,
                "ratio" => limits.ratio = number,
                "ratio-free-bytes" => limits.ratio_free_bytes = number,
                "memory-bytes" => limits.memory_bytes = number,
                other => return Err(format!("not a limit, which are {NAMES}: `{other}`")),
            }
        }
        Ok(limits)
    }
}

/// A positive number, perhaps with a decimal or binary unit of bytes.
fn amount(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim_start() {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|amount| *amount > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_limits_are_changed_by_name() {
        let limits: Limits = "total-bytes=20GiB, ratio=1000,entries=7".parse().unwrap();
        assert_eq!(limits, Limits { total_bytes: 20 << 30, ratio: 1000, entries: 7, ..Limits::default() });
        let limits: Limits = "entry-bytes=5 GB,ratio-free-bytes=1,memory-bytes=2 MiB".parse().unwrap();
        let expected = Limits { entry_bytes: 5_000_000_000, ratio_free_bytes: 1, ..Limits::default() };
        assert_eq!(limits, Limits { memory_bytes: 2 << 20, ..expected });
    }

    #[test]
    fn what_is_no_limit_says_so() {
        for (text, message) in [
            ("ratio", "not of the form `name=value`: `ratio`"),
            ("", "not of the form `name=value`: ``"),
            ("ratio=0", "not a positive number, or one with a unit such as `20GiB` or `500 MB`: `0`"),
            ("ratio=1x", "not a positive number, or one with a unit such as `20GiB` or `500 MB`: `1x`"),
            (
                "ratio=99999999999GiB",
                "not a positive number, or one with a unit such as `20GiB` or `500 MB`: `99999999999GiB`",
            ),
            (
                "size=1",
                "not a limit, which are `entries`, `entry-bytes`, `total-bytes`, `ratio`, `ratio-free-bytes` or \
                 `memory-bytes`: `size`",
            ),
        ] {
            assert_eq!(text.parse::<Limits>().unwrap_err(), message);
        }
    }
}
