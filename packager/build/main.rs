//! Builds what the `fatagent` binary carries inside: the base agent jar and the compiled classes of the demo.
//!
//! 1. `shim`: javac compiles the Java half of the agent.
//! 2. `core`: a nested cargo compiles the Rust half, in a target folder of its own.
//! 3. `base`: both go into `OUT_DIR/base.jar`, a bare masked jar.
//! 4. `demo`: the classes of `templates/demo`, compiled against that jar, go into `OUT_DIR/demo.zip`.
//!
//! The environment variable `FATAGENT_BASE` names a jar to embed in place of steps 1 to 3; a relative path starts at the
//! root of the workspace.
#![expect(clippy::print_stdout, reason = "a build script talks to cargo through stdout")]

mod archive;
mod base;
mod core;
mod demo;
mod jdk;
mod shim;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};

/// Where things are; every path is absolute.
struct Places {
    /// The root of the workspace.
    workspace: PathBuf,
    /// The folder cargo gave us for outputs.
    out: PathBuf,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One `cargo::error` a line, because cargo ends a message at the line's end.
            for line in format!("{error:#}").lines() {
                println!("cargo::error={line}");
            }
            // Cargo fails on these lines anyway. On a failing exit it would add everything that this script printed,
            // which is worth reading only where that is the messages of the nested cargo.
            if error.is::<core::NestedCargoFailed>() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
    }
}

fn run() -> Result<()> {
    let places = Places { workspace: workspace()?, out: env_path("OUT_DIR")? };
    for input in [
        "Cargo.toml",
        "Cargo.lock",
        "manifests",
        "agent-core",
        "extension-sdk/java",
        "templates",
        "packager/build",
        "packager/Cargo.toml",
    ] {
        println!("cargo::rerun-if-changed={}", places.workspace.join(input).display());
    }
    for variable in ["JAVA_HOME", "PATH", "FATAGENT_BASE"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }

    let base = match env::var_os("FATAGENT_BASE") {
        Some(path) if !path.is_empty() => given_base(&places, Path::new(&path))?,
        _ => built_base(&places)?,
    };
    archive::write_if_changed(&places.out.join("base.jar"), &base)?;
    let demo = demo::build(&places, &base)?;
    archive::write_if_changed(&places.out.join("demo.zip"), &demo)
}

fn built_base(places: &Places) -> Result<Vec<u8>> {
    let javac = jdk::Search::from_environment().javac()?;
    let classes = shim::compile(places, &javac)?;
    let core = core::build(places)?;
    base::assemble(classes, &core)
}

fn given_base(places: &Places, path: &Path) -> Result<Vec<u8>> {
    let path = places.workspace.join(path);
    println!("cargo::rerun-if-changed={}", path.display());
    let bytes = fs_err::read(&path).context("cannot read the jar named by `FATAGENT_BASE`")?;
    base::check_masked(&bytes).with_context(|| format!("`FATAGENT_BASE` is unusable: `{}`", path.display()))?;
    Ok(bytes)
}

fn workspace() -> Result<PathBuf> {
    let package = env_path("CARGO_MANIFEST_DIR")?;
    Ok(package.parent().with_context(|| format!("no folder above `{}`", package.display()))?.to_owned())
}

/// Reads a variable that cargo always sets for build scripts.
fn env_path(name: &str) -> Result<PathBuf> {
    env::var_os(name).map(PathBuf::from).with_context(|| format!("cargo did not set `{name}`"))
}
