//! What code outside, that of the JDK first of all, may call on an instance.

use super::Graph;
use crate::classes::Super;
use classfile::access;
use std::rc::Rc;

/// Interfaces without methods: nothing calls back through them.
const MARKERS: [&[u8]; 4] =
    [b"java/io/Serializable", b"java/lang/Cloneable", b"java/util/RandomAccess", b"java/lang/annotation/Annotation"];

/// Methods that every object has, and those that serialization calls although they are private.
const OF_OBJECTS: [&[u8]; 13] = [
    b"toString",
    b"hashCode",
    b"equals",
    b"finalize",
    b"clone",
    b"compareTo",
    b"readObject",
    b"readObjectNoData",
    b"readResolve",
    b"readExternal",
    b"writeObject",
    b"writeReplace",
    b"writeExternal",
];

/// When the JDK may call a method of an instance, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    /// Whatever the class.
    Always,
    /// If it overrides one from outside.
    Overriding,
    /// Not by its name: constructors and static initializers.
    Never,
}

impl Called {
    pub(super) fn of(name: &[u8]) -> Self {
        match name.first() {
            Some(b'<') => Self::Never,
            _ if OF_OBJECTS.contains(&name) => Self::Always,
            _ => Self::Overriding,
        }
    }
}

/// What was marked of a class.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CalledBack {
    /// What every object has, and if it is open what overrides methods from outside.
    seen: bool,
    /// Whether it inherits from a class or interface outside itself.
    open: bool,
    /// Its public methods, which a subclass may lend to an interface from outside.
    public: bool,
}

/// The methods of interfaces that are implemented often; of all others any public method may be one.
fn methods_of(interface: &[u8]) -> Option<&'static [&'static [u8]]> {
    Some(match interface {
        b"java/lang/Runnable" => &[b"run"],
        b"java/util/concurrent/Callable" => &[b"call"],
        b"java/lang/Comparable" => &[b"compareTo"],
        b"java/util/Comparator" => &[b"compare", b"reversed", b"thenComparing"],
        b"java/lang/AutoCloseable" | b"java/io/Closeable" => &[b"close"],
        b"java/io/Flushable" => &[b"flush"],
        b"java/lang/Iterable" => &[b"iterator", b"forEach", b"spliterator"],
        b"java/util/Iterator" => &[b"hasNext", b"next", b"remove", b"forEachRemaining"],
        b"java/lang/reflect/InvocationHandler" => &[b"invoke"],
        b"java/util/concurrent/ThreadFactory" => &[b"newThread"],
        b"java/util/function/Supplier" => &[b"get"],
        b"java/util/function/Consumer" => &[b"accept", b"andThen"],
        b"java/util/function/Function" => &[b"apply", b"andThen", b"compose"],
        b"java/util/function/Predicate" => &[b"test", b"and", b"or", b"negate"],
        _ => return None,
    })
}

impl Graph<'_, '_> {
    /// Methods of an instantiated class, or of a supertype of it, that code outside may call.
    pub(super) fn called_back(&mut self, class: u32, from: u32) {
        if std::mem::replace(&mut self.called_back[class as usize].seen, true) {
            return;
        }
        let set = self.set;
        let mut open = false;
        set.each_external(class, &mut |name| open |= !MARKERS.contains(&name));
        self.called_back[class as usize].open = open;
        for copy in set.copies(class) {
            for method in set.methods_of(copy) {
                let plain = set.method(method).access & (access::STATIC | access::PRIVATE) == 0;
                let called = match self.lookup.called(method) {
                    Called::Always => true,
                    Called::Overriding => open && plain,
                    Called::Never => false,
                };
                if called {
                    self.mark(method, from);
                }
            }
        }
    }

    /// Public methods of supertypes that are not open themselves, where the instantiated class implements an interface from
    /// outside: they may be what implements it.
    pub(super) fn inherited_called_back(&mut self, class: u32, from: u32) {
        let set = self.set;
        let lookup = Rc::clone(&self.lookup);
        let supers = lookup.supers(class);
        if supers.len() < 2 {
            return;
        }
        let mut names: Vec<&[u8]> = Vec::new();
        let mut all = false;
        for link in supers.iter().flat_map(|&at| &set.entry(at).supers) {
            let Super::External(name) = *link else { continue };
            let name = set.name_of(name);
            if !MARKERS.contains(&name) {
                match methods_of(name) {
                    Some(methods) => names.extend(methods),
                    None => all = true,
                }
            }
        }
        if !all && names.is_empty() {
            return;
        }
        for &at in supers {
            let known = &mut self.called_back[at as usize];
            if known.open || known.public {
                continue;
            }
            known.public |= all;
            for copy in set.copies(at) {
                for method in set.methods_of(copy) {
                    let public = set.method(method).access & (access::PUBLIC | access::STATIC) == access::PUBLIC;
                    if public
                        && self.lookup.called(method) == Called::Overriding
                        && (all || names.contains(&set.name(copy, method)))
                    {
                        self.mark(method, from);
                    }
                }
            }
        }
    }
}
