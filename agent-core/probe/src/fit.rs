//! Whether a handler fits a method, and what its call passes.

use crate::model::{Handler, Parameter, ValueType};
use classfile::access;
use classfile::descriptor::{self, FieldType, MethodType};
use classfile::weave::{MethodInfo, Source};

/// What a call of the handler at this method passes, or `None` if it does not fit.
pub(crate) fn sources(handler: &Handler, method: &MethodInfo<'_>) -> Option<Vec<Source>> {
    // A pattern that also covers methods without a body means those that have one.
    if method.access & (access::ABSTRACT | access::NATIVE) != 0 {
        return None;
    }
    let parsed = descriptor::method(method.descriptor).ok()?;
    if !handler.type_constraint.is_empty() && signature(&parsed) != handler.type_constraint {
        return None;
    }
    if !arguments_fit(handler, &parsed) {
        return None;
    }
    let mut next = 0_u16;
    let mut list = Vec::with_capacity(handler.parameters.len());
    for parameter in &handler.parameters {
        match parameter {
            Parameter::This => list.push(if method.access & access::STATIC == 0 { Source::This } else { Source::Null }),
            Parameter::Argument(_) => {
                list.push(Source::Argument(next));
                next += 1;
            }
            Parameter::AllArguments => {
                list.extend((0..parsed.parameters.len()).map(|i| Source::Argument(i as u16)));
            }
            Parameter::Return(wanted) => {
                match (&parsed.result, wanted) {
                    (None, ValueType::Any) => {}
                    (None, ValueType::Type(_)) => return None,
                    (Some(result), wanted) => {
                        if !takes(wanted, result, handler.exact) {
                            return None;
                        }
                    }
                }
                list.push(Source::Return);
            }
            Parameter::Duration => list.push(Source::Duration),
            Parameter::Thrown => list.push(Source::Thrown),
            Parameter::ClassName => {
                list.push(Source::Text(method.class.this_str().unwrap_or_default().replace('/', ".")));
            }
            Parameter::MethodName { full: false } => list.push(Source::Text(method.name.to_owned())),
            Parameter::MethodName { full: true } => list.push(Source::Text(full_name(method, &parsed))),
        }
    }
    Some(list)
}

fn arguments_fit(handler: &Handler, method: &MethodType<'_>) -> bool {
    if handler.collecting().is_some() {
        return true;
    }
    let wanted: Vec<&ValueType> =
        handler.parameters.iter().filter_map(|p| if let Parameter::Argument(t) = p { Some(t) } else { None }).collect();
    // A handler without plain parameters takes methods with any arguments.
    wanted.is_empty()
        || wanted.len() == method.parameters.len()
            && wanted.iter().zip(&method.parameters).all(|(w, given)| takes(w, given, handler.exact))
}

/// Whether a value of the given type fits; references fit `Object` unless the match is exact.
fn takes(wanted: &ValueType, given: &FieldType<'_>, exact: bool) -> bool {
    match wanted {
        ValueType::Any => true,
        ValueType::Type(t) => {
            t == given.descriptor || !exact && t == "Ljava/lang/Object;" && !given.kind.is_primitive()
        }
    }
}

/// `void(java.lang.String,int)`
fn signature(method: &MethodType<'_>) -> String {
    let result = method.result.as_ref().map_or_else(|| "void".to_owned(), FieldType::java_name);
    let parameters: Vec<String> = method.parameters.iter().map(FieldType::java_name).collect();
    format!("{result}({})", parameters.join(","))
}

/// `void com.acme.Orders#place(java.lang.String, int)`
fn full_name(method: &MethodInfo<'_>, parsed: &MethodType<'_>) -> String {
    let result = parsed.result.as_ref().map_or_else(|| "void".to_owned(), FieldType::java_name);
    let parameters: Vec<String> = parsed.parameters.iter().map(FieldType::java_name).collect();
    let class = method.class.this_str().unwrap_or_default().replace('/', ".");
    format!("{result} {class}#{}({})", method.name, parameters.join(", "))
}
