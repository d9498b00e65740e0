//! Compiles the Gradle plugins, which need Gradle's API and so are no part of an ordinary build.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::tool::{root, say, target_folder};

/// The oldest Gradle that the plugins work with: what they use of its API is there in all later ones.
const GRADLE: &str = "7.6.4";
const SOURCES: &str = "gradle-plugin-shim";

/// What to write.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The jar to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Where Gradle is kept, for the tests, too.
pub(crate) fn cache() -> Result<PathBuf> {
    match std::env::var_os("FATAGENT_TEST_CACHE") {
        Some(cache) => Ok(PathBuf::from(cache)),
        None => Ok(target_folder()?.join("cache")),
    }
}

/// Writes the jar that the options name.
pub(crate) fn write(options: &Options) -> Result<()> {
    write_to(&options.out)
}

/// Writes the jar with both plugins. The same sources and compiler give the same bytes.
pub(crate) fn write_to(out: &Path) -> Result<()> {
    let api = fixtures::gradle_api(&cache()?, GRADLE)?;
    let folder = root().join(SOURCES);
    let mut sources = Vec::new();
    for file in files(&folder.join("java"))? {
        let name = file.strip_prefix(folder.join("java"))?.to_string_lossy().into_owned();
        sources.push((name, fs_err::read_to_string(&file)?));
    }
    let sources: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let class_path = std::env::join_paths(&api)?;
    let class_path = class_path.to_str().context("not UTF-8: the class path")?;
    let classes = tempfile::tempdir()?;
    let checks = "-Xlint:all,-options,-classfile,-processing,-path";
    let options_of_javac = ["--release", "8", "-proc:none", "-g:source,lines", checks, "-Werror", "-cp", class_path];
    fixtures::javac(&sources, &options_of_javac, classes.path())?;
    fixtures::Jar::new()
        .attribute("Implementation-Title", "fatagent Gradle plugins")
        .attribute("Implementation-Version", env!("CARGO_PKG_VERSION"))
        .tree(classes.path())?
        .tree(&folder.join("resources"))?
        .write(out)?;
    say(&format!("wrote {}", out.display()));
    Ok(())
}

/// The files below a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}
