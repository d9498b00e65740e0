//! Why something cannot be published.

use std::path::PathBuf;

use super::http::Refusal;

/// What can go wrong while something is published. [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A jar is not started by the JVM.
    #[error("not an agent: `{}`: its manifest has no `Premain-Class`, `Agent-Class` or `Launcher-Agent-Class`", jar.display())]
    NotAnAgent {
        /// The jar.
        jar: PathBuf,
    },
    /// The zip of the project is not there.
    #[error("extension is not built yet: `{}`", zip.display())]
    NotBuilt {
        /// Where it would be.
        zip: PathBuf,
    },
    /// A part of the coordinates is given nowhere.
    #[error("no {what} for: `{}`", of.display())]
    Missing {
        /// Group id, artifact id or version.
        what: What,
        /// What is to be published.
        of: PathBuf,
    },
    /// A part of the coordinates that cannot be one.
    #[error("not {} {what}: `{value}`", if *what == What::ArtifactId { "an" } else { "a" })]
    Malformed {
        /// Group id, artifact id or version.
        what: What,
        /// The text.
        value: String,
    },
    /// A version that is neither that of a release nor that of a snapshot.
    #[error("version is neither that of a release nor that of a snapshot: `{version}`")]
    HalfSnapshot {
        /// The version.
        version: String,
    },
    /// Of the version given and the version that a jar says, one is a snapshot.
    #[error("version `{given}` is given for `{}`, which says `{found}`: one of the two is a snapshot", of.display())]
    OtherVersion {
        /// The version given.
        given: String,
        /// The version in the manifest.
        found: String,
        /// The jar.
        of: PathBuf,
    },
    /// A release would depend on a snapshot.
    #[error("release `{release}` would depend on a snapshot: `{dependency}`")]
    SnapshotDependency {
        /// What is published.
        release: String,
        /// The dependency.
        dependency: String,
    },
    /// A bundle of a snapshot.
    #[error("a bundle holds releases only, not: `{version}`")]
    SnapshotBundle {
        /// The version.
        version: String,
    },
    /// A target that is neither folder nor HTTP.
    #[error("cannot publish to this kind of URL: `{scheme}`")]
    Scheme {
        /// Its scheme.
        scheme: String,
    },
    /// Credentials for a folder.
    #[error("a folder needs no server: `{}`", folder.display())]
    ServerOfFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// A URL that names no repository.
    #[error("not the URL of a repository: {problem}")]
    Url {
        /// Why; the URL itself may hold what is not to be shown.
        problem: &'static str,
    },
    /// Only one of user and password is set.
    #[error("environment variable is not set, but its counterpart is: `{missing}`")]
    HalfLogin {
        /// The variable.
        missing: &'static str,
    },
    /// A user with a colon in its name.
    #[error("user holds a colon, which HTTP does not allow, in: {from}")]
    User {
        /// Where it stands.
        from: String,
    },
    /// The password would be readable on the way.
    #[error("credentials would go over the network in clear text: `{url}`")]
    InClear {
        /// The repository.
        url: String,
    },
    /// No connection.
    #[error("cannot reach the repository: `{url}`")]
    Unreachable {
        /// The file.
        url: String,
        /// Why.
        source: Box<ureq::Error>,
    },
    /// The repository refuses.
    #[error("the repository refuses with status {status}: {} `{url}`", refusal.verb())]
    Status {
        /// The file.
        url: String,
        /// Its answer.
        status: u16,
        /// What was tried.
        refusal: Refusal,
    },
    /// The repository sends to another place.
    #[error("the repository sends elsewhere with status {status}: from `{url}` to `{to}`")]
    Redirected {
        /// The file.
        url: String,
        /// Its answer.
        status: u16,
        /// The other place.
        to: String,
    },
    /// A release is there already and is not the same.
    #[error("release is published already with other bytes: `{place}`")]
    Exists {
        /// The file.
        place: String,
    },
    /// Metadata of a repository cannot be merged.
    #[error("malformed metadata of the repository: `{place}`")]
    Metadata {
        /// The file.
        place: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Metadata of a repository belong to something else.
    #[error("metadata of the repository are those of `{found}`: `{place}`")]
    OtherMetadata {
        /// The file.
        place: String,
        /// What they say.
        found: String,
    },
    /// `gpg` cannot be started.
    #[error("cannot start `gpg`")]
    NoGpg {
        /// Why.
        source: std::io::Error,
    },
    /// `gpg` failed.
    #[error("`gpg` made no signature of `{file}`: {reason}")]
    Gpg {
        /// The file.
        file: String,
        /// Its last line, or how it ended.
        reason: String,
    },
    /// It failed after files had been written.
    #[error("publishing stopped half-way; already there: {}", written.join(", "))]
    HalfWay {
        /// What was written.
        written: Vec<String>,
        /// Why.
        source: Box<crate::error::Error>,
    },
}

