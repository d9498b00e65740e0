//! What is built: two jars and a zip.

use crate::work::{SOURCES, Work, entries, manifest, text};

#[test]
fn two_jars_and_a_zip_are_built_from_sources() {
    let work = Work::usual("name = \"Acme Metrics\"\n");
    work.write("src/main/resources/acme/metrics/names.txt", "ä\n");
    let run = work.compile().ok();
    assert!(run.stdout.ends_with("target/extension/acme-metrics-1.2.0-extension.zip\n"), "{}", run.stdout);
    assert_eq!(
        entries(&work.api()),
        [
            "META-INF/",
            "META-INF/MANIFEST.MF",
            "META-INF/btrace/exports.index",
            "acme/metrics/Full.class",
            "acme/metrics/Metrics$Unit.class",
            "acme/metrics/Metrics.class",
            "acme/metrics/Sample.class",
        ]
    );
    assert_eq!(
        entries(&work.implementation()),
        ["META-INF/", "META-INF/MANIFEST.MF", "acme/metrics/MetricsImpl.class", "acme/metrics/names.txt"]
    );
    assert_eq!(
        entries(&work.zip()),
        [
            "acme-metrics-1.2.0-api.jar",
            "acme-metrics-1.2.0-impl.jar",
            "checksums.sha256",
            "classes.index",
            "extension.properties",
        ]
    );
    assert_eq!(
        manifest(&work.api()),
        [
            "Manifest-Version: 1.0",
            "BTrace-Extension-Id: acme-metrics",
            "BTrace-Extension-Version: 1.2.0",
            "BTrace-Extension-Name: Acme Metrics",
            "BTrace-API-Version: 3.0+",
            "BTrace-Java-Version: 8+",
            "BTrace-Extension-Services: acme.metrics.Metrics",
            "BTrace-Extension-Permissions: NETWORK",
            "BTrace-Extension-Exports: acme.metrics.Full,acme.metrics.Sample",
            "BTrace-Extension-Impl: acme-metrics-1.2.0-impl.jar",
        ]
    );
    assert_eq!(
        text(&work.api(), "META-INF/btrace/exports.index"),
        "acme.metrics.Full\nacme.metrics.Metrics\nacme.metrics.Metrics$Unit\nacme.metrics.Sample\n"
    );
    let index = text(&work.zip(), "classes.index");
    let of_impl = "\nacme.metrics.MetricsImpl\tacme-metrics-1.2.0-impl.jar!/acme/metrics/MetricsImpl.class\t";
    assert!(index.starts_with("fatagent-classes 1\n") && index.contains(of_impl), "{index}");
    let sums = text(&work.zip(), "checksums.sha256");
    assert_eq!(sums.lines().map(|line| line.len() - 66).collect::<Vec<_>>(), [26, 27, 13, 20]);
}

#[test]
fn the_same_sources_give_the_same_bytes() {
    let (one, two) = (Work::usual(""), Work::usual(""));
    one.compile().ok();
    two.compile().ok();
    assert_eq!(fs_err::read(one.zip()).unwrap(), fs_err::read(two.zip()).unwrap());
}

#[test]
fn the_usual_outputs_of_build_tools_are_found() {
    let work = Work::usual("");
    work.compile_into("kept");
    for (file, folder) in [
        ("pom.xml", "target/classes"),
        ("build.gradle", "build/classes/java/main"),
        ("build.gradle.kts", "build/classes/kotlin/main"),
        ("README", "out"),
        ("README", "classes"),
        ("README", "bin"),
    ] {
        let path = work.path(folder);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::rename(work.path("kept"), &path).unwrap();
        work.write(file, "");
        let run = work.build().ok();
        assert!(entries(&work.api()).contains(&"acme/metrics/Metrics.class".to_owned()), "{folder}: {}", run.stderr);
        fs_err::remove_file(work.path(file)).unwrap();
        fs_err::rename(&path, work.path("kept")).unwrap();
    }
}

#[test]
fn resources_of_gradle_lie_in_a_folder_of_their_own() {
    let work = Work::usual("");
    work.compile_into("build/classes/java/main");
    work.write("build.gradle", "");
    work.write("build/resources/main/a.txt", "x");
    work.build().ok();
    assert_eq!(text(&work.implementation(), "a.txt"), "x");
}

#[test]
fn what_is_not_built_yet_comes_with_the_command_that_builds_it() {
    for (files, hint) in [
        (&["pom.xml"][..], "mvn package"),
        (&["pom.xml", "mvnw"], "./mvnw package"),
        (&["build.gradle"], "gradle classes"),
        (&["build.gradle.kts", "gradlew"], "./gradlew classes"),
        (&[], "fatagent extension build extension.toml --compile"),
    ] {
        let work = Work::usual("");
        for file in files {
            work.write(file, "");
        }
        let error = work.build().error();
        assert!(error.starts_with("error: extension.toml: the extension is not compiled: no class in `"), "{error}");
        assert!(error.ends_with(&format!("hint: run `{hint}`")), "{error}");
    }
    let work = Work::new("classes = [\"elsewhere\"]\n", &[]);
    let error = work.build().error();
    assert!(error.contains("no class in `elsewhere`") && error.contains("hint: compile it, or name"), "{error}");
}

