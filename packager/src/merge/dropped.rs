//! Files that no longer hold once jars became one: signatures, package indexes, module descriptors.

use std::sync::Arc;

use crate::archive::Archive;
use crate::paths;
use crate::printer::Printer;

/// The list of packages that the old `jar -i` wrote; a class loader believes it.
const INDEX: &str = "META-INF/INDEX.LIST";

/// Why a file is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// It is part of a signature.
    Signature,
    /// It lists the packages of another jar.
    Index,
    /// It describes the module that another jar was.
    Descriptor,
}

/// Why the file at `path` is left out, if it is. `own_module` keeps descriptors.
pub(crate) fn reason(path: &str, own_module: bool) -> Option<Dropped> {
    if path.eq_ignore_ascii_case(INDEX) {
        Some(Dropped::Index)
    } else if paths::is_signature(path) {
        Some(Dropped::Signature)
    } else if !own_module && is_descriptor(path) {
        Some(Dropped::Descriptor)
    } else {
        None
    }
}

fn is_descriptor(path: &str) -> bool {
    path.ends_with("module-info.class") && super::unversioned(path).1 == "module-info.class"
}

/// Tells what is left out of one input: a signature with a warning, since somebody may have relied on it.
pub(crate) fn report(archive: &Arc<Archive>, dropped: &[(Dropped, usize)], printer: &Printer) {
    let names = |kind: Dropped| -> Vec<String> {
        let of_kind = dropped.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, index)| format!("`{}`", archive.entries()[*index].name)).collect()
    };
    let jar = archive.label().display();
    let signatures = names(Dropped::Signature);
    if !signatures.is_empty() {
        printer.warning(&format!(
            "the signature of `{jar}` is dropped, since it does not hold for another jar: {}",
            signatures.join(", ")
        ));
    }
    for (kind, why) in
        [(Dropped::Index, "it lists the packages of one jar"), (Dropped::Descriptor, "jars no longer are modules")]
    {
        let names = names(kind);
        if !names.is_empty() {
            printer.status("Dropped", &format!("{} of `{jar}`: {why}", names.join(", ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_longer_holds_is_named() {
        for (path, expected) in [
            ("META-INF/INDEX.LIST", Some(Dropped::Index)),
            ("META-INF/A.SF", Some(Dropped::Signature)),
            ("META-INF/SIG-X", Some(Dropped::Signature)),
            ("module-info.class", Some(Dropped::Descriptor)),
            ("META-INF/versions/9/module-info.class", Some(Dropped::Descriptor)),
            ("a/module-info.class", None),
            ("META-INF/versions/9/a/module-info.class", None),
            ("META-INF/versions/x/module-info.class", None),
            ("a/INDEX.LIST", None),
        ] {
            assert_eq!(reason(path, false), expected, "{path}");
        }
        assert_eq!(reason("module-info.class", true), None);
        assert_eq!(reason("META-INF/A.SF", true), Some(Dropped::Signature));
    }
}
