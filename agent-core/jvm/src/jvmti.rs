//! A tool environment of the VM.

use crate::error::Error;
use crate::jni::{Jni, Object};
use crate::sys;
use std::ffi::{CStr, CString, c_char, c_int};

/// What the core asks the VM for; the values are bit numbers in `jvmtiCapabilities`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Load hook for classes that are loaded before the live phase ends, and for every retransformation.
    AllClassHook = 26,
    /// Read constant pools.
    ConstantPool = 35,
    /// Retransform classes.
    Retransform = 37,
    /// Retransform classes that the VM would rather not.
    RetransformAny = 38,
}

/// Events; the values are those of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The VM is ready for Java calls.
    VmInit = 50,
    /// The VM is about to end.
    VmDeath = 51,
    /// A class file is about to be parsed.
    ClassFileLoadHook = 54,
    /// A class has been linked and is about to be used; its code has not run yet.
    ClassPrepare = 56,
}

/// How far the VM is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the VM is initialized.
    OnLoad,
    /// After initialization.
    Live,
    /// Any other.
    Other,
}

/// A loaded class that can be retransformed.
#[derive(Clone, Debug)]
pub struct LoadedClass<'a> {
    /// The class.
    pub class: Object<'a>,
    /// Internal name in modified UTF-8, `java/lang/String`.
    pub name: Vec<u8>,
}

/// A JVMTI environment; may be used from any thread.
#[derive(Clone, Copy, Debug)]
pub struct Jvmti(sys::JvmtiEnv);

// SAFETY: JVMTI environments may be used from any thread, and this one is never disposed.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

impl Jvmti {
    /// Wraps an environment of the VM.
    ///
    /// # Safety
    /// It must be a live JVMTI environment.
    pub unsafe fn from_raw(raw: sys::JvmtiEnv) -> Self {
        Self(raw)
    }

    /// Asks for capabilities; all or none are given.
    pub fn add_capabilities(self, wanted: &[Capability]) -> Result<(), Error> {
        let mut bits = [0_u8; 16];
        for &capability in wanted {
            let bit = capability as usize;
            bits[bit / 8] |= 1 << (bit % 8);
        }
        // SAFETY: `jvmtiCapabilities` is 16 bytes of bit fields.
        check("AddCapabilities", unsafe { sys::add_capabilities(self.0, &raw const bits) })
    }

    /// Sets the callbacks.
    ///
    /// # Safety
    /// They must stay valid for the life of the process and must not unwind.
    pub unsafe fn set_callbacks(self, callbacks: &sys::EventCallbacks) -> Result<(), Error> {
        let size = c_int::try_from(size_of::<sys::EventCallbacks>()).unwrap_or(0);
        // SAFETY: the VM copies `size` bytes and takes the rest of its own table as absent.
        check("SetEventCallbacks", unsafe { sys::set_event_callbacks(self.0, callbacks, size) })
    }

    /// Turns an event on or off for all threads.
    pub fn notify(self, event: Event, on: bool) -> Result<(), Error> {
        // SAFETY: a null thread means all threads.
        let code =
            unsafe { sys::set_event_notification_mode(self.0, c_int::from(on), event as c_int, std::ptr::null_mut()) };
        check("SetEventNotificationMode", code)
    }

    /// How far the VM is.
    pub fn phase(self) -> Result<Phase, Error> {
        let mut phase = 0;
        // SAFETY: `phase` outlives the call.
        check("GetPhase", unsafe { sys::get_phase(self.0, &raw mut phase) })?;
        Ok(match phase {
            1 => Phase::OnLoad,
            4 => Phase::Live,
            _ => Phase::Other,
        })
    }

    /// A system property as known to the VM, which has those of the command line already in the `OnLoad` phase.
    pub fn system_property(self, name: &CStr) -> Option<String> {
        let mut value: *mut c_char = std::ptr::null_mut();
        // SAFETY: NUL-terminated name; `value` outlives the call.
        let code = unsafe { sys::get_system_property(self.0, name.as_ptr(), &raw mut value) };
        if code == 0 { self.take_text(value).map(|b| String::from_utf8_lossy(&b).into_owned()) } else { None }
    }

    /// Puts a jar on the bootstrap search path. In the `OnLoad` phase this prints nothing and keeps an AOT cache.
    pub fn append_to_bootstrap(self, jar: &str) -> Result<(), Error> {
        let path = CString::new(jar).map_err(|_| Error::Nul(jar.to_owned()))?;
        // SAFETY: NUL-terminated path.
        check("AddToBootstrapClassLoaderSearch", unsafe {
            sys::add_to_bootstrap_class_loader_search(self.0, path.as_ptr())
        })
    }

    /// Appends a jar to what the system loader searches; a loader that `java.system.class.loader` names may not take any.
    pub fn append_to_system(self, jar: &str) -> Result<(), Error> {
        let path = CString::new(jar).map_err(|_| Error::Nul(jar.to_owned()))?;
        // SAFETY: NUL-terminated path.
        check("AddToSystemClassLoaderSearch", unsafe { sys::add_to_system_class_loader_search(self.0, path.as_ptr()) })
    }

