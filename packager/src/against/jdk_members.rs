//! What subtypes of JDK types inherit, for the types that libraries extend or implement most.

use std::collections::HashMap;
use std::sync::OnceLock;

use classfile::access;

use super::release::{Member, Shape};

/// One line a type, see there.
const TABLE: &str = include_str!("jdk.txt");

/// The type of that internal name, if the table has it.
pub(super) fn get(class: &str) -> Option<(&'static str, &'static Shape)> {
    static TYPES: OnceLock<HashMap<&'static str, Shape>> = OnceLock::new();
    let types = TYPES.get_or_init(|| TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(shape).collect());
    types.get_key_value(class).map(|(name, shape)| (*name, shape))
}

fn shape(line: &'static str) -> Option<(&'static str, Shape)> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let supertypes = words.next()?.split(',').filter(|name| *name != "-").map(str::to_owned).collect();
    let mut shape = Shape::outside(supertypes);
    for word in words {
        let (mut access, rest) = match word.split_at_checked(1)? {
            ("#", rest) => (access::PROTECTED, rest),
            (_, rest) => (access::PUBLIC, rest),
        };
        let text = rest.strip_prefix('!').inspect(|_| access |= access::STATIC).unwrap_or(rest);
        let at = text.find([':', '('])?;
        let (name, descriptor) = text.split_at(at);
        let member = |descriptor: &str| Member { name: name.to_owned(), descriptor: descriptor.to_owned(), access };
        match descriptor.strip_prefix(':') {
            Some(of_field) => shape.fields.push(member(of_field)),
            None => shape.methods.push(member(descriptor)),
        }
    }
    Some((name, shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_every_supertype_is_there() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let (name, shape) = shape(line).unwrap_or_else(|| panic!("{line}"));
            assert!(shape.supertypes.iter().all(|name| get(name).is_some()), "{name}");
            assert_eq!(shape.fields.len() + shape.methods.len(), line.split(' ').count() - 2, "{name}");
        }
        let (_, throwable) = get("java/lang/Throwable").unwrap();
        assert!(throwable.methods.iter().any(|method| method.name == "getMessage" && method.is_public()));
        let (_, object) = get("java/lang/Object").unwrap();
        let clone = object.methods.iter().find(|method| method.name == "clone").unwrap();
        assert!(clone.is_protected() && !clone.is_static() && clone.descriptor == "()Ljava/lang/Object;");
        assert!(get("java/lang/Enum").unwrap().1.methods.iter().any(Member::is_static));
        assert!(get("javax/swing/JPanel").is_none());
    }
}
