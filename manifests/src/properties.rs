//! Java properties, as `java.util.Properties` loads them from a stream: ISO-8859-1 with `\uXXXX`.

mod edit;

use std::fmt::Write as _;

pub use edit::edit;

use crate::Error;

/// Keys and values in the order written. A later value of a key replaces the earlier one, as in Java.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    entries: Vec<(String, String)>,
}

impl Properties {
    /// Reads a properties text.
    ///
    /// Fails for a malformed `\u` escape, and for one that is half of a surrogate pair.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        Self::parse_reporting(bytes).map(|(properties, _)| properties)
    }

    /// As [`Properties::parse`], and returns the keys that occur more than once with the line of each later occurrence.
    pub fn parse_reporting(bytes: &[u8]) -> Result<(Self, Vec<(String, usize)>), Error> {
        let mut properties = Self::default();
        let mut repeated = Vec::new();
        for line in LogicalLines::new(bytes) {
            let (key, value) = split(&line);
            let (key, value) = (unescape(key)?, unescape(value)?);
            let number = line.first().map_or(0, |unit| unit.line);
            if properties.get(&key).is_some() {
                repeated.push((key.clone(), number));
            }
            properties.set(&key, &value);
        }
        Ok((properties, repeated))
    }

    /// As [`Properties::parse`], and leaves out what cannot be read instead of failing: returns what is wrong with it.
    pub fn parse_leniently(bytes: &[u8]) -> (Self, Vec<Error>) {
        let mut properties = Self::default();
        let mut problems = Vec::new();
        for line in LogicalLines::new(bytes) {
            let (key, value) = split(&line);
            match unescape(key).and_then(|key| Ok((key, unescape(value)?))) {
                Ok((key, value)) => {
                    if properties.get(&key).is_some() {
                        let line = line.first().map_or(0, |unit| unit.line);
                        problems.push(Error::PropertyTwice { line, key: key.clone() });
                    }
                    properties.set(&key, &value);
                }
                Err(error) => problems.push(error),
            }
        }
        (properties, problems)
    }

    /// As [`Properties::parse`], for files in which a second value of a key would hide the first one unnoticed: fails with
    /// [`Error::PropertyTwice`] for it.
    pub fn parse_once(bytes: &[u8]) -> Result<Self, Error> {
        let (properties, mut repeated) = Self::parse_reporting(bytes)?;
        match repeated.drain(..).next() {
            Some((key, line)) => Err(Error::PropertyTwice { line, key }),
            None => Ok(properties),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.position(key).map(|at| self.entries[at].1.as_str())
    }

    /// Sets a key: an existing one keeps its position, a new one goes to the end.
    pub fn set(&mut self, key: &str, value: &str) {
        match self.position(key) {
            Some(at) => value.clone_into(&mut self.entries[at].1),
            None => self.entries.push((key.to_owned(), value.to_owned())),
        }
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        self.position(key).map(|at| self.entries.remove(at).1)
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Writes one `key=value` line each, ended by LF, in ASCII. There is no date comment, so equal properties give equal
    /// bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = String::new();
        for (key, value) in &self.entries {
            escape(&mut out, key, true);
            out.push('=');
            escape(&mut out, value, false);
            out.push('\n');
        }
        out.into_bytes()
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.entries.iter().position(|(known, _)| known == key)
    }
}

impl<K: AsRef<str>, V: AsRef<str>> FromIterator<(K, V)> for Properties {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut properties = Self::default();
        for (key, value) in entries {
            properties.set(key.as_ref(), value.as_ref());
        }
        properties
    }
}

/// One byte of a logical line and the natural line it comes from.
#[derive(Clone, Copy)]
struct Unit {
    byte: u8,
    line: usize,
}

/// Joins natural lines that end in an odd number of backslashes with the next one; skips blank lines and comments.
struct LogicalLines<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> LogicalLines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, line: 0 }
    }

    /// The next natural line without its end, and whether there is one.
    fn natural(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let end = self.rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(self.rest.len());
        let skip = match &self.rest[end..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        let line = &self.rest[..end];
        self.rest = &self.rest[end + skip..];
        Some(line)
    }
}

