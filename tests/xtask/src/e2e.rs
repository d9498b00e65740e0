//! The end-to-end tests against the real systems, part by part.

use std::env;
use std::process::Command;

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::prerequisites;
use crate::tool::{PACKAGE, cargo, run, say};

/// Test programs that a plain `cargo test` neither compiles nor runs.
pub(crate) const PROGRAMS: [&str; 8] =
    ["agents", "behaviour", "corpus", "drivers", "gradle", "release", "spark", "stress"];
/// The Java releases that the product is tested on.
const FEATURES: [u32; 4] = [11, 17, 21, 25];
/// The Java releases that the agents of other vendors are started on.
const AGENT_FEATURES: &str = "17,25";
/// The Java release that CI runs the agent of the Maven recipe on.
const MAVEN_FEATURE: &str = "17";
/// Its test that CI leaves out: Maven starts twice more in it.
const SKIPPED_MAVEN: &str = "maven::a_build_that_fails_is_mavens_failure";
/// The variable that names the JDKs of a run.
const JDKS: &str = "FATAGENT_TEST_JDKS";
/// The variable with the seconds that a test may take, and how many it is where agents of 15,000 classes start.
const LIMIT: &str = "FATAGENT_TEST_LIMIT_SECS";
const AGENT_SECONDS: &str = "600";
/// Those of their tests that CI runs: each agent on one JDK, and what needs none.
const REDUCED_AGENTS: [&str; 5] =
    ["coexistence::on_17", "datadog::on_17", "elastic::on_25", "opentelemetry::on_25", "::published"];

/// The programs that CI runs woven, each on one JDK. The JDK's compiler and Spark take minutes and are left to the whole run.
const REDUCED_PROGRAMS: [&str; 3] = ["groovy::on_25", "jackson::on_17", "scala::on_17"];

/// Tests that CI runs on the installed JDKs only: the situations, what starts the most JVMs, build tools, and the harness's and
/// the repository's own tests, of which hardly any looks at a JDK.
const SKIPPED_ON_OLDEST: [&str; 11] = [
    "situations::",
    "arguments::",
    "bad_input::",
    "cargo_driver::",
    "edits::",
    "log::",
    "pipeline::",
    "starts::",
    "harness_tests::",
    "publishing::",
    "stall_watchdog::",
];

/// Tests of the corpus that CI leaves out: the largest set, and all but three of the libraries that are scanned.
const SKIPPED_CORPUS: [&str; 8] = [
    "eight_relocations",
    "guava_is_known",
    "netty_is_known",
    "okhttp_is_known",
    "jackson_is_known",
    "hadoop_is_known",
    "grpc_is_known",
    "slf4j_is_known",
];

/// The test of the crate `classfile` that belongs to the corpus: 12,000 classes linked before and after relocation.
const LINKED_JARS: &str = "jars::classes_of_published_jars_load_as_before";

/// What CI runs on fetched JDKs other than the oldest: between the installed ones little is their own.
const REDUCED_TESTS: [&str; 5] = ["smoke::", "start_modes::", "dispatch::", "native_start::", "extensions"];

/// The variable that names versions of Gradle, the one that CI runs, and the tests that need another.
const GRADLE: &str = "FATAGENT_TEST_GRADLE";
const REDUCED_GRADLE: &str = "7.6.4";
const LATER_GRADLE: &str = "evaluated::";

/// What to test against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// JDK 11, 17, 21 and 25, those that are not installed fetched
    Jdks,
    /// Agents of other vendors, fetched from Maven, on JDK 17 and 25
    Agents,
    /// A sample project built by Maven, by Gradle and by Cargo, plugins fetched, and run on the installed JDKs
    Maven,
    /// Gradle 7.6.4 and 8.5 with the plugins, and 8.10 in memory, fetched
    Gradle,
    /// A cluster of Spark 3.5 with its Python package, fetched, on JDK 17
    Spark,
    /// 200 JVMs that start in parallel batches, on JDK 11, 17, 21 and 25
    Stress,
    /// The tarball of a release for this computer, built first, with a JDK and Maven or Gradle beside it
    Release,
    /// Hadoop clusters
    Hadoop,
    /// A corpus of real libraries
    Corpus,
    /// Real programs woven by a real agent
    Behaviour,
    /// Every method of over 100,000 classes woven and verified
    Weaving,
}

