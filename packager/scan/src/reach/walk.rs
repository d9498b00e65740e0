//! The calls of one method.

use super::Graph;
use classfile::bytecode::{Bytecode, Call, Use};
use classfile::reader::tag;

/// How deep constants may be computed from each other.
const DEPTH: usize = 16;

/// Kinds of method handles that have their own ways, as the class-file format numbers them.
mod kind {
    pub(super) const INVOKE_VIRTUAL: u8 = 5;
    pub(super) const NEW: u8 = 8;
    pub(super) const INVOKE_INTERFACE: u8 = 9;
}

/// How one constant may be used by different instructions, each of which reaches something else.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// What is named and nothing else: a class object, a static member, a method whatever the receiver.
    Named,
    /// What goes by instances: `new`, and calls by the class of the receiver.
    OfInstances,
}

/// How many ways there are.
pub(super) const WAYS: usize = 2;

impl Way {
    fn of(call: Call) -> Self {
        match call {
            Call::Static | Call::Special => Self::Named,
            Call::Virtual | Call::Interface => Self::OfInstances,
        }
    }
}

impl Graph<'_, '_> {
    /// Follows everything that a reached method uses.
    pub(super) fn visit(&mut self, method: u32) {
        for edge in self.edges.remove(&method).unwrap_or_default() {
            self.edge(edge, method);
        }
        let this = self.lookup.class_of(method);
        let Some(Ok(code)) = self.set.code(this, method).map(Bytecode::parse) else { return };
        for used in code.uses().flatten() {
            match used {
                Use::Call(call, index) if self.first(this, index, Way::of(call)) => {
                    self.call(this, call, index, method);
                }
                Use::StaticField(index) if self.first(this, index, Way::Named) => self.owner(this, index, method),
                Use::New(index) if self.first(this, index, Way::OfInstances) => {
                    if let Some(class) = self.named(this, index) {
                        self.instantiate(class, method);
                    }
                }
                Use::Constant(index) => self.constant(this, index, method, DEPTH),
                Use::Dynamic(index) if self.first(this, index, Way::Named) => self.dynamic(this, index, method, DEPTH),
                _ => {}
            }
        }
    }

    /// Whether the constant of that class is used in that way for the first time.
    fn first(&mut self, class: u32, index: u16, way: Way) -> bool {
        if index >= self.set.entry(class).file.pool().len() {
            return false;
        }
        let place = self.constants[class as usize] + usize::from(index) * WAYS + way as usize;
        let (word, bit) = (&mut self.followed[place / 64], 1 << (place % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// The scanned class that a class constant names.
    fn named(&self, class: u32, index: u16) -> Option<u32> {
        self.set.class_at(class, index)
    }

    /// A static member is used: its class is initialized.
    fn owner(&mut self, class: u32, index: u16, from: u32) {
        let pool = self.set.entry(class).file.pool();
        if let Some(owner) = pool.member_class(index).and_then(|index| self.named(class, index)) {
            self.initialize(owner, from);
        }
    }

    fn call(&mut self, class: u32, call: Call, index: u16, from: u32) {
        let pool = self.set.entry(class).file.pool();
        // Most calls are those of the JDK, so that their names are not even read.
        let Some(owner) = pool.member_class(index).and_then(|index| self.named(class, index)) else { return };
        let Ok(member) = pool.member_ref(index) else { return };
        let Some(key) = self.lookup.key(member.name, member.descriptor) else { return };
        match call {
            Call::Static | Call::Special => self.mark_resolved(owner, key, from),
            Call::Virtual | Call::Interface => self.dispatch(owner, key, from),
        }
    }

    fn constant(&mut self, class: u32, index: u16, from: u32, depth: usize) {
        let pool = self.set.entry(class).file.pool();
        match pool.tag(index) {
            Some(tag::METHOD_HANDLE) => {
                let Ok((how, member)) = pool.method_handle(index) else { return };
                if pool.tag(member) == Some(tag::FIELD) {
                    return self.owner(class, member, from);
                }
                let call = match how {
                    kind::INVOKE_VIRTUAL => Call::Virtual,
                    kind::INVOKE_INTERFACE => Call::Interface,
                    _ => Call::Static,
                };
                if how == kind::NEW
                    && let Some(made) = pool.member_class(member).and_then(|index| self.named(class, index))
                {
                    self.instantiate(made, from);
                }
                self.call(class, call, member, from);
            }
            Some(tag::DYNAMIC) => self.dynamic(class, index, from, depth),
            // Whoever gets the class may initialize it, as `EnumMap` does.
            Some(tag::CLASS) if self.first(class, index, Way::Named) => {
                if let Some(named) = self.named(class, index) {
                    self.initialize(named, from);
                }
            }
            _ => {}
        }
    }

    fn dynamic(&mut self, class: u32, index: u16, from: u32, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let file = self.set.entry(class).file;
        let Ok(dynamic) = file.pool().dynamic(index) else { return };
        let bootstraps =
            self.bootstraps.entry(class).or_insert_with(|| file.bootstrap_methods().unwrap_or_default().into());
        let Some(&bootstrap) = bootstraps.get(usize::from(dynamic.bootstrap)) else { return };
        for constant in std::iter::once(bootstrap.handle).chain(bootstrap.arguments()) {
            self.constant(class, constant, from, depth);
        }
    }
}
