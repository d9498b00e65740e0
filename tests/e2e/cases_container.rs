//! Public bug reports about jars as containers, as far as only a running JVM can tell.

use crate::harness::{AgentProject, Builder, BuiltAgent, Test, e2e_test, each_jdk, fatagent};
use crate::product::{agent, app, expect_undisturbed, rounds};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bootstrap classes of our own agent without extensions at most.
const LEAN_CLASSES: u64 = 130;
/// Its bytes with one core at most.
const LEAN_BYTES: u64 = 2_900_000;

/// Resources in each of the two extensions.
const RESOURCES: usize = 33_000;

/// An agent with many empty entries, split over two extensions.
fn crowded() -> BuiltAgent {
    let folder = tempfile::tempdir().expect("a folder");
    let mut toml = "[agent]\nname = \"crowded-agent\"\nversion = \"1\"\n".to_owned();
    let mut zips = Vec::new();
    for id in ["one", "two"] {
        let mut extension = fixtures::ExtensionZip::new(id, "1.0.0")
            .api(&format!("{id}/Api.java"), &format!("package {id}; public interface Api {{}}"))
            .implementation(
                &format!("{id}/ApiImpl.java"),
                &format!("package {id}; public class ApiImpl implements Api {{}}"),
            )
            .attribute("BTrace-Extension-Services", &format!("{id}.Api"))
            .attribute("BTrace-Extension-Permissions", "");
        for number in 0..RESOURCES {
            extension = extension.resource(&format!("r/{number}"), b"");
        }
        let zip = extension.build(folder.path()).expect("an extension");
        let name = format!("{id}.zip");
        let _ = writeln!(toml, "[[extension]]\nfile = \"{name}\"");
        zips.push((name, fs_err::read(zip).expect("a zip")));
    }
    let project = AgentProject::new("crowded-agent", &toml);
    zips.into_iter().fold(project, |project, (name, bytes)| project.file(&name, bytes)).build()
}

/// Runs the application with the agent, which has no probe for it, and expects it undisturbed.
fn runs_with(builder: Builder, jar: &Path) {
    let target = builder.jvm_option(format!("-javaagent:{}", jar.display())).launch();
    rounds(&target, &["1"]);
    expect_undisturbed(&target, &["1"]);
}

#[test]
fn case_11_an_agent_with_66_000_more_entries_starts() {
    each_jdk("case 11", |test, jdk| {
        let built = crowded();
        let names = fixtures::entry_names(&built.jar).expect("entries");
        assert!(names.len() > 2 * RESOURCES, "{}", names.len());
        let bytes = fs_err::read(&built.jar).expect("a jar");
        assert!(bytes[bytes.len() - 200..].windows(4).any(|window| window == b"PK\x06\x06"), "no zip64 record");
        runs_with(app(test, jdk), &built.jar);
    });
}

/// A copy of the shared agent, signed with a key of the test's own.
fn signed_agent(test: &Test) -> PathBuf {
    let home = fixtures::compiler_home().expect("a JDK");
    let store = test.folder().join("keys.p12");
    let tool = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(home.tool(name).expect("a tool of the JDK"));
        command.args(arguments).arg("-keystore").arg(&store).args(["-storepass", "secret"]);
        command
    };
    let arguments = ["-genkeypair", "-alias", "test", "-keyalg", "EC", "-dname", "CN=test", "-storetype", "PKCS12"];
    test.run(&mut tool("keytool", &arguments)).expect_code(0);
    let jar = test.folder().join("order-agent.jar");
    fs_err::copy(agent().jar, &jar).expect("a copy");
    test.run(tool("jarsigner", &[]).arg(&jar).arg("test")).expect_code(0);
    let output = test.run(tool("jarsigner", &["-verify", "-strict"]).arg(&jar).arg("test"));
    assert!(output.stdout.contains("jar verified"), "{}{}", output.stdout, output.stderr);
    jar
}

#[test]
fn case_22_a_signed_agent_verifies_and_starts() {
    each_jdk("case 22", |test, jdk| {
        let jar = signed_agent(test);
        test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
        runs_with(app(test, jdk), &jar);
    });
}

/// Our own agent stays small: what every JVM with it carries in its bootstrap loader, and what is shipped.
#[test]
fn our_own_agent_is_lean() {
    e2e_test("lean", |test| {
        let built = AgentProject::new("lean-agent", "[agent]\nname = \"lean-agent\"\nversion = \"1\"\n").build();
        let output = test.run(fatagent().args(["inspect", "--message-format", "json"]).arg(&built.jar)).expect_code(0);
        let view: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
        assert_eq!(view["natives"].as_array().expect("cores").len(), 1);
        let classes = view["bootstrap"]["count"].as_u64().expect("a number");
        let bytes = view["size"].as_u64().expect("a number");
        assert!((1..=LEAN_CLASSES).contains(&classes), "{classes} bootstrap classes");
        assert!((1..=LEAN_BYTES).contains(&bytes), "{bytes} bytes");
    });
}
