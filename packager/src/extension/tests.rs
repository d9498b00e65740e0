use super::*;
use crate::extension::ExtensionError;
use crate::testing::{FOLDER_MANIFEST, Project, statsd};

/// The error of reading the folder `metrics` of a project that `change` has changed.
fn refused(change: impl FnOnce(&Project)) -> String {
    let project = Project::new();
    change(&project);
    let error = Extension::from_folder(&project.path("metrics"), Limits::default()).unwrap_err();
    assert!(error.hint().is_some(), "no hint for: {error}");
    error.to_string().replace(&format!("{}/", project.path("").display().to_string().trim_end_matches('/')), "")
}

fn names(classes: &[ExtensionClass]) -> Vec<&str> {
    classes.iter().map(|class| class.class.name.as_str()).collect()
}

fn manifest(from: &str, to: &str) -> String {
    assert!(FOLDER_MANIFEST.contains(from));
    FOLDER_MANIFEST.replace(from, to)
}

#[test]
fn a_folder_is_split_by_its_exports() {
    let project = Project::new();
    let extension = Extension::from_folder(&project.path("metrics"), Limits::default()).unwrap();
    assert_eq!(names(&extension.api), ["acme/metrics/Metrics$Unit", "acme/metrics/Metrics", "acme/metrics/Sample"]);
    assert_eq!(names(&extension.implementation), ["acme/metrics/impl/MetricsImpl", "acme/metrics/impl/Store"]);
    let resources: Vec<&str> = extension.resources.iter().map(|resource| resource.path.as_str()).collect();
    assert_eq!(resources, ["META-INF/services/acme.metrics.Metrics", "acme/metrics/names.txt"]);
    assert_eq!(extension.metadata.exports, ["acme.metrics.Sample"]);
    assert_eq!(extension.notes, [""; 0]);
}

#[test]
fn the_exports_attribute_counts_as_the_index_does() {
    let project = Project::new();
    fs_err::remove_file(project.path("metrics/META-INF/btrace/exports.index")).unwrap();
    let with = manifest("-Permissions:", "-Exports: acme.metrics.Sample\r\nBTrace-Extension-Permissions:");
    project.write("metrics/META-INF/MANIFEST.MF", with);
    let extension = Extension::from_folder(&project.path("metrics"), Limits::default()).unwrap();
    assert_eq!(names(&extension.api).len(), 3);
}

#[test]
fn an_api_that_shows_hidden_types_is_refused() {
    let text = refused(|project| fs_err::remove_file(project.path("metrics/META-INF/btrace/exports.index")).unwrap());
    assert_eq!(
        text,
        "API class `acme.metrics.Metrics` of extension `acme-metrics` refers to an implementation class: `acme.metrics.Sample`"
    );
}

#[test]
fn hidden_types_are_found_in_every_visible_place() {
    for (body, shown) in [
        ("class S extends x.Hidden {}", true),
        ("interface S extends x.Iface {}", true),
        ("class S { public x.Hidden field; }", true),
        ("class S { protected x.Hidden[][] field; }", true),
        ("class S { public x.Hidden method() { return null; } }", true),
        ("class S { public void method(int a, x.Hidden b) {} }", true),
        ("class S { public void method() throws x.Oops {} }", true),
        ("class S { private x.Hidden field; void method() { new x.Hidden(); } }", false),
    ] {
        let project = Project::new();
        let sources = [
            ("x/Hidden.java", "package x; public class Hidden {}"),
            ("x/Iface.java", "package x; public interface Iface {}"),
            ("x/Oops.java", "package x; public class Oops extends Exception {}"),
            ("x/SImpl.java", "package x; class SImpl {}"),
            ("x/S.java", &format!("package x; public {body}")),
        ];
        project.compile(&sources, "other");
        let text = manifest("acme.metrics.Metrics", "x.S");
        project.write("other/META-INF/MANIFEST.MF", text);
        let result = Extension::from_folder(&project.path("other"), Limits::default());
        assert_eq!(
            matches!(result, Err(Error::Extension(ExtensionError::ApiNotClosed { .. }))),
            shown,
            "{body}: {result:?}"
        );
    }
}

