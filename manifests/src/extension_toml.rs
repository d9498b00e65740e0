//! `extension.toml`: how an extension is built, whichever tool compiles it.
//!
//! The same tables may stand in a `Cargo.toml` under `[package.metadata.fatagent.extension]`. Paths are kept as written; the
//! caller resolves them against the folder of the file. Strings may hold `${extension.version}` and `${env:NAME}`.

mod parse;
#[cfg(test)]
mod tests;

use crate::Error;
use crate::coordinates::Coordinates;
use crate::permission::Permission;
pub use crate::setting::{Setting, SettingType};
pub use crate::toml::Environment;

/// A whole `extension.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionToml {
    /// `id`: lowercase words joined by hyphens.
    pub id: String,
    /// `version`, a semantic version.
    pub version: String,
    /// `name` for people.
    pub name: Option<String>,
    /// `description`.
    pub description: Option<String>,
    /// `services`: dotted names of interfaces; empty means that they are found by their descriptors and annotations.
    pub services: Vec<String>,
    /// `exports`: further API classes, dotted.
    pub exports: Vec<String>,
    /// `excluded-exports`: classes that are no API although something of it names them, dotted.
    pub excluded_exports: Vec<String>,
    /// `api-packages`: packages that are the extension's own besides those that begin with its id.
    pub api_packages: Vec<String>,
    /// `requires`: ids of other extensions.
    pub requires: Vec<String>,
    /// `provided`: packages that the application brings; classes of them are not packed.
    pub provided: Vec<String>,
    /// `dependencies`: jars that are packed into the implementation.
    pub dependencies: Vec<Dependency>,
    /// `[shade]`: packages of dependencies and where they move; `{id}` is the extension's id.
    pub shade: Vec<(String, String)>,
    /// `probes`: globs of compiled probe classes.
    pub probes: Vec<String>,
    /// `configurator`: dotted name of the class that selects probes.
    pub configurator: Option<String>,
    /// `api-version`: least agent API, such as `3.0+`.
    pub api_version: Option<String>,
    /// `java-version`: least Java, such as `8+`; by default what the classes need.
    pub java_version: Option<String>,
    /// `[[setting]]`.
    pub settings: Vec<Setting>,
    /// `[permissions]`: what is accepted, each with its reason.
    pub permissions: Vec<(Permission, String)>,
    /// `scan-permissions`, true by default: whether the manifest declares what the code is found to need. Without it exactly
    /// `permissions` and those of annotations are declared, and what is missing there is told.
    pub scan_permissions: bool,
    /// `classes`: folders and jars with the compiled extension, by default the usual ones of the build tool.
    pub classes: Vec<String>,
    /// `sources`: folders that `--compile` hands to javac.
    pub sources: Vec<String>,
    /// `native`: globs of native libraries that are packed as resources.
    pub native: Vec<String>,
    /// `group`: group id for publishing.
    pub group: Option<String>,
}

/// One item of `dependencies`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependency {
    /// A path or glob of jars.
    Path(String),
    /// `maven:g:a:v`.
    Maven(Coordinates),
}

/// Whether a text is the version of an extension as our tools write it: a semantic version.
pub fn is_version(text: &str) -> bool {
    semver::Version::parse(text).is_ok()
}

impl ExtensionToml {
    /// Reads `extension.toml`. `origin` is what errors call the text.
    ///
    /// # Errors
    /// No TOML, an unknown or missing key, or a value that the key does not take, with line and column.
    pub fn parse(text: &str, origin: &str, environment: Environment<'_>) -> Result<Self, Error> {
        parse::parse(text, origin, environment)
    }

    /// Reads `[package.metadata.fatagent.extension]` of a `Cargo.toml`; `None` when it has none. The package's version is
    /// the default, and `version` is what Cargo resolved it to.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_cargo(
        text: &str,
        origin: &str,
        version: Option<&str>,
        environment: Environment<'_>,
    ) -> Result<Option<Self>, Error> {
        parse::parse_cargo(text, origin, version, environment)
    }
}
