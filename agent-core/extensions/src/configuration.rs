//! `extensions.conf`, `btrace.conf` and the variables that stand above them.

use std::path::{Path, PathBuf};

use manifests::extensions_conf::{self, ExtensionsConf};
use manifests::properties::Properties;
use manifests::setting::Setting;

use crate::cache::Watch;
use crate::host::Host;

/// Where the settings of extensions lie in a jar.
pub const EMBEDDED: &str = "META-INF/btrace/extensions.conf";
/// The system property that names the file.
pub const PROPERTY: &str = "btrace.extensions.config";
/// Keys of `btrace.conf` beside `extension.<id>.enabled`.
const CONF_KEYS: &[&str] =
    &["extension.conflict-resolution", "extension.fail-on-missing", "extension.lazy-load", "extension.path"];
/// What variables with a setting begin with.
const VARIABLE: &str = "BTRACE_CONF_";

/// The states of all files that may configure extensions, as they are now.
pub fn watch(host: &Host) -> Watch {
    let files: Vec<_> = candidates(host).into_iter().chain(agent_candidates(host)).collect();
    Watch::now(files.iter().map(|(file, _)| file.as_path()))
}

/// Whether `btrace.conf` wants a probe to be refused whose services are not there. What else the file says is not looked at.
pub fn fails_on_missing(host: &Host) -> bool {
    let mut configuration = Configuration::default();
    configuration.read_agent(host, &mut Vec::new());
    configuration.fail_on_missing
}

/// Whether extensions are to be loaded when the agent starts. What else the files say is not looked at, and reported by whoever does.
pub fn loads_at_start(host: &Host, embedded: Option<&[u8]>) -> bool {
    !Configuration::read(host, embedded.map(|bytes| ("", bytes)), &mut Vec::new()).on_demand
}

/// What configures extensions, before it is known which there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configuration {
    conf: ExtensionsConf,
    /// Keys that the file and not the jar sets.
    of_file: Vec<String>,
    /// The `extensions.conf` that counts.
    pub file: Option<PathBuf>,
    /// `extension.path`, expanded.
    pub path: Option<Vec<PathBuf>>,
    /// `extension.fail-on-missing`: a probe whose services are not there is refused as a whole.
    pub fail_on_missing: bool,
    /// Ids that `extension.<id>.enabled` speaks of.
    switched: Vec<(String, bool)>,
    /// The `btrace.conf` that counts.
    pub agent_file: Option<PathBuf>,
    /// `BTRACE_CONF_<ID>_<KEY>`: what follows the prefix, and the value.
    variables: Vec<(String, String)>,
    /// Whether extensions are loaded once a probe asks for them, and not at start-up.
    pub on_demand: bool,
}

