//! What CI and a laptop both call: `cargo xtask ci` before a push, `cargo xtask e2e` for the real systems.
//!
//! Everything it says goes to standard error; standard output is left to the programs it runs.

mod bench;
mod ci;
mod e2e;
mod fuzz;
mod gradle_plugin;
mod prerequisites;
mod release;
mod tidy;
mod tool;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "What CI and a laptop both call", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Everything that has to hold before a change goes in
    Ci,
    /// Checks the tree itself: file lengths, machine paths, binary and ignored files
    Tidy,
    /// Checks the dependencies' licences, bans and sources with cargo-deny, where it is installed
    Deny,
    /// Runs the end-to-end tests against real systems
    E2e(e2e::Options),
    /// Measures the release build beside its peers and its goals
    Bench(bench::Options),
    /// Fuzzes the reader, the weaver and the relocator with `cargo fuzz`
    Fuzz(fuzz::Options),
    /// Compiles the Gradle plugins into one jar
    GradlePlugin(gradle_plugin::Options),
    /// Builds what is released: a tarball for each processor, and the packages for crates.io
    Release(release::Options),
    /// Runs one command for `bench`
    #[command(hide = true)]
    Measure(bench::Measured),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Task::Ci => ci::all(),
        Task::Tidy => tidy::run(),
        Task::Deny => ci::deny(),
        Task::E2e(options) => e2e::parts(&options),
        Task::Bench(options) => bench::all(&options),
        Task::Fuzz(options) => fuzz::all(&options),
        Task::GradlePlugin(options) => gradle_plugin::write(&options),
        Task::Release(options) => release::run_all(&options),
        Task::Measure(measured) => bench::measure(&measured),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tool::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
