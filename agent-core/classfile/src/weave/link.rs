//! Inserted calls: what they load, and how they reach their handlers.

use super::{Call, Linkage, Skip, Source};
use crate::Error;
use crate::code::Failure;
use crate::code::bootstrap::Bootstraps;
use crate::code::emit::Emitter;
use crate::code::opcode::{AASTORE, ANEWARRAY, DUP, I2L, INVOKEDYNAMIC, INVOKESTATIC, LASTORE, LCONST_0, NEWARRAY};
use crate::code::pool::{Full, PoolEditor};
use crate::descriptor::Kind;
use crate::reader::ClassFile;
use std::sync::Arc;

/// First class-file version with `invokedynamic`.
const DYNAMIC_SINCE: u16 = 51;
/// A method handle takes at most 255 slots with itself, the handle of the call site, and what an invoker appends.
const MAX_DYNAMIC_SLOTS: usize = 253;
const BOOTSTRAP: &str = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;";
const DIRECT: &str = "(I[Ljava/lang/Object;[J)V";
/// The code of `long` in `newarray`.
const T_LONG: u8 = 11;

/// Local variables that hold what a call can pass at one place of a method.
#[derive(Debug, Clone, Default)]
pub(super) struct Values<'v> {
    pub(super) this: Option<u16>,
    pub(super) arguments: &'v [(Kind, u16)],
    pub(super) result: Option<(Kind, u16)>,
    pub(super) duration: Option<u16>,
    pub(super) thrown: Option<u16>,
    pub(super) target: Target,
    /// Operands of a site; those without a variable are not passed.
    pub(super) operands: &'v [(Kind, Option<u16>)],
    /// Whether operands are cut to the bits of their kind.
    pub(super) narrow: bool,
}

/// What a site is about.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Target {
    /// Nothing, or an object that is not initialised.
    #[default]
    Null,
    /// What the variable holds.
    Variable(u16),
    /// The class of that constant.
    Class(u16),
}

impl Values<'_> {
    /// Kind of what is passed, and the variable it is loaded from; `None` for a constant.
    fn find(&self, source: &Source) -> (Kind, Option<u16>) {
        match source {
            Source::This => (Kind::Reference, self.this),
            Source::Argument(index) => {
                let (kind, slot) = self.arguments[usize::from(*index)];
                (kind, Some(slot))
            }
            Source::Return | Source::Result => match self.result {
                Some((kind, slot)) => (kind, Some(slot)),
                None => (Kind::Reference, None),
            },
            Source::Duration => (Kind::Long, self.duration),
            Source::Thrown => (Kind::Reference, self.thrown),
            Source::Operand(index) => {
                self.operands.get(usize::from(*index)).copied().unwrap_or((Kind::Reference, None))
            }
            Source::Target => match self.target {
                Target::Variable(slot) => (Kind::Reference, Some(slot)),
                Target::Null | Target::Class(_) => (Kind::Reference, None),
            },
            Source::Int(_) => (Kind::Int, None),
            Source::Text(_) | Source::Null => (Kind::Reference, None),
        }
    }

    fn load(&self, source: &Source, emitter: &mut Emitter, pool: &mut PoolEditor) -> Result<(), Full> {
        match (self.find(source), source) {
            ((kind, Some(slot)), Source::Operand(_)) if self.narrow => {
                emitter.load(kind, slot);
                emitter.narrow(kind);
            }
            ((kind, Some(slot)), _) => emitter.load(kind, slot),
            ((_, None), Source::Target) => match self.target {
                Target::Class(index) => emitter.constant(index),
                _ => emitter.null(),
            },
            (_, Source::Text(text)) => emitter.string(text, pool)?,
            (_, Source::Int(value)) => emitter.int(*value, pool)?,
            ((Kind::Long, None), _) => emitter.op(LCONST_0, 0, 2),
            _ => emitter.null(),
        }
        Ok(())
    }
}

