//! Into a folder, and into one bundle.

use std::os::unix::fs::PermissionsExt as _;

use fixtures::Jar;

use crate::support::Project;
use crate::work::{EPOCH, Work, tree};

const ZIP: &str = "repo/com/acme/vendor-statsd/1.0.0/vendor-statsd-1.0.0-extension.zip";

#[test]
fn an_extension_is_a_zip_an_api_jar_and_what_belongs_to_them() {
    let work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    Jar::new().file("a.java", b"a").write(&work.path("s.jar")).unwrap();
    Jar::new().file("index.html", b"a").write(&work.path("d.jar")).unwrap();
    let more =
        ["--sources", "s.jar", "--javadoc", "d.jar", "--dependency", "com.acme:base:2", "--license", "Apache-2.0"];
    let run = work.publish(&zip, "repo", &more).ok();
    assert_eq!(
        run.stdout,
        "com.acme:vendor-statsd:1.0.0:extension@zip\ncom.acme:vendor-statsd-api:1.0.0\n\
         com.acme:vendor-statsd-api:1.0.0:sources\ncom.acme:vendor-statsd-api:1.0.0:javadoc\n"
    );
    let files = tree(&work.path("repo/com/acme"));
    let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let mut expected = Vec::new();
    for main in [
        "vendor-statsd/1.0.0/vendor-statsd-1.0.0-extension.zip",
        "vendor-statsd/1.0.0/vendor-statsd-1.0.0.pom",
        "vendor-statsd/maven-metadata.xml",
        "vendor-statsd-api/1.0.0/vendor-statsd-api-1.0.0.jar",
        "vendor-statsd-api/1.0.0/vendor-statsd-api-1.0.0-sources.jar",
        "vendor-statsd-api/1.0.0/vendor-statsd-api-1.0.0-javadoc.jar",
        "vendor-statsd-api/1.0.0/vendor-statsd-api-1.0.0.pom",
        "vendor-statsd-api/maven-metadata.xml",
    ] {
        for end in ["", ".md5", ".sha1", ".sha256", ".sha512"] {
            expected.push(format!("{main}{end}"));
        }
    }
    expected.sort();
    assert_eq!(names, expected);
    assert_eq!(fs_err::read(work.path(ZIP)).unwrap(), fs_err::read(work.path(&zip)).unwrap());
    assert_eq!(fs_err::metadata(work.path(ZIP)).unwrap().permissions().mode() & 0o777, 0o644);
    let api = "repo/com/acme/vendor-statsd-api/1.0.0/vendor-statsd-api-1.0.0.jar";
    assert_eq!(
        fs_err::read(work.path(api)).unwrap(),
        fs_err::read(work.path("in/vendor-statsd-1.0.0-api.jar")).unwrap()
    );
    // What a checker of the system says of them.
    let mut sum = std::process::Command::new("sha512sum");
    let output = fixtures::run(sum.arg(work.path(ZIP)), crate::work::LIMIT).unwrap();
    assert_eq!(output.stdout.split(' ').next(), Some(work.read(&format!("{ZIP}.sha512")).as_str()));
    assert_eq!(
        work.read("repo/com/acme/vendor-statsd-api/1.0.0/vendor-statsd-api-1.0.0.pom"),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <project xmlns=\"http://maven.apache.org/POM/4.0.0\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"http://maven.apache.org/POM/4.0.0 https://maven.apache.org/xsd/maven-4.0.0.xsd\">\n  \
         <modelVersion>4.0.0</modelVersion>\n  <groupId>com.acme</groupId>\n  \
         <artifactId>vendor-statsd-api</artifactId>\n  <version>1.0.0</version>\n  <packaging>jar</packaging>\n  \
         <name>vendor-statsd API</name>\n  <description>Sends &lt;metrics&gt; &amp; more</description>\n  \
         <licenses>\n    <license>\n      <name>Apache-2.0</name>\n    </license>\n  </licenses>\n  \
         <dependencies>\n    <dependency>\n      <groupId>com.acme</groupId>\n      <artifactId>base</artifactId>\n      \
         <version>2</version>\n    </dependency>\n  </dependencies>\n</project>\n"
    );
    assert!(
        work.read("repo/com/acme/vendor-statsd/maven-metadata.xml")
            .contains("<lastUpdated>20240229123456</lastUpdated>")
    );
}

