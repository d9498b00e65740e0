//! The system calls that the standard library does not offer.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Our effective user and group.
pub(crate) fn effective_ids() -> (u32, u32) {
    // SAFETY: both calls take nothing, touch no memory of ours and cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Sends SIGQUIT.
pub(crate) fn quit(pid: u32) -> io::Result<()> {
    // Zero and negative ids name groups of processes.
    let pid = libc::pid_t::try_from(pid).ok().filter(|pid| *pid > 0).ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: `kill` takes two integers and touches no memory of ours.
    match unsafe { libc::kill(pid, libc::SIGQUIT) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Connects to a UNIX socket and bounds the connecting and every later read and write, which the standard library cannot
/// do for the connecting: a JVM that does not accept would block us for ever.
pub(crate) fn connect(path: &Path, limit: Duration) -> io::Result<UnixStream> {
    let bytes = path.as_os_str().as_bytes();
    // SAFETY: `sockaddr_un` is plain data of which all zeroes is a value.
    let mut address: libc::sockaddr_un = unsafe { mem::zeroed() };
    // The last byte stays zero, which ends the path.
    if bytes.len() >= address.sun_path.len() || bytes.contains(&0) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    for (to, from) in address.sun_path.iter_mut().zip(bytes) {
        // Characters of C are signed on some machines and unsigned on others.
        *to = libc::c_char::from_ne_bytes([*from]);
    }
    // SAFETY: `socket` takes three integers and touches no memory of ours.
    let socket = unsafe { libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `socket` is a descriptor that was just opened and that nobody else owns.
    let stream = UnixStream::from(unsafe { OwnedFd::from_raw_fd(socket) });
    stream.set_read_timeout(Some(limit))?;
    stream.set_write_timeout(Some(limit))?;
    let length = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the address is initialised, of the length given, and outlives the call.
    match unsafe { libc::connect(stream.as_raw_fd(), (&raw const address).cast(), length) } {
        0 => Ok(stream),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Process and user that listen at the other end of a connection; the process is 0 where our namespace cannot see it.
pub(crate) fn peer(stream: &UnixStream) -> io::Result<(u32, u32)> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of_val(&credentials) as libc::socklen_t;
    // SAFETY: the buffer is of the type that the option has and of the length given, and outlives the call.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut credentials).cast(),
            &raw mut length,
        )
    };
    match result {
        0 => Ok((u32::try_from(credentials.pid).unwrap_or(0), credentials.uid)),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn the_peer_of_a_connection_is_who_listens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listener = UnixListener::bind(&path).unwrap();
        let stream = connect(&path, Duration::from_secs(5)).unwrap();
        assert_eq!(peer(&stream).unwrap(), (std::process::id(), effective_ids().0));
    }

    #[test]
    fn connecting_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listener = UnixListener::bind(&path).unwrap();
        // Nobody accepts, so the queue fills up and some connection has to wait.
        let mut waiting = Vec::new();
        let error = loop {
            match connect(&path, Duration::from_millis(50)) {
                Ok(stream) => waiting.push(stream),
                Err(error) => break error,
            }
            assert!(waiting.len() < 100_000, "the queue of a listener is bounded");
        };
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn impossible_arguments_are_refused() {
        assert_eq!(
            connect(Path::new(&"x".repeat(108)), Duration::from_secs(1)).unwrap_err().kind(),
            io::ErrorKind::InvalidInput
        );
        assert_eq!(quit(0).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(quit(u32::MAX).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
