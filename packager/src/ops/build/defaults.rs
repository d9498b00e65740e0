//! `[config]`, `[policy]` and `[limits]`: checked, merged with those of the base, and laid out.

use manifests::agent_toml::AgentToml;
use manifests::arguments::{self, AgentArguments};
use manifests::extensions_conf::{self, ExtensionsConf};
use manifests::policy::Policy;
use manifests::properties::Properties;
use manifests::setting::Setting;
use manifests::suggest;

use super::error::BuildError;
use super::known::Known;
use super::policy::{self, Denied};
use crate::assemble::{Content, Layout};
use crate::base::Base;
use crate::class::dotted;
use crate::config::Config;
use crate::defaults;
use crate::error::{Error, Result};
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;

/// The argument that names probes.
const PROBES: &str = "probes";

/// The defaults of the output.
#[derive(Debug)]
pub(super) struct Defaults {
    /// `extensions.conf`, where `[config]` adds to that of the base.
    conf: Option<Properties>,
    /// `permissions.properties`, where `[policy]` adds to that of the base.
    policy: Option<Properties>,
    /// `[args]`, then `[limits]`.
    arguments: Vec<(String, String)>,
    /// Names of probes in `[args]`, each with its place.
    probes: Vec<(String, String)>,
    /// Extensions that the policy denies.
    pub(super) denied: Vec<Denied>,
}

impl Defaults {
    /// Reads the tables and says what they replace, whom they deny, and what they speak of that is not there.
    ///
    /// # Errors
    /// A value is not one that its key takes, a limit is given twice, or a sealed policy would be widened.
    pub(super) fn read(config: &Config, base: &Base, known: &[Known], printer: &Printer) -> Result<Self> {
        let toml = &config.toml;
        let arguments = arguments(toml)?;
        let conf = conf(toml, base, known, printer)?;
        let (properties, policy) = policy_of(toml, base, known, printer)?;
        let sealed = defaults::policy(&base.archive)?.is_some_and(|policy| policy.sealed);
        let named = properties.is_some() || base.archive.contains(paths::PERMISSIONS_PROPERTIES);
        let denied = policy::denied(&policy, named, sealed, known);
        for denied in &denied {
            printer.warning(&denied.line());
        }
        let probes = named_probes(toml);
        Ok(Self { conf, policy: properties, arguments, probes, denied })
    }

    /// Default arguments, the limits among them.
    pub(super) fn arguments(&self) -> &[(String, String)] {
        &self.arguments
    }

    /// Checks that the probes that `[args]` names are there, by dotted or simple name: the agent itself could only say so when it starts.
    ///
    /// # Errors
    /// One is not.
    pub(super) fn check_probes(&self, layout: &Layout) -> Result<()> {
        let paths =
            layout.iter().filter_map(|(path, _)| path.strip_prefix(paths::PROBES)?.strip_suffix(paths::CLASS_SUFFIX));
        let known: Vec<String> = paths.map(dotted).collect();
        for (name, at) in &self.probes {
            let answers =
                |known: &String| known == name || known.rsplit_once('.').is_some_and(|(_, simple)| simple == name);
            if !known.iter().any(answers) {
                return Err(BuildError::NoSuchProbe { at: at.clone(), name: name.clone(), known }.into());
            }
        }
        Ok(())
    }

    /// Whether the base's file at a path is replaced.
    pub(super) fn replaces(&self, path: &str) -> bool {
        match path {
            paths::EXTENSIONS_CONF => self.conf.is_some(),
            paths::PERMISSIONS_PROPERTIES => self.policy.is_some(),
            _ => false,
        }
    }

    /// Adds the files to the output.
    ///
    /// # Errors
    /// Another file is at one of the paths.
    pub(super) fn add_to(&self, layout: &mut Layout) -> Result<()> {
        for (path, properties, table) in [
            (paths::EXTENSIONS_CONF, &self.conf, "[config]"),
            (paths::PERMISSIONS_PROPERTIES, &self.policy, "[policy]"),
        ] {
            if let Some(properties) = properties {
                let origin = Origin::Generated(format!("from `{table}`"));
                layout.add(path, Content::Bytes(properties.to_bytes()), origin)?;
            }
        }
        Ok(())
    }
}

