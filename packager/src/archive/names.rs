//! Which entry names are accepted, checked on every archive that is read.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
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

/// Finds the first file among `names` that is also a folder, with an entry below it. Names are distinct and checked;
/// folders end with `/`.
pub(crate) fn find_file_that_is_folder<'a>(names: impl Iterator<Item = &'a str>) -> Option<(&'a str, &'a str)> {
    let mut all: Vec<&str> = names.collect();
    all.sort_unstable();
    let files: HashSet<&str> = all.iter().copied().filter(|name| !name.ends_with('/')).collect();
    all.iter().find_map(|&name| parents(name).find_map(|parent| files.get(parent)).map(|file| (*file, name)))
}

/// The folders that `name` lies in, outermost first, without their slash; a folder's own name is the last.
fn parents(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at])
}

/// Pairs of files that a file system which ignores case cannot hold both: names that differ in case only, and a file
/// that is also a folder but for its case. Of each clash, one pair is given, sorted. Jars may hold them, and the JVM
/// tells them apart, so they are no error.
pub(crate) fn case_clashes<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, &'a str)> {
    let mut files: Vec<&str> = names.filter(|name| !name.ends_with('/')).collect();
    files.sort_unstable();
    let mut folded: HashMap<String, &str> = HashMap::with_capacity(files.len());
    let mut clashes = Vec::new();
    for &name in &files {
        match folded.entry(name.to_lowercase()) {
            Entry::Occupied(first) => clashes.push((*first.get(), name)),
            Entry::Vacant(free) => {
                free.insert(name);
            }
        }
    }
    // Files of one folder follow each other, so each folder is looked up once.
    let mut last = "";
    for &name in &files {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder != last {
            last = folder;
            let lower = name.to_lowercase();
            if let Some(file) = parents(&lower).find_map(|parent| folded.get(parent)) {
                clashes.push((*file, name));
            }
        }
    }
    clashes.sort_unstable();
    clashes
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
    fn a_file_that_is_also_a_folder_is_found() {
        let found = |names: &[&'static str]| find_file_that_is_folder(names.iter().copied());
        assert_eq!(found(&["a", "a/b"]), Some(("a", "a/b")));
        assert_eq!(found(&["a/b", "a/b/"]), Some(("a/b", "a/b/")));
        assert_eq!(found(&["a-", "a", "a/b/c"]), Some(("a", "a/b/c")));
        assert_eq!(found(&["META-INF/LICENSE", "META-INF/license/", "META-INF/license/x"]), None);
        assert_eq!(found(&["a/", "a/b", "ab", "A"]), None);
    }

    #[test]
    fn names_that_differ_in_case_only_are_listed() {
        let clashes = |names: &[&'static str]| case_clashes(names.iter().copied());
        assert_eq!(clashes(&["a/b", "a/B"]), [("a/B", "a/b")]);
        assert_eq!(
            clashes(&["META-INF/LICENSE", "META-INF/license/", "META-INF/license/x", "META-INF/license/y"]),
            [("META-INF/LICENSE", "META-INF/license/x")]
        );
        assert_eq!(clashes(&["a/x/y", "A"]), [("A", "a/x/y")]);
        assert_eq!(clashes(&["a/", "a/b", "ab", "c/b"]), []);
    }
}
