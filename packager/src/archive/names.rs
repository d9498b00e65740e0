//! Which entry names are accepted, checked on every archive that is read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What is wrong with one entry name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameProblem {
    /// The name has no characters.
    Empty,
    /// The name is not valid UTF-8, which is what Java reads names as.
    NotUtf8,
    /// The name starts with `/`.
    Absolute,
    /// The name starts with a drive letter.
    DriveLetter,
    /// The name holds a backslash, which is a folder separator on Windows only.
    Backslash,
    /// The name holds NUL, a line break or another control character.
    ControlCharacter,
    /// A part of the name is `..` or `.`.
    Traversal,
    /// The name holds `//`.
    EmptyPart,
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::NotUtf8 => "it is not UTF-8",
            Self::Absolute => "it starts with `/`",
            Self::DriveLetter => "it starts with a drive letter",
            Self::Backslash => "it holds a backslash",
            Self::ControlCharacter => "it holds a control character",
            Self::Traversal => "it holds a `.` or `..` part",
            Self::EmptyPart => "it holds an empty part",
        })
    }
}

/// Checks one raw entry name; a folder's name ends with `/`.
pub(crate) fn check(raw: &[u8]) -> Result<&str, NameProblem> {
    let name = std::str::from_utf8(raw).map_err(|_| NameProblem::NotUtf8)?;
    let path = name.strip_suffix('/').unwrap_or(name);
    if name.is_empty() {
        return Err(NameProblem::Empty);
    }
    if name.starts_with('/') {
        return Err(NameProblem::Absolute);
    }
    if name.contains('\\') {
        return Err(NameProblem::Backslash);
    }
    if name.chars().any(char::is_control) {
        return Err(NameProblem::ControlCharacter);
    }
    if let [drive, b':', ..] = path.as_bytes()
        && drive.is_ascii_alphabetic()
    {
        return Err(NameProblem::DriveLetter);
    }
    for part in path.split('/') {
        match part {
            "" => return Err(NameProblem::EmptyPart),
            "." | ".." => return Err(NameProblem::Traversal),
            _ => {}
        }
    }
    Ok(name)
}

/// Two names of one archive that cannot both be written to a file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameClash {
    /// The names differ in case only.
    Case(String, String),
    /// The first name is a file, and the second lies below it.
    FileIsFolder(String, String),
}

/// Whether a name is that of a class, masked or not.
fn is_class(name: &str) -> bool {
    [crate::paths::CLASS_SUFFIX, crate::paths::MASKED_SUFFIX].iter().any(|suffix| name.ends_with(suffix))
}

/// Finds the first clash among `names`, which are distinct and checked; folders end with `/`.
pub(crate) fn find_clash<'a>(names: impl Iterator<Item = &'a str>) -> Option<NameClash> {
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    let mut files: BTreeSet<&str> = BTreeSet::new();
    let mut all: Vec<&str> = names.collect();
    all.sort_unstable();
    for &name in &all {
        // Obfuscated code has classes `a` and `A`; a class loader reads both from a jar, and nothing unpacks them.
        if let Some(other) = folded.insert(name.to_lowercase(), name)
            && !(is_class(other) && is_class(name))
        {
            return Some(NameClash::Case(other.to_owned(), name.to_owned()));
        }
        if !name.ends_with('/') {
            files.insert(name);
        }
    }
    for &name in &all {
        let mut end = 0;
        while let Some(slash) = name[end..].find('/') {
            if let Some(&file) = files.get(&name[..end + slash]) {
                return Some(NameClash::FileIsFolder(file.to_owned(), name.to_owned()));
            }
            end += slash + 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_bad_name_is_named() {
        for (name, problem) in [
            (&b""[..], NameProblem::Empty),
            (b"/", NameProblem::Absolute),
            (b"/etc/passwd", NameProblem::Absolute),
            (b"c:/x", NameProblem::DriveLetter),
            (b"C:x", NameProblem::DriveLetter),
            (b"a\\b", NameProblem::Backslash),
            (b"a\0b", NameProblem::ControlCharacter),
            (b"a\nb", NameProblem::ControlCharacter),
            (b"../a", NameProblem::Traversal),
            (b"a/../b", NameProblem::Traversal),
            (b"a/..", NameProblem::Traversal),
            (b"a/./b", NameProblem::Traversal),
            (b"..", NameProblem::Traversal),
            (b"../", NameProblem::Traversal),
            (b"a//b", NameProblem::EmptyPart),
            (b"a//", NameProblem::EmptyPart),
            (b"\xff", NameProblem::NotUtf8),
        ] {
            assert_eq!(check(name), Err(problem), "{}", name.escape_ascii());
        }
    }

    #[test]
    fn ordinary_names_pass() {
        for name in ["a", "a/", "META-INF/MANIFEST.MF", "a/B$C.class", "..a/b..", "é/ü", "ab:c", "a b"] {
            assert_eq!(check(name.as_bytes()), Ok(name));
        }
    }

    #[test]
    fn clashes_name_both() {
        let clash = |names: &[&'static str]| find_clash(names.iter().copied());
        assert_eq!(clash(&["a/B", "a/b"]), Some(NameClash::Case("a/B".into(), "a/b".into())));
        assert_eq!(clash(&["a", "a/b"]), Some(NameClash::FileIsFolder("a".into(), "a/b".into())));
        assert_eq!(clash(&["a/b", "a/b/"]), Some(NameClash::FileIsFolder("a/b".into(), "a/b/".into())));
        assert_eq!(clash(&["a-", "a", "a/b/c"]), Some(NameClash::FileIsFolder("a".into(), "a/b/c".into())));
        // The usual pair of shaded jars: only a file system that ignores case would mind.
        assert_eq!(clash(&["META-INF/LICENSE", "META-INF/license/", "META-INF/license/x"]), None);
        assert_eq!(clash(&["a/", "a/b", "ab"]), None);
        assert_eq!(clash(&["a/b.class", "a/B.class", "a/B.classdata", "a/b.classdata"]), None);
        assert_eq!(clash(&["a/b.class", "a/B.CLASS"]), Some(NameClash::Case("a/B.CLASS".into(), "a/b.class".into())));
    }
}
