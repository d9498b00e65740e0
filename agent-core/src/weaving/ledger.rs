//! What was woven, and how much of it each probe may still ask for.

use probe::Counts;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// Methods that one probe may ask for where `maxMethods` does not say otherwise.
pub(crate) const MAX_METHODS: usize = 2_000;

/// The woven classes by internal name, with the methods that each probe asks for in them. Classes of one name in several
/// loaders count once.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    limits: HashMap<u32, usize>,
    used: HashMap<u32, usize>,
    classes: HashMap<Box<[u8]>, BTreeMap<u32, usize>>,
}

impl Ledger {
    /// Sets what a probe may ask for, in methods.
    pub(crate) fn limit(&self, probe: u32, methods: usize) {
        self.lock().limits.insert(probe, methods);
    }

    /// Enters a class; returns the probes that may not have it, with their limits.
    pub(crate) fn admit(&self, class: &[u8], counts: &Counts) -> Vec<(u32, usize)> {
        let inner = &mut *self.lock();
        let mut refused = Vec::new();
        let entered = inner.classes.entry(class.into()).or_default();
        for (probe, methods) in counts.iter() {
            let limit = inner.limits.get(&probe).copied().unwrap_or(MAX_METHODS);
            let used = inner.used.entry(probe).or_default();
            let before = entered.get(&probe).copied().unwrap_or(0);
            let after = *used - before + methods.max(before);
            if after > limit {
                refused.push((probe, limit));
            } else {
                *used = after;
                entered.insert(probe, methods.max(before));
            }
        }
        refused
    }

    /// Internal names of all classes entered.
    pub(crate) fn classes(&self) -> BTreeSet<Box<[u8]>> {
        self.lock().classes.keys().cloned().collect()
    }

    pub(crate) fn clear(&self) {
        *self.lock() = Inner::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
