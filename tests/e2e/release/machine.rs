//! A computer with nothing on it but a JDK and Maven.

use std::env;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::harness::{Test, missing, step};

/// What the scripts that start Maven and Gradle call.
const OF_SCRIPTS: [&str; 9] = ["sh", "bash", "uname", "dirname", "basename", "expr", "ls", "cat", "readlink"];

/// How long unpacking and the like may take.
const LIMIT: Duration = Duration::from_mins(2);

/// Folders of a test that stand for a computer.
pub(crate) struct Machine {
    /// Where the tarball was unpacked.
    pub(crate) release: PathBuf,
    home: PathBuf,
    path: PathBuf,
    java_home: PathBuf,
}

impl Machine {
    /// Unpacks the tarball, whose checksums are right, beside an empty home folder.
    #[track_caller]
    pub(crate) fn new(test: &Test) -> Self {
        step("unpacking the release");
        let Some(tarball) = env::var_os("FATAGENT_RELEASE").map(PathBuf::from) else {
            panic!("`FATAGENT_RELEASE` names the tarball: run `cargo xtask e2e release`")
        };
        let beside = tarball.parent().expect("a folder");
        let name = tarball.file_name().expect("a name").to_str().expect("UTF-8");
        run(Command::new("sha256sum").current_dir(beside).args(["--check", "--strict", &format!("{name}.sha256")]));
        run(Command::new("tar").arg("-xzf").arg(&tarball).arg("-C").arg(test.folder()));
        let release = test.folder().join(name.strip_suffix(".tar.gz").expect("a tarball"));
        run(Command::new("sha256sum").current_dir(&release).args(["--check", "--strict", "--quiet", "SHA256SUMS"]));
        let (home, path) = (test.folder().join("home"), test.folder().join("path"));
        let java_home = fixtures::compiler_home().expect("a JDK with a compiler").path;
        fs_err::create_dir_all(&home).expect("a folder");
        fs_err::create_dir_all(&path).expect("a folder");
        for tool in ["java", "javac", "jar", "jcmd"] {
            symlink(java_home.join("bin").join(tool), path.join(tool)).expect("a link");
        }
        Self { release, home, path, java_home }
    }

    /// A program of the release by its name, or one of the few that are there.
    pub(crate) fn command(&self, program: &str) -> Command {
        let own = self.release.join("bin").join(program);
        let mut command = Command::new(if own.exists() { own } else { self.path.join(program) });
        command.env_clear().env("PATH", &self.path).env("HOME", &self.home).env("LC_ALL", "C.UTF-8");
        command
    }

    /// Whether no program of this name is found.
    pub(crate) fn lacks(&self, program: &str) -> bool {
        Command::new(program).env_clear().env("PATH", &self.path).arg("--version").output().is_err()
    }

    /// Puts Maven on the computer.
    #[track_caller]
    pub(crate) fn with_maven(&self) -> &Self {
        match find("mvn") {
            Some(file) => symlink(file, self.path.join("mvn")).expect("a link"),
            None => missing("Maven", "apt-get install -y maven"),
        }
        self.with_shell()
    }

    /// Puts what scripts call on the computer.
    pub(crate) fn with_shell(&self) -> &Self {
        for (tool, file) in OF_SCRIPTS.iter().filter_map(|tool| Some((tool, find(tool)?))) {
            symlink(file, self.path.join(tool)).expect("a link");
        }
        self
    }

    /// Gradle of this home.
    pub(crate) fn gradle(&self, home: &Path, folder: &Path) -> Command {
        let mut command = Command::new(home.join("bin/gradle"));
        command.env_clear().env("PATH", &self.path).env("HOME", &self.home).env("LC_ALL", "C.UTF-8");
        // As Maven, it takes the home folder from the JVM.
        let user = format!("-Duser.home={} -Dfile.encoding=UTF-8", self.home.display());
        command.current_dir(folder).env("JAVA_HOME", &self.java_home).env("GRADLE_OPTS", user);
        command
    }

    /// Maven itself, which asks its own script for the JDK.
    pub(crate) fn maven(&self, folder: &Path) -> Command {
        let mut command = self.command("mvn");
        // It takes the home folder from the JVM, which asks the system and not the variable.
        let home = format!("-Duser.home={}", self.home.display());
        command.current_dir(folder).env("JAVA_HOME", &self.java_home).env("MAVEN_OPTS", home).args(["-q", "-B"]);
        command
    }

    /// The local repository of Maven.
    pub(crate) fn repository(&self) -> PathBuf {
        self.home.join(".m2/repository")
    }
}

#[track_caller]
fn run(command: &mut Command) {
    let output = fixtures::run(command, LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert!(output.status.success(), "{}", output.both());
}

/// A program of the computer that runs the tests.
fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