#[test]
fn a_release_is_never_overwritten() {
    let work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    work.publish(&zip, "repo", &[]).ok();
    let before = tree(&work.path("repo"));
    let run = work.publish(&zip, "repo", &[]).ok();
    assert!(run.stderr.contains("Unchanged com.acme:vendor-statsd:1.0.0"), "{}", run.stderr);
    assert!(run.stderr.contains("the repository has the same files already"), "{}", run.stderr);
    assert_eq!(tree(&work.path("repo")), before);

    let other = work.zip("other", "1.0.0", "two");
    work.publish(&other, "repo", &[]).failed(&format!("release is published already with other bytes: `{ZIP}`"));
    assert_eq!(tree(&work.path("repo")), before);
    // The zip is the same, its description is not.
    let pom = ZIP.replace("-extension.zip", ".pom");
    work.publish(&zip, "repo", &["--license", "MIT"]).failed(&format!("with other bytes: `{pom}`"));
    assert_eq!(tree(&work.path("repo")), before);

    // What was left out half-way comes with the next attempt, and metadata keep what is in them.
    fs_err::remove_file(work.path(&pom)).unwrap();
    fs_err::remove_file(work.path(&format!("{ZIP}.sha1"))).unwrap();
    let run = work.fatagent(&[
        "extension",
        "publish",
        &zip,
        "--to",
        "repo",
        "--group",
        "com.acme",
        "--message-format",
        "json",
    ]);
    let json: serde_json::Value = serde_json::from_str(run.ok().stdout.trim()).unwrap();
    assert_eq!(json["reason"], "published");
    assert_eq!(json["written"].as_array().unwrap().len(), 6, "{json}");
    assert_eq!(json["unchanged"].as_array().unwrap().len(), 3, "{json}");
    assert_eq!(tree(&work.path("repo")), before);

    // As does what a run left out that stopped right after a file of metadata, and what is wrong.
    let index = "repo/com/acme/vendor-statsd/maven-metadata.xml";
    fs_err::remove_file(work.path(&format!("{index}.md5"))).unwrap();
    fs_err::write(work.path(&format!("{index}.sha1")), "0123456789012345678901234567890123456789").unwrap();
    fs_err::write(work.path(&format!("{ZIP}.sha256")), "").unwrap();
    work.publish(&zip, "repo", &[]).ok();
    assert_eq!(tree(&work.path("repo")), before);
    // What other tools write in another form is left as it is.
    let named = format!("{}  vendor-statsd.zip\n", work.read(&format!("{ZIP}.sha1")).to_uppercase());
    fs_err::write(work.path(&format!("{ZIP}.sha1")), &named).unwrap();
    let run = work.publish(&zip, "repo", &[]).ok();
    assert!(run.stderr.contains("the repository has the same files already"), "{}", run.stderr);
    assert_eq!(work.read(&format!("{ZIP}.sha1")), named);
    work.publish(&work.zip("next", "1.1.0", "one"), &format!("file://{}", work.path("repo").display()), &[]).ok();
    let metadata = work.read("repo/com/acme/vendor-statsd-api/maven-metadata.xml");
    assert!(metadata.contains("<release>1.1.0</release>"), "{metadata}");
    assert!(metadata.contains("<version>1.0.0</version>\n      <version>1.1.0</version>"), "{metadata}");
}