/// A part of coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The group id.
    GroupId,
    /// The artifact id.
    ArtifactId,
    /// The version.
    Version,
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::GroupId => "group id",
            Self::ArtifactId => "artifact id",
            Self::Version => "version",
        })
    }
}

impl Error {
    /// The remedy, where there is one that the message does not already say.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::NotAnAgent { .. } => {
                "give the jar that is used with `-javaagent`; extensions have `fatagent extension publish`"
            }
            Self::NotBuilt { .. } => "run `fatagent extension build`, or name the zip",
            Self::Missing { what: What::GroupId, .. } => "give `--group`, or `group` in `extension.toml`",
            Self::Missing { what: What::ArtifactId, .. } => {
                "give `--artifact`; the manifest has no `Implementation-Title`"
            }
            Self::Missing { what: What::Version, .. } => {
                "give `--version`; the manifest has no `Implementation-Version`"
            }
            Self::Malformed { what: What::GroupId, .. } => {
                "use words of `[A-Za-z0-9_-]` with dots between them, such as `com.acme`"
            }
            Self::Malformed { what: What::ArtifactId, .. } => {
                "use `[A-Za-z0-9._-]`, with a letter or digit first; `--artifact` sets it"
            }
            Self::Malformed { what: What::Version, .. } => {
                "use `[A-Za-z0-9._+-]`, with a letter or digit first; `LATEST` and `RELEASE` stand for other versions"
            }
            Self::HalfSnapshot { .. } => {
                "a snapshot ends with `-SNAPSHOT` in capitals; repositories add the time themselves"
            }
            Self::OtherVersion { .. } => "build it with the version that it is to be published as",
            Self::SnapshotDependency { .. } => "release the dependency first",
            Self::SnapshotBundle { .. } => "publish it with `--to`, or give it the version of a release",
            Self::Scheme { .. } => "give a folder, or a URL with `https`, `http` or `file`",
            Self::ServerOfFolder { .. } => "leave `--server` out, or give a URL",
            Self::Url { .. } => {
                "give it without user, password and query; credentials come from FATAGENT_REPOSITORY_USER and \
                 FATAGENT_REPOSITORY_PASSWORD, or from `settings.xml` by `--server ID`"
            }
            Self::HalfLogin { .. } => "set both, or neither",
            Self::User { .. } => "use the name without it",
            Self::InClear { .. } => "use `https`, or accept it with `--allow-insecure`",
            Self::Unreachable { .. } => {
                "check the URL and the network; HTTPS_PROXY and NO_PROXY are honoured, as is SSL_CERT_FILE for an authority of your own"
            }
            Self::Status { status, refusal, .. } => refusal.hint(*status),
            Self::Redirected { .. } => {
                "uploads follow statuses 307 and 308 on the same host only: give the URL that it sends to, if you trust it"
            }
            Self::Exists { .. } => "a release is never overwritten: publish another version",
            Self::Metadata { .. } => "repair the file, or let the repository make it anew",
            Self::OtherMetadata { .. } => "check the path, and what wrote the file",
            Self::NoGpg { .. } => "install GnuPG, or publish without `--sign`",
            Self::Gpg { .. } => {
                "`gpg --list-secret-keys` shows the keys, `--key` chooses one; a key with a passphrase needs a running agent that knows it"
            }
            Self::HalfWay { source, .. } => {
                let first = "the same command goes on where it stopped";
                return Some(source.hint().map_or_else(|| first.to_owned(), |hint| format!("{hint}; {first}")));
            }
        };
        Some(text.to_owned())
    }
}
