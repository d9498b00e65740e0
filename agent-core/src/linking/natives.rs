//! The native methods through which loaders of extensions ask.

use super::{Problem, SHIMS, provider, shims};
use crate::guard::guarded;
use crate::state::Core;
use jvm::sys::{JObject, JniEnv};
use jvm::{Jni, Object};
use manifests::permission::format_list;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::PoisonError;

/// Names, signatures and functions.
pub(crate) fn methods() -> [(&'static std::ffi::CStr, &'static std::ffi::CStr, *const c_void); 12] {
    [
        (c"extensionOf", c"(Ljava/lang/String;)[Ljava/lang/String;", extension_of as *const c_void),
        (c"extensionSettings", c"(Ljava/lang/String;)[Ljava/lang/String;", settings as *const c_void),
        (c"extension", c"(Ljava/lang/String;)[Ljava/lang/String;", extension as *const c_void),
        (c"extensionClass", c"(Ljava/lang/String;Ljava/lang/String;)[B", class as *const c_void),
        (c"extensionFile", c"(Ljava/lang/String;Ljava/lang/String;)[B", file as *const c_void),
        (c"extensionAddress", c"(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;", address as *const c_void),
        (c"parameters", c"(I)[Ljava/lang/String;", parameters as *const c_void),
        (
            c"extensionLibrary",
            c"(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;[Ljava/lang/String;)[Ljava/lang/String;",
            super::library::library as *const c_void,
        ),
        (c"extensionClosed", c"(Ljava/lang/String;)V", closed as *const c_void),
        (
            c"extensionPackage",
            c"(Ljava/lang/String;Ljava/lang/String;)[Ljava/lang/String;",
            super::packages::package as *const c_void,
        ),
        (c"preload", c"(Ljava/lang/ClassLoader;)V", super::preload::preload as *const c_void),
        (
            c"shim",
            c"(Ljava/lang/String;Ljava/lang/String;[Ljava/lang/String;Ljava/lang/String;)[B",
            shim as *const c_void,
        ),
    ]
}

/// Runs a native method on the texts that it was given.
pub(super) fn asked<'a, const N: usize>(
    env: JniEnv,
    what: &str,
    texts: [JObject; N],
    body: impl FnOnce(&Jni<'a>, &'static Core, [String; N]) -> Option<Object<'a>>,
) -> JObject {
    guarded(what, null_mut(), || {
        // SAFETY: environment and references that the JVM passes for the length of this call.
        let (jni, texts) = unsafe { (Jni::from_raw(env), texts.map(|text| Object::from_raw(text))) };
        let texts = texts.map(|text| jni.text(text));
        Core::get().and_then(|core| body(&jni, core, texts)).map_or(null_mut(), Object::raw)
    })
}

fn fail(jni: &Jni<'_>, class: &str, message: &str) {
    if let Err(e) = jni.throw(class, message) {
        crate::log::line(&format!("{message}: {e}"));
    }
}

/// For a service: id, why it cannot be used or nothing, permissions, class that implements the service, class that stands in
/// for it by doing nothing, one that throws. Null where no extension offers it.
unsafe extern "system" fn extension_of(env: JniEnv, _class: JObject, service: JObject) -> JObject {
    asked(env, "NativeCore.extensionOf", [service], |jni, core, [service]| {
        let extension = core.extensions.of_service(core, &service)?;
        let id = &extension.metadata.id;
        let refusal = extension.refusal();
        let is_refused = refusal.is_some();
        let mut problem = refusal;
        let (mut implementation, mut stand_ins) = (None, None);
        match core.linking.contents(core, id) {
            Ok(contents) => {
                stand_ins = shims(&contents, &core.jar, &service).unwrap_or_else(|e| {
                    core.report_once(format!(
                        "{SHIMS} of extension {id} in {} is not used: {e}; hint: build the extension again",
                        contents.location().display()
                    ));
                    None
                });
                match provider(&contents, &core.jar, &service) {
                    Ok(found) => implementation = found,
                    Err(e) => problem = problem.or_else(|| Some(format!("extension {id} cannot be read: {e}"))),
                }
                if implementation.is_none() {
                    let text = format!(
                        "extension {id} has no class for {service}: neither META-INF/services/{service} nor {service}Impl"
                    );
                    problem = problem.or(Some(text));
                }
            }
            Err(e) => problem = problem.or_else(|| Some(format!("extension {id} cannot be read: {e}"))),
        }
        let permissions = extension.metadata.permissions.as_deref().map(format_list).unwrap_or_default();
        let (nothing, throwing) = stand_ins.unwrap_or_default();
        let texts = [
            id.clone(),
            problem.unwrap_or_default(),
            if is_refused { "refused".to_owned() } else { String::new() },
            permissions,
            implementation.unwrap_or_default(),
            nothing,
            throwing,
        ];
        jni.strings(&texts).ok()
    })
}

