//! The end-to-end tests against the real systems, part by part.

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::prerequisites;
use crate::tool::{cargo, run, say};

/// The Java releases that the product is tested on.
const FEATURES: [u32; 4] = [11, 17, 21, 25];

/// What to test against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// JDK 11, 17, 21 and 25, those that are not installed fetched
    Jdks,
    /// Agents of other vendors
    Agents,
    /// Gradle builds
    Gradle,
    /// Spark clusters
    Spark,
    /// Hadoop clusters
    Hadoop,
    /// A corpus of real libraries
    Corpus,
}

/// How to run them.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// What to test against; everything that exists by default
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Leave out what `cargo test --workspace` covers on this machine
    #[arg(long)]
    reduced: bool,
    /// Handed to the test program: names of tests, `--nocapture` and the like
    #[arg(last = true)]
    arguments: Vec<String>,
}

impl Options {
    /// The reduced form of one part, as CI runs it.
    pub(crate) fn reduced(part: Part) -> Self {
        Self { parts: vec![part], reduced: true, arguments: Vec::new() }
    }
}

/// Runs the parts asked for.
pub(crate) fn parts(options: &Options) -> Result<()> {
    let wanted = if options.parts.is_empty() { &[Part::Jdks][..] } else { &options.parts };
    // Before anything is run: a mistake should not cost ten minutes.
    for part in wanted {
        let name = part.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        match part {
            Part::Jdks | Part::Corpus => prerequisites::check(*part)?,
            _ => bail!("the part `{name}` arrives with a later version; there are: `jdks` and `corpus`"),
        }
    }
    for part in wanted {
        match part {
            Part::Corpus => corpus(options)?,
            _ => jdks(options)?,
        }
    }
    Ok(())
}

/// The corpus; its reduced form leaves out the largest set of libraries.
fn corpus(options: &Options) -> Result<()> {
    let mut command = cargo(&["test", "--locked", "--package", "packager", "--test", "corpus", "--"]);
    if options.reduced {
        say("\n==> e2e corpus, reduced to what fetches less than 40 MB");
        command.args(["--skip", "eight_relocations"]);
    }
    run(command.args(&options.arguments))
}

fn jdks(options: &Options) -> Result<()> {
    let features = if options.reduced { not_installed(&installed()) } else { FEATURES.to_vec() };
    let list = features.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    if options.reduced {
        say(&format!("\n==> e2e jdks, reduced to Java {list}: the tests before ran on what is installed"));
    }
    let mut command = cargo(&["test", "--locked", "--package", "packager", "--test", "e2e", "--"]);
    run(command.args(&options.arguments).env("FATAGENT_TEST_JDKS", list))
}

fn installed() -> Vec<u32> {
    fixtures::java_homes().iter().map(|home| home.feature).collect()
}

/// The releases that a plain test run does not reach; the oldest if it reaches all, since a part is never empty.
fn not_installed(installed: &[u32]) -> Vec<u32> {
    let missing: Vec<u32> = FEATURES.into_iter().filter(|feature| !installed.contains(feature)).collect();
    if missing.is_empty() { vec![FEATURES[0]] } else { missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reduced_form_is_what_a_plain_run_does_not_reach() {
        assert_eq!(not_installed(&[17, 25, 8]), [11, 21]);
        assert_eq!(not_installed(&[]), FEATURES);
        assert_eq!(not_installed(&[25, 21, 17, 11]), [11]);
    }

    #[test]
    fn parts_to_come_are_refused_before_anything_runs() {
        for (part, name) in [(Part::Agents, "agents"), (Part::Spark, "spark")] {
            let error = parts(&Options::reduced(part)).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("the part `{name}` arrives with a later version; there are: `jdks` and `corpus`")
            );
        }
    }
}
