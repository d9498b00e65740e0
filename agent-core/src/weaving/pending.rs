//! Classes that are decided when they are linked.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Names of classes whose supertypes were not known when their bytes came by, while a pattern asks for subtypes, or that had
/// come by before the probe and were not linked yet. A name stands for all classes of that name in any loaders.
#[derive(Debug, Default)]
pub(crate) struct Pending(Mutex<HashSet<Box<str>>>);

impl Pending {
    pub(crate) fn add(&self, name: &str) {
        self.lock().insert(name.into());
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.lock().contains(name)
    }

    pub(crate) fn remove(&self, name: &str) {
        self.lock().remove(name);
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<Box<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
