//! The model of a probe.

/// A probe class.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Dotted class name.
    pub name: String,
    /// Handlers in the order of the class file.
    pub handlers: Vec<Handler>,
    /// `@Injected` fields.
    pub injected: Vec<Injected>,
    /// Whether the class uses the runtime (output, services), so that its handlers must know which probe they run in.
    pub uses_runtime: bool,
}

/// A handler method.
#[derive(Clone, Debug)]
pub struct Handler {
    /// Method name.
    pub method: String,
    /// Descriptor, with `AnyType` already replaced by `Object`.
    pub descriptor: String,
    /// Where in a matched method it is called.
    pub kind: Kind,
    /// Which classes, by dotted name.
    pub class: Pattern,
    /// Which methods, by name.
    pub target: Pattern,
    /// Required signature, `void (java.lang.String, int)`, without blanks; empty for any.
    pub type_constraint: String,
    /// Whether object parameters must have exactly the type of the argument.
    pub exact: bool,
    /// The handler's parameters, in order.
    pub parameters: Vec<Parameter>,
}

impl Handler {
    /// Index of the parameter that collects all arguments in an array.
    pub fn collecting(&self) -> Option<usize> {
        self.parameters.iter().position(|p| *p == Parameter::AllArguments)
    }
}

/// Location kinds that this version weaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// At the start of the method.
    Entry,
    /// Before each return.
    Return,
    /// When an exception leaves the method.
    Error,
}

/// What a handler parameter receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `@Self`: the receiver, null in a static method.
    This,
    /// A plain parameter: the next argument of the method.
    Argument(ValueType),
    /// A plain `AnyType[]`: all arguments, boxed.
    AllArguments,
    /// `@Return`: the value returned.
    Return(ValueType),
    /// `@Duration`: nanoseconds since entry.
    Duration,
    /// `@TargetInstance` of an ERROR handler: the exception.
    Thrown,
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

/// A name pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// This name.
    Exact(String),
    /// A regular expression that the whole name must match.
    Regex(String),
}

/// An `@Injected` field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// Field name.
    pub field: String,
    /// Dotted name of the service.
    pub service: String,
    /// Whether a missing service reads as null instead of failing the handler.
    pub optional: bool,
}
