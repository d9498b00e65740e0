//! `fatagent extract`: writes the native core of a jar out, for `-agentpath`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use manifests::manifest::attribute;
use serde_json::{Map, json};

use crate::archive::{Archive, Limits};
use crate::digest::Sha256Hex;
use crate::error::{Error, Result};
use crate::manifest_file;
use crate::native;
use crate::ops::verify::manifest::parse_natives;
use crate::paths;
use crate::printer::Printer;

/// Which cores to write, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The agent jar.
    pub jar: PathBuf,
    /// The folder, which is made when it is missing.
    pub folder: PathBuf,
    /// The cores of all targets, each into a folder of its target, instead of the one of this computer.
    pub all: bool,
    /// The limits of reading.
    pub limits: Limits,
}

/// Writes the cores and prints their paths.
///
/// # Errors
/// The jar has no core for this computer, or one that is not what its manifest says, or the folder cannot be written.
pub fn extract(options: &Options, printer: &Printer) -> Result<Vec<PathBuf>> {
    let archive = Archive::open_with(&options.jar, options.limits)?;
    let manifest = manifest_file::of(&archive)?.unwrap_or_default();
    let listed = parse_natives(manifest.main.get(attribute::BTRACE_NATIVE_SHA256).unwrap_or_default());
    let host = native::host_target();
    let full = native::full_target(&host);
    let wanted: Vec<&str> = listed.keys().copied().filter(|target| options.all || *target == full).collect();
    if wanted.is_empty() {
        let available = listed.keys().map(|target| native::short_target(target).to_owned()).collect();
        return Err(Error::JarWithoutCore { jar: options.jar.clone(), target: host, available });
    }
    // Nothing is written before everything is known to be right.
    let mut cores = Vec::new();
    for target in wanted {
        let bytes = archive.read_name(&native::core_path(target))?.unwrap_or_default();
        if listed.get(target).is_none_or(|hash| *hash != Sha256Hex::of(&bytes).to_string()) {
            return Err(Error::CoreHash { jar: options.jar.clone(), target: target.to_owned() });
        }
        cores.push((target, bytes));
    }
    let mut written = Vec::new();
    for (target, bytes) in cores {
        let folder = if options.all { options.folder.join(target) } else { options.folder.clone() };
        let path = write(&folder, &bytes)?;
        printer.status("Extracted", &format!("{target}, {} bytes", bytes.len()));
        printer.text(&path.display().to_string());
        let mut fields = Map::new();
        fields.insert("path".into(), path.display().to_string().into());
        fields.insert("target".into(), target.into());
        fields.insert("size".into(), json!(bytes.len()));
        fields.insert("sha256".into(), Sha256Hex::of(&bytes).to_string().into());
        printer.json("extracted", fields);
        written.push(path);
    }
    Ok(written)
}

/// Writes the library by rename, so that a JVM never loads half of it.
fn write(folder: &Path, bytes: &[u8]) -> Result<PathBuf> {
    fs_err::create_dir_all(folder)?;
    let path = folder.join(paths::CORE_FILE);
    let unwritable = |source: std::io::Error| Error::Unwritable { path: path.clone(), source };
    let mut file = tempfile::Builder::new().prefix(".fatagent-").tempfile_in(folder).map_err(unwritable)?;
    file.write_all(bytes).map_err(unwritable)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o755)).map_err(unwritable)?;
    }
    file.persist(&path).map_err(|error| unwritable(error.error))?;
    Ok(path)
}
