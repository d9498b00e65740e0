//! What an extension says about itself, in each of the three places where it may say it.

use crate::manifest::{Attributes, attribute};
use crate::permission::{self, Permission};
use crate::properties::Properties;
use crate::setting::{self, Setting};
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
    /// Settings, sorted by name; only properties carry them.
    pub settings: Vec<Setting>,
    /// Permissions that were accepted by hand, with the reason; only properties carry them.
    pub reasons: Vec<(Permission, String)>,
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
            settings: Vec::new(),
            reasons: Vec::new(),
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
        metadata.settings = Setting::all_of(properties)?;
        metadata.reasons = reasons(properties)?;
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

    /// Fills what this description leaves open from another one of the same extension; where both speak, this one counts.
    pub fn complete(&mut self, more: Self) {
        fn fill<T>(target: &mut Vec<T>, source: Vec<T>) {
            if target.is_empty() {
                *target = source;
            }
        }
        self.configurator = self.configurator.take().or(more.configurator);
        self.name = self.name.take().or(more.name);
        self.description = self.description.take().or(more.description);
        fill(&mut self.probes, more.probes);
        fill(&mut self.services, more.services);
        fill(&mut self.requires, more.requires);
        fill(&mut self.exports, more.exports);
        fill(&mut self.settings, more.settings);
        fill(&mut self.reasons, more.reasons);
    }

    /// Writes the main attributes of an API jar, in the order of their documentation; [`Self::from_attributes`] reads them.
    /// Permissions are written whenever they are declared, even if there is none.
    ///
    /// Fails with [`Error::ManifestValue`] for a value that no manifest can carry.
    pub fn write_to(&self, attributes: &mut Attributes) -> Result<(), Error> {
        let list = |items: &[String]| Some(items.join(",")).filter(|joined| !joined.is_empty());
        let shaded: Vec<String> = self.shaded_packages.iter().map(|(from, to)| format!("{from}->{to}")).collect();
        for (name, value) in [
            (attribute::BTRACE_EXTENSION_ID, Some(self.id.clone())),
            (attribute::BTRACE_EXTENSION_VERSION, Some(self.version.clone())),
            (attribute::BTRACE_EXTENSION_NAME, self.name.clone()),
            (attribute::BTRACE_EXTENSION_DESCRIPTION, self.description.clone()),
            (attribute::BTRACE_API_VERSION, Some(self.api_version.clone())),
            (attribute::BTRACE_JAVA_VERSION, Some(self.java_version.clone())),
            (attribute::BTRACE_EXTENSION_SERVICES, list(&self.services)),
            (attribute::BTRACE_EXTENSION_REQUIRES, list(&self.requires)),
            (attribute::BTRACE_SHADED_PACKAGES, list(&shaded)),
            (attribute::BTRACE_EXTENSION_PERMISSIONS, self.permissions.as_deref().map(permission::format_list)),
            (attribute::BTRACE_EXTENSION_EXPORTS, list(&self.exports)),
            (attribute::BTRACE_EXTENSION_CONFIGURATOR, self.configurator.clone()),
            (attribute::BTRACE_EXTENSION_PROBES, list(&self.probes)),
            (attribute::BTRACE_EXTENSION_IMPL, self.implementation.clone()),
        ] {
            if let Some(value) = value {
                attributes.set(name, &value)?;
            }
        }
        Ok(())
    }

    /// Writes an embedded `extension.properties`: [`PROPERTY_KEYS`] in their order, without those that have no value, then
    /// `setting.<name>.type`, `.default` and `.help`, then `permission.<NAME>.reason`. Permissions are written whenever
    /// they are declared, even if there is none.
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
        let known = PROPERTY_KEYS.iter().zip(values).filter_map(|(key, value)| Some(((*key).to_owned(), value?)));
        let settings = self.settings.iter().flat_map(Setting::to_pairs);
        let reasons = self.reasons.iter().map(|(permission, reason)| (reason_key(*permission), reason.clone()));
        known.chain(settings).chain(reasons).collect()
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

/// What the keys of accepted permissions begin and end with.
const PERMISSION: &str = "permission.";
const REASON: &str = ".reason";

fn reason_key(permission: Permission) -> String {
    format!("{PERMISSION}{permission}{REASON}")
}

fn reasons(properties: &Properties) -> Result<Vec<(Permission, String)>, Error> {
    let mut reasons = Vec::new();
    for (key, value) in properties.iter() {
        if let Some(name) = key.strip_prefix(PERMISSION).and_then(|rest| rest.strip_suffix(REASON)) {
            reasons.push((name.parse()?, value.to_owned()));
        }
    }
    reasons.sort();
    Ok(reasons)
}

/// Whether the key is one of a family that a program makes names of: those of settings and of accepted permissions.
fn is_named(key: &str) -> bool {
    setting::is_key(key) || key.starts_with(PERMISSION) && key.ends_with(REASON)
}

/// The keys that `known` lacks, with the nearest of `known`. Those of settings and accepted permissions count as known.
pub fn unknown_keys<'a>(
    properties: &'a Properties,
    known: &'a [&'static str],
) -> impl Iterator<Item = (&'a str, Option<&'static str>)> {
    properties
        .iter()
        .map(|(key, _)| key)
        .filter(|key| !known.contains(key) && !is_named(key))
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
mod tests;
