//! Which values a handler's parameters take.

use crate::condition::Condition;
use crate::model::ValueType;
use classfile::descriptor::{self, Kind};

/// What is known about the supertypes of classes. Names are internal ones, `java/lang/String`.
pub trait Hierarchy: std::fmt::Debug {
    /// Whether the class is the ancestor or lies below it, as class or interface; `None` if that is not known.
    fn is_subtype(&self, class: &str, ancestor: &str) -> Option<bool>;
}

/// Knows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHierarchy;

impl Hierarchy for NoHierarchy {
    fn is_subtype(&self, _class: &str, _ancestor: &str) -> Option<bool> {
        None
    }
}

/// Whether a class, by internal name, is one of those known here that nothing is below of.
pub(crate) fn is_final(class: &str) -> bool {
    ![OBJECT, NUMBER, THROWABLE].contains(&class) && KNOWN.iter().any(|(name, _)| *name == class)
}

/// All supertypes, besides `Object`, of classes that are in nearly every signature.
const KNOWN: [(&str, &[&str]); 12] = [
    ("java/lang/Object", &[]),
    ("java/lang/String", &["java/lang/CharSequence", COMPARABLE, SERIALIZABLE, CONSTABLE, CONSTANT]),
    ("java/lang/Integer", &[NUMBER, COMPARABLE, SERIALIZABLE, CONSTABLE, CONSTANT]),
    ("java/lang/Long", &[NUMBER, COMPARABLE, SERIALIZABLE, CONSTABLE, CONSTANT]),
    ("java/lang/Float", &[NUMBER, COMPARABLE, SERIALIZABLE, CONSTABLE, CONSTANT]),
    ("java/lang/Double", &[NUMBER, COMPARABLE, SERIALIZABLE, CONSTABLE, CONSTANT]),
    ("java/lang/Short", &[NUMBER, COMPARABLE, SERIALIZABLE, CONSTABLE]),
    ("java/lang/Byte", &[NUMBER, COMPARABLE, SERIALIZABLE, CONSTABLE]),
    ("java/lang/Character", &[COMPARABLE, SERIALIZABLE, CONSTABLE]),
    ("java/lang/Boolean", &[COMPARABLE, SERIALIZABLE, CONSTABLE]),
    (NUMBER, &[SERIALIZABLE]),
    (THROWABLE, &[SERIALIZABLE]),
];
const OBJECT: &str = "java/lang/Object";
const THROWABLE: &str = "java/lang/Throwable";
const NUMBER: &str = "java/lang/Number";
const COMPARABLE: &str = "java/lang/Comparable";
const SERIALIZABLE: &str = "java/io/Serializable";
const CLONEABLE: &str = "java/lang/Cloneable";
const CONSTABLE: &str = "java/lang/constant/Constable";
const CONSTANT: &str = "java/lang/constant/ConstantDesc";

/// Whether a value fits a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fit {
    Yes,
    No,
    /// The supertypes of the value's type are not known.
    If(Condition),
}

/// The class being woven, and what is known about all others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Types<'a> {
    pub(crate) own: &'a Own,
    pub(crate) hierarchy: &'a dyn Hierarchy,
}

/// A class and what is known of its supertypes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Own {
    pub(crate) name: String,
    pub(crate) supertypes: Vec<String>,
    /// Whether the list has all of them.
    pub(crate) complete: bool,
}

impl Own {
    /// Whether the class lies below the ancestor. Where the hierarchy does not tell, as classes of one name may have different
    /// supertypes, what it tells of the class's own ones decides.
    pub(crate) fn is_below(&self, ancestor: &str, hierarchy: &dyn Hierarchy) -> Option<bool> {
        if ancestor == OBJECT || ancestor == self.name || self.supertypes.iter().any(|s| s == ancestor) {
            return Some(true);
        }
        if self.complete {
            return Some(false);
        }
        let by_name = hierarchy.is_subtype(&self.name, ancestor);
        if by_name.is_some() || self.supertypes.is_empty() {
            return by_name;
        }
        let mut answer = Some(false);
        for supertype in self.supertypes.iter().filter(|s| *s != OBJECT) {
            match hierarchy.is_subtype(supertype, ancestor) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => answer = None,
            }
        }
        answer
    }
}

