//! Modules of the JDK that the extension needs, and whether it can see them.

use std::collections::BTreeMap;

use super::{Facts, Finding};
use crate::class::dotted;
use crate::jdk::{self, Loader};

/// The module that every JVM has.
const BASE: &str = "java.base";

/// Gives the modules besides `java.base`, sorted.
pub(super) fn check(facts: &[Facts<'_>], findings: &mut Vec<Finding>) -> Vec<&'static str> {
    // The first class that needs it, of the API if there is one, and what it names.
    let mut needed: BTreeMap<&'static str, (Loader, &Facts<'_>, &str)> = BTreeMap::new();
    for facts in facts {
        for name in &facts.names {
            let Some(of) = jdk::module_of(name).filter(|module| module.name != BASE) else { continue };
            let slot = needed.entry(of.name).or_insert((of.loader, facts, name));
            if facts.is_api && !slot.1.is_api {
                *slot = (of.loader, facts, name);
            }
        }
    }
    for (module, (loader, facts, name)) in &needed {
        let class = dotted(facts.name());
        let name = dotted(name);
        match loader {
            Loader::Platform if facts.is_api => {
                let text = format!(
                    "API class `{class}` names `{name}` of module `{module}`, which bootstrap classes cannot see from Java 9 on"
                );
                findings.push(Finding::error("modules", text, "keep types of that module out of the API"));
            }
            Loader::Application => {
                let text =
                    format!("`{class}` names `{name}` of module `{module}`, which only the application loader sees");
                let hint = "look it up through the system class loader, and expect runtimes without it";
                findings.push(Finding::warning("modules", text, hint));
            }
            _ => {}
        }
    }
    needed.into_keys().collect()
}
