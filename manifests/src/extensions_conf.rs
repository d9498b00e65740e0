//! `extensions.conf`: which extensions are on, and their settings.

use crate::extension::check_id;
use crate::properties::Properties;
use crate::{Error, suggest};

/// The keys that are no setting of an extension, sorted.
pub const KEYS: &[&str] = &["extensions.autoload", "extensions.disabled", "extensions.enabled"];

/// What such keys begin with.
const PREFIX: &str = "extensions.";

/// A whole `extensions.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionsConf {
    /// `extensions.enabled`: where it is not empty, only these extensions are on.
    pub enabled: Vec<String>,
    /// `extensions.disabled`: these are off, even if they are enabled.
    pub disabled: Vec<String>,
    /// `extensions.autoload`: whether extensions are loaded once a probe uses them, rather than at start-up.
    pub autoload: bool,
    /// All other keys, in the order written.
    settings: Vec<(String, String)>,
}

impl Default for ExtensionsConf {
    fn default() -> Self {
        Self { enabled: Vec::new(), disabled: Vec::new(), autoload: true, settings: Vec::new() }
    }
}

impl ExtensionsConf {
    /// Reads an `extensions.conf`.
    ///
    /// Fails for a list with something that cannot be an id, and for an `extensions.autoload` that is neither `true` nor `false`.
    /// Whose the settings are depends on the extensions there are: [`ExtensionsConf::settings_of`].
    pub fn from_properties(properties: &Properties) -> Result<Self, Error> {
        let mut conf = Self::default();
        for (key, value) in properties.iter() {
            match key {
                "extensions.enabled" => conf.enabled = ids(value)?,
                "extensions.disabled" => conf.disabled = ids(value)?,
                "extensions.autoload" => conf.autoload = flag(key, value)?,
                _ => conf.settings.push((key.to_owned(), value.to_owned())),
            }
        }
        Ok(conf)
    }

    /// Writes the `extensions.conf` that [`ExtensionsConf::from_properties`] reads, without what is as by default.
    pub fn to_properties(&self) -> Properties {
        let list = |items: &[String]| (!items.is_empty()).then(|| items.join(","));
        let autoload = (!self.autoload).then(|| "false".to_owned());
        let values = [autoload, list(&self.disabled), list(&self.enabled)];
        let global = KEYS.iter().zip(values).filter_map(|(key, value)| Some(((*key).to_owned(), value?)));
        global.chain(self.settings.iter().cloned()).collect()
    }

    /// Whether an extension is on.
    pub fn is_enabled(&self, id: &str) -> bool {
        let has = |list: &[String]| list.iter().any(|listed| listed == id);
        !has(&self.disabled) && (self.enabled.is_empty() || has(&self.enabled))
    }

    /// All keys that are none of [`KEYS`], with their values.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Names and values of an extension's settings; `known` are the ids of all extensions.
    pub fn settings_of<'a>(&'a self, id: &str, known: &[&str]) -> Vec<(&'a str, &'a str)> {
        let own = self.settings().filter_map(|(key, value)| match owner(key, known.iter().copied()) {
            Some((found, name)) if found == id => Some((name, value)),
            _ => None,
        });
        own.collect()
    }
}

/// The extension that a key `<id>.<setting>` belongs to, and the setting: ids may hold dots, and the longest known one wins.
pub fn owner<'k, 'i>(key: &'k str, known: impl IntoIterator<Item = &'i str>) -> Option<(&'i str, &'k str)> {
    let owned = known.into_iter().filter_map(|id| {
        let name = key.strip_prefix(id)?.strip_prefix('.')?;
        (!name.is_empty()).then_some((id, name))
    });
    owned.max_by_key(|(id, _)| id.len())
}

/// The key that one without an owner was probably meant to be: one of [`KEYS`], or the same setting of a known extension.
pub fn nearest_key(key: &str, known: &[&str]) -> Option<String> {
    if key.starts_with(PREFIX) || !key.contains('.') {
        return suggest::nearest(key, KEYS.iter().copied()).map(str::to_owned);
    }
    let dots = key.rmatch_indices('.').map(|(at, _)| at);
    let mut settings = dots.filter_map(|at| {
        let nearest = suggest::nearest(&key[..at], known.iter().copied())?;
        Some(format!("{nearest}{}", &key[at..]))
    });
    settings.next().or_else(|| suggest::nearest(key, KEYS.iter().copied()).map(str::to_owned))
}

