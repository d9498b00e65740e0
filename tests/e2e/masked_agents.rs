//! `fatagent mask`: agents of our own and of others, made invisible and still working.

use std::path::{Path, PathBuf};

use crate::harness::{Jdk, Target, Test, each_jdk, each_jdk_of, fatagent, maven_artifact, step};
use crate::product::{agent as core_agent, app, expect_undisturbed, jcmd_load, rounds};

const JAVA_8: [&str; 3] = ["--release", "8", "-Xlint:-options"];

/// Runs `fatagent mask` with the output `name`, which it returns.
#[track_caller]
pub(crate) fn mask(test: &Test, name: &str, arguments: &[&str]) -> PathBuf {
    let folder = test.folder().join("masked");
    fs_err::create_dir_all(&folder).expect("a folder");
    let jar = folder.join(name);
    let done = test.run(fatagent().arg("mask").args(arguments).arg("-o").arg(&jar));
    let done = done.expect_code(0);
    assert_eq!(done.stdout.trim_end(), jar.to_str().expect("UTF-8"));
    test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
    jar
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// An agent that says on standard error what it sees of itself.
const AGENT: &str = r#"package ag;
import java.io.*;
import java.lang.instrument.Instrumentation;
public class Ag {
    static int starts;
    public static void premain(String arguments, Instrumentation i) throws Exception { say("premain", arguments, i); }
    public static void agentmain(String arguments, Instrumentation i) throws Exception { say("agentmain", arguments, i); }
    private static void say(String how, String arguments, Instrumentation i) throws Exception {
        if ("fail".equals(arguments)) throw new IllegalStateException("wanted");
        ClassLoader own = Ag.class.getClassLoader();
        Package p = Ag.class.getPackage();
        StringBuilder out = new StringBuilder(NAME + ": " + how + " " + arguments + " " + (i != null) + " start " + ++starts);
        out.append(", context ").append(Thread.currentThread().getContextClassLoader() == own);
        out.append(", version ").append(p.getImplementationVersion()).append(' ').append(p.getImplementationTitle());
        out.append(", copy ").append(V.value());
        out.append(", same ").append(V.class.getResourceAsStream("V.class").available() > 0);
        for (Object s : java.util.ServiceLoader.load(dep.Spi.class)) out.append(", service ").append(s);
        out.append(", sql ").append(found("java.sql.Driver")).append(", app ").append(found("app.App"));
        String jar = Ag.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        out.append(", jar ").append(jar.substring(jar.lastIndexOf('/') + 1));
        out.append(", implicit parent ").append(new Free().getParent() == own);
        System.err.println(out);
    }
    private static boolean found(String name) {
        try { return Class.forName(name) != null; } catch (ClassNotFoundException e) { return false; }
    }
    static class Free extends ClassLoader { }
}
"#;
const COPY: &str = "package ag; public class V { public static int value() { return NUMBER; } }";
const SPI: &str = "package dep; public interface Spi { }";
const PROVIDER: &str =
    "package dep; public class Provider implements Spi { public String toString() { return \"found\"; } }";

/// A plain agent jar that calls itself `name`.
pub(crate) fn plain(test: &Test, name: &str) -> PathBuf {
    let copy = |number: &str| {
        let source = COPY.replace("NUMBER", number);
        fs_err::read(test.compile_with(&[("ag/V.java", &source)], &JAVA_8).join("ag/V.class")).expect("a class")
    };
    let source = AGENT.replace("NAME", &format!("\"{name}\""));
    let sources = [
        ("ag/Ag.java", source.as_str()),
        ("ag/V.java", &COPY.replace("NUMBER", "8")),
        ("dep/Spi.java", SPI),
        ("dep/Provider.java", PROVIDER),
    ];
    let classes = test.compile_with(&sources, &JAVA_8);
    let path = test.folder().join(format!("plain-{name}.jar"));
    fixtures::Jar::new()
        .manifest(
            b"Manifest-Version: 1.0\r\nPremain-Class: ag.Ag\r\nAgent-Class: ag.Ag\r\nMulti-Release: true\r\n\
              Implementation-Version: 1.2.3\r\n\r\nName: ag/\r\nImplementation-Title: T\r\n\r\n",
        )
        .tree(&classes)
        .expect("classes")
        .file("META-INF/versions/11/ag/V.class", &copy("11"))
        .file("META-INF/versions/99/ag/V.class", &copy("99"))
        .file("META-INF/services/dep.Spi", b"dep.Provider")
        .write(&path)
        .expect("a jar");
    path
}

pub(crate) fn expected(name: &str, how: &str, arguments: &str, start: u32, jar: &str) -> String {
    format!(
        "{name}: {how} {arguments} true start {start}, context true, version 1.2.3 T, copy 11, same true, service found, \
         sql true, app false, jar {jar}, implicit parent true"
    )
}

#[test]
fn case_20_a_masked_agent_sees_itself_as_before() {
    each_jdk("masked agent", |test, jdk| {
        let jar = mask(test, "one.jar", &["--agent", text(&plain(test, "one"))]);
        let target = app(test, jdk).jvm_option(format!("-javaagent:{}=a=b,c", jar.display())).launch();
        rounds(&target, &["x"]);
        let stderr = expect_undisturbed(&target, &["x"]);
        assert_eq!(stderr.trim_end(), expected("one", "premain", "a=b,c", 1, "one.jar"));
    });
}

#[test]
fn an_attached_masked_agent_keeps_its_state_between_starts() {
    each_jdk("masked attach", |test, jdk| {
        let jar = mask(test, "one.jar", &["--agent", text(&plain(test, "one"))]);
        let target = app(test, jdk).launch();
        rounds(&target, &["x"]);
        jcmd_load(test, jdk, &target, &jar, "first");
        jcmd_load(test, jdk, &target, &jar, "second");
        let stderr = expect_undisturbed(&target, &["x"]);
        let said: Vec<&str> = stderr.lines().filter(|line| line.starts_with("one:")).collect();
        let of = |arguments, start| expected("one", "agentmain", arguments, start, "one.jar");
        assert_eq!(said, [of("first", 1), of("second", 2)]);
    });
}

#[test]
fn case_41_masked_agents_run_beside_each_other_and_beside_the_core() {
    each_jdk("two masked agents", |test, jdk| {
        let one = mask(test, "one.jar", &["--agent", text(&plain(test, "one"))]);
        let two = mask(test, "two.jar", &["--agent", text(&plain(test, "two"))]);
        let renamed = test.folder().join("renamed.jar");
        fs_err::copy(&two, &renamed).expect("a copy");
        let start = |jars: &[(&Path, &str)]| {
            let options = jars.iter().map(|(jar, arguments)| format!("-javaagent:{}={arguments}", jar.display()));
            let builder = app(test, jdk).jvm_option("-Dbtrace.agent.suppressDeprecation=true");
            let target = options.fold(builder, crate::harness::Builder::jvm_option).launch();
            rounds(&target, &["x"]);
            expect_undisturbed(&target, &["x"])
        };
        let of = |name: &str, jar: &str| expected(name, "premain", name, 1, jar);
        let both = start(&[(&one, "one"), (&two, "two")]);
        assert_eq!(both.lines().collect::<Vec<_>>(), [of("one", "one.jar"), of("two", "two.jar")]);
        let renamed = start(&[(&one, "one"), (&renamed, "two")]);
        assert!(renamed.lines().any(|line| line == of("two", "renamed.jar")), "{renamed}");
        let core = core_agent().jar;
        let after_core = start(&[(&core, ""), (&one, "one")]);
        assert_eq!(after_core.lines().collect::<Vec<_>>(), [of("one", "one.jar")]);
        // The core's other boot classes would be there, but whether the shim is the same cannot be told: one line.
        let before_core = start(&[(&one, "one"), (&core, "")]);
        let lines: Vec<&str> = before_core.lines().collect();
        assert_eq!((lines.len(), lines[0]), (2, of("one", "one.jar").as_str()), "{before_core}");
        assert!(lines[1].starts_with("[fatagent] agent is off: "), "{before_core}");
    });
}

#[test]
fn a_masked_agent_that_fails_leaves_one_line() {
    each_jdk("failing agent", |test, jdk| {
        let jar = mask(test, "one.jar", &["--agent", text(&plain(test, "one"))]);
        let target = app(test, jdk).jvm_option(format!("-javaagent:{}=fail", jar.display())).launch();
        rounds(&target, &["x"]);
        let stderr = expect_undisturbed(&target, &["x"]);
        assert_eq!(stderr.trim_end(), "[fatagent] agent is off: java.lang.IllegalStateException: wanted");
        let client = Target::builder(jdk).jar(&jar).label("client").launch().wait_exit().expect_code(2);
        assert!(client.stderr.contains("has no client; hint: "), "{}", client.stderr);
    });
}

/// An application that says which of the named classes it can see, and then waits for its input to end.
const SEER: &str = r#"package seer;
public class Seer {
    static int work(int x) { return x > 3 ? x * 2 : x + 1; }
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            try { System.out.println("visible " + Class.forName(name)); } catch (ClassNotFoundException e) { }
        }
        System.out.println("ready " + work(5));
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) System.out.println("worked " + work(line.length()));
    }
}
"#;

