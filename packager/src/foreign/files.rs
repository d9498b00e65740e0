//! `[[files]]`: files of the disk in a folder of the jar.

use std::path::{Path, PathBuf};

use manifests::agent_toml::Source;

use super::description;
use crate::archive::{Archive, Limits, check_name};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::glob::Pattern;
use crate::maven::Repository;

/// What stands for the root of the jar.
const ROOT: &str = ".";

/// One file that is added.
#[derive(Debug)]
pub(super) struct Added {
    /// Its path in the jar.
    pub(super) path: String,
    /// The file.
    pub(super) file: PathBuf,
}

impl Added {
    /// Whether the file is a jar, by its name.
    pub(super) fn is_jar(&self) -> bool {
        self.file.extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"))
    }
}

/// The files of all `[[files]]`, in their order. Of what a pattern matches the folders behind its fixed part are kept.
///
/// # Errors
/// A pattern matches nothing, a folder leads out of the jar, or a nested jar is none.
pub(super) fn collect(config: &Config, limits: Limits) -> Result<Vec<Added>> {
    let mut added = Vec::new();
    for table in &config.toml.files {
        let at = table.at.to_string();
        let into = match table.into.as_str() {
            ROOT => String::new(),
            into => description::folder(into, &table.at, "a folder of the jar")?,
        };
        for source in &table.from {
            let found = match source {
                Source::Path(path) => found(path, config, &at)?,
                Source::Maven(coordinates) => {
                    vec![(coordinates.file_name(), Repository::local()?.find(coordinates, &at)?)]
                }
            };
            for (name, file) in found {
                let path = format!("{into}{name}");
                check_name(path.as_bytes()).map_err(|problem| Error::BadEntryName {
                    jar: file.clone(),
                    entry: path.escape_default().to_string(),
                    problem,
                })?;
                let file = Added { path, file };
                if file.is_jar() {
                    // A jar that cannot be read would show up as a missing class in somebody's production.
                    Archive::open_with(&file.file, limits)?;
                }
                added.push(file);
            }
        }
    }
    Ok(added)
}

/// The files that a path or pattern stands for, with their names below the folder.
fn found(text: &str, config: &Config, at: &str) -> Result<Vec<(String, PathBuf)>> {
    let missing = || Error::NoMatch { at: at.to_owned(), pattern: text.to_owned() };
    if !text.contains(['*', '?']) {
        let file = config.resolve(text);
        if !file.is_file() {
            return Err(missing());
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(vec![(name, file)]);
    }
    let malformed = |problem| Error::Pattern { at: at.to_owned(), pattern: text.to_owned(), problem };
    let pattern = Pattern::parse(text).map_err(malformed)?;
    let start = config.folder.join(pattern.start());
    let files = pattern.expand(&config.folder, false)?;
    if files.is_empty() {
        return Err(missing());
    }
    Ok(files.into_iter().map(|file| (relative(&file, &start), file)).collect())
}

fn relative(file: &Path, start: &Path) -> String {
    let below = file.strip_prefix(start).unwrap_or(file);
    below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}
