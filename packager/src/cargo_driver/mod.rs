//! What `cargo fatagent` knows beyond `fatagent`: packages of a workspace, and libraries that cargo builds.
//!
//! | file | task |
//! |---|---|
//! | `workspace` | packages, which of them is meant, and where output goes |
//! | `libraries` | runs cargo and takes the shared libraries that it names |
//! | `error` | what can go wrong |

mod error;
mod libraries;
mod workspace;

use std::path::PathBuf;

pub use error::Error;
pub(crate) use libraries::{build, core_target};
pub(crate) use workspace::Workspace;

/// What is said to cargo, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CargoOptions {
    /// `--manifest-path`; by default cargo looks for it from the current folder upwards.
    pub manifest_path: Option<PathBuf>,
    /// `--package`: a member of the workspace.
    pub package: Option<String>,
    /// `--profile`; `dev` by default.
    pub profile: Option<String>,
    /// `--target`, once for each triple.
    pub targets: Vec<String>,
    /// `--features`.
    pub features: Vec<String>,
    /// `--all-features`.
    pub all_features: bool,
    /// `--no-default-features`.
    pub no_default_features: bool,
    /// `--locked`.
    pub locked: bool,
    /// `--offline`.
    pub offline: bool,
    /// `--frozen`.
    pub frozen: bool,
}

impl CargoOptions {
    /// The folder that cargo gives the output of the profile.
    pub(crate) fn profile_folder(&self) -> &str {
        match self.profile.as_deref() {
            None | Some("dev" | "test") => "debug",
            Some("release" | "bench") => "release",
            Some(other) => other,
        }
    }

    fn names_features(&self) -> bool {
        !self.features.is_empty() || self.all_features || self.no_default_features
    }
}
