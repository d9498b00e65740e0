//! Spark clusters: one agent line for all, and extensions that find out what they are in.
//!
//! `cargo xtask e2e spark` runs this; a plain `cargo test` does not.

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../product.rs"]
#[allow(dead_code, reason = "what these tests need of it")]
mod product;

mod standalone;
