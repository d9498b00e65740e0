//! Inserts calls at the entry and the exits of methods, and at their instructions.
//!
//! A matched method gets one forward pass over its code; everything else is copied byte for byte, and no member is added.
//! Inserted code is straight-line, names `java.*` types only, and lies in none of the method's own exception ranges.

mod blocks;
mod caught;
mod check;
mod instruction;
mod kind;
mod lines;
mod link;
mod memory;
mod method;
mod pieces;
mod plan;
mod site;
mod sites;
mod skip;
mod titles;

pub use kind::{Site, SiteKind, SiteKinds};
pub use plan::{Call, Methods, Plan, Planner, SitePlan, Source, methods};
pub use skip::Skip;
pub use titles::Titles;

use crate::bytes::put4;
use crate::code::Failure;
use crate::code::pool::PoolEditor;
use crate::reader::{ClassFile, Member};
use crate::{Error, mutf8};
use link::Linker;
use std::fmt;

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
    pub methods: Titles,
    /// Name and descriptor of each method planned but left byte for byte as it was, with the reason.
    pub skipped: Vec<(String, Skip)>,
    /// Sites planned but left as they were in methods that may be woven all the same.
    pub skipped_sites: Vec<SkippedSite>,
}

/// A site that was left as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedSite {
    /// Name and descriptor of the method.
    pub method: String,
    /// What happens there.
    pub kind: SiteKind,
    /// Where it lies in the original code.
    pub offset: usize,
    /// Line of the source, 0 if it is not known.
    pub line: u16,
    /// Why.
    pub reason: Skip,
}

/// Weaves the methods for which the planner has a plan. One that asks for entries and exits alone is made by [`methods`].
///
/// # Errors
/// The class is malformed, a plan is (see [`Error::Parameter`], [`Error::Value`], [`Error::NoAfter`] and [`Error::CallName`]), the constant pool would overflow, or the linkage
/// needs a newer class-file version. A method that cannot be woven is no error: it is in [`Woven::skipped`].
pub fn weave(class: &[u8], linkage: Linkage<'_>, planner: &mut dyn Planner) -> Result<Woven, Error> {
    weave_file(&ClassFile::parse(class)?, linkage, planner)
}

/// What all methods of a class share.
struct Class<'f, 'w, 'l> {
    file: &'f ClassFile<'f>,
    planner: &'w mut dyn Planner,
    pool: PoolEditor,
    linker: Linker<'l>,
    skipped: Vec<SkippedSite>,
}

/// The same for a class that has been read already.
///
/// # Errors
/// Those of [`weave`], but for a malformed structure.
pub fn weave_file(file: &ClassFile<'_>, linkage: Linkage<'_>, planner: &mut dyn Planner) -> Result<Woven, Error> {
    let bytes = file.bytes();
    let (pool, linker) = (PoolEditor::new(file), Linker::new(file, linkage)?);
    let mut class = Class { file, planner, pool, linker, skipped: Vec::new() };
    let mut work = method::Work::new();
    let mut body = std::mem::take(&mut work.memory.body);
    let (mut methods, mut skipped) = (Titles::default(), Vec::new());
    // Everything before this offset is in `body`.
    let mut copied = file.layout().access;
    for member in file.methods() {
        // A name that no Rust string can hold is none that a plan could mean.
        let (Ok(name), Ok(descriptor)) = (mutf8::decode(member.name), mutf8::decode(member.descriptor)) else {
            continue;
        };
        let info = MethodInfo { class: file, member, access: member.access, name: &name, descriptor: &descriptor };
        let plan = &mut work.memory.plan;
        plan.clear();
        class.planner.method(&info, plan);
        if plan.is_empty() {
            continue;
        }
        let title = || format!("{name}{descriptor}");
        let Some(code) = member.attribute("Code") else {
            skipped.push((title(), Skip::NoCode));
            continue;
        };
        let before = body.len();
        body.extend_from_slice(&bytes[copied..code.offset - 4]);
        put4(&mut body, 0);
        let start = body.len();
        match method::weave(&info, code, &mut work, &mut class, &mut body) {
            Ok(true) => {
                let length = (body.len() - start) as u32;
                body[start - 4..start].copy_from_slice(&length.to_be_bytes());
                copied = code.offset + code.data.len();
                methods.push(&name, &descriptor);
            }
            Ok(false) => body.truncate(before),
            Err(Failure::Method(skip)) => {
                body.truncate(before);
                skipped.push((title(), skip));
            }
            Err(Failure::Class(error)) => return Err(error),
        }
    }
    let Class { mut pool, linker, skipped: skipped_sites, .. } = class;
    let mut new = None;
    if !methods.is_empty() {
        linker.finish(file, copied, &mut body, &mut pool)?;
        let mut out = Vec::with_capacity(file.pool().end() + pool.extra_len() + body.len());
        pool.write_head(file, &mut out);
        out.extend_from_slice(&body);
        new = Some(out);
    }
    work.memory.body = body;
    work.memory.keep();
    Ok(Woven { bytes: new, methods, skipped, skipped_sites })
}
