//! The classes of one program: their names, methods and supertypes.

use crate::rules::{BOOK, Owner};
use classfile::ClassFile;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// A method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Method<'s> {
    pub(crate) class: u32,
    pub(crate) access: u16,
    pub(crate) name: &'s [u8],
    pub(crate) descriptor: &'s [u8],
    /// Contents of the `Code` attribute.
    pub(crate) code: Option<&'s [u8]>,
}

/// A supertype.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Super<'s> {
    /// One of the scanned classes.
    Scanned(u32),
    /// A class of the JDK or of the application.
    External(&'s [u8]),
}

/// A class.
#[derive(Debug)]
pub(crate) struct Entry<'s> {
    pub(crate) file: &'s ClassFile<'s>,
    pub(crate) first_method: u32,
    pub(crate) end_method: u32,
    /// The superclass first, then interfaces; `java/lang/Object` is left out.
    pub(crate) supers: Vec<Super<'s>>,
    /// Further classes of the same name: copies for other Java releases.
    pub(crate) copies: Vec<u32>,
}

/// The classes of one program.
#[derive(Debug)]
pub(crate) struct Classes<'s> {
    pub(crate) entries: Vec<Entry<'s>>,
    pub(crate) methods: Vec<Method<'s>>,
    by_name: FxHashMap<&'s [u8], u32>,
    /// Owners of rules that a scanned class inherits from.
    inherited: FxHashMap<u32, Vec<Owner>>,
}

impl<'s> Classes<'s> {
    pub(crate) fn new(files: &'s [ClassFile<'s>]) -> Self {
        let mut by_name: FxHashMap<&[u8], u32> = FxHashMap::default();
        by_name.reserve(files.len());
        let mut entries: Vec<Entry<'s>> = Vec::with_capacity(files.len());
        let mut methods = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let index = index as u32;
            let first_method = methods.len() as u32;
            for member in file.methods() {
                methods.push(Method {
                    class: index,
                    access: member.access,
                    name: member.name,
                    descriptor: member.descriptor,
                    code: member.attribute("Code").map(|code| code.data),
                });
            }
            entries.push(Entry {
                file,
                first_method,
                end_method: methods.len() as u32,
                supers: Vec::new(),
                copies: Vec::new(),
            });
            // The first class of a name is the one that others resolve to.
            let first = *by_name.entry(file.this_name()).or_insert(index);
            if first != index {
                entries[first as usize].copies.push(index);
            }
        }
        for (entry, file) in entries.iter_mut().zip(files) {
            let supers = file.super_name().into_iter().chain(file.interfaces());
            let supers = supers.filter(|name| *name != b"java/lang/Object");
            entry.supers = supers
                .map(|name| by_name.get(name).map_or(Super::External(name), |&class| Super::Scanned(class)))
                .collect();
        }
        let inherited = inherited(&entries);
        Self { entries, methods, by_name, inherited }
    }

    pub(crate) fn entry(&self, class: u32) -> &Entry<'s> {
        &self.entries[class as usize]
    }

    pub(crate) fn method(&self, method: u32) -> &Method<'s> {
        &self.methods[method as usize]
    }

    /// The scanned class of that internal name.
    pub(crate) fn find(&self, name: &[u8]) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The scanned class of that internal name, if it inherits from an owner of rules.
    pub(crate) fn heir(&self, name: &[u8]) -> Option<u32> {
        // Arrays inherit nothing.
        if self.inherited.is_empty() || name.first() == Some(&b'[') {
            return None;
        }
        self.find(name).filter(|class| self.inherited.contains_key(class))
    }

    /// Indexes of the methods of a class.
    pub(crate) fn methods_of(&self, class: u32) -> std::ops::Range<u32> {
        let entry = self.entry(class);
        entry.first_method..entry.end_method
    }

    /// The method that the class or a copy of it declares.
    pub(crate) fn declared(&self, class: u32, name: &[u8], descriptor: &[u8]) -> Option<u32> {
        let own = |class: u32| {
            self.methods_of(class).find(|&method| {
                let method = self.method(method);
                method.name == name && method.descriptor == descriptor
            })
        };
        own(class).or_else(|| self.entry(class).copies.iter().find_map(|&copy| own(copy)))
    }

    /// The method that a reference to `class` finds among the scanned classes: there, in superclasses, in interfaces.
    pub(crate) fn resolve(&self, class: u32, name: &[u8], descriptor: &[u8]) -> Option<u32> {
        let mut at = class;
        // A malformed set may be circular.
        for _ in 0..self.entries.len() {
            if let Some(method) = self.declared(at, name, descriptor) {
                return Some(method);
            }
            match self.superclass(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        let mut found = None;
        self.each_super(class, &mut |super_class| {
            if found.is_none() {
                found = self.declared(super_class, name, descriptor);
            }
        });
        found
    }

    /// The superclass, if it is scanned.
    pub(crate) fn superclass(&self, class: u32) -> Option<u32> {
        let entry = self.entry(class);
        match entry.supers.first() {
            Some(&Super::Scanned(next)) if entry.file.super_name() == Some(self.entry(next).file.this_name()) => {
                Some(next)
            }
            _ => None,
        }
    }

    /// The class and its copies for other releases.
    pub(crate) fn copies(&self, class: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::once(class).chain(self.entry(class).copies.iter().copied())
    }

    /// Calls `visit` with each scanned class that `class` inherits from, itself first, each once.
    pub(crate) fn each_super(&self, class: u32, visit: &mut dyn FnMut(u32)) {
        let mut seen = vec![class];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            next += 1;
            visit(at);
            for link in &self.entry(at).supers {
                if let Super::Scanned(link) = *link
                    && !seen.contains(&link)
                {
                    seen.push(link);
                }
            }
        }
    }

    /// Calls `visit` with the name of each class outside that `class` inherits from.
    pub(crate) fn each_external(&self, class: u32, visit: &mut dyn FnMut(&'s [u8])) {
        self.each_super(class, &mut |at| {
            for link in &self.entry(at).supers {
                if let Super::External(name) = *link {
                    visit(name);
                }
            }
        });
    }

    /// Owners of rules that a scanned class inherits from.
    pub(crate) fn inherited(&self, class: u32) -> &[Owner] {
        self.inherited.get(&class).map_or(&[], Vec::as_slice)
    }
}

/// The owners of rules that each class inherits from, for those that do.
fn inherited(entries: &[Entry<'_>]) -> FxHashMap<u32, Vec<Owner>> {
    // Ruled supertypes are few: what inherits from them is found from there.
    let mut owners: FxHashMap<u32, Vec<Owner>> = FxHashMap::default();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); entries.len()];
    for (class, entry) in entries.iter().enumerate() {
        for link in &entry.supers {
            match *link {
                Super::Scanned(link) => below[link as usize].push(class as u32),
                Super::External(name) => {
                    if let Some(owner) = BOOK.owner(name) {
                        owners.entry(class as u32).or_default().push(owner);
                    }
                }
            }
        }
    }
    let mut queue: Vec<u32> = owners.keys().copied().collect();
    queue.sort_unstable();
    while let Some(class) = queue.pop() {
        let own = owners.get(&class).cloned().unwrap_or_default();
        for &heir in &below[class as usize] {
            let known = owners.entry(heir).or_default();
            let new: Vec<Owner> = own.iter().copied().filter(|owner| !known.contains(owner)).collect();
            if !new.is_empty() {
                known.extend(new);
                queue.push(heir);
            }
        }
    }
    owners
}

