//! Running other programs, in sight.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

/// How long a program may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_mins(1);

/// The package of the tool, under whose name it is published; its library is `packager`.
pub(crate) const PACKAGE: &str = "fatagent";

/// Writes one line to standard error.
pub(crate) fn say(line: &str) {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "{line}");
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new(".")).to_path_buf()
}

/// The target folder, below which this program lies.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let program = env::current_exe()?;
    Ok(program.ancestors().nth(2).context("this program lies in no target folder")?.to_owned())
}

/// The cargo that runs this, for the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments);
    // What describes this package would look like a changed environment to the build scripts of others.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a program to its end, its output passing through, after saying what is run.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    say(&format!("\n==> {line}"));
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed with {status}");
    }
    Ok(())
}

/// The first line that a program says of itself, if it is there and works.
pub(crate) fn version(command: &mut Command) -> Option<String> {
    let output = fixtures::run(command, VERSION_LIMIT).ok()?;
    if !output.status.success() {
        return None;
    }
    Some(output.both().lines().next().unwrap_or_default().trim().to_owned())
}

/// The command as typed, with the variables it is given.
fn line(command: &Command) -> String {
    let set = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), value?.to_string_lossy())));
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    set.chain([program]).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        assert_eq!(line(cargo(&["test", "--locked"]).env("ONE", "1")), "ONE=1 cargo test --locked");
    }

    #[test]
    fn failures_name_the_command() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert_eq!(error, "`sh -c exit 3` failed with exit status: 3");
        assert!(run(&mut Command::new("no-such-program")).unwrap_err().to_string().contains("cannot start"));
    }

    #[test]
    fn versions_are_asked_for() {
        assert!(version(&mut cargo(&["--version"])).is_some_and(|version| version.starts_with("cargo ")));
        assert_eq!(version(&mut cargo(&["no-such-command"])), None);
        assert_eq!(version(&mut Command::new("no-such-program")), None);
    }

    #[test]
    fn the_root_is_the_workspace() {
        assert!(root().join("Cargo.lock").is_file());
    }
}