fn flag(key: &str, value: &str) -> Result<bool, Error> {
    match value.trim() {
        value if value.eq_ignore_ascii_case("true") => Ok(true),
        value if value.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(Error::PropertyValue { key: key.to_owned(), expected: "`true` or `false`", value: value.to_owned() }),
    }
}

fn ids(value: &str) -> Result<Vec<String>, Error> {
    let ids = value.split(',').map(str::trim).filter(|id| !id.is_empty());
    ids.map(|id| check_id(id).map(|()| id.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(text: &str) -> Properties {
        Properties::parse(text.as_bytes()).unwrap()
    }

    fn conf(text: &str) -> ExtensionsConf {
        ExtensionsConf::from_properties(&properties(text)).unwrap()
    }

    #[test]
    fn disabled_beats_enabled_and_an_empty_list_enables_all() {
        for (text, on, off) in [
            ("", &["a", "b"][..], &[][..]),
            ("extensions.enabled=\nextensions.disabled=\n", &["a", "b"], &[]),
            ("extensions.enabled=a", &["a"], &["b", "A"]),
            ("extensions.disabled= b ,", &["a"], &["b"]),
            ("extensions.enabled=a,b\nextensions.disabled=b", &["a"], &["b", "c"]),
        ] {
            let conf = conf(text);
            assert!(on.iter().all(|id| conf.is_enabled(id)), "{text}");
            assert!(!off.iter().any(|id| conf.is_enabled(id)), "{text}");
        }
    }

    #[test]
    fn extensions_are_loaded_on_demand_unless_it_is_switched_off() {
        assert!(conf("").autoload && conf("extensions.autoload=TRUE").autoload);
        assert!(!conf("extensions.autoload=false").autoload);
        let error = ExtensionsConf::from_properties(&properties("extensions.autoload=yes")).unwrap_err();
        assert_eq!(error.to_string(), "`extensions.autoload` must be `true` or `false`: `yes`");
        assert_eq!(error.hint().as_deref(), Some("write `extensions.autoload` as `true` or `false`"));
        let error = ExtensionsConf::from_properties(&properties("extensions.enabled=a,b c")).unwrap_err();
        assert_eq!(error.to_string(), "not an extension id: `b c`");
    }

    #[test]
    fn the_longest_known_id_owns_a_setting() {
        let known = ["acme", "acme.metrics", "acme.metrics.more"];
        for (key, expected) in [
            ("acme.window", Some(("acme", "window"))),
            ("acme.metrics.window", Some(("acme.metrics", "window"))),
            ("acme.metrics.more.a.b", Some(("acme.metrics.more", "a.b"))),
            ("acme.metrics", Some(("acme", "metrics"))),
            ("acme.", None),
            ("acme", None),
            ("acmes.window", None),
            ("other.window", None),
        ] {
            assert_eq!(owner(key, known), expected, "{key}");
        }
        let conf = conf("acme.metrics.window=5\nacme.metrics=x\nextensions.autoload=false\nb.c=d");
        assert_eq!(conf.settings_of("acme", &known), [("metrics", "x")]);
        assert_eq!(conf.settings_of("acme.metrics", &known), [("window", "5")]);
        assert_eq!(conf.settings_of("b", &known), []);
        assert_eq!(conf.settings().count(), 3);
    }

    #[test]
    fn keys_of_nobody_come_with_the_nearest() {
        let known = ["acme-metrics", "com.acme.statsd"];
        for (key, nearest) in [
            ("extensions.enable", Some("extensions.enabled")),
            ("extension.disabled", Some("extensions.disabled")),
            ("acme-metrcs.window.size", Some("acme-metrics.window.size")),
            ("com.acme.statd.port", Some("com.acme.statsd.port")),
            ("something.else", None),
            ("zzz", None),
        ] {
            assert_eq!(nearest_key(key, &known).as_deref(), nearest, "{key}");
        }
        assert!(KEYS.is_sorted());
    }

    #[test]
    fn what_is_written_is_read() {
        let text = "extensions.autoload=false\nextensions.disabled=b\nextensions.enabled=a,b\na.x=1\nb.y=\n";
        let conf = conf(text);
        assert_eq!(conf.to_properties().to_bytes(), text.as_bytes());
        assert_eq!(ExtensionsConf::from_properties(&conf.to_properties()), Ok(conf));
        assert!(ExtensionsConf::default().to_properties().is_empty());
    }
}
