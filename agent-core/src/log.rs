//! The agent's own log: stderr, one line a message.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

static DEBUG: AtomicBool = AtomicBool::new(false);

/// Turns debug lines on.
pub(crate) fn set_debug(on: bool) {
    DEBUG.store(on, Ordering::Relaxed);
}

/// Whether debug lines are wanted.
pub(crate) fn debug_enabled() -> bool {
    DEBUG.load(Ordering::Relaxed)
}

/// Writes a line. A closed stderr is no reason to disturb the application.
pub(crate) fn line(text: &str) {
    let _ = std::io::stderr().write_all(format!("[fatagent] {text}\n").as_bytes());
}

/// Writes a line if debug lines are wanted.
pub(crate) fn debug(text: impl FnOnce() -> String) {
    if debug_enabled() {
        line(&text());
    }
}

/// Writes an error, its causes and what to do, in one line.
pub(crate) fn error(context: &str, error: &dyn std::error::Error, hint: Option<String>) {
    line(&chain(context, error, hint));
}

/// An error, its causes and what to do.
pub(crate) fn chain(context: &str, error: &dyn std::error::Error, hint: Option<String>) -> String {
    let mut text = format!("{context}: {error}");
    let mut cause = error.source();
    while let Some(e) = cause {
        text.push_str(": ");
        text.push_str(&e.to_string());
        cause = e.source();
    }
    if let Some(hint) = hint {
        text.push_str("; hint: ");
        text.push_str(&hint);
    }
    text
}
