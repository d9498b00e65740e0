//! Extensions that are loaded when the agent starts, by each of the settings that ask for it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::harness::{AgentProject, Builder, Jdk, Output, Target, Test, each_jdk};
use crate::product::{api_classes, compile, jcmd_load, library};

/// Says which extensions have been loaded before it.
const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) throws Exception {
        System.out.println("loaded" + new java.util.TreeSet<Object>(java.util.Arrays.asList(loaded())));
        if (arguments.length > 0) {
            System.in.read();
            System.out.println("then" + new java.util.TreeSet<Object>(java.util.Arrays.asList(loaded())));
        }
        work();
        System.exit(5);
    }
    static Object[] loaded() {
        return System.getProperties().stringPropertyNames().stream().filter(n -> n.startsWith("loaded.")).toArray();
    }
    static void work() { }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Uses {
    @Injected private static here.Here here;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all() { println("uses " + here.say()); }
}
"#;
/// Wants a service whose class cannot be initialized.
const NEEDY: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Needy {
    @Injected(optional = true) private static broken.Broken broken;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all() { println("needy " + broken.say()); }
}
"#;

const QUIET: &str = "-Dbtrace.agent.suppressDeprecation=true";

/// An extension whose implementation says that it was initialized, after it did something.
fn extension(id: &str, first: &str, permissions: &str) -> fixtures::ExtensionZip {
    let name = format!("{}{}", id[..1].to_uppercase(), &id[1..]);
    let body = format!(
        "package {id}; public class {name}Impl implements {name} {{ static {{ {first} System.setProperty(\"loaded.{id}\", \"\"); }} \
         public String say() {{ return \"{id}\"; }} }}"
    );
    fixtures::ExtensionZip::new(id, "1.0.0")
        .class_path(api_classes())
        .api(&format!("{id}/{name}.java"), &format!("package {id}; public interface {name} {{ String say(); }}"))
        .implementation(&format!("{id}/{name}Impl.java"), &body)
        .attribute("BTrace-Extension-Services", &format!("{id}.{name}"))
        .attribute("BTrace-Extension-Permissions", permissions)
}

struct Built {
    folder: PathBuf,
    agent: PathBuf,
}

/// Meets the other extension inside its initializer, which only two threads at once can.
fn meeting(own: &str, other: &str) -> String {
    format!(
        "System.setProperty(\"here.{own}\", \"\"); \
         try {{ for (int i = 0; System.getProperty(\"here.{other}\") == null; i++) {{ if (i == 400) throw new IllegalStateException(\"alone\"); \
         Thread.sleep(10); }} }} catch (InterruptedException e) {{ throw new IllegalStateException(\"interrupted\"); }}"
    )
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(crate::harness::process_folder()).expect("a folder").keep();
        let zips = [
            ("embedded", extension("here", &meeting("here", "away"), "")),
            ("embedded", extension("refused", "", "EXEC")),
            ("installed", extension("away", &meeting("away", "here"), "")),
            ("failing", extension("broken", "if (true) throw new IllegalStateException(\"no disk\");", "")),
            (
                "failing",
                extension(
                    "hanging",
                    "try { Thread.sleep(60000); } catch (InterruptedException e) { throw new IllegalStateException(\"gone\"); }",
                    "",
                ),
            ),
        ];
        let apis: Vec<PathBuf> = ["here", "broken"].iter().map(|id| folder.join(format!("{id}-classes/api"))).collect();
        let mut files = Vec::new();
        for (place, zip) in zips {
            fs_err::create_dir_all(folder.join(place)).expect("a folder");
            let zip = zip.build(&folder).expect("an extension");
            files.push(folder.join(place).join(zip.file_name().expect("a name")));
            fs_err::rename(zip, files.last().expect("a file")).expect("a zip");
        }
        let apis: Vec<&Path> = apis.iter().map(PathBuf::as_path).collect();
        compile(&[("trace/Uses.java", PROBE), ("trace/Needy.java", NEEDY)], &apis, &folder.join("probes"));
        let toml = "[agent]\nname = \"eager\"\nversion = \"1\"\n[[extension]]\nfile = \"here.zip\"\n\
                    [[extension]]\nfile = \"refused.zip\"\n";
        let agent = AgentProject::new("eager", toml)
            .file("here.zip", fs_err::read(&files[0]).expect("a zip"))
            .file("refused.zip", fs_err::read(&files[1]).expect("a zip"))
            .build();
        fixtures::javac(&[("app/Host.java", HOST)], &["--release", "11", "-Xlint:-options"], &folder.join("host"))
            .expect("classes");
        Built { folder, agent: agent.jar }
    })
}

fn place(name: &str) -> PathBuf {
    built().folder.join(name)
}

fn script(name: &str) -> PathBuf {
    place("probes/trace").join(format!("{name}.class"))
}

/// A home of the test's own with some files in its `.btrace`.
fn home(test: &Test, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let home = test.folder().join(name);
    fs_err::create_dir_all(home.join(".btrace")).expect("a folder");
    for (file, text) in files {
        fs_err::write(home.join(".btrace").join(file), text).expect("a file");
    }
    home
}

fn host(jdk: &Jdk, home: &Path) -> Builder {
    Target::builder(jdk)
        .class_path(place("host"))
        .main("app.Host")
        .jvm_option(QUIET)
        .jvm_option(format!("-Duser.home={}", home.display()))
}

fn with_agent(jdk: &Jdk, home: &Path, arguments: &str) -> Builder {
    host(jdk, home).jvm_option(format!("-javaagent:{}={arguments}", built().agent.display()))
}