fn seer(test: &Test, jdk: &Jdk, names: &[&str]) -> crate::harness::Builder {
    let classes = test.compile_with(&[("seer/Seer.java", SEER)], &["--release", "8", "-Xlint:-options", "-g"]);
    let builder = Target::builder(jdk).class_path(classes).main("seer.Seer");
    names.iter().fold(builder, |builder, name| builder.arg(*name))
}

#[test]
fn masked_jacoco_writes_coverage() {
    each_jdk("JaCoCo", |test, jdk| {
        let plain = maven_artifact("org.jacoco:org.jacoco.agent:0.8.12:jar:runtime");
        let jar = mask(test, "jacoco.jar", &["--agent", text(&plain)]);
        let file = test.folder().join("jacoco.exec");
        let package = "org.jacoco.agent.rt.internal_aeaf9ab";
        let hidden =
            [format!("{package}.PreMain"), format!("{package}.asm.ClassReader"), "org.jacoco.agent.rt.RT".into()];
        let option = format!("-javaagent:{}=destfile={}", jar.display(), file.display());
        let target = seer(test, jdk, &hidden.each_ref().map(String::as_str)).jvm_option(option).launch();
        target.wait_for_line("ready 10");
        target.close_stdin();
        let output = target.wait_exit().expect_code(0);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ready 10\n", ""));
        let coverage = fs_err::read(&file).expect("coverage data");
        let name = b"seer/Seer";
        let found = coverage.windows(name.len()).any(|window| window == name);
        assert!(found, "no coverage of the application in {} bytes", coverage.len());
    });
}

