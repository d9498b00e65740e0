//! Weaves one method.

use super::site::{Linker, Values};
use super::{Call, MethodInfo, Plan, Skip, Source};
use crate::Error;
use crate::access;
use crate::code::body::{Body, check_attributes};
use crate::code::emit::Emitter;
use crate::code::frames::{Adjust, Variable, starts_uninitialized};
use crate::code::initialised::Initialised;
use crate::code::layout::{Insertion, Layout};
use crate::code::opcode::{ATHROW, IRETURN, LSUB, RETURN};
use crate::code::pool::{Full, PoolEditor};
use crate::code::scan::Scan;
use crate::code::{Code, Failure};
use crate::descriptor::{self, Kind, MethodType};
use crate::reader::Attribute;

/// The contents of the method's new `Code` attribute.
pub(super) fn weave(
    info: &MethodInfo<'_>,
    attribute: Attribute<'_>,
    plan: &Plan,
    pool: &mut PoolEditor,
    linker: &mut Linker<'_>,
) -> Result<Vec<u8>, Failure> {
    let shape = descriptor::method(info.descriptor)?;
    check_plan(info, plan, &shape)?;
    let code = Code::parse(info.class.pool(), attribute)?;
    if (info.name, info.descriptor, code.bytes) == ("finalize", "()V", &[RETURN]) {
        return Err(Skip::EmptyFinalizer.into());
    }
    check_attributes(&code)?;
    let scan = Scan::new(code.bytes, code.max_locals)?;
    let method = Method::new(info, &code, &scan, plan, shape)?;
    let flow = method.follow_receiver()?;
    let blocks = method.emit(pool, linker)?;
    let insertions = method.insertions(&blocks, flow.as_ref())?;
    let caught = method.caught(!blocks.exit.is_empty(), flow.as_ref())?;
    let handler: &[u8] = if caught.is_empty() { &[] } else { &blocks.handler };
    let layout = Layout::new(code.bytes, &scan, &insertions, handler)?;
    let adjust = method.adjust();
    let body = Body {
        code: &code,
        scan: &scan,
        layout: &layout,
        adjust: &adjust,
        major: info.class.major(),
        max_stack: fit("stack slots", blocks.max_stack)?,
        max_locals: fit("local variables", usize::from(code.max_locals) + method.added_locals())?,
        caught: &caught,
    };
    body.write(info.class.pool(), pool)
}

/// Mistakes of the plan are the caller's, so they concern more than this method.
fn check_plan(info: &MethodInfo<'_>, plan: &Plan, shape: &MethodType<'_>) -> Result<(), Failure> {
    for call in plan.entry.iter().chain(&plan.returns).chain(&plan.errors) {
        let name = &call.name;
        if name.is_empty() || name.contains(['.', ';', '[', '/', '<', '>']) {
            return Err(Failure::Class(Error::CallName { name: name.clone() }));
        }
        let count = shape.parameters.len();
        for source in &call.parameters {
            if let Source::Argument(index) = *source
                && usize::from(index) >= count
            {
                let method = format!("{}{}", info.name, info.descriptor);
                return Err(Failure::Class(Error::Parameter { method, count, index: index.into() }));
            }
        }
    }
    Ok(())
}

fn fit(what: &'static str, needed: usize) -> Result<u16, Skip> {
    u16::try_from(needed).map_err(|_| Skip::TooMany { what, limit: usize::from(u16::MAX), needed })
}

fn uses(calls: &[&Call], wanted: &Source) -> bool {
    calls.iter().any(|call| call.parameters.contains(wanted))
}

/// A method to weave, and where its values are.
struct Method<'m, 'a> {
    info: &'m MethodInfo<'m>,
    code: &'m Code<'a>,
    scan: &'m Scan,
    shape: MethodType<'m>,
    /// A constructor whose receiver is not initialised at first; all but that of `Object`.
    constructor: bool,
    /// Calls at the very start.
    entry: Vec<&'m Call>,
    /// Calls at the entry of a constructor that wait for `super(…)`.
    moved: Vec<&'m Call>,
    returns: Vec<&'m Call>,
    errors: Vec<&'m Call>,
    /// Parameters in the variables they arrive in.
    arguments: Vec<(Kind, u16)>,
    /// The same for calls that run later: a copy where the method writes to that variable.
    late_arguments: Vec<(Kind, u16)>,
    late_this: Option<u16>,
    /// Copies to make at the start: kind, from, to.
    copies: Vec<(Kind, u16, u16)>,
    /// Variable of the time at the start.
    start: Option<u16>,
    /// Unwritten variables that late calls read.
    kept: Vec<Variable>,
    /// First of the variables used within one inserted piece only.
    scratch: u16,
}

