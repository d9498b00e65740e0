//! Which files are visible to the bootstrap loader.

use manifests::agent_toml::Bootstrap;

use crate::error::{Error, Result};
use crate::glob::Pattern;

/// The patterns of `[bootstrap]`.
#[derive(Debug, Default)]
pub(super) struct Selection {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

impl Selection {
    /// Reads the patterns; `at` names their file.
    ///
    /// # Errors
    /// A pattern is malformed.
    pub(super) fn new(bootstrap: Option<&Bootstrap>, at: &str) -> Result<Self> {
        let Some(bootstrap) = bootstrap else { return Ok(Self::default()) };
        Ok(Self { include: patterns(&bootstrap.include, at)?, exclude: patterns(&bootstrap.exclude, at)? })
    }

    /// Whether the file at `path` is a bootstrap one; `own` when its jar is among `from` of `[bootstrap]`.
    pub(super) fn takes(&self, path: &str, own: bool) -> bool {
        let included = if self.include.is_empty() { own } else { any(&self.include, path) };
        included && !any(&self.exclude, path)
    }
}

/// Parses patterns.
///
/// # Errors
/// One is malformed.
pub(super) fn patterns(texts: &[String], at: &str) -> Result<Vec<Pattern>> {
    let parse = |text: &String| {
        let malformed = |problem| Error::Pattern { at: at.to_owned(), pattern: text.clone(), problem };
        Pattern::parse(text).map_err(malformed)
    };
    texts.iter().map(parse).collect()
}

/// Whether any of the patterns matches.
pub(super) fn any(patterns: &[Pattern], path: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(path))
}
