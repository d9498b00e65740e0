//! `cargo fatagent` on workspaces, with the real cargo.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::harness::{Output, Test, e2e_test, each_jdk, fatagent, process_folder, scrub, step};
use crate::product::{app, compile, expect_file, expect_undisturbed, rounds};

const MEMBERS: &str = "[workspace]\nresolver = \"2\"\nmembers = [\"agent\", \"plain\", \"ext/*\"]\n";

const AGENT: &str = r#"[package]
name = "shop-agent"
version = "1.2.0"
edition = "2021"

[package.metadata.fatagent.probes]
include = ["probes/**/*.class"]

[package.metadata.fatagent.discover]
default = ["tally"]

[package.metadata.fatagent.policy]
allowPrivileged = true

[[package.metadata.fatagent.extension]]
path = "../ext/numbers"
"#;

const NUMBERS: &str = r#"[package]
name = "numbers-extension"
version = "0.3.0"
edition = "2021"

[lib]
name = "numbers"
crate-type = ["cdylib", "rlib"]

[features]
loud = []

[package.metadata.fatagent.extension]
id = "numbers"

[package.metadata.fatagent.extension.permissions]
NATIVE = "counts in Rust"
"#;

/// Says by its number how it was built.
const NUMBERS_LIBRARY: &str = r#"
#[no_mangle]
pub extern "system" fn Java_numbers_impl_Native_answer(_env: *mut (), _class: *mut (), number: i32) -> i32 {
    number + if cfg!(debug_assertions) { 1000 } else { 2000 } + if cfg!(feature = "loud") { 100 } else { 0 }
}
"#;

const SERVICE: &str = "package numbers;
/** Numbers. */
@io.btrace.core.extensions.ServiceDescriptor
public interface Numbers { int of(int number); }
";

const PROVIDER: &str = r#"package numbers.impl;
public final class Native implements numbers.Numbers {
    static { System.loadLibrary("numbers"); }
    public int of(int number) { return answer(number); }
    private static native int answer(int number);
}
"#;

const TALLY_MANIFEST: &str = "[package]\nname = \"tally-extension\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const TALLY_TOML: &str = "id = \"tally\"\nversion = \"2.0.0\"\n";
const TALLY: &str = "package tally;
/** Counts. */
@io.btrace.core.extensions.ServiceDescriptor
public interface Tally { int next(); }
";
const TALLY_IMPL: &str = "package tally;
public final class TallyImpl implements Tally { private int n; public synchronized int next() { return ++n; } }
";

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Placed {
    @Injected private static numbers.Numbers numbers;
    @Injected private static tally.Tally tally;
    @OnMethod(clazz = "app.Orders", method = "place", location = @Location(Kind.RETURN))
    public static void placed(@Return long result) { println(tally.next() + " " + numbers.of((int) result)); }
}
"#;

const PLAIN: &str = "[package]\nname = \"plain\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

/// Writes the workspace: an agent, an extension in Java and Rust, another one in Java, and a package that describes nothing.
fn write(root: &Path) {
    for (path, text) in [
        ("Cargo.toml", MEMBERS),
        ("agent/Cargo.toml", AGENT),
        ("agent/src/lib.rs", ""),
        ("plain/Cargo.toml", PLAIN),
        ("plain/src/lib.rs", ""),
        ("ext/numbers/Cargo.toml", NUMBERS),
        ("ext/numbers/src/lib.rs", NUMBERS_LIBRARY),
        ("ext/numbers/src/main/java/numbers/Numbers.java", SERVICE),
        ("ext/numbers/src/main/java/numbers/impl/Native.java", PROVIDER),
        ("ext/numbers/src/main/resources/META-INF/services/numbers.Numbers", "numbers.impl.Native\n"),
        ("ext/tally/Cargo.toml", TALLY_MANIFEST),
        ("ext/tally/src/lib.rs", ""),
        ("ext/tally/extension.toml", TALLY_TOML),
        ("ext/tally/src/main/java/tally/Tally.java", TALLY),
        ("ext/tally/src/main/java/tally/TallyImpl.java", TALLY_IMPL),
    ] {
        let file = root.join(path);
        fs_err::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs_err::write(file, text).expect("a file");
    }
    let api = tempfile::tempdir_in(root).expect("a folder");
    let stubs = [("numbers/Numbers.java", SERVICE), ("tally/Tally.java", TALLY), ("trace/Placed.java", PROBE)];
    compile(&stubs, &[], api.path());
    fs_err::create_dir_all(root.join("agent/probes/trace")).expect("a folder");
    let class = "trace/Placed.class";
    fs_err::copy(api.path().join(class), root.join("agent/probes").join(class)).expect("a probe");
}

