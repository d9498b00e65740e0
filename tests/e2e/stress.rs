//! Many JVMs that start at once with extensions and an empty home: none sees half a library or half a cache, and the way into the
//! agent links no lambda. Linking one before the JVM's own classes for it are initialised is what lets starts fail now and then.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use crate::harness::{AgentProject, Jdk, Target, Test};
use crate::product::{api_classes, compile, library, root, with_entry};

const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) {
        work();
        System.out.println("worked");
        System.exit(5);
    }
    static void work() { }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Started {
    @Injected private static one.One one;
    @Injected private static two.Two two;
    @Injected private static three.Three three;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all() { println(one.say() + " " + two.say() + " " + three.say()); }
}
"#;

/// How long one JVM may take beside all the others.
const PATIENCE: Duration = Duration::from_mins(4);
const LOADER: &str = "io/btrace/boot/Loader";

/// What all JVMs start with.
struct Built {
    folder: PathBuf,
    agent: PathBuf,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(crate::harness::process_folder()).expect("a folder").keep();
        let zips = ["one", "two", "three"].map(|id| {
            let name = format!("{}{}", id[..1].to_uppercase(), &id[1..]);
            fixtures::ExtensionZip::new(id, "1.0.0")
                .class_path(api_classes())
                .api(&format!("{id}/{name}.java"), &format!("package {id}; public interface {name} {{ String say(); }}"))
                .implementation(
                    &format!("{id}/{name}Impl.java"),
                    &format!("package {id}; public class {name}Impl implements {name} {{ public String say() {{ return \"{id}\"; }} }}"),
                )
                .attribute("BTrace-Extension-Services", &format!("{id}.{name}"))
                .attribute("BTrace-Extension-Permissions", "")
                .build(&folder)
                .expect("an extension")
        });
        let apis = ["one", "two", "three"].map(|id| folder.join(format!("{id}-classes/api")));
        compile(&[("trace/Started.java", PROBE)], &apis.each_ref().map(PathBuf::as_path), &folder.join("probes"));
        let toml = "[agent]\nname = \"stress-agent\"\nversion = \"1\"\n[[extension]]\nfile = \"one.zip\"\n\
                    [[extension]]\nfile = \"two.zip\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n";
        let agent = AgentProject::new("stress-agent", toml)
            .file("one.zip", fs_err::read(&zips[0]).expect("a zip"))
            .file("two.zip", fs_err::read(&zips[1]).expect("a zip"))
            .tree("probes", &folder.join("probes"))
            .build();
        fixtures::javac(&[("app/Host.java", HOST)], &["--release", "11", "-Xlint:-options"], &folder.join("host"))
            .expect("classes");
        fs_err::rename(&zips[2], folder.join("three.zip")).expect("a zip");
        Built { folder, agent: agent.jar }
    })
}

/// A copy of the agent, under the same name, whose way in has a lambda.
fn with_lambda(folder: &Path) -> PathBuf {
    let source = fs_err::read_to_string(root().join(format!("agent-core/java/boot/{LOADER}.java"))).expect("a source");
    let place = "  private static void enter(int mode, String arguments, Instrumentation instrumentation) {\n";
    let lambda = format!("{place}    Runnable lambda = () -> premains += 0;\n    lambda.run();\n");
    let changed = source.replacen(place, &lambda, 1);
    assert_ne!(source, changed, "the way in is no longer called so");
    let out = folder.join("classes");
    let path = api_classes().to_str().expect("UTF-8");
    let options = ["--release", "8", "-Xlint:-options", "-proc:none", "-cp", path];
    fixtures::javac(&[(&format!("{LOADER}.java"), &changed)], &options, &out).expect("classes");
    let changed = fs_err::read(out.join(format!("{LOADER}.class"))).expect("a class");
    let jar = folder.join(built().agent.file_name().expect("a name"));
    with_entry(&built().agent, &format!("{LOADER}.class"), |_| changed.clone(), &jar);
    jar
}

/// Starts `count` JVMs at once, all with the same home, which only has an extension in it. Returns what was wrong, if anything.
fn batch(test: &Test, jdk: &Jdk, agent: &Path, label: &str, count: usize) -> Vec<String> {
    let home = test.folder().join(label);
    fs_err::create_dir_all(home.join(".btrace/extensions")).expect("a folder");
    fs_err::copy(built().folder.join("three.zip"), home.join(".btrace/extensions/three.zip")).expect("a copy");
    let start = |number: usize| {
        let file = |name: &str| home.join(format!("{number}.{name}"));
        let arguments = format!("probes=Started,scriptOutputFile={}", file("out").display());
        Target::builder(jdk)
            .label(&format!("{label} {number}"))
            .class_path(built().folder.join("host"))
            .main("app.Host")
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option(format!("-Duser.home={}", home.display()))
            .jvm_option(format!("-Xlog:class+load:file={}", file("log").display()))
            .jvm_option(format!("-javaagent:{}={arguments}", agent.display()))
            .launch()
            .patience(PATIENCE)
    };
    let mut problems = Vec::new();
    let mut expect = |number: usize, target: Target| {
        let output = target.wait_exit();
        let read = |name: &str| fs_err::read_to_string(home.join(format!("{number}.{name}"))).unwrap_or_default();
        let written = read("out");
        let found = (output.code, output.stdout.as_str(), output.stderr.as_str(), written.as_str());
        if found != (Some(5), "worked\n", "", "one two three\n") {
            problems.push(format!("number {number} is not as expected: {found:?}"));
        }
        problems.extend(lambda_before_main(&read("log")).map(|line| format!("number {number} links a lambda: {line}")));
    };
    let targets: Vec<Target> = (0..count).map(start).collect();
    for (number, target) in targets.into_iter().enumerate() {
        expect(number, target);
    }
    // What they left is whole, and serves the next one.
    expect(count, start(count));
    let names = |folder: &str| -> Vec<PathBuf> {
        let entries = fs_err::read_dir(home.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let core = fs_err::read(library()).expect("the core");
    match names(".btrace/native").as_slice() {
        [one] if fs_err::read(one).is_ok_and(|bytes| bytes == core) => {}
        other => problems.push(format!("the cache of cores holds {other:?}, or what it holds is not whole")),
    }
    let cache = names(".btrace/cache");
    if !matches!(cache.as_slice(), [one] if one.ends_with("extensions")) {
        problems.push(format!("the cache of extensions holds {cache:?}"));
    }
    problems
}

/// The first lambda of ours among the classes that a JVM has loaded before the application.
fn lambda_before_main(log: &str) -> Option<&str> {
    let before = log.lines().take_while(|line| !line.contains(" app.Host "));
    let mut names = before.filter(|line| line.contains(" io.btrace.") || line.contains(" java.lang.FatAgent"));
    names.find(|line| line.contains("$$Lambda"))
}

/// Starts JVMs in batches, each batch with an empty home.
pub(crate) fn start(test: &Test, jdk: &Jdk, batches: usize, at_once: usize) {
    for number in 0..batches {
        let problems = batch(test, jdk, &built().agent, &format!("batch {number}"), at_once);
        assert!(problems.is_empty(), "{problems:#?}");
    }
}

/// Shows that a lambda in the way into the agent would be seen.
pub(crate) fn control(test: &Test, jdk: &Jdk) {
    let problems = batch(test, jdk, &with_lambda(test.folder()), "control", 1);
    let is_seen = |line: &String| line.contains("links a lambda: ") && line.contains("io.btrace.boot.Loader$$Lambda");
    assert!(problems.len() == 2 && problems.iter().all(is_seen), "{problems:#?}");
}
