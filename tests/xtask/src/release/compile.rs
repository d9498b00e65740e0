//! Compiles with cargo and zig, for other systems than this one.

use std::env;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::recipe::Recipe;
use super::target::{Libc, Target};
use crate::tool::{cargo, root, say};

/// Where a release is compiled, and with what.
pub(crate) struct Compiler<'a> {
    pub(crate) recipe: &'a Recipe,
    /// Target folder of cargo: one of its own, since its flags would throw away what other builds left.
    pub(crate) folder: PathBuf,
}

/// A program with what its build script left.
pub(crate) struct Program {
    pub(crate) bytes: Vec<u8>,
    /// `OUT_DIR` of the packager.
    pub(crate) out: PathBuf,
}

impl Compiler<'_> {
    /// The agent core for a target.
    pub(crate) fn core(&self, target: Target) -> Result<Vec<u8>> {
        // `rustc` and not `build`: it can leave the rlib out, and cargo does no link-time optimization with one.
        let arguments = ["rustc", "--package", "agent-core", "--lib", "--crate-type", "cdylib", "--profile", "agent"];
        let dynamic = (target.libc == Libc::Musl).then_some("-Ctarget-feature=-crt-static");
        let messages = self.run(&arguments, target, dynamic, &[])?;
        let library = artifact(&messages, "agent_core", |path| path.extension().is_some_and(|end| end == "so"));
        let bytes = fs_err::read(library.context("cargo made no shared library of `agent-core`")?)?;
        self.check_no_machine_path(&bytes)?;
        Ok(bytes)
    }

    /// A program of a package; `environment` is what the packager's build script reads.
    pub(crate) fn program(
        &self,
        package: &str,
        name: &str,
        target: Target,
        environment: &[(&str, &Path)],
    ) -> Result<Program> {
        let arguments = ["build", "--package", package, "--bin", name, "--release"];
        let messages = self.run(&arguments, target, None, environment)?;
        let file = artifact(&messages, name, |_| true).with_context(|| format!("cargo made no `{name}`"))?;
        let bytes = fs_err::read(file)?;
        self.check_no_machine_path(&bytes)?;
        let scripts = messages.iter().filter(|message| message["reason"] == "build-script-executed");
        let mut own = scripts.filter_map(|message| message["out_dir"].as_str()).map(PathBuf::from);
        let out = own.rfind(|folder| folder.join("base.jar").is_file());
        Ok(Program { bytes, out: out.context("the packager's build script left no base")? })
    }

    /// Runs cargo and returns its messages.
    fn run(
        &self,
        arguments: &[&str],
        target: Target,
        flag: Option<&str>,
        environment: &[(&str, &Path)],
    ) -> Result<Vec<Value>> {
        let mut command = Command::new("cargo-zigbuild");
        // What cargo sets for its children, and a developer for the own builds, must not change the result.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            let changes =
                text.starts_with("FATAGENT_") || text.contains("RUSTFLAGS") || text.starts_with("CARGO_PROFILE_");
            if changes || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command.current_dir(root()).args(arguments).args(["--locked", "--target", &target.zig()]);
        command.args(["--message-format", "json-render-diagnostics", "--target-dir"]).arg(&self.folder);
        command.envs(environment.iter().copied()).env("CARGO_ENCODED_RUSTFLAGS", self.flags(flag)?);
        let shown: Vec<String> = environment.iter().map(|(name, path)| format!("{name}={} ", path.display())).collect();
        say(&format!("\n==> {}cargo-zigbuild {} --target {}", shown.concat(), arguments.join(" "), target.zig()));
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start cargo-zigbuild")?;
        let stdout = child.stdout.take().context("cargo-zigbuild has no stdout")?;
        let messages = serde_json::Deserializer::from_reader(BufReader::new(stdout)).into_iter();
        let messages = messages.collect::<Result<Vec<Value>, _>>().context("cannot read the messages of cargo")?;
        let status = child.wait()?;
        if !status.success() {
            bail!("`cargo-zigbuild {} --target {}` failed with {status}", arguments.join(" "), target.zig());
        }
        Ok(messages)
    }

    /// The flags that keep folders of this machine out of what is compiled. Of several prefixes that fit, rustc takes the last.
    fn flags(&self, further: Option<&str>) -> Result<String> {
        let mut flags = Vec::new();
        for (folder, name) in self.folders()? {
            let text = folder.to_str().with_context(|| format!("not UTF-8: `{}`", folder.display()))?;
            flags.push(format!("--remap-path-prefix={text}={name}"));
        }
        flags.extend(further.map(str::to_owned));
        Ok(flags.join("\x1f"))
    }

    /// Folders that differ from one machine to the next, with what they are called instead.
    fn folders(&self) -> Result<[(PathBuf, &'static str); 4]> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = set("CARGO_HOME").or_else(|| set("HOME").map(|home| home.join(".cargo")));
        Ok([
            (self.recipe.sysroot.clone(), "/rust"),
            (home.context("neither `CARGO_HOME` nor `HOME` is set")?, "/cargo"),
            (root(), "/fatagent"),
            (self.folder.clone(), "/target"),
        ])
    }

    /// Fails when a result names a folder of this machine, which would differ on the next one.
    fn check_no_machine_path(&self, bytes: &[u8]) -> Result<()> {
        for (folder, _) in self.folders()? {
            let path = folder.as_os_str().as_encoded_bytes();
            // A path of a few characters, such as `/src`, would be found by chance.
            if path.len() > 5 && bytes.windows(path.len()).any(|window| window == path) {
                bail!("what was compiled names a folder of this machine: `{}`", folder.display());
            }
        }
        Ok(())
    }
}

/// The last file of a target that cargo made and that is wanted.
fn artifact(messages: &[Value], name: &str, is_wanted: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let made =
        messages.iter().filter(|message| message["reason"] == "compiler-artifact" && message["target"]["name"] == name);
    let files = made.flat_map(|message| message["filenames"].as_array().into_iter().flatten());
    files.filter_map(Value::as_str).map(PathBuf::from).filter(|path| is_wanted(path)).last()
}

/// What `cargo metadata` says of the workspace, without its dependencies or, for a target, with those.
pub(crate) fn metadata(target: Option<Target>) -> Result<Value> {
    let mut command = cargo(&["metadata", "--locked", "--format-version", "1"]);
    match target {
        Some(target) => command.args(["--filter-platform", &target.triple()]),
        None => command.arg("--no-deps"),
    };
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed with {}", output.status);
    }
    serde_json::from_slice(&output.stdout).context("cannot read what `cargo metadata` says")
}

/// The package of the workspace that has a program of that name.
pub(crate) fn package_of(metadata: &Value, program: &str) -> Option<String> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let is_it = |target: &Value| target["name"] == program && list(target, "kind").iter().any(|kind| kind == "bin");
    let found = list(metadata, "packages").into_iter().find(|package| list(package, "targets").iter().any(is_it))?;
    found["name"].as_str().map(str::to_owned)
}
