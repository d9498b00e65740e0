//! Submitting probes, changing their level, and taking them away again.

use crate::audit::Client;
use crate::output::Destination;
use crate::state::{Active, Core, Probes};
use crate::weaving::hook::{LINKER, class_file_load_hook};
use crate::weaving::ledger::MAX_METHODS;
use crate::weaving::loaded;
use crate::weaving::prepared::class_prepare;
use crate::{audit, identity, log};
use classfile::weave::{Call, Linkage, Plan, methods, weave};
use journal::Record;
use jvm::sys::EventCallbacks;
use jvm::{Capability, Event, Jni, Object, Value};
use probe::{Levels, Matcher, Probe, Sampling};
use std::error::Error;
use std::sync::{Arc, PoisonError};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What holds for all probes that are submitted together.
pub(crate) struct Submission {
    pub(crate) output: Destination,
    /// Whether classes that are loaded already are woven.
    pub(crate) reaches_loaded: bool,
    /// The instrumentation level; 0 where none is given.
    pub(crate) level: Option<i32>,
    /// Methods that each probe may ask for.
    pub(crate) max_methods: Option<usize>,
    /// Handler calls per second that each probe may make.
    pub(crate) max_events: Option<u64>,
}

/// A probe class that is asked for.
pub(crate) struct Asked {
    /// What to call it in messages.
    pub(crate) what: String,
    pub(crate) bytes: Vec<u8>,
    /// Names and values.
    pub(crate) parameters: Vec<(String, String)>,
}

/// Takes probe classes. One that cannot be used does not keep the others. A level that
/// comes without probes is set for all that are active.
pub(crate) fn submit(core: &Core, jni: &Jni<'_>, classes: &[Asked], submission: &Submission) -> Result<()> {
    let mut probes = core.probes.lock().unwrap_or_else(PoisonError::into_inner);
    let mut added = Vec::new();
    let mut leveled = Vec::new();
    for Asked { what, bytes, parameters } in classes {
        match add(core, jni, &mut probes, (bytes, parameters), submission) {
            Ok(Added::New(active)) => {
                audit(&active, what, bytes, submission.level);
                added.push(active);
            }
            Ok(Added::Known(id)) => leveled.push(id),
            Err(e) => {
                audit::write(|| Record::new("refused").with("probe", what.as_str()).with("reason", e.to_string()));
                log::line(&format!("{what} is off: {e}"));
            }
        }
    }
    if classes.is_empty() {
        leveled.extend(probes.active.iter().map(|a| a.id));
    }
    if let Some(level) = submission.level {
        set_level(jni, &leveled, level)?;
    }
    probes.active.extend(added.iter().cloned());
    if !added.is_empty() {
        core.set_matcher(matcher_of(&probes.active)?);
    }
    // Also where nothing was added in the end: adding looks at classes through the hook.
    listen(core, &probes)?;
    if !added.is_empty() && submission.reaches_loaded {
        loaded::weave(core, jni, &matcher_of(&added)?)?;
    }
    Ok(())
}

fn audit(active: &Active, what: &str, bytes: &[u8], level: Option<i32>) {
    audit::write(|| {
        let record = Record::new("probe").with("name", active.probe.name.as_str()).with("id", active.id);
        record.with("from", what).with("sha256", identity::sha256(bytes)).with_some("level", level)
    });
}

fn matcher_of(active: &[Active]) -> Result<Matcher> {
    Ok(Matcher::new(active.iter().map(|a| (a.id, Arc::clone(&a.probe))).collect())?)
}

enum Added {
    New(Active),
    Known(u32),
}

/// Reads, checks, prepares and defines a probe; it is not woven yet.
fn add(
    core: &Core,
    jni: &Jni<'_>,
    probes: &mut Probes,
    (bytes, parameters): (&[u8], &[(String, String)]),
    submission: &Submission,
) -> Result<Added> {
    let with_hint = |e: probe::Error| {
        let hint = e.hint();
        log::chain("the probe cannot be used", &e, hint)
    };
    let read = probe::read(bytes, parameters).map_err(with_hint)?;
    if let Some(known) = probes.active.iter().find(|a| a.probe.name == read.name) {
        log::debug(|| format!("probe {} is active already", read.name));
        return Ok(Added::Known(known.id));
    }
    if !read.injected.is_empty() {
        core.extensions.require(core, read.injected.iter().map(|injected| injected.service.as_str()))?;
    }
    let output = core.outputs.of(&submission.output, &read.name)?;
    let id = probes.last_id + 1;
    let prepared = probe::prepare(&read, id, bytes).map_err(with_hint)?;
    arm(core, jni, probes)?;
    crate::linking::api::define(core, jni, read.injected.iter().map(|injected| injected.service.clone()));
    probes.last_id = id;
    let active = Active { id, probe: Arc::new(read) };
    let limit = submission.max_methods.unwrap_or(MAX_METHODS);
    check_methods(core, jni, probes, &active, limit, submission.reaches_loaded)?;
    core.ledger.limit(id, limit);
    core.outputs.set(id, output);
    if !parameters.is_empty() {
        core.parameters.lock().unwrap_or_else(PoisonError::into_inner).insert(id, parameters.to_vec());
    }
    define(jni, &active, &prepared, submission)?;
    log::debug(|| format!("probe {} is number {id}", active.probe.name));
    Ok(Added::New(active))
}

