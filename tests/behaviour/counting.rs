//! A program under an agent that counts entries, returns and errors, beside the same program without it.

use std::path::PathBuf;
use std::time::Duration;

use crate::harness::{AgentProject, Builder, BuiltAgent, Jdk, Output, Settings, Target, Test, e2e_test_with};
use crate::product::compile;

/// How long one program may take on a busy machine; each runs twice.
const PATIENCE: Duration = Duration::from_mins(8);

/// Counts everything, with all that the handlers can be given, and tells the counts when the program is done. Only methods
/// whose names begin with a letter or `$`: a constructor that fails before its object is initialised has no error.
const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import io.btrace.core.types.AnyType;
import java.util.concurrent.atomic.AtomicLong;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Count {
    private static final AtomicLong entries = new AtomicLong();
    private static final AtomicLong returns = new AtomicLong();
    private static final AtomicLong errors = new AtomicLong();
    private static final AtomicLong strange = new AtomicLong();

    @OnMethod(clazz = "/PATTERN/", method = "/[a-zA-Z$_].*/")
    public static void entered(@Self Object self, @ProbeMethodName String method, AnyType[] arguments) {
        entries.incrementAndGet();
        if (method == null || arguments == null) strange.incrementAndGet();
    }
    @OnMethod(clazz = "/PATTERN/", method = "/[a-zA-Z$_].*/", location = @Location(Kind.RETURN))
    public static void returned(@Return AnyType result, @Duration long nanoseconds) {
        returns.incrementAndGet();
        if (nanoseconds < 0) strange.incrementAndGet();
    }
    @OnMethod(clazz = "/PATTERN/", method = "/[a-zA-Z$_].*/", location = @Location(Kind.ERROR))
    public static void failed(Throwable thrown, @Duration long nanoseconds) {
        errors.incrementAndGet();
        if (thrown == null || nanoseconds < 0) strange.incrementAndGet();
    }
    @OnMethod(clazz = "drive.Main", method = "done")
    public static void done(long active) {
        println(entries.get() + " " + returns.get() + " " + errors.get() + " " + active + " " + strange.get());
    }
}
"#;

/// Runs a program's `main`, then says how many of the counted methods are still being run by threads that are left.
const DRIVER: &str = r#"package drive;
import java.util.regex.Pattern;
public class Main {
    public static void main(String[] arguments) throws Throwable {
        Class<?> program = Class.forName(arguments[1]);
        String[] rest = java.util.Arrays.copyOfRange(arguments, 2, arguments.length);
        try {
            program.getMethod("main", String[].class).invoke(null, (Object) rest);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw e.getCause();
        }
        Pattern classes = Pattern.compile(arguments[0]);
        Pattern methods = Pattern.compile("[a-zA-Z$_].*");
        long active = 0;
        for (StackTraceElement[] stack : Thread.getAllStackTraces().values()) {
            for (StackTraceElement frame : stack) {
                if (classes.matcher(frame.getClassName()).matches() && methods.matcher(frame.getMethodName()).matches()
                    && !frame.isNativeMethod()) active++;
            }
        }
        done(active);
        System.out.flush();
        System.exit(0);
    }
    static void done(long active) {}
}
"#;

/// A program to run.
pub(crate) struct Program {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// The class with its `main`.
    pub(crate) main: &'static str,
    /// What is counted: a regular expression over the dotted names of classes.
    pub(crate) classes: &'static str,
    /// The least number of entries.
    pub(crate) least: u64,
    /// Whether it logs to standard error, which then differs from run to run.
    pub(crate) logs: bool,
    /// Whether some of the methods end by an exception.
    pub(crate) throws: bool,
}

/// What a run counted.
#[derive(Debug)]
struct Counts {
    entries: u64,
    returns: u64,
    errors: u64,
    active: u64,
    strange: u64,
}

/// What differs from program to program: class path, options and arguments.
pub(crate) type Prepare = fn(&Test, &Jdk) -> Prepared;

/// See [`Prepare`].
#[derive(Default)]
pub(crate) struct Prepared {
    pub(crate) class_path: Vec<PathBuf>,
    pub(crate) options: Vec<String>,
    pub(crate) arguments: Vec<String>,
    /// A folder that the program fills and that must come out the same.
    pub(crate) output: Option<PathBuf>,
}

