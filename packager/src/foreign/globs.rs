//! Patterns of one key of `agent.toml`, each of which has to match something: one that does not is a mistake in it.

use super::Error as ForeignError;
use crate::error::{Error, Result};
use crate::glob::Pattern;

/// The patterns of one key.
#[derive(Debug)]
pub(super) struct Globs {
    at: String,
    key: &'static str,
    what: &'static str,
    patterns: Vec<(String, Pattern, bool)>,
}

impl Globs {
    /// Parses the patterns of `key`, which stands at `at` and matches what `what` says.
    ///
    /// # Errors
    /// One is malformed.
    pub(super) fn new(at: &str, key: &'static str, what: &'static str, texts: &[String]) -> Result<Self> {
        let parse = |text: &String| match Pattern::parse(text) {
            Ok(pattern) => Ok((text.clone(), pattern, false)),
            Err(problem) => Err(Error::Pattern { at: at.to_owned(), pattern: text.clone(), problem }),
        };
        let patterns = texts.iter().map(parse).collect::<Result<_>>()?;
        Ok(Self { at: at.to_owned(), key, what, patterns })
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The first pattern that matches `path`; all that do are known to be of use from now on.
    pub(super) fn find(&mut self, path: &str) -> Option<usize> {
        let mut found = None;
        for (at, (_, pattern, used)) in self.patterns.iter_mut().enumerate() {
            if (found.is_none() || !*used) && pattern.matches(path) {
                *used = true;
                found = found.or(Some(at));
            }
        }
        found
    }

    /// A pattern as written.
    pub(super) fn text(&self, at: usize) -> &str {
        &self.patterns[at].0
    }

    /// Refuses a pattern that has matched nothing.
    ///
    /// # Errors
    /// There is one.
    pub(super) fn check(&self) -> Result<()> {
        match self.patterns.iter().find(|(_, _, used)| !used) {
            None => Ok(()),
            Some((text, ..)) => Err(ForeignError::Unmatched {
                at: self.at.clone(),
                key: self.key,
                what: self.what,
                pattern: text.clone(),
            }
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pattern_has_to_match() {
        let texts = ["a/**".to_owned(), "**/x".to_owned(), "b".to_owned()];
        let mut globs = Globs::new("agent.toml:1:1", "exclude", "entry of the inputs", &texts).unwrap();
        assert_eq!(globs.find("a/x"), Some(0));
        assert_eq!(globs.find("c/y"), None);
        let message = globs.check().unwrap_err().to_string();
        assert_eq!(message, "agent.toml:1:1: `exclude` matches no entry of the inputs: `b`", "`**/x` has matched too");
        assert_eq!(globs.find("b"), Some(2));
        globs.check().unwrap();
    }
}
