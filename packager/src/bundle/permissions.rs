//! What an extension that is built declares: what its code needs, and what is accepted by hand.

use std::collections::BTreeSet;

use manifests::permission::{Class, Permission, format_list};

use super::error::Error;
use crate::archive::Limits;
use crate::class::dotted;
use crate::error::Result;
use crate::extension::{Extension, permissions};
use crate::ops::scan::Scanned;
use crate::printer::Printer;

/// Scans `extension` and sets the permissions that it declares; `stated` are those that annotations name. What is found counts only
/// if it `scans`; otherwise what is found and not declared is told.
///
/// # Errors
/// A file cannot be read, or an API class does something privileged.
pub(super) fn declare(
    extension: &mut Extension,
    stated: &BTreeSet<Permission>,
    scans: bool,
    limits: Limits,
    printer: &Printer,
) -> Result<()> {
    let scanned = permissions::scan(extension, limits)?;
    if let Some(error) = privileged_api(extension, &scanned) {
        return Err(error.into());
    }
    let needed = scanned.declared();
    printer.status(
        "Scanned",
        &format!("reachable: {}; present: {}", list(&scanned.reachable()), list(&scanned.present())),
    );
    if scanned.is_unscannable() {
        let blind = scanned.report.unscannable.iter().find(|blind| blind.reachable);
        let place =
            blind.map_or_else(String::new, |blind| format!(" ({}: {} {})", blind.class, blind.target, blind.why));
        printer.warning(&format!(
            "the extension reaches code that cannot be scanned, so that it declares everything present{place}"
        ));
    }
    let accepted: BTreeSet<Permission> = extension.metadata.reasons.iter().map(|(permission, _)| *permission).collect();
    for (permission, reason) in &extension.metadata.reasons {
        let found = if needed.contains(permission) { "found" } else { "declared, but not found" };
        printer.status("Accepted", &format!("{permission}: {reason} ({found})"));
    }
    for permission in stated.iter().filter(|permission| !needed.contains(permission) && !accepted.contains(permission))
    {
        if permission.class() != Class::Default {
            printer.warning(&format!("an annotation declares a permission that the code does not need: {permission}"));
        }
    }
    for permission in needed.iter().filter(|permission| permission.class() == Class::Privileged) {
        if !accepted.contains(permission) && !stated.contains(permission) {
            let place = permissions::place(&scanned, *permission);
            printer.warning(&format!(
                "the code needs a privileged permission that `[permissions]` does not accept: {permission}{place}"
            ));
        }
    }
    let mut all: BTreeSet<Permission> = accepted.union(stated).copied().collect();
    if scans {
        all.extend(needed);
    } else {
        for permission in
            needed.iter().filter(|permission| permission.class() == Class::Standard && !all.contains(permission))
        {
            let place = permissions::place(&scanned, *permission);
            printer.warning(&format!(
                "the code needs a permission that is not declared, as `scan-permissions` is off: {permission}{place}"
            ));
        }
    }
    extension.metadata.permissions = Some(all.into_iter().collect());
    Ok(())
}

fn list(permissions: &[Permission]) -> String {
    if permissions.is_empty() { "none".to_owned() } else { format_list(permissions) }
}

/// The first privileged thing in the API.
pub(super) fn privileged_api(extension: &Extension, scanned: &Scanned) -> Option<Error> {
    let api: BTreeSet<String> = extension.api.iter().map(|class| dotted(&class.class.name)).collect();
    for finding in scanned.report.findings.iter().filter(|finding| api.contains(&finding.class)) {
        let Some(permission) = finding.permissions.iter().find(|permission| permission.class() == Class::Privileged)
        else {
            continue;
        };
        let method = finding.method.as_deref().and_then(|method| method.split('(').next());
        return Some(Error::PrivilegedApi {
            class: finding.class.clone(),
            permission,
            place: method.map_or_else(|| "its header".to_owned(), |method| format!("method `{method}`")),
            how: finding.how.name(),
            target: finding.target.clone(),
            why: finding.why,
        });
    }
    None
}
