//! What the probes of an extension are to be woven into.

use std::collections::BTreeSet;

use classfile::{Annotation, ClassFile, ElementValue};

use super::demand::{Demand, Kind, Reach, Sort, What};
use super::references::text;
use super::{Area, PatternError};

const ON_METHOD: &str = "/OnMethod;";

/// Adds the patterns of the handlers in `file`.
///
/// # Errors
/// A pattern is no regular expression.
pub(super) fn add(file: &ClassFile<'_>, area: &Area, demands: &mut BTreeSet<Demand>) -> Result<(), PatternError> {
    let this = text(file.this_name()).replace('/', ".");
    for method in file.methods() {
        let Ok(annotations) = method.annotations() else { continue };
        let name = text(method.name);
        let place = format!("{this}.{name}");
        for annotation in annotations.iter().filter(|annotation| annotation.type_descriptor.ends_with(ON_METHOD)) {
            let clazz = element(annotation, "clazz");
            // The documented short form: the handler is called like the method.
            let method =
                Some(element(annotation, "method")).filter(|text| !text.is_empty()).unwrap_or_else(|| name.clone());
            let signature: String = element(annotation, "type").split_whitespace().collect();
            one(&place, &clazz, &method, &signature, true, area, demands)?;
            if let Some(location) = annotation.element("location").and_then(ElementValue::as_annotation) {
                // What is called, read, made or caught inside of the method.
                let clazz = element(location, "clazz");
                let method = element(location, "method");
                if !clazz.is_empty() {
                    one(&place, &clazz, &method, "", false, area, demands)?;
                }
                let field = element(location, "field");
                if !clazz.is_empty() && !field.is_empty() && is_name(&clazz) && is_name(&field) {
                    member(&place, &clazz, Sort::Field, field, area, demands);
                }
            }
        }
    }
    Ok(())
}

fn one(
    place: &str,
    clazz: &str,
    method: &str,
    signature: &str,
    declared: bool,
    area: &Area,
    demands: &mut BTreeSet<Demand>,
) -> Result<(), PatternError> {
    for pattern in [clazz, method] {
        if let Some(regex) = regex_of(pattern) {
            probe::NamePattern::new(regex).map_err(|reason| PatternError {
                place: place.to_owned(),
                pattern: pattern.to_owned(),
                reason,
            })?;
        }
    }
    let exact = clazz.strip_prefix('+').unwrap_or(clazz);
    if is_name(exact) && !area.has(&exact.replace('.', "/")) || area.ignores(clazz) {
        return Ok(());
    }
    if is_name(clazz) && !declared && is_name(method) {
        member(place, clazz, Sort::Method, method.to_owned(), area, demands);
        return Ok(());
    }
    let (class, method) = (clazz.to_owned(), method.to_owned());
    let what = What::Matches { class, method, signature: signature.to_owned() };
    demands.insert(Demand { what, kind: Kind::Pattern, place: place.to_owned(), optional: false });
    Ok(())
}

fn member(place: &str, class: &str, sort: Sort, name: String, area: &Area, demands: &mut BTreeSet<Demand>) {
    let class = class.replace('.', "/");
    if area.has(&class) {
        let (reach, declared_here) = (Reach::Declared, name == "<init>");
        let what = What::Member {
            class,
            sort,
            name,
            descriptor: None,
            is_static: None,
            is_interface: None,
            reach,
            declared_here,
        };
        demands.insert(Demand { what, kind: Kind::Pattern, place: place.to_owned(), optional: false });
    }
}

fn element(annotation: &Annotation, name: &str) -> String {
    annotation.element(name).and_then(ElementValue::as_str).unwrap_or_default().trim().to_owned()
}

/// What stands between the slashes of a regular expression.
pub(super) fn regex_of(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'))
}

/// Whether a pattern is a plain name.
pub(super) fn is_name(pattern: &str) -> bool {
    !pattern.is_empty() && !pattern.starts_with(['/', '@', '+']) && !pattern.contains("${")
}
