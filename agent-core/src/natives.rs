//! The native methods of `io.btrace.boot.NativeCore`.

use crate::guard::guarded;
use crate::log;
use crate::state::Core;
use crate::weaving::supertypes::Decision;
use journal::Level;
use jvm::sys::{JObject, JavaVm, JniEnv};
use jvm::{Jni, Object, Vm};
use probe::Condition;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

static VM: OnceLock<Vm> = OnceLock::new();

/// Called by the JVM when Java code loads the library.
///
/// # Safety
/// The JVM passes its own pointer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn JNI_OnLoad(vm: JavaVm, _reserved: *mut c_void) -> c_int {
    guarded("JNI_OnLoad", -1, || {
        // SAFETY: the JVM passes its own pointer.
        let vm = unsafe { Vm::from_raw(vm) };
        match vm.jni().map_err(Into::into).and_then(|jni| register(vm, &jni)) {
            Ok(()) => jvm::sys::JNI_VERSION,
            Err(e) => {
                log::line(&format!("the native methods cannot be bound: {e}"));
                -1
            }
        }
    })
}

/// `NativeCore.bind`: binds the other native methods to a core that was started without Java. The JVM finds it by its name,
/// as it looks native methods up in the libraries of agents, too.
///
/// # Safety
/// The JVM passes the calling thread's environment.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_io_btrace_boot_NativeCore_bind(env: JniEnv, _class: JObject) {
    guarded("NativeCore.bind", (), || {
        // SAFETY: the contract of this function.
        let jni = unsafe { Jni::from_raw(env) };
        let Some(core) = Core::get() else { return };
        if let Err(e) = register(core.vm, &jni) {
            log::line(&format!("the native methods cannot be bound: {e}"));
        }
    });
}

/// Whether Java code can call this library.
pub(crate) fn bound() -> bool {
    VM.get().is_some()
}

/// Binds the native methods to `NativeCore`, found through the loader that is loading this library.
pub(crate) fn register(vm: Vm, jni: &Jni<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let class = jni.find_class("io/btrace/boot/NativeCore")?;
    let methods = [
        (c"start", c"(Ljava/lang/String;Ljava/lang/String;I)Ljava/lang/String;", start as *const c_void),
        (c"again", c"(Ljava/lang/String;I)Ljava/lang/String;", again as *const c_void),
        (c"write", c"(ILjava/lang/String;)V", write as *const c_void),
        (c"logLevel", c"(Ljava/lang/String;)I", log_level as *const c_void),
        (c"log", c"(Ljava/lang/String;ILjava/lang/String;)V", log_line as *const c_void),
        (c"site", c"(I)Ljava/lang/String;", site as *const c_void),
        (c"fits", c"(Ljava/lang/String;)I", fits as *const c_void),
        (c"client", c"(Ljava/lang/String;[Ljava/lang/String;)I", client as *const c_void),
    ];
    // SAFETY: each function has the C form of the Java signature beside it.
    unsafe {
        jni.register(class, &methods)?;
        jni.register(class, &crate::linking::natives::methods())?;
    }
    let _ = VM.set(vm);
    Ok(())
}

