//! What is published: components with coordinates, each with its files.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use manifests::agent_toml::Coordinates;

use super::error::{Error, What};
use super::pom::Pom;
use crate::error::Result;

/// The end of a snapshot's version.
const SNAPSHOT: &str = "-SNAPSHOT";

/// Where the bytes of a file are.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// On disk.
    File(PathBuf),
    /// In memory.
    Bytes(Vec<u8>),
}

impl Source {
    /// A reader of the bytes.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::File(path) => Box::new(fs_err::File::open(path)?),
            Self::Bytes(bytes) => Box::new(bytes.as_slice()),
        })
    }

    /// Writes the bytes.
    pub(crate) fn copy_to(&self, to: &mut dyn io::Write) -> Result<u64> {
        Ok(io::copy(&mut self.open()?, to)?)
    }
}

/// A file of a component.
#[derive(Debug, Clone)]
pub(crate) struct Artifact {
    pub(crate) classifier: Option<&'static str>,
    /// Its type, which is also the end of its name.
    pub(crate) kind: &'static str,
    pub(crate) source: Source,
}

/// Something with coordinates of its own.
#[derive(Debug, Clone)]
pub(crate) struct Component {
    pub(crate) group: String,
    pub(crate) artifact: String,
    pub(crate) version: String,
    pub(crate) pom: Pom,
    pub(crate) artifacts: Vec<Artifact>,
}

impl Component {
    /// Its coordinates, without those of single files.
    pub(crate) fn coordinates(&self) -> String {
        format!("{}:{}:{}", self.group, self.artifact, self.version)
    }

    /// Coordinates of its files, as our descriptions have them.
    pub(crate) fn files(&self) -> impl Iterator<Item = Coordinates> + '_ {
        self.artifacts.iter().map(|artifact| Coordinates {
            group: self.group.clone(),
            artifact: self.artifact.clone(),
            version: self.version.clone(),
            classifier: artifact.classifier.map(str::to_owned),
            kind: Some(artifact.kind.to_owned()).filter(|kind| kind != "jar"),
        })
    }

    /// Whether it may be published again and again.
    pub(crate) fn is_snapshot(&self) -> bool {
        is_snapshot(&self.version)
    }

    /// The folder of all its versions, with `/` at its end.
    pub(crate) fn folder(&self) -> String {
        format!("{}/{}/", self.group.replace('.', "/"), self.artifact)
    }

    /// The folder of this version, with `/` at its end.
    pub(crate) fn version_folder(&self) -> String {
        format!("{}{}/", self.folder(), self.version)
    }

    /// Path of a file, whose name holds `version`: for a snapshot it is the one with the time.
    pub(crate) fn path(&self, version: &str, classifier: Option<&str>, kind: &str) -> String {
        let classifier = classifier.map(|classifier| format!("-{classifier}")).unwrap_or_default();
        format!("{}{}-{version}{classifier}.{kind}", self.version_folder(), self.artifact)
    }

    /// The version without the end that makes it a snapshot.
    pub(crate) fn base_version(&self) -> &str {
        self.version.strip_suffix(SNAPSHOT).unwrap_or(&self.version)
    }

    /// Checks coordinates and dependencies.
    ///
    /// # Errors
    /// A part is malformed, the version is neither that of a release nor that of a snapshot, or a release depends on a
    /// snapshot.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let malformed = |what, value: &str| Err(Error::Malformed { what, value: value.to_owned() });
        if !self.group.split('.').all(|word| is_word(word, "_-")) {
            return malformed(What::GroupId, &self.group);
        }
        if !is_plain(&self.artifact, "._-") {
            return malformed(What::ArtifactId, &self.artifact);
        }
        let version = self.version.as_str();
        if !is_plain(version, "._+-") || version == "LATEST" || version == "RELEASE" {
            return malformed(What::Version, version);
        }
        if self.base_version().to_ascii_lowercase().contains("snapshot") || has_time(version) {
            return Err(Error::HalfSnapshot { version: version.to_owned() });
        }
        match self.pom.dependencies.iter().find(|dependency| is_snapshot(&dependency.version)) {
            Some(dependency) if !self.is_snapshot() => {
                Err(Error::SnapshotDependency { release: self.coordinates(), dependency: dependency.to_string() })
            }
            _ => Ok(()),
        }
    }
}

/// Whether a version is that of a snapshot.
fn is_snapshot(version: &str) -> bool {
    version.ends_with(SNAPSHOT)
}

/// Whether a version ends with time and number, as names of a snapshot's files do.
fn has_time(version: &str) -> bool {
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((rest, number)) = version.rsplit_once('-') else { return false };
    let Some((date, time)) = rest.rsplit_once('-').map_or(rest, |(_, end)| end).split_once('.') else { return false };
    digits(date, 8) && digits(time, 6) && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(text: &str, more: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
}

/// Whether a text may be the name of a folder that leads nowhere else.
fn is_plain(text: &str, more: &str) -> bool {
    is_word(text, more) && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && !text.contains("..")
}

/// Refuses a version that is given for a jar which says that it is a snapshot, or the other way round.
pub(crate) fn check_given(given: &str, found: &str, of: &Path) -> Result<(), Error> {
    if is_snapshot(given) == is_snapshot(found) {
        return Ok(());
    }
    Err(Error::OtherVersion { given: given.to_owned(), found: found.to_owned(), of: of.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(group: &str, artifact: &str, version: &str) -> Component {
        let (group, artifact, version) = (group.to_owned(), artifact.to_owned(), version.to_owned());
        Component { group, artifact, version, pom: Pom::default(), artifacts: Vec::new() }
    }

    #[test]
    fn coordinates_are_checked() {
        for version in ["1", "1.0.0", "1.0.0-rc.1", "1.0.0+5", "2-SNAPSHOT", "1.0-20260101"] {
            component("com.acme", "a-b_c.d", version).check().unwrap();
        }
        for (group, artifact, version, message) in [
            ("", "a", "1", "not a group id: ``"),
            ("com..acme", "a", "1", "not a group id: `com..acme`"),
            ("com/acme", "a", "1", "not a group id: `com/acme`"),
            ("g", "", "1", "not an artifact id: ``"),
            ("g", "Open Telemetry", "1", "not an artifact id: `Open Telemetry`"),
            ("g", "..", "1", "not an artifact id: `..`"),
            ("g", "a", "1/2", "not a version: `1/2`"),
            ("g", "a", "RELEASE", "not a version: `RELEASE`"),
            ("g", "a", "1-snapshot", "version is neither that of a release nor that of a snapshot: `1-snapshot`"),
            ("g", "a", "1-SNAPSHOT-2", "version is neither that of a release nor that of a snapshot: `1-SNAPSHOT-2`"),
            (
                "g",
                "a",
                "1-20260101.120000-3",
                "version is neither that of a release nor that of a snapshot: `1-20260101.120000-3`",
            ),
        ] {
            let error = component(group, artifact, version).check().unwrap_err();
            assert_eq!(error.to_string(), message);
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn releases_depend_on_releases() {
        let mut component = component("g", "a", "1");
        component.pom.dependencies.push("g:b:2-SNAPSHOT".parse().unwrap());
        let error = component.check().unwrap_err();
        assert_eq!(error.to_string(), "release `g:a:1` would depend on a snapshot: `g:b:2-SNAPSHOT`");
        component.version = "1-SNAPSHOT".to_owned();
        component.check().unwrap();
    }
}
