//! Native libraries of extensions: puts them where the JVM can load them.

use crate::identity::sha256;
use jvm::sys::{JObject, JniEnv};
use jvm::{Jni, Object};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::geteuid;
use std::collections::{HashMap, HashSet};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Where `native` of `extension.toml` and `cargo fatagent` put libraries.
const FOLDER: &str = "META-INF/native/";

/// Places that a loader was told. The JVM takes a file for one loader only, and tells nobody when it lets go of it.
static TAKEN: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

/// Copies that go with the loader, by the extension's id.
static COPIES: LazyLock<Mutex<HashMap<String, Vec<PathBuf>>>> = LazyLock::new(Mutex::default);

/// `NativeCore.extensionLibrary`: the path of a library, then the paths to delete at exit, folders first. Null where there is none.
pub(super) unsafe extern "system" fn library(
    env: JniEnv,
    _class: JObject,
    id: JObject,
    name: JObject,
    target: JObject,
    folders: JObject,
) -> JObject {
    // SAFETY: environment and reference that the JVM passes for the length of this call.
    let folders = unsafe { Jni::from_raw(env).read_strings(Object::from_raw(folders)) };
    super::natives::asked(env, "NativeCore.extensionLibrary", [id, name, target], |jni, core, [id, name, target]| {
        if name.contains('/') {
            return None;
        }
        let paths = [format!("{FOLDER}{target}/{name}"), format!("{FOLDER}{name}")];
        let found = core.linking.contents(core, &id).and_then(|contents| {
            paths.iter().find_map(|path| contents.resource(&core.jar, path).transpose()).transpose()
        });
        let bytes = match found {
            Ok(bytes) => bytes?,
            Err(e) => {
                core.report_once(format!(
                    "library {name} of extension {id} cannot be read: {e}; hint: run `fatagent verify` on the file"
                ));
                return None;
            }
        };
        match place(&id, &name, &bytes, &Folders::of(&folders)) {
            Ok(paths) => jni.strings(&paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()).ok(),
            Err(e) => {
                core.report_once(format!(
                    "library {name} of extension {id} cannot be put anywhere: {e}; hint: set -Dbtrace.native.dir= to a \
                     folder that allows execution"
                ));
                None
            }
        }
    })
}

/// Deletes what no loader of an extension will load any more; what is loaded stays in memory.
pub(super) fn closed(id: &str) {
    let copies = COPIES.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    for copy in copies.into_iter().flatten() {
        // What stays is deleted at exit.
        let _ = fs_err::remove_file(&copy);
        let _ = copy.parent().map(fs_err::remove_dir);
    }
}

/// Where libraries may be put, as the native core is.
struct Folders<'a> {
    /// `btrace.native.dir`.
    configured: Option<&'a Path>,
    /// `~/.btrace/native`, if there is a home.
    home: Option<&'a Path>,
    temporary: &'a Path,
}

impl<'a> Folders<'a> {
    /// Of three texts, empty where there is none.
    fn of(texts: &'a [String]) -> Self {
        let path = |at: usize| texts.get(at).filter(|text| !text.is_empty()).map(Path::new);
        Self { configured: path(0), home: path(1), temporary: path(2).unwrap_or(Path::new("/tmp")) }
    }
}

/// Puts a library into the first folder that takes it and returns its path; that of a copy of one's own is followed by what has
/// to be deleted, the folder first.
fn place(id: &str, name: &str, bytes: &[u8], folders: &Folders<'_>) -> io::Result<Vec<PathBuf>> {
    let hash = sha256(bytes);
    let mut failures = Vec::new();
    let kept = [(folders.configured, false), (folders.home, true)];
    for (folder, must_own) in kept.into_iter().filter_map(|(folder, must_own)| Some((folder?, must_own))) {
        let file = folder.join(&hash).join(name);
        if !TAKEN.lock().unwrap_or_else(PoisonError::into_inner).insert(file.clone()) {
            // By an earlier loader, which the JVM may not have let go of.
            continue;
        }
        match keep(folder, must_own, &file, bytes) {
            Ok(()) => return Ok(vec![file]),
            Err(e) => {
                TAKEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&file);
                failures.push(e.to_string());
            }
        }
    }
    match copy(folders.temporary, name, bytes) {
        Ok(file) => {
            let folder = file.parent().map(Path::to_owned).unwrap_or_default();
            COPIES.lock().unwrap_or_else(PoisonError::into_inner).entry(id.to_owned()).or_default().push(file.clone());
            Ok(vec![file.clone(), folder, file])
        }
        Err(e) => {
            failures.push(e.to_string());
            Err(io::Error::other(failures.join("; ")))
        }
    }
}

/// Sees to it that a file with that content is there, written by nobody else where it `must_own` the folder.
fn keep(folder: &Path, must_own: bool, file: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = file.parent().unwrap_or(folder);
    DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(parent)
        .map_err(|e| io::Error::other(format!("{}: {e}", parent.display())))?;
    if must_own {
        own(folder)?;
        own(parent)?;
    }
    check_execution(parent)?;
    if fs_err::read(file).is_ok_and(|there| there == bytes) {
        return if must_own { own(file) } else { Ok(()) };
    }
    let part = parent.join(format!(".{}.{}", std::process::id(), next()));
    let written = write(&part, bytes).and_then(|()| fs_err::rename(&part, file));
    if written.is_err() {
        let _ = fs_err::remove_file(&part);
    }
    written
}

/// A copy in a new folder that is this user's alone from its first moment.
fn copy(temporary: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    check_execution(temporary)?;
    loop {
        let folder = temporary.join(format!("fatagent-{}-{}", std::process::id(), next()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => {
                let file = folder.join(name);
                let written = write(&file, bytes);
                if written.is_err() {
                    let _ = fs_err::remove_file(&file);
                    let _ = fs_err::remove_dir(&folder);
                }
                return written.map(|()| file);
            }
            // Of a process before that had this number.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(io::Error::other(format!("{}: {e}", folder.display()))),
        }
    }
}

fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let result =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).and_then(|mut out| out.write_all(bytes));
    result.map_err(|e| io::Error::other(format!("{}: {e}", file.display())))
}

/// That a file or folder is this user's, and that nobody else writes to it.
fn own(path: &Path) -> io::Result<()> {
    let about = fs_err::metadata(path)?;
    if about.uid() != geteuid().as_raw() {
        return Err(io::Error::other(format!("{} belongs to another user", path.display())));
    }
    let mode = about.permissions().mode();
    if mode & 0o022 == 0 {
        Ok(())
    } else {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode & !0o022))
    }
}

/// That what lies in a folder can be loaded.
fn check_execution(folder: &Path) -> io::Result<()> {
    let about = statvfs(folder).map_err(|e| io::Error::other(format!("{}: {}", folder.display(), e.desc())))?;
    if about.flags().contains(FsFlags::ST_NOEXEC) {
        return Err(io::Error::other(format!("{} allows no execution", folder.display())));
    }
    Ok(())
}

/// A number that this process did not have before.
fn next() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
