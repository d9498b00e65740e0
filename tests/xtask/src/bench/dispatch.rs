//! What a call from woven code to its handler costs, by JMH.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fixtures::JavaHome;

use super::Bench;
use super::agents::{emptied, jdk, text, tool};
use super::inputs::{BTRACE, JMH};
use super::measure::median;
use super::report::{Goal, Report};
use crate::tool::say;

const SOURCES: [(&str, &str); 3] = [
    ("bench/DispatchBenchmark.java", include_str!("../../../bench/DispatchBenchmark.java")),
    ("bench/DispatchTargets.java", include_str!("../../../bench/DispatchTargets.java")),
    ("bench/DispatchHandlers.java", include_str!("../../../bench/DispatchHandlers.java")),
];
const PROBES: [(&str, &str); 3] = [
    ("bench/DispatchProbe.java", include_str!("../../../bench/probes/DispatchProbe.java")),
    ("bench/GuardedProbe.java", include_str!("../../../bench/probes/GuardedProbe.java")),
    ("bench/ServiceProbe.java", include_str!("../../../bench/probes/ServiceProbe.java")),
];
const PEER: (&str, &str) = ("bench/PeerProbe.java", include_str!("../../../bench/probes/PeerProbe.java"));
const CASES: [&str; 6] = ["Entry", "Arguments", "Error", "Guarded", "Duration", "Service"];
/// JVMs that run each benchmark one after the other: the median is over their iterations.
const FORKS: usize = 5;
const LIMIT: Duration = Duration::from_mins(30);
/// The release on which the peer, version 2.2.6, runs.
const PEER_RELEASE: u32 = 17;

/// Iterations of each benchmark, in nanoseconds, by JVM.
type Times = BTreeMap<String, Vec<Vec<f64>>>;

impl Bench {
    /// All figures of dispatch; `quick` runs shorter in fewer JVMs.
    pub(super) fn dispatch(&self, quick: bool, figures: &mut Report) -> Result<()> {
        let compiler = jdk(PEER_RELEASE)?;
        let class_path = self.benchmarks(&compiler)?;
        let agent = self.agent("dispatch-agent", &PROBES, &self.services(1)?)?;
        let ours = format!("-javaagent:{}=probes=DispatchProbe;GuardedProbe;ServiceProbe", text(&agent.jar)?);
        let peer = self.peer(&compiler)?;
        for release in [PEER_RELEASE, 25] {
            let home = jdk(release)?;
            let (mut woven, mut theirs) = (Times::new(), Times::new());
            for fork in 1..=if quick { 2 } else { FORKS } {
                say(&format!("\n==> DispatchBenchmark on Java {release}, JVM {fork}"));
                self.jmh(&home, &class_path, ".*", std::slice::from_ref(&ours), quick, &mut woven)?;
                if release == PEER_RELEASE {
                    self.jmh(&home, &class_path, ".*woven(?!Service).*", &peer, quick, &mut theirs)?;
                }
            }
            tell(release, &woven, &theirs, figures)?;
        }
        Ok(())
    }

    /// Compiles the benchmarks; returns the class path that runs them.
    fn benchmarks(&self, home: &JavaHome) -> Result<String> {
        let libraries = JMH.jars(&self.folder)?.join(":");
        let classes = emptied(self.folder.join("dispatch"))?;
        let options = ["--release", "17", "-cp", &libraries, "-processorpath", &libraries];
        fixtures::javac_of(home, &SOURCES, &options, &classes)?;
        Ok(format!("{}:{libraries}", text(&classes)?))
    }

    /// The options that start the peer with the same handlers. Its agent finds its other jar beside itself, by name.
    fn peer(&self, home: &JavaHome) -> Result<Vec<String>> {
        let folder = emptied(self.folder.join("btrace-dispatch"))?;
        let jars = BTRACE.jars(&self.folder)?;
        let part = |name: &str| -> Result<PathBuf> {
            let from =
                jars.iter().find(|jar| jar.contains(&format!("btrace-{name}-"))).context("no such part of BTrace")?;
            let to = folder.join(format!("btrace-{name}.jar"));
            fs_err::copy(from, &to)?;
            Ok(to)
        };
        let (agent, boot, client) = (part("agent")?, part("boot")?, part("client")?);
        let class_path = format!("{}:{}", text(&boot)?, text(&client)?);
        let classes = folder.join("classes");
        let options = ["--release", "8", "-Xlint:-options", "-proc:none", "-cp", &class_path];
        fixtures::javac_of(home, &[PEER], &options, &classes)?;
        let script = text(&classes.join("bench/PeerProbe.class"))?;
        Ok(vec![
            // Without this its probes never run, and it does not say so.
            "--add-opens=java.base/java.lang=ALL-UNNAMED".into(),
            format!("-javaagent:{}=noServer=true,script={script}", text(&agent)?),
        ])
    }

