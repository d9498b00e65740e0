//! Where something is published to, and as whom.

use std::path::{Path, PathBuf};

use super::Error;
use super::http::Http;
use super::repository::{Folder, Repository};
use super::url::Url;
use crate::error::Result;
use crate::maven::{Environment, Login, Secret, Settings};

/// Variables with user and password, which count more than the settings.
const USER: &str = "FATAGENT_REPOSITORY_USER";
const PASSWORD: &str = "FATAGENT_REPOSITORY_PASSWORD";

/// Who publishes, and how carefully.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Id of the `server` in Maven's settings with user and password.
    pub server: Option<String>,
    /// Whether credentials may go over the network in clear text.
    pub allow_insecure: bool,
}

/// Opens the repository that `to` names: a folder, or a URL.
///
/// # Errors
/// The URL is none of a repository, credentials are incomplete or would be readable on the way, or the folder cannot be
/// made.
pub(crate) fn open(to: &Path, access: &Access, environment: Environment<'_>) -> Result<Box<dyn Repository>> {
    let text = to.to_string_lossy();
    if let Some(folder) = folder_of(&text).or_else(|| (!text.contains("://")).then(|| to.to_owned())) {
        if access.server.is_some() {
            return Err(Error::ServerOfFolder { folder }.into());
        }
        return Ok(Box::new(Folder::open(&folder)?));
    }
    let url = Url::of_repository(&text)?;
    let login = login(access, environment)?;
    if login.is_some() && !url.secure && !url.is_loopback() && !access.allow_insecure {
        return Err(Error::InClear { url: url.shown().to_owned() }.into());
    }
    Ok(Box::new(Http::new(url, login.as_ref())))
}

/// The folder that a URL with `file` stands for.
fn folder_of(text: &str) -> Option<PathBuf> {
    let path = text.strip_prefix("file:")?;
    let path = path.strip_prefix("//localhost").or_else(|| path.strip_prefix("//")).unwrap_or(path);
    Some(PathBuf::from(path))
}

fn login(access: &Access, environment: Environment<'_>) -> Result<Option<Login>> {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty());
    let (login, from) = match (set(USER), set(PASSWORD), &access.server) {
        (Some(user), Some(password), _) => {
            (Login { user, password: Secret::new(password) }, format!("variable `{USER}`"))
        }
        (Some(_), None, _) => return Err(Error::HalfLogin { missing: PASSWORD }.into()),
        (None, Some(_), _) => return Err(Error::HalfLogin { missing: USER }.into()),
        (None, None, None) => return Ok(None),
        (None, None, Some(id)) => (Settings::load()?.login(id, environment)?, format!("server `{id}`")),
    };
    if login.user.contains(':') {
        return Err(Error::User { from }.into());
    }
    Ok(Some(login))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_complete_and_not_readable_on_the_way() {
        let both = |name: &str| Some(format!("{name}-value"));
        let message = |to: &str, access: &Access, environment: Environment<'_>| {
            let error = open(Path::new(to), access, environment).err().expect("an error");
            assert!(error.hint().is_some());
            assert!(!error.to_string().contains("-value"), "{error}");
            error.to_string()
        };
        let plain = Access::default();
        let clear = "credentials would go over the network in clear text: `http://h/r`";
        assert_eq!(message("http://h/r/", &plain, &both), clear);
        let half = |name: &str| (name == USER).then(|| "u".to_owned());
        let missing = "environment variable is not set, but its counterpart is: `FATAGENT_REPOSITORY_PASSWORD`";
        assert_eq!(message("https://h/r", &plain, &half), missing);
        let colon = |_: &str| Some("a:b".to_owned());
        let user = "user holds a colon, which HTTP does not allow, in: variable `FATAGENT_REPOSITORY_USER`";
        assert_eq!(message("https://h/r", &plain, &colon), user);
        assert_eq!(message("s3://bucket/r", &plain, &both), "cannot publish to this kind of URL: `s3`");
        let careless = Access { allow_insecure: true, ..Access::default() };
        for (to, access) in [("http://h/r", &careless), ("https://h/r", &plain), ("http://127.0.0.1:1/r", &plain)] {
            assert!(open(Path::new(to), access, &both).is_ok(), "{to}");
        }
        assert!(open(Path::new("http://h/r"), &plain, &|_| None).is_ok());
    }

    #[test]
    fn folders_are_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b");
        open(Path::new(&format!("file://{}", path.display())), &Access::default(), &|_| None).unwrap();
        assert!(path.is_dir());
    }
}
