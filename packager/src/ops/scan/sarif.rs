//! The form that code-review tools read: SARIF 2.1.0, as OASIS specifies it.

use std::collections::BTreeSet;

use manifests::permission::{Class, Permission};
use serde_json::{Value, json};

use super::Scanned;
use crate::origin::Origin;

/// Where the schema of the format is published.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Id of the rule for what cannot be scanned.
const UNSCANNABLE: &str = "UNSCANNABLE";

/// The whole document: one run, one result for each use that needs a permission.
pub(super) fn document(scanned: &Scanned) -> Value {
    let mut results = Vec::new();
    for finding in &scanned.report.findings {
        let reached = if finding.reachable { "" } else { "; not reached" };
        let text = format!("{} {} {}{reached}", finding.how.name(), finding.target, finding.why);
        let method = finding.method.as_deref().and_then(|method| method.split('(').next());
        let name = method.map_or_else(|| finding.class.clone(), |method| format!("{}.{method}", finding.class));
        for permission in finding.permissions.iter() {
            results.push(result(
                permission.name(),
                level(permission, finding.reachable),
                &text,
                scanned.program.origin(finding.input),
                &name,
            ));
        }
    }
    for blind in &scanned.report.unscannable {
        let level = if blind.reachable { "warning" } else { "note" };
        let text = format!("{} {}", blind.target, blind.why);
        results.push(result(UNSCANNABLE, level, &text, scanned.program.origin(blind.input), &blind.class));
    }
    for native in scanned.program.natives() {
        match &native.library {
            Ok(library) => {
                for (name, permissions) in &library.findings {
                    for permission in permissions.iter() {
                        results.push(result(
                            permission.name(),
                            level(permission, true),
                            &format!("imports {name}"),
                            &native.origin,
                            name,
                        ));
                    }
                }
                for why in &library.unscannable {
                    results.push(result(UNSCANNABLE, "warning", why, &native.origin, "library"));
                }
            }
            Err(why) => results.push(result(UNSCANNABLE, "warning", why, &native.origin, "library")),
        }
    }
    let used: BTreeSet<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    let rules: Vec<Value> =
        used.iter().map(|id| json!({ "id": id, "name": id, "shortDescription": { "text": described(id) } })).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "fatagent", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}

fn described(id: &str) -> String {
    if id == UNSCANNABLE {
        return "Code whose effect is only known when it runs".to_owned();
    }
    format!("Code that needs the permission {id}")
}

/// Privileged permissions that are reached are warnings, all else is worth a note.
fn level(permission: Permission, reachable: bool) -> &'static str {
    if reachable && permission.class() == Class::Privileged { "warning" } else { "note" }
}

fn result(rule: &str, level: &str, text: &str, origin: &Origin, name: &str) -> Value {
    let (uri, inner) = match origin {
        Origin::Entry { archive, name } => (archive.display().to_string(), Some(name.as_str())),
        Origin::File(path) => (path.display().to_string(), None),
        Origin::Generated(what) => (what.clone(), None),
    };
    let uri = uri.replace('\\', "/").replace('%', "%25").replace(' ', "%20").replace('#', "%23");
    let full = inner.map_or_else(|| name.to_owned(), |inner| format!("{inner}: {name}"));
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text },
        "locations": [{
            "physicalLocation": { "artifactLocation": { "uri": uri } },
            "logicalLocations": [{ "fullyQualifiedName": full }],
        }],
    })
}