/// Runs a native method that answers with null or with what went wrong.
fn problem(env: JniEnv, what: &str, body: impl FnOnce(&Jni<'_>) -> Result<(), Box<dyn std::error::Error>>) -> JObject {
    guarded(what, null_mut(), || {
        // SAFETY: the JVM passes the calling thread's environment.
        let jni = unsafe { Jni::from_raw(env) };
        match body(&jni) {
            Ok(()) => null_mut(),
            Err(e) => jni.string(&e.to_string()).map_or(null_mut(), Object::raw),
        }
    })
}

unsafe extern "system" fn start(
    env: JniEnv,
    _class: JObject,
    jar: JObject,
    arguments: JObject,
    _mode: c_int,
) -> JObject {
    problem(env, "NativeCore.start", |jni| {
        let vm = *VM.get().ok_or("the library was not loaded by this JVM")?;
        // SAFETY: references that the JVM passes for the length of this call.
        let (jar, arguments) = unsafe { (Object::from_raw(jar), Object::from_raw(arguments)) };
        crate::start::start(vm, jni, &jni.text(jar), &jni.text(arguments))
    })
}

unsafe extern "system" fn again(env: JniEnv, _class: JObject, arguments: JObject, _mode: c_int) -> JObject {
    problem(env, "NativeCore.again", |jni| {
        let core = Core::get().ok_or("no core is running")?;
        // SAFETY: a reference that the JVM passes for the length of this call.
        crate::start::again(core, jni, &jni.text(unsafe { Object::from_raw(arguments) }))
    })
}

unsafe extern "system" fn write(env: JniEnv, _class: JObject, probe: c_int, text: JObject) {
    guarded("NativeCore.write", (), || {
        // SAFETY: environment and reference that the JVM passes for the length of this call.
        let text = unsafe { Jni::from_raw(env).text(Object::from_raw(text)) };
        match Core::get() {
            Some(core) => core.outputs.write(u32::try_from(probe).unwrap_or(0), &text),
            None => log::line(text.trim_end_matches('\n')),
        }
    });
}

unsafe extern "system" fn log_level(env: JniEnv, _class: JObject, name: JObject) -> c_int {
    guarded("NativeCore.logLevel", -1, || {
        // SAFETY: environment and reference that the JVM passes for the length of this call.
        let name = unsafe { Jni::from_raw(env).text(Object::from_raw(name)) };
        if name.is_empty() {
            return log::level() as c_int;
        }
        let level = Core::get().and_then(|core| log::level_of(core.jvmti, &name));
        level.map_or(-1, |level| level as c_int)
    })
}

unsafe extern "system" fn log_line(env: JniEnv, _class: JObject, name: JObject, level: c_int, text: JObject) {
    guarded("NativeCore.log", (), || {
        // SAFETY: environment and references that the JVM passes for the length of this call.
        let (jni, name, text) = unsafe { (Jni::from_raw(env), Object::from_raw(name), Object::from_raw(text)) };
        let level = Level::from_number(u8::try_from(level).unwrap_or(u8::MAX));
        log::foreign(level, &jni.text(name), &jni.text(text));
    });
}

unsafe extern "system" fn site(env: JniEnv, _class: JObject, number: c_int) -> JObject {
    guarded("NativeCore.site", null_mut(), || {
        // SAFETY: the JVM passes the calling thread's environment.
        let jni = unsafe { Jni::from_raw(env) };
        let text = Core::get().and_then(|core| core.sites.text(number));
        text.and_then(|t| jni.string(&t).ok()).map_or(null_mut(), Object::raw)
    })
}

unsafe extern "system" fn fits(env: JniEnv, _class: JObject, name: JObject) -> c_int {
    guarded("NativeCore.fits", 0, || {
        // SAFETY: environment and reference that the JVM passes for the length of this call.
        let name = unsafe { Jni::from_raw(env).text(Object::from_raw(name)) };
        Core::get().map_or(0, |core| match core.supertypes.decide(&Condition::in_name(&name)) {
            Decision::Fits => 1,
            Decision::FitsNot => 0,
            Decision::Open => -1,
            Decision::Differs(class) => {
                core.report_once(format!(
                    "handlers that take a type above {} are not called with it: classes of that name in several loaders \
                     differ in their supertypes; hint: declare the parameter as `Object` or `AnyType`",
                    class.replace('/', ".")
                ));
                0
            }
        })
    })
}

unsafe extern "system" fn client(env: JniEnv, _class: JObject, jar: JObject, arguments: JObject) -> c_int {
    guarded("NativeCore.client", 2, || {
        // SAFETY: environment and references that the JVM passes for the length of this call.
        let (jni, jar, arguments) = unsafe { (Jni::from_raw(env), Object::from_raw(jar), Object::from_raw(arguments)) };
        crate::client_mode::run(&jni.text(jar), &jni.read_strings(arguments))
    })
}
