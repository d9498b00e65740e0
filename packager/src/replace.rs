//! Putting a new text in place of a file.

use std::path::Path;

use crate::error::Result;
use crate::paths;

/// Puts a text in place of a file at once, with the rights that the file had. Folders that are missing are made.
pub(crate) fn replace(path: &Path, text: &[u8]) -> Result<()> {
    // A link stays one.
    let path = &fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = paths::parent(path);
    fs_err::create_dir_all(paths::or_current(&folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let part = folder.join(format!(".{name}.{}", std::process::id()));
    let written = fs_err::write(&part, text).and_then(|()| {
        if let Ok(metadata) = fs_err::metadata(path) {
            fs_err::set_permissions(&part, metadata.permissions())?;
        }
        fs_err::rename(&part, path)
    });
    if written.is_err() {
        let _ = fs_err::remove_file(&part);
    }
    Ok(written?)
}