#[test]
fn those_who_publish_to_one_folder_wait_for_each_other() {
    let work = Work::new();
    let versions: Vec<String> = (0..6).map(|number| format!("1.{number}")).collect();
    std::thread::scope(|scope| {
        for version in &versions {
            let jar = work.agent(&format!("{version}.jar"), version, 200_000);
            let work = &work;
            scope.spawn(move || work.publish_agent(&jar, "repo", &[]).ok());
        }
    });
    let metadata = work.read("repo/com/acme/acme-agent/maven-metadata.xml");
    for version in versions {
        assert!(metadata.contains(&format!("<version>{version}</version>")), "{version}\n{metadata}");
    }
}

#[test]
fn snapshots_have_times_and_numbers() {
    let mut work = Work::new();
    let zip = work.zip("in", "2.0.0-SNAPSHOT", "one");
    work.publish(&zip, "repo", &[]).ok();
    let other = work.zip("other", "2.0.0-SNAPSHOT", "two");
    work.environment = vec![("SOURCE_DATE_EPOCH", "1709210100".to_owned())];
    work.publish(&other, "repo", &[]).ok();
    let folder = "repo/com/acme/vendor-statsd/2.0.0-SNAPSHOT";
    for (name, source) in [("20240229.123456-1", &zip), ("20240229.123500-2", &other)] {
        let file = work.path(&format!("{folder}/vendor-statsd-2.0.0-{name}-extension.zip"));
        assert_eq!(fs_err::read(file).unwrap(), fs_err::read(work.path(source)).unwrap());
    }
    let metadata = work.read(&format!("{folder}/maven-metadata.xml"));
    for part in [
        "<version>2.0.0-SNAPSHOT</version>",
        "<timestamp>20240229.123500</timestamp>\n      <buildNumber>2</buildNumber>",
        "<classifier>extension</classifier>\n        <extension>zip</extension>\n        <value>2.0.0-20240229.123500-2</value>",
    ] {
        assert!(metadata.contains(part), "{part}\n{metadata}");
    }
    assert!(!metadata.contains("123456"), "{metadata}");
    let versions = work.read("repo/com/acme/vendor-statsd/maven-metadata.xml");
    assert!(versions.contains("<latest>2.0.0-SNAPSHOT</latest>") && !versions.contains("<release>"), "{versions}");
}

#[test]
fn an_agent_has_the_name_of_its_manifest() {
    let work = Work::new();
    let jar = work.agent("a.jar", "1.4.0", 1000);
    let run = work.publish_agent(&jar, "repo", &[]).ok();
    assert_eq!(run.stdout, "com.acme:acme-agent:1.4.0\n");
    let published = work.path("repo/com/acme/acme-agent/1.4.0/acme-agent-1.4.0.jar");
    assert_eq!(fs_err::read(published).unwrap(), fs_err::read(work.path("a.jar")).unwrap());
    let run = work.publish_agent(&jar, "repo", &["--artifact", "other", "--version", "1.4.1"]).ok();
    assert_eq!(run.stdout, "com.acme:other:1.4.1\n");
    assert!(run.stderr.contains("says that its version is `1.4.0`, and is published as `1.4.1`"), "{}", run.stderr);
}

#[test]
fn a_fat_agent_is_verified_and_its_new_name_is_pointed_out() {
    let project = Project::new();
    let work = Work::new();
    let toml = project.path("agent.toml").display().to_string();
    work.fatagent(&["build", "--file", &toml, "-o", "acme-agent.jar"]).ok();
    let run = work.publish_agent("acme-agent.jar", "repo", &[]).ok();
    assert!(run.stderr.contains("build it with `-o acme-agent-1.4.0.jar`"), "{}", run.stderr);
    let bytes = crate::support::rewritten(&work.path("acme-agent.jar"), |name, bytes| {
        (name != "META-INF/btrace-probes/demo/Trace.class").then_some(bytes)
    });
    fs_err::write(work.path("changed.jar"), bytes).unwrap();
    work.publish_agent("changed.jar", "new", &[]).failed("verification of `changed.jar` failed");
    assert!(!work.path("new").exists());
}

