//! Which extension of an id counts, and whether it can be used.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use manifests::arguments::AgentArguments;
use manifests::extension::ExtensionMetadata;
use manifests::policy::{Decision, Reason};

use crate::bundle::{self, Bundle, Files};
use crate::cache::Cache;
use crate::configuration::{self, Configuration};
use crate::decision::{self, PolicyInForce};
use crate::host::Host;
use crate::jar::{self, Container};
use crate::place::{self, Kind, Place};
use crate::{find, requires, version};

/// What is asked.
#[derive(Default)]
pub struct Request<'a> {
    /// Process and machine.
    pub host: Host,
    /// The agent jar first: its configuration and policy are the embedded ones; then others on the bootstrap path.
    pub containers: Vec<&'a dyn Container>,
    /// Agent arguments: places, `ext`, and those of the policy.
    pub arguments: AgentArguments,
    /// Scripts beside which extensions may lie.
    pub scripts: Vec<PathBuf>,
    /// Folders and files that stand for all installed places.
    pub only: Option<Vec<PathBuf>>,
    /// Whether descriptions are kept for the next JVM, and taken from there.
    pub cached: bool,
}

/// An extension that counts for its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    /// What it says about itself.
    pub metadata: ExtensionMetadata,
    /// Where its code is.
    pub files: Files,
    /// The kind of place that it was found in.
    pub place: Kind,
    /// Whether it can be used.
    pub status: Status,
    /// What the policy says, which counts only where nothing else keeps it from being used.
    pub decision: Result<Decision, String>,
    /// Names and values of its settings.
    pub settings: Vec<(String, String)>,
    /// Whether its description is of the old form.
    pub legacy: bool,
    /// Whether the policy of the agent jar is sealed, so that files and arguments cannot grant more.
    pub sealed: bool,
}

/// Whether an extension can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It can.
    Usable,
    /// Somebody switched it off.
    Disabled {
        /// By what.
        by: String,
    },
    /// The policy does not grant it.
    Denied {
        /// What denies it, the strongest first.
        reasons: Vec<Reason>,
    },
    /// Something else is in the way.
    Unusable {
        /// What.
        why: String,
    },
    /// Its files are not what was signed, so that nothing of it may be loaded, not even its API.
    Damaged {
        /// Which.
        why: String,
    },
}

impl Extension {
    /// Whether it can be used.
    pub fn is_usable(&self) -> bool {
        self.status == Status::Usable
    }

    /// Why it cannot be used and what to do about it, in one line; nothing where it can.
    pub fn refusal(&self) -> Option<String> {
        let id = &self.metadata.id;
        match &self.status {
            Status::Usable => None,
            Status::Disabled { by } => Some(format!("the extension `{id}` is disabled: {by}")),
            Status::Denied { reasons } => {
                let because: Vec<String> = reasons.iter().map(Reason::to_string).collect();
                let hint = self.remedy()?;
                Some(format!("the extension `{id}` is denied: {}; hint: {hint}", because.join("; ")))
            }
            Status::Unusable { why } | Status::Damaged { why } => {
                Some(format!("the extension `{id}` cannot be used: {why}"))
            }
        }
    }

    /// What would let the policy grant it; nothing where it is not the policy that keeps it from being used.
    pub fn remedy(&self) -> Option<String> {
        let Status::Denied { reasons } = &self.status else { return None };
        let id = &self.metadata.id;
        let needs_permissions = reasons.iter().all(|reason| matches!(reason, Reason::Privileged(_)));
        Some(match reasons.as_slice() {
            [..] if self.legacy => {
                "build it again with `fatagent extension build`, which declares its permissions".to_owned()
            }
            [Reason::Undeclared | Reason::Unreadable(_), ..] => {
                "build it again with permissions that this version knows".to_owned()
            }
            [..] if needs_permissions && self.sealed => {
                "the agent jar's policy is sealed: build it with one that grants them".to_owned()
            }
            [..] if needs_permissions => format!("`fatagent ext allow {id}` lets it have them"),
            [Reason::Extension, ..] => format!("take `{id}` out of `denyExtensions`"),
            _ => "`fatagent policy explain` shows what denies it".to_owned(),
        })
    }
}

/// Every extension that counts, with what was decided on the way.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Extensions; what one requires comes before it.
    pub extensions: Vec<Extension>,
    /// Lines for the log, each said once.
    pub reports: Vec<String>,
    /// The configuration.
    pub configuration: Configuration,
    /// The policy.
    pub policy: PolicyInForce,
    services: BTreeMap<String, usize>,
}

