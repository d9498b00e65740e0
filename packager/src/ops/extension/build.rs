//! `fatagent extension build`: from `extension.toml` and compiled classes to two jars and a zip.

use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use crate::archive::Limits;
use crate::assemble::Written;
use crate::bundle::{self, Files};
use crate::error::{Error, Result};
use crate::extension::project::Project;
use crate::printer::Printer;

/// Where the files go, below the folder of the description.
pub const OUTPUT: &str = "target/extension";

/// What to build.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `extension.toml`, a `Cargo.toml`, or a folder with one of them; the current folder when absent.
    pub file: Option<PathBuf>,
    /// Folder of the output; [`OUTPUT`] beside the description when absent.
    pub output: Option<PathBuf>,
    /// Compiles the sources first.
    pub compile: bool,
    /// The limits of reading.
    pub limits: Limits,
}

/// Builds the extension and puts its three files in place.
///
/// # Errors
/// It is not compiled, breaks one of the rules for extensions, or cannot be written. Older files stay as they were.
pub fn build(options: &Options, printer: &Printer) -> Result<Files> {
    let project = Project::load(options.file.as_deref().unwrap_or(Path::new("")))?;
    let folder = options.output.clone().unwrap_or_else(|| project.folder.join(OUTPUT));
    described(&project, &folder, options.compile, options.limits, printer)
}

/// As [`build`], of a project that was read, into `folder`.
pub(crate) fn described(
    project: &Project,
    folder: &Path,
    compiling: bool,
    limits: Limits,
    printer: &Printer,
) -> Result<Files> {
    printer.status("Reading", &format!("{} ({} {})", project.origin, project.toml.id, project.toml.version));
    bundle::check_output(project, folder, compiling)?;
    let made = Made::create(folder)?;
    // The files are written beside their place, so that nothing half-written is ever there.
    let work = tempfile::Builder::new()
        .prefix(".fatagent-")
        .tempdir_in(folder)
        .map_err(|source| Error::Unwritable { path: folder.to_owned(), source })?;
    let (files, extension) = bundle::build(project, work.path(), compiling, limits, printer)?;
    made.keep();
    for note in &extension.notes {
        printer.detail(note);
    }
    let files = Files {
        api: moved(&files.api, folder)?,
        implementation: moved(&files.implementation, folder)?,
        zip: moved(&files.zip, folder)?,
    };
    let Written { path, size, entries, sha256 } = &files.zip;
    printer.status("Built", &format!("{}, {size} bytes, {entries} entries, sha256 {sha256}", path.display()));
    printer.text(&path.display().to_string());
    let mut fields = Map::new();
    for (key, written) in [("api", &files.api), ("implementation", &files.implementation), ("zip", &files.zip)] {
        let Written { path, size, sha256, .. } = written;
        fields.insert(
            key.into(),
            json!({ "path": path.display().to_string(), "size": size, "sha256": sha256.to_string() }),
        );
    }
    let permissions = extension.metadata.permissions.iter().flatten().map(|permission| permission.name());
    fields.insert("permissions".into(), permissions.collect::<Vec<_>>().into());
    printer.json("extension", fields);
    Ok(files)
}

/// Folders that were made for the output and are taken away again, unless they are kept.
struct Made(Vec<PathBuf>);

impl Made {
    /// Makes `folder` and what of the folders above it is missing.
    fn create(folder: &Path) -> Result<Self> {
        let above = folder.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let missing = above.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        fs_err::create_dir_all(folder).map_err(|source| Error::Unwritable { path: folder.to_owned(), source })?;
        Ok(Self(missing))
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in &self.0 {
            // One that is not empty is somebody's.
            let _ = fs_err::remove_dir(folder);
        }
    }
}

/// Moves a file that was written into `folder`.
fn moved(written: &Written, folder: &Path) -> Result<Written> {
    let path = folder.join(written.path.file_name().unwrap_or_default());
    fs_err::rename(&written.path, &path).map_err(|source| Error::Unwritable { path: path.clone(), source })?;
    Ok(Written { path, ..written.clone() })
}
