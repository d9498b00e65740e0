//! Small classes, each with a probe of its own, woven and run: what the handlers print, to the letter, and that the program
//! does what it does without them.
//!
//! The groups are those of the instrumentor tests of `BTrace`; the sources are ours. All classes of a group are compiled
//! together and all its probes are in one agent. One JVM runs them one after the other without the agent, and three with it:
//! woven as they are loaded; attached to once all are linked, so that they are woven from the bytes that the JVM makes of loaded
//! classes; and with the version of Java 6, whose classes call handlers without `invokedynamic`.

mod arguments;
mod calls;
mod data;
mod edges;
mod methods;
mod modern;
mod places;
mod returns;
mod sizes;

use crate::harness::{AgentProject, Builder, BuiltAgent, Jdk, Output, Target, Test, each_jdk_of, jdks, process_folder};
use crate::product::{compile, jcmd_load};
use fixtures::JavaHome;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Runs each class that is named, and prints what its `run` returned or threw. With `-loaded` it first links all classes,
/// initializes none, and waits for a line.
const MAIN: &str = r#"package situation;
public class Main {
    public static void main(String[] names) throws Exception {
        int first = 0;
        if (names[0].equals("-loaded")) {
            first = 1;
            link();
            System.out.println("ready");
            System.in.read();
        }
        for (int i = first; i < names.length; i++) {
            begin(names[i]);
            Object result;
            try {
                result = Class.forName("situation." + names[i]).getMethod("run").invoke(null);
            } catch (java.lang.reflect.InvocationTargetException thrown) {
                result = thrown.getCause();
            }
            begin("");
            System.out.println(names[i] + ": " + result);
        }
    }
    static void begin(String name) {}
    static void link() throws Exception {
        for (String file : new java.io.File(System.getProperty("java.class.path"), "situation").list()) {
            String name = file.substring(0, file.length() - ".class".length());
            Class.forName("situation." + name, false, Main.class.getClassLoader()).getDeclaredMethods();
        }
    }
}
"#;

/// Writes which situation begins.
const MARKER: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Marker {
    @OnMethod(clazz = "situation.Main", method = "begin") public static void begin(String name) { println("== " + name); }
}
"#;

/// The class-file version of Java 6.
const JAVA_6: u16 = 50;

/// A class and its probe.
pub(crate) struct Situation {
    name: &'static str,
    /// Members of `situation.<name>`, from its first line on; `public static Object run()` is called.
    target: Cow<'static, str>,
    /// Members of the probe `trace.<name>`; `T` is the name of the class.
    handlers: Cow<'static, str>,
    /// What the handlers print.
    expected: &'static [&'static str],
    /// What is in the lines on standard error.
    told: &'static [&'static str],
    /// Whether its classes hold what those of Java 6 cannot.
    is_newer: bool,
}

/// A situation about which the agent has nothing to say.
pub(crate) fn situation(
    name: &'static str,
    target: impl Into<Cow<'static, str>>,
    handlers: impl Into<Cow<'static, str>>,
    expected: &'static [&'static str],
) -> Situation {
    Situation { name, target: target.into(), handlers: handlers.into(), expected, told: &[], is_newer: false }
}

impl Situation {
    /// Expects one line on standard error for each of these, which it contains.
    fn told(self, told: &'static [&'static str]) -> Self {
        Self { told, ..self }
    }

    /// Has lambdas, or interfaces with code.
    fn newer(self) -> Self {
        Self { is_newer: true, ..self }
    }

    /// Whether a class file, by its name, is of this situation.
    fn has(&self, file: &str) -> bool {
        file.strip_prefix(self.name).is_some_and(|rest| rest.starts_with(['.', '$']))
    }

    fn class(&self) -> (String, String) {
        let Self { name, target, .. } = self;
        let head = "package situation; import java.util.*; import java.util.function.*;";
        (format!("situation/{name}.java"), format!("{head} public class {name} {{ {target} }}\n"))
    }

    fn probe(&self) -> (String, String) {
        let Self { name, handlers, .. } = self;
        let source = format!(
            "package trace;\nimport io.btrace.core.annotations.*;\nimport io.btrace.core.types.AnyType;\nimport java.util.*;\n\
             import static io.btrace.core.annotations.Kind.*;\nimport static io.btrace.core.annotations.Where.*;\n\
             import static io.btrace.core.BTraceUtils.*;\n@BTrace public class {name} {{\n    \
             static final String T = \"situation.{name}\";\n{handlers}\n}}\n"
        );
        (format!("trace/{name}.java"), source)
    }
}

