//! Where objects that are not initialised yet go: `this` of a constructor, and what each `new` made.
//!
//! Values are followed as one number each (which uninitialised object is it?), to a fix point over the flow of control.
//! Types are neither joined nor loaded, and frames are not needed, so it works for every class-file version.

use super::opcode::{
    ALOAD, ALOAD_0, ALOAD_3, ASTORE, ASTORE_3, DUP, DUP_X1, DUP_X2, DUP2, DUP2_X1, DUP2_X2, GETFIELD, GETSTATIC,
    INVOKEDYNAMIC, INVOKEINTERFACE, INVOKESPECIAL, INVOKEVIRTUAL, JSR, JSR_W, MONITORENTER, MONITOREXIT,
    MULTIANEWARRAY, NEW, POP, POP2, PUTFIELD, PUTSTATIC, SWAP, WIDE,
};
use super::scan::{Bits, Scan, each_target, written};
use super::stack::{Stack, call_slots, effect, field_slots};
use super::{Code, Failure, opcode};
use crate::bytes::get2;
use crate::reader::ConstantPool;
use crate::weave::Skip;
use std::collections::{BTreeMap, BTreeSet};

/// More instructions than this are not followed. Real constructors take a few passes over at most 64 KB.
const MAX_STEPS: usize = 4_000_000;
/// Nor are more values than this remembered at jump targets.
const MAX_VALUES: usize = 8 << 20;

/// An uninitialised object: none, `this`, or one more than [`THIS`] and the offset of the `new` that made it.
pub(super) type Value = u32;
/// No uninitialised object.
pub(super) const OTHER: Value = 0;
const THIS: Value = 1;

/// The `new` at that offset, as a value.
fn made_at(at: usize) -> Value {
    THIS + 1 + at as u32
}

/// What is known of a method.
#[derive(Debug)]
pub(crate) struct Flow {
    /// Instructions before which `this` is initialised on every path; all that are reached, but in constructors.
    before: Bits,
    /// Offsets behind each call of `super(…)` or `this(…)` on `this`, ascending.
    pub(crate) after_calls: Vec<usize>,
    /// Calls that initialise what a `new` made, by their offset.
    pub(crate) made: BTreeMap<usize, Made>,
    /// Field stores and monitor instructions whose object is initialised on every path.
    ready: Bits,
}

/// What a call of a constructor initialises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Made {
    /// Offset of the `new`.
    pub(crate) at: usize,
    /// Whether a copy of the object lies on top of the stack behind the call.
    pub(crate) copied: bool,
}

impl Flow {
    /// Whether `this` is initialised before the instruction at `at`.
    pub(crate) fn is_initialised(&self, at: usize) -> bool {
        self.before.has(at)
    }

    /// Whether the object that a field store or monitor instruction takes is initialised.
    pub(crate) fn is_ready(&self, at: usize) -> bool {
        self.ready.has(at)
    }

    /// The stretches of code in which `this` is initialised, as ranges of offsets.
    pub(crate) fn ranges(&self, code: &[u8]) -> Result<Vec<(usize, usize)>, Skip> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while at < code.len() {
            let end = at + opcode::length(code, at)?;
            if self.before.has(at) {
                match ranges.last_mut() {
                    Some(last) if last.1 == at => last.1 = end,
                    _ => ranges.push((at, end)),
                }
            }
            at = end;
        }
        Ok(ranges)
    }

    /// Follows the code; `constructor` if `this` is not initialised at its start.
    pub(crate) fn find(
        pool: &ConstantPool<'_>,
        code: &Code<'_>,
        scan: &Scan,
        constructor: bool,
    ) -> Result<Self, Failure> {
        let mut search = Search {
            pool,
            code,
            states: BTreeMap::new(),
            queue: BTreeSet::new(),
            targets: Bits::new(code.bytes.len()),
            values: 0,
            before: Bits::new(code.bytes.len()),
            calls: BTreeSet::new(),
            made: BTreeMap::new(),
            ready: Bits::new(code.bytes.len()),
            steps: 0,
        };
        for &jump in &scan.jumps {
            each_target(code.bytes, jump, |target| {
                search.targets.set(target);
                Ok::<_, Skip>(())
            })?;
        }
        for handler in &code.handlers {
            search.targets.set(scan.start(handler.target, "exception handler")?);
        }
        search.arrive(0, &[], if constructor { &[(0, THIS)] } else { &[] }, !constructor)?;
        search.targets.set(0);
        while let Some(start) = search.queue.pop_first() {
            search.follow(start)?;
        }
        let mut after_calls = Vec::new();
        for at in search.calls {
            let after = at + 3;
            if after >= code.bytes.len() {
                return Err(Skip::Malformed { offset: at, what: "end of the code" }.into());
            }
            after_calls.push(after);
        }
        Ok(Self { before: search.before, after_calls, made: search.made, ready: search.ready })
    }
}