/// Links the calls of one class.
pub(super) struct Linker<'l> {
    linkage: Linkage<'l>,
    major: u16,
    bootstraps: Bootstraps,
    /// Constants that every method needs, once made.
    known: Known,
}

#[derive(Debug, Default)]
struct Known {
    bootstrap: Option<u16>,
    direct: Option<u16>,
    object: Option<u16>,
    clock: Option<u16>,
    /// The code of calls that pass nothing, by their names.
    bare: Vec<(Arc<str>, Emitter)>,
}

/// Calls that are remembered by name: as many as handlers commonly are in one class.
const MAX_BARE: usize = 16;

/// The constant, made by `make` the first time.
fn once(known: &mut Option<u16>, make: impl FnOnce() -> Result<u16, Full>) -> Result<u16, Full> {
    if let Some(index) = *known {
        return Ok(index);
    }
    let index = make()?;
    *known = Some(index);
    Ok(index)
}

impl<'l> Linker<'l> {
    pub(super) fn new(class: &ClassFile<'_>, linkage: Linkage<'l>) -> Result<Self, Error> {
        Ok(Self { linkage, major: class.major(), bootstraps: Bootstraps::new(class)?, known: Known::default() })
    }

    /// Appends the rest of the class, see [`Bootstraps::finish`].
    pub(super) fn finish(
        &self,
        class: &ClassFile<'_>,
        copied: usize,
        body: &mut Vec<u8>,
        pool: &mut PoolEditor,
    ) -> Result<(), Error> {
        self.bootstraps.finish(class, copied, body, pool)
    }

    /// Emits a read of the clock, in nanoseconds.
    pub(super) fn clock(&mut self, emitter: &mut Emitter, pool: &mut PoolEditor) -> Result<(), Full> {
        let clock = once(&mut self.known.clock, || pool.method("java/lang/System", "nanoTime", "()J"))?;
        emitter.op2(INVOKESTATIC, clock, 0, 2);
        Ok(())
    }

    /// The constant of the class `java.lang.Object`.
    pub(super) fn object(&mut self, pool: &mut PoolEditor) -> Result<u16, Full> {
        once(&mut self.known.object, || pool.class("java/lang/Object"))
    }

    /// Emits one call.
    pub(super) fn call(
        &mut self,
        call: &Call,
        values: &Values<'_>,
        emitter: &mut Emitter,
        pool: &mut PoolEditor,
    ) -> Result<(), Failure> {
        if call.parameters.is_empty() {
            return self.bare_call(call, emitter, pool);
        }
        let kinds: Vec<Kind> = call.parameters.iter().map(|source| values.find(source).0).collect();
        let slots: usize = kinds.iter().map(|kind| usize::from(kind.slots())).sum();
        let mut descriptor = String::from("(");
        descriptor.extend(kinds.iter().map(|kind| kind.erased()));
        descriptor.push_str(")V");
        match &mut self.linkage {
            Linkage::Dynamic { class, method } => {
                if slots > MAX_DYNAMIC_SLOTS {
                    let name = call.name.to_string();
                    return Err(Skip::CallTooLarge { name, limit: MAX_DYNAMIC_SLOTS, slots }.into());
                }
                for source in &call.parameters {
                    values.load(source, emitter, pool)?;
                }
                let (class, method) = (*class, *method);
                let site = self.site(class, method, &call.name, &descriptor, pool)?;
                emitter.op2(INVOKEDYNAMIC, site, slots, 0);
                emitter.code.extend([0, 0]);
            }
            Linkage::Direct { class, method, site } => {
                emitter.int(site(&call.name, &descriptor), pool)?;
                let (references, primitives): (Vec<_>, Vec<_>) =
                    call.parameters.iter().zip(kinds).partition(|(_, kind)| !kind.is_primitive());
                if references.is_empty() {
                    emitter.null();
                } else {
                    emitter.size(references.len(), pool)?;
                    let object = once(&mut self.known.object, || pool.class("java/lang/Object"))?;
                    emitter.op2(ANEWARRAY, object, 1, 1);
                    for (index, (source, _)) in references.into_iter().enumerate() {
                        emitter.op(DUP, 0, 1);
                        emitter.size(index, pool)?;
                        values.load(source, emitter, pool)?;
                        emitter.op(AASTORE, 3, 0);
                    }
                }
                if primitives.is_empty() {
                    emitter.null();
                } else {
                    emitter.size(primitives.len(), pool)?;
                    emitter.op(NEWARRAY, 1, 1);
                    emitter.code.push(T_LONG);
                    for (index, (source, kind)) in primitives.into_iter().enumerate() {
                        emitter.op(DUP, 0, 1);
                        emitter.size(index, pool)?;
                        values.load(source, emitter, pool)?;
                        to_long(kind, emitter, pool)?;
                        emitter.op(LASTORE, 4, 0);
                    }
                }
                let target = once(&mut self.known.direct, || pool.method(class, method, DIRECT))?;
                emitter.op2(INVOKESTATIC, target, 3, 0);
            }
        }
        Ok(())
    }

