//! What cannot be published.

use fixtures::Jar;

use crate::work::{Work, tree};

#[test]
fn what_is_no_extension_or_agent_is_refused() {
    let work = Work::new();
    fs_err::write(work.path("text.zip"), "no zip").unwrap();
    Jar::new().file("a.txt", b"a").write(&work.path("empty.zip")).unwrap();
    let api = Jar::new().file("a.txt", b"a").bytes().unwrap();
    Jar::new().file("x-api.jar", &api).file("x-impl.jar", &api).write(&work.path("bare.zip")).unwrap();
    let api = Jar::new().attribute("Implementation-Title", "x").bytes().unwrap();
    Jar::new().file("x-api.jar", &api).file("x-impl.jar", &api).write(&work.path("other.zip")).unwrap();
    for (zip, text) in [
        ("none.zip", "file does not exist: `none.zip`"),
        ("text.zip", "not a jar: `text.zip`"),
        ("empty.zip", "not an extension: `empty.zip`: it has no `*-api.jar` at its root"),
        ("bare.zip", "not an extension: `bare.zip`: `bare.zip!/x-api.jar` has no manifest"),
        (
            "other.zip",
            "not an extension: `other.zip`: `BTrace-Extension-Id` is absent from `META-INF/MANIFEST.MF` of `other.zip!",
        ),
    ] {
        work.publish(zip, "repo", &[]).failed(text);
    }
    work.publish_agent("empty.zip", "repo", &[]).failed("not an agent: `empty.zip`");
    let plain = Jar::new().attribute("Premain-Class", "a.A");
    plain.write(&work.path("plain.jar")).unwrap();
    work.publish_agent("plain.jar", "repo", &[]).failed("no artifact id for: `plain.jar`");
    work.publish_agent("plain.jar", "repo", &["--artifact", "a"]).failed("no version for: `plain.jar`");
    let named =
        |name: &str| plain.clone().attribute("Implementation-Title", name).attribute("Implementation-Version", "1");
    named("Acme Agent").write(&work.path("named.jar")).unwrap();
    work.publish_agent("named.jar", "repo", &[]).failed("not an artifact id: `Acme Agent`");
    let zip = work.zip("in", "1.0.0", "one");
    work.fatagent(&["extension", "publish", &zip, "--to", "repo"])
        .failed("no group id for: `in/vendor-statsd-1.0.0-extension.zip`");
    work.publish(&zip, "repo", &["--sources", "text.zip"]).failed("not a jar: `text.zip`");
    assert!(!work.path("repo").exists());
}

#[test]
fn versions_are_of_releases_or_snapshots() {
    let work = Work::new();
    let jar = work.agent("a.jar", "1.0", 10);
    for (version, text) in [
        ("1.0-snapshot", "version is neither that of a release nor that of a snapshot: `1.0-snapshot`"),
        ("1.0-20240229.123456-1", "version is neither that of a release nor that of a snapshot"),
        ("1.0-SNAPSHOT", "version `1.0-SNAPSHOT` is given for `a.jar`, which says `1.0`: one of the two is a snapshot"),
        ("1/0", "not a version: `1/0`"),
        ("LATEST", "not a version: `LATEST`"),
    ] {
        work.publish_agent(&jar, "repo", &["--version", version]).failed(text);
    }
    let release = ["--dependency", "g:a:1-SNAPSHOT"];
    work.publish_agent(&jar, "repo", &release)
        .failed("release `com.acme:acme-agent:1.0` would depend on a snapshot: `g:a:1-SNAPSHOT`");
    let zip = work.zip("in", "1.0 beta", "one");
    work.publish(&zip, "repo", &[]).failed("not a version: `1.0 beta`");
    assert!(!work.path("repo").exists());
}

#[test]
fn targets_and_credentials_are_checked_first() {
    let mut work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    let run = work.publish(&zip, "https://user:hunter2@example.org/r", &[]).failed("it holds credentials");
    assert!(!run.stderr.contains("hunter2") && run.stderr.contains("--server ID"), "{}", run.stderr);
    work.publish(&zip, "s3://bucket/r", &[]).failed("cannot publish to this kind of URL: `s3`");
    fs_err::write(work.path("file"), "").unwrap();
    work.publish(&zip, "file", &[]).failed("");
    work.publish(&zip, "repo", &["--server", "a"]).failed("a folder needs no server: `repo`");
    assert!(!work.path("repo").exists());
    work.settings("<settings><servers>");
    work.publish(&zip, "https://example.org/r", &["--server", "a"]).failed("malformed Maven settings: `");
    work.settings(
        "<settings><servers><server><id>a</id><username>u</username><password>{jSMOWnoPFgsHVpMvz5VrIt5kRbzGpI8u+9EF1iFQyJQ=}\
         </password></server></servers></settings>",
    );
    let run = work.publish(&zip, "https://example.org/r", &["--server", "a"]);
    let run = run.failed("password of server `a` is encrypted in Maven settings: `");
    assert!(!run.stderr.contains("jSMOW"), "{}", run.stderr);
    work.environment.push(("FATAGENT_REPOSITORY_USER", "u".to_owned()));
    work.publish(&zip, "https://example.org/r", &[]).failed("`FATAGENT_REPOSITORY_PASSWORD`");
    work.environment.push(("FATAGENT_REPOSITORY_PASSWORD", "hunter2".to_owned()));
    let run =
        work.publish(&zip, "http://example.org/r", &[]).failed("credentials would go over the network in clear text");
    assert!(!run.stderr.contains("hunter2") && run.stderr.contains("--allow-insecure"), "{}", run.stderr);
    let run = work.fatagent(&["extension", "publish", &zip]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn nothing_is_published_without_a_signature_that_is_asked_for() {
    let mut work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    work.environment.push(("PATH", "/nowhere".to_owned()));
    work.publish(&zip, "repo", &["--sign"]).failed("cannot start `gpg`");
    assert_eq!(tree(&work.path("repo")), []);
}

#[test]
fn metadata_that_cannot_be_merged_stop_everything() {
    let work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    let file = "repo/com/acme/vendor-statsd-api/maven-metadata.xml";
    fs_err::create_dir_all(work.path(file).parent().unwrap()).unwrap();
    fs_err::write(work.path(file), "<metadata><groupId>").unwrap();
    work.publish(&zip, "repo", &[]).failed(&format!("malformed metadata of the repository: `{file}`"));
    fs_err::write(work.path(file), "<metadata><groupId>g</groupId><artifactId>a</artifactId></metadata>").unwrap();
    work.publish(&zip, "repo", &[]).failed(&format!("metadata of the repository are those of `g:a`: `{file}`"));
    assert_eq!(tree(&work.path("repo")).len(), 1);
}
