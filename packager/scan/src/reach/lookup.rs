//! What the call graph asks again and again.

use super::outside::Called;
use crate::classes::Classes;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Numbers for names with descriptors, and the supertypes of each class.
#[derive(Debug)]
pub(crate) struct Lookup<'c, 's> {
    set: &'c Classes<'s>,
    keys: FxHashMap<(&'s [u8], &'s [u8]), u32>,
    /// What each key's name says of when the JDK may call it.
    called: Vec<Called>,
    /// The key of each method, and its class.
    of_methods: Vec<u32>,
    classes: Vec<u32>,
    supers: Vec<OnceCell<Box<[u32]>>>,
}

impl<'c, 's> Lookup<'c, 's> {
    pub(crate) fn new(set: &'c Classes<'s>) -> Self {
        let mut keys = FxHashMap::default();
        keys.reserve(set.methods.len() / 2);
        let mut called = Vec::new();
        let mut of_methods = Vec::with_capacity(set.methods.len());
        let mut classes = Vec::with_capacity(set.methods.len());
        for class in 0..set.entries.len() as u32 {
            for method in set.methods_of(class) {
                let next = keys.len() as u32;
                let key = (set.name(class, method), set.descriptor(class, method));
                let number = *keys.entry(key).or_insert(next);
                if number == next {
                    called.push(Called::of(key.0));
                }
                of_methods.push(number);
                classes.push(class);
            }
        }
        Self { set, keys, called, of_methods, classes, supers: vec![OnceCell::new(); set.entries.len()] }
    }

    /// The class that declares a method.
    pub(crate) fn class_of(&self, method: u32) -> u32 {
        self.classes[method as usize]
    }

    /// When the JDK may call a method.
    pub(super) fn called(&self, method: u32) -> Called {
        self.called[self.of_methods[method as usize] as usize]
    }

    /// The number of a method's name with its descriptor.
    pub(super) fn key_of(&self, method: u32) -> u32 {
        self.of_methods[method as usize]
    }

    /// Whether a method is a constructor or a static initializer.
    pub(super) fn is_special(&self, method: u32) -> bool {
        self.called(method) == Called::Never
    }

    /// The number of a name with a descriptor; `None` if no scanned method has them.
    pub(crate) fn key(&self, name: &[u8], descriptor: &[u8]) -> Option<u32> {
        self.keys.get(&(name, descriptor)).copied()
    }

    /// The scanned classes that `class` and its copies inherit from, itself first.
    pub(crate) fn supers(&self, class: u32) -> &[u32] {
        self.supers[class as usize].get_or_init(|| {
            let mut supers = Vec::new();
            for copy in self.set.copies(class) {
                self.set.each_super(copy, &mut |at| supers.push(at));
            }
            if !self.set.entry(class).copies.is_empty() {
                let mut seen = FxHashSet::default();
                supers.retain(|&at| seen.insert(at));
            }
            supers.into()
        })
    }

    /// The method of that key that the class itself declares, without copies.
    pub(crate) fn own(&self, class: u32, key: u32) -> Option<u32> {
        let methods = self.set.methods_of(class);
        let at = self.of_methods[methods.start as usize..methods.end as usize].iter().position(|&own| own == key)?;
        Some(methods.start + at as u32)
    }

    /// The method that a reference finds among the scanned classes: superclasses come before interfaces.
    pub(crate) fn resolve(&self, class: u32, key: u32) -> Option<u32> {
        let declared = |class: u32| {
            let copies = &self.set.entry(class).copies;
            self.own(class, key).or_else(|| copies.iter().find_map(|&copy| self.own(copy, key)))
        };
        let mut at = class;
        // A malformed set may be circular.
        for _ in 0..self.set.entries.len() {
            if let Some(method) = declared(at) {
                return Some(method);
            }
            match self.set.superclass(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        self.supers(class).iter().find_map(|&at| declared(at))
    }
}
