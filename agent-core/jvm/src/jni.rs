//! One thread's view of the VM.

use crate::error::Error;
use crate::sys;
use std::ffi::CString;
use std::marker::PhantomData;

/// A local reference; valid until the call from the VM returns.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a>(sys::JObject, PhantomData<&'a ()>);

impl Object<'_> {
    /// Wraps a reference that the VM passed in.
    ///
    /// # Safety
    /// It must be a reference that is valid for `'a`, or null.
    pub unsafe fn from_raw(raw: sys::JObject) -> Self {
        Self(raw, PhantomData)
    }

    /// The raw reference, to be handed back to the VM.
    pub fn raw(self) -> sys::JObject {
        self.0
    }

    /// Whether this is Java's null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// A reference that outlives calls and may be used on any thread.
#[derive(Debug)]
pub struct Global(sys::JObject);

// SAFETY: JNI allows global references on every thread.
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

impl Global {
    /// The object, for the length of a call.
    pub fn get<'a>(&self, _jni: &Jni<'a>) -> Object<'a> {
        Object(self.0, PhantomData)
    }

    /// Lets the object go; one that is only dropped stays alive for ever.
    pub fn delete(self, jni: &Jni<'_>) {
        // SAFETY: a global reference of ours, deleted once because `self` is consumed.
        unsafe { sys::delete_global_ref(jni.0, self.0) }
    }
}

/// An argument of a Java call.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// boolean
    Bool(bool),
    /// int
    Int(i32),
    /// any reference
    Object(Object<'a>),
}

impl Value<'_> {
    fn raw(self) -> sys::JValue {
        match self {
            // The union is read by the declared type; clearing the rest keeps it deterministic.
            Self::Bool(z) => sys::JValue { j: i64::from(z) },
            Self::Int(i) => sys::JValue { j: i64::from(i) },
            Self::Object(l) => sys::JValue { l: l.0 },
        }
    }
}

/// A thread's JNI environment.
#[derive(Clone, Copy, Debug)]
pub struct Jni<'a>(sys::JniEnv, PhantomData<&'a ()>);

impl<'a> Jni<'a> {
    /// Wraps the environment that the VM passed to a native method or callback.
    ///
    /// # Safety
    /// It must be the calling thread's, and `'a` must not outlive the call.
    pub unsafe fn from_raw(raw: sys::JniEnv) -> Self {
        Self(raw, PhantomData)
    }

