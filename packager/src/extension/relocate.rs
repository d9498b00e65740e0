//! Moves classes of an extension's implementation to other packages, with everything that names them.
//!
//! Only what the extension holds moves: not its API, which probes and other extensions link to, not what the agent itself
//! shows, and not what the extension names but leaves to others to provide.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use classfile::{ClassFile, mutf8};
use manifests::agent_toml::{LiteralPolicy, Relocation as Rule};
use rayon::prelude::*;

use super::{Extension, ExtensionClass, Resource, check};
use crate::archive::Archive;
use crate::assemble::Content;
use crate::base::Base;
use crate::class::{Class, dotted, slashed};
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::merge::{self, Holdings, MergeError, Relocation, Rules};
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;

/// What stands for the id of the extension in the target of a rule.
const ID: &str = "{id}";
/// The package of the agent itself.
const AGENT: &str = "io.btrace";
/// Names of one kind that a message lists.
const SAMPLES: usize = 3;

/// Classes that no rule may move, by internal name, and what they are.
#[derive(Debug)]
pub(crate) struct Fixed(BTreeMap<String, String>);

impl Fixed {
    /// What the base shows to extensions, and the API of each of them.
    pub(crate) fn new(base: &Base, extensions: &[Extension]) -> Self {
        let mut fixed = BTreeMap::new();
        for entry in base.archive.entries() {
            let root = entry.name.strip_suffix(paths::CLASS_SUFFIX).filter(|name| !name.starts_with(paths::META_INF));
            let shared =
                entry.name.strip_prefix(paths::SHARED).and_then(|name| name.strip_suffix(paths::MASKED_SUFFIX));
            if let Some(name) = root.or(shared) {
                fixed.insert(name.to_owned(), "a class of the agent".to_owned());
            }
        }
        for extension in extensions {
            let what = || format!("an API class of extension `{}`", extension.id());
            fixed.extend(extension.api.iter().map(|class| (class.class.name.clone(), what())));
        }
        Self(fixed)
    }
}

/// Moves the classes of `extension` by `rules`, those of the whole agent and its own. The result tells how they moved,
/// together with `first`, that of another extension.
///
/// # Errors
/// A rule is wrong or would move a class that must keep its name, a class cannot be relocated, or two meet at one name.
pub(crate) fn relocate(
    extension: &mut Extension,
    rules: &[Rule],
    policy: LiteralPolicy,
    fixed: &Fixed,
    first: Option<&Relocation>,
    printer: &Printer,
) -> Result<Option<Arc<Relocation>>> {
    let id = extension.id().to_owned();
    let mut rules: Vec<Rule> =
        rules.iter().map(|rule| Rule { from: rule.from.clone(), to: with_id(&rule.to, &id) }).collect();
    if rules.is_empty() {
        return Ok(None);
    }
    let parsed = merge::parse_rules(&rules)?;
    refuse_fixed(&parsed, fixed)?;
    let kept = provided(extension, &parsed)?;
    if !kept.is_empty() {
        let names: Vec<String> = kept.iter().take(SAMPLES).map(|name| format!("`{}`", dotted(name))).collect();
        let more = if kept.len() > SAMPLES { " and others" } else { "" };
        let text = format!("does not hold and leaves to others, {}: {}{more}", kept.len(), names.join(", "));
        printer.status("Keeping", &format!("classes that rules match and extension `{id}` {text}"));
    }
    let probes = extension.probes.iter().map(|probe| &probe.class.name);
    let probes = probes.filter(|name| parsed.class(&mutf8::encode(name)).is_some()).cloned();
    for name in kept.into_iter().chain(probes) {
        let name = dotted(&name);
        rules.push(Rule { from: format!("={name}"), to: name });
    }
    let Some(relocation) = Relocation::new(&rules, policy, || Arc::new(holdings(extension)))? else { return Ok(None) };
    let relocation = Arc::new(match first {
        Some(first) => relocation.telling_with(first),
        None => relocation,
    });
    merge::report_nested(&archives(extension), &relocation, printer)?;
    let implementation = std::mem::take(&mut extension.implementation);
    extension.implementation =
        implementation.into_par_iter().map(|class| moved_class(class, &relocation)).collect::<Result<_>>()?;
    refuse_meeting(&extension.implementation)?;
    let unnamed = by_naming_rule(extension, &relocation);
    for resource in &mut extension.resources {
        if let Some(content) = merge::relocated_file(&resource.path, &resource.content, &resource.origin, &relocation)?
        {
            resource.content = content;
        }
        resource.path = relocation.path(&resource.path).unwrap_or_else(|| std::mem::take(&mut resource.path));
    }
    extension.resources.extend(unnamed);
    extension
        .about
        .relocate(|path| relocation.path(path))
        .map_err(|source| super::format_error(&Origin::Generated("for the packages that move".into()), source))?;
    if let Some(configurator) = &mut extension.metadata.configurator {
        *configurator = relocation.class(configurator).unwrap_or_else(|| std::mem::take(configurator));
    }
    check::check(extension, &Origin::Generated("for the extension after relocation".into()))?;
    Ok(Some(relocation))
}

