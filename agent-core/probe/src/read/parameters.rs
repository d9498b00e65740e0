//! The parameters of a handler.

use super::shape::{self, Slot};
use super::{ANY, ANY_ARRAY, OBJECT, Reader, short_name};
use crate::error::Error;
use crate::kind::{Feature, Kind, is_legal, legal_places};
use crate::model::{Location, Parameter, ValueType};
use classfile::{Annotation, ElementValue, Member, descriptor};

const STRING: &str = "Ljava/lang/String;";
const THROWABLE: &str = "Ljava/lang/Throwable;";

impl Reader<'_> {
    pub(super) fn parameters(
        &self,
        handler: &str,
        method: &Member<'_>,
        location: &Location,
        exact: bool,
    ) -> Result<Vec<Parameter>, Error> {
        let parsed = descriptor::method(method.descriptor_str().unwrap_or_default())?;
        let annotations = method.parameter_annotations()?;
        let mut list = Vec::with_capacity(parsed.parameters.len());
        for (i, parameter) in parsed.parameters.iter().enumerate() {
            let mut special = None;
            for annotation in annotations.get(i).into_iter().flatten() {
                if let Some(name) = short_name(annotation) {
                    let value = self.special(handler, annotation, name, parameter.descriptor, location)?;
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
        self.plain(handler, &list, location.kind, exact)?;
        Ok(list)
    }

    /// Checks plain parameters as far as the kind alone tells what they receive.
    fn plain(&self, handler: &str, list: &[Parameter], kind: Kind, exact: bool) -> Result<(), Error> {
        let collecting = list.iter().filter(|p| **p == Parameter::AllArguments).count();
        let plain: Vec<&ValueType> =
            list.iter().filter_map(|p| if let Parameter::Argument(t) = p { Some(t) } else { None }).collect();
        if collecting > 1 || collecting == 1 && !plain.is_empty() {
            return Err(self.invalid(handler, "`AnyType[]` takes all arguments and stands alone"));
        }
        match shape::plain(kind) {
            Some((forms, text)) if !shape::fits_one(&plain, forms, exact) => {
                Err(self.invalid(handler, &format!("plain parameters of {kind} are: {text}")))
            }
            _ => Ok(()),
        }
    }

    fn special(
        &self,
        handler: &str,
        annotation: &Annotation,
        name: &str,
        declared: &str,
        location: &Location,
    ) -> Result<Parameter, Error> {
        let legal = |feature| {
            if is_legal(feature, location.kind, location.place) {
                Ok(())
            } else {
                Err(self.invalid(handler, &format!("`@{name}` is legal on {} only", legal_places(feature))))
            }
        };
        let typed = |fits: bool, wanted: &str| {
            if fits { Ok(()) } else { Err(self.invalid(handler, &format!("`@{name}` takes a `{wanted}`"))) }
        };
        let can = |slot| shape::fits(slot, &value_type(declared), false);
        let is_full = || annotation.element("fqn").and_then(ElementValue::as_bool).unwrap_or(false);
        match name {
            "Self" => {
                typed(declared.starts_with('L'), "Object")?;
                Ok(Parameter::This(value_type(declared)))
            }
            "Return" => {
                legal(Feature::Return)?;
                match location.kind {
                    Kind::ArrayGet => typed(can(Slot::Element), "primitive but boolean, or Object")?,
                    Kind::New | Kind::NewArray => typed(can(Slot::Reference), "reference")?,
                    _ => {}
                }
                Ok(Parameter::Return(value_type(declared)))
            }
            "Duration" => {
                legal(Feature::Duration)?;
                typed(declared == "J", "long")?;
                Ok(Parameter::Duration)
            }
            "TargetInstance" => {
                legal(Feature::TargetInstance)?;
                match location.kind {
                    // All that is known of the value before the program runs.
                    Kind::Error | Kind::Throw => typed(can(Slot::Type(THROWABLE)), "Throwable")?,
                    Kind::CheckCast | Kind::InstanceOf | Kind::SyncEntry | Kind::SyncExit => {
                        typed(can(Slot::Type(OBJECT)), "Object")?;
                    }
                    Kind::ArrayGet | Kind::ArraySet => {
                        typed(can(Slot::Array), "Object, Object[] or an array of primitives but boolean")?;
                    }
                    _ => typed(can(Slot::Reference), "reference")?,
                }
                Ok(Parameter::Target(value_type(declared)))
            }
            "TargetMethodOrField" => {
                legal(Feature::TargetMethodOrField)?;
                typed(declared == STRING, "String")?;
                Ok(Parameter::TargetName { full: is_full() })
            }
            "ProbeClassName" => {
                typed(declared == STRING, "String")?;
                Ok(Parameter::ClassName)
            }
            "ProbeMethodName" => {
                typed(declared == STRING, "String")?;
                Ok(Parameter::MethodName { full: is_full() })
            }
            other => Err(self.unsupported(handler, "a parameter annotation", &format!("@{other}"))),
        }
    }
}

fn value_type(declared: &str) -> ValueType {
    if declared == ANY { ValueType::Any } else { ValueType::Type(declared.to_owned()) }
}
