//! The raw function tables, by position.
//!
//! Positions are those of the JNI specification (chapter 4, zero-based) and of the JVMTI specification (whose function
//! numbers start at one, so `position = number - 1`).

#![allow(missing_docs, reason = "the names are those of the specifications")]
#![allow(clippy::missing_safety_doc, reason = "each function has the contract of the specification")]
#![allow(clippy::too_many_arguments, reason = "signatures are given by the specifications")]

use std::ffi::{c_char, c_int, c_uchar, c_void};

pub type JavaVm = *mut *const [*const c_void; 8];
pub type JniEnv = *mut *const [*const c_void; 235];
pub type JvmtiEnv = *mut *const [*const c_void; 156];
pub type JObject = *mut c_void;
pub type JMethodId = *mut c_void;

pub const JNI_VERSION: c_int = 0x0001_0008;
pub const JVMTI_VERSION: c_int = 0x3001_0200;

/// An argument of a `Call…MethodA` function.
#[repr(C)]
#[derive(Clone, Copy)]
pub union JValue {
    pub z: u8,
    pub i: i32,
    pub j: i64,
    pub l: JObject,
}

#[repr(C)]
pub struct NativeMethod {
    pub name: *const c_char,
    pub signature: *const c_char,
    pub function: *const c_void,
}

pub type ClassFileLoadHook = unsafe extern "system" fn(
    JvmtiEnv,
    JniEnv,
    JObject,
    JObject,
    *const c_char,
    JObject,
    c_int,
    *const c_uchar,
    *mut c_int,
    *mut *mut c_uchar,
);
pub type VmInit = unsafe extern "system" fn(JvmtiEnv, JniEnv, JObject);
pub type ClassPrepare = unsafe extern "system" fn(JvmtiEnv, JniEnv, JObject, JObject);
pub type VmDeath = unsafe extern "system" fn(JvmtiEnv, JniEnv);

/// The leading part of the callback table: what the core listens to, at the positions of the specification.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct EventCallbacks {
    pub vm_init: Option<VmInit>,
    pub vm_death: Option<VmDeath>,
    pub thread_start: Option<VmInit>,
    pub thread_end: Option<VmInit>,
    pub class_file_load_hook: Option<ClassFileLoadHook>,
    pub class_load: Option<ClassPrepare>,
    pub class_prepare: Option<ClassPrepare>,
}

