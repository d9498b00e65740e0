//! Defines the classes that the first link of a service needs, all at once.
//!
//! One by one, each would go through two loaders and an inflater in code that the JVM only interprets by then, which takes
//! longer than its definition.

use crate::guard::guarded;
use crate::state::Core;
use jvm::sys::{JObject, JniEnv};
use jvm::{Jni, Object};

/// Section and internal name, each class after its superclass.
const CLASSES: [(&str, &str); 11] = [
    ("agent", "io/btrace/agent/ExtensionBridgeImpl"),
    ("agent", "io/btrace/agent/ExtensionBridgeImpl$SharedFilter"),
    ("agent", "io/btrace/agent/ExtensionBridgeImpl$Loaded"),
    ("agent", "io/btrace/agent/ExtensionBridgeImpl$Use"),
    ("agent", "io/btrace/agent/ExtensionClassLoader"),
    ("agent", "io/btrace/agent/Limited"),
    ("agent", "io/btrace/agent/ServiceMaker"),
    ("shared", "io/btrace/core/extensions/ExtensionContext"),
    ("shared", "io/btrace/core/extensions/Extension"),
    ("agent", "io/btrace/agent/ExtensionContextImpl"),
    ("agent", "io/btrace/agent/ServiceCloser"),
];

/// `NativeCore.preload`. A class that is not defined here is loaded when it is wanted.
pub(super) unsafe extern "system" fn preload(env: JniEnv, _class: JObject, loader: JObject) {
    guarded("NativeCore.preload", (), || {
        // SAFETY: environment and reference that the JVM passes for the length of this call.
        let (jni, loader) = unsafe { (Jni::from_raw(env), Object::from_raw(loader)) };
        let Some(core) = Core::get() else { return };
        for (section, name) in CLASSES {
            let entry = format!("META-INF/btrace/{section}/{name}.classdata");
            let Ok(Some(bytes)) = core.jar.entry(&entry) else { continue };
            match jni.define_class(loader, name, &bytes) {
                Ok(class) => jni.delete(class),
                Err(e) => crate::log::debug(|| format!("{entry} is left to its loader: {e}")),
            }
        }
    });
}