impl Configuration {
    /// Reads the configuration: that of a jar, and over it, key by key, the first file found of the property, the user's and
    /// that of `BTRACE_HOME`; `btrace.conf` in the same way. What cannot be read is left out and reported.
    pub fn read(host: &Host, embedded: Option<(&str, &[u8])>, reports: &mut Vec<String>) -> Self {
        let mut configuration = Self::default();
        let mut merged = Properties::default();
        if let Some((origin, bytes)) = embedded {
            merged = lenient(bytes, origin, reports);
        }
        if let Some((path, bytes)) = first_file(&candidates(host), reports) {
            let file = lenient(&bytes, &path.display().to_string(), reports);
            for (key, value) in file.iter() {
                merged.set(key, value);
                configuration.of_file.push(key.to_owned());
            }
            configuration.file = Some(path);
        }
        let origin = |key: &str, of_file: &[String], file: Option<&Path>| match file {
            Some(file) if of_file.iter().any(|known| known == key) => file.display().to_string(),
            _ => embedded.map(|(origin, _)| origin).unwrap_or_default().to_owned(),
        };
        let mut usable = Properties::default();
        for (key, value) in merged.iter() {
            // One bad key does not keep the others.
            match ExtensionsConf::from_properties(&std::iter::once((key, value)).collect()) {
                Ok(_) => usable.set(key, value),
                Err(error) => reports.push(format!(
                    "{}: {error}; hint: {}",
                    origin(key, &configuration.of_file, configuration.file.as_deref()),
                    error.hint().unwrap_or_default()
                )),
            }
        }
        configuration.conf = ExtensionsConf::from_properties(&usable).unwrap_or_default();
        let lazy = configuration.read_agent(host, reports);
        configuration.on_demand = match host.variable("BTRACE_EXT_LAZY_LOAD").map(|value| value.to_string_lossy()) {
            Some(value) => flag(&value).unwrap_or_else(|| {
                reports.push(format!(
                    "BTRACE_EXT_LAZY_LOAD={value} is neither `true` nor `false`; hint: set it to one of them"
                ));
                true
            }),
            // Whoever asks for loading at start-up gets it.
            None => configuration.conf.autoload && lazy,
        };
        for (name, value) in &host.variables {
            if let Some(rest) = name.strip_prefix(VARIABLE).filter(|rest| !rest.is_empty()) {
                configuration.variables.push((rest.to_owned(), value.to_string_lossy().into_owned()));
            }
        }
        configuration.variables.sort();
        configuration
    }

    /// Reads `btrace.conf`; returns `extension.lazy-load`.
    fn read_agent(&mut self, host: &Host, reports: &mut Vec<String>) -> bool {
        let mut lazy = true;
        let Some((path, bytes)) = first_file(&agent_candidates(host), reports) else { return lazy };
        let origin = path.display().to_string();
        let properties = lenient(&bytes, &origin, reports);
        let malformed = |key: &str, value: &str, expected: &str| {
            format!("{origin}: `{key}` must be {expected}: `{value}`; hint: write it so, or leave it out")
        };
        for (key, value) in properties.iter() {
            let Some(rest) = key.strip_prefix("extension.") else { continue };
            let value = match expand(value, host) {
                Ok(value) => value,
                Err(name) => {
                    reports.push(format!(
                        "{origin}: `{key}` names a variable that is not set: `${{{name}}}`; hint: set it, or write the path"
                    ));
                    continue;
                }
            };
            match rest {
                "path" => self.path = Some(host.split_paths(value.as_ref())),
                "lazy-load" | "fail-on-missing" => match flag(&value) {
                    Some(on) if rest == "lazy-load" => lazy = on,
                    Some(on) => self.fail_on_missing = on,
                    None => reports.push(malformed(key, &value, "`true` or `false`")),
                },
                "conflict-resolution" if value.trim() == "latest-version" => {}
                "conflict-resolution" => {
                    reports.push(malformed(key, &value, "`latest-version`, the only rule there is"));
                }
                _ => match (rest.strip_suffix(".enabled"), flag(&value)) {
                    (Some(id), Some(on)) => self.switched.push((id.to_owned(), on)),
                    (Some(_), None) => reports.push(malformed(key, &value, "`true` or `false`")),
                    (None, _) => {
                        let nearest = manifests::suggest::nearest(key, CONF_KEYS.iter().copied());
                        let hint = nearest.map_or_else(
                            || format!("keys are {} and extension.<id>.enabled", CONF_KEYS.join(", ")),
                            |nearest| format!("did you mean `{nearest}`?"),
                        );
                        reports.push(format!("{origin} has an unknown key: `{key}`; hint: {hint}"));
                    }
                },
            }
        }
        self.agent_file = Some(path);
        lazy
    }

