//! Files of which Spring reads all of one name: XML handlers and schemas, factories, and lists of configurations.

use manifests::properties::Properties;

use super::properties::{parse, union};
use super::rule::{Rule, Source};
use super::services::{providers, to_bytes};
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
