//! What extensions ask of each other, and what their ids and versions look like.

use manifests::extension::check_written_id;
use manifests::extension_toml::is_version;
use manifests::suggest;

use super::error::BuildError;
use super::known::Known;
use crate::printer::Printer;

/// Refuses extensions that require each other in a circle; warns of those that require one that is nowhere, and of ids and
/// versions that every reader takes but that our own tools would not write.
///
/// # Errors
/// There is a circle.
pub(super) fn check(known: &[Known], printer: &Printer) -> Result<(), BuildError> {
    if let Some(cycle) = cycle(known) {
        return Err(BuildError::Cycle { cycle });
    }
    for warning in warnings(known) {
        printer.warning(&warning);
    }
    Ok(())
}

fn warnings(known: &[Known]) -> Vec<String> {
    let mut warnings = Vec::new();
    for Known { id, metadata, .. } in known {
        if id.contains(|c: char| c.is_ascii_uppercase())
            && let Err(error) = check_written_id(id)
        {
            let hint = error.hint().map_or_else(String::new, |hint| format!("; hint: its author should {hint}"));
            warnings.push(format!(
                "the id of extension `{id}` has uppercase letters, which some disks do not tell apart{hint}"
            ));
        }
        let Some(metadata) = metadata else { continue };
        if !is_version(&metadata.version) {
            warnings.push(format!(
                "the version of extension `{id}` is no semantic version, so that it cannot be compared: `{}`; hint: its author \
                 should use one such as `1.2.0`",
                metadata.version
            ));
        }
        for required in &metadata.requires {
            if !known.iter().any(|other| other.id == *required) {
                let others = known.iter().map(|other| other.id.as_str()).filter(|other| other != id);
                let nearest = suggest::nearest(required, others);
                let nearest = nearest.map_or_else(String::new, |id| format!(", did you mean `{id}`?"));
                warnings.push(format!("extension `{id}` requires one that is not embedded: `{required}`{nearest}"));
            }
        }
    }
    warnings
}

/// The first circle, beginning with the extension of it that comes first.
fn cycle(known: &[Known]) -> Option<Vec<String>> {
    // Whose requirements were all followed without coming back.
    let mut done = vec![false; known.len()];
    for start in 0..known.len() {
        // Extensions on the way, each with the number of requirements that were followed. No recursion: chains may be long.
        let mut path = vec![(start, 0_usize)];
        while let Some((current, followed)) = path.pop() {
            if done[current] {
                continue;
            }
            let requires = known[current].metadata.as_ref().map_or(&[][..], |metadata| &metadata.requires);
            let Some(required) = requires.get(followed) else {
                done[current] = true;
                continue;
            };
            path.push((current, followed + 1));
            let Some(next) = known.iter().position(|other| other.id == *required) else { continue };
            match path.iter().position(|(on, _)| *on == next) {
                Some(at) => {
                    let mut cycle: Vec<usize> = path[at..].iter().map(|(on, _)| *on).collect();
                    let first = cycle.iter().enumerate().min_by_key(|(_, on)| **on).map_or(0, |(at, _)| at);
                    cycle.rotate_left(first);
                    return Some(cycle.into_iter().map(|on| known[on].id.clone()).collect());
                }
                None => path.push((next, 0)),
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use manifests::extension::ExtensionMetadata;

    use super::*;

    /// Extensions given as `id>required,required`.
    fn known(texts: &[&str]) -> Vec<Known> {
        let one = |text: &&str| {
            let (id, requires) = text.split_once('>').unwrap();
            let mut metadata = ExtensionMetadata::new(id).unwrap();
            metadata.requires = requires.split(',').filter(|id| !id.is_empty()).map(str::to_owned).collect();
            Known { id: id.to_owned(), metadata: Some(metadata) }
        };
        texts.iter().map(one).collect()
    }

    #[test]
    fn circles_are_named_in_order() {
        for (extensions, expected) in [
            (&["a>b,c", "b>c", "c>"][..], None),
            (&["a>b", "b>a"], Some("a b")),
            (&["a>a"], Some("a")),
            (&["x>c", "c>a", "b>c", "a>b"], Some("c a b")),
            (&["a>nowhere,b", "b>d", "c>b", "d>c"], Some("b d c")),
            (&["a>b,c,d", "b>d", "c>d", "d>"], None),
        ] {
            let found = cycle(&known(extensions)).map(|ids| ids.join(" "));
            assert_eq!(found.as_deref(), expected, "{extensions:?}");
        }
        let long: Vec<String> = (0..5000).map(|n| format!("e{n}>e{}", n + 1)).collect();
        assert_eq!(cycle(&known(&long.iter().map(String::as_str).collect::<Vec<_>>())), None);
        let error = BuildError::Cycle { cycle: vec!["a".into(), "b".into(), "c".into()] };
        assert_eq!(
            error.to_string(),
            "extensions require each other in a circle: `a` requires `b`, which requires `c`, which requires `a`"
        );
        let error = BuildError::Cycle { cycle: vec!["a".into()] };
        assert_eq!(error.to_string(), "extensions require each other in a circle: `a` requires `a`");
        assert_eq!(error.hint().as_deref(), Some("remove `a` from its own list of required extensions"));
    }

    #[test]
    fn what_is_odd_is_told() {
        let mut extensions = known(&["acme-metrics>acme-cor", "acme-core>zzzzzz", "AcmeOld>"]);
        extensions[1].metadata.as_mut().unwrap().version = "1.0".to_owned();
        assert_eq!(
            warnings(&extensions),
            [
                "extension `acme-metrics` requires one that is not embedded: `acme-cor`, did you mean `acme-core`?",
                "the version of extension `acme-core` is no semantic version, so that it cannot be compared: `1.0`; hint: its \
                 author should use one such as `1.2.0`",
                "extension `acme-core` requires one that is not embedded: `zzzzzz`",
                "the id of extension `AcmeOld` has uppercase letters, which some disks do not tell apart; hint: its author \
                 should use `acme-old`",
            ]
        );
    }
}