    /// Why an extension is off; nothing where it is on.
    pub fn off(&self, id: &str, known: &[&str]) -> Option<String> {
        let named = |key: &str| match &self.file {
            Some(file) if self.of_file.iter().any(|known| known == key) => format!("`{key}` in {}", file.display()),
            _ => format!("`{key}` of the agent jar"),
        };
        if self.conf.disabled.iter().any(|listed| listed == id) {
            return Some(format!("{} names it", named("extensions.disabled")));
        }
        if !self.conf.is_enabled(id) {
            return Some(format!("{} does not name it", named("extensions.enabled")));
        }
        let own = self.conf.settings_of(id, known);
        if own.iter().any(|(name, value)| *name == "enabled" && flag(value) == Some(false)) {
            return Some(format!("{} is `false`", named(&format!("{id}.enabled"))));
        }
        let switched = self.switched.iter().rev().find(|(switched, _)| switched == id);
        let file = self.agent_file.as_deref().unwrap_or(Path::new(""));
        switched
            .filter(|(_, on)| !on)
            .map(|(id, _)| format!("`extension.{id}.enabled` in {} is `false`", file.display()))
    }

    /// Names and values of an extension's settings: defaults that it declares, over them the configuration, over that the
    /// variables. A value that is none of the declared type is reported and left out.
    pub fn settings_of(
        &self,
        id: &str,
        declared: &[Setting],
        known: &[&str],
        reports: &mut Vec<String>,
    ) -> Vec<(String, String)> {
        let mut settings: Vec<(String, String)> = Vec::new();
        let mut set = |name: &str, value: &str| match settings.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => value.clone_into(known),
            None => settings.push((name.to_owned(), value.to_owned())),
        };
        for setting in declared {
            if let Some(default) = &setting.default {
                set(&setting.name, default);
            }
        }
        let mut accept = |name: &str, value: &str, origin: &str| {
            let Some(kind) = declared.iter().find(|setting| setting.name == name).map(|setting| setting.kind) else {
                return true;
            };
            let accepted = kind.accepts(value);
            if !accepted {
                let hint = format!("hint: give it a value of type {}", kind.word());
                reports.push(format!(
                    "{origin}: `{id}.{name}` is ignored, its value is of another type: `{value}`; {hint}"
                ));
            }
            accepted
        };
        let file = self.file.as_ref().map_or_else(|| "the agent jar".to_owned(), |file| file.display().to_string());
        let own = self.conf.settings_of(id, known);
        for (name, value) in &own {
            if accept(name, value, &file) {
                set(name, value);
            }
        }
        for (rest, value) in &self.variables {
            let Some((owner, key)) = variable_owner(rest, known) else { continue };
            if owner != id {
                continue;
            }
            let names = declared.iter().map(|setting| setting.name.as_str()).chain(own.iter().map(|(name, _)| *name));
            let mut names = names.filter(|name| folded(name) == key);
            let name = names.next().map_or_else(|| key.to_ascii_lowercase().replace('_', "."), str::to_owned);
            if accept(&name, value, &format!("{VARIABLE}{rest}")) {
                set(&name, value);
            }
        }
        settings
    }

    /// Keys and variables that belong to no extension there is, each with the nearest key.
    pub fn unowned(&self, known: &[&str]) -> Vec<String> {
        let mut reports = Vec::new();
        let file = self.file.as_ref().map_or_else(|| "extensions.conf".to_owned(), |file| file.display().to_string());
        // Whoever embedded settings knew what for; only the file is somebody's work here.
        for key in &self.of_file {
            if extensions_conf::KEYS.contains(&key.as_str())
                || extensions_conf::owner(key, known.iter().copied()).is_some()
            {
                continue;
            }
            let hint = extensions_conf::nearest_key(key, known)
                .map(|nearest| format!("; hint: did you mean `{nearest}`?"))
                .unwrap_or_default();
            reports.push(format!("{file}: `{key}` belongs to no extension there is{hint}"));
        }
        for (list, key) in [(&self.conf.enabled, "extensions.enabled"), (&self.conf.disabled, "extensions.disabled")] {
            for id in
                list.iter().filter(|id| !known.contains(&id.as_str()) && self.of_file.iter().any(|own| own == key))
            {
                reports.push(format!(
                    "{file}: `{key}` names an extension that is not there: `{id}`{}",
                    nearest(id, known)
                ));
            }
        }
        for (id, _) in self.switched.iter().filter(|(id, _)| !known.contains(&id.as_str())) {
            let file = self.agent_file.as_deref().unwrap_or(Path::new("btrace.conf")).display();
            reports.push(format!(
                "{file}: `extension.{id}.enabled` names an extension that is not there{}",
                nearest(id, known)
            ));
        }
        for (rest, _) in self.variables.iter().filter(|(rest, _)| variable_owner(rest, known).is_none()) {
            reports.push(format!("the variable {VARIABLE}{rest} belongs to no extension there is"));
        }
        reports
    }
}

