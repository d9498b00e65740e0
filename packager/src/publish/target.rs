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
    if let Some(folder) = folder_of(&text)?.or_else(|| scheme_of(&text).is_none().then(|| to.to_owned())) {
        if access.server.is_some() {
            return Err(Error::ServerOfFolder { folder }.into());
        }
        return Ok(Box::new(Folder::open(&folder)?));
    }
    if !text.contains("://") {
        return Err(Error::Url { problem: "two slashes have to follow its scheme" }.into());
    }
    let url = Url::of_repository(&text)?;
    let login = login(access, environment)?;
    if login.is_some() && !url.secure && !url.is_loopback() && !access.allow_insecure {
        return Err(Error::InClear { url: url.shown().to_owned() }.into());
    }
    Ok(Box::new(Http::new(url, login.as_ref())))
}

/// The scheme of what is meant as a URL, even if it lacks a slash: no folder has such a name.
fn scheme_of(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    (is_scheme && rest.starts_with('/')).then_some(scheme)
}

/// The folder that a URL with `file` stands for.
///
/// # Errors
/// It is on another computer, or bytes of it are written in a way that is no UTF-8.
fn folder_of(text: &str) -> Result<Option<PathBuf>, Error> {
    let Some(path) = text.strip_prefix("file:") else { return Ok(None) };
    let path = match path.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => path,
    };
    if text.starts_with("file://") && !path.starts_with('/') {
        return Err(Error::Url { problem: "it has `file` with the name of another computer" });
    }
    let malformed = Error::Url { problem: "it has a `%` without two hexadecimal digits, or they are no UTF-8" };
    decoded(path).map(|path| Some(PathBuf::from(path))).ok_or(malformed)
}

/// The text with `%20` and its like replaced.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        // The standard library would take a sign, too.
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
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
        let encoded = folder.path().join("c d\u{e4}%");
        let url = format!("file://localhost{}/c%20d%C3%a4%25", folder.path().display());
        open(Path::new(&url), &Access::default(), &|_| None).unwrap();
        assert!(encoded.is_dir());
    }

    #[test]
    fn what_is_meant_as_a_url_is_no_folder() {
        let message = |to: &str| {
            let error = open(Path::new(to), &Access::default(), &|_| None).err().expect("an error");
            assert!(error.hint().is_some());
            error.to_string()
        };
        for (to, text) in [
            ("https:/h/r", "not the URL of a repository: two slashes have to follow its scheme"),
            ("s3:/bucket", "not the URL of a repository: two slashes have to follow its scheme"),
            ("file://h/r", "not the URL of a repository: it has `file` with the name of another computer"),
            (
                "file:///r%2",
                "not the URL of a repository: it has a `%` without two hexadecimal digits, or they are no UTF-8",
            ),
            (
                "file:///r%+1",
                "not the URL of a repository: it has a `%` without two hexadecimal digits, or they are no UTF-8",
            ),
            (
                "file:/r%ff",
                "not the URL of a repository: it has a `%` without two hexadecimal digits, or they are no UTF-8",
            ),
        ] {
            assert_eq!(message(to), text, "{to}");
        }
        assert_eq!((scheme_of("a:b"), scheme_of("c:/x"), scheme_of("./https:/x")), (None, None, None));
    }
}
