//! The Rust half of the agent: compiled by a nested cargo, or compiled before for all targets of a release.

use std::{
    env,
    error::Error,
    ffi::{OsStr, OsString},
    fmt,
    io::BufReader,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{Places, env_path};

/// Its file in the jar and in a folder of cores.
pub(crate) const FILE: &str = "libagent_core.so";

/// A compiled core.
pub(crate) struct Core {
    /// What it runs on, as its folder in the jar is called: `linux-x86_64-gnu`.
    pub(crate) platform: String,
    /// The shared library.
    pub(crate) bytes: Vec<u8>,
}

/// The nested cargo failed and has said why on stderr.
#[derive(Debug)]
pub(crate) struct NestedCargoFailed(ExitStatus);

impl fmt::Display for NestedCargoFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the agent core does not compile, see the messages of its own cargo below: {}", self.0)
    }
}

impl Error for NestedCargoFailed {}

/// The cores of a folder, `<target>/libagent_core.so`, sorted. Anything else there is an error: it would silently be left out.
pub(crate) fn given(folder: &Path) -> Result<Vec<Core>> {
    let mut cores = Vec::new();
    for entry in fs_err::read_dir(folder).context("cannot list the folder named by `FATAGENT_CORES`")? {
        let path = entry?.path();
        let platform = path.file_name().and_then(OsStr::to_str).filter(|name| is_platform(name));
        let platform =
            platform.with_context(|| format!("not the folder of a target: `{}`", path.display()))?.to_owned();
        let bytes = fs_err::read(path.join(FILE)).context("a folder of `FATAGENT_CORES` holds no core")?;
        cores.push(Core { platform, bytes });
    }
    ensure!(!cores.is_empty(), "the folder named by `FATAGENT_CORES` is empty: `{}`", folder.display());
    cores.sort_by(|a, b| a.platform.cmp(&b.platform));
    Ok(cores)
}

/// Whether a name is one of a target, such as `linux-x86_64-gnu`.
fn is_platform(name: &str) -> bool {
    let parts: Vec<&str> = name.split('-').collect();
    matches!(parts[..], ["linux", arch, "gnu" | "musl"] if !arch.is_empty())
}

/// Builds `agent-core` as a shared library for the platform that the packager is built for.
pub(crate) fn build(places: &Places) -> Result<Core> {
    let platform = platform()?;
    let target = target_folder(&places.out);
    let cargo_home = cargo_home();
    let mut command = Command::new(env_path("CARGO")?);
    remove_outer_build(&mut command);
    command
        .current_dir(&places.workspace)
        // `rustc` and not `build`: it can leave the rlib out, and cargo does no link-time optimization with one.
        .args(["rustc", "--locked", "--package", "agent-core", "--lib", "--crate-type", "cdylib"])
        .args(["--profile", "agent", "--message-format", "json-render-diagnostics", "--target-dir"])
        .arg(&target)
        .env("CARGO_ENCODED_RUSTFLAGS", rust_flags(&places.workspace, cargo_home.as_deref(), &target)?);
    let (triple, host) = (env::var("TARGET")?, env::var("HOST")?);
    if triple != host {
        command.args(["--target", &triple]);
    }
    let library = run(&mut command)?;
    let bytes = fs_err::read(&library)?;
    check_no_machine_path(&bytes, [Some(&*places.workspace), cargo_home.as_deref(), Some(&*target)])?;
    Ok(Core { platform, bytes })
}

/// The name of the platform in the jar. A platform without a core is refused here, not at the first agent that is built.
fn platform() -> Result<String> {
    let part = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let (os, arch, libc) = (part("OS"), part("ARCH"), part("ENV"));
    ensure!(
        os == "linux" && (libc == "gnu" || libc == "musl"),
        "the agent core runs on Linux with glibc or musl only: building for `{os}-{arch}-{libc}`\n\
         hint: set `FATAGENT_BASE` to an agent jar that was built on Linux"
    );
    Ok(format!("{os}-{arch}-{libc}"))
}

