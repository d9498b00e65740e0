//! Starting, submitting probes, and taking them away again.

use crate::audit::{self, Client};
use crate::jar::Jar;
use crate::libraries;
use crate::linking::configurators::{self, Chosen};
use crate::linking::eager;
use crate::output::{Destination, Output};
use crate::probes::{self, Asked, Submission};
use crate::state::Core;
use crate::{arguments, files, identity, log};
use journal::Record;
use jvm::{Jni, Value, Vm};
use manifests::arguments::{AgentArguments, limit, list};
use manifests::properties::Properties;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Once, PoisonError};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Arguments that this version acts on.
const SUPPORTED: &[&str] = &[
    "allowExtensions",
    "allowPrivileged",
    "allowScriptExtensions",
    "auditFile",
    "bootClassPath",
    "btraceHome",
    "config",
    "debug",
    "deny",
    "denyExtensions",
    "dumpClasses",
    "dumpDir",
    "ext",
    "extPath",
    "fileRollMaxRolls",
    "fileRollMilliseconds",
    "grant",
    "grantAll",
    "help",
    "jar",
    "level",
    "libs",
    "logFile",
    "logLevel",
    "maxAuditBytes",
    "maxEventsPerSecond",
    "maxLogBytes",
    "maxMethods",
    "maxOutputBytes",
    "noBuiltinExt",
    "off",
    "output",
    "probes",
    "script",
    "scriptOutputDir",
    "scriptOutputFile",
    "scriptdir",
    "startupRetransform",
    "stdout",
    "systemClassPath",
    "systemExtensions",
    "trackRetransforms",
    "trusted",
    "userExtensions",
];

/// Arguments that name probes. Where one is given, nobody else chooses.
const PROBES: [&str; 3] = ["probes", "script", "scriptdir"];

fn has(arguments: &AgentArguments, key: &str) -> bool {
    arguments.iter().any(|(name, _)| name == key)
}

/// Starts the core: reads the jar's default arguments, then the given ones, and submits the probes they name.
pub(crate) fn start(vm: Vm, jni: &Jni<'_>, jar: &str, arguments: &str) -> Result<()> {
    let jar = Jar::open(Path::new(jar)).map_err(|e| format!("the agent jar {jar} cannot be read: {e}"))?;
    let arguments = all(&jar, arguments)?;
    begin(vm, jni, jar, &arguments)
}

/// Starts the core with an open jar and [`all`] its arguments.
pub(crate) fn begin(vm: Vm, jni: &Jni<'_>, jar: Jar, arguments: &AgentArguments) -> Result<()> {
    let mut arguments = arguments.clone();
    let client = Client::take(&mut arguments);
    let jvmti = vm.jvmti()?;
    log::configure(jvmti, &arguments);
    audit::configure(&arguments);
    crate::deprecation::report(jvmti);
    let core = Core::init(vm, jar)?;
    audit::started("start", &core.jar, &arguments, client);
    identity::publish(core, jni);
    audited(submit(core, jni, &arguments))?;
    if !may_choose(core, &arguments) {
        return Ok(());
    }
    audited(configured(core, jni, &arguments))
}

/// Records that a start ended early.
fn audited(result: Result<()>) -> Result<()> {
    if let Err(e) = &result {
        audit::write(|| Record::new("failed").with("reason", e.to_string()));
    }
    result
}

/// Submits what the configurators of the extensions choose.
fn configured(core: &Core, jni: &Jni<'_>, arguments: &AgentArguments) -> Result<()> {
    for Chosen { extension, output, probes } in configurators::choose(core, jni, arguments) {
        let given = Destination::given(&core.outputs, arguments)?;
        let output = match given {
            Some(output) => output,
            None => Destination::Same(configurators::output(core, &extension, output, files::limits(arguments)?)),
        };
        let mut classes = Vec::new();
        for (name, mut parameters) in probes {
            let given = arguments::parameters(arguments).into_iter();
            let given: Vec<_> =
                given.filter(|(name, _)| !parameters.iter().any(|(chosen, _)| chosen == name)).collect();
            parameters.extend(given);
            match embedded(core, &name) {
                Ok(bytes) => classes.push(Asked { what: format!("probe {name}"), bytes, parameters }),
                Err(e) => log::line(&format!("probe {name}, which extension {extension} chooses, is off: {e}")),
            }
        }
        if !classes.is_empty() {
            probes::submit(core, jni, &classes, &submission(arguments, output)?)?;
        }
    }
    Ok(())
}

