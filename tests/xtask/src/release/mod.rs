//! Builds what is released: one tarball for each processor.
//!
//! 1. `recipe` looks for the pinned tools.
//! 2. `compile` makes the four cores; `elf` checks each of them. The Gradle plugins are compiled.
//! 3. The static programs are compiled with these inside, and checked.
//! 4. The program for this computer writes completions and manual pages.
//! 5. `tarball` packs everything; the packager's `prebuilt` folder gets the base, for `packages`.
//!
//! `twice` does all of it in two folders and compares.

mod compile;
mod elf;
mod licences;
mod packages;
mod recipe;
mod tarball;
mod target;
mod twice;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use self::compile::{Compiler, Program};
use self::recipe::Recipe;
use self::tarball::{Entries, Entry};
use self::target::{Arch, Libc, Target};
use crate::gradle_plugin;
use crate::tool::{cargo, root, run, say, target_folder};

/// What the program reads of a shell, and the file that the shell looks for.
const SHELLS: [(&str, &str); 3] = [("bash", "fatagent.bash"), ("zsh", "_fatagent"), ("fish", "fatagent.fish")];
/// The program.
const FATAGENT: &str = "fatagent";
/// Its other names, by which it knows what is asked: `fatagent ext`, and the driver that cargo finds.
const OTHER_NAMES: [&str; 2] = ["btracex", "cargo-fatagent"];

/// What to build.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Processors to make tarballs for; all by default. Each program carries the cores of all
    #[arg(long = "target", value_enum, value_name = "ARCH")]
    targets: Vec<Arch>,
    /// Folder for the tarballs; `dist` in the target folder by default
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Take other versions of the tools than those of the recipe
    #[arg(long)]
    unpinned: bool,
    /// Also make the packages for crates.io and compile each of them
    #[arg(long)]
    packages: bool,
    /// Build in two folders and compare the tarballs byte by byte
    #[arg(long, conflicts_with = "packages")]
    twice: bool,
}

/// Builds the release.
pub(crate) fn run_all(options: &Options) -> Result<()> {
    let archs = if options.targets.is_empty() { Arch::ALL.to_vec() } else { options.targets.clone() };
    let recipe = find_tools(&archs, options.unpinned)?;
    let out = options.out.clone().map_or_else(|| Ok(target_folder()?.join("dist")), Ok::<_, anyhow::Error>)?;
    if options.twice {
        return twice::compare(&archs, options.unpinned, &out);
    }
    let built = build(&recipe, &archs, &out)?;
    let prebuilt = packages::fill(&built)?;
    if options.packages { packages::verify(&prebuilt) } else { Ok(()) }
}

/// The tarball of this computer, for the tests that start from it.
pub(crate) fn for_tests() -> Result<PathBuf> {
    let host = Arch::host()?;
    let out = target_folder()?.join("dist");
    build(&find_tools(&[host], false)?, &[host], &out)?;
    Ok(out.join(tarball_name(host)))
}

fn find_tools(archs: &[Arch], unpinned: bool) -> Result<Recipe> {
    let mut targets = Target::cores();
    targets
        .extend(archs.iter().map(|arch| Target::program(*arch)).filter(|program| !Target::cores().contains(program)));
    Recipe::find(&targets, unpinned)
}

/// Makes the tarballs and returns the folder with what the build script of the packager made.
fn build(recipe: &Recipe, archs: &[Arch], out: &Path) -> Result<PathBuf> {
    let compiler = Compiler { recipe, folder: target_folder()?.join("release-build") };
    let cores = compiler.folder.join("cores");
    make_cores(&compiler, &cores)?;
    let plugin = compiler.folder.join("fatagent-gradle-plugin.jar");
    write_if_changed(&plugin, &gradle_plugin()?)?;
    let environment = [("FATAGENT_CORES", cores.as_path()), ("FATAGENT_GRADLE_PLUGIN", plugin.as_path())];

    // Its own pages can be written by the program for this computer only, whatever the tarball is for.
    let host = Arch::host()?;
    let own = fatagent(&compiler, host, &environment)?;
    let pages = pages(&own, &compiler.folder)?;
    for arch in archs {
        let program = if *arch == host { None } else { Some(fatagent(&compiler, *arch, &environment)?) };
        let mut entries = Entries::new();
        for (path, bytes) in &pages {
            entries.insert(path.clone(), Entry::File(bytes.clone()));
        }
        let bytes = program.as_ref().unwrap_or(&own).bytes.clone();
        entries.insert("bin/fatagent".to_owned(), Entry::Program(bytes));
        for name in OTHER_NAMES {
            entries.insert(format!("bin/{name}"), Entry::Link(FATAGENT));
        }
        for name in ["LICENSE", "README.md"] {
            entries.insert(name.to_owned(), Entry::File(fs_err::read(root().join(name))?));
        }
        let all = compile::metadata(Some(Target::program(*arch)))?;
        entries.insert("THIRD-PARTY.txt".to_owned(), Entry::File(licences::text(&all)?.into_bytes()));
        entries.insert("recipe.json".to_owned(), Entry::File(description(recipe, *arch)?));
        tarball::add_sums(&mut entries);
        let file = out.join(tarball_name(*arch));
        let root = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".tar.gz")).unwrap_or_default();
        let bytes = tarball::pack(root, &entries)?;
        let hash = tarball::write(&file, &bytes)?;
        say(&format!("\n==> {}, {} bytes, sha256 {hash}", file.display(), bytes.len()));
    }
    Ok(own.out)
}

