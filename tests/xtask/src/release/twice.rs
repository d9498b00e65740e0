//! Builds a release in two folders and compares the results.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::target::Arch;
use super::{cargo_in, tarball_name};
use crate::gradle_plugin;
use crate::tool::{root, run, say};

/// The folders are of different lengths, so that a path in a result moves what follows it.
const FOLDERS: [&str; 2] = ["a", "another-folder"];

/// Builds twice and compares the tarballs, then leaves those of the first build in `out`.
///
/// # Errors
/// A build fails, or the tarballs differ.
pub(crate) fn compare(archs: &[Arch], unpinned: bool, out: &Path) -> Result<()> {
    let work = tempfile::tempdir()?;
    let files = sources()?;
    // Both before anything is built: it takes half an hour, in which somebody may go on working.
    for name in FOLDERS {
        copy(&files, &work.path().join(name))?;
    }
    let mut results = Vec::new();
    for name in FOLDERS {
        let folder = work.path().join(name);
        let mut command = cargo_in(&folder, &["run", "--quiet", "--locked", "--package", "xtask", "--", "release"]);
        for arch in archs {
            command.args(["--target", arch.name()]);
        }
        if unpinned {
            command.arg("--unpinned");
        }
        // What is fetched is the same for both.
        command.env("FATAGENT_TEST_CACHE", gradle_plugin::cache()?);
        run(command.args(["--out", "result"]).env("CARGO_TARGET_DIR", folder.join(format!("target-{name}"))))?;
        results.push(folder.join("result"));
    }
    for arch in archs {
        let name = tarball_name(*arch);
        let [first, second] = [&results[0], &results[1]].map(|folder| folder.join(&name));
        if fs_err::read(&first)? != fs_err::read(&second)? {
            bail!("two builds of `{name}` differ in: {}", differing(&first, &second)?.join(", "));
        }
        fs_err::create_dir_all(out)?;
        for name in [name.clone(), format!("{name}.sha256")] {
            fs_err::copy(results[0].join(&name), out.join(&name))?;
        }
        say(&format!("\n==> two builds of `{name}` have the same bytes"));
    }
    Ok(())
}

/// Paths of all files of the workspace that git has, or would have.
fn sources() -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = fixtures::run(&mut git, Duration::from_mins(1))?;
    if !output.status.success() {
        bail!("`git ls-files` failed, a git checkout is needed: {}", output.stderr.trim());
    }
    Ok(output.stdout.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn copy(files: &[String], into: &Path) -> Result<()> {
    for path in files {
        let (from, to) = (root().join(path), into.join(path));
        // Deleted but still in the index.
        if from.is_file() {
            fs_err::create_dir_all(to.parent().context("a file without a folder")?)?;
            fs_err::copy(from, to)?;
        }
    }
    Ok(())
}

/// Entries of two tarballs that are not the same.
fn differing(first: &Path, second: &Path) -> Result<Vec<String>> {
    let (first, second) = (contents(first)?, contents(second)?);
    let names: std::collections::BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    Ok(names.into_iter().filter(|name| first.get(*name) != second.get(*name)).cloned().collect())
}

fn contents(tarball: &Path) -> Result<std::collections::BTreeMap<String, Vec<u8>>> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(fs_err::File::open(tarball)?));
    let mut contents = std::collections::BTreeMap::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.display().to_string();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes)?;
        contents.insert(path, bytes);
    }
    Ok(contents)
}
