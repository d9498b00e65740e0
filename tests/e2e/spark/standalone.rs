//! `PySpark` 3.5 with a master, a worker and two executors, each a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::harness::{AgentProject, BuiltAgent, Jdk, Settings, Target, cache_folder, e2e_test_with, once};
use crate::product::compile;

const VERSION: &str = "3.5.9";
/// 318 MB, and unpacking them.
const FETCH: Duration = Duration::from_mins(10);
const LIMIT: Duration = Duration::from_mins(15);
const PATIENCE: Duration = Duration::from_mins(5);

/// Waits for both executors, then runs one job in Python and one in the JVM.
const JOB: &str = r#"from pyspark.sql import SparkSession
s = SparkSession.builder.appName("job").getOrCreate()
n = s.sparkContext.parallelize(range(100000), 4).map(lambda x: (x % 10, 1)).reduceByKey(lambda a, b: a + b).count()
q = s.range(0, 1000000, 1, 4).selectExpr("sum(id % 7) as s").collect()[0].s
print("RESULT", n, q, s.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1)
s.stop()
"#;
const RESULT: &str = "RESULT 10 2999997 2\n";

/// Tells by the main class what it is in; the command's words hold the number of an executor.
const CONFIGURATOR: &str = r#"package spark.roles;
import io.btrace.core.extensions.*;
import java.util.Map;
public class Roles implements ExtensionConfigurator {
    public ProbeConfiguration configure(RuntimeEnvironment environment, Map<String, String> settings) {
        String main = environment.getMainClassName();
        if (main == null || !environment.hasClass("org.apache.spark.SparkContext")) return null;
        ProbeConfiguration chosen = new ProbeConfiguration().setOutput(ProbeConfiguration.Output.FILE);
        String out = environment.getSystemProperty("test.out");
        if (main.equals("org.apache.spark.deploy.SparkSubmit")) {
            return chosen.setOutputPath(out + "/driver.txt").enable("DriverProbe");
        }
        if (main.endsWith(".CoarseGrainedExecutorBackend")) {
            String[] words = environment.getSystemProperty("sun.java.command").split(" ");
            String number = words[java.util.Arrays.asList(words).indexOf("--executor-id") + 1];
            return chosen.setOutputPath(out + "/executor-" + number + ".txt").enable("ExecutorProbe")
                .setProbeParam("ExecutorProbe", "number", number);
        }
        return null;
    }
}
"#;
const PROBES: [(&str, &str); 2] = [
    (
        "spark/roles/DriverProbe.java",
        r#"package spark.roles;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class DriverProbe {
    @OnMethod(clazz = "org.apache.spark.scheduler.DAGScheduler", method = "handleJobSubmitted")
    public static void job() { println("driver has a job"); }
}
"#,
    ),
    (
        "spark/roles/ExecutorProbe.java",
        r#"package spark.roles;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class ExecutorProbe {
    @OnMethod(clazz = "org.apache.spark.executor.Executor$TaskRunner", method = "run")
    public static void task() { println("executor " + $("number") + " has a task"); }
}
"#,
    ),
];

fn agent(work: &Path) -> BuiltAgent {
    let (classes, probes) = (work.join("roles"), work.join("probes"));
    compile(&[("spark/roles/Roles.java", CONFIGURATOR)], &[], &classes);
    compile(&PROBES, &[], &probes);
    let manifest = "Manifest-Version: 1.0\r\nBTrace-Extension-Id: spark-roles\r\nBTrace-Extension-Version: 1.0.0\r\n\
                    BTrace-Extension-Configurator: spark.roles.Roles\r\nBTrace-Extension-Permissions: \r\n\r\n";
    let toml = "[agent]\nname = \"spark-agent\"\nversion = \"1\"\n[[extension]]\npath = \"roles\"\n\
                [probes]\ninclude = [\"probes/**/*.class\"]\n";
    AgentProject::new("spark-agent", toml)
        .tree("roles", &classes)
        .file("roles/META-INF/MANIFEST.MF", manifest)
        .tree("probes", &probes)
        .build()
}

