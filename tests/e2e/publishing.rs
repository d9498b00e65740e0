//! What Maven and `gpg` make of a repository that `fatagent` has written.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fixtures::ExtensionZip;

use crate::harness::{Output, Test, e2e_test, fatagent, missing, step};

/// How long one program may run, downloads of Maven's own plugin included.
const LIMIT: Duration = Duration::from_mins(3);

/// The extension `greeter`.
fn zip(test: &Test, folder: &str, version: &str) -> PathBuf {
    let folder = test.folder().join(folder);
    fs_err::create_dir_all(&folder).expect("a folder");
    ExtensionZip::new("greeter", version)
        .api("g/Greeter.java", "package g; public interface Greeter { String greet(); }")
        .implementation(
            "g/GreeterImpl.java",
            "package g; public class GreeterImpl implements Greeter { public String greet() { return \"hi\"; } }",
        )
        .attribute("BTrace-Extension-Services", "g.Greeter")
        .attribute("BTrace-Extension-Permissions", "")
        .build(&folder)
        .expect("a zip")
}

/// `fatagent extension publish` of a zip into the folder `repo`.
fn publish(test: &Test, zip: &Path, more: &[&str], environment: &[(&str, &Path)]) -> Output {
    let mut command = fatagent();
    command.current_dir(test.folder()).args(["extension", "publish"]).arg(zip);
    command.args(["--to", "repo", "--group", "com.acme"]).args(more);
    command.envs(environment.iter().copied());
    test.run(&mut command)
}

#[test]
fn maven_resolves_from_the_folder() {
    e2e_test("maven", |test| {
        let release = zip(test, "release", "1.0.0");
        let snapshot = zip(test, "snapshot", "1.1.0-SNAPSHOT");
        for zip in [&release, &snapshot, &snapshot] {
            publish(test, zip, &[], &[]).expect_code(0);
        }
        let local = test.folder().join("local");
        for (artifact, file, source) in [
            (
                "com.acme:greeter:1.0.0:zip:extension",
                "greeter/1.0.0/greeter-1.0.0-extension.zip",
                "release/greeter-1.0.0-extension.zip",
            ),
            ("com.acme:greeter-api:1.0.0", "greeter-api/1.0.0/greeter-api-1.0.0.jar", "release/greeter-1.0.0-api.jar"),
            (
                "com.acme:greeter:1.1.0-SNAPSHOT:zip:extension",
                "greeter/1.1.0-SNAPSHOT/greeter-1.1.0-SNAPSHOT-extension.zip",
                "snapshot/greeter-1.1.0-SNAPSHOT-extension.zip",
            ),
        ] {
            step(format!("Maven looks for `{artifact}`"));
            let mut maven = Command::new("mvn");
            // A checksum that does not fit is an error.
            maven.current_dir(test.folder()).args(["-q", "-B", "--strict-checksums", "dependency:get"]);
            maven.arg(format!("-Dartifact={artifact}"));
            // Neither plugins nor anything else that the user has already.
            maven.arg(format!("-Dmaven.repo.local={}", local.display()));
            let repository = test.folder().join("repo");
            maven.arg(format!("-DremoteRepositories=published::default::file://{}", repository.display()));
            let output = match fixtures::run(&mut maven, LIMIT) {
                Err(fixtures::Error::Start { .. }) => missing("Maven", "apt-get install -y maven"),
                output => output.expect("Maven"),
            };
            assert!(output.status.success(), "{artifact}\n{}", output.both());
            let resolved = fs_err::read(local.join("com/acme").join(file)).expect("the file");
            assert!(resolved == fs_err::read(test.folder().join(source)).expect("the file"), "{artifact}");
        }
    });
}

/// A key ring of its own, whose agent ends with the test.
struct Ring(tempfile::TempDir);

impl Ring {
    fn new() -> Self {
        // Not below the test's folder: paths of sockets are short.
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn gpg(&self, arguments: &[&str]) -> fixtures::Output {
        let mut gpg = Command::new("gpg");
        gpg.env("GNUPGHOME", self.0.path()).args(["--batch", "--no-tty"]).args(arguments);
        match fixtures::run(&mut gpg, LIMIT) {
            Err(fixtures::Error::Start { .. }) => missing("GnuPG", "apt-get install -y gnupg"),
            output => output.expect("gpg"),
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // There may be none.
        let mut end = Command::new("gpgconf");
        let _ = fixtures::run(end.env("GNUPGHOME", self.0.path()).args(["--kill", "gpg-agent"]), LIMIT);
    }
}

#[test]
fn each_file_has_a_signature_that_gpg_accepts() {
    e2e_test("signatures", |test| {
        let ring = Ring::new();
        let key = ["--passphrase", "", "--quick-generate-key", "Test <test@example.org>", "ed25519", "sign", "never"];
        let made = ring.gpg(&key);
        assert!(made.status.success(), "{}", made.both());
        let home = [("GNUPGHOME", ring.0.path())];
        let zip = zip(test, "in", "1.0.0");
        publish(test, &zip, &["--sign", "--key", "test@example.org"], &home).expect_code(0);
        let folder = test.folder().join("repo/com/acme");
        let mut signatures = Vec::new();
        for file in [
            "greeter/1.0.0/greeter-1.0.0-extension.zip",
            "greeter/1.0.0/greeter-1.0.0.pom",
            "greeter-api/1.0.0/greeter-api-1.0.0.jar",
            "greeter-api/1.0.0/greeter-api-1.0.0.pom",
        ] {
            let (file, signature) = (folder.join(file), folder.join(format!("{file}.asc")));
            let verified = ring.gpg(&["--verify", &signature.display().to_string(), &file.display().to_string()]);
            assert!(verified.status.success(), "{}", verified.both());
            assert!(folder.join(format!("{}.sha512", signature.display())).is_file());
            signatures.push((fs_err::read(&signature).expect("a signature"), signature));
        }
        assert!(!folder.join("greeter/maven-metadata.xml.asc").exists());
        // Signatures of the same bytes differ, so those that are there stay.
        publish(test, &zip, &["--sign"], &home).expect_code(0);
        for (bytes, signature) in signatures {
            assert_eq!(fs_err::read(&signature).expect("a signature"), bytes);
        }
        let mut bundle = fatagent();
        bundle.current_dir(test.folder()).args([
            "extension",
            "publish",
            "--bundle",
            "b.zip",
            "--group",
            "com.acme",
            "--sign",
        ]);
        test.run(bundle.arg(&zip).envs(home)).expect_code(0);
        let names = fixtures::entry_names(&test.folder().join("b.zip")).expect("a zip");
        assert_eq!(names.iter().filter(|name| name.contains(".asc")).count(), 4 * 5, "{names:?}");
    });
}

#[test]
fn a_key_that_is_not_there_stops_everything() {
    e2e_test("no key", |test| {
        let ring = Ring::new();
        ring.gpg(&["--version"]);
        let zip = zip(test, "in", "1.0.0");
        let options = ["--sign", "--key", "nobody@example.org"];
        let output = publish(test, &zip, &options, &[("GNUPGHOME", ring.0.path())]).expect_code(1);
        let message = "`gpg` made no signature of `com/acme/greeter/1.0.0/greeter-1.0.0-extension.zip`: ";
        assert!(output.stderr.contains(message) && output.stderr.contains("hint: "), "{}", output.stderr);
        assert_eq!(fs_err::read_dir(test.folder().join("repo")).expect("a folder").count(), 0);
    });
}
