//! Finds and reads `agent.toml`, or the same tables of a `Cargo.toml`, and refuses what this version does not do yet.

use std::env;
use std::path::{Path, PathBuf};

use manifests::agent_toml::edit::Kind;
use manifests::agent_toml::{self, AgentToml, Base, Layout, Location};

use crate::cargo_package::{CARGO_TOML, CargoPackage, Described, PackageError};
use crate::error::{Error, Result};
use crate::extension::project::Supplies;
use crate::maven::Repository;
use crate::paths::parent;

/// The file that is looked for where none is named.
const AGENT_TOML: &str = "agent.toml";

// What this version acts on. Any other table or key is an error, since ignoring it would build another jar than the one that
// was described.

/// What every layout has.
const COMMON: [&str; 11] = [
    "agent",
    "agent.name",
    "agent.version",
    "agent.base",
    "agent.layout",
    "bootstrap",
    "bootstrap.from",
    "relocate",
    "relocate-literals",
    "manifest",
    "manifest.attributes",
];

/// What jars with sections have, and those that are checked once they are built.
const MASKING: [&str; 15] = [
    "bootstrap.include",
    "bootstrap.exclude",
    "section",
    "section.path",
    "section.suffix",
    "section.versions",
    "section.from",
    "section.exclude",
    "section.parent",
    "verify",
    "verify.max-size",
    "verify.min-classes",
    "verify.require",
    "verify.forbid",
    "verify.golden",
];

/// What only an agent with our Loader has.
const OURS: [&str; 12] = [
    "agent.targets",
    "extension",
    "extension.path",
    "extension.file",
    "extension.maven",
    "extension.relocate",
    "discover",
    "discover.members",
    "discover.default",
    "probes",
    "probes.include",
    "args",
];

/// The defaults that only a fat agent carries.
const DEFAULTS: [&str; 5] = ["config", "policy", "limits", "limits.maxMethods", "limits.maxEventsPerSecond"];

/// Jars outside the agent, which only our core puts on the JVM's paths.
const LIBRARIES: [&str; 4] =
    ["manifest.boot-libs", "manifest.system-libs", "manifest.libs-root", "manifest.libs-profile"];

/// What decides between two files of one path; a fat agent has no such files.
const MERGING: [&str; 1] = ["merge"];

/// Rules of one section; the sections of a fat agent are its own.
const MOVING: [&str; 1] = ["section.relocate"];

/// What only another vendor's jar, `layout = "foreign"`, has.
const ONLY_FOREIGN: [&str; 5] = ["files", "exclude", "flatten-versions", "generate", "verify.allow-both"];

/// Keys of its tables.
const OF_FOREIGN: [&str; 4] = ["files.from", "files.into", "generate.run", "generate.outputs"];

/// A read `agent.toml`.
#[derive(Debug)]
pub(crate) struct Config {
    /// Its contents.
    pub(crate) toml: AgentToml,
    /// What messages call the file.
    pub(crate) origin: String,
    /// The folder that paths in it are relative to.
    pub(crate) folder: PathBuf,
    /// Folders of extensions that can be selected beside those of `[discover]`: the members of a Cargo workspace.
    pub(crate) members: Vec<PathBuf>,
    /// What a driver built for extensions that it embeds by their paths.
    pub(crate) supplies: Supplies,
}

impl Config {
    /// Reads `file`, or what the current folder has: `agent.toml`, else a Cargo package with our tables.
    ///
    /// # Errors
    /// There is no such file, it is malformed, or it asks for something that this version does not do.
    pub(crate) fn load(file: Option<&Path>) -> Result<Self> {
        let config = match file {
            Some(file) if file.is_dir() => Self::in_folder(file)?,
            Some(file) if file.file_name().is_some_and(|name| name == CARGO_TOML) => {
                Self::from_cargo(&CargoPackage::of(file, Described::Agent)?)?
            }
            Some(file) => Self::from_agent_toml(file)?,
            None => Self::in_folder(Path::new(""))?,
        };
        refuse_unsupported(&config.toml)?;
        Ok(config)
    }

    fn in_folder(folder: &Path) -> Result<Self> {
        let file = folder.join(AGENT_TOML);
        if file.is_file() {
            return Self::from_agent_toml(&file);
        }
        match CargoPackage::around(folder, Described::Agent)? {
            Some(package) => Self::from_cargo(&package),
            None => Err(Error::NoAgentToml { folder: std::path::absolute(folder.join("."))? }),
        }
    }