/// The default arguments that a jar carries, over them those of the environment, and over both the given ones.
pub(crate) fn all(jar: &Jar, given: &str) -> Result<AgentArguments> {
    over_defaults(jar, &AgentArguments::parse(given)?)
}

fn over_defaults(jar: &Jar, given: &AgentArguments) -> Result<AgentArguments> {
    let mut over = of_environment();
    over.extend(given);
    let own = defaults(jar)?;
    let mut all = arguments::of_group(&own, over.get("config").or_else(|| own.get("config")));
    all.extend(&over);
    Ok(all)
}

/// Whether probes may come of this start: the arguments name one, or extensions may choose some.
pub(crate) fn may_probe(jar: &Jar, arguments: &AgentArguments) -> bool {
    if PROBES.iter().any(|key| has(arguments, key)) {
        return PROBES.iter().any(|key| !names(arguments, key).is_empty());
    }
    jar.has_configurator()
}

/// A later start of the same build: takes probes away, or submits more.
pub(crate) fn again(core: &Core, jni: &Jni<'_>, arguments: &str) -> Result<()> {
    let mut given = AgentArguments::parse(arguments)?;
    let client = Client::take(&mut given);
    if given.flag("off") {
        return probes::off(core, jni, client);
    }
    let all = over_defaults(&core.jar, &given)?;
    log::configure(core.jvmti, &all);
    audit::configure(&all);
    audit::started("attach", &core.jar, &all, client);
    audited(submit(core, jni, &all))
}

/// The arguments in `BTRACE_AGENT_ARGS`. Ones that cannot be read are reported once and count as none.
fn of_environment() -> AgentArguments {
    static REPORTED: Once = Once::new();
    let text = std::env::var_os("BTRACE_AGENT_ARGS").unwrap_or_default();
    AgentArguments::parse(&text.to_string_lossy()).unwrap_or_else(|e| {
        let hint = e.hint();
        REPORTED.call_once(|| log::error("BTRACE_AGENT_ARGS is ignored", &e, hint));
        AgentArguments::default()
    })
}

/// The default arguments that the jar carries.
fn defaults(jar: &Jar) -> Result<AgentArguments> {
    const NAME: &str = "META-INF/btrace/agent.properties";
    let mut arguments = AgentArguments::default();
    if let Some(bytes) = jar.entry(NAME)? {
        let properties =
            Properties::parse(&bytes).map_err(|e| format!("{NAME} in {} is damaged: {e}", jar.path().display()))?;
        for (key, value) in properties.iter() {
            arguments.set(key, Some(value))?;
        }
    }
    Ok(arguments)
}

fn submit(core: &Core, jni: &Jni<'_>, arguments: &AgentArguments) -> Result<()> {
    arguments::report(arguments, SUPPORTED);
    if let Some(config) = arguments.get("config") {
        arguments::check_group(&defaults(&core.jar)?, config);
    }
    for (key, value) in arguments.iter() {
        if let (Some(name), Some(value)) = (key.strip_prefix('$'), value) {
            set_property(jni, name, value)?;
        }
    }
    libraries::append(core.jvmti, &core.jar, arguments);
    let scripts = scripts(arguments);
    core.extensions.begin(arguments, &scripts);
    eager::load(core, jni);
    if arguments.get("trackRetransforms").is_some() {
        core.tracks.store(arguments.flag("trackRetransforms"), Ordering::Relaxed);
    }
    if arguments.flag("dumpClasses") {
        let folder = files::path("dumpDir", arguments.get("dumpDir").unwrap_or("."))?;
        *core.dump.write().unwrap_or_else(PoisonError::into_inner) = Some(folder);
    }
    let output = Destination::given(&core.outputs, arguments)?.unwrap_or(Destination::Same(Output::Stderr));
    let submission = submission(arguments, output)?;
    let mut classes = Vec::new();
    let parameters = arguments::parameters(arguments);
    let mut ask = |what: String, bytes| classes.push(Asked { what, bytes, parameters: parameters.clone() });
    for name in names(arguments, "probes") {
        match embedded(core, &name) {
            Ok(bytes) => ask(format!("probe {name}"), bytes),
            Err(e) => log::line(&format!("probe {name} is off: {e}")),
        }
    }
    for path in scripts {
        match fs_err::read(&path) {
            Ok(bytes) => ask(format!("script {}", path.display()), bytes),
            Err(e) => log::line(&format!("script {} is off: {e}", path.display())),
        }
    }
    // A configurator sees all arguments.
    let are_chosen = !parameters.is_empty() && may_choose(core, arguments);
    arguments::report_unknown(arguments, |name| {
        are_chosen || classes.iter().any(|class| probe::uses_parameter(&class.bytes, name))
    });
    probes::submit(core, jni, &classes, &submission)
}