#[test]
fn two_outputs_are_not_chosen_between() {
    let work = Work::usual("");
    work.compile_into("out");
    work.compile_into("bin");
    assert_eq!(
        work.build().error(),
        "error: extension.toml: two outputs of compilers are there: `out`, and `bin`\n\
         hint: name with `classes` the one that counts"
    );
    work.describe("classes = [\"bin\"]\n");
    work.build().ok();
}

#[test]
fn compiling_needs_sources_that_compile() {
    let work = Work::new("", &[]);
    let error = work.compile().error();
    assert!(error.starts_with("error: extension.toml: no source to compile in: `src/main/java`"), "{error}");
    let work = Work::new("", &[("acme/A.java", "package acme; class A { int x = \"\"; }")]);
    let run = work.compile();
    run.says("incompatible types");
    let error = run.error();
    assert!(
        error.starts_with("error: the sources cannot be compiled: src/main/java/acme/A.java:1: error: "),
        "{error}"
    );
    assert!(!work.path("target").exists(), "an empty folder is left");
    work.write("target/kept.txt", "x");
    work.compile().error();
    assert!(work.path("target").exists() && !work.path("target/extension").exists());
}

#[test]
fn java_versions_are_those_of_the_classes() {
    let work = Work::usual("java-version = \"11\"\n");
    work.compile().ok();
    assert!(manifest(&work.api()).contains(&"BTrace-Java-Version: 11+".to_owned()));
    work.compile_into("classes");
    work.describe("");
    work.build().ok();
    assert!(manifest(&work.api()).contains(&"BTrace-Java-Version: 11+".to_owned()));
    work.describe("java-version = \"8+\"\n");
    work.build()
        .ok()
        .says("warning: `java-version` of `extension.toml` is 8+, but a class needs 11: `classes/acme/metrics/");
}

#[test]
fn a_service_may_be_marked_described_or_listed() {
    let unmarked = SOURCES.map(|(path, text)| (path, text.replace("@io.btrace.core.extensions.ServiceDescriptor", "")));
    let sources: Vec<(&str, &str)> = unmarked.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let work = Work::new("", &sources);
    let error = work.compile().error();
    assert!(error.starts_with("error: extension.toml: the extension offers nothing"), "{error}");
    work.write("src/main/resources/META-INF/services/acme.metrics.Metrics", "acme.metrics.MetricsImpl\n");
    work.write("src/main/resources/META-INF/services/java.lang.Runnable", "acme.metrics.MetricsImpl\n");
    let service = "BTrace-Extension-Services: acme.metrics.Metrics".to_owned();
    work.compile().ok();
    assert!(manifest(&work.api()).contains(&service));
    fs_err::remove_dir_all(work.path("src/main/resources")).unwrap();
    work.describe("services = [\"acme.metrics.Metrics\"]\n");
    work.compile().ok();
    assert!(manifest(&work.api()).contains(&service));
}

#[test]
fn classes_with_providers_that_probes_cannot_use_are_no_services() {
    let inner = ("acme/metrics/Plugin.java", "package acme.metrics; public abstract class Plugin {}");
    let sources: Vec<(&str, &str)> = SOURCES.into_iter().chain([inner]).collect();
    let work = Work::new("", &sources);
    work.write("src/main/resources/META-INF/services/acme.metrics.Plugin", "acme.metrics.Plugin\n");
    work.compile().ok().says(
        "warning: `acme.metrics.Plugin` has providers in `META-INF/services/`, but is no interface: probes cannot have it injected",
    );
    assert!(manifest(&work.api()).contains(&"BTrace-Extension-Services: acme.metrics.Metrics".to_owned()));
    assert!(entries(&work.implementation()).contains(&"acme/metrics/Plugin.class".to_owned()));
}

#[test]
fn sources_that_were_changed_after_compiling_are_pointed_out() {
    let work = Work::usual("classes = [\"classes\", \"resources\"]\n");
    work.write("resources/a.txt", "x");
    work.compile_into("classes");
    work.build().ok().is_silent_about("compile it again");
    assert_eq!(text(&work.implementation(), "a.txt"), "x");
    let source =
        fs_err::OpenOptions::new().append(true).open(work.path("src/main/java/acme/metrics/Full.java")).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_hours(1);
    source.file().set_modified(later).unwrap();
    work.build().ok().says("Full.java` was changed after the classes were compiled: compile it again");
}
