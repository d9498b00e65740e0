//! Which of the classes that the bootstrap loader sees are an API. The build script has this file, too.

/// Whether a class, by its internal name, is meant for others: the API of probes, and what services may ask for in their constructor.
pub(crate) fn is_visible_api(class: &str) -> bool {
    let nested = |rest: &str| rest.is_empty() || rest.starts_with('$');
    class.starts_with("io/btrace/core/") || class.strip_prefix("io/btrace/runtime/BTraceRuntime").is_some_and(nested)
}