    /// The constant of a dynamic call site.
    fn site(
        &mut self,
        class: &str,
        method: &str,
        name: &str,
        descriptor: &str,
        pool: &mut PoolEditor,
    ) -> Result<u16, Failure> {
        if self.major < DYNAMIC_SINCE {
            return Err(Failure::Class(Error::Version { expected: DYNAMIC_SINCE, got: self.major }));
        }
        let bootstrap = if let Some(index) = self.known.bootstrap {
            index
        } else {
            let handle = pool.static_handle(class, method, BOOTSTRAP)?;
            *self.known.bootstrap.insert(self.bootstraps.add(handle, Vec::new()).map_err(Failure::Class)?)
        };
        Ok(pool.invoke_dynamic(bootstrap, name, descriptor)?)
    }

    /// Emits a call that passes nothing, which is the same in every method.
    fn bare_call(&mut self, call: &Call, emitter: &mut Emitter, pool: &mut PoolEditor) -> Result<(), Failure> {
        if let Some((_, known)) = self.known.bare.iter().find(|(name, _)| Arc::ptr_eq(name, &call.name)) {
            emitter.append(known);
            return Ok(());
        }
        let mut new = Emitter::default();
        match &mut self.linkage {
            Linkage::Dynamic { class, method } => {
                let (class, method) = (*class, *method);
                let site = self.site(class, method, &call.name, "()V", pool)?;
                new.op2(INVOKEDYNAMIC, site, 0, 0);
                new.code.extend([0, 0]);
            }
            Linkage::Direct { class, method, site } => {
                new.int(site(&call.name, "()V"), pool)?;
                new.null();
                new.null();
                let target = once(&mut self.known.direct, || pool.method(class, method, DIRECT))?;
                new.op2(INVOKESTATIC, target, 3, 0);
            }
        }
        emitter.append(&new);
        if self.known.bare.len() < MAX_BARE {
            self.known.bare.push((Arc::clone(&call.name), new));
        }
        Ok(())
    }
}

/// Turns the primitive on the stack into a `long`.
fn to_long(kind: Kind, emitter: &mut Emitter, pool: &mut PoolEditor) -> Result<(), Full> {
    match kind {
        Kind::Long | Kind::Reference => {}
        Kind::Float => {
            emitter.op2(INVOKESTATIC, pool.method("java/lang/Float", "floatToRawIntBits", "(F)I")?, 1, 1);
            emitter.op(I2L, 1, 2);
        }
        Kind::Double => {
            emitter.op2(INVOKESTATIC, pool.method("java/lang/Double", "doubleToRawLongBits", "(D)J")?, 2, 2);
        }
        _ => emitter.op(I2L, 1, 2),
    }
    Ok(())
}
