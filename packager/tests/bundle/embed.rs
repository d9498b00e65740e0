//! Agents that embed what was built.

use fixtures::Jar;

use crate::work::{RELEASE_8, SOURCES, Work, text};

const AGENT: &str = "[agent]\nname = \"acme\"\nversion = \"1.0.0\"\n";

#[test]
fn an_agent_has_the_same_bytes_from_the_zip_and_from_the_project() {
    let work = Work::usual("");
    work.compile_into("classes");
    work.build().ok();
    work.write("by-path/agent.toml", format!("{AGENT}[[extension]]\npath = \"..\"\n"));
    let zip = "target/extension/acme-metrics-1.2.0-extension.zip";
    work.write("by-file/agent.toml", format!("{AGENT}[[extension]]\nfile = \"../{zip}\"\n"));
    work.write("by-id/agent.toml", format!("{AGENT}[discover]\nmembers = [\"e\"]\ndefault = [\"acme-metrics\"]\n"));
    fs_err::create_dir_all(work.path("by-id/e")).unwrap();
    fs_err::copy(work.path("extension.toml"), work.path("by-id/e/extension.toml")).unwrap();
    fixtures::unzip(&work.api(), &work.path("by-id/e/out")).unwrap();
    fixtures::unzip(&work.implementation(), &work.path("by-id/e/out")).unwrap();
    let agents = ["by-path", "by-file", "by-id"].map(|folder| {
        work.fatagent(&["build", "--file", &format!("{folder}/agent.toml")]).ok();
        fs_err::read(work.path(&format!("{folder}/acme.jar"))).unwrap()
    });
    assert!(agents[0] == agents[1], "the agent differs with `path`");
    assert!(agents[0] == agents[2], "the agent differs with `[discover]`");
}

/// An agent with the zip of the usual project, whose API manifest is changed by `change`.
fn with_manifest(change: impl Fn(&str) -> String) -> (Work, crate::run::Run) {
    let work = Work::usual("");
    work.compile().ok();
    let text = String::from_utf8(fixtures::read_entry(&work.api(), "META-INF/MANIFEST.MF").unwrap()).unwrap();
    let mut api = Jar::new().manifest(change(&text).as_bytes());
    for name in fixtures::entry_names(&work.api()).unwrap().iter().filter(|name| !name.starts_with("META-INF/")) {
        api = api.file(name, &fixtures::read_entry(&work.api(), name).unwrap());
    }
    let implementation = fs_err::read(work.implementation()).unwrap();
    let zip = Jar::new().file("acme-metrics-1.2.0-api.jar", &api.bytes().unwrap());
    zip.file("acme-metrics-1.2.0-impl.jar", &implementation).write(&work.path("changed.zip")).unwrap();
    work.write("agent.toml", format!("{AGENT}[[extension]]\nfile = \"changed.zip\"\n"));
    let run = work.fatagent(&["build"]);
    (work, run)
}

/// btraceio/btrace#877: an extension without permission data counted as one that needs none.
#[test]
fn permissions_are_compared_with_the_code_and_carried_unchanged() {
    let declared = "BTrace-Extension-Permissions: NETWORK\r\n";
    let (_, run) = with_manifest(|text| text.replace(declared, ""));
    let error = run.error();
    assert!(
        error.starts_with(
            "error: extension `acme-metrics` declares no permissions: `BTrace-Extension-Permissions` is absent"
        ),
        "{error}"
    );

    let (work, run) = with_manifest(|text| text.replace(declared, "BTrace-Extension-Permissions: EXEC,FILE_READ\r\n"));
    let run = run.ok();
    run.says("warning: extension `acme-metrics` declares permissions that its code does not need: FILE_READ,EXEC");
    run.says(
        "warning: extension `acme-metrics` needs a permission that it does not declare: NETWORK (acme.metrics.MetricsImpl.samples: \
         call java.net.Socket.<init> reaches the network, by acme.metrics.MetricsImpl.samples)",
    );
    let properties = text(&work.path("acme.jar"), "META-INF/btrace-extensions/acme-metrics/extension.properties");
    assert!(properties.contains("\npermissions=FILE_READ,EXEC\n"), "{properties}");

    let (work, run) = with_manifest(|text| text.replace(declared, "BTrace-Extension-Permissions: \r\n"));
    run.ok().says("needs a permission that it does not declare: NETWORK");
    let properties = text(&work.path("acme.jar"), "META-INF/btrace-extensions/acme-metrics/extension.properties");
    assert!(properties.contains("\npermissions=\n"), "{properties}");

    let (_, run) = with_manifest(|text| text.replace(declared, "BTrace-Extension-Permissions: NETWROK\r\n"));
    run.error();
    run.says("caused by: unknown permission: `NETWROK`\nhint: did you mean `NETWORK`?");
}