impl Resolved {
    /// An extension by its id.
    pub fn by_id(&self, id: &str) -> Option<&Extension> {
        self.extensions.iter().find(|extension| extension.metadata.id == id)
    }

    /// The extension that offers a service, by the service's dotted name.
    pub fn of_service(&self, service: &str) -> Option<&Extension> {
        self.services.get(service).map(|at| &self.extensions[*at])
    }

    /// An extension's settings as files and variables have them now, with what is to be said about them. Which extensions
    /// there are and which are on stays as it was.
    pub fn settings_again(&self, host: &Host, agent: &dyn Container, id: &str) -> (Vec<(String, String)>, Vec<String>) {
        let mut reports = Vec::new();
        let Some(extension) = self.by_id(id) else { return (Vec::new(), reports) };
        let name = configuration::EMBEDDED;
        let embedded =
            agent.entry(name).ok().flatten().map(|bytes| (format!("{}!/{name}", agent.path().display()), bytes));
        let configuration = Configuration::read(host, embedded.as_ref().map(parts), &mut reports);
        let ids: Vec<&str> = self.extensions.iter().map(|extension| extension.metadata.id.as_str()).collect();
        reports.extend(configuration.unowned(&ids));
        let settings = configuration.settings_of(id, &extension.metadata.settings, &ids, &mut reports);
        (settings, reports)
    }

    /// Usable extensions in the order in which they have to be loaded.
    pub fn usable(&self) -> impl Iterator<Item = &Extension> {
        self.extensions.iter().filter(|extension| extension.is_usable())
    }
}

/// One extension as a candidate for its id.
struct Candidate {
    bundle: Bundle,
    place: Kind,
}

/// Finds all extensions and decides about each.
pub fn resolve(request: &Request<'_>) -> Resolved {
    let Request { host, containers, arguments, scripts, only: paths, cached } = request;
    let mut reports = Vec::new();
    let agent = containers.first().copied();
    let mut text = |name: &str| {
        let agent = agent?;
        let origin = format!("{}!/{name}", agent.path().display());
        match agent.entry(name) {
            Ok(bytes) => bytes.map(|bytes| (origin, bytes)),
            Err(e) => {
                reports.push(format!("{origin} cannot be read: {e}; hint: run `fatagent verify` on the jar"));
                // Nobody knows what it would have denied.
                (name == decision::EMBEDDED).then(|| (origin, b"unreadable".to_vec()))
            }
        }
    };
    let (conf, policy) = (text(configuration::EMBEDDED), text(decision::EMBEDDED));
    let configuration = Configuration::read(host, conf.as_ref().map(parts), &mut reports);
    let policy = PolicyInForce::read(host, policy.as_ref().map(parts), arguments, &mut reports);

    let mut by_id: BTreeMap<String, Candidate> = BTreeMap::new();
    if !arguments.flag("noBuiltinExt") {
        for container in containers {
            embedded(*container, &mut by_id, &mut reports);
        }
    }
    let mut cache = if *cached { Cache::open(host) } else { Cache::default() };
    let places = match paths {
        Some(paths) => {
            paths.iter().map(|path| Place { kind: Kind::Argument, path: path.clone(), named: true }).collect()
        }
        None => place::installed(host, arguments, configuration.path.clone(), scripts, &mut reports),
    };
    for place in places {
        let found = find::installed(&place, &mut cache, &mut reports);
        let latest = latest(found, place.kind, &mut reports);
        for candidate in latest {
            lay(candidate, containers, &mut by_id, &mut reports);
        }
    }
    cache.save();
    if paths.is_none() {
        place::older_spellings(host, &mut reports);
    }

    let ids: Vec<String> = by_id.keys().cloned().collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    reports.extend(configuration.unowned(&ids));
    let only = arguments.get("ext").map(|list| list.split([';', ',']).map(str::trim).collect::<Vec<_>>());
    let mut extensions = Vec::new();
    for candidate in by_id.into_values() {
        let decision = decide(&policy, &candidate.bundle);
        let status = status(&candidate, &configuration, only.as_deref(), host, &decision, &ids);
        reports.extend(bundle::legacy_report(&candidate.bundle));
        let Bundle { metadata, files, legacy, .. } = candidate.bundle;
        let settings = configuration.settings_of(&metadata.id, &metadata.settings, &ids, &mut reports);
        let (place, sealed) = (candidate.place, policy.sealed);
        extensions.push(Extension { metadata, files, place, status, decision, settings, legacy, sealed });
    }
    if let Some(only) = only {
        for id in only.iter().filter(|id| !id.is_empty() && !ids.contains(id)) {
            reports.push(format!("the argument `ext` names an extension that is not there: `{id}`"));
        }
    }
    requires::order(&mut extensions);
    let services = services(&extensions, &mut reports);
    let mut said = std::collections::HashSet::new();
    reports.retain(|report| said.insert(report.clone()));
    Resolved { extensions, reports, configuration, policy, services }
}

