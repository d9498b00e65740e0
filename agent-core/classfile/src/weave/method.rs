//! Weaves one method.

use super::blocks::{Blocks, SCRATCH};
use super::link::Target;
use super::memory::Memory;
use super::pieces::Pieces;
use super::sites::{Planned, Search};
use super::{Call, Class, MethodInfo, Plan, SiteKind, Source, check, site};
use crate::access;
use crate::code::body::{self, Body, check_attributes};
use crate::code::flow::Flow;
use crate::code::frames::{Adjust, Variable, starts_uninitialized};
use crate::code::layout::Insertion;
use crate::code::opcode::{GOTO_W, IRETURN, RETURN};
use crate::code::scan::Scan;
use crate::code::{Code, Failure};
use crate::descriptor::{self, Kind, MethodType};
use crate::reader::Attribute;
use crate::weave::Skip;

/// The first class-file version whose `ldc` takes a class.
const CLASS_CONSTANTS_SINCE: u16 = 49;

/// The first class-file version whose types the JVM never infers. To join two types that it inferred it loads their classes,
/// which may be absent where the method works all the same.
const CHECKED_SINCE: u16 = 51;

/// What the methods of a class use one after the other.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pub(super) memory: Box<Memory>,
    code: Code<'a>,
}

impl Work<'_> {
    pub(super) fn new() -> Self {
        Self { memory: Memory::take(), code: Code::default() }
    }
}

/// Appends the contents of the method's new `Code` attribute to `out`; returns whether anything is inserted at all. The plan is
/// that of `work`. Sites left out go to `skipped`.
pub(super) fn weave<'a>(
    info: &MethodInfo<'_>,
    attribute: Attribute<'a>,
    work: &mut Work<'a>,
    class: &mut Class<'a, '_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, Failure> {
    let Work { memory, code } = work;
    let Memory { plan, scan, blocks, layout, .. } = &mut **memory;
    let Class { file, planner, pool, linker, skipped } = class;
    // Parameters matter where one may be passed, and in the frame of a handler.
    let whole =
        !plan.errors.is_empty() || !plan.sites.is_empty() || plan.ends().any(|call| !call.parameters.is_empty());
    let shape = if whole { descriptor::method(info.descriptor)? } else { descriptor::result_of(info.descriptor)? };
    check::plan(info, plan, &shape).map_err(Failure::Class)?;
    let constants = file.pool();
    code.read(constants, attribute)?;
    if (info.name, info.descriptor, code.bytes) == ("finalize", "()V", &[RETURN]) {
        return Err(Skip::EmptyFinalizer.into());
    }
    check_attributes(code)?;
    scan.read(code.bytes, code.max_locals)?;
    let (code, scan) = (&*code, &*scan);
    let mut search = Search { info, pool: constants, code, scan, shape: &shape, planner: &mut **planner };
    let planned = search.run(plan)?;
    let plan = &*plan;
    if plan.has_no_ends() && planned.is_empty() {
        return Ok(false);
    }
    let method = Method::new(info, code, scan, plan, &planned, &shape)?;
    let flow = method.follow(&planned)?;
    method.emit(blocks, pool, linker)?;
    let mut sites = site::Woven::default();
    if !planned.is_empty() {
        sites = method.emit_sites(&planned, flow.as_ref(), pool, linker)?;
        skipped.append(&mut sites.skipped);
    }
    if plan.has_no_ends() && sites.count == 0 {
        return Ok(false);
    }
    method.check_returns()?;
    let caught = method.caught(!blocks.exit.is_empty(), flow.as_ref())?;
    let mut appended = if caught.is_empty() { Vec::new() } else { std::mem::take(&mut blocks.handler) };
    let apart = append(sites.apart, &mut appended);
    if planned.is_empty() && blocks.moved.is_empty() {
        layout.lay(code.bytes, scan, &method.insertions(blocks), &appended)?;
    } else {
        method.place(blocks, flow.as_ref(), &mut sites.pieces);
        layout.lay(code.bytes, scan, &sites.pieces.sorted().insertions(), &appended)?;
    }
    for handler in &apart {
        layout.point_goto_w(handler.end, handler.caught.target);
    }
    let only_move = method.keeps_variables() && caught.is_empty() && apart.is_empty() && layout.steps.is_empty();
    let full = if whole || only_move { None } else { Some(descriptor::method(info.descriptor)?) };
    let adjust = (!only_move).then(|| method.adjust(full.as_ref().unwrap_or(&shape)));
    let locals = usize::from(method.scratch) + method.scratch_slots().max(sites.slots);
    let body = Body {
        code,
        scan,
        layout,
        adjust: adjust.as_ref(),
        major: info.class.major(),
        max_stack: fit("stack slots", blocks.max_stack.max(sites.max_stack))?,
        max_locals: fit("local variables", locals)?,
        caught: &caught,
        apart: &apart,
    };
    body.write(constants, pool, out)?;
    Ok(true)
}

