//! Stack map frames: decoded one by one, adjusted, and written again in the shortest form.

use super::Failure;
use super::layout::Layout;
use super::pool::{Full, PoolEditor};
use super::scan::Scan;
use crate::bytes::{Cursor, get2, put2};
use crate::descriptor::{Kind, MethodType};
use crate::reader::{Attribute, ClassFile, Member};
use crate::weave::Skip;

/// All frames of a method together show more variables than this, or take more bytes, only in a file made to exhaust time or memory.
const MAX_SIZE: usize = 8 << 20;

/// The type of a local variable or stack slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Top,
    Integer,
    Float,
    Double,
    Long,
    Null,
    UninitializedThis,
    /// A class constant.
    Class(u16),
    /// Made by the `new` at that offset of the original code.
    Uninitialized(u16),
    /// `java.lang.Object`, whose constant is made when a frame names it.
    Object,
    /// Declared type of the parameter with that index; for the receiver see [`Type::Class`]. Constants are made when a frame names it.
    Parameter(u16),
}

impl Type {
    /// The type of a fresh variable that holds such a value.
    pub(crate) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short | Kind::Int => Self::Integer,
            Kind::Long => Self::Long,
            Kind::Float => Self::Float,
            Kind::Double => Self::Double,
            Kind::Reference => Self::Object,
        }
    }

    fn slots(self) -> usize {
        if matches!(self, Self::Long | Self::Double) { 2 } else { 1 }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Failure> {
        Ok(match cursor.u1()? {
            0 => Self::Top,
            1 => Self::Integer,
            2 => Self::Float,
            3 => Self::Double,
            4 => Self::Long,
            5 => Self::Null,
            6 => Self::UninitializedThis,
            7 => Self::Class(cursor.u2()?),
            8 => Self::Uninitialized(cursor.u2()?),
            tag => return Err(Skip::UnknownFrame { tag }.into()),
        })
    }
}

/// A local variable that frames must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) slot: u16,
    pub(crate) kind: Kind,
}

/// How the locals of every frame change.
#[derive(Debug)]
pub(crate) struct Adjust<'a> {
    /// Locals at the start of the method: receiver and parameters.
    pub(crate) initial: Vec<Type>,
    /// Types of the parameters, for [`Type::Parameter`]: what a class constant holds for them.
    pub(crate) parameters: Vec<&'a str>,
    /// Variables that no instruction writes and inserted code reads late: kept where a frame forgot them.
    pub(crate) kept: Vec<Variable>,
    /// Variables that inserted code adds, behind the original ones and ascending.
    pub(crate) fresh: Vec<Variable>,
    /// The original number of local variable slots.
    pub(crate) max_locals: u16,
}

/// Half of a two-slot value, the second one.
const SECOND: Option<Type> = None;

/// Whether the receiver is uninitialised at the start: in every constructor but that of `Object`.
pub(crate) fn starts_uninitialized(class: &ClassFile<'_>, method: &Member<'_>) -> bool {
    method.name == b"<init>" && class.this_name() != b"java/lang/Object"
}

impl<'a> Adjust<'a> {
    /// No change yet.
    pub(crate) fn none(class: &ClassFile<'_>, method: &Member<'_>, shape: &MethodType<'a>, max_locals: u16) -> Self {
        let mut initial = Vec::new();
        if !method.is_static() {
            let this = get2(class.bytes(), class.layout().access + 2);
            let uninitialized = starts_uninitialized(class, method);
            initial.push(if uninitialized { Type::UninitializedThis } else { Type::Class(this) });
        }
        for (index, parameter) in shape.parameters.iter().enumerate() {
            initial.push(match parameter.kind {
                Kind::Reference => Type::Parameter(index as u16),
                kind => Type::of(kind),
            });
        }
        let parameters = shape.parameters.iter().map(|p| p.class_name().unwrap_or(p.descriptor)).collect();
        Self { initial, parameters, kept: Vec::new(), fresh: Vec::new(), max_locals }
    }
}

