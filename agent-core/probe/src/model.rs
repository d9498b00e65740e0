//! The model of a probe.

use crate::kind::{Kind, Where};
use crate::level::{Levels, Sampling};

/// A probe class.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Dotted class name.
    pub name: String,
    /// Handlers in the order of the class file.
    pub handlers: Vec<Handler>,
    /// `@Injected` fields.
    pub injected: Vec<Injected>,
    /// Whether handlers run under the guard that keeps one from running inside another on the same thread, and that knows
    /// which probe runs. Only a class that calls nothing but arithmetic, boxing, clocks and atomic numbers goes without:
    /// all else may use the runtime (output, services) or come back to woven code.
    pub is_guarded: bool,
}

/// A handler method.
#[derive(Clone, Debug)]
pub struct Handler {
    /// Method name.
    pub method: String,
    /// Descriptor, with `AnyType` already replaced by `Object`.
    pub descriptor: String,
    /// Where in the methods it is called.
    pub location: Location,
    /// Which classes, by dotted name.
    pub class: ClassPattern,
    /// Which methods.
    pub target: MethodPattern,
    /// Required signature, `void(java.lang.String,int)`; empty for any.
    pub type_constraint: String,
    /// Whether plain parameters and `@Return` must have exactly the type of the value.
    pub exact: bool,
    /// The levels at which it is active.
    pub levels: Levels,
    /// How it is sampled.
    pub sampling: Option<Sampling>,
    /// The handler's parameters, in order.
    pub parameters: Vec<Parameter>,
}

impl Handler {
    /// Index of the parameter that collects all arguments in an array.
    pub fn collecting(&self) -> Option<usize> {
        self.parameters.iter().position(|p| *p == Parameter::AllArguments)
    }

    /// Whether it depends on supertypes which values its parameters take: some are references of a type other than
    /// `Object`, and not only that very type is taken.
    pub fn compares_types(&self) -> bool {
        self.parameters.iter().any(|parameter| match parameter {
            Parameter::Argument(_) | Parameter::Return(_) if self.exact => false,
            Parameter::This(wanted)
            | Parameter::Argument(wanted)
            | Parameter::Return(wanted)
            | Parameter::Target(wanted) => wanted.has_subtypes(),
            _ => false,
        })
    }
}

/// Where in a method a handler is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The kind of place.
    pub kind: Kind,
    /// The side of it.
    pub place: Where,
    /// Owner of the method or field, type of the cast, test or creation, declared type of the catch; `None` for any. Of
    /// arrays, the element type.
    pub class: Option<Pattern>,
    /// Name of the method called or the field accessed; `None` for any.
    pub member: Option<Pattern>,
    /// Of a CALL the signature, as [`Handler::type_constraint`]; of a field its type; of an array its type or that of its
    /// elements. Empty for any.
    pub type_constraint: String,
    /// The source line of a LINE; `None` for all lines.
    pub line: Option<u16>,
}

impl Location {
    /// A place without filters.
    pub fn new(kind: Kind) -> Self {
        Self { kind, place: Where::Before, class: None, member: None, type_constraint: String::new(), line: None }
    }
}

/// What a handler parameter receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `@Self`: the receiver of the woven method, null in a static one.
    This(ValueType),
    /// A plain parameter: the next plain value of the place.
    Argument(ValueType),
    /// A plain `AnyType[]`: all plain values of the place, boxed.
    AllArguments,
    /// `@Return`: the value returned, or that the instruction left.
    Return(ValueType),
    /// `@Duration`: nanoseconds since entry, or since the call.
    Duration,
    /// `@TargetInstance`: receiver, owner, array, object tested or cast, lock or exception; null where there is none.
    Target(ValueType),
    /// `@TargetMethodOrField`: name of the method or field, or its whole signature; of an array, its type.
    TargetName {
        /// `fqn = true`
        full: bool,
    },
    /// `@ProbeClassName`: dotted name of the woven class.
    ClassName,
    /// `@ProbeMethodName`: name of the woven method, or its whole signature.
    MethodName {
        /// `fqn = true`
        full: bool,
    },
}

/// What values a parameter takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// `AnyType`: everything, boxed.
    Any,
    /// A Java type by descriptor.
    Type(String),
}

impl ValueType {
    /// Whether there may be values of other classes that are of this type, so that one has to know supertypes to tell.
    fn has_subtypes(&self) -> bool {
        let Self::Type(descriptor) = self else { return false };
        let element = descriptor.trim_start_matches('[');
        let class = element.strip_prefix('L').and_then(|e| e.strip_suffix(';'));
        class.is_some_and(|class| class != "java/lang/Object" && !crate::hierarchy::is_final(class))
    }
}

/// A name pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// This name.
    Exact(String),
    /// A regular expression that the whole name must match.
    Regex(String),
}

/// A pattern of classes. Names are dotted, nested classes behind a `$`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassPattern {
    /// `a.B` or `/regex/`: by name.
    Name(Pattern),
    /// `@a.B` or `@/regex/`: by the name of an annotation on the class itself, visible at run time or not.
    Annotated(Pattern),
    /// `+a.B`: this type and all below it.
    Subtype(String),
}

/// A pattern of methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodPattern {
    /// `name` or `/regex/`, `<init>` and `<clinit>` included.
    Name(Pattern),
    /// `@a.B` or `@/regex/`: by the dotted name of an annotation on the method itself.
    Annotated(Pattern),
}

/// An `@Injected` field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// Field name.
    pub field: String,
    /// Dotted name of the service.
    pub service: String,
    /// What a read gives where there is no such service, or where it must not be used.
    pub missing: Missing,
}

/// What the read of an `@Injected` field gives where its service cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing: the handler that reads the field fails.
    Fails,
    /// An object that does nothing.
    Nothing,
    /// An object of which each call fails.
    Throws,
}

impl Missing {
    /// How woven code says it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Fails => "",
            Self::Nothing => "shim",
            Self::Throws => "throw",
        }
    }
}
