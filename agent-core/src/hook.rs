//! The class-file-load hook.

use crate::guard::guarded;
use crate::state::Core;
use classfile::ClassFile;
use classfile::weave::{Linkage, Woven, weave};
use jvm::sys::{JObject, JniEnv, JvmtiEnv};
use jvm::{Jni, Object};
use probe::needs_direct_calls;
use std::ffi::{CStr, c_char, c_int, c_uchar};
use std::time::Instant;

/// Internal name of the class that woven code names.
pub(crate) const LINKER: &str = "java/lang/FatAgentLinker";

/// Called by the VM for every class that is loaded or retransformed. Runs no Java code.
pub(crate) unsafe extern "system" fn class_file_load_hook(
    _jvmti: JvmtiEnv,
    jni: JniEnv,
    _redefined: JObject,
    loader: JObject,
    name: *const c_char,
    _domain: JObject,
    length: c_int,
    bytes: *const c_uchar,
    new_length: *mut c_int,
    new_bytes: *mut *mut c_uchar,
) {
    guarded("the class-file-load hook", (), || {
        let Some(core) = Core::get() else { return };
        let Ok(size) = usize::try_from(length) else { return };
        // SAFETY: the VM passes `length` bytes that live as long as the call.
        let class = unsafe { std::slice::from_raw_parts(bytes, size) };
        // SAFETY: null, or a NUL-terminated name that lives as long as the call.
        let given = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_bytes());
        // SAFETY: environment and reference that the VM passes for the length of this call.
        let (jni, loader) = unsafe { (Jni::from_raw(jni), Object::from_raw(loader)) };
        // Probes and extensions: weaving them would call handlers from inside handlers.
        let is_ours = || core.jvmti.class_name_of(&jni, loader).is_some_and(|name| name.starts_with(b"io/btrace/"));
        let Some(woven) = rewrite(core, given, class, is_ours) else { return };
        let Ok(woven_length) = c_int::try_from(woven.len()) else { return };
        match core.jvmti.copy(&woven) {
            Ok(memory) => {
                // SAFETY: the VM passes two places for the result; `memory` came from its own allocator.
                unsafe {
                    *new_length = woven_length;
                    *new_bytes = memory;
                }
            }
            Err(e) => core.report_once(format!("a class was not woven: {e}")),
        }
    });
}

/// The woven class, or `None` to leave it as it is.
fn rewrite(core: &Core, given: Option<&[u8]>, class: &[u8], is_ours: impl FnOnce() -> bool) -> Option<Vec<u8>> {
    let matcher = core.matcher();
    if matcher.is_empty() {
        return None;
    }
    let start = crate::log::debug_enabled().then(Instant::now);
    let parsed;
    let name = if let Some(name) = given {
        name
    } else {
        // A class defined without a name; the bytes know it.
        parsed = ClassFile::parse(class).ok()?;
        parsed.this_name()
    };
    if !matcher.wants(name) || is_ours() {
        return None;
    }
    let major = class.get(6..8).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]));
    let mut planner = matcher.for_class(name);
    let mut number = |name: &str, descriptor: &str| core.sites.number(name, descriptor);
    let linkage = if needs_direct_calls(name, major) {
        Linkage::Direct { class: LINKER, method: "call", site: &mut number }
    } else {
        Linkage::Dynamic { class: LINKER, method: "link" }
    };
    let dotted = || String::from_utf8_lossy(name).replace('/', ".");
    let woven = weave(class, linkage, &mut planner);
    for left_out in planner.unresolved() {
        core.report_once(left_out.notice());
        crate::log::debug(|| left_out.to_string());
    }
    match woven {
        Ok(Woven { bytes, methods, skipped, skipped_sites, .. }) => {
            for (method, reason) in &skipped {
                core.report_once(format!("method {}.{method} was not woven: {reason}", dotted()));
            }
            for site in &skipped_sites {
                let (method, kind, line, reason) = (&site.method, site.kind, site.line, &site.reason);
                let class = dotted();
                core.report_once(format!("a {kind} in {class}.{method}, line {line}, was not woven: {reason}"));
            }
            crate::log::debug(|| {
                let micros = start.map_or(0, |start| start.elapsed().as_micros());
                format!("wove {} methods of {} in {micros} us: {}", methods.len(), dotted(), methods.join(" "))
            });
            if let Some(bytes) = &bytes {
                dump(core, name, bytes);
            }
            bytes
        }
        Err(e) => {
            let hint = e.hint();
            core.report_once(crate::log::chain(&format!("class {} was not woven", dotted()), &e, hint));
            None
        }
    }
}

/// Writes a woven class below the dump folder, if there is one.
fn dump(core: &Core, name: &[u8], bytes: &[u8]) {
    let folder = core.dump.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    let Some(folder) = folder else { return };
    // The name comes from a class file; what is not an ordinary name must not lead out of the folder.
    let relative = String::from_utf8_lossy(name).into_owned();
    if relative.split('/').any(|part| part.is_empty() || part == "..") {
        return;
    }
    let file = folder.join(format!("{relative}.class"));
    let folder_of = file.parent().unwrap_or(&folder);
    if let Err(e) = fs_err::create_dir_all(folder_of).and_then(|()| fs_err::write(&file, bytes)) {
        core.report_once(format!("a woven class cannot be kept: {e}"));
    }
}
