//! Maven coordinates.

use std::fmt;
use std::str::FromStr;

/// Maven coordinates, `group:artifact:version[:classifier][@type]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinates {
    /// Group id.
    pub group: String,
    /// Artifact id.
    pub artifact: String,
    /// Version.
    pub version: String,
    /// Classifier.
    pub classifier: Option<String>,
    /// Type, such as `zip`.
    pub kind: Option<String>,
}

/// The form of coordinates, for messages.
pub const FORM: &str = "`group:artifact:version[:classifier][@type]`";

/// A text that is not of the form of coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not of the form {FORM}")]
pub struct BadCoordinates;

impl FromStr for Coordinates {
    type Err = BadCoordinates;

    fn from_str(text: &str) -> Result<Self, BadCoordinates> {
        let (text, kind) = match text.split_once('@') {
            Some((text, kind)) => (text, Some(kind)),
            None => (text, None),
        };
        let parts: Vec<&str> = text.split(':').collect();
        // They become names of folders: nothing may lead out of the repository.
        let valid = |part: &&str| {
            !part.is_empty()
                && !part.contains("..")
                && part.chars().all(|c| !c.is_whitespace() && !c.is_control() && !"/\\:@".contains(c))
        };
        if !(3..=4).contains(&parts.len()) || !parts.iter().chain(&kind).all(valid) {
            return Err(BadCoordinates);
        }
        Ok(Self {
            group: parts[0].to_owned(),
            artifact: parts[1].to_owned(),
            version: parts[2].to_owned(),
            classifier: parts.get(3).map(|part| (*part).to_owned()),
            kind: kind.map(str::to_owned),
        })
    }
}

impl Coordinates {
    /// Path of the file in a repository of Maven's layout, with `/` between its parts.
    pub fn path(&self) -> String {
        format!("{}/{}/{}/{}", self.group.replace('.', "/"), self.artifact, self.version, self.file_name())
    }

    /// Name of the file.
    pub fn file_name(&self) -> String {
        let classifier = self.classifier.as_ref().map(|classifier| format!("-{classifier}")).unwrap_or_default();
        let kind = self.kind.as_deref().unwrap_or("jar");
        format!("{}-{}{classifier}.{kind}", self.artifact, self.version)
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.group, self.artifact, self.version)?;
        if let Some(classifier) = &self.classifier {
            write!(f, ":{classifier}")?;
        }
        if let Some(kind) = &self.kind {
            write!(f, "@{kind}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_layout_of_a_repository() {
        let plain: Coordinates = "com.acme:metrics:1.2".parse().unwrap();
        assert_eq!(plain.path(), "com/acme/metrics/1.2/metrics-1.2.jar");
        let full: Coordinates = "com.acme:metrics:1.2:extension@zip".parse().unwrap();
        assert_eq!(full.path(), "com/acme/metrics/1.2/metrics-1.2-extension.zip");
        assert_eq!(full.to_string(), "com.acme:metrics:1.2:extension@zip");
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "a:b", "a:b:c:d:e", "a::c", "a:b:c@", "a/b:c:d", "a b:c:d", "..:b:c", "a:b:../c"] {
            assert_eq!(text.parse::<Coordinates>(), Err(BadCoordinates), "{text}");
        }
    }
}
