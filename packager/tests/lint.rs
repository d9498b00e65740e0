//! `fatagent extension lint` on extensions compiled by javac.

use std::process::Command;
use std::time::Duration;

use fixtures::ExtensionZip;
use serde_json::Value;
use tempfile::TempDir;

/// How long one program may run.
const LIMIT: Duration = Duration::from_mins(2);

const API: (&str, &str) = ("acme/Spi.java", "package acme; public interface Spi { void go(); }");
const IMPLEMENTATION: (&str, &str) =
    ("acme/SpiImpl.java", "package acme; public class SpiImpl implements Spi { public void go() {} }");

/// An extension without fault.
fn good() -> ExtensionZip {
    described("acme").api(API.0, API.1).implementation(IMPLEMENTATION.0, IMPLEMENTATION.1)
}

/// One without classes.
fn described(id: &str) -> ExtensionZip {
    ExtensionZip::new(id, "1.0.0")
        .attribute("BTrace-Extension-Services", "acme.Spi")
        .attribute("BTrace-Extension-Permissions", "")
        .beside("LICENSE", b"Apache-2.0")
        .beside("README.md", b"# acme")
}

/// Exit code, stdout and stderr.
fn lint(zip: &ExtensionZip, arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder: TempDir = tempfile::tempdir().unwrap();
    let zip = zip.build(folder.path()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    let output = fixtures::run(command.args(arguments).args(["extension", "lint"]).arg(zip), LIMIT).unwrap();
    (output.status.code(), output.stdout, output.stderr)
}

/// The extension has this error.
fn errs(zip: &ExtensionZip, line: &str) {
    let (code, stdout, stderr) = lint(zip, &[]);
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    assert!(stdout.contains(line), "{line}\n{stdout}{stderr}");
}

#[test]
fn an_extension_without_fault_passes() {
    let (code, stdout, stderr) = lint(&good(), &[]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stdout, "extension acme: errors: 0, warnings: 0, JDK modules: none but java.base\n");
}

#[test]
fn id_and_versions_are_checked() {
    errs(
        &described("Acme.Metrics").api(API.0, API.1).implementation(IMPLEMENTATION.0, IMPLEMENTATION.1),
        "error: id: extension id is not lowercase with hyphens: `Acme.Metrics`; hint: use `acme-metrics`",
    );
    errs(&good().attribute("BTrace-Extension-Version", "1.0"), "error: version: `1.0` is no semantic version: ");
    errs(
        &good().attribute("BTrace-API-Version", "three"),
        "error: api-version: `three` is no least version of the agent's API",
    );
    errs(
        &good().attribute("BTrace-API-Version", "3.1+"),
        "error: api-version: `3.1+` is newer than the agent's API, 3.0",
    );
    errs(&good().attribute("BTrace-Java-Version", "new"), "error: java-version: `new` is no least version of Java");
    // The fixtures compile for Java 8.
    errs(
        &good().attribute("BTrace-Java-Version", "1.7+"),
        "error: java-version: `1.7+` is claimed, but classes are for newer ones, 2, such as `acme.Spi",
    );
    let (code, stdout, _) = lint(&good().attribute("BTrace-Java-Version", "1.8+"), &[]);
    assert_eq!(code, Some(0), "{stdout}");
}

#[test]
fn providers_are_made_and_implement() {
    let with = |class: &str| described("acme").api(API.0, API.1).implementation("acme/SpiImpl.java", class);
    errs(
        &with("package acme; public class SpiImpl { public void go() {} }"),
        "error: provider: provider `acme.SpiImpl` of service `acme.Spi` does not implement `acme.Spi`",
    );
    errs(
        &with("package acme; public abstract class SpiImpl implements Spi { }"),
        "error: provider: provider `acme.SpiImpl` of service `acme.Spi` is abstract",
    );
    errs(
        &with("package acme; class SpiImpl implements Spi { public void go() {} }"),
        "error: provider: provider `acme.SpiImpl` of service `acme.Spi` has no public constructor without parameters",
    );
    errs(
        &with("package acme; class SpiImpl implements Spi { public SpiImpl() {} public void go() {} }"),
        "error: provider: provider `acme.SpiImpl` of service `acme.Spi` is not public",
    );
    for works in [
        "package acme; public class SpiImpl implements Spi { private SpiImpl() {}
           public static SpiImpl getInstance() { return null; } public void go() {} }",
        "package acme; public class SpiImpl extends Base { } class Base implements Spi { public void go() {} }",
    ] {
        let (code, stdout, stderr) = lint(&with(works), &[]);
        assert_eq!(code, Some(0), "{stdout}{stderr}");
    }
    let hidden = described("acme").api("acme/Spi.java", "package acme; interface Spi { void go(); }");
    errs(
        &hidden.implementation(IMPLEMENTATION.0, IMPLEMENTATION.1),
        "error: provider: service `acme.Spi` is not public",
    );
    let configured = good()
        .implementation("acme/Chooser.java", "package acme; public class Chooser {}")
        .attribute("BTrace-Extension-Configurator", "acme.Chooser");
    errs(
        &configured,
        "error: configurator: configurator `acme.Chooser` does not implement `io.btrace.core.extensions.ExtensionConfigurator`",
    );
    let (code, _, stderr) = lint(&described("acme").api(API.0, API.1), &[]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("acme.SpiImpl") && stderr.contains("hint: "), "{stderr}");
}

