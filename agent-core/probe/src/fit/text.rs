//! Names and signatures as handlers see them.

use classfile::descriptor::{self, FieldType, MethodType};

/// `java.lang.String` of `java/lang/String`, and `int[]` of `[I`.
pub(crate) fn dotted(internal: &str) -> String {
    if internal.starts_with('[') { type_text(internal) } else { internal.replace('/', ".") }
}

/// `java.lang.String[]` of a descriptor.
pub(crate) fn type_text(text: &str) -> String {
    descriptor::field(text).map_or_else(|_| text.to_owned(), |t| t.java_name())
}

/// `void(java.lang.String,int)` of a method's descriptor.
pub(crate) fn signature(parsed: &MethodType<'_>) -> String {
    format!("{}({})", result(parsed), parameters(parsed, ","))
}

/// `void com.acme.Orders#place(java.lang.String, int)`
pub(super) fn method(class: &str, name: &str, descriptor: &str) -> String {
    match descriptor::method(descriptor) {
        Ok(parsed) => format!("{} {}#{name}({})", result(&parsed), dotted(class), parameters(&parsed, ", ")),
        Err(_) => format!("{}#{name}", dotted(class)),
    }
}

/// `int com.acme.Orders#count`
pub(super) fn field(class: &str, name: &str, descriptor: &str) -> String {
    format!("{} {}#{name}", type_text(descriptor), dotted(class))
}

fn result(parsed: &MethodType<'_>) -> String {
    parsed.result.as_ref().map_or_else(|| "void".to_owned(), FieldType::java_name)
}

fn parameters(parsed: &MethodType<'_>, separator: &str) -> String {
    parsed.parameters.iter().map(FieldType::java_name).collect::<Vec<_>>().join(separator)
}
