//! What a handler's call depends on, where it was not known when the class was woven.

use crate::hierarchy::Hierarchy;
use std::fmt::Write as _;

/// Begins the conditions in the name of a call.
const BEGIN: char = '?';
const SEPARATORS: [char; 5] = ['|', '=', ',', BEGIN, ESCAPE];
const ESCAPE: char = '!';

/// That one class lies below another; internal names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition {
    /// The class, interface or superclass of which it was not known.
    pub class: String,
    /// What it has to be, or lie below.
    pub ancestor: String,
}

impl Condition {
    /// What is appended to the name of a call. Names of methods may hold no `/`, `.`, `;`, `[`, `<` and `>`.
    pub(crate) fn suffix(conditions: &[Self]) -> String {
        let mut text = String::new();
        for (i, condition) in conditions.iter().enumerate() {
            text.push(if i == 0 { BEGIN } else { ',' });
            escape(&mut text, &condition.class);
            text.push('=');
            escape(&mut text, &condition.ancestor);
        }
        text
    }

    /// The conditions in the name of a call; none if it has none.
    pub fn in_name(name: &str) -> Vec<Self> {
        let Some((_, text)) = name.split_once(BEGIN) else { return Vec::new() };
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        pairs.map(|(class, ancestor)| Self { class: unescape(class), ancestor: unescape(ancestor) }).collect()
    }

    /// Whether all hold; `None` if that is not known yet.
    pub fn all_hold(conditions: &[Self], hierarchy: &dyn Hierarchy) -> Option<bool> {
        let mut answer = Some(true);
        for condition in conditions {
            match hierarchy.is_subtype(&condition.class, &condition.ancestor) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => answer = None,
            }
        }
        answer
    }
}

fn escape(text: &mut String, name: &str) {
    for c in name.chars() {
        match c {
            '/' => text.push('|'),
            c if SEPARATORS.contains(&c) => {
                let _ = write!(text, "{ESCAPE}{:02x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
}

fn unescape(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '|' => name.push('/'),
            ESCAPE => {
                let digits: String = rest.by_ref().take(2).collect();
                name.extend(u8::from_str_radix(&digits, 16).ok().map(char::from));
            }
            c => name.push(c),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::Condition;
    use crate::hierarchy::{Hierarchy, NoHierarchy};

    #[derive(Debug)]
    struct Below;

    impl Hierarchy for Below {
        fn is_subtype(&self, class: &str, _: &str) -> Option<bool> {
            class.strip_prefix("known/").map(|name| name == "Yes")
        }
    }

    fn condition(class: &str, ancestor: &str) -> Condition {
        Condition { class: class.into(), ancestor: ancestor.into() }
    }

    #[test]
    fn conditions_survive_as_names() {
        let all = [condition("a/B$C", "java/lang/Runnable"), condition("odd/A=,|?!é", "x/Y")];
        let name = format!("1:0:h{}", Condition::suffix(&all));
        assert!(!name.contains(['/', '.', ';', '[', '<', '>']), "{name}");
        assert_eq!(Condition::in_name(&name), all);
        assert_eq!(Condition::in_name("1:0:h"), []);
        assert_eq!(Condition::suffix(&[]), "");
    }

    #[test]
    fn one_that_fails_decides() {
        let (yes, no, open) = (condition("known/Yes", "b/B"), condition("known/No", "b/B"), condition("a/A", "b/B"));
        assert_eq!(Condition::all_hold(&[], &NoHierarchy), Some(true));
        assert_eq!(Condition::all_hold(std::slice::from_ref(&yes), &Below), Some(true));
        assert_eq!(Condition::all_hold(&[yes.clone(), open.clone()], &Below), None);
        assert_eq!(Condition::all_hold(&[open, yes, no], &Below), Some(false));
    }
}
