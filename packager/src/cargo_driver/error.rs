//! What can go wrong with Cargo's packages.

use std::path::PathBuf;
use std::process::ExitStatus;

use crate::cargo_package::Described;
use crate::error::listed;
use crate::shell;

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `--package` names no member of the workspace.
    #[error("no package of this name in the workspace at `{}`: `{name}`", root.display())]
    NoSuchPackage {
        /// The name.
        name: String,
        /// The workspace.
        root: PathBuf,
        /// The member that resembles it most.
        nearest: Option<String>,
        /// All members.
        known: Vec<String>,
    },
    /// A package that was named describes something else, or nothing.
    #[error("{}: the package describes no {}", manifest.display(), wanted.word())]
    NotDescribed {
        /// Its `Cargo.toml`.
        manifest: PathBuf,
        /// What was looked for.
        wanted: Described,
        /// What it describes instead.
        found: Option<Described>,
        /// Its name.
        name: String,
    },
    /// Several members describe what is wanted.
    #[error("more than one package describes an {} in the workspace at `{}`: {}", wanted.word(), root.display(), listed(found))]
    Several {
        /// The workspace.
        root: PathBuf,
        /// What was looked for.
        wanted: Described,
        /// Their names.
        found: Vec<String>,
    },
    /// No member describes what is wanted.
    #[error("no package describes an {} in the workspace at: `{}`", wanted.word(), root.display())]
    None {
        /// The workspace.
        root: PathBuf,
        /// What was looked for.
        wanted: Described,
    },
    /// Cargo cannot be started.
    #[error("cannot start cargo: `{}`", program.display())]
    NoCargo {
        /// The program.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Cargo writes other messages than it should.
    #[error("cannot read the messages of cargo")]
    Messages {
        /// Why.
        source: std::io::Error,
    },
    /// Cargo did not build the libraries.
    #[error("cargo could not build {}: {status}", listed(packages))]
    NotCompiled {
        /// The packages.
        packages: Vec<String>,
        /// How cargo ended.
        status: ExitStatus,
    },
    /// Cargo built a package but named no shared library.
    #[error("cargo named no shared library of package: `{package}`")]
    NoLibrary {
        /// The package.
        package: String,
    },
    /// An agent that was to be checked is not there.
    #[error("the agent is not built: `{}`", jar.display())]
    NotBuilt {
        /// Where it would be.
        jar: PathBuf,
        /// The option of the profile, with a space before it.
        profile: String,
    },
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoSuchPackage { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::NoSuchPackage { known, .. } => format!("packages here are {}", listed(known)),
            Self::NotDescribed { found: Some(Described::Extension), name, .. } => {
                format!("it describes an extension: `cargo fatagent extension build -p {name}` builds it")
            }
            Self::NotDescribed { found: Some(Described::Agent), name, .. } => {
                format!("it describes an agent: `cargo fatagent build -p {name}` builds it")
            }
            Self::NotDescribed { found: None, wanted, .. } => {
                format!("add `{}` to its manifest, or a file `{}` beside it", wanted.table(), wanted.file())
            }
            Self::Several { found, .. } => {
                let first = found.first().map(String::as_str).unwrap_or_default();
                format!("name one of them: `-p {}`", shell::quoted(first.as_ref()))
            }
            Self::None { wanted, .. } => {
                format!(
                    "add `{}` to the manifest of one package, or a file `{}` beside it",
                    wanted.table(),
                    wanted.file()
                )
            }
            Self::NoCargo { .. } => "install Rust, or set `CARGO` to the program".into(),
            Self::Messages { .. } => "run `cargo build --message-format json` to see them".into(),
            Self::NotCompiled { .. } => "what cargo wrote stands above".into(),
            Self::NoLibrary { .. } => "add `crate-type = [\"cdylib\"]` to its `[lib]`".into(),
            Self::NotBuilt { profile, .. } => {
                format!("`cargo fatagent build{profile}` builds it; or name a jar")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;

    #[test]
    fn each_message_has_its_remedy() {
        let root = || PathBuf::from("a b");
        let found = || vec!["x".to_owned(), "y".to_owned()];
        let (agent, extension) = (Described::Agent, Described::Extension);
        let none = |nearest: Option<&str>| Error::NoSuchPackage {
            name: "xx".into(),
            root: root(),
            nearest: nearest.map(str::to_owned),
            known: found(),
        };
        let not =
            |wanted, found| Error::NotDescribed { manifest: "m/Cargo.toml".into(), wanted, found, name: "m".into() };
        let io = || std::io::Error::other("gone");
        for (error, message, hint) in [
            (none(Some("x")), "no package of this name in the workspace at `a b`: `xx`", "did you mean `x`?"),
            (none(None), "no package of this name in the workspace at `a b`: `xx`", "packages here are `x`, `y`"),
            (
                not(agent, Some(extension)),
                "m/Cargo.toml: the package describes no agent",
                "it describes an extension: `cargo fatagent extension build -p m` builds it",
            ),
            (
                not(extension, Some(agent)),
                "m/Cargo.toml: the package describes no extension",
                "it describes an agent: `cargo fatagent build -p m` builds it",
            ),
            (
                not(extension, None),
                "m/Cargo.toml: the package describes no extension",
                "add `[package.metadata.fatagent.extension]` to its manifest, or a file `extension.toml` beside it",
            ),
            (
                Error::Several { root: root(), wanted: agent, found: found() },
                "more than one package describes an agent in the workspace at `a b`: `x`, `y`",
                "name one of them: `-p x`",
            ),
            (
                Error::None { root: root(), wanted: agent },
                "no package describes an agent in the workspace at: `a b`",
                "add `[package.metadata.fatagent]` to the manifest of one package, or a file `agent.toml` beside it",
            ),
            (
                Error::NoCargo { program: "cargo".into(), source: io() },
                "cannot start cargo: `cargo`",
                "install Rust, or set `CARGO` to the program",
            ),
            (
                Error::Messages { source: io() },
                "cannot read the messages of cargo",
                "run `cargo build --message-format json` to see them",
            ),
            (
                Error::NotCompiled { packages: found(), status: ExitStatus::from_raw(101 << 8) },
                "cargo could not build `x`, `y`: exit status: 101",
                "what cargo wrote stands above",
            ),
            (
                Error::NoLibrary { package: "x".into() },
                "cargo named no shared library of package: `x`",
                "add `crate-type = [\"cdylib\"]` to its `[lib]`",
            ),
            (
                Error::NotBuilt { jar: "a.jar".into(), profile: " --release".into() },
                "the agent is not built: `a.jar`",
                "`cargo fatagent build --release` builds it; or name a jar",
            ),
        ] {
            assert_eq!((error.to_string().as_str(), error.hint().as_str()), (message, hint));
        }
    }
}
