//! Looks again at classes that could not be decided before they were linked.
//!
//! The VM holds the link lock of a class while it sends this event, and a lock of its own on each class that it retransforms.
//! Retransforming a class that another thread is linking would wait for that thread's event, which may wait for us: so nothing
//! but the class of the event is retransformed here.

use super::loaded;
use super::supertypes::Knowledge;
use crate::guard::guarded;
use crate::state::Core;
use classfile::mutf8;
use jvm::sys::{JObject, JniEnv, JvmtiEnv};
use jvm::{Jni, Object};

/// Called by the VM when a class has been linked and none of its code has run. Retransforming it here is in time, even for
/// its initializer.
pub(crate) unsafe extern "system" fn class_prepare(_jvmti: JvmtiEnv, jni: JniEnv, _thread: JObject, class: JObject) {
    guarded("the class-prepare event", (), || {
        let Some(core) = Core::get() else { return };
        // SAFETY: environment and reference that the VM passes for the length of this call.
        let (jni, class) = unsafe { (Jni::from_raw(jni), Object::from_raw(class)) };
        let Some(name) = core.jvmti.class_name(class) else { return };
        let Some(name) = mutf8::as_str(&name) else { return };
        if !core.pending.contains(name) {
            return;
        }
        loaded::learn_one(core, &jni, class, name.as_bytes());
        if !loaded::is_wanted(core, &core.matcher(), class, name.as_bytes()) {
            // Another class of the name may have other supertypes.
            if core.supertypes.knowledge(name) == Knowledge::Complete {
                core.pending.remove(name);
            }
            return;
        }
        if core.jvmti.is_modifiable(class) {
            loaded::retransform_one(core, class, name.as_bytes());
        }
    });
}
