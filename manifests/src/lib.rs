//! Text formats of fat agents as types, without I/O.
//!
//! Every module reads and writes one format that travels in or next to an agent jar; callers do the file work and name
//! the origin in their own errors.
//!
//! | module | format |
//! |---|---|
//! | [`manifest`] | `META-INF/MANIFEST.MF` |
//! | [`properties`] | Java properties |
//! | [`extension`] | an extension's description: manifest attributes, `extension.properties`, the legacy file |
//! | [`permission`] | the permissions that an extension declares |
//! | [`setting`] | the settings that an extension has |
//! | [`policy`] | `permissions.properties`, and what it decides |
//! | [`extensions_conf`] | `extensions.conf` |
//! | [`index`] | `classes.index`, which class of an extension lies where |
//! | [`library`] | the `BTrace-*-Libs` attributes |
//! | [`arguments`] | agent arguments, `k=v,k=v` |
//! | [`coordinates`] | Maven coordinates |
//! | `agent_toml` | `agent.toml` (feature `toml`) |
//! | `extension_toml` | `extension.toml` (feature `toml`) |
//!
//! ```
//! use manifests::manifest::{Manifest, attribute};
//!
//! let manifest = Manifest::parse(b"Manifest-Version: 1.0\r\nPremain-Class: com.example.A\r\n gent\r\n")?;
//! assert_eq!(manifest.main.get(attribute::PREMAIN_CLASS), Some("com.example.Agent"));
//! # Ok::<(), manifests::Error>(())
//! ```

#[cfg(feature = "toml")]
pub mod agent_toml;
pub mod arguments;
pub mod coordinates;
mod error;
pub mod extension;
#[cfg(feature = "toml")]
pub mod extension_toml;
pub mod extensions_conf;
pub mod index;
pub mod library;
pub mod manifest;
pub mod permission;
pub mod policy;
pub mod properties;
pub mod setting;
pub mod suggest;
#[cfg(feature = "toml")]
mod toml;

pub use error::{Error, Location};
