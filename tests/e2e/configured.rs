//! Configuration and policy of extensions, as a running JVM has them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::harness::{AgentProject, Builder, Jdk, Target, Test, each_jdk};
use crate::product::{compile, expect_file};

const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            work(line);
            System.out.println("done " + line);
        }
        System.exit(5);
    }
    static void work(String what) { }
}
"#;

/// Shows its settings. The number stands for its version.
fn conf(number: u32) -> fixtures::ExtensionZip {
    let body = format!(
        "package conf; public class ConfImpl extends io.btrace.core.extensions.Extension implements Conf {{ \
         public String settings() {{ return {number} + \" \" + new java.util.TreeMap<String, String>(getContext().getSettings()); }} }}"
    );
    service("conf", &format!("{number}.0.0"), "settings", &body, "").beside(
        "extension.properties",
        b"setting.limit.type=integer\nsetting.limit.default=3\nsetting.kept.default=yes\n",
    )
}

/// An extension with one service `<id>.<Id>`, whose method returns a text.
fn service(id: &str, version: &str, method: &str, body: &str, permissions: &str) -> fixtures::ExtensionZip {
    let name = format!("{}{}", id[..1].to_uppercase(), &id[1..]);
    fixtures::ExtensionZip::new(id, version)
        .class_path(crate::product::api_classes())
        .api(&format!("{id}/{name}.java"), &format!("package {id}; public interface {name} {{ String {method}(); }}"))
        .implementation(&format!("{id}/{name}Impl.java"), body)
        .attribute("BTrace-Extension-Services", &format!("{id}.{name}"))
        .attribute("BTrace-Extension-Permissions", permissions)
}

/// An extension that must never run.
fn never(id: &str, permissions: &str) -> fixtures::ExtensionZip {
    let name = format!("{}{}", id[..1].to_uppercase(), &id[1..]);
    let body = format!(
        "package {id}; public class {name}Impl implements {name} {{ static {{ System.exit(9); }} public String use() {{ return \"\"; }} }}"
    );
    service(id, "1.0.0", "use", &body, permissions)
}

/// What all JDKs share: extensions, an agent with two of them, and probes.
struct Built {
    folder: TempDir,
    agent: PathBuf,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let kept = tempfile::tempdir().expect("a folder");
        let folder = kept.path().to_owned();
        for name in ["two", "home"] {
            fs_err::create_dir(folder.join(name)).expect("a folder");
        }
        let embedded = [conf(1), never("net", "NETWORK")].map(|zip| zip.build(&folder).expect("an extension"));
        conf(2).build(&folder.join("two")).expect("an extension");
        let newer = never("newer", "").attribute("BTrace-Java-Version", "99+");
        let future = never("future", "").attribute("BTrace-API-Version", "99.0+");
        let first = never("first", "").attribute("BTrace-Extension-Requires", "second");
        let second = never("second", "").attribute("BTrace-Extension-Requires", "first");
        for zip in [newer, future, first, second] {
            let zip = zip.build(&folder).expect("an extension");
            fs_err::rename(&zip, folder.join("home").join(zip.file_name().expect("a name"))).expect("a zip");
        }
        let whole = fs_err::read(&embedded[0]).expect("a zip");
        fs_err::write(folder.join("home/cut.zip"), &whole[..whole.len() / 2]).expect("a file");
        let apis: Vec<PathBuf> = ["conf", "net", "newer", "future", "first"]
            .iter()
            .map(|id| folder.join(format!("{id}-classes/api")))
            .collect();
        let toml = "[agent]\nname = \"configured\"\nversion = \"1\"\n\
                    [[extension]]\nfile = \"conf.zip\"\n[[extension]]\nfile = \"net.zip\"\n\
                    [config]\n\"conf.limit\" = \"4\"\n\"conf.jar\" = \"jar\"\n\
                    [policy]\nsealed = true\ngrant = [\"THREADS\"]\n";
        let agent = AgentProject::new("configured", toml)
            .file("conf.zip", whole)
            .file("net.zip", fs_err::read(&embedded[1]).expect("a zip"))
            .build();
        let apis: Vec<&Path> = apis.iter().map(PathBuf::as_path).collect();
        let probes = [
            ("Configured.java", CONFIGURED),
            ("Alone.java", ALONE),
            ("Showing.java", SHOWING),
            ("Needing.java", NEEDING),
        ];
        compile(&probes, &apis, &folder.join("probes"));
        fixtures::javac(&[("app/Host.java", HOST)], &["--release", "11", "-Xlint:-options"], &folder.join("host"))
            .expect("classes");
        Built { folder: kept, agent: agent.jar }
    })
}