#[test]
fn shaded_packages_have_really_moved() {
    let shaded = |id: &str| good().attribute("BTrace-Shaded-Packages", id);
    let moved = ("acme/dep/Dep.java", "package acme.dep; public class Dep {}");
    let stays = ("org/dep/Dep.java", "package org.dep; public class Dep {}");
    let uses = ("acme/Uses.java", "package acme; class Uses { Object o = new org.dep.Dep(); }");
    errs(
        &shaded("org.dep->acme.dep").implementation(moved.0, moved.1).implementation(stays.0, stays.1),
        "error: shaded: `org.dep` is said to be `acme.dep`, but classes of it are there, 1, such as `org.dep.Dep`",
    );
    errs(&shaded("org.dep->acme.dep"), "error: shaded: `org.dep` is said to be `acme.dep`, but no class is there");
    let library = tempfile::tempdir().unwrap();
    fixtures::javac(&[stays], &["--release", "8"], library.path()).unwrap();
    errs(
        &shaded("org.dep->acme.dep")
            .class_path(library.path())
            .implementation(moved.0, moved.1)
            .implementation(uses.0, uses.1),
        "error: shaded: `org.dep` is said to be `acme.dep`, but `acme.Uses` still names `org.dep.Dep`",
    );
    let (code, stdout, _) = lint(&shaded("org.dep->acme.dep").implementation(moved.0, moved.1), &[]);
    assert_eq!(code, Some(0), "{stdout}");

    let whole = || shaded("org.dep->acme.dep").implementation(moved.0, moved.1);
    let said = "shaded: `org.dep` is said to be `acme.dep`, but";
    for (path, content, text) in [
        (
            "META-INF/services/org.dep.Spi",
            "acme.dep.Dep",
            "a service file has its old name: `META-INF/services/org.dep.Spi`",
        ),
        (
            "META-INF/services/java.sql.Driver",
            "org.dep.Dep # old",
            "`META-INF/services/java.sql.Driver` names `org.dep.Dep`",
        ),
        ("org/dep/a.properties", "a=b", "a resource is there: `org/dep/a.properties`"),
    ] {
        errs(&whole().resource(path, content.as_bytes()), &format!("error: {said} {text}"));
    }
    let with = |text: &str| {
        let class = format!("package acme; class Uses {{ String s = \"{text}\"; }}");
        lint(&whole().implementation("acme/Uses.java", &class), &[])
    };
    for text in ["org.dep.Dep", "org/dep/Dep"] {
        let (code, stdout, _) = with(text);
        assert_eq!(code, Some(1), "{stdout}");
        assert!(stdout.contains(&format!("error: {said} `acme.Uses` has the string `{text}`")), "{stdout}");
    }
    let (code, stdout, _) = with("org.dep.debug");
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains(&format!("warning: {said} `acme.Uses` has the string `org.dep.debug`")), "{stdout}");
    for text in ["org.depot.Dep", "see org.dep.Dep", "acme.dep.Dep", "org/deposit"] {
        let (code, stdout, _) = with(text);
        assert!(code == Some(0) && stdout.contains("warnings: 0"), "{stdout}");
    }
}

