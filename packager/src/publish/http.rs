//! Repositories behind HTTP: `GET` to look, `PUT` to write.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ureq::http::{Response, StatusCode, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use super::Error;
use super::artifact::Source;
use super::repository::{Repository, SMALL};
use super::url::Url;
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::maven::Login;

/// How long a connection, and each step of reading and writing, may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// Most redirections of one request.
const HOPS: usize = 5;
/// Files of more bytes are sent only after the repository has agreed, so that its refusal can be read.
const ASK_FIRST: u64 = 64 * 1024;

/// What a repository refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Reading.
    Get {
        /// Whether credentials were sent.
        login: bool,
    },
    /// Writing.
    Put {
        /// Whether credentials were sent.
        login: bool,
    },
}

impl Refusal {
    pub(super) fn verb(self) -> &'static str {
        if matches!(self, Self::Get { .. }) { "GET" } else { "PUT" }
    }

    pub(super) fn hint(self, status: u16) -> &'static str {
        let (Self::Get { login } | Self::Put { login }) = self;
        match status {
            401 | 403 | 407 if !login => {
                "set FATAGENT_REPOSITORY_USER and FATAGENT_REPOSITORY_PASSWORD, or name a server of `settings.xml` with `--server`"
            }
            401 | 407 => "check user and password",
            403 => "the user may not do this: check its rights, and whether the URL is the repository's own",
            404 | 405 | 410 => "check the URL: it is that of the repository itself, and one that takes uploads",
            400 | 409 | 422 => {
                "the repository has this version already, or takes snapshots or releases only: check the version and the URL"
            }
            413 => "the file is larger than the repository allows",
            500..=599 => "try again later: files that are there already are not sent again",
            _ => "the log of the repository tells more",
        }
    }
}

/// A file to write.
#[derive(Clone, Copy)]
struct Upload<'s> {
    source: &'s Source,
    /// Whether one that is there may be replaced.
    replace: bool,
}

/// A repository behind HTTP.
pub(crate) struct Http {
    agent: Agent,
    base: Url,
    /// The header's value.
    authorization: Option<String>,
}

impl Http {
    /// The repository at `base`.
    pub(crate) fn new(base: Url, login: Option<&Login>) -> Self {
        let tls = TlsConfig::builder()
            // The system's authorities, since repositories of companies have their own.
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            // Whether a redirection may be followed is decided here.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("fatagent/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(PATIENCE))
            .timeout_connect(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE))
            .timeout_per_write(Some(PATIENCE))
            .build()
            .new_agent();
        let authorization = login.map(|login| {
            let pair = format!("{}:{}", login.user, login.password.reveal());
            format!("Basic {}", STANDARD.encode(pair))
        });
        Self { agent, base, authorization }
    }

    /// Sends a request for `path`, with `upload` as its body, and follows redirections that may be followed.
    fn send(&self, path: &str, upload: Option<Upload<'_>>) -> Result<Response<Body>> {
        let mut url = self.base.join(path);
        let mut ask = true;
        let mut hops = 0;
        loop {
            let answer = self.send_once(&url, upload, ask)?;
            // Some servers know nothing of being asked first, and some agree in a form that is not allowed.
            let not_understood = match &answer {
                Ok(response) => response.status() == StatusCode::EXPECTATION_FAILED,
                Err(error) => matches!(error, ureq::Error::Protocol(_)),
            };
            if not_understood && ask && upload.is_some() {
                ask = false;
                continue;
            }
            let response = answer
                .map_err(|source| Error::Unreachable { url: url.shown().to_owned(), source: Box::new(source) })?;
            let status = response.status();
            let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            let Some(location) = location.filter(|_| status.is_redirection()) else { return Ok(response) };
            let next = url.resolve(location)?;
            let may = match upload {
                // A file that is only looked at may lie anywhere; credentials do not go there.
                None => !url.secure || next.secure,
                // Others than these two statuses would turn it into a GET.
                Some(_) => matches!(status.as_u16(), 307 | 308) && self.base.trusts(&next),
            };
            hops += 1;
            if !may || hops > HOPS {
                let (url, to) = (url.shown().to_owned(), next.shown().to_owned());
                return Err(Error::Redirected { url, status: status.as_u16(), to }.into());
            }
            url = next;
        }
    }

    fn send_once(
        &self,
        url: &Url,
        upload: Option<Upload<'_>>,
        ask: bool,
    ) -> Result<Result<Response<Body>, ureq::Error>> {
        let authorization = self.authorization.as_deref().filter(|_| self.base.trusts(url));
        Ok(match upload {
            None => {
                let mut request = self.agent.get(url.as_str());
                if let Some(value) = authorization {
                    request = request.header(header::AUTHORIZATION, value);
                }
                request.call()
            }
            Some(Upload { source, replace }) => {
                let mut request = self.agent.put(url.as_str()).header(header::CONTENT_TYPE, "application/octet-stream");
                if let Some(value) = authorization {
                    request = request.header(header::AUTHORIZATION, value);
                }
                if !replace {
                    // Another publisher may have come in between; servers that do not know this ignore it.
                    request = request.header(header::IF_NONE_MATCH, "*");
                }
                match source {
                    Source::Bytes(bytes) => request.send(bytes),
                    Source::File(path) => {
                        let file = fs_err::File::open(path)?.into_file();
                        if ask && file.metadata()?.len() > ASK_FIRST {
                            request = request.header(header::EXPECT, "100-continue");
                        }
                        request.send(file)
                    }
                }
            }
        })
    }

    /// The answer to a GET; nothing where the file is not there.
    fn get(&self, path: &str) -> Result<Option<Body>> {
        let response = self.send(path, None)?;
        match response.status().as_u16() {
            200 => Ok(Some(response.into_body())),
            404 | 410 => Ok(None),
            status => Err(self.refused(path, status, Refusal::Get { login: self.authorization.is_some() }).into()),
        }
    }

    fn refused(&self, path: &str, status: u16, refusal: Refusal) -> Error {
        Error::Status { url: self.place(path), status, refusal }
    }

    fn unreadable(&self, path: &str, source: ureq::Error) -> Error {
        Error::Unreachable { url: self.place(path), source: Box::new(source) }
    }
}

impl Repository for Http {
    fn place(&self, path: &str) -> String {
        if path.is_empty() { self.base.shown().to_owned() } else { self.base.join(path).shown().to_owned() }
    }

    fn sha256(&self, path: &str) -> Result<Option<Sha256Hex>> {
        let Some(body) = self.get(path)? else { return Ok(None) };
        let hash = Sha256Hex::of_reader(&mut body.into_reader());
        Ok(Some(hash.map_err(|source: io::Error| self.unreadable(path, source.into()))?))
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let Some(mut body) = self.get(path)? else { return Ok(None) };
        let bytes = body.with_config().limit(SMALL).read_to_vec();
        Ok(Some(bytes.map_err(|source| self.unreadable(path, source))?))
    }

    fn write(&self, path: &str, source: &Source, replace: bool) -> Result<()> {
        let status = self.send(path, Some(Upload { source, replace }))?.status();
        if status.is_success() {
            return Ok(());
        }
        if status == StatusCode::PRECONDITION_FAILED && !replace {
            return Err(Error::Exists { place: self.place(path) }.into());
        }
        let refusal = Refusal::Put { login: self.authorization.is_some() };
        Err(self.refused(path, status.as_u16(), refusal).into())
    }
}
