//! Agent arguments, as a running JVM acts on them.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::{AgentProject, Builder, Jdk, Target, Test, each_jdk};
use crate::product::{compile, jcmd_load};
use crate::traced::{Traced, end, round};

const QUIET: &str = "-Dbtrace.agent.suppressDeprecation=true";

const WORK: &str = r#"package work;
class Work {
    static String round(String line) { return line.startsWith("late") ? Late.say(line) : say(line); }
    static String say(String line) { return "said " + line; }
}
class Late { static String say(String line) { return "late " + line; } }
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Saying {
    @OnMethod(clazz = "/work\\.(Work|Late)/", method = "say")
    public static void say(@ProbeClassName String type, String line) { println(type + " " + line); }
}
"#;

/// Another probe on the same method.
const SECOND: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Second {
    @OnMethod(clazz = "work.Work", method = "say")
    public static void say(String line) { println("second " + line); }
}
"#;

fn traced(test: &Test) -> Traced<'_> {
    Traced::new(test, "Saying", WORK, PROBE)
}

/// The lines of the agent, without the mark that they begin with.
fn ours(stderr: &str) -> Vec<&str> {
    stderr.lines().filter_map(|line| line.strip_prefix("[fatagent] ")).collect()
}

fn option(jar: &Path, arguments: &str) -> String {
    format!("-javaagent:{}={arguments}", jar.display())
}

#[test]
fn each_argument_that_does_nothing_says_so_in_one_line() {
    each_jdk("arguments without effect", |test, jdk| {
        let traced = traced(test);
        let arguments = "port=2020,noServer,cmdQueueLimit=5,statsd=localhost,probeDescPath=/p,bindAddress=::1,tokenFile=/t,\
                         output=jfr,trusted=false,libs=spark-driver,trustd=1,zzzzzzzz=2";
        let target = traced.plain(jdk, &[&option(&traced.agent.jar, arguments)]);
        assert_eq!(round(&target, "a"), "said a");
        let stderr = end(&target);
        let lines = ours(&stderr);
        let server = "there is no command server yet";
        for key in ["port", "noServer", "cmdQueueLimit", "bindAddress", "tokenFile"] {
            let line = format!("the agent argument `{key}` does nothing: {server}");
            assert_eq!(lines.iter().filter(|found| found.starts_with(&line)).count(), 1, "{key}: {stderr}");
        }
        for part in [
            "`statsd` does nothing: there is no output to statsd yet",
            "`probeDescPath` does nothing: there are no descriptions",
            "`output=jfr` does nothing: there is no output to the flight recorder yet; hint: ",
            "`trusted=false` keeps no probe out: this version verifies none",
            "libs=spark-driver is refused: profiles are removed, and nothing of `spark-driver` is loaded; hint: ",
            "unknown agent argument `trustd` is ignored; hint: did you mean `trusted`?",
            "unknown agent argument `zzzzzzzz` is ignored",
        ] {
            assert_eq!(lines.iter().filter(|line| line.contains(part)).count(), 1, "{part}: {stderr}");
        }
        assert_eq!(lines.len(), 12, "{stderr}");
        assert_eq!(stderr.lines().count(), lines.len(), "{stderr}");
    });
}

#[test]
fn help_explains_every_argument_on_stderr() {
    each_jdk("help", |test, jdk| {
        let traced = traced(test);
        let target = traced.plain(jdk, &[&option(&traced.agent.jar, "help,logLevel=error")]);
        assert_eq!(round(&target, "a"), "said a");
        let stderr = end(&target);
        let lines = ours(&stderr);
        for key in manifests::arguments::KNOWN {
            let explained = lines.iter().filter(|line| line.trim_start().starts_with(&format!("{key} "))).count();
            assert_eq!(explained, 1, "{key}: {stderr}");
        }
    });
}

