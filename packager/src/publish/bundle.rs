//! One file with everything, in the layout of a repository, as the portal of Maven Central takes it.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use zip::CompressionMethod;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::Error;
use super::artifact::{Component, Source};
use super::checksum::Checksums;
use super::sign::Signer;
use super::upload::{Outcome, files};
use crate::assemble::{EntryTime, set_mode};
use crate::error::{Error as AnyError, Result};

/// Writes the bundle by rename: the files, their checksums, and signatures where they are asked for. It has no metadata,
/// which the portal makes itself.
///
/// # Errors
/// A component is a snapshot, a signature cannot be made, or the file cannot be written.
pub(crate) fn write(
    target: &Path,
    components: &[Component],
    signer: Option<&Signer>,
    time: EntryTime,
) -> Result<Outcome> {
    if let Some(snapshot) = components.iter().find(|component| component.is_snapshot()) {
        return Err(Error::SnapshotBundle { version: snapshot.version.clone() }.into());
    }
    let versions: Vec<_> = components.iter().map(|component| (component, component.version.clone())).collect();
    let mut all: Vec<(String, Source)> = Vec::new();
    for (path, source) in files(&versions)? {
        if let Some(signer) = signer {
            let signature = (format!("{path}.asc"), signer.sign(&source, &path)?);
            add(&mut all, signature)?;
        }
        add(&mut all, (path, source))?;
    }
    all.sort_by(|(first, _), (second, _)| first.cmp(second));

    let unwritable = |source: io::Error| AnyError::Unwritable { path: target.to_owned(), source };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().prefix(".fatagent-").tempfile_in(folder).map_err(unwritable)?;
    let not_written = |source| AnyError::JarNotWritten { source: Box::new(source) };
    let mut zip = ZipWriter::new(BufWriter::new(file.as_file()));
    // Jars do not become smaller, and all else is small.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(time.zip())
        .unix_permissions(0o644);
    let mut outcome = Outcome::default();
    for (path, source) in all {
        let large = matches!(&source, Source::File(path) if fs_err::metadata(path)?.len() >= u64::from(u32::MAX));
        zip.start_file(path.as_str(), options.large_file(large)).map_err(not_written)?;
        source.copy_to(&mut zip)?;
        outcome.written.push(path);
    }
    zip.finish().map_err(not_written)?.flush().map_err(unwritable)?;
    set_mode(&file).map_err(unwritable)?;
    file.persist(target).map_err(|error| unwritable(error.error))?;
    Ok(outcome)
}

/// Adds a file with its checksums.
fn add(all: &mut Vec<(String, Source)>, (path, source): (String, Source)) -> Result<()> {
    for (end, checksum) in Checksums::of(&source)?.iter() {
        all.push((format!("{path}.{end}"), Source::Bytes(checksum.as_bytes().to_vec())));
    }
    all.push((path, source));
    Ok(())
}
