//! Why methods and sites are left as they were.

use crate::Error;

/// Why a method was left as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Skip {
    /// The method is abstract or native.
    #[error("has no bytecode")]
    NoCode,
    /// The code would pass the format's limit.
    #[error("code would pass {limit} bytes, size: {size}")]
    CodeTooLarge {
        /// The greatest size, in bytes.
        limit: usize,
        /// What it would have, in bytes.
        size: usize,
    },
    /// A jump of 16 bits would not reach its target.
    #[error("a jump at offset {offset} would be too far, distance: {distance}")]
    JumpTooFar {
        /// Offset of the jump in the original code.
        offset: usize,
        /// How far it would go, in bytes.
        distance: i64,
    },
    /// Too many local variables, stack slots, exception ranges or frames.
    #[error("too many {what}, limit {limit}, needed: {needed}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// The format's limit.
        limit: usize,
        /// What would be needed.
        needed: usize,
    },
    /// A call passes more than the format allows.
    #[error("call `{name}` passes too much, limit {limit} slots, needed: {slots}")]
    CallTooLarge {
        /// Name of the call.
        name: String,
        /// The greatest number of slots.
        limit: usize,
        /// What it needs.
        slots: usize,
    },
    /// An opcode this release does not know.
    #[error("unknown opcode at offset {offset}: {opcode}")]
    UnknownOpcode {
        /// Where it lies in the code.
        offset: usize,
        /// The opcode.
        opcode: u8,
    },
    /// A stack map frame or type this release does not know.
    #[error("unknown stack map tag: {tag}")]
    UnknownFrame {
        /// The tag.
        tag: u8,
    },
    /// An attribute of the code that may hold offsets into it.
    #[error("unknown attribute of the code: `{name}`")]
    UnknownAttribute {
        /// Its name.
        name: String,
    },
    /// A constructor assigns to the variable that holds `this`, and the calls need it.
    #[error("the constructor reassigns the variable of `this`")]
    ThisReassigned,
    /// A call needs `this` after `super(…)`, and no such call was found.
    #[error("no call of `super(…)` or `this(…)` found")]
    NoSuperCall,
    /// JVMs take a class with an empty finalizer as one without; inserted code would make every object of it, and of its subclasses,
    /// wait for finalization.
    #[error("an empty finalizer must stay empty")]
    EmptyFinalizer,
    /// No constructor call belongs to a `new`, so there is no place after it.
    #[error("no constructor call found for the `new`")]
    NotConstructed,
    /// Following the values of a method takes too long. No compiler makes such code.
    #[error("the method is too complex to follow, steps: {steps}")]
    TooComplex {
        /// How many were taken.
        steps: usize,
    },
    /// The code breaks the format.
    #[error("malformed code at offset {offset}: {what}")]
    Malformed {
        /// Where in the code.
        offset: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// The code or one of its attributes cannot be read.
    #[error("malformed code")]
    Unreadable(#[source] Box<Error>),
}

impl Skip {
    /// What the user can do about it, where there is anything to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoCode => Some("instrument the methods that implement or call it instead".into()),
            Self::CodeTooLarge { .. } | Self::JumpTooFar { .. } => {
                Some("instrument the methods that call it, or split it".into())
            }
            Self::CallTooLarge { .. } => Some("let the handler take fewer arguments".into()),
            Self::UnknownOpcode { .. } | Self::UnknownFrame { .. } | Self::UnknownAttribute { .. } => Some(
                "the class is newer than this release, or a tool added to it; a newer release may know more".into(),
            ),
            Self::ThisReassigned | Self::NoSuperCall => Some("do not ask for the instance in this constructor".into()),
            _ => None,
        }
    }
}

impl From<Error> for Skip {
    fn from(error: Error) -> Self {
        Self::Unreadable(Box::new(error))
    }
}
