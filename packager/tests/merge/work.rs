//! A folder with jars to merge, and JVMs to look at the result.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fixtures::Jar;
use tempfile::TempDir;

use crate::run::{self, Run};

/// Java 8 class files, as libraries have them.
pub(crate) const RELEASE_8: [&str; 3] = ["--release", "8", "-Xlint:-options"];

/// How long one program may run.
const LIMIT: Duration = Duration::from_mins(2);

/// A folder.
pub(crate) struct Work {
    folder: TempDir,
}

impl Work {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a jar.
    pub(crate) fn jar(&self, name: &str, jar: &Jar) {
        jar.write(&self.path(name)).unwrap();
    }

    /// Compiles sources and returns the bytes of the class file at `class`.
    pub(crate) fn class(&self, sources: &[(&str, &str)], options: &[&str], class: &str) -> Vec<u8> {
        let out = tempfile::tempdir_in(self.folder.path()).unwrap();
        fixtures::javac(sources, options, out.path()).unwrap();
        fs_err::read(out.path().join(class)).unwrap()
    }

    /// Runs `fatagent` in the folder.
    pub(crate) fn fatagent(&self, arguments: &[&str]) -> Run {
        self.fatagent_with(arguments, &[])
    }

    /// As [`Work::fatagent`], with environment variables.
    pub(crate) fn fatagent_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
        let mut command = run::fatagent(self.folder.path(), arguments);
        command.envs(environment.iter().copied());
        Run::of(command, LIMIT)
    }

    /// Merges into `out.jar`, which must succeed, and returns stderr.
    #[track_caller]
    pub(crate) fn merge(&self, arguments: &[&str]) -> String {
        let run = self.fatagent(&[&["merge", "-o", "out.jar"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "out.jar\n"), "{}", run.stderr);
        run.stderr
    }

    /// Merges into `out.jar`, which must fail and leave nothing, and returns stderr.
    #[track_caller]
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let before = self.listing();
        let run = self.fatagent(&[&["merge", "-o", "out.jar"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
        assert_eq!(self.listing(), before, "files were left behind");
        run.stderr
    }

    fn listing(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            walkdir::WalkDir::new(self.folder.path()).into_iter().map(|entry| entry.unwrap().into_path()).collect();
        paths.sort();
        paths
    }

    /// The names of all entries of `out.jar`.
    pub(crate) fn names(&self) -> Vec<String> {
        fixtures::entry_names(&self.path("out.jar")).unwrap()
    }

    /// An entry of `out.jar`.
    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fixtures::read_entry(&self.path("out.jar"), name).unwrap()
    }

    /// A text of `out.jar`.
    #[track_caller]
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Runs a program with `arguments` in the folder; it must succeed. Returns stdout.
    #[track_caller]
    pub(crate) fn program(&self, program: &Path, arguments: &[&str]) -> String {
        let output =
            fixtures::run(Command::new(program).current_dir(self.folder.path()).args(arguments), LIMIT).unwrap();
        assert!(output.status.success(), "{} {arguments:?}\n{}", program.display(), output.both());
        output.stdout
    }

    /// Runs `java` of each JDK since 9 with `arguments`; all of them must print `expected`.
    #[track_caller]
    pub(crate) fn java(&self, arguments: &[&str], expected: &str) {
        let homes = fixtures::java_homes();
        let homes: Vec<_> = homes.iter().filter(|home| home.feature >= 9).collect();
        assert!(!homes.is_empty(), "no JDK of 9 or newer: install one and put `java` on the PATH");
        for home in homes {
            let all = [&["-Xverify:all", "-Xshare:auto"], arguments].concat();
            assert_eq!(self.program(&home.tool("java").unwrap(), &all), expected, "on {}", home.feature);
        }
    }
}
