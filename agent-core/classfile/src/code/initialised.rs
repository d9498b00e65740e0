//! Where in a constructor `this` is initialised, and which calls initialise it.
//!
//! Values are followed as one bit each (is it the receiver before `super(…)`?), to a fix point over the flow of control.
//! Types are neither joined nor loaded, and frames are not needed, so it works for every class-file version.

use super::opcode::{
    ALOAD, ALOAD_0, ALOAD_3, ASTORE, ASTORE_3, DUP, DUP_X1, DUP_X2, DUP2, DUP2_X1, DUP2_X2, GETFIELD, GETSTATIC,
    INVOKEDYNAMIC, INVOKEINTERFACE, INVOKESPECIAL, INVOKEVIRTUAL, JSR, JSR_W, MULTIANEWARRAY, POP, POP2, PUTFIELD,
    PUTSTATIC, SWAP, WIDE,
};
use super::scan::{Bits, Scan, each_target, written};
use super::{Code, Failure, opcode};
use crate::bytes::get2;
use crate::reader::ConstantPool;
use crate::weave::Skip;
use crate::{descriptor, mutf8};
use std::collections::{BTreeMap, BTreeSet};

/// More instructions than this are not followed. Real constructors take a few passes over at most 64 KB.
const MAX_STEPS: usize = 4_000_000;
/// Nor are more values than this remembered at jump targets.
const MAX_VALUES: usize = 8 << 20;

/// What is known of a constructor.
#[derive(Debug)]
pub(crate) struct Initialised {
    /// Instructions before which `this` is initialised on every path.
    before: Bits,
    /// Offsets behind each call of `super(…)` or `this(…)` on `this`, ascending.
    pub(crate) after_calls: Vec<usize>,
}

impl Initialised {
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

    pub(crate) fn find(pool: &ConstantPool<'_>, code: &Code<'_>, scan: &Scan) -> Result<Self, Failure> {
        let mut search = Search {
            pool,
            code,
            states: BTreeMap::new(),
            queue: BTreeSet::new(),
            targets: Bits::new(code.bytes.len()),
            values: 0,
            before: Bits::new(code.bytes.len()),
            calls: BTreeSet::new(),
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
        search.arrive(0, &[], &[0], false)?;
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
        Ok(Self { before: search.before, after_calls })
    }
}

/// Values before an instruction.
#[derive(Debug, Clone)]
struct State {
    /// One for each slot: whether it is the uninitialised receiver.
    stack: Vec<bool>,
    /// Variables that hold the uninitialised receiver, ascending.
    locals: Vec<u16>,
    initialised: bool,
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
    steps: usize,
}

impl Search<'_, '_> {
    /// Merges values into those known at `at`, and queues it if that changed something.
    fn arrive(&mut self, at: usize, stack: &[bool], locals: &[u16], initialised: bool) -> Result<(), Skip> {
        self.steps += (stack.len() + locals.len()) / 16;
        if let Some(known) = self.states.get_mut(&at) {
            if known.stack.len() != stack.len() {
                return Err(Skip::Malformed { offset: at, what: "stack heights differ" });
            }
            let mut changed = known.initialised && !initialised;
            known.initialised &= initialised;
            for (held, arriving) in known.stack.iter_mut().zip(stack) {
                changed |= *held && !arriving;
                *held &= arriving;
            }
            let before = known.locals.len();
            known.locals.retain(|slot| locals.binary_search(slot).is_ok());
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
                    self.arrive(handler.target, &[false], &state.locals, state.initialised)?;
                }
            }
            let op = code[at];
            let next = at + opcode::length(code, at)?;
            let is_jump =
                matches!(op, opcode::IFEQ..=JSR | opcode::TABLESWITCH | opcode::LOOKUPSWITCH | opcode::IFNULL..=JSR_W);
            // A subroutine is taken to leave the receiver as it is: behind `jsr` the state is the one before it.
            if matches!(op, JSR | JSR_W) {
                state.stack.push(false);
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
        let mut stack = Stack { slots: &mut state.stack, at, limit: usize::from(self.code.max_stack) };
        match code[at] {
            ALOAD => stack.push(state.locals.contains(&u16::from(code[at + 1])))?,
            op @ ALOAD_0..=ALOAD_3 => stack.push(state.locals.contains(&u16::from(op - ALOAD_0)))?,
            WIDE if code[at + 1] == ALOAD => stack.push(state.locals.contains(&get2(code, at + 2)))?,
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
                    _ => stack.pop(slots + 1)?,
                }
            }
            op @ INVOKEVIRTUAL..=INVOKEDYNAMIC => {
                let (name, arguments, result) = call_slots(self.pool, get2(code, at + 1), op == INVOKEDYNAMIC)?;
                stack.pop(arguments)?;
                let mut on_this = false;
                if matches!(op, INVOKEVIRTUAL | INVOKESPECIAL | INVOKEINTERFACE) {
                    stack.need(1)?;
                    on_this = stack.slots.pop() == Some(true) && op == INVOKESPECIAL && name == b"<init>";
                }
                stack.others(result)?;
                if on_this {
                    self.calls.insert(at);
                    state.stack.fill(false);
                    state.locals.clear();
                    state.initialised = true;
                } else {
                    self.calls.remove(&at);
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
        state.locals.retain(|&slot| !(first..first + slots).contains(&usize::from(slot)));
        if op == opcode::IINC {
            return Ok(());
        }
        let mut stack = Stack { slots: &mut state.stack, at, limit: usize::from(self.code.max_stack) };
        stack.need(slots)?;
        let receiver = stack.slots.last() == Some(&true);
        stack.pop(slots)?;
        if receiver && (op == ASTORE || (ASTORE_3 - 3..=ASTORE_3).contains(&op)) {
            let slot = first as u16;
            let place = state.locals.partition_point(|&held| held < slot);
            state.locals.insert(place, slot);
        }
        Ok(())
    }
}

struct Stack<'s> {
    slots: &'s mut Vec<bool>,
    at: usize,
    limit: usize,
}

impl Stack<'_> {
    fn need(&self, count: usize) -> Result<(), Skip> {
        if self.slots.len() < count {
            return Err(Skip::Malformed { offset: self.at, what: "stack underflow" });
        }
        Ok(())
    }

