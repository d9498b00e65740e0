//! What the constants of a class name, and the calls of it.

use std::collections::BTreeSet;

use classfile::bytecode::{Bytecode, Call, Op};
use classfile::reader::tag;
use classfile::{ClassFile, mutf8};

use super::Area;
use super::demand::{Demand, Kind, Reach, Role, Sort, What};

/// Adds what `file` names of the area.
pub(super) fn add(file: &ClassFile<'_>, area: &Area, demands: &mut BTreeSet<Demand>) {
    let this = text(file.this_name());
    let place = |method: &[u8]| format!("{}.{}", this.replace('/', "."), text(method));
    let dotted = this.replace('/', ".");
    let reach = || Reach::From(area.superclass(&this));
    let mut supertypes = Vec::new();
    if let Some(superclass) = file.super_name() {
        used(superclass, Role::Extended, &dotted, area, demands);
        supertypes.push(superclass);
    }
    for interface in file.interfaces() {
        used(interface, Role::Implemented, &dotted, area, demands);
        supertypes.push(interface);
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
                        let role = if matches!(instruction.op, Op::New(_)) { Role::Made } else { Role::Named };
                        used(name, role, &place(method.name), area, demands);
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
                    is_interface: interface(pool.tag(index)),
                    reach: reach(),
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
            if !supertypes.contains(&name) {
                class(name, &dotted, area, demands);
            }
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
                    is_interface: interface(pool.tag(target)),
                    reach: reach(),
                    declared_here: member.name == b"<init>",
                },
                kind: Kind::Reference,
                place: dotted.clone(),
                optional: false,
            });
        }
    }
}

/// Whether a reference with this tag is to a member of an interface; a field may be of either.
fn interface(of: Option<u8>) -> Option<bool> {
    match of {
        Some(tag::INTERFACE_METHOD) => Some(true),
        Some(tag::METHOD) => Some(false),
        _ => None,
    }
}

fn used(name: &[u8], role: Role, place: &str, area: &Area, demands: &mut BTreeSet<Demand>) {
    if let Some(class) = owner(name, area) {
        // An array is made whatever its elements are.
        let role = if name.starts_with(b"[") { Role::Named } else { role };
        let what = What::Used { class, role };
        demands.insert(Demand { what, kind: Kind::Reference, place: place.to_owned(), optional: false });
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
