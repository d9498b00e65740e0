//! Where the tests keep what they fetch, build and write: below Cargo's target folder, never in the sources.

use std::env;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;

pub(crate) use fixtures::once;

/// Cargo's target folder.
pub(crate) fn target_folder() -> &'static Path {
    // Cargo gives integration tests `<target>/tmp`.
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the temporary folder lies in the target folder")
}

/// What is fetched once and kept.
pub(crate) fn cache_folder() -> PathBuf {
    env::var_os("FATAGENT_TEST_CACHE").map_or_else(|| target_folder().join("cache"), PathBuf::from)
}

/// A part of [`cache_folder`], by kind.
pub(crate) fn cache(kind: &str) -> PathBuf {
    cache_folder().join(kind)
}

/// Where the stall watchdog writes.
pub(crate) fn stall_dumps() -> PathBuf {
    target_folder().join("stall-dumps")
}

/// The folder of this test process; those of processes that are gone are removed first.
pub(crate) fn process_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let parent = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e");
        fs_err::create_dir_all(&parent).expect("the tests' folder");
        for entry in fs_err::read_dir(&parent).expect("the tests' folder").flatten() {
            if !entry.file_name().to_string_lossy().parse().is_ok_and(is_running) {
                // Another test process may be removing it too.
                let _ = fs_err::remove_dir_all(entry.path());
            }
        }
        let folder = parent.join(process::id().to_string());
        fs_err::create_dir_all(&folder).expect("the process's folder");
        folder
    })
}

/// Copies the folder `from`, without those files and folders below it that are left out.
pub(crate) fn copy_tree(from: &Path, to: &Path, is_left_out: impl Fn(&walkdir::DirEntry) -> bool) {
    let walk = walkdir::WalkDir::new(from).into_iter();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry)) {
        let entry = entry.expect("a readable folder");
        let place = to.join(entry.path().strip_prefix(from).expect("below"));
        if entry.file_type().is_dir() {
            fs_err::create_dir_all(place).expect("a folder");
        } else {
            fs_err::copy(entry.path(), place).expect("a copy");
        }
    }
}

/// Whether a process of this number exists.
pub(crate) fn is_running(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}
