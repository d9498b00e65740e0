//! What an extension asks of the application's library.

/// How it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// An instruction or a constant names it.
    Reference,
    /// It is looked up by name at run time.
    LookUp,
    /// A probe is to be woven into it.
    Pattern,
}

impl Kind {
    /// The word in reports.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::LookUp => "look-up",
            Self::Pattern => "probe pattern",
        }
    }
}

/// What sort of member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sort {
    /// A field.
    Field,
    /// A method or constructor.
    Method,
}

/// What a class is used as, by code of other packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Any class: a constant, a cast, the type of an array.
    Named,
    /// Instances of it are made.
    Made,
    /// A superclass.
    Extended,
    /// An interface that is implemented.
    Implemented,
}

/// Who may use the member that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Anybody: it is found whatever its access is.
    Declared,
    /// Everybody must be allowed to use it.
    Public,
    /// Code of other packages must be allowed to use it and its class, in a subclass of the class that this names.
    From(String),
}

/// What is asked for. Class names are internal ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// A class, whatever its access is.
    Class(String),
    /// A class that its access and its kind must fit.
    Used {
        /// The class.
        class: String,
        /// What it is used as.
        role: Role,
    },
    /// A member of a class or of one above it.
    Member {
        /// The class.
        class: String,
        /// A field or a method.
        sort: Sort,
        /// Its name.
        name: String,
        /// Its descriptor; of a method perhaps only the parameters, up to the closing bracket; `None` for any.
        descriptor: Option<String>,
        /// Whether it must be static; `None` where that does not matter.
        is_static: Option<bool>,
        /// Whether its class must be an interface; `None` where that does not matter.
        is_interface: Option<bool>,
        /// Who must be allowed to use it.
        reach: Reach,
        /// Whether the class itself must declare it, as weaving and constructors ask.
        declared_here: bool,
    },
    /// Classes and methods by the patterns of a probe.
    Matches {
        /// `clazz`: a regular expression in slashes, `@` an annotation, `+` a supertype.
        class: String,
        /// `method`; empty for any.
        method: String,
        /// `type`, without blanks; empty for any.
        signature: String,
    },
}

/// One thing that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Demand {
    /// What.
    pub(crate) what: What,
    /// How.
    pub(crate) kind: Kind,
    /// Where: class and method, dotted.
    pub(crate) place: String,
    /// Whether the extension says itself that it may be missing.
    pub(crate) optional: bool,
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Class(class) => write!(f, "class `{}`", class.replace('/', ".")),
            Self::Used { class, role } => {
                let word = match role {
                    Role::Named | Role::Made => "class",
                    Role::Extended => "superclass",
                    Role::Implemented => "interface",
                };
                write!(f, "{word} `{}`", class.replace('/', "."))
            }
            Self::Member { class, sort, name, descriptor, .. } => {
                let class = class.replace('/', ".");
                let word = match (sort, name.as_str()) {
                    (Sort::Field, _) => "field",
                    (Sort::Method, "<init>") => "constructor",
                    (Sort::Method, _) => "method",
                };
                let descriptor = descriptor.as_deref().unwrap_or_default();
                let space = if *sort == Sort::Field && !descriptor.is_empty() { " " } else { "" };
                write!(f, "{word} `{class}.{name}{space}{descriptor}`")
            }
            Self::Matches { class, method, signature } => {
                write!(f, "`{class}`")?;
                if !method.is_empty() {
                    write!(f, ", method `{method}`")?;
                }
                if signature.is_empty() { Ok(()) } else { write!(f, ", type `{signature}`") }
            }
        }
    }
}
