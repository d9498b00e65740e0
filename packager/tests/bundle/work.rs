//! A folder with the project of an extension.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fixtures::Jar;
use tempfile::TempDir;

use crate::run::{self, Run};

/// Java 8 class files, as libraries have them.
pub(crate) const RELEASE_8: [&str; 3] = ["--release", "8", "-Xlint:-options"];

/// How long one program may run.
const LIMIT: Duration = Duration::from_mins(2);

/// The head of every description.
const HEAD: &str = "id = \"acme-metrics\"\nversion = \"1.2.0\"\n";

/// A service with an API class, and its provider, which opens a socket.
pub(crate) const SOURCES: [(&str, &str); 4] = [
    (
        "acme/metrics/Metrics.java",
        "package acme.metrics;
         @io.btrace.core.extensions.ServiceDescriptor
         public interface Metrics { enum Unit { MS, BYTES } java.util.List<Sample> samples(Unit unit) throws Full; }",
    ),
    ("acme/metrics/Sample.java", "package acme.metrics; public class Sample { public long value; }"),
    ("acme/metrics/Full.java", "package acme.metrics; public class Full extends Exception {}"),
    (
        "acme/metrics/MetricsImpl.java",
        "package acme.metrics;
         public class MetricsImpl extends io.btrace.core.extensions.Extension implements Metrics {
             public java.util.List<Sample> samples(Unit unit) {
                 try { new java.net.Socket(\"h\", 1).close(); } catch (java.io.IOException e) { }
                 return java.util.Collections.emptyList();
             }
         }",
    ),
];

/// A folder.
pub(crate) struct Work {
    folder: TempDir,
}

impl Work {
    /// A project with a description, `more` after its head, and sources.
    pub(crate) fn new(more: &str, sources: &[(&str, &str)]) -> Self {
        let work = Self { folder: tempfile::tempdir().unwrap() };
        work.describe(more);
        for (path, text) in sources {
            work.write(&format!("src/main/java/{path}"), text);
        }
        work
    }

    /// The usual project, with `more` in its description.
    pub(crate) fn usual(more: &str) -> Self {
        Self::new(more, &SOURCES)
    }

    /// Writes the description anew.
    pub(crate) fn describe(&self, more: &str) {
        self.write("extension.toml", format!("{HEAD}{more}"));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    /// Compiles a library and writes its jar.
    pub(crate) fn library(&self, name: &str, sources: &[(&str, &str)], more: impl FnOnce(Jar) -> Jar) {
        let out = tempfile::tempdir().unwrap();
        fixtures::javac(sources, &RELEASE_8, out.path()).unwrap();
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        more(Jar::new()).tree(out.path()).unwrap().write(&path).unwrap();
    }

    /// Runs `fatagent` in the folder.
    pub(crate) fn fatagent(&self, arguments: &[&str]) -> Run {
        let mut command = run::fatagent(self.folder.path(), arguments);
        command.env("HOME", self.folder.path().join("home"));
        Run::of(command, LIMIT)
    }

    /// Builds the extension from its sources.
    pub(crate) fn compile(&self) -> Run {
        self.fatagent(&["extension", "build", "--compile"])
    }

    /// Builds the extension from what is compiled.
    pub(crate) fn build(&self) -> Run {
        self.fatagent(&["extension", "build"])
    }

    /// Compiles the sources into a folder, as a build tool does; classes of packages below `org` are those of others.
    pub(crate) fn compile_into(&self, folder: &str) {
        self.compile().ok();
        let names = entries(&self.zip());
        let is_jar = |name: &&String| Path::new(name).extension().is_some_and(|extension| extension == "jar");
        for jar in names.iter().filter(is_jar) {
            let jar = self.path("target/extension").join(jar);
            let own =
                |name: &&String| !name.starts_with("META-INF/") && !name.starts_with("org/") && !name.ends_with('/');
            for name in entries(&jar).iter().filter(own) {
                self.write(&format!("{folder}/{name}"), fixtures::read_entry(&jar, name).unwrap());
            }
        }
        fs_err::remove_dir_all(self.path("target/extension")).unwrap();
    }

    pub(crate) fn zip(&self) -> PathBuf {
        self.path("target/extension/acme-metrics-1.2.0-extension.zip")
    }

    pub(crate) fn api(&self) -> PathBuf {
        self.path("target/extension/acme-metrics-1.2.0-api.jar")
    }

    pub(crate) fn implementation(&self) -> PathBuf {
        self.path("target/extension/acme-metrics-1.2.0-impl.jar")
    }
}

/// Names of the files in an archive.
pub(crate) fn entries(path: &Path) -> Vec<String> {
    fixtures::entry_names(path).unwrap()
}

/// A text file in an archive.
pub(crate) fn text(path: &Path, name: &str) -> String {
    String::from_utf8(fixtures::read_entry(path, name).unwrap()).unwrap()
}

/// The main attributes of a jar, with long lines joined.
pub(crate) fn manifest(path: &Path) -> Vec<String> {
    let text = text(path, "META-INF/MANIFEST.MF").replace("\r\n ", "");
    text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect()
}