/// Appends handlers that lie apart, each with a jump to the original one, whose distance is not known yet.
fn append(handlers: Vec<(body::Caught, Vec<u8>)>, appended: &mut Vec<u8>) -> Vec<body::Apart> {
    handlers
        .into_iter()
        .map(|(caught, code)| {
            let start = appended.len();
            appended.extend(code);
            let end = appended.len();
            appended.extend([GOTO_W, 0, 0, 0, 0]);
            body::Apart { caught, start, end }
        })
        .collect()
}

pub(super) fn fit(what: &'static str, needed: usize) -> Result<u16, Skip> {
    u16::try_from(needed).map_err(|_| Skip::TooMany { what, limit: usize::from(u16::MAX), needed })
}

pub(super) fn uses<'c>(calls: impl IntoIterator<Item = &'c Call>, wanted: &Source) -> bool {
    calls.into_iter().any(|call| call.parameters.contains(wanted))
}

/// A method to weave, and where its values are.
pub(super) struct Method<'m, 'a> {
    pub(super) info: &'m MethodInfo<'m>,
    pub(super) code: &'m Code<'a>,
    pub(super) scan: &'m Scan,
    pub(super) shape: &'m MethodType<'m>,
    /// A constructor whose receiver is not initialised at first; all but that of `Object`.
    pub(super) constructor: bool,
    /// Whether no variable may keep a type of its own behind inserted code, see [`CHECKED_SINCE`].
    pub(super) inferred: bool,
    pub(super) plan: &'m Plan,
    planned: &'m [Planned<'m>],
    /// What a synchronized static method locks.
    pub(super) lock: Target,
    /// Parameters in the variables they arrive in; none if no call passes one.
    pub(super) arguments: Vec<(Kind, u16)>,
    /// The same for calls that run later, with a copy where the method writes to that variable; `None` if there are no copies.
    pub(super) late_arguments: Option<Vec<(Kind, u16)>>,
    pub(super) late_this: Option<u16>,
    /// Copies to make at the start: kind, from, to.
    pub(super) copies: Vec<(Kind, u16, u16)>,
    /// Variable of the time at the start.
    pub(super) start: Option<u16>,
    /// Unwritten variables that late calls read.
    pub(super) kept: Vec<Variable>,
    /// First of the variables used within one inserted piece only.
    pub(super) scratch: u16,
}

