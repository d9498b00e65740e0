//! What can be reached from the roots: a call graph over the scanned classes.
//!
//! A virtual call reaches the overriding methods of those classes only of which reached code makes an instance. What the JDK
//! may call back, any method that overrides one from outside, is reached once there is an instance.

mod entering;
mod lookup;
mod outside;
mod walk;

use crate::Roots;
use crate::classes::{Classes, Entry};
use crate::outcome::{Edge, Found, NO_METHOD};
use classfile::access;
use classfile::reader::Bootstrap;
use lookup::Lookup;
use outside::CalledBack;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// Not reached from another method: a root.
const ROOT: u32 = u32::MAX;

/// What is reached.
#[derive(Debug)]
pub(crate) struct Reached {
    methods: Vec<bool>,
    /// The method from which each was reached first.
    parents: Vec<u32>,
    instantiated: Vec<bool>,
    makers: Vec<u32>,
    first_methods: Vec<(u32, u32)>,
}

impl Reached {
    /// Whether a method, or the class itself, is reached.
    pub(crate) fn has(&self, class: u32, method: u32) -> bool {
        if method != NO_METHOD {
            return self.methods[method as usize];
        }
        let (first, end) = self.first_methods[class as usize];
        self.instantiated[class as usize] || (first..end).any(|method| self.methods[method as usize])
    }

    /// Methods from a root to this one.
    pub(crate) fn path(&self, class: u32, method: u32) -> Vec<u32> {
        let mut at = method;
        if method == NO_METHOD {
            let (first, end) = self.first_methods[class as usize];
            at = if self.instantiated[class as usize] {
                self.makers[class as usize]
            } else {
                (first..end).find(|&method| self.methods[method as usize]).unwrap_or(ROOT)
            };
        }
        let mut path = Vec::new();
        while at != ROOT {
            path.push(at);
            at = self.parents[at as usize];
        }
        path.reverse();
        path
    }

    /// Methods with code that are reached, and all of them.
    pub(crate) fn counts(&self, set: &Classes<'_>) -> (usize, usize) {
        let with_code = set.methods.iter().zip(&self.methods).filter(|(method, _)| method.code != 0);
        with_code.fold((0, 0), |(reached, all), (_, &is)| (reached + usize::from(is), all + 1))
    }
}

/// Follows all calls from the roots.
pub(crate) fn from(set: &Classes<'_>, found: &Found, roots: &Roots) -> Reached {
    let mut graph = Graph::new(set, found, roots);
    for name in &roots.instantiated {
        if let Some(class) = set.find(name.as_bytes()) {
            graph.provide(class);
        }
    }
    for name in &roots.open {
        if let Some(class) = set.find(name.as_bytes()) {
            graph.instantiate(class, ROOT);
            graph.open(class);
        }
    }
    while let Some(method) = graph.queue.pop_front() {
        graph.visit(method);
    }
    graph.reached
}

/// A virtual call: the key of its name and descriptor, and the method that has it.
type Site = (u32, u32);

/// The graph as it is explored.
struct Graph<'g, 's> {
    set: &'g Classes<'s>,
    lookup: Rc<Lookup<'g, 's>>,
    /// Ways that no call shows, by method.
    edges: FxHashMap<u32, Vec<&'g Edge>>,
    /// Providers of each service, both by internal names.
    services: FxHashMap<Vec<u8>, Vec<u32>>,
    reached: Reached,
    queue: VecDeque<u32>,
    /// Instantiated classes below each class.
    below: Vec<Vec<u32>>,
    /// Virtual calls on each class.
    sites: Vec<Vec<Site>>,
    known: FxHashSet<(u32, u32)>,
    /// Classes whose visible members were entered.
    opened: FxHashSet<u32>,
    initialized: Vec<bool>,
    /// What of each class code outside may call, as far as it was marked.
    called_back: Vec<CalledBack>,
    /// A bit for each way to use each constant of all classes: whether it was followed.
    followed: Vec<u64>,
    /// Where the bits of each class begin.
    constants: Vec<usize>,
    bootstraps: FxHashMap<u32, Rc<[Bootstrap<'s>]>>,
    /// Keys of `<clinit>` and of the constructor without parameters.
    initializer: Option<u32>,
    constructor: Option<u32>,
}

impl<'g, 's> Graph<'g, 's> {
    fn new(set: &'g Classes<'s>, found: &'g Found, roots: &Roots) -> Self {
        let mut edges: FxHashMap<u32, Vec<&Edge>> = FxHashMap::default();
        for (method, edge) in &found.edges {
            edges.entry(*method).or_default().push(edge);
        }
        let mut services: FxHashMap<Vec<u8>, Vec<u32>> = FxHashMap::default();
        for (service, providers) in &roots.services {
            let providers = providers.iter().filter_map(|name| set.find(name.replace('.', "/").as_bytes()));
            services.entry(service.replace('.', "/").into_bytes()).or_default().extend(providers);
        }
        let (classes, methods) = (set.entries.len(), set.methods.len());
        let lookup = Lookup::new(set);
        let mut bits = 0;
        let place = |entry: &Entry<'_>| {
            let first = bits;
            bits += usize::from(entry.file.pool().len()) * walk::WAYS;
            first
        };
        let constants = set.entries.iter().map(place).collect();
        Self {
            set,
            initializer: lookup.key(b"<clinit>", b"()V"),
            constructor: lookup.key(b"<init>", b"()V"),
            lookup: Rc::new(lookup),
            edges,
            services,
            reached: Reached {
                methods: vec![false; methods],
                parents: vec![ROOT; methods],
                instantiated: vec![false; classes],
                makers: vec![ROOT; classes],
                first_methods: set.entries.iter().map(|entry| (entry.first_method, entry.end_method)).collect(),
            },
            queue: VecDeque::new(),
            below: vec![Vec::new(); classes],
            sites: vec![Vec::new(); classes],
            known: FxHashSet::default(),
            opened: FxHashSet::default(),
            initialized: vec![false; classes],
            called_back: vec![CalledBack::default(); classes],
            followed: vec![0; bits.div_ceil(64)],
            constants,
            bootstraps: FxHashMap::default(),
        }
    }

