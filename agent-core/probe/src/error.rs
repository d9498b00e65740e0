//! What can be wrong with a probe class.

/// A probe that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no class file.
    #[error("the probe class cannot be read")]
    Class(#[from] classfile::Error),
    /// There is no `@BTrace` on the class.
    #[error("class `{class}` is no probe: it has no `@BTrace`")]
    NotAProbe {
        /// Dotted name.
        class: String,
    },
    /// The class carries annotations of an older package.
    #[error("probe `{class}` is written against an older package: `{package}`")]
    OldPackage {
        /// Dotted name.
        class: String,
        /// Dotted package.
        package: &'static str,
    },
    /// The probe has no handler.
    #[error("probe `{class}` has no handler")]
    NoHandler {
        /// Dotted name.
        class: String,
    },
    /// A feature of the probe language that this version does not have.
    #[error("handler `{handler}` of probe `{class}` uses {what}, which this version does not support: `{value}`")]
    Unsupported {
        /// Dotted name.
        class: String,
        /// Method or field that uses it.
        handler: String,
        /// The kind of thing.
        what: &'static str,
        /// The thing.
        value: String,
    },
    /// A combination that has no meaning.
    #[error("handler `{handler}` of probe `{class}` is not valid: {reason}")]
    Handler {
        /// Dotted name.
        class: String,
        /// Method name.
        handler: String,
        /// Why.
        reason: String,
    },
    /// A pattern names a parameter that was not given.
    #[error("handler `{handler}` of probe `{class}` needs the parameter `{name}`, which was not given")]
    Parameter {
        /// Dotted name.
        class: String,
        /// Method name.
        handler: String,
        /// What stands between `${` and `}`.
        name: String,
    },
    /// A regular expression cannot be compiled.
    #[error("handler `{handler}` of probe `{class}` has a bad pattern `/{pattern}/`")]
    Pattern {
        /// Dotted name.
        class: String,
        /// Method name.
        handler: String,
        /// The expression, without its slashes.
        pattern: String,
        /// What the compiler said.
        #[source]
        source: Box<regex::Error>,
    },
    /// The pattern names classes that are never woven.
    #[error("handler `{handler}` of probe `{class}` names a class that is never woven: `{target}`")]
    Refused {
        /// Dotted name.
        class: String,
        /// Method name.
        handler: String,
        /// Dotted name of the class asked for.
        target: String,
    },
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Class(_) => "compile the probe again with javac; Java 8 or newer class files are read".to_owned(),
            Self::NotAProbe { .. } => "annotate the class with `@BTrace` of `io.btrace.core.annotations`".to_owned(),
            Self::OldPackage { .. } => "compile it against the package `io.btrace`".to_owned(),
            Self::NoHandler { .. } => "annotate a public static void method with `@OnMethod`".to_owned(),
            Self::Unsupported { .. } => {
                "leave it out; README tells under `Running it` what of the probe language this version runs".to_owned()
            }
            Self::Parameter { name, .. } => format!("give it as an agent argument, `{name}=…`"),
            Self::Handler { .. } => "see the annotation's documentation for what it may be combined with".to_owned(),
            Self::Pattern { .. } => "close every parenthesis; look-around and back references are not known".to_owned(),
            Self::Refused { .. } => "the agent stands on these classes itself; name others".to_owned(),
        })
    }
}
