//! The manifest attributes that name libraries outside the agent jar.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::manifest::{Attributes, attribute};

/// `BTrace-Boot-Libs`, `BTrace-System-Libs`, `BTrace-Libs-Root` and `BTrace-Libs-Profile` of an agent jar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibraryAttributes {
    /// Jars for the bootstrap search, as written; relative ones lie below the root.
    pub boot: Vec<String>,
    /// Jars for the system search, as written.
    pub system: Vec<String>,
    /// Folder of relative entries; the agent jar's own folder when absent.
    pub root: Option<String>,
    /// Subfolder whose `boot/*.jar` and `system/*.jar` are added.
    pub profile: Option<String>,
}

impl LibraryAttributes {
    /// Reads the four attributes; absent and blank ones mean nothing.
    pub fn from_attributes(attributes: &Attributes) -> Self {
        let list = |name| attributes.get(name).unwrap_or("").split_whitespace().map(str::to_owned).collect();
        let text = |name| attributes.get(name).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        Self {
            boot: list(attribute::BTRACE_BOOT_LIBS),
            system: list(attribute::BTRACE_SYSTEM_LIBS),
            root: text(attribute::BTRACE_LIBS_ROOT),
            profile: text(attribute::BTRACE_LIBS_PROFILE),
        }
    }

    /// Writes the four attributes and removes those that would be empty.
    ///
    /// Fails with [`Error::LibraryPath`] for a path that the blank-separated lists cannot carry, and with
    /// [`Error::ManifestValue`] for a root or profile that no manifest can carry.
    pub fn write_to(&self, attributes: &mut Attributes) -> Result<(), Error> {
        for (name, paths) in [(attribute::BTRACE_BOOT_LIBS, &self.boot), (attribute::BTRACE_SYSTEM_LIBS, &self.system)]
        {
            if let Some(path) = paths.iter().find(|path| path.is_empty() || path.contains(char::is_whitespace)) {
                return Err(Error::LibraryPath { attribute: name, path: path.clone() });
            }
            replace(attributes, name, Some(paths.join(" ")))?;
        }
        replace(attributes, attribute::BTRACE_LIBS_ROOT, self.root.clone())?;
        replace(attributes, attribute::BTRACE_LIBS_PROFILE, self.profile.clone())
    }

    /// Whether no attribute is present.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Where an entry of a list may lie, relative ones below `root`; the first file that there is counts. As in `Class-Path`,
/// blanks and the like may be written as `%20`, but a file that is really called so comes first.
pub fn places(root: &Path, entry: &str) -> Vec<PathBuf> {
    [Some(entry.to_owned()), decoded(entry)].into_iter().flatten().map(|entry| root.join(entry)).collect()
}

/// The text with its percent escapes replaced; nothing where there are none, or they are malformed.
fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    let mut changed = false;
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(rest.as_bytes());
        changed = true;
    }
    if changed { String::from_utf8(bytes).ok() } else { None }
}

fn replace(attributes: &mut Attributes, name: &str, value: Option<String>) -> Result<(), Error> {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        return attributes.set(name, &value);
    }
    attributes.remove(name);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_and_written() {
        let mut attributes = Attributes::default();
        attributes.set("BTrace-Boot-Libs", "libs/a.jar  /opt/b.jar").unwrap();
        attributes.set("BTrace-Libs-Root", " lib ").unwrap();
        attributes.set("BTrace-Libs-Profile", "").unwrap();
        let libraries = LibraryAttributes::from_attributes(&attributes);
        assert_eq!(libraries.boot, ["libs/a.jar", "/opt/b.jar"]);
        assert!(libraries.system.is_empty());
        assert_eq!((libraries.root.as_deref(), libraries.profile.as_deref()), (Some("lib"), None));

        libraries.write_to(&mut attributes).unwrap();
        let written: Vec<_> = attributes.iter().collect();
        assert_eq!(written, [("BTrace-Boot-Libs", "libs/a.jar /opt/b.jar"), ("BTrace-Libs-Root", "lib")]);
        assert_eq!(LibraryAttributes::from_attributes(&attributes), libraries);
    }

    #[test]
    fn escapes_are_undone_where_they_are_some() {
        for (entry, decoded) in [
            ("my%20lib.jar", Some("my lib.jar")),
            ("%C3%A9.jar", Some("\u{e9}.jar")),
            ("a%2", None),
            ("a%\u{e9}\u{e9}", None),
            ("%ff.jar", None),
            ("/opt/plain.jar", None),
        ] {
            let expected: Vec<PathBuf> =
                [Some(entry), decoded].into_iter().flatten().map(|e| Path::new("/l").join(e)).collect();
            assert_eq!(places(Path::new("/l"), entry), expected);
        }
    }

    #[test]
    fn none_is_empty() {
        assert!(LibraryAttributes::from_attributes(&Attributes::default()).is_empty());
        let some = LibraryAttributes { profile: Some("spark".to_owned()), ..LibraryAttributes::default() };
        assert!(!some.is_empty());
    }

    #[test]
    fn a_path_with_a_blank_is_refused() {
        let libraries = LibraryAttributes { system: vec!["my lib.jar".to_owned()], ..LibraryAttributes::default() };
        let error = libraries.write_to(&mut Attributes::default()).unwrap_err();
        assert_eq!(error.to_string(), "library path of `BTrace-System-Libs` is empty or holds a blank: `my lib.jar`");
        assert_eq!(
            error.hint().as_deref(),
            Some("the attribute separates its paths by blanks: rename the file, or write `%20` for a blank")
        );
    }
}
