//! Which classes may be at the root and in a section too.

use crate::class::dotted;
use crate::error::{Error, Result};
use crate::glob::Pattern;

/// Main attribute that carries the exceptions to whoever verifies the jar, with commas.
pub(crate) const ATTRIBUTE: &str = "Fatagent-Allow-Both";

/// The exceptions of `[verify] allow-both`: class names, perhaps with `*` and `**` as parts, which stand for nested
/// classes too.
#[derive(Debug, Default)]
pub(crate) struct AllowBoth {
    patterns: Vec<(String, Pattern)>,
}

impl AllowBoth {
    /// Reads the exceptions, which `at` is the place of.
    ///
    /// # Errors
    /// One is no pattern of class names.
    pub(crate) fn new(texts: &[String], at: &str) -> Result<Self> {
        let parse = |text: &String| {
            let malformed = |problem| Error::Pattern { at: at.to_owned(), pattern: text.clone(), problem };
            if text.contains(',') {
                return Err(malformed("it holds a comma"));
            }
            let slashed = if text.contains('/') {
                text.strip_suffix(crate::paths::CLASS_SUFFIX).unwrap_or(text).to_owned()
            } else {
                text.replace('.', "/")
            };
            Pattern::parse(&slashed).map(|pattern| (text.clone(), pattern)).map_err(malformed)
        };
        Ok(Self { patterns: texts.iter().map(parse).collect::<Result<_>>()? })
    }

    /// Reads the value of [`ATTRIBUTE`]; what is no pattern there allows nothing.
    pub(crate) fn of_attribute(value: &str) -> Self {
        let texts: Vec<String> = value.split(',').map(|text| text.trim().to_owned()).collect();
        Self::new(&texts, ATTRIBUTE).unwrap_or_default()
    }

    /// The value of [`ATTRIBUTE`]; nothing without exceptions.
    pub(crate) fn attribute(&self) -> Option<String> {
        let texts: Vec<&str> = self.patterns.iter().map(|(text, _)| text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join(","))
    }

    /// Whether the class of that internal name, or the one that it is nested in, is an exception.
    pub(crate) fn allows(&self, class: &str) -> bool {
        self.patterns.iter().any(|(_, pattern)| matches(pattern, class))
    }

    /// The exceptions that none of `classes` needs.
    pub(crate) fn unused<'a>(&'a self, classes: &[&str]) -> impl Iterator<Item = &'a str> {
        let used: Vec<bool> =
            self.patterns.iter().map(|(_, pattern)| classes.iter().any(|class| matches(pattern, class))).collect();
        self.patterns.iter().zip(used).filter(|(_, used)| !used).map(|((text, _), _)| text.as_str())
    }
}

fn matches(pattern: &Pattern, class: &str) -> bool {
    pattern.matches(class) || class.match_indices('$').any(|(at, _)| pattern.matches(&class[..at]))
}

/// Dotted names of `classes`.
pub(super) fn names(classes: &[&str]) -> Vec<String> {
    classes.iter().map(|class| dotted(class)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_patterns_stand_for_nested_classes_too() {
        let texts = ["a.B".to_owned(), "p.**".to_owned(), "q/*.class".to_owned()];
        let allow = AllowBoth::new(&texts, "agent.toml").unwrap();
        for (class, expected) in
            [("a/B", true), ("a/B$C", true), ("a/Bc", false), ("p/q/R", true), ("q/R", true), ("q/r/S", false)]
        {
            assert_eq!(allow.allows(class), expected, "{class}");
        }
        assert_eq!(allow.unused(&["a/B$C", "q/R"]).collect::<Vec<_>>(), ["p.**"]);
        let attribute = allow.attribute().unwrap();
        assert_eq!(attribute, "a.B,p.**,q/*.class");
        assert!(AllowBoth::of_attribute(&attribute).allows("p/X"));
        assert!(AllowBoth::default().attribute().is_none());
        let message = AllowBoth::new(&["a,b".to_owned()], "agent.toml").unwrap_err().to_string();
        assert_eq!(message, "agent.toml: not a pattern: `a,b`: it holds a comma");
    }
}
