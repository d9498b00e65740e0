//! What can be wrong with what operators write.

/// A path or a level that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A path names a placeholder that there is not.
    #[error("unknown placeholder in `{path}`: `{{{name}}}`")]
    Placeholder {
        /// The path as written.
        path: String,
        /// What stands between the braces.
        name: String,
    },
    /// A path opens a placeholder and does not close it.
    #[error("placeholder without an end in: `{path}`")]
    Unclosed {
        /// The path as written.
        path: String,
    },
    /// A path names a variable of the environment that is not set, or is not text.
    #[error("no such variable in the environment, for `{path}`: `{name}`")]
    Variable {
        /// The path as written.
        path: String,
        /// Name of the variable.
        name: String,
    },
    /// Not the name of a level.
    #[error("unknown log level: `{0}`")]
    Level(String),
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Placeholder { .. } => {
                "there are {pid}, {host}, {executor} and {env:NAME}; a brace of the path itself is doubled".to_owned()
            }
            Self::Unclosed { .. } => "close it with `}`; a brace of the path itself is doubled".to_owned(),
            Self::Variable { name, .. } => format!("set {name} before the JVM starts"),
            Self::Level(_) => "write `trace`, `debug`, `info`, `warn`, `error` or `off`".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_is_wrong_and_what_to_do() {
        let path = || "a-{x}.log".to_owned();
        let cases = [
            (Error::Placeholder { path: path(), name: "x".into() }, "unknown placeholder in `a-{x}.log`: `{x}`"),
            (Error::Unclosed { path: path() }, "placeholder without an end in: `a-{x}.log`"),
            (
                Error::Variable { path: path(), name: "X".into() },
                "no such variable in the environment, for `a-{x}.log`: `X`",
            ),
            (Error::Level("loud".into()), "unknown log level: `loud`"),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
            assert!(error.hint().is_some_and(|hint| !hint.is_empty()));
        }
    }
}
