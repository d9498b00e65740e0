//! A jar beside an older one: what it asks for, exposes and weighs may not grow unnoticed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use manifests::permission::Permission;

use super::{Kind, Options, Report};
use crate::archive::Archive;
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::native;
use crate::ops::inspect::View;
use crate::paths;

/// Records what the jar at `path` has more of than the one at `old`.
///
/// # Errors
/// The older jar cannot be read. What cannot be read of the newer one is a failure already.
pub(super) fn check(path: &Path, old: &Path, options: &Options, report: &mut Report) -> Result<()> {
    let before = View::read(old, options.limits)?;
    let after = match View::read(path, options.limits) {
        Ok(view) => view,
        Err(_) if report.problems() > 0 => return Ok(()),
        Err(error) => return Err(error),
    };
    check_permissions(&before, &after, report);
    for widening in before.policy.widening(&after.policy) {
        report.fail(Kind::Policy, widening.to_string());
    }
    let known: BTreeSet<&String> = before.bootstrap_classes.iter().collect();
    for class in after.bootstrap_classes.iter().filter(|class| !known.contains(class)) {
        let (from, to) = (before.bootstrap.count, after.bootstrap.count);
        report.fail(Kind::Bootstrap, format!("`{class}` (classes before {from}, now {to})"));
    }
    if after.size > before.size.saturating_add(options.allowed_growth) {
        let grown = after.size - before.size;
        let allowed = options.allowed_growth;
        report.fail(
            Kind::Size,
            format!("{} bytes instead of {}: {grown} more, allowed are {allowed}", after.size, before.size),
        );
    }
    let archives = (Archive::open_with(old, options.limits)?, Archive::open_with(path, options.limits)?);
    check_cores(&archives.0, &archives.1, report)
}

/// The permissions of each extension that declares any.
fn permissions(view: &View) -> BTreeMap<&str, &[Permission]> {
    let declared = |extension| {
        let extension: &crate::ops::inspect::ExtensionView = extension;
        Some((extension.id.as_str(), extension.metadata.as_ref()?.permissions.as_deref()?))
    };
    view.extensions.iter().filter_map(declared).collect()
}

fn check_permissions(before: &View, after: &View, report: &mut Report) {
    let before = permissions(before);
    for (id, wanted) in permissions(after) {
        let had = before.get(id);
        for permission in wanted {
            if had.is_none_or(|had| !had.contains(permission)) {
                let of = if had.is_some() { "extension" } else { "the new extension" };
                report.fail(Kind::Permission, format!("`{}` of {of} `{id}`", permission.name()));
            }
        }
    }
}

/// The SHA-256 of each core, by target.
fn cores(archive: &Archive) -> Result<BTreeMap<&str, Sha256Hex>> {
    let mut cores = BTreeMap::new();
    for (index, entry) in archive.entries().iter().enumerate() {
        if let Some(target) = native::target_of(&entry.name) {
            cores.insert(target, archive.sha256(index)?);
        } else if entry.name.starts_with(paths::NATIVE) && !entry.is_dir() {
            cores.insert(&entry.name, archive.sha256(index)?);
        }
    }
    Ok(cores)
}

fn check_cores(before: &Archive, after: &Archive, report: &mut Report) -> Result<()> {
    let (before, after) = (cores(before)?, cores(after)?);
    let targets: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    for target in targets {
        let sample = match (before.get(target), after.get(target)) {
            (Some(old), Some(new)) if old != new => format!("`{target}`: SHA-256 {new} instead of {old}"),
            (None, Some(_)) => format!("`{target}` is new"),
            (Some(_), None) => format!("`{target}` is gone"),
            _ => continue,
        };
        report.fail(Kind::CoreChanged, sample);
    }
    Ok(())
}