#[test]
fn loaded_classes_are_left_alone_or_told_when_they_are_retransformed() {
    each_jdk("retransformation", |test, jdk| {
        let traced = traced(test);
        let target = traced.plain(jdk, &[]);
        round(&target, "before");
        traced.load(jdk, &target, &traced.arguments("startupRetransform=false,trackRetransforms"));
        round(&target, "a");
        round(&target, "late b");
        let mut seen = 0;
        assert_eq!(traced.written(&mut seen, 1), ["work.Late late b"]);
        // Taking it off retransforms what was woven.
        traced.load(jdk, &target, "off");
        target.wait_for_error_line("[fatagent] retransformed class work.Late");
        traced.load(jdk, &target, &traced.arguments(""));
        round(&target, "c");
        round(&target, "late d");
        assert_eq!(traced.written(&mut seen, 2), ["work.Work c", "work.Late late d"]);
        let stderr = end(&target);
        let mut lines = ours(&stderr);
        lines.sort_unstable();
        let expected = ["Late", "Late", "Work"].map(|class| format!("retransformed class work.{class}"));
        assert_eq!(lines, expected, "{stderr}");
    });
}

/// An agent that embeds nothing, and a folder of precompiled probes with odd characters in its path.
fn scripts(test: &Test) -> (std::path::PathBuf, std::path::PathBuf) {
    let agent = AgentProject::new("bare", "[agent]\nname = \"bare\"\nversion = \"1\"\n").build();
    let folder = test.folder().join("a,b \"é\";c");
    let sources = [("trace/Saying.java", PROBE), ("trace/Second.java", SECOND)];
    compile(&sources, &[], &folder);
    // What javac makes of what belongs to a class, and files of another kind.
    fs_err::write(folder.join("trace/Saying$1.class"), "no class").expect("a file");
    fs_err::write(folder.join("trace/notes.txt"), "no class").expect("a file");
    (agent.jar, folder.join("trace"))
}

fn application(test: &Test, jdk: &Jdk) -> Builder {
    let traced = traced(test);
    Target::builder(jdk).class_path(&traced.classes).main("work.Main").jvm_option(QUIET)
}

/// A value in quotes, in which quotes are doubled.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('"', "\"\""))
}

#[test]
fn names_with_commas_quotes_and_semicolons_can_be_written() {
    each_jdk("escaping", |test, jdk| {
        let (agent, folder) = scripts(test);
        let escaped = |path: &Path| path.to_str().expect("UTF-8").replace(',', "\\,").replace(';', "\\;");
        let script =
            quoted(&format!("{};{}", escaped(&folder.join("Second.class")), escaped(&folder.join("Saying.class"))));
        let out = test.folder().join("out,\"1\".txt");
        let arguments = format!(
            "script={script},scriptOutputFile={},$shop.text=\"a,b\"\"c\"",
            quoted(out.to_str().expect("UTF-8"))
        );
        let target = application(test, jdk).jvm_option(option(&agent, &arguments)).launch();
        round(&target, "a");
        let mut properties = std::process::Command::new(jdk.jcmd());
        let properties = test.run(properties.arg(target.pid().to_string()).arg("VM.system_properties")).expect_code(0);
        assert!(properties.stdout.contains("shop.text=a,b\"c"), "{}", properties.stdout);
        let text = fs_err::read_to_string(&out).expect("a file");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["second a", "work.Work a"]);
        assert_eq!(end(&target), "");
    });
}

#[test]
fn a_folder_of_probes_writes_to_a_folder_of_outputs() {
    each_jdk("scriptdir", |test, jdk| {
        let (agent, folder) = scripts(test);
        let out = test.folder().join("outputs/{env:SHOP}");
        let escaped = folder.to_str().expect("UTF-8").replace(',', "\\,").replace(';', "\\;");
        let arguments = format!("scriptdir={},scriptOutputDir={}", quoted(&escaped), out.display());
        let target = application(test, jdk).env("SHOP", "one").jvm_option(option(&agent, &arguments)).launch();
        round(&target, "a");
        let pid = target.pid();
        let read = |name: &str| {
            fs_err::read_to_string(test.folder().join(format!("outputs/one/btrace-{name}-{pid}.txt"))).expect("a file")
        };
        assert_eq!(read("trace.Saying"), "work.Work a\n");
        assert_eq!(read("trace.Second"), "second a\n");
        assert_eq!(end(&target), "");

        // A folder without probes, and one that is not there.
        let empty = test.folder().join("empty");
        fs_err::create_dir_all(&empty).expect("a folder");
        let arguments = format!("scriptdir={};/dev/null/such/folder", empty.display());
        let target = application(test, jdk).jvm_option(option(&agent, &arguments)).launch();
        round(&target, "a");
        let stderr = end(&target);
        let lines = ours(&stderr);
        assert_eq!(lines.len(), 2, "{stderr}");
        assert!(lines[0].ends_with("it holds no class file; hint: compile the probes"), "{stderr}");
        assert!(lines[1].starts_with("scriptdir=/dev/null/such/folder starts no probe: "), "{stderr}");
    });
}