/// Whether configurators choose the probes.
fn may_choose(core: &Core, arguments: &AgentArguments) -> bool {
    !PROBES.iter().any(|key| has(arguments, key)) && core.jar.has_configurator()
}

/// The files of precompiled probes that are named, and those in the folder that is.
fn scripts(arguments: &AgentArguments) -> Vec<PathBuf> {
    let mut scripts: Vec<PathBuf> = names(arguments, "script").into_iter().map(PathBuf::from).collect();
    for folder in names(arguments, "scriptdir") {
        let entries = match fs_err::read_dir(&folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()),
            Err(e) => {
                log::line(&format!("scriptdir={folder} starts no probe: {e}"));
                continue;
            }
        };
        // What has a dollar sign belongs to another class.
        let is_script = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".class") && !name.contains('$')
        };
        let mut found: Vec<PathBuf> = entries.filter(is_script).collect();
        if found.is_empty() {
            log::line(&format!("scriptdir={folder} starts no probe: it holds no class file; hint: compile the probes"));
        }
        found.sort();
        scripts.extend(found);
    }
    scripts
}

fn submission(arguments: &AgentArguments, output: Destination) -> Result<Submission> {
    let number = |key: &str| arguments.get(key).map(|value| limit(key, value)).transpose();
    let level = arguments.get("level").map(|text| {
        let hint = "hint: write a whole number, as in `level=2`";
        text.trim().parse::<i32>().map_err(|_| format!("level={text} is no number; {hint}"))
    });
    Ok(Submission {
        output,
        reaches_loaded: arguments.get("startupRetransform").is_none() || arguments.flag("startupRetransform"),
        level: level.transpose()?,
        max_methods: number("maxMethods")?.and_then(|n| usize::try_from(n).ok()),
        max_events: number("maxEventsPerSecond")?,
    })
}

/// The names in the value of an argument.
fn names(arguments: &AgentArguments, key: &str) -> Vec<String> {
    arguments.get(key).map(list).unwrap_or_default()
}

/// The bytes of an embedded probe, by dotted or simple class name.
fn embedded(core: &Core, name: &str) -> Result<Vec<u8>> {
    let known = core.jar.probes();
    let found: Vec<&String> =
        known.iter().filter(|k| *k == name || k.rsplit_once('.').is_some_and(|(_, simple)| simple == name)).collect();
    let class = match found.as_slice() {
        [one] => *one,
        [] => {
            let nearest = manifests::suggest::nearest(name, known.iter().map(String::as_str));
            let hint = nearest
                .map_or_else(|| format!("embedded are: {}", known.join(", ")), |n| format!("did you mean `{n}`?"));
            return Err(format!("{} embeds no such probe; hint: {hint}", core.jar.path().display()).into());
        }
        several => {
            return Err(format!("the name is ambiguous; hint: name one of {several:?} in full").into());
        }
    };
    let entry = format!("META-INF/btrace-probes/{}.class", class.replace('.', "/"));
    core.jar.entry(&entry)?.ok_or_else(|| format!("{entry} is missing").into())
}

/// `System.setProperty`.
pub(crate) fn set_property(jni: &Jni<'_>, name: &str, value: &str) -> Result<()> {
    let system = jni.find_class("java/lang/System")?;
    jni.call_static_object(
        system,
        "setProperty",
        "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;",
        &[Value::Object(jni.string(name)?), Value::Object(jni.string(value)?)],
    )?;
    Ok(())
}
