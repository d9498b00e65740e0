//! The extensions of this JVM: found, configured and decided about when the first one is asked for, and not before.

use crate::audit;
use crate::jar::Jar;
use crate::log::{self, Topic};
use crate::state::Core;
use extensions::{
    Container, ContainerFile, Extension, Host, Request, Resolved, Status, Watch, configuration, host, version,
};
use journal::Record;
use jvm::{Jni, Jvmti, Phase, Value, Vm};
use manifests::arguments::AgentArguments;
use std::collections::HashSet;
use std::error::Error;
use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Everything about extensions that does not depend on their code.
#[derive(Default)]
pub(crate) struct Extensions {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Arguments of all starts so far, later ones over earlier ones.
    arguments: AgentArguments,
    scripts: Vec<PathBuf>,
    resolved: Option<Arc<Resolved>>,
    /// Refusals that are in the audit.
    told: HashSet<String>,
    /// The files that settings come from, as they were when `resolved` was made.
    watch: Option<Watch>,
}

impl Extensions {
    /// Takes the arguments of a start. What they say counts for whatever is asked from now on.
    pub(crate) fn begin(&self, arguments: &AgentArguments, scripts: &[PathBuf]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = state.arguments.clone();
        all.extend(arguments);
        let added: Vec<&PathBuf> = scripts.iter().filter(|script| !state.scripts.contains(script)).collect();
        if all != state.arguments || !added.is_empty() {
            let added: Vec<PathBuf> = added.into_iter().cloned().collect();
            state.scripts.extend(added);
            state.arguments = all;
            state.resolved = None;
        }
    }

    /// All extensions. The first call looks into every place; what it has to say is logged once.
    pub(crate) fn resolved(&self, core: &Core) -> Arc<Resolved> {
        if let Some(resolved) = &self.state.lock().unwrap_or_else(PoisonError::into_inner).resolved {
            return Arc::clone(resolved);
        }
        // Asks Java, which woven code may be in, and so comes back here: nothing is locked yet.
        let host = host(core);
        let others = others(core);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resolved) = &state.resolved {
            return Arc::clone(resolved);
        }
        // Before the files are read, so that a change while they are is seen by the next question.
        state.watch = Some(configuration::watch(&host));
        let mut containers: Vec<&dyn Container> = vec![&core.jar];
        containers.extend(others.iter().map(|other| other as &dyn Container));
        let (arguments, scripts) = (state.arguments.clone(), state.scripts.clone());
        let resolved =
            Arc::new(extensions::resolve(&Request { host, containers, arguments, scripts, cached: true, only: None }));
        for report in &resolved.reports {
            core.report_once(report.clone());
        }
        for extension in &resolved.extensions {
            tell(extension, &mut state.told);
        }
        state.resolved = Some(Arc::clone(&resolved));
        resolved
    }

    /// The extension that offers a service, by the service's dotted name. That it cannot be used is logged once.
    pub(crate) fn of_service(&self, core: &Core, service: &str) -> Option<Extension> {
        let Some(extension) = self.resolved(core).of_service(service).cloned() else {
            log::debug_of(Topic::Linking, || format!("no extension offers {service}"));
            return None;
        };
        log::debug_of(Topic::Linking, || format!("extension {} offers {service}", extension.metadata.id));
        if let Some(refusal) = extension.refusal() {
            core.report_once(format!("{service} is not there: {refusal}"));
        }
        Some(extension)
    }

    /// Refuses services that nobody offers or that cannot be used, where `btrace.conf` wants probes to be refused then.
    pub(crate) fn require<'s>(
        &self,
        core: &Core,
        mut services: impl Iterator<Item = &'s str>,
    ) -> Result<(), Box<dyn Error>> {
        if !configuration::fails_on_missing(&host(core)) {
            return Ok(());
        }
        let missing = services.find_map(|service| match self.resolved(core).of_service(service) {
            None => Some(format!("no extension offers its service {service}")),
            Some(extension) => {
                let id = &extension.metadata.id;
                let why = extension.refusal().or_else(|| core.linking.failure(id));
                why.map(|why| format!("its service {service} is not there: {why}"))
            }
        });
        match missing {
            Some(why) => Err(format!("{why}; `extension.fail-on-missing` of btrace.conf asks for all services").into()),
            None => Ok(()),
        }
    }

    /// Names and values of an extension's settings as they are now: files that changed are read again.
    pub(crate) fn settings(&self, core: &Core, id: &str) -> Vec<(String, String)> {
        let resolved = self.resolved(core);
        let Some(extension) = resolved.by_id(id) else { return Vec::new() };
        let host = host(core);
        let now = configuration::watch(&host);
        {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.watch.as_ref() == Some(&now) {
                return extension.settings.clone();
            }
        }
        let (settings, reports) = resolved.settings_again(&host, &core.jar, id);
        for report in reports {
            core.report_once(report);
        }
        settings
    }
}

