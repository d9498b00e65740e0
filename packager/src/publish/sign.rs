//! Detached signatures by `gpg`.

use std::io::{self, Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Error;
use super::artifact::Source;
use crate::error::Result;

/// How long one signature may take, with the time that somebody needs to type a passphrase.
const LIMIT: Duration = Duration::from_mins(2);

/// Signs files with a secret key of the user.
#[derive(Debug)]
pub(crate) struct Signer {
    /// What `gpg` calls the key; its default where there is none.
    key: Option<String>,
    /// For files that have no place of their own.
    folder: tempfile::TempDir,
}

impl Signer {
    /// A signer with this key.
    ///
    /// # Errors
    /// There is no room for temporary files.
    pub(crate) fn new(key: Option<&str>) -> Result<Self> {
        Ok(Self { key: key.map(str::to_owned), folder: tempfile::tempdir()? })
    }

    /// The armoured signature of a file, which messages call `name`.
    ///
    /// # Errors
    /// `gpg` is missing, fails or does not end.
    pub(crate) fn sign(&self, source: &Source, name: &str) -> Result<Source> {
        let copy = self.folder.path().join("file");
        let file: &Path = match source {
            Source::File(path) => path,
            Source::Bytes(bytes) => {
                fs_err::write(&copy, bytes)?;
                &copy
            }
        };
        let output = self.folder.path().join("signature");
        if output.exists() {
            fs_err::remove_file(&output)?;
        }
        let mut gpg = Command::new("gpg");
        gpg.args(["--batch", "--no-tty", "--detach-sign", "--armor", "--output"]).arg(&output);
        if let Some(key) = &self.key {
            gpg.arg("--local-user").arg(key);
        }
        gpg.arg("--").arg(file);
        run(gpg, LIMIT, name)?;
        Ok(Source::Bytes(fs_err::read(&output)?))
    }
}

fn run(mut gpg: Command, limit: Duration, name: &str) -> Result<()> {
    // A file and no pipe, because the agent that gpg starts keeps what it was given open.
    let mut stderr = tempfile::tempfile()?;
    let mut child = gpg
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr.try_clone()?)
        .spawn()
        .map_err(|source| Error::NoGpg { source })?;
    let end = Instant::now() + limit;
    let failed = |reason: String| Err(Error::Gpg { file: name.to_owned(), reason }.into());
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= end {
            // It may have ended just now; both results are fine then.
            let _ = child.kill();
            child.wait()?;
            return failed(format!("it did not end within {} seconds", limit.as_secs()));
        }
        thread::sleep(Duration::from_millis(10));
    };
    if status.success() {
        return Ok(());
    }
    let mut said = Vec::new();
    stderr.seek(io::SeekFrom::Start(0))?;
    stderr.read_to_end(&mut said)?;
    let said = String::from_utf8_lossy(&said);
    // The first line tells the cause, the last one repeats that it failed.
    let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    failed(if line.is_empty() { status.to_string() } else { line.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_end_or_is_not_there_is_an_error() {
        let mut sleep = Command::new("sleep");
        sleep.arg("1000");
        let error = run(sleep, Duration::from_millis(50), "a.jar").unwrap_err();
        assert_eq!(error.to_string(), "`gpg` made no signature of `a.jar`: it did not end within 0 seconds");
        let error = run(Command::new("/no/such/gpg"), LIMIT, "a.jar").unwrap_err();
        assert_eq!(error.to_string(), "cannot start `gpg`");
        assert_eq!(error.hint().as_deref(), Some("install GnuPG, or publish without `--sign`"));
    }
}
