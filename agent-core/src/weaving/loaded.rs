//! The classes that were loaded before a probe came.

use super::outline::outline;
use super::{hook, supertypes::Supertypes};
use crate::state::Core;
use classfile::{ClassFile, ConstantPool, mutf8};
use jvm::{Error, Jni, LoadedClass, Object};
use probe::{Counts, Matcher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Classes that are retransformed in one operation of the VM, which stops all threads meanwhile.
const BATCH: usize = 256;

/// Notes the supertypes of all loaded classes.
pub(crate) fn learn(core: &Core, jni: &Jni<'_>) -> Result<(), Error> {
    let learn_all = |class: Object<'_>, name: &[u8]| {
        if !learn_one(core, jni, class, name)
            && let Some(text) = mutf8::as_str(name)
        {
            core.pending.add(text);
            // If it was linked in between, its event may have come before the note.
            learn_one(core, jni, class, name);
        }
        false
    };
    core.jvmti.loaded_classes(jni, learn_all).map(drop)
}

/// Notes the supertypes of a loaded class; whether it is linked, as the VM does not tell them before.
pub(super) fn learn_one(core: &Core, jni: &Jni<'_>, class: Object<'_>, name: &[u8]) -> bool {
    let Ok(direct) = core.jvmti.direct_supertypes(jni, class) else { return false };
    core.supertypes.record(name, direct.iter().map(Vec::as_slice));
    true
}

/// The loaded classes that some handler may ask for. Names and supertypes are decided here; of a class with an annotation
/// only its bytes will tell whether the annotation is its own.
pub(crate) fn wanted<'a>(core: &Core, jni: &Jni<'a>, matcher: &Matcher) -> Result<Vec<LoadedClass<'a>>, Error> {
    core.jvmti.loaded_classes(jni, |class, name| is_wanted(core, matcher, class, name))
}

/// Whether some handler may ask for a loaded class.
pub(super) fn is_wanted(core: &Core, matcher: &Matcher, class: Object<'_>, name: &[u8]) -> bool {
    matcher.wants(name)
        || matcher.reads_hierarchy() && matcher.wants_subtype(name, above(&core.supertypes, name).iter().map(|n| &**n))
        || may_be_annotated(core, matcher, class)
}

fn above(supertypes: &Supertypes, name: &[u8]) -> Vec<String> {
    mutf8::as_str(name).map(|name| supertypes.above(name)).unwrap_or_default()
}

/// Whether the constants of a class name an annotation that is asked for.
fn may_be_annotated(core: &Core, matcher: &Matcher, class: Object<'_>) -> bool {
    if !matcher.reads_annotations() {
        return false;
    }
    let Ok(bytes) = core.jvmti.constant_pool(class) else { return false };
    ConstantPool::read(&bytes).is_ok_and(|pool| matcher.annotations_in(&pool).next().is_some())
}

/// How many methods of loaded classes each probe asks for. Nothing is woven: methods are counted by name and descriptor as the
/// VM tells them. Only where a handler asks for annotations, which the VM does not tell, are classes retransformed, into
/// themselves.
pub(crate) fn count(core: &Core, jni: &Jni<'_>, matcher: &Arc<Matcher>) -> Result<Counts, Error> {
    let classes = wanted(core, jni, matcher)?;
    let mut counts = Counts::default();
    if matcher.reads_annotations() || matcher.reads_method_annotations() {
        counts = hook::counting(matcher, || retransform(core, &classes));
    } else {
        for class in &classes {
            let Ok(methods) = core.jvmti.methods(class.class) else { continue };
            let direct = mutf8::as_str(&class.name).map(|name| core.supertypes.direct(name)).unwrap_or_default();
            let bytes = outline(&class.name, &direct, &methods);
            let Ok(file) = ClassFile::parse(&bytes) else { continue };
            let Ok(mut planner) = matcher.class(&file, &core.supertypes) else { continue };
            counts.add(&mut planner, &file);
        }
    }
    release(jni, classes);
    Ok(counts)
}

/// Weaves the loaded classes that some handler asks for. Those that are not linked are left to [`super::prepared`] where that
/// listens.
pub(crate) fn weave(core: &Core, jni: &Jni<'_>, matcher: &Matcher) -> Result<(), Error> {
    let mut classes = wanted(core, jni, matcher)?;
    if core.supertypes.is_recording() {
        let (linked, unlinked): (Vec<_>, Vec<_>) = classes.into_iter().partition(|c| core.jvmti.is_prepared(c.class));
        classes = linked;
        for class in unlinked {
            if let Some(name) = mutf8::as_str(&class.name) {
                core.pending.add(name);
            }
            if core.jvmti.is_prepared(class.class) {
                classes.push(class);
            } else {
                jni.delete(class.class);
            }
        }
    }
    retransform(core, &classes);
    release(jni, classes);
    Ok(())
}

/// Runs the hook again for classes. One that the VM refuses does not keep the others.
pub(crate) fn retransform(core: &Core, classes: &[LoadedClass<'_>]) {
    for batch in classes.chunks(BATCH) {
        let all: Vec<_> = batch.iter().map(|c| c.class).collect();
        if core.jvmti.retransform(&all).is_ok() {
            for class in batch {
                track(core, &class.name);
            }
            continue;
        }
        for class in batch {
            retransform_one(core, class.class, &class.name);
        }
    }
}

pub(super) fn retransform_one(core: &Core, class: Object<'_>, name: &[u8]) {
    match core.jvmti.retransform(&[class]) {
        Ok(()) => track(core, name),
        Err(e) => {
            let text = format!("class {} cannot be retransformed: {e}", hook::dotted(name));
            core.report_once_of(&format!("retransformed: {e}"), text);
        }
    }
}

/// Says that a class was retransformed, where `trackRetransforms` asks for it.
fn track(core: &Core, name: &[u8]) {
    if core.tracks.load(Ordering::Relaxed) {
        crate::log::asked(&format!("retransformed class {}", hook::dotted(name)));
    }
}

pub(crate) fn release(jni: &Jni<'_>, classes: Vec<LoadedClass<'_>>) {
    for class in classes {
        jni.delete(class.class);
    }
}
