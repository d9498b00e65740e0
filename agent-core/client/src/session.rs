//! Attaching, and the commands.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use manifests::properties::Properties;

use crate::process::{self, Status};
use crate::reply::{self, Reply};
use crate::trigger::Trigger;
use crate::{Error, Result, Timeouts, sys};

/// Bytes that each argument of a command may have. The JVM drops a longer command without an answer, and from 25 says so
/// on its standard output.
const ARGUMENT_LIMIT: usize = 1024;

/// How long to wait for the sign that start-up is over, which Java 8 never gives.
const START_LIMIT: Duration = Duration::from_secs(1);

/// Bytes of an answer at most: system properties can hold a long class path, but not this much.
const ANSWER_LIMIT: u64 = 64 << 20;

/// A JVM that listens. Each command has its own connection; dropping the session leaves nothing behind.
#[derive(Debug)]
pub struct Session {
    pid: u32,
    socket: PathBuf,
    uid: u32,
    timeouts: Timeouts,
}

pub(crate) fn attach(pid: u32, timeouts: Timeouts) -> Result<Session> {
    let mut status = Status::read(pid)?;
    let (own_uid, own_gid) = sys::effective_ids();
    check_permission(pid, &status, own_uid, own_gid)?;
    if status.is_stopped() {
        return Err(Error::Stopped { pid });
    }
    // The launcher loads the JVM a few milliseconds after its start; any other program has had its chance.
    let program = process::program(pid, &status);
    let limit = if program == "java" { timeouts.ready } else { Duration::ZERO };
    wait(limit, || Ok(process::runs_hotspot(pid)?.then_some(())))?.ok_or(Error::NotJvm { pid, program })?;
    let folder = process::temporary_folder(pid, &status);
    let socket = folder.join(format!(".java_pid{}", status.own_pid));
    let session = Session { pid, socket, uid: status.uid, timeouts };
    if session.try_connect()?.is_some() {
        return Ok(session);
    }

    if let Some(origin) = process::attach_disabled(pid) {
        return Err(Error::Disabled { pid, origin });
    }
    // A JVM with `-Xrs` never catches SIGQUIT but listens by itself, a moment after its start.
    let listens = wait(timeouts.ready, || {
        status = Status::read(pid)?;
        Ok(if session.try_connect()?.is_some() { Some(true) } else { status.catches_quit().then_some(false) })
    })?;
    if listens.ok_or(Error::NoHandler { pid, waited: timeouts.ready })? {
        return Ok(session);
    }
    wait(timeouts.ready.min(START_LIMIT), || Ok(process::has_started(pid).then_some(())))?;
    status = Status::read(pid)?;
    if status.is_stopped() {
        return Err(Error::Stopped { pid });
    }
    let working = PathBuf::from(format!("/proc/{pid}/cwd"));
    let _trigger =
        Trigger::create(&[working, folder], &status, own_uid == 0).map_err(|source| Error::Trigger { pid, source })?;
    let start = Instant::now();
    // A JVM asked too early removes the socket that it has just made, and makes another when asked again; the same goes
    // for one whose socket was removed while it listened. Once it listens a further signal means nothing to it.
    let mut asks = [Duration::ZERO, Duration::from_secs(1), timeouts.listen / 2].into_iter().peekable();
    let listens = wait(timeouts.listen, || {
        status = Status::read(pid)?;
        if let Some(stream) = session.try_connect()? {
            return Ok(Some(stream));
        }
        if status.catches_quit() && asks.next_if(|at| start.elapsed() >= *at).is_some() {
            sys::quit(pid).map_err(|source| match source.raw_os_error() {
                Some(libc::ESRCH) => Error::NoProcess { pid },
                _ => Error::Signal { pid, source },
            })?;
        }
        Ok(None)
    })?;
    match listens {
        Some(_) => Ok(session),
        None if status.is_stopped() => Err(Error::Stopped { pid }),
        None => Err(Error::NotListening { pid, waited: timeouts.listen }),
    }
}

/// Whether a JVM of this user and group would listen to us; root may give away the file that asks it to.
fn check_permission(pid: u32, status: &Status, own_uid: u32, own_gid: u32) -> Result<()> {
    if own_uid == 0 || (status.uid, status.gid) == (own_uid, own_gid) {
        return Ok(());
    }
    Err(Error::Permission { pid, uid: status.uid, gid: status.gid, own_uid, own_gid })
}

/// Asks again and again, at growing distances, until there is something or the time is over.
fn wait<T>(limit: Duration, mut ask: impl FnMut() -> Result<Option<T>>) -> Result<Option<T>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(found) = ask()? {
            return Ok(Some(found));
        }
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(100));
    }
}