impl Iterator for LogicalLines<'_> {
    type Item = Vec<Unit>;

    fn next(&mut self) -> Option<Vec<Unit>> {
        let mut logical = Vec::new();
        let mut continued = false;
        while let Some(natural) = self.natural() {
            let blanks = natural.iter().take_while(|byte| is_blank(**byte)).count();
            let mut text = &natural[blanks..];
            // A line that is continued to takes even an empty line and one that looks like a comment.
            if !continued && matches!(text, [] | [b'#' | b'!', ..]) {
                continue;
            }
            let backslashes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
            continued = backslashes % 2 == 1;
            if continued {
                text = &text[..text.len() - 1];
            }
            logical.extend(text.iter().map(|&byte| Unit { byte, line: self.line }));
            if !continued {
                break;
            }
        }
        // A lone backslash continued to nothing carries no key.
        if logical.is_empty() {
            return if self.rest.is_empty() { None } else { self.next() };
        }
        Some(logical)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0c)
}

/// Splits at the first `=`, `:` or blank that no backslash precedes.
fn split(line: &[Unit]) -> (&[Unit], &[Unit]) {
    let mut end = 0;
    while end < line.len() && !is_blank(line[end].byte) && !matches!(line[end].byte, b'=' | b':') {
        end += if line[end].byte == b'\\' { 2 } else { 1 };
    }
    let end = end.min(line.len());
    let mut start = end;
    let mut separated = false;
    while start < line.len() {
        match line[start].byte {
            byte if is_blank(byte) => {}
            b'=' | b':' if !separated => separated = true,
            _ => break,
        }
        start += 1;
    }
    (&line[..end], &line[start..])
}

fn unescape(text: &[Unit]) -> Result<String, Error> {
    let mut out = String::new();
    let mut units = text.iter();
    // A high surrogate that waits for its low half, and its line.
    let mut high: Option<(u16, usize)> = None;
    while let Some(unit) = units.next() {
        let escaped = if unit.byte == b'\\' { units.next().map(|escaped| escaped.byte) } else { None };
        let character = match escaped {
            // A backslash at the very end stands for nothing.
            None if unit.byte == b'\\' => continue,
            None => u16::from(unit.byte),
            Some(b't') => u16::from(b'\t'),
            Some(b'n') => u16::from(b'\n'),
            Some(b'r') => u16::from(b'\r'),
            Some(b'f') => 0x0c,
            Some(b'u') => unicode(unit.line, &mut units)?,
            Some(other) => u16::from(other),
        };
        let lone = |(unit, line)| Error::PropertiesSurrogate { line, unit };
        match (high.take(), character) {
            (Some(first), 0xdc00..=0xdfff) => {
                let decoded = char::decode_utf16([first.0, character]).next().and_then(Result::ok);
                out.push(decoded.ok_or_else(|| lone(first))?);
            }
            (Some(first), _) => return Err(lone(first)),
            (None, 0xd800..=0xdbff) => high = Some((character, unit.line)),
            (None, _) => out.push(char::from_u32(u32::from(character)).ok_or_else(|| lone((character, unit.line)))?),
        }
    }
    match high {
        Some((unit, line)) => Err(Error::PropertiesSurrogate { line, unit }),
        None => Ok(out),
    }
}

/// Reads the four digits after `\u`.
fn unicode(line: usize, units: &mut std::slice::Iter<'_, Unit>) -> Result<u16, Error> {
    let digits: String = units.as_slice().iter().take(4).map(|unit| char::from(unit.byte)).collect();
    let valid = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = valid.then(|| u16::from_str_radix(&digits, 16).ok()).flatten();
    let Some(value) = value else {
        return Err(Error::PropertiesEscape { line, text: format!("\\u{digits}") });
    };
    units.nth(3);
    Ok(value)
}

