//! Reads probe classes.

use crate::error::Error;
use crate::model::{Handler, Injected, Kind, Parameter, Pattern, Probe, ValueType};
use classfile::descriptor;
use classfile::{Annotation, ClassFile, ElementValue, Member, access};

const ANNOTATIONS: &str = "Lio/btrace/core/annotations/";
const ANY: &str = "Lio/btrace/core/types/AnyType;";
const ANY_ARRAY: &str = "[Lio/btrace/core/types/AnyType;";
const OBJECT: &str = "Ljava/lang/Object;";

/// Reads a precompiled probe class.
pub fn read(bytes: &[u8]) -> Result<Probe, Error> {
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
    let reader = Reader { class: &name };
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
    let uses_runtime = !injected.is_empty() || names_runtime(&file);
    Ok(Probe { name, handlers, injected, uses_runtime })
}

/// Whether the class names anything of ours besides annotations and types.
fn names_runtime(file: &ClassFile<'_>) -> bool {
    let pool = file.pool();
    (1..pool.len()).filter_map(|i| pool.class_name(i).ok()).any(|name| {
        name.starts_with(b"io/btrace/")
            && !name.starts_with(b"io/btrace/core/annotations/")
            && !name.starts_with(b"io/btrace/core/types/")
            && name != file.this_name()
    })
}

fn short_name(annotation: &Annotation) -> Option<&str> {
    annotation.type_descriptor.strip_prefix(ANNOTATIONS)?.strip_suffix(';')
}

struct Reader<'a> {
    class: &'a str,
}

