//! `templates/drivers`: one agent by several build tools, which are the real ones.
//!
//! `cargo xtask e2e maven` runs this; a plain `cargo test` does not, since plugins of Maven and Gradle are fetched.

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../product.rs"]
#[allow(dead_code, reason = "what these tests need of it")]
mod product;

#[path = "../gradle/build.rs"]
#[allow(dead_code, reason = "what these tests need of it")]
mod gradle;
mod maven;
mod sample;
mod three;
