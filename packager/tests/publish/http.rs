//! To a real HTTP server.

use crate::server::{PASSWORD, Server, USER};
use crate::work::{Work, tree};

fn with_login(work: &mut Work, password: &str) {
    work.environment.push(("FATAGENT_REPOSITORY_USER", USER.to_owned()));
    work.environment.push(("FATAGENT_REPOSITORY_PASSWORD", password.to_owned()));
}

#[test]
fn the_server_gets_what_a_folder_gets_and_metadata_come_last() {
    let server = Server::start();
    let mut work = Work::new();
    with_login(&mut work, PASSWORD);
    let zip = work.zip("in", "1.0.0", "one");
    let run = work.publish(&zip, &server.url("closed"), &["-v"]).ok();
    assert!(!format!("{run:?}").contains(PASSWORD), "{run:?}");
    work.publish(&zip, "repo", &[]).ok();
    assert_eq!(tree(&server.files()), tree(&work.path("repo")));
    let log = server.log();
    assert!(log.lines().all(|line| line.ends_with(" login")), "{log}");
    let puts: Vec<&str> = log.lines().filter_map(|line| line.strip_prefix("PUT ")).collect();
    let kind = |path: &&str| {
        ["vendor-statsd-1.0.0-extension.zip", "-api-1.0.0.jar", ".pom", "maven-metadata.xml"]
            .iter()
            .position(|part| path.contains(part))
            .unwrap()
    };
    let order: Vec<usize> = puts.iter().map(kind).collect();
    assert_eq!(puts.len(), 30);
    assert!(order.is_sorted(), "{log}");
    let first_put = log.find("PUT").unwrap();
    assert!(log[..first_put].lines().count() >= 6, "{log}");
    // Each file of the release is looked for once more right before it is written.
    let lines: Vec<&str> = log[first_put..].lines().collect();
    for pair in lines.windows(2) {
        if let Some(looked) = pair[0].strip_prefix("GET ") {
            assert_eq!(pair[1].strip_prefix("PUT "), Some(looked), "{log}");
        }
    }

    // The same again changes nothing, and another one is refused before anything is sent.
    let run = work.publish(&zip, &server.url("closed"), &[]).ok();
    assert!(run.stderr.contains("the repository has the same files already"), "{}", run.stderr);
    let other = work.zip("other", "1.0.0", "two");
    work.publish(&other, &server.url("closed"), &[])
        .failed("release is published already with other bytes: `http://127.0.0.1:");
    assert_eq!(server.log().matches("PUT ").count(), 30);
    assert_eq!(tree(&server.files()), tree(&work.path("repo")));

    let snapshot = work.zip("snapshot", "1.1.0-SNAPSHOT", "one");
    for _ in 0..2 {
        work.publish(&snapshot, &server.url("closed"), &[]).ok();
    }
    let metadata = server.files().join("com/acme/vendor-statsd-api/1.1.0-SNAPSHOT/maven-metadata.xml");
    assert!(fs_err::read_to_string(metadata).unwrap().contains("<buildNumber>2</buildNumber>"));
}

#[test]
fn a_release_of_a_faster_publisher_is_not_overwritten() {
    let server = Server::start();
    let work = Work::new();
    work.publish(&work.zip("in", "1.0.0", "one"), &server.url("open"), &[]).ok();
    let before = tree(&server.files());
    let puts = server.log().matches("PUT ").count();
    let other = work.zip("other", "1.0.0", "two");
    let text = "release is published already with other bytes: `http://127.0.0.1:";
    // It is seen by the look right before the write, without one.
    work.publish(&other, &server.url("overtaken"), &[]).failed(text);
    assert_eq!(server.log().matches("PUT ").count(), puts);
    // It is never seen, and the server refuses the write.
    work.publish(&other, &server.url("blind"), &[]).failed(text);
    assert_eq!(server.log().matches("PUT ").count(), puts + 1);
    let jar = work.agent("a.jar", "1.0", 100_000);
    work.publish_agent(&jar, &server.url("open"), &[]).ok();
    let large = work.agent("b.jar", "1.0", 200_000);
    work.publish_agent(&large, &server.url("blind"), &[]).failed(text);
    let after: Vec<_> = tree(&server.files()).into_iter().filter(|(path, _)| !path.contains("acme-agent")).collect();
    assert_eq!(after, before);
    let published = server.files().join("com/acme/acme-agent/1.0/acme-agent-1.0.jar");
    assert_eq!(fs_err::read(published).unwrap(), fs_err::read(work.path("a.jar")).unwrap());
}