/// A copy of the workspace for one test.
fn workspace(test: &Test) -> PathBuf {
    let root = test.folder().join("a b é");
    write(&root);
    root
}

/// `cargo fatagent …`, as somebody who has it in the path types it.
fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let own = Path::new(env!("CARGO_BIN_EXE_cargo-fatagent")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own.to_owned()).chain(std::env::split_paths(&path)));
    let mut command = Command::new("cargo");
    scrub(&mut command);
    alone(&mut command);
    command.current_dir(folder).env("PATH", path.expect("a path")).arg("fatagent").args(arguments);
    command
}

/// Takes away what the cargo that runs this test has set.
fn alone(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO") && text != "CARGO_HOME" || text.starts_with("RUSTC") || text == "RUSTFLAGS" {
            command.env_remove(&name);
        }
    }
    command.env("CARGO_NET_OFFLINE", "true");
    command.env("JAVA_HOME", fixtures::compiler_home().expect("a JDK").path);
}

/// The library of the extension `numbers` in an agent.
fn library(jar: &Path) -> (String, Vec<u8>) {
    let names = fixtures::entry_names(jar).expect("a jar");
    let name = names.into_iter().find(|name| name.ends_with("/libnumbers.so")).expect("a library");
    let bytes = fixtures::read_entry(jar, &name).expect("a library");
    (name, bytes)
}

/// The line of the probe in the first round, with the number that the library adds.
fn line(added: u32) -> Vec<String> {
    vec![format!("1 {}", 30 + added)]
}

/// What all JDKs share: the workspace, built once.
struct Built {
    root: TempDir,
    output: Output,
}

fn built(test: &Test) -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let root = tempfile::Builder::new().prefix("a b é").tempdir_in(process_folder()).expect("a folder");
        write(root.path());
        step("building the workspace");
        let output = test.run(&mut cargo(&root.path().join("plain"), &["build"]));
        Built { root, output }
    })
}

#[test]
fn the_agent_of_a_workspace_runs() {
    each_jdk("cargo workspace", |test, jdk| {
        let Built { root, output } = built(test);
        let jar = root.path().join("target/fatagent/debug/shop-agent.jar");
        assert_eq!((output.code, jar.is_file()), (Some(0), true), "{}", output.stderr);
        assert_eq!(Path::new(output.stdout.trim_end()), jar, "{}", output.stderr);
        let target = format!("linux-{}-gnu", std::env::consts::ARCH);
        let (name, bytes) = library(&jar);
        assert!(name.ends_with(&format!("/META-INF/native/{target}/libnumbers.so")), "{name}");
        assert!(bytes == fs_err::read(root.path().join("target/debug/libnumbers.so")).expect("a library"));
        let file = test.folder().join("out.txt");
        let option = format!("-javaagent:{}=probes=Placed,scriptOutputFile={}", jar.display(), file.display());
        let target = app(test, jdk).jvm_option(option).launch();
        rounds(&target, &["x"]);
        expect_file(test, &file, &line(1000));
        expect_undisturbed(&target, &["x"]);
    });
}

/// Profile, features and target are cargo's to know, and so is where its output lies.
#[test]
fn options_of_cargo_reach_it() {
    e2e_test("cargo options", |test| {
        let root = workspace(test);
        let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        fs_err::create_dir(root.join(".cargo")).expect("a folder");
        fs_err::write(root.join(".cargo/config.toml"), "[build]\ntarget-dir = \"elsewhere é\"\n").expect("a file");
        let options =
            ["build", "-p", "shop-agent", "--release", "--target", &triple, "-F", "loud", "--message-format", "json"];
        let output = test.run(&mut cargo(&root, &options)).expect_code(0);
        let message: serde_json::Value = serde_json::from_str(output.stdout.trim()).expect("JSON");
        let place = "elsewhere é/fatagent/release/shop-agent.jar";
        assert_eq!((&message["reason"], &message["path"]), (&"artifact".into(), &place.into()), "{message}");
        let jar = root.join(place);
        let (_, bytes) = library(&jar);
        let file = root.join("elsewhere é").join(&triple).join("release/libnumbers.so");
        assert!(bytes == fs_err::read(file).expect("a library"));
        assert!(!root.join("target").exists());
        let jdk = crate::harness::jdks().pop().expect("a JDK");
        let file = test.folder().join("out.txt");
        let option = format!("-javaagent:{}=probes=Placed,scriptOutputFile={}", jar.display(), file.display());
        let target = app(test, &jdk).jvm_option(option).launch();
        rounds(&target, &["x"]);
        expect_file(test, &file, &line(2100));
        expect_undisturbed(&target, &["x"]);

        let verified = test.run(&mut cargo(&root.join("agent"), &["verify", "--release"])).expect_code(0);
        assert!(verified.stdout.contains("entries verified"), "{}", verified.stdout);
        let debug = test.run(&mut cargo(&root, &["verify"])).expect_code(1);
        assert!(
            debug.stderr.contains("error: the agent is not built: `elsewhere é/fatagent/debug/shop-agent.jar`\n"),
            "{}",
            debug.stderr
        );
        assert!(debug.stderr.contains("hint: `cargo fatagent build` builds it"), "{}", debug.stderr);
    });
}

