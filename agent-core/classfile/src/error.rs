//! What can be wrong with a class file.

use thiserror::Error as ThisError;

/// Why a class could not be read or rewritten. Offsets count bytes from the start of the class file.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The bytes end inside a structure.
    #[error("class file ends too early at offset {offset}, bytes missing: {missing}")]
    Truncated {
        /// Where the read began.
        offset: usize,
        /// How many bytes were wanting.
        missing: usize,
    },
    /// The file does not begin with `CAFEBABE`.
    #[error("not a class file, expected magic {expected:#010x}, got: {got:#010x}")]
    Magic {
        /// The magic of class files.
        expected: u32,
        /// The first four bytes.
        got: u32,
    },
    /// A constant of a kind this crate does not know, so that its length is unknown too.
    #[error("unknown constant at offset {offset}, index {index}, tag: {tag}")]
    UnknownConstant {
        /// Where its tag lies.
        offset: usize,
        /// Its index in the constant pool.
        index: u16,
        /// The unknown tag.
        tag: u8,
    },
    /// An index points outside the constant pool, or at the unusable second half of a long or double.
    #[error("no {expected} in a constant pool of {count}, index: {index}")]
    ConstantIndex {
        /// The kind of constant wanted.
        expected: &'static str,
        /// Size of the pool, as the file states it (one more than its last index).
        count: u16,
        /// The index found.
        index: u16,
    },
    /// An index points at a constant of another kind.
    #[error("constant {index} at offset {offset} is not a {expected}, tag: {got}")]
    ConstantKind {
        /// Where the constant lies.
        offset: usize,
        /// Its index.
        index: u16,
        /// The kind of constant wanted.
        expected: &'static str,
        /// The tag found.
        got: u8,
    },
    /// Bytes that are not modified UTF-8, or that hold half a surrogate pair.
    #[error("text is not modified UTF-8, byte: {at}")]
    Mutf8 {
        /// Index of the offending byte within the text.
        at: usize,
    },
    /// A field or method descriptor that breaks the grammar.
    #[error("malformed descriptor at character {at}: `{descriptor}`")]
    Descriptor {
        /// The descriptor.
        descriptor: String,
        /// Where parsing stopped, in bytes.
        at: usize,
    },
    /// A value that the format does not allow in that place.
    #[error("{what} at offset {offset}, expected {expected}, got: {got}")]
    Unexpected {
        /// What was being read.
        what: &'static str,
        /// Where it lies.
        offset: usize,
        /// What the format allows.
        expected: &'static str,
        /// What was found.
        got: u64,
    },
    /// The class is complete but the file goes on.
    #[error("bytes after the end of the class at offset {offset}: {count}")]
    Trailing {
        /// Where the class ends.
        offset: usize,
        /// How many bytes follow.
        count: usize,
    },
    /// A structure grew past what its 16-bit count can say.
    #[error("{what} too large, limit {limit}, got: {got}")]
    TooLarge {
        /// The structure, for instance `constant pool`.
        what: &'static str,
        /// Its greatest size.
        limit: usize,
        /// The size it would need.
        got: usize,
    },
    /// A call name that the format does not allow as an unqualified name.
    #[error("not an unqualified name: `{name}`")]
    CallName {
        /// The name asked for.
        name: String,
    },
    /// A plan asks for a parameter that the method does not have.
    #[error("no such parameter of `{method}`, which has {count}: {index}")]
    Parameter {
        /// Name and descriptor of the method.
        method: String,
        /// How many parameters it declares.
        count: usize,
        /// The index asked for.
        index: usize,
    },
    /// A plan asks for a value that a place does not have.
    #[error("`{method}`: {value} cannot be passed {place}")]
    Value {
        /// Name and descriptor of the method.
        method: String,
        /// The value asked for.
        value: String,
        /// Where it was asked for.
        place: String,
    },
    /// A plan inserts calls where control never comes.
    #[error("`{method}`: nothing can be inserted after a {kind}")]
    NoAfter {
        /// Name and descriptor of the method.
        method: String,
        /// What happens at the site.
        kind: crate::weave::SiteKind,
    },
    /// `invokedynamic` needs a newer class-file version.
    #[error("`invokedynamic` needs class-file version {expected}, got: {got}")]
    Version {
        /// The first version that has it.
        expected: u16,
        /// The version of the class.
        got: u16,
    },
    /// A method of a trusted class could not be rewritten.
    #[error("cannot rewrite `{method}`")]
    Method {
        /// Name and descriptor.
        method: String,
        /// Why.
        #[source]
        source: crate::weave::Skip,
    },
}

