//! What the handler for errors covers.

use super::method::Method;
use crate::code::flow::Flow;
use crate::weave::Skip;

impl Method<'_, '_> {
    /// Ranges of the original code whose exceptions the appended handler sees.
    pub(super) fn caught(&self, exits: bool, flow: Option<&Flow>) -> Result<Vec<(usize, usize)>, Skip> {
        if self.plan.errors.is_empty() {
            return Ok(Vec::new());
        }
        let whole = match flow {
            Some(flow) if self.constructor => flow.ranges(self.code.bytes)?,
            _ => vec![(0, self.code.bytes.len())],
        };
        if !exits {
            return Ok(whole);
        }
        // A return that fails has already been reported as a return.
        let mut out = Vec::with_capacity(whole.len() + self.scan.returns.len());
        let mut returns = self.scan.returns.iter().copied().peekable();
        for (mut start, end) in whole {
            while let Some(at) = returns.next_if(|&at| at < end) {
                if at > start {
                    out.push((start, at));
                }
                if at >= start {
                    start = at + 1;
                }
            }
            if start < end {
                out.push((start, end));
            }
        }
        Ok(out)
    }
}
