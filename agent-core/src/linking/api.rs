//! Puts the API of installed extensions where probes and implementations see it: into the bootstrap loader, class by class.
//! Another jar on its path would cost the JVM the sharing of its archive, and would be said on standard output.

use super::contents::{open_jar, read};
use crate::state::Core;
use classfile::{ClassFile, descriptor, mutf8};
use extensions::{Extension, Files, Status};
use jvm::Jni;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::sync::PoisonError;

const EXPORTS: &str = "META-INF/btrace/exports.index";

/// Class files by internal name.
type Classes = BTreeMap<String, Vec<u8>>;

/// Defines the API that offers these services, with those that it requires. Only files that are not what was
/// signed keep it out: where an extension cannot be used for another reason, something that implements its API stands in for it.
pub(crate) fn define(core: &Core, jni: &Jni<'_>, services: impl Iterator<Item = String>) {
    for service in services {
        let resolved = core.extensions.resolved(core);
        let mut wanted: Vec<&Extension> = resolved.of_service(&service).into_iter().collect();
        // What comes first is required by what comes later.
        for at in 0.. {
            let Some(extension) = wanted.get(at) else { break };
            let more: Vec<_> = extension.metadata.requires.iter().filter_map(|id| resolved.by_id(id)).collect();
            wanted.extend(more);
            if at > resolved.extensions.len() {
                break;
            }
        }
        for extension in wanted.into_iter().rev() {
            if let Err(e) = define_one(core, jni, extension) {
                core.report_once(format!(
                    "the API of extension {} in {} cannot be loaded: {e}; hint: install the extension again",
                    extension.metadata.id,
                    extension.files.path().display()
                ));
            }
        }
    }
}

fn define_one(core: &Core, jni: &Jni<'_>, extension: &Extension) -> Result<(), Box<dyn std::error::Error>> {
    if matches!(extension.files, Files::Embedded { .. }) || matches!(extension.status, Status::Damaged { .. }) {
        return Ok(());
    }
    let mut defined = core.linking.defined.lock().unwrap_or_else(PoisonError::into_inner);
    if !defined.insert(extension.files.path().to_owned()) {
        return Ok(());
    }
    // Before they are read: a change while they are is one, too.
    let state = extension.files.watch();
    core.linking.watched.lock().unwrap_or_else(PoisonError::into_inner).insert(extension.metadata.id.clone(), state);
    for (name, bytes) in in_order(api(extension)?)? {
        // The agent brings it already: the same bytes, or the extension would not count.
        if core.jar.has(&format!("{name}.class")) {
            continue;
        }
        let class = jni.define_boot_class(&name, &bytes)?;
        jni.delete(class);
    }
    Ok(())
}

/// The classes of an API.
fn api(extension: &Extension) -> io::Result<Classes> {
    let (path, within, is_alone) = match &extension.files {
        Files::Embedded { .. } => return Ok(Classes::new()),
        Files::Pair { api, .. } => (api, None, true),
        Files::Zip { zip, api, .. } => (zip, Some(api.as_str()), true),
        Files::Flat { jar } => (jar, None, false),
    };
    let (mut archive, _) = open_jar(path, within)?;
    let names: Vec<String> = archive.file_names().filter_map(|name| Some(name.ok()?.to_string())).collect();
    let mut classes = Classes::new();
    for entry in names.iter().filter(|name| !name.starts_with("META-INF/") && !name.ends_with("module-info.class")) {
        let Some(name) = entry.strip_suffix(".class") else { continue };
        classes.insert(name.to_owned(), read(&mut archive, entry)?.unwrap_or_default());
    }
    if is_alone {
        return Ok(classes);
    }
    let metadata = &extension.metadata;
    let exports = read(&mut archive, EXPORTS)?.unwrap_or_default();
    let exports = String::from_utf8_lossy(&exports);
    let mut left: Vec<String> =
        metadata.services.iter().chain(&metadata.exports).map(|name| name.replace('.', "/")).collect();
    left.extend(exports.lines().map(|line| line.trim().replace('.', "/")));
    let mut api = Classes::new();
    while let Some(name) = left.pop() {
        let Some(bytes) = classes.remove(&name) else { continue };
        left.extend(named(&bytes).map_err(|e| io::Error::other(format!("{name}: {e}")))?);
        let nested = format!("{name}$");
        left.extend(classes.keys().filter(|other| other.starts_with(&nested)).cloned());
        api.insert(name, bytes);
    }
    Ok(api)
}

/// All classes that a class names. The bootstrap loader would look for them.
fn named(bytes: &[u8]) -> Result<BTreeSet<String>, classfile::Error> {
    let file = ClassFile::parse(bytes)?;
    let pool = file.pool();
    let mut names = BTreeSet::new();
    let mut add = |text: &[u8]| {
        if let Ok(text) = mutf8::decode_lossy(text) {
            names.insert(text.into_owned());
        }
    };
    for index in 1..pool.len() {
        if let Ok(name) = pool.class_name(index) {
            add(name);
        }
    }
    for member in file.methods() {
        let method = descriptor::method(member.descriptor_str().unwrap_or("()V"))?;
        method
            .parameters
            .iter()
            .chain(&method.result)
            .for_each(|one| element(one.descriptor).into_iter().for_each(&mut add));
    }
    for member in file.fields() {
        element(member.descriptor_str().unwrap_or("I")).into_iter().for_each(&mut add);
    }
    Ok(names)
}

/// The class that a type is made of.
fn element(descriptor: &str) -> Option<&[u8]> {
    Some(descriptor.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';')?.as_bytes())
}

/// Each class after its supertypes: the JVM looks for these while it defines one.
fn in_order(mut classes: Classes) -> Result<Vec<(String, Vec<u8>)>, classfile::Error> {
    let mut ordered = Vec::new();
    let mut supertypes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, bytes) in &classes {
        let file = ClassFile::parse(bytes)?;
        let named = file.super_name().into_iter().chain(file.interfaces());
        let named = named.filter_map(mutf8::as_str).filter(|name| classes.contains_key(*name)).map(str::to_owned);
        supertypes.insert(name.clone(), named.collect());
    }
    let mut seen: HashSet<String> = HashSet::new();
    for name in supertypes.keys() {
        let mut stack = vec![name];
        while let Some(&top) = stack.last() {
            let open =
                supertypes.get(top).into_iter().flatten().find(|name| !seen.contains(*name) && !stack.contains(name));
            if let Some(open) = open {
                stack.push(open);
                continue;
            }
            stack.pop();
            seen.insert(top.clone());
            if let Some(bytes) = classes.remove(top) {
                ordered.push((top.clone(), bytes));
            }
        }
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, interface: &str) -> Vec<u8> {
        classfile::shim::write(name, interface, &[("of", "([[Lx/Shown;I)Lx/Result;")], None).expect("a class")
    }

    #[test]
    fn supertypes_come_first_and_what_is_named_is_found() {
        let classes = [("a/A", "a/Z"), ("a/M", "java/lang/Runnable"), ("a/Z", "a/M")];
        let classes: Classes = classes.map(|(name, of)| (name.to_owned(), class(name, of))).into();
        let names: Vec<String> = in_order(classes).expect("classes").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a/M", "a/Z", "a/A"]);
        let looped: Classes =
            [("b/A", "b/B"), ("b/B", "b/A")].map(|(name, of)| (name.to_owned(), class(name, of))).into();
        assert_eq!(in_order(looped).expect("classes").len(), 2);
        let found = named(&class("a/A", "a/Z")).expect("names");
        assert!(["a/Z", "x/Shown", "x/Result"].iter().all(|name| found.contains(*name)), "{found:?}");
    }
}
