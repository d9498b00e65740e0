//! What extensions and probes are compiled against, as jars of its own.

use std::{env, path::Path};

use anyhow::{Result, ensure};
use manifests::manifest::{Manifest, attribute};

use crate::{archive, shim, visible_api::is_visible_api};

/// Where masked classes of the API lie in the base; those of probes are visible there.
const SHARED: &str = "META-INF/btrace/shared/";
/// Roots of the API's sources.
const ROOTS: [&str; 2] = ["agent-core/java/boot", "extension-sdk/java"];

/// The classes of the API by path, taken from the base and sorted.
pub(crate) fn api(base: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let mut classes = Vec::new();
    for name in archive::names(base)? {
        let shared = name.strip_prefix(SHARED).and_then(|name| name.strip_suffix(".classdata"));
        let Some(class) = shared.or_else(|| name.strip_suffix(".class").filter(|class| is_visible_api(class))) else {
            continue;
        };
        ensure!(class.split('/').all(|part| !["", ".", ".."].contains(&part)), "unsafe entry name: `{name}`");
        classes.push((format!("{class}.class"), archive::content(base, &name)?));
    }
    classes.sort();
    Ok(classes)
}

/// The jar of these classes.
pub(crate) fn classes(base: &[u8]) -> Result<Vec<u8>> {
    let mut jar = with_manifest("fatagent SDK")?;
    for (path, bytes) in api(base)? {
        jar.file(&path, &bytes)?;
    }
    jar.finish()
}

/// The jar of their sources.
pub(crate) fn sources(workspace: &Path) -> Result<Vec<u8>> {
    let mut jar = with_manifest("fatagent SDK sources")?;
    for root in ROOTS {
        for (path, bytes) in shim::files_below(&workspace.join(root))? {
            let class = path.strip_suffix(".java").unwrap_or(&path);
            if root != ROOTS[0] || is_visible_api(class) {
                jar.file(&path, &bytes)?;
            }
        }
    }
    jar.finish()
}

fn with_manifest(title: &str) -> Result<archive::Writer> {
    let mut manifest = Manifest::default();
    manifest.main.set(attribute::MANIFEST_VERSION, "1.0")?;
    manifest.main.set(attribute::IMPLEMENTATION_TITLE, title)?;
    manifest.main.set(attribute::IMPLEMENTATION_VERSION, &env::var("CARGO_PKG_VERSION")?)?;
    let mut jar = archive::Writer::new();
    jar.folder("META-INF/")?;
    jar.file("META-INF/MANIFEST.MF", &manifest.to_bytes())?;
    Ok(jar)
}
