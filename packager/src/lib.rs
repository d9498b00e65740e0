//! Builds fat Java agents: one jar from an agent, its extensions and its probes.
//!
//! The jar is a masked one: few classes are ordinary `.class` entries, which the bootstrap loader sees; all others are
//! `.classdata` entries, which no ordinary loader sees. Inputs are described by an `agent.toml` (crate `manifests`).
//!
//! | module | task |
//! |---|---|
//! | [`against`] | whether an extension fits releases of the application's library |
//! | [`archive`] | reads jars and zips: names checked, sizes limited |
//! | [`assemble`] | the output before it exists; refuses conflicts, sorts, writes the same bytes everywhere |
//! | [`mask`] | ordinary agent jars behind our Loader: `layout = "masked"` and its short form |
//! | [`foreign`] | other vendors' masked jars: `layout = "foreign"` |
//! | [`bundle`] | builds an extension from its project |
//! | [`cargo_driver`] | packages of a Cargo workspace, and libraries that cargo builds |
//! | [`maven`] | files by Maven coordinates, from the local repository |
//! | [`publish`] | extensions and agents in Maven's layout: a folder, HTTP, or one bundle |
//! | [`ops`] | what each command does |
//! | [`printer`] | the one switch for all output |
//! | [`error`] | what can go wrong, with its remedy |
//!
//! ```no_run
//! use packager::{ops::build, printer::Printer};
//!
//! let options = build::Options { file: Some("agent.toml".into()), ..build::Options::default() };
//! let written = build::build(&options, &Printer::default())?;
//! println!("{} {}", written.path.display(), written.sha256);
//! # Ok::<(), packager::error::Error>(())
//! ```
//!
//! # Files it touches
//! `build` reads `agent.toml` or `Cargo.toml` and what they name, and writes the output: first as `.fatagent-*.jar` in the
//! same folder, then by rename. A command of `[[generate]]` works in a temporary folder. `extract` writes libraries in the same way. `demo` writes a project folder. `extension build` writes three files into `target/extension`, or the folder of
//! `-o`, each by rename. `publish` writes the files of a
//! repository, each by rename, and sends them to nobody but the repository that is named; `sdk install` writes into the local one, `sdk jar` one file. `ext enable`, `disable`, `allow` and
//! `deny` write `extensions.conf` or `permissions.properties` below `~/.btrace`, or where the first one lies, by rename. `add` and
//! `remove` write the description, by rename. `cargo fatagent` writes into cargo's target folder, as cargo does. Nothing else is written.
//!
//! # Environment
//! `SOURCE_DATE_EPOCH` sets the time of all entries, and of metadata that are published; earlier times than 1980 become
//! 1980-01-01 in entries. `NO_COLOR` turns colours off. `FATAGENT_REPOSITORY_USER` and `FATAGENT_REPOSITORY_PASSWORD` are
//! the credentials for publishing; `FATAGENT_MAVEN_REPOSITORY` names the local Maven repository; `ext` and `policy` look at `HOME`, `BTRACE_HOME`, `BTRACE_EXT_PATH` and `BTRACE_CONF_…` as the agent does; proxies are those of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "a printer is one shared switch, not a value, however small it is"
)]

pub mod against;
pub mod archive;
pub mod assemble;
mod base;
pub mod bundle;
pub mod cargo_driver;
mod cargo_package;
mod carried;
mod class;
mod config;
mod defaults;
mod digest;
pub mod error;
mod extension;
pub mod foreign;
mod glob;
mod jdk;
mod lint;
mod manifest_file;
pub mod mask;
pub mod maven;
mod merge;
mod native;
pub mod ops;
mod origin;
mod paths;
pub mod printer;
mod probes;
mod program;
pub mod publish;
mod replace;
mod sdk;
mod shell;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod testing;
mod visible_api;
mod xml;

pub use digest::Sha256Hex;
pub use extension::ExtensionError;
pub use merge::{MergeError, Target};
pub use native::NativeCore;
pub use origin::{Origin, Place};