#[test]
fn marks_of_older_agents_in_a_zip_are_pointed_out() {
    let work = Work::usual("");
    let old = ("org/openjdk/btrace/core/Mark.java", "package org.openjdk.btrace.core; public @interface Mark {}");
    let marked = ("acme/metrics/Old.java", "package acme.metrics; @org.openjdk.btrace.core.Mark class Old {}");
    work.compile().ok();
    work.library("old.jar", &[old, marked], |jar| jar);
    let mut implementation = Jar::new();
    for (jar, names) in [
        ("old.jar", ["acme/metrics/Old.class"]),
        ("target/extension/acme-metrics-1.2.0-impl.jar", ["acme/metrics/MetricsImpl.class"]),
    ] {
        for name in names {
            implementation = implementation.file(name, &fixtures::read_entry(&work.path(jar), name).unwrap());
        }
    }
    let api = fs_err::read(work.api()).unwrap();
    let zip = Jar::new().file("acme-metrics-1.2.0-api.jar", &api);
    zip.file("acme-metrics-1.2.0-impl.jar", &implementation.bytes().unwrap()).write(&work.path("old.zip")).unwrap();
    work.write("agent.toml", format!("{AGENT}[[extension]]\nfile = \"old.zip\"\n"));
    work.fatagent(&["build"]).ok().says(
        "warning: `acme.metrics.Old` has an annotation of an older agent, which marks nothing: `org.openjdk.btrace.core.Mark` (",
    );
}

#[test]
fn a_changed_zip_is_refused() {
    let work = Work::usual("");
    work.compile().ok();
    let mut zip = Jar::new();
    for name in fixtures::entry_names(&work.zip()).unwrap() {
        let mut bytes = fixtures::read_entry(&work.zip(), &name).unwrap();
        if name == "extension.properties" {
            bytes.extend_from_slice(b"x=y\n");
        }
        zip = zip.file(&name, &bytes);
    }
    zip.write(&work.path("changed.zip")).unwrap();
    work.write("agent.toml", format!("{AGENT}[[extension]]\nfile = \"changed.zip\"\n"));
    assert_eq!(
        work.fatagent(&["build"]).error(),
        "error: `checksums.sha256` of `changed.zip` says something else about the zip: `extension.properties` has another SHA-256\n\
         hint: the zip was changed after it was built: get or build it again"
    );
}

#[test]
fn a_project_that_is_not_compiled_or_described_twice_stops_the_build() {
    let work = Work::usual("");
    work.write("pom.xml", "");
    work.write("agent.toml", format!("{AGENT}[[extension]]\npath = \".\"\n"));
    let error = work.fatagent(&["build"]).error();
    assert!(error.contains("the extension is not compiled") && error.ends_with("hint: run `mvn package`"), "{error}");
    work.write("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nBTrace-Extension-Id: acme-metrics\r\n\r\n");
    let error = work.fatagent(&["build"]).error();
    assert!(error.contains("is described twice: by `") && error.contains("` and by `META-INF/MANIFEST.MF`"), "{error}");
    assert!(!work.path("acme.jar").exists());
}

#[test]
fn an_api_package_belongs_to_one_extension() {
    let work = Work::usual("");
    work.compile().ok();
    let mut other = SOURCES;
    other[0] = (
        "org/other/Other.java",
        "package org.other; @io.btrace.core.extensions.ServiceDescriptor public interface Other {}",
    );
    other[3] = (
        "org/other/OtherImpl.java",
        "package org.other; public class OtherImpl implements Other { acme.metrics.Own own; }",
    );
    let own = ("acme/metrics/Own.java", "package acme.metrics; public class Own {}");
    let second = Work::new("", &[other[0], other[3], own]);
    second.write("extension.toml", "id = \"other\"\nversion = \"1.0.0\"\n");
    second.compile().ok();
    fs_err::copy(second.path("target/extension/other-1.0.0-extension.zip"), work.path("other.zip")).unwrap();
    work.write(
        "agent.toml",
        format!("{AGENT}[[extension]]\nfile = \"target/extension/acme-metrics-1.2.0-extension.zip\"\n[[extension]]\nfile = \"other.zip\"\n"),
    );
    let error = work.fatagent(&["build"]).error();
    assert!(error.contains("of extension `acme-metrics` is in a package that extension `other` has too\n"), "{error}");
}

