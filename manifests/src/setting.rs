//! Settings of an extension: what its description says of each, in `extension.toml` and in `extension.properties`.

use crate::Error;
use crate::properties::Properties;

/// What the keys of `extension.properties` begin with: `setting.<name>.type`, `.default` and `.help`.
pub const PREFIX: &str = "setting.";

/// One `[[setting]]`: a key `<id>.<name>` of `extensions.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// `name`.
    pub name: String,
    /// `type`.
    pub kind: SettingType,
    /// `default`, as text.
    pub default: Option<String>,
    /// `help`.
    pub help: Option<String>,
}

/// What a setting's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SettingType {
    /// `"string"`.
    #[default]
    String,
    /// `"boolean"`.
    Boolean,
    /// `"integer"`.
    Integer,
    /// `"duration"`: a number with `ns`, `us`, `ms`, `s`, `m` or `h`.
    Duration,
    /// `"list"`: texts separated by commas.
    List,
}

impl SettingType {
    /// The words for the types.
    pub const WORDS: [&'static str; 5] = ["string", "boolean", "integer", "duration", "list"];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Duration => "duration",
            Self::List => "list",
        }
    }

    /// The type that a word stands for.
    pub fn of(word: &str) -> Option<Self> {
        let all = [Self::String, Self::Boolean, Self::Integer, Self::Duration, Self::List];
        all.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a text is a value of this type.
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Self::String | Self::List => true,
            Self::Boolean => matches!(text, "true" | "false"),
            Self::Integer => text.parse::<i64>().is_ok(),
            Self::Duration => {
                let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
                unit.len() < text.len() && matches!(unit, "ns" | "us" | "ms" | "s" | "m" | "h")
            }
        }
    }
}

impl Setting {
    /// Reads all settings that `properties` describe, sorted by name. A setting without a type is a string.
    ///
    /// Fails with [`Error::Setting`] for an unknown type and for a default that is no value of its type.
    pub fn all_of(properties: &Properties) -> Result<Vec<Self>, Error> {
        let mut settings: Vec<Self> = Vec::new();
        for (key, value) in properties.iter() {
            let Some((name, part)) = key.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once('.')) else { continue };
            let at = settings.iter().position(|known| known.name == name).unwrap_or_else(|| {
                let kind = SettingType::default();
                settings.push(Self { name: name.to_owned(), kind, default: None, help: None });
                settings.len() - 1
            });
            let setting = &mut settings[at];
            match part {
                "type" => {
                    setting.kind = SettingType::of(value)
                        .ok_or_else(|| Error::Setting { key: key.to_owned(), value: value.to_owned() })?;
                }
                "default" => setting.default = Some(value.to_owned()),
                "help" => setting.help = Some(value.to_owned()),
                _ => {}
            }
        }
        for Self { name, kind, default, .. } in &settings {
            if let Some(value) = default.as_ref().filter(|value| !kind.accepts(value)) {
                return Err(Error::Setting { key: format!("{PREFIX}{name}.default"), value: value.clone() });
            }
        }
        settings.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(settings)
    }

    /// The keys and values that describe it in `extension.properties`.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let key = |part: &str| format!("{PREFIX}{}.{part}", self.name);
        let mut pairs = vec![(key("type"), self.kind.word().to_owned())];
        pairs.extend(self.default.iter().map(|value| (key("default"), value.clone())));
        pairs.extend(self.help.iter().map(|value| (key("help"), value.clone())));
        pairs
    }
}

/// Whether `key` of `extension.properties` describes a setting.
pub fn is_key(key: &str) -> bool {
    let part = key.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once('.'));
    part.is_some_and(|(name, part)| !name.is_empty() && matches!(part, "type" | "default" | "help"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_back_as_they_were_written() {
        let digits = Setting {
            name: "a.digits".to_owned(),
            kind: SettingType::Integer,
            default: Some("3".to_owned()),
            help: Some("Precision: 1 to 5".to_owned()),
        };
        let sink = Setting { name: "sink".to_owned(), kind: SettingType::String, default: None, help: None };
        let properties: Properties = [&sink, &digits].into_iter().flat_map(Setting::to_pairs).collect();
        assert_eq!(properties.get("setting.a.digits.type"), Some("integer"));
        assert!(properties.iter().all(|(key, _)| is_key(key)));
        assert_eq!(Setting::all_of(&Properties::parse(&properties.to_bytes()).unwrap()), Ok(vec![digits, sink]));
        assert!(!is_key("setting.x") && !is_key("setting..type") && !is_key("setting.x.typ"));
    }

    #[test]
    fn bad_descriptions_are_refused() {
        for (text, message) in [
            ("setting.a.type=bool", "`setting.a.type` is no type or no value of the setting's type: `bool`"),
            (
                "setting.a.type=integer\nsetting.a.default=x",
                "`setting.a.default` is no type or no value of the setting's type: `x`",
            ),
        ] {
            let error = Setting::all_of(&Properties::parse(text.as_bytes()).unwrap()).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert!(error.hint().is_some());
        }
    }
}
