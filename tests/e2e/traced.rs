//! An application of a test's own, a probe on it, and the agent that carries the probe.

use crate::harness::{AgentProject, BuiltAgent, Jdk, Target, Test};
use crate::product::{compile, jcmd_load};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Calls `work.Work.round` for each line on standard input and says what it returned.
const MAIN: &str = r#"package work;
public class Main {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            System.out.println("round " + line + ": " + Work.round(line));
        }
    }
}
"#;

/// The built pieces; `out` is what the probe writes to.
pub(crate) struct Traced<'t> {
    test: &'t Test,
    pub(crate) classes: PathBuf,
    pub(crate) agent: BuiltAgent,
    pub(crate) out: PathBuf,
    probe: String,
}

impl<'t> Traced<'t> {
    /// Compiles the application (one source named `work/Work.java`, any number of package-private classes in it) and the
    /// probe class `trace.<probe>`, and builds the agent.
    pub(crate) fn new(test: &'t Test, probe: &str, work: &str, source: &str) -> Self {
        Self::with_options(test, probe, work, source, &["--release", "8", "-g", "-Xlint:-options"])
    }

    /// The same, with options for the application's compiler.
    pub(crate) fn with_options(test: &'t Test, probe: &str, work: &str, source: &str, options: &[&str]) -> Self {
        let classes = once(&format!("{options:?}{work}"), |out| {
            let sources = [("work/Main.java", MAIN), ("work/Work.java", work)];
            fixtures::javac(&sources, options, out).unwrap_or_else(|e| panic!("{e}"));
        });
        let probes = once(source, |out| compile(&[(&format!("trace/{probe}.java"), source)], &[], out));
        let toml = "[agent]\nname = \"traced\"\nversion = \"1\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n";
        let agent = AgentProject::new("traced", toml).tree("probes", &probes).build();
        Self { test, classes, agent, out: test.folder().join("out.txt"), probe: probe.to_owned() }
    }

    /// Agent arguments that submit the probe and send its output to [`Self::out`].
    pub(crate) fn arguments(&self, more: &str) -> String {
        let comma = if more.is_empty() { "" } else { "," };
        format!("probes={},scriptOutputFile={}{comma}{more}", self.probe, self.out.display())
    }

    /// Starts the application without an agent.
    pub(crate) fn plain(&self, jdk: &Jdk, options: &[&str]) -> Target {
        let mut builder = Target::builder(jdk).class_path(&self.classes).main("work.Main");
        for option in ["-Xverify:all", "-Dbtrace.agent.suppressDeprecation=true"].iter().chain(options) {
            builder = builder.jvm_option(*option);
        }
        builder.launch()
    }

    /// Starts the application with the probe.
    pub(crate) fn started(&self, jdk: &Jdk, more: &str) -> Target {
        self.plain(jdk, &[&self.option(more)])
    }

    /// The JVM's option that loads the agent with the probe.
    pub(crate) fn option(&self, more: &str) -> String {
        format!("-javaagent:{}={}", self.agent.jar.display(), self.arguments(more))
    }

    /// Loads the agent into a running application, with these arguments and no others.
    pub(crate) fn load(&self, jdk: &Jdk, target: &Target, arguments: &str) {
        jcmd_load(self.test, jdk, target, &self.agent.jar, arguments);
    }

    /// The lines that the probe wrote since the last call.
    pub(crate) fn written(&self, seen: &mut usize, expected: usize) -> Vec<String> {
        let text = self.test.wait_until("the probe wrote its lines", || {
            let text = fs_err::read_to_string(&self.out).unwrap_or_default();
            (text.lines().count() >= *seen + expected).then_some(text)
        });
        let lines: Vec<String> = text.lines().skip(*seen).map(str::to_owned).collect();
        *seen += lines.len();
        lines
    }
}

/// Runs one round of the application and returns what it says.
#[track_caller]
pub(crate) fn round(target: &Target, name: &str) -> String {
    target.send_line(name);
    let line = target.wait_for_line(&format!("round {name}: "));
    line.split_once(": ").expect("a colon").1.to_owned()
}

/// A folder of classes that is made once, whatever the number of JDKs it runs on.
fn once(what: &str, make: impl FnOnce(&Path)) -> PathBuf {
    static MADE: Mutex<BTreeMap<String, Arc<OnceLock<PathBuf>>>> = Mutex::new(BTreeMap::new());
    let slot = Arc::clone(MADE.lock().unwrap_or_else(PoisonError::into_inner).entry(what.to_owned()).or_default());
    let folder = slot.get_or_init(|| {
        let folder = tempfile::tempdir_in(crate::harness::target_folder()).expect("a folder").keep();
        make(&folder);
        folder
    });
    folder.clone()
}

/// The option that loads another vendor's agent.
pub(crate) fn agent_option(jar: &Path, arguments: &str) -> String {
    format!("-javaagent:{}={arguments}", jar.display())
}

/// Ends the application, which ends well. Returns its standard error without what the JVM says about attaching.
#[track_caller]
pub(crate) fn end(target: &Target) -> String {
    target.send_line("end");
    let stderr = target.wait_exit().expect_code(0).stderr;
    stderr.split_inclusive('\n').filter(|line| !line.starts_with("WARNING: ")).collect()
}