#[test]
fn incomplete_folders_are_refused() {
    let write = |text: String| move |project: &Project| project.write("metrics/META-INF/MANIFEST.MF", text);
    assert_eq!(
        refused(write(manifest("BTrace-Extension-Permissions: THREADS,NETWORK\r\n", ""))),
        "extension `acme-metrics` declares no permissions: `BTrace-Extension-Permissions` is absent from \
         `metrics/META-INF/MANIFEST.MF`"
    );
    assert_eq!(
        refused(write(manifest("acme.metrics.Metrics", "acme.metrics.Absent"))),
        "extension `acme-metrics` has no class for its service: `acme.metrics.Absent`"
    );
    assert_eq!(refused(write(manifest("THREADS", "THREDS"))), "cannot use `metrics/META-INF/MANIFEST.MF`");
    assert_eq!(
        refused(write(manifest("Manifest-Version: 1.0", "Manifest-Version 1.0"))),
        "cannot use `metrics/META-INF/MANIFEST.MF`"
    );
    assert_eq!(
        refused(write("Manifest-Version: 1.0\r\n\r\n".into())),
        "not an extension: `metrics`: its manifest has no `BTrace-Extension-Id`"
    );
    assert_eq!(
        refused(|project| fs_err::remove_file(project.path("metrics/META-INF/MANIFEST.MF")).unwrap()),
        "not an extension: `metrics`: it has no `META-INF/MANIFEST.MF`"
    );
    assert_eq!(
        refused(|project| {
            fs_err::remove_file(project.path("metrics/META-INF/MANIFEST.MF")).unwrap();
            project.write("metrics/pom.xml", "");
        }),
        "not an extension: `metrics`: it is a Maven project without `extension.toml`"
    );
    assert_eq!(
        refused(|project| fs_err::remove_dir_all(project.path("metrics")).unwrap()),
        "file does not exist: `metrics`"
    );
    assert_eq!(
        refused(|project| project.write("metrics/META-INF/btrace/exports.index", "acme.metrics.Sample\nacme.Absent\n")),
        "extension `acme-metrics` has no class that its `META-INF/btrace/exports.index` names: `acme.Absent`"
    );
    assert_eq!(
        refused(|project| project.write("metrics/META-INF/services/acme.metrics.Metrics", "acme.Absent\n")),
        "extension `acme-metrics` has no implementation of its service: `acme.metrics.Metrics`"
    );
    assert_eq!(
        refused(|project| {
            fs_err::remove_file(project.path("metrics/META-INF/services/acme.metrics.Metrics")).unwrap();
        }),
        "extension `acme-metrics` has no implementation of its service: `acme.metrics.Metrics`"
    );
    assert_eq!(
        refused(write(manifest("-Permissions:", "-Configurator: a.B\r\nBTrace-Extension-Permissions:"))),
        "extension `acme-metrics` has no class that its configurator names: `a.B`"
    );
    assert_eq!(
        refused(|project| {
            fs_err::rename(project.path("metrics/acme/metrics/Sample.class"), project.path("metrics/Sample.class"))
                .unwrap();
        }),
        "`metrics/Sample.class` holds another class: `acme.metrics.Sample`"
    );
    assert_eq!(
        refused(|project| project.write("metrics/acme/Broken.class", "no class")),
        "not a usable class: `metrics/acme/Broken.class`"
    );
}

#[test]
fn reserved_packages_are_refused() {
    for package in ["java.util", "io.btrace.core.x", "io.btrace.runtime", "io.btrace.boot", "io.btrace.agent"] {
        let text = refused(|project| {
            project.compile(&[("A.java", &format!("package {package}; class Added {{}}"))], "metrics");
        });
        assert_eq!(text, format!("extension `acme-metrics` has a class in a reserved package: `{package}.Added`"));
    }
}

#[test]
fn no_permissions_can_be_declared() {
    let project = Project::new();
    project.write("metrics/META-INF/MANIFEST.MF", manifest("THREADS,NETWORK", ""));
    let extension = Extension::from_folder(&project.path("metrics"), Limits::default()).unwrap();
    assert_eq!(extension.metadata.permissions.as_deref(), Some(&[][..]));
}

#[test]
fn a_zip_is_split_by_its_jars() {
    let project = Project::new();
    let extension = Extension::from_zip(&project.path("statsd.zip"), Limits::default()).unwrap();
    assert_eq!(extension.id(), "vendor-statsd");
    assert_eq!(names(&extension.api), ["vendor/statsd/Statsd"]);
    assert_eq!(names(&extension.implementation), ["vendor/statsd/StatsdImpl"]);
    assert_eq!(extension.metadata.exports, [""; 0]);
    let origin = extension.implementation[0].origin.to_string();
    assert!(origin.starts_with("`vendor/statsd/StatsdImpl.class` of `"), "{origin}");
    assert!(origin.ends_with("statsd.zip!/vendor-statsd-1.0.0-impl.jar`"), "{origin}");
}

