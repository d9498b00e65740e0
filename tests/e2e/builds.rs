//! What comes out of `fatagent build`, whoever runs it and wherever.

use crate::harness::{Test, e2e_test, each_jdk, fatagent};
use crate::product::{agent, app, expected_lines, project, rounds};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

/// Builds the shared project in a folder of this name, in an environment of its own.
fn build_in(test: &Test, folder: &str, zone: &str, umask: libc::mode_t, threads: &str) -> PathBuf {
    let folder = test.folder().join(folder);
    fs_err::create_dir_all(&folder).expect("a folder");
    project().write(&folder);
    let mut command = fatagent();
    command.args(["build", "--file", "agent.toml"]).current_dir(&folder);
    command.env("TZ", zone).env("RAYON_NUM_THREADS", threads).env("HOME", &folder);
    // SAFETY: `umask` is async-signal-safe and changes the child only.
    unsafe {
        command.pre_exec(move || {
            libc::umask(umask);
            Ok(())
        });
    }
    let output = test.run(&mut command).expect_code(0);
    let jar = folder.join("order-agent.jar");
    assert_eq!(Path::new(output.stdout.trim_end()).file_name(), jar.file_name(), "{}", output.stdout);
    jar
}

#[test]
fn two_builds_are_byte_identical() {
    e2e_test("reproducible", |test| {
        let first = build_in(test, "one", "UTC", 0o022, "1");
        let second = build_in(test, "a longer folder é/two", "Pacific/Kiritimati", 0o077, "4");
        let (a, b) = (fs_err::read(&first).expect("a jar"), fs_err::read(&second).expect("a jar"));
        assert_eq!(a.len(), b.len());
        assert!(a == b, "the jars differ");
        let mode = |p: &Path| {
            use std::os::unix::fs::PermissionsExt as _;
            fs_err::metadata(p).expect("metadata").permissions().mode() & 0o777
        };
        assert_eq!((mode(&first), mode(&second)), (0o644, 0o644));
        assert!(!String::from_utf8_lossy(&a).contains(test.folder().to_str().expect("UTF-8")), "a path leaked");
    });
}

#[test]
fn inspect_and_verify_know_the_jar() {
    e2e_test("inspect", |test| {
        let jar = agent().jar;
        let text = test.run(fatagent().arg("inspect").arg(&jar)).expect_code(0).stdout;
        for part in ["counter", "stats", "trace.OrderTrace", "x86_64", "glibc", "FILE_READ", "io.btrace.boot.Loader"] {
            assert!(text.contains(part), "`{part}` in:\n{text}");
        }
        let json = test.run(fatagent().args(["inspect", "--message-format", "json"]).arg(&jar)).expect_code(0).stdout;
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value["version"], 1, "{json}");
        test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
    });
}

/// Every file entry matters: without any one of them, `verify` says so, or the run fails.
#[test]
fn no_entry_can_be_missing_unnoticed() {
    e2e_test("missing entries", |test| {
        let jar = agent().jar;
        let names: Vec<String> =
            fixtures::entry_names(&jar).expect("entries").into_iter().filter(|n| !n.ends_with('/')).collect();
        assert!(names.len() > 50, "{names:?}");
        let broken = test.folder().join("order-agent.jar");
        let mut unnoticed = Vec::new();
        for name in &names {
            without(&jar, name, &broken);
            let output = test.run(fatagent().arg("verify").arg(&broken));
            if output.code == Some(0) {
                unnoticed.push(name);
            } else {
                assert_eq!(output.code, Some(1), "`verify` without {name}: {}", output.stderr);
                assert!(output.stderr.contains("error:"), "`verify` without {name}: {}", output.stderr);
            }
        }
        assert!(unnoticed.is_empty(), "unnoticed: {unnoticed:?}");
    });
}

/// A copy of a jar without one entry; the others keep their bytes.
fn without(jar: &Path, name: &str, to: &Path) {
    let mut from = zip::ZipArchive::new(fs_err::File::open(jar).expect("a jar")).expect("a zip");
    let mut out = zip::ZipWriter::new(fs_err::File::create(to).expect("a file"));
    for i in 0..from.len() {
        let entry = from.by_index_raw(i).expect("an entry");
        if entry.name().expect("a name") != name {
            out.raw_copy_file(entry).expect("a copy");
        }
    }
    out.finish().expect("a zip");
}

/// A jar of ours is a base like the built-in one, and a bare one is enough.
#[test]
fn a_bare_jar_of_ours_is_a_base() {
    each_jdk("file base", |test, jdk| {
        let bare = crate::harness::AgentProject::new("bare", "[agent]\nname = \"bare\"\nversion = \"1\"\n").build();
        let toml = fs_err::read_to_string(agent().folder.join("agent.toml"))
            .expect("agent.toml")
            .replace("version = \"1.2.3\"", "version = \"1.2.3\"\nbase = { file = \"bare.jar\" }");
        let built = project()
            .clone()
            .file("agent.toml", toml)
            .file("bare.jar", fs_err::read(&bare.jar).expect("a jar"))
            .build();
        assert!(
            fs_err::read(&built.jar).expect("a jar") == fs_err::read(agent().jar).expect("a jar"),
            "the same agent whichever way the base comes in"
        );
        let file = test.folder().join("out.txt");
        let option =
            format!("-javaagent:{}=probes=OrderTrace,scriptOutputFile={}", built.jar.display(), file.display());
        let target = app(test, jdk).jvm_option(option).launch();
        rounds(&target, &["x"]);
        crate::product::expect_file(test, &file, &expected_lines("x", 101));
        crate::product::expect_undisturbed(&target, &["x"]);
    });
}

