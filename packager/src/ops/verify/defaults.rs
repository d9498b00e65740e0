//! Embedded settings, policy and arguments.

use manifests::Error;
use manifests::arguments::{self, AgentArguments};
use manifests::extensions_conf::ExtensionsConf;
use manifests::policy::Policy;
use manifests::properties::Properties;

use super::contents::Contents;
use super::{Kind, Report};
use crate::defaults::is_limit;
use crate::paths;

/// Checks that each of the three files can be read as the agent will read it.
pub(super) fn check(contents: &Contents<'_>, report: &mut Report) {
    let mut read = |path: &str, reader: fn(&Properties) -> Result<(), Error>| {
        let Some(bytes) = contents.bytes(path) else { return };
        if let Err(error) = Properties::parse_once(&bytes).and_then(|properties| reader(&properties)) {
            report.fail(Kind::Defaults, format!("`{path}`: {error}"));
        }
    };
    read(paths::AGENT_PROPERTIES, read_arguments);
    read(paths::EXTENSIONS_CONF, |properties| ExtensionsConf::from_properties(properties).map(drop));
    read(paths::PERMISSIONS_PROPERTIES, |properties| Policy::from_properties(properties).map(drop));
}

fn read_arguments(properties: &Properties) -> Result<(), Error> {
    for (key, value) in properties.iter() {
        AgentArguments::default().set(key, Some(value))?;
        if is_limit(key) {
            arguments::limit(key, value)?;
        }
    }
    Ok(())
}