#[test]
fn large_files_are_sent_whole_and_credentials_come_from_the_settings() {
    let server = Server::start();
    let mut work = Work::new();
    work.environment.push(("TOKEN", PASSWORD.to_owned()));
    work.settings(&format!(
        "<settings><servers><server><id>acme</id><username>{USER}</username><password>${{env.TOKEN}}</password></server>\
         </servers></settings>"
    ));
    let jar = work.agent("a.jar", "1.0", 3_000_000);
    work.publish_agent(&jar, &server.url("moved"), &["--server", "acme"]).ok();
    let published = server.files().join("com/acme/acme-agent/1.0/acme-agent-1.0.jar");
    assert_eq!(fs_err::read(published).unwrap(), fs_err::read(work.path("a.jar")).unwrap());
    assert!(server.log().contains("PUT /closed/com/acme/acme-agent/1.0/acme-agent-1.0.jar login"), "{}", server.log());
    work.publish_agent(&jar, &server.url("closed"), &["--server", "other"])
        .failed("Maven settings have no server `other`");
}

#[test]
fn certificates_are_checked_against_the_authorities_of_the_system() {
    let server = Server::start_secure();
    let mut work = Work::new();
    with_login(&mut work, PASSWORD);
    let jar = work.agent("a.jar", "1.0", 100_000);
    let run =
        work.publish_agent(&jar, &server.url("closed"), &[]).failed("cannot reach the repository: `https://127.0.0.1:");
    assert!(run.stderr.contains("certificate") && run.stderr.contains("SSL_CERT_FILE"), "{}", run.stderr);
    assert_eq!(server.log(), "");
    work.environment.push(("SSL_CERT_FILE", server.certificate()));
    work.publish_agent(&jar, &server.url("closed"), &[]).ok();
    let published = server.files().join("com/acme/acme-agent/1.0/acme-agent-1.0.jar");
    assert_eq!(fs_err::read(published).unwrap(), fs_err::read(work.path("a.jar")).unwrap());
}

#[test]
fn what_the_server_refuses_is_an_error_with_the_remedy() {
    let server = Server::start();
    let work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    let refused = |behaviour: &str, text: &str, hint: &str, work: &Work| {
        let run = work.publish(&zip, &server.url(behaviour), &[]).failed(text);
        assert!(run.stderr.contains(hint), "{hint}\n{}", run.stderr);
        assert!(!run.stderr.contains("wrong password") && !run.stderr.contains("secret"), "{}", run.stderr);
    };
    refused("closed", "refuses with status 401: GET `http://127.0.0.1:", "set FATAGENT_REPOSITORY_USER", &work);
    refused("upload", "refuses with status 403: PUT `http://127.0.0.1:", "set FATAGENT_REPOSITORY_USER", &work);
    refused("frozen", "refuses with status 409: PUT", "takes snapshots or releases only", &work);
    refused("found", "the repository sends elsewhere with status 302", "307 and 308 on the same host only", &work);
    refused("around", "the repository sends elsewhere with status 308", "", &work);
    let mut login = Work::new();
    with_login(&mut login, "wrong password");
    login.zip("in", "1.0.0", "one");
    refused("closed", "refuses with status 401", "check user and password", &login);
    refused("upload", "refuses with status 403", "the user may not do this", &login);
    refused("away", "the repository sends elsewhere with status 307", "if you trust it", &login);
    let log = server.log();
    assert!(log.contains("GET /open/") && !log.contains("PUT /open/"), "{log}");
    assert!(log.lines().filter(|line| line.contains("/open/")).all(|line| !line.contains("login")), "{log}");
    assert!(!server.files().exists(), "{:?}", tree(&server.files()));
}

#[test]
fn an_upload_that_stops_says_what_is_there_and_goes_on_later() {
    let server = Server::start();
    let work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    let run =
        work.publish(&zip, &server.url("full"), &[]).failed("publishing stopped half-way; already there: com/acme/");
    for part in [
        "vendor-statsd-1.0.0-extension.zip.sha512",
        "vendor-statsd-api-1.0.0.jar.md5",
        "caused by: the repository refuses with status 507",
        "the same command goes on where it stopped",
    ] {
        assert!(run.stderr.contains(part), "{part}\n{}", run.stderr);
    }
    assert!(tree(&server.files()).iter().all(|(path, _)| !path.contains(".pom") && !path.contains("metadata")));
    work.publish(&zip, &server.url("open"), &[]).ok();
    work.publish(&zip, "repo", &[]).ok();
    assert_eq!(tree(&server.files()), tree(&work.path("repo")));
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let work = Work::new();
    let zip = work.zip("in", "1.0.0", "one");
    let run = work
        .publish(&zip, &format!("http://127.0.0.1:{port}/r"), &[])
        .failed("cannot reach the repository: `http://127.0.0.1:");
    assert!(run.stderr.contains("caused by: ") && run.stderr.contains("efused"), "{}", run.stderr);
}
