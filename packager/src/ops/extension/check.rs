//! `fatagent extension check`: whether an extension fits releases of the application's library.

use std::path::{Path, PathBuf};

use manifests::coordinates::Coordinates;
use serde_json::{Map, Value, json};

use crate::against::{self, Answers, Demand, Demands, Kind, Verdict};
use crate::archive::Limits;
use crate::bundle;
use crate::error::{Error, Result};
use crate::extension::Extension;
use crate::extension::project::Project;
use crate::maven::Repository;
use crate::paths;
use crate::printer::Printer;

/// What to check, against what.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The extension's zip or folder; the current folder where it is empty.
    pub extension: PathBuf,
    /// Releases: `group:artifact:version` of the local Maven repository, or paths of jars.
    pub against: Vec<String>,
    /// Jars that every release stands on.
    pub class_path: Vec<PathBuf>,
    /// Packages and classes, dotted, and beginnings of probe patterns, that are not asked for.
    pub ignored: Vec<String>,
    /// Limits of reading.
    pub limits: Limits,
}

/// Why an extension does not fit.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// Something does not resolve; what and where was printed.
    #[error("extension `{id}` does not fit all releases, unresolved: {unresolved}, releases: {releases}")]
    Unresolved {
        /// The extension.
        id: String,
        /// Demands that some release does not meet.
        unresolved: usize,
        /// Releases that do not meet one.
        releases: usize,
    },
    /// The extension asks for nothing that a release could have.
    #[error("extension `{id}` names nothing that an application's library could have")]
    NothingAsked {
        /// The extension.
        id: String,
    },
}

impl CheckError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Unresolved { .. } => {
                "name what all releases have, or look it up with `tryLoad`; give jars that the library stands on with \
                 `--class-path`, and leave out what is not its own with `--ignore`, which takes packages, classes and beginnings of \
                 probe patterns such as `/org\\.acme`"
                    .into()
            }
            Self::NothingAsked { .. } => {
                "check an extension whose implementation or probes name the application".into()
            }
        }
    }
}

/// Checks an extension and prints what does not resolve.
///
/// # Errors
/// The extension or a release cannot be read, the extension asks for nothing, or a release lacks something.
pub fn check(options: &Options, printer: &Printer) -> Result<()> {
    let extension = extension(&options.extension, options.limits, printer)?;
    let id = extension.id().to_owned();
    let demands = against::demands(&extension, &options.ignored)?;
    if demands.all.is_empty() {
        return Err(CheckError::NothingAsked { id }.into());
    }
    let mut answers = Vec::new();
    for release in &options.against {
        let jar = jar_of(release)?;
        answers.push(against::ask(&demands, release.clone(), &jar, &options.class_path, options.limits)?);
    }
    show(&id, &demands, &answers, printer);
    let fails = |(demand, verdict): (&Demand, &Verdict)| matches!(verdict, Verdict::Missing(_)) && !demand.optional;
    let unresolved = |answers: &Answers| demands.all.iter().zip(&answers.verdicts).filter(|pair| fails(*pair)).count();
    let releases = answers.iter().filter(|answers| unresolved(answers) > 0).count();
    if releases == 0 {
        return Ok(());
    }
    let failing = |number: usize, demand: &Demand| {
        answers.iter().any(|answers| answers.verdicts.get(number).is_some_and(|verdict| fails((demand, verdict))))
    };
    let unresolved = demands.all.iter().enumerate().filter(|(number, demand)| failing(*number, demand)).count();
    Err(CheckError::Unresolved { id, unresolved, releases }.into())
}

/// The extension at `path`: a zip, the description of a project, or a folder with its project or with its compiled classes.
///
/// # Errors
/// It is none, or cannot be read.
pub(super) fn extension(path: &Path, limits: Limits, printer: &Printer) -> Result<Extension> {
    if is_description(path) {
        bundle::embedded(&Project::load(path)?, limits, printer)
    } else if path.is_file() {
        Extension::from_zip(path, limits)
    } else {
        bundle::of_folder(paths::or_current(path), None, limits, printer)
    }
}

/// Whether a path is that of an `extension.toml` or a `Cargo.toml`, whatever it is called.
pub(super) fn is_description(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// The jar of a release.
fn jar_of(release: &str) -> Result<PathBuf> {
    let path = PathBuf::from(release);
    if path.is_file() {
        return Ok(path);
    }
    match release.parse::<Coordinates>() {
        Ok(coordinates) => Repository::local()?.find(&coordinates, "--against"),
        Err(_) => Err(Error::FileMissing { path }),
    }
}

fn show(id: &str, demands: &Demands, answers: &[Answers], printer: &Printer) {
    let count = |kind| demands.all.iter().filter(|demand| demand.kind == kind).count();
    let kinds = [Kind::Reference, Kind::LookUp, Kind::Pattern];
    let counts: Vec<String> = kinds.iter().map(|kind| format!("{}s: {}", kind.word(), count(*kind))).collect();
    printer.text(&format!("extension {id}: {}", counts.join(", ")));
    for one in &demands.computed {
        printer.detail(&format!("not checked, computed: {one}"));
    }
    if !demands.computed.is_empty() {
        let count = demands.computed.len();
        printer.warning(&format!("look-ups whose names are computed and cannot be checked: {count} (-v lists them)"));
    }
    let mut releases = Vec::new();
    for answer in answers {
        let mut missing = Vec::new();
        let mut unknown = 0_usize;
        let mut lines = Vec::new();
        for (demand, verdict) in demands.all.iter().zip(&answer.verdicts) {
            let Demand { what, kind, place, optional } = demand;
            match verdict {
                Verdict::Resolved => {}
                Verdict::Unknown(outside) => {
                    unknown += 1;
                    printer.detail(&format!(
                        "not checked in {}: {what}: `{}` is outside",
                        answer.label,
                        dotted(outside)
                    ));
                }
                Verdict::Missing(reason) => {
                    let may = if *optional { ", which may be missing" } else { "" };
                    lines.push(format!("  {} {what} at {place}{may}: {reason}", kind.word()));
                    missing.push(json!({
                        "kind": kind.word(), "what": what.to_string(), "place": place, "optional": optional, "reason": reason,
                    }));
                }
            }
        }
        if unknown > 0 {
            printer.warning(&format!(
                "what {} may inherit from classes outside of it cannot be checked: {unknown} (-v lists them, `--class-path` \
                 brings the classes)",
                answer.label
            ));
        }
        let resolved = demands.all.len() - missing.len() - unknown;
        printer.text(&format!(
            "{}: resolved: {resolved}, missing: {}, not checked: {unknown}",
            answer.label,
            missing.len()
        ));
        for line in lines {
            printer.text(&line);
        }
        releases.push(json!({
            "release": answer.label, "resolved": resolved, "not-checked": unknown, "missing": missing,
        }));
    }
    let mut fields = Map::new();
    fields.insert("extension".into(), id.into());
    fields.insert("demands".into(), json!(demands.all.len()));
    fields.insert("computed".into(), demands.computed.iter().map(String::as_str).collect::<Value>());
    fields.insert("releases".into(), Value::Array(releases));
    printer.json("check", fields);
}

fn dotted(name: &str) -> String {
    name.replace('/', ".")
}
