//! `cargo xtask bench`: figures beside their goals and beside peers, measured in one run.
//!
//! The documentation is `tests/bench/README.md`. Goals hold on an idle machine; what compares with a peer, as most do,
//! holds on a busy one too, because both run in turn.

mod agents;
mod dispatch;
mod extensions;
mod gradle;
mod inputs;
mod measure;
mod peers;
mod report;
mod scan;
mod services;
mod startup;
mod weave;

pub(crate) use measure::{Measured, measure};

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};
use clap::ValueEnum;

use crate::prerequisites::{Prerequisite, report as present};
use crate::tool::{PACKAGE, cargo, run, say, target_folder, version};
use inputs::{LARGE, MEDIUM, Set};
use measure::{Job, in_turn};
use report::{Goal, Report};

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Merging, relocating and verifying jars
    Merge,
    /// Scanning for permissions, in memory and whole
    Scan,
    /// Weaving and refusing classes, in memory and in a cold JVM
    Weave,
    /// The call from woven code to its handler, by JMH
    Dispatch,
    /// Finding installed extensions, with and without the cache, and the first use of a service
    Extensions,
    /// What Gradle's task adds to the program, in a warm daemon
    Gradle,
    /// Starting hello-world with an agent, and a compiler run with an armed hook
    Startup,
}

/// A part of what is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// The medium set beside `zipmerge` and maven-shade-plugin
    Medium,
    /// The large set beside `zipmerge`, 228 MB to fetch
    Large,
    /// 300 rules beside one
    Rules,
    /// Relocation in memory
    Memory,
    /// `verify`
    Verify,
    /// Hello-world beside an empty agent and none
    Hello,
    /// Hello-world with an AOT cache
    Cached,
    /// A compiler run with an armed hook, beside one without an agent
    Armed,
}

/// What to measure, and how often.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(value_enum)]
    what: What,
    /// Counted runs of each command, taken in turn: 31 of `startup`, 5 of the others by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(5..=99))]
    pairs: Option<u16>,
    /// Runs `dispatch` shorter and in fewer JVMs
    #[arg(long)]
    quick: bool,
    /// Only these parts of `merge` or `startup`, separated by commas; all by default
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Group>,
}

impl Options {
    fn wants(&self, part: Group) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

/// Measures and prints the figures.
pub(crate) fn all(options: &Options) -> Result<()> {
    if options.what != What::Extensions {
        prerequisites(options.what)?;
    }
    let target = target_folder()?;
    let folder = target.join("bench");
    fs_err::create_dir_all(&folder)?;
    run(&mut cargo(&["build", "--locked", "--release", "--package", PACKAGE]))?;
    let example = match options.what {
        What::Merge => Some(("classfile", "relocate_speed")),
        What::Scan => Some(("scan", "scan_speed")),
        What::Weave => Some(("probe", "weave_speed")),
        What::Extensions => Some(("extensions", "discovery_speed")),
        What::Dispatch | What::Gradle | What::Startup => None,
    };
    // What runs in the core is built as the core is.
    let profile = if matches!(options.what, What::Weave | What::Extensions) { "agent" } else { "release" };
    if let Some((package, example)) = example {
        run(&mut cargo(&["build", "--locked", "--profile", profile, "--package", package, "--example", example]))?;
    }
    let bench = Bench {
        fatagent: target.join("release").join("fatagent"),
        speed: target.join(profile).join("examples").join(example.map_or("", |(_, example)| example)),
        folder,
        rounds: options.pairs.unwrap_or(if options.what == What::Startup { 31 } else { 5 }).into(),
    };
    let mut figures = Report::default();
    match options.what {
        What::Extensions => {
            bench.extensions(&mut figures)?;
            bench.first_link(&mut figures)?;
        }
        What::Gradle => bench.gradle(&mut figures)?,
        What::Scan => bench.scan(&mut figures)?,
        What::Weave => bench.weave(&mut figures)?,
        What::Dispatch => bench.dispatch(options.quick, &mut figures)?,
        What::Startup => bench.startup(|part| options.wants(part), &mut figures)?,
        What::Merge => {
            for group in Group::value_variants().iter().filter(|group| options.wants(**group)) {
                bench.group(*group, &mut figures)?;
            }
        }
    }
    figures.print();
    Ok(())
}

fn prerequisites(what: What) -> Result<()> {
    say("\n==> prerequisites");
    let mut all = vec![Prerequisite {
        name: "mvn",
        found: version(Command::new("mvn").args(["--batch-mode", "--version"])),
        install: "apt-get install -y maven",
    }];
    if what == What::Merge {
        all.push(Prerequisite {
            name: "zipmerge",
            found: version(Command::new("zipmerge").arg("-V")),
            install: "apt-get install -y zipmerge",
        });
    }
    present(&all)
}

/// The programs and the place of their outputs.
struct Bench {
    fatagent: PathBuf,
    speed: PathBuf,
    folder: PathBuf,
    rounds: usize,
}

impl Bench {
    /// `fatagent merge` of these jars.
    fn merge(&self, name: &'static str, jars: &[String], options: &[String]) -> Job {
        let output = self.folder.join("merged.jar");
        let mut arguments = vec!["merge".to_owned(), "-q".into(), "-o".into(), output.display().to_string()];
        arguments.extend_from_slice(options);
        arguments.extend_from_slice(jars);
        Job { name, program: self.fatagent.clone(), arguments, output: Some(output) }
    }