/// The classes and the agent of a group.
#[derive(Debug)]
struct Built {
    classes: PathBuf,
    /// The same with the version of Java 6, as far as they can have it.
    older: PathBuf,
    agent: BuiltAgent,
}

impl Built {
    fn new(group: &str, compiler: &JavaHome, release: &str, situations: &[Situation]) -> Self {
        let folder = tempfile::tempdir_in(process_folder()).expect("a folder").keep();
        let (classes, older, probes) = (folder.join("classes"), folder.join("older"), folder.join("probes"));
        let mut sources: Vec<_> = situations.iter().map(Situation::class).collect();
        sources.push(("situation/Main.java".to_owned(), MAIN.to_owned()));
        let options = ["--release", release, "-g", "-Xlint:-options"];
        fixtures::javac_of(compiler, &texts(&sources), &options, &classes).unwrap_or_else(|e| panic!("{e}"));
        fs_err::create_dir_all(older.join("situation")).expect("a folder");
        for entry in fs_err::read_dir(classes.join("situation")).expect("the classes").flatten() {
            let mut bytes = fs_err::read(entry.path()).expect("a class");
            let name = entry.file_name().to_string_lossy().into_owned();
            if situations.iter().any(|situation| situation.has(&name) && !situation.is_newer) {
                bytes[6..8].copy_from_slice(&JAVA_6.to_be_bytes());
            }
            fs_err::write(older.join("situation").join(name), bytes).expect("a class");
        }
        let mut sources: Vec<_> = situations.iter().map(Situation::probe).collect();
        sources.push(("trace/Marker.java".to_owned(), MARKER.to_owned()));
        compile(&texts(&sources), &[], &probes);
        let toml = "[agent]\nname = \"situations\"\nversion = \"1\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n";
        let project = AgentProject::new("situations", toml).file("group.txt", group).tree("probes", &probes);
        Self { classes, older, agent: project.build() }
    }
}

