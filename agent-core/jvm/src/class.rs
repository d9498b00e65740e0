//! What the VM tells of a loaded class.

use crate::error::Error;
use crate::jni::{Jni, Object};
use crate::jvmti::{Jvmti, check};
use crate::sys;
use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

/// A method of a loaded class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Name in modified UTF-8.
    pub name: Vec<u8>,
    /// Descriptor in modified UTF-8.
    pub descriptor: Vec<u8>,
    /// Access flags.
    pub access: u16,
}

/// `JVMTI_CLASS_STATUS_PREPARED`
const PREPARED: c_int = 2;

impl Jvmti {
    /// Whether a class is linked.
    pub fn is_prepared(self, class: Object<'_>) -> bool {
        let mut status = 0;
        // SAFETY: a class reference; the result outlives the call.
        let code = unsafe { sys::get_class_status(self.raw(), class.raw(), &raw mut status) };
        code == 0 && status & PREPARED != 0
    }

    /// Internal names of the superclass and the interfaces that a class names itself.
    ///
    /// # Errors
    /// The class is not linked yet.
    pub fn direct_supertypes(self, jni: &Jni<'_>, class: Object<'_>) -> Result<Vec<Vec<u8>>, Error> {
        let mut names = Vec::new();
        let superclass = jni.superclass(class);
        if !superclass.is_null() {
            names.extend(self.class_name(superclass));
            jni.delete(superclass);
        }
        let (mut count, mut raw): (c_int, *mut sys::JObject) = (0, null_mut());
        // SAFETY: a class reference; both results outlive the call.
        check("GetImplementedInterfaces", unsafe {
            sys::get_implemented_interfaces(self.raw(), class.raw(), &raw mut count, &raw mut raw)
        })?;
        for i in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: the VM returned `count` local references.
            let interface = unsafe { Object::from_raw(*raw.add(i)) };
            names.extend(self.class_name(interface));
            jni.delete(interface);
        }
        self.free(raw.cast());
        Ok(names)
    }

    /// The methods that a class declares, constructors and class initializer included.
    ///
    /// # Errors
    /// The class is not linked yet.
    pub fn methods(self, class: Object<'_>) -> Result<Vec<Method>, Error> {
        let (mut count, mut raw): (c_int, *mut sys::JMethodId) = (0, null_mut());
        // SAFETY: a class reference; both results outlive the call.
        check("GetClassMethods", unsafe {
            sys::get_class_methods(self.raw(), class.raw(), &raw mut count, &raw mut raw)
        })?;
        let count = usize::try_from(count).unwrap_or(0);
        // SAFETY: the VM returned `count` methods.
        let methods = (0..count).filter_map(|i| self.method(unsafe { *raw.add(i) })).collect();
        self.free(raw.cast());
        Ok(methods)
    }

    /// `None` if the class was unloaded or redefined meanwhile.
    fn method(self, id: sys::JMethodId) -> Option<Method> {
        let (mut name, mut descriptor): (*mut c_char, *mut c_char) = (null_mut(), null_mut());
        // SAFETY: a method of a live class; the generic signature is not asked for.
        let code = unsafe { sys::get_method_name(self.raw(), id, &raw mut name, &raw mut descriptor, null_mut()) };
        if code != 0 {
            return None;
        }
        let (name, descriptor) = (self.take_text(name), self.take_text(descriptor));
        let mut access = 0;
        // SAFETY: as above.
        let code = unsafe { sys::get_method_modifiers(self.raw(), id, &raw mut access) };
        // The VM adds bits of its own above those of the class file.
        let access = u16::try_from(access & 0xFFFF).ok()?;
        (code == 0).then_some(Method { name: name?, descriptor: descriptor?, access })
    }

    /// The constant pool of a class in the form of the class file, the count included. Needs [`Capability::ConstantPool`](crate::Capability::ConstantPool).
    pub fn constant_pool(self, class: Object<'_>) -> Result<Vec<u8>, Error> {
        let (mut count, mut length, mut raw) = (0, 0, null_mut());
        // SAFETY: a class reference; the results outlive the call.
        check("GetConstantPool", unsafe {
            sys::get_constant_pool(self.raw(), class.raw(), &raw mut count, &raw mut length, &raw mut raw)
        })?;
        let length = usize::try_from(length).unwrap_or(0);
        // SAFETY: the VM allocated `length` bytes there.
        let constants = unsafe { std::slice::from_raw_parts(raw, length) };
        let bytes = [&u16::try_from(count).unwrap_or(0).to_be_bytes()[..], constants].concat();
        self.free(raw);
        Ok(bytes)
    }
}