    fn group(&self, group: Group, figures: &mut Report) -> Result<()> {
        match group {
            Group::Medium => self.medium(figures),
            Group::Large => self.large(figures),
            Group::Rules => self.rules(figures),
            Group::Memory => self.memory(figures),
            Group::Verify => self.verify(figures),
            Group::Hello | Group::Cached | Group::Armed => Ok(()),
        }
    }

    fn medium(&self, figures: &mut Report) -> Result<()> {
        let jars = MEDIUM.jars(&self.folder)?;
        heading(&MEDIUM, self.rounds);
        let runs = in_turn(
            &[
                peers::zipmerge(&jars, &self.folder),
                self.merge("merge", &jars, &[]),
                peers::shade(&MEDIUM, false, &self.folder)?,
                self.merge("merge, 8 relocations", &jars, &MEDIUM.rules()),
                peers::shade(&MEDIUM, true, &self.folder)?,
            ],
            self.rounds,
        )?;
        let [zipmerge, merge, shade, moved, shade_moved] = &runs[..] else { return Ok(()) };
        figures.add("medium, zipmerge", zipmerge.cpu(), "CPU s", Goal::Told);
        figures.add("medium, merge", merge.cpu(), "CPU s", Goal::Told);
        figures.add("medium, merge over zipmerge", merge.over(zipmerge), "times", Goal::AtMost(1.3));
        figures.add("medium, maven-shade-plugin over merge", shade.over(merge), "times", Goal::AtLeast(18.0));
        figures.add("medium, merge, peak", merge.peak(), "MiB", Goal::AtMost(100.0));
        figures.add("medium, 8 relocations", moved.cpu(), "CPU s", Goal::AtMost(0.9));
        figures.add("medium, 8 relocations over zipmerge", moved.over(zipmerge), "times", Goal::Told);
        let times = shade_moved.over(moved);
        figures.add("medium, 8 relocations, maven-shade-plugin over merge", times, "times", Goal::AtLeast(16.0));
        figures.add("medium, 8 relocations, peak", moved.peak(), "MiB", Goal::AtMost(100.0));
        Ok(())
    }

    fn large(&self, figures: &mut Report) -> Result<()> {
        let jars = LARGE.jars(&self.folder)?;
        heading(&LARGE, self.rounds);
        // As the peer does, which decides nothing else.
        let first = "--merge=**=first".to_owned();
        let mut rules = LARGE.rules();
        rules.push(first.clone());
        let runs = in_turn(
            &[
                peers::zipmerge(&jars, &self.folder),
                self.merge("merge", &jars, &[first]),
                self.merge("merge, 8 relocations", &jars, &rules),
            ],
            self.rounds,
        )?;
        let [zipmerge, merge, moved] = &runs[..] else { return Ok(()) };
        figures.add("large, merge over zipmerge", merge.over(zipmerge), "times", Goal::AtMost(1.3));
        figures.add("large, merge, peak", merge.peak(), "MiB", Goal::AtMost(300.0));
        figures.add("large, 8 relocations", moved.cpu(), "CPU s", Goal::Told);
        figures.add("large, 8 relocations, peak", moved.peak(), "MiB", Goal::AtMost(300.0));
        Ok(())
    }

