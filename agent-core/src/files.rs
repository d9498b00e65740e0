//! Files that arguments name.

use journal::{Limits, Place, RollingFile};
use manifests::arguments::{AgentArguments, limit, size};
use std::path::PathBuf;
use std::time::Duration;

/// Older parts of an output file where `fileRollMaxRolls` does not say otherwise.
const ROLLS: u64 = 5;

/// A path with its placeholders filled in.
pub(crate) fn path(key: &str, value: &str) -> Result<PathBuf, String> {
    if !Place::is_needed(value) {
        return Ok(value.into());
    }
    let filled = Place::of_process().fill(value).map_err(|e| {
        let hint = e.hint();
        crate::log::chain(&format!("{key} cannot be used"), &e, hint)
    })?;
    Ok(filled.into())
}

/// Opens the file that an argument names, whose size is bounded.
pub(crate) fn open(
    key: &str,
    arguments: &AgentArguments,
    size_key: &str,
    default: u64,
    rolls: u32,
) -> Result<RollingFile, String> {
    let total = arguments.get(size_key).map(|value| number(size_key, value, size)).transpose();
    // A size that cannot be read is no reason to have no file.
    let total = total.unwrap_or_else(|e| {
        crate::log::line(&format!("{e}; it stays at {default}"));
        None
    });
    let path = path(key, arguments.get(key).unwrap_or_default())?;
    RollingFile::open(&path, Limits::sized(total.unwrap_or(default), rolls)).map_err(|e| {
        format!("{key}={} cannot be written: {e}; hint: name a file in a folder that exists", path.display())
    })
}

/// What the arguments say about the size and age of output files.
pub(crate) fn limits(arguments: &AgentArguments) -> Result<Limits, String> {
    let read = |key: &str, read: fn(&str, &str) -> Result<u64, manifests::Error>| {
        arguments.get(key).map(|value| number(key, value, read)).transpose()
    };
    let rolls = read("fileRollMaxRolls", limit)?.unwrap_or(ROLLS);
    let age = read("fileRollMilliseconds", limit)?.map(Duration::from_millis);
    Ok(Limits::new(read("maxOutputBytes", size)?, u32::try_from(rolls).unwrap_or(u32::MAX), age))
}

fn number(key: &str, value: &str, read: fn(&str, &str) -> Result<u64, manifests::Error>) -> Result<u64, String> {
    read(key, value).map_err(|e| {
        let hint = e.hint().map(|hint| format!("; hint: {hint}")).unwrap_or_default();
        format!("{e}{hint}")
    })
}
