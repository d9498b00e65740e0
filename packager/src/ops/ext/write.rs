//! Changing the files that switch extensions on and off and grant them permissions.

use std::path::{Path, PathBuf};

use extensions::configuration;
use extensions::{Container, ContainerFile, Extension, decision};
use manifests::extension::check_id;
use manifests::extensions_conf::ExtensionsConf;
use manifests::policy::Policy;
use manifests::properties::{Properties, edit};
use serde_json::{Map, json};

use super::{ExtError, Options, host, resolve};
use crate::error::Result;
use crate::paths;
use crate::printer::Printer;
use crate::replace::replace;

/// What is to become of extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// `ext enable`: they are on.
    Enable,
    /// `ext disable`: they are off.
    Disable,
    /// `ext allow`: they may have privileged permissions.
    Allow,
    /// `ext deny`: they may not be used.
    Deny,
}

impl Switch {
    fn is_policy(self) -> bool {
        matches!(self, Self::Allow | Self::Deny)
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Enable => "Enabled",
            Self::Disable => "Disabled",
            Self::Allow => "Allowed",
            Self::Deny => "Denied",
        }
    }

    /// The list that ids go to and the one that they leave.
    fn lists(self) -> (&'static str, &'static str) {
        match self {
            Self::Enable => ("extensions.enabled", "extensions.disabled"),
            Self::Disable => ("extensions.disabled", "extensions.enabled"),
            Self::Allow => ("allowExtensions", "denyExtensions"),
            Self::Deny => ("denyExtensions", "allowExtensions"),
        }
    }
}

/// Writes what is to become of extensions to `file`, or to the file that counts, and returns it. `options` say which extensions
/// there are, to tell whether that is enough.
///
/// # Errors
/// An id is none, there is no file and no home for one, or the file is malformed.
pub fn switch(
    how: Switch,
    ids: &[String],
    file: Option<&Path>,
    options: &Options,
    printer: &Printer,
) -> Result<PathBuf> {
    ids.iter().try_for_each(|id| check_id(id))?;
    let path = match file {
        Some(file) => file.to_owned(),
        None => usual(how, options)?,
    };
    let agent = options.agent.as_deref().map(ContainerFile::open).transpose()?;
    let exists = path.exists();
    let embedded = |name: &str| -> Result<Option<Vec<u8>>> {
        Ok(agent.as_ref().map(|agent| agent.entry(name)).transpose()?.flatten())
    };
    let before = if exists {
        fs_err::read(&path)?
    } else if how.is_policy() {
        // The file will stand for the whole policy of the jar.
        embedded(paths::PERMISSIONS_PROPERTIES)?.unwrap_or_default()
    } else {
        Vec::new()
    };
    let below = if how.is_policy() { None } else { embedded(paths::EXTENSIONS_CONF)? };
    let malformed = |source| ExtError::Malformed { path: path.clone(), source: Box::new(source) };
    let after = changed(how, ids, &before, below.as_deref()).map_err(malformed)?;
    replace(&path, &after)?;
    for id in ids {
        printer.status(how.verb(), &format!("{id} in {}", path.display()));
    }
    if how.is_policy() && !exists {
        printer.warning(&format!(
            "{} stands for the policies that agent jars embed, unless they are sealed; `--agent` begins with that of a jar",
            path.display()
        ));
    }
    check(how, ids, &path, options, printer);
    printer.text(&path.display().to_string());
    let mut fields = Map::new();
    fields.insert("path".into(), path.display().to_string().into());
    fields.insert("extensions".into(), json!(ids));
    fields.insert("became".into(), how.verb().to_lowercase().into());
    printer.json("extensions-switched", fields);
    Ok(path)
}

/// The file that counts: the first one that there is, else the user's.
fn usual(how: Switch, options: &Options) -> Result<PathBuf> {
    let host = host(options)?;
    let candidates = if how.is_policy() { decision::candidates(&host) } else { configuration::candidates(&host) };
    let name = if how.is_policy() { "permissions.properties" } else { "extensions.conf" };
    let known = candidates.iter().find(|(path, _)| path.exists()).map(|(path, _)| path.clone());
    let own = || host.home().map(|home| home.join(".btrace").join(name));
    Ok(known.or_else(own).ok_or(ExtError::NoHome { file: name })?)
}

/// The text of the file afterwards. `below` is a text that counts for keys that the file does not have.
fn changed(how: Switch, ids: &[String], text: &[u8], below: Option<&[u8]>) -> Result<Vec<u8>, manifests::Error> {
    let properties = Properties::parse_once(text)?;
    let below = below.map(Properties::parse).transpose()?.unwrap_or_default();
    let list = |key: &str| -> Vec<String> {
        let value = properties.get(key).or_else(|| below.get(key)).unwrap_or_default();
        value.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect()
    };
    let (to, from) = how.lists();
    let mut text = text.to_vec();
    let mut set = |key: &str, list: &[String]| -> Result<(), manifests::Error> {
        // An empty list in the file hides one below it.
        let value = (!list.is_empty() || below.get(key).is_some()).then(|| list.join(","));
        text = edit(&text, key, value.as_deref())?;
        Ok(())
    };
    let left = list(from);
    let kept: Vec<String> = left.iter().filter(|id| !ids.contains(id)).cloned().collect();
    // Where only named extensions are on, one that is off stays named: `extensions.disabled` counts first.
    if how != Switch::Disable && kept.len() < left.len() {
        set(from, &kept)?;
    }
    let mut joined = list(to);
    // An empty `extensions.enabled` means all.
    if how != Switch::Enable || !joined.is_empty() {
        joined.extend(ids.iter().filter(|id| !joined.contains(id)).cloned().collect::<Vec<_>>());
        set(to, &joined)?;
    }
    if how == Switch::Enable {
        for id in ids {
            let key = format!("{id}.enabled");
            let is_off = |value: &str| value.trim().eq_ignore_ascii_case("false");
            if properties.get(&key).or_else(|| below.get(&key)).is_some_and(is_off) {
                text = edit(&text, &key, Some("true"))?;
            }
        }
    }
    let after = Properties::parse_once(&text)?;
    if how.is_policy() {
        Policy::from_properties(&after)?;
    } else {
        ExtensionsConf::from_properties(&after)?;
    }
    Ok(text)
}

/// Says where what was written is not enough, or about nothing.
fn check(how: Switch, ids: &[String], path: &Path, options: &Options, printer: &Printer) {
    let mut options = options.clone();
    let file = if how.is_policy() { &mut options.policy } else { &mut options.config };
    *file = Some(path.to_owned());
    let Ok((resolved, _)) = resolve(&options) else { return };
    for id in ids {
        let Some(extension) = resolved.by_id(id) else {
            let known = resolved.extensions.iter().map(|extension| extension.metadata.id.as_str());
            let nearest = manifests::suggest::nearest(id, known);
            let nearest = nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default();
            printer.warning(&format!("there is no extension `{id}` here{nearest}"));
            continue;
        };
        let wanted = matches!(how, Switch::Enable | Switch::Allow);
        if let Some(refusal) = extension.refusal().filter(|_| wanted && !is_about_others(how, extension)) {
            printer.warning(&refusal);
        }
    }
}

/// Whether what keeps an extension from being used is not what was asked for.
fn is_about_others(how: Switch, extension: &Extension) -> bool {
    let is_policy = matches!(extension.status, extensions::Status::Denied { .. });
    how.is_policy() != is_policy
}