/// What one test has: a home and a folder of scripts, with odd characters in their paths.
struct Work {
    folder: PathBuf,
    home: PathBuf,
}

impl Work {
    fn new(test: &Test) -> Self {
        let folder = test.folder().join("w %41 +é#");
        let home = folder.join("home");
        for (from, to) in [("home", home.join(".btrace/extensions")), ("probes", folder.join("scripts"))] {
            fs_err::create_dir_all(&to).expect("a folder");
            for file in fs_err::read_dir(built().folder.path().join(from)).expect("a folder") {
                let file = file.expect("a file");
                fs_err::copy(file.path(), to.join(file.file_name())).expect("a copy");
            }
        }
        Self { folder, home }
    }

    fn script(&self, name: &str) -> String {
        self.folder.join("scripts").join(format!("{name}.class")).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        fs_err::write(self.home.join(".btrace").join(name), text).expect("a file");
    }

    fn target(jdk: &Jdk, home: &Path, arguments: &str) -> Builder {
        Target::builder(jdk)
            .class_path(built().folder.path().join("host"))
            .main("app.Host")
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option(format!("-Duser.home={}", home.display()))
            .jvm_option(format!("-javaagent:{}={arguments}", built().agent.display()))
    }
}

/// One line to the application and back.
fn work(target: &Target, line: &str) {
    target.send_line(line);
    target.wait_for_line(&format!("done {line}"));
}

const CONFIGURED: &str = r#"import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Configured {
    @Injected private static conf.Conf conf;
    @Injected(mode = Injected.Mode.SHIM) private static net.Net net;
    @Injected(mode = Injected.Mode.SHIM) private static newer.Newer newer;
    @Injected(mode = Injected.Mode.SHIM) private static future.Future future;
    @Injected(mode = Injected.Mode.SHIM) private static first.First first;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all(String what) {
        println(conf.settings() + " " + net.use() + " " + newer.use() + " " + future.use() + " " + first.use());
    }
}
"#;

#[test]
fn settings_and_decisions_come_from_jar_files_variables_and_arguments() {
    each_jdk("configured", |test, jdk| {
        let setup = Work::new(test);
        let script = setup.script("Configured");
        setup.write("extensions.conf", "conf.limit=5\ncnf.limit=6\n");
        setup.write("permissions.properties", "grantAll=true\n");
        let file = test.folder().join("out.txt");
        let target = Work::target(jdk, &setup.home, "grant=NETWORK")
            .env("BTRACE_AGENT_ARGS", format!("script={script},grant=EXEC,scriptOutputFile={}", file.display()))
            .env("BTRACE_CONF_CONF_OF_VARIABLE", "v")
            .launch();
        target.wait_for_line("ready");
        work(&target, "one");
        let settings =
            |limit: u32| format!("1 {{jar=jar, kept=yes, limit={limit}, of.variable=v}} null null null null");
        expect_file(test, &file, &[settings(5)]);
        setup.write("extensions.conf", "conf.limit=7\n# another size\n");
        work(&target, "two");
        expect_file(test, &file, &[settings(5), settings(7)]);
        target.send_line("end");
        let output = target.wait_exit().expect_code(5);
        assert_eq!(output.stdout, "ready\ndone one\ndone two\n", "{}", output.stderr);
        let parts = [
            "sealed, so this is refused: ",
            "cut.zip` cannot be read as a zip",
            "`cnf.limit` belongs to no extension there is; hint: did you mean `conf.limit`?",
            "net.Net is not there: the extension `net` is denied: nothing grants the privileged `NETWORK`; hint: the agent jar's policy is sealed: ",
            "newer.Newer is not there: the extension `newer` cannot be used: it needs Java 99+, this is ",
            "future.Future is not there: the extension `future` cannot be used: it needs the agent API 99.0+, this is ",
            "first.First is not there: the extension `first` cannot be used: extensions require each other in a circle: `first` -> `second`",
        ];
        let lines: Vec<&str> = output.stderr.lines().collect();
        for part in parts {
            let count = lines.iter().filter(|line| line.starts_with("[fatagent] ") && line.contains(part)).count();
            assert_eq!(count, 1, "{part}: {}", output.stderr);
        }
        let unexpected: Vec<&&str> =
            lines.iter().filter(|line| !parts.iter().any(|part| line.contains(part))).collect();
        assert!(unexpected.is_empty(), "{unexpected:?}");
        assert!(setup.home.join(".btrace/cache/extensions").is_file(), "descriptions are kept");
    });
}

