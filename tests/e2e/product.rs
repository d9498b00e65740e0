//! The application, the probe, the extensions and the agent that most tests share.

use crate::harness::{AgentProject, Builder, BuiltAgent, Jdk, Target, Test, step};
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// One round of work per line on standard input; says on standard output what it computed.
const APP: &str = r#"package app;
public class App {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            Orders orders = new Orders("shop");
            String result = orders.place("id-" + line, 3, 1.5) + " " + Orders.greet(line);
            try {
                orders.reject(line);
            } catch (IllegalStateException swallowed) {
                result += " swallowed";
            }
            System.out.println("round " + line + ": " + result);
        }
        System.out.println("visible: " + visible("metrics.CounterImpl") + " " + visible("stats.impl.StatsService"));
        System.exit(5);
    }
    private static boolean visible(String name) {
        try {
            Class.forName(name, false, App.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
"#;

const ORDERS: &str = r#"package app;
public class Orders {
    private final String name;
    public Orders(String name) { this.name = name; }
    public long place(String id, int n, double price) { return n * 10L; }
    public static String greet(Object who) { return "hi " + who; }
    public void reject(String why) { throw new IllegalStateException("bad " + why + " at " + name); }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import io.btrace.core.types.AnyType;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class OrderTrace {
    @Injected private static metrics.Counter counter;
    @Injected private static stats.Stats stats;

    @OnMethod(clazz = "app.Orders", method = "place")
    public static void entry(@Self Object self, @ProbeMethodName String method, String id, int n, double price) {
        println(concat(concat("entry ", method), concat(" ", id)) + " " + n + " " + price + " " + (self != null));
        println("count " + counter.next() + " stats " + stats.name());
    }
    @OnMethod(clazz = "app.Orders", method = "place", location = @Location(Kind.RETURN))
    public static void exit(@Return long result, @Duration long duration, @ProbeClassName String type, AnyType[] all) {
        println("return " + result + " " + (duration >= 0) + " " + type + " " + all.length + " " + str(all[1]));
    }
    @OnMethod(clazz = "/app\\.Ord.*/", method = "/gr.*/", location = @Location(Kind.RETURN))
    static void any(@Return AnyType result, @ProbeMethodName(fqn = true) String method) {
        println("regex " + method + " " + str(result));
    }
    @OnMethod(clazz = "app.Orders", method = "reject", location = @Location(Kind.ERROR))
    public static void error(@TargetInstance Throwable thrown, @Duration long duration) {
        println("error " + thrown.getMessage() + " " + (duration >= 0));
        jstack(thrown, 1);
    }
    @OnMethod(clazz = "app.Orders", method = "<init>")
    public static void made(@Self Object self, String name) {
        println("made " + (self != null) + " " + name + " " + (timeMillis() > 0) + " " + (timeNanos() != 0));
    }
    @OnMethod(clazz = "app.Orders", method = "place")
    public static void bad() { throw new IllegalStateException("a handler's own failure"); }
}
"#;

const COUNTER: &str = "package metrics; public interface Counter { long next(); }";
/// Found as `<Service>Impl`; uses the extension SDK.
const COUNTER_IMPL: &str = r"package metrics;
public class CounterImpl extends io.btrace.core.extensions.Extension implements Counter {
    private long n;
    public void initialize(io.btrace.core.extensions.ExtensionContext context) { super.initialize(context); n = 100; }
    public synchronized long next() { return ++n; }
}
";

const STATS: &str = "package stats; public interface Stats { String name(); }";
/// Found through its service descriptor; reads a resource of its own.
const STATS_IMPL: &str = r#"package stats.impl;
public class StatsService implements stats.Stats {
    public String name() {
        try (java.io.InputStream in = StatsService.class.getResourceAsStream("/stats/name.txt")) {
            byte[] text = new byte[64];
            return new String(text, 0, in.read(text)).trim();
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }
}
"#;

pub(crate) const TOML: &str = r#"[agent]
name = "order-agent"
version = "1.2.3"

[[extension]]
file = "stats-1.0.0-extension.zip"

[[extension]]
path = "counter"

[probes]
include = ["probes/**/*.class"]
"#;

const JAVAC: [&str; 4] = ["--release", "8", "-Xlint:-options", "-proc:none"];

/// The root of the project's sources.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the project's root")
}

/// Classes of the API that probes and extensions are written against.
pub(crate) fn api_classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let sources = [root().join("agent-core/java/boot"), root().join("extension-sdk/java")];
        let out = tempfile::tempdir_in(crate::harness::target_folder()).expect("a folder").keep();
        let mut texts = Vec::new();
        for folder in &sources {
            for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
                let entry = entry.expect("a readable folder");
                if entry.path().extension().is_some_and(|e| e == "java") {
                    let name = entry.path().strip_prefix(folder).expect("below").to_str().expect("UTF-8").to_owned();
                    texts.push((name, fs_err::read_to_string(entry.path()).expect("a source")));
                }
            }
        }
        let texts: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        fixtures::javac(&texts, &JAVAC, &out).expect("the API compiles");
        out
    })
}

