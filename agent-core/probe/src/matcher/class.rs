//! The handlers that ask for one class, and what they insert into its methods.

use super::compiled::{Compiled, site_kind};
use super::{Matcher, Wanted};
use crate::condition::Condition;
use crate::fit::{self, Fitting, Place, signature};
use crate::hierarchy::{Hierarchy, Own, Types};
use crate::kind::{Kind, Where};
use crate::model::Handler;
use crate::weaving::{Call, MethodInfo, Plan, Planner, Site, SitePlan};
use classfile::{ClassFile, access, descriptor, mutf8};
use std::sync::Arc;

/// The handlers that ask for one class.
#[derive(Debug)]
pub struct ClassMatcher<'m> {
    matcher: &'m Matcher,
    own: Own,
    hierarchy: &'m dyn Hierarchy,
    is_refused: bool,
    pub(super) wanted: Vec<Wanted>,
    /// Handlers that ask for places of the method planned last.
    at_sites: Vec<Wanted>,
}

impl<'m> ClassMatcher<'m> {
    pub(super) fn new(
        matcher: &'m Matcher,
        own: Own,
        hierarchy: &'m dyn Hierarchy,
        wanted: Vec<Wanted>,
        is_refused: bool,
    ) -> Self {
        let mut new = Self { matcher, own, hierarchy, is_refused, wanted, at_sites: Vec::new() };
        new.order();
        new
    }

    /// Takes what the class file and the hierarchy tell about supertypes.
    pub(super) fn add_direct(&mut self, file: &ClassFile<'_>) {
        self.learn(file);
        self.decide();
    }

    /// Learns what the file tells, unless more is known.
    fn know(&mut self, file: &ClassFile<'_>) {
        if self.own.supertypes.is_empty() {
            self.learn(file);
        }
    }

    fn learn(&mut self, file: &ClassFile<'_>) {
        let direct = file.super_name().into_iter().chain(file.interfaces());
        self.own.supertypes.extend(direct.filter_map(mutf8::as_str).map(str::to_owned));
        self.own.complete = self.own.supertypes.iter().all(|name| name == "java/lang/Object");
    }

