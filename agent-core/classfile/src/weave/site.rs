//! Code for the sites of a method.

use super::instruction::Found;
use super::link::{Linker, Target, Values};
use super::method::{Method, fit};
use super::pieces::Pieces;
use super::sites::{Place, Planned};
use super::{SiteKind, SitePlan, SkippedSite, Source};
use crate::code::emit::Emitter;
use crate::code::flow::{Flow, Made};
use crate::code::opcode::{self, DUP, LSUB};
use crate::code::pool::PoolEditor;
use crate::code::{Failure, body};
use crate::descriptor::Kind;
use crate::weave::Skip;
use std::collections::BTreeMap;

/// Code of all sites.
#[derive(Debug, Default)]
pub(super) struct Woven {
    pub(super) pieces: Pieces,
    /// Handlers that lie apart: what they handle, and their code.
    pub(super) apart: Vec<(body::Caught, Vec<u8>)>,
    /// What runs after lines, and so after the last instruction of each.
    line_ends: Vec<(usize, Vec<u8>)>,
    pub(super) max_stack: usize,
    /// Variables used, from the first scratch one.
    pub(super) slots: usize,
    pub(super) skipped: Vec<SkippedSite>,
    /// Calls inserted.
    pub(super) count: usize,
}

/// Code of one site.
#[derive(Debug, Default)]
struct SiteCode {
    before: Vec<u8>,
    after: Vec<u8>,
    /// Stack slots needed above those of the original code.
    depth: usize,
    /// First variable that it does not use.
    end: u16,
}

/// What a site can pass beside what lies on the stack.
struct Around<'v> {
    before: &'v Values<'v>,
    after: &'v Values<'v>,
    /// Whether the target is initialised.
    ready: bool,
    /// First variable to use.
    base: u16,
}