/// Rebuilds the statsd zip with what `change` makes of its entries.
fn changed_zip(project: &Project, more: &[(&str, &[u8])], keep: impl Fn(&str) -> bool) -> Result<Extension> {
    let zip = project.path("statsd.zip");
    let mut jar = fixtures::Jar::new();
    for name in fixtures::entry_names(&zip).unwrap().into_iter().filter(|name| keep(name)) {
        jar = jar.file(&name, &fixtures::read_entry(&zip, &name).unwrap());
    }
    let jar = more.iter().fold(jar, |jar, (name, bytes)| jar.file(name, bytes));
    jar.write(&project.path("changed.zip")).unwrap();
    Extension::from_zip(&project.path("changed.zip"), Limits::default())
}

#[test]
fn a_zip_may_carry_what_its_manifest_leaves_open() {
    let project = Project::new();
    let properties = b"configurator=vendor.statsd.StatsdImpl\nid=other\nversion=9\nconfigurater=x\n";
    let more: [(&str, &[u8]); 2] = [("extension.properties", properties), ("notes.txt", b"x")];
    let extension = changed_zip(&project, &more, |_| true).unwrap();
    assert_eq!(extension.metadata.configurator.as_deref(), Some("vendor.statsd.StatsdImpl"));
    assert_eq!((extension.id(), extension.metadata.version.as_str()), ("vendor-statsd", "1.0.0"));
    let [unknown, overruled, other] = extension.notes.as_slice() else { panic!("three notes: {:?}", extension.notes) };
    assert!(
        overruled.ends_with("counts: `id` is `vendor-statsd`, not `other`; `version` is `1.0.0`, not `9`"),
        "{overruled}"
    );
    assert!(unknown.ends_with("has an unknown key: `configurater`, did you mean `configurator`?"), "{unknown}");
    assert!(other.starts_with("`notes.txt` of `") && other.ends_with("is not embedded"), "{other}");
}

#[test]
fn zips_that_are_no_extension_say_what_is_missing() {
    let project = Project::new();
    let text = |more: &[(&str, &[u8])], keep: &dyn Fn(&str) -> bool| {
        let error = changed_zip(&project, more, keep).unwrap_err();
        error.to_string().split_once("changed.zip").unwrap().1.to_owned()
    };
    assert_eq!(text(&[], &|name| !name.ends_with("-api.jar")), "`: it has no `*-api.jar` at its root");
    assert_eq!(text(&[("two-api.jar", b"")], &|_| true), "`: it has more than one `*-api.jar` at its root");
    let missing = text(&[], &|name| !name.ends_with("-impl.jar"));
    assert!(
        missing.starts_with("`: it has no `vendor-statsd-1.0.0-impl.jar`, which `META-INF/MANIFEST.MF` of "),
        "{missing}"
    );
    let broken = changed_zip(&project, &[("x-api.jar", b"no jar")], |name| !name.ends_with("-api.jar")).unwrap_err();
    assert!(broken.to_string().starts_with("not a jar: `"), "{broken}");
    let plain = fixtures::Jar::new().attribute("Implementation-Title", "x").bytes().unwrap();
    let plain = text(&[("x-api.jar", &plain)], &|name| !name.ends_with("-api.jar"));
    assert!(plain.starts_with("`: `BTrace-Extension-Id` is absent from "), "{plain}");
}

