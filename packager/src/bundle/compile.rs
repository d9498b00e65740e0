//! `--compile`: runs javac on the sources of an extension.

use std::env::{self, consts::EXE_SUFFIX};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use walkdir::WalkDir;

use super::error::Error;
use super::output::{RESOURCES, sources};
use crate::archive::{Archive, Limits};
use crate::base::Base;
use crate::error::Result;
use crate::extension::project::Project;
use crate::paths;
use crate::printer::Printer;
use crate::sdk;

/// How long one compilation may take.
const LIMIT: Duration = Duration::from_mins(10);
/// How often the compiler is looked at.
const POLL: Duration = Duration::from_millis(50);
/// Java of an extension that names none.
const RELEASE: &str = "8";

/// Compiled classes in a temporary folder.
#[derive(Debug)]
pub(super) struct Compiled {
    /// Keeps the folder.
    _work: TempDir,
    /// The classes, the resources of the project if it has any, and other classes that it names.
    pub(super) roots: Vec<PathBuf>,
}

/// What is read beside the compiled classes: the resources of the project, and what `classes` names.
pub(super) fn given_roots(project: &Project) -> Vec<PathBuf> {
    let resources = project.folder.join(RESOURCES);
    let given = project.toml.classes.iter().map(|path| project.resolve(path)).filter(|path| *path != resources);
    std::iter::once(resources.clone()).filter(|folder| folder.is_dir()).chain(given).collect()
}

/// Those of [`given_roots`] that hold no older output of the same `sources`, whose paths are relative to their folders.
fn other_roots(project: &Project, sources: &[PathBuf], limits: Limits, printer: &Printer) -> Result<Vec<PathBuf>> {
    let classes: Vec<PathBuf> = sources.iter().map(|source| source.with_extension("class")).collect();
    let mut roots = Vec::new();
    for root in given_roots(project) {
        let older = if root.is_dir() {
            classes.iter().any(|class| root.join(class).is_file())
        } else if root.exists() {
            let jar = Archive::open_with(&root, limits)?;
            let name = |class: &PathBuf| class.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            classes.iter().any(|class| jar.index_of(&name(class)).is_some())
        } else {
            printer.status("Passed over", &format!("`{}`: it does not exist", root.display()));
            continue;
        };
        if older {
            printer.status("Passed over", &format!("`{}`: its classes are compiled anew", root.display()));
        } else {
            roots.push(root);
        }
    }
    Ok(roots)
}

/// Compiles the sources of `project` against the agent, its extension API, `dependencies` and other classes of its own.
///
/// # Errors
/// There is no source or no compiler, or the compiler refuses the sources.
pub(super) fn run(
    project: &Project,
    dependencies: &[PathBuf],
    base: &Base,
    limits: Limits,
    printer: &Printer,
) -> Result<Compiled> {
    let folders = sources(project);
    if let Some(missing) = folders.iter().find(|folder| !project.toml.sources.is_empty() && !folder.exists()) {
        return Err(Error::NoSourceFolder { at: project.origin.clone(), folder: missing.clone() }.into());
    }
    let (mut files, mut relative) = (Vec::new(), Vec::new());
    for folder in folders.iter().filter(|folder| folder.exists()) {
        for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
            let entry = entry.map_err(std::io::Error::from)?;
            let is_source = entry.path().extension().is_some_and(|extension| extension == "java");
            if is_source && entry.file_type().is_file() && entry.file_name() != "module-info.java" {
                relative.extend(entry.path().strip_prefix(folder).ok().map(Path::to_owned));
                files.push(entry.into_path());
            }
        }
    }
    if files.is_empty() {
        return Err(Error::NoSources { at: project.origin.clone(), folders }.into());
    }
    let work = tempfile::Builder::new().prefix("fatagent-").tempdir()?;
    let (agent, classes) = (work.path().join("agent"), work.path().join("classes"));
    unmask(base, &agent)?;
    fs_err::create_dir(&classes)?;
    let others = other_roots(project, &relative, limits, printer)?;
    let class_path = env::join_paths(std::iter::once(&agent).chain(&others).chain(dependencies)).map_err(|error| {
        failed(format!("the class path cannot be written: {error}"), "rename the folder of that jar")
    })?;
    let arguments = work.path().join("arguments");
    let lines: Vec<String> = files.iter().map(|file| quoted(file)).collect();
    fs_err::write(&arguments, lines.join("\n"))?;
    let javac = find()?;
    let release = release(project.toml.java_version.as_deref());
    printer.status("Compiling", &format!("{} sources for Java {release}", files.len()));
    let mut command = Command::new(&javac);
    command.args(["--release", &release, "-encoding", "UTF-8", "-g", "-proc:none", "-Xlint:-options", "-d"]);
    command.arg(&classes).arg("-cp").arg(class_path).arg(format!("@{}", arguments.display()));
    let mut output = tempfile::tempfile()?;
    let status = wait(&mut command, &output)?;
    output.rewind()?;
    let mut said = Vec::new();
    output.read_to_end(&mut said)?;
    for line in String::from_utf8_lossy(&said).lines() {
        printer.passed_on(line);
    }
    match status {
        None => {
            let reason = format!("`{}` did not end within {} minutes", javac.display(), LIMIT.as_secs() / 60);
            return Err(failed(reason, "run it in a terminal to see why"));
        }
        Some(status) if !status.success() => {
            let first =
                String::from_utf8_lossy(&said).lines().find(|line| line.contains(": error:")).map(str::to_owned);
            let reason = first.unwrap_or_else(|| format!("`{}` ended with {status}", javac.display()));
            return Err(failed(reason, "correct the sources; what javac wrote stands above"));
        }
        Some(_) => {}
    }
    let roots = std::iter::once(classes).chain(others).collect();
    Ok(Compiled { _work: work, roots })
}

