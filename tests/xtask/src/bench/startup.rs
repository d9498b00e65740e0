//! Starting a JVM with an agent, and running one with an armed hook.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use fixtures::JavaHome;

use super::agents::{Agent, emptied, empty, finished, jdk, text, tool};
use super::inputs::GUAVA;
use super::measure::{Job, Runs, in_turn};
use super::report::{Goal, Report};
use super::{Bench, Group};
use crate::tool::say;

/// The releases of Java that are measured.
const RELEASES: [u32; 2] = [17, 25];
/// Pairs of compiler runs at most, as each takes some seconds.
const COMPILATIONS: usize = 15;
const HELLO: &str =
    "public class Hello { public static void main(String[] a) { System.out.println(\"Hello, world\"); } }";
/// Its handler runs once, in the application's main.
const PROBE: &str = include_str!("../../../bench/probes/HelloProbe.java");
/// No class of a compiler run has this name.
const NOTHING: &str = include_str!("../../../bench/probes/NothingProbe.java");
/// As the probe, with a service.
const SERVICE: &str = include_str!("../../../bench/probes/HelloServiceProbe.java");

/// What all measured JVMs share.
struct Inputs {
    classes: String,
    empty: String,
    agent: Agent,
    /// The same with ten extensions.
    extended: Agent,
}

impl Bench {
    /// All figures of starting.
    pub(super) fn startup(&self, wants: impl Fn(Group) -> bool, figures: &mut Report) -> Result<()> {
        let homes = RELEASES.iter().map(|release| jdk(*release)).collect::<Result<Vec<_>>>()?;
        let inputs = self.inputs()?;
        for home in homes.iter().filter(|_| wants(Group::Hello)) {
            self.hello(home, &inputs, figures)?;
        }
        for home in homes.iter().filter(|home| home.feature >= 25 && wants(Group::Cached)) {
            self.cached(home, &inputs, figures)?;
        }
        for home in homes.iter().filter(|_| wants(Group::Armed)) {
            self.armed(home, &inputs, figures)?;
        }
        Ok(())
    }

    fn inputs(&self) -> Result<Inputs> {
        let classes = emptied(self.folder.join("hello"))?;
        fixtures::javac(&[("Hello.java", HELLO)], &["--release", "8", "-Xlint:-options"], &classes)?;
        // A jar, as an AOT cache takes no folders.
        let jar = self.folder.join("hello.jar");
        fixtures::Jar::new().tree(&classes)?.write(&jar)?;
        let probes = [("bench/HelloProbe.java", PROBE), ("bench/NothingProbe.java", NOTHING)];
        let extended = [("bench/HelloProbe.java", PROBE), ("bench/HelloServiceProbe.java", SERVICE)];
        Ok(Inputs {
            classes: text(&jar)?,
            empty: text(&empty(&self.folder)?)?,
            agent: self.agent("startup-agent", &probes, &[])?,
            extended: self.agent("startup-extended", &extended, &self.services(10)?)?,
        })
    }

    fn hello(&self, home: &JavaHome, inputs: &Inputs, figures: &mut Report) -> Result<()> {
        let (java, pairs) = (tool(home, "java")?, self.rounds);
        say(&format!("\n==> hello-world on Java {}, {pairs} rounds", home.feature));
        let run = |name, options: &[String]| hello(name, &java, options, inputs);
        let (jar, library) = (text(&inputs.agent.jar)?, text(&inputs.agent.library)?);
        let (probe, extended) = ("probes=HelloProbe", text(&inputs.extended.jar)?);
        let jobs = [
            run("plain", &[]),
            run("empty agent", &[format!("-javaagent:{}", inputs.empty)]),
            run("javaagent", &[format!("-javaagent:{jar}")]),
            run("javaagent, probe", &[format!("-javaagent:{jar}={probe}")]),
            run("agentpath", &[format!("-agentpath:{library}")]),
            run("agentpath, jar", &[format!("-agentpath:{library}=jar={jar}")]),
            run("agentpath, jar, probe", &[format!("-agentpath:{library}=jar={jar},{probe}")]),
            run("javaagent, extensions, probe", &[format!("-javaagent:{extended}={probe}")]),
            run("javaagent, extensions, service", &[format!("-javaagent:{extended}=probes=HelloServiceProbe")]),
        ];
        let runs = in_turn(&jobs, pairs)?;
        let [plain, empty, javaagent, probed, library, jar, native_probed, extended, service] = &runs[..] else {
            return Ok(());
        };
        let mut tell = |what: &str, one: &Runs, other: &Runs, goal| {
            let (low, high) = one.interval_over(other);
            let what = format!("Java {}, {what} [{low:.2}, {high:.2}]", home.feature);
            figures.add(what, one.over(other), "times", goal);
        };
        tell("empty agent over plain", empty, plain, Goal::Told);
        tell("-javaagent over empty agent", javaagent, empty, Goal::AtMost(1.15));
        tell("-javaagent, a probe, over empty agent", probed, empty, Goal::AtMost(1.25));
        tell("-javaagent, a probe and ten extensions, over empty agent", extended, empty, Goal::AtMost(1.35));
        tell("the same, the probe uses a service of one, over empty agent", service, empty, Goal::AtMost(1.35));
        tell("-agentpath without jar over plain", library, plain, Goal::AtMost(1.10));
        tell("-agentpath with jar over plain", jar, plain, Goal::AtMost(1.10));
        tell("-agentpath, a probe, over empty agent", native_probed, empty, Goal::Told);
        let mut memory = |what: &str, one: &Runs, goal| {
            let what = format!("Java {}, {what}, memory over empty agent", home.feature);
            figures.add(what, one.memory() - empty.memory(), "MiB", goal);
        };
        memory("plain", plain, Goal::Told);
        memory("-javaagent", javaagent, Goal::AtMost(8.0));
        memory("-javaagent, a probe", probed, Goal::AtMost(8.0));
        memory("-agentpath with jar", jar, Goal::AtMost(8.0));
        Ok(())
    }

