//! `maven-metadata.xml`: which versions a repository has, and which files a snapshot consists of.

use std::fmt;

use super::artifact::Component;
use super::error::Error;
use crate::assemble::Moment;
use crate::error::Result;
use crate::xml::Element;

/// Name of the file.
pub(crate) const FILE: &str = "maven-metadata.xml";

/// Reads the metadata of a component at `place`, where the repository has any.
///
/// # Errors
/// They are malformed or belong to something else.
pub(crate) fn read(bytes: &[u8], component: &Component, place: &str) -> Result<Element, Error> {
    let malformed =
        |source: Box<dyn std::error::Error + Send + Sync>| Error::Metadata { place: place.to_owned(), source };
    let root = Element::parse(bytes).map_err(|source| malformed(Box::new(source)))?;
    if root.name != "metadata" {
        return Err(malformed(format!("the element at the top is `{}`", root.name).into()));
    }
    let text = |name| root.text_of(name).unwrap_or_default();
    let (group, artifact) = (text("groupId"), text("artifactId"));
    if (group, artifact) != (&component.group, &component.artifact) {
        return Err(Error::OtherMetadata { place: place.to_owned(), found: format!("{group}:{artifact}") });
    }
    Ok(root)
}

fn root_of(component: &Component) -> Element {
    let mut root = Element::new("metadata");
    root.push("groupId", &component.group);
    root.push("artifactId", &component.artifact);
    root
}

/// The metadata with this version among the others; nothing where it is there already.
pub(crate) fn with_version(known: Option<Element>, component: &Component, time: Moment) -> Option<Element> {
    let mut root = known.unwrap_or_else(|| root_of(component));
    let versioning = root.child_mut("versioning");
    let version = component.version.as_str();
    let is_there = |versions: &Element| versions.children.iter().any(|child| child.text == version);
    if versioning.child("versions").is_some_and(is_there) {
        return None;
    }
    // As with Maven's own deployment, the latest one is what was published last.
    versioning.set("latest", version);
    if !component.is_snapshot() {
        versioning.set("release", version);
    }
    versioning.child_mut("versions").push("version", version);
    versioning.set("lastUpdated", &stamp(time, ""));
    Some(root)
}

/// One publication of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Build {
    time: Moment,
    number: u64,
}

impl Build {
    /// The one after those that the metadata know.
    pub(crate) fn next(known: Option<&Element>, time: Moment) -> Self {
        let snapshot = known.and_then(|root| root.child("versioning")?.child("snapshot"));
        let number = snapshot.and_then(|snapshot| snapshot.text_of("buildNumber")?.parse::<u64>().ok());
        Self { time, number: number.unwrap_or_default().saturating_add(1) }
    }

    /// The version in names of its files.
    pub(crate) fn version(&self, component: &Component) -> String {
        format!("{}-{}-{}", component.base_version(), stamp(self.time, "."), self.number)
    }

    /// The metadata of the snapshot's version with this publication; files that it does not bring stay as they were.
    pub(crate) fn metadata(&self, known: Option<Element>, component: &Component) -> Element {
        let mut root = known.unwrap_or_else(|| {
            let mut root = root_of(component).attribute("modelVersion", "1.1.0");
            root.push("version", &component.version);
            root
        });
        let (value, updated) = (self.version(component), stamp(self.time, ""));
        let versioning = root.child_mut("versioning");
        let snapshot = versioning.child_mut("snapshot");
        snapshot.set("timestamp", &stamp(self.time, "."));
        snapshot.set("buildNumber", &self.number.to_string());
        versioning.set("lastUpdated", &updated);
        let files = &mut versioning.child_mut("snapshotVersions").children;
        let own = component.artifacts.iter().map(|artifact| (artifact.classifier, artifact.kind));
        for (classifier, kind) in own.chain([(None, "pom")]) {
            files.retain(|file| (file.text_of("classifier"), file.text_of("extension")) != (classifier, Some(kind)));
            let mut file = Element::new("snapshotVersion");
            if let Some(classifier) = classifier {
                file.push("classifier", classifier);
            }
            file.push("extension", kind);
            file.push("value", &value);
            file.push("updated", &updated);
            files.push(file);
        }
        root
    }
}