#[test]
fn masked_prometheus_agent_answers_over_http() {
    each_jdk("Prometheus", |test, jdk| {
        // Small runtimes leave the server's module out; the agent as published does not start there either.
        let modules = test.run(std::process::Command::new(jdk.java()).arg("--list-modules")).expect_code(0);
        if !modules.stdout.contains("jdk.httpserver") {
            return;
        }
        let plain = maven_artifact("io.prometheus.jmx:jmx_prometheus_javaagent:1.0.1");
        let jar = mask(test, "prometheus.jar", &["--agent", text(&plain)]);
        let config = test.folder().join("config.yaml");
        fs_err::write(&config, "rules: [{pattern: \".*\"}]\n").expect("a file");
        let port = free_port();
        let option = format!("-javaagent:{}=127.0.0.1:{port}:{}", jar.display(), config.display());
        let hidden = [
            "io.prometheus.jmx.JavaAgent",
            "io.prometheus.jmx.shaded.org.yaml.snakeyaml.Yaml",
            "io.prometheus.metrics.core.metrics.Counter",
        ];
        let target = seer(test, jdk, &hidden).jvm_option(option).launch();
        target.wait_for_line("ready 10");
        step("asking for metrics");
        let answer = get(port, "/metrics");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{}", &answer[..answer.len().min(200)]);
        assert!(answer.contains("java_lang_Memory"), "no metric of the JVM in {} bytes", answer.len());
        target.close_stdin();
        let output = target.wait_exit().expect_code(0);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ready 10\n", ""));
    });
}

