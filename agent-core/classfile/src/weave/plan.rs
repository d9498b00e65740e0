//! What to insert where.

use super::{MethodInfo, Site, SiteKinds};
use std::sync::Arc;

/// What a call site hands to its handler. References are passed as `Object`, primitives as their own type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The receiver; null in a static method, and at a site of a constructor where it is not initialised yet.
    This,
    /// A declared parameter by its index, with the value it had on entry.
    Argument(u16),
    /// The returned value, null for `void`; null anywhere but at a return.
    Return,
    /// Nanoseconds since the method was entered, a `long`; 0 at the entry. One clock read at entry, one at each exit.
    /// After a call site: nanoseconds that the call took.
    Duration,
    /// The exception that leaves the method; null anywhere but at an error.
    Thrown,
    /// At a site: the receiver of a call or field access, the array, the object cast, tested, thrown, caught or locked. Null
    /// where there is none, and where it is not initialised yet, as the receiver of a constructor.
    Target,
    /// At a site: an argument of the call, the value that is set, the index (0) and the value (1) of an array access, a length
    /// of the array to make.
    Operand(u16),
    /// After a site: the value of the call (null for `void`), field or array element, the object cast, the answer of
    /// `instanceof`, the object or array made.
    Result,
    /// A string literal.
    Text(String),
    /// An `int` literal.
    Int(i32),
    /// A null `Object`.
    Null,
}

/// One inserted call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Name of the call site, an unqualified name such as `3:1:onReturn`. Calls of one handler share it.
    pub name: Arc<str>,
    /// What it passes, in order. The erased types of these make the site's descriptor, which returns `void`.
    pub parameters: Vec<Source>,
}

/// What to insert into one method. Several calls at one place run in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// At the start. In a constructor, those that use [`Source::This`] run after `super(…)` or `this(…)`.
    pub entry: Vec<Call>,
    /// Before every return.
    pub returns: Vec<Call>,
    /// When an exception leaves the method; in a constructor only once `this` is initialised.
    pub errors: Vec<Call>,
    /// The kinds of site for which [`Planner::site`] is asked.
    pub sites: SiteKinds,
}

impl Plan {
    /// Whether it inserts nothing and asks for no site.
    pub fn is_empty(&self) -> bool {
        self.has_no_ends() && self.sites.is_empty()
    }

    /// Whether it inserts nothing at the entry and the exits.
    pub(super) fn has_no_ends(&self) -> bool {
        self.entry.is_empty() && self.returns.is_empty() && self.errors.is_empty()
    }

    /// Its calls at the entry and the exits.
    pub(super) fn ends(&self) -> impl Iterator<Item = &Call> {
        self.entry.iter().chain(&self.returns).chain(&self.errors)
    }

    /// Takes everything out, to be used again.
    pub(super) fn clear(&mut self) {
        self.entry.clear();
        self.returns.clear();
        self.errors.clear();
        self.sites = SiteKinds::default();
    }
}

/// Decides what to insert.
pub trait Planner {
    /// Says what to insert into a method, by adding to a plan that is empty; asked about every method, in file order.
    fn method(&mut self, method: &MethodInfo<'_>, plan: &mut Plan);

    /// The plan of one method alone.
    fn plan(&mut self, method: &MethodInfo<'_>) -> Plan {
        let mut plan = Plan::default();
        self.method(method, &mut plan);
        plan
    }

    /// What to insert at a site; asked for each site of a kind in [`Plan::sites`], in code order.
    fn site(&mut self, method: &MethodInfo<'_>, site: &Site<'_>) -> SitePlan {
        let _ = (method, site);
        SitePlan::default()
    }
}

/// A planner that asks for no sites, see [`methods`].
#[derive(Debug)]
pub struct Methods<F>(F);

/// A planner of entries and exits alone.
pub fn methods<F: FnMut(&MethodInfo<'_>) -> Option<Plan>>(plan: F) -> Methods<F> {
    Methods(plan)
}

impl<F: FnMut(&MethodInfo<'_>) -> Option<Plan>> Planner for Methods<F> {
    fn method(&mut self, method: &MethodInfo<'_>, plan: &mut Plan) {
        if let Some(new) = (self.0)(method) {
            *plan = new;
        }
    }
}

/// What to insert at one site. Several calls run in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SitePlan {
    /// Before it, however control arrives.
    pub before: Vec<Call>,
    /// After it, if it completes normally.
    pub after: Vec<Call>,
}

impl SitePlan {
    /// Whether it inserts nothing.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.before.iter().chain(&self.after)
    }
}
