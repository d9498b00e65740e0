//! Jars within the inputs, as agents that unpack their libraries have them. They stay as they are, which is told where a
//! rule would have moved classes of theirs.

use std::sync::Arc;

use super::relocate::{Relocation, is_class};
use crate::archive::Archive;
use crate::archive::within::{self, Budget, DEPTH};
use crate::error::{Error, Result};
use crate::printer::Printer;

/// Warns about nested jars with classes that a rule matches.
///
/// # Errors
/// A nested jar holds more than the limits of reading allow, alone or with all others.
pub(crate) fn report(inputs: &[Arc<Archive>], relocation: &Relocation, printer: &Printer) -> Result<()> {
    for archive in inputs {
        look(archive, 1, relocation, &mut Budget::of(archive), printer)?;
    }
    Ok(())
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
        if !within::is_archive(&entry.name) {
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