/// What `probes` of `[args]` names, alone or for a group: the name and its place in `agent.toml`.
fn named_probes(toml: &AgentToml) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, value) in &toml.args {
        if key == PROBES || key.ends_with(&format!("#{PROBES}")) {
            let at = toml.place_of(&format!("args.{key}")).to_string();
            found.extend(arguments::list(value).into_iter().map(|name| (name, at.clone())));
        }
    }
    found
}

/// `[args]` and `[limits]` together.
fn arguments(toml: &AgentToml) -> Result<Vec<(String, String)>> {
    let mut all = toml.args.clone();
    for (key, value) in defaults::limits(&toml.args) {
        if let Err(source) = arguments::limit(key, value) {
            let at = toml.place_of(&format!("args.{key}")).to_string();
            return Err(BuildError::Value { at, table: "[args]", source: Box::new(source) }.into());
        }
    }
    let limits = [("maxMethods", toml.limits.max_methods), ("maxEventsPerSecond", toml.limits.max_events_per_second)];
    for (key, limit) in limits {
        let Some(limit) = limit else { continue };
        if toml.args.iter().any(|(known, _)| known == key) {
            let at = toml.place_of(&format!("limits.{key}")).to_string();
            return Err(BuildError::LimitTwice { at, key }.into());
        }
        all.push((key.to_owned(), limit.to_string()));
    }
    Ok(all)
}

/// `extensions.conf` of the base with `[config]`; nothing without that table.
fn conf(toml: &AgentToml, base: &Base, known: &[Known], printer: &Printer) -> Result<Option<Properties>> {
    let read = |bytes: &[u8]| {
        let properties = Properties::parse_once(bytes)?;
        ExtensionsConf::from_properties(&properties).map(|_| properties)
    };
    let given = defaults::read(&base.archive, paths::EXTENSIONS_CONF, read)?;
    if toml.config.is_empty() {
        return Ok(None);
    }
    let mut properties = given.unwrap_or_default();
    let ids: Vec<&str> = known.iter().map(|known| known.id.as_str()).collect();
    for entry in &toml.config {
        let (key, value, at) = (&entry.key, &entry.value, entry.at.to_string());
        let alone: Properties = [(key, value)].into_iter().collect();
        let conf = ExtensionsConf::from_properties(&alone).map_err(|source| BuildError::Value {
            at: at.clone(),
            table: "[config]",
            source: Box::new(source),
        })?;
        warn_of_strangers(&at, key, conf.enabled.iter().chain(&conf.disabled), &ids, printer);
        if !extensions_conf::KEYS.contains(&key.as_str()) {
            setting(key, value, &at, known, &ids, printer)?;
        }
        replace(&mut properties, key, value, "[config]", printer);
    }
    Ok(Some(properties))
}

/// Checks one key that is a setting of an extension.
fn setting(
    key: &str,
    value: &str,
    at: &str,
    known: &[Known],
    ids: &[&str],
    printer: &Printer,
) -> Result<(), BuildError> {
    let owner = extensions_conf::owner(key, ids.iter().copied());
    let found = owner.and_then(|(id, name)| Some((known.iter().find(|known| known.id == id)?, name)));
    let Some((extension, name)) = found else {
        let nearest = did_you_mean(extensions_conf::nearest_key(key, ids).as_deref());
        printer.warning(&format!("{at}: `{key}` is a setting of no embedded extension{nearest}"));
        return Ok(());
    };
    let id = &extension.id;
    match extension.settings().iter().find(|declared| declared.name == name) {
        Some(Setting { kind, .. }) if !kind.accepts(value.trim()) => Err(BuildError::Setting {
            at: at.to_owned(),
            key: key.to_owned(),
            id: id.clone(),
            kind: kind.word(),
            value: value.to_owned(),
        }),
        Some(_) => Ok(()),
        None if extension.settings().is_empty() => Ok(()),
        None => {
            let declared = extension.settings().iter().map(|declared| declared.name.as_str());
            let nearest = did_you_mean(suggest::nearest(name, declared));
            printer.warning(&format!("{at}: extension `{id}` declares no setting `{name}`{nearest}"));
            Ok(())
        }
    }
}

