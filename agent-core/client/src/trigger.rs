//! The file that asks a JVM to listen.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::fchown;
use std::path::{Path, PathBuf};

use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};

use crate::process::Status;

/// A file of ours, removed when dropped.
#[derive(Debug)]
pub(crate) struct Trigger {
    /// The folder, held open: `/proc/PID/cwd` may come to mean another one, and means none once the JVM has ended.
    folder: File,
    /// The file, unless it was there before.
    name: Option<String>,
}

impl Trigger {
    /// Creates the file in the first of the folders that takes it.
    ///
    /// The JVM wants it to belong to its own user (or, from 9, to root), so root gives it away. A file that is already
    /// there is somebody else's attach or a remainder: it does its work and is left alone.
    pub(crate) fn create(folders: &[PathBuf], status: &Status, root: bool) -> io::Result<Self> {
        let mut first_error = None;
        for folder in folders {
            match Self::create_in(folder, status, root) {
                Ok(trigger) => return Ok(trigger),
                Err(error) => first_error.get_or_insert(error),
            };
        }
        Err(first_error.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }

    fn create_in(path: &Path, status: &Status, root: bool) -> io::Result<Self> {
        let name = format!(".attach_pid{}", status.own_pid);
        let mut trigger = Self { folder: File::open(path)?, name: None };
        let mut options = OpenOptions::new();
        // Exclusive creation also refuses to follow a link that somebody left in a shared folder.
        options.write(true).create_new(true).mode(0o600);
        match options.open(trigger.path(&name)) {
            Ok(file) => {
                trigger.name = Some(name);
                if root {
                    fchown(file.file(), Some(status.uid), Some(status.gid))?;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))),
        }
        Ok(trigger)
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.folder.as_raw_fd()))
    }
}

impl Drop for Trigger {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing depends on it any more, and it may be gone together with the JVM's container.
            let _gone = fs_err::remove_file(self.path(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> Status {
        let (uid, gid) = crate::sys::effective_ids();
        Status { name: "java".to_owned(), state: 'S', own_pid: 7, uid, gid, caught: 4 }
    }

    #[test]
    fn the_first_folder_that_takes_it_has_it_until_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let path = folder.path().join(".attach_pid7");
        let trigger = Trigger::create(&[missing.clone(), folder.path().to_owned()], &status(), false).unwrap();
        assert!(path.exists());
        let second = Trigger::create(&[folder.path().to_owned()], &status(), false).unwrap();
        drop(second);
        assert!(path.exists(), "a file that was there before is left alone");
        drop(trigger);
        assert!(!path.exists());
        let error = Trigger::create(std::slice::from_ref(&missing), &status(), false).unwrap_err();
        assert!(error.to_string().contains(missing.to_str().unwrap()), "{error}");
    }

    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        std::os::unix::fs::symlink(&target, folder.path().join(".attach_pid7")).unwrap();
        let _trigger = Trigger::create(&[folder.path().to_owned()], &status(), false).unwrap();
        assert!(!target.exists());
    }
}