#[test]
fn a_bundle_is_a_repository_in_a_file() {
    let work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    let bundle = |name: &str| {
        let options = [
            "--group",
            "com.acme",
            "--url",
            "https://acme.com",
            "--developer",
            "Acme",
            "--scm",
            "https://acme.com/git",
        ];
        let run = work.fatagent(&[&["extension", "publish", &zip, "--bundle", name], &options[..]].concat()).ok();
        let missing =
            "signatures (`--sign`), sources (`--sources`), documentation (`--javadoc`), a licence (`--license`)\n";
        assert!(run.stderr.contains(missing), "{}", run.stderr);
        fs_err::read(work.path(name)).unwrap()
    };
    assert_eq!(bundle("a.zip"), bundle("b.zip"));
    let names = fixtures::entry_names(&work.path("a.zip")).unwrap();
    assert_eq!(names.len(), 20, "{names:?}");
    assert!(names.iter().all(|name| !name.contains("maven-metadata")), "{names:?}");
    let pom = "com/acme/vendor-statsd-api/1.0.0/vendor-statsd-api-1.0.0.pom";
    let pom = String::from_utf8(fixtures::read_entry(&work.path("a.zip"), pom).unwrap()).unwrap();
    assert!(pom.contains("<connection>scm:git:https://acme.com/git</connection>"), "{pom}");
    let snapshot = work.zip("snapshot", "1.0.0-SNAPSHOT", "one");
    let run = work.fatagent(&["extension", "publish", &snapshot, "--bundle", "c.zip", "--group", "com.acme"]);
    run.failed("a bundle holds releases only, not: `1.0.0-SNAPSHOT`");
    assert!(!work.path("c.zip").exists());
}

#[test]
fn the_project_gives_group_and_zip() {
    let work = Work::new();
    let toml = "id = \"vendor-statsd\"\nversion = \"1.0.0\"\ngroup = \"org.project\"\n";
    fs_err::write(work.path("extension.toml"), toml).unwrap();
    work.fatagent(&["extension", "publish", "--to", "repo"]).failed("extension is not built yet: `");
    let zip = work.zip("target/extension", "1.0.0", "one");
    for arguments in [vec!["extension", "publish", "--to", "repo"], vec!["extension", "publish", &zip, "--to", "repo"]]
    {
        let run = work.fatagent(&arguments).ok();
        assert!(run.stdout.starts_with("org.project:vendor-statsd:1.0.0:extension@zip\n"), "{}", run.stdout);
    }
    // A project whose id is only the beginning of the zip's gives it nothing, and the name of the file does not matter.
    fs_err::copy(work.path(&zip), work.path("renamed.zip")).unwrap();
    let run = work.fatagent(&["extension", "publish", "renamed.zip", "--to", "repo"]).ok();
    assert!(run.stdout.starts_with("org.project:vendor-statsd:1.0.0:extension@zip\n"), "{}", run.stdout);
    fs_err::write(work.path("extension.toml"), toml.replace("vendor-statsd", "vendor")).unwrap();
    work.fatagent(&["extension", "publish", &zip, "--to", "repo"]).failed("no group id for: `");
    assert_eq!(work.environment[0].1, EPOCH);
}

#[test]
fn build_embeds_from_a_folder_that_is_the_local_repository() {
    let work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    work.publish(&zip, "repo", &[]).ok();
    let project = Project::new();
    project.toml("[[extension]]\nmaven = \"com.acme:vendor-statsd:1.0.0\"\n");
    work.settings(&format!("<settings><localRepository>{}</localRepository></settings>", work.path("repo").display()));
    let toml = project.path("agent.toml").display().to_string();
    work.fatagent(&["build", "--file", &toml, "-o", "agent.jar"]).ok();
    let names = fixtures::entry_names(&work.path("agent.jar")).unwrap();
    assert!(
        names.contains(&"META-INF/btrace-extensions/vendor-statsd/resources/vendor/statsd/note.txt".to_owned()),
        "{names:?}"
    );
}
