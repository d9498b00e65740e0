//! Artifacts from Maven repositories, as real inputs.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::folders;
use super::missing::missing;
use super::registry::step;

/// How long fetching one artifact may take, Maven's own plugin included.
const LIMIT: Duration = Duration::from_mins(4);

/// The artifact `group:artifact:version[:packaging[:classifier]]` from the cache, fetched with Maven if need be.
#[track_caller]
pub(crate) fn maven_artifact(coordinates: &str) -> PathBuf {
    let Some(name) = maven_file_name(coordinates) else {
        panic!("not `group:artifact:version[:packaging[:classifier]]`: `{coordinates}`");
    };
    step(format!("fetching `{coordinates}`"));
    let place = folders::cache("maven").join(coordinates.replace(':', "_"));
    let fetched = folders::once(&place, |folder| {
        let mut maven = Command::new("mvn");
        maven.current_dir(folder).args(["-q", "-B", "dependency:copy"]);
        maven.arg(format!("-Dartifact={coordinates}")).arg("-DoutputDirectory=.");
        let output = match fixtures::run(&mut maven, LIMIT) {
            Err(fixtures::Error::Start { .. }) => missing("Maven", "apt-get install -y maven"),
            output => output.map_err(|error| error.to_string())?,
        };
        let found = folder.join(&name).is_file();
        if output.status.success() && found { Ok(()) } else { Err(format!("{}\n{}", output.status, output.both())) }
    });
    if let Err(why) = fetched {
        panic!("cannot fetch `{coordinates}`: {why}");
    }
    place.join(name)
}

/// The jars of `coordinates` and of what they need at run time, see [`fixtures::libraries`].
#[track_caller]
pub(crate) fn libraries(name: &str, coordinates: &[&str]) -> Vec<PathBuf> {
    step(format!("fetching the libraries `{name}`"));
    match fixtures::libraries(&folders::cache_folder(), name, coordinates) {
        Err(fixtures::Error::Start { .. }) => missing("Maven", "apt-get install -y maven"),
        Err(why) => panic!("{why}"),
        Ok(jars) => jars,
    }
}

/// The file that Maven writes for these coordinates.
pub(crate) fn maven_file_name(coordinates: &str) -> Option<String> {
    let parts: Vec<&str> = coordinates.split(':').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    match parts[..] {
        [_, artifact, version] => Some(format!("{artifact}-{version}.jar")),
        [_, artifact, version, packaging] => Some(format!("{artifact}-{version}.{packaging}")),
        [_, artifact, version, packaging, classifier] => Some(format!("{artifact}-{version}-{classifier}.{packaging}")),
        _ => None,
    }
}
