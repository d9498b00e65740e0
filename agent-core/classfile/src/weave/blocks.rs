//! Code for the entry and the exits of a method.

use super::link::{Linker, Values};
use super::method::{Method, uses};
use super::{Call, Source};
use crate::access;
use crate::code::Failure;
use crate::code::emit::Emitter;
use crate::code::opcode::{ATHROW, LSUB};
use crate::code::pool::{Full, PoolEditor};
use crate::descriptor::Kind;

/// Inserted code.
pub(super) struct Blocks {
    pub(super) entry: Vec<u8>,
    pub(super) moved: Vec<u8>,
    pub(super) exit: Vec<u8>,
    pub(super) handler: Vec<u8>,
    pub(super) max_stack: usize,
}

/// Slots that a piece of inserted code may use for itself: a result or an exception, and a duration.
pub(super) const SCRATCH: u16 = 4;

impl Method<'_, '_> {
    pub(super) fn emit(&self, pool: &mut PoolEditor, linker: &mut Linker<'_>) -> Result<Blocks, Failure> {
        let mut max_stack = usize::from(self.code.max_stack);
        let (entry, depth) = self.emit_entry(pool, linker)?;
        max_stack = max_stack.max(depth);
        let late = |pool: &mut PoolEditor, linker: &mut Linker<'_>, calls: &[&Call], values: &Values| {
            let mut emitter = Emitter::default();
            for call in calls {
                linker.call(call, values, &mut emitter, pool)?;
            }
            Ok::<_, Failure>((emitter.code, emitter.max_depth))
        };

        let (moved, depth) = late(pool, linker, &self.moved, &self.late_values())?;
        // What lies on the stack there is not known, but it is no more than the original code needs.
        max_stack = max_stack.max(usize::from(self.code.max_stack) + depth);

        let mut exit = Emitter::default();
        if !self.returns.is_empty() {
            let mut values = self.late_values();
            let mut held = 0;
            if let (Some(result), true) = (&self.shape.result, uses(&self.returns, &Source::Return)) {
                values.result = Some((result.kind, self.scratch));
                exit.store(result.kind, self.scratch);
                held = usize::from(result.kind.slots());
            }
            self.emit_duration(&self.returns, &mut values, &mut exit, pool, linker)?;
            let clock = exit.max_depth;
            let (code, depth) = late(pool, linker, &self.returns, &values)?;
            exit.code.extend(code);
            if let Some((kind, slot)) = values.result {
                exit.load(kind, slot);
                if self.inferred && kind == Kind::Reference {
                    exit.forget(slot);
                }
            }
            let depth = clock.max(depth).max(exit.max_depth);
            max_stack = max_stack.max((usize::from(self.code.max_stack) + depth).saturating_sub(held));
        }

        let mut handler = Emitter::with_depth(1);
        if !self.errors.is_empty() {
            let mut values = self.late_values();
            handler.store(Kind::Reference, self.scratch);
            values.thrown = Some(self.scratch);
            self.emit_duration(&self.errors, &mut values, &mut handler, pool, linker)?;
            let (code, depth) = late(pool, linker, &self.errors, &values)?;
            handler.code.extend(code);
            handler.load(Kind::Reference, self.scratch);
            handler.op(ATHROW, 1, 0);
            max_stack = max_stack.max(depth).max(handler.max_depth);
        }
        Ok(Blocks { entry, moved, exit: exit.code, handler: handler.code, max_stack })
    }

    /// Copies, calls, then the clock, so that what the calls cost is not counted.
    fn emit_entry(&self, pool: &mut PoolEditor, linker: &mut Linker<'_>) -> Result<(Vec<u8>, usize), Failure> {
        let mut emitter = Emitter::default();
        for &(kind, from, to) in &self.copies {
            emitter.load(kind, from);
            emitter.store(kind, to);
        }
        let this = if self.info.access & access::STATIC == 0 { Some(0) } else { None };
        let values = Values { this, arguments: self.arguments.clone(), target: self.lock, ..Values::default() };
        for call in &self.entry {
            linker.call(call, &values, &mut emitter, pool)?;
        }
        if let Some(start) = self.start {
            linker.clock(&mut emitter, pool)?;
            emitter.store(Kind::Long, start);
        }
        Ok((emitter.code, emitter.max_depth))
    }

    pub(super) fn late_values(&self) -> Values {
        Values { this: self.late_this, arguments: self.late_arguments.clone(), target: self.lock, ..Values::default() }
    }

    /// Reads the clock once for all calls of an exit.
    fn emit_duration(
        &self,
        calls: &[&Call],
        values: &mut Values,
        emitter: &mut Emitter,
        pool: &mut PoolEditor,
        linker: &mut Linker<'_>,
    ) -> Result<(), Full> {
        if let (Some(start), true) = (self.start, uses(calls, &Source::Duration)) {
            let slot = self.scratch + 2;
            linker.clock(emitter, pool)?;
            emitter.load(Kind::Long, start);
            emitter.op(LSUB, 4, 2);
            emitter.store(Kind::Long, slot);
            values.duration = Some(slot);
        }
        Ok(())
    }
}
