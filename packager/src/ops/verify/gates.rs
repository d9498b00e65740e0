//! The gates of `[verify]`, which `build` applies to what it made.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Kind, Report};
use crate::archive::Archive;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::glob::Pattern;
use crate::paths;
use crate::printer::Printer;

/// First line of a golden listing.
const MAGIC: &str = "fatagent-listing 1";
/// Suffixes of classes, ordinary and masked ones, other vendors' included.
const CLASSES: [&str; 3] = [paths::CLASS_SUFFIX, paths::MASKED_SUFFIX, ".esclazz"];

/// The gates of one `agent.toml`.
#[derive(Debug)]
pub(crate) struct Gates {
    max_size: Option<u64>,
    min_classes: Option<u64>,
    require: Vec<(String, Pattern)>,
    forbid: Vec<(String, Pattern)>,
    golden: Option<PathBuf>,
    update_golden: bool,
}

impl Gates {
    /// Reads `[verify]`; `update_golden` asks for the golden listing to be written instead of compared.
    ///
    /// # Errors
    /// A pattern is malformed, or there is no golden listing to write.
    pub(crate) fn new(config: &Config, update_golden: bool) -> Result<Self> {
        let verify = &config.toml.verify;
        let patterns = |texts: &[String]| {
            let parse = |text: &String| {
                Pattern::parse(text).map(|pattern| (text.clone(), pattern)).map_err(|problem| Error::Pattern {
                    at: config.origin.clone(),
                    pattern: text.clone(),
                    problem,
                })
            };
            texts.iter().map(parse).collect::<Result<Vec<_>>>()
        };
        if update_golden && verify.golden.is_none() {
            return Err(Error::NoGolden { at: config.origin.clone() });
        }
        Ok(Self {
            max_size: verify.max_size,
            min_classes: verify.min_classes,
            require: patterns(&verify.require)?,
            forbid: patterns(&verify.forbid)?,
            golden: verify.golden.as_deref().map(|path| config.resolve(path)),
            update_golden,
        })
    }

    /// Checks a jar of `size` bytes. Only when it passes is a new golden listing written.
    ///
    /// # Errors
    /// The jar does not pass, or the listing cannot be read or written.
    pub(crate) fn check(&self, archive: &Archive, size: u64, printer: &Printer) -> Result<()> {
        let mut report = Report::default();
        let files: Vec<&str> =
            archive.entries().iter().filter(|entry| !entry.is_dir()).map(|entry| entry.name.as_str()).collect();
        if let Some(max) = self.max_size.filter(|max| size > *max) {
            report.fail(Kind::Size, format!("`max-size` is {max} bytes, the jar has {size}"));
        }
        let classes = files.iter().filter(|name| CLASSES.iter().any(|suffix| name.ends_with(suffix))).count() as u64;
        if let Some(min) = self.min_classes.filter(|min| classes < *min) {
            report.fail(Kind::ClassCount, format!("`min-classes` is {min}, the jar has {classes}"));
        }
        for (text, pattern) in &self.require {
            if !files.iter().any(|name| pattern.matches(name)) {
                report.fail(Kind::Required, format!("no entry matches `{text}`"));
            }
        }
        for (text, pattern) in &self.forbid {
            for name in files.iter().filter(|name| pattern.matches(name)) {
                report.fail(Kind::Forbidden, format!("`{name}`, by the pattern `{text}`"));
            }
        }
        if let Some(path) = self.golden.as_deref().filter(|_| !self.update_golden) {
            compare(path, &files, &mut report)?;
        }
        if report.problems() > 0 {
            let failures = report.failures.iter().map(super::Failure::line).collect();
            return Err(Error::GatesFailed { count: report.problems(), failures });
        }
        match &self.golden {
            Some(path) if self.update_golden => write(path, &files, printer),
            _ => Ok(()),
        }
    }
}

/// Compares the names of the jar's files with the listing at `path`.
fn compare(path: &Path, files: &[&str], report: &mut Report) -> Result<()> {
    if !path.exists() {
        report.fail(Kind::Golden, format!("the listing does not exist: `{}`", path.display()));
        return Ok(());
    }
    let text = fs_err::read_to_string(path)?;
    let mut lines = text.lines();
    if lines.next() != Some(MAGIC) {
        report.fail(Kind::Golden, format!("`{}` does not begin with the line `{MAGIC}`", path.display()));
        return Ok(());
    }
    let golden: BTreeSet<&str> = lines.filter(|line| !line.is_empty()).collect();
    let there: BTreeSet<&str> = files.iter().copied().collect();
    for name in golden.symmetric_difference(&there) {
        let what = if golden.contains(name) { "is missing" } else { "is not listed" };
        report.fail(Kind::Golden, format!("`{name}` {what}"));
    }
    Ok(())
}

/// Writes the listing of the jar's files.
fn write(path: &Path, files: &[&str], printer: &Printer) -> Result<()> {
    let mut sorted = files.to_vec();
    sorted.sort_unstable();
    let text = format!("{MAGIC}\n{}\n", sorted.join("\n"));
    if path.exists() && fs_err::read(path)? == text.as_bytes() {
        return Ok(());
    }
    let unwritable = |source| Error::Unwritable { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new().prefix(".fatagent-").tempfile_in(folder).map_err(unwritable)?;
    temporary.write_all(text.as_bytes()).map_err(unwritable)?;
    crate::assemble::set_mode(&temporary).map_err(unwritable)?;
    temporary.persist(path).map_err(|error| unwritable(error.error))?;
    printer.status("Listed", &format!("{} entries in {}", sorted.len(), path.display()));
    Ok(())
}