#[test]
fn modules_are_listed_and_must_be_visible() {
    let uses = good().implementation(
        "acme/Log.java",
        "package acme; class Log { java.util.logging.Logger l; Object m = java.sql.Types.class; }",
    );
    let (code, stdout, _) = lint(&uses, &["--message-format", "json"]);
    assert_eq!(code, Some(0), "{stdout}");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["modules"], serde_json::json!(["java.sql"]), "a private field is no use");
    errs(
        &described("acme")
            .api("acme/Spi.java", "package acme; public interface Spi { java.sql.Connection go(); }")
            .implementation("acme/SpiImpl.java", "package acme; public class SpiImpl implements Spi { public java.sql.Connection go() { return null; } }"),
        "error: modules: API class `acme.Spi` names `java.sql.Connection` of module `java.sql`, which bootstrap classes cannot see",
    );
}

#[test]
fn licence_and_readme_are_missed() {
    let bare = ExtensionZip::new("acme", "1.0.0")
        .attribute("BTrace-Extension-Services", "acme.Spi")
        .attribute("BTrace-Extension-Permissions", "")
        // Those of a dependency are none of the extension.
        .resource("META-INF/LICENSE", b"MIT")
        .resource("META-INF/README.md", b"# dependency")
        .api(API.0, API.1)
        .implementation(IMPLEMENTATION.0, IMPLEMENTATION.1);
    let (code, stdout, _) = lint(&bare, &[]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("warning: licence: no licence is beside the jars; hint: "), "{stdout}");
    assert!(stdout.contains("warning: readme: no readme is beside the jars; hint: "), "{stdout}");
    let folder = tempfile::tempdir().unwrap();
    let zip = bare.build(folder.path()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    let output = fixtures::run(command.args(["extension", "lint", "--strict"]).arg(zip), LIMIT).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        output.stderr.contains("error: extension `acme` does not pass, errors: 0, warnings: 2"),
        "{}",
        output.stderr
    );
}

#[test]
fn the_rules_of_the_api_hold_for_what_others_built() {
    let of = |spi: &str| described("acme").api(API.0, spi).implementation(IMPLEMENTATION.0, IMPLEMENTATION.1);
    errs(
        &of("package acme; public interface Spi { Object O = Run.go(); void go(); class Run { static Object go() { \
             try { return Runtime.getRuntime().exec(\"ls\"); } catch (java.io.IOException e) { return null; } } } }"),
        "error: api: API class `acme.Spi$Run` needs EXEC in method `go`: ",
    );
    errs(
        &good().api("javax/sql/S.java", "package javax.sql; public class S {}"),
        "error: api: API class `javax.sql.S` of extension `acme` is in a package that module `java.sql` of the JDK has too",
    );
    let folder = tempfile::tempdir().unwrap();
    fixtures::javac(&[("org/x/X.java", "package org.x; public class X {}")], &["--release", "8"], folder.path())
        .unwrap();
    errs(
        &of("package acme; public interface Spi { org.x.X X = null; void go(); }").class_path(folder.path()),
        "error: api: API class `acme.Spi` names in field `X` a class that is neither the extension's nor the JDK's: `org.x.X`",
    );
}

#[test]
fn classes_that_are_marked_as_probes_and_are_none_are_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let annotation =
        ("io/btrace/core/annotations/BTrace.java", "package io.btrace.core.annotations; public @interface BTrace {}");
    fixtures::javac(&[annotation], &["--release", "8"], folder.path()).unwrap();
    let probe = "package acme; @io.btrace.core.annotations.BTrace class Trace {}";
    let (code, stdout, _) = lint(&good().class_path(folder.path()).implementation("acme/Trace.java", probe), &[]);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(
        stdout
            .contains("warning: probe: `acme.Trace` has `@BTrace`, but is an ordinary class of the extension; hint: "),
        "{stdout}"
    );
}
