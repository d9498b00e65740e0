//! Extensions that choose their probes by what the JVM runs.

use std::path::Path;
use std::sync::OnceLock;

use crate::harness::{AgentProject, BuiltAgent, Jdk, Target, Test, each_jdk};
use crate::product::{compile, library};

/// Looks like a driver and an executor of a cluster: two main classes, one job.
const JOB: &str = r#"package cluster;
public class Job {
    public static void run(String role) { task(role); System.out.println("ran " + role); }
    static void task(String role) { }
}
"#;
const DRIVER: &str = "package cluster; public class Driver { public static void main(String[] arguments) { Job.run(\"driver\"); System.exit(5); } }";
const EXECUTOR: &str = "package cluster; public class Executor { public static void main(String[] arguments) { Job.run(\"executor\"); System.exit(5); } }";

const CONFIGURATOR: &str = r#"package roles.impl;
import io.btrace.core.extensions.*;
import java.util.Map;
public class Chooser implements ExtensionConfigurator {
    public ProbeConfiguration configure(RuntimeEnvironment environment, Map<String, String> settings) {
        String how = environment.getSystemProperty("test.how", "choose");
        if (how.equals("null")) return null;
        if (how.equals("none")) return new ProbeConfiguration();
        if (how.equals("fail")) throw new IllegalStateException("no cluster");
        if (!environment.hasClass("cluster.Job") || environment.hasClass("cluster.None")) return null;
        ProbeConfiguration chosen = new ProbeConfiguration().setOutput("file").setOutputPath(environment.getEnv("TEST_OUT"));
        if (how.equals("unknown")) return chosen.enable("DriverProbe", "NoSuchProbe");
        // A lambda, as configurators of others have them.
        java.util.function.Function<String, String> probe = main -> main.endsWith(".Driver") ? "DriverProbe" : "roles.ExecutorProbe";
        String name = probe.apply(environment.getMainClassName());
        return chosen.enable(name).setProbeParam(name, "who", settings.get("level") + " " + environment.getMainClassName());
    }
}
"#;

fn probe(name: &str) -> String {
    format!(
        "package roles; import io.btrace.core.annotations.*; import static io.btrace.core.BTraceUtils.*; \
         @BTrace public class {name} {{ \
         @OnMethod(clazz = \"cluster.Job\", method = \"task\") public static void task(String role) {{ println(\"{name} \" + role + \" \" + $(\"who\")); }} }}"
    )
}

fn agent() -> BuiltAgent {
    static PROJECT: OnceLock<AgentProject> = OnceLock::new();
    PROJECT
        .get_or_init(|| {
            let work = tempfile::tempdir().expect("a folder");
            let classes = work.path().join("roles");
            let (driver, executor) = (probe("DriverProbe"), probe("ExecutorProbe"));
            compile(&[("roles/impl/Chooser.java", CONFIGURATOR)], &[], &classes);
            let probes = work.path().join("probes");
            compile(&[("roles/DriverProbe.java", &driver), ("roles/ExecutorProbe.java", &executor)], &[], &probes);
            let manifest = "Manifest-Version: 1.0\r\nBTrace-Extension-Id: roles\r\nBTrace-Extension-Version: 1.0.0\r\n\
                            BTrace-Extension-Configurator: roles.impl.Chooser\r\nBTrace-Extension-Permissions: \r\n\r\n";
            AgentProject::new(
                "roles",
                "[agent]\nname = \"roles\"\nversion = \"1\"\n[[extension]]\npath = \"roles\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n",
            )
            .tree("roles", &classes)
            .file("roles/META-INF/MANIFEST.MF", manifest)
            .tree("probes", &probes)
        })
        .build()
}

/// Runs one of the programs; the probes' output, and the standard error.
fn run(test: &Test, jdk: &Jdk, main: &str, option: &str, how: &str) -> (String, String) {
    let classes = test.compile(&[
        ("cluster/Job.java", JOB),
        ("cluster/Driver.java", DRIVER),
        ("cluster/Executor.java", EXECUTOR),
    ]);
    let out = test.folder().join("chosen.txt");
    if out.exists() {
        fs_err::remove_file(&out).expect("no file");
    }
    let target = Target::builder(jdk)
        .class_path(classes)
        .main(format!("cluster.{main}"))
        .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
        .jvm_option(format!("-Dtest.how={how}"))
        .jvm_option(option)
        .env("TEST_OUT", &out)
        .launch();
    let output = target.wait_exit().expect_code(5);
    assert_eq!(output.stdout, format!("ran {}\n", main.to_lowercase()), "{}", output.stderr);
    (fs_err::read_to_string(out).unwrap_or_default(), output.stderr)
}

#[test]
fn a_configurator_chooses_probes_output_and_parameters() {
    each_jdk("configurators", |test, jdk| {
        let jar = agent().jar;
        let java = |arguments: &str| format!("-javaagent:{}={arguments}", jar.display());
        let native = format!("-agentpath:{}=jar={}", library().display(), jar.display());
        let nothing = (String::new(), String::new());

        let (out, stderr) = run(test, jdk, "Driver", &java("level=1"), "choose");
        assert_eq!((out.as_str(), stderr.as_str()), ("DriverProbe driver 1 cluster.Driver\n", ""));
        let (out, stderr) = run(test, jdk, "Executor", &native, "choose");
        assert_eq!((out.as_str(), stderr.as_str()), ("ExecutorProbe executor null cluster.Executor\n", ""));
        for how in ["null", "none"] {
            assert_eq!(run(test, jdk, "Driver", &java(""), how), nothing, "{how}");
        }

        // Whoever names probes, even none, chooses.
        assert_eq!(run(test, jdk, "Driver", &java("probes="), "choose"), nothing);
        let file = test.folder().join("named.txt");
        let named = java(&format!("probes=ExecutorProbe,scriptOutputFile={}", file.display()));
        assert_eq!(run(test, jdk, "Driver", &named, "choose"), nothing);
        expect(&file, "ExecutorProbe driver null\n");
        // So does whoever says where output goes.
        let elsewhere = test.folder().join("elsewhere.txt");
        let (out, _) = run(test, jdk, "Driver", &java(&format!("scriptOutputFile={}", elsewhere.display())), "choose");
        assert_eq!(out, "");
        expect(&elsewhere, "DriverProbe driver null cluster.Driver\n");

        let (out, stderr) = run(test, jdk, "Driver", &java(""), "fail");
        let failed = "[fatagent] extension roles runs without its probes: its configurator roles.impl.Chooser failed: no cluster; \
                      hint: name probes with `probes=`\n";
        assert_eq!((out.as_str(), stderr.as_str()), ("", failed));
        let (out, stderr) = run(test, jdk, "Driver", &java(""), "unknown");
        assert_eq!(out, "DriverProbe driver null\n");
        let unknown = "[fatagent] probe NoSuchProbe, which extension roles chooses, is off: ";
        assert!(stderr.starts_with(unknown) && stderr.contains("hint: "), "{stderr}");
    });
}

fn expect(file: &Path, text: &str) {
    assert_eq!(fs_err::read_to_string(file).expect("output"), text);
}
