//! Prepares a probe class for the target JVM.

use crate::error::Error;
use crate::model::Probe;
use classfile::access::{PRIVATE, PROTECTED, PUBLIC};
use classfile::edit::{DynamicRead, Edits, rewrite_class};
use std::collections::BTreeMap;

const INDY: &str = "io/btrace/runtime/ExtensionIndy";
const BOOTSTRAP: &str = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;\
                         Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Ljava/lang/invoke/CallSite;";

/// Rewrites a probe class so that its handlers can be linked: `AnyType` becomes `Object`, handlers become public, and each
/// read of an `@Injected` field becomes an invokedynamic that gets the service.
pub fn prepare(probe: &Probe, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut edits = Edits {
        types: BTreeMap::from([("io/btrace/core/types/AnyType".to_owned(), "java/lang/Object".to_owned())]),
        ..Edits::default()
    };
    for injected in &probe.injected {
        let read = DynamicRead {
            name: injected.field.clone(),
            class: INDY.to_owned(),
            method: "bootstrapFieldGet".to_owned(),
            descriptor: BOOTSTRAP.to_owned(),
            arguments: vec![
                injected.service.clone(),
                if injected.optional { "optional".to_owned() } else { String::new() },
                String::new(),
            ],
        };
        edits.fields.insert(injected.field.clone(), read);
    }
    let mut class_access = |flags: u16| flags | PUBLIC;
    let mut method_access = |method: &classfile::Member<'_>| {
        let handles = probe.handlers.iter().any(|h| Some(h.method.as_str()) == method.name_str());
        if handles { (method.access & !(PRIVATE | PROTECTED)) | PUBLIC } else { method.access }
    };
    edits.class_access = Some(&mut class_access);
    edits.method_access = Some(&mut method_access);
    Ok(rewrite_class(bytes, &mut edits)?)
}
