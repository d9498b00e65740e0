//! What this program carries for those who build extensions, probes and agents, with its Maven coordinates.

use std::path::Path;

use manifests::agent_toml::Coordinates;

use crate::publish::{About, Artifact, Component, Pom, Source};

/// The API that extensions and probes are compiled against.
pub(crate) const CLASSES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sdk.jar"));
/// Its sources.
const SOURCES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sdk-sources.jar"));
/// The Gradle plugins; empty in a program that was built without them.
const GRADLE_PLUGIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/gradle-plugin.jar"));

const GROUP: &str = "io.btrace";
const VERSION: &str = env!("CARGO_PKG_VERSION");
const LICENSE: &str = env!("CARGO_PKG_LICENSE");
/// Ids of the Gradle plugins, each of which Gradle looks up by a component of its own.
const PLUGIN_IDS: [&str; 2] = ["io.btrace.fat-agent", "io.btrace.extension"];

/// The classifier of this program: a static one runs on any Linux of its architecture.
const CLASSIFIER: &str = if cfg!(target_arch = "aarch64") { "linux-aarch64" } else { "linux-x86_64" };

/// Whether there are Gradle plugins.
pub(crate) fn has_gradle_plugins() -> bool {
    !GRADLE_PLUGIN.is_empty()
}

/// All components; `program` is the file of this program.
pub(crate) fn components(program: &Path) -> Vec<Component> {
    let jar = |classifier, bytes: &[u8]| Artifact { classifier, kind: "jar", source: Source::Bytes(bytes.to_vec()) };
    let executable = Artifact { classifier: Some(CLASSIFIER), kind: "exe", source: Source::File(program.to_owned()) };
    let mut components = vec![
        Component {
            artifacts: vec![jar(None, CLASSES), jar(Some("sources"), SOURCES)],
            ..component("fatagent-sdk", "jar", "What extensions and probes of fat Java agents are compiled against")
        },
        Component {
            artifacts: vec![executable],
            ..component("fatagent", "pom", "The program that builds and checks fat Java agents")
        },
    ];
    if has_gradle_plugins() {
        components.push(Component { artifacts: vec![jar(None, GRADLE_PLUGIN)], ..gradle_plugin() });
        components.extend(PLUGIN_IDS.map(marker));
    }
    components
}

/// The component of the Gradle plugins, without its files.
pub(crate) fn gradle_plugin() -> Component {
    component("fatagent-gradle-plugin", "jar", "Gradle plugins that build fat Java agents and their extensions")
}

/// What Gradle looks for where a build script names the plugin.
fn marker(id: &str) -> Component {
    let mut marker = component(&format!("{id}.gradle.plugin"), "pom", "Leads Gradle to the jar of the plugin");
    id.clone_into(&mut marker.group);
    let plugin = gradle_plugin();
    marker.pom.dependencies.push(Coordinates {
        group: plugin.group,
        artifact: plugin.artifact,
        version: plugin.version,
        classifier: None,
        kind: None,
    });
    marker
}

fn component(artifact: &str, packaging: &'static str, description: &str) -> Component {
    let about = About {
        name: Some(artifact.to_owned()),
        description: Some(description.to_owned()),
        license: Some(LICENSE.to_owned()),
        ..About::default()
    };
    Component {
        group: GROUP.to_owned(),
        artifact: artifact.to_owned(),
        version: VERSION.to_owned(),
        pom: Pom { packaging, about, dependencies: Vec::new() },
        artifacts: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_those_that_documentation_names() {
        let components = components(Path::new("fatagent"));
        components.iter().try_for_each(Component::check).unwrap();
        let files: Vec<String> = components.iter().flat_map(Component::files).map(|file| file.to_string()).collect();
        let expected = [
            format!("io.btrace:fatagent-sdk:{VERSION}"),
            format!("io.btrace:fatagent-sdk:{VERSION}:sources"),
            format!("io.btrace:fatagent:{VERSION}:{CLASSIFIER}@exe"),
        ];
        assert_eq!(files[..3], expected);
        let marker = marker(PLUGIN_IDS[0]);
        assert_eq!(marker.coordinates(), format!("io.btrace.fat-agent:io.btrace.fat-agent.gradle.plugin:{VERSION}"));
        assert_eq!(marker.pom.dependencies[0].to_string(), format!("io.btrace:fatagent-gradle-plugin:{VERSION}"));
    }
}
