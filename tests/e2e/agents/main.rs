//! The published agents of other vendors as bases: what is added to their sections is loaded by their own class loaders.
//!
//! `cargo xtask e2e agents` runs this; a plain `cargo test` does not.

#[path = "../harness/mod.rs"]
mod harness;
mod vendor;

mod datadog;
mod elastic;
mod opentelemetry;
