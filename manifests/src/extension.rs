//! What an extension says about itself, in each of the three places where it may say it.

use crate::manifest::{Attributes, attribute};
use crate::permission::{self, Permission};
use crate::properties::Properties;
use crate::{Error, suggest};

/// Version of an extension that names none.
pub const DEFAULT_VERSION: &str = "0.0.0";
/// Agent API of an extension that names none.
pub const DEFAULT_API_VERSION: &str = "3.0+";
/// Java of an extension that names none.
pub const DEFAULT_JAVA_VERSION: &str = "8+";

/// Keys of `extension.properties`, in the order in which they are written.
pub const PROPERTY_KEYS: &[&str] = &[
    "id",
    "version",
    "name",
    "description",
    "btrace.api.version",
    "java.version",
    "services",
    "requires.extensions",
    "permissions",
    "exports",
    "configurator",
    "probes",
];

/// Keys of the legacy `btrace-extension.properties`.
pub const LEGACY_KEYS: &[&str] = &[
    "extension.id",
    "extension.version",
    "extension.name",
    "extension.description",
    "btrace.api.version",
    "java.version",
    "services",
    "requires.extensions",
    "shaded.packages",
];

/// The description of one extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionMetadata {
    /// Unique id; [`check_id`] holds.
    pub id: String,
    /// Version of the extension.
    pub version: String,
    /// Display name.
    pub name: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Least agent API, such as `3.0+`.
    pub api_version: String,
    /// Least Java, such as `8+`.
    pub java_version: String,
    /// Service interfaces, dotted.
    pub services: Vec<String>,
    /// Ids of required extensions.
    pub requires: Vec<String>,
    /// Declared permissions; `None` when nothing was declared, which is not the same as none.
    pub permissions: Option<Vec<Permission>>,
    /// API classes beyond the services, dotted.
    pub exports: Vec<String>,
    /// Class that selects probes at start-up, dotted.
    pub configurator: Option<String>,
    /// Bundled probe classes.
    pub probes: Vec<String>,
    /// Relocated packages: original and shaded.
    pub shaded_packages: Vec<(String, String)>,
    /// File name of the implementation jar beside an API jar.
    pub implementation: Option<String>,
}

impl ExtensionMetadata {
    /// A description with this id and otherwise defaults.
    ///
    /// Fails with [`Error::ExtensionId`].
    pub fn new(id: &str) -> Result<Self, Error> {
        check_id(id)?;
        Ok(Self {
            id: id.to_owned(),
            version: DEFAULT_VERSION.to_owned(),
            name: None,
            description: None,
            api_version: DEFAULT_API_VERSION.to_owned(),
            java_version: DEFAULT_JAVA_VERSION.to_owned(),
            services: Vec::new(),
            requires: Vec::new(),
            permissions: None,
            exports: Vec::new(),
            configurator: None,
            probes: Vec::new(),
            shaded_packages: Vec::new(),
            implementation: None,
        })
    }