    /// Starts with an AOT cache, which must stay in use: with `AOTMode=on` the JVM ends where it cannot be.
    fn cached(&self, home: &JavaHome, inputs: &Inputs, figures: &mut Report) -> Result<()> {
        let (java, pairs) = (tool(home, "java")?, self.rounds);
        say(&format!("\n==> hello-world with an AOT cache on Java {}, {pairs} rounds", home.feature));
        let cache = self.folder.join("hello.aot");
        let mut train = std::process::Command::new(&java);
        train.arg(format!("-XX:AOTCacheOutput={}", cache.display()));
        finished(train.args(["-cp", &inputs.classes, "Hello"]))?;
        let (jar, library) = (text(&inputs.agent.jar)?, text(&inputs.agent.library)?);
        let used = [format!("-XX:AOTCache={}", cache.display()), "-XX:AOTMode=on".to_owned()];
        let with =
            |name, agent: Option<String>| hello(name, &java, &[used.as_slice(), agent.as_slice()].concat(), inputs);
        let runs = in_turn(
            &[
                hello("plain", &java, &[], inputs),
                with("cache", None),
                with("cache, agentpath", Some(format!("-agentpath:{library}=jar={jar}"))),
                with("cache, probe", Some(format!("-agentpath:{library}=jar={jar},probes=HelloProbe"))),
            ],
            pairs,
        )?;
        let [plain, cached, native, probed] = &runs[..] else { return Ok(()) };
        let release = home.feature;
        figures.add(format!("Java {release}, AOT cache over plain"), cached.over(plain), "times", Goal::Told);
        let over = native.over(cached);
        figures.add(
            format!("Java {release}, -agentpath, AOT cache in use, over AOT cache"),
            over,
            "times",
            Goal::AtMost(1.10),
        );
        let over = probed.over(cached);
        figures.add(format!("Java {release}, the same with a probe"), over, "times", Goal::Told);
        Ok(())
    }

    /// A compiler run of some seconds whose classes all pass the hook, beside one without an agent.
    fn armed(&self, home: &JavaHome, inputs: &Inputs, figures: &mut Report) -> Result<()> {
        let pairs = self.rounds.min(COMPILATIONS);
        say(&format!("\n==> javac with an armed hook on Java {}, {pairs} rounds", home.feature));
        let (files, parts) = self.guava()?;
        let output = emptied(self.folder.join("javac-classes"))?;
        let compile = |name, agent: Option<String>| -> Result<Job> {
            let mut arguments: Vec<String> = agent.into_iter().map(|agent| format!("-J{agent}")).collect();
            arguments.extend(["-nowarn", "-proc:none", "-Xmaxwarns", "1", "-cp"].map(str::to_owned));
            arguments.extend([parts.clone(), "-d".into(), text(&output)?, format!("@{}", files.display())]);
            Ok(Job { name, program: tool(home, "javac")?, arguments, output: None })
        };
        let (jar, library) = (text(&inputs.agent.jar)?, text(&inputs.agent.library)?);
        let armed = format!("-agentpath:{library}=jar={jar},probes=NothingProbe");
        let runs = in_turn(&[compile("javac", None)?, compile("javac, armed", Some(armed))?], pairs)?;
        let [plain, armed] = &runs[..] else { return Ok(()) };
        let release = home.feature;
        figures.add(format!("Java {release}, javac"), plain.cpu(), "CPU s", Goal::Told);
        let (low, high) = armed.interval_over(plain);
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        let what = format!("Java {release}, javac, armed hook [{:.1}, {:.1}]", percent(low), percent(high));
        figures.add(what, percent(armed.over(plain)), "%", Goal::AtMost(1.0));
        Ok(())
    }

    /// The sources of a library as an argument file of the compiler, and the class path that they need.
    fn guava(&self) -> Result<(PathBuf, String)> {
        let (sources, parts): (Vec<_>, Vec<_>) =
            GUAVA.jars(&self.folder)?.into_iter().partition(|jar| jar.ends_with("-sources.jar"));
        let [jar] = &sources[..] else { anyhow::bail!("not one jar of sources: {sources:?}") };
        let folder = self.folder.join("guava");
        if !folder.is_dir() {
            let partial = emptied(self.folder.join("guava.partial"))?;
            fixtures::unzip(Path::new(jar), &partial)?;
            fs_err::rename(&partial, &folder)?;
        }
        let names = fixtures::entry_names(Path::new(jar))?;
        let sources: Vec<String> = names
            .iter()
            .filter(|name| is_source(name))
            .map(|name| Ok(format!("\"{}\"\n", text(&folder.join(name))?)))
            .collect::<Result<_>>()?;
        ensure!(!sources.is_empty(), "no source in {jar}");
        let list = self.folder.join("guava.files");
        fs_err::write(&list, sources.concat()).context("cannot write the list of sources")?;
        Ok((list, parts.join(":")))
    }
}

/// Whether an entry is a source, and not that of a module.
fn is_source(name: &str) -> bool {
    let path = Path::new(name);
    path.extension().is_some_and(|extension| extension == "java") && path.file_stem() != Some("module-info".as_ref())
}

fn hello(name: &'static str, java: &Path, options: &[String], inputs: &Inputs) -> Job {
    let mut arguments = options.to_vec();
    arguments.extend(["-cp".to_owned(), inputs.classes.clone(), "Hello".into()]);
    Job { name, program: java.to_owned(), arguments, output: None }
}
