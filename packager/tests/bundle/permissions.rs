//! What an extension declares that it may do.

use crate::work::{SOURCES, Work, manifest, text};

/// The usual project with another body of `MetricsImpl.samples`, and further sources.
fn doing(body: &str, more: &[(&str, &str)], description: &str) -> Work {
    let calling = format!(
        "package acme.metrics; public class MetricsImpl implements Metrics {{
             public java.util.List<Sample> samples(Unit unit) {{ try {{ {body} }} catch (Exception e) {{ }} return null; }} }}"
    );
    let mut sources: Vec<(&str, &str)> = SOURCES.into_iter().chain(more.iter().copied()).collect();
    sources[3].1 = &calling;
    Work::new(description, &sources)
}

fn declared(work: &Work) -> String {
    let manifest = manifest(&work.api());
    let line = manifest.iter().find_map(|line| line.strip_prefix("BTrace-Extension-Permissions:"));
    line.expect("no permissions").trim().to_owned()
}

const DEAD: (&str, &str) = (
    "acme/metrics/Dead.java",
    "package acme.metrics; class Dead { void m() throws Exception { new ProcessBuilder().start(); } }",
);

#[test]
fn the_manifest_declares_what_is_reached() {
    let work = doing("new java.net.Socket(\"h\", 1);", &[DEAD], "");
    let run = work.compile().ok();
    run.says("Scanned reachable: NETWORK; present: NETWORK,EXEC");
    run.says(
        "warning: the code needs a privileged permission that `[permissions]` does not accept: NETWORK (acme.metrics.MetricsImpl\
         .samples: call java.net.Socket.<init> reaches the network, by acme.metrics.MetricsImpl.samples)",
    );
    assert_eq!(declared(&work), "NETWORK");
    work.describe("[permissions]\nNETWORK = \"sends\"\n");
    work.compile().ok().is_silent_about("does not accept");
}

#[test]
fn everything_present_is_declared_where_code_cannot_be_scanned() {
    let work = doing("Class.forName(System.getProperty(\"x\"));", &[DEAD], "");
    work.compile()
        .ok()
        .says("warning: the extension reaches code that cannot be scanned, so that it declares everything present (");
    assert!(declared(&work).split(',').any(|name| name == "EXEC"), "{}", declared(&work));
}

#[test]
fn no_permission_is_declared_as_none() {
    let work = doing("", &[], "");
    work.compile().ok();
    assert_eq!(declared(&work), "");
    assert!(manifest(&work.api()).contains(&"BTrace-Extension-Permissions: ".to_owned()));
}

#[test]
fn configurators_probes_and_dependencies_count() {
    let chooser = (
        "acme/metrics/Chooser.java",
        "package acme.metrics; import io.btrace.core.extensions.*;
         public class Chooser implements ExtensionConfigurator {
             public ProbeConfiguration configure(RuntimeEnvironment e, java.util.Map<String, String> s) {
                 new java.io.File(\"x\").delete(); return null; } }",
    );
    let work = doing("", &[chooser], "configurator = \"acme.metrics.Chooser\"\n");
    work.compile().ok();
    assert_eq!(declared(&work), "FILE_WRITE");

    let work = doing("org.dep.D.go();", &[], "dependencies = [\"dep.jar\"]\n[shade]\n\"org.dep\" = \"x.{id}\"\n");
    let dependency = "package org.dep; public class D { public static void go() throws Exception { Runtime.getRuntime().exec(\"x\"); } }";
    work.library("dep.jar", &[("org/dep/D.java", dependency)], |jar| jar);
    work.compile().ok().says("(x.acme_metrics.D.go: call java.lang.Runtime.exec");
    assert_eq!(declared(&work), "EXEC");

    let probe = "package acme.probes; @io.btrace.core.annotations.BTrace public class Trace {
        public static void m() throws Exception { new java.net.Socket(\"h\", 1); } }";
    let work = doing("", &[("acme/probes/Trace.java", probe)], "");
    work.compile_into("classes");
    work.describe("probes = [\"classes/acme/probes/*.class\"]\n");
    work.build().ok();
    assert_eq!(declared(&work), "NETWORK");
}

#[test]
fn native_libraries_are_packed_and_scanned() {
    let work = doing("System.loadLibrary(\"x\");", &[], "native = [\"native/**/*.so\"]\n");
    // Any program of this system has imports.
    fs_err::create_dir_all(work.path("native/linux-x86_64")).unwrap();
    fs_err::copy(std::env::current_exe().unwrap(), work.path("native/linux-x86_64/libx.so")).unwrap();
    work.compile().ok();
    let names = crate::work::entries(&work.implementation());
    assert!(names.contains(&"META-INF/native/linux-x86_64/libx.so".to_owned()), "{names:?}");
    assert!(declared(&work).split(',').any(|name| name == "NATIVE"), "{}", declared(&work));
    work.write("native/linux-x86_64/liby.so", "no library");
    assert_eq!(
        work.compile().error(),
        "error: extension.toml: not a native library: `native/linux-x86_64/liby.so`\n\
         hint: `native` is for ELF, Mach-O and PE libraries; other files belong to the resources"
    );
}

#[test]
fn an_api_does_nothing_privileged() {
    let service = "package acme.metrics; @io.btrace.core.extensions.ServiceDescriptor public interface Metrics {
        enum Unit { MS } java.util.List<Sample> samples(Unit unit);
        default void go() throws java.io.IOException { Runtime.getRuntime().exec(\"x\"); } }";
    let mut sources = SOURCES;
    sources[0].1 = service;
    let work = Work::new("exports = [\"acme.metrics.Full\"]\n", &sources);
    let error = work.compile().error();
    assert!(
        error.starts_with(
            "error: API class `acme.metrics.Metrics` needs EXEC in method `go`: call `java.lang.Runtime.exec` "
        ),
        "{error}"
    );
    // Reading a property is no privilege.
    work.write(
        "src/main/java/acme/metrics/Metrics.java",
        service.replace("Runtime.getRuntime().exec", "System.getProperty"),
    );
    work.compile().ok();
    assert_eq!(declared(&work), "SYSTEM_PROPS,NETWORK");
}

#[test]
fn annotations_declare_too() {
    let marked = SOURCES[0].1.replace(
        "ServiceDescriptor",
        "ServiceDescriptor(permissions = {io.btrace.core.extensions.Permission.THREADS, io.btrace.core.extensions.Permission.NETWORK})",
    );
    let mut sources = SOURCES;
    sources[0].1 = &marked;
    let work = Work::new("", &sources);
    let run = work.compile().ok();
    run.says("warning: an annotation declares a permission that the code does not need: THREADS");
    run.is_silent_about("does not accept");
    assert_eq!(declared(&work), "NETWORK,THREADS");
}

#[test]
fn json_tells_what_was_built() {
    let work = doing("new java.net.Socket(\"h\", 1);", &[], "");
    let run = work.fatagent(&["--message-format", "json", "extension", "build", "--compile"]).ok();
    let value: serde_json::Value = serde_json::from_str(run.stdout.trim()).unwrap();
    assert_eq!((value["reason"].as_str(), value["permissions"][0].as_str()), (Some("extension"), Some("NETWORK")));
    let zip = value["zip"]["path"].as_str().unwrap();
    assert_eq!(fs_err::metadata(work.path(zip)).unwrap().len(), value["zip"]["size"].as_u64().unwrap());
    assert!(text(&work.zip(), "checksums.sha256").contains(value["api"]["sha256"].as_str().unwrap()));
}
