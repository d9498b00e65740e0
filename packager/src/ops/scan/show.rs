//! The text and the JSON form of what a scan found.

use manifests::permission::Permission;
use scan::{Finding, Unscannable};
use serde_json::{Map, Value, json};

use super::Scanned;

/// Findings that the text shows for each permission, unless everything is asked for.
const SAMPLES: usize = 3;

/// The text form: what is needed, then for each permission where.
pub(super) fn lines(scanned: &Scanned, all: bool) -> Vec<String> {
    let (classes, _) = scanned.program.size();
    let mut lines = Vec::new();
    if let Some((reached, methods)) = scanned.report.reached {
        lines.push(format!("classes: {classes}, methods reached: {reached} of {methods}"));
        lines.push(format!("reachable: {}", list(&scanned.reachable())));
    } else {
        lines.push(format!("classes: {classes}, no class at which they are entered: everything counts"));
    }
    lines.push(format!("present: {}", list(&scanned.present())));
    if scanned.is_unscannable() {
        lines.push("unscannable: yes, so that a manifest declares what is present".to_owned());
    }
    for permission in scanned.present() {
        // What is reached comes first.
        let mut of: Vec<&Finding> =
            scanned.report.findings.iter().filter(|finding| finding.permissions.has(permission)).collect();
        of.sort_by_key(|finding| !finding.reachable);
        let reached = of.iter().filter(|finding| finding.reachable).count();
        lines.push(format!("{permission}: {} uses, {reached} reached", of.len()));
        let shown = if all { of.len() } else { SAMPLES };
        lines.extend(of.iter().take(shown).map(|finding| finding_line(scanned, finding)));
        if of.len() > shown {
            lines.push(format!("  and {} more (-v shows all)", of.len() - shown));
        }
        lines.extend(native_lines(scanned, permission));
    }
    let blind = &scanned.report.unscannable;
    if !blind.is_empty() {
        let reached = blind.iter().filter(|blind| blind.reachable).count();
        lines.push(format!("unscannable code: {} places, {reached} reached", blind.len()));
        let shown = if all { blind.len() } else { SAMPLES };
        let mut sorted: Vec<&Unscannable> = blind.iter().collect();
        sorted.sort_by_key(|blind| !blind.reachable);
        lines.extend(sorted.iter().take(shown).map(|blind| {
            format!(
                "  {}: {} {} ({})",
                place(&blind.class, blind.method.as_deref()),
                blind.target,
                blind.why,
                scanned.program.origin(blind.input)
            )
        }));
        if blind.len() > shown {
            lines.push(format!("  and {} more (-v shows all)", blind.len() - shown));
        }
    }
    for native in scanned.program.natives() {
        match &native.library {
            Ok(library) => lines
                .extend(library.unscannable.iter().map(|why| format!("unscannable library: {} {why}", native.origin))),
            Err(why) => lines.push(format!("unscannable library: {} cannot be read: {why}", native.origin)),
        }
    }
    lines
}

fn list(permissions: &[Permission]) -> String {
    if permissions.is_empty() { "none".to_owned() } else { manifests::permission::format_list(permissions) }
}

fn place(class: &str, method: Option<&str>) -> String {
    match method.and_then(|method| method.split('(').next()) {
        Some(method) => format!("{class}.{method}"),
        None => class.to_owned(),
    }
}

fn finding_line(scanned: &Scanned, finding: &Finding) -> String {
    let place = place(&finding.class, finding.method.as_deref());
    let way = match &finding.path[..] {
        [] if finding.reachable => String::new(),
        [] => ", not reached".to_owned(),
        path => format!(", by {}", path.join(" > ")),
    };
    let origin = scanned.program.origin(finding.input);
    format!("  {place}: {} {} {} ({origin}{way})", finding.how.name(), finding.target, finding.why)
}

fn native_lines(scanned: &Scanned, permission: Permission) -> Vec<String> {
    let mut lines = Vec::new();
    for native in scanned.program.natives() {
        let Ok(library) = &native.library else { continue };
        let names: Vec<&str> =
            library.findings.iter().filter(|(_, set)| set.has(permission)).map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            lines.push(format!("  {} imports {}", native.origin, names.join(", ")));
        }
    }
    lines
}

/// The JSON form.
pub(super) fn json(scanned: &Scanned) -> Map<String, Value> {
    let names = |permissions: Vec<Permission>| permissions.iter().map(|p| p.name()).collect::<Vec<_>>();
    let findings: Vec<Value> = scanned
        .report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "permissions": finding.permissions.iter().map(Permission::name).collect::<Vec<_>>(),
                "origin": scanned.program.origin(finding.input).to_string(),
                "class": finding.class,
                "method": finding.method,
                "use": finding.how.name(),
                "target": finding.target,
                "why": finding.why,
                "reachable": finding.reachable,
                "path": finding.path,
            })
        })
        .collect();
    let unscannable: Vec<Value> = scanned
        .report
        .unscannable
        .iter()
        .map(|blind| {
            json!({
                "origin": scanned.program.origin(blind.input).to_string(),
                "class": blind.class,
                "method": blind.method,
                "target": blind.target,
                "why": blind.why,
                "reachable": blind.reachable,
            })
        })
        .collect();
    let natives: Vec<Value> = scanned
        .program
        .natives()
        .iter()
        .map(|native| match &native.library {
            Ok(library) => json!({
                "origin": native.origin.to_string(),
                "permissions": names(library.permissions()),
                "imports": library.findings.iter().map(|(name, _)| name).collect::<Vec<_>>(),
                "unscannable": library.unscannable,
            }),
            Err(why) => json!({ "origin": native.origin.to_string(), "error": why }),
        })
        .collect();
    let mut fields = Map::new();
    fields.insert("present".into(), json!(names(scanned.present())));
    fields.insert("reachable".into(), json!(names(scanned.reachable())));
    fields.insert("declared".into(), json!(names(scanned.declared())));
    fields.insert("unscannable".into(), scanned.is_unscannable().into());
    fields.insert("findings".into(), findings.into());
    fields.insert("unscannable-code".into(), unscannable.into());
    fields.insert("libraries".into(), natives.into());
    fields
}