/// The moment as Maven writes it, with something between day and time.
fn stamp(time: Moment, between: impl fmt::Display) -> String {
    let Moment { year, month, day, hour, minute, second } = time;
    format!("{year:04}{month:02}{day:02}{between}{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use super::super::artifact::{Artifact, Source};
    use super::super::pom::Pom;
    use super::*;

    fn component(version: &str) -> Component {
        let artifact = Artifact { classifier: Some("extension"), kind: "zip", source: Source::Bytes(Vec::new()) };
        Component {
            group: "g.h".to_owned(),
            artifact: "a".to_owned(),
            version: version.to_owned(),
            pom: Pom::default(),
            artifacts: vec![artifact],
        }
    }

    fn time() -> Moment {
        // `date -u -d @1709210096` is 2024-02-29 12:34:56.
        Moment::of(1_709_210_096)
    }

    #[test]
    fn versions_are_added_once_and_what_is_unknown_is_kept() {
        let known = b"<metadata><groupId>g.h</groupId><artifactId>a</artifactId><versioning><release>1.0</release>\
            <versions><version>1.0</version></versions></versioning><plugins><plugin>p</plugin></plugins></metadata>";
        let known = read(known, &component("1.1"), "m").unwrap();
        let merged = with_version(Some(known), &component("1.1"), time()).unwrap();
        let versioning = merged.child("versioning").unwrap();
        for (name, value) in [("latest", "1.1"), ("release", "1.1"), ("lastUpdated", "20240229123456")] {
            assert_eq!(versioning.text_of(name), Some(value));
        }
        let versions = &versioning.child("versions").unwrap().children;
        assert_eq!(versions.iter().map(|version| version.text.as_str()).collect::<Vec<_>>(), ["1.0", "1.1"]);
        assert!(merged.child("plugins").is_some());
        assert_eq!(with_version(Some(merged.clone()), &component("1.1"), time()), None);
        let snapshot = with_version(Some(merged), &component("2-SNAPSHOT"), time()).unwrap();
        let versioning = snapshot.child("versioning").unwrap();
        assert_eq!((versioning.text_of("latest"), versioning.text_of("release")), (Some("2-SNAPSHOT"), Some("1.1")));
    }

    #[test]
    fn each_publication_of_a_snapshot_has_a_number() {
        let component = component("2-SNAPSHOT");
        let first = Build::next(None, time());
        assert_eq!(first.version(&component), "2-20240229.123456-1");
        let mut metadata = first.metadata(None, &component);
        metadata.child_mut("versioning").child_mut("snapshotVersions").children[0].set("classifier", "other");
        let second = Build::next(Some(&metadata), Moment::of(1_709_210_097));
        let metadata = second.metadata(Some(metadata), &component);
        let files = &metadata.child("versioning").unwrap().child("snapshotVersions").unwrap().children;
        let files: Vec<_> = files.iter().map(|file| (file.text_of("classifier"), file.text_of("value"))).collect();
        let value = Some("2-20240229.123457-2");
        assert_eq!(files, [(Some("other"), Some("2-20240229.123456-1")), (Some("extension"), value), (None, value)]);
    }

    #[test]
    fn metadata_of_others_are_refused() {
        for (text, message) in [
            ("<metadata>", "malformed metadata of the repository: `m`"),
            ("<html/>", "malformed metadata of the repository: `m`"),
            ("<metadata><groupId>x</groupId></metadata>", "metadata of the repository are those of `x:`: `m`"),
        ] {
            assert_eq!(read(text.as_bytes(), &component("1"), "m").unwrap_err().to_string(), message);
        }
    }
}
