//! Builds what the `fatagent` binary carries inside: the base agent jar, the SDK, the example project, Gradle's plugins.
//!
//! 1. `shim`: javac compiles the Java half of the agent.
//! 2. `core`: a nested cargo compiles the Rust half for this target, in a target folder of its own.
//! 3. `base`: both go into `OUT_DIR/base.jar`, a bare masked jar.
//! 4. `demo`: `templates/demo` and its classes, compiled against that jar, go into `OUT_DIR/demo.zip`.
//! 5. `sdk`: what extensions and probes compile against goes into `OUT_DIR/sdk.jar`, its sources into
//!    `OUT_DIR/sdk-sources.jar`.
//! 6. `OUT_DIR/gradle-plugin.jar` is empty unless Gradle's plugins are given.
//!
//! Environment; a relative path starts at the root of the workspace:
//! - `FATAGENT_BASE` names a jar to embed in place of steps 1 to 3.
//! - `FATAGENT_CORES` names a folder of compiled cores, `<target>/libagent_core.so`, in place of step 2. A release has four.
//! - `FATAGENT_GRADLE_PLUGIN` names the jar of Gradle's plugins.
//!
//! A package that cargo made holds no workspace: all of it then comes from its folder `prebuilt`.
#![expect(clippy::print_stdout, reason = "a build script talks to cargo through stdout")]

mod archive;
mod base;
mod core;
mod demo;
mod jdk;
mod prebuilt;
mod sdk;
mod shim;
#[path = "../src/visible_api.rs"]
mod visible_api;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};

const BASE: &str = "FATAGENT_BASE";
const CORES: &str = "FATAGENT_CORES";
const GRADLE_PLUGIN: &str = "FATAGENT_GRADLE_PLUGIN";

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
    let (package, out) = (env_path("CARGO_MANIFEST_DIR")?, env_path("OUT_DIR")?);
    let Some(workspace) = workspace(&package) else { return prebuilt::take(&package, &out) };
    let places = Places { workspace, out };
    for input in [
        "Cargo.toml",
        "Cargo.lock",
        "manifests",
        "agent-core",
        "extension-sdk/java",
        "templates",
        "packager/build",
        "packager/Cargo.toml",
        "packager/src/visible_api.rs",
    ] {
        println!("cargo::rerun-if-changed={}", places.workspace.join(input).display());
    }
    for variable in ["JAVA_HOME", "PATH", BASE, CORES, GRADLE_PLUGIN] {
        println!("cargo::rerun-if-env-changed={variable}");
    }

    let base = match given(&places, BASE) {
        Some(path) => given_base(&path)?,
        None => built_base(&places)?,
    };
    let plugin = match given(&places, GRADLE_PLUGIN) {
        Some(path) => fs_err::read(&path).context("cannot read the jar named by `FATAGENT_GRADLE_PLUGIN`")?,
        None => Vec::new(),
    };
    let write = |name: &str, bytes: &[u8]| archive::write_if_changed(&places.out.join(name), bytes);
    write("base.jar", &base)?;
    write("demo.zip", &demo::build(&places, &base)?)?;
    write("sdk.jar", &sdk::classes(&base)?)?;
    write("sdk-sources.jar", &sdk::sources(&places.workspace)?)?;
    write("gradle-plugin.jar", &plugin)
}

/// The file or folder that a variable names.
fn given(places: &Places, variable: &str) -> Option<PathBuf> {
    let path = places.workspace.join(env::var_os(variable).filter(|path| !path.is_empty())?);
    println!("cargo::rerun-if-changed={}", path.display());
    Some(path)
}

fn built_base(places: &Places) -> Result<Vec<u8>> {
    let javac = jdk::Search::from_environment().javac()?;
    let classes = shim::compile(places, &javac)?;
    let cores = match given(places, CORES) {
        Some(folder) => core::given(&folder)?,
        None => vec![core::build(places)?],
    };
    base::assemble(classes, &cores)
}

fn given_base(path: &Path) -> Result<Vec<u8>> {
    let bytes = fs_err::read(path).context("cannot read the jar named by `FATAGENT_BASE`")?;
    base::check_masked(&bytes).with_context(|| format!("`FATAGENT_BASE` is unusable: `{}`", path.display()))?;
    Ok(bytes)
}

/// The root of the workspace, unless this is the package alone.
fn workspace(package: &Path) -> Option<PathBuf> {
    let root = package.parent()?;
    // What cargo packages lies in `target/package` of the workspace, so that a folder further up proves nothing.
    root.join("agent-core/Cargo.toml").is_file().then(|| root.to_owned())
}

/// Reads a variable that cargo always sets for build scripts.
fn env_path(name: &str) -> Result<PathBuf> {
    env::var_os(name).map(PathBuf::from).with_context(|| format!("cargo did not set `{name}`"))
}