/// What a call graph asks again and again: numbers for names with descriptors, and the supertypes of each class.
#[derive(Debug)]
pub(crate) struct Lookup<'c, 's> {
    set: &'c Classes<'s>,
    keys: FxHashMap<(&'s [u8], &'s [u8]), u32>,
    /// The key of each method.
    of_methods: Vec<u32>,
    supers: Vec<OnceCell<Box<[u32]>>>,
}

impl<'c, 's> Lookup<'c, 's> {
    pub(crate) fn new(set: &'c Classes<'s>) -> Self {
        let mut keys = FxHashMap::default();
        keys.reserve(set.methods.len() / 2);
        let of_methods = set.methods.iter().map(|method| {
            let next = keys.len() as u32;
            *keys.entry((method.name, method.descriptor)).or_insert(next)
        });
        let of_methods = of_methods.collect();
        Self { set, keys, of_methods, supers: vec![OnceCell::new(); set.entries.len()] }
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
            let mut seen = rustc_hash::FxHashSet::default();
            supers.retain(|&at| seen.insert(at));
            supers.into()
        })
    }

    /// The method of that key that the class itself declares, without copies.
    pub(crate) fn own(&self, class: u32, key: u32) -> Option<u32> {
        self.set.methods_of(class).find(|&method| self.of_methods[method as usize] == key)
    }

    /// The method that a reference finds among the scanned classes: superclasses come before interfaces.
    pub(crate) fn resolve(&self, class: u32, key: u32) -> Option<u32> {
        let declared = |class: u32| self.set.copies(class).find_map(|copy| self.own(copy, key));
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
