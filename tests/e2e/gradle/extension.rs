//! The plugin `io.btrace.extension`.

use std::collections::BTreeMap;
use std::path::Path;

use super::build::{each_gradle, write};
use fixtures::{Jar, entry_names, read_entry};

const API: &str = "package acme;\npublic interface Metrics { Snapshot snapshot(); }\n";
const SNAPSHOT: &str =
    "package acme;\npublic final class Snapshot { public final int n; public Snapshot(int n) { this.n = n; } }\n";
const EXTRA: &str = "package acme;\npublic interface Extra { }\n";
const HIDDEN: &str = "package acme;\npublic class Hidden { }\n";
const IMPLEMENTATION: &str = r#"package acme.impl;
import io.btrace.core.extensions.Extension;
public class MetricsImpl extends Extension implements acme.Metrics {
  public acme.Snapshot snapshot() { send(); return new acme.Snapshot(org.dep.Count.next(app.Session.id())); }
  private static void send() { try { new java.net.Socket("localhost", 1).close(); } catch (java.io.IOException e) { } }
}
"#;

/// A jar with one class.
fn library(folder: &Path, path: &str, source: (&str, &str)) {
    let classes = folder.join("classes").join(path);
    fixtures::javac(&[source], &["--release", "8", "-Xlint:-options"], &classes).expect("a library");
    Jar::new().tree(&classes).expect("classes").write(&folder.join(path)).expect("a jar");
}

fn project(folder: &Path, script: &str) {
    let files = [
        ("build.gradle", script),
        ("LICENSE", "Do what you like.\n"),
        ("src/main/java/acme/Metrics.java", API),
        ("src/main/java/acme/Snapshot.java", SNAPSHOT),
        ("src/main/java/acme/Extra.java", EXTRA),
        ("src/main/java/acme/Hidden.java", HIDDEN),
        ("src/main/java/acme/impl/MetricsImpl.java", IMPLEMENTATION),
        ("src/main/resources/META-INF/services/acme.Metrics", "acme.impl.MetricsImpl\n"),
    ];
    write(folder, "rootProject.name = 'metrics'", &files);
    library(
        folder,
        "lib/dep.jar",
        (
            "org/dep/Count.java",
            "package org.dep; public class Count { public static int next(int n) { return n + 1; } }",
        ),
    );
    library(
        folder,
        "lib/app.jar",
        ("app/Session.java", "package app; public class Session { public static int id() { return 1; } }"),
    );
}

const EVERY_KEY: &str = r"plugins { id 'io.btrace.extension' }
version = '1.2.0'
group = 'com.acme'
dependencies {
  implementation files('lib/dep.jar')
  implCompileOnly files('lib/app.jar')
}
btraceExtension {
  id = 'acme-metrics'
  name = 'Acme metrics'
  description = 'Counts, \u00e9'
  services = ['acme.Metrics']
  additionalExports = ['acme.Extra']
  excludedExports = []
  requiresExtensions = ['acme-core']
  shadedPackages = SHADED
  scanPermissions = SCAN
  requiredPermissions = REQUIRED
}
";

/// The manifest of the API jar, unfolded.
fn manifest(api: &Path) -> BTreeMap<String, String> {
    let text = String::from_utf8(read_entry(api, "META-INF/MANIFEST.MF").expect("a manifest")).expect("UTF-8");
    let text = text.replace("\r\n ", "");
    text.lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn every_key_reaches_the_extension() {
    each_gradle("every key of an extension", |test, gradle| {
        let folder = test.folder().join("metrics");
        let script = |shaded: &str, scan: &str, required: &str| {
            EVERY_KEY.replace("SHADED", shaded).replace("SCAN", scan).replace("REQUIRED", required)
        };
        project(&folder, &script("['org.dep': 'acme.shaded.dep']", "true", "[THREADS: 'for its timer']"));
        let built = gradle.build(&folder, &["assemble", "extensionApiJar", "extensionImplJar"]);
        for task in [":extensionZip", ":extensionApiJar", ":extensionImplJar", ":packageExtension"] {
            assert_eq!(built.outcome(task), "SUCCESS", "{task}");
        }
        let libs = folder.join("build/libs");
        let (api, implementation) = (libs.join("acme-metrics-1.2.0-api.jar"), libs.join("acme-metrics-1.2.0-impl.jar"));
        let names = entry_names(&api).expect("the API jar");
        for name in ["acme/Metrics.class", "acme/Snapshot.class", "acme/Extra.class"] {
            assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
        }
        let hidden = entry_names(&implementation).expect("the implementation jar");
        for name in ["acme/Hidden.class", "acme/impl/MetricsImpl.class", "acme/shaded/dep/Count.class"] {
            assert!(hidden.iter().any(|one| one == name), "{name}: {hidden:?}");
        }
        assert!(!hidden.iter().any(|name| name.starts_with("app/") || name.starts_with("org/dep/")), "{hidden:?}");
        let found = manifest(&api);
        for (key, value) in [
            ("BTrace-Extension-Id", "acme-metrics"),
            ("BTrace-Extension-Version", "1.2.0"),
            ("BTrace-Extension-Name", "Acme metrics"),
            ("BTrace-Extension-Description", "Counts, é"),
            ("BTrace-Extension-Services", "acme.Metrics"),
            ("BTrace-Extension-Requires", "acme-core"),
        ] {
            assert_eq!(found.get(key).map(String::as_str), Some(value), "{key}: {found:?}");
        }
        // One was found by scanning, the other one is accepted.
        let permissions: Vec<&str> = found["BTrace-Extension-Permissions"].split(',').collect();
        assert!(["NETWORK", "THREADS"].iter().all(|one| permissions.contains(one)), "{permissions:?}");
        let zip = entry_names(&libs.join("acme-metrics-1.2.0-extension.zip")).expect("the zip");
        assert!(zip.iter().any(|name| name == "LICENSE"), "{zip:?}");

        // The other forms: rules as texts, names without reasons; nothing inferred.
        project(&folder, &script("['org.dep->acme.other.dep']", "false", "['THREADS']"));
        gradle.build(&folder, &["assemble", "extensionApiJar", "extensionImplJar"]);
        assert_eq!(manifest(&api)["BTrace-Extension-Permissions"], "THREADS");
        let hidden = entry_names(&implementation).expect("the implementation jar");
        assert!(hidden.iter().any(|name| name == "acme/other/dep/Count.class"), "{hidden:?}");
    });
}

/// The errors of the program are those of the task.
#[test]
fn what_is_wrong_with_an_extension_fails_its_task() {
    each_gradle("a wrong extension", |test, gradle| {
        let folder = test.folder().join("wrong");
        let script = EVERY_KEY.replace("SHADED", "[:]").replace("SCAN", "true").replace("REQUIRED", "['SHOES']");
        project(&folder, &script);
        gradle
            .fail(&folder, &["extensionZip"])
            .expect(":packageExtension", "FAILED")
            .says("`permissions.SHOES` must be a permission: `SHOES`");
        let script = script.replace("['SHOES']", "[]").replace("id = 'acme-metrics'", "id = 'Acme Metrics'");
        project(&folder, &script);
        gradle
            .fail(&folder, &["extensionZip"])
            .expect(":packageExtension", "FAILED")
            .says("`Acme Metrics`")
            .says("hint: ");
        let script = script
            .replace("id = 'Acme Metrics'", "id = 'acme-metrics'")
            .replace("shadedPackages = [:]", "shadedPackages = ['org.dep']");
        project(&folder, &script);
        gradle.fail(&folder, &["extensionZip"]).says("not `from->to` in `shadedPackages`");
    });
}
