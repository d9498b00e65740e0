//! What somebody has who takes a tarball of a release, a JDK and Maven or Gradle, and nothing else.
//!
//! `cargo xtask e2e release` builds the tarball of this computer and runs this; a plain `cargo test` does not. The variable
//! `FATAGENT_RELEASE` names the tarball.

#[path = "../harness/mod.rs"]
mod harness;

mod emulated;
mod gradle;
mod installed;
mod machine;
