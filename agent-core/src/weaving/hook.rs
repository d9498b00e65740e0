//! The class-file-load hook.

use crate::guard::guarded;
use crate::state::Core;
use classfile::weave::{Linkage, Woven, weave_file};
use classfile::{Annotation, ClassFile, mutf8};
use journal::Record;
use jvm::sys::{JObject, JniEnv, JvmtiEnv};
use jvm::{Jni, Object};
use probe::{Counts, Matcher, is_refused, needs_direct_calls};
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_uchar};
use std::sync::Arc;
use std::time::Instant;

/// Internal name of the class that woven code names.
pub(crate) const LINKER: &str = "java/lang/FatAgentLinker";

thread_local! {
    /// Set while this thread only counts: the methods that a matcher asks for in the classes it retransforms.
    static COUNTING: RefCell<Option<(Arc<Matcher>, Counts)>> = const { RefCell::new(None) };
}

/// Runs a body that retransforms classes, during which the hook leaves them as they are and counts what a matcher asks for.
pub(super) fn counting(matcher: &Arc<Matcher>, body: impl FnOnce()) -> Counts {
    COUNTING.set(Some((Arc::clone(matcher), Counts::default())));
    body();
    COUNTING.take().map(|(_, counts)| counts).unwrap_or_default()
}

/// Called by the VM for every class that is loaded or retransformed. Runs no Java code.
pub(crate) unsafe extern "system" fn class_file_load_hook(
    _jvmti: JvmtiEnv,
    jni: JniEnv,
    redefined: JObject,
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
        let Some(woven) = rewrite(core, given, class, !redefined.is_null(), is_ours) else { return };
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
fn rewrite(
    core: &Core,
    given: Option<&[u8]>,
    class: &[u8],
    is_loaded: bool,
    is_ours: impl FnOnce() -> bool,
) -> Option<Vec<u8>> {
    let matcher = core.matcher();
    let is_recording = core.supertypes.is_recording();
    let is_counting = COUNTING.with_borrow(Option::is_some);
    // Most classes are told by their name not to matter; nothing of them is read.
    let is_decided = !(is_recording || is_counting || matcher.reads_annotations() || matcher.reads_hierarchy());
    if is_decided && (matcher.is_empty() || given.is_some_and(|name| !matcher.wants(name))) {
        return None;
    }
    let file = match ClassFile::parse(class) {
        Ok(file) => file,
        // The VM will say so itself.
        Err(_) if given.is_none_or(|name| !matcher.wants(name)) => return None,
        Err(e) => {
            report(core, given.unwrap_or_default(), &e);
            return None;
        }
    };
    if is_recording {
        core.supertypes.record_file(&file);
    }
    if is_refused(file.this_name()) || is_ours() {
        return None;
    }
    if is_counting {
        count(core, &file);
        return None;
    }
    if matcher.is_empty() {
        return None;
    }
    if is_loaded && matcher.reads_annotations() {
        report_lost_annotation(core, &matcher, &file);
    }
    weave_class(core, &matcher, &file)
}

/// Of a loaded class the VM keeps only those annotations that are visible at run time: says so where the constants name one
/// that is asked for and that nothing in the class carries.
fn report_lost_annotation(core: &Core, matcher: &Matcher, file: &ClassFile<'_>) {
    for name in matcher.annotations_in(file.pool()) {
        let descriptor = format!("L{};", String::from_utf8_lossy(name));
        let is_there = |annotations: Result<Vec<Annotation>, _>| {
            annotations.is_ok_and(|all| all.iter().any(|a| a.type_descriptor == descriptor))
        };
        let is_known = is_there(file.annotations())
            || file.methods().chain(file.fields()).any(|member| is_there(member.annotations()));
        if !is_known {
            core.report_once(format!(
                "whether class {} has the annotation {} is not known: of a loaded class the JVM keeps those annotations \
                 only that are visible at run time; hint: start the JVM with the probe",
                dotted(file.this_name()),
                dotted(name)
            ));
        }
    }
}

fn count(core: &Core, file: &ClassFile<'_>) {
    COUNTING.with_borrow_mut(|counting| {
        if let Some((matcher, counts)) = counting
            && let Ok(mut class) = matcher.class(file, &core.supertypes)
        {
            counts.add(&mut class, file);
        }
    });
}

fn weave_class(core: &Core, matcher: &Matcher, file: &ClassFile<'_>) -> Option<Vec<u8>> {
    let name = file.this_name();
    let mut planner = match matcher.class(file, &core.supertypes) {
        Ok(planner) => planner,
        Err(e) => {
            report(core, name, &e);
            return None;
        }
    };
    if planner.needs_hierarchy()
        && let Some(name) = mutf8::as_str(name)
    {
        core.pending.add(name);
    }
    if planner.is_empty() {
        return None;
    }
    let start = crate::log::debug_enabled().then(Instant::now);
    let mut counts = Counts::default();
    counts.add(&mut planner, file);
    for (probe, limit) in core.ledger.admit(name, &counts) {
        let probe_name = matcher.name_of(probe).unwrap_or_default();
        core.report_once(format!(
            "probe {probe_name} has reached maxMethods={limit}: classes that would exceed it are not woven for it; \
             hint: narrow its patterns or raise `maxMethods`"
        ));
        planner.remove(probe);
    }
    let mut number = |name: &str, descriptor: &str| core.sites.number(name, descriptor);
    let linkage = if needs_direct_calls(name, file.major()) {
        Linkage::Direct { class: LINKER, method: "call", site: &mut number }
    } else {
        Linkage::Dynamic { class: LINKER, method: "link" }
    };
    let woven = weave_file(file, linkage, &mut planner);
    let dotted = || dotted(name);
    match woven {
        Ok(Woven { bytes, methods, skipped, skipped_sites, .. }) => {
            for (method, reason) in &skipped {
                let text = format!("method {}.{method} was not woven: {reason}", dotted());
                core.report_once_of(&format!("method: {reason}"), text);
            }
            for site in &skipped_sites {
                let (method, kind, line, reason) = (&site.method, site.kind, site.line, &site.reason);
                let class = dotted();
                let text = format!("a {kind} in {class}.{method}, line {line}, was not woven: {reason}");
                core.report_once_of(&format!("{kind}: {reason}"), text);
            }
            crate::log::debug(|| {
                let micros = start.map_or(0, |start| start.elapsed().as_micros());
                let all: Vec<&str> = methods.iter().collect();
                format!("wove {} methods of {} in {micros} us: {}", methods.len(), dotted(), all.join(" "))
            });
            if let Some(bytes) = &bytes {
                crate::audit::write(|| {
                    let all: Vec<&str> = methods.iter().collect();
                    Record::new("woven").with("class", dotted()).with("methods", all)
                });
                dump(core, name, bytes);
            }
            bytes
        }
        Err(e) => {
            report(core, name, &e);
            None
        }
    }
}

fn report(core: &Core, name: &[u8], e: &classfile::Error) {
    core.report_once(crate::log::chain(&format!("class {} was not woven", dotted(name)), e, e.hint()));
}

/// The name as users write it.
pub(super) fn dotted(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace('/', ".")
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