/// The parts that exist, the JDKs last, so that the last line is their summary.
pub(crate) const PARTS: [Part; 10] = [
    Part::Weaving,
    Part::Behaviour,
    Part::Corpus,
    Part::Agents,
    Part::Gradle,
    Part::Maven,
    Part::Spark,
    Part::Release,
    Part::Stress,
    Part::Jdks,
];

/// What to say of them where one is asked for that does not exist yet.
const THERE: &str =
    "`jdks`, `agents`, `gradle`, `maven`, `spark`, `release`, `stress`, `corpus`, `weaving` and `behaviour`";

/// How to run them.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// What to test against; everything that exists by default
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// As CI runs them: `jdks` without what `cargo test --workspace` covers on this machine, on the oldest all but what says little of a JDK or takes long, on others a part, `agents` on one JDK each,
    /// `corpus` without its largest set and with three libraries to scan, `weaving` with a slice of what is small to fetch,
    /// `behaviour` with each program on one JDK, `gradle` in one version, `maven` on one JDK and without builds that fail
    #[arg(long, visible_alias = "slice")]
    reduced: bool,
    /// Handed to the test program: names of tests, `--nocapture` and the like
    #[arg(last = true)]
    arguments: Vec<String>,
}

impl Options {
    /// The reduced form of some parts, as CI runs them.
    pub(crate) fn reduced(parts: &[Part]) -> Self {
        Self { parts: parts.to_vec(), reduced: true, arguments: Vec::new() }
    }
}

/// Runs the parts asked for, in this order.
pub(crate) fn parts(options: &Options) -> Result<()> {
    let wanted = if options.parts.is_empty() { &PARTS[..] } else { &options.parts };
    // Before anything is run: a mistake should not cost ten minutes.
    for part in wanted {
        let name = part.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        if matches!(part, Part::Hadoop) {
            bail!("the part `{name}` arrives with a later version; there are: {THERE}");
        }
    }
    prerequisites::check()?;
    for part in wanted {
        match part {
            Part::Agents => agents(options)?,
            Part::Behaviour => behaviour(options)?,
            Part::Corpus => corpus(options)?,
            Part::Gradle => gradle(options)?,
            Part::Maven => maven(options)?,
            Part::Release => release(options)?,
            Part::Spark => spark(options)?,
            Part::Stress => stress(options)?,
            Part::Weaving => weaving(options)?,
            _ => jdks(options)?,
        }
    }
    Ok(())
}

/// One of the test programs that are left out of a plain run, or `e2e`.
fn test_program(name: &str) -> Command {
    cargo(&["test", "--locked", "--package", PACKAGE, "--test", name, "--"])
}

/// The agents of other vendors; the reduced form starts each on one JDK.
fn agents(options: &Options) -> Result<()> {
    let tests = if options.reduced { &REDUCED_AGENTS[..] } else { &[] };
    let mut command = test_program("agents");
    command.args(tests).args(&options.arguments).env(JDKS, AGENT_FEATURES);
    if env::var_os(LIMIT).is_none() {
        command.env(LIMIT, AGENT_SECONDS);
    }
    run(&mut command)
}

/// The recipe for Maven, and one project by Maven, Gradle and Cargo; the reduced form runs what was built on one JDK.
fn maven(options: &Options) -> Result<()> {
    let mut command = test_program("drivers");
    if options.reduced {
        command.args(["--skip", SKIPPED_MAVEN]).env(JDKS, MAVEN_FEATURE).env(GRADLE, REDUCED_GRADLE);
    }
    // One after the other: they share a local repository.
    run(command.args(["--test-threads", "1"]).args(&options.arguments))
}

