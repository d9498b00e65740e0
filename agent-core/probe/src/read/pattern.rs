//! Patterns and type constraints as probes write them.

use super::Reader;
use crate::error::Error;
use crate::model::{ClassPattern, MethodPattern, Pattern};
use std::borrow::Cow;

impl Reader<'_> {
    /// A text with the values of parameters where it names them.
    pub(super) fn filled<'t>(&self, handler: &str, text: &'t str) -> Result<Cow<'t, str>, Error> {
        let mut filled = Cow::Borrowed("");
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                return Err(self.invalid(handler, &format!("`{text}` has no closing brace")));
            };
            let value = self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            let value = value.ok_or_else(|| Error::Parameter {
                class: self.class.to_owned(),
                handler: handler.to_owned(),
                name: name.to_owned(),
            })?;
            filled.to_mut().extend([before, value.as_str()]);
            rest = after;
        }
        if filled.is_empty() {
            return Ok(Cow::Borrowed(rest));
        }
        filled.to_mut().push_str(rest);
        Ok(filled)
    }

    pub(super) fn class_pattern(&self, handler: &str, text: &str) -> Result<ClassPattern, Error> {
        if text.is_empty() {
            return Err(self.invalid(handler, "`clazz` is empty"));
        }
        if let Some(name) = text.strip_prefix('@') {
            return Ok(ClassPattern::Annotated(self.name(handler, name, "`clazz` names no annotation")?));
        }
        if let Some(name) = text.strip_prefix('+') {
            return match self.name(handler, name, "`clazz` names no type")? {
                Pattern::Exact(name) => Ok(ClassPattern::Subtype(name)),
                Pattern::Regex(_) => Err(self.invalid(handler, "`+` takes the name of one type, no expression")),
            };
        }
        Ok(ClassPattern::Name(self.name(handler, text, "`clazz` is empty")?))
    }

    pub(super) fn method_pattern(&self, handler: &str, text: &str) -> Result<MethodPattern, Error> {
        if text.is_empty() {
            // The documented short form: the handler is called like the method.
            return Ok(MethodPattern::Name(Pattern::Exact(handler.to_owned())));
        }
        if let Some(name) = text.strip_prefix('@') {
            return Ok(MethodPattern::Annotated(self.name(handler, name, "`method` names no annotation")?));
        }
        Ok(MethodPattern::Name(self.name(handler, text, "`method` is empty")?))
    }

    /// A type as Java names it, arrays included, or `/regex/`.
    pub(super) fn type_pattern(&self, handler: &str, text: &str) -> Result<Pattern, Error> {
        match text.split_once("[]") {
            Some(_) if type_name(text).as_deref() == Some(text) => Ok(Pattern::Exact(text.to_owned())),
            _ => self.name(handler, text, "`clazz` is empty"),
        }
    }

    /// A name or `/regex/`; `empty` is the reason to refuse a missing one.
    pub(super) fn name(&self, handler: &str, text: &str, empty: &str) -> Result<Pattern, Error> {
        if text.is_empty() {
            return Err(self.invalid(handler, empty));
        }
        if let Some(regex) = text.strip_prefix('/') {
            let Some(regex) = regex.strip_suffix('/') else {
                return Err(self.invalid(handler, &format!("the expression `{text}` has no closing slash")));
            };
            crate::matcher::compile(regex).map_err(|source| Error::Pattern {
                class: self.class.to_owned(),
                handler: handler.to_owned(),
                pattern: regex.to_owned(),
                source: Box::new(source),
            })?;
            return Ok(Pattern::Regex(regex.to_owned()));
        }
        // No JVM has such a name, or it was meant as something else; an expression still matches it. Kotlin has names with blanks.
        if text.contains(['/', ';', '[', '*', '(']) || text.starts_with(['@', '+']) {
            return Err(self.invalid(handler, &format!("`{text}` is neither a name nor a `/regex/`")));
        }
        Ok(Pattern::Exact(text.to_owned()))
    }
}

/// A signature such as `void (java.lang.String, int)`, without its blanks.
pub(super) fn signature(text: &str) -> Option<String> {
    let text: String = text.split_whitespace().collect();
    let (result, parameters) = text.strip_suffix(')')?.split_once('(')?;
    let sound = is_type(result) && (parameters.is_empty() || parameters.split(',').all(|p| p != "void" && is_type(p)));
    sound.then_some(text)
}

/// A type such as `int` or `java.lang.String[]`, without its blanks.
pub(super) fn type_name(text: &str) -> Option<String> {
    let text: String = text.split_whitespace().collect();
    (text != "void" && is_type(&text)).then_some(text)
}

fn is_type(text: &str) -> bool {
    let mut element = text;
    while let Some(shorter) = element.strip_suffix("[]") {
        element = shorter;
    }
    element
        .split('.')
        .all(|part| !part.is_empty() && !part.contains(['[', ']', '(', ')', ',', ';', '/', '<', '>', ':']))
}

#[cfg(test)]
mod tests {
    use super::{signature, type_name};

    #[test]
    fn signatures_are_checked() {
        for (text, normal) in [
            ("void ()", "void()"),
            ("void (java.lang.String, int)", "void(java.lang.String,int)"),
            ("int[] (a.B$C[][],long)", "int[](a.B$C[][],long)"),
        ] {
            assert_eq!(signature(text).as_deref(), Some(normal));
        }
        for text in
            ["", "void", "()", "void(int", "void (int,)", "void (void)", "void (List<String>)", "(I)V", "a..b()"]
        {
            assert_eq!(signature(text), None, "{text}");
        }
        assert_eq!(type_name("java.lang.String []").as_deref(), Some("java.lang.String[]"));
        for text in ["", "void", "[I", "Ljava/lang/String;", "int()", "[]"] {
            assert_eq!(type_name(text), None, "{text}");
        }
    }
}
