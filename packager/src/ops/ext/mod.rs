//! `fatagent ext …` and `fatagent policy explain`: the extensions that there are, and what decides about them.
//!
//! Discovery, configuration and decisions are those of the crate `extensions`, which the agent asks as well.

mod show;
mod write;

use std::path::{Path, PathBuf};

use extensions::{Container, ContainerFile, Extension, Host, Request, Resolved, configuration, decision};
use manifests::arguments::AgentArguments;
use manifests::manifest::attribute;

use crate::error::{Error, Result};
use crate::printer::Printer;

pub use write::{Switch, switch};

/// Which extensions are meant, and what decides about them.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Agent jars, extensions and folders of extensions; those of this computer where there is none.
    pub paths: Vec<PathBuf>,
    /// The agent jar whose embedded extensions, settings and policy count.
    pub agent: Option<PathBuf>,
    /// Folders of `--ext-path`.
    pub ext_path: Vec<PathBuf>,
    /// Ids of `--ext`: only these are on.
    pub ext: Vec<String>,
    /// Whether what comes with the agent is left out.
    pub no_builtin: bool,
    /// The policy, instead of the first one found.
    pub policy: Option<PathBuf>,
    /// `extensions.conf`, instead of the first one found.
    pub config: Option<PathBuf>,
    /// Agent arguments.
    pub arguments: Option<String>,
}

/// What can be wrong with what is asked of extensions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtError {
    /// There is no extension of that id.
    #[error("no such extension: `{id}`")]
    Unknown {
        /// The id.
        id: String,
        /// The id that resembles it most.
        nearest: Option<String>,
    },
    /// Nobody says where the file to be written is.
    #[error("there is no home folder for `{file}`")]
    NoHome {
        /// Name of the file.
        file: &'static str,
    },
    /// The file to be written is malformed.
    #[error("cannot change `{}`", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<manifests::Error>,
    },
}

impl ExtError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::Unknown { nearest: None, .. } => "`fatagent ext list` shows those that there are".to_owned(),
            Self::NoHome { .. } => "set `HOME`, or name the file with `--file`".to_owned(),
            Self::Malformed { source, .. } => {
                source.hint().unwrap_or_else(|| "correct it by hand, or remove it".to_owned())
            }
        }
    }
}

/// This process, without the JVM that would run the agent.
fn host(options: &Options) -> Result<Host> {
    let mut host = Host::of_process();
    for (name, path) in [(decision::PROPERTY, &options.policy), (configuration::PROPERTY, &options.config)] {
        let Some(path) = path else { continue };
        if !path.exists() {
            return Err(Error::FileMissing { path: path.clone() });
        }
        host.properties.push((name.to_owned(), path.to_string_lossy().into_owned()));
    }
    Ok(host)
}

fn arguments(options: &Options) -> Result<AgentArguments> {
    let mut arguments = AgentArguments::parse(options.arguments.as_deref().unwrap_or_default())?;
    let joined = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(";");
    if !options.ext_path.is_empty() {
        arguments.set("extPath", Some(&joined(&options.ext_path)))?;
    }
    if !options.ext.is_empty() {
        arguments.set("ext", Some(&options.ext.join(",")))?;
    }
    if options.no_builtin {
        arguments.set("noBuiltinExt", None)?;
    }
    Ok(arguments)
}

/// Finds the extensions that are meant, and decides about them.
///
/// # Errors
/// A path does not exist or is nothing of an extension, or the arguments are malformed.
pub fn resolve(options: &Options) -> Result<(Resolved, AgentArguments)> {
    let (mut agents, mut only) = (Vec::new(), Vec::new());
    for path in options.agent.iter().chain(&options.paths) {
        if !path.exists() {
            return Err(Error::FileMissing { path: path.clone() });
        }
        let is_agent = options.agent.as_ref() == Some(path);
        match path.is_file().then(|| ContainerFile::open(path)).transpose() {
            Ok(Some(jar)) if is_agent || embeds(&jar) => agents.push(jar),
            Err(error) if is_agent => return Err(error.into()),
            _ => {
                // What is nothing of an extension is an error here, where somebody named it.
                extensions::at(path)?;
                only.push(path.clone());
            }
        }
    }
    let arguments = arguments(options)?;
    let request = Request {
        host: host(options)?,
        containers: agents.iter().map(|agent| agent as &dyn Container).collect(),
        arguments: arguments.clone(),
        only: (!options.paths.is_empty()).then_some(only),
        ..Request::default()
    };
    Ok((extensions::resolve(&request), arguments))
}