/// The folder that holds the package `pyspark`, fetched once.
fn pyspark() -> PathBuf {
    let place = cache_folder().join("pyspark").join(VERSION);
    let fetched = once(&place, |folder| {
        let mut pip = Command::new("python3");
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            "--no-compile",
            "--target",
        ]);
        let output =
            fixtures::run(pip.arg(folder).arg(format!("pyspark=={VERSION}")), FETCH).map_err(|e| e.to_string())?;
        if output.status.success() { Ok(()) } else { Err(format!("pip failed: {}", output.both())) }
    });
    fetched.unwrap_or_else(|error| panic!("pyspark {VERSION} cannot be fetched: {error}"));
    place
}

/// A program of Spark.
fn spark(packages: &Path, jdk: &Jdk, program: &str) -> Command {
    let home = packages.join("pyspark");
    let mut command = Command::new("bash");
    command.arg(home.join("bin").join(program));
    let java = jdk.java();
    let java_home = java.parent().and_then(Path::parent).expect("a JDK");
    command.env("JAVA_HOME", java_home).env("SPARK_HOME", &home).env("PYTHONPATH", packages);
    command.env("SPARK_LOCAL_IP", "127.0.0.1").env("SPARK_DAEMON_MEMORY", "512m").env("PYSPARK_PYTHON", "python3");
    command.env_remove("JAVA_TOOL_OPTIONS").env_remove("SPARK_CONF_DIR").stdin(Stdio::null());
    command
}

#[test]
fn an_embedded_extension_finds_out_whether_it_is_in_the_driver_or_an_executor() {
    let settings = Settings::within(LIMIT, None);
    e2e_test_with("spark standalone", &settings, |test| {
        let packages = pyspark();
        let jdk = Jdk::of(17);
        let agent = agent(&test.folder().join("work"));
        let out = test.folder().join("out");
        fs_err::create_dir_all(&out).expect("a folder");
        fs_err::write(test.folder().join("job.py"), JOB).expect("a file");

        let mut master = spark(&packages, &jdk, "spark-class");
        master.args([
            "org.apache.spark.deploy.master.Master",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--webui-port",
            "0",
        ]);
        let master = Target::program("master", master.current_dir(test.folder())).patience(PATIENCE);
        master.wait_for_error_line("New state: ALIVE");
        let said = master.wait_for_error_line("spark://127.0.0.1:");
        let address = said.split_whitespace().find(|word| word.starts_with("spark://")).expect("an address").to_owned();
        let address = address.trim_end_matches(['.', ',']).to_owned();
        let mut worker = spark(&packages, &jdk, "spark-class");
        worker.args(["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "2", "--memory", "3g"]);
        worker.arg("--work-dir").arg(test.folder().join("worker")).args(["--webui-port", "0", &address]);
        let worker = Target::program("worker", worker.current_dir(test.folder())).patience(PATIENCE);
        worker.wait_for_error_line("Successfully registered with master");

        let java = format!("-javaagent:{} -Dtest.out={}", agent.jar.display(), out.display());
        let mut submit = spark(&packages, &jdk, "spark-submit");
        submit.args([
            "--master",
            &address,
            "--deploy-mode",
            "client",
            "--driver-memory",
            "1g",
            "--executor-cores",
            "1",
        ]);
        submit.args(["--executor-memory", "1g", "--total-executor-cores", "2"]);
        for setting in [
            "spark.driver.host=127.0.0.1",
            "spark.ui.enabled=false",
            "spark.scheduler.minRegisteredResourcesRatio=1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime=120s",
            // Both the same: the extension tells.
            &format!("spark.driver.extraJavaOptions={java}"),
            &format!("spark.executor.extraJavaOptions={java}"),
        ] {
            submit.args(["--conf", setting]);
        }
        let submit = Target::program("driver", submit.arg(test.folder().join("job.py")).current_dir(test.folder()));
        let output = submit.patience(PATIENCE).wait_exit().expect_code(0);
        assert_eq!(output.stdout, RESULT, "{}", output.stderr);
        let ours: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("[fatagent]")).collect();
        assert!(ours.is_empty(), "{ours:?}");

        let mut files: Vec<String> = fs_err::read_dir(&out)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        files.sort();
        assert_eq!(files, ["driver.txt", "executor-0.txt", "executor-1.txt"]);
        for (file, line) in [
            ("driver.txt", "driver has a job"),
            ("executor-0.txt", "executor 0 has a task"),
            ("executor-1.txt", "executor 1 has a task"),
        ] {
            let text = fs_err::read_to_string(out.join(file)).expect("output");
            assert!(!text.is_empty() && text.lines().all(|said| said == line), "{file}: {text}");
        }
    });
}