    /// Reads the main attributes of an extension's jar; `None` when they describe no extension.
    ///
    /// Fails for a bad id, an unknown permission or a malformed shaded package, and with [`Error::ExtensionKey`] when
    /// other `BTrace-Extension-` attributes are there but the id is not.
    pub fn from_attributes(attributes: &Attributes) -> Result<Option<Self>, Error> {
        let get = |name: &str| attributes.get(name);
        let Some(id) = text(get(attribute::BTRACE_EXTENSION_ID)) else {
            let prefix = "btrace-extension-";
            let described = attributes.iter().any(|(name, _)| name.to_ascii_lowercase().starts_with(prefix));
            return if described { Err(Error::ExtensionKey { key: attribute::BTRACE_EXTENSION_ID }) } else { Ok(None) };
        };
        let mut metadata = Self::new(&id)?;
        metadata.fill(&Texts {
            version: get(attribute::BTRACE_EXTENSION_VERSION),
            name: get(attribute::BTRACE_EXTENSION_NAME),
            description: get(attribute::BTRACE_EXTENSION_DESCRIPTION),
            api_version: get(attribute::BTRACE_API_VERSION),
            java_version: get(attribute::BTRACE_JAVA_VERSION),
            services: get(attribute::BTRACE_EXTENSION_SERVICES),
            requires: get(attribute::BTRACE_EXTENSION_REQUIRES),
            permissions: get(attribute::BTRACE_EXTENSION_PERMISSIONS),
            exports: get(attribute::BTRACE_EXTENSION_EXPORTS),
            configurator: get(attribute::BTRACE_EXTENSION_CONFIGURATOR),
            probes: get(attribute::BTRACE_EXTENSION_PROBES),
        })?;
        metadata.shaded_packages =
            shaded_packages(attribute::BTRACE_SHADED_PACKAGES, get(attribute::BTRACE_SHADED_PACKAGES))?;
        metadata.implementation = text(get(attribute::BTRACE_EXTENSION_IMPL));
        Ok(Some(metadata))
    }

    /// Reads an embedded `extension.properties`; `folder` is the id when the text has none.
    pub fn from_properties(properties: &Properties, folder: &str) -> Result<Self, Error> {
        let get = |key: &str| properties.get(key);
        let mut metadata = Self::new(text(get("id")).as_deref().unwrap_or(folder))?;
        metadata.fill(&Texts {
            version: get("version"),
            name: get("name"),
            description: get("description"),
            api_version: get("btrace.api.version"),
            java_version: get("java.version"),
            services: get("services"),
            requires: get("requires.extensions"),
            permissions: get("permissions"),
            exports: get("exports"),
            configurator: get("configurator"),
            probes: get("probes"),
        })?;
        Ok(metadata)
    }

    /// Reads the legacy `btrace-extension.properties`, which cannot declare permissions.
    ///
    /// Fails with [`Error::ExtensionKey`] when `extension.id` is absent.
    pub fn from_legacy_properties(properties: &Properties) -> Result<Self, Error> {
        let get = |key: &str| properties.get(key);
        let id = text(get("extension.id")).ok_or(Error::ExtensionKey { key: "extension.id" })?;
        let mut metadata = Self::new(&id)?;
        metadata.fill(&Texts {
            version: get("extension.version"),
            name: get("extension.name"),
            description: get("extension.description"),
            api_version: get("btrace.api.version"),
            java_version: get("java.version"),
            services: get("services"),
            requires: get("requires.extensions"),
            permissions: None,
            exports: None,
            configurator: None,
            probes: None,
        })?;
        metadata.shaded_packages = shaded_packages("shaded.packages", get("shaded.packages"))?;
        Ok(metadata)
    }

    /// Writes an embedded `extension.properties`: [`PROPERTY_KEYS`] in their order, without those that have no value.
    /// Permissions are written whenever they are declared, even if there is none.
    pub fn to_properties(&self) -> Properties {
        let permissions = self.permissions.as_deref().map(permission::format_list);
        let list = |items: &[String]| Some(items.join(",")).filter(|joined| !joined.is_empty());
        let values = [
            Some(self.id.clone()),
            Some(self.version.clone()),
            self.name.clone(),
            self.description.clone(),
            Some(self.api_version.clone()),
            Some(self.java_version.clone()),
            list(&self.services),
            list(&self.requires),
            permissions,
            list(&self.exports),
            self.configurator.clone(),
            list(&self.probes),
        ];
        PROPERTY_KEYS.iter().zip(values).filter_map(|(key, value)| Some((key, value?))).collect()
    }

