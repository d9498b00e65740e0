//! Started by the JVM itself: `-agentpath:libagent_core.so=jar=/p/agent.jar,…`, or attached by path.
//!
//! `OnLoad` reads the jar and asks for `VMInit`; everything else waits for a VM that can run Java. If a probe is named, it
//! also puts the jar on the bootstrap search path, which in this phase prints nothing and keeps an AOT cache. If none is,
//! the core starts without any Java code of ours: the jar on that path alone would cost the JVM the module graph of
//! its archive, a tenth of the start. A start that comes later, with a probe or without, finds the core by its property and enters
//! the [shim](enter), which binds the native methods to it.

use crate::extensions;
use crate::guard::guarded;
use crate::jar::Jar;
use crate::libraries;
use crate::log;
use crate::start;
use crate::state::Core;
use jvm::sys::{JObject, JavaVm, JniEnv, JvmtiEnv};
use jvm::{Event, Jni, Jvmti, Value, Vm};
use manifests::arguments::AgentArguments;
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The system property by which a running core makes itself known: build id, digest of the core, path of the jar.
const PROPERTY: &str = "btrace.agent.core";

/// What `OnLoad` keeps for `VMInit`.
struct Pending {
    vm: Vm,
    start: Start,
    /// Whether the jar is on the bootstrap search path.
    appended: bool,
}

/// What a start is told.
struct Start {
    jar: Jar,
    /// Absolute path of the jar.
    path: String,
    /// Arguments without `jar`.
    arguments: String,
}

static PENDING: Mutex<Option<Pending>> = Mutex::new(None);

/// Called by the JVM for `-agentpath`. Always succeeds: any other result would end the JVM.
///
/// # Safety
/// The JVM passes its own pointer and a NUL-terminated text or null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Agent_OnLoad(vm: JavaVm, options: *const c_char, _reserved: *mut c_void) -> c_int {
    guarded("Agent_OnLoad", 0, || {
        // SAFETY: the contract of this function.
        let (vm, options) = unsafe { (Vm::from_raw(vm), text(options)) };
        if let Err(e) = on_load(vm, &options) {
            log::failure(&format!("agent is off: {e}"));
        }
        0
    })
}

/// Called by the JVM when the library is attached by path. Fails without harm to the JVM.
///
/// # Safety
/// As for [`Agent_OnLoad`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Agent_OnAttach(
    vm: JavaVm,
    options: *const c_char,
    _reserved: *mut c_void,
) -> c_int {
    guarded("Agent_OnAttach", 1, || {
        // SAFETY: the contract of this function.
        let (vm, options) = unsafe { (Vm::from_raw(vm), text(options)) };
        match on_attach(vm, &options) {
            Ok(()) => 0,
            Err(e) => {
                log::failure(&format!("agent is off: {e}"));
                1
            }
        }
    })
}

/// # Safety
/// Null, or a NUL-terminated text.
unsafe fn text(options: *const c_char) -> String {
    if options.is_null() {
        return String::new();
    }
    // SAFETY: the contract of this function.
    unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned()
}

fn on_load(vm: Vm, options: &str) -> Result<()> {
    let jvmti = vm.jvmti()?;
    if disabled(jvmti) {
        return Ok(());
    }
    let start = split(options)?;
    // An ordinary agent that was masked needs Java code in any case.
    let foreign = start.jar.attribute("BTrace-Agent-Parent").is_some();
    let arguments = start::all(&start.jar, &start.arguments)?;
    let appended =
        foreign || start::may_probe(&start.jar, &arguments) || extensions::load_at_start(vm, jvmti, &start.jar);
    let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    if pending.is_some() {
        return Err("this library was given to -agentpath twice".into());
    }
    if appended {
        jvmti.append_to_bootstrap(&start.path)?;
    }
    // Not later: what is appended to the path of a JVM that runs makes it warn.
    libraries::append(jvmti, &start.jar, &arguments);
    let callbacks = jvm::sys::EventCallbacks { vm_init: Some(vm_init), ..jvm::sys::EventCallbacks::default() };
    // SAFETY: `vm_init` is a function of this library, which is never unloaded, and it does not unwind.
    unsafe { jvmti.set_callbacks(&callbacks)? };
    jvmti.notify(Event::VmInit, true)?;
    *pending = Some(Pending { vm, start, appended });
    Ok(())
}