    /// Runs the benchmarks whose name matches in one JVM each, and adds what they took.
    fn jmh(
        &self,
        home: &JavaHome,
        class_path: &str,
        pattern: &str,
        agent: &[String],
        quick: bool,
        times: &mut Times,
    ) -> Result<()> {
        let raw = self.folder.join("dispatch.json");
        let java = tool(home, "java")?;
        let mut command = Command::new(&java);
        command
            .args(["-cp", class_path, "org.openjdk.jmh.Main", pattern, "-f", "1", "-foe", "true", "-jvm"])
            .arg(&java);
        // Many short iterations: of those some pass without other work in between, however busy the machine is.
        let (warm, time) = if quick { ("100ms", "10ms") } else { ("500ms", "50ms") };
        // The peer writes a file of its own into the current folder.
        command.current_dir(&self.folder);
        let length = ["-wi", "10", "-w", warm, "-i", "100", "-r", time];
        command.args(length).args(["-rf", "json", "-rff"]).arg(&raw);
        for option in agent {
            command.arg("-jvmArgsAppend").arg(option);
        }
        let output = fixtures::run(&mut command, LIMIT)?;
        ensure!(output.status.success(), "JMH: {}\n{}", output.status, output.both());
        let read = read(&raw)?;
        ensure!(!read.is_empty(), "no benchmark ran:\n{}", output.both());
        for (name, iterations) in read {
            say(&format!("    {name}: {:.3} ns", median(iterations.clone())));
            times.entry(name).or_default().push(iterations);
        }
        Ok(())
    }
}

/// The iterations in a result of JMH, by the name of the method.
fn read(file: &Path) -> Result<Vec<(String, Vec<f64>)>> {
    let all: serde_json::Value = serde_json::from_str(&fs_err::read_to_string(file)?)?;
    let one = |entry: &serde_json::Value| -> Option<(String, Vec<f64>)> {
        let name = entry["benchmark"].as_str()?.rsplit('.').next()?.to_owned();
        let forks = entry["primaryMetric"]["rawData"].as_array()?;
        let iterations = forks.iter().filter_map(serde_json::Value::as_array).flatten();
        Some((name, iterations.filter_map(serde_json::Value::as_f64).collect()))
    };
    Ok(all.as_array().context("no results of JMH")?.iter().filter_map(one).collect())
}

/// Half the 99.9 % interval of the mean of some iterations.
fn interval(values: &[f64]) -> f64 {
    let count = f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX));
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    // Student's t for one value fewer; with more values it only becomes smaller.
    let t = [(100, 3.392), (25, 3.745), (10, 4.781), (5, 8.610)].iter().find(|(least, _)| values.len() >= *least);
    t.map_or(f64::NAN, |(_, t)| t * (variance / count).sqrt())
}

fn tell(release: u32, ours: &Times, theirs: &Times, figures: &mut Report) -> Result<()> {
    let of = |times: &Times, name: &str| -> Result<Vec<Vec<f64>>> {
        times.get(name).cloned().with_context(|| format!("no benchmark `{name}` ran"))
    };
    let all = |forks: &[Vec<f64>]| forks.concat();
    for name in ["baseline", "baselineError"] {
        figures.add(format!("Java {release}, {name}"), median(all(&of(ours, name)?)), "ns", Goal::Told);
    }
    for case in CASES {
        let (hand, woven) = (of(ours, &format!("hand{case}"))?, of(ours, &format!("woven{case}"))?);
        let (by_hand, by_probe) = (median(all(&hand)), median(all(&woven)));
        let what = |text: &str| format!("Java {release}, {}, {text}", case.to_lowercase());
        figures.add(what("by hand"), by_hand, "ns", Goal::Told);
        figures.add(what("woven"), by_probe, "ns", Goal::Told);
        let room = if case == "Duration" { 1.05 } else { room(by_hand, interval(&all(&hand))) };
        figures.add(what("woven over by hand"), by_probe / by_hand, "times", Goal::AtMost(room));
        let undisturbed = fastest(all(&woven)) / fastest(all(&hand));
        figures.add(what("fastest tenth, woven over by hand"), undisturbed, "times", Goal::Told);
        // The peer has no services.
        if release == PEER_RELEASE && case != "Service" {
            let peer = median(all(&of(theirs, &format!("woven{case}"))?));
            figures.add(what("BTrace 2.2.6"), peer, "ns", Goal::Told);
            figures.add(what("woven over BTrace 2.2.6"), by_probe / peer, "times", Goal::AtMost(1.0));
        }
    }
    Ok(())
}

/// The slowest of the fastest tenth.
fn fastest(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 10).copied().unwrap_or(f64::NAN)
}

/// What a woven call may take, as a multiple of the call by hand: 1.05 times, 0.1 ns or the interval more.
fn room(by_hand: f64, interval: f64) -> f64 {
    (1.0 + 0.1 / by_hand).max(1.0 + interval / by_hand).max(1.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_three_is_allowed() {
        assert!((room(10.0, 0.2) - 1.05).abs() < 1e-9);
        assert!((room(0.5, 0.02) - 1.2).abs() < 1e-9);
        assert!((room(1.0, 0.5) - 1.5).abs() < 1e-9);
        assert!((interval(&[1.0, 1.0, 1.0, 1.0, 2.0]) - 8.610 * 0.2).abs() < 1e-9);
        assert!(interval(&[1.0]).is_nan());
        assert!((fastest((0..20).rev().map(f64::from).collect()) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn iterations_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("result.json");
        let text = r#"[{"benchmark":"bench.DispatchBenchmark.baseline","primaryMetric":{"rawData":[[0.5,0.6]]}}]"#;
        fs_err::write(&file, text).unwrap();
        assert_eq!(read(&file).unwrap(), [("baseline".to_owned(), vec![0.5, 0.6])]);
    }
}