/// The files that may be `extensions.conf`, the first one that there is counts; `true` where somebody named it.
pub fn candidates(host: &Host) -> Vec<(PathBuf, bool)> {
    let named = host.property(PROPERTY).map(|path| (PathBuf::from(path), true));
    let user = host.home().map(|home| (home.join(".btrace").join("extensions.conf"), false));
    let system = host.btrace_home().map(|home| (home.join("conf").join("extensions.conf"), false));
    named.into_iter().chain(user).chain(system).collect()
}

/// The files that may be `btrace.conf`.
fn agent_candidates(host: &Host) -> Vec<(PathBuf, bool)> {
    let folders = [host.home().map(|home| home.join(".btrace")), host.btrace_home().map(|home| home.join("conf"))];
    folders.into_iter().flatten().map(|folder| (folder.join("btrace.conf"), false)).collect()
}

/// The first file that there is. One that somebody named and that is not there is reported.
pub(crate) fn first_file(candidates: &[(PathBuf, bool)], reports: &mut Vec<String>) -> Option<(PathBuf, Vec<u8>)> {
    for (path, named) in candidates {
        match fs_err::read(path) {
            Ok(bytes) => return Some((path.clone(), bytes)),
            Err(e) if !named && e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) if !named && e.kind() == std::io::ErrorKind::NotADirectory => {}
            Err(e) => reports.push(format!("{e}; hint: look at its path and permissions")),
        }
    }
    None
}

fn lenient(bytes: &[u8], origin: &str, reports: &mut Vec<String>) -> Properties {
    let (properties, problems) = Properties::parse_leniently(bytes);
    for problem in problems {
        let hint = problem.hint().map(|hint| format!("; hint: {hint}")).unwrap_or_default();
        reports.push(format!("{origin}: {problem}{hint}"));
    }
    properties
}

fn nearest(id: &str, known: &[&str]) -> String {
    let nearest = manifests::suggest::nearest(id, known.iter().copied());
    nearest.map(|nearest| format!("; hint: did you mean `{nearest}`?")).unwrap_or_default()
}

/// What a name is in a variable: upper case, and `_` for all that no variable may hold.
fn folded(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// The extension that a variable is about, the longest one that fits, and the rest of its name.
fn variable_owner<'i, 'r>(rest: &'r str, known: &[&'i str]) -> Option<(&'i str, &'r str)> {
    let owned = known.iter().filter_map(|id| {
        let key = rest.strip_prefix(&folded(id))?.strip_prefix('_')?;
        (!key.is_empty()).then_some((*id, key))
    });
    owned.max_by_key(|(id, _)| id.len())
}

/// Replaces `${NAME}` by variables of the environment; fails with the name of one that is not set.
fn expand(text: &str, host: &Host) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        let Some((name, after)) = rest[at + 2..].split_once('}') else { break };
        match (host.variable(name), name) {
            (Some(value), _) => out.push_str(&value.to_string_lossy()),
            // A container may have no `HOME`, while the JVM knows one.
            (None, "HOME") => out.push_str(&host.home().ok_or_else(|| name.to_owned())?.to_string_lossy()),
            (None, _) => return Err(name.to_owned()),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn flag(value: &str) -> Option<bool> {
    match value.trim() {
        value if value.eq_ignore_ascii_case("true") => Some(true),
        value if value.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
