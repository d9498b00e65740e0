//! Every line of the table of rules has a class that uses what it speaks of.

use super::COMPILED;
use classfile::ClassFile;
use scan::rules::{Rule, TABLE};
use std::collections::BTreeSet;

/// What the classes of all cases name: classes, and members with their descriptors.
struct Used {
    classes: BTreeSet<String>,
    members: BTreeSet<(String, String, String)>,
}

fn used() -> Used {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut used = Used { classes: BTreeSet::new(), members: BTreeSet::new() };
    for bytes in COMPILED.values() {
        let file = ClassFile::parse(bytes).unwrap();
        let pool = file.pool();
        for index in 1..pool.len() {
            if let Ok(class) = pool.class_name(index) {
                used.classes.insert(text(class));
            }
            if let Ok(member) = pool.member_ref(index) {
                used.members.insert((text(member.class), text(member.name), text(member.descriptor)));
            }
        }
    }
    used
}

/// The owner in the table that counts for a class: the class itself, or else the nearest package.
fn owner(class: &str) -> Option<&'static str> {
    let owners = TABLE.iter().flat_map(|part| part.iter()).map(|rule| rule.owner);
    owners.filter(|owner| *owner == class || owner.ends_with('/') && class.starts_with(owner)).max_by_key(|o| o.len())
}

fn is_covered(rule: &Rule, used: &Used) -> bool {
    if rule.is_whole() {
        return used.classes.iter().any(|class| owner(class) == Some(rule.owner));
    }
    used.members.iter().any(|(class, name, descriptor)| {
        class == rule.owner && rule.members.contains(&name.as_str()) && descriptor.starts_with(rule.descriptor)
    })
}

#[test]
fn every_rule_has_a_class_of_known_truth() {
    let used = used();
    let all: Vec<&Rule> = TABLE.iter().flat_map(|part| part.iter()).collect();
    let uncovered: Vec<String> = all
        .iter()
        .filter(|rule| !is_covered(rule, &used))
        .map(|rule| format!("{} {:?} {}", rule.owner, rule.members, rule.descriptor))
        .collect();
    assert!(uncovered.is_empty(), "{} of {}:\n{}", uncovered.len(), all.len(), uncovered.join("\n"));
}
