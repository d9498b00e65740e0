//! The gate: what has to hold before a change goes in.

use anyhow::{Result, bail};

use crate::tool::{PACKAGE, cargo, run, say, version};
use crate::{e2e, prerequisites, tidy};

/// Runs everything, cheapest first, and stops at the first failure.
///
/// The end-to-end parts come last, so that the last line is the test runner's own summary.
pub(crate) fn all() -> Result<()> {
    prerequisites::check()?;
    tidy::run()?;
    component("fmt", "rustfmt")?;
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    component("clippy", "clippy")?;
    run(&mut cargo(&["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // Left out of all targets, since a plain `cargo test` does not run them.
    let larger = e2e::PROGRAMS.iter().flat_map(|name| ["--test", name]);
    run(cargo(&["clippy", "--locked", "--package", PACKAGE]).args(larger).args(["--", "-D", "warnings"]))?;
    run(&mut cargo(&["clippy", "--locked", "--workspace", "--test", "weaving", "--", "-D", "warnings"]))?;
    deny()?;
    run(&mut cargo(&["test", "--locked", "--workspace"]))?;
    e2e::parts(&e2e::Options::reduced(&e2e::PARTS))
}

/// Checks the dependencies, where the tool is present.
pub(crate) fn deny() -> Result<()> {
    if version(&mut cargo(&["deny", "--version"])).is_some() {
        return run(&mut cargo(&["deny", "--locked", "--workspace", "check", "licenses", "bans", "sources"]));
    }
    say("\n==> cargo deny: skipped, not installed; licences, bans and sources of dependencies are NOT checked");
    say("    hint: `cargo install --locked cargo-deny`");
    Ok(())
}

fn component(subcommand: &str, component: &str) -> Result<()> {
    if version(&mut cargo(&[subcommand, "--version"])).is_none() {
        bail!("`cargo {subcommand}` is missing; hint: `rustup component add {component}`");
    }
    Ok(())
}