#[test]
fn outputs_are_files_below_a_size_and_go_where_they_are_asked_for() {
    each_jdk("outputs", |test, jdk| {
        let (agent, folder) = scripts(test);
        let script = test.folder().join("Saying.class");
        fs_err::copy(folder.join("Saying.class"), &script).expect("a copy");
        let start = |arguments: &str| {
            let arguments = format!("script={},{arguments}", script.display());
            application(test, jdk).jvm_option(option(&agent, &arguments)).launch()
        };
        // A relative file lies below the folder, and all of its parts stay below the size.
        let folder = test.folder().join("out");
        let target = start(&format!(
            "scriptOutputDir={},scriptOutputFile=p{{{{x}}}}-{{pid}}.txt,maxOutputBytes=120,fileRollMaxRolls=3",
            folder.display()
        ));
        let names: Vec<String> = (100..140).map(|number| number.to_string()).collect();
        for name in &names {
            round(&target, name);
        }
        let path = |number: u32| {
            let end = if number == 0 { String::new() } else { format!(".{number}") };
            folder.join(format!("p{{x}}-{}.txt{end}", target.pid()))
        };
        let parts: Vec<String> =
            (0..4).rev().map(|number| fs_err::read_to_string(path(number)).expect("a part")).collect();
        assert!(!path(4).exists());
        let all = parts.concat();
        assert!(all.len() <= 120, "{all}");
        let last = all.lines().count();
        let expected: Vec<String> = names[40 - last..].iter().map(|name| format!("work.Work {name}\n")).collect();
        assert!(last >= 7, "three full parts of two lines: {all}");
        assert_eq!(all, expected.concat(), "the newest lines, each once");
        assert_eq!(end(&target), "");

        // By time: each part has what came within a millisecond.
        let out = test.folder().join("timed.txt");
        let target = start(&format!("scriptOutputFile={},fileRollMilliseconds=1,fileRollMaxRolls=2", out.display()));
        for name in ["a", "b", "c", "d"] {
            round(&target, name);
            std::thread::sleep(Duration::from_millis(5));
        }
        let part = |end: &str| fs_err::read_to_string(format!("{}{end}", out.display())).unwrap_or_default();
        assert_eq!(["", ".1", ".2", ".3"].map(part), ["work.Work d\n", "work.Work c\n", "work.Work b\n", ""]);
        assert_eq!(end(&target), "");

        let target = start("output=stdout");
        round(&target, "a");
        assert_eq!(end(&target), "");
        assert!(target.stdout().contains("work.Work a\n"), "{}", target.stdout());

        // What cannot be filled in is told, and the agent is off.
        let target = start("scriptOutputFile=x-{port}.txt");
        round(&target, "a");
        let stderr = end(&target);
        assert!(
            stderr.contains("unknown placeholder in `x-{port}.txt`: `{port}`; hint: there are {pid}, "),
            "{stderr}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    });
}

#[test]
fn arguments_of_the_jar_are_below_the_environment_and_those_given() {
    each_jdk("order of arguments", |test, jdk| {
        let traced = traced(test);
        let toml = "[agent]\nname = \"layered\"\nversion = \"1\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n\
                    [args]\n\"$shop.a\" = \"jar\"\n\"$shop.b\" = \"jar\"\n\"$shop.c\" = \"jar\"\n\
                    \"prod#$shop.a\" = \"prod\"\n\"prod#$shop.b\" = \"prod\"\n\"prod#probes\" = \"Saying\"\n\
                    \"test#$shop.a\" = \"test\"\n";
        let probes = test.folder().join("probes");
        compile(&[("trace/Saying.java", PROBE)], &[], &probes);
        let built = AgentProject::new("layered", toml).tree("probes", &probes).build();
        assert!(!built.stderr.contains("does not know"), "{}", built.stderr);
        let run = |arguments: &str, environment: &str| {
            let builder = application(test, jdk).env("BTRACE_AGENT_ARGS", environment);
            let target = builder.jvm_option(option(&built.jar, arguments)).launch();
            round(&target, "a");
            let mut properties = std::process::Command::new(jdk.jcmd());
            let properties = test.run(properties.arg(target.pid().to_string()).arg("VM.system_properties"));
            let mut shop: Vec<String> =
                properties.stdout.lines().filter_map(|line| Some(line.strip_prefix("shop.")?.to_owned())).collect();
            shop.sort_unstable();
            (shop.join(" "), end(&target))
        };
        let out = test.folder().join("out.txt");
        assert_eq!(run("", ""), ("a=jar b=jar c=jar".to_owned(), String::new()));
        let environment = format!("config=prod,$shop.b=env,$shop.c=env,scriptOutputFile={}", out.display());
        assert_eq!(run("$shop.c=given", &environment), ("a=prod b=env c=given".to_owned(), String::new()));
        assert_eq!(fs_err::read_to_string(&out).expect("the probe of the group runs"), "work.Work a\n");
        let (shop, stderr) = run("config=tst", "");
        assert_eq!(shop, "a=jar b=jar c=jar");
        assert_eq!(
            ours(&stderr),
            [
                "the agent argument `config=tst` does nothing: the jar has no arguments of that group; hint: did you mean `test`?"
            ]
        );
        assert!(traced.agent.jar.is_file());
    });
}

#[test]
fn the_same_mistake_is_told_once_a_minute() {
    each_jdk("one line a minute", |test, jdk| {
        let traced = traced(test);
        let target = traced.plain(jdk, &[]);
        round(&target, "a");
        let start = Instant::now();
        for _ in 0..3 {
            jcmd_load(test, jdk, &target, &traced.agent.jar, "prot=1");
        }
        if start.elapsed() >= Duration::from_mins(1) {
            // So slow a machine is told more than once, and rightly.
            return;
        }
        jcmd_load(test, jdk, &target, &traced.agent.jar, "prt=1");
        let stderr = end(&target);
        let unknown: Vec<&str> = ours(&stderr).into_iter().filter(|line| line.starts_with("unknown")).collect();
        let expected =
            ["prot", "prt"].map(|key| format!("unknown agent argument `{key}` is ignored; hint: did you mean `port`?"));
        assert_eq!(unknown, expected, "{stderr}");
    });
}

/// What it asks for is in its parameters.
const FILLED: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Filled {
    @OnMethod(clazz = "${where}.Work", method = "/${what}/")
    public static void say(String line) { println(concat($("tag"), line)); }
}
"#;

#[test]
fn what_is_no_argument_of_the_agent_is_a_parameter_of_its_probes() {
    each_jdk("parameters", |test, jdk| {
        let traced = Traced::new(test, "Filled", WORK, FILLED);
        let target = traced.started(jdk, "where=work,what=s.y,tag=\"<, >\",whet=1");
        assert_eq!(round(&target, "a"), "said a");
        assert_eq!(traced.written(&mut 0, 1), ["<, >a"]);
        let stderr = end(&target);
        assert_eq!(ours(&stderr).len(), 1, "{stderr}");
        assert!(ours(&stderr)[0].starts_with("unknown agent argument `whet` is ignored"), "{stderr}");
        let target = traced.started(jdk, "where=work");
        assert_eq!(round(&target, "a"), "said a");
        let stderr = end(&target);
        assert_eq!(ours(&stderr).len(), 1, "{stderr}");
        assert!(
            ours(&stderr)[0]
                .contains("needs the parameter `what`, which was not given; hint: give it as an agent argument"),
            "{stderr}"
        );
    });
}
