//! A small but complete set of inputs: a base jar, two extensions and a probe, compiled by a real javac.
//!
//! Shared by the unit tests of the library and by the tests of the command line; each uses a part of it.
#![allow(dead_code, reason = "each test binary uses another part")]

pub(crate) mod raw_zip;
pub(crate) mod readers;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fixtures::{ExtensionZip, Jar};
use tempfile::TempDir;

/// Compiles for Java 8, as the product's own Java is.
const OPTIONS: [&str; 3] = ["--release", "8", "-Xlint:-options"];

/// What the core in the base holds: its bytes are only carried and hashed.
pub(crate) const CORE: &[u8] = b"stands for a library";

/// The target of this computer as a folder of a jar.
pub(crate) fn target() -> String {
    format!("linux-{}-{}", std::env::consts::ARCH, if cfg!(target_env = "musl") { "musl" } else { "gnu" })
}

const VISIBLE: [(&str, &str); 8] = [
    (
        "io/btrace/boot/Loader.java",
        "package io.btrace.boot;
         public final class Loader {
             public static void premain(String a, java.lang.instrument.Instrumentation i) {}
             public static void agentmain(String a, java.lang.instrument.Instrumentation i) {}
             public static void main(String[] a) {}
         }",
    ),
    ("io/btrace/boot/MaskedClassLoader.java", "package io.btrace.boot; public class MaskedClassLoader {}"),
    ("io/btrace/boot/MaskedJarUtils.java", "package io.btrace.boot; public class MaskedJarUtils {}"),
    ("io/btrace/boot/NativeLoader.java", "package io.btrace.boot; public class NativeLoader {}"),
    ("io/btrace/boot/NativeLoader24.java", "package io.btrace.boot; public class NativeLoader24 {}"),
    ("io/btrace/core/annotations/BTrace.java", "package io.btrace.core.annotations; public @interface BTrace {}"),
    ("io/btrace/extension/ExtensionBridge.java", "package io.btrace.extension; public interface ExtensionBridge {}"),
    ("io/btrace/runtime/IndyDispatcher.java", "package io.btrace.runtime; public class IndyDispatcher {}"),
];

const MASKED: [(&str, &str, &str); 4] = [
    ("agent", "io/btrace/agent/Main.java", "package io.btrace.agent; public class Main {}"),
    ("client", "io/btrace/client/Main.java", "package io.btrace.client; public class Main {}"),
    (
        "shared",
        "io/btrace/core/extensions/Extension.java",
        "package io.btrace.core.extensions; public class Extension {}",
    ),
    ("agent", "java/lang/FatAgentLinker.java", "package java.lang; public class FatAgentLinker {}"),
];

/// The folder extension `acme-metrics`: one service with a nested type, one exported class, one hidden class.
const FOLDER_EXTENSION: [(&str, &str); 4] = [
    (
        "acme/metrics/Metrics.java",
        "package acme.metrics;
         public interface Metrics { enum Unit { MS, BYTES } void add(Unit unit, long value); Sample[] samples(); }",
    ),
    ("acme/metrics/Sample.java", "package acme.metrics; public class Sample { public long value; }"),
    (
        "acme/metrics/impl/MetricsImpl.java",
        "package acme.metrics.impl;
         public class MetricsImpl implements acme.metrics.Metrics {
             private final Store store = new Store();
             public void add(Unit unit, long value) { store.sum += value; }
             public acme.metrics.Sample[] samples() { return new acme.metrics.Sample[0]; }
         }",
    ),
    ("acme/metrics/impl/Store.java", "package acme.metrics.impl; class Store { long sum; }"),
];

/// The manifest of `acme-metrics`.
pub(crate) const FOLDER_MANIFEST: &str = "Manifest-Version: 1.0\r\n\
    BTrace-Extension-Id: acme-metrics\r\n\
    BTrace-Extension-Version: 1.2.0\r\n\
    BTrace-Extension-Services: acme.metrics.Metrics\r\n\
    BTrace-Extension-Permissions: THREADS,NETWORK\r\n\r\n";

struct Compiled {
    folder: TempDir,
    base: Vec<u8>,
    statsd: PathBuf,
}

fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let sources: Vec<(&str, &str)> =
            VISIBLE.into_iter().chain(MASKED.into_iter().map(|(_, path, text)| (path, text))).collect();
        fixtures::javac(&sources, &OPTIONS, &at("base")).unwrap();
        fixtures::javac(&FOLDER_EXTENSION, &OPTIONS, &at("metrics")).unwrap();
        let class_path = at("base").display().to_string();
        let probe = [("demo/Trace.java", "package demo; @io.btrace.core.annotations.BTrace public class Trace {}")];
        fixtures::javac(&probe, &[&OPTIONS[..], &["-cp", &class_path]].concat(), &at("probe")).unwrap();
        let statsd = statsd("vendor-statsd").build(folder.path()).unwrap();
        let base = base_jar(&at("base")).bytes().unwrap();
        Compiled { folder, base, statsd }
    })
}

