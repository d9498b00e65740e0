//! What process and machine say, as values, so that nothing in this crate asks them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Variables of the environment that count beside those that [`PREFIX`] begins.
pub const VARIABLES: &[&str] = &["HOME", "PROGRAMDATA"];
/// What the names of our own variables begin with.
pub const PREFIX: &str = "BTRACE_";
/// System properties that count.
pub const PROPERTIES: &[&str] = &["btrace.extensions.config", "btrace.permissions", "user.home"];

/// Whose extensions are looked for.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// Whether paths and folders are those of Windows.
    pub windows: bool,
    /// Variables of the environment, all of them, as `btrace.conf` may name any.
    pub variables: Vec<(String, OsString)>,
    /// Those of [`PROPERTIES`] that are set.
    pub properties: Vec<(String, String)>,
    /// The running Java; `None` where nothing runs, so that least versions are not compared.
    pub java: Option<u32>,
    /// The user that this process runs as; `None` where that cannot be told, so that nobody is trusted for being the owner.
    pub user: Option<u32>,
}

impl Host {
    /// This process: its variables, its user, and the system that it was built for.
    pub fn of_process() -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self { windows: cfg!(windows), variables: variables.collect(), user: user(), ..Self::default() }
    }

    /// A variable of the environment; nothing where it is empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let (_, value) = self.variables.iter().find(|(known, _)| known == name)?;
        (!value.is_empty()).then_some(value.as_os_str())
    }

    /// A system property; nothing where it is blank.
    pub fn property(&self, name: &str) -> Option<&str> {
        let (_, value) = self.properties.iter().find(|(known, _)| known == name)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    /// The user's home: `user.home`, unless it is none, as in a container without a user database, where it is `?`; else `HOME`.
    pub fn home(&self) -> Option<PathBuf> {
        let property = self.property("user.home").map(PathBuf::from).filter(|home| self.is_absolute(home));
        property.or_else(|| self.variable("HOME").map(PathBuf::from).filter(|home| self.is_absolute(home)))
    }

    /// `BTRACE_HOME`.
    pub fn btrace_home(&self) -> Option<PathBuf> {
        self.variable("BTRACE_HOME").map(PathBuf::from)
    }

    /// The folder of extensions of the whole machine.
    pub fn system_extensions(&self) -> Option<PathBuf> {
        if self.windows {
            return Some(PathBuf::from(self.variable("PROGRAMDATA")?).join("btrace").join("extensions"));
        }
        Some(PathBuf::from("/etc/btrace/extensions"))
    }

    /// The paths of a list: separated by `;`, and where a colon is no part of a path, by `:`.
    pub fn split_paths(&self, list: &OsStr) -> Vec<PathBuf> {
        let separators: &[u8] = if self.windows { b";" } else { b":;" };
        let parts = list.as_encoded_bytes().split(|byte| separators.contains(byte)).map(<[u8]>::trim_ascii);
        parts.filter(|part| !part.is_empty()).map(path).collect()
    }

    fn is_absolute(&self, path: &Path) -> bool {
        // A test of what Windows says runs elsewhere, too.
        path.is_absolute() || self.windows
    }
}

/// A path by its bytes, which were cut out of a path at ASCII characters.
#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// The user that owns what this process does.
fn user() -> Option<u32> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs_err::metadata("/proc/self").ok().map(|process| process.uid())
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(variables: &[(&str, &str)]) -> Host {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value)));
        Host { variables: variables.collect(), ..Host::default() }
    }

    #[test]
    fn home_is_a_place_or_nothing() {
        let mut some = host(&[("HOME", "/h/u")]);
        assert_eq!(some.home(), Some(PathBuf::from("/h/u")));
        for (property, home) in [("?", "/h/u"), ("", "/h/u"), ("/h/v", "/h/v")] {
            some.properties = vec![("user.home".to_owned(), property.to_owned())];
            assert_eq!(some.home(), Some(PathBuf::from(home)), "{property}");
        }
        assert_eq!(host(&[("HOME", "")]).home(), None);
        assert_eq!(Host::default().home(), None);
    }

    #[test]
    fn the_folder_of_the_machine_is_that_of_its_system() {
        assert_eq!(Host::default().system_extensions(), Some(PathBuf::from("/etc/btrace/extensions")));
        let mut windows = host(&[("PROGRAMDATA", "C:\\ProgramData")]);
        windows.windows = true;
        let expected = PathBuf::from("C:\\ProgramData").join("btrace").join("extensions");
        assert_eq!(windows.system_extensions(), Some(expected));
        assert_eq!(Host { windows: true, ..Host::default() }.system_extensions(), None);
    }

    #[test]
    fn lists_of_paths_are_those_of_the_system() {
        let paths = |host: &Host, list: &str| -> Vec<String> {
            host.split_paths(OsStr::new(list)).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths(&Host::default(), "/a b: /é;;/c "), ["/a b", "/é", "/c"]);
        let windows = Host { windows: true, ..Host::default() };
        assert_eq!(paths(&windows, "C:\\a;D:\\b"), ["C:\\a", "D:\\b"]);
    }
}
