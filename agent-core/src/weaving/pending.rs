//! Classes that wait for others to be linked.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// By the name of a class whose supertypes are not known yet, those that are looked at again once they are: itself, where a
/// pattern asks for subtypes, or a class with a method that takes such values. Until then no such value exists, so nothing is
/// missed.
#[derive(Debug, Default)]
pub(crate) struct Pending(Mutex<HashMap<Box<[u8]>, BTreeSet<Box<[u8]>>>>);

impl Pending {
    /// Notes that a class waits for another one, or for itself.
    pub(crate) fn add(&self, of: &[u8], waiting: &[u8]) {
        self.lock().entry(of.into()).or_default().insert(waiting.into());
    }

    /// Who waited for this class.
    pub(crate) fn take(&self, of: &[u8]) -> BTreeSet<Box<[u8]>> {
        self.lock().remove(of).unwrap_or_default()
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Box<[u8]>, BTreeSet<Box<[u8]>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