impl Reader<'_> {
    fn handler(&self, method: &Member<'_>) -> Result<Option<Handler>, Error> {
        let name = method.name_str().unwrap_or_default();
        let mut on_method = None;
        for annotation in method.annotations()? {
            match short_name(&annotation) {
                Some("OnMethod") => on_method = Some(annotation),
                Some(other) => return Err(self.unsupported(name, "an annotation", &format!("@{other}"))),
                None => {}
            }
        }
        let Some(on_method) = on_method else { return Ok(None) };
        let text = |key: &str| on_method.element(key).and_then(ElementValue::as_str).unwrap_or_default();
        let location = on_method.element("location").and_then(ElementValue::as_annotation);
        let kind = self.kind(name, location)?;
        if on_method.element("enableAt").and_then(ElementValue::as_annotation).is_some_and(|l| !l.elements.is_empty()) {
            return Err(self.unsupported(name, "a level", "enableAt"));
        }
        let class = self.pattern(name, text("clazz"))?;
        let target = match text("method") {
            // The documented short form: the handler is called like the method.
            "" => Pattern::Exact(name.to_owned()),
            pattern => self.pattern(name, pattern)?,
        };
        if let Pattern::Exact(class) = &class
            && crate::is_refused(class.replace('.', "/").as_bytes())
        {
            return Err(Error::Refused {
                class: self.class.to_owned(),
                handler: name.to_owned(),
                target: class.clone(),
            });
        }
        let declared = method.descriptor_str().unwrap_or_default();
        let parsed = descriptor::method(declared)?;
        if method.access & access::STATIC == 0 || parsed.result.is_some() {
            return Err(self.invalid(name, "a handler is a static method that returns nothing"));
        }
        let parameters = self.parameters(name, method, kind)?;
        Ok(Some(Handler {
            method: name.to_owned(),
            descriptor: declared.replace(ANY, OBJECT),
            kind,
            class,
            target,
            type_constraint: text("type").split_whitespace().collect(),
            exact: on_method.element("exactTypeMatch").and_then(ElementValue::as_bool).unwrap_or(false),
            parameters,
        }))
    }

    fn kind(&self, handler: &str, location: Option<&Annotation>) -> Result<Kind, Error> {
        let Some(location) = location else { return Ok(Kind::Entry) };
        for (key, value) in &location.elements {
            if key != "value" && key != "where" && value.as_str() != Some("") && value.as_i64() != Some(0) {
                return Err(self.unsupported(handler, "a location filter", key));
            }
        }
        match location.element("value").and_then(ElementValue::as_enum).unwrap_or("ENTRY") {
            "ENTRY" => Ok(Kind::Entry),
            "RETURN" => Ok(Kind::Return),
            "ERROR" => Ok(Kind::Error),
            other => Err(self.unsupported(handler, "the location kind", other)),
        }
    }

    fn pattern(&self, handler: &str, text: &str) -> Result<Pattern, Error> {
        if text.contains("${") {
            return Err(self.unsupported(handler, "a script argument in a pattern", text));
        }
        if let Some(regex) = text.strip_prefix('/').and_then(|t| t.strip_suffix('/')) {
            crate::matcher::compile(regex).map_err(|source| Error::Pattern {
                class: self.class.to_owned(),
                handler: handler.to_owned(),
                pattern: regex.to_owned(),
                source: Box::new(source),
            })?;
            return Ok(Pattern::Regex(regex.to_owned()));
        }
        match text.as_bytes().first() {
            None => Err(self.invalid(handler, "`clazz` is empty")),
            Some(b'@') => Err(self.unsupported(handler, "an annotation pattern", text)),
            Some(b'+') => Err(self.unsupported(handler, "a subtype pattern", text)),
            Some(_) => Ok(Pattern::Exact(text.to_owned())),
        }
    }

    fn parameters(&self, handler: &str, method: &Member<'_>, kind: Kind) -> Result<Vec<Parameter>, Error> {
        let parsed = descriptor::method(method.descriptor_str().unwrap_or_default())?;
        let annotations = method.parameter_annotations()?;
        let mut list = Vec::with_capacity(parsed.parameters.len());
        for (i, parameter) in parsed.parameters.iter().enumerate() {
            let mut special = None;
            for annotation in annotations.get(i).into_iter().flatten() {
                if let Some(name) = short_name(annotation) {
                    let value = self.special(handler, annotation, name, parameter.descriptor, kind)?;
                    if special.replace(value).is_some() {
                        return Err(self.invalid(handler, &format!("parameter {} has two meanings", i + 1)));
                    }
                }
            }
            list.push(match special {
                Some(special) => special,
                None if parameter.descriptor == ANY_ARRAY => Parameter::AllArguments,
                None => Parameter::Argument(value_type(parameter.descriptor)),
            });
        }
        let collecting = list.iter().filter(|p| **p == Parameter::AllArguments).count();
        let plain = list.iter().filter(|p| matches!(p, Parameter::Argument(_))).count();
        if collecting > 1 || collecting == 1 && plain > 0 {
            return Err(self.invalid(handler, "`AnyType[]` takes all arguments and stands alone"));
        }
        Ok(list)
    }

    fn special(
        &self,
        handler: &str,
        annotation: &Annotation,
        name: &str,
        declared: &str,
        kind: Kind,
    ) -> Result<Parameter, Error> {
        let only = |allowed: bool, kinds: &str| {
            if allowed { Ok(()) } else { Err(self.invalid(handler, &format!("`@{name}` is legal on {kinds} only"))) }
        };
        let typed = |fits: bool, wanted: &str| {
            if fits { Ok(()) } else { Err(self.invalid(handler, &format!("`@{name}` takes a `{wanted}`"))) }
        };
        match name {
            "Self" => {
                typed(declared.starts_with('L'), "Object")?;
                Ok(Parameter::This)
            }
            "Return" => {
                only(kind == Kind::Return, "RETURN")?;
                Ok(Parameter::Return(value_type(declared)))
            }
            "Duration" => {
                only(kind != Kind::Entry, "RETURN and ERROR")?;
                typed(declared == "J", "long")?;
                Ok(Parameter::Duration)
            }
            "TargetInstance" => {
                only(kind == Kind::Error, "ERROR")?;
                typed(declared == "Ljava/lang/Throwable;" || declared == OBJECT || declared == ANY, "Throwable")?;
                Ok(Parameter::Thrown)
            }
            "ProbeClassName" => {
                typed(declared == "Ljava/lang/String;", "String")?;
                Ok(Parameter::ClassName)
            }
            "ProbeMethodName" => {
                typed(declared == "Ljava/lang/String;", "String")?;
                let full = annotation.element("fqn").and_then(ElementValue::as_bool).unwrap_or(false);
                Ok(Parameter::MethodName { full })
            }
            other => Err(self.unsupported(handler, "a parameter annotation", &format!("@{other}"))),
        }
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
        if let Some(mode) = annotation.element("mode").and_then(ElementValue::as_enum)
            && mode == "SHIM"
        {
            return Err(self.unsupported(name, "an injection mode", mode));
        }
        Ok(Some(Injected {
            field: name.to_owned(),
            service: service.replace('/', "."),
            optional: annotation.element("optional").and_then(ElementValue::as_bool).unwrap_or(false),
        }))
    }

    fn unsupported(&self, handler: &str, what: &'static str, value: &str) -> Error {
        Error::Unsupported { class: self.class.to_owned(), handler: handler.to_owned(), what, value: value.to_owned() }
    }

    fn invalid(&self, handler: &str, reason: &str) -> Error {
        Error::Handler { class: self.class.to_owned(), handler: handler.to_owned(), reason: reason.to_owned() }
    }
}

fn value_type(declared: &str) -> ValueType {
    if declared == ANY { ValueType::Any } else { ValueType::Type(declared.to_owned()) }
}
