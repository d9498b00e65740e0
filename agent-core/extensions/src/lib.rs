//! Which extensions there are, how they are configured, and what they may do.
//!
//! [`resolve`] looks into every place, decides which extension of an id counts, reads configuration and policy, and says for
//! each extension whether it can be used and why not. It runs no code of extensions and asks neither environment nor JVM: what
//! it has to know of them is a [`Host`].
//!
//! ```
//! use extensions::{Host, Request, resolve};
//!
//! let folder = tempfile::tempdir()?;
//! let host = Host { variables: vec![("HOME".into(), folder.path().into())], ..Host::default() };
//! let resolved = resolve(&Request { host, ..Request::default() });
//! assert!(resolved.of_service("com.acme.Metrics").is_none());
//! # Ok::<(), std::io::Error>(())
//! ```

mod bundle;
mod cache;
pub mod configuration;
pub mod decision;
mod error;
mod find;
pub mod host;
mod jar;
mod place;
mod requires;
mod resolve;
mod signature;
pub mod version;

pub use bundle::{Bundle, Files};
pub use cache::Watch;
pub use error::Error;
pub use find::at;
pub use host::Host;
pub use jar::{Container, ContainerFile};
pub use place::{Kind, Place};
pub use resolve::{Extension, Request, Resolved, Status, resolve};