/// Blanks matter in the whole of a key but only at the start of a value.
fn escape(out: &mut String, text: &str, key: bool) {
    for (at, character) in text.chars().enumerate() {
        match character {
            ' ' if key || at == 0 => out.push_str("\\ "),
            '\\' | '=' | ':' | '#' | '!' => {
                out.push('\\');
                out.push(character);
            }
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _infallible = write!(out, "\\u{unit:04X}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(text: &[u8]) -> Vec<(String, String)> {
        Properties::parse(text).unwrap().entries
    }

    fn pair(text: &str) -> (String, String) {
        let mut pairs = pairs(text.as_bytes());
        assert_eq!(pairs.len(), 1, "{text:?}");
        pairs.remove(0)
    }

    fn owned(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn separators_are_equals_colon_or_blank() {
        for text in ["k=v", "k:v", "k v", "k\tv", "  k = v", "k : v", "k \u{c} v"] {
            assert_eq!(pair(text), owned("k", "v"), "{text:?}");
        }
        assert_eq!(pair("k==v"), owned("k", "=v"));
        assert_eq!(pair("k = : v"), owned("k", ": v"));
        assert_eq!(pair("k v "), owned("k", "v "), "trailing blanks belong to the value");
        assert_eq!(pair("k"), owned("k", ""));
        assert_eq!(pair("=v"), owned("", "v"));
        assert_eq!(pair("a\\ b\\=c\\:d=v"), owned("a b=c:d", "v"));
    }

    #[test]
    fn comments_and_blank_lines_are_skipped() {
        assert_eq!(pairs(b"#a=b\n !c=d\n\n \t\nk=v # no comment\r\n"), [owned("k", "v # no comment")]);
    }

    #[test]
    fn lines_are_continued_by_an_odd_number_of_backslashes() {
        assert_eq!(pair("k=a,\\\n    b,\\\r\n\tc"), owned("k", "a,b,c"));
        assert_eq!(pairs(b"k=a\\\\\nl=b"), [owned("k", "a\\"), owned("l", "b")]);
        assert_eq!(pair("k=a\\\n#b"), owned("k", "a#b"), "no comment inside a logical line");
        assert_eq!(pairs(b"k=a\\\n\nl=b"), [owned("k", "a"), owned("l", "b")], "an empty line ends the logical line");
        assert_eq!(pair("k=a\\"), owned("k", "a"));
        assert!(pairs(b"\\\n").is_empty());
        assert_eq!(pairs(b"\\\n\nk=v"), [owned("k", "v")]);
        assert_eq!(pairs(b"#c\\\nk=v"), [owned("k", "v")], "comments are not continued");
    }

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(pair("k=\\t\\n\\r\\f\\z\\\\"), owned("k", "\t\n\r\u{c}z\\"));
        assert_eq!(pair("\\u006b=\\u00e9\\u20AC\\ud83d\\ude00"), owned("k", "é€😀"));
        assert_eq!(pairs(b"k=\xe9"), [owned("k", "é")], "bytes are ISO-8859-1");
    }

    #[test]
    fn malformed_escapes_name_their_line() {
        for (text, line, escape) in
            [("k=\\u12", 1, "\\u12"), ("#\nk=a\\\n\\u12g4", 3, "\\u12g4"), ("\\u+123=v", 1, "\\u+123")]
        {
            let error = Properties::parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), format!("properties line {line} has a malformed unicode escape: `{escape}`"));
            assert_eq!(
                error.hint().as_deref(),
                Some("write four hexadecimal digits after `\\u`, or double the backslash")
            );
        }
    }

    #[test]
    fn half_a_surrogate_pair_names_its_line() {
        for text in ["\nk=\\ud83d", "\nk=\\ud83dx", "\nk=\\ud83d\\ud83d"] {
            let error = Properties::parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), "properties line 2 has half of a surrogate pair: `\\ud83d`");
            assert_eq!(error.hint().as_deref(), Some("write both halves of the pair, the high one first"));
        }
        let error = Properties::parse(b"k=\\ude00").unwrap_err();
        assert_eq!(error.to_string(), "properties line 1 has half of a surrogate pair: `\\ude00`");
    }

    #[test]
    fn the_last_value_wins_at_the_first_place_and_is_reported() {
        let error = Properties::parse_once(b"a=1\nb=2\n\na=3\n").unwrap_err();
        assert_eq!(error.to_string(), "line 4 gives a key again: `a`");
        assert_eq!(error.hint().as_deref(), Some("keep one `a`"));
        assert_eq!(Properties::parse_once(b"a=1\nb=2\n").unwrap().len(), 2);
        let (properties, repeated) = Properties::parse_reporting(b"a=1\nb=2\n\na=3\n").unwrap();
        assert_eq!(properties.entries, [owned("a", "3"), owned("b", "2")]);
        assert_eq!(repeated, [("a".to_owned(), 4)]);
    }

    #[test]
    fn writing_escapes_and_carries_no_date() {
        let mut properties = Properties::default();
        properties.set("a b:c", "  x = #1!");
        properties.set("é", "\t\u{c}😀\\");
        properties.set("gone", "");
        assert_eq!(properties.remove("gone").as_deref(), Some(""));
        let written = String::from_utf8(properties.to_bytes()).unwrap();
        assert_eq!(written, "a\\ b\\:c=\\  x \\= \\#1\\!\n\\u00E9=\\t\\f\\uD83D\\uDE00\\\\\n");
        assert_eq!(Properties::parse(written.as_bytes()), Ok(properties));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(entries: Vec<(String, String)>) {
            let properties: Properties = entries.into_iter().collect();
            prop_assert_eq!(Properties::parse(&properties.to_bytes()), Ok(properties));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _any = Properties::parse(&bytes);
        }
    }
}
