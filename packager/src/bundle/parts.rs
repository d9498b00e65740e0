//! Files of an extension that its description names one by one: dependencies, native libraries, the configurator.

use crate::extension::ExtensionError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use classfile::{ClassFile, access};
use manifests::extension_toml::Dependency;

use super::error::Error;
use crate::archive::{Archive, Limits};
use crate::assemble::Content;
use crate::class::{dotted, slashed};
use crate::error::Result;
use crate::extension::project::{Library, Project};
use crate::extension::{Extension, ExtensionClass, Resource};
use crate::glob::{self, Pattern};
use crate::maven::Repository;
use crate::origin::Origin;

/// Where native libraries lie in an implementation jar.
const NATIVE: &str = "META-INF/native/";
/// What configurators implement.
const CONFIGURATOR: &str = "io/btrace/core/extensions/ExtensionConfigurator";

/// The jars of `dependencies`, in their order; those of a pattern are sorted.
///
/// # Errors
/// One is missing.
pub(super) fn dependency_files(project: &Project) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut repository = None;
    for dependency in &project.toml.dependencies {
        let found = match dependency {
            Dependency::Path(path) if path.contains(['*', '?']) => {
                glob::expand_all(std::slice::from_ref(path), &project.folder, false, &project.origin)?
            }
            Dependency::Path(path) => vec![project.resolve(path)],
            Dependency::Maven(coordinates) => {
                let repository = match &mut repository {
                    Some(known) => known,
                    none => none.insert(Repository::local()?),
                };
                vec![repository.find(coordinates, &project.origin)?]
            }
        };
        // A pattern may match what is also listed.
        files.extend(found.into_iter().filter(|file| !files.contains(file)).collect::<Vec<_>>());
    }
    Ok(files)
}

/// Opens the dependencies.
///
/// # Errors
/// One is no jar.
pub(super) fn open(files: &[PathBuf], limits: Limits) -> Result<Vec<Arc<Archive>>> {
    files.iter().map(|file| Archive::open_with(file, limits).map(Arc::new)).collect()
}

/// The native libraries that the globs of `native` name: below `META-INF/native/` by their path below the folders that the
/// pattern names without wildcards. Those that a driver built are there below the name of their target.
///
/// # Errors
/// A pattern matches nothing, or a file is no library.
pub(super) fn natives(project: &Project) -> Result<Vec<Resource>> {
    let mut resources = Vec::new();
    for text in &project.toml.native {
        let files = glob::expand_all(std::slice::from_ref(text), &project.folder, false, &project.origin)?;
        let wild = text.contains(['*', '?']);
        let start = Pattern::parse(text).ok().filter(|_| wild).map(|pattern| project.folder.join(pattern.start()));
        for file in files {
            if !scan::native::is_library(&fs_err::read(&file)?) {
                return Err(Error::NotALibrary { at: project.origin.clone(), path: file }.into());
            }
            let below = start.as_ref().and_then(|start| file.strip_prefix(start).ok());
            let name = below.map_or_else(|| file.file_name().map(PathBuf::from).unwrap_or_default(), PathBuf::from);
            let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            let path = format!("{NATIVE}{}", parts.join("/"));
            resources.push(Resource { path, content: Content::File(file.clone()), origin: Origin::File(file) });
        }
    }
    for Library { file, target } in &project.supplied.libraries {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let path = format!("{NATIVE}{target}/{name}");
        resources.push(Resource { path, content: Content::File(file.clone()), origin: Origin::File(file.clone()) });
    }
    Ok(resources)
}

/// Checks that the configurator is there and can be called.
///
/// # Errors
/// It cannot.
pub(super) fn check_configurator(extension: &Extension, project: &Project) -> Result<()> {
    let Some(name) = &extension.metadata.configurator else { return Ok(()) };
    let all = extension.implementation.iter().chain(&extension.api);
    let classes: BTreeMap<&str, &ExtensionClass> = all.map(|class| (class.class.name.as_str(), class)).collect();
    let class = classes.get(slashed(name).as_str()).ok_or_else(|| ExtensionError::NoDeclaredClass {
        id: extension.id().to_owned(),
        role: "configurator",
        class: name.clone(),
    })?;
    let bytes = class.content.read()?;
    // It was read before.
    let flags = ClassFile::parse(&bytes).map(|file| file.access()).unwrap_or_default();
    let mut supertypes: Vec<&str> = vec![&class.class.name];
    let mut at = 0;
    while let Some(name) = supertypes.get(at) {
        at += 1;
        for name in classes.get(name).iter().flat_map(|class| &class.class.supertypes) {
            if !supertypes.contains(&name.as_str()) {
                supertypes.push(name);
            }
        }
    }
    let reason = if !supertypes.contains(&CONFIGURATOR) {
        "does not implement `ExtensionConfigurator`"
    } else if flags & (access::INTERFACE | access::ABSTRACT) != 0 || flags & access::PUBLIC == 0 {
        "is no public class of which an instance can be made"
    } else if !class.class.has_public_constructor() {
        "has no public constructor without parameters"
    } else {
        return Ok(());
    };
    Err(Error::NotAConfigurator { at: project.origin.clone(), class: dotted(&class.class.name), reason }.into())
}
