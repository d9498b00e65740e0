//! What the files to publish say about themselves, as components.

use crate::extension::ExtensionError;
use std::fs::File;
use std::path::{Path, PathBuf};

use manifests::agent_toml::Coordinates;
use manifests::extension_toml::ExtensionToml;
use manifests::manifest::attribute;

use super::artifact::{Artifact, Component, Source, check_given};
use super::error::{Error, What};
use super::pom::{About, Pom};
use crate::archive::{Archive, Limits};
use crate::error::{Error as AnyError, Result};
use crate::extension::Extension;
use crate::manifest_file;
use crate::ops::verify;
use crate::paths;

/// End of the name of the API jar in a zip, and of the artifact that it becomes.
const API: &str = "-api";

/// What is given beside the file itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// The group id.
    pub group: Option<String>,
    /// The artifact id.
    pub artifact: Option<String>,
    /// Version of an agent.
    pub version: Option<String>,
    /// What the description says.
    pub about: About,
    /// What probe authors need beside the API, or the agent's dependencies.
    pub dependencies: Vec<Coordinates>,
    /// The sources jar.
    pub sources: Option<PathBuf>,
    /// The javadoc jar.
    pub javadoc: Option<PathBuf>,
}

/// Components of something that is published, and what the user should know.
pub(crate) struct Described {
    pub(crate) components: Vec<Component>,
    pub(crate) notes: Vec<String>,
    /// Holds what was taken out of a zip.
    _folder: Option<tempfile::TempDir>,
}

/// The zip of an extension, and its API for those who write probes. The group of `project` counts where none is given and the
/// zip is its own.
///
/// # Errors
/// The zip is no extension that could be embedded, or something is missing or malformed.
pub(crate) fn extension(
    zip: &Path,
    given: &Given,
    project: Option<&ExtensionToml>,
    limits: Limits,
) -> Result<Described> {
    let Extension { metadata, notes, .. } = Extension::from_zip(zip, limits)?;
    let own = project.filter(|project| project.id == metadata.id).and_then(|project| project.group.as_deref());
    let group = required(given.group.as_deref().or(own), What::GroupId, zip)?;
    let artifact = given.artifact.clone().unwrap_or_else(|| metadata.id.clone());
    let folder = tempfile::tempdir()?;
    let api_jar = folder.path().join("api.jar");
    take_api(&Archive::open_with(zip, limits)?, &api_jar)?;

    let mut about = given.about.clone();
    about.name = about.name.or(metadata.name).or_else(|| Some(metadata.id.clone()));
    about.description = about.description.or(metadata.description);
    let bundle = Component {
        group: group.clone(),
        artifact: artifact.clone(),
        version: metadata.version.clone(),
        // No file has the coordinates alone, and this is the packaging without one.
        pom: Pom { packaging: "pom", about: about.clone(), dependencies: Vec::new() },
        artifacts: vec![Artifact { classifier: Some("extension"), kind: "zip", source: Source::File(zip.to_owned()) }],
    };
    about.name = about.name.map(|name| format!("{name} API"));
    let api = Component {
        group,
        artifact: format!("{artifact}{API}"),
        version: metadata.version,
        pom: Pom { packaging: "jar", about, dependencies: given.dependencies.clone() },
        artifacts: with_companions(api_jar, given, limits)?,
    };
    let components = vec![bundle, api];
    components.iter().try_for_each(Component::check)?;
    Ok(Described { components, notes, _folder: Some(folder) })
}

/// An agent jar.
///
/// # Errors
/// The jar is no agent or does not pass `verify`, or something is missing or malformed.
pub(crate) fn agent(jar: &Path, given: &Given, limits: Limits) -> Result<Described> {
    let archive = Archive::open_with(jar, limits)?;
    let main = manifest_file::of(&archive)?.unwrap_or_default().main;
    let starts = [attribute::PREMAIN_CLASS, attribute::AGENT_CLASS, attribute::LAUNCHER_AGENT_CLASS];
    if !starts.iter().any(|name| main.get(name).is_some()) {
        return Err(Error::NotAnAgent { jar: jar.to_owned() }.into());
    }
    let mut notes = Vec::new();
    // Only of what was built here is known how it has to be.
    if main.get(attribute::BTRACE_BUILD_ID).is_some() {
        let report = verify::check(&archive);
        if report.problems() > 0 {
            return Err(AnyError::VerifyFailed { jar: jar.to_owned(), count: report.problems() });
        }
    }
    let said = |name: &str| main.get(name).map(str::trim).filter(|value| !value.is_empty());
    let title = said(attribute::IMPLEMENTATION_TITLE);
    let artifact = required(given.artifact.as_deref().or(title), What::ArtifactId, jar)?;
    let found = said(attribute::IMPLEMENTATION_VERSION);
    let version = required(given.version.as_deref().or(found), What::Version, jar)?;
    if let Some(found) = found.filter(|found| *found != version) {
        check_given(&version, found, jar)?;
        notes.push(format!("`{}` says that its version is `{found}`, and is published as `{version}`", jar.display()));
    }
    let mut about = given.about.clone();
    about.name = about.name.or_else(|| Some(title.unwrap_or(&artifact).to_owned()));
    let component = Component {
        group: required(given.group.as_deref(), What::GroupId, jar)?,
        artifact,
        version,
        pom: Pom { packaging: "jar", about, dependencies: given.dependencies.clone() },
        artifacts: with_companions(jar.to_owned(), given, limits)?,
    };
    component.check()?;
    let name = format!("{}-{}.jar", component.artifact, component.version);
    if let Some(boot) =
        said(attribute::BOOT_CLASS_PATH).filter(|boot| *boot != name && archive.contains(paths::LOADER_CLASS))
    {
        notes.push(format!(
            "repositories call the jar `{name}`, but its `Boot-Class-Path` says `{boot}`: under the new name it appends itself \
             and prints one line at each start; build it with `-o {name}`"
        ));
    }
    Ok(Described { components: vec![component], notes, _folder: None })
}

fn required(value: Option<&str>, what: What, of: &Path) -> Result<String, Error> {
    value.map(str::to_owned).ok_or_else(|| Error::Missing { what, of: of.to_owned() })
}

/// The jar with its sources and its documentation, where they are given.
fn with_companions(jar: PathBuf, given: &Given, limits: Limits) -> Result<Vec<Artifact>> {
    let mut artifacts = vec![Artifact { classifier: None, kind: "jar", source: Source::File(jar) }];
    for (classifier, path) in [("sources", &given.sources), ("javadoc", &given.javadoc)] {
        if let Some(path) = path {
            Archive::open_with(path, limits)?;
            artifacts.push(Artifact { classifier: Some(classifier), kind: "jar", source: Source::File(path.clone()) });
        }
    }
    Ok(artifacts)
}

/// Writes the API jar of a zip, of which it is known that it has exactly one.
fn take_api(archive: &Archive, target: &Path) -> Result<()> {
    let is_api = |name: &str| name.ends_with(&format!("{API}.jar")) && !name.contains('/');
    let Some(index) = archive.entries().iter().position(|entry| is_api(&entry.name)) else {
        let reason = format!("it has no `*{API}.jar` at its root");
        return Err(ExtensionError::NotAnExtension { path: archive.label().to_owned(), reason }.into());
    };
    let mut file = File::create(target)?;
    archive.stream(index, |reader| Ok(std::io::copy(reader, &mut file)?))?;
    Ok(())
}
