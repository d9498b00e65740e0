//! `fatagent sdk jar`: what extensions and probes are compiled against, as an ordinary jar.

use std::path::Path;

use crate::archive::Archive;
use crate::assemble::Written;
use crate::carried;
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::ops::build;
use crate::printer::Printer;
use crate::replace::replace;

/// Writes the jar to `target`: the bytes that `fatagent sdk install` puts into a repository.
///
/// # Errors
/// The jar cannot be written. An older one stays as it was.
pub fn write(target: &Path, printer: &Printer) -> Result<Written> {
    let bytes = carried::CLASSES;
    let entries = Archive::from_static("SDK", bytes)?.entries().len();
    replace(target, bytes)?;
    let written = Written { path: target.to_owned(), size: bytes.len() as u64, entries, sha256: Sha256Hex::of(bytes) };
    build::report(&written, "Wrote", None, printer);
    Ok(written)
}
