//! Why rules are refused, and why a class cannot follow them.

use thiserror::Error as ThisError;

/// What went wrong while reading rules or relocating a class.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A rule names something that is no package and no class.
    #[error("relocation rule `{from}` to `{to}`: {part} is not a dotted name, found at character {at}: `{name}`")]
    Name {
        /// Left side of the rule.
        from: String,
        /// Its right side.
        to: String,
        /// Which part of the rule is meant: `source`, `target` or `exclusion`.
        part: &'static str,
        /// Where the name goes wrong, in bytes.
        at: usize,
        /// The name.
        name: String,
    },
    /// A rule moves classes out of or into `java`, which only the JVM's own loaders may define.
    #[error("relocation rule `{from}` to `{to}`: classes in `java` cannot move, {part}: `{name}`")]
    JavaPackage {
        /// Left side of the rule.
        from: String,
        /// Its right side.
        to: String,
        /// Which part of the rule is meant: `source` or `target`.
        part: &'static str,
        /// The name.
        name: String,
    },
    /// One name is to move to two places, or with two sets of exclusions.
    #[error("two relocation rules for `{from}` differ, `{first}` and: `{second}`")]
    Conflict {
        /// Left side of both.
        from: String,
        /// Target and exclusions of the first.
        first: String,
        /// Those of the second.
        second: String,
    },
    /// A rule renames a class whose name holds `$`, which would part it from what the class says of itself.
    #[error("relocation rule `{from}` renames a nested class, its simple name must stay, got: `{to}`")]
    NestedName {
        /// Left side.
        from: String,
        /// Right side.
        to: String,
    },
    /// The class cannot be read.
    #[error("cannot relocate a class of version {major}.{minor}")]
    Class {
        /// Its major version, 0 if the file ends before it.
        major: u16,
        /// Its minor version.
        minor: u16,
        /// Why.
        #[source]
        source: crate::Error,
    },
    /// A name has become longer than a class file can hold.
    #[error("relocated constant {index} too long, limit 65535 bytes, `{start}…` would need: {got}")]
    ConstantTooLong {
        /// Its index in the constant pool.
        index: u16,
        /// How it begins, before it is relocated.
        start: String,
        /// Bytes that it would need.
        got: usize,
    },
    /// Names shared with other texts must be split, and the constant pool has no room left.
    #[error("constant pool too large for relocation, limit 65535, would need: {got}")]
    PoolTooLarge {
        /// Constants that it would need.
        got: usize,
    },
}

impl Error {
    /// Names the version of a class that cannot be read.
    pub(super) fn of(class: &[u8], source: crate::Error) -> Self {
        let version = |at| super::table::u2(class, at).unwrap_or_default();
        Self::Class { major: version(6), minor: version(4), source }
    }

    /// What the user can do about it, where there is anything to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Name { name, .. } if name.ends_with(".*") || name.ends_with(".**") => {
                Some(format!("a rule covers everything below its name; write `{}`", name.trim_end_matches(['.', '*'])))
            }
            Self::Name { name, .. } if name.contains('/') => {
                Some(format!("write the name with dots: `{}`", name.replace('/', ".")))
            }
            Self::Conflict { .. } => Some("keep one of the two rules".into()),
            Self::NestedName { .. } => Some("relocate the package or the outermost class".into()),
            Self::ConstantTooLong { .. } | Self::PoolTooLarge { .. } => {
                Some("choose a shorter target, or exclude the class".into())
            }
            Self::Class { source, .. } => source.hint(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_hints() {
        let name =
            |name: &str| Error::Name { from: name.into(), to: "x".into(), part: "source", at: 3, name: name.into() };
        let class = Error::Class {
            major: 72,
            minor: 65535,
            source: crate::Error::UnknownConstant { offset: 10, index: 1, tag: 2 },
        };
        let cases = [
            (
                name("a.b.*"),
                "relocation rule `a.b.*` to `x`: source is not a dotted name, found at character 3: `a.b.*`",
                Some("a rule covers everything below its name; write `a.b`"),
            ),
            (
                name("a/b"),
                "relocation rule `a/b` to `x`: source is not a dotted name, found at character 3: `a/b`",
                Some("write the name with dots: `a.b`"),
            ),
            (
                Error::JavaPackage { from: "java.x".into(), to: "y".into(), part: "source", name: "java.x".into() },
                "relocation rule `java.x` to `y`: classes in `java` cannot move, source: `java.x`",
                None,
            ),
            (
                Error::Conflict { from: "a".into(), first: "b".into(), second: "c".into() },
                "two relocation rules for `a` differ, `b` and: `c`",
                Some("keep one of the two rules"),
            ),
            (
                Error::NestedName { from: "=a.B$C".into(), to: "x.D".into() },
                "relocation rule `=a.B$C` renames a nested class, its simple name must stay, got: `x.D`",
                Some("relocate the package or the outermost class"),
            ),
            (
                class,
                "cannot relocate a class of version 72.65535",
                Some("the class is newer than this release understands; a newer release may"),
            ),
            (
                Error::ConstantTooLong { index: 7, start: "(La/B;".into(), got: 65_536 },
                "relocated constant 7 too long, limit 65535 bytes, `(La/B;…` would need: 65536",
                Some("choose a shorter target, or exclude the class"),
            ),
            (
                Error::PoolTooLarge { got: 65_537 },
                "constant pool too large for relocation, limit 65535, would need: 65537",
                Some("choose a shorter target, or exclude the class"),
            ),
        ];
        for (error, message, hint) in cases {
            assert_eq!(error.to_string(), message);
            assert_eq!(error.hint().as_deref(), hint, "{message}");
        }
    }
}