/// Values before an instruction.
#[derive(Debug, Clone)]
struct State {
    /// One for each slot.
    stack: Vec<Value>,
    /// Variables that hold an uninitialised object, ascending.
    locals: Vec<(u16, Value)>,
    initialised: bool,
}

impl State {
    fn local(&self, slot: u16) -> Value {
        self.locals.binary_search_by_key(&slot, |local| local.0).map_or(OTHER, |place| self.locals[place].1)
    }

    /// Whatever was that object no longer is: it was initialised, or made anew.
    fn forget(&mut self, object: Value) {
        for held in self.stack.iter_mut().filter(|held| **held == object) {
            *held = OTHER;
        }
        self.locals.retain(|local| local.1 != object);
    }
}

struct Search<'s, 'a> {
    pool: &'s ConstantPool<'a>,
    code: &'s Code<'a>,
    /// Merged states at jump targets and handlers.
    states: BTreeMap<usize, State>,
    queue: BTreeSet<usize>,
    targets: Bits,
    values: usize,
    before: Bits,
    calls: BTreeSet<usize>,
    made: BTreeMap<usize, Made>,
    ready: Bits,
    steps: usize,
}

impl Search<'_, '_> {
    /// Merges values into those known at `at`, and queues it if that changed something.
    fn arrive(&mut self, at: usize, stack: &[Value], locals: &[(u16, Value)], initialised: bool) -> Result<(), Skip> {
        self.steps += (stack.len() + locals.len()) / 16;
        if let Some(known) = self.states.get_mut(&at) {
            if known.stack.len() != stack.len() {
                return Err(Skip::Malformed { offset: at, what: "stack heights differ" });
            }
            let mut changed = known.initialised && !initialised;
            known.initialised &= initialised;
            for (held, arriving) in known.stack.iter_mut().zip(stack) {
                if *held != OTHER && held != arriving {
                    changed = true;
                    *held = OTHER;
                }
            }
            let before = known.locals.len();
            known.locals.retain(|local| locals.binary_search(local).is_ok());
            if !changed && known.locals.len() == before {
                return Ok(());
            }
        } else {
            self.values += stack.len() + 2 * locals.len() + 64;
            if self.values > MAX_VALUES {
                return Err(Skip::TooComplex { steps: self.steps });
            }
            self.states.insert(at, State { stack: stack.to_vec(), locals: locals.to_vec(), initialised });
        }
        self.queue.insert(at);
        Ok(())
    }

    /// Follows the code from a jump target to where control leaves or reaches another target.
    fn follow(&mut self, start: usize) -> Result<(), Failure> {
        let code = self.code.bytes;
        let Some(mut state) = self.states.get(&start).cloned() else { return Ok(()) };
        let mut at = start;
        loop {
            self.steps += 1 + (self.code.handlers.len() + state.locals.len()) / 16;
            if self.steps > MAX_STEPS {
                return Err(Skip::TooComplex { steps: self.steps }.into());
            }
            self.before.assign(at, state.initialised);
            for index in 0..self.code.handlers.len() {
                let handler = self.code.handlers[index];
                if (handler.start..handler.end).contains(&at) {
                    self.arrive(handler.target, &[OTHER], &state.locals, state.initialised)?;
                }
            }
            let op = code[at];
            let next = at + opcode::length(code, at)?;
            let is_jump =
                matches!(op, opcode::IFEQ..=JSR | opcode::TABLESWITCH | opcode::LOOKUPSWITCH | opcode::IFNULL..=JSR_W);
            // A subroutine is taken to leave the receiver as it is: behind `jsr` the state is the one before it.
            if matches!(op, JSR | JSR_W) {
                state.stack.push(OTHER);
                each_target(code, at, |target| self.arrive(target, &state.stack, &state.locals, state.initialised))?;
                state.stack.pop();
            } else {
                self.step(at, &mut state)?;
                if is_jump {
                    each_target(code, at, |target| {
                        self.arrive(target, &state.stack, &state.locals, state.initialised)
                    })?;
                }
            }
            if opcode::ends_flow(op) {
                return Ok(());
            }
            if next >= code.len() {
                return Err(Skip::Malformed { offset: at, what: "control falls off the end" }.into());
            }
            if self.targets.has(next) {
                self.arrive(next, &state.stack, &state.locals, state.initialised)?;
                return Ok(());
            }
            at = next;
        }
    }