impl Types<'_> {
    /// Whether a value of the type with this descriptor fits. Unless the match is exact, references fit their supertypes, and
    /// primitives the supertypes of their box.
    pub(crate) fn takes(&self, wanted: &ValueType, given: &str, exact: bool) -> Fit {
        let ValueType::Type(wanted) = wanted else { return Fit::Yes };
        if wanted == given {
            return Fit::Yes;
        }
        if exact { Fit::No } else { self.assigns(wanted, given) }
    }

    fn assigns(&self, wanted: &str, given: &str) -> Fit {
        if wanted == given {
            return Fit::Yes;
        }
        let (Ok(to), Ok(from)) = (descriptor::field(wanted), descriptor::field(given)) else { return Fit::No };
        if to.kind.is_primitive() {
            return Fit::No;
        }
        if let Some(name) = boxed(from.kind) {
            return to.class_name().map_or(Fit::No, |ancestor| self.is_below(name, ancestor));
        }
        match (to.class_name(), from.class_name()) {
            (Some(ancestor), Some(class)) => self.is_below(class, ancestor),
            (Some(ancestor), None) => known([OBJECT, CLONEABLE, SERIALIZABLE].contains(&ancestor)),
            (None, Some(_)) => Fit::No,
            // Primitives have no supertypes, and no array holds boxed ones.
            (None, None) => match descriptor::field(&given[1..]) {
                Ok(element) if !element.kind.is_primitive() => self.assigns(&wanted[1..], &given[1..]),
                _ => Fit::No,
            },
        }
    }

    fn is_below(&self, class: &str, ancestor: &str) -> Fit {
        if ancestor == OBJECT || class == ancestor {
            return Fit::Yes;
        }
        if is_final(ancestor) {
            return Fit::No;
        }
        if let Some((_, supertypes)) = KNOWN.iter().find(|(name, _)| *name == class) {
            return known(supertypes.contains(&ancestor));
        }
        let below = if class == self.own.name {
            self.own.is_below(ancestor, self.hierarchy)
        } else {
            self.hierarchy.is_subtype(class, ancestor)
        };
        let condition = || Condition { class: class.to_owned(), ancestor: ancestor.to_owned() };
        below.map_or_else(|| Fit::If(condition()), known)
    }
}

fn known(fits: bool) -> Fit {
    if fits { Fit::Yes } else { Fit::No }
}

/// Internal name of the class that a primitive is boxed in.
fn boxed(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Boolean => "java/lang/Boolean",
        Kind::Byte => "java/lang/Byte",
        Kind::Char => "java/lang/Character",
        Kind::Short => "java/lang/Short",
        Kind::Int => "java/lang/Integer",
        Kind::Long => "java/lang/Long",
        Kind::Float => "java/lang/Float",
        Kind::Double => "java/lang/Double",
        Kind::Reference => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Condition, Fit, Hierarchy, Own, Types, ValueType};

    #[derive(Debug)]
    struct Lists;

    impl Hierarchy for Lists {
        fn is_subtype(&self, class: &str, ancestor: &str) -> Option<bool> {
            (class == "java/util/ArrayList").then_some(ancestor == "java/util/List")
        }
    }

    #[test]
    fn values_fit_their_supertypes_and_boxes() {
        let own = Own { name: "a/B".into(), supertypes: vec!["a/A".into()], complete: false };
        let types = Types { own: &own, hierarchy: &Lists };
        let object = "Ljava/lang/Object;";
        let open = |class: &str, ancestor: &str| Fit::If(Condition { class: class.into(), ancestor: ancestor.into() });
        for (wanted, given, fit) in [
            ("I", "I", Fit::Yes),
            ("J", "I", Fit::No),
            ("I", "Ljava/lang/Integer;", Fit::No),
            ("Ljava/lang/Integer;", "I", Fit::Yes),
            ("Ljava/lang/Long;", "I", Fit::No),
            ("Ljava/lang/Number;", "D", Fit::Yes),
            ("Ljava/lang/Number;", "C", Fit::No),
            ("Ljava/lang/Comparable;", "Z", Fit::Yes),
            (object, "B", Fit::Yes),
            (object, "[I", Fit::Yes),
            (object, "Lx/Y;", Fit::Yes),
            ("Ljava/lang/String;", object, Fit::No),
            ("Ljava/lang/CharSequence;", "Ljava/lang/String;", Fit::Yes),
            ("Ljava/util/List;", "Ljava/util/ArrayList;", Fit::Yes),
            ("[Ljava/util/List;", "[Ljava/util/ArrayList;", Fit::Yes),
            ("Ljava/util/Map;", "Ljava/util/ArrayList;", Fit::No),
            ("[Ljava/lang/Object;", "[I", Fit::No),
            ("[Ljava/lang/Object;", "[[I", Fit::Yes),
            ("[Ljava/lang/Integer;", "[I", Fit::No),
            ("Ljava/io/Serializable;", "[[I", Fit::Yes),
            ("[I", "Lx/Y;", Fit::No),
            ("La/A;", "La/B;", Fit::Yes),
            ("La/Z;", "La/B;", open("a/B", "a/Z")),
            ("[Lx/Z;", "[Lx/Y;", open("x/Y", "x/Z")),
            // Nothing is below a final class.
            ("Ljava/lang/String;", "Lx/Y;", Fit::No),
            ("Ljava/lang/Throwable;", "Lx/Y;", open("x/Y", "java/lang/Throwable")),
        ] {
            let wanted_type = ValueType::Type(wanted.into());
            assert_eq!(types.takes(&wanted_type, given, false), fit, "{wanted} takes {given}");
            let exact = if wanted == given { Fit::Yes } else { Fit::No };
            assert_eq!(types.takes(&wanted_type, given, true), exact, "{wanted} is {given}");
            assert_eq!(types.takes(&ValueType::Any, given, true), Fit::Yes);
        }
        let complete = Own { complete: true, ..own.clone() };
        let types = Types { own: &complete, hierarchy: &Lists };
        assert_eq!(types.takes(&ValueType::Type("La/Z;".into()), "La/B;", false), Fit::No);
    }
}
