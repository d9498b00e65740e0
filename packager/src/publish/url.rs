//! URLs of repositories.

use std::net::{Ipv4Addr, Ipv6Addr};

use ureq::http::Uri;

use super::Error;

/// A URL of which scheme, host and port are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    text: String,
    pub(crate) secure: bool,
    host: String,
    port: u16,
}

impl Url {
    /// Reads the URL of a repository.
    ///
    /// # Errors
    /// It is none with HTTP, or holds more than a place: credentials or a query.
    pub(crate) fn of_repository(text: &str) -> Result<Self, Error> {
        if text.contains(['?', '#']) {
            return Err(Error::Url { problem: "it has a query or a fragment" });
        }
        let url = Self::parse(text)?;
        Ok(Self { text: url.text.trim_end_matches('/').to_owned(), ..url })
    }

    /// Reads a URL.
    ///
    /// # Errors
    /// It is none with HTTP, or holds credentials.
    fn parse(text: &str) -> Result<Self, Error> {
        let uri: Uri = text.parse().map_err(|_| Error::Url { problem: "it is malformed" })?;
        let secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            other => return Err(Error::Scheme { scheme: other.unwrap_or_default().to_owned() }),
        };
        let authority = uri.authority().ok_or(Error::Url { problem: "it has no host" })?;
        if authority.as_str().contains('@') {
            return Err(Error::Url { problem: "it holds credentials" });
        }
        let host = authority.host().to_ascii_lowercase();
        if host.is_empty() {
            return Err(Error::Url { problem: "it has no host" });
        }
        let port = authority.port_u16().unwrap_or(if secure { 443 } else { 80 });
        Ok(Self { text: text.to_owned(), secure, host, port })
    }

    /// The URL of a file below this one.
    pub(crate) fn join(&self, path: &str) -> Self {
        Self { text: format!("{}/{path}", self.text), ..self.clone() }
    }

    /// The URL that a `Location` in an answer to this one stands for.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub(crate) fn resolve(&self, location: &str) -> Result<Self, Error> {
        let scheme = if self.secure { "https" } else { "http" };
        if let Some(rest) = location.strip_prefix("//") {
            return Self::parse(&format!("{scheme}://{rest}"));
        }
        if location.starts_with('/') {
            let start = scheme.len() + 3;
            let end = self.text[start..].find('/').map_or(self.text.len(), |at| start + at);
            return Self::parse(&format!("{}{location}", &self.text[..end]));
        }
        if location.contains("://") {
            return Self::parse(location);
        }
        let folder = self.text.rsplit_once('/').map_or(self.text.as_str(), |(folder, _)| folder);
        Self::parse(&format!("{folder}/{location}"))
    }

    /// Whether credentials for this URL may go to `other`: it is the same server, or the secure one of the same host.
    pub(crate) fn trusts(&self, other: &Self) -> bool {
        let same = self.secure == other.secure && self.port == other.port;
        self.host == other.host && (same || !self.secure && other.secure)
    }

    /// Whether it is this computer.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host.trim_matches(['[', ']']);
        host == "localhost"
            || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            || host.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())
    }

    /// All of it.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// For messages: without a query, which may hold a signature.
    pub(crate) fn shown(&self) -> &str {
        self.text.split(['?', '#']).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_more_than_a_place_is_refused() {
        for (text, message) in [
            ("https://u:p@h/r", "not the URL of a repository: it holds credentials"),
            ("https://h/r?token=x", "not the URL of a repository: it has a query or a fragment"),
            ("https:///r", "not the URL of a repository: it is malformed"),
            ("https://h h/", "not the URL of a repository: it is malformed"),
            ("ftp://h/r", "cannot publish to this kind of URL: `ftp`"),
        ] {
            let error = Url::of_repository(text).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn locations_are_resolved() {
        let url = Url::of_repository("http://h:81/r/").unwrap().join("a/b");
        assert_eq!(url.as_str(), "http://h:81/r/a/b");
        for (location, expected, trusted) in [
            ("/x?y", "http://h:81/x?y", true),
            ("c", "http://h:81/r/a/c", true),
            ("https://h/x", "https://h/x", true),
            ("http://h/x", "http://h/x", false),
            ("//i/x", "http://i/x", false),
        ] {
            let resolved = url.resolve(location).unwrap();
            assert_eq!((resolved.as_str(), url.trusts(&resolved)), (expected, trusted), "{location}");
        }
        let secure = Url::of_repository("https://h").unwrap();
        assert!(!secure.trusts(&Url::of_repository("http://h").unwrap()));
        assert!(secure.trusts(&Url::of_repository("https://H:443").unwrap()));
    }

    #[test]
    fn this_computer_has_several_names() {
        for (host, expected) in
            [("localhost", true), ("127.8.0.1:80", true), ("[::1]:80", true), ("h", false), ("0.0.0.0", false)]
        {
            assert_eq!(Url::of_repository(&format!("http://{host}/")).unwrap().is_loopback(), expected, "{host}");
        }
    }
}
