//! The rules that every extension keeps, however it is given.

use super::ExtensionError;
use std::collections::BTreeSet;

use super::{Extension, ExtensionClass};
use crate::class::{dotted, slashed};
use crate::error::Result;
use crate::merge::unversioned;
use crate::origin::Origin;
use crate::paths;

/// Packages, with those below them, that belong to the JVM or to the agent itself.
const RESERVED: [&str; 6] = [
    "java/",
    "io/btrace/core/",
    "io/btrace/runtime/",
    "io/btrace/boot/",
    "io/btrace/agent/",
    "io/btrace/libs/org/slf4j/",
];

/// Folder of service files.
const SERVICES: &str = "META-INF/services/";

/// Checks an extension whose manifest is at `manifest`.
///
/// # Errors
/// Permissions are not declared; a class is in a reserved package; a declared class is missing; a service has no class in
/// the API or no implementation; an API class shows a type of the implementation.
pub(crate) fn check(extension: &Extension, manifest: &Origin) -> Result<()> {
    let id = extension.id().to_owned();
    // There is no manifest yet.
    let building = matches!(manifest, Origin::Generated(_));
    if extension.metadata.permissions.is_none() {
        return Err(ExtensionError::NoPermissions { id, origin: Box::new(manifest.clone()) }.into());
    }
    let all = || extension.api.iter().chain(&extension.implementation);
    if let Some(class) = all().find(|class| RESERVED.iter().any(|package| class.class.name.starts_with(package))) {
        return Err(ExtensionError::ReservedPackage { id, class: dotted(&class.class.name) }.into());
    }
    let api = names(&extension.api);
    let hidden = names(&extension.implementation);
    for service in &extension.metadata.services {
        if !api.contains(slashed(service).as_str()) {
            return Err(ExtensionError::NoServiceClass { id, service: service.clone(), building }.into());
        }
        for provider in providers(extension, service)? {
            let path = slashed(&provider);
            if !hidden.contains(path.as_str()) && !api.contains(path.as_str()) {
                return Err(
                    ExtensionError::NoImplementation { id, service: service.clone(), expected: provider }.into()
                );
            }
        }
    }
    for export in &extension.metadata.exports {
        if !api.contains(slashed(export).as_str()) {
            return Err(ExtensionError::NoDeclaredClass {
                id,
                role: "`BTrace-Extension-Exports`",
                class: export.clone(),
            }
            .into());
        }
    }
    if let Some(configurator) = &extension.metadata.configurator
        && !hidden.contains(slashed(configurator).as_str())
        && !api.contains(slashed(configurator).as_str())
    {
        return Err(ExtensionError::NoDeclaredClass { id, role: "configurator", class: configurator.clone() }.into());
    }
    for class in &extension.api {
        if let Some(type_name) = class.class.visible_types.iter().find(|name| hidden.contains(name.as_str())) {
            return Err(ExtensionError::ApiNotClosed {
                id,
                class: dotted(&class.class.name),
                hidden: dotted(type_name),
                building,
            }
            .into());
        }
    }
    Ok(())
}

/// The API classes beyond the services, dotted and sorted, without those that are nested in another API class: what the
/// description of an embedded extension lists, so that the jar says itself which classes at its root are whose.
pub(crate) fn exports(extension: &Extension) -> Vec<String> {
    let api = names(&extension.api);
    let nested = |name: &str| name.match_indices('$').any(|(at, _)| at > 0 && api.contains(&name[..at]));
    let exported = api.iter().filter(|name| !nested(name)).map(|name| dotted(name));
    exported.filter(|name| !extension.metadata.services.contains(name)).collect()
}

/// Copies of API classes for newer versions of Java, each with its dotted name. Nobody takes them: the bootstrap loader sees one
/// class of a name, and the agent's jar is no multi-release one.
pub(crate) fn versioned_api(extension: &Extension) -> Vec<(String, &Origin)> {
    let api = names(&extension.api);
    let copies = extension.resources.iter().filter_map(|resource| {
        let (release, path) = unversioned(&resource.path);
        let name = path.strip_suffix(paths::CLASS_SUFFIX).filter(|name| !release.is_empty() && api.contains(name))?;
        Some((dotted(name), &resource.origin))
    });
    copies.collect()
}

/// Notes about the copies that [`versioned_api`] finds.
pub(super) fn note_versioned_api(extension: &mut Extension) {
    let copies = versioned_api(extension).into_iter();
    let notes: Vec<String> = copies
        .map(|(class, origin)| {
            format!("API class `{class}` has a copy for a newer Java version, which nobody takes: {origin}")
        })
        .collect();
    extension.notes.extend(notes);
}

fn names(classes: &[ExtensionClass]) -> BTreeSet<&str> {
    classes.iter().map(|class| class.class.name.as_str()).collect()
}

/// Dotted names of the classes that should implement a service: those of its service file, else the one that the naming
/// rule gives.
pub(crate) fn providers(extension: &Extension, service: &str) -> Result<Vec<String>> {
    let path = format!("{SERVICES}{service}");
    let mut found = Vec::new();
    for resource in extension.resources.iter().filter(|resource| resource.path == path) {
        found.extend(provider_names(&resource.content.read()?));
    }
    if found.is_empty() {
        found.push(format!("{service}Impl"));
    }
    Ok(found)
}

/// The class names in a service file: one a line, `#` begins a comment.
pub(crate) fn provider_names(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim().to_owned());
    lines.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_files_hold_names_and_comments() {
        let names = provider_names(b"# all\n a.B # first\r\n\n\tc.D$E\n#x\n");
        assert_eq!(names, ["a.B", "c.D$E"]);
    }
}
