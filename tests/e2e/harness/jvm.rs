//! The JDKs to test on.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use fixtures::JavaHome;

use super::provision;

/// The Java releases that the product is tested on.
pub(crate) const FEATURES: [u32; 4] = [11, 17, 21, 25];

/// One JDK: at least `java`, `jcmd` and the module `java.instrument`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Jdk {
    /// Its folder.
    pub(crate) home: PathBuf,
    /// Its feature release.
    pub(crate) feature: u32,
}

impl Jdk {
    /// The JDK of this release: one that is installed, else one in the cache, else one that is fetched. A test that
    /// needs a certain release asks for it here and fails where it cannot be had.
    #[track_caller]
    pub(crate) fn of(feature: u32) -> Self {
        static FOUND: Mutex<Vec<Jdk>> = Mutex::new(Vec::new());
        // Held while fetching: another test that wants the same JDK has to wait for it anyway.
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(jdk) = found.iter().find(|jdk| jdk.feature == feature) {
            return jdk.clone();
        }
        let jdk = available(feature).unwrap_or_else(|| match provision(feature) {
            Ok(home) => Self { home, feature },
            Err(why) => panic!("no JDK {feature} is installed, and it cannot be fetched: {why}"),
        });
        found.push(jdk.clone());
        jdk
    }

    /// Some JDK, for tests that only need a JVM.
    #[track_caller]
    pub(crate) fn any() -> Self {
        jdks().swap_remove(0)
    }

    /// The launcher.
    pub(crate) fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// The compiler, which runtimes fetched from a package index lack.
    pub(crate) fn javac(&self) -> Option<PathBuf> {
        let javac = self.home.join("bin/javac");
        javac.is_file().then_some(javac)
    }

    /// The diagnostic command.
    pub(crate) fn jcmd(&self) -> PathBuf {
        self.home.join("bin/jcmd")
    }

    fn recognise(home: &JavaHome) -> Option<Self> {
        let complete = home.tool("jcmd").is_some() && has_instrument(&home.path);
        (complete && FEATURES.contains(&home.feature)).then(|| Self { home: home.path.clone(), feature: home.feature })
    }
}

/// Puts the JDK that compiles first, for programs that start `javac`, `jar` or `java` by name.
pub(crate) fn with_jdk(command: &mut Command) -> &mut Command {
    let bin = fixtures::compiler_home().expect("a JDK with a compiler").path.join("bin");
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [bin].into_iter().chain(env::split_paths(&path));
    command.env("PATH", env::join_paths(folders).expect("folders without colons"))
}

fn has_instrument(home: &Path) -> bool {
    home.join("lib/libinstrument.so").is_file()
}

/// An installed JDK of this release, else one fetched earlier.
fn available(feature: u32) -> Option<Jdk> {
    static INSTALLED: OnceLock<Vec<Jdk>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| fixtures::java_homes().iter().filter_map(Jdk::recognise).collect());
    installed
        .iter()
        .find(|jdk| jdk.feature == feature)
        .cloned()
        .or_else(|| Some(Jdk { home: provision::cached(feature)?, feature }))
}

/// The JDKs that general tests run on, oldest first: exactly those that `FATAGENT_TEST_JDKS` names, else every one
/// that is installed or was fetched before. There is always at least one, fetched if need be.
#[track_caller]
pub(crate) fn jdks() -> Vec<Jdk> {
    if let Some(wanted) = env::var_os("FATAGENT_TEST_JDKS") {
        return parse(&wanted.to_string_lossy()).into_iter().map(Jdk::of).collect();
    }
    let mut jdks: Vec<Jdk> = FEATURES.into_iter().filter_map(available).collect();
    if jdks.is_empty() {
        // The machine has a JDK, but of a release that is not supported for long.
        jdks.push(Jdk::of(17));
    }
    jdks
}

#[track_caller]
fn parse(wanted: &str) -> Vec<u32> {
    let mut features: Vec<u32> = wanted
        .split(',')
        .map(|item| match item.trim().parse() {
            Ok(feature) if FEATURES.contains(&feature) => feature,
            _ => panic!("`FATAGENT_TEST_JDKS` lists some of {FEATURES:?}, not: `{item}`"),
        })
        .collect();
    features.sort_unstable();
    features.dedup();
    features
}

#[test]
fn the_list_of_wanted_jdks_is_read_strictly() {
    assert_eq!(parse("21, 11,21"), [11, 21]);
    for bad in ["", "8", "11,,17", "all"] {
        assert!(std::panic::catch_unwind(|| parse(bad)).is_err(), "{bad}");
    }
}

#[test]
fn each_jdk_is_what_it_says() {
    for jdk in jdks() {
        let recognised = Jdk::recognise(&JavaHome::at(&jdk.home).expect("a Java home"));
        assert_eq!(recognised.map(|again| again.feature), Some(jdk.feature));
        assert!(jdk.java().is_file() && jdk.jcmd().is_file());
    }
}
