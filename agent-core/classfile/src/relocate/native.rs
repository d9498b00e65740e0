//! Native methods, which bind to symbols that hold the name of their class.

use crate::descriptor::method;
use crate::{ClassFile, access, mutf8};
use std::fmt::Write as _;

/// A native method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeMethod {
    /// Internal name of its class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

impl NativeMethod {
    /// The symbol under which a JVM looks for it in a library first, for instance `Java_org_dep_Nat_v`.
    pub fn symbol(&self) -> String {
        format!("Java_{}_{}", mangle(&self.class), mangle(&self.name))
    }

    /// The symbol that it looks for next: with the types of the parameters, to tell overloads apart.
    pub fn long_symbol(&self) -> String {
        let parameters = self.descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        format!("{}__{}", self.symbol(), mangle(parameters.map_or("", |(parameters, _)| parameters)))
    }
}

/// The native methods of a class, which break if it is relocated, unless its library registers them itself.
///
/// # Errors
/// A class that breaks the format.
pub fn native_methods(class: &[u8]) -> Result<Vec<NativeMethod>, crate::Error> {
    let class = ClassFile::parse(class)?;
    let mut out = Vec::new();
    for member in class.methods().filter(|m| m.access & access::NATIVE != 0) {
        let descriptor = mutf8::decode_lossy(member.descriptor)?.into_owned();
        method(&descriptor)?;
        let name = mutf8::decode_lossy(member.name)?.into_owned();
        out.push(NativeMethod { class: mutf8::decode_lossy(class.this_name())?.into_owned(), name, descriptor });
    }
    Ok(out)
}

/// Escapes a name as the Java Native Interface does.
fn mangle(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 8);
    for unit in name.encode_utf16() {
        match u8::try_from(unit) {
            Ok(b'/') => out.push('_'),
            Ok(b'_') => out.push_str("_1"),
            Ok(b';') => out.push_str("_2"),
            Ok(b'[') => out.push_str("_3"),
            Ok(b) if b.is_ascii_alphanumeric() => out.push(char::from(b)),
            _ => {
                // Writing to a string never fails.
                let _ = write!(out, "_0{unit:04x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols() {
        let method = NativeMethod {
            class: "org/de_p/N$é".into(),
            name: "v_1".into(),
            descriptor: "(I[Ljava/lang/String;)V".into(),
        };
        assert_eq!(method.symbol(), "Java_org_de_1p_N_00024_000e9_v_11");
        assert_eq!(method.long_symbol(), "Java_org_de_1p_N_00024_000e9_v_11__I_3Ljava_lang_String_2");
    }
}
