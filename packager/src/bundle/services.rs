//! What the classes of an extension say of themselves: services and their marks, the description of a package.

use std::collections::BTreeSet;

use classfile::{Annotation, ClassFile, ElementValue, access};
use manifests::permission::Permission;

use super::collect::File;
use super::error::Error;
use crate::class::{dotted, slashed};
use crate::error::Result;
use crate::extension::ExtensionClass;
use crate::extension::project::Project;
use crate::origin::Origin;
use crate::printer::Printer;

/// The packages of our annotations.
const PACKAGE: &str = "io.btrace.core.extensions.";
const SERVICE: &str = "ServiceDescriptor";
/// The descriptor of the mark of a service.
const MARK: &str = "Lio/btrace/core/extensions/ServiceDescriptor;";
const EXTENSION: &str = "ExtensionDescriptor";
/// The packages of agents before ours, with a slash at their end.
const OLD: [&str; 2] = ["org/openjdk/btrace/", "com/sun/btrace/"];
/// Folder of service files.
const SERVICES: &str = "META-INF/services/";

/// What the extension offers and says of itself.
#[derive(Debug, Default)]
pub(super) struct Stated {
    /// Dotted names of the services.
    pub(super) services: BTreeSet<String>,
    /// Permissions that its annotations name.
    pub(super) permissions: BTreeSet<Permission>,
    /// `@ExtensionDescriptor`, with its place.
    pub(super) descriptor: Option<(Annotation, Origin)>,
}

/// The annotation of an older agent that a class has, dotted; nothing for probes, which have their own rules.
pub(crate) fn old_marker(annotations: &[String]) -> Option<String> {
    let old = annotations.iter().filter_map(|descriptor| descriptor.strip_prefix('L')?.strip_suffix(';'));
    let mut marks = old.filter(|name| OLD.iter().any(|package| name.starts_with(package)));
    marks.find(|name| !name.ends_with("/BTrace")).map(dotted)
}

/// Reads what the extension's own classes state; `legacy` are services of a description of old.
///
/// # Errors
/// A class cannot be read, is marked in the old way, or cannot be the service that it is said to be; two packages describe
/// the extension.
pub(super) fn read(
    project: &Project,
    own: &[&ExtensionClass],
    files: &[File],
    legacy: impl IntoIterator<Item = String>,
    printer: &Printer,
) -> Result<Stated> {
    let listed = &project.toml.services;
    let mut stated = Stated { services: listed.iter().cloned().collect(), ..Stated::default() };
    let mut described_only = BTreeSet::new();
    if listed.is_empty() {
        stated.services.extend(legacy);
        let described = files.iter().filter_map(|file| file.path.strip_prefix(SERVICES));
        let names: BTreeSet<&str> = own.iter().map(|class| class.class.name.as_str()).collect();
        let described = described.filter(|name| names.contains(slashed(name).as_str())).map(str::to_owned);
        described_only.extend(described.filter(|name| !stated.services.contains(name)));
        stated.services.extend(described_only.iter().cloned());
    }
    for class in own {
        let name = dotted(&class.class.name);
        if let Some(annotation) = old_marker(&class.class.annotations) {
            return Err(Error::OldMarker { class: name, annotation, origin: Box::new(class.origin.clone()) }.into());
        }
        if class.class.annotations.is_empty() && !stated.services.contains(&name) {
            continue;
        }
        let bytes = class.content.read()?;
        let unreadable =
            |source| crate::error::Error::Class { origin: Box::new(class.origin.clone()), source: Box::new(source) };
        let file = ClassFile::parse(&bytes).map_err(unreadable)?;
        for annotation in file.annotations().map_err(unreadable)? {
            if annotation.type_descriptor == MARK {
                described_only.remove(&name);
            }
            stated.take(&name, annotation, class, !listed.is_empty(), printer)?;
        }
        if stated.services.contains(&name) {
            let nested = name.contains('$');
            let wanted = match file.access() {
                _ if nested => "class that is not nested",
                flags if flags & access::INTERFACE == 0 || flags & access::ANNOTATION != 0 => "interface",
                flags if flags & access::PUBLIC == 0 => "public interface",
                _ => continue,
            };
            if described_only.contains(&name) {
                printer.warning(&format!(
                    "`{name}` has providers in `{SERVICES}`, but is no {wanted}: probes cannot have it injected"
                ));
                stated.services.remove(&name);
                continue;
            }
            return Err(Error::NotAService { class: name, wanted, origin: Box::new(class.origin.clone()) }.into());
        }
    }
    Ok(stated)
}

impl Stated {
    fn take(
        &mut self,
        class: &str,
        annotation: Annotation,
        found: &ExtensionClass,
        listed: bool,
        printer: &Printer,
    ) -> Result<()> {
        let descriptor = &annotation.type_descriptor;
        let Some(name) = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';')).map(dotted) else {
            return Ok(());
        };
        let Some(simple) =
            [SERVICE, EXTENSION].into_iter().find(|simple| name.rsplit(['.', '$']).next() == Some(simple))
        else {
            return Ok(());
        };
        if name != format!("{PACKAGE}{simple}") {
            printer
                .warning(&format!("`{class}` has an annotation that marks nothing: `{name}`, not `{PACKAGE}{simple}`"));
            return Ok(());
        }
        self.permissions.extend(permissions(&annotation, &found.origin)?);
        if simple == EXTENSION {
            if let Some((_, first)) = &self.descriptor {
                let (first, second) = (Box::new(first.clone()), Box::new(found.origin.clone()));
                return Err(Error::TwoDescriptors { first, second }.into());
            }
            self.descriptor = Some((annotation, found.origin.clone()));
        } else if listed && !self.services.contains(class) {
            printer.warning(&format!("`{class}` has `@{SERVICE}`, but `services` does not list it: it is no service"));
        } else {
            self.services.insert(class.to_owned());
        }
        Ok(())
    }
}

/// The constants of the element `permissions`.
fn permissions(annotation: &Annotation, origin: &Origin) -> Result<Vec<Permission>> {
    let named = annotation.element("permissions").and_then(ElementValue::as_array).unwrap_or_default();
    let parsed = named.iter().filter_map(ElementValue::as_enum).map(|name| {
        name.parse().map_err(|source| crate::error::Error::Format {
            origin: Box::new(origin.clone()),
            source: Box::new(source),
        })
    });
    parsed.collect()
}
