//! `fatagent extension publish` and `fatagent publish`: puts extensions and agents where Maven finds them.

use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use crate::archive::Limits;
use crate::error::Result;
use crate::extension::project::Project;
use crate::printer::Printer;
use crate::publish::{self, Component, Error, Given, How, Outcome, Target};

/// What to publish, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The jar of an agent, or the zip of an extension; that of the project in the current folder by default.
    pub file: Option<PathBuf>,
    /// What is given beside it.
    pub given: Given,
    /// Where to, as whom, and whether it is signed.
    pub how: How,
    /// The limits of reading.
    pub limits: Limits,
}

/// Publishes an extension: its zip, and its API jar for those who write probes.
///
/// # Errors
/// There is no zip, it is no extension, or it cannot be published.
pub fn extension(options: &Options, printer: &Printer) -> Result<Outcome> {
    let mut given = options.given.clone();
    let project = match &options.file {
        None => Some(Project::load(Path::new(""))?),
        // The group is that of the project that the zip was built from.
        Some(_) if given.group.is_none() => Project::find(Path::new(""))?,
        Some(_) => None,
    };
    let zip = match (&options.file, &project) {
        (None, Some(project)) => {
            project.resolve(&format!("{}-{}-extension.zip", project.toml.id, project.toml.version))
        }
        (file, _) => file.clone().unwrap_or_default(),
    };
    if options.file.is_none() && !zip.exists() {
        return Err(Error::NotBuilt { zip }.into());
    }
    if given.group.is_none()
        && let Some(project) = &project
    {
        let own = options.file.is_none()
            || zip.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{}-", project.toml.id)));
        given.group = project.toml.group.clone().filter(|_| own);
    }
    let described = publish::extension(&zip, &given, options.limits)?;
    run(&described.components, &described.notes, &options.how, printer)
}

/// Publishes the jar of an agent.
///
/// # Errors
/// The jar is no agent, or it cannot be published.
pub fn agent(options: &Options, printer: &Printer) -> Result<Outcome> {
    let jar = options.file.clone().unwrap_or_default();
    let described = publish::agent(&jar, &options.given, options.limits)?;
    run(&described.components, &described.notes, &options.how, printer)
}

fn run(components: &[Component], notes: &[String], how: &How, printer: &Printer) -> Result<Outcome> {
    for note in notes {
        printer.warning(note);
    }
    if let Target::Bundle(_) = &how.target {
        let missing = publish::missing_in_bundle(components, how);
        if !missing.is_empty() {
            printer.warning(&format!("the portal of Maven Central takes no bundle without {}", missing.join(", ")));
        }
    }
    let outcome = publish::publish(components, how)?;
    let to = match &how.target {
        Target::Repository(to) | Target::Bundle(to) => to.display().to_string(),
    };
    for component in components {
        let verb = if outcome.written.is_empty() { "Unchanged" } else { "Published" };
        printer.status(verb, &format!("{} in {to}", component.coordinates()));
    }
    if outcome.written.is_empty() {
        printer.status("Nothing", "to do: the repository has the same files already");
    }
    for path in &outcome.written {
        printer.detail(path);
    }
    for path in &outcome.unchanged {
        printer.detail(&format!("{path} is there already"));
    }
    let files: Vec<String> = components.iter().flat_map(Component::files).map(|file| file.to_string()).collect();
    for file in &files {
        printer.text(file);
    }
    let mut fields = Map::new();
    fields.insert("to".into(), to.into());
    fields.insert("coordinates".into(), json!(files));
    fields.insert("written".into(), json!(outcome.written));
    fields.insert("unchanged".into(), json!(outcome.unchanged));
    printer.json("published", fields);
    Ok(outcome)
}