fn texts(sources: &[(String, String)]) -> Vec<(&str, &str)> {
    sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// Runs a group of situations on each JDK; the message of a failure has all that differ.
fn run(group: &'static str, situations: Vec<Situation>) {
    let compiler = || fixtures::compiler_home().expect("a JDK with a compiler");
    let features = jdks().iter().map(|jdk| jdk.feature).collect::<Vec<_>>();
    on_each(group, &features, move |_| Some((compiler(), "8")), situations);
}

/// Runs a group whose sources are of Java 17 or 25, on each JDK that is as new. One of another release than the compiler of
/// all tests compiles them itself; a runtime without a compiler cannot.
fn run_newer(group: &'static str, release: u32, situations: Vec<Situation>) {
    let text = if release == 17 { "17" } else { "25" };
    let compiler = move |jdk: &Jdk| {
        let common = fixtures::compiler_home().expect("a JDK with a compiler");
        let own = || jdk.javac().and_then(|javac| JavaHome::at(javac.parent()?.parent()?));
        let home = if common.feature >= release { common } else { own()? };
        Some((home, text))
    };
    let situations = situations.into_iter().map(Situation::newer).collect();
    let features = jdks().iter().map(|jdk| jdk.feature).filter(|feature| *feature >= release).collect::<Vec<_>>();
    on_each(group, &features, compiler, situations);
}

fn on_each(
    group: &'static str,
    features: &[u32],
    compiler: impl Fn(&Jdk) -> Option<(JavaHome, &'static str)> + Clone + Send + 'static,
    situations: Vec<Situation>,
) {
    let situations = Arc::new(situations);
    let built: Arc<OnceLock<Built>> = Arc::default();
    each_jdk_of(features, &format!("situations, {group}"), move |test, jdk| {
        let Some((compiler, release)) = compiler(jdk) else { return };
        let built = built.get_or_init(|| Built::new(group, &compiler, release, &situations));
        let failures = differences(test, jdk, built, &situations);
        assert!(failures.is_empty(), "{failures}");
    });
}

/// What came of one run with the agent.
struct Woven {
    stdout: String,
    stderr: String,
    printed: String,
}

fn differences(test: &Test, jdk: &Jdk, built: &Built, situations: &[Situation]) -> String {
    let names: Vec<&str> = situations.iter().map(|situation| situation.name).collect();
    let builder = |classes: &Path, options: &[String]| {
        let builder = Target::builder(jdk).class_path(classes).main("situation.Main");
        // The last two keep the JVM from taking a class whose frames are wrong.
        let always = [
            "-Dbtrace.agent.suppressDeprecation=true",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:-FailOverToOldVerifier",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
        ];
        options.iter().cloned().chain(always.map(str::to_owned)).fold(builder, Builder::jvm_option)
    };
    let jar = built.agent.jar.display();
    let arguments = |file: &Path| format!("probes=Marker;{},scriptOutputFile={}", names.join(";"), file.display());
    let woven = |output: Output, file: &Path| {
        let printed = fs_err::read_to_string(file).unwrap_or_default();
        Woven { stdout: output.stdout, stderr: output.stderr, printed }
    };
    let named = |builder: Builder| names.iter().fold(builder, |builder, name| builder.arg(*name));

    let plain = named(builder(&built.classes, &[])).launch().wait_exit().expect_code(0).stdout;

    let start = |classes: &Path, file: &str| {
        let file = test.folder().join(file);
        let agent = format!("-javaagent:{jar}={}", arguments(&file));
        woven(named(builder(classes, &[agent])).launch().wait_exit().expect_code(0), &file)
    };
    let started = start(&built.classes, "started.txt");
    let has_older = situations.iter().any(|situation| !situation.is_newer);
    let older = has_older.then(|| start(&built.older, "older.txt"));

    let file = test.folder().join("loaded.txt");
    let target = named(builder(&built.classes, &[]).arg("-loaded")).launch();
    target.wait_for_line("ready");
    jcmd_load(test, jdk, &target, &built.agent.jar, &arguments(&file));
    target.send_line("");
    let mut loaded = woven(target.wait_exit().expect_code(0), &file);
    loaded.stdout = loaded.stdout.replacen("ready\n", "", 1);

    let mut out = String::new();
    let older = older.map(|older| ("without invokedynamic", older));
    for (when, run) in [("from the start", started), ("once loaded", loaded)].into_iter().chain(older) {
        compare(&format!("{}, woven {when}", jdk.feature), &plain, &run, situations, &mut out);
    }
    out
}

fn compare(which: &str, plain: &str, woven: &Woven, situations: &[Situation], out: &mut String) {
    let printed = by_situation(&woven.printed);
    for (without, with) in plain.lines().zip(woven.stdout.lines()).filter(|(without, with)| without != with) {
        let _ = writeln!(out, "the program itself on {which}\n  without: {without}\n  with:    {with}");
    }
    if plain.lines().count() != woven.stdout.lines().count() {
        let _ = writeln!(out, "the program itself on {which}\n  without:\n{plain}\n  with:\n{}", woven.stdout);
    }
    for situation in situations {
        let name = situation.name;
        let actual = printed.get(name).map(Vec::as_slice).unwrap_or_default();
        if actual != situation.expected {
            let lines = |lines: &[&str]| lines.iter().map(|line| format!("    {line}\n")).collect::<Vec<_>>().concat();
            let (expected, actual) = (lines(situation.expected), lines(actual));
            let _ = writeln!(out, "{name} on {which}\n  expected:\n{expected}  actual:\n{actual}");
        }
    }
    if let Some(outside) = printed.get("") {
        let _ = writeln!(out, "printed outside of any situation on {which}: {outside:#?}");
    }
    // What the JVM says about being attached to.
    let mut told: Vec<&str> = woven.stderr.lines().filter(|line| !line.starts_with("WARNING: ")).collect();
    for (situation, wanted) in situations.iter().flat_map(|s| s.told.iter().map(move |wanted| (s.name, wanted))) {
        match told.iter().position(|line| line.contains(wanted)) {
            Some(at) => _ = told.remove(at),
            None => _ = writeln!(out, "{situation} on {which}: nothing told about `{wanted}`"),
        }
    }
    if !told.is_empty() {
        let _ = writeln!(out, "told besides on {which}: {told:#?}");
    }
}

/// The lines by the situation that ran then.
fn by_situation(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in text.lines() {
        match line.strip_prefix("== ") {
            Some(next) => name = next,
            None => all.entry(name).or_default().push(line),
        }
    }
    all
}
