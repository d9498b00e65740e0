//! Whether a handler fits a place, and what its call passes.

mod place;
mod text;

pub(crate) use place::Place;
pub(crate) use text::{dotted, signature, type_text};

use crate::hierarchy::{Fit, Types};
use crate::model::{Handler, Parameter, ValueType};
use crate::weaving::{MethodInfo, Source};
use classfile::access;
use std::borrow::Cow;

/// A value: the descriptor of its type, and where a call takes it from.
pub(crate) type Value<'a> = (Cow<'a, str>, Source);

/// The two types whose relation is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnknownTypes {
    pub(crate) given: String,
    pub(crate) wanted: String,
}

/// What the call of a handler passes, `None` if it does not fit.
///
/// # Errors
/// That cannot be said without knowing more about two types.
pub(crate) fn sources(
    handler: &Handler,
    method: &MethodInfo<'_>,
    place: &Place<'_>,
    types: Types<'_>,
) -> Result<Option<Vec<Source>>, UnknownTypes> {
    let takes = |wanted: &ValueType, given: &str, exact: bool| match types.takes(wanted, given, exact) {
        Fit::Yes => Ok(true),
        // The verifier knows that every exception is one, whatever is known of its class here.
        Fit::Unknown if place.is_thrown && !exact && *wanted == ValueType::Type(place::THROWABLE.to_owned()) => {
            Ok(true)
        }
        Fit::No => Ok(false),
        Fit::Unknown => {
            let ValueType::Type(wanted) = wanted else { return Ok(true) };
            Err(UnknownTypes { given: given.to_owned(), wanted: wanted.clone() })
        }
    };
    let fits = |wanted: &ValueType, given: &str| takes(wanted, given, handler.exact);
    let wanted: Vec<&ValueType> =
        handler.parameters.iter().filter_map(|p| if let Parameter::Argument(t) = p { Some(t) } else { None }).collect();
    // A handler without plain parameters takes places with any values.
    let mut plain: &[Value<'_>] = &[];
    if !wanted.is_empty() {
        let Some(form) = first_form(&wanted, &place.plain, fits)? else { return Ok(None) };
        plain = form;
    }
    let mut next = plain.iter();
    let mut list = Vec::with_capacity(handler.parameters.len());
    for parameter in &handler.parameters {
        match parameter {
            Parameter::This(_) if method.access & access::STATIC != 0 => list.push(Source::Null),
            Parameter::This(wanted) => {
                if !takes(wanted, &format!("L{};", types.own.name), false)? {
                    return Ok(None);
                }
                list.push(Source::This);
            }
            Parameter::Argument(_) => list.extend(next.next().map(|(_, source)| source.clone())),
            Parameter::AllArguments => list.extend(place.all.iter().map(|(_, source)| source.clone())),
            Parameter::Return(wanted) => {
                let Some((given, source)) = &place.result else { return Ok(None) };
                let fit = match given {
                    // `void` is a null that only a handler for everything takes.
                    None => *wanted == ValueType::Any,
                    Some(given) => fits(wanted, given)?,
                };
                if !fit {
                    return Ok(None);
                }
                list.push(source.clone());
            }
            Parameter::Duration => list.push(Source::Duration),
            Parameter::Target(wanted) => {
                let Some((given, source)) = &place.target else { return Ok(None) };
                if !takes(wanted, given, false)? {
                    return Ok(None);
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
    Ok(Some(list))
}

/// The first list of values that fits the plain parameters.
fn first_form<'p, 'a>(
    wanted: &[&ValueType],
    forms: &'p [Vec<Value<'a>>],
    fits: impl Fn(&ValueType, &str) -> Result<bool, UnknownTypes>,
) -> Result<Option<&'p [Value<'a>]>, UnknownTypes> {
    'forms: for form in forms {
        if form.len() != wanted.len() {
            continue;
        }
        let mut unknown = None;
        for (wanted, (given, _)) in wanted.iter().zip(form) {
            match fits(wanted, given) {
                Ok(true) => {}
                Ok(false) => continue 'forms,
                // Another parameter may still say no.
                Err(types) => unknown = Some(types),
            }
        }
        return match unknown {
            None => Ok(Some(form)),
            Some(types) => Err(types),
        };
    }
    Ok(None)
}