/// The target of a rule with the id of the extension in it. `ServiceLoader` takes Java names only, so that what those may
/// not hold becomes `_`.
pub(crate) fn with_id(to: &str, id: &str) -> String {
    if !to.contains(ID) {
        return to.to_owned();
    }
    let name: String =
        id.chars().map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_' | '$') { c } else { '_' }).collect();
    let to = to.replace(ID, &name);
    let legal =
        |part: &str| if part.starts_with(|c: char| c.is_numeric()) { format!("_{part}") } else { part.to_owned() };
    to.split('.').map(legal).collect::<Vec<_>>().join(".")
}

/// Refuses a rule that would move a class which must keep its name.
fn refuse_fixed(rules: &Rules, fixed: &Fixed) -> Result<()> {
    let refused = |from: &str, to: &str, class: String, what: &str| {
        Err(MergeError::Fixed { from: from.to_owned(), to: to.to_owned(), class, what: what.to_owned() }.into())
    };
    for rule in rules.rules() {
        let from = rule.from.trim_start_matches('=');
        let ours = from == AGENT || from.strip_prefix(AGENT).is_some_and(|rest| rest.starts_with('.'));
        if ours && from != rule.to {
            return refused(&rule.from, &rule.to, from.to_owned(), "the agent's own");
        }
    }
    for (class, what) in &fixed.0 {
        if let Some(rule) = rules.rule_of(&mutf8::encode(class)) {
            return refused(&rule.from, &rule.to, dotted(class), what);
        }
    }
    Ok(())
}

