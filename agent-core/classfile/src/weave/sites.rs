//! Finds the sites of a method and asks the planner about each.

use super::instruction::{Found, kind_of};
use super::lines::Lines;
use super::{Call, MethodInfo, Plan, Planner, Site, SiteKind, SitePlan, Source, check};
use crate::access;
use crate::code::scan::{Bits, Scan, each_target};
use crate::code::{Code, Failure, opcode};
use crate::descriptor::MethodType;
use crate::mutf8;
use crate::reader::ConstantPool;
use crate::weave::Skip;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A site with something to insert.
#[derive(Debug)]
pub(super) struct Planned<'a> {
    pub(super) found: Found<'a>,
    pub(super) line: u16,
    pub(super) plan: SitePlan,
    pub(super) place: Place,
}

/// Where the code of a site goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Before and after its instruction.
    Instruction,
    /// Before the first instruction of a line, and where control falls through to the next one.
    Line {
        /// Where the next line begins.
        next: Option<usize>,
    },
    /// At the start of a handler that only exceptions reach.
    Handler,
    /// Apart, as a handler for the entries with that class alone, which then goes on to the original one.
    Apart {
        /// Index of the class constant; 0 catches everything.
        class: u16,
    },
}

/// Asks about the sites of one method.
pub(super) struct Search<'s, 'a> {
    pub(super) info: &'s MethodInfo<'s>,
    pub(super) pool: &'s ConstantPool<'a>,
    pub(super) code: &'s Code<'a>,
    pub(super) scan: &'s Scan,
    pub(super) shape: &'s MethodType<'s>,
    pub(super) planner: &'s mut dyn Planner,
}

impl<'a> Search<'_, 'a> {
    /// Every site with something to insert. A synchronized method's own lock is no instruction: its calls join the entry and the exits.
    pub(super) fn run(&mut self, plan: &mut Plan) -> Result<Vec<Planned<'a>>, Failure> {
        let kinds = plan.sites;
        let mut planned = Vec::new();
        if kinds.is_empty() {
            return Ok(planned);
        }
        let lines = Lines::read(self.code)?;
        if self.info.access & access::SYNCHRONIZED != 0 {
            if kinds.contains(SiteKind::SyncEntry) {
                let calls = self.own_lock(SiteKind::SyncEntry, lines.at(0))?;
                plan.entry.splice(0..0, calls);
            }
            if kinds.contains(SiteKind::SyncExit) {
                let calls = self.own_lock(SiteKind::SyncExit, 0)?;
                plan.returns.extend(calls.iter().cloned());
                plan.errors.extend(calls);
            }
        }
        if kinds.contains(SiteKind::Line) {
            let into = self.fallen_into()?;
            for (at, line, next) in lines.entries() {
                if self.scan.starts.has(at) {
                    let next = next.filter(|&next| self.scan.starts.has(next) && into.has(next));
                    let found = Found::bare(SiteKind::Line, at, "".into(), "".into());
                    planned.extend(self.ask(found, line, Place::Line { next })?);
                }
            }
        }
        if kinds.contains(SiteKind::Catch) && !self.code.handlers.is_empty() {
            self.catches(&lines, &mut planned)?;
        }
        let mut at = 0;
        while at < self.code.bytes.len() {
            if let Some(kind) = kind_of(self.code.bytes[at]).filter(|&kind| kinds.contains(kind))
                && let Some(found) = Found::decode(self.pool, self.code.bytes, at, kind)?
            {
                planned.extend(self.ask(found, lines.at(at), Place::Instruction)?);
            }
            at += opcode::length(self.code.bytes, at)?;
        }
        Ok(planned)
    }

    fn ask(&mut self, found: Found<'a>, line: u16, place: Place) -> Result<Option<Planned<'a>>, Failure> {
        let site = Site {
            kind: found.kind,
            class: &found.class,
            name: &found.name,
            descriptor: &found.descriptor,
            is_static: found.is_static,
            line,
        };
        let plan = self.planner.site(self.info, &site);
        check::site(self.info, &found, &plan, self.shape).map_err(Failure::Class)?;
        Ok((!plan.is_empty()).then_some(Planned { found, line, plan, place }))
    }

    /// Calls for the lock of a synchronized method: the receiver, or the class of a static one.
    fn own_lock(&mut self, kind: SiteKind, line: u16) -> Result<Vec<Call>, Failure> {
        let is_static = self.info.access & access::STATIC != 0;
        let class =
            if is_static { Some("java/lang/Class".into()) } else { self.info.class.this_str().map(String::from) };
        let Some(class) = class else { return Ok(Vec::new()) };
        let found = Found::of_object(kind, 0, class.into());
        let Some(planned) = self.ask(found, line, Place::Instruction)? else { return Ok(Vec::new()) };
        let mut calls = planned.plan.before;
        calls.extend(planned.plan.after);
        if !is_static {
            for source in calls.iter_mut().flat_map(|call| &mut call.parameters) {
                if *source == Source::Target {
                    *source = Source::This;
                }
            }
        }
        Ok(calls)
    }

    /// Handlers, one site for each type that one catches.
    fn catches(&mut self, lines: &Lines, planned: &mut Vec<Planned<'a>>) -> Result<(), Failure> {
        let reached = self.reached_normally()?;
        let mut targets: BTreeSet<(usize, u16)> = BTreeSet::new();
        for handler in &self.code.handlers {
            targets.insert((self.scan.start(handler.target, "exception handler")?, handler.class));
        }
        for &(at, class) in &targets {
            let alone = targets.range((at, 0)..=(at, u16::MAX)).count() == 1;
            let place = if alone && !reached.has(at) { Place::Handler } else { Place::Apart { class } };
            let name = match class {
                0 => Some(Cow::Borrowed("java/lang/Throwable")),
                index => mutf8::decode(self.pool.class_name(index)?).ok(),
            };
            if let Some(name) = name {
                let found = Found::of_object(SiteKind::Catch, at, name);
                planned.extend(self.ask(found, lines.at(at), place)?);
            }
        }
        Ok(())
    }

    /// Instructions that control may reach other than by an exception.
    fn reached_normally(&self) -> Result<Bits, Skip> {
        let mut reached = self.fallen_into()?;
        reached.set(0);
        for &jump in &self.scan.jumps {
            each_target(self.code.bytes, jump, |target| {
                reached.set(target);
                Ok::<_, Skip>(())
            })?;
        }
        Ok(reached)
    }

    /// Instructions that control may reach from the one before.
    fn fallen_into(&self) -> Result<Bits, Skip> {
        let code = self.code.bytes;
        let mut into = Bits::new(code.len() + 1);
        let mut at = 0;
        while at < code.len() {
            let next = at + opcode::length(code, at)?;
            if !opcode::ends_flow(code[at]) {
                into.set(next);
            }
            at = next;
        }
        Ok(into)
    }
}
