//! The rules that apply without being asked for: files of which every jar may have one, and how they become one.

use super::relocate::Relocation;
use super::{groovy, kotlin, licences, log4j, native_image, properties, reference, services, spring};
use crate::error::Result;
use crate::origin::Origin;

/// One of the files that become one.
#[derive(Debug)]
pub(super) struct Source {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Where it comes from.
    pub(super) origin: Origin,
}

/// How files of one kind become one.
pub(super) trait Rule: Sync {
    /// What reports call the kind.
    fn name(&self) -> &'static str;

    /// Whether the file at `path` is of this kind.
    fn matches(&self, path: &str) -> bool;

    /// The bytes of one such file after its classes have moved; nothing where no name in it moves.
    ///
    /// # Errors
    /// It is malformed.
    fn relocate(&self, _source: &Source, _relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Joins `sources`, which are two or more different files in the order of the inputs.
    ///
    /// # Errors
    /// One of them is malformed, or two contradict each other.
    fn join(&self, sources: &[Source]) -> Result<Vec<u8>>;
}

/// All rules. No path is of two kinds.
const RULES: [&dyn Rule; 12] = [
    &services::Services,
    &licences::Licences,
    &log4j::PluginCache,
    &spring::Schemas,
    &spring::Factories,
    &spring::Imports,
    &properties::Known,
    &reference::ReferenceConf,
    &native_image::Configuration,
    &native_image::Arguments,
    &groovy::ExtensionModule,
    &kotlin::ModuleTable,
];

/// The rule for the file at `path`.
pub(super) fn rule_for(path: &str) -> Option<&'static dyn Rule> {
    RULES.into_iter().find(|rule| rule.matches(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_of_one_kind_at_most() {
        for (path, name) in [
            ("META-INF/services/a.B", Some("providers")),
            ("META-INF/services/org.codehaus.groovy.runtime.ExtensionModule", Some("Groovy extension module")),
            ("META-INF/groovy/org.codehaus.groovy.runtime.ExtensionModule", Some("Groovy extension module")),
            ("META-INF/services/sub/a.B", None),
            ("META-INF/services/", None),
            ("META-INF/LICENSE", Some("licence texts")),
            ("META-INF/license.TXT", Some("licence texts")),
            ("NOTICE.md", Some("licence texts")),
            ("META-INF/LICENSE.json", None),
            ("a/LICENSE", None),
            ("META-INF/org/apache/logging/log4j/core/config/plugins/Log4j2Plugins.dat", Some("log4j plugins")),
            ("META-INF/spring.handlers", Some("Spring names")),
            ("META-INF/spring.schemas", Some("Spring names")),
            ("META-INF/spring.factories", Some("Spring factories")),
            ("META-INF/spring/aot.factories", Some("Spring factories")),
            ("META-INF/spring/a.B.imports", Some("Spring imports")),
            ("META-INF/io.netty.versions.properties", Some("properties")),
            ("a.properties", None),
            ("reference.conf", Some("configuration")),
            ("a/reference.conf", None),
            ("META-INF/native-image/g/a/reflect-config.json", Some("native-image configuration")),
            ("META-INF/native-image/native-image.properties", Some("native-image arguments")),
            ("META-INF/native-image/g/a/other.json", None),
            ("META-INF/m.kotlin_module", Some("Kotlin module tables")),
            ("META-INF/a/m.kotlin_module", None),
            ("a/B.class", None),
        ] {
            let found: Vec<&str> = RULES.iter().filter(|rule| rule.matches(path)).map(|rule| rule.name()).collect();
            assert_eq!(found, name.into_iter().collect::<Vec<_>>(), "{path}");
        }
    }
}