fn failed(reason: impl Into<String>, hint: &'static str) -> crate::error::Error {
    Error::Compiler { reason: reason.into(), hint }.into()
}

/// The javac of `JAVA_HOME`, else the one in `PATH`.
fn find() -> Result<PathBuf> {
    let name = format!("javac{EXE_SUFFIX}");
    let home = env::var_os("JAVA_HOME").filter(|home| !home.is_empty()).map(|home| Path::new(&home).join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let mut programs = home.into_iter().chain(env::split_paths(&path)).map(|folder| folder.join(&name));
    programs.find(|program| program.is_file()).ok_or_else(|| {
        failed("no `javac` is in `JAVA_HOME` or in `PATH`", "install a JDK and set `JAVA_HOME` to its folder")
    })
}

/// The number for `--release`.
fn release(version: Option<&str>) -> String {
    let number = version.unwrap_or(RELEASE).trim_end_matches('+');
    number.strip_prefix("1.").unwrap_or(number).to_owned()
}

/// A path as a line of an argument file.
fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display().to_string().replace('\\', "\\\\").replace('"', "\\\""))
}

/// Writes what extensions and probes are compiled against.
fn unmask(base: &Base, folder: &Path) -> Result<()> {
    for (path, index) in sdk::classes(base) {
        let file = folder.join(path);
        fs_err::create_dir_all(paths::parent(&file))?;
        fs_err::write(file, base.archive.read(index)?)?;
    }
    Ok(())
}

/// Runs a command whose output goes to a file; nothing when it does not end in time, and it is killed then.
fn wait(command: &mut Command, output: &std::fs::File) -> Result<Option<ExitStatus>> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
    let mut child = command.spawn().map_err(|error| {
        failed(format!("`{program}` cannot be started: {error}"), "set `JAVA_HOME` to the folder of a JDK")
    })?;
    let deadline = Instant::now() + LIMIT;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Some(status)),
            Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
            outcome => {
                // Killing fails only when it has ended by itself meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return outcome.map_err(Into::into);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_numbers() {
        assert_eq!((release(None), release(Some("11+")), release(Some("1.8"))), ("8".into(), "11".into(), "8".into()));
    }

    #[test]
    fn paths_are_quoted_for_an_argument_file() {
        assert_eq!(quoted(Path::new("a b/C.java")), "\"a b/C.java\"");
        assert_eq!(quoted(Path::new("a\\b\"c")), "\"a\\\\b\\\"c\"");
    }
}
