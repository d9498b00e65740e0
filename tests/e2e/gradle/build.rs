//! Gradle itself, and the repository that its plugins come from.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use crate::harness::{Jdk, Settings, Target, Test, cache_folder, e2e_test_with, process_folder, step};
use crate::product::root;

/// The versions that the plugins are tested with, the oldest first; the variable names fewer.
const VERSIONS: [&str; 2] = ["7.6.4", "8.5"];
const CHOSEN: &str = "FATAGENT_TEST_GRADLE";
const KIT: [&str; 2] = ["dev.gradleplugins:gradle-test-kit:7.6", "dev.gradleplugins:gradle-api:7.6.4"];
/// The Java that both run on.
const JAVA: u32 = 17;
/// A test fetches Gradle, if no other did.
const LIMIT: Duration = Duration::from_mins(20);
const PATIENCE: Duration = Duration::from_mins(5);
/// The version of the plugins, which is that of the program.
pub(crate) const PLUGIN: &str = env!("CARGO_PKG_VERSION");

const RUNNER: (&str, &str) = ("TestKit.java", include_str!("../../gradle/TestKit.java"));

/// One version of Gradle.
pub(crate) struct Gradle {
    pub(crate) version: &'static str,
    runner: Mutex<Option<Target>>,
}

/// How a build ended.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) output: String,
    outcomes: BTreeMap<String, String>,
}

impl Built {
    /// What became of a task, such as `SUCCESS` or `UP_TO_DATE`; empty if it was not asked for.
    pub(crate) fn outcome(&self, task: &str) -> &str {
        self.outcomes.get(task).map_or("", String::as_str)
    }

    #[track_caller]
    pub(crate) fn expect(self, task: &str, outcome: &str) -> Self {
        assert_eq!(self.outcome(task), outcome, "{task}\n{}", self.output);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.output.contains(text), "the output lacks: {text}\n{}", self.output);
        self
    }
}

/// Runs a test with each version of Gradle.
pub(crate) fn each_gradle(name: &'static str, body: impl Fn(&Test, &Gradle) + Clone + Send + 'static) {
    let chosen = env::var(CHOSEN).ok();
    for version in VERSIONS {
        if chosen.as_ref().is_some_and(|chosen| !chosen.split(',').any(|one| one == version)) {
            continue;
        }
        let body = body.clone();
        let settings = Settings::within(LIMIT, None);
        e2e_test_with(&format!("{name}, Gradle {version}"), &settings, move |test| {
            let gradle = Gradle { version, runner: Mutex::new(None) };
            body(test, &gradle);
        });
    }
}

impl Gradle {
    /// A build that has to succeed.
    #[track_caller]
    pub(crate) fn build(&self, folder: &Path, arguments: &[&str]) -> Built {
        self.run("ok", folder, &path_with_fatagent(), arguments)
    }

    /// A build that has to fail.
    #[track_caller]
    pub(crate) fn fail(&self, folder: &Path, arguments: &[&str]) -> Built {
        self.run("fail", folder, &path_with_fatagent(), arguments)
    }

    /// A build with another value of PATH.
    #[track_caller]
    pub(crate) fn run(&self, expected: &str, folder: &Path, path: &str, arguments: &[&str]) -> Built {
        step(format!("Gradle {} {}", self.version, arguments.join(" ")));
        let runner = self.runner();
        let runner = runner.as_ref().expect("a runner");
        let before = runner.stdout().len();
        let words = [&[expected, folder.to_str().expect("UTF-8"), path], arguments].concat();
        runner.send_line(&words.join("\t"));
        let text = runner.wait_for_stdout(|text| text[before..].lines().any(|line| line == "END"));
        let (mut output, mut outcomes) = (String::new(), BTreeMap::new());
        let mut unexpected = false;
        for line in text[before..].lines() {
            if let Some(said) = line.strip_prefix("OUT ") {
                output.push_str(said);
                output.push('\n');
            } else if let Some((task, outcome)) = line.strip_prefix("TASK ").and_then(|rest| rest.split_once(' ')) {
                outcomes.insert(task.to_owned(), outcome.to_owned());
            } else if line == "UNEXPECTED" {
                unexpected = true;
            }
        }
        assert!(!unexpected, "the build did not {expected}\n{output}");
        Built { output, outcomes }
    }

