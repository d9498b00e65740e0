//! Modified UTF-8, the text encoding of class files: NUL is two bytes, and characters above U+FFFF are surrogate pairs.

use crate::Error;
use std::borrow::Cow;

/// The text as it is, if it is also ordinary UTF-8. Nearly every name and descriptor is.
pub fn as_str(bytes: &[u8]) -> Option<&str> {
    // Two-byte NUL and encoded surrogates are not UTF-8, so they end up in `None` here. What is left are single-byte NUL and
    // characters of four bytes, both found by one comparison without branches.
    let is_other = |found: bool, &byte: &u8| found | (byte.wrapping_sub(1) >= 0xEF);
    std::str::from_utf8(bytes).ok().filter(|_| !bytes.iter().fold(false, is_other))
}

/// Decodes without loss.
///
/// # Errors
/// [`Error::Mutf8`] if the bytes are malformed or hold half a surrogate pair, which no Rust string can hold.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    if let Some(text) = as_str(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    let units = units(bytes)?;
    let mut out = String::with_capacity(units.len());
    let mut at = 0;
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(c) => {
                at += encoded_len(c);
                out.push(c);
            }
            Err(_) => return Err(Error::Mutf8 { at }),
        }
    }
    Ok(Cow::Owned(out))
}

/// Decodes, with U+FFFD for every half of a surrogate pair. Only for text that is shown or compared, never written back.
///
/// # Errors
/// [`Error::Mutf8`] if the bytes are malformed.
pub fn decode_lossy(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    if let Some(text) = as_str(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    Ok(Cow::Owned(String::from_utf16_lossy(&units(bytes)?)))
}

/// Encodes.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.bytes().any(|b| b == 0 || b >= 0xF0) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len() + 8);
    for unit in text.encode_utf16() {
        match unit {
            1..=0x7F => out.push(unit as u8),
            0 | 0x80..=0x7FF => out.extend([0xC0 | (unit >> 6) as u8, 0x80 | (unit & 0x3F) as u8]),
            _ => out.extend([0xE0 | (unit >> 12) as u8, 0x80 | ((unit >> 6) & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]),
        }
    }
    Cow::Owned(out)
}

/// UTF-16 units of the text.
fn units(bytes: &[u8]) -> Result<Vec<u16>, Error> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let tail = |at: usize| match bytes.get(at) {
        Some(&b) if b & 0xC0 == 0x80 => Ok(u16::from(b & 0x3F)),
        _ => Err(Error::Mutf8 { at }),
    };
    while at < bytes.len() {
        let first = u16::from(bytes[at]);
        match bytes[at] {
            1..=0x7F => {
                out.push(first);
                at += 1;
            }
            0xC0..=0xDF => {
                out.push((first & 0x1F) << 6 | tail(at + 1)?);
                at += 2;
            }
            0xE0..=0xEF => {
                out.push((first & 0x0F) << 12 | tail(at + 1)? << 6 | tail(at + 2)?);
                at += 3;
            }
            _ => return Err(Error::Mutf8 { at }),
        }
    }
    Ok(out)
}

fn encoded_len(c: char) -> usize {
    match c {
        '\u{1}'..='\u{7F}' => 1,
        '\0' | '\u{80}'..='\u{7FF}' => 2,
        '\u{800}'..='\u{FFFF}' => 3,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(decode(b"java/lang/Object"), Ok(Cow::Borrowed("java/lang/Object"))));
        assert!(matches!(encode("Café"), Cow::Borrowed(_)));
    }

    #[test]
    fn nul_and_supplementary_characters_round_trip() {
        let text = "a\0b\u{1F600}é漢";
        let bytes = encode(text);
        assert_eq!(&*bytes, b"a\xC0\x80b\xED\xA0\xBD\xED\xB8\x80\xC3\xA9\xE6\xBC\xA2");
        assert_eq!(decode(&bytes).unwrap(), text);
    }

    #[test]
    fn half_a_pair_is_refused_or_replaced() {
        assert_eq!(decode(b"x\xED\xA0\xBD"), Err(Error::Mutf8 { at: 1 }));
        assert_eq!(decode_lossy(b"x\xED\xA0\xBD").unwrap(), "x\u{FFFD}");
    }

    #[test]
    fn malformed_bytes_are_located() {
        for (bytes, at) in [(&b"a\0"[..], 1), (b"ab\xC3", 3), (b"\xE6\xBC", 2), (b"\xF0\x9F\x98\x80", 0), (b"\x80", 0)]
        {
            assert_eq!(decode(bytes), Err(Error::Mutf8 { at }), "{bytes:x?}");
            assert_eq!(as_str(bytes), None);
        }
    }
}
