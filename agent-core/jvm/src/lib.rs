//! JNI and JVMTI for the agent core: the only crate with raw VM pointers.
//!
//! Neither `jni` nor `jni-sys` knows JVMTI, so the two function tables are described here, by position, as the JNI and
//! JVMTI specifications number them. Only what the core calls is listed.
//!
//! - [`Vm`] is the process-wide VM, [`Jvmti`] one tool environment in it; both may be used from any thread.
//! - [`Jni`] belongs to one thread and to one call from the VM; references made through it die with that call unless
//!   [`Global`].
//!
//! Every result of the VM is checked: a failed call is an [`Error`], and a pending Java exception is turned into one.

mod class;
mod error;
mod jni;
mod jvmti;
pub mod sys;

pub use class::Method;
pub use error::Error;
pub use jni::{Global, Jni, Object, Value};
pub use jvmti::{Capability, Event, Jvmti, LoadedClass, Phase};

use std::ffi::{CStr, c_void};

/// Detaches the calling thread when it is dropped, also by a panic.
struct Detached(Vm);

impl Drop for Detached {
    fn drop(&mut self) {
        // SAFETY: made on a thread that was attached just before, and never handed to another one.
        let _ = unsafe { sys::vm_detach_current_thread(self.0.0) };
    }
}

/// The Java VM of this process.
#[derive(Clone, Copy, Debug)]
pub struct Vm(sys::JavaVm);

// SAFETY: the invocation interface may be called from any thread, and the table lives as long as the process.
unsafe impl Send for Vm {}
// SAFETY: as above.
unsafe impl Sync for Vm {}

impl Vm {
    /// Wraps the pointer that the VM hands to an agent's or library's entry point.
    ///
    /// # Safety
    /// `raw` must be that pointer.
    pub unsafe fn from_raw(raw: sys::JavaVm) -> Self {
        Self(raw)
    }

    /// A new tool environment.
    pub fn jvmti(self) -> Result<Jvmti, Error> {
        let mut env: *mut c_void = std::ptr::null_mut();
        // SAFETY: `self.0` is a live VM; `env` outlives the call.
        let code = unsafe { sys::vm_get_env(self.0, &raw mut env, sys::JVMTI_VERSION) };
        if code == 0 && !env.is_null() {
            // SAFETY: the VM said that this is a JVMTI environment of the version asked for.
            Ok(unsafe { Jvmti::from_raw(env.cast()) })
        } else {
            Err(Error::Environment { what: "JVMTI 1.2", code })
        }
    }

    /// Runs a body on a thread of ours that the VM knows for its length, by this name. The VM does not wait for it when it
    /// ends; a call that comes after its end fails, or never returns.
    ///
    /// Must not be called on a thread that is attached already.
    pub fn as_daemon<T>(self, name: &CStr, body: impl FnOnce(&Jni<'_>) -> T) -> Result<T, Error> {
        let mut env: *mut c_void = std::ptr::null_mut();
        let arguments =
            sys::AttachArguments { version: sys::JNI_VERSION, name: name.as_ptr(), group: std::ptr::null_mut() };
        // SAFETY: `self.0` is a live VM; name and result outlive the call, which copies them.
        let code = unsafe { sys::vm_attach_current_thread_as_daemon(self.0, &raw mut env, &raw const arguments) };
        if code != 0 || env.is_null() {
            return Err(Error::Environment { what: "JNI 1.8", code });
        }
        let detached = Detached(self);
        // SAFETY: the VM handed out this thread's environment, which lives until the thread is detached below.
        let result = body(&unsafe { Jni::from_raw(env.cast()) });
        drop(detached);
        Ok(result)
    }

    /// The calling thread's JNI environment; an error on a thread that is not attached to the VM.
    pub fn jni<'a>(self) -> Result<Jni<'a>, Error> {
        let mut env: *mut c_void = std::ptr::null_mut();
        // SAFETY: as in `jvmti`.
        let code = unsafe { sys::vm_get_env(self.0, &raw mut env, sys::JNI_VERSION) };
        if code == 0 && !env.is_null() {
            // SAFETY: the VM handed out this thread's environment.
            Ok(unsafe { Jni::from_raw(env.cast()) })
        } else {
            Err(Error::Environment { what: "JNI 1.8", code })
        }
    }
}
