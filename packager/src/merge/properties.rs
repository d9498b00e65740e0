//! Properties: joined key by key where their reader does so over all jars, and as text where `append` asks for it.

use std::collections::BTreeMap;

use manifests::properties::Properties;

use super::MergeError;
use super::rule::{Rule, Source};
use crate::error::{Error, Result};
use crate::origin::Origin;

/// Property files of which every jar of one library has its part, and which that library reads over all jars.
pub(super) struct Known;

impl Rule for Known {
    fn name(&self) -> &'static str {
        "properties"
    }

    fn matches(&self, path: &str) -> bool {
        // Netty looks up the versions of all its modules in all files of this name.
        path == "META-INF/io.netty.versions.properties"
    }

    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        Ok(union(sources)?.to_bytes())
    }
}

/// Reads one file of properties.
///
/// # Errors
/// It holds a malformed escape.
pub(super) fn parse(source: &Source) -> Result<Properties> {
    Properties::parse(&source.bytes)
        .map_err(|error| Error::Format { origin: Box::new(source.origin.clone()), source: Box::new(error) })
}

/// The keys of all files, in the order of their first appearance.
///
/// # Errors
/// A file is malformed, or two give one key different values.
pub(super) fn union(sources: &[Source]) -> Result<Properties> {
    let mut joined = Properties::default();
    let mut owners: BTreeMap<String, &Origin> = BTreeMap::new();
    for source in sources {
        for (key, value) in parse(source)?.iter() {
            match joined.get(key) {
                None => {
                    joined.set(key, value);
                    owners.insert(key.to_owned(), &source.origin);
                }
                Some(known) if known == value => {}
                Some(_) => return Err(contradiction(key, owners.get(key).copied(), &source.origin)),
            }
        }
    }
    Ok(joined)
}

fn contradiction(key: &str, first: Option<&Origin>, second: &Origin) -> Error {
    let first = Box::new(first.unwrap_or(second).clone());
    MergeError::Key { key: key.to_owned(), first, second: Box::new(second.clone()) }.into()
}

/// The texts one below the other, as `append` asks for, and what Java reads otherwise than one of the files says: each
/// key whose value a later file replaces, with the two files.
///
/// Text keeps the encoding, which is ISO-8859-1 or UTF-8 depending on the reader.
///
/// # Errors
/// A file is malformed.
pub(super) fn append(sources: &[Source]) -> Result<(Vec<u8>, Vec<String>)> {
    let mut out = Vec::new();
    let mut replaced = Vec::new();
    let mut known: BTreeMap<String, (String, &Origin)> = BTreeMap::new();
    for source in sources {
        out.extend_from_slice(&source.bytes);
        if !source.bytes.is_empty() && !source.bytes.ends_with(b"\n") {
            // A backslash at the very end would swallow the line break, so the line after it stays empty.
            let backslashes = source.bytes.iter().rev().take_while(|byte| **byte == b'\\').count();
            out.extend_from_slice(if backslashes % 2 == 1 { b"\n\n" } else { b"\n" });
        }
        for (key, value) in parse(source)?.iter() {
            let new = (value.to_owned(), &source.origin);
            if let Some((old, origin)) = known.insert(key.to_owned(), new)
                && old != value
            {
                replaced.push(format!("`{key}` of {} replaces that of {origin}", source.origin));
            }
        }
    }
    Ok((out, replaced))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(texts: &[&str]) -> Vec<Source> {
        let file = |(at, text): (usize, &&str)| Source {
            bytes: text.as_bytes().to_vec(),
            origin: Origin::File(format!("{at}").into()),
        };
        texts.iter().enumerate().map(file).collect()
    }

    #[test]
    fn keys_are_united_and_contradictions_name_both() {
        let joined = Known.join(&sources(&["a=1\nb=2", "c=3\na=1\n"])).unwrap();
        assert_eq!(String::from_utf8(joined).unwrap(), "a=1\nb=2\nc=3\n");
        let message = Known.join(&sources(&["a=1", "b=1", "a=2"])).unwrap_err().to_string();
        assert_eq!(message, "two different values of `a`: in `0`, and in `2`");
    }

    #[test]
    fn appended_texts_stay_apart_and_tell_what_is_replaced() {
        let (bytes, replaced) = append(&sources(&["a=1", "b=x\\", "#é\na=2\n"])).unwrap();
        assert_eq!(String::from_utf8(bytes.clone()).unwrap(), "a=1\nb=x\\\n\n#é\na=2\n");
        assert_eq!(replaced, ["`a` of `2` replaces that of `0`"]);
        let read = Properties::parse(&bytes).unwrap();
        assert_eq!((read.get("a"), read.get("b")), (Some("2"), Some("x")));
    }
}