impl<'m, 'a> Method<'m, 'a> {
    fn new(
        info: &'m MethodInfo<'m>,
        code: &'m Code<'a>,
        scan: &'m Scan,
        plan: &'m Plan,
        planned: &'m [Planned<'m>],
        shape: &'m MethodType<'m>,
    ) -> Result<Self, Failure> {
        let is_static = info.access & access::STATIC != 0;
        if usize::from(code.max_locals) < shape.parameter_slots() + usize::from(!is_static) {
            return Err(Skip::Malformed { offset: 0, what: "more parameters than local variables" }.into());
        }
        let mut method = Self {
            info,
            code,
            scan,
            shape,
            constructor: starts_uninitialized(info.class, &info.member),
            inferred: info.class.major() < CHECKED_SINCE,
            plan,
            planned,
            lock: if info.class.major() < CLASS_CONSTANTS_SINCE {
                Target::Null
            } else {
                Target::Class(info.class.this_index())
            },
            late_arguments: None,
            arguments: Vec::new(),
            late_this: (!is_static).then_some(0),
            copies: Vec::new(),
            start: None,
            kept: Vec::new(),
            scratch: code.max_locals,
        };
        let passes_argument = |call: &Call| call.parameters.iter().any(|source| matches!(source, Source::Argument(_)));
        if plan.entry.iter().chain(method.late()).any(passes_argument) {
            let locals = shape.parameter_locals(is_static);
            method.arguments = shape.parameters.iter().map(|p| p.kind).zip(locals).collect();
        }
        method.place_late_values()?;
        Ok(method)
    }

    /// Calls at the very start.
    pub(super) fn entry(&self) -> impl Iterator<Item = &'m Call> {
        let constructor = self.constructor;
        self.plan.entry.iter().filter(move |call| !is_moved(constructor, call))
    }

    /// Calls at the entry of a constructor that wait for `super(…)`.
    pub(super) fn moved(&self) -> impl Iterator<Item = &'m Call> {
        let constructor = self.constructor;
        self.plan.entry.iter().filter(move |call| is_moved(constructor, call))
    }

    /// Calls of all sites.
    fn sites(&self) -> impl Iterator<Item = &'m Call> {
        self.planned.iter().flat_map(|site| site.plan.calls())
    }

    /// Calls behind the start.
    fn late(&self) -> impl Iterator<Item = &'m Call> {
        self.moved().chain(&self.plan.returns).chain(&self.plan.errors).chain(self.sites())
    }

    /// Decides where calls behind the start find parameters and receiver.
    fn place_late_values(&mut self) -> Result<(), Skip> {
        if self.late_this.is_some() && uses(self.late(), &Source::This) {
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
        for index in 0..self.arguments.len() {
            if !uses(self.late(), &Source::Argument(index as u16)) {
                continue;
            }
            let (kind, slot) = self.arguments[index];
            if (slot..slot + kind.slots()).any(|slot| self.scan.written.has(usize::from(slot))) {
                let copy = self.fresh(kind)?;
                self.copies.push((kind, slot, copy));
                self.late_arguments.get_or_insert_with(|| self.arguments.clone())[index].1 = copy;
            } else {
                self.kept.push(Variable { slot, kind });
            }
        }
        if uses(self.plan.returns.iter().chain(&self.plan.errors), &Source::Duration) {
            self.start = Some(self.fresh(Kind::Long)?);
        }
        fit("local variables", usize::from(self.scratch) + usize::from(SCRATCH))?;
        Ok(())
    }

    /// Whether frames show what they showed before.
    fn keeps_variables(&self) -> bool {
        self.kept.is_empty() && self.copies.is_empty() && self.start.is_none()
    }

    /// A new variable that lives as long as the method.
    fn fresh(&mut self, kind: Kind) -> Result<u16, Skip> {
        let slot = self.scratch;
        self.scratch = fit("local variables", usize::from(slot) + usize::from(kind.slots()))?;
        Ok(slot)
    }

    /// Slots that entry and exits use beyond the variables that live as long as the method.
    fn scratch_slots(&self) -> usize {
        let late = !self.plan.returns.is_empty() || !self.plan.errors.is_empty();
        if late { usize::from(SCRATCH) } else { 0 }
    }

    /// Only methods in which an object matters while it is not initialised have to be followed.
    fn follow(&self, planned: &[Planned<'_>]) -> Result<Option<Flow>, Failure> {
        let matters = |site: &Planned<'_>| match site.found.kind {
            SiteKind::New => !site.plan.after.is_empty(),
            SiteKind::FieldSet => self.constructor && uses(site.plan.calls(), &Source::Target),
            SiteKind::SyncEntry | SiteKind::SyncExit => uses(site.plan.calls(), &Source::Target),
            _ => false,
        };
        let has_moved = self.moved().next().is_some();
        let receiver = has_moved || !self.plan.errors.is_empty() || uses(self.sites(), &Source::This);
        if !(self.constructor && receiver || planned.iter().any(matters)) {
            return Ok(None);
        }
        let flow = Flow::find(self.info.class.pool(), self.code, self.scan, self.constructor)?;
        if flow.after_calls.is_empty() && has_moved {
            return Err(Skip::NoSuperCall.into());
        }
        Ok(Some(flow))
    }

    /// Fails if a return is one of another type.
    fn check_returns(&self) -> Result<(), Skip> {
        let opcode = return_opcode(self.shape.result.map(|result| result.kind));
        match self.scan.returns.iter().find(|&&at| self.code.bytes[at] != opcode) {
            Some(&offset) => Err(Skip::Malformed { offset, what: "return of another type" }),
            None => Ok(()),
        }
    }

    /// The code of the entry and the exits, where there is nothing else to insert.
    fn insertions<'b>(&self, blocks: &'b Blocks) -> Vec<Insertion<'b>> {
        let mut all = Vec::with_capacity(1 + self.scan.returns.len());
        if !blocks.entry.is_empty() {
            all.push(Insertion { at: 0, falling: &blocks.entry, always: &[], instead: None });
        }
        if !blocks.exit.is_empty() {
            for &at in &self.scan.returns {
                match all.last_mut().filter(|last| last.at == at) {
                    Some(entry) => entry.always = &blocks.exit,
                    None => all.push(Insertion { at, falling: &[], always: &blocks.exit, instead: None }),
                }
            }
        }
        all
    }

    /// Adds the code of the entry and the exits to that of the sites.
    fn place(&self, blocks: &Blocks, flow: Option<&Flow>, pieces: &mut Pieces) {
        pieces.falling(0, &blocks.entry);
        for &at in flow.iter().flat_map(|flow| &flow.after_calls) {
            pieces.falling(at, &blocks.moved);
        }
        for &at in &self.scan.returns {
            pieces.always(at, &blocks.exit);
        }
    }

    fn adjust<'s>(&self, shape: &MethodType<'s>) -> Adjust<'s> {
        let copies = self.copies.iter().map(|&(kind, _, slot)| Variable { slot, kind });
        let start = self.start.map(|slot| Variable { slot, kind: Kind::Long });
        Adjust {
            kept: self.kept.clone(),
            fresh: copies.chain(start).collect(),
            ..Adjust::none(self.info.class, &self.info.member, shape, self.code.max_locals)
        }
    }
}

/// Whether a call at the entry passes a receiver that is not initialised yet.
fn is_moved(constructor: bool, call: &Call) -> bool {
    constructor && call.parameters.contains(&Source::This)
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
