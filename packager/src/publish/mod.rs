//! Extensions and agents in Maven's layout: into a folder, by HTTP, or as one bundle.
//!
//! A `Component` has coordinates, a description and files. `describe` makes components of what is
//! given, `upload` decides what is written in which order, and a `repository` writes it.

mod artifact;
mod bundle;
mod checksum;
mod describe;
mod error;
mod http;
mod metadata;
mod pom;
mod repository;
mod sign;
mod target;
mod upload;
mod url;

pub use describe::Given;
pub use error::{Error, What};
pub use http::Refusal;
pub use pom::About;
pub use target::Access;
pub use upload::Outcome;

pub(crate) use artifact::{Artifact, Component, Source};
pub(crate) use describe::{agent, extension};
pub(crate) use pom::Pom;

use std::path::{Path, PathBuf};

use crate::assemble::{EntryTime, Moment};
use crate::config::variable;
use crate::error::Result;
use sign::Signer;
use upload::Existing;

/// Where something is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A folder, or the URL of a repository.
    Repository(PathBuf),
    /// A file with everything.
    Bundle(PathBuf),
}

/// How something is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct How {
    /// Where to.
    pub target: Target,
    /// As whom.
    pub access: Access,
    /// Whether files are signed.
    pub sign: bool,
    /// The key to sign with; the default one of `gpg` where there is none.
    pub key: Option<String>,
}

/// What the portal of Maven Central would miss in a bundle, for a message.
pub(crate) fn missing_in_bundle(components: &[Component], how: &How) -> Vec<&'static str> {
    let mut missing = Vec::new();
    if !how.sign {
        missing.push("signatures (`--sign`)");
    }
    // Only what has a jar needs the other two.
    let jars = components.iter().filter(|component| component.pom.packaging == "jar");
    for (classifier, what) in [("sources", "sources (`--sources`)"), ("javadoc", "documentation (`--javadoc`)")] {
        let has = |component: &Component| component.artifacts.iter().any(|file| file.classifier == Some(classifier));
        if !jars.clone().all(has) {
            missing.push(what);
        }
    }
    // All of them say the same.
    missing.extend(components.iter().take(1).flat_map(|component| component.pom.about.missing()));
    missing
}

/// Publishes the components.
///
/// # Errors
/// The target cannot be used, has another release of one of them, or a signature cannot be made.
pub(crate) fn publish(components: &[Component], how: &How) -> Result<Outcome> {
    let signer = how.sign.then(|| Signer::new(how.key.as_deref())).transpose()?;
    match &how.target {
        Target::Bundle(file) => bundle::write(file, components, signer.as_ref(), EntryTime::from_environment()?),
        Target::Repository(to) => {
            let time = Moment::from_environment()?;
            let repository = target::open(to, &how.access, &variable)?;
            upload::upload(repository.as_ref(), components, signer.as_ref(), time, Existing::Refuse)
        }
    }
}

/// Puts components into a folder, over those of another build of the same version.
///
/// # Errors
/// The folder cannot be read or written.
pub(crate) fn install(components: &[Component], folder: &Path) -> Result<Outcome> {
    components.iter().try_for_each(Component::check)?;
    let repository = repository::Folder::open(folder)?;
    upload::upload(&repository, components, None, Moment::from_environment()?, Existing::Replace)
}
