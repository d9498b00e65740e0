//! Instructions that are sites: what they name, take and leave.

use super::SiteKind;
use crate::bytes::get2;
use crate::code::Failure;
use crate::code::opcode::{
    ANEWARRAY, ATHROW, CHECKCAST, GETFIELD, GETSTATIC, IALOAD, IASTORE, INSTANCEOF, INVOKEINTERFACE, INVOKESPECIAL,
    INVOKESTATIC, INVOKEVIRTUAL, MONITORENTER, MONITOREXIT, MULTIANEWARRAY, NEW, NEWARRAY, PUTFIELD, PUTSTATIC, SALOAD,
    SASTORE,
};
use crate::descriptor::{self, Kind};
use crate::reader::ConstantPool;
use crate::weave::Skip;
use crate::{descriptor::FieldType, mutf8};
use std::borrow::Cow;

/// A site, and what lies on the stack around it.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) kind: SiteKind,
    /// Offset of the instruction.
    pub(super) at: usize,
    /// Whether a reference that may be passed as target lies below the operands.
    pub(super) target: bool,
    /// What it takes above the target, bottom first.
    pub(super) operands: Vec<Kind>,
    /// Whether an operand may have more bits than its kind, which the instruction cuts off.
    pub(super) narrows: bool,
    /// What it leaves.
    pub(super) result: Option<Kind>,
    pub(super) class: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) descriptor: Cow<'a, str>,
    pub(super) is_static: bool,
}

/// Elements of arrays by the opcode that accesses them, in the order of opcodes.
const ELEMENTS: [(Kind, &str, &str); 8] = [
    (Kind::Int, "I", "[I"),
    (Kind::Long, "J", "[J"),
    (Kind::Float, "F", "[F"),
    (Kind::Double, "D", "[D"),
    (Kind::Reference, "Ljava/lang/Object;", "[Ljava/lang/Object;"),
    (Kind::Byte, "B", "[B"),
    (Kind::Char, "C", "[C"),
    (Kind::Short, "S", "[S"),
];

/// Elements by the operand of `newarray`, which counts from 4.
const MADE: [(&str, &str); 8] =
    [("Z", "[Z"), ("C", "[C"), ("F", "[F"), ("D", "[D"), ("B", "[B"), ("S", "[S"), ("I", "[I"), ("J", "[J")];

/// What kind of site an opcode is.
pub(super) fn kind_of(opcode: u8) -> Option<SiteKind> {
    Some(match opcode {
        IALOAD..=SALOAD => SiteKind::ArrayGet,
        IASTORE..=SASTORE => SiteKind::ArraySet,
        GETSTATIC | GETFIELD => SiteKind::FieldGet,
        PUTSTATIC | PUTFIELD => SiteKind::FieldSet,
        INVOKEVIRTUAL..=INVOKEINTERFACE => SiteKind::Call,
        NEW => SiteKind::New,
        NEWARRAY | ANEWARRAY | MULTIANEWARRAY => SiteKind::NewArray,
        ATHROW => SiteKind::Throw,
        CHECKCAST => SiteKind::CheckCast,
        INSTANCEOF => SiteKind::InstanceOf,
        MONITORENTER => SiteKind::SyncEntry,
        MONITOREXIT => SiteKind::SyncExit,
        _ => return None,
    })
}

impl<'a> Found<'a> {
    /// A site that touches nothing on the stack.
    pub(super) fn bare(kind: SiteKind, at: usize, class: Cow<'a, str>, descriptor: Cow<'a, str>) -> Self {
        Self {
            kind,
            at,
            target: false,
            operands: Vec::new(),
            narrows: false,
            result: None,
            class,
            name: Cow::Borrowed(""),
            descriptor,
            is_static: false,
        }
    }

    /// A site that takes a reference and nothing else.
    pub(super) fn of_object(kind: SiteKind, at: usize, class: Cow<'a, str>) -> Self {
        let descriptor = descriptor_of(&class);
        Self { target: true, ..Self::bare(kind, at, class, descriptor) }
    }