    fn pop(&mut self, count: usize) -> Result<(), Skip> {
        self.need(count)?;
        self.slots.truncate(self.slots.len() - count);
        Ok(())
    }

    fn push(&mut self, receiver: bool) -> Result<(), Skip> {
        if self.slots.len() >= self.limit {
            return Err(Skip::Malformed { offset: self.at, what: "stack overflow" });
        }
        self.slots.push(receiver);
        Ok(())
    }

    /// Pushes slots that are not the receiver.
    fn others(&mut self, count: usize) -> Result<(), Skip> {
        (0..count).try_for_each(|_| self.push(false))
    }

    /// Copies the top `count` slots to below the `below` slots beneath them.
    fn duplicate(&mut self, count: usize, below: usize) -> Result<(), Skip> {
        self.need(count + below)?;
        if self.slots.len() + count > self.limit {
            return Err(Skip::Malformed { offset: self.at, what: "stack overflow" });
        }
        let length = self.slots.len();
        let copied = self.slots[length - count..].to_vec();
        let place = length - count - below;
        self.slots.splice(place..place, copied);
        Ok(())
    }
}

fn field_slots(pool: &ConstantPool<'_>, index: u16) -> Result<usize, Failure> {
    let member = pool.member_ref(index)?;
    Ok(if matches!(member.descriptor, b"J" | b"D") { 2 } else { 1 })
}

/// Name, slots of the arguments and slots of the result.
fn call_slots<'a>(pool: &ConstantPool<'a>, index: u16, dynamic: bool) -> Result<(&'a [u8], usize, usize), Failure> {
    let (name, text) = if dynamic {
        let site = pool.dynamic(index)?;
        (site.name, site.descriptor)
    } else {
        let member = pool.member_ref(index)?;
        (member.name, member.descriptor)
    };
    let text = mutf8::decode_lossy(text)?;
    let parsed = descriptor::method(&text)?;
    let result = parsed.result.map_or(0, |result| usize::from(result.kind.slots()));
    Ok((name, parsed.parameter_slots(), result))
}

/// Slots popped and pushed by instructions whose effect the opcode alone decides, the rest being handled above.
fn effect(op: u8) -> (usize, usize) {
    match op {
        1..=8 | 11..=13 | 16..=19 | 21 | 23 | 26..=29 | 34..=37 | 187 => (0, 1),
        9 | 10 | 14 | 15 | 20 | 22 | 24 | 30..=33 | 38..=41 => (0, 2),
        79 | 81 | 83..=86 => (3, 0),
        80 | 82 => (4, 0),
        46
        | 48
        | 50..=53
        | 96
        | 98
        | 100
        | 102
        | 104
        | 106
        | 108
        | 110
        | 112
        | 114
        | 120
        | 122
        | 124
        | 126
        | 128
        | 130
        | 136
        | 137
        | 142
        | 144
        | 149
        | 150 => (2, 1),
        97 | 99 | 101 | 103 | 105 | 107 | 109 | 111 | 113 | 115 | 127 | 129 | 131 => (4, 2),
        116 | 118 | 134 | 139 | 145..=147 | 188..=190 | 192 | 193 => (1, 1),
        47 | 49 | 117 | 119 | 138 | 143 => (2, 2),
        121 | 123 | 125 => (3, 2),
        133 | 135 | 140 | 141 => (1, 2),
        148 | 151 | 152 => (4, 1),
        153..=158 | 170..=172 | 174 | 176 | 191 | 194 | 195 | 198 | 199 => (1, 0),
        159..=166 | 173 | 175 => (2, 0),
        _ => (0, 0),
    }
}
