//! `fatagent sdk install`: what extensions, probes and build tools need, as a Maven repository.

use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use crate::carried;
use crate::error::{Error, Result};
use crate::maven::Repository;
use crate::printer::Printer;
use crate::publish::{self, Component, Outcome};

/// Writes the SDK, this program and the Gradle plugins that it carries into `folder`, a Maven repository; into the local one
/// of this user where none is named. Files of another build of the same version are replaced, others are left alone.
///
/// # Errors
/// The repository cannot be read or written.
pub fn write(folder: Option<&Path>, printer: &Printer) -> Result<Outcome> {
    let folder = folder.map_or_else(|| Repository::local().map(Repository::into_folder), |path| Ok(path.to_owned()))?;
    let components = carried::components(&program()?);
    let outcome = publish::install(&components, &folder)?;
    for component in &components {
        report(component, &outcome, &folder, printer);
    }
    if !carried::has_gradle_plugins() {
        let plugin = folder.join(carried::gradle_plugin().version_folder().trim_end_matches('/'));
        let there = if plugin.is_dir() {
            format!("; those of another build stay: `{}`", plugin.display())
        } else {
            String::new()
        };
        printer.warning(&format!(
            "this fatagent was built without the Gradle plugins{there}; hint: take a released one, or set \
             `FATAGENT_GRADLE_PLUGIN` to their jar when it is built"
        ));
    }
    let files: Vec<String> = components.iter().flat_map(Component::files).map(|file| file.to_string()).collect();
    for file in &files {
        printer.text(file);
    }
    let mut fields = Map::new();
    fields.insert("to".into(), folder.display().to_string().into());
    fields.insert("coordinates".into(), json!(files));
    fields.insert("written".into(), json!(outcome.written));
    fields.insert("unchanged".into(), json!(outcome.unchanged));
    fields.insert("replaced".into(), json!(outcome.replaced));
    printer.json("installed", fields);
    Ok(outcome)
}

/// This program's own file.
fn program() -> Result<PathBuf> {
    std::env::current_exe().map_err(Error::Io)
}

fn report(component: &Component, outcome: &Outcome, folder: &Path, printer: &Printer) {
    let start = component.version_folder();
    let of = |paths: &[String]| paths.iter().any(|path| path.starts_with(&start));
    let verb = if of(&outcome.written) { "Installed" } else { "Unchanged" };
    printer.status(verb, &format!("{} in {}", component.coordinates(), folder.display()));
    if of(&outcome.replaced) {
        printer.warning(&format!("{} of another build was there and is replaced", component.coordinates()));
    }
}
