//! What `agent.toml` says of a foreign jar, checked before anything is read.

use manifests::agent_toml::{self, Base, Location, Versions};

use super::Error as ForeignError;
use super::sections::{Section, Sections};
use crate::archive::check_name;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::paths;

/// Folder of service files, wherever a loader's resources begin.
const SERVICES: &str = "META-INF/services";
/// Folder of versioned copies.
const VERSIONS: &str = "META-INF/versions";

/// A section as it is described.
#[derive(Debug)]
pub(super) struct Described<'a> {
    /// Its folder and suffix.
    pub(super) section: Section,
    /// Its table.
    pub(super) table: &'a agent_toml::Section,
}

/// The sections of `agent.toml`, in its order.
///
/// # Errors
/// A section, or something beside it, is not one of a foreign jar.
pub(super) fn read(config: &Config) -> Result<Vec<Described<'_>>> {
    refuse_other_layouts(config)?;
    let toml = &config.toml;
    // What is included may come from the jars of sections.
    let bootstrap =
        toml.bootstrap.as_ref().is_some_and(|bootstrap| !(bootstrap.from.is_empty() && bootstrap.include.is_empty()));
    if !matches!(toml.agent.base, Base::File(_)) && !bootstrap {
        return Err(ForeignError::NoInput { at: toml.agent.at.to_string() }.into());
    }
    let mut described: Vec<Described<'_>> = Vec::new();
    for table in &toml.sections {
        let folder = folder(&table.path, &table.at, "a section")?;
        refuse_reserved(&folder, table)?;
        suffix(table)?;
        if described.iter().any(|other| other.section.folder == folder) {
            let (at, path) = (table.at.to_string(), table.path.clone());
            return Err(ForeignError::SectionTwice { at, path }.into());
        }
        described.push(Described { section: Section { folder, suffix: table.suffix.clone() }, table });
    }
    Ok(described)
}

/// A path that is given as a folder of the jar, with one slash at its end.
///
/// # Errors
/// It is none, or leads out of the jar.
pub(super) fn folder(path: &str, at: &Location, what: &'static str) -> Result<String> {
    let bad = |problem: String| ForeignError::Folder { at: at.to_string(), path: path.to_owned(), what, problem };
    let folder = path.strip_suffix('/').unwrap_or(path);
    check_name(folder.as_bytes()).map_err(|problem| bad(problem.to_string()))?;
    if folder.ends_with('/') {
        return Err(bad("it holds an empty part".into()).into());
    }
    if folder.trim() != folder {
        return Err(bad("it begins or ends with a blank".into()).into());
    }
    Ok(format!("{folder}/"))
}

/// Refuses folders that mean something else to the JVM.
fn refuse_reserved(folder: &str, table: &agent_toml::Section) -> Result<()> {
    let name = folder.trim_end_matches('/');
    let below = |of: &str| name.eq_ignore_ascii_case(of) || folder.to_ascii_lowercase().starts_with(of);
    let problem = if name.eq_ignore_ascii_case("META-INF") {
        "the manifest of the jar is there"
    } else if below(&format!("{SERVICES}/").to_ascii_lowercase()) || name.eq_ignore_ascii_case(SERVICES) {
        "`ServiceLoader` takes all files there for lists of providers"
    } else if below(&format!("{VERSIONS}/").to_ascii_lowercase()) || name.eq_ignore_ascii_case(VERSIONS) {
        "the JVM takes what lies there for copies of other files"
    } else if table.versions == Versions::Root && folder.to_ascii_lowercase().starts_with("meta-inf/") {
        "with `versions = \"root\"` it would hold no copies, since the JVM looks for none of what is below `META-INF`"
    } else {
        return Ok(());
    };
    let (at, path) = (table.at.to_string(), table.path.clone());
    Err(ForeignError::Folder { at, path, what: "a section", problem: problem.into() }.into())
}

fn suffix(table: &agent_toml::Section) -> Result<()> {
    let suffix = &table.suffix;
    let problem = if !suffix.starts_with('.') {
        "does not begin with a dot"
    } else if suffix == paths::CLASS_SUFFIX {
        "would let every loader see the classes"
    } else if !suffix[1..].chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) || suffix.len() == 1 {
        "is not a dot with letters, digits, `-` and `_`"
    } else {
        return Ok(());
    };
    let (at, path) = (table.at.to_string(), table.path.clone());
    Err(ForeignError::Suffix { at, path, suffix: suffix.clone(), problem: problem.into() }.into())
}

/// Refuses what no foreign jar can have.
fn refuse_other_layouts(config: &Config) -> Result<()> {
    match config.toml.sections.iter().find(|table| table.parent.is_some()) {
        None => Ok(()),
        Some(table) => {
            let what = format!(
                "`parent` (the vendor's own loader decides) of the section `{}` with `layout = \"foreign\"`",
                table.path
            );
            Err(Error::NotSupported { at: table.at.to_string(), what })
        }
    }
}

/// Refuses a described section that the base has with another suffix, and joins both lists.
///
/// # Errors
/// The suffixes differ.
pub(super) fn join(described: &[Described<'_>], mut of_base: Sections) -> Result<Sections> {
    for Described { section, table } in described {
        if let Some(known) = of_base.sorted().into_iter().find(|known| known.folder == section.folder)
            && known.suffix != section.suffix
        {
            let problem = format!("differs from `{}` of the base", known.suffix);
            let (at, path, suffix) = (table.at.to_string(), table.path.clone(), table.suffix.clone());
            return Err(ForeignError::Suffix { at, path, suffix, problem }.into());
        }
        of_base.add(section.clone());
    }
    Ok(of_base)
}
