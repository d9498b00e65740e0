//! `reference.conf` of Typesafe Config: defaults of every library, which its reader joins over all jars.

use super::MergeError;
use super::rule::{Rule, Source};
use crate::error::Result;

/// `reference.conf` at the root.
pub(super) struct ReferenceConf;

impl Rule for ReferenceConf {
    fn name(&self) -> &'static str {
        "configuration"
    }

    fn matches(&self, path: &str) -> bool {
        path == "reference.conf"
    }

    /// One below the other. The reader lets the first of several files win, and in one file the last line, so the order
    /// is turned round. A file may have braces around all it says, which two in one file may not.
    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut open = Vec::with_capacity(sources.len());
        for source in sources.iter().rev() {
            let bytes = without_braces(&source.bytes).map_err(|problem| MergeError::Malformed {
                origin: Box::new(source.origin.clone()),
                problem: problem.to_owned(),
            })?;
            open.push(Source { bytes, origin: source.origin.clone() });
        }
        Ok(lines(open.iter()))
    }
}

/// The text without the braces around all of it, if it has such; all else is kept.
fn without_braces(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut opened = None;
    let mut last = None;
    while at < text.len() {
        let rest = &text[at..];
        if rest[0] == b'#' || rest.starts_with(b"//") {
            at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            continue;
        }
        if rest[0].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if opened.is_none() {
            if rest[0] == b'[' {
                return Err("it is a list, and not an object");
            }
            if rest[0] != b'{' {
                return Ok(text.to_vec());
            }
            opened = Some(at);
        }
        last = Some(at);
        at += string(rest).unwrap_or(1);
    }
    match (opened, last) {
        (Some(first), Some(last)) if first < last && text[last] == b'}' => {
            Ok([&text[..first], &text[first + 1..last], &text[last + 1..]].concat())
        }
        (None, _) => Ok(text.to_vec()),
        _ => Err("its first brace is not closed at its end"),
    }
}

/// Length of the quoted string that `text` begins with.
fn string(text: &[u8]) -> Option<usize> {
    if text.starts_with(b"\"\"\"") {
        let end = text[3..].windows(3).position(|three| three == b"\"\"\"")?;
        // Further quotes belong to the string.
        let more = text[3 + end + 3..].iter().take_while(|byte| **byte == b'"').count();
        return Some(3 + end + 3 + more);
    }
    if text.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    Some(text.len())
}

/// The texts one below the other, each beginning on a line of its own.
pub(super) fn lines<'a>(sources: impl Iterator<Item = &'a Source>) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for source in sources {
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        out.extend_from_slice(&source.bytes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;

    fn joined(texts: &[&str]) -> Result<String> {
        let source = |text: &&str| Source { bytes: text.as_bytes().to_vec(), origin: Origin::File("x".into()) };
        let sources: Vec<Source> = texts.iter().map(source).collect();
        ReferenceConf.join(&sources).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn the_first_input_is_read_last_so_that_it_wins() {
        assert_eq!(joined(&["a = 1", "b { c = 2 }"]).unwrap(), "b { c = 2 }\na = 1");
    }

    #[test]
    fn braces_around_a_whole_file_go() {
        for (text, expected) in [
            ("{ a = 1 }", " a = 1 "),
            ("# {\n{ a = 1 } // }\n", "# {\n a = 1  // }\n"),
            ("\n{ a = \"}\", b : {} }\n# end", "\n a = \"}\", b : {} \n# end"),
            ("{ a = \"\"\" } \"\"\"\" }", " a = \"\"\" } \"\"\"\" "),
            ("{ \"\\\"}\" = 1 }", " \"\\\"}\" = 1 "),
            ("{}", ""),
            ("a { b = 1 }", "a { b = 1 }"),
            ("a = \"{\"", "a = \"{\""),
            ("# only {", "# only {"),
            ("", ""),
        ] {
            assert_eq!(joined(&[text]).unwrap(), expected);
        }
        assert_eq!(joined(&["{ a = 1 }", "{ b = 2 }"]).unwrap(), " b = 2 \n a = 1 ");
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for (text, problem) in [
            ("[1]", "it is a list, and not an object"),
            ("{ a = 1", "its first brace is not closed at its end"),
            ("{ a = 1 } b = 2", "its first brace is not closed at its end"),
            ("{", "its first brace is not closed at its end"),
        ] {
            assert_eq!(joined(&[text]).unwrap_err().to_string(), format!("cannot join `x`: {problem}"));
        }
    }
}
