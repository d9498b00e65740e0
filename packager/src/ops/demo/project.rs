//! Writes the example project.

use std::path::{Path, PathBuf};

use super::failed;
use crate::archive::Archive;
use crate::error::Result;
use crate::paths;

/// Says that a folder is ours, so that a second run may overwrite what the first one wrote, and only that.
const MARKER: &str = ".fatagent-demo";

/// The project and its compiled classes, by path in it, as the build script packed them.
const FILES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/demo.zip"));

/// The folder that is used where none is named: out of the way in the build folder of a project, else here.
pub(super) fn default_folder() -> PathBuf {
    let name = Path::new("fatagent-demo");
    if Path::new("target").is_dir() { Path::new("target").join(name) } else { name.to_owned() }
}

/// Writes the project into `folder`, which is made where it does not exist.
///
/// # Errors
/// The folder holds files and was not written by an earlier run; this program holds no compiled classes; a file cannot be
/// written.
pub(super) fn write(folder: &Path) -> Result<()> {
    let files = Archive::from_static("the packed demo", FILES)?;
    if !files.entries().iter().any(|entry| entry.name.ends_with(paths::CLASS_SUFFIX)) {
        return Err(failed(
            "this fatagent was built without a Java compiler and holds no compiled classes for it",
            Some("build fatagent again where a JDK of version 17 or newer is installed"),
        ));
    }
    claim(folder)?;
    for (index, entry) in files.entries().iter().enumerate() {
        put(folder, &entry.name, &files.read(index)?)?;
    }
    Ok(())
}

fn claim(folder: &Path) -> Result<()> {
    let marker = folder.join(MARKER);
    if folder.exists() && !marker.is_file() {
        if !folder.is_dir() {
            return Err(failed(format!("not a folder: `{}`", folder.display()), Some("name another folder")));
        }
        if fs_err::read_dir(folder)?.next().is_some() {
            return Err(failed(
                format!("folder has files that are not of the demo: `{}`", folder.display()),
                Some("name a folder that is empty or does not exist"),
            ));
        }
    }
    fs_err::create_dir_all(folder)?;
    Ok(fs_err::write(marker, "Written by `fatagent demo`, which may overwrite its own files in this folder.\n")?)
}

fn put(folder: &Path, path: &str, bytes: &[u8]) -> Result<()> {
    let file = folder.join(path);
    if let Some(parent) = file.parent() {
        fs_err::create_dir_all(parent)?;
    }
    Ok(fs_err::write(file, bytes)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use walkdir::WalkDir;

    use super::*;

    fn files_below(folder: &Path) -> BTreeSet<String> {
        let files = WalkDir::new(folder).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
        files.map(|entry| entry.path().strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/")).collect()
    }

    #[test]
    fn every_template_is_written() {
        let templates = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates/demo"));
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("demo");
        write(&project).unwrap();
        let written = files_below(&project);
        let others: Vec<&String> =
            written.difference(&templates).filter(|path| !path.ends_with(paths::CLASS_SUFFIX)).collect();
        assert!(written.is_superset(&templates) && others == [MARKER], "{others:?} besides {templates:?}");
    }

    #[test]
    fn a_folder_with_other_files_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("mine.txt"), "mine").unwrap();
        let error = write(folder.path()).unwrap_err();
        assert!(error.to_string().contains("files that are not of the demo"), "{error}");
        assert!(error.hint().is_some());
        assert_eq!(files_below(folder.path()), BTreeSet::from(["mine.txt".to_owned()]));
    }

    #[test]
    fn a_second_run_renews_the_files_of_the_first_and_keeps_others() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new/demo");
        write(&folder).unwrap();
        let first = files_below(&folder);
        for file in ["agent.toml", "probes/OrderProbe.class", "extension/classes/demo/metrics/OrderMetrics.class"] {
            assert!(first.contains(file), "{file} is not in {first:?}");
        }
        fs_err::write(folder.join("agent.toml"), "broken").unwrap();
        fs_err::write(folder.join("notes.txt"), "mine").unwrap();
        write(&folder).unwrap();
        assert!(fs_err::read_to_string(folder.join("agent.toml")).unwrap().contains("demo-agent"));
        assert_eq!(fs_err::read_to_string(folder.join("notes.txt")).unwrap(), "mine");
    }
}