    /// Takes the internal names of all supertypes of the class, in any order.
    pub fn add_supertypes<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        self.own.supertypes.extend(names.into_iter().map(str::to_owned));
        self.own.complete = true;
        self.decide();
    }

    fn decide(&mut self) {
        if !self.is_refused {
            for (ancestor, handlers) in &self.matcher.subtypes {
                if self.is_below(ancestor) == Some(true) {
                    self.wanted.extend(handlers);
                }
            }
        }
        self.order();
    }

    fn is_below(&self, ancestor: &str) -> Option<bool> {
        self.own.is_below(ancestor, self.hierarchy)
    }

    fn order(&mut self) {
        self.wanted.sort_unstable();
        self.wanted.dedup();
    }

    /// Whether no handler asks for the class, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Whether more handlers may ask for the class once its supertypes are known.
    pub fn needs_hierarchy(&self) -> bool {
        !self.is_refused && self.matcher.subtypes.keys().any(|ancestor| self.is_below(ancestor).is_none())
    }

    /// Takes away what a probe asks for.
    pub fn remove(&mut self, probe: u32) {
        let matcher = self.matcher;
        self.wanted.retain(|w| matcher.probes[w.probe].0 != probe);
    }

    /// The numbers of the probes that would have something inserted into the method, or that ask for places in it: ascending,
    /// and each once.
    pub(super) fn probes_at(&mut self, method: &MethodInfo<'_>, probes: &mut Vec<u32>) {
        probes.clear();
        self.offer(method, |id, _, _| probes.push(id));
        probes.extend(self.at_sites.iter().map(|w| self.matcher.probes[w.probe].0));
        probes.sort_unstable();
        probes.dedup();
    }

    fn handler(&self, wanted: Wanted) -> (u32, &'m Handler) {
        let (id, probe) = &self.matcher.probes[wanted.probe];
        (*id, &probe.handlers[wanted.handler])
    }

    fn compiled(&self, wanted: Wanted) -> &'m Compiled {
        &self.matcher.compiled[wanted.probe][wanted.handler]
    }

    /// Gives each handler of entry or exits with what its call passes, and notes those that ask for places.
    fn offer(&mut self, method: &MethodInfo<'_>, mut take: impl FnMut(u32, Kind, Call)) {
        self.at_sites.clear();
        // A pattern that also covers methods without a body means those that have one.
        if method.access & (access::ABSTRACT | access::NATIVE) != 0 {
            return;
        }
        let mut place: Option<(Kind, Place<'_>)> = None;
        for i in 0..self.wanted.len() {
            let wanted = self.wanted[i];
            let (id, handler) = self.handler(wanted);
            if !self.compiled(wanted).names(method)
                || !handler.type_constraint.is_empty() && !has_signature(method, &handler.type_constraint)
            {
                continue;
            }
            let kind = handler.location.kind;
            if !kind.is_of_method() {
                self.at_sites.push(wanted);
                continue;
            }
            if handler.parameters.is_empty() {
                take(id, kind, self.bare(wanted));
                continue;
            }
            if place.as_ref().is_none_or(|(of, _)| *of != kind) {
                place = Place::of_method(kind, method).map(|place| (kind, place));
            }
            let Some((_, place)) = &place else { continue };
            self.know(method.class);
            if let Some(call) = self.call(wanted, method, place) {
                take(id, kind, call);
            }
        }
    }

    /// The call of a handler without parameters, which fits everywhere.
    fn bare(&self, wanted: Wanted) -> Call {
        Call { name: Arc::clone(&self.compiled(wanted).call), parameters: Vec::new() }
    }

    fn call(&self, wanted: Wanted, method: &MethodInfo<'_>, place: &Place<'_>) -> Option<Call> {
        let (_, handler) = self.handler(wanted);
        let types = Types { own: &self.own, hierarchy: self.hierarchy };
        let Fitting { sources, conditions } = fit::sources(handler, method, place, types)?;
        let name = &self.compiled(wanted).call;
        let name = if conditions.is_empty() {
            Arc::clone(name)
        } else {
            (name.to_string() + &Condition::suffix(&conditions)).into()
        };
        Some(Call { name, parameters: sources })
    }
}

impl Planner for ClassMatcher<'_> {
    fn method(&mut self, method: &MethodInfo<'_>, plan: &mut Plan) {
        self.offer(method, |_, kind, call| match kind {
            Kind::Return => plan.returns.push(call),
            Kind::Error => plan.errors.push(call),
            _ => plan.entry.push(call),
        });
        for &wanted in &self.at_sites {
            if let Some(kind) = site_kind(self.handler(wanted).1.location.kind) {
                plan.sites.insert(kind);
            }
        }
    }

    fn site(&mut self, method: &MethodInfo<'_>, site: &Site<'_>) -> SitePlan {
        let mut plan = SitePlan::default();
        let mut place = None;
        for i in 0..self.at_sites.len() {
            let wanted = self.at_sites[i];
            let (_, handler) = self.handler(wanted);
            let location = &handler.location;
            if site_kind(location.kind) != Some(site.kind) || !self.compiled(wanted).passes(location, site) {
                continue;
            }
            let call = if handler.parameters.is_empty() {
                Some(self.bare(wanted))
            } else {
                if place.is_none() {
                    place = Place::of_site(site);
                }
                let Some(place) = &place else { break };
                self.know(method.class);
                self.call(wanted, method, place)
            };
            if let Some(call) = call {
                let calls = if location.place == Where::After { &mut plan.after } else { &mut plan.before };
                calls.push(call);
            }
        }
        plan
    }
}

fn has_signature(method: &MethodInfo<'_>, wanted: &str) -> bool {
    descriptor::method(method.descriptor).is_ok_and(|parsed| signature(&parsed) == wanted)
}
