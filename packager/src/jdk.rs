//! Which module of the JDK exports a package, and which loader defines it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// One line a module: name, loader, packages.
const TABLE: &str = include_str!("jdk.txt");

/// Packages that no module exports to everybody, by their beginnings.
const HIDDEN: [&str; 3] = ["java/", "jdk/internal/", "sun/"];

/// The loader that defines a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loader {
    /// The bootstrap loader, which also has the API classes of extensions.
    Boot,
    /// The platform loader, of which bootstrap classes see nothing.
    Platform,
    /// The application loader.
    Application,
}

/// A module of the JDK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Module {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its loader.
    pub(crate) loader: Loader,
}

/// The module that exports the package of the class of that internal name.
pub(crate) fn module_of(class: &str) -> Option<Module> {
    static PACKAGES: OnceLock<BTreeMap<&'static str, Module>> = OnceLock::new();
    let packages =
        PACKAGES.get_or_init(|| TABLE.lines().filter(|line| !line.starts_with('#')).flat_map(line).collect());
    let package = class.rsplit_once('/')?.0.replace('/', ".");
    packages.get(package.as_str()).copied()
}

/// Whether the class of that internal name belongs to the JDK.
pub(crate) fn has(class: &str) -> bool {
    HIDDEN.iter().any(|package| class.starts_with(package)) || module_of(class).is_some()
}

fn line(line: &'static str) -> impl Iterator<Item = (&'static str, Module)> {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or_default();
    let loader = match words.next() {
        Some("boot") => Loader::Boot,
        Some("platform") => Loader::Platform,
        _ => Loader::Application,
    };
    words.map(move |package| (package, Module { name, loader }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_belong_to_modules() {
        let of = |class: &str| module_of(class).map(|module| (module.name, module.loader));
        assert_eq!(of("java/util/Map$Entry"), Some(("java.base", Loader::Boot)));
        assert_eq!(of("java/sql/Connection"), Some(("java.sql", Loader::Platform)));
        assert_eq!(of("com/sun/tools/attach/VirtualMachine"), Some(("jdk.attach", Loader::Application)));
        assert_eq!(of("javax/annotation/Nullable"), None);
        assert_eq!(of("NoPackage"), None);
        assert!(has("sun/nio/ch/Net") && has("java/lang/String") && has("org/xml/sax/Parser"));
        assert!(!has("javax/servlet/Servlet") && !has("com/sun/jna/Native") && !has("org/acme/A") && !has("A"));
    }
}
