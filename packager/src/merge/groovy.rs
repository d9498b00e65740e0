//! Groovy's extension modules, which lie among the provider files but are properties.

use manifests::properties::Properties;

use super::properties::parse;
use super::relocate::Relocation;
use super::rule::{Rule, Source};
use super::spring::relocated_properties;
use crate::error::Result;

/// The file name of a module.
const NAME: &str = "org.codehaus.groovy.runtime.ExtensionModule";

/// Extension modules of Groovy.
pub(super) struct ExtensionModule;

/// Whether the file at `path` is one.
pub(super) fn is_module(path: &str) -> bool {
    path.strip_prefix("META-INF/groovy/").or_else(|| path.strip_prefix("META-INF/services/")) == Some(NAME)
}

impl Rule for ExtensionModule {
    fn name(&self) -> &'static str {
        "Groovy extension module"
    }

    fn matches(&self, path: &str) -> bool {
        is_module(path)
    }

    fn relocate(&self, source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        let class = |name: &str| relocation.class(name.trim()).unwrap_or_else(|| name.trim().to_owned());
        relocated_properties(source, &str::to_owned, &|value| value.split(',').map(class).collect::<Vec<_>>().join(","))
    }

    /// Name and version only identify a module, so all of them are named; the classes are what counts.
    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut joined = Properties::default();
        for source in sources {
            for (key, value) in parse(source)?.iter() {
                let separator = if matches!(key, "moduleName" | "moduleVersion") { "+" } else { "," };
                let known = joined.get(key).unwrap_or_default().to_owned();
                let mut items: Vec<&str> = known.split(separator).filter(|item| !item.is_empty()).collect();
                for item in value.split(separator).map(str::trim).filter(|item| !item.is_empty()) {
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
                joined.set(key, &items.join(separator));
            }
        }
        Ok(joined.to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;

    #[test]
    fn classes_are_united() {
        let source = |text: &str| Source { bytes: text.into(), origin: Origin::File("x".into()) };
        let one = source("moduleName=one\nmoduleVersion=1\nextensionClasses=p.A");
        let two = source("moduleName=two\nmoduleVersion=1\nextensionClasses=p.B, p.A\nstaticExtensionClasses=p.S");
        let joined = String::from_utf8(ExtensionModule.join(&[one, two]).unwrap()).unwrap();
        assert_eq!(
            joined,
            "moduleName=one+two\nmoduleVersion=1\nextensionClasses=p.A,p.B\nstaticExtensionClasses=p.S\n"
        );
    }
}
