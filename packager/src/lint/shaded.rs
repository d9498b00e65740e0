//! Packages that the description says were moved.

use super::{Facts, Finding};
use crate::class::{dotted, slashed};
use crate::error::Result;
use crate::extension::{Extension, provider_names};

/// Folder of service files.
const SERVICES: &str = "META-INF/services/";

pub(super) fn check(extension: &Extension, facts: &[Facts<'_>], findings: &mut Vec<Finding>) -> Result<()> {
    for (original, shaded) in &extension.metadata.shaded_packages {
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
        let rule = Rule { original, shaded, from, to };
        resources(extension, &rule, findings)?;
        literals(facts, &rule, findings);
    }
    Ok(())
}

/// A package and where it is said to be, dotted and with slashes.
struct Rule<'r> {
    original: &'r str,
    shaded: &'r str,
    from: String,
    to: String,
}

impl Rule<'_> {
    /// Whether a name, with dots or slashes, is of the package that is said to have moved.
    fn is_old(&self, name: &str) -> bool {
        let name = name.replace('.', "/");
        within(&name, &self.from) && !within(&name, &self.to)
    }

    fn said(&self) -> String {
        format!("`{}` is said to be `{}`", self.original, self.shaded)
    }
}

/// Files that lie in the old package, service files of it, and providers of it in others.
fn resources(extension: &Extension, rule: &Rule<'_>, findings: &mut Vec<Finding>) -> Result<()> {
    let hint = "move it with `[shade]`, which takes resources and service files along, or leave it out";
    for resource in &extension.resources {
        let path = resource.path.as_str();
        let Some(service) = path.strip_prefix(SERVICES) else {
            if path.split_once('/').is_some() && within(path, &rule.from) && !within(path, &rule.to) {
                let text = format!("{}, but a resource is there: `{path}`", rule.said());
                findings.push(Finding::error("shaded", text, hint));
            }
            continue;
        };
        if rule.is_old(service) {
            let text = format!("{}, but a service file has its old name: `{path}`", rule.said());
            findings.push(Finding::error("shaded", text, hint));
        }
        let providers = provider_names(&resource.content.read()?);
        if let Some(provider) = providers.iter().find(|name| rule.is_old(name)) {
            let text = format!("{}, but `{path}` names `{provider}`", rule.said());
            findings.push(Finding::error("shaded", text, hint));
        }
    }
    Ok(())
}

/// String constants that are as a whole a name of the old package: wrong where the class has moved, and perhaps right where
/// nothing of that name has, such as names of loggers and system properties.
fn literals(facts: &[Facts<'_>], rule: &Rule<'_>, findings: &mut Vec<Finding>) {
    let moved = |name: &str| {
        let name = name.replace('.', "/");
        name.strip_prefix(&rule.from).is_some_and(|rest| {
            let new = format!("{}{rest}", rule.to);
            facts.iter().any(|facts| facts.name() == new)
        })
    };
    for facts in facts {
        let old = |text: &&String| is_name(text) && rule.is_old(text);
        let Some(text) = facts.literals.iter().filter(old).max_by_key(|text| moved(text)) else { continue };
        let class = dotted(facts.name());
        let said = format!("{}, but `{class}` has the string `{text}`", rule.said());
        findings.push(if moved(text) {
            Finding::error("shaded", said, "relocate it with the class, `[shade]` does so")
        } else {
            Finding::warning("shaded", said, "check that it does not look up what has moved")
        });
    }
}

/// Whether a text could be a name of a class, package or resource.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || "._$-/".contains(c))
}

/// Whether a class is one of that name, nested in it, or of the package.
fn within(class: &str, prefix: &str) -> bool {
    class.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '$']))
}