impl Adjust<'_> {
    /// Puts the locals of a frame, adjusted, into `out`; `slots` is memory to use.
    fn apply(&self, locals: &[Type], slots: &mut Vec<Option<Type>>, out: &mut Vec<Type>) -> Result<(), Skip> {
        out.clear();
        if self.kept.is_empty() && self.fresh.is_empty() {
            out.extend_from_slice(locals);
            return Ok(());
        }
        slots.clear();
        for &local in locals {
            slots.push(Some(local));
            if local.slots() == 2 {
                slots.push(SECOND);
            }
        }
        if slots.len() > usize::from(self.max_locals) {
            return Err(Skip::Malformed { offset: 0, what: "locals of a stack map frame" });
        }
        let uninitialized = locals.contains(&Type::UninitializedThis);
        for variable in &self.kept {
            // In a constructor the forgotten receiver is what the frame's other copies of it are.
            let kept = match Type::of(variable.kind) {
                Type::Object if uninitialized && variable.slot == 0 => Type::UninitializedThis,
                kept => kept,
            };
            put(slots, variable.slot, kept, true);
        }
        for variable in &self.fresh {
            put(slots, variable.slot, Type::of(variable.kind), false);
        }
        out.extend(slots.iter().flatten());
        while out.last() == Some(&Type::Top) {
            out.pop();
        }
        Ok(())
    }

    /// Locals of the appended handler: nothing but what inserted code reads.
    fn handler(&self) -> Vec<Type> {
        let mut slots = Vec::new();
        for variable in self.kept.iter().chain(&self.fresh) {
            put(&mut slots, variable.slot, Type::of(variable.kind), false);
        }
        slots.into_iter().flatten().collect()
    }
}

/// Makes `slot` hold `new`; if `only_top`, only where it holds nothing.
fn put(slots: &mut Vec<Option<Type>>, slot: u16, new: Type, only_top: bool) {
    let first = usize::from(slot);
    let end = first + new.slots();
    if slots.len() < end {
        slots.resize(end, Some(Type::Top));
    }
    if only_top && slots[first..end].iter().any(|&held| held != Some(Type::Top)) {
        return;
    }
    slots[first] = Some(new);
    if end > first + 1 {
        slots[first + 1] = SECOND;
    }
}

/// Frames beside the original ones.
#[derive(Debug)]
pub(crate) struct Added<'f> {
    /// Whether the appended part begins with a handler of the whole method.
    pub(crate) handler: bool,
    /// Offsets of original frames, and the new offsets at which they are needed too, ascending by the latter.
    pub(crate) copies: &'f [(usize, usize)],
}

