//! Tools that only the larger tests need.
//!
//! A plain `cargo test` has to work where there is just Rust, a linker, a JDK and a network. A test that needs more is
//! not run there and says so on standard error, past the capture of the test runner; where the JDKs are named
//! (`FATAGENT_TEST_JDKS`, as `cargo xtask e2e` does) it fails instead.

use std::any::Any;
use std::env;
use std::io::{self, Write as _};
use std::panic::resume_unwind;

/// What a test unwinds with when a tool is missing.
#[derive(Debug)]
struct Missing(String);

/// Ends the calling test: it needs `tool`, which `install` would install.
#[track_caller]
pub(crate) fn missing(tool: &str, install: &str) -> ! {
    let text = format!("{tool} is needed: `{install}`");
    assert!(env::var_os("FATAGENT_TEST_JDKS").is_none(), "{text}");
    resume_unwind(Box::new(Missing(text)))
}

/// Whether the unwinding of the test `name` is that of [`missing`], which is then reported.
pub(crate) fn reported_missing(name: &str, panic: &(dyn Any + Send)) -> bool {
    let Some(Missing(text)) = panic.downcast_ref() else { return false };
    // One write, so that lines of tests that run side by side do not mix.
    let _ = io::stderr().write_all(format!("\nnot run: `{name}`: {text}\n").as_bytes());
    true
}
