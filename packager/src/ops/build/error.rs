//! Why a fat agent cannot be built of its extensions and defaults.

use std::path::PathBuf;

use manifests::suggest;

/// What can be wrong with extensions and defaults that are sound by themselves. [`BuildError::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Extensions that need each other to be there first.
    #[error("extensions require each other in a circle: {}", circle(cycle))]
    Cycle {
        /// Their ids, each requiring the next one and the last one the first.
        cycle: Vec<String>,
    },
    /// A value of `[config]` or `[args]` that its key does not take.
    #[error("{at}: a value of `{table}` cannot be used")]
    Value {
        /// Place in `agent.toml`.
        at: String,
        /// The table for display.
        table: &'static str,
        /// Why.
        source: Box<manifests::Error>,
    },
    /// A setting whose value is not of the type that the extension declares.
    #[error("{at}: `{key}` must be of the type `{kind}`, which extension `{id}` declares: `{value}`")]
    Setting {
        /// Place in `agent.toml`.
        at: String,
        /// The key of `extensions.conf`.
        key: String,
        /// The extension.
        id: String,
        /// The type.
        kind: &'static str,
        /// The value.
        value: String,
    },
    /// A limit that is also given as an argument.
    #[error("{at}: `{key}` is given twice, in `[args]` and in `[limits]`")]
    LimitTwice {
        /// Place of the limit in `agent.toml`.
        at: String,
        /// The limit.
        key: &'static str,
    },
    /// `[args]` names a probe that is not embedded.
    #[error("{at}: `[args]` names a probe that the agent does not embed: `{name}`")]
    NoSuchProbe {
        /// Place of the argument in `agent.toml`.
        at: String,
        /// The name.
        name: String,
        /// The embedded ones, dotted.
        known: Vec<String>,
    },
    /// The policy would grant more than the sealed one of the base.
    #[error("{at}: the policy of base `{}` is sealed, but `[policy]` would grant {}", base.display(), wider.join("; "))]
    Sealed {
        /// Place of `[policy]` in `agent.toml`.
        at: String,
        /// The base.
        base: PathBuf,
        /// What would be granted.
        wider: Vec<String>,
    },
}

impl BuildError {
    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Cycle { cycle } => match &cycle[..] {
                [one] => format!("remove `{one}` from its own list of required extensions"),
                _ => "take one of them out of the list of required extensions of another one".to_owned(),
            },
            Self::Value { source, .. } => return source.hint(),
            Self::Setting { kind, .. } => match *kind {
                "boolean" => "write `true` or `false`".to_owned(),
                "integer" => "write a whole number".to_owned(),
                "duration" => "write a number with `ns`, `us`, `ms`, `s`, `m` or `h`, such as `\"500ms\"`".to_owned(),
                _ => format!("write a value of the type `{kind}`"),
            },
            Self::NoSuchProbe { known, .. } if known.is_empty() => "embed it with `[probes] include`".to_owned(),
            Self::NoSuchProbe { name, known, .. } => match suggest::nearest(name, known.iter().map(String::as_str)) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("embedded are: {}", known.join(", ")),
            },
            Self::LimitTwice { key, .. } => format!("remove `{key}` from `[args]`"),
            Self::Sealed { .. } => {
                "a sealed policy can only be narrowed: remove what grants more, or use a base with another policy"
                    .to_owned()
            }
        })
    }
}

fn circle(cycle: &[String]) -> String {
    let mut text = cycle.first().map_or_else(String::new, |first| format!("`{first}`"));
    for (at, next) in cycle.iter().skip(1).chain(cycle.first()).enumerate() {
        let verb = if at == 0 { " requires `" } else { ", which requires `" };
        text = [&text, verb, next, "`"].concat();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_says_what_happened_and_what_to_do() {
        let at = || "agent.toml:3:1".to_owned();
        let setting = |kind| BuildError::Setting {
            at: at(),
            key: "acme.window".into(),
            id: "acme".into(),
            kind,
            value: "x".into(),
        };
        let setting_text = |kind| {
            format!("agent.toml:3:1: `acme.window` must be of the type `{kind}`, which extension `acme` declares: `x`")
        };
        let absent = |known: &[&str]| BuildError::NoSuchProbe {
            at: at(),
            name: "Work".into(),
            known: known.iter().map(|&name| name.to_owned()).collect(),
        };
        let absent_text = "agent.toml:3:1: `[args]` names a probe that the agent does not embed: `Work`".to_owned();
        for (error, message, hint) in [
            (absent(&[]), absent_text.clone(), "embed it with `[probes] include`"),
            (absent(&["Wrok"]), absent_text.clone(), "did you mean `Wrok`?"),
            (absent(&["a.Other", "b.Other"]), absent_text, "embedded are: a.Other, b.Other"),
            (
                BuildError::Cycle { cycle: vec!["a".into(), "b".into()] },
                "extensions require each other in a circle: `a` requires `b`, which requires `a`".to_owned(),
                "take one of them out of the list of required extensions of another one",
            ),
            (
                BuildError::Value {
                    at: at(),
                    table: "[args]",
                    source: Box::new(manifests::Error::ArgumentKey { key: "a,b".into() }),
                },
                "agent.toml:3:1: a value of `[args]` cannot be used".to_owned(),
                "leave `=`, `,` and blanks at its ends out of the name",
            ),
            (setting("boolean"), setting_text("boolean"), "write `true` or `false`"),
            (setting("integer"), setting_text("integer"), "write a whole number"),
            (
                setting("duration"),
                setting_text("duration"),
                "write a number with `ns`, `us`, `ms`, `s`, `m` or `h`, such as `\"500ms\"`",
            ),
            (
                BuildError::LimitTwice { at: at(), key: "maxMethods" },
                "agent.toml:3:1: `maxMethods` is given twice, in `[args]` and in `[limits]`".to_owned(),
                "remove `maxMethods` from `[args]`",
            ),
            (
                BuildError::Sealed { at: at(), base: "b.jar".into(), wider: vec!["x".into(), "y".into()] },
                "agent.toml:3:1: the policy of base `b.jar` is sealed, but `[policy]` would grant x; y".to_owned(),
                "a sealed policy can only be narrowed: remove what grants more, or use a base with another policy",
            ),
        ] {
            assert_eq!((error.to_string(), error.hint().as_deref()), (message, Some(hint)));
        }
    }
}
