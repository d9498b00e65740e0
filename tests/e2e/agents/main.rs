//! The published agents of other vendors as bases: what is added to their sections is loaded by their own class loaders.
//!
//! `cargo xtask e2e agents` runs this; a plain `cargo test` does not.

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../product.rs"]
#[allow(dead_code, reason = "what the coexistence tests need of it")]
mod product;
#[path = "../traced.rs"]
#[allow(dead_code, reason = "what the coexistence tests need of it")]
mod traced;
mod vendor;

mod coexistence;
mod datadog;
mod elastic;
mod opentelemetry;
