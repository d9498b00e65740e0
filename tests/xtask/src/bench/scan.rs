//! Scanning, beside ASM that visits the calls of the same classes.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::inputs::MEDIUM;
use super::measure::{Job, in_turn, median};
use super::report::{Goal, Report};
use super::{Bench, peers};
use crate::tool::say;

/// What warm ASM makes on the machine of the goals, in MB/s: the middle of 350 and 396.
const ASM_THERE: f64 = 373.0;
/// Class bytes of the medium set, in MB.
const MEDIUM_SIZE: f64 = 58.4;
/// The goals there: MB/s without reachability, and CPU s for the whole set with it, without and with inflation.
const SPEED: f64 = 800.0;
const REACHING: f64 = 0.3;
const INFLATING: f64 = 0.5;

/// What one run of the example `scan_speed` tells, beside ASM in the same round.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Round {
    /// MB/s.
    asm: f64,
    /// MB/s: reading the structure alone, and the scan without roots.
    structure: f64,
    scan: f64,
    /// CPU s of inflating everything, and of a scan that reaches everything.
    inflating: f64,
    reaching: f64,
}

impl Bench {
    /// All figures of the scan.
    pub(super) fn scan(&self, figures: &mut Report) -> Result<()> {
        let jars = MEDIUM.jars(&self.folder)?;
        say(&format!("\n==> scan in memory, one thread, {} rounds", self.rounds));
        let peer = peers::Asm::scanning(&self.folder)?;
        let mut rounds = Vec::new();
        for number in 1..=self.rounds {
            let asm = peer.speed(&jars)?;
            let output = fixtures::run(Command::new(&self.speed).args(&jars), Duration::from_mins(10))?;
            ensure!(output.status.success(), "{}: {}", output.status, output.both());
            let round = round(&output.stdout, asm).with_context(|| format!("no speeds in `{}`", output.stdout))?;
            say(&format!(
                "    round {number}, MB/s: ASM {asm:.0}, structure {:.0}, scan {:.0}; CPU s: reached {:.3}, inflated {:.3}",
                round.structure, round.scan, round.reaching, round.inflating
            ));
            rounds.push(round);
        }
        let of = |value: &dyn Fn(&Round) -> f64| median(rounds.iter().map(value).collect());
        // How many times the time that warm ASM takes for the set, here and there.
        let there = |seconds: f64| seconds * ASM_THERE / MEDIUM_SIZE;
        let over = |seconds: f64, round: &Round| seconds * round.asm / MEDIUM_SIZE;
        figures.add("in memory, warm ASM 9.9", of(&|round| round.asm), "MB/s", Goal::Told);
        figures.add("in memory, warm ASM there over here", ASM_THERE / of(&|round| round.asm), "times", Goal::Told);
        figures.add("in memory, structure of the classes alone", of(&|round| round.structure), "MB/s", Goal::Told);
        figures.add("in memory, without reachability", of(&|round| round.scan), "MB/s", Goal::AtLeast(SPEED));
        let times = of(&|round| round.scan / round.asm);
        figures.add("in memory, without reachability, over warm ASM", times, "times", Goal::AtLeast(SPEED / ASM_THERE));
        figures.add("medium, all reached", of(&|round| round.reaching), "CPU s", Goal::AtMost(REACHING));
        let times = of(&|round| over(round.reaching, round));
        figures.add("medium, all reached, over warm ASM's time", times, "times", Goal::AtMost(there(REACHING)));
        let both = |round: &Round| round.reaching + round.inflating;
        figures.add("medium, inflated and all reached", of(&both), "CPU s", Goal::AtMost(INFLATING));
        let times = of(&|round| over(both(round), round));
        figures.add(
            "medium, inflated, all reached, over warm ASM's time",
            times,
            "times",
            Goal::AtMost(there(INFLATING)),
        );
        let mut arguments = vec!["scan".to_owned(), "-q".into()];
        arguments.extend(jars);
        let job = Job { name: "scan", program: self.fatagent.clone(), arguments, output: None };
        let runs = in_turn(&[job], self.rounds)?;
        figures.add("medium, `fatagent scan`", runs[0].cpu(), "CPU s", Goal::Told);
        figures.add("medium, `fatagent scan`, peak", runs[0].peak(), "MiB", Goal::Told);
        Ok(())
    }
}

/// What the example printed.
fn round(text: &str, asm: f64) -> Option<Round> {
    let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start));
    let seconds = |line: &str| line.strip_prefix("median ")?.split(' ').next()?.parse().ok();
    let speed = |line: &str| line.split(", ").nth(1)?.strip_suffix(" MB/s")?.parse().ok();
    let inflating = text.lines().next()?.rsplit_once("inflated in ")?.1.strip_suffix(" CPU s")?;
    Some(Round {
        asm,
        structure: speed(line("structure: ")?)?,
        scan: speed(line("no roots: ")?)?,
        inflating: inflating.parse().ok()?,
        reaching: seconds(line("all reached: ")?)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_example_are_understood() {
        let text = "16750 classes, 58.4 MB, inflated in 0.510 CPU s\n\
                    structure: median 0.040 CPU s, 1460 MB/s, best 1500\n\
                    no roots: median 0.085 CPU s, 686 MB/s, best 733; 9032 findings\n\
                    all reached: median 0.290 CPU s, 201 MB/s, best 227; 9032 findings\n";
        let expected = Round { asm: 200.0, structure: 1460.0, scan: 686.0, inflating: 0.51, reaching: 0.29 };
        assert_eq!(round(text, 200.0), Some(expected));
        assert_eq!(round("nothing", 1.0), None);
    }
}
