//! Places within methods at which calls can be inserted.

use std::fmt;

/// What happens at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SiteKind {
    /// A call of a method or constructor. Not `invokedynamic`, which names none.
    Call,
    /// The first instruction of an entry of the line number table. After it: where control falls through to the next entry.
    Line,
    /// A field is read.
    FieldGet,
    /// A field is written.
    FieldSet,
    /// An array element is read.
    ArrayGet,
    /// An array element is written.
    ArraySet,
    /// A cast.
    CheckCast,
    /// A test with `instanceof`.
    InstanceOf,
    /// An exception is thrown. There is no after.
    Throw,
    /// A handler begins, that of a `finally` or `synchronized` included (those catch `Throwable`). There is no after.
    Catch,
    /// An object is made: before its `new`, after its constructor returned.
    New,
    /// An array is made.
    NewArray,
    /// A lock is taken. In a synchronized method also its entry, at which the lock is held already.
    SyncEntry,
    /// A lock is released. In a synchronized method also its returns and errors, at which the lock is still held.
    SyncExit,
}

impl SiteKind {
    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Call,
        Self::Line,
        Self::FieldGet,
        Self::FieldSet,
        Self::ArrayGet,
        Self::ArraySet,
        Self::CheckCast,
        Self::InstanceOf,
        Self::Throw,
        Self::Catch,
        Self::New,
        Self::NewArray,
        Self::SyncEntry,
        Self::SyncExit,
    ];

    /// Whether calls can be inserted after it.
    pub fn has_after(self) -> bool {
        !matches!(self, Self::Throw | Self::Catch)
    }
}

impl fmt::Display for SiteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call => "call",
            Self::Line => "line",
            Self::FieldGet => "field read",
            Self::FieldSet => "field write",
            Self::ArrayGet => "array read",
            Self::ArraySet => "array write",
            Self::CheckCast => "cast",
            Self::InstanceOf => "instanceof",
            Self::Throw => "throw",
            Self::Catch => "catch",
            Self::New => "new",
            Self::NewArray => "new array",
            Self::SyncEntry => "lock",
            Self::SyncExit => "unlock",
        })
    }
}

/// A set of [`SiteKind`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteKinds(u16);

impl SiteKinds {
    /// Adds a kind.
    pub fn insert(&mut self, kind: SiteKind) {
        self.0 |= 1 << kind as u16;
    }

    /// Whether the kind is in the set.
    pub fn contains(self, kind: SiteKind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<SiteKind> for SiteKinds {
    fn from_iter<I: IntoIterator<Item = SiteKind>>(kinds: I) -> Self {
        let mut set = Self::default();
        kinds.into_iter().for_each(|kind| set.insert(kind));
        set
    }
}

/// A place within a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site<'c> {
    /// What happens there.
    pub kind: SiteKind,
    /// Internal name of the class or array type: that a call or field access names, cast to, tested for, caught, made or locked. Of arrays
    /// the descriptor of the element type, all dimensions taken off. What the instruction does not say is what the instruction
    /// takes: elements of references and locks are `java/lang/Object`, what is thrown is `java/lang/Throwable`; of `baload` and
    /// `bastore`, which serve `byte` and `boolean` alike, the element is `byte`.
    pub class: &'c str,
    /// Name of the method or field; empty elsewhere.
    pub name: &'c str,
    /// Descriptor of the method or field; elsewhere of the type, for arrays the array's.
    pub descriptor: &'c str,
    /// Whether the method or field is static.
    pub is_static: bool,
    /// Line of the source, 0 if it is not known.
    pub line: u16,
}