    fn runner(&self) -> MutexGuard<'_, Option<Target>> {
        let mut runner = self.runner.lock().expect("the runner");
        if runner.is_none() {
            let home = fixtures::gradle_home(&cache_folder(), self.version).unwrap_or_else(|e| panic!("{e}"));
            // Of all versions, so that one API jar less is fetched; it has no release of its own for each of Gradle's.
            let jars = fixtures::libraries(&cache_folder(), "gradle-test-kit", &KIT).unwrap_or_else(|e| panic!("{e}"));
            let class_path = env::join_paths(&jars).expect("a class path");
            let classes = process_folder().join("gradle-runner").join(self.version);
            let option = class_path.to_str().expect("UTF-8");
            fixtures::javac(&[RUNNER], &["--release", "17", "-cp", option], &classes).expect("the runner compiles");
            let jdk = Jdk::of(JAVA);
            let mut builder = Target::builder(&jdk).label("TestKit").class_path(&classes);
            for jar in &jars {
                builder = builder.class_path(jar);
            }
            let kit = process_folder().join("test-kit").join(self.version);
            fs_err::create_dir_all(&kit).expect("a folder");
            let target = builder
                .jvm_option("-Dfile.encoding=UTF-8")
                .env("LC_ALL", "C.UTF-8")
                .main("TestKit")
                .arg(&home)
                .arg(&kit)
                .launch()
                .patience(PATIENCE);
            target.wait_for_line("ready");
            *runner = Some(target);
        }
        runner
    }
}

/// The folder of the `fatagent` under test, then what the tests themselves have.
pub(crate) fn path_with_fatagent() -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_fatagent")).parent().expect("a folder").display();
    format!("{folder}:{}", path_without_fatagent())
}

/// PATH without any `fatagent`.
pub(crate) fn path_without_fatagent() -> String {
    env::var("PATH").unwrap_or_default()
}

/// The jar with the plugins.
pub(crate) fn plugin_jar() -> &'static Path {
    static JAR: OnceLock<PathBuf> = OnceLock::new();
    JAR.get_or_init(|| {
        plugins().join(format!("io/btrace/fatagent-gradle-plugin/{PLUGIN}/fatagent-gradle-plugin-{PLUGIN}.jar"))
    })
}

/// A Maven repository with the plugins, as `fatagent sdk install` writes one.
pub(crate) fn plugins() -> &'static Path {
    static PLUGINS: OnceLock<PathBuf> = OnceLock::new();
    PLUGINS.get_or_init(|| {
        step("compiling the plugins");
        let repository = process_folder().join("plugins");
        let artifact = repository.join(format!("io/btrace/fatagent-gradle-plugin/{PLUGIN}"));
        let jar = artifact.join(format!("fatagent-gradle-plugin-{PLUGIN}.jar"));
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["xtask", "gradle-plugin", "--out"]).arg(&jar);
        cargo.env("FATAGENT_TEST_CACHE", cache_folder());
        let output = fixtures::run(&mut cargo, LIMIT).expect("cargo");
        assert!(output.status.success(), "{}", output.both());
        let pom = |group: &str, artifact: &str, rest: &str| {
            let folder = repository.join(group.replace('.', "/")).join(artifact).join(PLUGIN);
            fs_err::create_dir_all(&folder).expect("a folder");
            let text = format!(
                "<project><modelVersion>4.0.0</modelVersion><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
                 <version>{PLUGIN}</version>{rest}</project>"
            );
            fs_err::write(folder.join(format!("{artifact}-{PLUGIN}.pom")), text).expect("a pom");
        };
        pom("io.btrace", "fatagent-gradle-plugin", "");
        for id in ["io.btrace.fat-agent", "io.btrace.extension"] {
            let dependency = format!(
                "<packaging>pom</packaging><dependencies><dependency><groupId>io.btrace</groupId>\
                 <artifactId>fatagent-gradle-plugin</artifactId><version>{PLUGIN}</version></dependency></dependencies>"
            );
            pom(id, &format!("{id}.gradle.plugin"), &dependency);
        }
        repository
    })
}

/// Writes a build: its files by path, after a settings file that knows the plugins.
pub(crate) fn write(folder: &Path, settings: &str, files: &[(&str, &str)]) {
    let head = format!(
        "pluginManagement {{\n  repositories {{ maven {{ url = uri('{}') }} }}\n  plugins {{\n    id 'io.btrace.fat-agent' version '{PLUGIN}'\n    \
         id 'io.btrace.extension' version '{PLUGIN}'\n  }}\n}}\n",
        plugins().display()
    );
    let settings = format!("{head}{settings}\n");
    for (path, text) in [("settings.gradle", settings.as_str())].iter().chain(files) {
        let path = folder.join(path);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(path, text).expect("a file");
    }
}
