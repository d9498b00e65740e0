//! Measures whole processes, by the operating system's own account of each.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};

use crate::tool::say;

/// No run takes longer than this.
const LIMIT: Duration = Duration::from_mins(10);

/// One command to measure.
#[derive(Debug)]
pub(super) struct Job {
    /// What it is called in the report.
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    /// Removed before each run.
    pub(super) output: Option<PathBuf>,
}

/// What one run used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage {
    /// Seconds of processor time, the system's included.
    pub(super) cpu: f64,
    /// Greatest resident memory in MiB.
    pub(super) peak: f64,
}

/// The counted runs of one job.
#[derive(Debug)]
pub(super) struct Runs(Vec<Usage>);

impl Runs {
    /// Median of the processor time in seconds.
    pub(super) fn cpu(&self) -> f64 {
        median(self.0.iter().map(|run| run.cpu).collect())
    }

    /// The greatest of the peaks in MiB: a limit has to hold always.
    pub(super) fn peak(&self) -> f64 {
        self.0.iter().map(|run| run.peak).fold(0.0, f64::max)
    }

    /// Median of the peaks in MiB.
    pub(super) fn memory(&self) -> f64 {
        median(self.0.iter().map(|run| run.peak).collect())
    }

    /// Median of the ratios of processor time, run by run, so that a machine that becomes slower changes nothing.
    pub(super) fn over(&self, other: &Self) -> f64 {
        median(self.ratios(other))
    }

    /// The 95 % interval of that median: two of the ratios themselves, by their ranks.
    pub(super) fn interval_over(&self, other: &Self) -> (f64, f64) {
        let mut ratios = self.ratios(other);
        ratios.sort_by(f64::total_cmp);
        let below = rank(ratios.len());
        let at = |index: usize| ratios.get(index).copied().unwrap_or(f64::NAN);
        (at(below), at(ratios.len().saturating_sub(below + 1)))
    }

    fn ratios(&self, other: &Self) -> Vec<f64> {
        self.0.iter().zip(&other.0).map(|(one, two)| one.cpu / two.cpu).collect()
    }
}

/// How many values lie below the 95 % interval of a median: half of them less 0.98 times their root.
fn rank(count: usize) -> usize {
    // In whole numbers: 0.98 times the root is the root of 0.96 times the count.
    (count / 2).saturating_sub((96 * count / 100).isqrt())
}

/// The middle one; of an even number the upper.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Runs the jobs in turn, one round uncounted and then `rounds` counted ones.
pub(super) fn in_turn(jobs: &[Job], rounds: usize) -> Result<Vec<Runs>> {
    let mut all: Vec<Runs> = jobs.iter().map(|_| Runs(Vec::new())).collect();
    for round in 0..=rounds {
        let mut line = format!("    round {round}, CPU s:");
        for (number, job) in jobs.iter().enumerate() {
            let usage = job.run()?;
            let _ = write!(line, "{} {} {:.3}", if number > 0 { "," } else { "" }, job.name, usage.cpu);
            if round > 0 {
                all[number].0.push(usage);
            }
        }
        say(&line);
    }
    Ok(all)
}

impl Job {
    /// Runs it once, below another process of this program that has no other children.
    fn run(&self) -> Result<Usage> {
        if let Some(output) = self.output.as_ref().filter(|output| output.exists()) {
            fs_err::remove_file(output)?;
        }
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["measure", "--"]).arg(&self.program).args(&self.arguments);
        let output = fixtures::run(&mut command, LIMIT)?;
        if !output.status.success() {
            bail!("{}: {}\n{}", self.name, output.status, output.both().trim());
        }
        let numbers: Vec<f64> = output.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [cpu, peak] = numbers[..] else { bail!("{}: not two numbers: `{}`", self.name, output.stdout) };
        Ok(Usage { cpu, peak })
    }
}

/// `cargo xtask measure`: runs a command and prints the seconds of processor time and the MiB of memory that it used.
#[derive(Debug, clap::Args)]
pub(crate) struct Measured {
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// Runs what `in_turn` wants measured.
pub(crate) fn measure(measured: &Measured) -> Result<()> {
    let Some((program, arguments)) = measured.command.split_first() else { bail!("no command") };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().with_context(|| format!("cannot start `{program}`"))?;
    if !status.success() {
        bail!("`{program}` ended with {status} after {:.1} s", start.elapsed().as_secs_f64());
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| -> Result<f64> {
        // Both parts of a time are far below what is lost.
        let (whole, micros) = (u32::try_from(time.tv_sec())?, u32::try_from(time.tv_usec())?);
        Ok(f64::from(whole) + f64::from(micros) / 1e6)
    };
    let cpu = seconds(usage.user_time())? + seconds(usage.system_time())?;
    let peak = f64::from(u32::try_from(usage.max_rss())?) / 1024.0;
    Ok(std::io::Write::write_all(&mut std::io::stdout(), format!("{cpu:.6} {peak:.1}\n").as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(cpu: &[f64]) -> Runs {
        Runs(cpu.iter().map(|&cpu| Usage { cpu, peak: cpu * 10.0 }).collect())
    }

    #[test]
    fn ratios_are_taken_run_by_run() {
        let (one, two) = (runs(&[1.0, 2.0, 9.0]), runs(&[2.0, 4.0, 3.0]));
        assert!((one.over(&two) - 0.5).abs() < 1e-9);
        assert!((one.cpu() - 2.0).abs() < 1e-9);
        assert!((one.peak() - 90.0).abs() < 1e-9);
        assert!((one.memory() - 20.0).abs() < 1e-9);
        assert_eq!(one.interval_over(&two), (0.5, 3.0));
        let (many, ones) = (runs(&(1..=31).map(f64::from).collect::<Vec<_>>()), runs(&[1.0; 31]));
        assert_eq!(many.interval_over(&ones), (11.0, 21.0));
        assert!(median(Vec::new()).is_nan());
    }
}