    /// Very many classes under many rules, beside one rule for all of them.
    fn rules(&self, figures: &mut Report) -> Result<()> {
        let (jar, rules) = inputs::crowded(&self.folder)?;
        say(&format!("\n==> 40,000 classes, {} rounds", self.rounds));
        let jars = [jar.display().to_string()];
        let one = ["--relocate=io.n=a.deps.io.n".to_owned()];
        let runs = in_turn(
            &[self.merge("merge, 1 rule", &jars, &one), self.merge("merge, 300 rules", &jars, &rules)],
            self.rounds,
        )?;
        let [one, many] = &runs[..] else { return Ok(()) };
        figures.add("40,000 classes, 1 rule", one.cpu(), "CPU s", Goal::Told);
        figures.add("40,000 classes, 300 rules over 1 rule", many.over(one), "times", Goal::AtMost(2.0));
        Ok(())
    }

    /// Relocation without any jar around it.
    fn memory(&self, figures: &mut Report) -> Result<()> {
        say("\n==> relocation in memory, one thread");
        let jars = MEDIUM.jars(&self.folder)?;
        let asm = peers::Asm::remapping(&self.folder)?.speed(&peers::remapped(&MEDIUM, &jars))?;
        figures.add("in memory, warm ASM 9.9", asm, "MB/s", Goal::Told);
        let mut command = Command::new(&self.speed);
        let output = fixtures::run(command.args(&jars), std::time::Duration::from_mins(10))?;
        anyhow::ensure!(output.status.success(), "{}: {}", output.status, output.both());
        for line in output.stdout.lines() {
            say(&format!("    {line}"));
            let (literals, speed) = speed(line).with_context(|| format!("no speed in `{line}`"))?;
            figures.add(format!("in memory, {literals}"), speed, "MB/s", Goal::AtLeast(1500.0));
            figures.add(format!("in memory, {literals}, over warm ASM"), speed / asm, "times", Goal::Told);
        }
        Ok(())
    }

    /// `verify`, which inflates everything, on the medium set as a masked agent.
    fn verify(&self, figures: &mut Report) -> Result<()> {
        say(&format!("\n==> verify, {} rounds", self.rounds));
        let jars = MEDIUM.jars(&self.folder)?;
        let (merged, masked) = (self.folder.join("merged.jar"), self.folder.join("masked.jar"));
        // Any class may stand for an agent's: it is not started.
        let agent = "--attribute=Premain-Class=net.bytebuddy.ByteBuddy".to_owned();
        let merge = self.merge("merge", &jars, &[agent]);
        run(Command::new(&self.fatagent).args(&merge.arguments))?;
        run(Command::new(&self.fatagent).args(["mask", "-q", "--agent"]).arg(&merged).arg("-o").arg(&masked))?;
        let arguments = vec!["verify".into(), "-q".into(), masked.display().to_string()];
        let job = Job { name: "verify", program: self.fatagent.clone(), arguments, output: None };
        let runs = in_turn(&[job], self.rounds)?;
        figures.add("medium, masked, verify", runs[0].cpu(), "CPU s", Goal::Told);
        figures.add("medium, masked, verify, peak", runs[0].peak(), "MiB", Goal::Told);
        Ok(())
    }
}

fn heading(set: &Set, rounds: usize) {
    say(&format!("\n==> {} set, {rounds} rounds", set.name));
}

/// The policy and the median in a line of the example `relocate_speed`.
fn speed(line: &str) -> Option<(&str, f64)> {
    let (rules, rest) = line.split_once(": ")?;
    let median = rest.split_once("median ")?.1.split_once(' ')?.0;
    Some((rules, median.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_found() {
        let line = "8 rules, literals off: 16 classes, 58.4 MB, median 578 MB/s, best 697";
        assert_eq!(speed(line), Some(("8 rules, literals off", 578.0)));
        assert_eq!(speed("nothing"), None);
        assert!(target_folder().is_ok_and(|folder| folder.is_dir()));
    }
}
