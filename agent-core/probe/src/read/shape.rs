//! What kinds pass, as far as that is the same at all their places: a handler that could fit none is refused when it is read.

use crate::hierarchy::{Fit, NoHierarchy, Own, Types};
use crate::kind::Kind;
use crate::model::ValueType;

/// What one parameter can receive.
#[derive(Clone, Copy)]
pub(super) enum Slot {
    /// A value of the type with this descriptor.
    Type(&'static str),
    /// Some reference.
    Reference,
    /// Anything.
    Any,
    /// An element of an array, as instructions name their types.
    Element,
    /// An array, likewise.
    Array,
}

const STRING: Slot = Slot::Type("Ljava/lang/String;");
const INT: Slot = Slot::Type("I");
/// `baload` serves booleans too.
const ELEMENTS: [&str; 8] = ["B", "C", "S", "I", "J", "F", "D", "Ljava/lang/Object;"];
const ARRAYS: [&str; 8] = ["[B", "[C", "[S", "[I", "[J", "[F", "[D", "[Ljava/lang/Object;"];

/// The forms that plain parameters of a handler can have, and how to say so; `None` if that depends on the place.
pub(super) fn plain(kind: Kind) -> Option<(&'static [&'static [Slot]], &'static str)> {
    Some(match kind {
        Kind::Entry | Kind::Return | Kind::Error | Kind::Call => return None,
        Kind::Line => (&[&[INT]], "`int` line"),
        Kind::FieldGet => (&[], "none, `@Return` takes the value"),
        Kind::FieldSet => (&[&[Slot::Any]], "the value"),
        Kind::ArrayGet => (&[&[INT], &[Slot::Array, INT]], "`int` index, or array and index"),
        Kind::ArraySet => (
            &[&[INT, Slot::Element], &[Slot::Array, INT, Slot::Element]],
            "`int` index and value, or array, index and value; a reference is an `Object`, a boolean a `byte`",
        ),
        Kind::CheckCast | Kind::InstanceOf | Kind::New => (&[&[STRING]], "`String` name of the type"),
        Kind::NewArray => (&[&[STRING, INT]], "`String` name of the element type and `int` dimensions"),
        Kind::Throw => (&[&[Slot::Type("Ljava/lang/Throwable;")]], "`Throwable`"),
        Kind::Catch => (&[&[Slot::Reference]], "the exception"),
        Kind::SyncEntry | Kind::SyncExit => (&[&[Slot::Type("Ljava/lang/Object;")]], "`Object` lock"),
    })
}

/// Whether the parameters can have one of the forms.
pub(super) fn fits_one(parameters: &[&ValueType], forms: &[&[Slot]], exact: bool) -> bool {
    parameters.is_empty()
        || forms.iter().any(|form| {
            form.len() == parameters.len() && form.iter().zip(parameters).all(|(slot, p)| fits(*slot, p, exact))
        })
}

/// Whether a parameter can receive what the slot has.
pub(super) fn fits(slot: Slot, parameter: &ValueType, exact: bool) -> bool {
    let own = Own::default();
    let types = Types { own: &own, hierarchy: &NoHierarchy };
    let any_of = |given: &[&str]| given.iter().any(|given| types.takes(parameter, given, exact) != Fit::No);
    match slot {
        Slot::Any => true,
        Slot::Reference => match parameter {
            ValueType::Any => true,
            ValueType::Type(t) => t.starts_with(['L', '[']),
        },
        Slot::Type(given) => any_of(&[given]),
        Slot::Element => any_of(&ELEMENTS),
        Slot::Array => any_of(&ARRAYS),
    }
}
