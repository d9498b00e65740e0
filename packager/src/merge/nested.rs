//! Jars within the inputs, as agents that unpack their libraries have them. They stay as they are, which is told where a
//! rule would have moved classes of theirs.

use std::path::Path;
use std::sync::Arc;

use super::relocate::{Relocation, is_class};
use crate::archive::{Archive, Limits};
use crate::error::{Error, Result};
use crate::printer::Printer;

/// Ends of the names of archives.
const ARCHIVES: [&str; 4] = [".jar", ".zip", ".war", ".ear"];
/// How deep archives in archives are looked into.
const DEPTH: usize = 4;

/// Warns about nested jars with classes that a rule matches.
///
/// # Errors
/// A nested jar holds more than the limits of reading allow, alone or with all others.
pub(crate) fn report(inputs: &[Arc<Archive>], relocation: &Relocation, printer: &Printer) -> Result<()> {
    for archive in inputs {
        let mut budget = Budget { jar: archive.label(), limits: archive.limits(), entries: 0, bytes: 0 };
        look(archive, 1, relocation, &mut budget, printer)?;
    }
    Ok(())
}

/// What one input and all archives within it may hold together.
struct Budget<'a> {
    jar: &'a Path,
    limits: Limits,
    entries: usize,
    bytes: u64,
}

impl Budget<'_> {
    fn spend(&mut self, archive: &Archive) -> Result<()> {
        self.entries += archive.entries().len();
        self.bytes = archive.entries().iter().fold(self.bytes, |sum, entry| sum.saturating_add(entry.size));
        let (jar, limits) = (|| self.jar.to_owned(), self.limits);
        if self.entries > limits.entries {
            return Err(Error::TooManyEntries { jar: jar(), limit: limits.entries, got: self.entries });
        }
        if self.bytes > limits.total_bytes {
            return Err(Error::ArchiveTooLarge { jar: jar(), limit: limits.total_bytes });
        }
        Ok(())
    }
}

fn look(
    archive: &Archive,
    depth: usize,
    relocation: &Relocation,
    budget: &mut Budget<'_>,
    printer: &Printer,
) -> Result<()> {
    budget.spend(archive)?;
    for (index, entry) in archive.entries().iter().enumerate() {
        let name = entry.name.to_ascii_lowercase();
        if !ARCHIVES.iter().any(|suffix| name.ends_with(suffix)) {
            continue;
        }
        let origin = archive.origin(index);
        if depth > DEPTH {
            printer.warning(&format!("{origin} is not looked into: it lies in {DEPTH} archives"));
            continue;
        }
        let nested = match archive.nested(index) {
            Ok(nested) => nested,
            // Something else may have such a name.
            Err(Error::NotAJar { .. }) => continue,
            Err(error) => return Err(error),
        };
        let classes = nested.entries().iter().map(|entry| entry.name.as_str()).filter(|path| is_class(path));
        let mut matching = classes.filter(|path| relocation.path(path).is_some());
        if let Some(first) = matching.next() {
            let count = 1 + matching.count();
            printer.warning(&format!(
                "{origin} is not relocated, although rules match classes of it, {count}, such as `{first}`; hint: \
                 relocate that jar by itself and put it in place of this one"
            ));
        }
        look(&nested, depth + 1, relocation, budget, printer)?;
    }
    Ok(())
}
