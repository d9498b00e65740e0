//! Classes and everything at the root of a jar.

use super::contents::Contents;
use super::extensions::Embedded;
use super::{Kind, Report};
use crate::class::dotted;
use crate::ops::build::masked_class;
use crate::paths;
use crate::probes::ANNOTATION;

/// Packages at the root that belong to the agent itself.
const OWN: &str = "io/btrace/";
/// Service files; at the root only those of our own services are harmless.
const SERVICES: &str = "META-INF/services/";

pub(super) fn check(contents: &Contents<'_>, extensions: &[Embedded], report: &mut Report) {
    for required in paths::REQUIRED_BOOTSTRAP.iter().chain(&[paths::LINKER]) {
        if !contents.contains(required) {
            report.fail(Kind::MissingClass, format!("`{required}`"));
        }
    }
    for (&path, file) in &contents.files {
        check_root(path, extensions, report);
        if let Some((name, _)) = masked_class(path)
            && contents.contains(&format!("{name}{}", paths::CLASS_SUFFIX))
        {
            report.fail(Kind::ClassTwice, format!("`{}`, masked at `{path}`", dotted(name)));
        }
        match &file.class {
            None => {}
            Some(Err(problem)) => report.fail(Kind::ClassFile, problem.clone()),
            Some(Ok(class)) => {
                if class_of_path(path).is_some_and(|name| name != class.name) {
                    report.fail(Kind::ClassFile, format!("`{path}` holds `{}`", dotted(&class.name)));
                }
                let probe = path.starts_with(paths::PROBES);
                if probe && !class.annotations.iter().any(|annotation| annotation == ANNOTATION) {
                    report.fail(Kind::Probe, format!("`{path}` has no `@BTrace`"));
                }
            }
        }
    }
}

/// The internal name that the class at `path` must have; nothing where a class may lie under any name.
fn class_of_path(path: &str) -> Option<&str> {
    if let Some((name, _)) = masked_class(path) {
        return Some(unversioned(name));
    }
    let name = path.strip_suffix(paths::CLASS_SUFFIX)?;
    if let Some(probe) = name.strip_prefix(paths::PROBES) {
        return Some(probe);
    }
    (!name.starts_with(paths::META_INF)).then_some(name)
}

/// A class name without the folder of versioned copies.
pub(super) fn unversioned(name: &str) -> &str {
    let versioned = name.strip_prefix("META-INF/versions/").and_then(|rest| rest.split_once('/'));
    versioned.map_or(name, |(_, name)| name)
}

/// Whether `path` may lie where every application sees it.
fn check_root(path: &str, extensions: &[Embedded], report: &mut Report) {
    if let Some(service) = path.strip_prefix(SERVICES) {
        if !service.starts_with("io.btrace.") {
            report.fail(Kind::Root, format!("`{path}`: applications would look for a provider that is masked"));
        }
        return;
    }
    if path.starts_with(paths::META_INF) || path.starts_with(OWN) {
        return;
    }
    let Some(name) = path.strip_suffix(paths::CLASS_SUFFIX) else {
        report.fail(Kind::Root, format!("`{path}`"));
        return;
    };
    let name = dotted(name);
    if !extensions.iter().any(|extension| extension.declares(&name)) {
        report.fail(Kind::Root, format!("`{path}`: no embedded extension declares it as API"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_of_a_path() {
        for (path, name) in [
            ("a/B.class", Some("a/B")),
            ("META-INF/btrace/agent/a/B.classdata", Some("a/B")),
            ("META-INF/btrace/agent/java/lang/FatAgentLinker.classdata", Some("java/lang/FatAgentLinker")),
            ("META-INF/btrace/shared/META-INF/versions/11/a/B.classdata", Some("a/B")),
            ("META-INF/btrace-extensions/x/classes/a/B.classdata", Some("a/B")),
            ("META-INF/btrace-probes/p/Q.class", Some("p/Q")),
            ("META-INF/btrace-extensions/x/resources/META-INF/versions/9/a/B.class", None),
            ("META-INF/btrace/native/a/B.classdata", None),
        ] {
            assert_eq!(class_of_path(path), name, "{path}");
        }
    }
}