/// The corpus; its reduced form leaves out the largest set of libraries and most of those that are scanned.
fn corpus(options: &Options) -> Result<()> {
    let mut command = test_program("corpus");
    if options.reduced {
        say("\n==> e2e corpus, reduced to what fetches less than 40 MB");
        command.args(SKIPPED_CORPUS.iter().flat_map(|name| ["--skip", name]));
    } else {
        let test = ["--test", "relocate", "--", "--ignored", "--exact", LINKED_JARS];
        run(cargo(&["test", "--locked", "--package", "fatagent-classfile"]).args(test))?;
    }
    run(command.args(&options.arguments))
}

/// Builds with the Gradle plugins; the reduced form has one version of Gradle, 180 MB to fetch.
fn gradle(options: &Options) -> Result<()> {
    let mut command = test_program("gradle");
    if options.reduced {
        command.env(GRADLE, REDUCED_GRADLE).args(["--skip", LATER_GRADLE]);
    }
    // One after the other, so that one daemon serves them all.
    run(command.args(["--test-threads", "1"]).args(&options.arguments))
}

/// A cluster. There is one size of it, which is left to the whole run: 318 MB and two minutes.
fn spark(options: &Options) -> Result<()> {
    if options.reduced {
        say("\n==> e2e spark is left to the whole run");
        return Ok(());
    }
    let mut command = test_program("spark");
    // Its test has a limit of its own.
    run(command.args(&options.arguments))
}

/// What somebody has who takes a tarball. It compiles four cores and a program anew, which is left to the whole run.
fn release(options: &Options) -> Result<()> {
    if options.reduced {
        say("\n==> e2e release is left to the whole run: it needs zig, and compiles five targets");
        return Ok(());
    }
    let tarball = crate::release::for_tests()?;
    let mut command = test_program("release");
    if env::var_os(JDKS).is_none() {
        // Named, so that a test without what it needs fails instead of being left out.
        command.env(JDKS, AGENT_FEATURES);
    }
    run(command.args(&options.arguments).env("FATAGENT_RELEASE", tarball))
}

/// Many JVMs at once; the plain run of the tests has a small form of it.
fn stress(options: &Options) -> Result<()> {
    if options.reduced {
        say("\n==> e2e stress is left to the whole run; the tests before started twelve JVMs at once");
        return Ok(());
    }
    let mut command = test_program("stress");
    if env::var_os(JDKS).is_none() {
        command.env(JDKS, FEATURES.map(|feature| feature.to_string()).join(","));
    }
    // One after the other: each starts as many JVMs at once as the machine should have.
    run(command.args(["--test-threads", "1"]).args(&options.arguments))
}

/// Every method of real classes, woven in three forms and given to the JDK's verifier; see the test program's own text.
fn weaving(options: &Options) -> Result<()> {
    // Of the workspace, so that what was built for the other tests serves.
    let mut command = cargo(&["test", "--locked", "--workspace", "--test", "weaving", "--"]);
    if options.reduced {
        command.arg("--slice");
    }
    run(command.args(&options.arguments))
}

/// Real programs with and without the agent; the reduced form runs the smaller ones, each on one JDK.
fn behaviour(options: &Options) -> Result<()> {
    let tests = if options.reduced { &REDUCED_PROGRAMS[..] } else { &[] };
    let mut command = test_program("behaviour");
    // One after the other: each takes a whole machine, and would only wait for the others.
    command.args(["--test-threads", "1", "--nocapture"]).args(tests).args(&options.arguments);
    run(command.env(JDKS, AGENT_FEATURES))
}

fn jdks(options: &Options) -> Result<()> {
    let features = if options.reduced { not_installed(&installed()) } else { FEATURES.to_vec() };
    if !options.reduced {
        return on_jdks(&features, &[], options);
    }
    say(&format!("\n==> e2e jdks, reduced to Java {features:?}: the tests before ran on what is installed"));
    let (oldest, others) = features.split_at(1);
    if !others.is_empty() {
        on_jdks(others, &REDUCED_TESTS, options)?;
    }
    let skipped: Vec<&str> = SKIPPED_ON_OLDEST.iter().flat_map(|name| ["--skip", name]).collect();
    on_jdks(oldest, &skipped, options)
}

