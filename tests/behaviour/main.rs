//! Real programs, woven by a real agent: the same output as without it, and as many returns and errors as entries.
//!
//! `cargo xtask e2e behaviour` runs this; a plain `cargo test` does not, because it fetches much and takes minutes.

#![allow(clippy::print_stdout, reason = "the counts are what the run is for")]

#[path = "../e2e/harness/mod.rs"]
mod harness;
#[path = "../e2e/product.rs"]
#[allow(dead_code, reason = "of what other tests share, only the compiler of probes is needed")]
mod product;

mod compiler;
mod counting;
mod groovy;
mod jackson;
mod scala;
mod spark;
