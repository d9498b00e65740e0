//! Regular expressions of patterns, for tools that match names themselves.

use crate::matcher::compile;
use regex::bytes::Regex;

/// A compiled `/regex/`, which matches whole names as the agent's own matcher does.
#[derive(Debug, Clone)]
pub struct NamePattern(Regex);

impl NamePattern {
    /// Compiles what stands between the slashes.
    ///
    /// # Errors
    /// It is no regular expression, with the reason.
    pub fn new(regex: &str) -> Result<Self, String> {
        compile(regex).map(Self).map_err(|error| error.to_string())
    }

    /// Whether the whole name matches.
    pub fn matches(&self, name: &str) -> bool {
        self.0.is_match(name.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::NamePattern;

    #[test]
    fn whole_names_match() {
        let pattern = NamePattern::new("a\\..*|b").unwrap();
        assert!(pattern.matches("a.B") && pattern.matches("b"));
        assert!(!pattern.matches("xa.B") && !pattern.matches("bb"));
        assert!(NamePattern::new("(").is_err());
    }
}
