//! Which classes and methods all probes together ask for.

use crate::fit;
use crate::model::{Kind, Pattern, Probe};
use classfile::weave::{Call, MethodInfo, Plan};
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::collections::HashMap;
use std::sync::Arc;

/// Packages the agent stands on: weaving them could only recurse.
const REFUSED: [&[u8]; 2] = [b"java/lang/invoke/", b"io/btrace/"];

/// The class that woven code names.
const LINKER: &[u8] = b"java/lang/FatAgentLinker";

/// Whether a class, by internal name, is never woven.
pub fn is_refused(internal: &[u8]) -> bool {
    REFUSED.iter().any(|p| internal.starts_with(p)) || internal == LINKER
}

/// Whether a class, by internal name and class-file version, can hold no invokedynamic of ours: linking one inside the
/// JDK's own classes recurses, and below version 51 there is none.
pub fn needs_direct_calls(internal: &[u8], major: u16) -> bool {
    major < 51 || [&b"java/"[..], b"jdk/", b"sun/"].iter().any(|p| internal.starts_with(p))
}

/// One expression, anchored to the whole name, over bytes as names are ASCII nearly always.
pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&anchored(pattern)).unicode(false).build()
}

fn anchored(pattern: &str) -> String {
    format!("^(?:{pattern})$")
}

/// A handler of a probe.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    probe: usize,
    handler: usize,
}

/// Method pattern of a handler, compiled.
#[derive(Debug)]
enum Name {
    Exact(String),
    Regex(Regex),
}

/// All probes that are active at one time; made anew when one comes or goes.
#[derive(Debug)]
pub struct Matcher {
    probes: Vec<(u32, Arc<Probe>)>,
    names: Vec<Vec<Name>>,
    exact: HashMap<Vec<u8>, Vec<Wanted>>,
    regexes: RegexSet,
    by_regex: Vec<Wanted>,
}

impl Matcher {
    /// Takes probes with their numbers. The patterns were checked when the probes were read; one that does not compile
    /// all the same is an error.
    pub fn new(probes: Vec<(u32, Arc<Probe>)>) -> Result<Self, regex::Error> {
        let mut exact: HashMap<Vec<u8>, Vec<Wanted>> = HashMap::new();
        let mut patterns = Vec::new();
        let mut by_regex = Vec::new();
        let mut names = Vec::with_capacity(probes.len());
        for (p, (_, probe)) in probes.iter().enumerate() {
            let mut own = Vec::with_capacity(probe.handlers.len());
            for (h, handler) in probe.handlers.iter().enumerate() {
                let wanted = Wanted { probe: p, handler: h };
                match &handler.class {
                    Pattern::Exact(name) => {
                        exact.entry(name.replace('.', "/").into_bytes()).or_default().push(wanted);
                    }
                    Pattern::Regex(regex) => {
                        patterns.push(anchored(regex));
                        by_regex.push(wanted);
                    }
                }
                own.push(match &handler.target {
                    Pattern::Exact(name) => Name::Exact(name.clone()),
                    Pattern::Regex(regex) => Name::Regex(compile(regex)?),
                });
            }
            names.push(own);
        }
        let regexes = RegexSetBuilder::new(patterns).unicode(false).build()?;
        Ok(Self { probes, names, exact, regexes, by_regex })
    }

    /// Whether no probe is active.
    pub fn is_empty(&self) -> bool {
        self.probes.is_empty()
    }

    /// Whether some handler asks for this class, by internal name.
    pub fn wants(&self, internal: &[u8]) -> bool {
        !is_refused(internal)
            && (self.exact.contains_key(internal)
                || !self.by_regex.is_empty() && self.regexes.is_match(&dotted(internal)))
    }

    /// The planner for a class that is wanted.
    pub fn for_class(&self, internal: &[u8]) -> ClassMatcher<'_> {
        let mut wanted = Vec::new();
        if !is_refused(internal) {
            wanted.extend(self.exact.get(internal).into_iter().flatten().copied());
            if !self.by_regex.is_empty() {
                wanted.extend(self.regexes.matches(&dotted(internal)).iter().map(|i| self.by_regex[i]));
            }
            // Several probes on one site run in the order they were submitted, handlers in the order of their class.
            wanted.sort_by_key(|w| (w.probe, w.handler));
        }
        ClassMatcher { matcher: self, wanted }
    }
}

fn dotted(internal: &[u8]) -> Vec<u8> {
    internal.iter().map(|&b| if b == b'/' { b'.' } else { b }).collect()
}

/// The handlers that ask for one class.
#[derive(Debug)]
pub struct ClassMatcher<'m> {
    matcher: &'m Matcher,
    wanted: Vec<Wanted>,
}

impl ClassMatcher<'_> {
    /// What to insert into a method, or `None`.
    pub fn plan(&self, method: &MethodInfo<'_>) -> Option<Plan> {
        let mut plan = Plan::default();
        for w in &self.wanted {
            let named = match &self.matcher.names[w.probe][w.handler] {
                Name::Exact(name) => name == method.name,
                Name::Regex(regex) => regex.is_match(method.name.as_bytes()),
            };
            if !named {
                continue;
            }
            let (id, probe) = &self.matcher.probes[w.probe];
            let handler = &probe.handlers[w.handler];
            let Some(parameters) = fit::sources(handler, method) else { continue };
            let call = Call { name: format!("{id}:{}:{}", w.handler, handler.method), parameters };
            match handler.kind {
                Kind::Entry => plan.entry.push(call),
                Kind::Return => plan.returns.push(call),
                Kind::Error => plan.errors.push(call),
            }
        }
        (!plan.is_empty()).then_some(plan)
    }
}