/// Reads a `StackMapTable`, and appends the new one with further frames.
pub(crate) fn rewrite(
    attribute: Option<Attribute<'_>>,
    scan: &Scan,
    layout: &Layout,
    adjust: &Adjust<'_>,
    added: &Added<'_>,
    pool: &mut PoolEditor,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    let mut copies = match attribute {
        Some(attribute) if !added.copies.is_empty() => copy(attribute, adjust, added.copies)?,
        _ => Vec::new(),
    }
    .into_iter()
    .peekable();
    let start = out.len();
    put2(out, 0);
    let mut writer =
        Writer { out, start, count: 0, previous: None, locals: adjust.initial.clone(), layout, adjust, pool };
    if let Some(attribute) = attribute {
        let mut cursor = Cursor::new(attribute.data, attribute.offset);
        let mut locals = adjust.initial.clone();
        let (mut stack, mut slots, mut adjusted) = (Vec::new(), Vec::new(), Vec::new());
        let mut next = 0;
        let mut shown = 0;
        for _ in 0..cursor.u2()? {
            let offset = read(&mut cursor, &mut locals, &mut stack, &mut next)?;
            shown += locals.len();
            if shown > MAX_SIZE {
                let what = "variables in the stack map frames";
                return Err(Skip::TooMany { what, limit: MAX_SIZE, needed: shown }.into());
            }
            scan.start(offset, "offset of a stack map frame")?;
            adjust.apply(&locals, &mut slots, &mut adjusted)?;
            for held in adjusted.iter().chain(&stack) {
                if let Type::Uninitialized(offset) = *held {
                    scan.start(usize::from(offset), "offset of an uninitialized object")?;
                }
            }
            let at = layout.of(offset).label;
            while let Some(mut copy) = copies.next_if(|copy| copy.at < at) {
                writer.frame(copy.at, &mut copy.locals, &copy.stack)?;
            }
            writer.frame(at, &mut adjusted, &stack)?;
        }
        if cursor.remaining() > 0 {
            return Err(Skip::Malformed { offset: next, what: "bytes after the stack map" }.into());
        }
    }
    while let Some(mut copy) = copies.next_if(|copy| copy.at < layout.end) {
        writer.frame(copy.at, &mut copy.locals, &copy.stack)?;
    }
    if added.handler {
        let thrown = Type::Class(writer.pool.class("java/lang/Throwable")?);
        writer.frame(layout.end, &mut adjust.handler(), &[thrown])?;
    }
    for mut copy in copies {
        writer.frame(copy.at, &mut copy.locals, &copy.stack)?;
    }
    let count = writer.count;
    let count = u16::try_from(count).map_err(|_| Skip::TooMany {
        what: "stack map frames",
        limit: usize::from(u16::MAX),
        needed: count,
    })?;
    out[start..start + 2].copy_from_slice(&count.to_be_bytes());
    Ok(())
}

/// A frame that stands at a second place.
struct Copied {
    /// Its new offset.
    at: usize,
    locals: Vec<Type>,
    stack: Vec<Type>,
}

/// The frames that are needed a second time, in the order of `copies`.
fn copy(attribute: Attribute<'_>, adjust: &Adjust<'_>, copies: &[(usize, usize)]) -> Result<Vec<Copied>, Failure> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(attribute.data, attribute.offset);
    let mut locals = adjust.initial.clone();
    let (mut stack, mut slots) = (Vec::new(), Vec::new());
    let mut next = 0;
    let mut shown = 0;
    for _ in 0..cursor.u2()? {
        let offset = read(&mut cursor, &mut locals, &mut stack, &mut next)?;
        for &(_, at) in copies.iter().filter(|copy| copy.0 == offset) {
            shown += locals.len() + stack.len();
            if shown > MAX_SIZE {
                let what = "variables in the stack map frames";
                return Err(Skip::TooMany { what, limit: MAX_SIZE, needed: shown }.into());
            }
            let mut adjusted = Vec::new();
            adjust.apply(&locals, &mut slots, &mut adjusted)?;
            found.push(Copied { at, locals: adjusted, stack: stack.clone() });
        }
    }
    found.sort_by_key(|copy| copy.at);
    Ok(found)
}

/// Reads one frame: its offset. `locals` and `stack` become the frame's, `next` the least offset the next one may have.
fn read(
    cursor: &mut Cursor<'_>,
    locals: &mut Vec<Type>,
    stack: &mut Vec<Type>,
    next: &mut usize,
) -> Result<usize, Failure> {
    let tag = cursor.u1()?;
    stack.clear();
    let delta = match tag {
        0..=63 => u16::from(tag),
        64..=127 => {
            stack.push(Type::read(cursor)?);
            u16::from(tag - 64)
        }
        247 => {
            let delta = cursor.u2()?;
            stack.push(Type::read(cursor)?);
            delta
        }
        248..=250 => {
            let delta = cursor.u2()?;
            let Some(left) = locals.len().checked_sub(usize::from(251 - tag)) else {
                return Err(Skip::Malformed { offset: *next, what: "locals of a stack map frame" }.into());
            };
            locals.truncate(left);
            delta
        }
        251 => cursor.u2()?,
        252..=254 => {
            let delta = cursor.u2()?;
            for _ in 251..tag {
                locals.push(Type::read(cursor)?);
            }
            delta
        }
        255 => {
            let delta = cursor.u2()?;
            locals.clear();
            for _ in 0..cursor.u2()? {
                locals.push(Type::read(cursor)?);
            }
            for _ in 0..cursor.u2()? {
                stack.push(Type::read(cursor)?);
            }
            delta
        }
        _ => return Err(Skip::UnknownFrame { tag }.into()),
    };
    let offset = *next + usize::from(delta);
    *next = offset + 1;
    Ok(offset)
}

