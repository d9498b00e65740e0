//! Where the compiled classes of an extension are, whichever tool made them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

use super::error::Error;
use super::write::FileNames;
use crate::cargo_package::CARGO_TOML;
use crate::error::Result;
use crate::extension::project::{EXTENSION_TOML, Project};
use crate::ops::extension::build::OUTPUT;
use crate::printer::Printer;
use crate::shell;

/// Where sources are by default.
pub(super) const SOURCES: &str = "src/main/java";
/// Where other files of them are.
pub(super) const RESOURCES: &str = "src/main/resources";
/// Compilers whose output Gradle keeps apart.
const GRADLE_LANGUAGES: [&str; 4] = ["java", "kotlin", "groovy", "scala"];
/// Folders in which people put the output of a plain javac.
const PLAIN: [&str; 3] = ["out", "classes", "bin"];

/// Where Maven compiles to.
const MAVEN: &str = "target/classes";

/// A tool with its output.
struct Tool {
    /// What messages call it.
    name: &'static str,
    /// The command that compiles.
    command: String,
    /// Where its output would be.
    folders: Vec<PathBuf>,
}

impl Tool {
    fn is_built(&self) -> bool {
        self.folders.iter().any(|folder| has_classes(folder))
    }
}

/// The folders and jars with the compiled classes of `project`.
///
/// # Errors
/// Nothing is compiled, or two tools have compiled it.
pub(super) fn find(project: &Project) -> Result<Vec<PathBuf>> {
    let mut tools = tools(project);
    let given: Vec<PathBuf> = project.toml.classes.iter().map(|path| project.resolve(path)).collect();
    if !given.is_empty() {
        // Some may hold resources only.
        let compiled = given.iter().any(|path| path.is_file() || has_classes(path));
        return match given.iter().find(|path| !compiled || !path.exists()) {
            Some(missing) => Err(not_built(project, tools.first(), missing.clone())),
            None => Ok(given),
        };
    }
    let expected = tools.first().and_then(|tool| tool.folders.first()).cloned();
    let mut built = tools.extract_if(.., |tool| tool.is_built());
    let first = built.next();
    if let (Some(first), Some(second)) = (&first, built.next()) {
        let (at, first, second) = (project.origin.clone(), first.folders[0].clone(), second.folders[0].clone());
        return Err(Error::TwoOutputs { at, first, second }.into());
    }
    drop(built);
    match first {
        Some(tool) => Ok(tool.folders.into_iter().filter(|folder| folder.is_dir()).collect()),
        None => Err(not_built(project, tools.first(), expected.unwrap_or_else(|| project.folder.join(PLAIN[0])))),
    }
}

/// The zip in the usual place, if no compiler left classes and the zip is newer than everything that it was made from.
pub(super) fn own_zip(project: &Project) -> Option<PathBuf> {
    let Err(crate::error::Error::Bundle(Error::NotBuilt { .. })) = find(project) else { return None };
    let zip = project.folder.join(OUTPUT).join(FileNames::of(&project.toml.id, &project.toml.version).zip);
    let built = zip.metadata().ok()?.modified().ok()?;
    let described = [EXTENSION_TOML, CARGO_TOML].map(|name| project.folder.join(name));
    let inputs = sources(project).into_iter().chain([project.folder.join(RESOURCES)]).chain(described);
    let files = inputs.flat_map(|path| WalkDir::new(path).follow_links(true)).filter_map(Result::ok);
    let mut times = files.filter_map(|entry| entry.metadata().ok()?.modified().ok());
    times.all(|changed| changed <= built).then_some(zip)
}

/// Whether no build tool has left classes, and none but javac would: there are sources, and no other tool's build file.
pub(super) fn is_left_to_javac(project: &Project) -> bool {
    let found = find(project);
    matches!(found, Err(crate::error::Error::Bundle(Error::NotBuilt { command: Some(("javac", _)), .. })))
}

/// Why a zip is absent that lies where those of a project do; nothing for one of nobody.
///
/// # Errors
/// The description is malformed.
pub(crate) fn zip_not_built(zip: &Path) -> Result<Option<Error>> {
    let Some(folder) = zip.parent().filter(|folder| folder.ends_with(OUTPUT)) else { return Ok(None) };
    let folder: PathBuf = folder.iter().take(folder.iter().count() - Path::new(OUTPUT).iter().count()).collect();
    let Some(project) = Project::find(&folder)? else { return Ok(None) };
    let (zip, described) = (zip.to_owned(), FileNames::of(&project.toml.id, &project.toml.version).zip);
    let other = (zip.file_name() != Some(described.as_ref())).then_some((project.origin.clone(), described));
    let command = match find(&project) {
        Err(crate::error::Error::Bundle(Error::NotBuilt { command: Some(("javac", command)), .. })) => command,
        Err(crate::error::Error::Bundle(Error::NotBuilt { command: Some((_, command)), .. })) => {
            format!("{command} && {}", project.build_command(false))
        }
        _ => project.build_command(false),
    };
    Ok(Some(Error::ZipNotBuilt { zip, command, other }))
}

