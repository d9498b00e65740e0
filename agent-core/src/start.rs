//! Starting, submitting probes, and taking them away again.

use crate::hook::LINKER;
use crate::jar::Jar;
use crate::log;
use crate::output::Output;
use crate::state::{Active, Core, Probes};
use jvm::{Capability, Event, Jni, Value, Vm};
use manifests::arguments::AgentArguments;
use manifests::properties::Properties;
use probe::{Matcher, Probe};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Arguments that this version acts on.
const SUPPORTED: &[&str] =
    &["debug", "dumpClasses", "dumpDir", "jar", "noServer", "off", "probes", "script", "scriptOutputFile", "stdout"];

/// Starts the core: reads the jar's default arguments, then the given ones, and submits the probes they name.
pub(crate) fn start(vm: Vm, jni: &Jni<'_>, jar: &str, arguments: &str) -> Result<()> {
    let jar = Jar::open(Path::new(jar)).map_err(|e| format!("the agent jar {jar} cannot be read: {e}"))?;
    let arguments = all(&jar, arguments)?;
    begin(vm, jni, jar, &arguments)
}

/// Starts the core with an open jar and [`all`] its arguments.
pub(crate) fn begin(vm: Vm, jni: &Jni<'_>, jar: Jar, arguments: &AgentArguments) -> Result<()> {
    crate::deprecation::report(vm.jvmti()?);
    submit(Core::init(vm, jar)?, jni, arguments)
}

/// The default arguments that a jar carries, and the given ones over them.
pub(crate) fn all(jar: &Jar, given: &str) -> Result<AgentArguments> {
    let mut all = defaults(jar)?;
    all.extend(&AgentArguments::parse(given)?);
    Ok(all)
}

/// Whether these arguments name a probe.
pub(crate) fn names_probes(arguments: &AgentArguments) -> bool {
    ["probes", "script"].iter().any(|key| list(arguments.get(key)).next().is_some())
}

/// A later start of the same build: takes probes away, or submits more.
pub(crate) fn again(core: &Core, jni: &Jni<'_>, arguments: &str) -> Result<()> {
    let given = AgentArguments::parse(arguments)?;
    if given.flag("off") {
        return off(core, jni);
    }
    let mut all = defaults(&core.jar)?;
    all.extend(&given);
    submit(core, jni, &all)
}

