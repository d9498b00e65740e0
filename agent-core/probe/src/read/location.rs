//! `@Location`, `@Level` and `@Sampled` of a handler.

use super::Reader;
use super::pattern::{signature, type_name};
use crate::error::Error;
use crate::kind::{Feature, Kind, Where, is_legal, legal_places};
use crate::level::{Levels, Sampling};
use crate::model::Location;
use classfile::{Annotation, ElementValue};

impl Reader<'_> {
    pub(super) fn location(&self, handler: &str, annotation: Option<&Annotation>) -> Result<Location, Error> {
        let Some(annotation) = annotation else { return Ok(Location::new(Kind::Entry)) };
        let constant = |key| annotation.element(key).and_then(ElementValue::as_enum);
        let name = constant("value").unwrap_or("ENTRY");
        let kind = Kind::named(name).ok_or_else(|| self.unsupported(handler, "the location kind", name))?;
        let place = match constant("where") {
            None | Some("BEFORE") => Where::Before,
            Some("AFTER") => Where::After,
            Some(other) => return Err(self.unsupported(handler, "the side", other)),
        };
        if place == Where::After && !is_legal(Feature::After, kind, place) {
            return Err(self.invalid(handler, &format!("{kind} has no `where = AFTER`")));
        }
        let mut location = Location { place, ..Location::new(kind) };
        for (key, value) in &annotation.elements {
            let text = &*self.filled(handler, value.as_str().unwrap_or_default())?;
            let feature = match key.as_str() {
                "value" | "where" => continue,
                "clazz" => Feature::Clazz,
                "method" => Feature::Method,
                "field" => Feature::Field,
                "type" => Feature::Type,
                "line" => Feature::Line,
                other => return Err(self.unsupported(handler, "a location filter", other)),
            };
            // What is written out may still be the default.
            if text.is_empty() && value.as_i64().unwrap_or(0) == 0 {
                continue;
            }
            if !is_legal(feature, kind, place) {
                let reason =
                    format!("`{key}` in `@Location` is legal on {} only, not on {kind}", legal_places(feature));
                return Err(self.invalid(handler, &reason));
            }
            match feature {
                Feature::Clazz => {
                    if text.starts_with(['@', '+']) {
                        return Err(self.unsupported(handler, "in `@Location` a pattern", text));
                    }
                    location.class = Some(self.type_pattern(handler, text)?);
                }
                Feature::Method | Feature::Field => {
                    location.member = Some(self.name(handler, text, "the name is empty")?);
                }
                Feature::Type => {
                    let (normal, wanted) = if kind == Kind::Call {
                        (signature(text), "a signature such as `void (java.lang.String, int)`")
                    } else {
                        (type_name(text), "a type such as `java.lang.String[]`")
                    };
                    location.type_constraint =
                        normal.ok_or_else(|| self.invalid(handler, &format!("`type` is not {wanted}: `{text}`")))?;
                }
                _ => {
                    let line = value.as_i64().unwrap_or(0);
                    if line != -1 {
                        let line = u16::try_from(line).map_err(|_| {
                            self.invalid(handler, &format!("`line` is a number from 1 to 65535, or -1: {line}"))
                        })?;
                        location.line = Some(line);
                    }
                }
            }
        }
        let all_lines = annotation.element("line").and_then(ElementValue::as_i64) == Some(-1);
        if kind == Kind::Line && location.line.is_none() && !all_lines {
            return Err(self.invalid(handler, "LINE needs the `line`, or -1 for every line"));
        }
        Ok(location)
    }

    pub(super) fn levels(&self, handler: &str, annotation: Option<&Annotation>) -> Result<Levels, Error> {
        let text = annotation.and_then(|a| a.element("value")).and_then(ElementValue::as_str).unwrap_or_default();
        Levels::parse(text)
            .map_err(|reason| self.invalid(handler, &format!("`enableAt` is no range of levels, {reason}: `{text}`")))
    }

    pub(super) fn sampling(
        &self,
        handler: &str,
        annotation: Option<&Annotation>,
        location: &Location,
    ) -> Result<Option<Sampling>, Error> {
        let Some(annotation) = annotation else { return Ok(None) };
        if !is_legal(Feature::Sampled, location.kind, location.place) {
            let reason = format!("`@Sampled` is legal on {} only", legal_places(Feature::Sampled));
            return Err(self.invalid(handler, &reason));
        }
        let kind = annotation.element("kind").and_then(ElementValue::as_enum).unwrap_or("Const");
        let mean = annotation.element("mean").and_then(ElementValue::as_i64);
        Sampling::new(kind, mean.unwrap_or_else(|| Sampling::DEFAULT_MEAN.into()))
            .map_err(|reason| self.invalid(handler, &reason))
    }
}
