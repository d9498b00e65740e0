//! Embedded extensions: description, index, services.

use std::collections::BTreeSet;

use manifests::extension::ExtensionMetadata;
use manifests::index::ClassIndex;
use manifests::manifest::attribute;
use manifests::properties::Properties;

use super::contents::{self, Contents};
use super::{Kind, Report};
use crate::class::slashed;
use crate::extension::provider_names;
use crate::paths;

/// An embedded extension whose description could be read.
#[derive(Debug)]
pub(super) struct Embedded {
    /// Its description.
    pub(super) metadata: ExtensionMetadata,
}

impl Embedded {
    /// Whether it declares the class, or one that the class is nested in, as its API.
    pub(super) fn declares(&self, class: &str) -> bool {
        let declared =
            |name: &str| self.metadata.services.iter().chain(&self.metadata.exports).any(|declared| declared == name);
        declared(class) || class.match_indices('$').any(|(at, _)| declared(&class[..at]))
    }
}

/// Checks all extensions that the manifest lists or that have a folder, and returns those that can be read.
pub(super) fn check(contents: &Contents<'_>, report: &mut Report) -> Vec<Embedded> {
    let mut ids: BTreeSet<String> = BTreeSet::new();
    if let Ok(Some(manifest)) = contents::manifest(contents.archive) {
        let listed = manifest.main.get(attribute::BTRACE_EMBEDDED_EXTENSIONS).unwrap_or_default();
        ids.extend(listed.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned));
    }
    for &path in contents.files.keys() {
        let Some((id, _)) = path.strip_prefix(paths::EXTENSIONS).and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        if !ids.contains(id) {
            report
                .fail(Kind::Extension, format!("`{id}` is not listed in `{}`", attribute::BTRACE_EMBEDDED_EXTENSIONS));
            ids.insert(id.to_owned());
        }
    }
    ids.iter().filter_map(|id| check_one(contents, id, report)).collect()
}

fn check_one(contents: &Contents<'_>, id: &str, report: &mut Report) -> Option<Embedded> {
    let folder = format!("{}{id}/", paths::EXTENSIONS);
    let index = check_index(contents, id, &folder, report);
    let path = format!("{folder}{}", paths::EXTENSION_PROPERTIES);
    let Some(bytes) = contents.bytes(&path) else {
        report.fail(Kind::Extension, format!("`{id}` has no `{}`", paths::EXTENSION_PROPERTIES));
        return None;
    };
    let parsed = Properties::parse(&bytes).and_then(|properties| ExtensionMetadata::from_properties(&properties, id));
    let metadata = match parsed {
        Ok(metadata) => metadata,
        Err(error) => {
            report.fail(Kind::Extension, format!("`{path}`: {error}"));
            return None;
        }
    };
    if metadata.id != id {
        report.fail(Kind::Extension, format!("`{path}` describes another extension: `{}`", metadata.id));
    }
    if metadata.permissions.is_none() {
        report.fail(Kind::Extension, format!("`{id}` declares no permissions"));
    }
    for class in metadata.services.iter().chain(&metadata.exports) {
        if !contents.contains(&format!("{}{}", slashed(class), paths::CLASS_SUFFIX)) {
            report.fail(Kind::Service, format!("API class of `{id}` is missing at the root: `{class}`"));
        }
    }
    if let Some(index) = index {
        check_providers(contents, &folder, &metadata, &index, report);
    }
    Some(Embedded { metadata })
}

/// Checks that index and folder hold the same classes with the same bytes.
fn check_index(contents: &Contents<'_>, id: &str, folder: &str, report: &mut Report) -> Option<ClassIndex> {
    let path = format!("{folder}{}", paths::CLASSES_INDEX);
    let Some(bytes) = contents.bytes(&path) else {
        report.fail(Kind::Extension, format!("`{id}` has no `{}`", paths::CLASSES_INDEX));
        return None;
    };
    let index = match ClassIndex::parse(&bytes) {
        Ok(index) => index,
        Err(error) => {
            report.fail(Kind::Extension, format!("`{path}`: {error}"));
            return None;
        }
    };
    let mut listed = BTreeSet::new();
    for (class, entry) in index.iter() {
        let expected = format!("{folder}classes/{}{}", slashed(class), paths::MASKED_SUFFIX);
        if entry.path != expected {
            report.fail(Kind::IndexedClass, format!("`{class}` of `{id}` is listed at `{}`", entry.path));
        }
        match contents.files.get(entry.path.as_str()) {
            None => report.fail(Kind::IndexedClass, format!("`{class}` of `{id}` is missing")),
            Some(file) if *file.sha256.as_bytes() != entry.sha256 => {
                report.fail(Kind::IndexedClass, format!("`{class}` of `{id}` has other bytes than when it was built"));
            }
            Some(_) => {}
        }
        listed.insert(entry.path.clone());
    }
    let below = contents.files.range(folder..).map(|(path, _)| *path).take_while(|path| path.starts_with(folder));
    for path in below.filter(|path| path.ends_with(paths::MASKED_SUFFIX) && !listed.contains(*path)) {
        report.fail(Kind::UnlistedClass, format!("`{path}`"));
    }
    Some(index)
}

/// Checks that each service has an implementation.
fn check_providers(
    contents: &Contents<'_>,
    folder: &str,
    metadata: &ExtensionMetadata,
    index: &ClassIndex,
    report: &mut Report,
) {
    for service in &metadata.services {
        let mut providers = contents
            .bytes(&format!("{folder}resources/META-INF/services/{service}"))
            .map(|bytes| provider_names(&bytes))
            .unwrap_or_default();
        if providers.is_empty() {
            providers.push(format!("{service}Impl"));
        }
        for provider in providers {
            let visible = contents.contains(&format!("{}{}", slashed(&provider), paths::CLASS_SUFFIX));
            if index.get(&provider).is_none() && !visible {
                report.fail(Kind::Service, format!("`{service}` of `{}` has no class `{provider}`", metadata.id));
            }
        }
    }
    if let Some(configurator) = &metadata.configurator
        && index.get(configurator).is_none()
        && !contents.contains(&format!("{}{}", slashed(configurator), paths::CLASS_SUFFIX))
    {
        report.fail(Kind::Extension, format!("configurator of `{}` is missing: `{configurator}`", metadata.id));
    }
    for probe in &metadata.probes {
        let suffix = format!("/{}{}", slashed(probe), paths::CLASS_SUFFIX);
        if !contents.files.keys().any(|path| path.starts_with(paths::PROBES) && path.ends_with(&suffix)) {
            report.fail(Kind::Probe, format!("`{probe}`, which extension `{}` names, is missing", metadata.id));
        }
    }
}
