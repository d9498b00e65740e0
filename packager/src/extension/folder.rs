//! Extensions as folders of compiled classes with their manifest.

use super::ExtensionError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use manifests::extension::ExtensionMetadata;

use super::{About, Extension, Legacy, check, describe, legacy, pieces};
use crate::archive::Limits;
use crate::class::{dotted, slashed};
use crate::error::{Error, Result};
use crate::manifest_file;
use crate::origin::Origin;
use crate::paths;

/// The list of API classes beyond the services, one name a line.
pub(crate) const EXPORTS: &str = "META-INF/btrace/exports.index";

/// Whether `folder` holds a manifest or a description of old, and so may be an extension.
pub(crate) fn carries_manifest(folder: &Path) -> bool {
    folder.join(paths::MANIFEST).is_file() || legacy_file(folder).is_some()
}

/// The id that the description in `folder` gives; nothing when there is none of an extension.
///
/// # Errors
/// It is unreadable or malformed.
pub(crate) fn id_of(folder: &Path) -> Result<Option<String>> {
    Ok(described(folder, &mut Vec::new())?.map(|described| described.metadata.id))
}

fn legacy_file(folder: &Path) -> Option<PathBuf> {
    legacy::FILES.iter().map(|name| folder.join(name)).find(|file| file.is_file())
}

/// What a folder says of itself.
struct Described {
    metadata: ExtensionMetadata,
    origin: Origin,
    is_legacy: bool,
}

fn described(folder: &Path, notes: &mut Vec<String>) -> Result<Option<Described>> {
    let path = folder.join(paths::MANIFEST);
    if path.is_file() {
        let origin = Origin::File(path.clone());
        let manifest = manifest_file::parse(&fs_err::read(path)?, &origin)?;
        if let Some(metadata) = describe(&manifest, &origin)? {
            return Ok(Some(Described { metadata, origin, is_legacy: false }));
        }
    }
    let Some(file) = legacy_file(folder) else { return Ok(None) };
    let origin = Origin::File(file.clone());
    let Legacy { metadata, origin, .. } = legacy::parse(&fs_err::read(file)?, origin, notes)?;
    Ok(Some(Described { metadata, origin, is_legacy: true }))
}

pub(super) fn read(folder: &Path, limits: Limits) -> Result<Extension> {
    let not = |reason: &str| -> Error {
        ExtensionError::NotAnExtension { path: folder.to_owned(), reason: reason.to_owned() }.into()
    };
    if !folder.exists() {
        return Err(Error::FileMissing { path: folder.to_owned() });
    }
    if !folder.is_dir() {
        return Err(not("it is not a folder"));
    }
    if !carries_manifest(folder) {
        // A project is recognised so that the message can say what it lacks.
        for (file, what) in [
            ("Cargo.toml", "it is a Cargo package without `[package.metadata.fatagent.extension]`"),
            ("build.gradle", "it is a Gradle project without `extension.toml`"),
            ("build.gradle.kts", "it is a Gradle project without `extension.toml`"),
            ("pom.xml", "it is a Maven project without `extension.toml`"),
        ] {
            if folder.join(file).is_file() {
                return Err(not(what));
            }
        }
        return Err(not("it has no `META-INF/MANIFEST.MF`"));
    }
    let mut notes = Vec::new();
    let Some(Described { metadata, origin, is_legacy }) = described(folder, &mut notes)? else {
        return Err(not("its manifest has no `BTrace-Extension-Id`"));
    };

    let manifest = folder.join(paths::MANIFEST);
    let about = if manifest.is_file() {
        About::new(manifest_file::parse(&fs_err::read(&manifest)?, &Origin::File(manifest))?)
    } else {
        About::default()
    };
    let sorted = pieces::sort(pieces::of_folder(folder)?, &about)?;
    let mut exported: BTreeSet<String> =
        metadata.services.iter().chain(&metadata.exports).map(|n| slashed(n)).collect();
    let exports = folder.join(EXPORTS);
    if exports.is_file() {
        let names: BTreeSet<&str> = sorted.classes.iter().map(|class| class.class.name.as_str()).collect();
        for line in fs_err::read_to_string(exports)?.lines() {
            let name = slashed(line.trim());
            if !name.is_empty() && !names.contains(name.as_str()) {
                return Err(ExtensionError::NoDeclaredClass {
                    id: metadata.id,
                    role: "`META-INF/btrace/exports.index`",
                    class: dotted(&name),
                }
                .into());
            }
            exported.insert(name);
        }
    }
    let (api, implementation) = sorted.classes.into_iter().partition(|class| is_exported(&class.class.name, &exported));
    let mut extension = Extension {
        metadata,
        source: folder.to_owned(),
        api,
        implementation,
        resources: sorted.resources,
        about,
        probes: sorted.probes,
        notes: notes.into_iter().chain(sorted.notes).collect(),
    };
    legacy::leave_out(&mut extension.resources, &origin, &mut extension.notes);
    if is_legacy {
        legacy::declare(&mut extension, limits)?;
    }
    check::check(&extension, &origin)?;
    extension.metadata.exports = check::exports(&extension);
    check::note_versioned_api(&mut extension);
    Ok(extension)
}

/// Whether a class is exported, or nested in one that is: both come from one source file and use each other's members.
fn is_exported(name: &str, exported: &BTreeSet<String>) -> bool {
    let dollars = name.match_indices('$').map(|(at, _)| at).filter(|at| *at > 0);
    exported.contains(name) || dollars.into_iter().any(|at| exported.contains(&name[..at]))
}
