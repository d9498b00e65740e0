//! Small classes, each with a probe of its own, woven and run: what the handlers print, to the letter, and that the program
//! does what it does without them.
//!
//! The groups are those of the instrumentor tests of BTrace; the sources are ours. All classes of a group are compiled
//! together and all its probes are in one agent. One JVM runs them one after the other without the agent, one with it, and to
//! one it is attached once all classes are linked, so that they are woven from the bytes that the JVM makes of loaded classes.

mod arguments;
mod calls;
mod data;
mod methods;
mod places;
mod returns;
mod sizes;

use crate::harness::{AgentProject, Builder, BuiltAgent, Jdk, Output, Target, Test, each_jdk, process_folder};
use crate::product::{compile, jcmd_load};
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
}

/// A situation about which the agent has nothing to say.
pub(crate) fn situation(
    name: &'static str,
    target: impl Into<Cow<'static, str>>,
    handlers: impl Into<Cow<'static, str>>,
    expected: &'static [&'static str],
) -> Situation {
    Situation { name, target: target.into(), handlers: handlers.into(), expected, told: &[] }
}

impl Situation {
    /// Expects one line on standard error for each of these, which it contains.
    fn told(self, told: &'static [&'static str]) -> Self {
        Self { told, ..self }
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
    agent: BuiltAgent,
}

impl Built {
    fn new(group: &str, situations: &[Situation]) -> Self {
        let folder = tempfile::tempdir_in(process_folder()).expect("a folder").keep();
        let (classes, probes) = (folder.join("classes"), folder.join("probes"));
        let mut sources: Vec<_> = situations.iter().map(Situation::class).collect();
        sources.push(("situation/Main.java".to_owned(), MAIN.to_owned()));
        compile(&texts(&sources), &[], &classes);
        let mut sources: Vec<_> = situations.iter().map(Situation::probe).collect();
        sources.push(("trace/Marker.java".to_owned(), MARKER.to_owned()));
        compile(&texts(&sources), &[], &probes);
        let toml = "[agent]\nname = \"situations\"\nversion = \"1\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n";
        let project = AgentProject::new("situations", toml).file("group.txt", group).tree("probes", &probes);
        Self { classes, agent: project.build() }
    }
}

fn texts(sources: &[(String, String)]) -> Vec<(&str, &str)> {
    sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// Runs a group of situations on each JDK; the message of a failure has all that differ.
fn run(group: &'static str, situations: Vec<Situation>) {
    let situations = Arc::new(situations);
    let built: Arc<OnceLock<Built>> = Arc::default();
    each_jdk(&format!("situations, {group}"), move |test, jdk| {
        let built = built.get_or_init(|| Built::new(group, &situations));
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
    let builder = |options: &[String]| {
        let builder = Target::builder(jdk).class_path(&built.classes).main("situation.Main");
        let options = options.iter().cloned().chain(["-Dbtrace.agent.suppressDeprecation=true".to_owned()]);
        options.fold(builder, Builder::jvm_option)
    };
    let jar = built.agent.jar.display();
    let arguments = |file: &Path| format!("probes=Marker;{},scriptOutputFile={}", names.join(";"), file.display());
    let woven = |output: Output, file: &Path| {
        let printed = fs_err::read_to_string(file).unwrap_or_default();
        Woven { stdout: output.stdout, stderr: output.stderr, printed }
    };
    let named = |builder: Builder| names.iter().fold(builder, |builder, name| builder.arg(*name));

    let plain = named(builder(&[])).launch().wait_exit().expect_code(0).stdout;

    let file = test.folder().join("started.txt");
    let agent = format!("-javaagent:{jar}={}", arguments(&file));
    let started = woven(named(builder(&[agent])).launch().wait_exit().expect_code(0), &file);

    let file = test.folder().join("loaded.txt");
    let target = named(builder(&[]).arg("-loaded")).launch();
    target.wait_for_line("ready");
    jcmd_load(test, jdk, &target, &built.agent.jar, &arguments(&file));
    target.send_line("");
    let mut loaded = woven(target.wait_exit().expect_code(0), &file);
    loaded.stdout = loaded.stdout.replacen("ready\n", "", 1);

    let mut out = String::new();
    for (when, run) in [("from the start", started), ("once loaded", loaded)] {
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
            let lines = |lines: &[&str]| lines.iter().map(|line| format!("    {line}\n")).collect::<String>();
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
