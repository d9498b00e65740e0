//! Whether a handler fits a place, and what its call passes.

mod place;
mod text;

pub(crate) use place::Place;
pub(crate) use text::{dotted, signature, type_text};

use crate::condition::Condition;
use crate::hierarchy::{Fit, Types};
use crate::model::{Handler, Parameter, ValueType};
use crate::weaving::{MethodInfo, Source};
use classfile::access;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A value: the descriptor of its type, and where a call takes it from.
pub(crate) type Value<'a> = (Cow<'a, str>, Source);

/// The call of a handler that fits, or may fit.
#[derive(Debug)]
pub(crate) struct Fitting {
    /// What it passes.
    pub(crate) sources: Vec<Source>,
    /// What has to hold for it to fit.
    pub(crate) conditions: Vec<Condition>,
}

/// The call of a handler, `None` if it does not fit.
pub(crate) fn sources(
    handler: &Handler,
    method: &MethodInfo<'_>,
    place: &Place<'_>,
    types: Types<'_>,
) -> Option<Fitting> {
    let takes = |wanted: &ValueType, given: &str, exact: bool| match types.takes(wanted, given, exact) {
        // The verifier knows that every exception is one, whatever is known of its class here.
        Fit::If(_) if place.is_thrown && !exact && *wanted == ValueType::Type(place::THROWABLE.to_owned()) => Fit::Yes,
        fit => fit,
    };
    let fits = |wanted: &ValueType, given: &str| takes(wanted, given, handler.exact);
    let mut conditions = BTreeSet::new();
    let mut holds = |fit: Fit| match fit {
        Fit::Yes => true,
        Fit::No => false,
        Fit::If(condition) => {
            conditions.insert(condition);
            true
        }
    };
    let wanted: Vec<&ValueType> =
        handler.parameters.iter().filter_map(|p| if let Parameter::Argument(t) = p { Some(t) } else { None }).collect();
    // A handler without plain parameters takes places with any values.
    let mut plain: &[Value<'_>] = &[];
    if !wanted.is_empty() {
        let (form, fits) = first_form(&wanted, place.forms(), fits)?;
        for fit in fits {
            holds(fit);
        }
        plain = form;
    }
    let mut next = plain.iter();
    let mut list = Vec::with_capacity(handler.parameters.len());
    for parameter in &handler.parameters {
        match parameter {
            Parameter::This(_) if method.access & access::STATIC != 0 => list.push(Source::Null),
            Parameter::This(wanted) => {
                if !holds(takes(wanted, &format!("L{};", types.own.name), false)) {
                    return None;
                }
                list.push(Source::This);
            }
            Parameter::Argument(_) => list.extend(next.next().map(|(_, source)| source.clone())),
            Parameter::AllArguments => list.extend(place.all.iter().map(|(_, source)| source.clone())),
            Parameter::Return(wanted) => {
                let (given, source) = place.result.as_ref()?;
                let fit = match given {
                    // `void` is a null that only a handler for everything takes.
                    None => *wanted == ValueType::Any,
                    Some(given) => holds(fits(wanted, given)),
                };
                if !fit {
                    return None;
                }
                list.push(source.clone());
            }
            Parameter::Duration => list.push(Source::Duration),
            Parameter::Target(wanted) => {
                let (given, source) = place.target.as_ref()?;
                if !holds(takes(wanted, given, false)) {
                    return None;
                }
                list.push(source.clone());
            }
            Parameter::TargetName { full } => list.push(Source::Text(place.name(*full))),
            Parameter::ClassName => list.push(Source::Text(types.own.name.replace('/', "."))),
            Parameter::MethodName { full: false } => list.push(Source::Text(method.name.to_owned())),
            Parameter::MethodName { full: true } => {
                list.push(Source::Text(text::method(&types.own.name, method.name, method.descriptor)));
            }
        }
    }
    Some(Fitting { sources: list, conditions: conditions.into_iter().collect() })
}

/// The first list of values that fits the plain parameters, or may fit, and how each one does.
fn first_form<'p, 'a>(
    wanted: &[&ValueType],
    forms: impl Iterator<Item = &'p [Value<'a>]>,
    fits: impl Fn(&ValueType, &str) -> Fit,
) -> Option<(&'p [Value<'a>], Vec<Fit>)> {
    forms.filter(|form| form.len() == wanted.len()).find_map(|form| {
        let fits: Vec<Fit> = wanted.iter().zip(form).map(|(wanted, (given, _))| fits(wanted, given)).collect();
        (!fits.contains(&Fit::No)).then_some((form, fits))
    })
}
