//! What the VM can refuse.

/// A refused call.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The VM has no such environment.
    Environment {
        /// The environment asked for.
        what: &'static str,
        /// JNI return code.
        code: i32,
    },
    /// A JVMTI function failed.
    Jvmti {
        /// Name of the function.
        function: &'static str,
        /// JVMTI error number.
        code: i32,
    },
    /// A JNI function failed without an exception.
    Jni {
        /// Name of the function.
        function: &'static str,
    },
    /// Java code threw; the exception was cleared.
    Thrown {
        /// What was called.
        call: String,
        /// The exception's own text.
        text: String,
    },
    /// A text holds a NUL.
    Nul(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Environment { what, code } => write!(f, "the VM offers no {what} environment: {code}"),
            Self::Jvmti { function, code } => write!(f, "JVMTI `{function}` failed: {} ({code})", name(*code)),
            Self::Jni { function } => write!(f, "JNI `{function}` failed"),
            Self::Thrown { call, text } => write!(f, "`{call}` threw: {text}"),
            Self::Nul(text) => write!(f, "a text for the VM holds a NUL: {text:?}"),
        }
    }
}

impl std::error::Error for Error {}

/// The specification's name of the errors that the core can meet.
fn name(code: i32) -> &'static str {
    match code {
        21 => "INVALID_CLASS",
        60 => "CLASS_FORMAT",
        61 => "CIRCULAR_CLASS_DEFINITION",
        62 => "FAILS_VERIFICATION",
        63 => "METHOD_ADDED",
        64 => "SCHEMA_CHANGED",
        66 => "HIERARCHY_CHANGED",
        68 => "UNSUPPORTED_VERSION",
        69 => "NAMES_DONT_MATCH",
        79 => "UNMODIFIABLE_CLASS",
        98 => "NOT_AVAILABLE",
        99 => "MUST_POSSESS_CAPABILITY",
        103 => "ILLEGAL_ARGUMENT",
        110 => "OUT_OF_MEMORY",
        112 => "WRONG_PHASE",
        113 => "INTERNAL",
        115 => "UNATTACHED_THREAD",
        116 => "INVALID_ENVIRONMENT",
        _ => "error",
    }
}
