//! Patterns of paths: `*` and `?` within one part, `**` for any number of folders.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::error::{Error, Result};

/// A relative pattern, split at its slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    parts: Vec<String>,
}

impl Pattern {
    /// Parses `text`; the error says what is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.strip_prefix("./").unwrap_or(text);
        if text.is_empty() {
            return Err("it is empty");
        }
        if text.starts_with('/') || Path::new(text).is_absolute() {
            return Err("it is not relative");
        }
        if text.contains('\\') {
            return Err("folders are separated by `/`");
        }
        let parts: Vec<String> = text.split('/').map(str::to_owned).collect();
        if parts.iter().any(String::is_empty) {
            return Err("it holds an empty part");
        }
        if parts.iter().any(|part| part != "**" && part.contains("**")) {
            return Err("`**` stands for whole folders only");
        }
        Ok(Self { parts })
    }

    /// Whether the pattern matches the whole of `path`, a relative path with slashes such as the name of an entry.
    pub(crate) fn matches(&self, path: &str) -> bool {
        match_parts(&self.parts, &path.split('/').collect::<Vec<_>>())
    }

    /// The leading parts without wildcards, below which every match lies, and how many parts they are.
    fn fixed(&self) -> (PathBuf, usize) {
        let count = self.parts.iter().take_while(|part| !part.contains(['*', '?'])).count();
        (self.parts[..count].iter().collect(), count)
    }

    /// The folder below which every match of a pattern with wildcards lies.
    pub(crate) fn start(&self) -> PathBuf {
        self.fixed().0
    }

    /// Everything below `folder` that matches, sorted by path: files, and folders when `folders` is set. Symbolic links
    /// are followed.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub(crate) fn expand(&self, folder: &Path, folders: bool) -> Result<Vec<PathBuf>> {
        let (fixed, count) = self.fixed();
        let start = folder.join(&fixed);
        // An empty path is the current folder to `join`, but no folder to the file system.
        let start = if start.as_os_str().is_empty() { PathBuf::from(".") } else { start };
        if count == self.parts.len() {
            let wanted = if folders { start.is_dir() } else { start.is_file() };
            return Ok(if wanted { vec![start] } else { Vec::new() });
        }
        if !start.is_dir() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let rest = &self.parts[count..];
        let depth = if rest.iter().any(|part| part == "**") { usize::MAX } else { rest.len() };
        for entry in WalkDir::new(&start).follow_links(true).min_depth(1).max_depth(depth).sort_by_file_name() {
            let entry = entry.map_err(std::io::Error::from)?;
            let Ok(relative) = entry.path().strip_prefix(&start) else { continue };
            // A name that is not Unicode cannot be written in `agent.toml` either.
            let parts: Option<Vec<&str>> = relative.iter().map(|part| part.to_str()).collect();
            let wanted = if folders { entry.file_type().is_dir() } else { entry.file_type().is_file() };
            if wanted && parts.is_some_and(|parts| match_parts(rest, &parts)) {
                found.push(folder.join(&fixed).join(relative));
            }
        }
        found.sort();
        Ok(found)
    }
}

/// Expands each of `patterns`, which `at` names the place of; a pattern without a match is an error, a file that several
/// patterns match counts once. An absolute path stands for itself.
///
/// # Errors
/// A pattern is malformed or matches nothing, or a folder cannot be read.
pub(crate) fn expand_all(patterns: &[String], folder: &Path, folders: bool, at: &str) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for text in patterns {
        // What another program found and names in full is no pattern.
        if Path::new(text).is_absolute() && !text.contains(['*', '?']) {
            let path = PathBuf::from(text);
            if !(if folders { path.is_dir() } else { path.is_file() }) {
                return Err(Error::NoMatch { at: at.to_owned(), pattern: text.clone() });
            }
            all.push(path);
            continue;
        }
        let pattern = Pattern::parse(text).map_err(|problem| Error::Pattern {
            at: at.to_owned(),
            pattern: text.clone(),
            problem,
        })?;
        let found = pattern.expand(folder, folders)?;
        if found.is_empty() {
            return Err(Error::NoMatch { at: at.to_owned(), pattern: text.clone() });
        }
        all.extend(found);
    }
    all.sort();
    all.dedup();
    Ok(all)
}

fn match_parts<P: AsRef<str>>(pattern: &[P], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((first, rest)) if first.as_ref() == "**" => (0..=path.len()).any(|skip| match_parts(rest, &path[skip..])),
        Some((first, rest)) => {
            path.split_first().is_some_and(|(part, path)| match_part(first.as_ref(), part) && match_parts(rest, path))
        }
    }
}

/// Matches one part by going back to the last `*` on a mismatch, so in time of at most the product of the lengths.
fn match_part(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                t = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_match() {
        for (pattern, path, expected) in [
            ("*.class", "A.class", true),
            ("*.class", "a/A.class", false),
            ("a/?.class", "a/A.class", true),
            ("a/?.class", "a/AB.class", false),
            ("**/*.class", "A.class", true),
            ("**/*.class", "a/b/A.class", true),
            ("a/**/z", "a/z", true),
            ("a/**/z", "a/b/c/z", true),
            ("a/**", "a/b/c", true),
            ("a/**/z", "b/z", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("*", "", true),
            ("./x", "x", true),
        ] {
            let parts: Vec<&str> = path.split('/').collect();
            assert_eq!(match_parts(&Pattern::parse(pattern).unwrap().parts, &parts), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn malformed_patterns_say_why() {
        assert_eq!(Pattern::parse(""), Err("it is empty"));
        assert_eq!(Pattern::parse("/a"), Err("it is not relative"));
        assert_eq!(Pattern::parse("a\\b"), Err("folders are separated by `/`"));
        assert_eq!(Pattern::parse("a//b"), Err("it holds an empty part"));
        assert_eq!(Pattern::parse("a/x**"), Err("`**` stands for whole folders only"));
    }

    #[test]
    fn files_and_folders_are_found_sorted() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["p/b/B.class", "p/A.class", "p/x.txt", "q/Q.class"] {
            let path = folder.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "").unwrap();
        }
        let found = |pattern: &str, folders| {
            let found = Pattern::parse(pattern).unwrap().expand(folder.path(), folders).unwrap();
            let relative = |path: PathBuf| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
            found.into_iter().map(relative).collect::<Vec<_>>()
        };
        assert_eq!(found("p/**/*.class", false), ["p/A.class", "p/b/B.class"]);
        assert_eq!(found("*/*.class", false), ["p/A.class", "q/Q.class"]);
        assert_eq!(found("*", true), ["p", "q"]);
        assert_eq!(found("p/x.txt", false), ["p/x.txt"]);
        assert_eq!(found("p", false), [""; 0]);
        assert_eq!(found("absent/*", false), [""; 0]);
        let error = expand_all(&["none/*".into()], folder.path(), false, "agent.toml").unwrap_err();
        assert_eq!(error.to_string(), "agent.toml: pattern matches no file: `none/*`");
    }
}