const ALONE: &str = r#"import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Alone {
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all(String what) { println("alone " + what); }
}
"#;

const SHOWING: &str = r#"import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Showing {
    @Injected private static conf.Conf conf;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all(String what) { println(conf.settings()); }
}
"#;

const NEEDING: &str = r#"import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Needing {
    @Injected(optional = true) private static net.Net net;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all(String what) { println("needing " + net.use()); }
}
"#;

#[test]
fn extensions_are_looked_for_where_and_when_they_are_asked_for() {
    each_jdk("places of extensions", |test, jdk| {
        let setup = Work::new(test);
        let [alone, showing, needing] = ["Alone", "Showing", "Needing"].map(|name| setup.script(name));
        let run = |label: &str, home: &Path, arguments: &str| {
            let file = test.folder().join(label);
            let arguments = format!("{arguments},scriptOutputFile={}", file.display());
            let target = Work::target(jdk, home, &arguments).launch();
            target.wait_for_line("ready");
            work(&target, "one");
            target.send_line("end");
            let output = target.wait_exit().expect_code(5);
            assert_eq!(output.stdout, "ready\ndone one\n", "{}", output.stderr);
            (fs_err::read_to_string(file).expect("a file"), output.stderr)
        };
        // Without a service nobody looks at the damaged zip.
        assert_eq!(run("alone", &setup.home, &format!("script={alone}")), ("alone one\n".to_owned(), String::new()));
        assert!(!setup.home.join(".btrace/cache").exists());
        // A home that is not there, or is a file.
        let settings = "1 {jar=jar, kept=yes, limit=4}\n".to_owned();
        assert_eq!(
            run("gone", Path::new("/dev/null/such/home"), &format!("script={showing}")),
            (settings.clone(), String::new())
        );
        assert_eq!(run("file", &built().agent, &format!("script={showing}")), (settings, String::new()));

        // A newer implementation of the same API beside the script, once that is allowed.
        let empty = setup.folder.join("empty");
        let beside = setup.folder.join("scripts/.btrace/extensions");
        for folder in [&empty.join(".btrace"), &beside] {
            fs_err::create_dir_all(folder).expect("a folder");
        }
        let newer =
            fs_err::read_dir(built().folder.path().join("two")).expect("a folder").flatten().map(|entry| entry.path());
        let newer = newer.filter(|path| path.extension().is_some_and(|end| end == "zip")).collect::<Vec<_>>();
        fs_err::copy(&newer[0], beside.join("conf.zip")).expect("a copy");
        let (text, stderr) = run("beside", &empty, &format!("script={showing}"));
        assert!(text.starts_with("1 {"), "{text}");
        assert!(
            stderr.contains("they lie beside a script; hint: start with the argument `allowScriptExtensions`"),
            "{stderr}"
        );
        let (text, stderr) = run("allowed", &empty, &format!("script={showing},allowScriptExtensions"));
        assert!(text.starts_with("2 {"), "{text}");
        assert!(
            stderr.contains("the extension `conf` 2.0.0 in ") && stderr.contains(" is used instead of 1.0.0 in "),
            "{stderr}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");

        // Whoever wants all services or nothing gets nothing of that probe, and all of the other.
        fs_err::write(
            empty.join(".btrace/btrace.conf"),
            "extension.fail-on-missing=true\nextension.conf.enabled=true\n",
        )
        .expect("a file");
        let (text, stderr) =
            run("needing", &empty, &format!("script={needing};{showing},noBuiltinExt,allowScriptExtensions"));
        assert!(text.starts_with("2 {"), "{text}");
        assert!(
            matches!(&stderr.lines().collect::<Vec<_>>()[..], [line] if line.contains("Needing.class is off: no extension offers its \
                service net.Net; `extension.fail-on-missing` of btrace.conf asks for all services")),
            "{stderr}"
        );
    });
}
