//! What is said of an extension besides its classes.

use crate::work::{SOURCES, Work, entries, manifest, text};

const DESCRIPTOR: &str = "@io.btrace.core.extensions.ExtensionDescriptor(name = \"Named\", description = \"Counts\",
    version = \"1.2.0\", minBTraceVersion = \"3.1\", permissions = io.btrace.core.extensions.Permission.FILE_READ)
    package acme.metrics;";

#[test]
fn a_package_may_describe_what_the_file_leaves_open() {
    let work = Work::usual("");
    work.write("src/main/java/acme/metrics/package-info.java", DESCRIPTOR);
    work.compile().ok().says("warning: an annotation declares a permission that the code does not need: FILE_READ");
    let manifest = manifest(&work.api());
    for line in [
        "BTrace-Extension-Name: Named",
        "BTrace-Extension-Description: Counts",
        "BTrace-API-Version: 3.1+",
        "BTrace-Extension-Permissions: FILE_READ,NETWORK",
    ] {
        assert!(manifest.contains(&line.to_owned()), "{manifest:?}");
    }
    for (more, message) in [
        ("name = \"Other\"\n", "extension.toml: `name` is `Other`, but `"),
        ("api-version = \"3.0\"\n", "extension.toml: `api-version` is `3.0+`, but `"),
    ] {
        work.describe(more);
        let error = work.compile().error();
        assert!(
            error.starts_with(&format!("error: {message}")) && error.contains("package-info.class` says: `"),
            "{error}"
        );
    }
    work.describe("name = \"Named\"\n");
    work.compile().ok();
    work.write("extension.toml", "id = \"acme-metrics\"\nversion = \"1.3.0\"\n");
    assert!(work.compile().error().starts_with("error: extension.toml: `version` is `1.3.0`, but `"));
}

#[test]
fn two_packages_cannot_both_describe_it() {
    let work = Work::usual("");
    work.write("src/main/java/acme/metrics/package-info.java", DESCRIPTOR);
    work.write("src/main/java/acme/other/package-info.java", DESCRIPTOR.replace("acme.metrics", "acme.other"));
    let error = work.compile().error();
    assert!(error.starts_with("error: two packages have `@ExtensionDescriptor`: `"), "{error}");
    assert!(
        error.contains("acme/metrics/package-info.class`, and `") && error.contains("acme/other/package-info.class`"),
        "{error}"
    );
}

#[test]
fn classes_as_dependencies_do_not_tell_ids() {
    let work = Work::usual("");
    let text = "@io.btrace.core.extensions.ExtensionDescriptor(dependencies = MetricsImpl.class) package acme.metrics;";
    work.write("src/main/java/acme/metrics/package-info.java", text);
    work.compile()
        .ok()
        .says("names classes, 1, which do not tell the ids of extensions; hint: list those with `requires`");
    work.describe("requires = [\"acme-core\"]\n");
    work.compile().ok().is_silent_about("which do not tell");
    assert!(manifest(&work.api()).contains(&"BTrace-Extension-Requires: acme-core".to_owned()));
}

#[test]
fn settings_and_reasons_are_carried() {
    let work = Work::usual(
        "[[setting]]\nname = \"digits\"\ntype = \"integer\"\ndefault = 3\nhelp = \"Precision\"\n\
         [permissions]\nNETWORK = \"sends\"\nexec = \"asks the shell\"\n",
    );
    let run = work.compile().ok();
    run.says("Accepted NETWORK: sends (found)");
    run.says("Accepted EXEC: asks the shell (declared, but not found)");
    let properties = text(&work.zip(), "extension.properties");
    for line in [
        "permissions=NETWORK,EXEC",
        "setting.digits.type=integer",
        "setting.digits.default=3",
        "setting.digits.help=Precision",
        "permission.NETWORK.reason=sends",
        "permission.EXEC.reason=asks the shell",
    ] {
        assert!(properties.lines().any(|found| found == line), "{properties}");
    }
    work.write(
        "agent.toml",
        "[agent]\nname = \"acme\"\nversion = \"1.0.0\"\n[[extension]]\nfile = \"target/extension/acme-metrics-1.2.0-extension.zip\"\n",
    );
    let run = work.fatagent(&["build"]).ok();
    run.is_silent_about("does not need");
    run.is_silent_about("unknown key");
    let embedded = text(&work.path("acme.jar"), "META-INF/btrace-extensions/acme-metrics/extension.properties");
    for line in ["setting.digits.help=Precision", "permission.EXEC.reason=asks the shell"] {
        assert!(embedded.lines().any(|found| found == line), "{embedded}");
    }
}