/// `permissions.properties` of the base with `[policy]`, nothing without that table; and the policy of the output.
fn policy_of(
    toml: &AgentToml,
    base: &Base,
    known: &[Known],
    printer: &Printer,
) -> Result<(Option<Properties>, Policy)> {
    let before = defaults::policy(&base.archive)?;
    let Some(table) = &toml.policy else { return Ok((None, before.unwrap_or_default())) };
    let mut properties = defaults::properties(&base.archive, paths::PERMISSIONS_PROPERTIES)?.unwrap_or_default();
    let sealed = table.sealed.to_string();
    let given = toml.present().iter().any(|present| present.key == "policy.sealed");
    let sealed = given.then_some(("sealed", sealed.as_str()));
    for (key, value) in sealed.into_iter().chain(table.entries.iter().map(|(key, value)| (&**key, &**value))) {
        replace(&mut properties, key, value, "[policy]", printer);
    }
    let at = toml.place_of("policy").to_string();
    let policy = Policy::from_properties(&properties).map_err(|source| BuildError::Value {
        at: at.clone(),
        table: "[policy]",
        source: Box::new(source),
    })?;
    let ids: Vec<&str> = known.iter().map(|known| known.id.as_str()).collect();
    for (key, listed) in [("allowExtensions", &policy.allow_extensions), ("denyExtensions", &policy.deny_extensions)] {
        if table.entries.iter().any(|(given, _)| given == key) {
            warn_of_strangers(&toml.place_of(&format!("policy.{key}")).to_string(), key, listed, &ids, printer);
        }
    }
    if let Some(before) = before.filter(|before| before.sealed) {
        let wider: Vec<String> = before.widening(&policy).iter().map(ToString::to_string).collect();
        if !wider.is_empty() {
            return Err(BuildError::Sealed { at, base: base.archive.label().to_owned(), wider }.into());
        }
    }
    Ok((Some(properties), policy))
}

/// Warns of ids in a list that are none of `ids`: they may be installed at run time, or misspelt.
fn warn_of_strangers<'a>(
    at: &str,
    key: &str,
    listed: impl IntoIterator<Item = &'a String>,
    ids: &[&str],
    printer: &Printer,
) {
    for id in listed.into_iter().filter(|id| !ids.contains(&id.as_str())) {
        let nearest = did_you_mean(suggest::nearest(id, ids.iter().copied()));
        printer.warning(&format!("{at}: `{key}` names an extension that is not embedded: `{id}`{nearest}"));
    }
}

/// Sets a key and says which value of the base it replaces.
fn replace(properties: &mut Properties, key: &str, value: &str, table: &str, printer: &Printer) {
    if let Some(old) = properties.get(key).filter(|old| *old != value) {
        printer.warning(&format!("`{table}` replaces `{key}` of the base, `{old}`, by: `{value}`"));
    }
    properties.set(key, value);
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!(", did you mean `{nearest}`?"))
}

/// Writes `agent.properties` from the base's own and the arguments of the output.
///
/// # Errors
/// The base's file is malformed, or an argument has a name that cannot be written.
pub(super) fn add_arguments(
    given: &[(String, String)],
    base: &Base,
    layout: &mut Layout,
    printer: &Printer,
) -> Result<()> {
    let mut properties = defaults::properties(&base.archive, paths::AGENT_PROPERTIES)?.unwrap_or_default();
    let mut arguments = AgentArguments::default();
    for (key, value) in given {
        let (_group, name) = key.split_once('#').unwrap_or(("", key));
        arguments.set(name, Some(value)).map_err(Error::from)?;
        replace(&mut properties, key, value, if defaults::is_limit(key) { "[limits]" } else { "[args]" }, printer);
    }
    for (key, nearest) in arguments.unknown() {
        let nearest = did_you_mean(nearest);
        printer.warning(&format!("`[args]` has an argument that this version does not know: `{key}`{nearest}"));
    }
    if properties.is_empty() {
        return Ok(());
    }
    let origin = Origin::Generated("from `[args]`".into());
    layout.add(paths::AGENT_PROPERTIES, Content::Bytes(properties.to_bytes()), origin)
}
