//! Jars within the inputs, as agents that unpack their libraries have them. They stay as they are, which is told where a
//! rule would have moved classes of theirs.

use std::sync::Arc;

use super::relocate::{Relocation, is_class};
use crate::archive::Archive;
use crate::archive::within::{self, Budget, DEPTH};
use crate::error::{Error, Result};
use crate::origin::Origin;
use crate::printer::Printer;

/// Warns about nested jars with classes that a rule matches.
///
/// # Errors
/// A nested jar holds more than the limits of reading allow, alone or with all others.
pub(crate) fn report(inputs: &[Arc<Archive>], relocation: &Relocation, printer: &Printer) -> Result<()> {
    for archive in inputs {
        look(archive, 1, &|path| relocation.path(path).is_some(), &mut Budget::of(archive), printer)?;
    }
    Ok(())
}

/// Warns about a jar that goes into another one as it is, and about jars within it; `moves` says which paths a rule matches.
///
/// # Errors
/// As [`report`].
pub(crate) fn report_whole(jar: &Archive, moves: &dyn Fn(&str) -> bool, printer: &Printer) -> Result<()> {
    tell(jar, &Origin::File(jar.label().to_owned()), moves, printer);
    look(jar, 1, moves, &mut Budget::of(jar), printer)
}

fn look(
    archive: &Archive,
    depth: usize,
    moves: &dyn Fn(&str) -> bool,
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
        tell(&nested, &origin, moves, printer);
        look(&nested, depth + 1, moves, budget, printer)?;
    }
    Ok(())
}

fn tell(jar: &Archive, origin: &Origin, moves: &dyn Fn(&str) -> bool, printer: &Printer) {
    let classes = jar.entries().iter().map(|entry| entry.name.as_str()).filter(|path| is_class(path));
    let mut matching = classes.filter(|path| moves(path));
    if let Some(first) = matching.next() {
        let count = 1 + matching.count();
        printer.warning(&format!(
            "{origin} is not relocated, although rules match classes of it, {count}, such as `{first}`; hint: \
             relocate that jar by itself and put it in place of this one"
        ));
    }
}