/// The zip extension, `vendor.statsd.Statsd` with its implementation by the naming rule.
pub(crate) fn statsd(id: &str) -> ExtensionZip {
    ExtensionZip::new(id, "1.0.0")
        .api("vendor/statsd/Statsd.java", "package vendor.statsd; public interface Statsd { void send(String text); }")
        .implementation(
            "vendor/statsd/StatsdImpl.java",
            "package vendor.statsd; public class StatsdImpl implements Statsd { public void send(String text) {} }",
        )
        .resource("vendor/statsd/defaults.properties", b"port=8125\n")
        .attribute("BTrace-Extension-Services", "vendor.statsd.Statsd")
        .attribute("BTrace-Extension-Permissions", "NETWORK")
}

/// A base jar in the layout of the build script's.
fn base_jar(classes: &Path) -> Jar {
    let read = |source: &str| fs_err::read(classes.join(source.replace(".java", ".class"))).unwrap();
    let mut entries: Vec<(String, Vec<u8>)> =
        VISIBLE.iter().map(|(source, _)| (source.replace(".java", ".class"), read(source))).collect();
    for (section, source, _) in MASKED {
        entries.push((format!("META-INF/btrace/{section}/{}", source.replace(".java", ".classdata")), read(source)));
    }
    entries.push((format!("META-INF/btrace/native/{}/libagent_core.so", target()), CORE.to_vec()));
    entries.push(("META-INF/btrace/shared/".to_owned(), Vec::new()));
    entries.sort();
    entries.iter().fold(base_attributes(Jar::new()).folder("META-INF/"), |jar, (name, bytes)| {
        if name.ends_with('/') { jar.folder(name) } else { jar.file(name, bytes) }
    })
}

fn base_attributes(jar: Jar) -> Jar {
    jar.attributes(&[
        ("Premain-Class", "io.btrace.boot.Loader"),
        ("Agent-Class", "io.btrace.boot.Loader"),
        ("Main-Class", "io.btrace.boot.Loader"),
        ("Can-Redefine-Classes", "true"),
        ("Can-Retransform-Classes", "true"),
        ("BTrace-Agent-Main", "io.btrace.agent.Main"),
        ("BTrace-Client-Main", "io.btrace.client.Main"),
    ])
}

/// A folder with all inputs and an `agent.toml`.
pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    /// Writes `base.jar`, `metrics/`, `statsd.zip`, `probes/Trace.class`, and an `agent.toml` that uses all of them.
    pub(crate) fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        let compiled = compiled();
        fs_err::write(project.path("base.jar"), &compiled.base).unwrap();
        copy_tree(&compiled.folder.path().join("metrics"), &project.path("metrics"));
        project.write("metrics/META-INF/MANIFEST.MF", FOLDER_MANIFEST);
        project.write("metrics/META-INF/btrace/exports.index", "acme.metrics.Sample\n");
        project.write("metrics/META-INF/services/acme.metrics.Metrics", "acme.metrics.impl.MetricsImpl\n");
        project.write("metrics/acme/metrics/names.txt", "ä\n");
        fs_err::copy(&compiled.statsd, project.path("statsd.zip")).unwrap();
        fs_err::create_dir_all(project.path("probes")).unwrap();
        fs_err::copy(compiled.folder.path().join("probe/demo/Trace.class"), project.path("probes/Trace.class"))
            .unwrap();
        project.toml(
            "[[extension]]\npath = \"metrics\"\n[[extension]]\nfile = \"statsd.zip\"\n\
             [probes]\ninclude = [\"probes/*.class\"]\n[args]\nport = 0\nscriptOutputFile = \"out file.txt\"\n\
             [manifest]\nattributes = { Specification-Title = \"Acme\" }\n",
        );
        project
    }

    /// A path of the project.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    /// Writes `agent.toml` with the usual `[agent]` table, then `more`.
    pub(crate) fn toml(&self, more: &str) {
        self.write(
            "agent.toml",
            format!("[agent]\nname = \"acme-agent\"\nversion = \"1.4.0\"\nbase = {{ file = \"base.jar\" }}\n\n{more}"),
        );
    }

    /// Compiles sources into a folder of the project, against its base.
    pub(crate) fn compile(&self, sources: &[(&str, &str)], relative: &str) {
        let class_path = compiled().folder.path().join("base").display().to_string();
        fixtures::javac(sources, &[&OPTIONS[..], &["-cp", &class_path]].concat(), &self.path(relative)).unwrap();
    }
}

/// The bytes of the jar at `path` without the entries called `names`, and with the others as they are. The JVM's own
/// rules are kept, so that only what is missing is wrong.
pub(crate) fn without_entries(path: &Path, names: &[&str]) -> Vec<u8> {
    rewritten(path, |name, bytes| (!names.contains(&name)).then_some(bytes))
}

/// The bytes of the jar at `path` with each file as `change` makes it; a file it makes nothing of is left out.
pub(crate) fn rewritten(path: &Path, change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut jar = Jar::new();
    for name in fixtures::entry_names(path).unwrap() {
        if name.ends_with('/') {
            jar = jar.folder(&name);
        } else if let Some(bytes) = change(&name, fixtures::read_entry(path, &name).unwrap()) {
            jar = jar.file(&name, &bytes);
        }
    }
    jar.bytes().unwrap()
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).sort_by_file_name() {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs_err::create_dir_all(target).unwrap();
        } else {
            fs_err::copy(entry.path(), target).unwrap();
        }
    }
}
