//! Tables of Kotlin modules: which file of a package holds which functions. They are protocol buffers of a compiler's own
//! version, so they stay as they are.

use super::Placed;
use crate::printer::Printer;

/// Warns about the tables of the inputs when classes move: they keep the old names, which only Kotlin's compiler and
/// its reflection on top-level functions look up.
pub(super) fn report(placed: &[Placed<'_>], printer: &Printer) {
    let is_table = |path: &str| {
        let name = path.strip_prefix("META-INF/").and_then(|name| name.strip_suffix(".kotlin_module"));
        name.is_some_and(|name| !name.contains('/'))
    };
    for Placed { part, .. } in placed.iter().filter(|placed| is_table(&placed.path)) {
        printer.warning(&format!("{} is copied untouched, with the old names of packages", part.origin()));
    }
}