/// A port of the loopback interface that was free a moment ago.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a socket");
    listener.local_addr().expect("an address").port()
}

fn get(port: u16, path: &str) -> String {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("the agent listens");
    stream.set_read_timeout(Some(std::time::Duration::from_mins(1))).expect("a limit");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

const TRACE: &str = r#"import org.openjdk.btrace.core.annotations.*;
import static org.openjdk.btrace.core.BTraceUtils.*;
@BTrace public class Trace {
    @OnMethod(clazz = "seer.Seer", method = "work") public static void enter(int x) { println(strcat("work ", str(x))); }
}
"#;

#[test]
fn masked_btrace_2_traces_after_attach() {
    // Unmasked it works on 17 as well, and on no newer release.
    each_jdk_of(&[17], "BTrace 2.2.6", |test, jdk| {
        let jars = ["agent", "boot", "client"].map(|part| maven_artifact(&format!("io.btrace:btrace-{part}:2.2.6")));
        let [agent, boot, client] = jars.each_ref().map(|jar| text(jar));
        // Its client looks for this name beside itself.
        let jar = test.folder().join("btrace-agent.jar");
        let arguments = ["mask", "--print", "--boot", boot, "--agent", agent, "--client", client, "-o", text(&jar)];
        let printed = test.run(fatagent().args(arguments)).expect_code(0);
        assert!(printed.stderr.contains("no client jar has `Main-Class`"), "{}", printed.stderr);
        let toml = test.folder().join("agent.toml");
        let main = "BTrace-Client-Main = \"org.openjdk.btrace.client.Main\"\n";
        fs_err::write(&toml, format!("{}{main}", printed.stdout)).expect("a file");
        test.run(fatagent().args(["build", "--file"]).arg(&toml).arg("-o").arg(&jar)).expect_code(0);
        test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);

        let probe = test.compile_with(&[("Trace.java", TRACE)], &["-cp", boot]).join("Trace.class");
        let hidden = [
            "org.openjdk.btrace.agent.Main",
            "org.openjdk.btrace.instr.Assembler",
            "org.openjdk.btrace.libs.org.objectweb.asm.ClassReader",
            "org.openjdk.btrace.libs.agent.org.jctools.maps.NonBlockingHashMap",
        ];
        let target = seer(test, jdk, &hidden).launch();
        let ready = target.wait_for_stdout(|text| text.contains("ready"));
        assert_eq!(ready.lines().next(), Some("ready 10"), "before the attach");
        let port = free_port().to_string();
        let home = jdk.java().ancestors().nth(2).expect("the JDK's folder").to_owned();
        let client = Target::builder(jdk).jar(&jar).env("JAVA_HOME", home).arg("-p").arg(&port);
        let client = client.arg(target.pid().to_string()).arg(&probe).label("client").launch();
        client.wait_for_stdout(|text| text.contains("Successfully started BTrace probe"));
        // The client says so before the class is woven.
        test.wait_until("the probe fires", || {
            target.send_line("12");
            client.stdout().lines().any(|line| line == "work 2").then_some(())
        });
        target.close_stdin();
        let output = target.wait_exit().expect_code(0);
        // That agent writes its own warnings to standard output, masked or not.
        assert!(output.stdout.starts_with("ready 10\n") && output.stdout.contains("\nworked 3\n"), "{}", output.stdout);
    });
}
