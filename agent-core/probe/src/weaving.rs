//! What the matcher tells the weaver: the calls to insert into a method and at its places.
//!
//! The names and meanings are those of the weaver's own interface, so that it can take this module's place; [`Source::Int`] is the
//! one thing that it has to learn.

pub use classfile::weave::MethodInfo;

/// What a call passes to its handler. References are passed as `Object`, primitives as their own type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The receiver of the woven method; null in a static one.
    This,
    /// A declared parameter by its index, with the value it had on entry.
    Argument(u16),
    /// The value that the woven method returns, null for `void`.
    Return,
    /// Nanoseconds, a `long`: since the method was entered, or since the call of a site began.
    Duration,
    /// The exception that leaves the method.
    Thrown,
    /// A string literal.
    Text(String),
    /// An `int` literal.
    Int(i32),
    /// A null `Object`.
    Null,
    /// At a site: receiver of the call or field access, array, object cast or tested, exception or lock; null where there is none.
    Target,
    /// At a site: an argument of the call, the value that is set, the index (0) and the value (1) of an array access.
    Operand(u16),
    /// After a site: the value of the call (null for `void`), field or element, the object or array made.
    Result,
}

/// One inserted call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Name of the call site: `probe:handler:method`.
    pub name: String,
    /// What it passes, in order.
    pub parameters: Vec<Source>,
}

/// What to insert into one method. Several calls at one place run in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// At the start.
    pub entry: Vec<Call>,
    /// Before every return.
    pub returns: Vec<Call>,
    /// When an exception leaves the method.
    pub errors: Vec<Call>,
    /// The kinds of places to be asked about.
    pub sites: SiteKinds,
}

impl Plan {
    /// Whether it inserts nothing, and asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.entry.is_empty() && self.returns.is_empty() && self.errors.is_empty() && self.sites.is_empty()
    }
}

/// Kinds of places within a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// A call of a method.
    Call,
    /// The first instruction of a source line.
    Line,
    /// A read of a field.
    FieldGet,
    /// A write of a field.
    FieldSet,
    /// A read of an array element.
    ArrayGet,
    /// A write of an array element.
    ArraySet,
    /// A cast.
    CheckCast,
    /// A test for a type.
    InstanceOf,
    /// A throw.
    Throw,
    /// The start of an exception handler.
    Catch,
    /// The creation of an object.
    New,
    /// The creation of an array.
    NewArray,
    /// The entry of a monitor.
    SyncEntry,
    /// The exit of a monitor.
    SyncExit,
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteKinds(u16);

impl SiteKinds {
    /// Adds a kind.
    pub fn insert(&mut self, kind: SiteKind) {
        self.0 |= 1 << kind as u16;
    }

    /// Whether the kind is in it.
    pub fn contains(self, kind: SiteKind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A place within a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site<'c> {
    /// What happens there.
    pub kind: SiteKind,
    /// Internal name of the class that a call or field access names; the matcher takes no other one from here.
    pub class: &'c str,
    /// Name of the method or field; empty elsewhere.
    pub name: &'c str,
    /// Descriptor of the method or field. Elsewhere of the type cast to, tested for, declared by the catch or made; of the
    /// array whose element is accessed, as far as the opcode tells.
    pub descriptor: &'c str,
    /// Whether the method or field is static.
    pub is_static: bool,
    /// Line of the source, 0 if it is not known.
    pub line: u16,
}

/// What to insert around one place, in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SitePlan {
    /// Before the instruction.
    pub before: Vec<Call>,
    /// After it, when it completed.
    pub after: Vec<Call>,
}

/// Decides what is inserted where.
pub trait Planner {
    /// What to insert into a method; `None` to leave it alone.
    fn method(&mut self, method: &MethodInfo<'_>) -> Option<Plan>;

    /// What to insert at a place of the method that was planned last.
    fn site(&mut self, method: &MethodInfo<'_>, site: &Site<'_>) -> SitePlan;
}
