//! The Gradle plugins in real builds, by `TestKit`, and the program that they run.
//!
//! `cargo xtask e2e gradle` runs this; a plain `cargo test` does not.

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../product.rs"]
#[allow(dead_code, reason = "what these tests need of it")]
mod product;

mod bad_input;
mod build;
mod evaluated;
mod extension;
mod fat_agent;
mod sample;
