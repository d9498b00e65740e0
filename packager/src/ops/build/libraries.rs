//! Jars that the agent needs beside itself, which its core puts on the JVM's search paths.

use std::path::{Path, PathBuf};

use manifests::library::{self, LibraryAttributes};
use manifests::manifest::attribute;
use serde_json::{Value, json};

use crate::base::Base;
use crate::config::Config;
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::paths::parent;
use crate::printer::Printer;

/// What the output says of them.
pub(super) struct Libraries {
    pub(super) attributes: LibraryAttributes,
    /// The folder of relative entries, as things lie now.
    root: PathBuf,
}

impl Libraries {
    /// Those of `[manifest]`; what it does not say is as in the base.
    pub(super) fn of(config: &Config, base: &Base, target: &Path) -> Self {
        let mut attributes = LibraryAttributes::from_attributes(&base.manifest.main);
        let own = &config.toml.manifest;
        if !own.boot_libs.is_empty() {
            attributes.boot.clone_from(&own.boot_libs);
        }
        if !own.system_libs.is_empty() {
            attributes.system.clone_from(&own.system_libs);
        }
        attributes.root = own.libs_root.clone().or(attributes.root);
        attributes.profile = own.libs_profile.clone().or(attributes.profile);
        let root = parent(target).join(attributes.root.as_deref().unwrap_or_default());
        Self { attributes, root }
    }

    /// One warning for each: an agent that is no longer one file is easily copied without the others.
    pub(super) fn report(&self, printer: &Printer) -> Result<()> {
        let below = self
            .attributes
            .root
            .as_deref()
            .map_or_else(|| "beside it".to_owned(), |root| format!("in `{root}`, seen from the folder of the jar"));
        for (name, entry, sha256) in self.entries()? {
            let place = if Path::new(&entry).is_absolute() { "there" } else { &below };
            let now = sha256.map_or_else(|| "which it does not now".to_owned(), |hash| format!("sha256 {hash}"));
            printer.warning(&format!(
                "`{entry}` of `{name}` is not part of the jar and has to lie {place} at run time, {now}"
            ));
        }
        if let Some(profile) = &self.attributes.profile {
            printer.warning(&format!(
                "the jars in `boot` and `system` of the folder `{profile}` are not part of the jar: `{}` has to lie {below} at run time",
                attribute::BTRACE_LIBS_PROFILE
            ));
        }
        Ok(())
    }

    /// What programs are told.
    pub(super) fn to_json(&self) -> Result<Value> {
        let entries = self.entries()?.into_iter().map(|(name, path, sha256)| {
            json!({ "attribute": name, "path": path, "sha256": sha256.map(|hash| hash.to_string()) })
        });
        Ok(entries.collect())
    }

    /// Each path with its attribute, and the hash of the file that lies there now.
    fn entries(&self) -> Result<Vec<(&'static str, String, Option<Sha256Hex>)>> {
        let lists = [
            (attribute::BTRACE_BOOT_LIBS, &self.attributes.boot),
            (attribute::BTRACE_SYSTEM_LIBS, &self.attributes.system),
        ];
        let entries = lists.into_iter().flat_map(|(name, list)| list.iter().map(move |entry| (name, entry)));
        entries
            .map(|(name, entry)| {
                let file = library::places(&self.root, entry).into_iter().find(|path| path.is_file());
                Ok((name, entry.clone(), file.as_deref().map(Sha256Hex::of_file).transpose()?))
            })
            .collect()
    }
}
