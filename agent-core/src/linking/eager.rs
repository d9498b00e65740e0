//! Loads extensions when the agent starts, where configuration asks for that, instead of when the first probe asks for them.

use super::api;
use crate::state::Core;
use crate::{extensions, log, natives};
use ::extensions::Status;
use jvm::{Jni, Value};
use std::error::Error;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// Loads all that can be used, in parallel, once in a JVM. One that cannot be loaded is told; what becomes of the probes
/// that want it is decided where they are taken.
///
/// A core that was started without Java leaves it to the first start with it.
pub(crate) fn load(core: &Core, jni: &Jni<'_>) {
    let linking = &core.linking;
    if !natives::bound() || linking.is_decided.swap(true, Ordering::Relaxed) {
        return;
    }
    if !extensions::load_at_start(core.vm, core.jvmti, &core.jar) {
        return;
    }
    let resolved = core.extensions.resolved(core);
    let mut texts = Vec::new();
    for extension in &resolved.extensions {
        let metadata = &extension.metadata;
        match (&extension.status, extension.refusal()) {
            (Status::Usable, _) => {
                api::define(core, jni, metadata.services.iter().cloned());
                let words: Vec<&str> =
                    std::iter::once(&metadata.id).chain(&metadata.services).map(String::as_str).collect();
                texts.push(words.join(" "));
            }
            // Somebody wants it so.
            (Status::Disabled { .. }, _) | (_, None) => {}
            (_, Some(refusal)) => core.report_once(format!("not loaded at start-up: {refusal}")),
        }
    }
    if texts.is_empty() {
        return;
    }
    match ask(jni, &texts) {
        Ok(problems) => {
            for (id, problem) in problems {
                let why = format!("the extension `{id}` could not be loaded at start-up: {problem}");
                log::line(&format!(
                    "{why}; hint: mend it, or switch it off with `{id}.enabled=false` in extensions.conf"
                ));
                linking.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(id, why);
            }
        }
        Err(e) => log::line(&format!(
            "extensions are loaded when a probe asks for them, as they could not be at start-up: {e}"
        )),
    }
    log::debug(|| format!("{} extensions were to be loaded at start-up", texts.len()));
}

/// Ids of those that could not be loaded, and why.
fn ask(jni: &Jni<'_>, texts: &[String]) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let answer = jni.call_static_object(
        jni.find_class("io/btrace/runtime/ExtensionIndy")?,
        "load",
        "([Ljava/lang/String;)[Ljava/lang/String;",
        &[Value::Object(jni.strings(texts)?)],
    )?;
    let mut problems = jni.read_strings(answer).into_iter();
    Ok(std::iter::from_fn(|| Some((problems.next()?, problems.next()?))).collect())
}