#[test]
fn probes_are_carried_apart() {
    let probe =
        ("acme/probes/Trace.java", "package acme.probes; @io.btrace.core.annotations.BTrace public class Trace {}");
    let sources: Vec<(&str, &str)> = SOURCES.into_iter().chain([probe]).collect();
    let work = Work::new("", &sources);
    work.compile_into("classes");
    work.describe("probes = [\"classes/acme/probes/*.class\"]\n");
    work.build().ok();
    let names = entries(&work.implementation());
    assert!(names.contains(&"META-INF/btrace-probes/acme/probes/Trace.class".to_owned()), "{names:?}");
    assert!(!names.contains(&"acme/probes/Trace.class".to_owned()), "{names:?}");
    assert!(manifest(&work.api()).contains(&"BTrace-Extension-Probes: acme.probes.Trace".to_owned()));
    work.write("agent.toml", "[agent]\nname = \"acme\"\nversion = \"1.0.0\"\n[[extension]]\npath = \".\"\n");
    work.fatagent(&["build"]).ok();
    assert!(entries(&work.path("acme.jar")).contains(&"META-INF/btrace-probes/acme/probes/Trace.class".to_owned()));

    work.describe("probes = [\"classes/acme/metrics/Sample.class\"]\n");
    let error = work.build().error();
    assert!(
        error.contains("not a probe: `classes/acme/metrics/Sample.class`: `acme.metrics.Sample` has no `@BTrace`"),
        "{error}"
    );
    work.describe("probes = [\"none/*.class\"]\n");
    assert!(work.build().error().contains("`probes` matches neither a file nor a compiled class: `none/*.class`"));
}

#[test]
fn a_configurator_can_be_called() {
    let instance = "is no public class of which an instance can be made";
    let cases = [
        ("Chooser", "public class Chooser implements ExtensionConfigurator {", None),
        ("Heir", "public class Heir extends Chooser {", None),
        ("Plain", "public class Plain {", Some("does not implement `ExtensionConfigurator`")),
        ("Hidden", "class Hidden implements ExtensionConfigurator {", Some(instance)),
        ("Abstract", "public abstract class Abstract implements ExtensionConfigurator {", Some(instance)),
        (
            "Private",
            "public class Private implements ExtensionConfigurator { private Private() {}",
            Some("has no public constructor without parameters"),
        ),
    ];
    let work = Work::usual("");
    for (name, head, _) in cases {
        let text = format!(
            "package acme.metrics; import io.btrace.core.extensions.*; {head}
             public ProbeConfiguration configure(RuntimeEnvironment e, java.util.Map<String, String> s) {{ return null; }} }}"
        );
        work.write(&format!("src/main/java/acme/metrics/{name}.java"), text);
    }
    work.compile_into("classes");
    for (name, _, reason) in cases {
        work.describe(&format!("configurator = \"acme.metrics.{name}\"\n"));
        let run = work.build();
        if let Some(reason) = reason {
            let expected =
                format!("error: extension.toml: `acme.metrics.{name}` cannot be the configurator: it {reason}\n");
            assert!(run.error().starts_with(&expected), "{}", run.stderr);
        } else {
            run.ok();
            let line = format!("BTrace-Extension-Configurator: acme.metrics.{name}");
            assert!(manifest(&work.api()).contains(&line));
        }
    }
    work.describe("configurator = \"acme.Absent\"\n");
    let error = work.build().error();
    assert!(
        error.starts_with("error: extension `acme-metrics` has no class that its configurator names: `acme.Absent`"),
        "{error}"
    );
}