/// The end-to-end tests on some JDKs.
fn on_jdks(features: &[u32], arguments: &[&str], options: &Options) -> Result<()> {
    let list = features.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let mut command = test_program("e2e");
    run(command.args(arguments).args(&options.arguments).env(JDKS, list))
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
    fn the_programs_that_a_plain_run_leaves_out_are_known() {
        let manifest = fs_err::read_to_string(crate::tool::root().join("packager/Cargo.toml")).unwrap();
        let tests = manifest.split("[[test]]").filter(|table| table.contains("test = false"));
        let mut names: Vec<&str> = tests.map(|table| table.split('"').nth(1).unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, PROGRAMS);
    }

    #[test]
    fn the_tests_of_other_jdks_and_the_linked_jars_exist() {
        let root = crate::tool::root();
        let modules = fs_err::read_to_string(root.join("tests/e2e/main.rs")).unwrap();
        for name in REDUCED_TESTS.iter().chain(SKIPPED_ON_OLDEST.iter().filter(|name| name.ends_with("::"))) {
            assert!(modules.contains(&format!("mod {};", name.trim_end_matches("::"))), "{name}");
        }
        let (file, test) = LINKED_JARS.split_once("::").unwrap();
        let tests = root.join("agent-core/classfile/tests/relocate");
        let source = fs_err::read_to_string(tests.join(format!("{file}.rs"))).unwrap();
        assert!(source.contains(&format!("fn {test}()")), "{LINKED_JARS}");
    }

    #[test]
    fn the_reduced_agents_are_tests_that_exist() {
        let folder = crate::tool::root().join("tests/e2e/agents");
        for name in REDUCED_AGENTS {
            let (vendor, test) = name.split_once("::").unwrap();
            let vendors = if vendor.is_empty() { vec!["datadog", "elastic", "opentelemetry"] } else { vec![vendor] };
            for vendor in vendors {
                let source = fs_err::read_to_string(folder.join(format!("{vendor}.rs"))).unwrap();
                assert!(source.contains(&format!("#[test]\nfn {test}() {{")), "{name}");
            }
        }
    }

    #[test]
    fn what_the_reduced_maven_recipe_skips_exists() {
        let source = fs_err::read_to_string(crate::tool::root().join("tests/e2e/drivers/maven.rs")).unwrap();
        let test = SKIPPED_MAVEN.strip_prefix("maven::").unwrap();
        assert!(source.contains(&format!("#[test]\nfn {test}() {{")), "{SKIPPED_MAVEN}");
    }

    #[test]
    fn the_reduced_programs_are_tests_that_exist() {
        let folder = crate::tool::root().join("tests/behaviour");
        for name in REDUCED_PROGRAMS {
            let (program, test) = name.split_once("::").unwrap();
            let source = fs_err::read_to_string(folder.join(format!("{program}.rs"))).unwrap();
            assert!(source.contains(&format!("#[test]\nfn {test}() {{")), "{name}");
        }
    }

    #[test]
    fn what_the_reduced_corpus_skips_exists() {
        let folder = crate::tool::root().join("tests/corpus");
        let read = |name: &str| fs_err::read_to_string(folder.join(name)).unwrap();
        let sources = read("loading.rs") + &read("scanning.rs");
        for name in SKIPPED_CORPUS {
            assert!(sources.contains(name), "{name}");
        }
        let libraries = sources.matches("_is_known: ").count();
        let skipped = SKIPPED_CORPUS.iter().filter(|name| name.ends_with("_is_known")).count();
        assert_eq!((libraries, skipped), (10, 7));
    }

    #[test]
    fn parts_to_come_are_refused_before_anything_runs() {
        let error = parts(&Options::reduced(&[Part::Hadoop])).unwrap_err().to_string();
        assert_eq!(error, format!("the part `hadoop` arrives with a later version; there are: {THERE}"));
    }
}