/// Refuses a probe that asks for more methods of loaded classes than it may.
fn check_methods(
    core: &Core,
    jni: &Jni<'_>,
    probes: &mut Probes,
    active: &Active,
    limit: usize,
    reaches_loaded: bool,
) -> Result<()> {
    let matcher = Arc::new(matcher_of(std::slice::from_ref(active))?);
    if (matcher.reads_hierarchy() || matcher.compares_types()) && !core.supertypes.is_recording() {
        // First note what is loaded from now on, then what is loaded already: nothing is missed in between.
        core.supertypes.set_recording(true);
        core.jvmti.notify(Event::ClassFileLoadHook, true)?;
        core.jvmti.notify(Event::ClassPrepare, true)?;
        loaded::learn(core, jni)?;
    }
    if matcher.reads_annotations() || matcher.reads_method_annotations() {
        if matcher.reads_annotations() && !probes.reads_constants {
            core.jvmti.add_capabilities(&[Capability::ConstantPool])?;
            probes.reads_constants = true;
        }
        core.jvmti.notify(Event::ClassFileLoadHook, true)?;
    }
    if !reaches_loaded {
        return Ok(());
    }
    let methods = loaded::count(core, jni, &matcher)?.of(active.id);
    if methods > limit {
        let name = &active.probe.name;
        return Err(format!(
            "probe {name} asks for {methods} methods of loaded classes, more than maxMethods={limit}; \
             hint: narrow its patterns, or raise `maxMethods`"
        )
        .into());
    }
    Ok(())
}

/// Asks for capabilities and defines the class that woven code names; only once there is a probe, as both cost.
fn arm(core: &Core, jni: &Jni<'_>, probes: &mut Probes) -> Result<()> {
    if probes.armed {
        return Ok(());
    }
    core.jvmti.add_capabilities(&[Capability::AllClassHook, Capability::Retransform, Capability::RetransformAny])?;
    let callbacks = EventCallbacks {
        class_file_load_hook: Some(class_file_load_hook),
        class_prepare: Some(class_prepare),
        ..EventCallbacks::default()
    };
    // SAFETY: functions of this library, which is never unloaded; they do not unwind.
    unsafe { core.jvmti.set_callbacks(&callbacks)? };
    let linker = jni.define_boot_class(LINKER, &with_first_site(&core.jar.linker()?)?)?;
    // The linker is in java.base now, and forwards to a class of the boot loader's unnamed module.
    let dispatcher = jni.find_class("io/btrace/runtime/IndyDispatcher")?;
    core.jvmti.add_module_reads(jni, linker, dispatcher)?;
    jni.delete(dispatcher);
    jni.call_static_void(linker, WARM_UP, "()V", &[])?;
    jni.delete(linker);
    probes.armed = true;
    Ok(())
}

/// The method of the linker that the core weaves and calls first.
const WARM_UP: &str = "warmUp";

/// The linker with a site of its own. The first one of a JVM initializes classes of the JDK, which would stay unusable, for the
/// application too, if that happened at the end of a stack.
fn with_first_site(linker: &[u8]) -> Result<Vec<u8>> {
    let call = Call { name: format!("0:0:{WARM_UP}").into(), parameters: Vec::new() };
    let mut plan =
        methods(|method| (method.name == WARM_UP).then(|| Plan { entry: vec![call.clone()], ..Plan::default() }));
    let woven = weave(linker, Linkage::Dynamic { class: LINKER, method: "link" }, &mut plan)?;
    Ok(woven.bytes.ok_or("the linker has no such method")?)
}

