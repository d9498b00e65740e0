//! Puts the two halves of the agent into one bare masked jar.

use std::{collections::BTreeMap, fmt::Write as _};

use anyhow::{Result, ensure};
use manifests::manifest::{Manifest, attribute};
use sha2::{Digest, Sha256};

use crate::{
    archive,
    core::{self, Core},
};

/// The directory entry by which a jar is known to be masked.
const MARK: &str = "META-INF/btrace/shared/";

/// Builds the jar from the classes, by name in the jar, and the cores.
///
/// `packager` adds what only a finished agent has: its name, its version, its build id and its own file name.
pub(crate) fn assemble(mut entries: BTreeMap<String, Vec<u8>>, cores: &[Core]) -> Result<Vec<u8>> {
    let required = ["io/btrace/boot/Loader.class", "META-INF/btrace/agent/io/btrace/agent/Main.classdata"];
    for name in required {
        ensure!(entries.contains_key(name), "the Java sources do not make the class `{name}`");
    }
    let manifest = manifest(cores)?.to_bytes();
    for core in cores {
        entries.insert(format!("META-INF/btrace/native/{}/{}", core.platform, core::FILE), core.bytes.clone());
    }
    let mut jar = archive::Writer::new();
    jar.folder("META-INF/")?;
    jar.file("META-INF/MANIFEST.MF", &manifest)?;
    // Folders sort among the files, as the packager's own jars have it.
    entries.insert(MARK.to_owned(), Vec::new());
    for (name, bytes) in &entries {
        if name == MARK {
            jar.folder(name)?;
        } else {
            jar.file(name, bytes)?;
        }
    }
    jar.finish()
}

/// Fails for bytes that are not a masked jar.
pub(crate) fn check_masked(jar: &[u8]) -> Result<()> {
    ensure!(
        archive::names(jar)?.iter().any(|name| name == MARK),
        "not a masked agent jar, because it lacks the directory entry `{MARK}`"
    );
    Ok(())
}

fn manifest(cores: &[Core]) -> Result<Manifest> {
    let natives = cores.iter().map(|core| format!("{}={}", core.platform, sha256(&core.bytes)));
    let natives = natives.collect::<Vec<_>>().join(",");
    let attributes = [
        (attribute::MANIFEST_VERSION, "1.0"),
        (attribute::PREMAIN_CLASS, "io.btrace.boot.Loader"),
        (attribute::AGENT_CLASS, "io.btrace.boot.Loader"),
        (attribute::MAIN_CLASS, "io.btrace.boot.Loader"),
        (attribute::CAN_REDEFINE_CLASSES, "true"),
        (attribute::CAN_RETRANSFORM_CLASSES, "true"),
        (attribute::BTRACE_AGENT_MAIN, "io.btrace.agent.Main"),
        (attribute::BTRACE_CLIENT_MAIN, "io.btrace.client.Main"),
        (attribute::BTRACE_NATIVE_SHA256, &natives),
        (attribute::ENABLE_NATIVE_ACCESS, "ALL-UNNAMED"),
    ];
    let mut manifest = Manifest::default();
    for (name, value) in attributes {
        manifest.main.set(name, value)?;
    }
    Ok(manifest)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}
