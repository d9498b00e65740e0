//! `reference.conf` of Typesafe Config: defaults of every library, which its reader joins over all jars.

use super::rule::{Rule, Source};
use crate::error::Result;

/// `reference.conf` at the root.
pub(super) struct ReferenceConf;

impl Rule for ReferenceConf {
    fn name(&self) -> &'static str {
        "configuration"
    }

    fn matches(&self, path: &str) -> bool {
        path == "reference.conf"
    }

    /// One below the other. The reader lets the first of several files win, and in one file the last line, so the order
    /// is turned round.
    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        Ok(lines(sources.iter().rev()))
    }
}

/// The texts one below the other, each beginning on a line of its own.
pub(super) fn lines<'a>(sources: impl Iterator<Item = &'a Source>) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for source in sources {
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        out.extend_from_slice(&source.bytes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;

    #[test]
    fn the_first_input_is_read_last_so_that_it_wins() {
        let source = |text: &str| Source { bytes: text.into(), origin: Origin::File("x".into()) };
        assert_eq!(ReferenceConf.join(&[source("a = 1"), source("b { c = 2 }")]).unwrap(), b"b { c = 2 }\na = 1");
    }
}