/// The zip of an extension is the one that an agent embeds, and `fatagent` without cargo says what it leaves out.
#[test]
fn extensions_are_built_from_their_packages() {
    e2e_test("cargo extensions", |test| {
        let root = workspace(test);
        let output = test.run(&mut cargo(&root, &["extension", "build", "--workspace"])).expect_code(0);
        let zips: Vec<&str> = output.stdout.lines().collect();
        let folder = "target/fatagent/debug";
        let expected = [format!("{folder}/numbers-0.3.0-extension.zip"), format!("{folder}/tally-2.0.0-extension.zip")];
        assert_eq!(zips, expected, "{}", output.stderr);
        test.run(&mut cargo(&root, &["extension", "lint", "-p", "numbers-extension"])).expect_code(0);

        let from_projects = root.join("one.jar");
        test.run(cargo(&root, &["build", "-o"]).arg(&from_projects)).expect_code(0);
        let agent = AGENT.replace("path = \"../ext/numbers\"", &format!("file = \"../{}\"", expected[0]));
        fs_err::write(root.join("agent/Cargo.toml"), agent).expect("a file");
        fs_err::create_dir(root.join("two")).expect("a folder");
        let from_zip = root.join("two/one.jar");
        test.run(cargo(&root, &["build", "-o"]).arg(&from_zip)).expect_code(0);
        assert!(fs_err::read(&from_projects).expect("a jar") == fs_err::read(&from_zip).expect("a jar"));

        let without = fatagent()
            .args(["extension", "build", "--compile", "ext/numbers", "-o", "out"])
            .current_dir(&root)
            .env("JAVA_HOME", fixtures::compiler_home().expect("a JDK").path)
            .output();
        let without = String::from_utf8(without.expect("fatagent").stderr).expect("UTF-8");
        assert!(without.contains("the package's own library `numbers` is not in the extension"), "{without}");
    });
}

/// Runs `cargo fatagent`, which must fail with these lines, and returns stderr.
#[track_caller]
fn refused(test: &Test, folder: &Path, arguments: &[&str], lines: &[&str]) -> String {
    let output = test.run(&mut cargo(folder, arguments));
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{}", output.stderr);
    for line in lines {
        assert!(output.stderr.contains(line), "no {line:?} in\n{}", output.stderr);
    }
    output.stderr
}

