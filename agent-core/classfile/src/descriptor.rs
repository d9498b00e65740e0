//! Field and method descriptors.

use crate::Error;

/// The nine kinds of value that a descriptor can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `Z`
    Boolean,
    /// `B`
    Byte,
    /// `C`
    Char,
    /// `S`
    Short,
    /// `I`
    Int,
    /// `J`
    Long,
    /// `F`
    Float,
    /// `D`
    Double,
    /// A class, interface or array type.
    Reference,
}

impl Kind {
    /// Local variable and stack slots that a value takes.
    pub fn slots(self) -> u16 {
        if matches!(self, Self::Long | Self::Double) { 2 } else { 1 }
    }

    /// Whether it is a primitive.
    pub fn is_primitive(self) -> bool {
        self != Self::Reference
    }

    /// The descriptor with every reference erased to `java.lang.Object`.
    pub fn erased(self) -> &'static str {
        match self {
            Self::Boolean => "Z",
            Self::Byte => "B",
            Self::Char => "C",
            Self::Short => "S",
            Self::Int => "I",
            Self::Long => "J",
            Self::Float => "F",
            Self::Double => "D",
            Self::Reference => "Ljava/lang/Object;",
        }
    }
}

/// One type in a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FieldType<'a> {
    /// Its own descriptor, for instance `I`, `Ljava/lang/String;` or `[[J`.
    pub descriptor: &'a str,
    /// Its kind.
    pub kind: Kind,
}

impl<'a> FieldType<'a> {
    /// Array dimensions; 0 for anything that is not an array.
    pub fn dimensions(&self) -> usize {
        self.descriptor.bytes().take_while(|&b| b == b'[').count()
    }

    /// Internal name of the class or interface; `None` for primitives and arrays.
    pub fn class_name(&self) -> Option<&'a str> {
        self.descriptor.strip_prefix('L')?.strip_suffix(';')
    }

    /// The type as Java source spells it, with nested classes by their binary name: `int`, `java.lang.String[]`.
    pub fn java_name(&self) -> String {
        let dimensions = self.dimensions();
        let element = &self.descriptor[dimensions..];
        let mut name = match element {
            "Z" => "boolean".into(),
            "B" => "byte".into(),
            "C" => "char".into(),
            "S" => "short".into(),
            "I" => "int".into(),
            "J" => "long".into(),
            "F" => "float".into(),
            "D" => "double".into(),
            class => class[1..class.len() - 1].replace('/', "."),
        };
        for _ in 0..dimensions {
            name.push_str("[]");
        }
        name
    }
}

/// A parsed method descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodType<'a> {
    /// Declared parameters, without the receiver.
    pub parameters: Vec<FieldType<'a>>,
    /// What it returns; `None` for `void`.
    pub result: Option<FieldType<'a>>,
}

impl MethodType<'_> {
    /// Slots of all parameters, without the receiver.
    pub fn parameter_slots(&self) -> usize {
        self.parameters.iter().map(|p| usize::from(p.kind.slots())).sum()
    }

    /// First local variable of each parameter; an instance method's receiver takes slot 0.
    pub fn parameter_locals(&self, is_static: bool) -> Vec<u16> {
        let mut next = u16::from(!is_static);
        self.parameters
            .iter()
            .map(|p| {
                let slot = next;
                next = next.saturating_add(p.kind.slots());
                slot
            })
            .collect()
    }
}

/// Parses a method descriptor such as `(IJ[Ljava/lang/String;)V`.
///
/// # Errors
/// [`Error::Descriptor`] where it breaks the grammar.
pub fn method(descriptor: &str) -> Result<MethodType<'_>, Error> {
    let fail = |at| Error::Descriptor { descriptor: descriptor.into(), at };
    if !descriptor.starts_with('(') {
        return Err(fail(0));
    }
    let mut at = 1;
    let mut parameters = Vec::new();
    while !descriptor[at..].starts_with(')') {
        let parameter = field_at(descriptor, at).map_err(fail)?;
        at += parameter.descriptor.len();
        parameters.push(parameter);
    }
    at += 1;
    if &descriptor[at..] == "V" {
        return Ok(MethodType { parameters, result: None });
    }
    let result = field_at(descriptor, at).map_err(fail)?;
    at += result.descriptor.len();
    if at != descriptor.len() {
        return Err(fail(at));
    }
    Ok(MethodType { parameters, result: Some(result) })
}

