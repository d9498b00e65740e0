//! What `/proc` says about a process.

use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// The parts of `/proc/PID/status` that matter here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    /// Name in the process table.
    pub(crate) name: String,
    /// State letter.
    pub(crate) state: char,
    /// The id that the process has for itself.
    pub(crate) own_pid: u32,
    /// Effective user.
    pub(crate) uid: u32,
    /// Effective group.
    pub(crate) gid: u32,
    /// Caught signals, bit 0 for signal 1.
    pub(crate) caught: u64,
}

impl Status {
    /// Reads the status of a process that runs.
    pub(crate) fn read(pid: u32) -> Result<Self> {
        let path = format!("/proc/{pid}/status");
        let text = match fs_err::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if is_gone(&error) => return Err(Error::NoProcess { pid }),
            Err(source) => return Err(Error::Inspect { pid, source }),
        };
        let status = Self::parse(&text, pid).ok_or_else(|| Error::Inspect {
            pid,
            source: io::Error::new(io::ErrorKind::InvalidData, format!("unexpected content of `{path}`")),
        })?;
        if matches!(status.state, 'Z' | 'X' | 'x') { Err(Error::NoProcess { pid }) } else { Ok(status) }
    }

    fn parse(text: &str, pid: u32) -> Option<Self> {
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim);
        // Real, effective, saved and file system id.
        let effective = |key| value(key)?.split_whitespace().nth(1)?.parse().ok();
        Some(Self {
            name: value("Name")?.to_owned(),
            state: value("State")?.chars().next()?,
            // One id per namespace, the innermost last; kernels before 4.1 have none.
            own_pid: match value("NSpid") {
                Some(ids) => ids.split_whitespace().next_back()?.parse().ok()?,
                None => pid,
            },
            uid: effective("Uid")?,
            gid: effective("Gid")?,
            caught: u64::from_str_radix(value("SigCgt")?, 16).ok()?,
        })
    }

    /// Whether SIGQUIT has a handler; without one it ends the process.
    pub(crate) fn catches_quit(&self) -> bool {
        self.caught & (1 << (libc::SIGQUIT - 1)) != 0
    }

    /// Whether the process is stopped by a signal or a debugger.
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }
}

/// Whether `HotSpot`'s library is mapped into the process. Other programs may catch SIGQUIT too and then end.
pub(crate) fn runs_hotspot(pid: u32) -> Result<bool> {
    let maps = fs_err::read(format!("/proc/{pid}/maps")).map_err(|source| inspect(pid, source))?;
    Ok(maps.split(|byte| *byte == b'\n').any(|line| {
        // A library replaced on disk is shown with a suffix.
        let line = line.strip_suffix(b" (deleted)").unwrap_or(line);
        line.ends_with(b"/libjvm.so")
    }))
}

/// Whether the JVM is past the start-up steps that would make an attach fail: it moves its working folder for a while
/// to clean up its performance data, and removes a socket of its name. The service thread starts after both.
///
/// Java 8 does not name its threads for the system, so that this stays false.
pub(crate) fn has_started(pid: u32) -> bool {
    let Ok(tasks) = fs_err::read_dir(format!("/proc/{pid}/task")) else { return false };
    let mut names = tasks.flatten().filter_map(|task| fs_err::read(task.path().join("comm")).ok());
    names.any(|name| name == b"Service Thread\n")
}

/// File name of the program that the process runs; its name in the process table may still be its parent's just after
/// the start, and is cut off at 15 bytes.
pub(crate) fn program(pid: u32, status: &Status) -> String {
    let file = fs_err::read_link(format!("/proc/{pid}/exe")).ok();
    let name = file.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| status.name.clone())
}

/// Where the options of a JVM forbid attaching, if they do and can be seen: a SIGQUIT would make it print its threads.
///
/// Options in argument files and `.hotspotrc` are not seen.
pub(crate) fn attach_disabled(pid: u32) -> Option<&'static str> {
    let environment = fs_err::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let variable = |name: &str| {
        let prefix = format!("{name}=");
        environment.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(prefix.as_bytes())).unwrap_or_default()
    };
    let command = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    // In the order in which the JVM applies them: a later option wins. Variables separate by blanks, arguments by NUL.
    let places: [(_, &[u8], &[u8]); 4] = [
        ("JAVA_TOOL_OPTIONS", variable("JAVA_TOOL_OPTIONS"), b" \t\n"),
        ("JDK_JAVA_OPTIONS", variable("JDK_JAVA_OPTIONS"), b" \t\n"),
        ("the command line", &command, b"\0"),
        ("_JAVA_OPTIONS", variable("_JAVA_OPTIONS"), b" \t\n"),
    ];
    let mut disabled = None;
    for (origin, text, separators) in places {
        for option in text.split(|byte| separators.contains(byte)) {
            match option {
                b"-XX:+DisableAttachMechanism" => disabled = Some(origin),
                b"-XX:-DisableAttachMechanism" => disabled = None,
                _ => {}
            }
        }
    }
    disabled
}

/// The temporary folder that the JVM uses, which is `/tmp` of its own root whatever its properties say.
pub(crate) fn temporary_folder(pid: u32, status: &Status) -> PathBuf {
    let inside = PathBuf::from(format!("/proc/{pid}/root/tmp"));
    // A process that may not be traced hides its root; outside a container ours is the same.
    if status.own_pid == pid && inside.metadata().is_err() { PathBuf::from("/tmp") } else { inside }
}

/// A failed look at a process: it may have ended.
pub(crate) fn inspect(pid: u32, source: io::Error) -> Error {
    if is_gone(&source) { Error::NoProcess { pid } } else { Error::Inspect { pid, source } }
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tjava\nUmask:\t0022\nState:\tT (stopped)\nPid:\t4711\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\n\
        NSpid:\t4711\t12\t3\nSigCgt:\t2000000181005ccf\n";

    #[test]
    fn a_status_is_read() {
        let status = Status::parse(STATUS, 4711).unwrap();
        let expected =
            Status { name: "java".to_owned(), state: 'T', own_pid: 3, uid: 2, gid: 6, caught: 0x2000_0001_8100_5ccf };
        assert_eq!(status, expected);
        assert!(status.catches_quit() && status.is_stopped());
        assert!(!Status { caught: !4, ..status.clone() }.catches_quit());
        assert!(!Status { state: 'S', ..status }.is_stopped());
        let old: String =
            STATUS.lines().filter(|line| !line.starts_with("NSpid")).fold(String::new(), |t, l| t + l + "\n");
        assert_eq!(Status::parse(&old, 4711).unwrap().own_pid, 4711);
        assert_eq!(Status::parse("Name:\tx\n", 1), None);
    }

    #[test]
    fn our_own_status_is_read() {
        let status = Status::read(std::process::id()).unwrap();
        assert_eq!((status.uid, status.gid), crate::sys::effective_ids());
        assert_eq!(status.own_pid, std::process::id());
        assert!(!runs_hotspot(std::process::id()).unwrap());
        assert!(attach_disabled(std::process::id()).is_none());
    }
}
