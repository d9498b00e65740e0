//! Versions of extensions, and the least ones that they ask for.

use std::cmp::Ordering;

/// The agent API that extensions of this build are written against.
pub const API: [u64; 2] = [3, 0];

/// Which of two versions is the later one: numbers count one by one, missing ones as 0; a version with a qualifier comes
/// before the one without, and qualifiers are compared as in semantic versions.
pub fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (split(one), split(other));
    let longest = one.0.len().max(other.0.len());
    let number = |numbers: &[u64], at: usize| numbers.get(at).copied().unwrap_or(0);
    let numbers = (0..longest).map(|at| number(&one.0, at).cmp(&number(&other.0, at)));
    let by_numbers = numbers.fold(Ordering::Equal, Ordering::then);
    by_numbers.then_with(|| match (one.1, other.1) {
        ("", "") => Ordering::Equal,
        ("", _) => Ordering::Greater,
        (_, "") => Ordering::Less,
        (one, other) => qualifiers(one, other),
    })
}

/// Whether `3.0+` and the like ask for no more than there is; `None` for a text that is no version. Qualifiers do not count.
pub(crate) fn reaches(least: &str, have: &[u64]) -> Option<bool> {
    let text = least.trim().trim_end_matches('+');
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (wanted, _) = split(text);
    let have: Vec<u64> = (0..wanted.len()).map(|at| have.get(at).copied().unwrap_or(0)).collect();
    Some(wanted <= have)
}

/// The feature version of Java in a text such as `17`, `11+` or `1.8`.
pub fn java(text: &str) -> Option<u32> {
    let (numbers, _) = split(text.trim().trim_end_matches('+'));
    let ([1, feature, ..] | [feature, ..]) = numbers[..] else { return None };
    u32::try_from(feature).ok()
}

/// The numbers at the start of a version, and its qualifier without build metadata.
fn split(text: &str) -> (Vec<u64>, &str) {
    let text = text.split('+').next().unwrap_or_default();
    let mut numbers = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let Ok(number) = rest[..end].parse() else { break };
        numbers.push(number);
        rest = &rest[end..];
        match rest.strip_prefix('.') {
            Some(after) if after.starts_with(|c: char| c.is_ascii_digit()) => rest = after,
            _ => break,
        }
    }
    (numbers, rest.trim_start_matches(['-', '.', '_']))
}

fn qualifiers(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one.split(['.', '-']), other.split(['.', '-']));
    loop {
        let order = match (one.next(), other.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(one), Some(other)) => match (one.parse::<u64>(), other.parse::<u64>()) {
                (Ok(one), Ok(other)) => one.cmp(&other),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => one.cmp(other),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_versions_are_later() {
        let ordered = [
            "0.0.0",
            "1.0.0-SNAPSHOT",
            "1.0",
            "1.0.1-alpha.1",
            "1.0.1-alpha.2",
            "1.0.1-alpha.beta",
            "1.0.1-rc.1",
            "1.0.1",
            "1.2",
            "1.10.0",
            "3.0.0.1",
            "2024.1",
        ];
        for (at, one) in ordered.iter().enumerate() {
            for (other_at, other) in ordered.iter().enumerate() {
                assert_eq!(compare(one, other), at.cmp(&other_at), "{one} and {other}");
            }
        }
        assert_eq!(compare("1.0.0+a", "1.0.0+b"), Ordering::Equal);
        assert_eq!(compare("1", "1.0.0"), Ordering::Equal);
        assert_eq!(compare("", "0.0.0"), Ordering::Equal);
    }

    #[test]
    fn a_least_version_is_a_minimum() {
        for (least, expected) in [
            ("3.0+", Some(true)),
            ("3", Some(true)),
            ("2.9.9", Some(true)),
            ("3.0.0-SNAPSHOT+", Some(true)),
            ("3.0.1+", Some(false)),
            ("3.1+", Some(false)),
            ("4", Some(false)),
            ("any", None),
            ("", None),
        ] {
            assert_eq!(reaches(least, &API), expected, "{least}");
        }
        for (text, feature) in [("8+", Some(8)), ("1.8", Some(8)), ("17.0.2", Some(17)), ("x", None)] {
            assert_eq!(java(text), feature, "{text}");
        }
    }
}
