//! Files of which Spring reads all of one name: XML handlers and schemas, factories, and lists of configurations.

use manifests::properties::Properties;

use super::properties::{parse, union};
use super::relocate::Relocation;
use super::rule::{Rule, Source};
use super::services::{providers, relocated_lines, to_bytes};
use crate::error::Result;

/// `spring.handlers` and the like: one name, one value.
pub(super) struct Schemas;
/// `spring.factories`: an interface and its implementations.
pub(super) struct Factories;
/// `META-INF/spring/*.imports`: one class a line.
pub(super) struct Imports;

impl Rule for Schemas {
    fn name(&self) -> &'static str {
        "Spring names"
    }

    fn matches(&self, path: &str) -> bool {
        [
            "META-INF/spring.handlers",
            "META-INF/spring.schemas",
            "META-INF/spring.tooling",
            "META-INF/spring-autoconfigure-metadata.properties",
        ]
        .contains(&path)
    }

    /// Handlers are classes, and schemas are paths of resources.
    fn relocate(&self, source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        let new = |value: &str| relocation.class(value).or_else(|| relocation.path(value));
        relocated_properties(source, &|key| key.to_owned(), &|value| new(value).unwrap_or_else(|| value.to_owned()))
    }

    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        Ok(union(sources)?.to_bytes())
    }
}

impl Rule for Factories {
    fn name(&self) -> &'static str {
        "Spring factories"
    }

    fn matches(&self, path: &str) -> bool {
        ["META-INF/spring.factories", "META-INF/spring/aot.factories"].contains(&path)
    }

    fn relocate(&self, source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        let new = |name: &str| relocation.class(name).unwrap_or_else(|| name.to_owned());
        relocated_properties(source, &new, &|value| list(value).into_iter().map(new).collect::<Vec<_>>().join(","))
    }

    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut joined = Properties::default();
        for source in sources {
            for (key, value) in parse(source)?.iter() {
                let mut classes: Vec<&str> = list(joined.get(key).unwrap_or_default());
                for class in list(value) {
                    if !classes.contains(&class) {
                        classes.push(class);
                    }
                }
                let classes = classes.join(",");
                joined.set(key, &classes);
            }
        }
        Ok(joined.to_bytes())
    }
}

/// Properties with new keys and values; nothing where they are the same.
pub(super) fn relocated_properties(
    source: &Source,
    key_of: &dyn Fn(&str) -> String,
    value_of: &dyn Fn(&str) -> String,
) -> Result<Option<Vec<u8>>> {
    let old = parse(source)?;
    let new: Properties = old.iter().map(|(key, value)| (key_of(key), value_of(value))).collect();
    // Only names decide: blanks between the items of a list are no reason to write the file anew.
    let bare = |text: &str| text.replace([' ', '\t'], "");
    let same = old.iter().zip(new.iter()).all(|(old, new)| old.0 == new.0 && bare(old.1) == bare(new.1));
    Ok((!same).then(|| new.to_bytes()))
}

/// The items of a list with commas.
fn list(value: &str) -> Vec<&str> {
    value.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
}

impl Rule for Imports {
    fn name(&self) -> &'static str {
        "Spring imports"
    }

    fn matches(&self, path: &str) -> bool {
        path.strip_prefix("META-INF/spring/").is_some_and(|name| name.ends_with(".imports") && !name.contains('/'))
    }

    fn relocate(&self, source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        relocated_lines(source, relocation)
    }

    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut classes: Vec<String> = Vec::new();
        for source in sources {
            for class in providers(&source.bytes, &source.origin)? {
                if !classes.contains(&class) {
                    classes.push(class);
                }
            }
        }
        Ok(to_bytes(&classes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;

    fn joined(rule: &dyn Rule, texts: &[&str]) -> Result<String> {
        let source = |text: &&str| Source { bytes: text.as_bytes().to_vec(), origin: Origin::File("x".into()) };
        let sources: Vec<Source> = texts.iter().map(source).collect();
        rule.join(&sources).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn handlers_are_united() {
        let text = joined(&Schemas, &["http\\://a/b=p.One", "http\\://a/c=p.Two\nhttp\\://a/b=p.One"]).unwrap();
        assert_eq!(text, "http\\://a/b=p.One\nhttp\\://a/c=p.Two\n");
        assert!(joined(&Schemas, &["a=p.One", "a=p.Two"]).is_err());
    }

    #[test]
    fn factories_are_lists() {
        let text = joined(&Factories, &["p.I=p.A,\\\n  p.B\n", "p.J=p.C\np.I=p.B, p.D"]).unwrap();
        assert_eq!(text, "p.I=p.A,p.B,p.D\np.J=p.C\n");
    }

    #[test]
    fn imports_are_lines() {
        assert_eq!(joined(&Imports, &["p.A\n# x\np.B", "p.B\np.C\n"]).unwrap(), "p.A\np.B\np.C\n");
    }
}
