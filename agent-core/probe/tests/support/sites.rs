//! Finds the places in the methods of real classes, simply and slowly, so that the matcher is not tested against made-up ones.

use classfile::bytecode::Bytecode;
use classfile::{ClassFile, Member, mutf8};
use probe::weaving::{Site, SiteKind};

/// A place that owns its names.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    kind: SiteKind,
    class: String,
    name: String,
    descriptor: String,
    is_static: bool,
    line: u16,
}

impl Found {
    pub(crate) fn site(&self) -> Site<'_> {
        let Self { kind, class, name, descriptor, is_static, line } = self;
        Site { kind: *kind, class, name, descriptor, is_static: *is_static, line: *line }
    }
}

fn u2(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn u4(bytes: &[u8], at: usize) -> usize {
    usize::from(u2(bytes, at)) << 16 | usize::from(u2(bytes, at + 2))
}

fn text(bytes: &[u8]) -> String {
    mutf8::decode(bytes).unwrap().into_owned()
}

/// Descriptor of a class constant.
fn type_of(name: &[u8]) -> String {
    let name = text(name);
    if name.starts_with('[') { name } else { format!("L{name};") }
}

/// Offsets and lines of the line number table.
fn lines(class: &ClassFile<'_>, data: &[u8], mut at: usize) -> Vec<(usize, u16)> {
    let mut found = Vec::new();
    let attributes = u2(data, at);
    at += 2;
    for _ in 0..attributes {
        if class.pool().utf8(u2(data, at)).unwrap() == b"LineNumberTable" {
            let entries = usize::from(u2(data, at + 6));
            found.extend((0..entries).map(|i| (usize::from(u2(data, at + 8 + 4 * i)), u2(data, at + 10 + 4 * i))));
        }
        at += 6 + u4(data, at + 2);
    }
    found.sort_unstable();
    found
}

/// The places of a method in code order; of a method without code none.
pub(crate) fn of(class: &ClassFile<'_>, method: &Member<'_>) -> Vec<Found> {
    const ELEMENTS: [&str; 8] = ["[I", "[J", "[F", "[D", "[Ljava/lang/Object;", "[B", "[C", "[S"];
    let Some(attribute) = method.attribute("Code") else { return Vec::new() };
    let data = attribute.data;
    let length = u4(data, 4);
    let code = &data[8..8 + length];
    let table = 8 + length;
    let handlers = usize::from(u2(data, table));
    let lines = lines(class, data, table + 2 + 8 * handlers);
    let mut found = Vec::new();
    for instruction in Bytecode::parse(data).unwrap().instructions() {
        let at = instruction.unwrap().offset;
        let line = lines.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, line)| *line);
        let mut add = |kind, class: String, name: String, descriptor: String, is_static| {
            found.push(Found { kind, class, name, descriptor, is_static, line });
        };
        let plain = |descriptor: &str| (String::new(), String::new(), descriptor.to_owned(), false);
        if lines.iter().any(|(start, _)| *start == at) {
            let (class, name, descriptor, is_static) = plain("");
            add(SiteKind::Line, class, name, descriptor, is_static);
        }
        let mut caught: Vec<String> = Vec::new();
        for handler in data[table + 2..].chunks_exact(8).take(handlers) {
            let declared = u2(handler, 6);
            let caught_type = if declared == 0 {
                "Ljava/lang/Throwable;".to_owned()
            } else {
                type_of(class.pool().class_name(declared).unwrap())
            };
            if usize::from(u2(handler, 4)) == at && !caught.contains(&caught_type) {
                caught.push(caught_type);
            }
        }
        for descriptor in caught {
            add(SiteKind::Catch, String::new(), String::new(), descriptor, false);
        }
        let constant = || u2(code, at + 1);
        let opcode = code[at];
        let member = || {
            let member = class.pool().member_ref(constant()).unwrap();
            (
                text(member.class),
                text(member.name),
                text(member.descriptor),
                opcode == 178 || opcode == 179 || opcode == 184,
            )
        };
        let named = || {
            let descriptor = type_of(class.pool().class_name(constant()).unwrap());
            (String::new(), String::new(), descriptor, false)
        };
        let (kind, (class, name, descriptor, is_static)) = match opcode {
            46..=53 => (SiteKind::ArrayGet, plain(ELEMENTS[usize::from(opcode - 46)])),
            79..=86 => (SiteKind::ArraySet, plain(ELEMENTS[usize::from(opcode - 79)])),
            178 | 180 => (SiteKind::FieldGet, member()),
            179 | 181 => (SiteKind::FieldSet, member()),
            182..=185 => (SiteKind::Call, member()),
            187 => (SiteKind::New, named()),
            188 => {
                let types = ["[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"];
                (SiteKind::NewArray, plain(types[usize::from(code[at + 1] - 4)]))
            }
            189 => {
                let (_, _, element, _) = named();
                (SiteKind::NewArray, plain(&format!("[{element}")))
            }
            197 => (SiteKind::NewArray, named()),
            191 => (SiteKind::Throw, plain("Ljava/lang/Throwable;")),
            192 => (SiteKind::CheckCast, named()),
            193 => (SiteKind::InstanceOf, named()),
            194 => (SiteKind::SyncEntry, plain("Ljava/lang/Object;")),
            195 => (SiteKind::SyncExit, plain("Ljava/lang/Object;")),
            _ => continue,
        };
        add(kind, class, name, descriptor, is_static);
    }
    found
}
