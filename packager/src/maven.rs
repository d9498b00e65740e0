//! Files by Maven coordinates, from the local repository that Maven itself fills: nothing is fetched.

mod error;
mod settings;

pub use error::Error;
pub(crate) use settings::{Environment, Login, Secret, Settings};

use std::path::PathBuf;

use manifests::agent_toml::{Coordinates, Source};

use crate::config::{Config, variable};
use crate::error::Result;
use crate::glob;

/// The variable that names another repository than the settings, as `-Dmaven.repo.local` does for Maven.
const OWN: &str = "FATAGENT_MAVEN_REPOSITORY";
/// The repository where the settings name no other.
const REPOSITORY: &str = ".m2/repository";
/// Classifier and type of an extension's zip, where the coordinates name neither.
const EXTENSION: (&str, &str) = ("extension", "zip");

/// The local repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    folder: PathBuf,
}

impl Repository {
    /// The one that Maven uses for this user: what a build of Maven says itself, `localRepository` of the settings, else the
    /// default.
    ///
    /// # Errors
    /// The settings are malformed, or there is no home folder.
    pub(crate) fn local() -> Result<Self> {
        if let Some(folder) = variable(OWN).filter(|folder| !folder.is_empty()) {
            return Ok(Self { folder: folder.into() });
        }
        Self::of(&Settings::load()?, &variable)
    }

    /// Its folder.
    pub(crate) fn into_folder(self) -> PathBuf {
        self.folder
    }

    fn of(settings: &Settings, environment: Environment<'_>) -> Result<Self> {
        let named = settings.local_repository(environment)?;
        Ok(Self { folder: named.unwrap_or_else(|| settings.home().join(REPOSITORY)) })
    }

    /// The file of these coordinates, which stand at `at`.
    ///
    /// # Errors
    /// The repository does not have it.
    pub(crate) fn find(&self, coordinates: &Coordinates, at: &str) -> Result<PathBuf> {
        let path = self.folder.join(coordinates.path());
        if path.is_file() {
            return Ok(path);
        }
        Err(Error::NotThere { at: at.to_owned(), coordinates: Box::new(coordinates.clone()), path }.into())
    }
}

/// The zip of an extension.
pub(crate) fn extension(coordinates: &Coordinates, at: &str) -> Result<PathBuf> {
    let mut coordinates = coordinates.clone();
    if coordinates.classifier.is_none() && coordinates.kind.is_none() {
        coordinates.classifier = Some(EXTENSION.0.to_owned());
        coordinates.kind = Some(EXTENSION.1.to_owned());
    }
    Repository::local()?.find(&coordinates, at)
}

/// The files that the items of a `from` name, in their order; a pattern's are sorted.
///
/// # Errors
/// A pattern is malformed or matches nothing, or the local repository lacks an artifact.
pub(crate) fn files(sources: &[Source], config: &Config, at: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut repository = None;
    for source in sources {
        match source {
            Source::Path(path) if path.contains(['*', '?']) => {
                found.extend(glob::expand_all(std::slice::from_ref(path), &config.folder, false, at)?);
            }
            Source::Path(path) => found.push(config.resolve(path)),
            Source::Maven(coordinates) => {
                let repository = match &mut repository {
                    Some(known) => known,
                    none => none.insert(Repository::local()?),
                };
                found.push(repository.find(coordinates, at)?);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_mavens_own() {
        let home = tempfile::tempdir().unwrap();
        let of = |environment: Environment<'_>| Repository::of(&Settings::of(home.path())?, environment);
        let folder = || of(&|name| (name == "REPO").then(|| "/r".to_owned())).unwrap().folder;
        assert_eq!(folder(), home.path().join(".m2/repository"));
        fs_err::create_dir_all(home.path().join(".m2")).unwrap();
        for (text, expected) in [
            ("<settings/>", home.path().join(".m2/repository")),
            ("<settings xmlns=\"x\"><localRepository> /a b </localRepository></settings>", PathBuf::from("/a b")),
            ("<settings><localRepository>${user.home}/r</localRepository></settings>", home.path().join("r")),
            ("<settings><localRepository>${env.REPO}/x&amp;y</localRepository></settings>", PathBuf::from("/r/x&y")),
            ("<settings><localRepository/></settings>", home.path().join(".m2/repository")),
            (
                "<settings><profiles><localRepository>/p</localRepository></profiles></settings>",
                home.path().join(".m2/repository"),
            ),
        ] {
            fs_err::write(home.path().join(".m2/settings.xml"), text).unwrap();
            assert_eq!(folder(), expected, "{text}");
        }
        for text in [
            "<settings><localRepository>",
            "<settings><localRepository>${nothing}</localRepository></settings>",
            "no xml <",
            "<project/>",
            "",
        ] {
            fs_err::write(home.path().join(".m2/settings.xml"), text).unwrap();
            let error = of(&|_| None).unwrap_err();
            assert!(error.to_string().contains("settings.xml"), "{text}: {error}");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn what_is_not_there_is_named_with_the_command_that_fetches_it() {
        let repository = Repository { folder: PathBuf::from("/none") };
        let error = repository.find(&"g.h:a:1:c@zip".parse().unwrap(), "agent.toml:3:1").unwrap_err();
        assert_eq!(
            error.to_string(),
            "agent.toml:3:1: the local Maven repository does not have `g.h:a:1:c@zip`: `/none/g/h/a/1/a-1-c.zip`"
        );
        let hint = "run `mvn dependency:get -Dartifact=g.h:a:1:zip:c`, or install the artifact there by its own build";
        assert_eq!(error.hint().as_deref(), Some(hint));
    }
}
