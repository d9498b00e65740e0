//! Which policy counts, and where it came from.

use std::path::PathBuf;

use manifests::arguments::AgentArguments;
use manifests::policy::{self, Effective, Policy};
use manifests::properties::Properties;

use crate::configuration::first_file;
use crate::host::Host;

/// Where the policy lies in a jar.
pub const EMBEDDED: &str = "META-INF/btrace/permissions.properties";
/// The system property that names the file.
pub const PROPERTY: &str = "btrace.permissions";

/// The policy that counts, or why none can be told, so that nothing is granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyInForce {
    /// The policy, or what is wrong with its parts.
    pub policy: Result<Effective, String>,
    /// The file that counts.
    pub file: Option<PathBuf>,
    /// Whether a jar embeds a policy.
    pub embedded: bool,
    /// Whether the embedded policy is sealed.
    pub sealed: bool,
}

impl PolicyInForce {
    /// Reads the policy: that of the jar, the first file found, and the arguments.
    pub fn read(
        host: &Host,
        embedded: Option<(&str, &[u8])>,
        arguments: &AgentArguments,
        reports: &mut Vec<String>,
    ) -> Self {
        let mut missing = Vec::new();
        let file = first_file(&candidates(host), &mut missing);
        let path = file.as_ref().map(|(path, _)| path.clone());
        let parse = |origin: &str, bytes: &[u8]| -> Result<Policy, String> {
            let parsed = Properties::parse_once(bytes).and_then(|p| Policy::from_properties(&p));
            parsed.map_err(|e| {
                let hint = e.hint().map(|hint| format!("; hint: {hint}")).unwrap_or_default();
                format!("the policy {origin} cannot be read: {e}{hint}")
            })
        };
        let combined = || -> Result<Effective, String> {
            // Somebody meant a policy to count that cannot be read: what it denies is not known.
            if let Some(missing) = missing.first() {
                return Err(format!("the policy cannot be read: {missing}"));
            }
            let embedded = embedded.map(|(origin, bytes)| parse(origin, bytes)).transpose()?;
            let file = file.as_ref().map(|(path, bytes)| parse(&path.display().to_string(), bytes)).transpose()?;
            Effective::of(embedded, file, Some(arguments)).map_err(|e| {
                let hint = e.hint().map(|hint| format!("; hint: {hint}")).unwrap_or_default();
                format!("the agent arguments for the policy cannot be read: {e}{hint}")
            })
        };
        let policy = combined();
        match &policy {
            Ok(policy) => reports.extend(policy.refused().iter().map(|widening| {
                format!("the agent jar's policy is sealed, so this is refused: {widening}; hint: build the agent with another `[policy]`")
            })),
            Err(why) => reports.push(format!("no extension is granted: {why}")),
        }
        let sealed = embedded.and_then(|(origin, bytes)| parse(origin, bytes).ok()).is_some_and(|policy| policy.sealed);
        Self { policy, file: path, embedded: embedded.is_some(), sealed }
    }

    /// What the policy is made of, for display.
    pub fn describe(&self, arguments: &AgentArguments) -> String {
        let mut parts = Vec::new();
        if self.embedded && (self.sealed || self.file.is_none()) {
            parts.push(
                if self.sealed { "the sealed policy of the agent jar" } else { "the policy of the agent jar" }
                    .to_owned(),
            );
        }
        parts.extend(self.file.as_ref().map(|file| file.display().to_string()));
        if policy::KEYS.iter().any(|key| arguments.get(key).is_some()) {
            parts.push("agent arguments".to_owned());
        }
        if parts.is_empty() { "the default policy".to_owned() } else { parts.join(" and ") }
    }
}

/// The files that may be the policy; `true` where somebody named it.
pub fn candidates(host: &Host) -> Vec<(PathBuf, bool)> {
    const NAME: &str = "permissions.properties";
    let named = host.property(PROPERTY).map(|path| (PathBuf::from(path), true));
    let home = host.home();
    let own = home.as_ref().map(|home| (home.join(".btrace").join(NAME), false));
    let config = home.as_ref().map(|home| (home.join(".config").join("btrace").join(NAME), false));
    named.into_iter().chain(own).chain(config).collect()
}