/// Runs the program without the agent and with it, on one release of Java.
#[track_caller]
pub(crate) fn behaves(program: &'static Program, feature: u32, prepare: Prepare) {
    let settings = Settings::within(Duration::from_mins(20), None);
    e2e_test_with(&format!("{} on {feature}", program.name), &settings, move |test| {
        let jdk = Jdk::of(feature);
        let prepared = prepare(test, &jdk);
        let driver = test.compile_with(&[("drive/Main.java", DRIVER)], &["--release", "8", "-Xlint:-options"]);
        let agent = agent(test, program);
        let report = test.folder().join("counts.txt");
        let (plain, expected) = run(program, &jdk, &prepared, &driver, None);
        let option = format!("-javaagent:{}=probes=Count,scriptOutputFile={}", agent.jar.display(), report.display());
        let (woven, found) = run(program, &jdk, &prepared, &driver, Some(&option));
        assert_eq!(woven.stdout, plain.stdout, "{}: standard output", program.name);
        if program.logs {
            let agent: Vec<&str> = woven.stderr.lines().filter(|line| line.starts_with("[fatagent]")).collect();
            assert_eq!(agent, Vec::<&str>::new(), "{}: what the agent says", program.name);
        } else {
            assert_eq!(woven.stderr, plain.stderr, "{}: standard error", program.name);
        }
        assert!(expected == found, "{}: other files were written", program.name);
        let counts = counts(&fs_err::read_to_string(&report).expect("what the probe wrote"));
        assert_eq!(counts.entries, counts.returns + counts.errors + counts.active, "{}: {counts:?}", program.name);
        assert_eq!(counts.strange, 0, "{}: {counts:?}", program.name);
        assert!(counts.entries >= program.least, "{}: {counts:?}", program.name);
        assert!(!program.throws || counts.errors > 0, "{}: {counts:?}", program.name);
        println!("{} on {feature}: {counts:?}", program.name);
    });
}

fn agent(test: &Test, program: &Program) -> BuiltAgent {
    let probes = test.folder().join("probes");
    let pattern = program.classes.replace('\\', "\\\\");
    compile(&[("trace/Count.java", &PROBE.replace("PATTERN", &pattern))], &[], &probes);
    let toml = "[agent]\nname = \"count\"\nversion = \"1\"\n[limits]\nmaxMethods = 1000000\n\
                [probes]\ninclude = [\"probes/**/*.class\"]\n";
    AgentProject::new("count", toml).tree("probes", &probes).build()
}

/// The output, and each file of the output folder, which is emptied.
fn run(
    program: &Program,
    jdk: &Jdk,
    prepared: &Prepared,
    driver: &std::path::Path,
    agent: Option<&String>,
) -> (Output, Vec<(PathBuf, Vec<u8>)>) {
    if let Some(folder) = &prepared.output {
        fs_err::create_dir_all(folder).expect("a folder");
    }
    let label = if agent.is_some() { "woven" } else { "plain" };
    let mut jvm: Builder = Target::builder(jdk).label(&format!("{} {label}", program.name)).main("drive.Main");
    // Such a program has an arm's length of libraries; they are verified where the woven corpus is.
    jvm = jvm.jvm_option("-Dbtrace.agent.suppressDeprecation=true").class_path(driver);
    for option in agent.into_iter().chain(&prepared.options) {
        jvm = jvm.jvm_option(option);
    }
    for path in &prepared.class_path {
        jvm = jvm.class_path(path);
    }
    jvm = jvm.arg(program.classes).arg(program.main);
    for argument in &prepared.arguments {
        jvm = jvm.arg(argument);
    }
    let output = jvm.launch().patience(PATIENCE).wait_exit().expect_code(0);
    let mut files = Vec::new();
    if let Some(folder) = &prepared.output {
        for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
            let entry = entry.expect("a readable folder");
            if entry.file_type().is_file() {
                files.push((entry.path().to_path_buf(), fs_err::read(entry.path()).expect("a file")));
            }
        }
        assert!(!files.is_empty(), "{}: no files were written", program.name);
        fs_err::remove_dir_all(folder).expect("a folder to remove");
    }
    (output, files)
}

fn counts(text: &str) -> Counts {
    let line = text.lines().last().unwrap_or_default();
    let numbers: Vec<u64> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [entries, returns, errors, active, strange] = numbers[..] else { panic!("no counts: `{text}`") };
    Counts { entries, returns, errors, active, strange }
}