fn expect(output: Output, stdout: &str) -> Vec<String> {
    let output = output.expect_code(5);
    assert_eq!(output.stdout, stdout, "{}", output.stderr);
    output.stderr.lines().filter(|line| line.starts_with("[fatagent] ")).map(str::to_owned).collect()
}

const BOTH: &str = "loaded[loaded.away, loaded.here]\n";
const REFUSED: &str = "[fatagent] not loaded at start-up: the extension `refused` is denied: ";

#[test]
fn each_setting_loads_what_can_be_used_in_parallel_before_main() {
    each_jdk("eager", |test, jdk| {
        let lazy = home(test, "lazy", &[]);
        let installed = format!("extPath={}", place("installed").display());
        // By default, nothing.
        let output = with_agent(jdk, &lazy, &installed).launch().wait_exit();
        assert_eq!(expect(output, "loaded[]\n"), [""; 0]);
        let conf = home(test, "conf", &[("extensions.conf", "extensions.autoload=false\n")]);
        let btrace = home(test, "btrace", &[("btrace.conf", "extension.lazy-load=false\n")]);
        let variable = with_agent(jdk, &lazy, &installed).env("BTRACE_EXT_LAZY_LOAD", "false");
        let native = |home: &Path| {
            let option = format!("-agentpath:{}=jar={},{installed}", library().display(), built().agent.display());
            host(jdk, home).jvm_option(option)
        };
        for builder in [
            with_agent(jdk, &conf, &installed),
            with_agent(jdk, &btrace, &installed),
            variable,
            // Without a probe, too.
            native(&conf),
            native(&lazy).env("BTRACE_EXT_LAZY_LOAD", "false"),
        ] {
            let output = builder.launch().wait_exit();
            let all = output.stderr.clone();
            let lines = expect(output, BOTH);
            assert!(matches!(&lines[..], [line] if line.starts_with(REFUSED)), "{all}");
            assert_eq!(all.lines().count(), 1, "{all}");
        }
        // What somebody switched off is not there to be loaded, and that is no news.
        let off = "extensions.autoload=false\nextensions.disabled=away,refused\nhere.other=1\n";
        let off = home(test, "off", &[("extensions.conf", off)]);
        let output = with_agent(jdk, &off, &installed).launch().wait_exit();
        let lines = expect(output, "loaded[]\n");
        // The embedded one waits for the other in vain.
        let alone = "[fatagent] the extension `here` could not be loaded at start-up: alone; hint: ";
        assert!(matches!(&lines[..], [line] if line.starts_with(alone)), "{lines:?}");
    });
}

#[test]
fn attaching_loads_as_a_start_does_and_probes_find_what_is_loaded() {
    each_jdk("eager at attach", |test, jdk| {
        let conf = home(test, "conf", &[("extensions.conf", "extensions.autoload=false\n")]);
        let target = host(jdk, &conf).arg("wait").launch();
        target.wait_for_line("loaded[]");
        let file = test.folder().join("out.txt");
        let arguments = format!(
            "extPath={},script={},scriptOutputFile={}",
            place("installed").display(),
            script("Uses").display(),
            file.display()
        );
        jcmd_load(test, jdk, &target, &built().agent, &arguments);
        target.send_line("");
        let lines = expect(target.wait_exit(), "loaded[]\nthen[loaded.away, loaded.here]\n");
        assert!(matches!(&lines[..], [line] if line.starts_with(REFUSED)), "{lines:?}");
        assert_eq!(fs_err::read_to_string(&file).expect("output"), "uses here\n");
    });
}

#[test]
fn what_cannot_be_loaded_is_told_and_keeps_probes_out_where_all_services_are_asked_for() {
    each_jdk("eager and broken", |test, jdk| {
        let paths = format!("extPath={}:{}", place("installed").display(), place("failing").display());
        let needy = format!("{paths},script={};{}", script("Needy").display(), script("Uses").display());
        let run = |name: &str, files: &[(&str, &str)]| {
            let file = test.folder().join(format!("{name}.txt"));
            let arguments = format!("{needy},scriptOutputFile={}", file.display());
            let target = with_agent(jdk, &home(test, name, files), &arguments).launch();
            let lines = expect(target.wait_exit(), BOTH);
            let count = |part: &str| lines.iter().filter(|line| line.contains(part)).count();
            assert_eq!(
                count("the extension `broken` could not be loaded at start-up: no disk; hint: "),
                1,
                "{lines:?}"
            );
            let late = "the extension `hanging` could not be loaded at start-up: it was not loaded within 5 s; hint: ";
            assert_eq!((count(late), count(REFUSED)), (1, 1), "{lines:?}");
            (fs_err::read_to_string(&file).unwrap_or_default(), lines)
        };
        let eager = ("extensions.conf", "extensions.autoload=false\n");
        let (text, _) = run("told", &[eager]);
        assert!(text.contains("uses here\n") && text.contains("needy "), "{text}");
        let (text, lines) = run("strict", &[eager, ("btrace.conf", "extension.fail-on-missing=true\n")]);
        assert_eq!(text, "uses here\n");
        let off = "Needy.class is off: its service broken.Broken is not there: the extension `broken` could not be loaded at start-up: \
                   no disk; `extension.fail-on-missing` of btrace.conf asks for all services";
        assert_eq!(lines.iter().filter(|line| line.contains(off)).count(), 1, "{lines:?}");
    });
}
