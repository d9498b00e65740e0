//! Packages that the description says were moved.

use manifests::extension::ExtensionMetadata;

use super::{Facts, Finding};
use crate::class::{dotted, slashed};

pub(super) fn check(metadata: &ExtensionMetadata, facts: &[Facts<'_>], findings: &mut Vec<Finding>) {
    for (original, shaded) in &metadata.shaded_packages {
        let (from, to) = (slashed(original), slashed(shaded));
        let mut left = facts.iter().filter(|facts| within(facts.name(), &from) && !within(facts.name(), &to));
        if let Some(first) = left.next() {
            let count = left.count() + 1;
            let text = format!(
                "`{original}` is said to be `{shaded}`, but classes of it are there, {count}, such as `{}`",
                dotted(first.name())
            );
            findings.push(Finding::error("shaded", text, "move them with `[shade]`, or leave the package out of it"));
        }
        if !facts.iter().any(|facts| within(facts.name(), &to)) {
            let text = format!("`{original}` is said to be `{shaded}`, but no class is there");
            findings.push(Finding::error("shaded", text, "leave out the rule, or correct it"));
        }
        let stale = facts.iter().filter(|facts| !within(facts.name(), &from)).find_map(|facts| {
            let name = facts.names.iter().find(|name| within(name, &from) && !within(name, &to))?;
            Some((facts, name))
        });
        if let Some((facts, name)) = stale {
            let text = format!(
                "`{original}` is said to be `{shaded}`, but `{}` still names `{}`",
                dotted(facts.name()),
                dotted(name)
            );
            findings.push(Finding::error("shaded", text, "relocate the classes that use it together with it"));
        }
    }
}

/// Whether a class is one of that name, nested in it, or of the package.
fn within(class: &str, prefix: &str) -> bool {
    class.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '$']))
}
