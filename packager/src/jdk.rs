//! Packages of the Java platform: the module of each, and the loader that has it.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Exported packages of the JDK modules of Java 17 and 25: package, module, loader. Taken from the boot layer of both,
/// started with `--add-modules ALL-SYSTEM`.
const PACKAGES: &str = include_str!("jdk/packages.txt");

/// Packages that no module exports to everybody, by their beginnings.
const HIDDEN: [&str; 3] = ["java/", "jdk/internal/", "sun/"];

/// Who defines the classes of a module, from Java 9 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loader {
    /// The bootstrap loader: visible to everybody, API classes of extensions included.
    Boot,
    /// The platform loader: not visible to bootstrap classes.
    Platform,
    /// The application loader: not visible to extensions.
    App,
}

/// An exported package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Package {
    /// Its module.
    pub(crate) module: &'static str,
    /// The loader of the module.
    pub(crate) loader: Loader,
}

static TABLE: LazyLock<HashMap<&'static str, Package>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let mut words = line.split(' ');
        let (name, module, loader) = (words.next()?, words.next()?, words.next()?);
        let loader = match loader {
            "boot" => Loader::Boot,
            "platform" => Loader::Platform,
            _ => Loader::App,
        };
        Some((name, Package { module, loader }))
    };
    PACKAGES.lines().filter_map(line).collect()
});

/// The package of the class of that internal name, if a module of the JDK exports it.
pub(crate) fn package(class: &str) -> Option<Package> {
    let (package, _) = class.rsplit_once('/')?;
    TABLE.get(package.replace('/', ".").as_str()).copied()
}

/// Whether the class of that internal name belongs to the JDK.
pub(crate) fn has(class: &str) -> bool {
    HIDDEN.iter().any(|package| class.starts_with(package)) || package(class).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_modules_and_loaders() {
        assert_eq!(package("java/lang/String"), Some(Package { module: "java.base", loader: Loader::Boot }));
        assert_eq!(package("java/sql/Connection"), Some(Package { module: "java.sql", loader: Loader::Platform }));
        assert_eq!(package("com/sun/tools/attach/VirtualMachine").unwrap().loader, Loader::App);
        assert_eq!(package("javax/servlet/Servlet"), None);
        assert!(has("sun/nio/ch/Net") && has("java/lang/String") && has("org/xml/sax/Parser"));
        assert!(!has("javax/servlet/Servlet") && !has("com/sun/jna/Native") && !has("org/acme/A") && !has("A"));
        assert_eq!(PACKAGES.lines().count(), TABLE.len(), "every line is read, and no package is there twice");
    }
}
