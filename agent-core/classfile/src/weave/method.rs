//! Weaves one method.

use super::blocks::{Blocks, SCRATCH};
use super::link::{Linker, Target};
use super::pieces::Pieces;
use super::sites::{Ends, Planned, Search};
use super::{Call, MethodInfo, Plan, Planner, SiteKind, SkippedSite, Source, check};
use crate::access;
use crate::code::body::{self, Body, check_attributes};
use crate::code::flow::Flow;
use crate::code::frames::{Adjust, Variable, starts_uninitialized};
use crate::code::layout::Layout;
use crate::code::opcode::{GOTO_W, IRETURN, RETURN};
use crate::code::pool::PoolEditor;
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

/// The contents of the method's new `Code` attribute; `None` if nothing is inserted. Sites left out go to `skipped`.
pub(super) fn weave(
    info: &MethodInfo<'_>,
    attribute: Attribute<'_>,
    plan: Plan,
    planner: &mut dyn Planner,
    pool: &mut PoolEditor,
    linker: &mut Linker<'_>,
    skipped: &mut Vec<SkippedSite>,
) -> Result<Option<Vec<u8>>, Failure> {
    let shape = descriptor::method(info.descriptor)?;
    check::plan(info, &plan, &shape).map_err(Failure::Class)?;
    let constants = info.class.pool();
    let code = Code::parse(constants, attribute)?;
    if (info.name, info.descriptor, code.bytes) == ("finalize", "()V", &[RETURN]) {
        return Err(Skip::EmptyFinalizer.into());
    }
    check_attributes(&code)?;
    let scan = Scan::new(code.bytes, code.max_locals)?;
    let mut search = Search { info, pool: constants, code: &code, scan: &scan, shape: &shape, planner };
    let (ends, planned) = search.run(plan)?;
    if ends.is_empty() && planned.is_empty() {
        return Ok(None);
    }
    let method = Method::new(info, &code, &scan, &ends, &planned, &shape)?;
    let flow = method.follow(&planned)?;
    let blocks = method.emit(pool, linker)?;
    let mut sites = method.emit_sites(&planned, flow.as_ref(), pool, linker)?;
    skipped.append(&mut sites.skipped);
    if ends.is_empty() && sites.count == 0 {
        return Ok(None);
    }
    method.place(&blocks, flow.as_ref(), &mut sites.pieces)?;
    let caught = method.caught(!blocks.exit.is_empty(), flow.as_ref())?;
    let mut appended = if caught.is_empty() { Vec::new() } else { blocks.handler };
    let apart = append(sites.apart, &mut appended);
    let mut layout = Layout::new(code.bytes, &scan, &sites.pieces.insertions(), &appended)?;
    for handler in &apart {
        layout.point_goto_w(handler.end, handler.caught.target);
    }
    let adjust = method.adjust();
    let locals = usize::from(method.scratch) + method.scratch_slots().max(sites.slots);
    let body = Body {
        code: &code,
        scan: &scan,
        layout: &layout,
        adjust: &adjust,
        major: info.class.major(),
        max_stack: fit("stack slots", blocks.max_stack.max(sites.max_stack))?,
        max_locals: fit("local variables", locals)?,
        caught: &caught,
        apart: &apart,
    };
    body.write(constants, pool).map(Some)
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

pub(super) fn uses(calls: &[&Call], wanted: &Source) -> bool {
    calls.iter().any(|call| call.parameters.contains(wanted))
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
    /// Calls at the very start.
    pub(super) entry: Vec<&'m Call>,
    /// Calls at the entry of a constructor that wait for `super(…)`.
    pub(super) moved: Vec<&'m Call>,
    pub(super) returns: Vec<&'m Call>,
    pub(super) errors: Vec<&'m Call>,
    /// Calls of all sites.
    pub(super) sites: Vec<&'m Call>,
    /// What a synchronized static method locks.
    pub(super) lock: Target,
    /// Parameters in the variables they arrive in.
    pub(super) arguments: Vec<(Kind, u16)>,
    /// The same for calls that run later: a copy where the method writes to that variable.
    pub(super) late_arguments: Vec<(Kind, u16)>,
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
        ends: &'m Ends,
        planned: &'m [Planned<'_>],
        shape: &'m MethodType<'m>,
    ) -> Result<Self, Failure> {
        let is_static = info.access & access::STATIC != 0;
        let constructor = starts_uninitialized(info.class, &info.member);
        let locals = shape.parameter_locals(is_static);
        let arguments: Vec<_> = shape.parameters.iter().map(|p| p.kind).zip(locals).collect();
        if usize::from(code.max_locals) < shape.parameter_slots() + usize::from(!is_static) {
            return Err(Skip::Malformed { offset: 0, what: "more parameters than local variables" }.into());
        }
        let (moved, entry): (Vec<_>, Vec<_>) =
            ends.entry.iter().partition(|call| constructor && call.parameters.contains(&Source::This));
        let mut method = Self {
            info,
            code,
            scan,
            shape,
            constructor,
            inferred: info.class.major() < CHECKED_SINCE,
            entry,
            moved,
            returns: ends.returns.iter().collect(),
            errors: ends.errors.iter().collect(),
            sites: planned.iter().flat_map(|site| site.plan.calls()).collect(),
            lock: if info.class.major() < CLASS_CONSTANTS_SINCE {
                Target::Null
            } else {
                Target::Class(info.class.this_index())
            },
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
        let late: Vec<&Call> =
            [&self.moved, &self.returns, &self.errors, &self.sites].into_iter().flatten().copied().collect();
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

    /// Slots that entry and exits use beyond the variables that live as long as the method.
    fn scratch_slots(&self) -> usize {
        let late = !self.returns.is_empty() || !self.errors.is_empty();
        if late { usize::from(SCRATCH) } else { 0 }
    }

    /// Only methods in which an object matters while it is not initialised have to be followed.
    fn follow(&self, planned: &[Planned<'_>]) -> Result<Option<Flow>, Failure> {
        let matters = |site: &Planned<'_>| match site.found.kind {
            SiteKind::New => !site.plan.after.is_empty(),
            SiteKind::FieldSet => self.constructor && site.plan.calls().any(|call| uses(&[call], &Source::Target)),
            SiteKind::SyncEntry | SiteKind::SyncExit => site.plan.calls().any(|call| uses(&[call], &Source::Target)),
            _ => false,
        };
        let receiver = !self.moved.is_empty() || !self.errors.is_empty() || uses(&self.sites, &Source::This);
        if !(self.constructor && receiver || planned.iter().any(matters)) {
            return Ok(None);
        }
        let flow = Flow::find(self.info.class.pool(), self.code, self.scan, self.constructor)?;
        if flow.after_calls.is_empty() && !self.moved.is_empty() {
            return Err(Skip::NoSuperCall.into());
        }
        Ok(Some(flow))
    }

    /// Adds the code of the entry and the exits to that of the sites.
    fn place(&self, blocks: &Blocks, flow: Option<&Flow>, pieces: &mut Pieces) -> Result<(), Skip> {
        pieces.falling(0, &blocks.entry);
        for &at in flow.iter().flat_map(|flow| &flow.after_calls) {
            pieces.falling(at, &blocks.moved);
        }
        let opcode = return_opcode(self.shape.result.map(|result| result.kind));
        for &at in &self.scan.returns {
            if self.code.bytes[at] != opcode {
                return Err(Skip::Malformed { offset: at, what: "return of another type" });
            }
            pieces.always(at, &blocks.exit);
        }
        Ok(())
    }

    fn adjust(&self) -> Adjust<'_> {
        let copies = self.copies.iter().map(|&(kind, _, slot)| Variable { slot, kind });
        let start = self.start.map(|slot| Variable { slot, kind: Kind::Long });
        Adjust {
            kept: self.kept.clone(),
            fresh: copies.chain(start).collect(),
            ..Adjust::none(self.info.class, &self.info.member, self.shape, self.code.max_locals)
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