    /// A class by internal name (`java/lang/String`), through the loader of the calling native method's class, or the
    /// system loader where there is none.
    pub fn find_class(&self, name: &str) -> Result<Object<'a>, Error> {
        let text = cstring(name)?;
        // SAFETY: own environment, NUL-terminated name.
        let class = unsafe { sys::find_class(self.0, text.as_ptr()) };
        self.object(class, "FindClass", || format!("FindClass {name}"))
    }

    /// Defines a class in the bootstrap loader.
    pub fn define_boot_class(&self, name: &str, bytes: &[u8]) -> Result<Object<'a>, Error> {
        self.define_class(Object(std::ptr::null_mut(), PhantomData), name, bytes)
    }

    /// Defines a class, by internal name, in a loader; null is the bootstrap loader.
    ///
    /// # Errors
    /// What the VM throws, because the bytes are no such class or the loader has one of that name.
    pub fn define_class(&self, loader: Object<'_>, name: &str, bytes: &[u8]) -> Result<Object<'a>, Error> {
        let text = cstring(name)?;
        let length = length(bytes.len(), "DefineClass")?;
        // SAFETY: the VM copies `bytes`, which outlive the call; the loader is a valid reference or null.
        let class = unsafe { sys::define_class(self.0, text.as_ptr(), loader.0, bytes.as_ptr(), length) };
        self.object(class, "DefineClass", || format!("DefineClass {name}"))
    }

    /// Calls a static method that returns a reference.
    pub fn call_static_object(
        &self,
        class: Object<'a>,
        name: &str,
        signature: &str,
        arguments: &[Value<'a>],
    ) -> Result<Object<'a>, Error> {
        let method = self.static_method(class, name, signature)?;
        let raw: Vec<sys::JValue> = arguments.iter().map(|v| v.raw()).collect();
        // SAFETY: the method was found with this signature; the caller passes arguments that fit it.
        let result = unsafe { sys::call_static_object_method_a(self.0, class.0, method, raw.as_ptr()) };
        self.check(|| format!("{name}{signature}"))?;
        Ok(Object(result, PhantomData))
    }

    /// Calls a static method that returns nothing.
    pub fn call_static_void(
        &self,
        class: Object<'a>,
        name: &str,
        signature: &str,
        arguments: &[Value<'a>],
    ) -> Result<(), Error> {
        let method = self.static_method(class, name, signature)?;
        let raw: Vec<sys::JValue> = arguments.iter().map(|v| v.raw()).collect();
        // SAFETY: as in `call_static_object`.
        unsafe { sys::call_static_void_method_a(self.0, class.0, method, raw.as_ptr()) };
        self.check(|| format!("{name}{signature}"))
    }

    /// A class's superclass; null for `Object` and interfaces.
    pub(crate) fn superclass(&self, class: Object<'_>) -> Object<'a> {
        // SAFETY: a valid reference to a class.
        Object(unsafe { sys::get_superclass(self.0, class.0) }, PhantomData)
    }

    /// An object's class.
    pub(crate) fn class_of(&self, object: Object<'_>) -> Object<'a> {
        // SAFETY: a valid reference that is not null; every object has a class.
        Object(unsafe { sys::get_object_class(self.0, object.0) }, PhantomData)
    }

    /// Calls a method without parameters that returns a reference.
    pub fn call_object(&self, object: Object<'a>, name: &str, signature: &str) -> Result<Object<'a>, Error> {
        let (n, s) = (cstring(name)?, cstring(signature)?);
        // SAFETY: a valid reference; the method is looked up in its own class and called without arguments.
        let result = unsafe {
            let class = sys::get_object_class(self.0, object.0);
            let method = sys::get_method_id(self.0, class, n.as_ptr(), s.as_ptr());
            sys::delete_local_ref(self.0, class);
            if method.is_null() {
                std::ptr::null_mut()
            } else {
                sys::call_object_method_a(self.0, object.0, method, std::ptr::null())
            }
        };
        self.object(result, "CallObjectMethod", || format!("{name}{signature}"))
    }

    fn static_method(&self, class: Object<'a>, name: &str, signature: &str) -> Result<sys::JMethodId, Error> {
        let (n, s) = (cstring(name)?, cstring(signature)?);
        // SAFETY: own environment, a class reference, NUL-terminated texts.
        let method = unsafe { sys::get_static_method_id(self.0, class.0, n.as_ptr(), s.as_ptr()) };
        self.check(|| format!("GetStaticMethodID {name}{signature}"))?;
        if method.is_null() { Err(Error::Jni { function: "GetStaticMethodID" }) } else { Ok(method) }
    }

    /// A new Java string.
    pub fn string(&self, text: &str) -> Result<Object<'a>, Error> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let length = length(units.len(), "NewString")?;
        // SAFETY: the VM copies the units.
        let string = unsafe { sys::new_string(self.0, units.as_ptr(), length) };
        self.object(string, "NewString", || "NewString".to_owned())
    }

    /// The text of a Java string; null reads as empty, an unpaired surrogate as U+FFFD.
    pub fn text(&self, string: Object<'_>) -> String {
        if string.is_null() {
            return String::new();
        }
        // SAFETY: a string reference.
        let length = unsafe { sys::get_string_length(self.0, string.0) };
        let mut units = vec![0_u16; usize::try_from(length).unwrap_or(0)];
        // SAFETY: the buffer holds `length` units.
        unsafe { sys::get_string_region(self.0, string.0, 0, length, units.as_mut_ptr()) };
        String::from_utf16_lossy(&units)
    }

    /// A new `byte[]`.
    pub fn bytes(&self, bytes: &[u8]) -> Result<Object<'a>, Error> {
        let length = length(bytes.len(), "NewByteArray")?;
        // SAFETY: own environment.
        let array = unsafe { sys::new_byte_array(self.0, length) };
        let array = self.object(array, "NewByteArray", || "NewByteArray".to_owned())?;
        // SAFETY: the array has this length, and the VM copies from `bytes`.
        unsafe { sys::set_byte_array_region(self.0, array.0, 0, length, bytes.as_ptr().cast()) };
        Ok(array)
    }

    /// The content of a `byte[]`; null reads as empty.
    pub fn read_bytes(&self, array: Object<'_>) -> Vec<u8> {
        let length = self.len(array);
        let mut bytes = vec![0_u8; usize::try_from(length).unwrap_or(0)];
        if length > 0 {
            // SAFETY: the buffer holds `length` bytes.
            unsafe { sys::get_byte_array_region(self.0, array.0, 0, length, bytes.as_mut_ptr().cast()) };
        }
        bytes
    }

    /// A new `int[]`.
    pub fn ints(&self, values: &[i32]) -> Result<Object<'a>, Error> {
        let length = length(values.len(), "NewIntArray")?;
        // SAFETY: own environment.
        let array = unsafe { sys::new_int_array(self.0, length) };
        let array = self.object(array, "NewIntArray", || "NewIntArray".to_owned())?;
        // SAFETY: the array has this length, and the VM copies from `values`.
        unsafe { sys::set_int_array_region(self.0, array.0, 0, length, values.as_ptr()) };
        Ok(array)
    }

    /// A new `String[]`.
    pub fn strings<S: AsRef<str>>(&self, texts: &[S]) -> Result<Object<'a>, Error> {
        let class = self.find_class("java/lang/String")?;
        let count = length(texts.len(), "NewObjectArray")?;
        // SAFETY: own environment, a class reference.
        let array = unsafe { sys::new_object_array(self.0, count, class.0, std::ptr::null_mut()) };
        let array = self.object(array, "NewObjectArray", || "NewObjectArray".to_owned())?;
        for (i, text) in (0..).zip(texts) {
            let string = self.string(text.as_ref())?;
            // SAFETY: `i` is within the array, which holds strings.
            unsafe {
                sys::set_object_array_element(self.0, array.0, i, string.0);
                sys::delete_local_ref(self.0, string.0);
            }
        }
        Ok(array)
    }

    /// The content of a `String[]`; null reads as empty.
    pub fn read_strings(&self, array: Object<'_>) -> Vec<String> {
        (0..self.len(array))
            .map(|i| {
                // SAFETY: `i` is within the array.
                let element = unsafe { sys::get_object_array_element(self.0, array.0, i) };
                let text = self.text(Object(element, PhantomData));
                // SAFETY: a local reference of ours.
                unsafe { sys::delete_local_ref(self.0, element) };
                text
            })
            .collect()
    }

    fn len(&self, array: Object<'_>) -> i32 {
        // SAFETY: an array reference.
        if array.is_null() { 0 } else { unsafe { sys::get_array_length(self.0, array.0) } }
    }

    /// A reference that outlives this call.
    pub fn global(&self, object: Object<'a>) -> Result<Global, Error> {
        // SAFETY: a valid reference.
        let global = unsafe { sys::new_global_ref(self.0, object.0) };
        if global.is_null() { Err(Error::Jni { function: "NewGlobalRef" }) } else { Ok(Global(global)) }
    }

    /// Lets a local reference go before the call from the VM returns.
    pub fn delete(&self, object: Object<'a>) {
        // SAFETY: a local reference or null.
        unsafe { sys::delete_local_ref(self.0, object.0) }
    }

    /// Lets the native method that runs fail: it returns to the VM soon, and calls nothing of it before. The class is
    /// named by its internal name, and has a constructor that takes a text.
    pub fn throw(&self, class: &str, message: &str) -> Result<(), Error> {
        let class = self.find_class(class)?;
        // The VM reads its own form of UTF-8, which differs in what is left out here.
        let plain: String = message.chars().filter(|c| *c != '\0' && *c <= '\u{FFFF}').collect();
        let text = cstring(&plain)?;
        // SAFETY: a class reference, a NUL-terminated text.
        let code = unsafe { sys::throw_new(self.0, class.0, text.as_ptr()) };
        if code == 0 { Ok(()) } else { Err(Error::Jni { function: "ThrowNew" }) }
    }

    /// Binds native methods: name, signature, function.
    ///
    /// # Safety
    /// Each function must have the C signature that its Java signature asks for.
    pub unsafe fn register(
        &self,
        class: Object<'a>,
        methods: &[(&std::ffi::CStr, &std::ffi::CStr, *const std::ffi::c_void)],
    ) -> Result<(), Error> {
        let raw: Vec<sys::NativeMethod> = methods
            .iter()
            .map(|&(name, signature, function)| sys::NativeMethod {
                name: name.as_ptr(),
                signature: signature.as_ptr(),
                function,
            })
            .collect();
        let count = length(raw.len(), "RegisterNatives")?;
        // SAFETY: the caller vouches for the functions; the texts are NUL-terminated.
        let code = unsafe { sys::register_natives(self.0, class.0, raw.as_ptr(), count) };
        self.check(|| "RegisterNatives".to_owned())?;
        if code == 0 { Ok(()) } else { Err(Error::Jni { function: "RegisterNatives" }) }
    }

    fn object(
        &self,
        raw: sys::JObject,
        function: &'static str,
        call: impl FnOnce() -> String,
    ) -> Result<Object<'a>, Error> {
        self.check(call)?;
        if raw.is_null() { Err(Error::Jni { function }) } else { Ok(Object(raw, PhantomData)) }
    }

    /// Turns a pending exception into an error.
    fn check(&self, call: impl FnOnce() -> String) -> Result<(), Error> {
        // SAFETY: own environment; only these functions may be called while an exception is pending.
        let thrown = unsafe {
            if sys::exception_check(self.0) == 0 {
                return Ok(());
            }
            let thrown = sys::exception_occurred(self.0);
            sys::exception_clear(self.0);
            thrown
        };
        let text = self.text_of(Object(thrown, PhantomData)).unwrap_or_else(|| "an exception without text".to_owned());
        self.delete(Object(thrown, PhantomData));
        Err(Error::Thrown { call: call(), text })
    }

    /// `object.toString()`, or `None` if that threw as well.
    fn text_of(&self, object: Object<'a>) -> Option<String> {
        // SAFETY: valid references; a pending exception is cleared before anything else is called.
        unsafe {
            let class = sys::get_object_class(self.0, object.0);
            let method = sys::get_method_id(self.0, class, c"toString".as_ptr(), c"()Ljava/lang/String;".as_ptr());
            if method.is_null() {
                sys::exception_clear(self.0);
                return None;
            }
            let string = sys::call_object_method_a(self.0, object.0, method, std::ptr::null());
            if sys::exception_check(self.0) != 0 {
                sys::exception_clear(self.0);
                return None;
            }
            Some(self.text(Object(string, PhantomData)))
        }
    }
}

fn cstring(text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error::Nul(text.to_owned()))
}

fn length(length: usize, function: &'static str) -> Result<i32, Error> {
    i32::try_from(length).map_err(|_| Error::Jni { function })
}
