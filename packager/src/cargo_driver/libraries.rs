//! Shared libraries of packages, which cargo builds and names.

use std::env;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{CrateType, Message, Package};

use super::workspace::is_shared_library;
use super::{CargoOptions, Error, Workspace};
use crate::cargo_package::CARGO_TOML;
use crate::error::Result;
use crate::extension::project::{Library, Supplied};
use crate::native;
use crate::printer::{Color, Printer};

/// Builds the shared libraries of those packages that lie in `folders`. The result says for each folder what was built; nothing
/// for a folder without a Cargo package.
///
/// # Errors
/// A package cannot be read, or does not compile.
pub(crate) fn build<'f>(
    workspace: &Workspace,
    folders: &[&'f Path],
    options: &CargoOptions,
    printer: &Printer,
) -> Result<Vec<(&'f Path, Supplied)>> {
    let mut supplied: Vec<(&Path, Supplied)> = Vec::new();
    let mut others: Vec<(&Path, Workspace)> = Vec::new();
    let mut own: Vec<(usize, &Package)> = Vec::new();
    for folder in folders {
        if !folder.join(CARGO_TOML).is_file() {
            continue;
        }
        supplied.push((folder, Supplied { libraries: Vec::new(), compiles: true }));
        match workspace.package_in(folder) {
            Some(package) => own.push((supplied.len() - 1, package)),
            None => others.push((folder, Workspace::read(Some(&folder.join(CARGO_TOML)))?)),
        }
    }
    let mut runs = vec![(workspace, own)];
    for (folder, other) in &others {
        let place = supplied.iter().position(|(known, _)| known == folder);
        let package = other.package_in(folder);
        runs.push((other, place.zip(package).into_iter().collect()));
    }
    let mut any = false;
    for (workspace, mut packages) in runs {
        packages.retain(|(_, package)| is_shared_library(package));
        if packages.is_empty() {
            continue;
        }
        any = true;
        let triples: Vec<Option<&str>> = match &options.targets[..] {
            [] => vec![None],
            targets => targets.iter().map(|target| Some(target.as_str())).collect(),
        };
        // Cargo does not say which target a file is for, so it runs once for each.
        for triple in triples {
            let wanted: Vec<&Package> = packages.iter().map(|(_, package)| *package).collect();
            let files = run(&workspace.manifest(), &wanted, triple, options, printer)?;
            for ((place, _), file) in packages.iter().zip(files) {
                let target = match triple {
                    Some(triple) => native::full_target(&core_target(triple)),
                    None => native::library_target(&fs_err::read(&file)?),
                };
                supplied[*place].1.libraries.push(Library { file, target });
            }
        }
    }
    if !any && options.names_features() {
        printer.warning("features have no effect: no package with a shared library is built");
    }
    Ok(supplied)
}

/// The files of `packages`, in their order.
fn run(
    manifest: &Path,
    packages: &[&Package],
    triple: Option<&str>,
    options: &CargoOptions,
    printer: &Printer,
) -> Result<Vec<PathBuf>> {
    let program = env::var_os("CARGO").filter(|program| !program.is_empty()).unwrap_or_else(|| "cargo".into());
    let names: Vec<String> = packages.iter().map(|package| package.name.to_string()).collect();
    let mut command = Command::new(&program);
    command.args(["build", "--lib", "--message-format", "json-render-diagnostics", "--manifest-path"]).arg(manifest);
    for package in packages {
        command.args(["--package", &package.id.repr]);
    }
    for (option, value) in [("--profile", options.profile.as_deref()), ("--target", triple)] {
        command.args(value.into_iter().flat_map(|value| [option, value]));
    }
    for features in &options.features {
        command.args(["--features", features]);
    }
    let flags = [
        ("--all-features", options.all_features),
        ("--no-default-features", options.no_default_features),
        ("--locked", options.locked),
        ("--offline", options.offline),
        ("--frozen", options.frozen),
        ("--quiet", printer.quiet),
    ];
    command.args(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag));
    match printer.color {
        Color::Auto => {}
        Color::Always => drop(command.args(["--color", "always"])),
        Color::Never => drop(command.args(["--color", "never"])),
    }
    let target = triple.map_or_else(String::new, |triple| format!(" for {triple}"));
    printer.status("Cargo", &format!("builds {}{target}", names.join(", ")));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| Error::NoCargo { program: program.into(), source })?;
    let mut files: Vec<Option<PathBuf>> = vec![None; packages.len()];
    let mut problem = None;
    if let Some(stdout) = child.stdout.take() {
        for message in Message::parse_stream(BufReader::new(stdout)) {
            match message {
                Ok(Message::CompilerArtifact(artifact)) if artifact.target.crate_types.contains(&CrateType::CDyLib) => {
                    let place = packages.iter().position(|package| package.id == artifact.package_id);
                    let library = artifact.filenames.iter().find(|file| is_shared(file.as_str()));
                    if let (Some(place), Some(library)) = (place, library) {
                        files[place] = Some(library.clone().into_std_path_buf());
                    }
                }
                // Programs that cargo runs may write there, too.
                Ok(Message::TextLine(line)) => printer.passed_on(&line),
                Ok(_) => {}
                Err(source) => {
                    problem = Some(source);
                    break;
                }
            }
        }
    }
    let status = child.wait()?;
    if let Some(source) = problem {
        return Err(Error::Messages { source }.into());
    }
    if !status.success() {
        return Err(Error::NotCompiled { packages: names, status }.into());
    }
    let found = files.into_iter().zip(packages);
    let named =
        found.map(|(file, package)| file.ok_or_else(|| Error::NoLibrary { package: package.name.to_string() }.into()));
    named.collect()
}

/// Whether a file is a library that a JVM could load, and no companion of one.
fn is_shared(path: &str) -> bool {
    let end = Path::new(path).extension().and_then(|end| end.to_str()).unwrap_or_default();
    ["so", "dylib", "dll"].contains(&end)
}

/// The target of `agent.toml` for a triple of Rust: `x86_64-gnu` for `x86_64-unknown-linux-gnu`.
pub(crate) fn core_target(triple: &str) -> String {
    let parts: Vec<&str> = triple.split('-').collect();
    let machine = parts.first().copied().unwrap_or_default();
    let machine = if machine == "i686" || machine == "i586" { "x86" } else { machine };
    let libc = parts.last().map_or("", |end| if end.starts_with("musl") { "musl" } else { "gnu" });
    if parts.contains(&"linux") {
        format!("{machine}-{libc}")
    } else if parts.contains(&"darwin") {
        format!("macos-{machine}")
    } else if parts.contains(&"windows") {
        format!("windows-{machine}")
    } else {
        triple.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_have_names_of_ours() {
        for (triple, target) in [
            ("x86_64-unknown-linux-gnu", "linux-x86_64-gnu"),
            ("aarch64-unknown-linux-musl", "linux-aarch64-musl"),
            ("armv7-unknown-linux-musleabihf", "linux-armv7-musl"),
            ("aarch64-apple-darwin", "macos-aarch64"),
            ("x86_64-pc-windows-msvc", "windows-x86_64"),
        ] {
            assert_eq!(native::full_target(&core_target(triple)), target);
        }
    }

    #[test]
    fn only_the_library_itself_is_taken() {
        for (path, expected) in [
            ("/t/libx.so", true),
            ("/t/x.dll", true),
            ("/t/x.dll.lib", false),
            ("/t/x.pdb", false),
            ("/t/libx.rlib", false),
        ] {
            assert_eq!(is_shared(path), expected, "{path}");
        }
    }
}
