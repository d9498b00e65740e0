//! The pinned tools of a release: two releases agree to the byte only if both were built with these.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::target::Target;
use crate::prerequisites::{Prerequisite, report};
use crate::tool::{root, say, version};

/// What `rustc --version` begins with.
const RUSTC: &str = "rustc 1.95.0 ";
/// Version of the Python package `ziglang`, which is a whole C compiler and linker.
const ZIG: &str = "0.17.1";
/// Version of `cargo-zigbuild`, which lets cargo link with zig.
const ZIGBUILD: &str = "0.24.0";
/// Feature release of javac.
const JAVAC: &str = "javac 17.";

/// The tools that were found.
pub(crate) struct Recipe {
    rustc: String,
    zig: String,
    zigbuild: String,
    javac: String,
    /// Where rustc keeps its libraries and, if installed, their sources.
    pub(crate) sysroot: PathBuf,
}

impl Recipe {
    /// Looks for the tools, and names each one that is missing or of another version with the command that installs it.
    ///
    /// `unpinned` lets other versions pass.
    pub(crate) fn find(targets: &[Target], unpinned: bool) -> Result<Self> {
        let found = |program: &mut Command| version(program.current_dir(root()));
        let rustc = found(Command::new("rustc").arg("--version"));
        let zigbuild = found(Command::new("cargo-zigbuild").arg("--version"));
        let zig = found(Command::new("python3").args(["-m", "ziglang", "version"]));
        let javac = found(Command::new(javac_program()).arg("-version"));
        let sysroot = PathBuf::from(found(Command::new("rustc").args(["--print", "sysroot"])).unwrap_or_default());
        let pip = format!("python3 -m pip install ziglang=={ZIG} cargo-zigbuild=={ZIGBUILD}");
        let libraries: Vec<(String, String, bool)> = targets.iter().map(|target| library(&sysroot, *target)).collect();
        let mut prerequisites = vec![
            Prerequisite { name: "rustc", found: rustc.clone(), install: "see https://rustup.rs" },
            Prerequisite { name: "zig (Python package ziglang)", found: zig.clone(), install: &pip },
            Prerequisite { name: "cargo-zigbuild", found: zigbuild.clone(), install: &pip },
            Prerequisite { name: "javac", found: javac.clone(), install: "apt-get install -y openjdk-17-jdk-headless" },
        ];
        for (name, install, is_there) in &libraries {
            prerequisites.push(Prerequisite { name, found: is_there.then(|| "installed".to_owned()), install });
        }
        say("\n==> tools of a release");
        report(&prerequisites)?;
        let text = |found: Option<String>| found.unwrap_or_default();
        let recipe = Self { rustc: text(rustc), zig: text(zig), zigbuild: text(zigbuild), javac: text(javac), sysroot };
        let others = recipe.others();
        if !others.is_empty() && !unpinned {
            bail!(
                "not the tools of a release: {}\nhint: install those of the recipe (zig and cargo-zigbuild: `{pip}`), or \
                 accept with `--unpinned` that the result is not the one that others get",
                others.join(", ")
            );
        }
        for other in &others {
            say(&format!("    not of the recipe: {other}"));
        }
        Ok(recipe)
    }

    /// What differs from the pinned versions.
    fn others(&self) -> Vec<String> {
        let mut others = Vec::new();
        let mut expect = |is_it: bool, found: &str, wanted: &str| {
            if !is_it {
                others.push(format!("`{found}` instead of `{}`", wanted.trim()));
            }
        };
        expect(self.rustc.starts_with(RUSTC), &self.rustc, RUSTC);
        expect(self.zig == ZIG, &format!("ziglang {}", self.zig), &format!("ziglang {ZIG}"));
        let wanted = format!("cargo-zigbuild {ZIGBUILD}");
        expect(self.zigbuild == wanted, &self.zigbuild, &wanted);
        expect(self.javac.starts_with(JAVAC), &self.javac, &format!("{JAVAC}x"));
        others
    }

    /// For those who want to build the same.
    pub(crate) fn to_json(&self) -> Value {
        let Self { rustc, zig, zigbuild, javac, sysroot: _ } = self;
        json!({ "rustc": rustc, "zig": zig, "cargo-zigbuild": zigbuild, "javac": javac })
    }
}

/// The javac that the build script of the packager takes first.
fn javac_program() -> PathBuf {
    let home = env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
    home.map_or_else(|| PathBuf::from("javac"), |home| Path::new(&home).join("bin/javac"))
}

/// The standard library of a target: what it is called, the command that installs it, and whether it is there.
fn library(sysroot: &Path, target: Target) -> (String, String, bool) {
    let triple = target.triple();
    let is_there = sysroot.join("lib/rustlib").join(&triple).join("lib").is_dir();
    (format!("standard library for {triple}"), format!("rustup target add {triple}"), is_there)
}

/// The libraries that come with rustc for a musl target, whose symbols are those of musl.
pub(crate) fn musl_library(recipe: &Recipe, target: Target) -> Result<Vec<u8>> {
    let folder = recipe.sysroot.join("lib/rustlib").join(target.triple()).join("lib/self-contained");
    fs_err::read(folder.join("libc.a")).context("rustc's own musl is needed to tell musl's symbols from others")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_named() {
        let recipe = |rustc: &str, javac: &str| Recipe {
            rustc: rustc.to_owned(),
            zig: ZIG.to_owned(),
            zigbuild: format!("cargo-zigbuild {ZIGBUILD}"),
            javac: javac.to_owned(),
            sysroot: PathBuf::new(),
        };
        assert!(recipe("rustc 1.95.0 (59807616e 2026-04-14)", "javac 17.0.15").others().is_empty());
        let others = recipe("rustc 1.95.1 (x)", "javac 25").others();
        assert_eq!(others, ["`rustc 1.95.1 (x)` instead of `rustc 1.95.0`", "`javac 25` instead of `javac 17.x`"]);
    }
}
