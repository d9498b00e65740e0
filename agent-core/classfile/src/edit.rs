//! Rewrites the shape of a class that is trusted: types, access flags, reads of static fields, methods around others.

mod fields;
mod references;
mod shield;
mod types;

use crate::reader::{ClassFile, Member};
use crate::{Error, mutf8};
use std::collections::BTreeMap;

/// What to change.
#[derive(Default)]
pub struct Edits<'a> {
    /// Types to replace by others, as internal names, in class constants, descriptors and signatures. Text is never touched.
    pub types: BTreeMap<String, String>,
    /// Static fields of this class whose every read becomes a dynamic call, by name.
    pub fields: BTreeMap<String, DynamicRead>,
    /// Gives the new access flags of the class from the old ones.
    pub class_access: Option<&'a mut dyn FnMut(u16) -> u16>,
    /// Gives the new access flags of a field from the old ones, which the member holds.
    pub field_access: Option<&'a mut dyn FnMut(&Member<'_>) -> u16>,
    /// The same for a method.
    pub method_access: Option<&'a mut dyn FnMut(&Member<'_>) -> u16>,
    /// Methods to add.
    pub shields: Vec<Shield>,
}

/// A public static method to add, which calls a static method of the class and lets nothing out that this throws.
///
/// Its parameters are those of the method, references erased to `Object`. It asks the dynamic call `<probe>()Object`, bootstrapped by
/// `runtime.live`, whether to do anything, which null means not (below version 51 `boolean runtime.isLive(int probe)`), and hands what is thrown to
/// `runtime.failed(Throwable, int probe, int number)`. If it is guarded it also asks `runtime.enter(int probe)` for a `running`, does
/// nothing if that is null, and sets the field `int probe` of it to 0 in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shield {
    /// Name of the new method.
    pub name: String,
    /// Name of the method to call.
    pub method: String,
    /// Its descriptor, after [`Edits::types`].
    pub descriptor: String,
    /// Internal name of the class that is asked.
    pub runtime: String,
    /// Internal name of the class of what the guard gives.
    pub running: String,
    /// Number of the probe.
    pub probe: i32,
    /// Number of the method within it.
    pub number: i32,
    /// Whether the method runs under the guard.
    pub guarded: bool,
}

/// An `invokedynamic` that stands for the read of a static field. Its descriptor is `()` and the field's type, after [`Edits::types`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamicRead {
    /// Name of the call site.
    pub name: String,
    /// Internal name of the class with the bootstrap method.
    pub class: String,
    /// Name of that static method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// String constants passed after lookup, name and type.
    pub arguments: Vec<String>,
}

/// Applies the edits and returns the new class. Types come first, then flags, then fields, then new methods; what no edit touches is copied byte for byte.
/// A text that a type no longer uses stays in the constant pool, because something unknown may use it too.
///
/// # Errors
/// The class is malformed, a field is to become dynamic below version 51, or a method cannot be laid out again.
pub fn rewrite_class(class: &[u8], edits: &mut Edits<'_>) -> Result<Vec<u8>, Error> {
    let map = |name: &[u8]| {
        let new = edits.types.get(mutf8::as_str(name)?)?;
        Some(mutf8::encode(new).into_owned())
    };
    let mut bytes = types::rename(class, &map)?;
    set_access(&mut bytes, edits)?;
    if !edits.fields.is_empty() {
        bytes = fields::make_dynamic(&bytes, &edits.fields)?;
    }
    if edits.shields.is_empty() { Ok(bytes) } else { shield::add(&bytes, &edits.shields) }
}

/// Access flags are all of one size, so they are changed in place.
fn set_access(bytes: &mut [u8], edits: &mut Edits<'_>) -> Result<(), Error> {
    let mut changes = Vec::new();
    let class = ClassFile::parse(bytes)?;
    if let Some(access) = &mut edits.class_access {
        changes.push((class.layout().access, access(class.access())));
    }
    if let Some(access) = &mut edits.field_access {
        changes.extend(class.fields().map(|field| (field.offset, access(&field))));
    }
    if let Some(access) = &mut edits.method_access {
        changes.extend(class.methods().map(|method| (method.offset, access(&method))));
    }
    for (at, access) in changes {
        bytes[at..at + 2].copy_from_slice(&access.to_be_bytes());
    }
    Ok(())
}