impl Error {
    /// What the user can do about it, where there is anything to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownConstant { .. } => {
                Some("the class is newer than this release understands; a newer release may".into())
            }
            Self::Truncated { .. } | Self::Magic { .. } | Self::Trailing { .. } => {
                Some("the file is damaged or is not a class; extract or compile it again".into())
            }
            Self::Version { .. } => Some("compile the class for Java 7 or newer".into()),
            Self::TooLarge { .. } | Self::Method { .. } => Some("split the class into smaller ones".into()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weave::Skip;

    /// Rare messages rot unless they are written down.
    #[test]
    fn messages() {
        let text = || String::from("x");
        let errors: [(Error, &str); 15] = [
            (Error::Truncated { offset: 9, missing: 2 }, "class file ends too early at offset 9, bytes missing: 2"),
            (
                Error::Magic { expected: 0xCAFE_BABE, got: 0x504B_0304 },
                "not a class file, expected magic 0xcafebabe, got: 0x504b0304",
            ),
            (
                Error::UnknownConstant { offset: 10, index: 1, tag: 21 },
                "unknown constant at offset 10, index 1, tag: 21",
            ),
            (
                Error::ConstantIndex { expected: "text constant", count: 5, index: 7 },
                "no text constant in a constant pool of 5, index: 7",
            ),
            (
                Error::ConstantKind { offset: 10, index: 3, expected: "class constant", got: 1 },
                "constant 3 at offset 10 is not a class constant, tag: 1",
            ),
            (Error::Mutf8 { at: 4 }, "text is not modified UTF-8, byte: 4"),
            (Error::Descriptor { descriptor: text(), at: 0 }, "malformed descriptor at character 0: `x`"),
            (
                Error::Unexpected { what: "depth", offset: 8, expected: "at most 64 levels", got: 65 },
                "depth at offset 8, expected at most 64 levels, got: 65",
            ),
            (Error::Trailing { offset: 100, count: 3 }, "bytes after the end of the class at offset 100: 3"),
            (
                Error::TooLarge { what: "constant pool", limit: 65_535, got: 65_536 },
                "constant pool too large, limit 65535, got: 65536",
            ),
            (Error::CallName { name: "a.b".into() }, "not an unqualified name: `a.b`"),
            (
                Error::Parameter { method: "f()V".into(), count: 0, index: 2 },
                "no such parameter of `f()V`, which has 0: 2",
            ),
            (
                Error::Value { method: "f()V".into(), value: "Result".into(), place: "before a call".into() },
                "`f()V`: Result cannot be passed before a call",
            ),
            (
                Error::NoAfter { method: "f()V".into(), kind: crate::weave::SiteKind::Throw },
                "`f()V`: nothing can be inserted after a throw",
            ),
            (Error::Method { method: "f()V".into(), source: Skip::NoCode }, "cannot rewrite `f()V`"),
        ];
        for (error, expected) in errors {
            assert_eq!(error.to_string(), expected);
        }
        let error = Error::Version { expected: 51, got: 48 };
        assert_eq!(error.to_string(), "`invokedynamic` needs class-file version 51, got: 48");
        assert_eq!(error.hint().as_deref(), Some("compile the class for Java 7 or newer"));
    }

    #[test]
    fn reasons_to_skip() {
        let skips: [(Skip, &str); 14] = [
            (Skip::NoCode, "has no bytecode"),
            (Skip::CodeTooLarge { limit: 65_535, size: 65_540 }, "code would pass 65535 bytes, size: 65540"),
            (
                Skip::JumpTooFar { offset: 4, distance: -32_769 },
                "a jump at offset 4 would be too far, distance: -32769",
            ),
            (
                Skip::TooMany { what: "local variables", limit: 65_535, needed: 65_536 },
                "too many local variables, limit 65535, needed: 65536",
            ),
            (
                Skip::CallTooLarge { name: "c".into(), limit: 253, slots: 255 },
                "call `c` passes too much, limit 253 slots, needed: 255",
            ),
            (Skip::UnknownOpcode { offset: 3, opcode: 203 }, "unknown opcode at offset 3: 203"),
            (Skip::UnknownFrame { tag: 246 }, "unknown stack map tag: 246"),
            (Skip::UnknownAttribute { name: "A".into() }, "unknown attribute of the code: `A`"),
            (Skip::ThisReassigned, "the constructor reassigns the variable of `this`"),
            (Skip::NoSuperCall, "no call of `super(…)` or `this(…)` found"),
            (Skip::EmptyFinalizer, "an empty finalizer must stay empty"),
            (Skip::TooComplex { steps: 9 }, "the method is too complex to follow, steps: 9"),
            (Skip::Malformed { offset: 1, what: "jump" }, "malformed code at offset 1: jump"),
            (Skip::from(Error::Mutf8 { at: 1 }), "malformed code"),
        ];
        for (skip, expected) in skips {
            assert_eq!(skip.to_string(), expected);
        }
        assert_eq!(Skip::NoCode.hint().as_deref(), Some("instrument the methods that implement or call it instead"));
    }
}
