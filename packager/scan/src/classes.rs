//! The classes of one program: their names, methods and supertypes.

use crate::input::{Named, Part};
use crate::names::Names;
use crate::rules::{BOOK, Owner};
use classfile::ClassFile;
use classfile::reader::MethodSpan;
use rustc_hash::FxHashMap;

/// In tables by name: no class of that name is scanned.
const NONE: u32 = u32::MAX;

/// A supertype.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Super {
    /// One of the scanned classes.
    Scanned(u32),
    /// The number of the name of a class of the JDK or of the application.
    External(u32),
}

/// A class.
#[derive(Debug)]
pub(crate) struct Entry<'s> {
    pub(crate) file: &'s ClassFile<'s>,
    pub(crate) first_method: u32,
    pub(crate) end_method: u32,
    first_named: u32,
    end_named: u32,
    /// The superclass first, then interfaces; `java/lang/Object` is left out.
    pub(crate) supers: Vec<Super>,
    /// Whether the first of them is the superclass.
    has_superclass: bool,
    /// Further classes of the same name: copies for other Java releases.
    pub(crate) copies: Vec<u32>,
}

/// The classes of one program.
#[derive(Debug)]
pub(crate) struct Classes<'s> {
    pub(crate) entries: Vec<Entry<'s>>,
    pub(crate) methods: Vec<MethodSpan>,
    /// Class constants, those of one class in the order of their indexes.
    named: Vec<Named>,
    names: Names<'s>,
    /// By name: the scanned class.
    scanned: Vec<u32>,
    /// By name: the rules for it.
    ruled: Vec<Option<Owner>>,
    /// Owners of rules that a scanned class inherits from.
    inherited: FxHashMap<u32, Vec<Owner>>,
}

