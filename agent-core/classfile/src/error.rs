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
