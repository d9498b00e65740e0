//! Inserts calls at the entry and the exits of methods.
//!
//! A matched method gets one forward pass over its code; everything else is copied byte for byte, and no member is added.
//! Inserted code is straight-line, names `java.*` types only, and lies in none of the method's own exception ranges.

mod method;
mod site;

use crate::bytes::put4;
use crate::code::Failure;
use crate::code::pool::PoolEditor;
use crate::reader::{ClassFile, Member};
use crate::{Error, mutf8};
use site::Linker;
use std::fmt;

/// What a call site hands to its handler. References are passed as `Object`, primitives as their own type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The receiver; null in a static method.
    This,
    /// A declared parameter by its index, with the value it had on entry.
    Argument(u16),
    /// The returned value, null for `void`; null anywhere but at a return.
    Return,
    /// Nanoseconds since the method was entered, a `long`; 0 at the entry. One clock read at entry, one at each exit.
    Duration,
    /// The exception that leaves the method; null anywhere but at an error.
    Thrown,
    /// A string literal.
    Text(String),
    /// A null `Object`.
    Null,
}

/// One inserted call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Name of the call site, an unqualified name such as `3:1:onReturn`.
    pub name: String,
    /// What it passes, in order. The erased types of these make the site's descriptor, which returns `void`.
    pub parameters: Vec<Source>,
}

/// What to insert into one method. Several calls at one place run in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// At the start. In a constructor, those that use [`Source::This`] run after `super(…)` or `this(…)`.
    pub entry: Vec<Call>,
    /// Before every return.
    pub returns: Vec<Call>,
    /// When an exception leaves the method; in a constructor only once `this` is initialised.
    pub errors: Vec<Call>,
}

impl Plan {
    /// Whether it inserts nothing.
    pub fn is_empty(&self) -> bool {
        self.entry.is_empty() && self.returns.is_empty() && self.errors.is_empty()
    }
}

/// How call sites reach their handlers.
pub enum Linkage<'a> {
    /// `invokedynamic`, bootstrapped by `class.method(Lookup, String, MethodType) CallSite`, a static method. From class-file version 51.
    Dynamic {
        /// Internal name of the bootstrap class, of a `java.*` package.
        class: &'a str,
        /// Name of the bootstrap method.
        method: &'a str,
    },
    /// `invokestatic class.method(int site, Object[] references, long[] primitives) void`. References and primitives are
    /// packed in parameter order (`float` and `double` as their raw bits); an empty array is passed as null.
    Direct {
        /// Internal name of the class, of a `java.*` package.
        class: &'a str,
        /// Name of the method.
        method: &'a str,
        /// Gives the number of a site from its name and erased descriptor, which may take more slots than any method can.
        site: &'a mut dyn FnMut(&str, &str) -> i32,
    },
}

impl fmt::Debug for Linkage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, class, method) = match self {
            Self::Dynamic { class, method } => ("Dynamic", class, method),
            Self::Direct { class, method, .. } => ("Direct", class, method),
        };
        f.debug_struct(kind).field("class", class).field("method", method).finish_non_exhaustive()
    }
}

/// A method offered to the planner.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo<'c> {
    /// The class that declares it, for its name, hierarchy and annotations.
    pub class: &'c ClassFile<'c>,
    /// The method itself, for its annotations.
    pub member: Member<'c>,
    /// Access flags, see [`crate::access`].
    pub access: u16,
    /// Name, `<init>` and `<clinit>` included.
    pub name: &'c str,
    /// Descriptor.
    pub descriptor: &'c str,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Woven {
    /// The new class; `None` if no method changed.
    pub bytes: Option<Vec<u8>>,
    /// Name and descriptor of each method woven, in file order.
    pub methods: Vec<String>,
    /// Name and descriptor of each method planned but left byte for byte as it was, with the reason.
    pub skipped: Vec<(String, Skip)>,
}

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
    /// Following the values of a constructor takes too long. No compiler makes such code.
    #[error("the constructor is too complex to follow, steps: {steps}")]
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

/// Weaves the methods for which `plan` returns a plan. It is asked about every method, in file order.
///
/// # Errors
/// The class is malformed, a plan is (see [`Error::Parameter`] and [`Error::CallName`]), the constant pool would overflow, or the linkage
/// needs a newer class-file version. A method that cannot be woven is no error: it is in [`Woven::skipped`].
pub fn weave(
    class: &[u8],
    linkage: Linkage<'_>,
    plan: &mut dyn FnMut(&MethodInfo<'_>) -> Option<Plan>,
) -> Result<Woven, Error> {
    let class = ClassFile::parse(class)?;
    let bytes = class.bytes();
    let mut pool = PoolEditor::new(&class);
    let mut linker = Linker::new(&class, linkage)?;
    let mut woven = Woven { bytes: None, methods: Vec::new(), skipped: Vec::new() };
    let mut body = Vec::new();
    // Everything before this offset is in `body`.
    let mut copied = class.layout().access;
    for member in class.methods() {
        // A name that no Rust string can hold is none that a plan could mean.
        let (Ok(name), Ok(descriptor)) = (mutf8::decode(member.name), mutf8::decode(member.descriptor)) else {
            continue;
        };
        let info = MethodInfo { class: &class, member, access: member.access, name: &name, descriptor: &descriptor };
        let Some(plan) = plan(&info).filter(|plan| !plan.is_empty()) else { continue };
        let title = format!("{name}{descriptor}");
        let Some(code) = member.attribute("Code") else {
            woven.skipped.push((title, Skip::NoCode));
            continue;
        };
        match method::weave(&info, code, &plan, &mut pool, &mut linker) {
            Ok(new) => {
                body.extend_from_slice(&bytes[copied..code.offset - 4]);
                put4(&mut body, new.len() as u32);
                body.extend_from_slice(&new);
                copied = code.offset + code.data.len();
                woven.methods.push(title);
            }
            Err(Failure::Method(skip)) => woven.skipped.push((title, skip)),
            Err(Failure::Class(error)) => return Err(error),
        }
    }
    if woven.methods.is_empty() {
        return Ok(woven);
    }
    linker.finish(&class, copied, &mut body, &mut pool)?;
    let mut out = Vec::with_capacity(class.pool().end() + pool.extra_len() + body.len());
    pool.write_head(&class, &mut out);
    out.extend_from_slice(&body);
    woven.bytes = Some(out);
    Ok(woven)
}