impl Session {
    /// Process id of the JVM, in our namespace.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The JVM's system properties as they are now.
    pub fn properties(&self) -> Result<BTreeMap<String, String>> {
        let pid = self.pid;
        let command = "properties";
        let reply = self.execute(command, [&[], &[], &[]])?;
        if reply.code != 0 {
            return Err(Error::Refused { pid, command, code: reply.code, text: reply.text() });
        }
        let properties = Properties::parse(&reply.body).map_err(|source| Error::Properties { pid, source })?;
        Ok(properties.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }

    /// Loads the Java agent `jar` and waits for the end of its `agentmain`, which gets `options`.
    ///
    /// A relative path counts for us; the JVM must see the same file there.
    pub fn load_jar(&self, jar: &Path, options: &str) -> Result<()> {
        let path = absolute(jar)?;
        if path.as_os_str().as_bytes().contains(&b'=') {
            return Err(Error::PathWithEquals { path });
        }
        let mut argument = path.as_os_str().as_bytes().to_vec();
        if !options.is_empty() {
            argument.push(b'=');
            argument.extend_from_slice(options.as_bytes());
        }
        let reply = self.execute("load", [b"instrument", b"false", &argument])?;
        reply::loaded_jar(self.pid, &path, &reply)
    }

    /// Loads the native agent `library` and waits for the end of its `Agent_OnAttach`, which gets `options`.
    ///
    /// A relative path counts for us; the JVM must see the same file there.
    pub fn load_library(&self, library: &Path, options: &str) -> Result<()> {
        let path = absolute(library)?;
        let reply = self.execute("load", [path.as_os_str().as_bytes(), b"true", options.as_bytes()])?;
        reply::loaded_library(self.pid, &path, &reply)
    }

    /// Sends a command of protocol version 1 and reads the answer up to its end.
    fn execute(&self, command: &'static str, arguments: [&[u8]; 3]) -> Result<Reply> {
        let pid = self.pid;
        let mut request = b"1\0".to_vec();
        for part in [&[command.as_bytes()], &arguments[..]].concat() {
            if part.contains(&0) {
                return Err(Error::Nul { text: String::from_utf8_lossy(part).into_owned() });
            }
            if part.len() > ARGUMENT_LIMIT {
                return Err(Error::TooLong { limit: ARGUMENT_LIMIT, length: part.len() });
            }
            request.extend_from_slice(part);
            request.push(0);
        }
        let mut stream = self.try_connect()?.ok_or(Error::NoProcess { pid })?;
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                Error::NoAnswer { pid, command, waited: self.timeouts.reply }
            }
            _ => Error::Connection { pid, command, source },
        };
        stream.write_all(&request).map_err(failed)?;
        let mut answer = Vec::new();
        (&mut stream).take(ANSWER_LIMIT).read_to_end(&mut answer).map_err(failed)?;
        if answer.is_empty() {
            return Err(Error::Closed { pid, command });
        }
        Reply::parse(&answer).ok_or_else(|| Error::Answer { pid, command, answer: reply::one_line(&answer) })
    }

    /// Connects to the JVM's socket; `None` when nobody listens there, also when the file is a remainder of a process
    /// that had the same id.
    fn try_connect(&self) -> Result<Option<UnixStream>> {
        let pid = self.pid;
        let foreign = |reason| Error::ForeignSocket { pid, path: self.socket.clone(), reason };
        let metadata = match fs_err::symlink_metadata(&self.socket) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(process::inspect(pid, source)),
        };
        if !metadata.file_type().is_socket() {
            return Err(foreign("it is not a socket".to_owned()));
        }
        // Anybody may create a file in the temporary folder: only the JVM's own user is believed, and root.
        if metadata.uid() != self.uid && metadata.uid() != 0 {
            return Err(foreign(format!("it belongs to user {}", metadata.uid())));
        }
        let stream = match sys::connect(&self.socket, self.timeouts.reply) {
            Ok(stream) => stream,
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound) => {
                return Ok(None);
            }
            Err(source) => return Err(Error::Connect { pid, source }),
        };
        let (listener, uid) = sys::peer(&stream).map_err(|source| Error::Connect { pid, source })?;
        if uid != self.uid && uid != 0 {
            return Err(foreign(format!("user {uid} listens there")));
        }
        // Zero means a process that our namespace does not see.
        if listener != pid && listener != 0 {
            return Err(foreign(format!("process {listener} listens there")));
        }
        Ok(Some(stream))
    }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|source| Error::Resolve { source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_and_the_same_user_and_group_are_permitted() {
        let status = Status { name: "java".to_owned(), state: 'S', own_pid: 7, uid: 10, gid: 20, caught: 4 };
        for (uid, gid) in [(10, 20), (0, 0), (0, 5)] {
            assert!(check_permission(7, &status, uid, gid).is_ok(), "{uid}:{gid}");
        }
        for (uid, gid) in [(10, 21), (11, 20)] {
            let error = check_permission(7, &status, uid, gid).unwrap_err();
            assert!(matches!(error, Error::Permission { pid: 7, uid: 10, gid: 20, .. }), "{uid}:{gid}");
        }
    }

    #[test]
    fn waiting_ends_with_the_answer_an_error_or_the_limit() {
        let mut asked = 0;
        let found = wait(Duration::from_mins(1), || {
            asked += 1;
            Ok((asked == 3).then_some(asked))
        });
        assert_eq!(found.unwrap(), Some(3));
        assert!(matches!(
            wait::<()>(Duration::from_mins(1), || Err(Error::NoProcess { pid: 1 })),
            Err(Error::NoProcess { .. })
        ));
        let mut asked = 0;
        let nothing = wait::<()>(Duration::ZERO, || {
            asked += 1;
            Ok(None)
        });
        assert_eq!((nothing.unwrap(), asked), (None, 1));
    }
}
