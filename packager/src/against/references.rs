//! What the constants of a class name, and the calls of it.

use std::collections::BTreeSet;

use classfile::bytecode::{Bytecode, Call, Op};
use classfile::reader::tag;
use classfile::{ClassFile, mutf8};

use super::Area;
use super::demand::{Demand, Kind, Reach, Sort, What};

/// Adds what `file` names of the area.
pub(super) fn add(file: &ClassFile<'_>, area: &Area, demands: &mut BTreeSet<Demand>) {
    let this = text(file.this_name());
    let place = |method: &[u8]| format!("{}.{}", this.replace('/', "."), text(method));
    for supertype in file.super_name().into_iter().chain(file.interfaces()) {
        class(supertype, &this.replace('/', "."), area, demands);
    }
    let pool = file.pool();
    let mut placed = BTreeSet::new();
    for method in file.methods() {
        let Ok(Some(code)) = Bytecode::of(&method) else { continue };
        for instruction in code.instructions().flatten() {
            let (index, is_static, sort) = match instruction.op {
                Op::Call(kind, index) => (index, Some(kind == Call::Static), Sort::Method),
                Op::Field { constant, is_static, .. } => (constant, Some(is_static), Sort::Field),
                Op::New(index) | Op::NewArray(index) | Op::Cast(index) | Op::Constant(index) => {
                    if let Ok(name) = pool.class_name(index) {
                        placed.insert(index);
                        class(name, &place(method.name), area, demands);
                    }
                    continue;
                }
                _ => continue,
            };
            let Ok(member) = pool.member_ref(index) else { continue };
            let Some(owner) = owner(member.class, area) else { continue };
            placed.insert(index);
            demands.insert(Demand {
                what: What::Member {
                    class: owner,
                    sort,
                    name: text(member.name),
                    descriptor: Some(text(member.descriptor)),
                    is_static,
                    reach: Reach::Open,
                    declared_here: member.name == b"<init>",
                },
                kind: Kind::Reference,
                place: place(method.name),
                optional: false,
            });
        }
    }
    // Method references, class constants of annotations, and whatever else no instruction names.
    for index in (1..pool.len()).filter(|index| !placed.contains(index)) {
        if pool.tag(index) == Some(tag::CLASS)
            && let Ok(name) = pool.class_name(index)
        {
            class(name, &this.replace('/', "."), area, demands);
        } else if pool.tag(index) == Some(tag::METHOD_HANDLE)
            && let Ok((kind, target)) = pool.method_handle(index)
            && let Ok(member) = pool.member_ref(target)
            && let Some(owner) = owner(member.class, area)
        {
            // Kinds 1 to 4 are fields, 2, 4 and 6 static; see the class-file format.
            demands.insert(Demand {
                what: What::Member {
                    class: owner,
                    sort: if kind <= 4 { Sort::Field } else { Sort::Method },
                    name: text(member.name),
                    descriptor: Some(text(member.descriptor)),
                    is_static: Some(matches!(kind, 2 | 4 | 6)),
                    reach: Reach::Open,
                    declared_here: member.name == b"<init>",
                },
                kind: Kind::Reference,
                place: this.replace('/', "."),
                optional: false,
            });
        }
    }
}

fn class(name: &[u8], place: &str, area: &Area, demands: &mut BTreeSet<Demand>) {
    if let Some(class) = owner(name, area) {
        let what = What::Class(class);
        demands.insert(Demand { what, kind: Kind::Reference, place: place.to_owned(), optional: false });
    }
}

/// The class that a name, perhaps of an array, is about, if it is of the library.
fn owner(name: &[u8], area: &Area) -> Option<String> {
    let name = text(name);
    let element = name.trim_start_matches('[');
    let class = if element.len() == name.len() { element } else { element.strip_prefix('L')?.strip_suffix(';')? };
    area.has(class).then(|| class.to_owned())
}

/// Modified UTF-8 as text.
pub(super) fn text(bytes: &[u8]) -> String {
    mutf8::decode_lossy(bytes)
        .map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), std::borrow::Cow::into_owned)
}
