//! A folder with something to publish.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fixtures::Jar;
use tempfile::TempDir;

use crate::run::{self, Run};
use crate::support;

/// How long one program may run.
pub(crate) const LIMIT: Duration = Duration::from_mins(4);

/// What would change where requests go or who sends them.
const FOREIGN: [&str; 11] = [
    "FATAGENT_REPOSITORY_USER",
    "FATAGENT_REPOSITORY_PASSWORD",
    "SOURCE_DATE_EPOCH",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Seconds of 2024-02-29 12:34:56 UTC.
pub(crate) const EPOCH: &str = "1709210096";

/// A folder, which is also the home folder.
pub(crate) struct Work {
    folder: TempDir,
    pub(crate) environment: Vec<(&'static str, String)>,
}

impl Work {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), environment: vec![("SOURCE_DATE_EPOCH", EPOCH.to_owned())] }
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Builds the zip of the extension `vendor-statsd` in the folder `to`.
    pub(crate) fn zip(&self, to: &str, version: &str, resource: &str) -> String {
        let folder = self.path(to);
        fs_err::create_dir_all(&folder).unwrap();
        let zip = support::statsd("vendor-statsd")
            .attribute("BTrace-Extension-Version", version)
            .attribute("BTrace-Extension-Description", "Sends <metrics> & more")
            .resource("vendor/statsd/note.txt", resource.as_bytes())
            .build(&folder)
            .unwrap();
        zip.strip_prefix(self.folder.path()).unwrap().display().to_string()
    }

    /// Writes an agent jar of another vendor, with so many bytes that do not deflate.
    pub(crate) fn agent(&self, name: &str, version: &str, bytes: usize) -> String {
        let mut noise = Vec::with_capacity(bytes);
        let mut state: u32 = 1;
        for _ in 0..bytes {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            noise.push((state >> 24) as u8);
        }
        let jar = Jar::new()
            .attribute("Premain-Class", "a.Agent")
            .attribute("Implementation-Title", "acme-agent")
            .attribute("Implementation-Version", version)
            .file("noise", &noise);
        jar.write(&self.path(name)).unwrap();
        name.to_owned()
    }

    pub(crate) fn fatagent(&self, arguments: &[&str]) -> Run {
        let mut command = run::fatagent(self.folder.path(), arguments);
        command.env("HOME", self.folder.path());
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (*name, value)));
        Run::of(command, LIMIT)
    }

    /// Publishes the zip of an extension in the group `com.acme`.
    pub(crate) fn publish(&self, zip: &str, to: &str, more: &[&str]) -> Run {
        self.fatagent(&[&["extension", "publish", zip, "--to", to, "--group", "com.acme"], more].concat())
    }

    /// Publishes an agent in the group `com.acme`.
    pub(crate) fn publish_agent(&self, jar: &str, to: &str, more: &[&str]) -> Run {
        self.fatagent(&[&["publish", jar, "--to", to, "--group", "com.acme"], more].concat())
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs_err::read_to_string(self.path(relative)).unwrap()
    }

    pub(crate) fn settings(&self, text: &str) {
        fs_err::create_dir_all(self.path(".m2")).unwrap();
        fs_err::write(self.path(".m2/settings.xml"), text).unwrap();
    }
}

/// Paths of all files below a folder, sorted, with their bytes.
pub(crate) fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).unwrap().display().to_string();
            files.push((path, fs_err::read(entry.path()).unwrap()));
        }
    }
    files.sort();
    files
}