#[test]
fn a_description_of_old_is_read_and_what_the_code_needs_is_declared() {
    let project = Project::new();
    let reader = "package vendor.statsd; public class StatsdImpl implements Statsd {
        public void send(String text) { new java.io.File(text).delete(); } }";
    let zip = statsd("old").implementation("vendor/statsd/StatsdImpl.java", reader).build(&project.path("")).unwrap();
    let class = |jar: &str, name: &str| {
        let path = project.path(jar);
        fs_err::write(&path, fixtures::read_entry(&zip, jar).unwrap()).unwrap();
        fixtures::read_entry(&path, name).unwrap()
    };
    let text = "extension.id=old\nextension.version=1.0.0\nservices=vendor.statsd.Statsd\nextension.nam=x\n";
    let api = fixtures::Jar::new()
        .attribute("A", "b")
        .file("META-INF/btrace-extension.properties", text.as_bytes())
        .file("vendor/statsd/Statsd.class", &class("old-1.0.0-api.jar", "vendor/statsd/Statsd.class"));
    let hidden = fixtures::Jar::new()
        .file("vendor/statsd/StatsdImpl.class", &class("old-1.0.0-impl.jar", "vendor/statsd/StatsdImpl.class"));
    let zip =
        fixtures::Jar::new().file("x-api.jar", &api.bytes().unwrap()).file("x-impl.jar", &hidden.bytes().unwrap());
    zip.write(&project.path("old.zip")).unwrap();
    let extension = Extension::from_zip(&project.path("old.zip"), Limits::default()).unwrap();
    assert_eq!(extension.metadata.permissions.as_deref(), Some(&[manifests::permission::Permission::FileWrite][..]));
    assert!(extension.resources.is_empty(), "{:?}", extension.resources.len());
    let [deprecated, unknown, scanned] = extension.notes.as_slice() else { panic!("{:?}", extension.notes) };
    assert!(
        deprecated.contains("!/x-api.jar` is deprecated: describe the extension in `extension.toml`, from which "),
        "{deprecated}"
    );
    assert!(unknown.ends_with("has an unknown key: `extension.nam`, did you mean `extension.name`?"), "{unknown}");
    assert_eq!(scanned, "extension `old` says nothing of permissions: what its code needs is declared, FILE_WRITE");
}

#[test]
fn a_folder_may_have_a_description_of_old() {
    let project = Project::new();
    fs_err::remove_file(project.path("metrics/META-INF/MANIFEST.MF")).unwrap();
    let text = "extension.id=acme-metrics\nservices=acme.metrics.Metrics\n";
    project.write("metrics/btrace-extension.properties", text);
    let extension = Extension::from_folder(&project.path("metrics"), Limits::default()).unwrap();
    assert_eq!((extension.id(), extension.metadata.permissions.as_deref()), ("acme-metrics", Some(&[][..])));
    assert!(extension.resources.iter().all(|resource| !resource.path.contains("btrace-extension")));
    assert!(extension.notes[0].contains("is deprecated"), "{:?}", extension.notes);
    assert_eq!(id_of(&project.path("metrics")).unwrap().as_deref(), Some("acme-metrics"));
}

#[test]
fn a_description_of_old_beside_a_manifest_is_left_out_with_a_note() {
    let project = Project::new();
    let zip = statsd("both")
        .resource("btrace-extension.properties", b"extension.id=both")
        .resource("META-INF/btrace-extension.properties", b"extension.id=both")
        .build(&project.path(""))
        .unwrap();
    project.write("metrics/btrace-extension.properties", "extension.id=acme-metrics\n");
    for (extension, files, by) in [
        (Extension::from_zip(&zip, Limits::default()), 2, "-api.jar` describes the extension"),
        (
            Extension::from_folder(&project.path("metrics"), Limits::default()),
            1,
            "MANIFEST.MF` describes the extension",
        ),
    ] {
        let extension = extension.unwrap();
        assert!(extension.resources.iter().all(|resource| !resource.path.contains("btrace-extension")));
        assert_eq!(extension.notes.len(), files, "{:?}", extension.notes);
        for note in &extension.notes {
            let says =
                note.contains("btrace-extension.properties` ") && note.contains("is left out: `META-INF/MANIFEST.MF");
            assert!(note.contains("is left out: `") && note.ends_with(by) || says, "{note}");
        }
    }
}

#[test]
fn what_the_manifest_overrules_is_told_once() {
    let project = Project::new();
    let with = |text: &str| {
        changed_zip(&project, &[("extension.properties", text.as_bytes())], |name| name != "extension.properties")
            .unwrap()
    };
    let permissions = with("id=vendor-statsd").metadata.permissions.unwrap();
    let declared = manifests::permission::format_list(&permissions);
    let same = format!("id=vendor-statsd\nversion=1.0.0\nbtrace.api.version=3.0\npermissions={declared}\nname=Given\n");
    let extension = with(&same);
    assert_eq!(
        (extension.notes.len(), extension.metadata.name.as_deref()),
        (0, Some("Given")),
        "{:?}",
        extension.notes
    );
    let other = "id=other\nversion=2.0.0\nbtrace.api.version=4.0+\njava.version=21+\npermissions=EXEC\n\
                 services=vendor.statsd.Statsd\n";
    let [note] = &with(other).notes[..] else { panic!("one note expected: {:?}", with(other).notes) };
    assert!(note.contains("-api.jar` says otherwise than `extension.properties` of `"), "{note}");
    let expected = format!(
        "`, and counts: `id` is `vendor-statsd`, not `other`; `version` is `1.0.0`, not `2.0.0`; \
         `btrace.api.version` is `3.0+`, not `4.0+`; `java.version` is `8+`, not `21+`; `permissions` is `{declared}`, not `EXEC`"
    );
    assert!(note.ends_with(&expected), "{note}");
}