    fn from_agent_toml(file: &Path) -> Result<Self> {
        if !file.exists() {
            return Err(Error::FileMissing { path: file.to_owned() });
        }
        let text = fs_err::read_to_string(file)?;
        let origin = file.display().to_string();
        let toml = AgentToml::parse(&text, &origin, &variable)?;
        Ok(Self { toml, origin, folder: parent(file), members: Vec::new(), supplies: Supplies::default() })
    }

    fn from_cargo(package: &CargoPackage) -> Result<Self> {
        let CargoPackage { folder, origin, text, name, version, described, extensions, library: _ } = package;
        if *described == Some(Described::Extension) {
            return Err(PackageError::DescribesExtension { at: origin.clone(), folder: folder.clone() }.into());
        }
        let about = agent_toml::CargoPackage { name: Some(name), version: Some(version) };
        match AgentToml::parse_cargo(text, origin, about, &variable)? {
            Some(toml) => Ok(Self {
                toml,
                origin: origin.clone(),
                folder: folder.clone(),
                members: extensions.clone(),
                supplies: Supplies::default(),
            }),
            None => Err(Error::NoAgentToml { folder: folder.clone() }),
        }
    }

    /// The file of `base`; nothing for the built-in one.
    ///
    /// # Errors
    /// The local Maven repository does not have it.
    pub(crate) fn base_file(&self) -> Result<Option<PathBuf>> {
        match &self.toml.agent.base {
            Base::Builtin => Ok(None),
            Base::File(path) => Ok(Some(self.resolve(path))),
            Base::Maven(coordinates) => {
                let at = self.toml.place_of("agent.base").to_string();
                Repository::local()?.find(coordinates, &at).map(Some)
            }
        }
    }

    /// A path of the file, relative to its folder.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }
}

/// A variable of the environment, for `${env:NAME}`.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Reads a description for nothing but its errors. What cargo knows of name and version is not asked for.
pub(crate) fn check(text: &str, origin: &str, kind: Kind) -> Result<()> {
    let toml = match kind {
        Kind::Agent => Some(AgentToml::parse(text, origin, &variable)?),
        Kind::Cargo => {
            let package = agent_toml::CargoPackage { name: Some("package"), version: Some("0.0.0") };
            AgentToml::parse_cargo(text, origin, package, &variable)?
        }
    };
    toml.as_ref().map_or(Ok(()), refuse_unsupported)
}

fn refuse_unsupported(toml: &AgentToml) -> Result<()> {
    let refuse = |at: &Location, what: String| Err(Error::NotSupported { at: at.to_string(), what });
    refuse_keys(toml)?;
    match toml.agent.layout {
        Some(Layout::Masked | Layout::Plain | Layout::Foreign) => {}
        Some(other) => return refuse(&toml.agent.at, format!("layout `{other:?}`").to_lowercase()),
        None if toml.bootstrap.is_some() || !toml.sections.is_empty() => {
            return refuse(&toml.agent.at, "`[bootstrap]` or `[[section]]` without `layout = \"masked\"`".to_owned());
        }
        None => {}
    }
    Ok(())
}

