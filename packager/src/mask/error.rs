//! Why jars cannot be masked.

use std::path::PathBuf;

use crate::origin::Origin;

/// What can go wrong while ordinary agent jars are masked. [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// None of the agent jars says what the JVM should start.
    #[error("no agent jar has `Premain-Class` or `Agent-Class` in its manifest: {}", listed(jars))]
    NoAgentMain {
        /// The agent jars.
        jars: Vec<PathBuf>,
    },
    /// A manifest attribute of the output is missing.
    #[error("{at}: `layout = \"masked\"` needs the manifest attribute `{name}`")]
    NoAttribute {
        /// The `agent.toml`.
        at: String,
        /// The attribute.
        name: &'static str,
    },
    /// A main class is in none of the jars that its loader reads.
    #[error("`{name}` names a class that neither the section `{section}` nor the bootstrap has: `{class}`")]
    NoMain {
        /// The attribute that names it.
        name: &'static str,
        /// The section that its loader reads.
        section: &'static str,
        /// Dotted name of the class.
        class: String,
    },
    /// A section at a path that our Loader does not read.
    #[error("{at}: section is none of `META-INF/btrace/{{agent,client,shared}}`: `{path}`")]
    SectionPath {
        /// The `agent.toml`.
        at: String,
        /// The path as written.
        path: String,
    },
    /// Two sections have one path.
    #[error("{at}: two sections have the path: `{path}`")]
    SectionTwice {
        /// The `agent.toml`.
        at: String,
        /// The path.
        path: String,
    },
    /// There is no agent section.
    #[error("{at}: `layout = \"masked\"` needs a `[[section]]` with the path: `META-INF/btrace/agent`")]
    NoAgentSection {
        /// The `agent.toml`.
        at: String,
    },
    /// An input is itself a masked jar.
    #[error("jar is masked already: `{}`", jar.display())]
    AlreadyMasked {
        /// The jar.
        jar: PathBuf,
    },
    /// A bootstrap class in a package that the JVM or our Loader owns.
    #[error("class cannot be a bootstrap class of this jar: {origin}")]
    ReservedPackage {
        /// Where it comes from.
        origin: Box<Origin>,
    },
}

impl Error {
    /// The remedy, where there is one that the message does not already say.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::NoAgentMain { .. } => "give the jar that is used with `-javaagent` as `--agent`",
            Self::NoAttribute { .. } => "set it under `[manifest.attributes]`, as `fatagent mask --print` does",
            Self::NoMain { .. } => "check the name, and that the jar with this class is among `from` of the section",
            Self::SectionPath { .. } => "the Loader reads these three only; other loaders need `layout = \"foreign\"`",
            Self::SectionTwice { .. } => "name all jars in `from` of one section",
            Self::NoAgentSection { .. } => "add it, as `fatagent mask --print` does",
            Self::AlreadyMasked { .. } => "give the ordinary jars that it was made from",
            Self::ReservedPackage { .. } => {
                "`java` and `io.btrace.boot` are not yours to add to: exclude it under `[bootstrap]`"
            }
        };
        Some(text.to_owned())
    }
}

fn listed(jars: &[PathBuf]) -> String {
    jars.iter().map(|jar| format!("`{}`", jar.display())).collect::<Vec<_>>().join(", ")
}