unsafe extern "system" fn vm_init(_jvmti: JvmtiEnv, env: JniEnv, _thread: JObject) {
    guarded("VMInit", (), || {
        let Some(pending) = PENDING.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        // SAFETY: the JVM passes the calling thread's environment.
        let jni = unsafe { Jni::from_raw(env) };
        if let Err(e) = on_init(&jni, pending) {
            log::failure(&format!("agent is off: {e}"));
        }
    });
}

fn on_init(jni: &Jni<'_>, Pending { vm, start, appended }: Pending) -> Result<()> {
    match (published(jni)?, appended) {
        (None, false) => {
            let arguments = start::all(&start.jar, &start.arguments)?;
            let id = start.jar.attribute("BTrace-Build-Id").unwrap_or_default();
            let property = format!("{id} {} {}", start.jar.core_digest(), start.path);
            start::begin(vm, jni, start.jar, &arguments)?;
            Ok(start::set_property(jni, PROPERTY, &property)?)
        }
        (None, true) => {
            crate::natives::register(vm, jni)?;
            enter(vm, jni, &start)
        }
        // Another start has bound the natives to its own copy of this library, or will; they stay its.
        (Some(_), _) => enter(vm, jni, &start),
    }
}

fn on_attach(vm: Vm, options: &str) -> Result<()> {
    if disabled(vm.jvmti()?) {
        return Ok(());
    }
    let jni = vm.jni()?;
    let running = Core::get();
    let off = is_off(options);
    if let Some(core) = running.filter(|_| off || crate::natives::bound()) {
        let arguments = if off { options.to_owned() } else { split(options)?.arguments };
        return start::again(core, &jni, &arguments);
    }
    let start = split(options)?;
    if published(&jni)?.is_none() {
        vm.jvmti()?.append_to_bootstrap(&start.path)?;
        crate::natives::register(vm, &jni)?;
    }
    enter(vm, &jni, &start)
}

/// Whether nothing is asked for but that probes go, whoever asks.
fn is_off(options: &str) -> bool {
    options == "off" || options.starts_with("off,client=")
}

/// Goes on in the shim, which knows the handshake.
fn enter(vm: Vm, jni: &Jni<'_>, start: &Start) -> Result<()> {
    const LOADER: &str = "io/btrace/boot/Loader";
    let loader = if let Ok(loader) = jni.find_class(LOADER) {
        loader
    } else {
        // The running core was started without Java.
        vm.jvmti()?.append_to_bootstrap(&start.path)?;
        jni.find_class(LOADER)?
    };
    let texts = [Value::Object(jni.string(&start.path)?), Value::Object(jni.string(&start.arguments)?)];
    jni.call_static_void(loader, "agentpath", "(Ljava/lang/String;Ljava/lang/String;)V", &texts)?;
    Ok(())
}

/// What a running core says of itself.
fn published(jni: &Jni<'_>) -> Result<Option<String>> {
    let system = jni.find_class("java/lang/System")?;
    let name = Value::Object(jni.string(PROPERTY)?);
    let value = jni.call_static_object(system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;", &[name])?;
    Ok((!value.is_null()).then(|| jni.text(value)))
}

/// Takes `jar=` out of the options; the jar must be one of ours.
fn split(options: &str) -> Result<Start> {
    let mut arguments = AgentArguments::parse(options)?;
    let jar = arguments
        .get("jar")
        .ok_or("no agent jar is named; hint: start with -agentpath:…/libagent_core.so=jar=/path/agent.jar")?;
    let path = std::path::absolute(PathBuf::from(jar))?;
    let jar = Jar::open(&path).map_err(|e| format!("jar={} cannot be read: {e}", path.display()))?;
    if jar.attribute("BTrace-Build-Id").is_none() {
        return Err(format!("jar={} is no agent jar: it has no BTrace-Build-Id", path.display()).into());
    }
    let path = path.to_str().ok_or_else(|| format!("the path is not UTF-8: {}", path.display()))?.to_owned();
    arguments.remove("jar");
    Ok(Start { jar, path, arguments: arguments.to_string() })
}

/// The kill switch, before anything of the jar is touched.
fn disabled(jvmti: Jvmti) -> bool {
    let is_false = |value: String| value.eq_ignore_ascii_case("false");
    jvmti.system_property(c"btrace.agent.enabled").is_some_and(is_false)
        || std::env::var("BTRACE_AGENT_ENABLED").is_ok_and(is_false)
        || jvmti.system_property(c"btrace.agent.offFile").is_some_and(|file| Path::new(&file).exists())
}