    fn fill(&mut self, texts: &Texts<'_>) -> Result<(), Error> {
        let or = |value, default: &str| text(value).unwrap_or_else(|| default.to_owned());
        self.version = or(texts.version, DEFAULT_VERSION);
        self.name = text(texts.name);
        self.description = text(texts.description);
        self.api_version = or(texts.api_version, DEFAULT_API_VERSION);
        self.java_version = or(texts.java_version, DEFAULT_JAVA_VERSION);
        self.services = list(texts.services);
        self.requires = list(texts.requires);
        self.permissions = texts.permissions.map(permission::parse_list).transpose()?;
        self.exports = list(texts.exports);
        self.configurator = text(texts.configurator);
        self.probes = list(texts.probes);
        Ok(())
    }
}

/// The raw values that the three places share.
struct Texts<'a> {
    version: Option<&'a str>,
    name: Option<&'a str>,
    description: Option<&'a str>,
    api_version: Option<&'a str>,
    java_version: Option<&'a str>,
    services: Option<&'a str>,
    requires: Option<&'a str>,
    permissions: Option<&'a str>,
    exports: Option<&'a str>,
    configurator: Option<&'a str>,
    probes: Option<&'a str>,
}

/// Checks that every reader accepts the id: `[a-zA-Z0-9][a-zA-Z0-9._-]*` without `..`, since ids become folder names.
pub fn check_id(id: &str) -> Result<(), Error> {
    let valid = id.starts_with(|first: char| first.is_ascii_alphanumeric())
        && id.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-'))
        && !id.contains("..");
    if valid { Ok(()) } else { Err(Error::ExtensionId { id: id.to_owned() }) }
}

/// Checks that the id is one that tools may write: lowercase words and numbers joined by single hyphens.
pub fn check_written_id(id: &str) -> Result<(), Error> {
    check_id(id)?;
    let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if id.split('-').all(word) { Ok(()) } else { Err(Error::ExtensionIdStyle { id: id.to_owned() }) }
}

/// The id that [`check_written_id`] accepts and that resembles this one most.
pub(crate) fn lowercase_id(id: &str) -> Option<String> {
    let mut out = String::new();
    let mut lower = false;
    for character in id.chars() {
        if character.is_ascii_alphanumeric() {
            if character.is_ascii_uppercase() && lower {
                out.push('-');
            }
            out.push(character.to_ascii_lowercase());
            lower = !character.is_ascii_uppercase();
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
            lower = false;
        }
    }
    let id = out.trim_end_matches('-');
    (!id.is_empty()).then(|| id.to_owned())
}

/// The keys that `known` lacks, with the nearest of `known`.
pub fn unknown_keys<'a>(
    properties: &'a Properties,
    known: &'a [&'static str],
) -> impl Iterator<Item = (&'a str, Option<&'static str>)> {
    properties
        .iter()
        .map(|(key, _)| key)
        .filter(|key| !known.contains(key))
        .map(|key| (key, suggest::nearest(key, known.iter().copied())))
}

fn text(value: Option<&str>) -> Option<String> {
    value.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
}

