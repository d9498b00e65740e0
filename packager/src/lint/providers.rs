//! Providers of services, and the configurator: the agent must be able to make them, and they must be what they stand for.

use std::collections::{HashMap, HashSet};

use classfile::access;

use super::{Facts, Finding, is_public};
use crate::class::{FACTORY, dotted, slashed};
use crate::error::Result;
use crate::extension::{Extension, providers};
use crate::jdk;

const CONFIGURATOR: &str = "io/btrace/core/extensions/ExtensionConfigurator";

pub(super) fn check(
    extension: &Extension,
    classes: &HashMap<&str, &Facts<'_>>,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    for service in &extension.metadata.services {
        let interface = slashed(service);
        if classes.get(interface.as_str()).is_some_and(|facts| !is_public(facts)) {
            let text = format!("service `{service}` is not public");
            findings.push(Finding::error("provider", text, "make it public, so that probes can name it"));
        }
        for provider in providers(extension, service)? {
            let what = format!("provider `{provider}` of service `{service}`");
            one("provider", &what, &slashed(&provider), &interface, classes, findings);
        }
    }
    if let Some(configurator) = &extension.metadata.configurator {
        let what = format!("configurator `{configurator}`");
        one("configurator", &what, &slashed(configurator), CONFIGURATOR, classes, findings);
    }
    Ok(())
}

fn one(
    rule: &'static str,
    what: &str,
    name: &str,
    wanted: &str,
    classes: &HashMap<&str, &Facts<'_>>,
    findings: &mut Vec<Finding>,
) {
    // That it exists was checked when the extension was read.
    let Some(facts) = classes.get(name) else { return };
    let class = &facts.class.class;
    if facts.is(access::INTERFACE | access::ABSTRACT) {
        let text = format!("{what} is abstract");
        findings.push(Finding::error(rule, text, "name a class that can be made"));
        return;
    }
    let makes = if wanted == CONFIGURATOR { class.has_public_constructor() } else { class.can_be_service(wanted) };
    if !is_public(facts) || !makes {
        let lacks = if makes { "is not public" } else { "has no public constructor without parameters" };
        let hint = format!("make class and constructor public, or add `public static {} {FACTORY}()`", simple(name));
        findings.push(Finding::error(rule, format!("{what} {lacks}"), hint));
    }
    match implements(name, wanted, classes) {
        Implements::Yes => {}
        Implements::No => {
            let text = format!("{what} does not implement `{}`", dotted(wanted));
            findings.push(Finding::error(rule, text, "implement it, or name the class that does"));
        }
        Implements::Perhaps(outside) => {
            let text = format!(
                "{what} may not implement `{}`: its supertype `{}` is outside",
                dotted(wanted),
                dotted(&outside)
            );
            findings.push(Finding::warning(rule, text, "name it in `implements` of the class itself"));
        }
    }
}

fn simple(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

enum Implements {
    Yes,
    No,
    /// A supertype that the extension does not hold may.
    Perhaps(String),
}

fn implements(name: &str, wanted: &str, classes: &HashMap<&str, &Facts<'_>>) -> Implements {
    let mut open = vec![name.to_owned()];
    let mut seen = HashSet::new();
    let mut outside = None;
    while let Some(name) = open.pop() {
        if name == wanted {
            return Implements::Yes;
        }
        if !seen.insert(name.clone()) {
            continue;
        }
        match classes.get(name.as_str()) {
            Some(facts) => open.extend(facts.class.class.supertypes.iter().cloned()),
            None if jdk::has(&name) || name.starts_with("io/btrace/") => {}
            None => outside = Some(name),
        }
    }
    outside.map_or(Implements::No, Implements::Perhaps)
}
