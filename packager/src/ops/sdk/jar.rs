//! `fatagent sdk jar`: what extensions and probes are compiled against, as an ordinary jar.

use std::path::Path;

use manifests::manifest::{Manifest, attribute};

use crate::assemble::{self, Content, EntryTime, Layout, Written};
use crate::base::Base;
use crate::error::Result;
use crate::ops::build;
use crate::printer::Printer;
use crate::sdk;

/// Writes the jar to `target`.
///
/// # Errors
/// The jar cannot be written. An older one stays as it was.
pub fn write(target: &Path, printer: &Printer) -> Result<Written> {
    let base = Base::builtin()?;
    let mut layout = Layout::plain();
    for (path, index) in sdk::classes(&base) {
        // Read here, since a masked class is an entry under another name.
        layout.add(path, Content::Bytes(base.archive.read(index)?), base.archive.origin(index))?;
    }
    let mut manifest = Manifest::default();
    for (name, value) in [
        (attribute::MANIFEST_VERSION, "1.0"),
        (attribute::IMPLEMENTATION_TITLE, "fatagent SDK"),
        (attribute::IMPLEMENTATION_VERSION, env!("CARGO_PKG_VERSION")),
    ] {
        manifest.main.set(name, value)?;
    }
    let time = EntryTime::from_environment()?;
    let written = assemble::write_jar(target, &manifest.to_bytes(), &layout, time, printer, |_| Ok(()))?;
    build::report(&written, "Wrote", None, printer);
    Ok(written)
}