/// Warns when a source was changed after everything in `roots` was compiled.
pub(super) fn warn_of_changes(project: &Project, roots: &[PathBuf], printer: &Printer) {
    let compiled = roots.iter().filter_map(|root| newest(root, "class")).map(|(time, _)| time).max();
    let changed = sources(project).iter().filter_map(|folder| newest(folder, "java")).max();
    if let (Some(compiled), Some((time, source))) = (compiled, changed)
        && time > compiled
    {
        printer
            .warning(&format!("`{}` was changed after the classes were compiled: compile it again", source.display()));
    }
}

/// The file of that kind that was changed last.
fn newest(folder: &Path, extension: &str) -> Option<(SystemTime, PathBuf)> {
    let files = WalkDir::new(folder).follow_links(true).into_iter().filter_map(Result::ok);
    let of_kind = files.filter(|entry| entry.path().extension().is_some_and(|found| found == extension));
    of_kind.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.into_path()))).max()
}

fn not_built(project: &Project, tool: Option<&Tool>, missing: PathBuf) -> crate::error::Error {
    let command = match tool {
        Some(tool) if !tool.command.is_empty() => Some((tool.name, tool.command.clone())),
        _ if has_sources(project) => Some(("javac", project.build_command(true))),
        _ => None,
    };
    Error::NotBuilt { at: project.origin.clone(), missing, command }.into()
}

/// The tools that the project may be built by, those with a build file first.
fn tools(project: &Project) -> Vec<Tool> {
    let folder = &project.folder;
    let has = |name: &str| folder.join(name).is_file();
    let command = |wrapper: &str, tool: &str, task: &str| {
        let program = if has(wrapper) { format!("./{wrapper}") } else { tool.to_owned() };
        let text = format!("{program} {task}");
        if folder.as_os_str().is_empty() || folder == Path::new(".") {
            text
        } else {
            format!("(cd {} && {text})", shell::quoted(folder))
        }
    };
    let mut tools = Vec::new();
    if has("pom.xml") {
        let command = command("mvnw", "mvn", "package");
        tools.push(Tool { name: "Maven", command, folders: vec![folder.join(MAVEN)] });
    }
    if has("build.gradle") || has("build.gradle.kts") {
        let languages = GRADLE_LANGUAGES.iter().map(|language| folder.join(format!("build/classes/{language}/main")));
        let folders = languages.chain([folder.join("build/resources/main")]).collect();
        tools.push(Tool { name: "Gradle", command: command("gradlew", "gradle", "classes"), folders });
    }
    if tools.is_empty() {
        let plain = |name| Tool { name: "javac", command: String::new(), folders: vec![folder.join(name)] };
        tools.extend(PLAIN.map(plain));
    }
    tools
}

/// What follows the folder of compiled classes in a path or pattern of the description; nothing if it does not begin with one.
pub(super) fn without_folder<'t>(project: &Project, text: &'t str) -> Option<&'t str> {
    let text = text.strip_prefix("./").unwrap_or(text);
    let gradle = GRADLE_LANGUAGES.iter().map(|language| format!("build/classes/{language}/main"));
    let usual = gradle.chain([MAVEN].into_iter().chain(PLAIN).map(str::to_owned));
    let given = project.toml.classes.iter().map(|path| path.trim_start_matches("./").trim_end_matches('/').to_owned());
    given.chain(usual).find_map(|folder| text.strip_prefix(&folder)?.strip_prefix('/')).filter(|rest| !rest.is_empty())
}

/// Checks that `output` is in none of `roots`.
///
/// # Errors
/// It is.
pub(super) fn check_outside(output: &Path, roots: &[PathBuf]) -> Result<()> {
    let real = existing(output)?;
    for root in roots.iter().filter(|root| root.is_dir()) {
        if real.starts_with(root.canonicalize()?) {
            return Err(Error::OutputWithin { output: output.to_owned(), root: root.clone() }.into());
        }
    }
    Ok(())
}

/// The real path of the part of `path` that exists, with the rest of it.
fn existing(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    for folder in absolute.ancestors() {
        if let (Ok(real), Ok(rest)) = (folder.canonicalize(), absolute.strip_prefix(folder)) {
            return Ok(real.join(rest));
        }
    }
    Ok(absolute)
}

/// Whether a folder has a class file somewhere.
fn has_classes(folder: &Path) -> bool {
    has_file(folder, "class")
}

/// Whether the project has sources that `--compile` would find.
fn has_sources(project: &Project) -> bool {
    sources(project).iter().any(|folder| has_file(folder, "java"))
}

/// The folders of sources.
pub(super) fn sources(project: &Project) -> Vec<PathBuf> {
    if project.toml.sources.is_empty() {
        return vec![project.folder.join(SOURCES)];
    }
    project.toml.sources.iter().map(|path| project.resolve(path)).collect()
}

fn has_file(folder: &Path, extension: &str) -> bool {
    // What cannot be read is missed by those who read it in full.
    let mut files = WalkDir::new(folder).follow_links(true).into_iter().filter_map(Result::ok);
    files.any(|entry| entry.file_type().is_file() && entry.path().extension().is_some_and(|found| found == extension))
}
