//! What Gradle adds to the program: the time of the task in a warm daemon beside that of the same command by hand.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::Bench;
use super::agents::emptied;
use super::measure::median;
use super::report::{Goal, Report};
use crate::gradle_plugin;
use crate::tool::say;

const GRADLE: &str = "8.5";
const LIMIT: Duration = Duration::from_mins(5);

/// Notes how long each task takes, its inputs and outputs looked at included. The agent is built every time.
const SCRIPT: &str = r"buildscript { dependencies { classpath files('plugin.jar') } }
apply plugin: 'io.btrace.fat-agent'
version = '1'
btraceFatAgent {
  baseName = 'bench-agent'
  embedExtensions { EXTENSIONS }
}
tasks.named('fatAgentJar') { outputs.upToDateWhen { !project.hasProperty('again') } }
long began
gradle.taskGraph.beforeTask { began = System.nanoTime() }
gradle.taskGraph.afterTask { task -> println(task.name + ' took ' + (System.nanoTime() - began)) }
";

impl Bench {
    /// The time of `fatAgentJar`, when it runs and when it is up to date.
    pub(super) fn gradle(&self, figures: &mut Report) -> Result<()> {
        let home = fixtures::gradle_home(&gradle_plugin::cache()?, GRADLE)?;
        let folder = emptied(self.folder.join("gradle"))?;
        gradle_plugin::write_to(&folder.join("plugin.jar"))?;
        let extensions: Vec<String> =
            self.services(3)?.iter().map(|extension| format!("file('{}')", extension.zip.display())).collect();
        fs_err::write(folder.join("settings.gradle"), "rootProject.name = 'bench'\n")?;
        fs_err::write(folder.join("build.gradle"), SCRIPT.replace("EXTENSIONS", &extensions.join("; ")))?;
        say(&format!("\n==> fatAgentJar in a warm daemon of Gradle {GRADLE}, {} rounds", self.rounds));
        let task = |again: bool| -> Result<f64> {
            let mut gradle = Command::new(home.join("bin/gradle"));
            gradle.current_dir(&folder).args(["--offline", "--console", "plain", "fatAgentJar"]);
            gradle.arg("--gradle-user-home").arg(folder.join("home"));
            gradle.arg(format!("-Pfatagent.executable={}", self.fatagent.display()));
            if again {
                gradle.arg("-Pagain");
            }
            let output = fixtures::run(&mut gradle, LIMIT)?;
            ensure!(output.status.success(), "Gradle: {}\n{}", output.status, output.both());
            let took = output.stdout.lines().find_map(|line| line.strip_prefix("fatAgentJar took "));
            let nanoseconds: u32 = took.context("the task did not run")?.parse()?;
            Ok(f64::from(nanoseconds) / 1e6)
        };
        let by_hand = |folder: &Path| -> Result<f64> {
            let mut command = Command::new(&self.fatagent);
            command.current_dir(folder).args([
                "build",
                "--file",
                "build/tmp/fatAgentJar/agent.toml",
                "-o",
                "by-hand.jar",
            ]);
            let begun = Instant::now();
            let output = fixtures::run(&mut command, LIMIT)?;
            let took = begun.elapsed().as_secs_f64() * 1e3;
            ensure!(output.status.success(), "fatagent: {}\n{}", output.status, output.both());
            Ok(took)
        };
        // The daemon starts, and its code is compiled.
        for _ in 0..self.rounds {
            task(true)?;
        }
        let (mut run, mut fresh, mut hand) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..self.rounds {
            run.push(task(true)?);
            fresh.push(task(false)?);
            hand.push(by_hand(&folder)?);
            let last = |times: &[f64]| times.last().copied().unwrap_or(f64::NAN);
            say(&format!(
                "    round {round}, ms: the task {:.0}, up to date {:.0}, by hand {:.0}",
                last(&run),
                last(&fresh),
                last(&hand)
            ));
        }
        let over: Vec<f64> = run.iter().zip(&hand).map(|(task, hand)| task - hand).collect();
        figures.add("fatAgentJar when it runs", median(run), "ms", Goal::Told);
        figures.add("the same by hand", median(hand), "ms", Goal::Told);
        figures.add("what Gradle adds", median(over), "ms", Goal::AtMost(150.0));
        figures.add("fatAgentJar up to date", median(fresh), "ms", Goal::Told);
        let mut stop = Command::new(home.join("bin/gradle"));
        stop.current_dir(&folder).arg("--stop").arg("--gradle-user-home").arg(folder.join("home"));
        fixtures::run(&mut stop, LIMIT)?;
        Ok(())
    }
}