/// `<target>/core`, so that debug, release and test builds share one core.
///
/// A folder of its own, because the outer cargo holds the lock of the outer one. The outer one is the nearest folder
/// above `OUT_DIR` that cargo marked with `CACHEDIR.TAG`; without a mark the core is kept in `OUT_DIR`.
fn target_folder(out: &Path) -> PathBuf {
    out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file()).unwrap_or(out).join("core")
}

/// Removes what the outer cargo set for this script: its crate, its features, its compiler wrapper (clippy), its jobs.
///
/// What the user set to reach a registry, a linker or another cargo home stays, or the nested build could not run.
fn remove_outer_build(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let Some(text) = name.to_str() else { continue };
        let of_cargo = text.starts_with("CARGO") || text.starts_with("RUSTC") || text.starts_with("CLIPPY");
        let of_user = ["CARGO_HOME", "CARGO_BUILD_JOBS"].contains(&text)
            || ["CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTRY_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"]
                .iter()
                .any(|prefix| text.starts_with(prefix))
            || (text.starts_with("CARGO_TARGET_") && text.ends_with("_LINKER"));
        let of_script =
            ["MAKEFLAGS", "MFLAGS", "OUT_DIR", "TARGET", "HOST", "PROFILE", "OPT_LEVEL", "DEBUG", "NUM_JOBS"]
                .contains(&text);
        if (of_cargo && !of_user) || of_script {
            command.env_remove(&name);
        }
    }
}

/// The user's flags, and after them the ones that keep this machine's paths out of the library.
///
/// Of several prefixes that fit, rustc takes the last one given, so the inner folders come last.
fn rust_flags(workspace: &Path, cargo_home: Option<&Path>, target: &Path) -> Result<String> {
    let mut flags: Vec<String> = env::var("CARGO_ENCODED_RUSTFLAGS")
        .unwrap_or_default()
        .split('\x1f')
        .filter(|flag| !flag.is_empty())
        .map(str::to_owned)
        .collect();
    for (folder, name) in [(cargo_home, "/cargo"), (Some(workspace), "/fatagent"), (Some(target), "/target")] {
        let Some(folder) = folder else { continue };
        let text = folder.to_str().with_context(|| format!("not UTF-8: `{}`", folder.display()))?;
        flags.push(format!("--remap-path-prefix={text}={name}"));
    }
    Ok(flags.join("\x1f"))
}

fn cargo_home() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from);
    set("CARGO_HOME").or_else(|| set("HOME").map(|home| home.join(".cargo")))
}

/// Runs cargo and returns the path of the library that it says it made. Its diagnostics go to our stderr, which the
/// outer cargo shows when we fail.
fn run(command: &mut Command) -> Result<PathBuf> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the nested cargo for the agent core")?;
    let stdout = child.stdout.take().context("the nested cargo has no stdout")?;
    let mut library = None;
    let messages = serde_json::Deserializer::from_reader(BufReader::new(stdout)).into_iter::<serde_json::Value>();
    for message in messages {
        let message = message.context("cannot read the messages of the nested cargo")?;
        if message["reason"] == "compiler-artifact" && message["target"]["name"] == "agent_core" {
            let files = message["filenames"].as_array().into_iter().flatten().filter_map(|file| file.as_str());
            let mut libraries = files.map(PathBuf::from).filter(|file| file.extension().is_some_and(|end| end == "so"));
            library = libraries.next().or(library);
        }
    }
    let status = child.wait().context("cannot wait for the nested cargo")?;
    if !status.success() {
        return Err(NestedCargoFailed(status).into());
    }
    library.context("the nested cargo made no shared library of `agent-core`")
}

/// Fails when the library names a folder of this machine, which would differ on the next one.
fn check_no_machine_path<const N: usize>(bytes: &[u8], folders: [Option<&Path>; N]) -> Result<()> {
    for folder in folders.into_iter().flatten() {
        let path = folder.as_os_str().as_encoded_bytes();
        // A path of a few characters, such as `/src`, would be found by chance.
        if path.len() > 5 && bytes.windows(path.len()).any(|window| window == path) {
            bail!("the compiled agent core names a folder of this machine: `{}`", folder.display());
        }
    }
    Ok(())
}
