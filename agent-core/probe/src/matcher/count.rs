//! How many methods each probe asks for.

use super::ClassMatcher;
use crate::weaving::MethodInfo;
use classfile::{ClassFile, mutf8};
use std::collections::BTreeMap;

/// Methods asked for, by the number of the probe. A method counts once for each probe, however many handlers want it, and
/// also where a handler asks only for places in it: whether it has one is seen when it is woven.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<u32, usize>);

impl Counts {
    /// Counts the methods of a class.
    pub fn add(&mut self, class: &mut ClassMatcher<'_>, file: &ClassFile<'_>) {
        if class.is_empty() {
            return;
        }
        let mut probes = Vec::new();
        for member in file.methods() {
            let (Ok(name), Ok(descriptor)) = (mutf8::decode(member.name), mutf8::decode(member.descriptor)) else {
                continue;
            };
            let info = MethodInfo { class: file, member, access: member.access, name: &name, descriptor: &descriptor };
            class.probes_at(&info, &mut probes);
            for &probe in &probes {
                *self.0.entry(probe).or_default() += 1;
            }
        }
    }

    /// The methods that a probe asks for.
    pub fn of(&self, probe: u32) -> usize {
        self.0.get(&probe).copied().unwrap_or(0)
    }

    /// Probes and their methods, without those that ask for none.
    pub fn iter(&self) -> impl Iterator<Item = (u32, usize)> {
        self.0.iter().map(|(&probe, &count)| (probe, count))
    }
}