/// Internal names of the classes that a rule matches and that classes of the implementation name, although the extension
/// does not hold them.
fn provided(extension: &Extension, rules: &Rules) -> Result<BTreeSet<String>> {
    let held: BTreeSet<&str> = extension.implementation.iter().map(|class| class.class.name.as_str()).collect();
    // A text may also name a package.
    let packages: BTreeSet<&str> =
        held.iter().flat_map(|name| name.match_indices('/').map(|(at, _)| &name[..at])).collect();
    let found: Vec<BTreeSet<String>> = extension
        .implementation
        .par_iter()
        .map(|class| {
            let bytes = class.content.read()?;
            let mut names = BTreeSet::new();
            // It was read before.
            if let Ok(file) = ClassFile::parse(&bytes) {
                let pool = file.pool();
                let named =
                    (1..pool.len()).filter_map(|index| pool.class_name(index).ok()).filter(|name| is_name(name));
                let texts = (1..pool.len()).filter_map(|index| pool.utf8(index).ok());
                for name in named.chain(texts.flat_map(types_in)).filter(|name| rules.class(name).is_some()) {
                    let name = String::from_utf8_lossy(name).into_owned();
                    if !held.contains(name.as_str()) && !packages.contains(name.as_str()) {
                        names.insert(name);
                    }
                }
            }
            Ok(names)
        })
        .collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Whether a text is an internal class name in a package.
fn is_name(text: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || matches!(byte, b'_' | b'$' | b'-');
    text.contains(&b'/') && text.split(|byte| *byte == b'/').all(|part| !part.is_empty() && part.iter().all(plain))
}

/// The types in a descriptor or signature. In another text that only looks like one they do no harm here.
fn types_in(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = text.split(|byte| matches!(byte, b';' | b'<' | b'>' | b'(' | b')' | b':' | b'[' | b'*' | b'+' | b'^'));
    // Primitives stand in front of the `L` of a type, the sign of a lower bound too.
    let types = parts.filter_map(|part| {
        let at = part.iter().position(|byte| *byte == b'L')?;
        part[..at].iter().all(|byte| b"BCDFIJSZV-".contains(byte)).then(|| &part[at + 1..])
    });
    types.filter(|name| is_name(name))
}

/// The names and libraries of an extension.
fn holdings(extension: &Extension) -> Holdings {
    let mut holdings = Holdings::default();
    for class in extension.api.iter().chain(&extension.implementation) {
        holdings.add(&format!("{}{}", class.class.name, paths::CLASS_SUFFIX), || {
            (class.content.clone(), class.origin.clone())
        });
    }
    for resource in &extension.resources {
        holdings.add(&resource.path, || (resource.content.clone(), resource.origin.clone()));
    }
    holdings
}

/// The jars that resources come from, each once.
fn archives(extension: &Extension) -> Vec<Arc<Archive>> {
    let mut archives: Vec<Arc<Archive>> = Vec::new();
    for resource in &extension.resources {
        if let Content::Entry { archive, .. } = &resource.content
            && !archives.iter().any(|known| Arc::ptr_eq(known, archive))
        {
            archives.push(Arc::clone(archive));
        }
    }
    archives
}

fn moved_class(class: ExtensionClass, relocation: &Arc<Relocation>) -> Result<ExtensionClass> {
    let Some(bytes) = relocation.apply(&class.content.read()?, &class.origin)? else { return Ok(class) };
    let content = match class.content {
        Content::Entry { archive, index } => Content::Moved { archive, index, relocation: Arc::clone(relocation) },
        _ => Content::Bytes(bytes.clone()),
    };
    let sha256 = Sha256Hex::of(&bytes);
    Ok(ExtensionClass { class: Class::read(&bytes, &class.origin)?, content, origin: class.origin, sha256 })
}

/// Refuses two classes of one name.
fn refuse_meeting(classes: &[ExtensionClass]) -> Result<()> {
    let mut seen: BTreeMap<&str, &Origin> = BTreeMap::new();
    for class in classes {
        if let Some(first) = seen.insert(&class.class.name, &class.origin) {
            return Err(MergeError::Conflict {
                path: format!("{}{}", class.class.name, paths::CLASS_SUFFIX),
                first: Box::new(first.clone()),
                second: Box::new(class.origin.clone()),
                others: Vec::new(),
            }
            .into());
        }
    }
    Ok(())
}

/// Service files for providers that were found by the name of their service, and no longer have it.
fn by_naming_rule(extension: &Extension, relocation: &Relocation) -> Vec<Resource> {
    let mut files = Vec::new();
    for service in &extension.metadata.services {
        let path = format!("META-INF/services/{service}");
        let named = extension.resources.iter().any(|resource| resource.path == path);
        if let Some(new) = relocation.class(&format!("{service}Impl")).filter(|_| !named)
            && extension.implementation.iter().any(|class| class.class.name == slashed(&new))
        {
            let content = Content::Bytes(format!("{new}\n").into_bytes());
            let origin = Origin::Generated(format!("for the implementation of `{service}`, which moves"));
            files.push(Resource { path, content, origin });
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_becomes_a_part_of_a_java_name() {
        assert_eq!(with_id("shaded.{id}.guava", "acme-metrics"), "shaded.acme_metrics.guava");
        assert_eq!(with_id("shaded.{id}", "9-x.8y"), "shaded._9_x._8y");
        assert_eq!(with_id("shaded.v{id}", "9"), "shaded.v9");
        assert_eq!(with_id("a-b", "x"), "a-b");
    }

    #[test]
    fn types_within_the_texts_of_a_pool() {
        let found = |text: &'static str| -> Vec<&str> {
            types_in(text.as_bytes()).map(|name| std::str::from_utf8(name).unwrap()).collect()
        };
        assert_eq!(found("(ILorg/dep/A;[[Lorg/dep/B$C;)V"), ["org/dep/A", "org/dep/B$C"]);
        assert_eq!(
            found("<T:Lorg/dep/A<+Lorg/dep/B;-Lorg/D;>.In;:Lorg/C;>Ljava/lang/Object;^Lx/E;"),
            ["org/dep/A", "org/dep/B", "org/D", "org/C", "java/lang/Object", "x/E"]
        );
        assert_eq!(found("[Lorg/dep/A;"), ["org/dep/A"]);
        for other in ["org/dep/A", "a text, and no name", "LSimple;", "L a/b;"] {
            assert_eq!(found(other), [""; 0], "{other}");
        }
        assert!(is_name(b"org/dep/package-info") && !is_name(b"[Lorg/dep/A;") && !is_name(b"A"));
    }
}