struct Writer<'w, 'a> {
    out: &'w mut Vec<u8>,
    /// Where the table begins in `out`.
    start: usize,
    count: usize,
    /// New offset of the last frame written.
    previous: Option<usize>,
    locals: Vec<Type>,
    layout: &'w Layout,
    adjust: &'w Adjust<'a>,
    pool: &'w mut PoolEditor,
}

impl Writer<'_, '_> {
    /// Writes a frame, whose locals it takes and leaves those of the one before in their place.
    fn frame(&mut self, at: usize, locals: &mut Vec<Type>, stack: &[Type]) -> Result<(), Failure> {
        // Frames ascend and lie within 65,535 bytes, so the distance fits.
        let delta = at - self.previous.map_or(0, |previous| previous + 1);
        let short = delta as u16;
        let small = u8::try_from(delta).ok().filter(|&delta| delta < 64);
        let common = self.locals.iter().zip(&*locals).take_while(|(a, b)| a == b).count();
        let (gone, added) = (self.locals.len() - common, locals.len() - common);
        match (stack, gone, added) {
            ([], 0, 0) => match small {
                Some(small) => self.out.push(small),
                None => self.header(251, short),
            },
            (&[held], 0, 0) => {
                match small {
                    Some(small) => self.out.push(64 + small),
                    None => self.header(247, short),
                }
                self.held(held)?;
            }
            ([], 1..=3, 0) => self.header(251 - gone as u8, short),
            ([], 0, 1..=3) => {
                self.header(251 + added as u8, short);
                for &held in &locals[common..] {
                    self.held(held)?;
                }
            }
            _ => {
                self.header(255, short);
                for list in [locals, stack] {
                    let count = u16::try_from(list.len()).map_err(|_| Skip::TooMany {
                        what: "variables in a stack map frame",
                        limit: usize::from(u16::MAX),
                        needed: list.len(),
                    })?;
                    put2(self.out, count);
                    for &held in list {
                        self.held(held)?;
                    }
                }
            }
        }
        let needed = self.out.len() - self.start;
        if needed > MAX_SIZE {
            return Err(Skip::TooMany { what: "bytes of stack map frames", limit: MAX_SIZE, needed }.into());
        }
        self.count += 1;
        self.previous = Some(at);
        std::mem::swap(&mut self.locals, locals);
        Ok(())
    }

    fn header(&mut self, tag: u8, delta: u16) {
        self.out.push(tag);
        put2(self.out, delta);
    }

    fn held(&mut self, held: Type) -> Result<(), Full> {
        let (tag, operand) = match held {
            Type::Top => (0, None),
            Type::Integer => (1, None),
            Type::Float => (2, None),
            Type::Double => (3, None),
            Type::Long => (4, None),
            Type::Null => (5, None),
            Type::UninitializedThis => (6, None),
            Type::Class(index) => (7, Some(index)),
            Type::Uninitialized(offset) => (8, Some(self.layout.of(usize::from(offset)).instruction as u16)),
            Type::Object => (7, Some(self.pool.class("java/lang/Object")?)),
            Type::Parameter(index) => (7, Some(self.pool.class(self.adjust.parameters[usize::from(index)])?)),
        };
        self.out.push(tag);
        if let Some(operand) = operand {
            put2(self.out, operand);
        }
        Ok(())
    }
}
