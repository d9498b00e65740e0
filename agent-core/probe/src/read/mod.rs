//! Reads probe classes.

mod calls;
mod location;
mod parameters;
mod pattern;
mod shape;
mod uses;

use crate::error::Error;
use crate::model::{ClassPattern, Handler, Injected, Missing, Pattern, Probe};
use classfile::descriptor;
use classfile::{Annotation, ClassFile, ElementValue, Member, access};
use pattern::signature;
pub use uses::uses_parameter;

const ANNOTATIONS: &str = "Lio/btrace/core/annotations/";
const ANY: &str = "Lio/btrace/core/types/AnyType;";
const ANY_ARRAY: &str = "[Lio/btrace/core/types/AnyType;";
const OBJECT: &str = "Ljava/lang/Object;";

/// Reads a precompiled probe class. `${name}` in patterns, types and signatures stands for the value of that name among
/// `parameters`, letter by letter.
pub fn read(bytes: &[u8], parameters: &[(String, String)]) -> Result<Probe, Error> {
    let file = ClassFile::parse(bytes)?;
    let name = file.this_str().unwrap_or_default().replace('/', ".");
    let annotations = file.annotations()?;
    for (prefix, package) in [("Lorg/openjdk/btrace/", "org.openjdk.btrace"), ("Lcom/sun/btrace/", "com.sun.btrace")] {
        if annotations.iter().any(|a| a.type_descriptor.starts_with(prefix)) {
            return Err(Error::OldPackage { class: name, package });
        }
    }
    if !annotations.iter().any(|a| short_name(a) == Some("BTrace")) {
        return Err(Error::NotAProbe { class: name });
    }
    let reader = Reader { class: &name, parameters };
    let mut handlers = Vec::new();
    for method in file.methods() {
        if let Some(handler) = reader.handler(&method)? {
            handlers.push(handler);
        }
    }
    let mut injected = Vec::new();
    for field in file.fields() {
        if let Some(one) = reader.injected(&field)? {
            injected.push(one);
        }
    }
    if handlers.is_empty() {
        return Err(Error::NoHandler { class: name });
    }
    let is_guarded = !injected.is_empty() || calls::reach_out(&file);
    Ok(Probe { name, handlers, injected, is_guarded })
}

fn short_name(annotation: &Annotation) -> Option<&str> {
    annotation.type_descriptor.strip_prefix(ANNOTATIONS)?.strip_suffix(';')
}

struct Reader<'a> {
    class: &'a str,
    /// Names and values.
    parameters: &'a [(String, String)],
}

impl Reader<'_> {
    fn handler(&self, method: &Member<'_>) -> Result<Option<Handler>, Error> {
        let name = method.name_str().unwrap_or_default();
        let (mut on_method, mut sampled) = (None, None);
        for annotation in method.annotations()? {
            match short_name(&annotation) {
                Some("OnMethod") => on_method = Some(annotation),
                Some("Sampled") => sampled = Some(annotation),
                Some(other) => return Err(self.unsupported(name, "an annotation", &format!("@{other}"))),
                None => {}
            }
        }
        let Some(on_method) = on_method else {
            return match sampled {
                Some(_) => Err(self.invalid(name, "`@Sampled` needs an `@OnMethod` beside it")),
                None => Ok(None),
            };
        };
        let text =
            |key: &str| self.filled(name, on_method.element(key).and_then(ElementValue::as_str).unwrap_or_default());
        let nested = |key: &str| on_method.element(key).and_then(ElementValue::as_annotation);
        let location = self.location(name, nested("location"))?;
        let levels = self.levels(name, nested("enableAt"))?;
        let sampling = self.sampling(name, sampled.as_ref(), &location)?;
        let class = self.class_pattern(name, &text("clazz")?)?;
        let target = self.method_pattern(name, &text("method")?)?;
        if let ClassPattern::Name(Pattern::Exact(class)) = &class
            && crate::is_refused(class.replace('.', "/").as_bytes())
        {
            return Err(Error::Refused {
                class: self.class.to_owned(),
                handler: name.to_owned(),
                target: class.clone(),
            });
        }
        let type_constraint = match &*text("type")? {
            "" => String::new(),
            text => signature(text).ok_or_else(|| {
                let wanted = "a signature such as `void (java.lang.String, int)`";
                self.invalid(name, &format!("`type` is not {wanted}: `{text}`"))
            })?,
        };
        let declared = method.descriptor_str().unwrap_or_default();
        let parsed = descriptor::method(declared)?;
        if method.access & access::STATIC == 0 || parsed.result.is_some() {
            return Err(self.invalid(name, "a handler is a static method that returns nothing"));
        }
        let exact = on_method.element("exactTypeMatch").and_then(ElementValue::as_bool).unwrap_or(false);
        let parameters = self.parameters(name, method, &location, exact)?;
        Ok(Some(Handler {
            method: name.to_owned(),
            descriptor: declared.replace(ANY, OBJECT),
            location,
            class,
            target,
            type_constraint,
            exact,
            levels,
            sampling,
            parameters,
        }))
    }

    fn injected(&self, field: &Member<'_>) -> Result<Option<Injected>, Error> {
        let name = field.name_str().unwrap_or_default();
        let mut found = None;
        for annotation in field.annotations()? {
            match short_name(&annotation) {
                Some("Injected") => found = Some(annotation),
                Some(other) => return Err(self.unsupported(name, "a field annotation", &format!("@{other}"))),
                None => {}
            }
        }
        let Some(annotation) = found else { return Ok(None) };
        let declared = descriptor::field(field.descriptor_str().unwrap_or_default())?;
        let Some(service) = declared.class_name() else {
            return Err(self.invalid(name, "`@Injected` needs a field with an interface as type"));
        };
        if field.access & access::STATIC == 0 {
            return Err(self.invalid(name, "an `@Injected` field is static"));
        }
        let optional = annotation.element("optional").and_then(ElementValue::as_bool).unwrap_or(false);
        let missing = match annotation.element("mode").and_then(ElementValue::as_enum) {
            Some("THROW") => Missing::Throws,
            Some("SHIM") => Missing::Nothing,
            None | Some("UNSPECIFIED") => {
                if optional {
                    Missing::Nothing
                } else {
                    Missing::Fails
                }
            }
            Some(other) => return Err(self.unsupported(name, "an injection mode", other)),
        };
        Ok(Some(Injected { field: name.to_owned(), service: service.replace('/', "."), missing }))
    }

    fn unsupported(&self, handler: &str, what: &'static str, value: &str) -> Error {
        Error::Unsupported { class: self.class.to_owned(), handler: handler.to_owned(), what, value: value.to_owned() }
    }

    fn invalid(&self, handler: &str, reason: &str) -> Error {
        Error::Handler { class: self.class.to_owned(), handler: handler.to_owned(), reason: reason.to_owned() }
    }
}
