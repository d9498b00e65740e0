//! Finding installed extensions.

use std::process::Command;

use anyhow::{Context as _, Result};

use super::Bench;
use super::agents::finished;
use super::measure::median;
use super::report::{Goal, Report};
use crate::tool::say;

impl Bench {
    /// 100 installed extensions, found and decided about.
    pub(super) fn extensions(&self, figures: &mut Report) -> Result<()> {
        say(&format!("\n==> 100 installed extensions, {} rounds", self.rounds));
        let (mut cold, mut cached) = (Vec::new(), Vec::new());
        for number in 1..=self.rounds {
            let output = finished(&mut Command::new(&self.speed))?;
            say(&format!("    round {number}: {}", output.trim()));
            let times = times(&output).with_context(|| format!("no times in `{output}`"))?;
            cold.push(times.0);
            cached.push(times.1);
        }
        figures.add("100 installed extensions, without the cache", median(cold), "ms", Goal::AtMost(10.0));
        figures.add("100 installed extensions, with the cache", median(cached), "ms", Goal::AtMost(2.0));
        Ok(())
    }
}

/// The two times in the line of the example `discovery_speed`.
fn times(line: &str) -> Option<(f64, f64)> {
    let (cold, cached) = line.trim().strip_prefix("cold ")?.split_once(" ms, cached ")?;
    Some((cold.parse().ok()?, cached.strip_suffix(" ms")?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn both_times_are_found() {
        assert_eq!(times("cold 8.125 ms, cached 1.500 ms\n"), Some((8.125, 1.5)));
        assert_eq!(times("nothing"), None);
    }
}
