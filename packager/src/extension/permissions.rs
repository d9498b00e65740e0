//! What the code of an extension needs, beside what it declares.

use manifests::permission::{Class, Permission, format_list};

use super::Extension;
use super::pieces::Piece;
use crate::archive::Limits;
use crate::class::dotted;
use crate::error::Result;
use crate::ops::scan::Scanned;
use crate::paths;
use crate::program::Program;

/// Scans everything that the extension brings. It is entered at the providers of its services, its configurator, its probes
/// and its API.
///
/// # Errors
/// A file of it cannot be read.
pub(crate) fn scan(extension: &Extension, limits: Limits) -> Result<Scanned> {
    let classes = extension.api.iter().chain(&extension.implementation).chain(&extension.probes);
    let classes = classes.map(|class| Piece {
        path: format!("{}{}", class.class.name, paths::CLASS_SUFFIX),
        content: class.content.clone(),
        origin: class.origin.clone(),
    });
    let resources = extension.resources.iter().map(|resource| Piece {
        path: resource.path.clone(),
        content: resource.content.clone(),
        origin: resource.origin.clone(),
    });
    let mut program = Program::default();
    program.add_pieces(classes.chain(resources).collect(), limits)?;
    let api = extension.api.iter().map(|class| dotted(&class.class.name));
    program.offer(extension.metadata.services.iter().cloned(), api);
    let probes = extension.probes.iter().map(|class| dotted(&class.class.name));
    program.enter(extension.metadata.configurator.iter().cloned().chain(probes));
    let report = program.scan(false)?;
    Ok(Scanned { program, report })
}

/// How what the extension declares and what its code needs differ, a line for each way.
pub(crate) fn differences(extension: &Extension, scanned: &Scanned) -> Vec<String> {
    let (found, id) = (scanned.declared(), extension.id());
    let declared = extension.metadata.permissions.as_deref().unwrap_or_default();
    let counts = |permission: &Permission| permission.class() != Class::Default;
    let accepted = |permission: &Permission| extension.metadata.reasons.iter().any(|(known, _)| known == permission);
    let unused: Vec<Permission> =
        declared.iter().copied().filter(|p| counts(p) && !found.contains(p) && !accepted(p)).collect();
    let mut lines = Vec::new();
    if !unused.is_empty() {
        let list = format_list(&unused);
        lines.push(format!("extension `{id}` declares permissions that its code does not need: {list}"));
    }
    for permission in found.into_iter().filter(|permission| counts(permission) && !declared.contains(permission)) {
        let place = place(scanned, permission);
        lines.push(format!("extension `{id}` needs a permission that it does not declare: {permission}{place}"));
    }
    lines
}

/// The first place where a permission is needed, in brackets; empty if only a library needs it.
pub(crate) fn place(scanned: &Scanned, permission: Permission) -> String {
    let of = || scanned.report.findings.iter().filter(|finding| finding.permissions.has(permission));
    let Some(finding) = of().find(|finding| finding.reachable).or_else(|| of().next()) else { return String::new() };
    let method = finding.method.as_deref().and_then(|method| method.split('(').next());
    let at = method.map_or_else(String::new, |method| format!(".{method}"));
    let way = match &finding.path[..] {
        [] => String::new(),
        path => format!(", by {}", path.join(" > ")),
    };
    format!(" ({}{at}: {} {} {}{way})", finding.class, finding.how.name(), finding.target, finding.why)
}
