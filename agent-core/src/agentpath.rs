//! Started by the JVM itself: `-agentpath:libagent_core.so=jar=/p/agent.jar,…`, or attached by path.
//!
//! `OnLoad` does two things only: it puts the jar on the bootstrap search path (in this phase that prints nothing and
//! keeps an AOT cache) and asks for `VMInit`. Everything else waits for a VM that can run Java.

use crate::guard::guarded;
use crate::jar::Jar;
use crate::log;
use crate::state::Core;
use jvm::sys::{JObject, JavaVm, JniEnv, JvmtiEnv};
use jvm::{Event, Jni, Jvmti, Value, Vm};
use manifests::arguments::AgentArguments;
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What `OnLoad` keeps for `VMInit`.
struct Pending {
    vm: Vm,
    jar: String,
    arguments: String,
}

static PENDING: OnceLock<Pending> = OnceLock::new();

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
            log::line(&format!("agent is off: {e}"));
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
                log::line(&format!("agent is off: {e}"));
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
    let (jar, arguments) = split(options)?;
    jvmti.append_to_bootstrap(&jar)?;
    PENDING.set(Pending { vm, jar, arguments }).map_err(|_| "this library was given to -agentpath twice")?;
    let callbacks = jvm::sys::EventCallbacks { vm_init: Some(vm_init), ..jvm::sys::EventCallbacks::default() };
    // SAFETY: `vm_init` is a function of this library, which is never unloaded, and it does not unwind.
    unsafe { jvmti.set_callbacks(&callbacks)? };
    jvmti.notify(Event::VmInit, true)?;
    Ok(())
}

fn on_attach(vm: Vm, options: &str) -> Result<()> {
    let jvmti = vm.jvmti()?;
    if disabled(jvmti) {
        return Ok(());
    }
    let jni = vm.jni()?;
    if let Some(core) = Core::get() {
        if options == "off" {
            return crate::start::again(core, &jni, options);
        }
        let (_, arguments) = split(options)?;
        return crate::start::again(core, &jni, &arguments);
    }
    let (jar, arguments) = split(options)?;
    if published(&jni)?.is_none() {
        jvmti.append_to_bootstrap(&jar)?;
        crate::natives::register(vm, &jni)?;
    }
    enter(&jni, &jar, &arguments)
}

unsafe extern "system" fn vm_init(_jvmti: JvmtiEnv, env: JniEnv, _thread: JObject) {
    guarded("VMInit", (), || {
        let Some(pending) = PENDING.get() else { return };
        // SAFETY: the JVM passes the calling thread's environment.
        let jni = unsafe { Jni::from_raw(env) };
        let bound = published(&jni).and_then(|running| {
            // Another start may have bound the natives to its own copy of this library; they stay its.
            if running.is_none() { crate::natives::register(pending.vm, &jni) } else { Ok(()) }
        });
        if let Err(e) = bound.and_then(|()| enter(&jni, &pending.jar, &pending.arguments)) {
            log::line(&format!("agent is off: {e}"));
        }
    });
}

/// Goes on in the shim, which knows the handshake.
fn enter(jni: &Jni<'_>, jar: &str, arguments: &str) -> Result<()> {
    let loader = jni.find_class("io/btrace/boot/Loader")?;
    let texts = [Value::Object(jni.string(jar)?), Value::Object(jni.string(arguments)?)];
    jni.call_static_void(loader, "agentpath", "(Ljava/lang/String;Ljava/lang/String;)V", &texts)?;
    Ok(())
}

/// The property by which a running core makes itself known.
fn published(jni: &Jni<'_>) -> Result<Option<String>> {
    let system = jni.find_class("java/lang/System")?;
    let name = Value::Object(jni.string("btrace.agent.core")?);
    let value = jni.call_static_object(system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;", &[name])?;
    Ok((!value.is_null()).then(|| jni.text(value)))
}

/// Takes `jar=` out of the options; the jar must be one of ours.
fn split(options: &str) -> Result<(String, String)> {
    let mut arguments = AgentArguments::parse(options)?;
    let jar = arguments
        .get("jar")
        .ok_or("no agent jar is named; hint: start with -agentpath:…/libagent_core.so=jar=/path/agent.jar")?;
    let path = std::path::absolute(PathBuf::from(jar))?;
    let opened = Jar::open(&path).map_err(|e| format!("jar={} cannot be read: {e}", path.display()))?;
    if opened.attribute("BTrace-Build-Id").is_none() {
        return Err(format!("jar={} is no agent jar: it has no BTrace-Build-Id", path.display()).into());
    }
    let jar = absolute_text(&path)?;
    arguments.remove("jar");
    Ok((jar, arguments.to_string()))
}

fn absolute_text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| format!("the path is not UTF-8: {}", path.display()).into())
}

/// The kill switch, before anything of the jar is touched.
fn disabled(jvmti: Jvmti) -> bool {
    let is_false = |value: String| value.eq_ignore_ascii_case("false");
    jvmti.system_property(c"btrace.agent.enabled").is_some_and(is_false)
        || std::env::var("BTRACE_AGENT_ENABLED").is_ok_and(is_false)
        || jvmti.system_property(c"btrace.agent.offFile").is_some_and(|file| Path::new(&file).exists())
}
