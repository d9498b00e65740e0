//! Looks names up among the patterns of all handlers: a hash for exact ones, one automaton for all expressions.

use super::Wanted;
use super::compiled::{ANYTHING, anchored, is_anything};
use crate::model::Pattern;
use regex::bytes::{RegexSet, RegexSetBuilder};
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Builder {
    exact: HashMap<Vec<u8>, Vec<Wanted>>,
    any: Vec<Wanted>,
    patterns: Vec<String>,
    by_regex: Vec<Wanted>,
}

impl Builder {
    pub(super) fn add(&mut self, pattern: &Pattern, wanted: Wanted) {
        match pattern {
            Pattern::Exact(name) => self.exact.entry(name.replace('.', "/").into_bytes()).or_default().push(wanted),
            Pattern::Regex(regex) if regex == ANYTHING => self.any.push(wanted),
            Pattern::Regex(regex) => {
                self.patterns.push(anchored(regex));
                self.by_regex.push(wanted);
            }
        }
    }

    pub(super) fn build(self) -> Result<Index, regex::Error> {
        let regexes = RegexSetBuilder::new(self.patterns).unicode(false).build()?;
        Ok(Index { exact: self.exact, any: self.any, regexes, by_regex: self.by_regex })
    }
}

#[derive(Debug)]
pub(super) struct Index {
    exact: HashMap<Vec<u8>, Vec<Wanted>>,
    /// Whose pattern is [`ANYTHING`].
    any: Vec<Wanted>,
    regexes: RegexSet,
    by_regex: Vec<Wanted>,
}

impl Index {
    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.any.is_empty() && self.by_regex.is_empty()
    }

    /// Whether a pattern matches an internal name.
    pub(super) fn matches(&self, internal: &[u8]) -> bool {
        self.exact.contains_key(internal)
            || !self.any.is_empty() && is_anything(internal)
            || !self.by_regex.is_empty() && self.regexes.is_match(&dotted(internal))
    }

    /// Adds whose patterns match an internal name.
    pub(super) fn collect(&self, internal: &[u8], wanted: &mut Vec<Wanted>) {
        wanted.extend(self.exact.get(internal).into_iter().flatten());
        if is_anything(internal) {
            wanted.extend(&self.any);
        }
        if !self.by_regex.is_empty() {
            wanted.extend(self.regexes.matches(&dotted(internal)).iter().map(|i| self.by_regex[i]));
        }
    }
}

fn dotted(internal: &[u8]) -> Cow<'_, [u8]> {
    if internal.contains(&b'/') {
        internal.iter().map(|&b| if b == b'/' { b'.' } else { b }).collect::<Vec<_>>().into()
    } else {
        internal.into()
    }
}