    /// A method is reached.
    fn mark(&mut self, method: u32, from: u32) {
        if !std::mem::replace(&mut self.reached.methods[method as usize], true) {
            self.reached.parents[method as usize] = from;
            self.queue.push_back(method);
            self.initialize(self.lookup.class_of(method), method);
        }
    }

    /// The method of that key is reached in a class and its copies.
    fn mark_declared(&mut self, class: u32, key: u32, from: u32) {
        let set = self.set;
        for copy in set.copies(class) {
            if let Some(method) = self.lookup.own(copy, key) {
                self.mark(method, from);
            }
        }
    }

    /// The method that a reference resolves to is reached, if it is a scanned one.
    fn mark_resolved(&mut self, class: u32, key: u32, from: u32) {
        if let Some(method) = self.lookup.resolve(class, key) {
            self.mark(method, from);
            let declaring = self.lookup.class_of(method);
            if !self.set.entry(declaring).copies.is_empty() {
                self.mark_declared(declaring, key, from);
            }
        }
    }

    /// The static initializers of a class and its supertypes run.
    fn initialize(&mut self, class: u32, from: u32) {
        if std::mem::replace(&mut self.initialized[class as usize], true) {
            return;
        }
        let Some(initializer) = self.initializer else { return };
        let lookup = Rc::clone(&self.lookup);
        for &at in lookup.supers(class) {
            if at == class || !std::mem::replace(&mut self.initialized[at as usize], true) {
                self.mark_declared(at, initializer, from);
            }
        }
    }

    /// There is an instance of a class.
    fn instantiate(&mut self, class: u32, from: u32) {
        if std::mem::replace(&mut self.reached.instantiated[class as usize], true) {
            return;
        }
        self.reached.makers[class as usize] = from;
        self.initialize(class, from);
        let set = self.set;
        for copy in set.copies(class) {
            self.reached.instantiated[copy as usize] = true;
        }
        let lookup = Rc::clone(&self.lookup);
        for &at in lookup.supers(class) {
            self.below[at as usize].push(class);
            // Marking only fills the queue, so that no call is added meanwhile.
            let sites = std::mem::take(&mut self.sites[at as usize]);
            for &(key, caller) in &sites {
                self.mark_resolved(class, key, caller);
            }
            self.sites[at as usize] = sites;
            self.called_back(at, from);
        }
        self.inherited_called_back(class, from);
    }

    /// A virtual call.
    fn dispatch(&mut self, class: u32, key: u32, from: u32) {
        if !self.known.insert((class, key)) {
            return;
        }
        // A private method is never overridden, whatever a subclass declares.
        if let Some(method) = self.lookup.resolve(class, key)
            && self.set.method(method).access & access::PRIVATE != 0
        {
            return self.mark_resolved(class, key, from);
        }
        self.sites[class as usize].push((key, from));
        let below = std::mem::take(&mut self.below[class as usize]);
        for &instance in &below {
            self.mark_resolved(instance, key, from);
        }
        self.below[class as usize] = below;
    }

    /// Everything of a class is reached, with what it inherits: it is handed to reflection.
    fn everything(&mut self, class: u32, from: u32) {
        self.instantiate(class, from);
        let set = self.set;
        let lookup = Rc::clone(&self.lookup);
        for copy in lookup.supers(class).iter().flat_map(|&at| set.copies(at)) {
            for method in set.methods_of(copy) {
                self.mark(method, from);
            }
        }
    }

    fn edge(&mut self, edge: &Edge, from: u32) {
        match edge {
            Edge::Class(name) => {
                if let Some(class) = self.set.find(name) {
                    self.everything(class, from);
                }
            }
            Edge::Providers(service) => {
                let providers: Vec<u32> = match service {
                    Some(service) => self.services.get(service).cloned().unwrap_or_default(),
                    None => self.services.values().flatten().copied().collect(),
                };
                for provider in providers {
                    self.instantiate(provider, from);
                    if let Some(constructor) = self.constructor {
                        self.mark_declared(provider, constructor, from);
                    }
                }
            }
        }
    }
}
