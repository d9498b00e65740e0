//! Changing one key of a text and nothing else in it.

use super::{LogicalLines, Properties, split, unescape};
use crate::Error;

/// The text with `key` set to `value`, or without `key`. Comments, order and other lines stay as they are; a key that is
/// there several times is there once afterwards.
///
/// Fails for a key that cannot be read.
pub fn edit(bytes: &[u8], key: &str, value: Option<&str>) -> Result<Vec<u8>, Error> {
    let line = value.map(|value| [(key, value)].into_iter().collect::<Properties>().to_bytes());
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let mut lines = LogicalLines::new(bytes);
    let mut copied = 0;
    let mut written = false;
    while let Some(logical) = lines.next() {
        let (name, _) = split(&logical);
        if unescape(name)? != key {
            continue;
        }
        let end = bytes.len() - lines.rest.len();
        let start = start_of(bytes, logical.first().map_or(1, |unit| unit.line));
        out.extend_from_slice(&bytes[copied..start]);
        if let Some(line) = line.as_ref().filter(|_| !written) {
            out.extend_from_slice(line);
            written = true;
        }
        copied = end;
    }
    out.extend_from_slice(&bytes[copied..]);
    if let Some(line) = line.filter(|_| !written) {
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        if is_continued(&out) {
            out.push(b'\n');
        }
        out.extend_from_slice(&line);
    }
    Ok(out)
}

/// Whether the last line, which is ended, goes on in whatever follows.
fn is_continued(text: &[u8]) -> bool {
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Where a natural line begins; lines count from 1.
fn start_of(bytes: &[u8], line: usize) -> usize {
    let mut lines = LogicalLines::new(bytes);
    for _ in 1..line {
        lines.natural();
    }
    bytes.len() - lines.rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_else_changes() {
        let text = "# head\n\n  a = 1, \\\n   2\n! note\r\nb:x\nc";
        for (key, value, expected) in [
            ("a", Some("9"), "# head\n\na=9\n! note\r\nb:x\nc"),
            ("a", None, "# head\n\n! note\r\nb:x\nc"),
            ("b", Some("é y"), "# head\n\n  a = 1, \\\n   2\n! note\r\nb=\\u00E9 y\nc"),
            ("c", Some(""), "# head\n\n  a = 1, \\\n   2\n! note\r\nb:x\nc=\n"),
            ("d", Some("z"), "# head\n\n  a = 1, \\\n   2\n! note\r\nb:x\nc\nd=z\n"),
            ("d", None, text),
        ] {
            let edited = edit(text.as_bytes(), key, value).unwrap();
            assert_eq!(String::from_utf8_lossy(&edited), expected, "{key} {value:?}");
        }
        assert_eq!(edit(b"a=1\nb=2\na=3\n", "a", Some("4")).unwrap(), b"a=4\nb=2\n");
        assert_eq!(edit(b"", "a", Some("4")).unwrap(), b"a=4\n");
        assert!(edit(b"\\u00zz=1", "a", None).is_err());
    }

    proptest! {
        #[test]
        fn what_was_set_is_read_and_the_rest_is_as_before(text in "[ab=:# \\\\\\n\\r]{0,40}", value: String) {
            let before = Properties::parse(text.as_bytes()).unwrap();
            let edited = edit(text.as_bytes(), "a", Some(&value)).unwrap();
            let after = Properties::parse(&edited).unwrap();
            prop_assert_eq!(after.get("a"), Some(value.as_str()));
            for (key, value) in before.iter().filter(|(key, _)| *key != "a") {
                prop_assert_eq!(after.get(key), Some(value));
            }
        }
    }
}