macro_rules! table {
    ($env:ty: $($name:ident = $position:literal ($($arg:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(
            #[inline]
            pub unsafe fn $name(env: $env $(, $arg: $type)*) $(-> $result)? {
                type Function = unsafe extern "system" fn($env $(, $type)*) $(-> $result)?;
                // SAFETY: the caller passes a live environment, whose table has the specified function there.
                unsafe {
                    let function: Function = std::mem::transmute::<*const c_void, Function>((&(**env))[$position]);
                    function(env $(, $arg)*)
                }
            }
        )*
    };
}

/// How a thread of ours presents itself to the VM.
#[repr(C)]
pub struct AttachArguments {
    pub version: c_int,
    pub name: *const c_char,
    pub group: JObject,
}

table! { JavaVm:
    vm_detach_current_thread = 5 () -> c_int;
    vm_get_env = 6 (env: *mut *mut c_void, version: c_int) -> c_int;
    vm_attach_current_thread_as_daemon = 7 (env: *mut *mut c_void, arguments: *const AttachArguments) -> c_int;
}

table! { JniEnv:
    define_class = 5 (name: *const c_char, loader: JObject, bytes: *const c_uchar, length: c_int) -> JObject;
    find_class = 6 (name: *const c_char) -> JObject;
    get_superclass = 10 (class: JObject) -> JObject;
    throw_new = 14 (class: JObject, message: *const c_char) -> c_int;
    exception_occurred = 15 () -> JObject;
    exception_clear = 17 ();
    push_local_frame = 19 (capacity: c_int) -> c_int;
    pop_local_frame = 20 (result: JObject) -> JObject;
    new_global_ref = 21 (object: JObject) -> JObject;
    delete_global_ref = 22 (object: JObject);
    delete_local_ref = 23 (object: JObject);
    get_object_class = 31 (object: JObject) -> JObject;
    get_method_id = 33 (class: JObject, name: *const c_char, signature: *const c_char) -> JMethodId;
    call_object_method_a = 36 (object: JObject, method: JMethodId, arguments: *const JValue) -> JObject;
    get_static_method_id = 113 (class: JObject, name: *const c_char, signature: *const c_char) -> JMethodId;
    call_static_object_method_a = 116 (class: JObject, method: JMethodId, arguments: *const JValue) -> JObject;
    call_static_void_method_a = 143 (class: JObject, method: JMethodId, arguments: *const JValue);
    new_string = 163 (units: *const u16, length: c_int) -> JObject;
    get_string_length = 164 (string: JObject) -> c_int;
    get_array_length = 171 (array: JObject) -> c_int;
    new_object_array = 172 (length: c_int, class: JObject, initial: JObject) -> JObject;
    get_object_array_element = 173 (array: JObject, index: c_int) -> JObject;
    set_object_array_element = 174 (array: JObject, index: c_int, value: JObject);
    new_byte_array = 176 (length: c_int) -> JObject;
    new_int_array = 179 (length: c_int) -> JObject;
    get_byte_array_region = 200 (array: JObject, start: c_int, length: c_int, to: *mut i8);
    set_byte_array_region = 208 (array: JObject, start: c_int, length: c_int, from: *const i8);
    set_int_array_region = 211 (array: JObject, start: c_int, length: c_int, from: *const i32);
    register_natives = 215 (class: JObject, methods: *const NativeMethod, count: c_int) -> c_int;
    get_string_region = 220 (string: JObject, start: c_int, length: c_int, to: *mut u16);
    exception_check = 228 () -> u8;
}

table! { JvmtiEnv:
    // The specification's function is variadic; nothing is passed in the tail.
    set_event_notification_mode = 1 (mode: c_int, event: c_int, thread: JObject) -> c_int;
    is_modifiable_class = 44 (class: JObject, to: *mut u8) -> c_int;
    allocate = 45 (size: i64, to: *mut *mut c_uchar) -> c_int;
    deallocate = 46 (memory: *mut c_uchar) -> c_int;
    get_class_signature = 47 (class: JObject, signature: *mut *mut c_char, generic: *mut *mut c_char) -> c_int;
    get_class_status = 48 (class: JObject, status: *mut c_int) -> c_int;
    get_class_methods = 51 (class: JObject, count: *mut c_int, methods: *mut *mut JMethodId) -> c_int;
    get_implemented_interfaces = 53 (class: JObject, count: *mut c_int, interfaces: *mut *mut JObject) -> c_int;
    get_method_name = 63 (
        method: JMethodId,
        name: *mut *mut c_char,
        signature: *mut *mut c_char,
        generic: *mut *mut c_char
    ) -> c_int;
    get_method_modifiers = 65 (method: JMethodId, modifiers: *mut c_int) -> c_int;
    get_loaded_classes = 77 (count: *mut c_int, classes: *mut *mut JObject) -> c_int;
    add_module_reads = 93 (module: JObject, to: JObject) -> c_int;
    set_event_callbacks = 121 (callbacks: *const EventCallbacks, size: c_int) -> c_int;
    get_system_property = 130 (name: *const c_char, to: *mut *mut c_char) -> c_int;
    get_phase = 132 (to: *mut c_int) -> c_int;
    add_capabilities = 141 (capabilities: *const [u8; 16]) -> c_int;
    get_constant_pool = 145 (
        class: JObject,
        count: *mut c_int,
        length: *mut c_int,
        bytes: *mut *mut c_uchar
    ) -> c_int;
    add_to_bootstrap_class_loader_search = 148 (segment: *const c_char) -> c_int;
    add_to_system_class_loader_search = 150 (segment: *const c_char) -> c_int;
    retransform_classes = 151 (count: c_int, classes: *const JObject) -> c_int;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The struct must mirror the specification's callback order, pointer by pointer.
    #[test]
    fn callbacks_stand_at_their_positions() {
        assert_eq!(std::mem::offset_of!(EventCallbacks, vm_init), 0);
        assert_eq!(std::mem::offset_of!(EventCallbacks, vm_death), size_of::<usize>());
        assert_eq!(std::mem::offset_of!(EventCallbacks, class_file_load_hook), 4 * size_of::<usize>());
        assert_eq!(std::mem::offset_of!(EventCallbacks, class_prepare), 6 * size_of::<usize>());
        assert_eq!(size_of::<JValue>(), 8);
        assert_eq!(size_of::<NativeMethod>(), 3 * size_of::<usize>());
    }
}