/// Compiles and checks the cores, each into the folder that the packager's build script looks for.
fn make_cores(compiler: &Compiler<'_>, folder: &Path) -> Result<()> {
    let mut checked = Vec::new();
    for target in Target::cores() {
        let bytes = compiler.core(target)?;
        let musl = (target.libc == Libc::Musl).then(|| recipe::musl_library(compiler.recipe, target)).transpose()?;
        checked.push(format!("    {}: {}", target.name(), elf::check_core(target, &bytes, musl.as_deref())?));
        let file = folder.join(target.name()).join("libagent_core.so");
        write_if_changed(&file, &bytes)?;
    }
    say("\n==> cores");
    for line in &checked {
        say(line);
    }
    Ok(())
}

/// Writes a file that a build script reads: a newer one of the same bytes would have the programs compiled again.
fn write_if_changed(file: &Path, bytes: &[u8]) -> Result<()> {
    if fs_err::read(file).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs_err::create_dir_all(file.parent().context("a file without a folder")?)?;
    Ok(fs_err::write(file, bytes)?)
}

/// The jar of the Gradle plugins.
fn gradle_plugin() -> Result<Vec<u8>> {
    say("\n==> the Gradle plugins");
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("fatagent-gradle-plugin.jar");
    gradle_plugin::write_to(&file)?;
    Ok(fs_err::read(file)?)
}

fn fatagent(compiler: &Compiler<'_>, arch: Arch, environment: &[(&str, &Path)]) -> Result<Program> {
    let package = compile::package_of(&compile::metadata(None)?, FATAGENT).context("no package has the program")?;
    let program = compiler.program(&package, FATAGENT, Target::program(arch), environment)?;
    elf::check_program(arch, &program.bytes)?;
    Ok(program)
}

/// Completions and manual pages by path in the tarball, written by the program itself.
fn pages(program: &Program, folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let work = folder.join("pages");
    if work.exists() {
        fs_err::remove_dir_all(&work)?;
    }
    let (file, manual) = (work.join("fatagent"), work.join("man1"));
    fs_err::create_dir_all(&manual)?;
    fs_err::write(&file, &program.bytes)?;
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    let mut pages = Vec::new();
    for (shell, name) in SHELLS {
        let output = Command::new(&file).args(["completions", shell]).output()?;
        if !output.status.success() || output.stdout.is_empty() {
            bail!("the program prints no completions for {shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
        pages.push((format!("completions/{name}"), output.stdout));
    }
    run(Command::new(&file).arg("man").arg(&manual))?;
    for entry in fs_err::read_dir(&manual)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).context("a page without a name")?;
        pages.push((format!("man/man1/{name}"), fs_err::read(&path)?));
    }
    Ok(pages)
}

/// What the tarball was built with and carries, for those who build it again.
fn description(recipe: &Recipe, arch: Arch) -> Result<Vec<u8>> {
    let cores: Vec<String> = Target::cores().iter().map(|target| target.name()).collect();
    let description = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "program": Target::program(arch).triple(),
        "cores": cores,
        "tools": recipe.to_json(),
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&description)?).into_bytes())
}

fn tarball_name(arch: Arch) -> String {
    format!("fatagent-{}-linux-{}.tar.gz", env!("CARGO_PKG_VERSION"), arch.name())
}

/// A cargo that reads the workspace at another place than this one.
fn cargo_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.current_dir(folder);
    command
}
