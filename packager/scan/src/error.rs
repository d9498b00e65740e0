//! What stops a scan.

/// A class that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a class cannot be read")]
pub struct Error {
    /// Its index in the input.
    pub class: usize,
    /// What is wrong.
    pub source: classfile::Error,
}
