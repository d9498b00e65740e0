//! The manifest of the output.

use manifests::agent_toml::Agent;
use manifests::library::LibraryAttributes;
use manifests::manifest::{Attributes, Manifest, attribute};

use crate::assemble::Hashed;
use crate::base::Base;
use crate::digest::build_id;
use crate::error::{Error, Result};
use crate::extension::Extension;
use crate::native;
use crate::paths;

/// Everything that the manifest says.
pub(super) struct Inputs<'a> {
    pub(super) base: &'a Base,
    pub(super) agent: &'a Agent,
    /// File name of the output.
    pub(super) file_name: &'a str,
    pub(super) extensions: &'a [Extension],
    /// Full names of the targets.
    pub(super) targets: &'a [String],
    /// Jars outside this one.
    pub(super) libraries: &'a LibraryAttributes,
    /// `[manifest] attributes`.
    pub(super) attributes: &'a [(String, String)],
}

/// Attributes that nobody may set, beside those that begin with `BTrace-`: ours, and those that would change how the JVM
/// starts the agent.
const RESERVED: [&str; 14] = [
    attribute::MANIFEST_VERSION,
    attribute::NAME,
    attribute::PREMAIN_CLASS,
    attribute::AGENT_CLASS,
    attribute::LAUNCHER_AGENT_CLASS,
    attribute::MAIN_CLASS,
    attribute::CAN_REDEFINE_CLASSES,
    attribute::CAN_RETRANSFORM_CLASSES,
    attribute::BOOT_CLASS_PATH,
    attribute::CLASS_PATH,
    attribute::MULTI_RELEASE,
    attribute::ENABLE_NATIVE_ACCESS,
    attribute::IMPLEMENTATION_TITLE,
    attribute::IMPLEMENTATION_VERSION,
];

/// Attributes of the base that describe the base, not what is built on it.
const DROPPED: [&str; 3] = [attribute::BTRACE_BUILD_ID, attribute::LAUNCHER_AGENT_CLASS, attribute::MULTI_RELEASE];

impl Inputs<'_> {
    /// The manifest, with the build id over itself and `hashes`, all files of the output sorted by path.
    ///
    /// # Errors
    /// An attribute is reserved or cannot be written.
    pub(super) fn build(&self, hashes: &[Hashed]) -> Result<Manifest> {
        let mut main = Attributes::default();
        let base = &self.base.manifest.main;
        let mut set = |name: &str, value: &str| main.set(name, value).map_err(|source| self.base_error(source));
        set(attribute::MANIFEST_VERSION, "1.0")?;
        for name in [
            attribute::PREMAIN_CLASS,
            attribute::AGENT_CLASS,
            attribute::MAIN_CLASS,
            attribute::CAN_REDEFINE_CLASSES,
            attribute::CAN_RETRANSFORM_CLASSES,
        ] {
            set(name, base.get(name).unwrap_or_default())?;
        }
        set(attribute::BOOT_CLASS_PATH, self.file_name)?;
        for name in [attribute::BTRACE_AGENT_MAIN, attribute::BTRACE_CLIENT_MAIN] {
            set(name, base.get(name).unwrap_or_default())?;
        }
        set(attribute::BTRACE_EMBEDDED_EXTENSIONS, &self.extension_ids())?;
        set(attribute::BTRACE_NATIVE_SHA256, &self.native_hashes(hashes))?;
        // Holds the place; the id is over all others.
        set(attribute::BTRACE_BUILD_ID, "")?;
        set(attribute::IMPLEMENTATION_TITLE, &self.agent.name)?;
        set(attribute::IMPLEMENTATION_VERSION, &self.agent.version)?;
        set(attribute::ENABLE_NATIVE_ACCESS, "ALL-UNNAMED")?;
        for (name, value) in base.iter() {
            let dropped = DROPPED.iter().any(|dropped| dropped.eq_ignore_ascii_case(name));
            if !dropped && main.get(name).is_none() {
                main.set(name, value).map_err(|source| self.base_error(source))?;
            }
        }
        self.libraries.write_to(&mut main)?;
        for (name, value) in self.attributes {
            if is_reserved(name) {
                return Err(Error::ReservedAttribute { name: name.clone() });
            }
            main.set(name, value)?;
        }
        let attributes = main.iter().filter(|(name, _)| *name != attribute::BTRACE_BUILD_ID);
        let id = build_id(attributes, hashes.iter().map(|file| (file.path.as_str(), file.sha256)));
        main.set(attribute::BTRACE_BUILD_ID, &id)?;
        let mut manifest = self.base.manifest.clone();
        manifest.main = main;
        manifest.remove_digests();
        // The one thing that the JVM tells about the jar that a boot class came from is the version of its package.
        manifest.retain_sections(|name, _| name != paths::BOOT_PACKAGE);
        let mut package = Attributes::default();
        package.set(attribute::IMPLEMENTATION_VERSION, &id)?;
        manifest.add_section(paths::BOOT_PACKAGE, package)?;
        Ok(manifest)
    }

    fn base_error(&self, source: manifests::Error) -> Error {
        Error::Format { origin: Box::new(self.base.origin()), source: Box::new(source) }
    }

    /// Ids of the base's extensions, then of the embedded ones.
    fn extension_ids(&self) -> String {
        let mut ids = self.base.extensions();
        ids.extend(self.extensions.iter().map(|extension| extension.id().to_owned()));
        ids.join(",")
    }

    /// `target=sha256` of each core.
    fn native_hashes(&self, hashes: &[Hashed]) -> String {
        let mut pairs = Vec::new();
        for target in self.targets {
            let path = native::core_path(target);
            if let Some(file) = hashes.iter().find(|file| file.path == path) {
                pairs.push(format!("{target}={}", file.sha256));
            }
        }
        pairs.join(",")
    }
}

fn is_reserved(name: &str) -> bool {
    name.to_ascii_lowercase().starts_with("btrace-")
        || RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name))
}