impl<'s> Classes<'s> {
    pub(crate) fn new(parts: &'s [Part<'s>]) -> Self {
        let count = |of: fn(&Part<'_>) -> usize| parts.iter().map(of).sum::<usize>();
        let mut names = Names::default();
        let mut entries: Vec<Entry<'s>> = Vec::with_capacity(count(|part| part.files.len()));
        let mut methods = Vec::with_capacity(count(|part| part.methods.len()));
        let mut named: Vec<Named> = Vec::with_capacity(count(|part| part.named.len()));
        for part in parts {
            let numbers: Vec<u32> = part.names.list().iter().map(|name| names.number(name)).collect();
            let (mut first_method, mut first_named) = (methods.len() as u32, named.len() as u32);
            let (base_method, base_named) = (first_method, first_named);
            methods.extend_from_slice(&part.methods);
            named.extend(part.named.iter().map(|one| Named { name: numbers[one.name as usize], ..*one }));
            for (file, ends) in part.files.iter().zip(&part.ends) {
                let (end_method, end_named) = (base_method + ends.methods, base_named + ends.named);
                let (supers, copies) = (Vec::new(), Vec::new());
                let has_superclass = false;
                entries.push(Entry {
                    file,
                    first_method,
                    end_method,
                    first_named,
                    end_named,
                    supers,
                    has_superclass,
                    copies,
                });
                (first_method, first_named) = (end_method, end_named);
            }
        }
        let ruled = names.list().iter().map(|name| BOOK.owner(name)).collect();
        let scanned = vec![NONE; names.list().len()];
        let inherited = FxHashMap::default();
        let mut classes = Self { entries, methods, named, names, scanned, ruled, inherited };
        classes.link();
        classes
    }

    /// Finds the classes by their names, and their supertypes.
    fn link(&mut self) {
        for class in 0..self.entries.len() as u32 {
            let this = self.entry(class).file.this_index();
            let Some(name) = self.name_at(class, this) else { continue };
            // The first class of a name is the one that others resolve to.
            let first = &mut self.scanned[name as usize];
            if *first == NONE {
                *first = class;
            } else {
                self.entries[*first as usize].copies.push(class);
            }
        }
        let object = self.names.find(b"java/lang/Object");
        for class in 0..self.entries.len() as u32 {
            let entry = self.entry(class);
            let mut supers = Vec::new();
            let mut has_superclass = false;
            for (position, index) in entry.file.super_indexes().enumerate() {
                let Some(name) = self.name_at(class, index).filter(|_| index != 0) else { continue };
                if Some(name) != object {
                    has_superclass |= position == 0;
                    let scanned = self.scanned[name as usize];
                    supers.push(if scanned == NONE { Super::External(name) } else { Super::Scanned(scanned) });
                }
            }
            let entry = &mut self.entries[class as usize];
            (entry.supers, entry.has_superclass) = (supers, has_superclass);
        }
        self.inherited = inherited(&self.entries, &self.ruled);
    }

    pub(crate) fn entry(&self, class: u32) -> &Entry<'s> {
        &self.entries[class as usize]
    }

    pub(crate) fn method(&self, method: u32) -> &MethodSpan {
        &self.methods[method as usize]
    }

    /// Name of a method of that class, or of a copy of it that has the method.
    pub(crate) fn name(&self, class: u32, method: u32) -> &'s [u8] {
        self.text(class, self.method(method).name)
    }

    pub(crate) fn descriptor(&self, class: u32, method: u32) -> &'s [u8] {
        self.text(class, self.method(method).descriptor)
    }

    fn text(&self, class: u32, index: u16) -> &'s [u8] {
        // Checked when the class was read.
        self.entry(class).file.pool().utf8(index).unwrap_or_default()
    }

    /// Contents of the `Code` attribute of a method.
    pub(crate) fn code(&self, class: u32, method: u32) -> Option<&'s [u8]> {
        let span = self.method(method);
        let start = span.code as usize;
        (start != 0).then(|| &self.entry(class).file.bytes()[start..start + span.length as usize])
    }

    /// The class constants of a class.
    pub(crate) fn named(&self, class: u32) -> &[Named] {
        let entry = self.entry(class);
        &self.named[entry.first_named as usize..entry.end_named as usize]
    }

    /// The number of the name in a class constant.
    pub(crate) fn name_at(&self, class: u32, constant: u16) -> Option<u32> {
        let named = self.named(class);
        let at = named.binary_search_by_key(&constant, |one| one.constant).ok()?;
        Some(named[at].name)
    }

    /// The scanned class that a class constant names.
    pub(crate) fn class_at(&self, class: u32, constant: u16) -> Option<u32> {
        self.of_name(self.name_at(class, constant)?)
    }

    /// The scanned class of that name.
    fn of_name(&self, name: u32) -> Option<u32> {
        Some(self.scanned[name as usize]).filter(|&class| class != NONE)
    }

    /// The scanned class of that internal name.
    pub(crate) fn find(&self, name: &[u8]) -> Option<u32> {
        self.of_name(self.names.find(name)?)
    }

    /// The name of that number.
    pub(crate) fn name_of(&self, name: u32) -> &'s [u8] {
        self.names.get(name)
    }

    /// The rules for a name.
    pub(crate) fn ruled(&self, name: u32) -> Option<Owner> {
        self.ruled[name as usize]
    }

    /// The scanned class of that name, if it inherits from an owner of rules.
    pub(crate) fn heir(&self, name: u32) -> Option<u32> {
        if self.inherited.is_empty() {
            return None;
        }
        self.of_name(name).filter(|class| self.inherited.contains_key(class))
    }

    /// Indexes of the methods of a class.
    pub(crate) fn methods_of(&self, class: u32) -> std::ops::Range<u32> {
        let entry = self.entry(class);
        entry.first_method..entry.end_method
    }

    /// The class that declares a method.
    pub(crate) fn class_of(&self, method: u32) -> u32 {
        (self.entries.partition_point(|entry| entry.end_method <= method)) as u32
    }

    /// The method that the class or a copy of it declares.
    pub(crate) fn declared(&self, class: u32, name: &[u8], descriptor: &[u8]) -> Option<u32> {
        let own = |class: u32| {
            self.methods_of(class)
                .find(|&method| self.name(class, method) == name && self.descriptor(class, method) == descriptor)
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

    /// Whether the class, or a scanned class that it inherits from, declares that field.
    pub(crate) fn has_field(&self, class: u32, name: &[u8], descriptor: &[u8]) -> bool {
        let mut found = false;
        self.each_super(class, &mut |at| {
            for copy in self.copies(at) {
                let mut fields = self.entry(copy).file.fields();
                found = found || fields.any(|field| field.name == name && field.descriptor == descriptor);
            }
        });
        found
    }

    /// The superclass, if it is scanned.
    pub(crate) fn superclass(&self, class: u32) -> Option<u32> {
        let entry = self.entry(class);
        match entry.supers.first() {
            Some(&Super::Scanned(next)) if entry.has_superclass => Some(next),
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
                    visit(self.names.get(name));
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
fn inherited(entries: &[Entry<'_>], ruled: &[Option<Owner>]) -> FxHashMap<u32, Vec<Owner>> {
    // Ruled supertypes are few: what inherits from them is found from there.
    let mut owners: FxHashMap<u32, Vec<Owner>> = FxHashMap::default();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); entries.len()];
    for (class, entry) in entries.iter().enumerate() {
        for link in &entry.supers {
            match *link {
                Super::Scanned(link) => below[link as usize].push(class as u32),
                Super::External(name) => {
                    if let Some(owner) = ruled[name as usize] {
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
