//! Keeps panics out of the VM.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Runs an entry point; a panic becomes one line and the given result.
pub(crate) fn guarded<T>(what: &str, otherwise: T, body: impl FnOnce() -> T) -> T {
    static QUIET: Once = Once::new();
    // The default hook prints a backtrace into the application's stderr.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result,
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            crate::log::failure(&format!("internal error in {what}, please report it: {text}"));
            otherwise
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_panic_becomes_the_given_result() {
        let result = super::guarded("a test", -7, || {
            let empty: Vec<i32> = Vec::new();
            std::hint::black_box(&empty)[3]
        });
        assert_eq!(result, -7);
    }
}
