//! How classes move in several places of one jar, each with rules of its own, whose classes see each other.
//!
//! A class moves by the rules of the place that holds it. Whoever sees it must know its new name, so the rules of a place
//! are completed by one for each class that another place holds and would move differently.

use std::collections::BTreeMap;
use std::sync::Arc;

use classfile::ClassFile;
use classfile::relocate::Rules;
use manifests::agent_toml::{LiteralPolicy, Relocation as Rule};

use super::relocate::{Holdings, Relocation, parse};
use super::{MergeError, Part, Target};
use crate::class::dotted;
use crate::error::Result;

/// A place of the output.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    /// What messages call it.
    pub(crate) name: String,
    /// Its rules.
    pub(crate) rules: Vec<Rule>,
    /// The classes it holds, by internal name before they move.
    pub(crate) classes: BTreeMap<&'a str, Part<'a>>,
    /// Which places its classes see besides their own; the first that holds a class counts.
    pub(crate) sees: Vec<usize>,
}

/// The rules of a place: the `global` ones, and its `own`, which replace those for the same source.
pub(crate) fn combined(global: &[Rule], own: &[Rule]) -> Vec<Rule> {
    let kept = global.iter().filter(|rule| own.iter().all(|other| other.from != rule.from));
    kept.chain(own).cloned().collect()
}

/// How classes move in each of `places`; nothing for a place in which none does.
///
/// # Errors
/// A rule is wrong, or a class names another one that moves to two names in places which it sees.
pub(crate) fn agreeing(
    places: &[Place<'_>],
    policy: LiteralPolicy,
    holdings: Holdings,
) -> Result<Vec<Option<Arc<Relocation>>>> {
    if places.iter().all(|place| place.rules.is_empty()) {
        return Ok(places.iter().map(|_| None).collect());
    }
    let own = places.iter().map(|place| parse(&place.rules)).collect::<Result<Vec<_>>>()?;
    let mut made: Vec<(Vec<Rule>, Arc<Relocation>)> = Vec::new();
    let mut relocations = Vec::new();
    let mut holdings = Some(holdings);
    for (number, place) in places.iter().enumerate() {
        let completed = combined(&place.rules, &foreign(number, places, &own)?);
        // Places with the same rules share them, so that equal files of theirs are known as such.
        let known = made.iter().find(|(rules, _)| *rules == completed).map(|(_, relocation)| Arc::clone(relocation));
        let relocation = match (known, made.first()) {
            (Some(known), _) => Some(known),
            (None, _) if completed.is_empty() => None,
            (None, Some((_, first))) => Some(Arc::new(first.beside(parse(&completed)?))),
            (None, None) => {
                Relocation::new(&completed, policy, || Arc::new(holdings.take().unwrap_or_default()))?.map(Arc::new)
            }
        };
        made.extend(relocation.clone().map(|relocation| (completed, relocation)));
        relocations.push(relocation);
    }
    Ok(relocations)
}

/// New internal name of a class by the rules of one place, which may be the old one.
fn target(rules: &Rules, class: &str) -> String {
    rules
        .path(&format!("{class}.class"))
        .map_or_else(|| class.to_owned(), |path| path.strip_suffix(".class").unwrap_or(&path).to_owned())
}

/// A rule for each class that place `number` does not hold, sees in another place, and would move differently.
fn foreign(number: usize, places: &[Place<'_>], own: &[Rules]) -> Result<Vec<Rule>> {
    let place = &places[number];
    let mut found: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let mut disputed: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for &seen in &place.sees {
        for class in places[seen].classes.keys().copied().filter(|class| !place.classes.contains_key(class)) {
            let name = target(&own[seen], class);
            match found.get(class) {
                None => drop(found.insert(class, (seen, name))),
                Some((_, known)) if *known == name => {}
                Some(_) => drop(disputed.insert(class, (seen, name))),
            }
        }
    }
    refuse_disputed(place, places, &found, &disputed)?;
    let differs = |class: &str, name: &str| target(&own[number], class) != name;
    let mut rules = Vec::new();
    for (class, (_, name)) in found.iter().filter(|(class, (_, name))| differs(class, name)) {
        // A rule for a class holds for those nested in it.
        let outer = class.match_indices('$').map(|(at, _)| &class[..at]);
        let covered = outer.filter_map(|outer| found.get(outer)).any(|(_, moved)| {
            name.strip_prefix(moved.as_str()).is_some_and(|rest| rest.starts_with('$')) && !moved.is_empty()
        });
        // What no rule can name is no name that javac or the Kotlin compiler gives to anything others refer to.
        let unnameable = |c: char| c.is_control() || c.is_whitespace() || ";[<>:\\\"'()=,*?".contains(c);
        if !covered && !class.contains(unnameable) {
            rules.push(Rule { from: format!("={}", dotted(class)), to: dotted(name) });
        }
    }
    Ok(rules)
}

/// Refuses a class of `place` that names one of the disputed ones.
fn refuse_disputed(
    place: &Place<'_>,
    places: &[Place<'_>],
    found: &BTreeMap<&str, (usize, String)>,
    disputed: &BTreeMap<&str, (usize, String)>,
) -> Result<()> {
    if disputed.is_empty() {
        return Ok(());
    }
    for part in place.classes.values() {
        let bytes = part.read()?;
        // One that cannot be read is reported where it is relocated.
        let Ok(file) = ClassFile::parse(&bytes) else { continue };
        let names = (1..file.pool().len()).filter_map(|index| file.pool().class_name(index).ok());
        for name in names.filter_map(|name| std::str::from_utf8(name).ok()) {
            if let (Some((one, first)), Some((two, second))) = (found.get(name), disputed.get(name)) {
                let target = |place: usize, name: &str| {
                    Box::new(Target { name: dotted(name), place: places[place].name.clone() })
                };
                return Err(MergeError::PlacesDisagree {
                    origin: Box::new(part.origin()),
                    class: dotted(name),
                    first: target(*one, first),
                    second: target(*two, second),
                }
                .into());
            }
        }
    }
    Ok(())
}