fn list(value: Option<&str>) -> Vec<String> {
    let items = value.unwrap_or_default().split(',').map(str::trim);
    items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn shaded_packages(key: &'static str, value: Option<&str>) -> Result<Vec<(String, String)>, Error> {
    list(value)
        .into_iter()
        .map(|entry| match entry.split_once("->").map(|(original, shaded)| (original.trim(), shaded.trim())) {
            Some((original, shaded)) if !original.is_empty() && !shaded.is_empty() => {
                Ok((original.to_owned(), shaded.to_owned()))
            }
            _ => Err(Error::ShadedPackage { key, entry }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(entries: &[(&str, &str)]) -> Attributes {
        let mut attributes = Attributes::default();
        for (name, value) in entries {
            attributes.set(name, value).unwrap();
        }
        attributes
    }

    fn properties(text: &str) -> Properties {
        Properties::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn attributes_describe_an_extension() {
        let metadata = ExtensionMetadata::from_attributes(&attributes(&[
            ("btrace-extension-id", "acme-metrics"),
            ("BTrace-Extension-Version", "1.2.0"),
            ("BTrace-Extension-Name", "Acme Metrics"),
            ("BTrace-Extension-Description", "Counts, and times"),
            ("BTrace-API-Version", "3.1+"),
            ("BTrace-Java-Version", "11+"),
            ("BTrace-Extension-Services", "a.B, a.C ,"),
            ("BTrace-Extension-Requires", "core,util"),
            ("BTrace-Extension-Permissions", "network"),
            ("BTrace-Extension-Exports", "a.D"),
            ("BTrace-Extension-Configurator", "a.E"),
            ("BTrace-Extension-Probes", "P,Q"),
            ("BTrace-Shaded-Packages", "org.dep -> a.dep,x->a.x"),
            ("BTrace-Extension-Impl", "acme-impl.jar"),
        ]));
        let metadata = metadata.unwrap().unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let expected = ExtensionMetadata {
            id: "acme-metrics".to_owned(),
            version: "1.2.0".to_owned(),
            name: Some("Acme Metrics".to_owned()),
            description: Some("Counts, and times".to_owned()),
            api_version: "3.1+".to_owned(),
            java_version: "11+".to_owned(),
            services: vec!["a.B".to_owned(), "a.C".to_owned()],
            requires: vec!["core".to_owned(), "util".to_owned()],
            permissions: Some(vec![Permission::Network]),
            exports: vec!["a.D".to_owned()],
            configurator: Some("a.E".to_owned()),
            probes: vec!["P".to_owned(), "Q".to_owned()],
            shaded_packages: vec![pair("org.dep", "a.dep"), pair("x", "a.x")],
            implementation: Some("acme-impl.jar".to_owned()),
        };
        assert_eq!(metadata, expected);

        let written = metadata.to_properties();
        assert_eq!(written.iter().map(|(key, _)| key).collect::<Vec<_>>(), PROPERTY_KEYS);
        let read = ExtensionMetadata::from_properties(&written, "elsewhere").unwrap();
        assert_eq!(read, ExtensionMetadata { shaded_packages: Vec::new(), implementation: None, ..expected });
    }

    #[test]
    fn other_jars_are_no_extensions() {
        assert_eq!(ExtensionMetadata::from_attributes(&attributes(&[("Main-Class", "a.B")])), Ok(None));
        let error = ExtensionMetadata::from_attributes(&attributes(&[("BTrace-Extension-Name", "x")])).unwrap_err();
        assert_eq!(error.to_string(), "extension description has no value for: `BTrace-Extension-Id`");
        assert_eq!(error.hint().as_deref(), Some("add `BTrace-Extension-Id`"));
    }

    #[test]
    fn embedded_properties_have_defaults() {
        let metadata = ExtensionMetadata::from_properties(&properties("services=a.B"), "folder").unwrap();
        assert_eq!((metadata.id.as_str(), metadata.version.as_str()), ("folder", "0.0.0"));
        assert_eq!((metadata.api_version.as_str(), metadata.java_version.as_str()), ("3.0+", "8+"));
        assert_eq!(metadata.services, ["a.B"]);
        let written = String::from_utf8(metadata.to_properties().to_bytes()).unwrap();
        assert_eq!(written, "id=folder\nversion=0.0.0\nbtrace.api.version=3.0+\njava.version=8+\nservices=a.B\n");
        let named = ExtensionMetadata::from_properties(&properties("id=other"), "folder").unwrap();
        assert_eq!(named.id, "other");
    }

    #[test]
    fn undeclared_permissions_are_not_empty_ones() {
        let undeclared = ExtensionMetadata::from_properties(&properties("id=a"), "a").unwrap();
        assert_eq!(undeclared.permissions, None);
        assert_eq!(undeclared.to_properties().get("permissions"), None);
        let none = ExtensionMetadata::from_properties(&properties("permissions="), "a").unwrap();
        assert_eq!(none.permissions, Some(Vec::new()));
        assert_eq!(none.to_properties().get("permissions"), Some(""));
        let error = ExtensionMetadata::from_properties(&properties("permissions=NETWROK"), "a").unwrap_err();
        assert_eq!(error.to_string(), "unknown permission: `NETWROK`");
    }

    #[test]
    fn legacy_properties_are_read() {
        let text = "extension.id=btrace-metrics\nextension.version=3.0.0\nextension.name=Metrics\n\
            services=a.B\nrequires.extensions=\nshaded.packages=org.H->a.h,\\\n   com.c->a.c\npermissions=EXEC\n";
        let metadata = ExtensionMetadata::from_legacy_properties(&properties(text)).unwrap();
        assert_eq!((metadata.id.as_str(), metadata.version.as_str()), ("btrace-metrics", "3.0.0"));
        assert_eq!(metadata.name.as_deref(), Some("Metrics"));
        assert!(metadata.requires.is_empty());
        assert_eq!(metadata.permissions, None, "the legacy format has no such key");
        assert_eq!(metadata.shaded_packages[1], ("com.c".to_owned(), "a.c".to_owned()));
        let error = ExtensionMetadata::from_legacy_properties(&properties("id=a")).unwrap_err();
        assert_eq!(error.to_string(), "extension description has no value for: `extension.id`");
    }

    #[test]
    fn a_shaded_package_needs_both_sides() {
        for entry in ["org.dep", "->a", "a->"] {
            let text = format!("extension.id=a\nshaded.packages={entry}");
            let error = ExtensionMetadata::from_legacy_properties(&properties(&text)).unwrap_err();
            let message = "`shaded.packages` has an entry that is not `original->shaded`";
            assert_eq!(error.to_string(), format!("{message}: `{entry}`"));
            assert_eq!(error.hint().as_deref(), Some("write entries such as `org.dep->com.example.shaded.dep`"));
        }
    }

    #[test]
    fn ids_are_checked() {
        for id in ["a", "A.b_c-1", "9", "a."] {
            assert_eq!(check_id(id), Ok(()), "{id}");
        }
        for id in ["", ".a", "-a", "a..b", "a/b", "a b", "é", "../a"] {
            let error = check_id(id).unwrap_err();
            assert_eq!(error.to_string(), format!("not an extension id: `{id}`"));
            assert_eq!(
                error.hint().as_deref(),
                Some("begin with a letter or digit, go on with letters, digits, `.`, `_` or `-`, and leave out `..`")
            );
            assert_eq!(ExtensionMetadata::new(id).unwrap_err(), error);
            assert_eq!(ExtensionMetadata::from_properties(&Properties::default(), id).unwrap_err(), error);
        }
    }

    #[test]
    fn written_ids_are_lowercase_with_hyphens() {
        for id in ["a", "acme-metrics-2", "3d"] {
            assert_eq!(check_written_id(id), Ok(()), "{id}");
        }
        for (id, better) in [("acmeMetrics", "acme-metrics"), ("a.b_c", "a-b-c"), ("a--b-", "a-b"), ("ACME", "acme")] {
            let error = check_written_id(id).unwrap_err();
            assert_eq!(error.to_string(), format!("extension id is not lowercase with hyphens: `{id}`"));
            assert_eq!(error.hint().as_deref(), Some(format!("use `{better}`").as_str()));
            assert_eq!(check_written_id(better), Ok(()));
        }
        assert!(matches!(check_written_id("a..b"), Err(Error::ExtensionId { .. })));
    }

    #[test]
    fn unknown_keys_come_with_the_nearest() {
        let properties = properties("id=a\nconfigurater=b\nqqq=c");
        let unknown: Vec<_> = unknown_keys(&properties, PROPERTY_KEYS).collect();
        assert_eq!(unknown, [("configurater", Some("configurator")), ("qqq", None)]);
    }
}
