//! The log, the audit, and what a JVM says of its agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::harness::{AgentProject, Builder, Jdk, Target, Test, each_jdk, fatagent};
use crate::product::{compile, expect_file, jcmd_load, library};
use crate::traced::{Traced, end, round};

const WORK: &str = r#"package work;
class Work { static String round(String line) { return "said " + line; } }
"#;

/// Asks for a service that the policy denies, and does without it.
const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Asking {
    @Injected(mode = Injected.Mode.SHIM) private static net.Net net;
    @OnMethod(clazz = "work.Work", method = "round")
    public static void round(String line) { println(line + " " + net.use()); }
}
"#;

const DENIED: &str = "package net; public class NetImpl implements Net { public String use() { return \"used\"; } }";

/// Logs as code does that was written against SLF4J and relocated.
const LOGGING: &str = r#"package net;
import io.btrace.libs.org.slf4j.*;
public class NetImpl implements Net {
    private static final Logger log = LoggerFactory.getLogger(NetImpl.class);
    public String use() {
        log.trace("a trace of {}", 1);
        log.debug("{} and {}", "one", "two");
        log.info("{}: {}, {}", "three", new int[] {4, 5}, null);
        log.warn("\\{} {} {}", new Object() { public String toString() { throw new IllegalStateException(); } }, 7);
        log.error("it failed at {}", "nine", new IllegalStateException("for a reason"));
        log.error("alone", new IllegalArgumentException("a second one"));
        String same = LoggerFactory.getILoggerFactory().getLogger("net.NetImpl") == log ? "same" : "another";
        return same + " " + log.isDebugEnabled() + " " + log.isWarnEnabled();
    }
}
"#;

/// An agent with a probe and an extension that is denied.
fn agent() -> &'static Path {
    static AGENT: OnceLock<PathBuf> = OnceLock::new();
    AGENT.get_or_init(|| agent_with(DENIED, "NETWORK"))
}

