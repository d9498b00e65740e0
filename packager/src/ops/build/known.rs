//! What is known of all extensions of the output, those of the base included.

use manifests::extension::ExtensionMetadata;
use manifests::properties::Properties;
use manifests::setting::Setting;

use crate::base::Base;
use crate::defaults;
use crate::error::Result;
use crate::extension::Extension;
use crate::paths;

/// One extension.
#[derive(Debug)]
pub(super) struct Known {
    /// Its id.
    pub(super) id: String,
    /// Its description; nothing for one of the base without, as other builders leave it.
    pub(super) metadata: Option<ExtensionMetadata>,
}

impl Known {
    /// The settings that it declares; an extension that declares none says nothing about them.
    pub(super) fn settings(&self) -> &[Setting] {
        self.metadata.as_ref().map_or(&[], |metadata| &metadata.settings)
    }
}

/// The extensions of the base, then the embedded ones.
///
/// # Errors
/// A description in the base is malformed.
pub(super) fn all(base: &Base, extensions: &[Extension]) -> Result<Vec<Known>> {
    let mut all = Vec::new();
    for id in base.extensions() {
        let path = format!("{}{id}/{}", paths::EXTENSIONS, paths::EXTENSION_PROPERTIES);
        let read = |bytes: &[u8]| {
            let properties = Properties::parse(bytes)?;
            ExtensionMetadata::from_properties(&properties, &id)
        };
        let metadata = defaults::read(&base.archive, &path, read)?;
        all.push(Known { id, metadata });
    }
    for extension in extensions {
        all.push(Known { id: extension.id().to_owned(), metadata: Some(extension.metadata.clone()) });
    }
    Ok(all)
}