/// Compiles sources against the API and more folders.
pub(crate) fn compile(sources: &[(&str, &str)], more: &[&Path], out: &Path) {
    let mut path = vec![api_classes().to_owned()];
    path.extend(more.iter().map(|p| (*p).to_owned()));
    let path = std::env::join_paths(path).expect("a class path").into_string().expect("UTF-8");
    let mut options = JAVAC.to_vec();
    options.extend(["-cp", &path]);
    fixtures::javac(sources, &options, out).unwrap_or_else(|e| panic!("{e}"));
}

/// The sources of the shared agent.
pub(crate) fn project() -> &'static AgentProject {
    static PROJECT: OnceLock<AgentProject> = OnceLock::new();
    PROJECT.get_or_init(|| {
        let work = tempfile::tempdir().expect("a folder");
        let zip = fixtures::ExtensionZip::new("stats", "1.0.0")
            .api("stats/Stats.java", STATS)
            .implementation("stats/impl/StatsService.java", STATS_IMPL)
            .resource("META-INF/services/stats.Stats", b"# the provider\nstats.impl.StatsService\n")
            .resource("stats/name.txt", b"statistics\n")
            .attribute("BTrace-Extension-Services", "stats.Stats")
            .attribute("BTrace-Extension-Permissions", "FILE_READ")
            .build(work.path())
            .expect("an extension");
        let counter = work.path().join("counter");
        compile(&[("metrics/Counter.java", COUNTER), ("metrics/CounterImpl.java", COUNTER_IMPL)], &[], &counter);
        let manifest = "Manifest-Version: 1.0\r\nBTrace-Extension-Id: counter\r\nBTrace-Extension-Version: 2.0.0\r\n\
                        BTrace-Extension-Services: metrics.Counter\r\nBTrace-Extension-Permissions: \r\n\r\n";
        let probes = work.path().join("probes");
        let stats_api = work.path().join("stats-classes/api");
        compile(&[("trace/OrderTrace.java", PROBE)], &[&counter, &stats_api], &probes);
        AgentProject::new("order-agent", TOML)
            .file("stats-1.0.0-extension.zip", fs_err::read(&zip).expect("a zip"))
            .tree("counter", &counter)
            .file("counter/META-INF/MANIFEST.MF", manifest)
            .tree("probes", &probes)
    })
}

/// The shared agent: two extensions and one probe, `trace.OrderTrace`.
#[track_caller]
pub(crate) fn agent() -> BuiltAgent {
    project().build()
}

/// The native core, written out by `fatagent extract`, once.
pub(crate) fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let out = tempfile::tempdir_in(crate::harness::target_folder()).expect("a folder").keep();
        let mut command = crate::harness::fatagent();
        command.arg("extract").arg(agent().jar).arg("-o").arg(&out);
        let done = command.output().expect("fatagent runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        PathBuf::from(String::from_utf8(done.stdout).expect("UTF-8").trim())
    })
}

