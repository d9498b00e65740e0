//! The fuzz targets of the crate `classfile` under libFuzzer.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::tool::{root, run, say, version};

/// The targets that there are.
const TARGETS: [&str; 3] = ["reader", "weaver", "relocator"];
/// The longest input, in bytes.
const LONGEST: u32 = 24_000;
/// How long one input may take, in seconds, and how much memory, in MB.
const LIMITS: (u32, u32) = (10, 1_024);

/// What to fuzz.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// `reader`, `weaver` or `relocator`; all by default
    targets: Vec<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

/// Runs the targets asked for on classes of the JDK.
pub(crate) fn all(options: &Options) -> Result<()> {
    let wanted: Vec<&str> = if options.targets.is_empty() {
        TARGETS.to_vec()
    } else {
        options.targets.iter().map(String::as_str).collect()
    };
    if let Some(unknown) = wanted.iter().find(|name| !TARGETS.contains(name)) {
        bail!("no such fuzz target: `{unknown}`; hint: there are {}", TARGETS.join(", "));
    }
    if version(Command::new("cargo").args(["+nightly", "--version"])).is_none() {
        bail!("a nightly Rust is missing; hint: `rustup toolchain install nightly`");
    }
    if version(Command::new("cargo").args(["fuzz", "--version"])).is_none() {
        bail!("`cargo fuzz` is missing; hint: `cargo install --locked cargo-fuzz`");
    }
    let seeds = seeds()?;
    for target in wanted {
        let mut fuzz = Command::new("cargo");
        fuzz.current_dir(root().join("agent-core/classfile"));
        // Not the variables of the cargo that runs this: the other toolchain has its own.
        fuzz.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
        fuzz.args(["+nightly", "fuzz", "run", target]);
        // What is found goes to the first folder.
        fuzz.arg(format!("fuzz/corpus/{target}")).arg(&seeds).arg("--");
        fs_err::create_dir_all(root().join("agent-core/classfile/fuzz/corpus").join(target))?;
        fuzz.arg(format!("-max_total_time={}", options.seconds)).arg(format!("-max_len={LONGEST}"));
        fuzz.arg(format!("-timeout={}", LIMITS.0)).arg(format!("-rss_limit_mb={}", LIMITS.1));
        run(&mut fuzz)?;
    }
    Ok(())
}

/// Classes of the JDK to begin with, each in a file of its own.
fn seeds() -> Result<PathBuf> {
    let folder = root().join("target/fuzz-seeds");
    if folder.exists() {
        return Ok(folder);
    }
    say("\n==> extracting classes of the JDK");
    let home = fixtures::compiler_home()?;
    let partial = tempfile::tempdir()?;
    fixtures::extract_modules(&home, Some("java.base"), partial.path())?;
    fs_err::create_dir_all(&folder)?;
    copy(partial.path(), &folder)?;
    Ok(folder)
}

/// Copies every class that is short enough, under a number.
fn copy(from: &std::path::Path, to: &std::path::Path) -> Result<()> {
    let mut folders = vec![from.to_path_buf()];
    let mut number = 0;
    while let Some(next) = folders.pop() {
        for entry in fs_err::read_dir(&next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.metadata()?.len() <= u64::from(LONGEST) {
                fs_err::copy(entry.path(), to.join(format!("{number}.class")))?;
                number += 1;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_are_those_of_the_crate() {
        let text = fs_err::read_to_string(root().join("agent-core/classfile/fuzz/Cargo.toml")).unwrap();
        for target in TARGETS {
            assert!(text.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "{target}");
        }
        assert_eq!(text.matches("[[bin]]").count(), TARGETS.len());
        let options = Options { targets: vec!["other".into()], seconds: 1 };
        let error = all(&options).unwrap_err().to_string();
        assert_eq!(error, "no such fuzz target: `other`; hint: there are reader, weaver, relocator");
    }
}