    /// The instruction at `at`, which is a site of that kind; `None` if it names what no Rust string can hold.
    pub(super) fn decode(
        pool: &ConstantPool<'a>,
        code: &[u8],
        at: usize,
        kind: SiteKind,
    ) -> Result<Option<Self>, Failure> {
        let class_of = |index| Ok::<_, Failure>(mutf8::decode(pool.class_name(index)?).ok());
        let index = || get2(code, at + 1);
        Ok(Some(match code[at] {
            op @ (IALOAD..=SALOAD | IASTORE..=SASTORE) => {
                let is_read = op <= SALOAD;
                let (element, class, descriptor) =
                    ELEMENTS[usize::from(if is_read { op - IALOAD } else { op - IASTORE })];
                Self {
                    target: true,
                    operands: if is_read { vec![Kind::Int] } else { vec![Kind::Int, element] },
                    narrows: !is_read,
                    result: is_read.then_some(element),
                    ..Self::bare(kind, at, class.into(), descriptor.into())
                }
            }
            GETSTATIC..=INVOKEINTERFACE => return Self::member(pool, code, at, kind),
            NEWARRAY => {
                let Some(&(class, descriptor)) = usize::from(code[at + 1]).checked_sub(4).and_then(|i| MADE.get(i))
                else {
                    return Err(Skip::Malformed { offset: at, what: "type of an array" }.into());
                };
                Self::array(at, 1, class.into(), descriptor.into())
            }
            ANEWARRAY => {
                let Some(class) = class_of(index())? else { return Ok(None) };
                let descriptor = format!("[{}", descriptor_of(&class));
                Self::array(at, 1, element_of(&descriptor), descriptor.into())
            }
            MULTIANEWARRAY => {
                let Some(descriptor) = class_of(index())? else { return Ok(None) };
                Self::array(at, code[at + 3].into(), element_of(&descriptor), descriptor)
            }
            NEW => {
                let Some(class) = class_of(index())? else { return Ok(None) };
                let descriptor = descriptor_of(&class);
                Self::bare(kind, at, class, descriptor)
            }
            CHECKCAST | INSTANCEOF => {
                let Some(class) = class_of(index())? else { return Ok(None) };
                let answer = if kind == SiteKind::CheckCast { Kind::Reference } else { Kind::Boolean };
                Self { result: Some(answer), ..Self::of_object(kind, at, class) }
            }
            ATHROW => Self::of_object(kind, at, "java/lang/Throwable".into()),
            _ => Self::of_object(kind, at, "java/lang/Object".into()),
        }))
    }

    fn array(at: usize, dimensions: usize, class: Cow<'a, str>, descriptor: Cow<'a, str>) -> Self {
        Self {
            operands: vec![Kind::Int; dimensions],
            result: Some(Kind::Reference),
            ..Self::bare(SiteKind::NewArray, at, class, descriptor)
        }
    }

    fn member(pool: &ConstantPool<'a>, code: &[u8], at: usize, kind: SiteKind) -> Result<Option<Self>, Failure> {
        let member = pool.member_ref(get2(code, at + 1))?;
        let (Ok(class), Ok(name), Ok(text)) =
            (mutf8::decode(member.class), mutf8::decode(member.name), mutf8::decode(member.descriptor))
        else {
            return Ok(None);
        };
        let op = code[at];
        let is_static = matches!(op, GETSTATIC | PUTSTATIC | INVOKESTATIC);
        let (operands, result) = match kind {
            SiteKind::Call => {
                let shape = descriptor::method(&text)?;
                (shape.parameters.iter().map(|p| p.kind).collect(), shape.result.map(|r| r.kind))
            }
            SiteKind::FieldGet => (Vec::new(), Some(descriptor::field(&text)?.kind)),
            _ => (vec![descriptor::field(&text)?.kind], None),
        };
        // The receiver of a constructor is not initialised.
        let constructs = op == INVOKESPECIAL && name == "<init>";
        let target = !is_static && !constructs;
        let narrows = kind == SiteKind::FieldSet;
        let bare = Self::bare(kind, at, class, text);
        Ok(Some(Self { target, operands, narrows, result, name, is_static, ..bare }))
    }
}

/// Descriptor of a class constant, which for arrays is one already.
fn descriptor_of<'d>(class: &str) -> Cow<'d, str> {
    if class.starts_with('[') { class.to_owned().into() } else { format!("L{class};").into() }
}

/// Descriptor of an array without its dimensions.
fn element_of<'d>(descriptor: &str) -> Cow<'d, str> {
    let array = FieldType { descriptor, kind: Kind::Reference };
    descriptor[array.dimensions()..].to_owned().into()
}