#[test]
fn a_description_of_old_is_read_and_not_written() {
    let work = Work::usual("services = [\"acme.metrics.Metrics\"]\n");
    let old = "extension.id=acme-metrics\nextension.name=Of Old\nrequires.extensions=acme-core\n";
    work.write("src/main/resources/btrace-extension.properties", old);
    let run = work.compile().ok();
    run.says(
        "src/main/resources/btrace-extension.properties` is deprecated: describe the extension in `extension.toml`",
    );
    let manifest = manifest(&work.api());
    for line in ["BTrace-Extension-Name: Of Old", "BTrace-Extension-Requires: acme-core"] {
        assert!(manifest.contains(&line.to_owned()), "{manifest:?}");
    }
    for jar in [work.api(), work.implementation()] {
        assert!(!entries(&jar).iter().any(|name| name.contains("btrace-extension.properties")));
    }
    work.write("src/main/resources/btrace-extension.properties", "extension.id=other\n");
    assert!(work.compile().error().starts_with("error: extension.toml: `id` is `acme-metrics`, but `"));
}

#[test]
fn nothing_of_a_description_of_old_is_dropped_silently() {
    let file = "src/main/resources/META-INF/btrace-extension.properties";
    let work = Work::usual("");
    work.write(
        file,
        "extension.id=acme-metrics\nbtrace.api.version=3.1\njava.version=11\nservices=acme.metrics.Metrics\n\
         shaded.packages=org.a->x.a,org.b->x.b\nextension.nam=x\n",
    );
    let run = work.compile().ok();
    run.says(&format!("`{file}` has an unknown key: `extension.nam`, did you mean `extension.name`?"));
    run.says(&format!(
        "warning: `shaded.packages` of `{file}` moves nothing: `org.a` to `x.a`, `org.b` to `x.b`; hint: write what is to move \
         under `[shade]` of `extension.toml`"
    ));
    let lines = manifest(&work.api());
    for line in ["BTrace-API-Version: 3.1+", "BTrace-Java-Version: 11+"] {
        assert!(lines.contains(&line.to_owned()), "{lines:?}");
    }
    for (toml, old, message) in [
        ("api-version = \"3.0\"\n", "btrace.api.version=3.1", "`api-version` is `3.0+`, but `"),
        ("java-version = \"8\"\n", "java.version=11", "`java-version` is `8+`, but `"),
        ("requires = [\"acme-core\"]\n", "requires.extensions=other", "`requires` is `acme-core`, but `"),
        (
            "services = [\"acme.metrics.Metrics\"]\n",
            "services=acme.Other",
            "`services` is `acme.metrics.Metrics`, but `",
        ),
    ] {
        work.describe(toml);
        work.write(file, format!("extension.id=acme-metrics\n{old}\n"));
        let error = work.compile().error();
        assert!(error.starts_with(&format!("error: extension.toml: {message}")), "{error}");
        let value = old.split_once('=').unwrap().1;
        assert!(error.contains(&format!("btrace-extension.properties` says: `{value}")), "{error}");
    }
    work.describe("java-version = \"11+\"\nrequires = [\"b\", \"a\"]\n");
    work.write(file, "extension.id=acme-metrics\njava.version=11\nrequires.extensions=a,b\n");
    work.compile().ok();
}

#[test]
fn malformed_descriptions_are_refused_with_their_place() {
    let work = Work::usual("");
    for (text, message) in [
        (
            "id = \"acmeMetrics\"\nversion = \"1.2.0\"\n",
            "extension.toml:1:6: `id` must be lowercase words and numbers joined by hyphens: `acmeMetrics`\nhint: did you mean `acme-metrics`?",
        ),
        (
            "id = \"a\"\nversion = \"1.2\"\n[permissions]\n",
            "extension.toml:2:11: `version` must be a semantic version such as `1.2.0`: `1.2`",
        ),
        (
            "id = \"a\"\nversion = \"1.2.0\"\n[permissions]\nNETWROK = \"x\"\n",
            "extension.toml:4:11: `permissions.NETWROK` must be a permission: `NETWROK`\nhint: did you mean `NETWORK`?",
        ),
    ] {
        work.write("extension.toml", text);
        let run = work.compile();
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert_eq!(run.stderr.trim_end(), format!("error: {message}"));
    }
    fs_err::remove_file(work.path("extension.toml")).unwrap();
    assert!(
        work.compile()
            .error()
            .starts_with("error: no `extension.toml` and no `[package.metadata.fatagent.extension]` in: `")
    );
}
