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
#[derive(Debug, Default)]
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
    /// Emits all, into the memory of blocks that are no longer needed.
    pub(super) fn emit(
        &self,
        blocks: &mut Blocks,
        pool: &mut PoolEditor,
        linker: &mut Linker<'_>,
    ) -> Result<(), Failure> {
        let original = usize::from(self.code.max_stack);
        let mut max_stack = original;
        let emitter = |block: &mut Vec<u8>, depth| Emitter::reusing(std::mem::take(block), depth);
        blocks.entry.reserve(32);
        blocks.exit.reserve(32);

        let mut entry = emitter(&mut blocks.entry, 0);
        self.emit_entry(&mut entry, pool, linker)?;
        max_stack = max_stack.max(entry.max_depth);
        blocks.entry = entry.code;

        let mut moved = emitter(&mut blocks.moved, 0);
        for call in self.moved() {
            linker.call(call, &self.late_values(), &mut moved, pool)?;
        }
        // What lies on the stack there is not known, but it is no more than the original code needs.
        max_stack = max_stack.max(original + moved.max_depth);
        blocks.moved = moved.code;

        let returns = &self.plan.returns;
        let mut exit = emitter(&mut blocks.exit, 0);
        if !returns.is_empty() {
            let mut values = self.late_values();
            let mut held = 0;
            if let (Some(result), true) = (&self.shape.result, uses(returns, &Source::Return)) {
                values.result = Some((result.kind, self.scratch));
                exit.store(result.kind, self.scratch);
                held = usize::from(result.kind.slots());
            }
            self.emit_duration(returns, &mut values, &mut exit, pool, linker)?;
            for call in returns {
                linker.call(call, &values, &mut exit, pool)?;
            }
            if let Some((kind, slot)) = values.result {
                exit.load(kind, slot);
                if self.inferred && kind == Kind::Reference {
                    exit.forget(slot);
                }
            }
            max_stack = max_stack.max((original + exit.max_depth).saturating_sub(held));
        }
        blocks.exit = exit.code;

        let errors = &self.plan.errors;
        let mut handler = emitter(&mut blocks.handler, 1);
        if !errors.is_empty() {
            let mut values = self.late_values();
            handler.store(Kind::Reference, self.scratch);
            values.thrown = Some(self.scratch);
            self.emit_duration(errors, &mut values, &mut handler, pool, linker)?;
            for call in errors {
                linker.call(call, &values, &mut handler, pool)?;
            }
            handler.load(Kind::Reference, self.scratch);
            handler.op(ATHROW, 1, 0);
            max_stack = max_stack.max(handler.max_depth);
        }
        blocks.handler = handler.code;
        blocks.max_stack = max_stack;
        Ok(())
    }

    /// Copies, calls, then the clock, so that what the calls cost is not counted.
    fn emit_entry(&self, emitter: &mut Emitter, pool: &mut PoolEditor, linker: &mut Linker<'_>) -> Result<(), Failure> {
        for &(kind, from, to) in &self.copies {
            emitter.load(kind, from);
            emitter.store(kind, to);
        }
        let this = if self.info.access & access::STATIC == 0 { Some(0) } else { None };
        let values = Values { this, arguments: &self.arguments, target: self.lock, ..Values::default() };
        for call in self.entry() {
            linker.call(call, &values, emitter, pool)?;
        }
        if let Some(start) = self.start {
            linker.clock(emitter, pool)?;
            emitter.store(Kind::Long, start);
        }
        Ok(())
    }

    pub(super) fn late_values(&self) -> Values<'_> {
        let arguments = self.late_arguments.as_ref().unwrap_or(&self.arguments);
        Values { this: self.late_this, arguments, target: self.lock, ..Values::default() }
    }

    /// Reads the clock once for all calls of an exit.
    fn emit_duration(
        &self,
        calls: &[Call],
        values: &mut Values<'_>,
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