/// The default arguments that the jar carries.
fn defaults(jar: &Jar) -> Result<AgentArguments> {
    const NAME: &str = "META-INF/btrace/agent.properties";
    let mut arguments = AgentArguments::default();
    if let Some(bytes) = jar.entry(NAME)? {
        let properties = Properties::parse(&bytes)
            .map_err(|e| format!("{NAME} in {} is damaged: {e}", jar.path().display()))?;
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
    if arguments.flag("dumpClasses") {
        let folder = PathBuf::from(arguments.get("dumpDir").unwrap_or("."));
        *core.dump.write().unwrap_or_else(PoisonError::into_inner) = Some(folder);
    }
    let output = match arguments.get("scriptOutputFile") {
        Some(path) => core.outputs.file(Path::new(path)).map_err(|e| {
            format!("scriptOutputFile={path} cannot be written: {e}; hint: name a file in a folder that exists")
        })?,
        None if arguments.flag("stdout") => Output::Stdout,
        None => Output::Stderr,
    };
    let mut probes = core.probes.lock().unwrap_or_else(PoisonError::into_inner);
    let before = probes.active.len();
    for name in list(arguments.get("probes")) {
        let taken = embedded(core, name).and_then(|bytes| add(core, jni, &mut probes, &bytes, &output));
        if let Err(e) = taken {
            log::line(&format!("probe {name} is off: {e}"));
        }
    }
    for path in list(arguments.get("script")) {
        let taken = fs_err::read(path).map_err(Into::into).and_then(|b| add(core, jni, &mut probes, &b, &output));
        if let Err(e) = taken {
            log::line(&format!("script {path} is off: {e}"));
        }
    }
    if probes.active.len() > before {
        activate(core, jni, &probes)?;
    }
    Ok(())
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

/// Reads, prepares and defines a probe; it is not woven yet.
fn add(core: &Core, jni: &Jni<'_>, probes: &mut Probes, bytes: &[u8], output: &Output) -> Result<()> {
    let with_hint = |e: probe::Error| {
        let hint = e.hint();
        log::chain("the probe cannot be used", &e, hint)
    };
    let read = probe::read(bytes).map_err(with_hint)?;
    if let Some(e) = read.unsupported() {
        return Err(with_hint(e).into());
    }
    if probes.active.iter().any(|a| a.probe.name == read.name) {
        log::debug(|| format!("probe {} is active already", read.name));
        return Ok(());
    }
    let prepared = probe::prepare(&read, bytes).map_err(with_hint)?;
    arm(core, jni, probes)?;
    let id = probes.last_id + 1;
    probes.last_id = id;
    core.outputs.set(id, output.clone());
    define(jni, id, &read, &prepared)?;
    log::debug(|| format!("probe {} is number {id}", read.name));
    probes.active.push(Active { id, probe: Arc::new(read) });
    Ok(())
}

/// Asks for capabilities and defines the class that woven code names; only once there is a probe, as both cost.
fn arm(core: &Core, jni: &Jni<'_>, probes: &mut Probes) -> Result<()> {
    if probes.armed {
        return Ok(());
    }
    core.jvmti.add_capabilities(&[Capability::AllClassHook, Capability::Retransform, Capability::RetransformAny])?;
    let callbacks = jvm::sys::EventCallbacks {
        class_file_load_hook: Some(crate::hook::class_file_load_hook),
        ..jvm::sys::EventCallbacks::default()
    };
    // SAFETY: the hook is a function of this library, which is never unloaded, and it does not unwind.
    unsafe { core.jvmti.set_callbacks(&callbacks)? };
    let linker = jni.define_boot_class(LINKER, &core.jar.linker()?)?;
    // The linker is in java.base now, and forwards to a class of the boot loader's unnamed module.
    let dispatcher = jni.find_class("io/btrace/runtime/IndyDispatcher")?;
    core.jvmti.add_module_reads(jni, linker, dispatcher)?;
    jni.delete(dispatcher);
    jni.delete(linker);
    probes.armed = true;
    Ok(())
}

fn define(jni: &Jni<'_>, id: u32, probe: &Probe, bytes: &[u8]) -> Result<()> {
    let mut handlers = Vec::with_capacity(probe.handlers.len() * 3);
    for handler in &probe.handlers {
        handlers.push(handler.method.clone());
        handlers.push(handler.descriptor.replace("Lio/btrace/core/types/AnyType;", "Ljava/lang/Object;"));
        handlers.push(handler.collecting().map_or_else(|| "-1".to_owned(), |i| i.to_string()));
    }
    let repository = jni.find_class("io/btrace/runtime/HandlerRepository")?;
    let problem = jni.call_static_object(
        repository,
        "define",
        "(ILjava/lang/String;[B[Ljava/lang/String;Z)Ljava/lang/String;",
        &[
            Value::Int(i32::try_from(id)?),
            Value::Object(jni.string(&probe.name)?),
            Value::Object(jni.bytes(bytes)?),
            Value::Object(jni.strings(&handlers)?),
            Value::Bool(probe.uses_runtime),
        ],
    )?;
    if problem.is_null() { Ok(()) } else { Err(format!("its class cannot be defined: {}", jni.text(problem)).into()) }
}

/// Makes the active probes the ones that the hook weaves, and weaves what is loaded already.
fn activate(core: &Core, jni: &Jni<'_>, probes: &Probes) -> Result<()> {
    let matcher = Matcher::new(probes.active.iter().map(|a| (a.id, Arc::clone(&a.probe))).collect())?;
    core.set_matcher(matcher);
    core.jvmti.notify(Event::ClassFileLoadHook, true)?;
    let matcher = core.matcher();
    retransform(core, jni, &matcher)
}

/// Turns all sites into no-ops at once, then restores the woven classes.
fn off(core: &Core, jni: &Jni<'_>) -> Result<()> {
    let mut probes = core.probes.lock().unwrap_or_else(PoisonError::into_inner);
    if probes.active.is_empty() {
        return Ok(());
    }
    let ids: Vec<i32> = probes.active.iter().filter_map(|a| i32::try_from(a.id).ok()).collect();
    let repository = jni.find_class("io/btrace/runtime/HandlerRepository")?;
    jni.call_static_void(repository, "retire", "([I)V", &[Value::Object(jni.ints(&ids)?)])?;
    let old = core.set_matcher(Matcher::new(Vec::new())?);
    let restored = retransform(core, jni, &old);
    core.jvmti.notify(Event::ClassFileLoadHook, false)?;
    let count = probes.active.len();
    probes.active.clear();
    core.outputs.clear();
    restored?;
    log::debug(|| format!("{count} probes are off"));
    Ok(())
}

/// Retransforms the loaded classes that a matcher wants. One class that the VM refuses does not keep the others.
fn retransform(core: &Core, jni: &Jni<'_>, matcher: &Matcher) -> Result<()> {
    let classes = core.jvmti.loaded_classes(jni, |name| matcher.wants(name))?;
    let all: Vec<_> = classes.iter().map(|c| c.class).collect();
    if core.jvmti.retransform(&all).is_err() {
        for class in &classes {
            if let Err(e) = core.jvmti.retransform(&[class.class]) {
                let name = String::from_utf8_lossy(&class.name).replace('/', ".");
                core.report_once(format!("class {name} cannot be retransformed: {e}"));
            }
        }
    }
    for class in all {
        jni.delete(class);
    }
    Ok(())
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