/// Listens to what the active probes need, and to nothing more.
fn listen(core: &Core, probes: &Probes) -> Result<()> {
    if !probes.armed {
        return Ok(());
    }
    let matcher = core.matcher();
    let hierarchy = matcher.reads_hierarchy() || matcher.compares_types();
    core.jvmti.notify(Event::ClassFileLoadHook, !matcher.is_empty())?;
    core.jvmti.notify(Event::ClassPrepare, hierarchy)?;
    if !hierarchy {
        core.supertypes.set_recording(false);
        core.pending.clear();
    }
    Ok(())
}

/// Fields of a handler that cross to Java as texts: name, descriptor, index of the collecting parameter or -1, lowest and
/// highest level, kind of sampling (`c`, `a` or nothing), its mean or 0.
fn describe(probe: &Probe) -> Vec<String> {
    let mut texts = Vec::with_capacity(probe.handlers.len() * 7);
    for handler in &probe.handlers {
        let Levels { from, to } = handler.levels;
        let (kind, mean) = match handler.sampling {
            None => ("", 0),
            Some(Sampling::Const { mean }) => ("c", mean),
            Some(Sampling::Adaptive { mean }) => ("a", mean),
        };
        texts.extend([
            handler.method.clone(),
            handler.descriptor.replace("Lio/btrace/core/types/AnyType;", "Ljava/lang/Object;"),
            handler.collecting().map_or_else(|| "-1".to_owned(), |i| i.to_string()),
            from.to_string(),
            to.to_string(),
            kind.to_owned(),
            mean.to_string(),
        ]);
    }
    texts
}

fn define(jni: &Jni<'_>, active: &Active, bytes: &[u8], submission: &Submission) -> Result<()> {
    let probe = &active.probe;
    let repository = repository(jni)?;
    let events = submission.max_events.map_or(0, |n| i32::try_from(n).unwrap_or(i32::MAX));
    let problem = jni.call_static_object(
        repository,
        "define",
        "(ILjava/lang/String;[B[Ljava/lang/String;II)Ljava/lang/String;",
        &[
            Value::Int(i32::try_from(active.id)?),
            Value::Object(jni.string(&probe.name)?),
            Value::Object(jni.bytes(bytes)?),
            Value::Object(jni.strings(&describe(probe))?),
            Value::Int(submission.level.unwrap_or(0)),
            Value::Int(events),
        ],
    )?;
    if problem.is_null() { Ok(()) } else { Err(format!("its class cannot be defined: {}", jni.text(problem)).into()) }
}

fn repository<'a>(jni: &Jni<'a>) -> Result<Object<'a>> {
    Ok(jni.find_class("io/btrace/runtime/HandlerRepository")?)
}

/// Changes the level of probes; nothing is retransformed.
fn set_level(jni: &Jni<'_>, ids: &[u32], level: i32) -> Result<()> {
    let ids = as_ints(ids);
    if ids.is_empty() {
        return Ok(());
    }
    let arguments = [Value::Object(jni.ints(&ids)?), Value::Int(level)];
    jni.call_static_void(repository(jni)?, "level", "([II)V", &arguments)?;
    Ok(())
}

fn as_ints(ids: &[u32]) -> Vec<i32> {
    ids.iter().filter_map(|&id| i32::try_from(id).ok()).collect()
}

/// Turns all sites into no-ops at once, then restores the woven classes.
pub(crate) fn off(core: &Core, jni: &Jni<'_>, client: Option<Client>) -> Result<()> {
    let mut probes = core.probes.lock().unwrap_or_else(PoisonError::into_inner);
    if probes.active.is_empty() {
        return Ok(());
    }
    let ids: Vec<u32> = probes.active.iter().map(|a| a.id).collect();
    jni.call_static_void(repository(jni)?, "retire", "([I)V", &[Value::Object(jni.ints(&as_ints(&ids))?)])?;
    core.set_matcher(Matcher::new(Vec::new())?);
    let woven = core.ledger.classes();
    let restored = core.jvmti.loaded_classes(jni, |_, name| woven.contains(name)).map(|classes| {
        loaded::retransform(core, &classes);
        loaded::release(jni, classes);
    });
    core.ledger.clear();
    listen(core, &probes)?;
    audit::write(|| {
        let names: Vec<&str> = probes.active.iter().map(|active| active.probe.name.as_str()).collect();
        audit::by(Record::new("detach").with("probes", names).with("restored", woven.len()), client)
    });
    probes.active.clear();
    core.outputs.clear();
    core.parameters.lock().unwrap_or_else(PoisonError::into_inner).clear();
    restored?;
    log::debug(|| format!("{} probes are off", ids.len()));
    Ok(())
}
