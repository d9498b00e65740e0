//! Licences, notices and their kin: texts for people, all of which have to be kept.

use super::rule::{Rule, Source};
use crate::error::Result;
use crate::origin::Origin;

/// What such files are called, without suffix.
const NAMES: [&str; 9] =
    ["LICENSE", "LICENCE", "NOTICE", "COPYING", "COPYRIGHT", "DEPENDENCIES", "AL2.0", "LGPL2.1", "AUTHORS"];
/// What their suffix may be.
const SUFFIXES: [&str; 3] = ["", ".txt", ".md"];

/// Licence texts at the root or in `META-INF`.
pub(super) struct Licences;

/// Whether the file at `path` is a licence text, which no program looks up by its name.
pub(super) fn is_licence(path: &str) -> bool {
    let name = path.strip_prefix("META-INF/").unwrap_or(path);
    NAMES.iter().any(|known| {
        name.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known))
            && SUFFIXES.iter().any(|suffix| name[known.len()..].eq_ignore_ascii_case(suffix))
    })
}

impl Rule for Licences {
    fn name(&self) -> &'static str {
        "licence texts"
    }

    fn matches(&self, path: &str) -> bool {
        is_licence(path)
    }

    /// All texts, each below a line that names its jar. A text that an earlier one already holds is left out, so that
    /// merging a merged jar again changes nothing.
    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut kept: Vec<(&Source, Vec<u8>)> = Vec::new();
        for source in sources {
            let text = normal(&source.bytes);
            if !kept.iter().any(|(_, earlier)| holds(earlier, &text)) {
                kept.push((source, text));
            }
        }
        if let [(only, _)] = kept[..] {
            return Ok(only.bytes.clone());
        }
        let mut out = Vec::new();
        for (source, text) in kept {
            if !out.is_empty() {
                out.push(b'\n');
            }
            out.extend_from_slice(format!("===== {}\n\n", label(&source.origin)).as_bytes());
            out.extend_from_slice(&text);
            out.push(b'\n');
        }
        Ok(out)
    }
}

/// The file name of the jar: a path would differ between machines.
fn label(origin: &Origin) -> String {
    match origin {
        Origin::Entry { archive, .. } => archive.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        other => other.to_string(),
    }
}

/// The text with LF only and without blank lines around it.
fn normal(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for (at, &byte) in bytes.iter().enumerate() {
        if byte != b'\r' {
            text.push(byte);
        } else if bytes.get(at + 1) != Some(&b'\n') {
            text.push(b'\n');
        }
    }
    let start = text.iter().position(|&byte| byte != b'\n').unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(start, |last| last + 1);
    text[start..end].to_vec()
}

/// Whether `text` stands in `all` as whole lines.
fn holds(all: &[u8], text: &[u8]) -> bool {
    if text.is_empty() || all == text {
        return true;
    }
    if text.len() > all.len() {
        return false;
    }
    (0..=all.len() - text.len()).any(|at| {
        (at == 0 || all[at - 1] == b'\n')
            && all[at..].starts_with(text)
            && all.get(at + text.len()).is_none_or(|&next| next == b'\n')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(jar: &str, text: &str) -> Source {
        let origin = Origin::Entry { archive: format!("lib/{jar}").into(), name: "NOTICE".into() };
        Source { bytes: text.as_bytes().to_vec(), origin }
    }

    fn joined(sources: &[Source]) -> String {
        String::from_utf8(Licences.join(sources).unwrap()).unwrap()
    }

    #[test]
    fn all_texts_are_kept_under_the_names_of_their_jars() {
        let once = joined(&[source("a.jar", "One\r\n"), source("b.jar", "\nTwo\nlines"), source("c.jar", "One\n\n")]);
        assert_eq!(once, "===== a.jar\n\nOne\n\n===== b.jar\n\nTwo\nlines\n");
        assert_eq!(joined(&[source("out.jar", &once), source("b.jar", "\nTwo\nlines")]), once);
    }

    #[test]
    fn a_text_counts_as_held_in_whole_lines_only() {
        assert!(holds(b"a\nb\nc", b"b"));
        assert!(!holds(b"a\nbb\nc", b"b"));
        assert!(!holds(b"a\nbb", b"b"));
        assert!(!holds(b"a", b"abc"));
        assert!(holds(b"a", b""));
    }
}
