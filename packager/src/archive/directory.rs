//! A second look at the central directory, for what the `zip` crate folds or overlooks.

use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom};

use super::source::SharedReader;

/// Signatures of the records.
const RECORD: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END64: &[u8] = b"PK\x06\x06";
const LOCATOR64: &[u8] = b"PK\x06\x07";
/// Lengths of the fixed parts, in bytes.
const RECORD_LEN: usize = 46;
const END_LEN: usize = 22;
const END64_LEN: usize = 56;
const LOCATOR64_LEN: u64 = 20;
/// Most bytes of the comment that may follow the end record.
const MAX_COMMENT: u64 = 0xffff;
/// The extra field by which some readers take another name than the header's.
const UNICODE_PATH: u16 = 0x7075;

/// What is wrong with a central directory; names have bytes outside ASCII escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// Two records have this name.
    Duplicate(String),
    /// A block of this entry's extra fields is longer than the fields, which the JVM refuses.
    Extra(String),
    /// An extra field gives this entry another name, which the JVM does not look at.
    Renamed(String),
}

/// Looks at each record of the directory that begins at `start`, else where the end record says.
pub(super) fn check(reader: &SharedReader, start: Option<u64>) -> Option<Problem> {
    let mut reader = reader.clone();
    let start = start.or_else(|| find_start(&mut reader).ok().flatten())?;
    reader.seek(SeekFrom::Start(start)).ok()?;
    let mut seen = HashSet::new();
    loop {
        let mut record = [0; RECORD_LEN];
        reader.read_exact(&mut record).ok()?;
        if !record.starts_with(RECORD) {
            return None;
        }
        let mut name = vec![0; usize::from(u16_at(&record, 28))];
        let mut extra = vec![0; usize::from(u16_at(&record, 30))];
        reader.read_exact(&mut name).ok()?;
        reader.read_exact(&mut extra).ok()?;
        reader.seek(SeekFrom::Current(i64::from(u16_at(&record, 32)))).ok()?;
        let shown = || name.escape_ascii().to_string();
        match other_name(&extra) {
            Err(Malformed) => return Some(Problem::Extra(shown())),
            Ok(Some(other)) if other != name => return Some(Problem::Renamed(shown())),
            Ok(_) => {}
        }
        if seen.contains(&name) {
            return Some(Problem::Duplicate(shown()));
        }
        seen.insert(name);
    }
}

/// Extra fields whose blocks do not fit into them.
struct Malformed;

/// Walks the blocks of extra fields and returns the name that one of them gives. Up to three bytes at the end are padding,
/// as alignment tools leave it and as the JVM accepts it.
fn other_name(mut extra: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    let mut name = None;
    while let [a, b, c, d, rest @ ..] = extra {
        let (data, after) = rest.split_at_checked(usize::from(u16::from_le_bytes([*c, *d]))).ok_or(Malformed)?;
        // One byte of version and the CRC-32 of the header's name come before the name.
        if u16::from_le_bytes([*a, *b]) == UNICODE_PATH && data.len() > 5 {
            name = Some(&data[5..]);
        }
        extra = after;
    }
    Ok(name)
}

/// Where the end records say that the directory begins.
fn find_start(reader: &mut SharedReader) -> io::Result<Option<u64>> {
    let len = reader.len();
    let tail_start = len.saturating_sub(END_LEN as u64 + MAX_COMMENT);
    let mut tail = Vec::new();
    reader.seek(SeekFrom::Start(tail_start))?;
    reader.by_ref().take(len - tail_start).read_to_end(&mut tail)?;
    let Some(at) = tail.windows(END.len()).rposition(|window| window == END) else { return Ok(None) };
    let Some(end) = tail[at..].get(..END_LEN) else { return Ok(None) };
    let start = u64::from(u32_at(end, 16));
    if start != u64::from(u32::MAX) {
        return Ok(Some(start));
    }
    let Some(locator_at) = (tail_start + at as u64).checked_sub(LOCATOR64_LEN) else { return Ok(None) };
    let mut locator = [0; LOCATOR64_LEN as usize];
    reader.seek(SeekFrom::Start(locator_at))?;
    reader.read_exact(&mut locator)?;
    let mut end64 = [0; END64_LEN];
    reader.seek(SeekFrom::Start(u64_at(&locator, 8)))?;
    reader.read_exact(&mut end64)?;
    Ok((locator.starts_with(LOCATOR64) && end64.starts_with(END64)).then(|| u64_at(&end64, 48)))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_extra_fields_must_fit() {
        assert!(matches!(other_name(b""), Ok(None)));
        assert!(matches!(other_name(b"\0\0\0"), Ok(None)), "three bytes are padding");
        assert!(matches!(other_name(b"\xfe\xca\0\0"), Ok(None)));
        assert!(matches!(other_name(b"\xfe\xca\x02\0ab\0"), Ok(None)));
        assert!(other_name(b"\xfe\xca\x03\0ab").is_err());
        assert!(other_name(b"\xfe\xca\0\0UT\xff\xff").is_err());
        assert!(matches!(other_name(b"up\x06\0\x01crc-x"), Ok(Some(b"x"))));
    }
}
