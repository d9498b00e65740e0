//! Real libraries and agents through the packager. They are many megabytes, so that `cargo test --workspace` leaves this
//! program out; `cargo xtask e2e corpus` runs it.

#[path = "../e2e/harness/mod.rs"]
mod harness;

mod formats;
mod loading;
mod opentelemetry;
mod oracle;
mod scanning;
