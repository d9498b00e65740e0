//! Services: whether each provider is the class that its loader would find, and implements the interface that this
//! loader would see.

use manifests::extension::ExtensionMetadata;

use super::contents::Contents;
use super::extensions::Embedded;
use super::{Kind, Report};
use crate::class::{dotted, slashed};
use crate::extension::provider_names;
use crate::paths;

/// Folder of service files, wherever a loader's resources begin.
const SERVICES: &str = "META-INF/services/";

/// Who looks for a service: each loader sees classes at other places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope<'a> {
    /// The bootstrap loader.
    Bootstrap,
    /// The loader of a section.
    Section(&'a str),
    /// The loader of an extension.
    Extension(&'a str),
}

impl<'a> Scope<'a> {
    /// The scope of a service file, and the dotted name of its interface.
    fn of(path: &'a str) -> Option<(Self, &'a str)> {
        if let Some(service) = path.strip_prefix(SERVICES) {
            return Some((Self::Bootstrap, service));
        }
        if let Some((id, rest)) = path.strip_prefix(paths::EXTENSIONS).and_then(|rest| rest.split_once('/')) {
            let service = rest.strip_prefix("resources/")?.strip_prefix(SERVICES)?;
            return Some((Self::Extension(id), service));
        }
        let (section, rest) = path.strip_prefix(paths::SECTIONS)?.split_once('/')?;
        let known = paths::SECTION_NAMES.contains(&section);
        known.then_some((Self::Section(section), rest.strip_prefix(SERVICES)?))
    }

    /// Where this loader finds a class, given by its internal name, in the order in which it asks its parents.
    fn find(self, contents: &Contents<'_>, name: &str) -> Option<String> {
        let masked = |section: &str| format!("{}{section}/{name}{}", paths::SECTIONS, paths::MASKED_SUFFIX);
        let mut places = vec![format!("{name}{}", paths::CLASS_SUFFIX)];
        match self {
            Self::Bootstrap => {}
            Self::Section(section) => places.extend([masked("shared"), masked(section)]),
            Self::Extension(id) => {
                places.push(masked("shared"));
                places.push(format!("{}{id}/classes/{name}{}", paths::EXTENSIONS, paths::MASKED_SUFFIX));
            }
        }
        places.into_iter().find(|place| contents.contains(place))
    }

    fn described(self) -> String {
        match self {
            Self::Bootstrap => "the bootstrap loader".to_owned(),
            Self::Section(section) => format!("the loader of section `{section}`"),
            Self::Extension(id) => format!("the loader of extension `{id}`"),
        }
    }
}

/// Checks all service files, and the services of extensions whose implementation the naming rule gives.
pub(super) fn check(contents: &Contents<'_>, extensions: &[Embedded], report: &mut Report) {
    for &path in contents.files.keys() {
        let Some((scope, service)) = Scope::of(path) else { continue };
        let Some(bytes) = contents.bytes(path) else { continue };
        if service.is_empty() || service.contains('/') {
            continue;
        }
        // A service that the extension declares is checked for its providers with the extension.
        let declared = |metadata: &ExtensionMetadata| metadata.services.iter().any(|name| name == service);
        let named = extensions.iter().any(|extension| {
            scope == Scope::Extension(extension.metadata.id.as_str()) && declared(&extension.metadata)
        });
        for provider in provider_names(&bytes) {
            check_provider(contents, scope, service, &provider, !named, report);
        }
    }
    for extension in extensions {
        let metadata = &extension.metadata;
        for service in &metadata.services {
            let file = format!("{}{}/resources/{SERVICES}{service}", paths::EXTENSIONS, metadata.id);
            if !contents.contains(&file) {
                let scope = Scope::Extension(&metadata.id);
                check_provider(contents, scope, service, &format!("{service}Impl"), false, report);
            }
        }
    }
}

fn check_provider(
    contents: &Contents<'_>,
    scope: Scope<'_>,
    service: &str,
    provider: &str,
    must_exist: bool,
    report: &mut Report,
) {
    let interface = slashed(service);
    let found = scope.find(contents, &slashed(provider));
    let Some(path) = found else {
        if must_exist {
            report.fail(Kind::Service, format!("{} finds no class `{provider}` for `{service}`", scope.described()));
        }
        return;
    };
    if scope.find(contents, &interface).is_none() {
        // Without any copy in the jar it is the platform's or the application's, or nobody asks for it.
        let hidden = format!("/{interface}{}", paths::MASKED_SUFFIX);
        if let Some(elsewhere) = contents.files.keys().find(|path| path.ends_with(&hidden)) {
            let scope = scope.described();
            report.fail(
                Kind::Service,
                format!("{scope} does not see the interface `{service}`, which is at `{elsewhere}`"),
            );
        }
        return;
    }
    // Damaged classes are failures of their own.
    let Some(class) = contents.class(&path) else { return };
    if implements(contents, scope, &class.name, &interface) == Some(false) {
        report.fail(
            Kind::Service,
            format!("`{provider}` does not implement `{service}` as {} sees it", scope.described()),
        );
    } else if !class.has_public_constructor() && (must_exist || !class.can_be_service(&interface)) {
        report.fail(Kind::Service, format!("`{}` has no public constructor without parameters", dotted(&class.name)));
    }
}

/// Whether a class has `interface` among its supertypes as the loader finds them; nothing where one of them is outside of
/// the jar, so that it cannot be told.
fn implements(contents: &Contents<'_>, scope: Scope<'_>, class: &str, interface: &str) -> Option<bool> {
    let mut left = vec![class.to_owned()];
    let mut seen = Vec::new();
    let mut outside = false;
    while let Some(name) = left.pop() {
        if name == interface {
            return Some(true);
        }
        if seen.contains(&name) || name == "java/lang/Object" {
            continue;
        }
        match scope.find(contents, &name).and_then(|path| contents.class(&path)) {
            Some(class) => left.extend(class.supertypes.iter().cloned()),
            None => outside = true,
        }
        seen.push(name);
    }
    (!outside).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scope_of_a_service_file() {
        for (path, scope) in [
            ("META-INF/services/a.B", Some((Scope::Bootstrap, "a.B"))),
            ("META-INF/btrace/agent/META-INF/services/a.B", Some((Scope::Section("agent"), "a.B"))),
            ("META-INF/btrace-extensions/x/resources/META-INF/services/a.B", Some((Scope::Extension("x"), "a.B"))),
            ("META-INF/btrace-extensions/x/META-INF/services/a.B", None),
            ("META-INF/btrace/native/META-INF/services/a.B", None),
            ("a/META-INF/services/a.B", None),
        ] {
            assert_eq!(Scope::of(path), scope, "{path}");
        }
    }
}
