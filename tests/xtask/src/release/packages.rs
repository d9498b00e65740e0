//! The packages that are published, each compiled from what cargo packs.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::compile;
use crate::tool::{cargo, root, run, say};

/// The folder that the packager's build script reads where there is no workspace around it.
const PREBUILT: &str = "packager/prebuilt";
/// Its files.
const FILES: [&str; 4] = ["base.jar", "demo.zip", "sdk-sources.jar", "gradle-plugin.jar"];

/// Puts what the build script made into the folder that cargo packs.
pub(crate) fn fill(out: &Path) -> Result<PathBuf> {
    let folder = root().join(PREBUILT);
    fs_err::create_dir_all(&folder)?;
    for name in FILES {
        fs_err::copy(out.join(name), folder.join(name))?;
    }
    Ok(folder)
}

/// Makes the packages and compiles each of them as a user of the registry would.
pub(crate) fn verify(prebuilt: &Path) -> Result<()> {
    let names = published(&compile::metadata(None)?)?;
    say(&format!("\n==> packages: {}", names.join(", ")));
    // The folder with the base is ignored by git, which makes the tree look changed.
    let mut command = cargo(&["package", "--locked", "--allow-dirty"]);
    for name in &names {
        command.args(["--package", name]);
    }
    // Variables that name bytes to embed would hide that the package has its own.
    for variable in ["FATAGENT_BASE", "FATAGENT_CORES", "FATAGENT_GRADLE_PLUGIN"] {
        command.env_remove(variable);
    }
    run(&mut command)?;
    say(&format!("    with the base of {} bytes", fs_err::metadata(prebuilt.join(FILES[0]))?.len()));
    Ok(())
}

/// Names of the packages that may be published.
fn published(metadata: &Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().context("cargo knows no packages")?;
    let mut names = Vec::new();
    for package in packages {
        // Null where every registry will do, an empty list where none.
        if package["publish"].is_null() {
            let name = package["name"].as_str().context("a package without a name")?;
            if package["description"].is_null() || package["license"].is_null() {
                bail!("package `{name}` has no description or no licence, so no registry takes it");
            }
            names.push(name.to_owned());
        }
    }
    Ok(names)
}