/// An agent with one zip.
fn with_zip(zip: &fixtures::ExtensionZip) -> (Work, crate::run::Run) {
    let work = Work::new("", &[]);
    let zip = zip.build(&work.path(".")).unwrap();
    work.write("agent.toml", format!("{AGENT}[[extension]]\nfile = \"{}\"\n", zip.file_name().unwrap().display()));
    let run = work.fatagent(&["build"]);
    (work, run)
}

#[test]
fn the_rules_of_the_api_hold_for_zips() {
    let zip = || {
        fixtures::ExtensionZip::new("other", "1.0.0")
            .attribute("BTrace-Extension-Permissions", "")
            .implementation("acme/Impl.java", "package acme; class Impl {}")
    };
    let (work, run) = with_zip(&zip().api("javax/sql/S.java", "package javax.sql; public class S {}"));
    let error = run.error();
    assert!(
        error.starts_with("error: API class `javax.sql.S` of extension `other` is in a package that module"),
        "{error}"
    );
    assert!(!work.path("acme.jar").exists());

    let (_, run) = with_zip(&zip().api(
        "acme/A.java",
        "package acme; public class A { Object go() throws Exception { return Runtime.getRuntime().exec(\"ls\"); } }",
    ));
    let error = run.error();
    assert!(error.starts_with("error: API class `acme.A` needs EXEC in method `go`: "), "{error}");

    // Older tools built such zips.
    let folder = tempfile::tempdir().unwrap();
    fixtures::javac(&[("org/x/X.java", "package org.x; public class X {}")], &RELEASE_8, folder.path()).unwrap();
    let old = zip().class_path(folder.path());
    let (_, run) = with_zip(&old.api("acme/A.java", "package acme; public class A { public org.x.X x; }"));
    run.ok().says(
        "warning: API class `acme.A` names in field `x` a class that is neither the extension's nor the JDK's: `org.x.X`",
    );
}

/// `extension build --compile` leaves no classes behind, only its zip.
#[test]
fn the_zip_of_a_project_stands_for_its_classes() {
    let work = Work::usual("");
    work.write("agent.toml", format!("{AGENT}[[extension]]\npath = \".\"\n"));
    work.compile().ok();
    work.fatagent(&["build"]).ok().says("acme-metrics-1.2.0-extension.zip");
    work.fatagent(&["extension", "lint"]).ok();
    let later = std::time::SystemTime::now() + std::time::Duration::from_mins(1);
    let source = work.path("src/main/java/acme/metrics/Sample.java");
    fs_err::OpenOptions::new().append(true).open(source).unwrap().file().set_modified(later).unwrap();
    let error = work.fatagent(&["build"]).error();
    assert!(error.contains("the extension is not compiled"), "{error}");
}

#[test]
fn an_api_package_of_the_base_belongs_to_its_extension() {
    let work = Work::usual("");
    work.compile().ok();
    let zip = "target/extension/acme-metrics-1.2.0-extension.zip";
    work.write("agent.toml", format!("{AGENT}[[extension]]\nfile = \"{zip}\"\n"));
    work.fatagent(&["build", "-o", "base.jar"]).ok();
    let other = fixtures::ExtensionZip::new("other", "1.0.0")
        .attribute("BTrace-Extension-Permissions", "")
        .api("org/other/A.java", "package org.other; public class A {}")
        .implementation("acme/metrics/Own.java", "package acme.metrics; class Own {}");
    other.build(&work.path(".")).unwrap();
    let agent = AGENT.replace("[agent]\n", "[agent]\nbase = { file = \"base.jar\" }\n");
    work.write("agent.toml", format!("{agent}[[extension]]\nfile = \"other-1.0.0-extension.zip\"\n"));
    let error = work.fatagent(&["build"]).error();
    assert!(error.contains("of extension `acme-metrics` is in a package that extension `other` has too\n"), "{error}");
}
