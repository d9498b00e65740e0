//! Where code outside enters: providers, and classes that it may use.

use super::{Graph, ROOT};
use classfile::access;
use std::rc::Rc;

/// Members that code in other packages sees.
const VISIBLE: u16 = access::PUBLIC | access::PROTECTED;

impl Graph<'_, '_> {
    /// Code outside makes an instance and calls every method of it, declared or inherited, that is not private.
    pub(super) fn provide(&mut self, class: u32) {
        self.instantiate(class, ROOT);
        let set = self.set;
        let lookup = Rc::clone(&self.lookup);
        for &at in lookup.supers(class) {
            for copy in set.copies(at) {
                for method in set.methods_of(copy) {
                    let flags = set.method(method).access;
                    if flags & access::PRIVATE != 0 {
                        continue;
                    }
                    if at == class {
                        self.mark(method, ROOT);
                    } else if flags & access::STATIC == 0 && !lookup.is_special(method) {
                        // What the class overrides is not what is called.
                        self.mark_resolved(class, lookup.key_of(method), ROOT);
                    }
                }
            }
        }
    }

    /// Code outside calls the visible members of a class, declared or inherited, on whatever instance it was given.
    pub(super) fn open(&mut self, class: u32) {
        let set = self.set;
        let lookup = Rc::clone(&self.lookup);
        let mut next = vec![class];
        while let Some(class) = next.pop() {
            if !self.opened.insert(class) {
                continue;
            }
            for &at in lookup.supers(class) {
                for copy in set.copies(at) {
                    for method in set.methods_of(copy) {
                        let flags = set.method(method).access;
                        if flags & VISIBLE == 0 {
                            continue;
                        }
                        // Constructors are not inherited.
                        if flags & access::STATIC == 0 && !lookup.is_special(method) {
                            self.dispatch(class, lookup.key_of(method), ROOT);
                        }
                        if at == class || flags & access::STATIC != 0 {
                            self.mark(method, ROOT);
                        }
                        // What a member returns is used in turn.
                        next.extend(returned(set.descriptor(copy, method)).and_then(|name| set.find(name)));
                    }
                }
            }
        }
    }
}

/// The class that a method returns, or of which it returns an array.
fn returned(descriptor: &[u8]) -> Option<&[u8]> {
    let at = descriptor.iter().rposition(|&byte| byte == b')')?;
    let mut result = &descriptor[at + 1..];
    while let Some(element) = result.strip_prefix(b"[") {
        result = element;
    }
    result.strip_prefix(b"L")?.strip_suffix(b";")
}