/// Refuses tables and keys that the layout does not have.
fn refuse_keys(toml: &AgentToml) -> Result<()> {
    // The keys of some tables are the user's own.
    let (known, own, name): (&[&[&str]], &[&str], _) = match toml.agent.layout {
        Some(Layout::Plain) => (&[&COMMON, &MERGING], &["merge.", "relocate."], Some("plain")),
        Some(Layout::Foreign) => (
            &[&COMMON, &MASKING, &MERGING, &MOVING, &ONLY_FOREIGN, &OF_FOREIGN],
            &["merge.", "relocate."],
            Some("foreign"),
        ),
        Some(Layout::Masked) => {
            (&[&COMMON, &MASKING, &OURS, &MERGING, &MOVING], &["args.", "merge.", "relocate."], None)
        }
        _ => (&[&COMMON, &MASKING, &OURS, &DEFAULTS, &LIBRARIES], &["args.", "config.", "policy.", "relocate."], None),
    };
    for present in toml.present() {
        let key = present.key.as_str();
        if known.iter().any(|keys| keys.contains(&key)) || own.iter().any(|table| key.starts_with(table)) {
            continue;
        }
        let (at, what) = (present.at.to_string(), format!("`{key}`"));
        if ONLY_FOREIGN.contains(&key) {
            return Err(Error::OtherLayout { at, what, layout: "foreign" });
        }
        let table = key.split('.').next().unwrap_or_default();
        let name = if DEFAULTS.contains(&table) { toml.agent.layout.map(Layout::word) } else { name };
        let what = name.map_or(what, |layout| format!("`{key}` with `layout = \"{layout}\"`"));
        return Err(Error::NotSupported { at, what });
    }
    let named = toml.present().iter().any(|present| present.key == "agent.base");
    match (name, &toml.agent.base) {
        (Some(layout), Base::Builtin) if named => {
            let at = toml.place_of("agent.base").to_string();
            Err(Error::NotSupported { at, what: format!("`base = \"builtin\"` with `layout = \"{layout}\"`") })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &str = "[agent]\nname = \"a\"\nversion = \"1\"\n";

    fn refused(more: &str) -> String {
        let toml = AgentToml::parse(&format!("{AGENT}{more}"), "agent.toml", &|_| None).unwrap();
        refuse_unsupported(&toml).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_done_yet_is_refused_by_name() {
        for (more, name) in [
            ("[merge]\n\"a/**\" = \"first\"\n", "`merge`"),
            (
                "[[section]]\npath = \"a\"\nfrom = [\"b\"]\n",
                "`[bootstrap]` or `[[section]]` without `layout = \"masked\"`",
            ),
            ("layout = \"masked\"\n[manifest]\nboot-libs = [\"a.jar\"]\n", "`manifest.boot-libs`"),
        ] {
            let message = refused(more);
            assert!(message.starts_with("agent.toml:"), "{message}");
            assert!(message.ends_with(&format!("{name} is not supported by this version yet")), "{message}");
        }
    }

    #[test]
    fn only_fat_agents_carry_defaults() {
        for layout in ["masked", "plain", "foreign"] {
            for (table, key) in [("config", "x.y = 1"), ("policy", "sealed = true"), ("limits", "maxMethods = 5")] {
                let message = refused(&format!("layout = \"{layout}\"\n[{table}]\n{key}\n"));
                let end = format!("`{table}` with `layout = \"{layout}\"` is not supported by this version yet");
                assert!(message.ends_with(&end), "{message}");
            }
        }
    }

    #[test]
    fn keys_of_foreign_jars_are_refused_as_such() {
        for layout in ["", "layout = \"masked\"\n", "layout = \"plain\"\n"] {
            for (more, name) in [
                ("[verify]\nallow-both = [\"a.B\"]\n", "`verify.allow-both`"),
                ("[[files]]\nfrom = [\"a\"]\ninto = \"b\"\n", "`files`"),
                ("[[generate]]\nrun = [\"a\"]\noutputs = [\"b\"]\n", "`generate`"),
            ] {
                if layout.contains("plain") && name.contains("verify") {
                    continue;
                }
                let message = refused(&format!("{layout}{more}"));
                assert!(message.ends_with(&format!("{name} needs `layout = \"foreign\"`")), "{message}");
            }
        }
        for (more, name) in [
            ("[args]\nport = 1\n", "`args` with `layout = \"foreign\"`"),
            ("targets = [\"x86_64-gnu\"]\n", "`agent.targets` with `layout = \"foreign\"`"),
            ("base = \"builtin\"\n", "`base = \"builtin\"` with `layout = \"foreign\"`"),
        ] {
            let message = refused(&format!("layout = \"foreign\"\n{more}"));
            assert!(message.ends_with(&format!("{name} is not supported by this version yet")), "{message}");
        }
    }

    #[test]
    fn what_is_done_passes() {
        let text = format!(
            "{AGENT}base = \"builtin\"\ntargets = [\"x86_64-gnu\"]\n[args]\nport = 0\n[[extension]]\npath = \"e\"\n\
             [[extension]]\nfile = \"e.zip\"\n[discover]\nmembers = [\"e/*\"]\ndefault = [\"x\"]\n\
             [probes]\ninclude = [\"p/*.class\"]\n[manifest]\nattributes = {{ A = \"b\" }}\n\
             [config]\nx.y = 1\n[policy]\nsealed = true\ngrant = []\n[limits]\nmaxMethods = 1\nmaxEventsPerSecond = 1\n\
             [verify]\nmax-size = 1\nmin-classes = 1\nrequire = [\"a\"]\nforbid = [\"b\"]\ngolden = \"g\"\n"
        );
        let toml = AgentToml::parse(&text, "agent.toml", &|_| None).unwrap();
        refuse_unsupported(&toml).unwrap();
    }
}