fn agent_with(implementation: &str, permissions: &str) -> PathBuf {
    let work = tempfile::tempdir().expect("a folder");
    let zip = fixtures::ExtensionZip::new("net", "1.0.0")
        .class_path(crate::product::api_classes())
        .api("net/Net.java", "package net; public interface Net { String use(); }")
        .implementation("net/NetImpl.java", implementation)
        .attribute("BTrace-Extension-Services", "net.Net")
        .attribute("BTrace-Extension-Permissions", permissions)
        .build(work.path())
        .expect("an extension");
    let probes = work.path().join("probes");
    compile(&[("trace/Asking.java", PROBE)], &[&work.path().join("net-classes/api")], &probes);
    let toml = "[agent]\nname = \"logging\"\nversion = \"4.5.6\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n\
                [[extension]]\nfile = \"net.zip\"\n";
    let project = AgentProject::new("logging", toml).file("net.zip", fs_err::read(zip).expect("a zip"));
    project.tree("probes", &probes).build().jar
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

fn application(test: &Test, jdk: &Jdk) -> Builder {
    let traced =
        Traced::new(test, "Plain", WORK, "package trace; @io.btrace.core.annotations.BTrace public class Plain {}");
    let home = format!("-Duser.home={}", test.folder().display());
    let target = Target::builder(jdk).class_path(&traced.classes).main("work.Main").jvm_option(home);
    target.jvm_option("-Dbtrace.agent.suppressDeprecation=true")
}

fn started(test: &Test, jdk: &Jdk, arguments: &str) -> Builder {
    application(test, jdk).jvm_option(format!("-javaagent:{}={arguments}", agent().display()))
}

fn records(path: &Path) -> Vec<Value> {
    let text = fs_err::read_to_string(path).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn wait_for_record(test: &Test, path: &Path, event: &str) -> Value {
    test.wait_until(&format!("the audit has `{event}`"), || {
        records(path).into_iter().find(|record| record["event"] == event)
    })
}

#[test]
fn the_audit_has_what_was_done_and_by_whom() {
    each_jdk("audit", |test, jdk| {
        let out = test.folder().join("out.txt");
        let more = format!("scriptOutputFile={},auditFile=audit-{{executor}}-{{pid}}.jsonl", out.display());
        let arguments = format!("probes=Asking,$quoted=\"a\"\"b\",{more}");
        let target = started(test, jdk, &arguments).arg("--executor-id").arg("12").launch();
        round(&target, "a");
        let file = test.folder().join(format!("audit-12-{}.jsonl", target.pid()));
        let jar = wait_for_record(test, &file, "jar");
        let digest = sha256(&fs_err::read(agent()).expect("the jar"));
        assert_eq!(jar["sha256"], digest.as_str());

        // A client of ours tells who it is; whoever else attaches is not known.
        let client = Target::builder(jdk).jar(agent()).arg(target.pid().to_string()).arg("level=3").launch();
        let client_pid = client.pid();
        client.wait_exit().expect_code(0);
        jcmd_load(test, jdk, &target, agent(), "level=4");
        test.run(fatagent().arg("off").arg(target.pid().to_string())).expect_code(0);
        round(&target, "b");
        end(&target);

        let all = records(&file);
        assert!(all.iter().all(|record| record["pid"] == target.pid()), "{all:?}");
        assert!(all.iter().all(|record| record["time"].as_str().is_some_and(|t| t.ends_with('Z') && t.len() == 24)));
        let of = |event: &str| all.iter().filter(|record| record["event"] == event).collect::<Vec<_>>();
        let start = of("start")[0];
        assert_eq!(all[0], *start, "nothing comes before it");
        assert_eq!(start["version"], "4.5.6");
        assert_eq!(start["jar"], agent().display().to_string());
        assert_eq!(start["arguments"], arguments.replace("\"a\"\"b\"", "a\"b"));
        assert!(start.get("clientPid").is_none());
        let probe = of("probe")[0];
        let class = archived(agent(), "META-INF/btrace-probes/trace/Asking.class");
        assert_eq!((&probe["name"], &probe["from"]), (&"trace.Asking".into(), &"probe Asking".into()));
        assert_eq!(probe["sha256"], sha256(&class));
        let woven = of("woven")[0];
        assert_eq!(woven["class"], "work.Work");
        assert!(woven["methods"][0].as_str().is_some_and(|method| method.starts_with("round")), "{woven}");
        let denied = of("denied")[0];
        assert_eq!((&denied["extension"], &denied["version"]), (&"net".into(), &"1.0.0".into()));
        assert!(denied["reasons"][0].as_str().is_some_and(|reason| reason.contains("NETWORK")), "{denied}");
        let attached = of("attach");
        assert_eq!(attached.len(), 2, "{all:?}");
        assert_eq!(attached[0]["clientPid"], client_pid);
        assert_eq!(attached[0]["jarSha256"], digest.as_str());
        assert!(attached[0]["clientUid"].is_u64() && attached[1].get("clientUid").is_none(), "{attached:?}");
        assert_eq!(attached[0]["arguments"], "level=3");
        let detached = of("detach")[0];
        assert_eq!(detached["probes"], serde_json::json!(["trace.Asking"]));
        assert_eq!(detached["restored"], 1);
        assert!(detached["clientPid"].is_u64(), "{detached}");
        assert_eq!(all[all.len() - 1], *detached);
        expect_file(test, &out, &["a null".to_owned()]);
    });
}

/// An entry of a jar.
fn archived(jar: &Path, name: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(fs_err::File::open(jar).expect("the jar")).expect("a jar");
    let mut bytes = Vec::new();
    std::io::copy(&mut archive.by_name(name).expect("the entry"), &mut bytes).expect("its content");
    bytes
}

#[test]
fn a_probe_that_is_refused_is_in_the_audit_and_its_file_is_bounded() {
    each_jdk("audit of refusals", |test, jdk| {
        let (file, script) = (test.folder().join("audit.jsonl"), test.folder().join("Bad.class"));
        fs_err::write(&script, "no class\n\"quoted\"").expect("a file");
        let arguments = format!("script={},auditFile={},maxAuditBytes=16k", script.display(), file.display());
        let target = started(test, jdk, &arguments).launch();
        round(&target, "a");
        let refused = wait_for_record(test, &file, "refused");
        assert_eq!(refused["probe"], format!("script {}", script.display()));
        assert!(refused["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        // Below a file there can be no other.
        let below = format!("{}/x", script.display());
        let client = Target::builder(jdk).jar(agent()).arg(target.pid().to_string());
        client.arg(format!("scriptOutputFile={below}")).launch().wait_exit();
        let failed = wait_for_record(test, &file, "failed");
        assert!(failed["reason"].as_str().is_some_and(|reason| reason.contains(&format!("{below} cannot be written"))));
        // Each attach is a record of several hundred bytes.
        for number in 0..20 {
            jcmd_load(test, jdk, &target, agent(), &format!("level={number},$long={}", "x".repeat(300)));
        }
        end(&target);
        let parts: Vec<u64> = (0..9)
            .map(
                |number| if number == 0 { file.clone() } else { PathBuf::from(format!("{}.{number}", file.display())) },
            )
            .filter_map(|path| Some(fs_err::metadata(path).ok()?.len()))
            .collect();
        assert!(parts.len() > 2 && parts.len() <= 8 && parts.iter().sum::<u64>() <= 16 << 10, "{parts:?}");
    });
}

#[test]
fn the_log_goes_to_its_file_by_level_and_nothing_to_stderr() {
    each_jdk("log file", |test, jdk| {
        let arguments = "probes=Asking,logFile=log-{env:APP}-{host}.txt,logLevel=info,help,zzzzzzzz=1";
        let arguments = format!("{arguments},scriptOutputFile={}", test.folder().join("out.txt").display());
        let target = started(test, jdk, &arguments).env("APP", "shop").launch();
        round(&target, "a");
        assert_eq!(end(&target), "");
        let host = fs_err::read_to_string("/proc/sys/kernel/hostname").expect("a name");
        let text = fs_err::read_to_string(test.folder().join(format!("log-shop-{}.txt", host.trim()))).expect("a log");
        for line in text.lines() {
            let (time, rest) = line.split_once(' ').expect("a time");
            assert!(time.len() == 24 && time.starts_with("20") && time.ends_with('Z'), "{line}");
            assert!(["INFO ", "WARN "].iter().any(|level| rest.starts_with(level)), "{line}");
        }
        let part = " WARN io.btrace.agent - unknown agent argument `zzzzzzzz` is ignored\n";
        assert_eq!(text.matches(part).count(), 1, "{text}");
        assert_eq!(text.matches(" WARN io.btrace.agent - net.Net is not there: ").count(), 1, "{text}");
        assert!(text.contains(" INFO io.btrace.agent -   logLevel "), "{text}");

        // As small as can be: the newest is kept.
        let arguments = "help,logFile=small.txt,maxLogBytes=2k,zzzzzzzz=1";
        let target = started(test, jdk, arguments).launch();
        round(&target, "a");
        assert_eq!(end(&target), "");
        let parts: Vec<String> = ["", ".1", ".2", ".3"]
            .iter()
            .map(|end| fs_err::read_to_string(test.folder().join(format!("small.txt{end}"))).unwrap_or_default())
            .collect();
        assert!(parts.iter().map(String::len).sum::<usize>() <= 2 << 10, "{parts:?}");
        assert!(parts[0].ends_with("unknown agent argument `zzzzzzzz` is ignored\n"), "{parts:?}");
        assert!(parts.iter().all(|part| !part.is_empty()), "{parts:?}");
    });
}

#[test]
fn a_log_that_cannot_be_written_leaves_stderr_and_the_host_as_they_are() {
    each_jdk("no log file", |test, jdk| {
        let arguments = "logFile=/dev/null/such/folder/x.log,auditFile=x-{nothing},logLevel=loud,maxLogBytes=many";
        let target = started(test, jdk, arguments).launch();
        assert_eq!(round(&target, "a"), "said a");
        let stderr = end(&target);
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 4, "{stderr}");
        for (line, parts) in lines.iter().zip([
            ["logLevel is ignored: unknown log level: `loud`", "hint: write `trace`, `debug`, "],
            ["`maxLogBytes` must be ", "it stays at 16777216"],
            ["the log goes to stderr: logFile=/dev/null/such/folder/x.log cannot be written: ", "hint: name a file"],
            [
                "there is no audit: auditFile cannot be used: unknown placeholder in `x-{nothing}`",
                "hint: there are {pid}",
            ],
        ]) {
            assert!(parts.iter().all(|part| line.contains(part)), "{line}: {parts:?}");
        }
        // Neither level lets these through.
        let target = started(test, jdk, "logFile=/dev/null/such/folder/x.log,logLevel=off,zzzzzzzz=1").launch();
        round(&target, "a");
        assert_eq!(end(&target), "");
    });
}

#[test]
fn levels_of_the_simple_logger_count() {
    each_jdk("simpleLogger", |test, jdk| {
        let arguments = format!("probes=Asking,scriptOutputFile={}", test.folder().join("out.txt").display());
        let run = |properties: &[&str], more: &str| {
            let builder = started(test, jdk, &format!("{arguments}{more}"));
            let builder = properties
                .iter()
                .fold(builder, |builder, property| builder.jvm_option(format!("-Dorg.slf4j.simpleLogger.{property}")));
            let target = builder.launch();
            round(&target, "a");
            end(&target)
        };
        let found = "[fatagent] found extension net 1.0.0 in ";
        let linked = "[fatagent] extension net offers net.Net\n";
        let denied = "[fatagent] net.Net is not there: ";
        let active = "[fatagent] probe trace.Asking is number 1\n";
        let seen = |text: &str| [found, linked, denied, active].map(|part| text.contains(part));
        assert_eq!(seen(&run(&[], "")), [false, false, true, false]);
        assert_eq!(seen(&run(&["log.io.btrace.agent.extension=DEBUG"], "")), [true, false, true, false]);
        assert_eq!(seen(&run(&["log.io.btrace.runtime.ExtensionIndy=DEBUG"], "")), [false, true, true, false]);
        assert_eq!(seen(&run(&["log.io.btrace=debug", "log.io.btrace.runtime=warn"], "")), [true, false, true, true]);
        assert_eq!(seen(&run(&["defaultLogLevel=debug"], "")), [true; 4]);
        assert_eq!(seen(&run(&["defaultLogLevel=error"], "")), [false; 4]);
        assert_eq!(seen(&run(&["defaultLogLevel=error"], ",logLevel=warn")), [false, false, true, false]);
        assert_eq!(seen(&run(&[], ",debug")), [true; 4]);
    });
}

#[test]
fn code_written_for_slf4j_logs_into_the_log() {
    each_jdk("slf4j", |test, jdk| {
        let jar = agent_with(LOGGING, "");
        let out = test.folder().join("out.txt");
        let run = |property: &str, more: &str| {
            let arguments = format!("probes=Asking,scriptOutputFile={}{more}", out.display());
            let target = application(test, jdk).jvm_option(format!("-Dorg.slf4j.simpleLogger.{property}"));
            let target = target.jvm_option(format!("-javaagent:{}={arguments}", jar.display())).launch();
            round(&target, "a");
            end(&target)
        };
        let odd = "{} [net.NetImpl$1.toString() failed] 7";
        let stderr = run("x=y", "");
        let lines: Vec<&str> = stderr.lines().filter(|line| !line.starts_with("\tat ")).collect();
        let expected = [
            format!("[fatagent] net.NetImpl - {odd}"),
            "[fatagent] net.NetImpl - it failed at nine".to_owned(),
            "java.lang.IllegalStateException: for a reason".to_owned(),
            "[fatagent] net.NetImpl - alone".to_owned(),
            "java.lang.IllegalArgumentException: a second one".to_owned(),
        ];
        assert_eq!(lines, expected, "{stderr}");
        assert!(stderr.contains("\tat net.NetImpl.use(NetImpl.java:10)\n"), "{stderr}");

        // Into the file, by the level of the logger's own name or of one above it.
        let log = test.folder().join("log.txt");
        assert_eq!(run("log.net=info", &format!(",logFile={}", log.display())), "");
        let text = fs_err::read_to_string(&log).expect("a log");
        let lines: Vec<&str> =
            text.lines().filter_map(|line| line.split_once(" net.NetImpl - ")).map(|(_, t)| t).collect();
        assert_eq!(lines, ["three: [4, 5], null", odd, "it failed at nine", "alone"], "{text}");
        let stderr = run("log.net.NetImpl=trace", "");
        assert!(stderr.contains("net.NetImpl - a trace of 1\n") && stderr.contains("- one and two\n"), "{stderr}");
        assert_eq!(run("log.net=off", ",logLevel=debug").matches("NetImpl -").count(), 0);
        let all = ["same false true", "same false true", "same true true", "same false false"];
        let expected: Vec<String> = all.iter().map(|text| format!("a {text}")).collect();
        expect_file(test, &out, &expected);
    });
}

#[test]
fn version_and_digest_of_the_jar_are_system_properties() {
    each_jdk("properties", |test, jdk| {
        let digest = sha256(&fs_err::read(agent()).expect("the jar"));
        let native = format!("-agentpath:{}=jar={}", library().display(), agent().display());
        let options = [native, format!("-javaagent:{}", agent().display())];
        let targets: Vec<Target> =
            options.into_iter().map(|option| application(test, jdk).jvm_option(option).launch()).collect();
        for target in targets {
            round(&target, "a");
            let properties = || -> BTreeMap<String, String> {
                let mut command = Command::new(jdk.jcmd());
                let text = test.run(command.arg(target.pid().to_string()).arg("VM.system_properties")).stdout;
                let pairs = text.lines().filter_map(|line| line.split_once('='));
                pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
            };
            assert_eq!(properties().get("btrace.agent.version").map(String::as_str), Some("4.5.6"));
            let found = test.wait_until("the digest is known", || properties().remove("btrace.agent.jar.sha256"));
            assert_eq!(found, digest);
            assert_eq!(end(&target), "");
        }
    });
}