impl Method<'_, '_> {
    /// Emits every site. One that cannot be woven is noted and left out.
    pub(super) fn emit_sites(
        &self,
        planned: &[Planned<'_>],
        flow: Option<&Flow>,
        pool: &mut PoolEditor,
        linker: &mut Linker<'_>,
    ) -> Result<Woven, Failure> {
        let mut woven = Woven::default();
        // First variable that is free around each instruction.
        let mut free: BTreeMap<usize, u16> = BTreeMap::new();
        // What runs after a constructor goes last, because it may share its place with a call of that constructor.
        let (made, others): (Vec<_>, Vec<_>) = planned.iter().partition(|site| site.found.kind == SiteKind::New);
        for site in others.into_iter().chain(made) {
            let result = if site.found.kind == SiteKind::New {
                self.emit_new(site, flow, &free, &mut woven, pool, linker)
            } else {
                self.emit_site(site, flow, &mut free, &mut woven, pool, linker)
            };
            match result {
                Ok(()) => woven.count += site.plan.calls().count(),
                Err(Failure::Method(reason)) => woven.skipped.push(SkippedSite {
                    method: format!("{}{}", self.info.name, self.info.descriptor),
                    kind: site.found.kind,
                    offset: site.found.at,
                    line: site.line,
                    reason,
                }),
                Err(failure) => return Err(failure),
            }
        }
        for (at, code) in std::mem::take(&mut woven.line_ends) {
            woven.pieces.falling(at, &code);
        }
        Ok(woven)
    }

    fn emit_site(
        &self,
        site: &Planned<'_>,
        flow: Option<&Flow>,
        free: &mut BTreeMap<usize, u16>,
        woven: &mut Woven,
        pool: &mut PoolEditor,
        linker: &mut Linker<'_>,
    ) -> Result<(), Failure> {
        let found = &site.found;
        let ready = !matches!(found.kind, SiteKind::FieldSet | SiteKind::SyncEntry | SiteKind::SyncExit)
            || flow.is_none_or(|flow| flow.is_ready(found.at));
        let initialised = self.receiver_is_ready(found.at, flow);
        let next = match site.place {
            Place::Line { next } => next,
            _ => Some(found.at + opcode::length(self.code.bytes, found.at)?),
        };
        let after_super = next.is_some_and(|next| flow.is_some_and(|flow| flow.after_calls.contains(&next)));
        let after = match site.place {
            Place::Line { next: Some(next) } => self.receiver_is_ready(next, flow),
            _ => initialised || after_super,
        };
        let around = Around {
            before: &self.site_values(initialised),
            after: &self.site_values(after),
            ready,
            base: self.scratch,
        };
        let code = self.site_code(found, &site.plan, &around, pool, linker)?;
        match (site.place, next) {
            (Place::Apart { class }, _) => {
                woven.apart.push((body::Caught { target: found.at, class }, code.before.clone()));
            }
            (_, Some(next)) if !code.after.is_empty() => {
                // An instruction at the very end that goes on is one that the JVM refuses.
                if next >= self.code.bytes.len() {
                    return Err(Skip::Malformed { offset: found.at, what: "end of the code" }.into());
                }
                woven.pieces.always(found.at, &code.before);
                if matches!(site.place, Place::Line { .. }) {
                    woven.line_ends.push((next, code.after.clone()));
                } else {
                    woven.pieces.falling(next, &code.after);
                }
            }
            _ => woven.pieces.always(found.at, &code.before),
        }
        if site.place == Place::Instruction {
            free.insert(found.at, code.end);
        }
        self.account(&code, woven);
        Ok(())
    }

    /// `new` and its constructor calls, of which there may be several on different paths.
    fn emit_new(
        &self,
        site: &Planned<'_>,
        flow: Option<&Flow>,
        free: &BTreeMap<usize, u16>,
        woven: &mut Woven,
        pool: &mut PoolEditor,
        linker: &mut Linker<'_>,
    ) -> Result<(), Failure> {
        let at = site.found.at;
        let values = self.site_values(self.receiver_is_ready(at, flow));
        let around = Around { before: &values, after: &values, ready: false, base: self.scratch };
        let before = SitePlan { before: site.plan.before.clone(), after: Vec::new() };
        let code = self.site_code(&site.found, &before, &around, pool, linker)?;
        let mut calls = Vec::new();
        if !site.plan.after.is_empty() {
            let made = flow.iter().flat_map(|flow| &flow.made).filter(|(_, made)| made.at == at);
            for (&call, made) in made {
                let code = self.after_new(site, call, *made, flow, free, pool, linker)?;
                calls.push((call, code));
            }
            if calls.is_empty() {
                return Err(Skip::NotConstructed.into());
            }
        }
        woven.pieces.always(at, &code.before);
        self.account(&code, woven);
        for (call, code) in calls {
            woven.pieces.always(call, &code.before);
            woven.pieces.falling(call + opcode::length(self.code.bytes, call)?, &code.after);
            self.account(&code, woven);
        }
        Ok(())
    }

    /// Code around the constructor call at `call`: a copy of the object, if there is none yet and one is needed, and the calls.
    #[expect(clippy::too_many_arguments, reason = "the state of one weaving")]
    fn after_new(
        &self,
        site: &Planned<'_>,
        call: usize,
        made: Made,
        flow: Option<&Flow>,
        free: &BTreeMap<usize, u16>,
        pool: &mut PoolEditor,
        linker: &mut Linker<'_>,
    ) -> Result<SiteCode, Failure> {
        if call + opcode::length(self.code.bytes, call)? >= self.code.bytes.len() {
            return Err(Skip::Malformed { offset: call, what: "end of the code" }.into());
        }
        let base = free.get(&call).copied().unwrap_or(self.scratch);
        let values = self.site_values(self.receiver_is_ready(call, flow));
        let around = Around { before: &values, after: &values, ready: false, base };
        let after = SitePlan { before: Vec::new(), after: site.plan.after.clone() };
        let found = Found { result: Some(Kind::Reference), ..Found::bare(SiteKind::New, call, "".into(), "".into()) };
        let mut code = self.site_code(&found, &after, &around, pool, linker)?;
        let passes = after.calls().any(|call| call.parameters.contains(&Source::Result));
        if made.copied || !passes {
            return Ok(code);
        }
        // Nothing is left of the object behind the call, so it gets a copy, which the inserted calls use up.
        let constants = self.info.class.pool();
        let operands =
            Found::decode(constants, self.code.bytes, call, SiteKind::Call)?.ok_or(Skip::NotConstructed)?.operands;
        let (slots, end) = assign(&operands, code.end)?;
        let held: usize = operands.iter().map(|kind| usize::from(kind.slots())).sum();
        let mut copy = Emitter::with_depth(held);
        for (&kind, &slot) in operands.iter().zip(&slots).rev() {
            copy.store(kind, slot);
        }
        copy.op(DUP, 0, 1);
        for (&kind, &slot) in operands.iter().zip(&slots) {
            copy.load(kind, slot);
        }
        if self.inferred {
            references(&operands, &slots).for_each(|slot| copy.forget(slot));
        }
        code.after.push(opcode::POP);
        code.depth = 1 + code.depth.max(copy.max_depth - held);
        code.before = copy.code;
        code.end = end;
        Ok(code)
    }

    /// Takes what the calls need off the stack, calls, and puts it back.
    fn site_code(
        &self,
        found: &Found<'_>,
        plan: &SitePlan,
        around: &Around<'_>,
        pool: &mut PoolEditor,
        linker: &mut Linker<'_>,
    ) -> Result<SiteCode, Failure> {
        let passes = |source: Source| plan.calls().any(|call| call.parameters.contains(&source));
        let target = found.target && around.ready && passes(Source::Target);
        let count = found.operands.len();
        let first = if target { 0 } else { (0..count).find(|&i| passes(Source::Operand(i as u16))).unwrap_or(count) };
        let taken = &found.operands[first..];
        let (slots, mut end) = assign(taken, around.base)?;
        let mut fresh = |kind: Kind| {
            let slot = end;
            end = fit("local variables", usize::from(end) + usize::from(kind.slots()))?;
            Ok::<_, Skip>(slot)
        };
        let target = if target { Some(fresh(Kind::Reference)?) } else { None };
        let start = if passes(Source::Duration) { Some((fresh(Kind::Long)?, fresh(Kind::Long)?)) } else { None };
        let result = if passes(Source::Result) { found.result } else { None };
        let result = if let Some(kind) = result { Some((kind, fresh(kind)?)) } else { None };

        let mut operands: Vec<_> = found.operands.iter().map(|&kind| (kind, None)).collect();
        for (operand, &slot) in operands[first..].iter_mut().zip(&slots) {
            operand.1 = Some(slot);
        }
        let with = |values| Values {
            target: target.map_or(Target::Null, Target::Variable),
            operands: &operands,
            narrow: found.narrows,
            ..values
        };
        let held = taken.iter().map(|kind| usize::from(kind.slots())).sum::<usize>() + usize::from(target.is_some());
        let mut before = Emitter::with_depth(held);
        for (&kind, &slot) in taken.iter().zip(&slots).rev() {
            before.store(kind, slot);
        }
        if let Some(slot) = target {
            before.store(Kind::Reference, slot);
        }
        let values = with(around.before.clone());
        for call in &plan.before {
            linker.call(call, &values, &mut before, pool)?;
        }
        if let Some(slot) = target {
            before.load(Kind::Reference, slot);
        }
        for (&kind, &slot) in taken.iter().zip(&slots) {
            before.load(kind, slot);
        }
        if self.inferred {
            let wanted = |source| plan.after.iter().any(|call| call.parameters.contains(&source));
            let target = target.map(|slot| (slot, wanted(Source::Target)));
            let operands = (first..count).zip(taken.iter().zip(&slots)).filter(|(_, (kind, _))| !kind.is_primitive());
            let operands = operands.map(|(index, (_, &slot))| (slot, wanted(Source::Operand(index as u16))));
            for (slot, wanted) in target.into_iter().chain(operands) {
                if wanted {
                    before.widen(slot, linker.object(pool)?);
                } else {
                    before.forget(slot);
                }
            }
        }
        if let Some((start, _)) = start {
            linker.clock(&mut before, pool)?;
            before.store(Kind::Long, start);
        }

        let kept = result.map_or(0, |(kind, _)| usize::from(kind.slots()));
        let mut after = Emitter::with_depth(kept);
        let mut values = Values { result, ..with(around.after.clone()) };
        if let Some((kind, slot)) = result {
            after.store(kind, slot);
        }
        if let Some((start, taken)) = start {
            linker.clock(&mut after, pool)?;
            after.load(Kind::Long, start);
            after.op(LSUB, 4, 2);
            after.store(Kind::Long, taken);
            values.duration = Some(taken);
        }
        for call in &plan.after {
            linker.call(call, &values, &mut after, pool)?;
        }
        if let Some((kind, slot)) = result {
            after.load(kind, slot);
            if self.inferred && !kind.is_primitive() {
                after.forget(slot);
            }
        }
        let depth = (before.max_depth - held).max(after.max_depth - kept);
        let code = SiteCode { before: before.code, after: after.code, depth, end };
        fit("stack slots", usize::from(self.code.max_stack) + code.depth)?;
        Ok(code)
    }

    /// Whether `this` may be passed at the instruction at `at`.
    fn receiver_is_ready(&self, at: usize, flow: Option<&Flow>) -> bool {
        !self.constructor || flow.is_some_and(|flow| flow.is_initialised(at))
    }

    fn site_values(&self, initialised: bool) -> Values<'_> {
        let values = self.late_values();
        Values { this: values.this.filter(|_| initialised), ..values }
    }

    fn account(&self, code: &SiteCode, woven: &mut Woven) {
        woven.max_stack = woven.max_stack.max(usize::from(self.code.max_stack) + code.depth);
        woven.slots = woven.slots.max(usize::from(code.end - self.scratch));
    }
}

/// The variables among `slots` that hold references.
fn references(kinds: &[Kind], slots: &[u16]) -> impl Iterator<Item = u16> {
    kinds.iter().zip(slots).filter(|(kind, _)| !kind.is_primitive()).map(|(_, &slot)| slot)
}

/// A variable for each value from `base` on, and the first one behind them.
fn assign(kinds: &[Kind], base: u16) -> Result<(Vec<u16>, u16), Skip> {
    let mut end = base;
    let mut slots = Vec::with_capacity(kinds.len());
    for kind in kinds {
        slots.push(end);
        end = fit("local variables", usize::from(end) + usize::from(kind.slots()))?;
    }
    Ok((slots, end))
}