/// Parses what a method descriptor says about the result alone: the parameters are left out, and not checked.
pub(crate) fn result_of(descriptor: &str) -> Result<MethodType<'_>, Error> {
    let fail = || Error::Descriptor { descriptor: descriptor.into(), at: descriptor.len() };
    let (_, text) = descriptor.rsplit_once(')').ok_or_else(fail)?;
    let result = if text == "V" { None } else { Some(field(text)?) };
    Ok(MethodType { parameters: Vec::new(), result })
}

/// Parses a field descriptor such as `[Ljava/lang/String;`.
///
/// # Errors
/// [`Error::Descriptor`] where it breaks the grammar.
pub fn field(descriptor: &str) -> Result<FieldType<'_>, Error> {
    let fail = |at| Error::Descriptor { descriptor: descriptor.into(), at };
    let parsed = field_at(descriptor, 0).map_err(fail)?;
    if parsed.descriptor.len() == descriptor.len() { Ok(parsed) } else { Err(fail(parsed.descriptor.len())) }
}

/// The type that starts at `start`, or where it goes wrong.
fn field_at(text: &str, start: usize) -> Result<FieldType<'_>, usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    while bytes.get(at) == Some(&b'[') {
        at += 1;
    }
    if at - start > 255 {
        return Err(at);
    }
    let array = at > start;
    let mut kind = match bytes.get(at) {
        Some(b'Z') => Kind::Boolean,
        Some(b'B') => Kind::Byte,
        Some(b'C') => Kind::Char,
        Some(b'S') => Kind::Short,
        Some(b'I') => Kind::Int,
        Some(b'J') => Kind::Long,
        Some(b'F') => Kind::Float,
        Some(b'D') => Kind::Double,
        Some(b'L') => {
            let name = at + 1;
            while !matches!(bytes.get(at), Some(b';') | None) {
                at += 1;
            }
            if at == name || bytes.get(at).is_none() {
                return Err(at);
            }
            Kind::Reference
        }
        _ => return Err(at),
    };
    if array {
        kind = Kind::Reference;
    }
    Ok(FieldType { descriptor: &text[start..=at], kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_slots() {
        let parsed = method("(IJ[Ljava/lang/String;D[[JLa/B;)Z").unwrap();
        let texts: Vec<_> = parsed.parameters.iter().map(|p| p.descriptor).collect();
        assert_eq!(texts, ["I", "J", "[Ljava/lang/String;", "D", "[[J", "La/B;"]);
        assert_eq!(parsed.parameter_locals(true), [0, 1, 3, 4, 6, 7]);
        assert_eq!(parsed.parameter_locals(false), [1, 2, 4, 5, 7, 8]);
        assert_eq!(parsed.parameter_slots(), 8);
        assert_eq!(parsed.result.unwrap().kind, Kind::Boolean);
        assert_eq!(parsed.parameters[2].java_name(), "java.lang.String[]");
        assert_eq!(parsed.parameters[4].dimensions(), 2);
        assert_eq!(parsed.parameters[5].class_name(), Some("a/B"));
        assert_eq!(method("()V").unwrap().result, None);
    }

    #[test]
    fn malformed_descriptors_are_located() {
        for (text, at) in [
            ("", 0),
            ("()", 2),
            ("(", 1),
            ("(V)V", 1),
            ("(L;)V", 2),
            ("(La)V", 5),
            ("()VV", 2),
            ("([)V", 2),
            ("()IJ", 3),
            ("(é)V", 1),
        ] {
            assert_eq!(method(text), Err(Error::Descriptor { descriptor: text.into(), at }), "{text}");
        }
        assert!(field("II").is_err());
        assert!(field(&format!("{}I", "[".repeat(256))).is_err());
        assert!(field(&format!("{}I", "[".repeat(255))).is_ok());
    }
}
