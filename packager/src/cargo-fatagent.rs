//! `cargo fatagent`: the program `fatagent` by the name that cargo looks for.

use std::process::ExitCode;

#[path = "main.rs"]
mod program;

fn main() -> ExitCode {
    program::main()
}
