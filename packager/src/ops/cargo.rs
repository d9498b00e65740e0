//! `cargo fatagent …`: builds what Cargo packages describe, with the shared libraries of those that have one.

use std::path::{Path, PathBuf};

use cargo_metadata::Package;

use crate::archive::Limits;
use crate::assemble::{EntryTime, Written};
use crate::bundle::{self, Files};
use crate::cargo_driver::{self, CargoOptions, Error, Workspace};
use crate::cargo_package::{CARGO_TOML, Described};
use crate::config::Config;
use crate::error::Result;
use crate::extension::project::Project;
use crate::ops::build::embed;
use crate::ops::{build, extension, verify};
use crate::paths;
use crate::printer::Printer;

/// Builds the agent that a package describes. Without `options.output` it goes to `fatagent/<profile>` in cargo's own target
/// folder; `options.file` is not used.
///
/// Extensions that it embeds by their paths, and members of the workspace that `options.embed` or `[discover] default` select,
/// are built with their shared libraries.
///
/// # Errors
/// No package or several describe an agent, one does not compile, or as [`build::build`].
pub fn build(cargo: &CargoOptions, options: &build::Options, printer: &Printer) -> Result<Written> {
    let time = EntryTime::from_environment()?;
    let workspace = Workspace::read(cargo.manifest_path.as_deref())?;
    let package = workspace.select(Described::Agent, cargo.package.as_deref())?;
    let mut config = Config::load(Some(&description(package, Described::Agent)))?;
    config.members = workspace.extension_folders();
    let folders = embed::folders(&config, options.embed.as_deref(), printer)?;
    let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    let supplied = cargo_driver::build(&workspace, &folders, cargo, printer)?;
    config.supplies = supplied.into_iter().map(|(folder, supplied)| (folder.to_owned(), supplied)).collect();
    let agent = &mut config.toml.agent;
    if agent.targets.is_none() && agent.layout.is_none() && !cargo.targets.is_empty() {
        agent.targets = Some(cargo.targets.iter().map(|triple| cargo_driver::core_target(triple)).collect());
    }
    let mut options = options.clone();
    if options.output.is_none() {
        let folder = workspace.output(cargo);
        fs_err::create_dir_all(&folder)?;
        options.output = Some(folder.join(format!("{}.jar", config.toml.agent.name)));
    }
    build::described(&config, &options, time, printer)
}

/// What to build of extensions.
#[derive(Debug, Clone, Default)]
pub struct ExtensionOptions {
    /// All members of the workspace that describe an extension.
    pub workspace: bool,
    /// Folder of the output; `fatagent/<profile>` in cargo's own target folder when absent.
    pub output: Option<PathBuf>,
    /// Compiles the sources although a build tool has left classes.
    pub compile: bool,
    /// The limits of reading.
    pub limits: Limits,
}

/// Builds the extension that a package describes, or those of the whole workspace, with their shared libraries.
///
/// # Errors
/// No package or several describe an extension, one does not compile, or as [`extension::build::build`].
pub fn extension(cargo: &CargoOptions, options: &ExtensionOptions, printer: &Printer) -> Result<Vec<Files>> {
    let workspace = Workspace::read(cargo.manifest_path.as_deref())?;
    let packages = match workspace.all(Described::Extension) {
        all if options.workspace && !all.is_empty() => all,
        _ => vec![workspace.select(Described::Extension, cargo.package.as_deref())?],
    };
    // Before cargo runs: what is wrong with a description is known at once.
    let mut projects: Vec<Project> = Vec::new();
    for package in &packages {
        projects.push(Project::load(&description(package, Described::Extension))?);
    }
    let folders: Vec<&Path> = projects.iter().map(|project| paths::or_current(&project.folder)).collect();
    let mut supplied: Vec<_> = Vec::new();
    for (folder, built) in cargo_driver::build(&workspace, &folders, cargo, printer)? {
        supplied.push((folder.to_owned(), built));
    }
    let output = options.output.clone().unwrap_or_else(|| workspace.output(cargo));
    let mut all = Vec::new();
    for mut project in projects {
        let own = supplied.iter().find(|(folder, _)| folder == paths::or_current(&project.folder));
        project.supplied = own.map(|(_, supplied)| supplied.clone()).unwrap_or_default();
        let compiling = options.compile || bundle::needs_compiler(&project);
        all.push(extension::build::described(&project, &output, compiling, options.limits, printer)?);
    }
    Ok(all)
}

/// The zip that [`extension`] writes for a package.
///
/// # Errors
/// No package or several describe an extension.
pub fn extension_zip(cargo: &CargoOptions) -> Result<PathBuf> {
    let workspace = Workspace::read(cargo.manifest_path.as_deref())?;
    let package = workspace.select(Described::Extension, cargo.package.as_deref())?;
    let toml = Project::load(&description(package, Described::Extension))?.toml;
    Ok(workspace.output(cargo).join(bundle::FileNames::of(&toml.id, &toml.version).zip))
}

/// Checks an agent: `jar`, or the one that [`build`] puts into cargo's target folder.
///
/// # Errors
/// It is not built, or is not whole.
pub fn verify(
    cargo: &CargoOptions,
    jar: Option<&Path>,
    options: &verify::Options,
    printer: &Printer,
) -> Result<verify::Report> {
    if let Some(jar) = jar {
        return verify::verify_with(jar, options, printer);
    }
    let workspace = Workspace::read(cargo.manifest_path.as_deref())?;
    let package = workspace.select(Described::Agent, cargo.package.as_deref())?;
    let config = Config::load(Some(&description(package, Described::Agent)))?;
    let jar = workspace.output(cargo).join(format!("{}.jar", config.toml.agent.name));
    if !jar.exists() {
        let profile = match cargo.profile.as_deref() {
            None => String::new(),
            Some("release") => " --release".to_owned(),
            Some(profile) => format!(" --profile {profile}"),
        };
        return Err(Error::NotBuilt { jar, profile }.into());
    }
    verify::verify_with(&jar, options, printer)
}

/// The file of a package that describes what is wanted: one beside its manifest, else the manifest.
fn description(package: &Package, wanted: Described) -> PathBuf {
    let manifest = package.manifest_path.as_std_path();
    let beside = manifest.with_file_name(wanted.file());
    let file = if beside.is_file() { beside } else { manifest.with_file_name(CARGO_TOML) };
    paths::relative_to_current(&file).to_owned()
}
