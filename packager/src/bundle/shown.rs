//! What a class shows to those who use it: the types in its header and in its visible members, and its nested classes.

use std::collections::BTreeSet;

use classfile::descriptor::{self, FieldType};
use classfile::{Attribute, ClassFile, Error, Member, access, mutf8, reader::tag};

use super::{annotations, signature};

/// A type that a class shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Use {
    /// Internal name of the type.
    pub(super) name: String,
    /// Where, for messages, such as `` method `add` ``.
    pub(super) place: String,
    /// Whether it stands in an annotation.
    pub(super) annotation: bool,
}

/// What a class shows.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Types, each once a place.
    pub(super) uses: BTreeSet<Use>,
    /// Internal names of the classes nested in it, anonymous ones too, and of the one that it is nested in.
    pub(super) nested: BTreeSet<String>,
    /// Internal names of all classes that its constant pool names.
    pub(super) code: BTreeSet<String>,
}

/// Reads what the class file `bytes` shows.
///
/// # Errors
/// It is malformed.
pub(super) fn of(bytes: &[u8]) -> Result<Shown, Error> {
    let file = ClassFile::parse(bytes)?;
    let mut shown = Shown::default();
    if let Some(name) = file.super_name() {
        shown.add(text(name)?, "its superclass", false);
    }
    for name in file.interfaces() {
        shown.add(text(name)?, "its interfaces", false);
    }
    for attribute in file.attributes() {
        shown.attribute(&file, &attribute, "its header")?;
        match attribute.name {
            b"InnerClasses" => shown.inner_classes(&file, attribute.data)?,
            b"PermittedSubclasses" => {
                for name in classes(&file, attribute.data) {
                    shown.add(text(name?)?, "its permitted subclasses", false);
                }
            }
            b"Record" => {
                shown.record(&file, &attribute)?;
            }
            _ => {}
        }
    }
    let seen = |member: &Member<'_>| member.access & (access::PUBLIC | access::PROTECTED) != 0;
    for field in file.fields().filter(seen) {
        let place = format!("field `{}`", text(field.name)?);
        let parsed = text(field.descriptor)?;
        shown.field(&descriptor::field(&parsed)?, &place);
        for attribute in field.attributes() {
            shown.attribute(&file, &attribute, &place)?;
        }
    }
    for method in file.methods().filter(seen) {
        let name = text(method.name)?;
        let place = if name == "<init>" { "a constructor".to_owned() } else { format!("method `{name}`") };
        let parsed = text(method.descriptor)?;
        let parsed = descriptor::method(&parsed)?;
        for field in parsed.parameters.iter().chain(&parsed.result) {
            shown.field(field, &place);
        }
        for attribute in method.attributes() {
            shown.attribute(&file, &attribute, &place)?;
            if attribute.name == b"Exceptions" {
                for name in classes(&file, attribute.data) {
                    shown.add(text(name?)?, &place, false);
                }
            }
        }
    }
    let pool = file.pool();
    for index in (1..pool.len()).filter(|index| pool.tag(*index) == Some(tag::CLASS)) {
        let name = text(pool.class_name(index)?)?;
        let element = name.trim_start_matches('[');
        // An array is named by its descriptor.
        let class = if element.len() == name.len() {
            Some(element)
        } else {
            element.strip_prefix('L').and_then(|name| name.strip_suffix(';'))
        };
        shown.code.extend(class.map(str::to_owned));
    }
    Ok(shown)
}

impl Shown {
    fn add(&mut self, name: String, place: &str, annotation: bool) {
        self.uses.insert(Use { name, place: place.to_owned(), annotation });
    }

    fn field(&mut self, field: &FieldType<'_>, place: &str) {
        let class = field.descriptor.trim_start_matches('[').strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        if let Some(name) = class {
            self.add(name.to_owned(), place, false);
        }
    }

    /// What every attribute of a class, member or record component may be: a signature, or annotations.
    fn attribute(&mut self, file: &ClassFile<'_>, attribute: &Attribute<'_>, place: &str) -> Result<(), Error> {
        if attribute.name == b"Signature"
            && let [high, low] = *attribute.data
        {
            let signature = text(file.pool().utf8(u16::from_be_bytes([high, low]))?)?;
            for name in signature::classes(&signature) {
                self.add(name, place, false);
            }
        }
        for name in annotations::types(file.pool(), attribute) {
            self.add(name, place, true);
        }
        Ok(())
    }

    /// The classes that are nested in this one, and the one that it is nested in.
    fn inner_classes(&mut self, file: &ClassFile<'_>, data: &[u8]) -> Result<(), Error> {
        let this = text(file.this_name())?;
        for entry in data.get(2..).unwrap_or_default().chunks_exact(8) {
            let index = |at: usize| u16::from_be_bytes([entry[at], entry[at + 1]]);
            let inner = text(file.pool().class_name(index(0))?)?;
            if inner == this {
                if index(2) != 0 {
                    self.nested.insert(text(file.pool().class_name(index(2))?)?);
                }
            } else if inner.strip_prefix(&this).is_some_and(|rest| rest.starts_with('$')) {
                self.nested.insert(inner);
            }
        }
        Ok(())
    }

    /// The components of a record.
    fn record(&mut self, file: &ClassFile<'_>, record: &Attribute<'_>) -> Result<(), Error> {
        let mut rest = record.data.get(2..).unwrap_or_default();
        let pool = file.pool();
        while let [name_high, name_low, type_high, type_low, high, low, after @ ..] = rest {
            let place =
                format!("record component `{}`", text(pool.utf8(u16::from_be_bytes([*name_high, *name_low]))?)?);
            let parsed = text(pool.utf8(u16::from_be_bytes([*type_high, *type_low]))?)?;
            self.field(&descriptor::field(&parsed)?, &place);
            rest = after;
            for _ in 0..u16::from_be_bytes([*high, *low]) {
                let Some((header, body)) = rest.split_at_checked(6) else { return Ok(()) };
                let length = u32::from_be_bytes([header[2], header[3], header[4], header[5]]) as usize;
                let Some((data, after)) = body.split_at_checked(length) else { return Ok(()) };
                let attribute =
                    Attribute { name: pool.utf8(u16::from_be_bytes([header[0], header[1]]))?, data, offset: 0 };
                self.attribute(file, &attribute, &place)?;
                rest = after;
            }
        }
        Ok(())
    }
}

/// The names of a list of classes: a count, then an index for each.
fn classes<'a>(file: &ClassFile<'a>, data: &[u8]) -> Vec<Result<&'a [u8], Error>> {
    let indexes = data.get(2..).unwrap_or_default().chunks_exact(2);
    indexes.map(|index| file.pool().class_name(u16::from_be_bytes([index[0], index[1]]))).collect()
}

fn text(bytes: &[u8]) -> Result<String, Error> {
    mutf8::decode(bytes).map(std::borrow::Cow::into_owned)
}
