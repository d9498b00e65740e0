//! The supertypes of the classes seen so far.

use classfile::{ClassFile, mutf8};
use probe::{Condition, Hierarchy};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

type Classes = HashMap<Box<str>, Entry>;

const OBJECT: &str = "java/lang/Object";

/// What is known of a class's supertypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knowledge {
    /// All of them.
    Complete,
    /// Some were not seen yet.
    Partial,
    /// Classes of one name, in several loaders, have different ones.
    Differs,
}

/// Whether a handler takes the values of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Fits,
    FitsNot,
    /// A class was not seen yet, so there is no value of it.
    Open,
    /// It cannot be said by name, because classes of this name differ.
    Differs(String),
}

/// Direct supertypes by class name. Classes of one name in several loaders share an entry; where they differ, nothing is
/// said that would hold for one of them only. A wrong match could do no harm, because a handler's parameters are cast.
#[derive(Debug, Default)]
pub(crate) struct Supertypes {
    is_recording: AtomicBool,
    classes: RwLock<Classes>,
}

#[derive(Debug)]
struct Entry {
    /// Of all classes of this name.
    direct: Box<[Box<str>]>,
    differs: bool,
}

impl Supertypes {
    /// Whether classes that are loaded shall be noted. Off as long as no probe asks about supertypes, as this costs memory.
    pub(crate) fn is_recording(&self) -> bool {
        self.is_recording.load(Ordering::Acquire)
    }

    pub(crate) fn set_recording(&self, on: bool) {
        self.is_recording.store(on, Ordering::Release);
        if !on {
            self.classes.write().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// Notes what a class file says.
    pub(crate) fn record_file(&self, file: &ClassFile<'_>) {
        self.record(file.this_name(), file.super_name().into_iter().chain(file.interfaces()));
    }

    /// Notes a class and the types it names itself.
    pub(crate) fn record<'n>(&self, name: &[u8], direct: impl Iterator<Item = &'n [u8]>) {
        let Some(name) = mutf8::as_str(name) else { return };
        let mut direct: Vec<Box<str>> =
            direct.filter_map(mutf8::as_str).filter(|n| *n != OBJECT).map(Into::into).collect();
        direct.sort_unstable();
        direct.dedup();
        let mut classes = self.classes.write().unwrap_or_else(PoisonError::into_inner);
        match classes.get_mut(name) {
            None => {
                classes.insert(name.into(), Entry { direct: direct.into(), differs: false });
            }
            Some(known) if *known.direct == *direct => {}
            Some(known) => {
                direct.extend(known.direct.iter().cloned());
                direct.sort_unstable();
                direct.dedup();
                known.direct = direct.into();
                known.differs = true;
            }
        }
    }

    /// The class and all types above it that are known, of whichever class of that name.
    pub(crate) fn above(&self, name: &str) -> Vec<String> {
        walk(&self.read(), name).types.into_iter().map(str::to_owned).collect()
    }

    /// The types that the class names itself.
    pub(crate) fn direct(&self, name: &str) -> Vec<String> {
        self.read().get(name).map(|e| e.direct.iter().map(ToString::to_string).collect()).unwrap_or_default()
    }

    /// Whether all conditions of a call hold.
    pub(crate) fn decide(&self, conditions: &[Condition]) -> Decision {
        match Condition::all_hold(conditions, self) {
            Some(true) => Decision::Fits,
            Some(false) => Decision::FitsNot,
            None => conditions
                .iter()
                .find(|condition| self.knowledge(&condition.class) == Knowledge::Differs)
                .map_or(Decision::Open, |condition| Decision::Differs(condition.class.clone())),
        }
    }

    /// How much is known of a class.
    pub(crate) fn knowledge(&self, name: &str) -> Knowledge {
        walk(&self.read(), name).knowledge
    }

    fn read(&self) -> RwLockReadGuard<'_, Classes> {
        self.classes.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hierarchy for Supertypes {
    fn is_subtype(&self, class: &str, ancestor: &str) -> Option<bool> {
        let classes = self.read();
        let walk = walk(&classes, class);
        match walk.knowledge {
            Knowledge::Differs => None,
            _ if walk.types.contains(&ancestor) => Some(true),
            Knowledge::Partial => None,
            Knowledge::Complete => Some(false),
        }
    }
}

struct Walk<'a> {
    types: Vec<&'a str>,
    knowledge: Knowledge,
}

fn walk<'a>(classes: &'a Classes, name: &'a str) -> Walk<'a> {
    let mut walk = Walk { types: vec![name], knowledge: Knowledge::Complete };
    let mut next = 0;
    while let Some(name) = walk.types.get(next) {
        next += 1;
        match classes.get(*name) {
            Some(entry) => {
                if entry.differs {
                    walk.knowledge = Knowledge::Differs;
                }
                for supertype in &entry.direct {
                    if !walk.types.contains(&&**supertype) {
                        walk.types.push(supertype);
                    }
                }
            }
            None if *name == OBJECT || walk.knowledge == Knowledge::Differs => {}
            None => walk.knowledge = Knowledge::Partial,
        }
    }
    walk
}

#[cfg(test)]
mod tests {
    use super::{Knowledge, Supertypes};
    use probe::{Condition, Hierarchy};

    fn record(types: &Supertypes, name: &str, direct: &[&str]) {
        types.record(name.as_bytes(), direct.iter().map(|n| n.as_bytes()));
    }

    #[test]
    fn says_nothing_until_all_is_known() {
        let types = Supertypes::default();
        assert_eq!(types.is_subtype("a/C", "a/A"), None);
        record(&types, "a/C", &["a/B", "java/lang/Runnable"]);
        assert_eq!(types.is_subtype("a/C", "java/lang/Runnable"), Some(true));
        assert_eq!(types.is_subtype("a/C", "a/A"), None);
        assert_eq!(types.knowledge("a/C"), Knowledge::Partial);
        record(&types, "java/lang/Runnable", &["java/lang/Object"]);
        record(&types, "a/B", &["a/A"]);
        record(&types, "a/A", &["java/lang/Object"]);
        assert_eq!(types.knowledge("a/C"), Knowledge::Complete);
        assert_eq!(types.is_subtype("a/C", "a/A"), Some(true));
        assert_eq!(types.is_subtype("a/C", "a/Z"), Some(false));
        assert_eq!(types.above("a/C"), ["a/C", "a/B", "java/lang/Runnable", "a/A"]);
    }

    #[test]
    fn classes_of_one_name_that_differ_have_no_answer() {
        let types = Supertypes::default();
        record(&types, "a/A", &[]);
        record(&types, "a/B", &["a/A"]);
        record(&types, "a/B", &["a/A"]);
        assert_eq!(types.is_subtype("a/B", "a/A"), Some(true));
        record(&types, "a/B", &[]);
        assert_eq!(types.is_subtype("a/B", "a/A"), None);
        assert_eq!(types.knowledge("a/B"), Knowledge::Differs);
        let condition = |class: &str| Condition { class: class.into(), ancestor: "a/A".into() };
        assert_eq!(types.decide(&[condition("a/B")]), super::Decision::Differs("a/B".into()));
        assert_eq!(types.decide(&[condition("a/Unseen")]), super::Decision::Open);
        // One of them is below it, which is enough to look closer.
        assert_eq!(types.above("a/B"), ["a/B", "a/A"]);
    }
}