/// Inserted code.
struct Blocks {
    entry: Vec<u8>,
    moved: Vec<u8>,
    exit: Vec<u8>,
    handler: Vec<u8>,
    max_stack: usize,
}

/// Slots that a piece of inserted code may use for itself: a result or an exception, and a duration.
const SCRATCH: u16 = 4;

impl<'m, 'a> Method<'m, 'a> {
    fn new(
        info: &'m MethodInfo<'m>,
        code: &'m Code<'a>,
        scan: &'m Scan,
        plan: &'m Plan,
        shape: MethodType<'m>,
    ) -> Result<Self, Failure> {
        let is_static = info.access & access::STATIC != 0;
        let constructor = starts_uninitialized(info.class, &info.member);
        let locals = shape.parameter_locals(is_static);
        let arguments: Vec<_> = shape.parameters.iter().map(|p| p.kind).zip(locals).collect();
        if usize::from(code.max_locals) < shape.parameter_slots() + usize::from(!is_static) {
            return Err(Skip::Malformed { offset: 0, what: "more parameters than local variables" }.into());
        }
        let (moved, entry): (Vec<_>, Vec<_>) =
            plan.entry.iter().partition(|call| constructor && call.parameters.contains(&Source::This));
        let mut method = Self {
            info,
            code,
            scan,
            shape,
            constructor,
            entry,
            moved,
            returns: plan.returns.iter().collect(),
            errors: plan.errors.iter().collect(),
            late_arguments: arguments.clone(),
            arguments,
            late_this: (!is_static).then_some(0),
            copies: Vec::new(),
            start: None,
            kept: Vec::new(),
            scratch: code.max_locals,
        };
        method.place_late_values()?;
        Ok(method)
    }

    /// Decides where calls behind the start find parameters and receiver.
    fn place_late_values(&mut self) -> Result<(), Skip> {
        let late: Vec<&Call> = [&self.moved, &self.returns, &self.errors].into_iter().flatten().copied().collect();
        let mut wanted: Vec<usize> = Vec::new();
        for index in 0..self.arguments.len() {
            if uses(&late, &Source::Argument(index as u16)) {
                wanted.push(index);
            }
        }
        if self.late_this.is_some() && uses(&late, &Source::This) {
            if !self.scan.written.has(0) {
                self.kept.push(Variable { slot: 0, kind: Kind::Reference });
            } else if self.constructor {
                return Err(Skip::ThisReassigned);
            } else {
                let copy = self.fresh(Kind::Reference)?;
                self.copies.push((Kind::Reference, 0, copy));
                self.late_this = Some(copy);
            }
        }
        for index in wanted {
            let (kind, slot) = self.arguments[index];
            if (slot..slot + kind.slots()).any(|slot| self.scan.written.has(usize::from(slot))) {
                let copy = self.fresh(kind)?;
                self.copies.push((kind, slot, copy));
                self.late_arguments[index].1 = copy;
            } else {
                self.kept.push(Variable { slot, kind });
            }
        }
        let exits: Vec<&Call> = self.returns.iter().chain(&self.errors).copied().collect();
        if uses(&exits, &Source::Duration) {
            self.start = Some(self.fresh(Kind::Long)?);
        }
        fit("local variables", usize::from(self.scratch) + usize::from(SCRATCH))?;
        Ok(())
    }

    /// A new variable that lives as long as the method.
    fn fresh(&mut self, kind: Kind) -> Result<u16, Skip> {
        let slot = self.scratch;
        self.scratch = fit("local variables", usize::from(slot) + usize::from(kind.slots()))?;
        Ok(slot)
    }

    fn added_locals(&self) -> usize {
        let late = !self.returns.is_empty() || !self.errors.is_empty();
        usize::from(self.scratch - self.code.max_locals) + if late { usize::from(SCRATCH) } else { 0 }
    }

