//! Prepares a probe class for the target JVM.

use crate::error::Error;
use crate::model::Probe;
use classfile::access::PUBLIC;
use classfile::edit::{DynamicRead, Edits, Shield, rewrite_class};
use std::collections::BTreeMap;

/// Everything is in the name of the site: of the form that other sites have, too, it costs the JVM no class of its own.
const BOOTSTRAP: &str = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)\
                         Ljava/lang/invoke/CallSite;";

const RUNTIME: &str = "io/btrace/runtime/BTraceRuntime";
const RUNNING: &str = "io/btrace/runtime/BTraceRuntime$Running";

/// Rewrites a probe class so that its handlers can be linked: `AnyType` becomes `Object`, each read of an `@Injected` field becomes
/// an invokedynamic that gets the service, and beside each handler comes a public method `$<index>` for sites to call. That lets
/// nothing out that the handler throws, holds the guard where the probe has one, and does nothing once the probe with that
/// number is off.
///
/// Bytecode costs next to nothing when it is linked; the same of method handles costs dozens of generated classes.
pub fn prepare(probe: &Probe, number: u32, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let number = i32::try_from(number).unwrap_or(i32::MAX);
    let mut edits = Edits {
        types: BTreeMap::from([("io/btrace/core/types/AnyType".to_owned(), "java/lang/Object".to_owned())]),
        ..Edits::default()
    };
    for injected in &probe.injected {
        let read = DynamicRead {
            name: format!("{}:{}:{}", injected.missing.word(), injected.service.replace('.', ","), injected.field),
            // Of a class that is initialized long since: the handle of any other one is a shape of its own.
            class: RUNTIME.to_owned(),
            method: "service".to_owned(),
            descriptor: BOOTSTRAP.to_owned(),
            arguments: Vec::new(),
        };
        edits.fields.insert(injected.field.clone(), read);
    }
    let mut class_access = |flags: u16| flags | PUBLIC;
    for (index, handler) in (0..).zip(&probe.handlers) {
        edits.shields.push(Shield {
            name: format!("${index}"),
            method: handler.method.clone(),
            descriptor: handler.descriptor.clone(),
            runtime: RUNTIME.to_owned(),
            running: RUNNING.to_owned(),
            probe: number,
            number: index,
            guarded: probe.is_guarded,
        });
    }
    edits.class_access = Some(&mut class_access);
    Ok(rewrite_class(bytes, &mut edits)?)
}
