//! `fatagent extension lint`: what is wrong with an extension.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::check;
use crate::archive::{Archive, Limits};
use crate::error::Result;
use crate::lint::{self, Level, Linted};
use crate::paths;
use crate::printer::Printer;

/// What to look at.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The extension's zip or folder; the current folder where it is empty.
    pub extension: PathBuf,
    /// Whether warnings count as errors.
    pub strict: bool,
    /// Limits of reading.
    pub limits: Limits,
}

/// An extension has errors; they were printed.
#[derive(Debug, thiserror::Error)]
#[error("extension `{id}` does not pass, errors: {errors}, warnings: {warnings}")]
pub struct LintError {
    /// The extension.
    pub id: String,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
}

/// Looks at an extension and prints what is wrong.
///
/// # Errors
/// The extension cannot be read, or has errors.
pub fn lint(options: &Options, printer: &Printer) -> Result<()> {
    let extension = check::extension(&options.extension, options.limits, printer)?;
    let id = extension.id().to_owned();
    let Linted { findings, modules } =
        lint::lint(&extension, &beside(&options.extension, options.limits)?, options.limits)?;
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    for finding in &findings {
        printer.text(&format!("{}: {}: {}; hint: {}", finding.level.word(), finding.rule, finding.text, finding.hint));
    }
    let needed = if modules.is_empty() { "none but java.base".to_owned() } else { modules.join(", ") };
    printer.text(&format!("extension {id}: errors: {errors}, warnings: {warnings}, JDK modules: {needed}"));
    let mut fields = Map::new();
    fields.insert("extension".into(), id.clone().into());
    fields.insert("modules".into(), json!(modules));
    let list = findings.iter().map(|finding| {
        json!({
            "level": finding.level.word(), "rule": finding.rule, "text": finding.text, "hint": finding.hint,
        })
    });
    fields.insert("findings".into(), list.collect::<Value>());
    printer.json("lint", fields);
    if errors > 0 || options.strict && warnings > 0 {
        return Err(LintError { id, errors, warnings }.into());
    }
    Ok(())
}

/// Names of the files beside the jars of a zip, beside the description, or in the folder itself.
fn beside(path: &Path, limits: Limits) -> Result<Vec<String>> {
    let folder = if check::is_description(path) { paths::parent(path) } else { path.to_owned() };
    if folder.is_file() {
        let archive = Archive::open_with(path, limits)?;
        let names = archive.entries().iter().map(|entry| entry.name.clone());
        return Ok(names.filter(|name| !name.contains('/')).collect());
    }
    let mut names = Vec::new();
    for entry in fs_err::read_dir(paths::or_current(&folder))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}