    /// Only a constructor whose receiver matters behind `super(…)` has to be followed.
    fn follow_receiver(&self) -> Result<Option<Initialised>, Failure> {
        if !self.constructor || (self.moved.is_empty() && self.errors.is_empty()) {
            return Ok(None);
        }
        let flow = Initialised::find(self.info.class.pool(), self.code, self.scan)?;
        if flow.after_calls.is_empty() && !self.moved.is_empty() {
            return Err(Skip::NoSuperCall.into());
        }
        Ok(Some(flow))
    }

    fn emit(&self, pool: &mut PoolEditor, linker: &mut Linker<'_>) -> Result<Blocks, Failure> {
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
            }
            max_stack = max_stack.max((usize::from(self.code.max_stack) + clock.max(depth)).saturating_sub(held));
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
        let values = Values { this, arguments: self.arguments.clone(), ..Values::default() };
        for call in &self.entry {
            linker.call(call, &values, &mut emitter, pool)?;
        }
        if let Some(start) = self.start {
            linker.clock(&mut emitter, pool)?;
            emitter.store(Kind::Long, start);
        }
        Ok((emitter.code, emitter.max_depth))
    }

    fn late_values(&self) -> Values {
        Values { this: self.late_this, arguments: self.late_arguments.clone(), ..Values::default() }
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

    fn insertions<'i>(&self, blocks: &'i Blocks, flow: Option<&Initialised>) -> Result<Vec<Insertion<'i>>, Skip> {
        let piece = |at, falling: &'i [u8], always: &'i [u8]| Insertion { at, falling, always, instead: None };
        let mut pieces = Vec::new();
        if !blocks.entry.is_empty() {
            pieces.push(piece(0, &blocks.entry, &[]));
        }
        if let (Some(flow), false) = (flow, blocks.moved.is_empty()) {
            pieces.extend(flow.after_calls.iter().map(|&at| piece(at, &blocks.moved, &[])));
        }
        let opcode = return_opcode(self.shape.result.map(|result| result.kind));
        for &at in &self.scan.returns {
            if self.code.bytes[at] != opcode {
                return Err(Skip::Malformed { offset: at, what: "return of another type" });
            }
            if !blocks.exit.is_empty() {
                pieces.push(piece(at, &[], &blocks.exit));
            }
        }
        pieces.sort_by_key(|piece| piece.at);
        pieces.dedup_by(|later, kept| {
            let same = later.at == kept.at;
            if same {
                // One of them is the return: the sort is stable, so it is the later one.
                kept.always = later.always;
            }
            same
        });
        Ok(pieces)
    }

    /// Ranges of the original code whose exceptions the appended handler sees.
    fn caught(&self, exits: bool, flow: Option<&Initialised>) -> Result<Vec<(usize, usize)>, Skip> {
        if self.errors.is_empty() {
            return Ok(Vec::new());
        }
        let whole = match flow {
            Some(flow) => flow.ranges(self.code.bytes)?,
            None => vec![(0, self.code.bytes.len())],
        };
        if !exits {
            return Ok(whole);
        }
        // A return that fails has already been reported as a return.
        let mut out = Vec::with_capacity(whole.len() + self.scan.returns.len());
        let mut returns = self.scan.returns.iter().copied().peekable();
        for (mut start, end) in whole {
            while let Some(at) = returns.next_if(|&at| at < end) {
                if at > start {
                    out.push((start, at));
                }
                if at >= start {
                    start = at + 1;
                }
            }
            if start < end {
                out.push((start, end));
            }
        }
        Ok(out)
    }

    fn adjust(&self) -> Adjust<'_> {
        let copies = self.copies.iter().map(|&(kind, _, slot)| Variable { slot, kind });
        let start = self.start.map(|slot| Variable { slot, kind: Kind::Long });
        Adjust {
            kept: self.kept.clone(),
            fresh: copies.chain(start).collect(),
            ..Adjust::none(self.info.class, &self.info.member, &self.shape, self.code.max_locals)
        }
    }
}

fn return_opcode(result: Option<Kind>) -> u8 {
    match result {
        None => RETURN,
        Some(Kind::Long) => IRETURN + 1,
        Some(Kind::Float) => IRETURN + 2,
        Some(Kind::Double) => IRETURN + 3,
        Some(Kind::Reference) => IRETURN + 4,
        Some(_) => IRETURN,
    }
}
