//! `fatagent off`: removes all probes from a running JVM.

use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use crate::error::{Error, Result};
use crate::printer::Printer;

/// The system property by which a running core says what it is: build id, SHA-256 of the core, and path of the jar.
const CORE_PROPERTY: &str = "btrace.agent.core";

/// The agent argument that removes all probes.
const OFF: &str = "off";

/// Attaches to the process and tells its core to remove all probes.
///
/// # Errors
/// The process cannot be reached, runs no core of ours, or its jar is gone.
pub fn off(pid: u32, printer: &Printer) -> Result<()> {
    let attach = |source: client::Error| Error::Attach { pid, source: Box::new(source) };
    let session = client::attach(pid).map_err(attach)?;
    let properties = session.properties().map_err(attach)?;
    let value = properties.get(CORE_PROPERTY).ok_or(Error::NoCoreRunning { pid })?;
    let jar = jar_of(value).ok_or_else(|| Error::CoreProperty { pid, value: value.clone() })?;
    if !exists_for(pid, &jar) {
        return Err(Error::JarGone { pid, jar });
    }
    session.load_jar(&jar, &client::signed(OFF)).map_err(attach)?;
    printer.status("Removed", &format!("all probes from process {pid}"));
    let mut fields = Map::new();
    fields.insert("pid".into(), json!(pid));
    fields.insert("jar".into(), jar.display().to_string().into());
    printer.json("off", fields);
    Ok(())
}

/// The jar in the value of the property; its path comes last since it may hold spaces.
fn jar_of(value: &str) -> Option<PathBuf> {
    let mut parts = value.splitn(3, ' ');
    let (build_id, core, jar) = (parts.next()?, parts.next()?, parts.next()?);
    let hexadecimal = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let jar = PathBuf::from(jar);
    (hexadecimal(build_id) && hexadecimal(core) && jar.is_absolute()).then_some(jar)
}

/// Whether the process finds the jar: its root may be another one than ours.
fn exists_for(pid: u32, jar: &Path) -> bool {
    let root = PathBuf::from(format!("/proc/{pid}/root"));
    let seen = jar.strip_prefix("/").map(|relative| root.join(relative));
    match seen {
        // Where the root cannot be looked at, our own view is the best guess.
        Ok(seen) if root.read_dir().is_ok() => seen.exists(),
        _ => jar.exists(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_may_hold_spaces() {
        assert_eq!(jar_of("0a 0b /x/a b c.jar"), Some("/x/a b c.jar".into()));
        assert_eq!(jar_of("0a 0b"), None);
        assert_eq!(jar_of("0a 0b relative.jar"), None);
        assert_eq!(jar_of("zz 0b /x.jar"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_jar_is_looked_for_in_the_root_of_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("a.jar");
        assert!(!exists_for(std::process::id(), &jar));
        fs_err::write(&jar, "").unwrap();
        assert!(exists_for(std::process::id(), &jar));
    }
}
