//! Starting, submitting probes, and taking them away again.

use crate::jar::Jar;
use crate::libraries;
use crate::linking::configurators::{self, Chosen};
use crate::linking::eager;
use crate::log;
use crate::output::Output;
use crate::probes::{self, Asked, Submission};
use crate::state::Core;
use jvm::{Jni, Value, Vm};
use manifests::arguments::{AgentArguments, limit};
use manifests::properties::Properties;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Once, PoisonError};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Arguments that this version acts on.
const SUPPORTED: &[&str] = &[
    "allowExtensions",
    "allowPrivileged",
    "allowScriptExtensions",
    "bootClassPath",
    "btraceHome",
    "debug",
    "deny",
    "denyExtensions",
    "dumpClasses",
    "dumpDir",
    "ext",
    "extPath",
    "grant",
    "grantAll",
    "jar",
    "level",
    "libs",
    "maxEventsPerSecond",
    "maxMethods",
    "noBuiltinExt",
    "noServer",
    "off",
    "probes",
    "script",
    "scriptOutputFile",
    "stdout",
    "systemClassPath",
    "systemExtensions",
    "trusted",
    "userExtensions",
];

/// Arguments that name probes. Where one is given, nobody else chooses.
const PROBES: [&str; 2] = ["probes", "script"];

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
    crate::deprecation::report(vm.jvmti()?);
    let core = Core::init(vm, jar)?;
    submit(core, jni, arguments)?;
    if PROBES.iter().any(|key| has(arguments, key)) || !core.jar.has_configurator() {
        return Ok(());
    }
    configured(core, jni, arguments)
}

/// Submits what the configurators of the extensions choose.
fn configured(core: &Core, jni: &Jni<'_>, arguments: &AgentArguments) -> Result<()> {
    for Chosen { extension, output, probes } in configurators::choose(core, jni, arguments) {
        let given = given_output(core, arguments)?;
        let output = match given {
            Some(output) => output,
            None => configurators::output(core, &extension, output),
        };
        let mut classes = Vec::new();
        for (name, parameters) in probes {
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
    let mut all = defaults(jar)?;
    all.extend(&of_environment());
    all.extend(&AgentArguments::parse(given)?);
    Ok(all)
}

/// Whether probes may come of this start: the arguments name one, or extensions may choose some.
pub(crate) fn may_probe(jar: &Jar, arguments: &AgentArguments) -> bool {
    if PROBES.iter().any(|key| has(arguments, key)) {
        return PROBES.iter().any(|key| list(arguments.get(key)).next().is_some());
    }
    jar.has_configurator()
}

/// A later start of the same build: takes probes away, or submits more.
pub(crate) fn again(core: &Core, jni: &Jni<'_>, arguments: &str) -> Result<()> {
    let given = AgentArguments::parse(arguments)?;
    if given.flag("off") {
        return probes::off(core, jni);
    }
    let mut all = defaults(&core.jar)?;
    all.extend(&of_environment());
    all.extend(&given);
    submit(core, jni, &all)
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
    log::set_debug(arguments.flag("debug"));
    report_unsupported(arguments);
    for (key, value) in arguments.iter() {
        if let (Some(name), Some(value)) = (key.strip_prefix('$'), value) {
            set_property(jni, name, value)?;
        }
    }
    libraries::append(core.jvmti, &core.jar, arguments);
    let scripts: Vec<PathBuf> = list(arguments.get("script")).map(PathBuf::from).collect();
    core.extensions.begin(arguments, &scripts);
    eager::load(core, jni);
    if arguments.flag("dumpClasses") {
        let folder = PathBuf::from(arguments.get("dumpDir").unwrap_or("."));
        *core.dump.write().unwrap_or_else(PoisonError::into_inner) = Some(folder);
    }
    let output = given_output(core, arguments)?.unwrap_or(Output::Stderr);
    let submission = submission(arguments, output)?;
    let mut classes = Vec::new();
    let mut ask = |what: String, bytes| classes.push(Asked { what, bytes, parameters: Vec::new() });
    for name in list(arguments.get("probes")) {
        match embedded(core, name) {
            Ok(bytes) => ask(format!("probe {name}"), bytes),
            Err(e) => log::line(&format!("probe {name} is off: {e}")),
        }
    }
    for path in list(arguments.get("script")) {
        match fs_err::read(path) {
            Ok(bytes) => ask(format!("script {path}"), bytes),
            Err(e) => log::line(&format!("script {path} is off: {e}")),
        }
    }
    probes::submit(core, jni, &classes, &submission)
}

/// Where the arguments say that probes write.
fn given_output(core: &Core, arguments: &AgentArguments) -> Result<Option<Output>> {
    Ok(match arguments.get("scriptOutputFile") {
        Some(path) => Some(core.outputs.file(Path::new(path)).map_err(|e| {
            format!("scriptOutputFile={path} cannot be written: {e}; hint: name a file in a folder that exists")
        })?),
        None if arguments.flag("stdout") => Some(Output::Stdout),
        None => None,
    })
}

fn submission(arguments: &AgentArguments, output: Output) -> Result<Submission> {
    let number = |key: &str| arguments.get(key).map(|value| limit(key, value)).transpose();
    let level = arguments.get("level").map(|text| {
        let hint = "hint: write a whole number, as in `level=2`";
        text.trim().parse::<i32>().map_err(|_| format!("level={text} is no number; {hint}"))
    });
    Ok(Submission {
        output,
        level: level.transpose()?,
        max_methods: number("maxMethods")?.and_then(|n| usize::try_from(n).ok()),
        max_events: number("maxEventsPerSecond")?,
    })
}

fn report_unsupported(arguments: &AgentArguments) {
    let unknown: Vec<(&str, Option<&str>)> = arguments.unknown().collect();
    for (key, nearest) in &unknown {
        let hint = nearest.map(|n| format!("; hint: did you mean `{n}`?")).unwrap_or_default();
        log::line(&format!("unknown agent argument `{key}` is ignored{hint}"));
    }
    for (key, _) in arguments.iter() {
        let known = !key.starts_with('$') && !unknown.iter().any(|(u, _)| u == &key);
        if known && !SUPPORTED.contains(&key) {
            log::line(&format!("agent argument `{key}` is not supported by this version and is ignored"));
        }
    }
}

/// Names in a value, separated by `;` (or `,` where the value is quoted).
fn list(value: Option<&str>) -> impl Iterator<Item = &str> {
    value.unwrap_or_default().split([';', ',']).map(str::trim).filter(|v| !v.is_empty())
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