    /// Applies one instruction.
    fn step(&mut self, at: usize, state: &mut State) -> Result<(), Failure> {
        let code = self.code.bytes;
        let loaded = match code[at] {
            ALOAD => Some(u16::from(code[at + 1])),
            op @ ALOAD_0..=ALOAD_3 => Some(u16::from(op - ALOAD_0)),
            WIDE if code[at + 1] == ALOAD => Some(get2(code, at + 2)),
            _ => None,
        }
        .map(|slot| state.local(slot));
        if code[at] == NEW {
            state.forget(made_at(at));
        }
        let mut stack = Stack { slots: &mut state.stack, at, limit: usize::from(self.code.max_stack) };
        if let Some(loaded) = loaded {
            return Ok(stack.push(loaded)?);
        }
        match code[at] {
            NEW => stack.push(made_at(at))?,
            MONITORENTER | MONITOREXIT => {
                stack.need(1)?;
                self.ready.assign(at, stack.slots.pop() == Some(OTHER));
            }
            POP => stack.pop(1)?,
            POP2 => stack.pop(2)?,
            DUP => stack.duplicate(1, 0)?,
            DUP_X1 => stack.duplicate(1, 1)?,
            DUP_X2 => stack.duplicate(1, 2)?,
            DUP2 => stack.duplicate(2, 0)?,
            DUP2_X1 => stack.duplicate(2, 1)?,
            DUP2_X2 => stack.duplicate(2, 2)?,
            SWAP => {
                stack.need(2)?;
                let top = stack.slots.len();
                stack.slots.swap(top - 1, top - 2);
            }
            op @ GETSTATIC..=PUTFIELD => {
                let slots = field_slots(self.pool, get2(code, at + 1))?;
                match op {
                    GETSTATIC => stack.others(slots)?,
                    PUTSTATIC => stack.pop(slots)?,
                    GETFIELD => {
                        stack.pop(1)?;
                        stack.others(slots)?;
                    }
                    _ => {
                        stack.pop(slots)?;
                        stack.need(1)?;
                        self.ready.assign(at, stack.slots.pop() == Some(OTHER));
                    }
                }
            }
            op @ INVOKEVIRTUAL..=INVOKEDYNAMIC => {
                let (name, arguments, result) = call_slots(self.pool, get2(code, at + 1), op == INVOKEDYNAMIC)?;
                stack.pop(arguments)?;
                let mut object = OTHER;
                if matches!(op, INVOKEVIRTUAL | INVOKESPECIAL | INVOKEINTERFACE) {
                    stack.need(1)?;
                    let receiver = stack.slots.pop().unwrap_or(OTHER);
                    if op == INVOKESPECIAL && name == b"<init>" {
                        object = receiver;
                    }
                }
                let copied = stack.slots.last() == Some(&object);
                stack.others(result)?;
                // A later visit knows less, so its findings stand.
                self.calls.remove(&at);
                self.made.remove(&at);
                if object == THIS {
                    self.calls.insert(at);
                    state.initialised = true;
                } else if object != OTHER {
                    self.made.insert(at, Made { at: (object - made_at(0)) as usize, copied });
                }
                if object != OTHER {
                    state.forget(object);
                }
            }
            MULTIANEWARRAY => {
                stack.pop(usize::from(code[at + 3]))?;
                stack.others(1)?;
            }
            op => {
                if let Some((first, slots)) = written(code, at) {
                    self.write(at, state, first, slots)?;
                } else if op != WIDE {
                    let (pops, pushes) = effect(op);
                    stack.pop(pops)?;
                    stack.others(pushes)?;
                } else {
                    let (pops, pushes) = effect(code[at + 1]);
                    stack.pop(pops)?;
                    stack.others(pushes)?;
                }
            }
        }
        Ok(())
    }

    /// A store, or `iinc`.
    fn write(&mut self, at: usize, state: &mut State, first: usize, slots: usize) -> Result<(), Failure> {
        let code = self.code.bytes;
        let op = if code[at] == WIDE { code[at + 1] } else { code[at] };
        state.locals.retain(|local| !(first..first + slots).contains(&usize::from(local.0)));
        if op == opcode::IINC {
            return Ok(());
        }
        let mut stack = Stack { slots: &mut state.stack, at, limit: usize::from(self.code.max_stack) };
        stack.need(slots)?;
        let stored = stack.slots.last().copied().unwrap_or(OTHER);
        stack.pop(slots)?;
        if stored != OTHER && (op == ASTORE || (ASTORE_3 - 3..=ASTORE_3).contains(&op)) {
            let slot = first as u16;
            let place = state.locals.partition_point(|held| held.0 < slot);
            state.locals.insert(place, (slot, stored));
        }
        Ok(())
    }
}