/// A JVM that will run the application.
pub(crate) fn app(test: &Test, jdk: &Jdk) -> Builder {
    let classes = test.compile_with(&[("app/App.java", APP), ("app/Orders.java", ORDERS)], &JAVAC);
    Target::builder(jdk).class_path(classes).main("app.App")
}

/// Runs rounds of the application, each to its end.
#[track_caller]
pub(crate) fn rounds(target: &Target, names: &[&str]) {
    for name in names {
        target.send_line(name);
        target.wait_for_line(&format!("round {name}:"));
    }
}

/// Ends the application and checks that it was not disturbed: its whole output and its exit code.
#[track_caller]
pub(crate) fn expect_undisturbed(target: &Target, names: &[&str]) -> String {
    target.send_line("end");
    let output = target.wait_exit().expect_code(5);
    let rounds: Vec<String> = names.iter().map(|n| format!("round {n}: 30 hi {n} swallowed\n")).collect();
    let expected = format!("ready\n{}visible: false false\n", rounds.concat());
    assert_eq!(output.stdout, expected, "standard error was:\n{}", output.stderr);
    output.stderr
}

/// What the probe writes in one round; `count` is the number that the counter service gives, 101 in the first round.
pub(crate) fn expected_lines(name: &str, count: u64) -> Vec<String> {
    let failure = "handler trace.OrderTrace.bad failed: java.lang.IllegalStateException: a handler's own failure; \
                   the same again is not shown";
    let mut lines = vec![
        "made true shop true true".to_owned(),
        format!("entry place id-{name} 3 1.5 true"),
        format!("count {count} stats statistics"),
        "return 30 true app.Orders 3 3".to_owned(),
        format!("regex java.lang.String app.Orders#greet(java.lang.Object) hi {name}"),
        format!("error bad {name} at shop true"),
        "app.Orders.reject(Orders.java:7)".to_owned(),
    ];
    if count == 101 {
        lines.insert(3, failure.to_owned());
    }
    lines
}

/// Waits until the file holds as many lines as expected, and compares.
#[track_caller]
pub(crate) fn expect_file(test: &Test, file: &Path, expected: &[String]) {
    step("waiting for the probe's output");
    let text = test.wait_until("the probe wrote its lines", || {
        fs_err::read_to_string(file).ok().filter(|t| t.lines().count() >= expected.len())
    });
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines, expected, "in {}", file.display());
}

/// `jcmd PID JVMTI.agent_load FILE "ARGUMENTS"`.
#[track_caller]
pub(crate) fn jcmd_load(test: &Test, jdk: &Jdk, target: &Target, file: &Path, arguments: &str) {
    let mut command = Command::new(jdk.jcmd());
    command.arg(target.pid().to_string()).arg("JVMTI.agent_load").arg(file);
    if !arguments.is_empty() {
        // The quotes are jcmd's own: an argument with an equals sign would be taken for a named one.
        command.arg(format!("\"{arguments}\""));
    }
    let output = test.run(&mut command).expect_code(0);
    assert!(output.stdout.contains("return code: 0"), "{}", output.stdout);
}

/// Writes a copy of a jar in which one entry has other bytes.
pub(crate) fn with_entry(jar: &Path, name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>, to: &Path) {
    let changed = change(fixtures::read_entry(jar, name).expect("an entry"));
    let mut from = zip::ZipArchive::new(Cursor::new(fs_err::read(jar).expect("a jar"))).expect("a jar");
    let mut copy = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..from.len() {
        let entry = from.by_index_raw(index).expect("an entry");
        if entry.name().is_ok_and(|known| known == name) {
            copy.start_file(name, zip::write::SimpleFileOptions::default()).expect("an entry");
            copy.write_all(&changed).expect("an entry");
        } else {
            copy.raw_copy_file(entry).expect("an entry");
        }
    }
    fs_err::create_dir_all(to.parent().expect("a folder")).expect("a folder");
    fs_err::write(to, copy.finish().expect("a jar").into_inner()).expect("a jar");
}
