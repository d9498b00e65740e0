//! `checksums.sha256` of an extension's zip: the SHA-256 of each other file, in the form of `sha256sum`.

use std::collections::BTreeMap;

use crate::archive::Archive;
use crate::bundle;
use crate::error::Result;

/// Its name.
pub(crate) const FILE: &str = "checksums.sha256";

/// Checks the files of a zip that has such a list.
///
/// # Errors
/// A file is not listed, is missing or has another SHA-256.
pub(super) fn check(archive: &Archive) -> Result<()> {
    let Some(list) = archive.index_of(FILE) else { return Ok(()) };
    let refused = |problem: String| -> Result<()> {
        Err(bundle::Error::Checksums { origin: Box::new(archive.origin(list)), problem }.into())
    };
    let text = String::from_utf8_lossy(&archive.read(list)?).into_owned();
    let mut listed: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let Some((sum, name)) = line.split_once(' ') else {
            return refused(format!("a line is no SHA-256 with a name: `{line}`"));
        };
        // A star in front of the name means that the file was read in binary mode.
        listed.insert(name.trim_start().trim_start_matches('*'), sum);
    }
    for (index, entry) in
        archive.entries().iter().enumerate().filter(|(index, entry)| *index != list && !entry.is_dir())
    {
        let Some(sum) = listed.remove(entry.name.as_str()) else {
            return refused(format!("it does not list `{}`", entry.name));
        };
        if !archive.sha256(index)?.to_string().eq_ignore_ascii_case(sum) {
            return refused(format!("`{}` has another SHA-256", entry.name));
        }
    }
    match listed.first_key_value() {
        Some((missing, _)) => refused(format!("there is no `{missing}`")),
        None => Ok(()),
    }
}