/// Whether a jar is an agent, which may embed extensions.
fn embeds(jar: &ContainerFile) -> bool {
    [attribute::BTRACE_EMBEDDED_EXTENSIONS, attribute::BTRACE_BUILD_ID, attribute::PREMAIN_CLASS]
        .iter()
        .any(|name| jar.attribute(name).is_some())
}

/// Lists extensions, where they are, and whether they can be used.
///
/// # Errors
/// As [`resolve`].
pub fn list(options: &Options, printer: &Printer) -> Result<Resolved> {
    let (resolved, _) = resolve(options)?;
    report(&resolved, printer);
    show::list(&resolved, printer);
    Ok(resolved)
}

/// Shows everything about extensions: those at paths, or one of those that there are by its id.
///
/// # Errors
/// As [`resolve`]; there is no such extension.
pub fn inspect(what: &[String], options: &Options, printer: &Printer) -> Result<()> {
    let (paths, ids): (Vec<&String>, Vec<&String>) =
        what.iter().partition(|what| Path::new(what).exists() || what.contains(['/', '\\']));
    let mut chosen: Vec<Extension> = Vec::new();
    if !paths.is_empty() {
        let options = Options { paths: paths.iter().map(PathBuf::from).collect(), ..options.clone() };
        let (resolved, _) = resolve(&options)?;
        report(&resolved, printer);
        chosen.extend(resolved.extensions);
    }
    if !ids.is_empty() {
        let (resolved, _) = resolve(options)?;
        for id in ids {
            chosen.push(resolved.by_id(id).cloned().ok_or_else(|| unknown(id, &resolved))?);
        }
    }
    show::inspect(&chosen, printer);
    Ok(())
}

/// Explains for each extension what the policy decides about each of its permissions, and why.
///
/// # Errors
/// As [`resolve`].
pub fn explain(options: &Options, printer: &Printer) -> Result<Resolved> {
    let (resolved, arguments) = resolve(options)?;
    report(&resolved, printer);
    show::explain(&resolved, &arguments, printer);
    Ok(resolved)
}

fn report(resolved: &Resolved, printer: &Printer) {
    resolved.reports.iter().for_each(|report| printer.warning(report));
}

fn unknown(id: &str, resolved: &Resolved) -> Error {
    let known = resolved.extensions.iter().map(|extension| extension.metadata.id.as_str());
    let nearest = manifests::suggest::nearest(id, known).map(str::to_owned);
    ExtError::Unknown { id: id.to_owned(), nearest }.into()
}

#[cfg(test)]
mod tests {
    use super::ExtError;

    #[test]
    fn every_error_says_what_to_do() {
        let source = || Box::new(manifests::Error::ManifestContinuation { line: 3 });
        for (error, message, hint) in [
            (
                ExtError::Unknown { id: "acme".into(), nearest: Some("acme-x".into()) },
                "no such extension: `acme`",
                "did you mean `acme-x`?",
            ),
            (
                ExtError::NoHome { file: "extensions.conf" },
                "there is no home folder for `extensions.conf`",
                "set `HOME`, or name the file with `--file`",
            ),
            (
                ExtError::Malformed { path: "p".into(), source: source() },
                "cannot change `p`",
                "remove the space at the start of the line",
            ),
        ] {
            assert_eq!((error.to_string().as_str(), error.hint().as_str()), (message, hint));
        }
    }
}
