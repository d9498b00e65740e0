//! Looks again at classes that could not be decided before others were linked.

use crate::guard::guarded;
use crate::state::Core;
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
        let mut waiting = core.pending.take(&name);
        if waiting.is_empty() {
            return;
        }
        if waiting.remove(&*name) && is_wanted(core, &name) {
            retransform(core, class, &name);
        }
        if waiting.is_empty() {
            return;
        }
        let others = core.jvmti.loaded_classes(&jni, |_, name| waiting.contains(name)).unwrap_or_default();
        for other in others {
            retransform(core, other.class, &other.name);
            jni.delete(other.class);
        }
    });
}

/// Whether it makes a difference that all supertypes of a class are known now. A handler that takes values of the class
/// itself (its receiver) counts too.
fn is_wanted(core: &Core, name: &[u8]) -> bool {
    let matcher = core.matcher();
    let above = core.supertypes.above(&String::from_utf8_lossy(name));
    matcher.wants_subtype(name, above.iter().map(String::as_str)) || matcher.compares_types()
}

fn retransform(core: &Core, class: Object<'_>, name: &[u8]) {
    if core.jvmti.is_modifiable(class)
        && let Err(e) = core.jvmti.retransform(&[class])
    {
        let name = String::from_utf8_lossy(name).replace('/', ".");
        core.report_once(format!("class {name} cannot be retransformed: {e}"));
    }
}