/// Names and values of an extension's settings in turn, as they are now.
unsafe extern "system" fn settings(env: JniEnv, _class: JObject, id: JObject) -> JObject {
    asked(env, "NativeCore.extensionSettings", [id], |jni, core, [id]| {
        let settings = core.extensions.settings(core, &id).into_iter();
        jni.strings(&settings.flat_map(|(name, value)| [name, value]).collect::<Vec<_>>()).ok()
    })
}

/// For an id: the file that it lies in, then the ids that it requires. Null where it is not known.
unsafe extern "system" fn extension(env: JniEnv, _class: JObject, id: JObject) -> JObject {
    asked(env, "NativeCore.extension", [id], |jni, core, [id]| {
        let resolved = core.extensions.resolved(core);
        let extension = resolved.by_id(&id)?;
        let mut texts = vec![core.linking.contents(core, &id).ok()?.location().display().to_string()];
        texts.extend(extension.metadata.requires.iter().cloned());
        jni.strings(&texts).ok()
    })
}

unsafe extern "system" fn class(env: JniEnv, _class: JObject, id: JObject, name: JObject) -> JObject {
    asked(env, "NativeCore.extensionClass", [id, name], |jni, core, [id, name]| {
        let contents = core.linking.contents(core, &id);
        let bytes = contents.map_err(|e| Problem::Unreadable(e.to_string())).and_then(|c| c.class(&core.jar, &name));
        match bytes {
            Ok(bytes) => jni.bytes(&bytes?).ok(),
            Err(Problem::Damaged(text)) => {
                fail(jni, "java/lang/ClassFormatError", &text);
                None
            }
            Err(Problem::Unreadable(text)) => {
                fail(
                    jni,
                    "java/lang/NoClassDefFoundError",
                    &format!("{name} of extension {id} cannot be read: {text}"),
                );
                None
            }
        }
    })
}

unsafe extern "system" fn file(env: JniEnv, _class: JObject, id: JObject, name: JObject) -> JObject {
    asked(env, "NativeCore.extensionFile", [id, name], |jni, core, [id, name]| {
        let contents = core.linking.contents(core, &id);
        match contents.and_then(|contents| contents.resource(&core.jar, &name)) {
            Ok(bytes) => jni.bytes(&bytes?).ok(),
            Err(e) => {
                fail(jni, "java/io/IOException", &format!("{name} of extension {id} cannot be read: {e}"));
                None
            }
        }
    })
}

unsafe extern "system" fn address(env: JniEnv, _class: JObject, id: JObject, name: JObject) -> JObject {
    asked(env, "NativeCore.extensionAddress", [id, name], |jni, core, [id, name]| {
        let contents = core.linking.contents(core, &id).ok()?;
        jni.string(&contents.address(&core.jar, &name)?).ok()
    })
}

unsafe extern "system" fn parameters(env: JniEnv, _class: JObject, probe: c_int) -> JObject {
    asked(env, "NativeCore.parameters", [], |jni, core, []| {
        let all = core.parameters.lock().unwrap_or_else(PoisonError::into_inner);
        let of_probe = u32::try_from(probe).ok().and_then(|probe| all.get(&probe));
        let texts: Vec<&str> =
            of_probe.into_iter().flatten().flat_map(|(name, value)| [name.as_str(), value]).collect();
        jni.strings(&texts).ok()
    })
}

unsafe extern "system" fn closed(env: JniEnv, _class: JObject, id: JObject) {
    asked(env, "NativeCore.extensionClosed", [id], |_, core, [id]| {
        core.linking.close(&id);
        super::library::closed(&id);
        None
    });
}

unsafe extern "system" fn shim(
    env: JniEnv,
    _class: JObject,
    name: JObject,
    interface: JObject,
    methods: JObject,
    message: JObject,
) -> JObject {
    let (throws, methods) = (!message.is_null(), methods);
    asked(env, "NativeCore.shim", [name, interface, message], |jni, _, [name, interface, message]| {
        // SAFETY: a reference that the JVM passes for the length of this call.
        let texts = jni.read_strings(unsafe { Object::from_raw(methods) });
        let methods: Vec<(&str, &str)> =
            texts.chunks_exact(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
        match classfile::shim::write(&name, &interface, &methods, throws.then_some(message.as_str())) {
            Ok(bytes) => jni.bytes(&bytes).ok(),
            Err(e) => {
                fail(jni, "java/lang/IllegalStateException", &format!("nothing can stand in for {interface}: {e}"));
                None
            }
        }
    })
}
