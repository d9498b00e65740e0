//! What can go wrong with the local repository and the settings.

use std::path::PathBuf;

use manifests::agent_toml::Coordinates;

/// No file of some coordinates, or settings that cannot be used.
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
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The settings are another document.
    #[error("malformed Maven settings: `{}`: the element at the top is `{found}`", path.display())]
    NotSettings {
        /// The file.
        path: PathBuf,
        /// Name of the element.
        found: String,
    },
    /// No server has this id.
    #[error("Maven settings have no server `{id}`: `{}`", path.display())]
    NoServer {
        /// The file.
        path: PathBuf,
        /// The id.
        id: String,
        /// The ids that there are.
        known: Vec<String>,
    },
    /// Several servers have this id.
    #[error("Maven settings have more than one server `{id}`: `{}`", path.display())]
    ServerTwice {
        /// The file.
        path: PathBuf,
        /// The id.
        id: String,
    },
    /// A server lacks user or password.
    #[error("server `{id}` of the Maven settings has no `{missing}`: `{}`", path.display())]
    HalfServer {
        /// The file.
        path: PathBuf,
        /// The id.
        id: String,
        /// The element.
        missing: &'static str,
    },
    /// A password can be read by Maven only.
    #[error("password of server `{id}` is encrypted in Maven settings: `{}`", path.display())]
    Encrypted {
        /// The file.
        path: PathBuf,
        /// The id.
        id: String,
    },
    /// A password holds what looks like an expression and is none that is known.
    #[error("password of server `{id}` in Maven settings holds an expression that is not expanded: `{}`", path.display())]
    Password {
        /// The file.
        path: PathBuf,
        /// The id.
        id: String,
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
            Self::NotSettings { .. } => "the document of Maven's settings is `<settings>`".into(),
            Self::NoServer { known, .. } if known.is_empty() => {
                "add a `<server>` with this `<id>` to `<servers>`".into()
            }
            Self::NoServer { known, .. } => format!("they have {}", known.join(", ")),
            Self::ServerTwice { .. } => "remove all but one".into(),
            Self::HalfServer { .. } => {
                "user and password are used and nothing else; a token may stand in the place of the password".into()
            }
            Self::Encrypted { .. } => {
                "only Maven can decrypt it: set FATAGENT_REPOSITORY_USER and FATAGENT_REPOSITORY_PASSWORD, or write \
                 `${env.NAME}` there"
                    .into()
            }
            Self::Expression { .. } | Self::Password { .. } => {
                "`${user.home}` and `${env.NAME}` of a variable that is set are expanded".into()
            }
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