/// `[package.metadata.fatagent]` in a Cargo.toml says the same as an agent.toml.
#[test]
fn a_cargo_manifest_can_hold_the_description() {
    e2e_test("cargo metadata", |test| {
        let folder = test.folder().join("crate");
        fs_err::create_dir_all(folder.join("src")).expect("a folder");
        fs_err::write(folder.join("src/lib.rs"), "").expect("a file");
        let cargo = "[package]\nname = \"cargo-agent\"\nversion = \"0.3.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
                     [package.metadata.fatagent.args]\ndebug = \"false\"\n";
        fs_err::write(folder.join("Cargo.toml"), cargo).expect("a file");
        let output = test.run(fatagent().arg("build").current_dir(&folder)).expect_code(0);
        let jar = folder.join("cargo-agent.jar");
        assert!(jar.is_file(), "{}", output.stderr);
        let manifest = fixtures::read_entry(&jar, "META-INF/MANIFEST.MF").expect("a manifest");
        assert!(String::from_utf8_lossy(&manifest).contains("Implementation-Version: 0.3.0"));
        let arguments = fixtures::read_entry(&jar, "META-INF/btrace/agent.properties").expect("arguments");
        assert_eq!(String::from_utf8_lossy(&arguments), "debug=false\n");
    });
}

/// Settings, a policy and limits that nothing exceeds leave the start as it is.
#[test]
fn embedded_defaults_do_not_change_the_start() {
    each_jdk("defaults", |test, jdk| {
        let folder = test.folder().join("project");
        fs_err::create_dir_all(&folder).expect("a folder");
        project().write(&folder);
        let toml = fs_err::read_to_string(folder.join("agent.toml")).expect("a description");
        let more =
            "[config]\ncounter.first = 1\n[policy]\nsealed = true\ngrant = [\"NETWORK\"]\n[limits]\nmaxMethods = 10\n";
        fs_err::write(folder.join("agent.toml"), toml + more).expect("a file");
        let built = test.run(fatagent().arg("build").current_dir(&folder)).expect_code(0);
        assert!(!built.stderr.contains("denies extension"), "{}", built.stderr);
        let jar = folder.join("order-agent.jar");
        test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
        let file = test.folder().join("out.txt");
        let option = format!("-javaagent:{}=probes=OrderTrace,scriptOutputFile={}", jar.display(), file.display());
        let target = app(test, jdk).jvm_option(option).launch();
        rounds(&target, &["x"]);
        crate::product::expect_file(test, &file, &expected_lines("x", 101));
        let stderr = crate::product::expect_undisturbed(&target, &["x"]);
        assert!(!stderr.contains("maxMethods"), "{stderr}");
    });
}

/// The limits that the jar carries hold where the arguments name none, and those of the arguments come first.
#[test]
fn embedded_limits_hold_until_arguments_say_otherwise() {
    each_jdk("embedded limits", |test, jdk| {
        let limited =
            project().clone().file("agent.toml", format!("{}[limits]\nmaxMethods = 2\n", crate::product::TOML));
        let jar = limited.build().jar;
        let file = test.folder().join("out.txt");
        for (more, lines) in [("", 0), (",maxMethods=4", 1)] {
            let option =
                format!("-javaagent:{}=probes=OrderTrace,scriptOutputFile={}{more}", jar.display(), file.display());
            let target = app(test, jdk).jvm_option(option).launch();
            rounds(&target, &["x"]);
            let stderr = crate::product::expect_undisturbed(&target, &["x"]);
            assert_eq!(stderr.contains("probe trace.OrderTrace has reached maxMethods=2"), lines == 0, "{stderr}");
            let written = fs_err::read_to_string(&file).unwrap_or_default();
            assert_eq!(usize::from(!written.is_empty()), lines, "{written}");
        }
    });
}

/// Signing the finished jar adds files and sections; it is still the agent that was built.
#[test]
fn case_22_a_jar_signed_afterwards_verifies_and_starts() {
    each_jdk("signed", |test, jdk| {
        let Some(javac) = jdk.javac() else { return };
        let tool = |name: &str| std::process::Command::new(javac.with_file_name(name));
        let store = test.folder().join("keys.p12");
        let key = ["-alias", "a", "-storepass", "changeit", "-keystore"];
        let names = ["-genkeypair", "-keyalg", "RSA", "-dname", "CN=x"];
        test.run(tool("keytool").args(names).args(key).arg(&store)).expect_code(0);
        let jar = test.folder().join("order-agent.jar");
        fs_err::copy(agent().jar, &jar).expect("a copy");
        let sign = ["-storepass", "changeit", "-keystore"];
        test.run(tool("jarsigner").args(sign).arg(&store).arg(&jar).arg("a")).expect_code(0);
        let check = test.run(tool("jarsigner").arg("-verify").arg(&jar)).expect_code(0);
        assert!(check.stdout.contains("jar verified"), "{}", check.stdout);
        test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
        let file = test.folder().join("out.txt");
        let option = format!("-javaagent:{}=probes=OrderTrace,scriptOutputFile={}", jar.display(), file.display());
        let target = app(test, jdk).jvm_option(option).launch();
        rounds(&target, &["x"]);
        crate::product::expect_file(test, &file, &expected_lines("x", 101));
        crate::product::expect_undisturbed(&target, &["x"]);
    });
}
