//! What the build script makes in a workspace, taken from the package where there is none.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::{archive, sdk};

/// The folder of the package; the release task fills it.
const FOLDER: &str = "prebuilt";
/// What is copied; the last one may be missing.
const FILES: [&str; 4] = ["base.jar", "demo.zip", "sdk-sources.jar", "gradle-plugin.jar"];

/// Copies the package's files into `out`.
pub(crate) fn take(package: &Path, out: &Path) -> Result<()> {
    let folder = package.join(FOLDER);
    println!("cargo::rerun-if-changed={}", folder.display());
    for name in FILES {
        let path = folder.join(name);
        let may_miss = name == "gradle-plugin.jar";
        ensure!(
            path.is_file() || may_miss,
            "this package holds no `{FOLDER}/{name}`, and there is no workspace around it to make it from\n\
             hint: take the package from a release, or build in a clone of the repository"
        );
        let bytes = if path.is_file() { fs_err::read(&path)? } else { Vec::new() };
        archive::write_if_changed(&out.join(name), &bytes)?;
    }
    let base = fs_err::read(out.join("base.jar"))?;
    archive::write_if_changed(&out.join("sdk.jar"), &sdk::classes(&base)?)
}
