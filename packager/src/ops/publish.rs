//! `fatagent extension publish` and `fatagent publish`: puts extensions and agents where Maven finds them.

use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use super::extension::build::OUTPUT;
use crate::archive::Limits;
use crate::bundle::FileNames;
use crate::error::Result;
use crate::extension::project::Project;
use crate::printer::Printer;
use crate::publish::{self, Component, Error, Given, How, Outcome, Target};

/// What to publish, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The jar of an agent, or the zip of an extension, or the project that it was built from; that in the current folder by
    /// default.
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
    let of_project =
        options.file.as_deref().is_none_or(|file| file.is_dir() || file.extension() == Some("toml".as_ref()));
    let file = options.file.as_deref().unwrap_or(Path::new(""));
    let project = match options.given.group {
        _ if of_project => Some(Project::load(file)?),
        // The zip may have been built from the project here, which then gives the group.
        None => Project::find(Path::new(""))?,
        Some(_) => None,
    };
    let zip = match &project {
        Some(Project { toml, folder, .. }) if of_project => {
            folder.join(OUTPUT).join(FileNames::of(&toml.id, &toml.version).zip)
        }
        _ => file.to_owned(),
    };
    if of_project && !zip.exists() {
        return Err(Error::NotBuilt { zip }.into());
    }
    let toml = project.as_ref().map(|project| &project.toml);
    let described = publish::extension(&zip, &options.given, toml, options.limits)?;
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