#[test]
fn checksums_of_a_zip_hold() {
    let project = Project::new();
    let sum = |bytes: &[u8]| Sha256Hex::of(bytes).to_string();
    let zip = project.path("statsd.zip");
    let names = fixtures::entry_names(&zip).unwrap();
    let lines: Vec<String> =
        names.iter().map(|name| format!("{}  {name}\n", sum(&fixtures::read_entry(&zip, name).unwrap()))).collect();
    let with = |text: String| {
        changed_zip(&project, &[("checksums.sha256", text.as_bytes()), ("classes.index", b"x")], |_| true)
    };
    let index = format!("{}  classes.index\n", sum(b"x"));
    let extension = with(format!("{}{index}", lines.concat())).unwrap();
    assert_eq!(extension.notes, [""; 0]);
    for (text, problem) in [
        (lines.concat(), "it does not list `classes.index`"),
        (format!("{}{}  classes.index\n", lines.concat(), sum(b"y")), "`classes.index` has another SHA-256"),
        (format!("{}{index}{}  gone\n", lines.concat(), sum(b"")), "there is no `gone`"),
        ("abc\n".to_owned(), "a line is no SHA-256 with a name: `abc`"),
    ] {
        let error = with(text).unwrap_err();
        assert!(error.to_string().ends_with(&format!("says something else about the zip: {problem}")), "{error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn copies_of_api_classes_in_the_implementation() {
    let project = Project::new();
    let api = "package vendor.statsd; public interface Statsd { void send(String text); }";
    let same = statsd("same").implementation("vendor/statsd/Statsd.java", api).build(&project.path("")).unwrap();
    let extension = Extension::from_zip(&same, Limits::default()).unwrap();
    assert_eq!(names(&extension.implementation), ["vendor/statsd/StatsdImpl"]);
    assert!(extension.notes[0].ends_with("is left out: the same class is in the API"), "{:?}", extension.notes);

    let other = api.replace("void send", "default int more() { return 1; } void send");
    let other = statsd("other").implementation("vendor/statsd/Statsd.java", &other).build(&project.path("")).unwrap();
    let text = Extension::from_zip(&other, Limits::default()).unwrap_err().to_string();
    assert!(text.starts_with("class `vendor.statsd.Statsd` would be both an API class ("), "{text}");
}

#[test]
fn what_no_agent_needs_is_left_out_with_a_note() {
    let project = Project::new();
    let versioned = fs_err::read(project.path("metrics/acme/metrics/impl/Store.class")).unwrap();
    let zip = statsd("more")
        .resource("META-INF/X.SF", b"x")
        .resource("META-INF/INDEX.LIST", b"x")
        .resource("META-INF/versions/9/acme/metrics/impl/Store.class", &versioned)
        .build(&project.path(""))
        .unwrap();
    let extension = Extension::from_zip(&zip, Limits::default()).unwrap();
    let resources: Vec<&str> = extension.resources.iter().map(|resource| resource.path.as_str()).collect();
    assert_eq!(resources, ["vendor/statsd/defaults.properties", "META-INF/versions/9/acme/metrics/impl/Store.class"]);
    let [signature, classes] = extension.notes.as_slice() else { panic!("two notes expected: {:?}", extension.notes) };
    assert!(signature.contains("`META-INF/X.SF` of ") && signature.contains("is left out"), "{signature}");
    assert_eq!(
        classes,
        "classes for newer Java versions are kept as resources but not used, as the manifest does not say \
         `Multi-Release: true`: 1"
    );
}

#[test]
fn copies_of_api_classes_for_newer_versions_are_named() {
    let project = Project::new();
    let copy = fs_err::read(project.path("metrics/acme/metrics/Sample.class")).unwrap();
    project.write("metrics/META-INF/versions/11/acme/metrics/Sample.class", copy);
    let extension = Extension::from_folder(&project.path("metrics"), Limits::default()).unwrap();
    let [_, note] = extension.notes.as_slice() else { panic!("two notes expected: {:?}", extension.notes) };
    let start = "API class `acme.metrics.Sample` has a copy for a newer Java version, which nobody takes: `";
    assert!(note.starts_with(start) && note.ends_with("/versions/11/acme/metrics/Sample.class`"), "{note}");
}