/// Tells of an extension that was found, and of one that is refused.
fn tell(extension: &Extension, told: &mut HashSet<String>) {
    let metadata = &extension.metadata;
    log::debug_of(Topic::Extensions, || {
        let state = extension.refusal().unwrap_or_else(|| "it can be used".to_owned());
        format!("found extension {} {} in {}: {state}", metadata.id, metadata.version, extension.files.path().display())
    });
    if let Status::Denied { reasons } = &extension.status
        && audit::is_on()
        && told.insert(format!("{} {} {reasons:?}", metadata.id, metadata.version))
    {
        audit::write(|| {
            Record::new("denied")
                .with("extension", metadata.id.as_str())
                .with("version", metadata.version.as_str())
                .with("file", extension.files.path().display().to_string())
                .with("reasons", reasons.iter().map(ToString::to_string).collect::<Vec<_>>())
        });
    }
}

/// Whether extensions are to be loaded at start-up; also while the JVM is loading agents, when it knows the properties of the
/// command line only.
pub(crate) fn load_at_start(vm: Vm, jvmti: Jvmti, jar: &Jar) -> bool {
    let embedded = jar.entry(configuration::EMBEDDED).ok().flatten();
    let of_command_line = |name: &str| jvmti.system_property(&CString::new(name).ok()?);
    let is_live = jvmti.phase().is_ok_and(|phase| phase == Phase::Live);
    let host = match vm.jni() {
        Ok(jni) if is_live => with_properties(|name| property(&jni, name)),
        _ => with_properties(of_command_line),
    };
    configuration::loads_at_start(&host, embedded.as_deref())
}

/// What extensions have to know of this process, once its system properties can be asked for.
fn with_properties(property: impl Fn(&str) -> Option<String>) -> Host {
    let properties = host::PROPERTIES.iter();
    let properties = properties.filter_map(|name| Some(((*name).to_owned(), property(name)?))).collect();
    Host { properties, ..Host::of_process() }
}

/// What extensions have to know of this process.
fn host(core: &Core) -> Host {
    let mut host = match core.vm.jni() {
        Ok(jni) => with_properties(|name| property(&jni, name)),
        Err(_) => Host::of_process(),
    };
    let release = core.jvmti.system_property(c"java.vm.specification.version");
    host.java = release.as_deref().and_then(version::java);
    host
}

/// `System.getProperty`.
fn property(jni: &Jni<'_>, name: &str) -> Option<String> {
    let system = jni.find_class("java/lang/System").ok()?;
    let name = Value::Object(jni.string(name).ok()?);
    let value =
        jni.call_static_object(system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;", &[name]).ok()?;
    (!value.is_null()).then(|| jni.text(value))
}

/// Other jars on the bootstrap path that embed extensions.
fn others(core: &Core) -> Vec<ContainerFile> {
    let path = core.jvmti.system_property(c"jdk.boot.class.path.append").unwrap_or_default();
    let jars = path.split(':').map(Path::new).filter(|jar| jar.is_file() && !is_same(jar, core.jar.path()));
    // What is no jar is nothing that the bootstrap loader could use either.
    let containers = jars.filter_map(|jar| ContainerFile::open(jar).ok());
    containers.filter(|jar| jar.attribute("BTrace-Embedded-Extensions").is_some()).collect()
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs_err::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

impl Container for Jar {
    fn path(&self) -> &Path {
        Self::path(self)
    }

    fn attribute(&self, name: &str) -> Option<String> {
        Self::attribute(self, name).map(str::to_owned)
    }

    fn entry(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        Self::entry(self, name)
    }

    fn fingerprint(&self, name: &str) -> Option<(u32, u64)> {
        Self::fingerprint(self, name)
    }
}