/// What a text is called, and its bytes.
fn parts((origin, bytes): &(String, Vec<u8>)) -> (&str, &[u8]) {
    (origin, bytes)
}

/// Takes what a jar embeds; of an id that several jars embed, the first one counts.
fn embedded(container: &dyn Container, by_id: &mut BTreeMap<String, Candidate>, reports: &mut Vec<String>) {
    for found in bundle::embedded(container) {
        match found {
            Ok(bundle) => {
                let id = bundle.metadata.id.clone();
                if let Some(first) = by_id.get(&id) {
                    let (first, second) = (first.bundle.files.path(), bundle.files.path());
                    if first != second {
                        reports.push(format!(
                            "the extension `{id}` is embedded in {} and in {}: that of the first counts",
                            first.display(),
                            second.display()
                        ));
                    }
                    continue;
                }
                by_id.insert(id, Candidate { bundle, place: Kind::Embedded });
            }
            Err(error) => {
                reports.push(format!(
                    "an embedded extension is off: {}, or run `fatagent verify` on the jar",
                    error.line()
                ));
            }
        }
    }
}

/// Of each id, the latest version that one place has.
fn latest(found: Vec<Bundle>, place: Kind, reports: &mut Vec<String>) -> Vec<Candidate> {
    let mut latest: BTreeMap<String, Bundle> = BTreeMap::new();
    for bundle in found {
        let Some(known) = latest.get_mut(&bundle.metadata.id) else {
            latest.insert(bundle.metadata.id.clone(), bundle);
            continue;
        };
        let later = version::compare(&bundle.metadata.version, &known.metadata.version).is_gt();
        let passed = if later { std::mem::replace(known, bundle) } else { bundle };
        reports.push(format!(
            "the extension `{}` {} in {} is not used: {} has {}",
            passed.metadata.id,
            passed.metadata.version,
            passed.files.path().display(),
            known.files.path().display(),
            known.metadata.version
        ));
    }
    latest.into_values().map(|bundle| Candidate { bundle, place }).collect()
}

/// Lays an installed extension over what earlier places have.
fn lay(
    candidate: Candidate,
    containers: &[&dyn Container],
    by_id: &mut BTreeMap<String, Candidate>,
    reports: &mut Vec<String>,
) {
    let id = candidate.bundle.metadata.id.clone();
    if let Some(known) = by_id.get(&id) {
        let (old, new) = (&known.bundle, &candidate.bundle);
        let name = |bundle: &Bundle| format!("{} in {}", bundle.metadata.version, bundle.files.path().display());
        let jar = containers.iter().find(|jar| known.place == Kind::Embedded && jar.path() == old.files.path());
        if let Some(why) = jar.and_then(|jar| api_difference(*jar, &old.metadata, &new.files)) {
            let hint = "hint: build the agent with the new version";
            reports.push(format!(
                "the extension `{id}` {} cannot replace the embedded {}, whose API is loaded already: {why}; {hint}",
                name(new),
                old.metadata.version
            ));
            return;
        }
        reports.push(format!("the extension `{id}` {} is used instead of {}", name(new), name(old)));
    }
    by_id.insert(id, candidate);
}

/// How the API of an installed extension differs from the embedded one; nothing where both are the same.
fn api_difference(container: &dyn Container, embedded: &ExtensionMetadata, files: &Files) -> Option<String> {
    let read = || -> Result<Option<String>, crate::Error> {
        match files {
            Files::Embedded { .. } => Ok(None),
            Files::Pair { api, .. } => Ok(difference(container, embedded, &mut jar::open(api)?, true)),
            Files::Flat { jar } => Ok(difference(container, embedded, &mut jar::open(jar)?, false)),
            Files::Zip { zip, api, .. } => match jar::open(zip)?.nested(api)? {
                Some(mut api) => Ok(difference(container, embedded, &mut api, true)),
                None => Ok(Some(format!("{} has no {api}", zip.display()))),
            },
        }
    };
    read().unwrap_or_else(|error| Some(error.line()))
}