    /// Makes the module of one class read the module of another.
    pub fn add_module_reads<'a>(self, jni: &Jni<'a>, reader: Object<'a>, read: Object<'a>) -> Result<(), Error> {
        let module = |class| jni.call_object(class, "getModule", "()Ljava/lang/Module;");
        let (from, to) = (module(reader)?, module(read)?);
        // SAFETY: two module references.
        let code = unsafe { sys::add_module_reads(self.0, from.raw(), to.raw()) };
        jni.delete(from);
        jni.delete(to);
        check("AddModuleReads", code)
    }

    /// Memory of the VM that holds a copy of these bytes, for a load hook to hand over.
    pub fn copy(self, bytes: &[u8]) -> Result<*mut u8, Error> {
        let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        let mut memory: *mut u8 = std::ptr::null_mut();
        // SAFETY: `memory` outlives the call.
        check("Allocate", unsafe { sys::allocate(self.0, size, &raw mut memory) })?;
        // SAFETY: the VM allocated `size` bytes, which overlap nothing of ours.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Ok(memory)
    }

    /// All loaded classes of the application and the JDK that may be retransformed and pass the filter, which gets the
    /// class and its internal name.
    pub fn loaded_classes<'a>(
        self,
        jni: &Jni<'a>,
        mut filter: impl FnMut(Object<'a>, &[u8]) -> bool,
    ) -> Result<Vec<LoadedClass<'a>>, Error> {
        let (mut count, mut raw): (c_int, *mut sys::JObject) = (0, std::ptr::null_mut());
        // SAFETY: both results outlive the call.
        check("GetLoadedClasses", unsafe { sys::get_loaded_classes(self.0, &raw mut count, &raw mut raw) })?;
        let mut found = Vec::new();
        for i in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: the VM returned `count` local references.
            let class = unsafe { Object::from_raw(*raw.add(i)) };
            match self.class_name(class) {
                Some(name) if filter(class, &name) && self.is_modifiable(class) => {
                    found.push(LoadedClass { class, name });
                }
                _ => jni.delete(class),
            }
        }
        self.free(raw.cast());
        Ok(found)
    }

    /// Internal name of a class, or `None` for arrays, primitives and classes that are gone.
    pub fn class_name(self, class: Object<'_>) -> Option<Vec<u8>> {
        let mut signature: *mut c_char = std::ptr::null_mut();
        // SAFETY: a class reference; the generic signature is not asked for.
        let code = unsafe { sys::get_class_signature(self.0, class.raw(), &raw mut signature, std::ptr::null_mut()) };
        if code != 0 {
            return None;
        }
        let text = self.take_text(signature)?;
        text.strip_prefix(b"L").and_then(|t| t.strip_suffix(b";")).map(<[u8]>::to_vec)
    }

    /// Internal name of an object's class, or `None` for null.
    pub fn class_name_of(self, jni: &Jni<'_>, object: Object<'_>) -> Option<Vec<u8>> {
        if object.is_null() {
            return None;
        }
        let class = jni.class_of(object);
        let name = self.class_name(class);
        jni.delete(class);
        name
    }

    /// Whether a class can be retransformed.
    pub fn is_modifiable(self, class: Object<'_>) -> bool {
        let mut yes = 0;
        // SAFETY: a class reference.
        let code = unsafe { sys::is_modifiable_class(self.0, class.raw(), &raw mut yes) };
        code == 0 && yes != 0
    }

    /// Runs the load hooks again for these classes.
    pub fn retransform(self, classes: &[Object<'_>]) -> Result<(), Error> {
        if classes.is_empty() {
            return Ok(());
        }
        let raw: Vec<sys::JObject> = classes.iter().map(|c| c.raw()).collect();
        let count = c_int::try_from(raw.len()).unwrap_or(c_int::MAX);
        // SAFETY: `count` class references.
        check("RetransformClasses", unsafe { sys::retransform_classes(self.0, count, raw.as_ptr()) })
    }

    pub(crate) fn raw(self) -> sys::JvmtiEnv {
        self.0
    }

    /// Frees memory that the VM allocated and that is not used any more; a failure would only leak it.
    pub(crate) fn free(self, memory: *mut u8) {
        // SAFETY: callers pass what a function of this environment returned, once. Null is allowed.
        let _ = unsafe { sys::deallocate(self.0, memory) };
    }

    /// Copies and frees a text that the VM allocated.
    pub(crate) fn take_text(self, text: *mut c_char) -> Option<Vec<u8>> {
        if text.is_null() {
            return None;
        }
        // SAFETY: a NUL-terminated text of the VM.
        let bytes = unsafe { CStr::from_ptr(text) }.to_bytes().to_vec();
        self.free(text.cast());
        Some(bytes)
    }
}

pub(crate) fn check(function: &'static str, code: c_int) -> Result<(), Error> {
    if code == 0 { Ok(()) } else { Err(Error::Jvmti { function, code }) }
}
