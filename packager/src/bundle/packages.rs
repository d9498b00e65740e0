//! Whose the packages of an API are. They lie on the bootstrap path, where they come before those of everybody else.

use std::collections::{BTreeMap, BTreeSet};

use manifests::extension::ExtensionMetadata;
use manifests::extension_toml::ExtensionToml;
use manifests::properties::Properties;

use super::error::Error;
use crate::base::Base;
use crate::class::{dotted, slashed};
use crate::error::Result;
use crate::extension::Extension;
use crate::jdk;
use crate::origin::Origin;
use crate::{defaults, paths};

/// The package of a class, dotted; empty for the unnamed one.
fn package(class: &str) -> String {
    class.rsplit_once('/').map_or_else(String::new, |(package, _)| dotted(package))
}

fn is_in(package: &str, prefix: &str) -> bool {
    package.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn foreign(id: &str, class: &str, whose: String) -> crate::error::Error {
    Error::ForeignPackage { id: id.to_owned(), class: dotted(class), whose }.into()
}

/// The first API class in a package of the JDK.
pub(super) fn of_jdk(extension: &Extension) -> Option<Error> {
    let class = extension.api.iter().map(|class| &class.class.name).find(|class| jdk::has(class))?;
    let whose = match jdk::module_of(class) {
        Some(module) => format!("module `{}` of the JDK has too", module.name),
        None => "is the JDK's".to_owned(),
    };
    Some(Error::ForeignPackage { id: extension.id().to_owned(), class: dotted(class), whose })
}

/// Checks the API of an extension that is built: no package of it belongs to the JDK or to one of its `dependencies`, and
/// where `api-packages` is given, each is one of those or begins with the id (`acme-metrics`: `acme.metrics`).
///
/// # Errors
/// One is not the extension's own.
pub(super) fn check(
    extension: &Extension,
    toml: &ExtensionToml,
    dependencies: &BTreeMap<String, Origin>,
) -> Result<()> {
    let brought: BTreeMap<String, &Origin> =
        dependencies.iter().map(|(class, origin)| (package(class), origin)).collect();
    if let Some(error) = of_jdk(extension) {
        return Err(error.into());
    }
    let by_id = toml.id.replace('-', ".");
    for class in extension.api.iter().map(|class| class.class.name.as_str()) {
        let package = package(class);
        if let Some(origin) = brought.get(&package) {
            return Err(foreign(extension.id(), class, format!("a dependency has too ({origin})")));
        }
        let own = is_in(&package, &by_id) || toml.api_packages.iter().any(|prefix| is_in(&package, prefix));
        if !toml.api_packages.is_empty() && !own {
            return Err(foreign(extension.id(), class, "`api-packages` does not name".to_owned()));
        }
    }
    Ok(())
}

/// Checks extensions that are embedded together, those of the base too: a package of an API belongs to one of them only. A class that two have is
/// left to those who name both files.
///
/// # Errors
/// Two have classes of one package, one of them in its API.
pub(crate) fn check_together(extensions: &[Extension], base: &Base) -> Result<()> {
    check_base(extensions, base)?;
    let classes = |extension: &'_ Extension| -> BTreeSet<String> {
        extension.api.iter().chain(&extension.implementation).map(|class| class.class.name.clone()).collect()
    };
    let all: Vec<BTreeSet<String>> = extensions.iter().map(classes).collect();
    let packages: Vec<BTreeSet<String>> =
        all.iter().map(|classes| classes.iter().map(|class| package(class)).collect()).collect();
    for (number, extension) in extensions.iter().enumerate() {
        for class in &extension.api {
            let package = package(&class.class.name);
            let has = |other: &usize| packages[*other].contains(&package) && !all[*other].contains(&class.class.name);
            if let Some(other) = (0..extensions.len()).filter(|other| *other != number).find(has) {
                let id = extensions[other].id();
                return Err(foreign(extension.id(), &class.class.name, format!("extension `{id}` has too")));
            }
        }
    }
    Ok(())
}

/// Checks the extensions against those that the base has already.
fn check_base(extensions: &[Extension], base: &Base) -> Result<()> {
    let names = || base.archive.entries().iter().map(|entry| entry.name.as_str());
    for id in base.extensions() {
        let folder = format!("{}{id}/", paths::EXTENSIONS);
        let read = |bytes: &[u8]| ExtensionMetadata::from_properties(&Properties::parse(bytes)?, &id);
        let path = format!("{folder}{}", paths::EXTENSION_PROPERTIES);
        // Without a description nobody knows which classes at the root are its.
        let Some(metadata) = defaults::read(&base.archive, &path, read)? else { continue };
        let api: BTreeSet<String> =
            metadata.services.iter().chain(&metadata.exports).map(|name| slashed(name)).collect();
        let shown: BTreeMap<String, &String> = api.iter().map(|class| (package(class), class)).collect();
        let classes = format!("{folder}classes/");
        let hidden = names().filter_map(|name| name.strip_prefix(&classes)?.strip_suffix(paths::MASKED_SUFFIX));
        let hidden: BTreeSet<String> = hidden.map(package).collect();
        for extension in extensions {
            for class in extension.api.iter().map(|class| &class.class.name).filter(|class| !api.contains(*class)) {
                let package = package(class);
                if shown.contains_key(&package) || hidden.contains(&package) {
                    return Err(foreign(extension.id(), class, format!("extension `{id}` of the base has too")));
                }
            }
            for class in &extension.implementation {
                if let Some(shown) = shown.get(&package(&class.class.name)) {
                    return Err(foreign(&id, shown, format!("extension `{}` has too", extension.id())));
                }
            }
        }
    }
    Ok(())
}
