//! What is known of all extensions of the output, those of the base included.

use manifests::extension::ExtensionMetadata;
use manifests::extension_toml::SettingType;
use manifests::properties::Properties;

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
    /// The settings that it declares; an extension that declares none says nothing about them.
    pub(super) settings: Vec<(String, SettingType)>,
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
            Ok((ExtensionMetadata::from_properties(&properties, &id)?, settings(&properties)))
        };
        let (metadata, settings) = defaults::read(&base.archive, &path, read)?.unzip();
        all.push(Known { id, metadata, settings: settings.unwrap_or_default() });
    }
    for extension in extensions {
        let properties = extension.metadata.to_properties();
        let metadata = Some(extension.metadata.clone());
        all.push(Known { id: extension.id().to_owned(), metadata, settings: settings(&properties) });
    }
    Ok(all)
}

/// The settings that an `extension.properties` declares, as `setting.<name>.type`, `.default` and `.help`.
fn settings(properties: &Properties) -> Vec<(String, SettingType)> {
    let mut settings: Vec<(String, SettingType)> = Vec::new();
    for (key, value) in properties.iter() {
        let Some((name, part)) = key.strip_prefix("setting.").and_then(|rest| rest.rsplit_once('.')) else { continue };
        let at = settings.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            settings.push((name.to_owned(), SettingType::default()));
            settings.len() - 1
        });
        if let (true, Some(kind)) = (part == "type", SettingType::of(value.trim())) {
            settings[at].1 = kind;
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_declared_by_three_keys() {
        let text = "id=x\nsetting.window.size.help=h\nsetting.window.size.type=integer\nsetting.url.default=a\n\
                    setting.odd.type=what\nsettings.no.type=integer\nsetting.no=1\n";
        let found = settings(&Properties::parse(text.as_bytes()).unwrap());
        let expected =
            [("window.size", SettingType::Integer), ("url", SettingType::String), ("odd", SettingType::String)];
        assert_eq!(found, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }
}
