//! What can go wrong with the local repository.

use std::path::PathBuf;

use manifests::agent_toml::Coordinates;

/// No file of some coordinates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing tells where the user's home folder is.
    #[error("the local Maven repository cannot be found: there is no home folder")]
    NoHome,
    /// The settings are no XML.
    #[error("malformed Maven settings: `{}`", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<quick_xml::Error>,
    },
    /// The settings name the repository in a way that only Maven understands.
    #[error("Maven settings hold an expression that is not expanded: `{expression}` in `{}`", path.display())]
    Expression {
        /// The file.
        path: PathBuf,
        /// The expression.
        expression: String,
    },
    /// The repository lacks the file.
    #[error("{at}: the local Maven repository does not have `{coordinates}`: `{}`", path.display())]
    NotThere {
        /// Where the coordinates stand.
        at: String,
        /// The coordinates.
        coordinates: Box<Coordinates>,
        /// Where the file would be.
        path: PathBuf,
    },
}

impl Error {
    /// The remedy.
    pub fn hint(&self) -> String {
        match self {
            Self::NoHome => "set HOME".into(),
            Self::Settings { .. } => "`mvn help:effective-settings` shows what Maven makes of it".into(),
            Self::Expression { .. } => "`${user.home}` and `${env.NAME}` of a variable that is set are expanded".into(),
            Self::NotThere { coordinates, .. } => {
                let Coordinates { group, artifact, version, classifier, kind } = coordinates.as_ref();
                // Maven wants the type before the classifier.
                let kind = kind.as_deref().unwrap_or("jar");
                let end = match classifier {
                    Some(classifier) => format!(":{kind}:{classifier}"),
                    None if kind == "jar" => String::new(),
                    None => format!(":{kind}"),
                };
                format!(
                    "run `mvn dependency:get -Dartifact={group}:{artifact}:{version}{end}`, or install the artifact there by \
                     its own build"
                )
            }
        }
    }
}
