//! Where the native core is put, and what happens where it cannot be.

use crate::harness::{Jdk, Target, Test, each_jdk};
use crate::product::{agent, app, expect_file, expect_undisturbed, expected_lines, library, rounds};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

const QUIET: &str = "-Dbtrace.agent.suppressDeprecation=true";

struct Folders {
    home: PathBuf,
    temp: PathBuf,
}

fn folders(test: &Test) -> Folders {
    let made = |name: &str| {
        let folder = test.folder().join(name);
        fs_err::create_dir_all(&folder).expect("a folder");
        folder
    };
    Folders { home: made("home"), temp: made("temp") }
}

fn launch(test: &Test, jdk: &Jdk, folders: &Folders, options: &[String], file: &Path) -> Target {
    let builder = app(test, jdk)
        .jvm_option(QUIET)
        .jvm_option(format!("-Duser.home={}", folders.home.display()))
        .jvm_option(format!("-Djava.io.tmpdir={}", folders.temp.display()))
        .jvm_option(format!(
            "-javaagent:{}=probes=OrderTrace,scriptOutputFile={}",
            agent().jar.display(),
            file.display()
        ));
    options.iter().fold(builder, super::harness::Builder::jvm_option).launch()
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs_err::read_dir(folder)
        .map(|d| d.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn the_cache_is_private_named_by_hash_and_used_again() {
    each_jdk("native cache", |test, jdk| {
        let folders = folders(test);
        let cache = folders.home.join(".btrace/native");
        let mut inode = None;
        for round in ["a", "b"] {
            let file = test.folder().join(format!("{round}.txt"));
            let target = launch(test, jdk, &folders, &[], &file);
            rounds(&target, &[round]);
            expect_file(test, &file, &expected_lines(round, 101));
            assert_eq!(expect_undisturbed(&target, &[round]), "");
            let names = entries(&cache);
            assert_eq!(names.len(), 1, "{names:?}");
            let cached = cache.join(&names[0]);
            let core = fs_err::read(&cached).expect("the core");
            assert!(core == fs_err::read(library()).expect("the core"));
            assert!(names[0].starts_with("libagent_core-") && names[0].len() == "libagent_core-.so".len() + 64);
            let metadata = fs_err::metadata(&cached).expect("metadata");
            assert_eq!(metadata.permissions().mode() & 0o022, 0, "nobody else can write it");
            let now = std::os::unix::fs::MetadataExt::ino(&metadata);
            assert_eq!(*inode.get_or_insert(now), now, "the second start used the first one's file");
        }
        assert!(entries(&folders.temp).iter().all(|n| !n.starts_with("fatagent")), "nothing was left in temp");
    });
}

#[test]
fn a_truncated_file_in_the_cache_is_replaced() {
    each_jdk("damaged cache", |test, jdk| {
        let folders = folders(test);
        let file = test.folder().join("a.txt");
        let target = launch(test, jdk, &folders, &[], &file);
        expect_undisturbed(&target, &[]);
        let cache = folders.home.join(".btrace/native");
        let cached = cache.join(&entries(&cache)[0]);
        fs_err::write(&cached, b"short").expect("damaged");
        let target = launch(test, jdk, &folders, &[], &file);
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        assert_eq!(expect_undisturbed(&target, &["x"]), "");
        assert!(fs_err::read(&cached).expect("the core") == fs_err::read(library()).expect("the core"));
    });
}

#[test]
fn without_a_home_a_fresh_temp_folder_serves_and_is_gone_afterwards() {
    each_jdk("no home", |test, jdk| {
        let folders = folders(test);
        fs_err::remove_dir_all(&folders.home).expect("removed");
        fs_err::write(&folders.home, "a file where the home should be").expect("a file");
        let file = test.folder().join("a.txt");
        let target = launch(test, jdk, &folders, &[], &file);
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        assert_eq!(expect_undisturbed(&target, &["x"]), "");
        assert!(entries(&folders.temp).iter().all(|n| !n.starts_with("fatagent")), "{:?}", entries(&folders.temp));
    });
}

#[test]
fn the_configured_folder_comes_first() {
    each_jdk("configured folder", |test, jdk| {
        let folders = folders(test);
        let own = test.folder().join("own");
        let file = test.folder().join("a.txt");
        let target = launch(test, jdk, &folders, &[format!("-Dbtrace.native.dir={}", own.display())], &file);
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        assert_eq!(expect_undisturbed(&target, &["x"]), "");
        assert_eq!(entries(&own).len(), 1);
        assert!(entries(&folders.home).is_empty());
    });
}

#[test]
fn with_no_usable_folder_the_agent_is_off_with_one_line() {
    each_jdk("no folder", |test, jdk| {
        let mut folders = folders(test);
        fs_err::remove_dir_all(&folders.home).expect("removed");
        fs_err::write(&folders.home, "not a folder").expect("a file");
        // A folder in which not even root can make one.
        folders.temp = PathBuf::from("/proc");
        let file = test.folder().join("a.txt");
        let target = launch(test, jdk, &folders, &[], &file);
        rounds(&target, &["x"]);
        let stderr = expect_undisturbed(&target, &["x"]);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        for part in [
            "agent is off",
            folders.home.to_str().expect("UTF-8"),
            "/proc is not writable",
            "btrace.native.dir",
            "hint: ",
        ] {
            assert!(stderr.contains(part), "`{part}` in {stderr}");
        }
        assert!(!file.exists());
    });
}

/// Rewrites the agent so that its only cores are those of `targets`.
fn with_cores_of(targets: &[&str], jar: &Path) {
    let agent = agent().jar;
    let mut copy = fixtures::Jar::new();
    let own = fixtures::entry_names(&agent).expect("a jar");
    let core = own.iter().find(|name| name.ends_with("/libagent_core.so")).expect("a core");
    for name in &own {
        if name.ends_with('/') {
            copy = copy.folder(name);
            continue;
        }
        let bytes = fixtures::read_entry(&agent, name).expect("an entry");
        if name == "META-INF/MANIFEST.MF" {
            // As text of one attribute to a line; the manifest's own writer is not what is tested here.
            let text = String::from_utf8(bytes).expect("UTF-8").replace("\r\n ", "");
            let hash =
                text.split_once("BTrace-Native-SHA256: ").expect("the attribute").1.split_once('=').expect("a hash");
            let hash = &hash.1[..64];
            let pairs: Vec<String> = targets.iter().map(|target| format!("{target}={hash}")).collect();
            let line = |line: &str| match line.split_once(": ") {
                Some(("BTrace-Native-SHA256", _)) => wrapped(&format!("BTrace-Native-SHA256: {}", pairs.join(","))),
                _ => wrapped(line),
            };
            copy = copy.manifest(text.split("\r\n").map(line).collect::<Vec<_>>().join("\r\n").as_bytes());
        } else if name == core {
            for target in targets {
                copy = copy.file(&format!("META-INF/btrace/native/{target}/libagent_core.so"), &bytes);
            }
        } else {
            copy = copy.file(name, &bytes);
        }
    }
    copy.write(jar).expect("written");
}

/// A line of a manifest, which has at most 72 bytes.
fn wrapped(line: &str) -> String {
    let (mut rest, mut text) = (line, String::new());
    while rest.len() > 70 {
        text.push_str(&rest[..70]);
        text.push_str("\r\n ");
        rest = &rest[70..];
    }
    text + rest
}

#[test]
fn a_missing_target_is_named_with_those_embedded() {
    each_jdk("missing target", |test, jdk| {
        let folders = folders(test);
        let jar = test.folder().join("order-agent.jar");
        with_cores_of(&["linux-riscv64-gnu", "linux-s390x-gnu"], &jar);
        let file = test.folder().join("a.txt");
        let arguments = format!("{}=probes=OrderTrace,scriptOutputFile={}", jar.display(), file.display());
        let target = app(test, jdk)
            .jvm_option(QUIET)
            .jvm_option(format!("-Duser.home={}", folders.home.display()))
            .jvm_option(format!("-javaagent:{arguments}"))
            .launch();
        rounds(&target, &["x"]);
        let stderr = expect_undisturbed(&target, &["x"]);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        let own = format!("no native core for linux-{}-gnu in ", std::env::consts::ARCH);
        for part in [own.as_str(), "order-agent.jar, which has: linux-riscv64-gnu, linux-s390x-gnu; hint: "] {
            assert!(stderr.contains(part), "`{part}` in {stderr}");
        }
        assert!(!file.exists() && entries(&folders.home).is_empty());
    });
}

#[test]
fn the_libc_of_the_running_jvm_can_be_overridden() {
    each_jdk("other libc", |test, jdk| {
        let folders = folders(test);
        let file = test.folder().join("a.txt");
        let target = launch(test, jdk, &folders, &["-Dbtrace.native.libc=musl".to_owned()], &file);
        let stderr = expect_undisturbed(&target, &[]);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        let arch = std::env::consts::ARCH;
        let named = format!("no native core for linux-{arch}-musl in ");
        assert!(stderr.contains(&named) && stderr.contains(&format!("which has: linux-{arch}-gnu;")), "{stderr}");
    });
}