/// `alone`: the jar has the API and nothing else.
fn difference<R: std::io::Read + std::io::Seek>(
    container: &dyn Container,
    embedded: &ExtensionMetadata,
    jar: &mut jar::Jar<R>,
    alone: bool,
) -> Option<String> {
    let dotted = |entry: &str| entry.trim_end_matches(".class").replace('/', ".");
    let classes: Vec<String> = jar
        .names()
        .filter(|name| name.ends_with(".class") && !name.starts_with("META-INF/"))
        .map(Cow::into_owned)
        .collect();
    for class in &classes {
        match container.fingerprint(class) {
            None if alone => return Some(format!("`{}` is new", dotted(class))),
            None => {}
            Some(old) if jar.fingerprint(class) == Some(old) => {}
            Some(_) => return Some(format!("`{}` is another class", dotted(class))),
        }
    }
    let api = embedded.services.iter().chain(&embedded.exports);
    let gone = api.map(|class| format!("{}.class", class.replace('.', "/"))).find(|class| !classes.contains(class));
    gone.map(|class| format!("`{}` is gone", dotted(&class)))
}

fn decide(policy: &PolicyInForce, bundle: &Bundle) -> Result<Decision, String> {
    let policy = policy.policy.as_ref().map_err(Clone::clone)?;
    let declared = match &bundle.unreadable {
        Some((error, _)) => Err(error),
        None => Ok(bundle.metadata.permissions.as_deref()),
    };
    Ok(policy.decide_declared(&bundle.metadata.id, declared))
}

fn status(
    candidate: &Candidate,
    configuration: &Configuration,
    only: Option<&[&str]>,
    host: &Host,
    decision: &Result<Decision, String>,
    ids: &[&str],
) -> Status {
    let Bundle { metadata, signature, files, .. } = &candidate.bundle;
    let id = metadata.id.as_str();
    if only.is_some_and(|only| !only.contains(&id)) {
        return Status::Disabled { by: "the argument `ext` does not name it".to_owned() };
    }
    if let Some(by) = configuration.off(id, ids) {
        return Status::Disabled { by };
    }
    if let Some(why) = signature {
        let hint = "hint: install it again";
        let why = format!("the signature of {} does not hold: {why}; {hint}", files.path().display());
        return Status::Damaged { why };
    }
    match decision {
        Ok(Decision::Granted) => {}
        Ok(Decision::Denied { reasons }) => return Status::Denied { reasons: reasons.clone() },
        Err(why) => return Status::Unusable { why: why.clone() },
    }
    let api = version::reaches(&metadata.api_version, &version::API);
    let java = host.java.map_or(Some(true), |java| version::java(&metadata.java_version).map(|least| least <= java));
    match (api, java) {
        (Some(true), Some(true)) => Status::Usable,
        (Some(false), _) => {
            let [major, minor] = version::API;
            let why = format!(
                "it needs the agent API {}, this is {major}.{minor}; hint: use a newer agent",
                metadata.api_version
            );
            Status::Unusable { why }
        }
        (_, Some(false)) => {
            let java = host.java.unwrap_or_default();
            let why = format!(
                "it needs Java {}, this is {java}; hint: run the application on a newer Java",
                metadata.java_version
            );
            Status::Unusable { why }
        }
        (None, _) => Status::Unusable { why: format!("its least agent API is no version: `{}`", metadata.api_version) },
        (_, None) => Status::Unusable { why: format!("its least Java is no version: `{}`", metadata.java_version) },
    }
}

/// Which extension offers each service: of several, a usable one, then that of the later place, then the first by id.
fn services(extensions: &[Extension], reports: &mut Vec<String>) -> BTreeMap<String, usize> {
    let mut services: BTreeMap<String, usize> = BTreeMap::new();
    for (at, extension) in extensions.iter().enumerate() {
        for service in &extension.metadata.services {
            let Some(known) = services.get_mut(service) else {
                services.insert(service.clone(), at);
                continue;
            };
            let rank = |extension: &Extension| (extension.is_usable(), extension.place);
            let other = &extensions[*known];
            let (taken, passed) = if (rank(extension), &other.metadata.id) > (rank(other), &extension.metadata.id) {
                *known = at;
                (extension, other)
            } else {
                (other, extension)
            };
            if passed.is_usable() {
                reports.push(format!(
                    "the service {service} is offered by `{}` and by `{}`: that of the first is used",
                    taken.metadata.id, passed.metadata.id
                ));
            }
        }
    }
    services
}