#[test]
fn what_is_not_there_is_named() {
    e2e_test("cargo selection", |test| {
        let root = workspace(test);
        let build = |package| ["build", "-p", package];
        for (arguments, lines) in [
            (
                build("shop-agnet"),
                ["error: no package of this name in the workspace at `", "hint: did you mean `shop-agent`?"],
            ),
            (
                build("plain"),
                [
                    "error: plain/Cargo.toml: the package describes no agent",
                    "hint: add `[package.metadata.fatagent]` to its manifest",
                ],
            ),
            (
                build("tally-extension"),
                [
                    "error: ext/tally/Cargo.toml: the package describes no agent",
                    "hint: it describes an extension: `cargo fatagent extension build -p tally-extension` builds it",
                ],
            ),
        ] {
            refused(test, &root, &arguments, &lines);
        }
        let lines = [
            "error: more than one package describes an extension in the workspace at `",
            "`: `numbers-extension`, `tally-extension`",
            "hint: name one of them: `-p numbers-extension`",
        ];
        refused(test, &root, &["extension", "build"], &lines);
        refused(test, &root, &["build", "--embed", "talli"], &["talli", "hint: ", "`tally`"]);
        refused(
            test,
            &root,
            &["build", "--manifest-path", "none/Cargo.toml"],
            &["error: file does not exist: `none/Cargo.toml`"],
        );
        // Not below a folder of somebody's own workspace.
        let nowhere = tempfile::tempdir().expect("a folder");
        refused(
            test,
            nowhere.path(),
            &["build"],
            &["error: cannot read the Cargo package at `Cargo.toml`", "could not find `Cargo.toml`"],
        );

        fs_err::write(root.join("plain/Cargo.toml"), format!("{PLAIN}[package.metadata.fatagent]\n")).expect("a file");
        refused(
            test,
            &root,
            &["build"],
            &["error: more than one package describes an agent in", "hint: name one of them: `-p shop-agent`"],
        );
        // The nearest one is meant.
        test.run(&mut cargo(&root.join("plain/src"), &["build"])).expect_code(0);
        assert!(root.join("target/fatagent/debug/plain.jar").is_file());
        assert!(root.join("target/CACHEDIR.TAG").is_file());
        fs_err::write(root.join("plain/Cargo.toml"), PLAIN).expect("a file");
        fs_err::write(root.join("agent/Cargo.toml"), AGENT.split("\n[package.metadata").next().expect("a text"))
            .expect("a file");
        refused(test, &root, &["build"], &["error: no package describes an agent in the workspace at: `"]);

        let typo = AGENT.replace("metadata.fatagent.probes", "metadata.fatagent.probs");
        fs_err::write(root.join("agent/Cargo.toml"), typo).expect("a file");
        let line = "error: agent/Cargo.toml:6:28: unknown key in `[package.metadata.fatagent]`: `probs`";
        refused(test, &root, &["build"], &[line, "hint: did you mean `probes`?"]);
        assert!(!root.join("target/fatagent/debug/shop-agent.jar").exists());
    });
}

/// What the compiler says is shown as it is, and no jar is touched.
#[test]
fn a_library_that_does_not_compile_stops_the_build() {
    e2e_test("cargo failure", |test| {
        let root = workspace(test);
        fs_err::write(root.join("ext/numbers/src/lib.rs"), "pub fn broken() -> u8 { \"no number\" }\n")
            .expect("a file");
        let jar = root.join("target/fatagent/debug/shop-agent.jar");
        fs_err::create_dir_all(jar.parent().expect("a folder")).expect("a folder");
        fs_err::write(&jar, "old").expect("a file");
        let lines = [
            "error[E0308]: mismatched types",
            "ext/numbers/src/lib.rs:1:",
            "error: cargo could not build `numbers-extension`: exit status: 101",
            "hint: what cargo wrote stands above",
        ];
        refused(test, &root, &["build"], &lines);
        assert_eq!(fs_err::read(&jar).expect("a file"), b"old");
        let output =
            test.run(&mut cargo(&root, &["extension", "build", "-p", "numbers-extension", "--message-format=json"]));
        let message: serde_json::Value = serde_json::from_str(output.stdout.trim()).expect("JSON");
        assert_eq!((output.code, &message["reason"]), (Some(1), &"error".into()), "{message}");
        assert_eq!(message["message"], "cargo could not build `numbers-extension`: exit status: 101");
        // Cargo's own answer to a feature that nobody has.
        refused(test, &root, &["build", "-F", "none"], &["numbers-extension", "none", "error: cargo could not build"]);
    });
}

/// Called by its own name, and with a wrong word.
#[test]
fn the_program_is_called_by_cargo_or_alone() {
    e2e_test("cargo subcommand", |test| {
        let mut own = Command::new(env!("CARGO_BIN_EXE_cargo-fatagent"));
        let version = test.run(own.arg("--version")).expect_code(0).stdout;
        assert_eq!(test.run(&mut cargo(test.folder(), &["--version"])).expect_code(0).stdout, version);
        let help = test.run(&mut cargo(test.folder(), &["build", "--help"])).expect_code(0).stdout;
        assert!(help.contains("Usage: cargo fatagent build [OPTIONS]"), "{help}");
        let wrong = test.run(&mut cargo(test.folder(), &["biuld"])).expect_code(2);
        assert!(wrong.stderr.contains("error: unrecognized subcommand 'biuld'"), "{}", wrong.stderr);
    });
}
