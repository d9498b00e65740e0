//! Reads the instructions of methods: what they name, where they jump, and what they do to the operand stack.
//!
//! Weaving has its own pass in `code`; this one changes nothing and allocates nothing.

mod uses;

pub use uses::{Use, Uses};

use crate::bytes::get2;
use crate::code::{opcode, scan};
use crate::reader::Member;
use crate::weave::Skip;

/// How a call finds its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `invokevirtual`: by the class of the receiver.
    Virtual,
    /// `invokespecial`: constructors, private methods and those of a superclass.
    Special,
    /// `invokestatic`: no receiver.
    Static,
    /// `invokeinterface`: by the class of the receiver.
    Interface,
}

/// What an instruction does, as far as readers care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Pushes the constant of that index.
    Constant(u16),
    /// Pushes a small `int`.
    Int(i32),
    /// Pushes the local variable.
    Load(u16),
    /// Pops into the local variable; it takes that many slots.
    Store(u16, u8),
    /// Adds to the local variable.
    Increment(u16),
    /// Pushes a field or pops into it.
    Field {
        /// Index of the field reference.
        constant: u16,
        /// Whether it has no receiver.
        is_static: bool,
        /// Whether it is read.
        is_read: bool,
    },
    /// Calls the method of that index.
    Call(Call, u16),
    /// Calls what the bootstrap method of the dynamic constant of that index links.
    Dynamic(u16),
    /// Makes an instance of the class of that index.
    New(u16),
    /// Makes an array with elements of the class of that index.
    NewArray(u16),
    /// Stores a reference into an array.
    StoreElement,
    /// Casts to the class of that index; the value stays.
    Cast(u16),
    /// Duplicates or swaps values; the number is the opcode, `dup` (89) to `swap` (95).
    Shuffle(u8),
    /// Jumps, perhaps.
    Jump,
    /// Jumps by a table.
    Switch,
    /// Something else with a fixed effect on the stack.
    Other,
}

/// One instruction.
#[derive(Debug, Clone, Copy)]
pub struct Instruction<'a> {
    code: &'a [u8],
    /// Where it begins in the code.
    pub offset: usize,
    /// What it does.
    pub op: Op,
}

impl Instruction<'_> {
    /// Stack slots that it pops and pushes. Those of calls, fields and [`Op::Shuffle`] depend on more and count as none.
    pub fn effect(&self) -> (u8, u8) {
        let opcode = self.code[self.offset];
        if opcode == opcode::MULTIANEWARRAY {
            return (self.code[self.offset + 3], 1);
        }
        let opcode = if opcode == opcode::WIDE { self.code[self.offset + 1] } else { opcode };
        EFFECTS[usize::from(opcode)]
    }

    /// Whether the next instruction is never reached from here.
    pub fn ends_flow(&self) -> bool {
        opcode::ends_flow(self.code[self.offset])
    }

    /// Calls `visit` with each offset that it may jump to; they may be wild.
    pub fn each_target(&self, mut visit: impl FnMut(usize)) {
        if matches!(self.op, Op::Jump | Op::Switch) {
            let done: Result<(), std::convert::Infallible> = scan::each_target(self.code, self.offset, |target| {
                visit(target);
                Ok(())
            });
            let Ok(()) = done;
        }
    }
}

/// The code of a method.
#[derive(Debug, Clone, Copy)]
pub struct Bytecode<'a> {
    code: &'a [u8],
    /// The exception table, eight bytes an entry.
    handlers: &'a [u8],
}

impl<'a> Bytecode<'a> {
    /// The code of `method`; `None` if it is abstract or native.
    ///
    /// # Errors
    /// A `Code` attribute that is cut off.
    pub fn of(method: &Member<'a>) -> Result<Option<Self>, Skip> {
        method.attribute("Code").map(|attribute| Self::parse(attribute.data)).transpose()
    }

    /// Splits the contents of a `Code` attribute.
    ///
    /// # Errors
    /// It is cut off.
    pub fn parse(data: &'a [u8]) -> Result<Self, Skip> {
        let malformed = |what| Skip::Malformed { offset: 0, what };
        if data.len() < 8 {
            return Err(malformed("length of the code"));
        }
        let length = usize::from(get2(data, 4)) << 16 | usize::from(get2(data, 6));
        let code = data[8..].get(..length).ok_or(malformed("length of the code"))?;
        let rest = &data[8 + length..];
        let count = usize::from(*rest.first().ok_or(malformed("exception table"))?) << 8
            | usize::from(*rest.get(1).ok_or(malformed("exception table"))?);
        let handlers = rest[2..].get(..8 * count).ok_or(malformed("exception table"))?;
        Ok(Self { code, handlers })
    }

    /// Bytes of the code.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether there is no instruction, which no JVM accepts.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// The instructions in file order.
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions { code: self.code, at: 0 }
    }

    /// The instructions that name a constant, in file order, without casts and arrays.
    #[inline]
    pub fn uses(&self) -> Uses<'a> {
        Uses { code: self.code, at: 0 }
    }

    /// Offsets at which exception handlers begin.
    pub fn handlers(&self) -> impl Iterator<Item = usize> + 'a {
        self.handlers.chunks_exact(8).map(|entry| usize::from(get2(entry, 4)))
    }
}

/// Iterates instructions; an error is the last item.
#[derive(Debug, Clone)]
pub struct Instructions<'a> {
    code: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>, Skip>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.code.len() {
            return None;
        }
        let offset = self.at;
        match opcode::length(self.code, offset) {
            Ok(length) => {
                self.at += length;
                Some(Ok(Instruction { code: self.code, offset, op: decode(self.code, offset) }))
            }
            Err(skip) => {
                self.at = self.code.len();
                Some(Err(skip))
            }
        }
    }
}

/// Decodes the instruction at `at`, which lies completely within the code.
#[inline]
fn decode(code: &[u8], at: usize) -> Op {
    use opcode as o;
    let one = || u16::from(code[at + 1]);
    let two = || get2(code, at + 1);
    let field = |is_static, is_read| Op::Field { constant: two(), is_static, is_read };
    // Kinds of values alternate between one slot and two: int, long, float, double, reference.
    let slots = |kind: u8| if kind % 2 == 1 { 2 } else { 1 };
    match code[at] {
        op @ 2..=8 => Op::Int(i32::from(op) - i32::from(o::ICONST_0)),
        o::BIPUSH => Op::Int(i32::from(code[at + 1].cast_signed())),
        o::SIPUSH => Op::Int(i32::from(two().cast_signed())),
        o::LDC => Op::Constant(one()),
        o::LDC_W | 20 => Op::Constant(two()),
        o::ILOAD..=o::ALOAD => Op::Load(one()),
        op @ o::ILOAD_0..=o::ALOAD_3 => Op::Load(u16::from((op - o::ILOAD_0) % 4)),
        op @ o::ISTORE..=o::ASTORE => Op::Store(one(), slots(op - o::ISTORE)),
        op @ o::ISTORE_0..=o::ASTORE_3 => Op::Store(u16::from((op - o::ISTORE_0) % 4), slots((op - o::ISTORE_0) / 4)),
        o::AASTORE => Op::StoreElement,
        op @ o::DUP..=o::SWAP => Op::Shuffle(op),
        o::IINC => Op::Increment(one()),
        o::IFEQ..=o::JSR | o::IFNULL | o::IFNONNULL | o::GOTO_W | o::JSR_W => Op::Jump,
        o::TABLESWITCH | o::LOOKUPSWITCH => Op::Switch,
        o::GETSTATIC => field(true, true),
        o::PUTSTATIC => field(true, false),
        o::GETFIELD => field(false, true),
        o::PUTFIELD => field(false, false),
        o::INVOKEVIRTUAL => Op::Call(Call::Virtual, two()),
        o::INVOKESPECIAL => Op::Call(Call::Special, two()),
        o::INVOKESTATIC => Op::Call(Call::Static, two()),
        o::INVOKEINTERFACE => Op::Call(Call::Interface, two()),
        o::INVOKEDYNAMIC => Op::Dynamic(two()),
        o::NEW => Op::New(two()),
        o::ANEWARRAY => Op::NewArray(two()),
        192 => Op::Cast(two()),
        o::WIDE => match code[at + 1] {
            o::ILOAD..=o::ALOAD => Op::Load(get2(code, at + 2)),
            op @ o::ISTORE..=o::ASTORE => Op::Store(get2(code, at + 2), slots(op - o::ISTORE)),
            o::IINC => Op::Increment(get2(code, at + 2)),
            _ => Op::Other,
        },
        _ => Op::Other,
    }
}

/// Slots popped and pushed by each opcode, as chapter 6.5 of the specification of the virtual machine gives them.
const EFFECTS: [(u8, u8); 256] = {
    let mut effects = [(0, 0); 256];
    // First and last opcode, and their effect.
    let spans: [(usize, usize, (u8, u8)); 63] = [
        (1, 8, (0, 1)),
        (9, 10, (0, 2)),
        (11, 13, (0, 1)),
        (14, 15, (0, 2)),
        (16, 19, (0, 1)),
        (20, 20, (0, 2)),
        (21, 21, (0, 1)),
        (22, 22, (0, 2)),
        (23, 23, (0, 1)),
        (24, 24, (0, 2)),
        (25, 29, (0, 1)),
        (30, 33, (0, 2)),
        (34, 37, (0, 1)),
        (38, 41, (0, 2)),
        (42, 45, (0, 1)),
        (46, 53, (2, 1)),
        (47, 47, (2, 2)),
        (49, 49, (2, 2)),
        (54, 54, (1, 0)),
        (55, 55, (2, 0)),
        (56, 56, (1, 0)),
        (57, 57, (2, 0)),
        (58, 62, (1, 0)),
        (63, 66, (2, 0)),
        (67, 70, (1, 0)),
        (71, 74, (2, 0)),
        (75, 78, (1, 0)),
        (79, 86, (3, 0)),
        (80, 80, (4, 0)),
        (82, 82, (4, 0)),
        (87, 87, (1, 0)),
        (88, 88, (2, 0)),
        (96, 115, (2, 1)),
        (116, 116, (1, 1)),
        (117, 117, (2, 2)),
        (118, 118, (1, 1)),
        (119, 119, (2, 2)),
        (120, 131, (2, 1)),
        (133, 133, (1, 2)),
        (134, 134, (1, 1)),
        (135, 135, (1, 2)),
        (136, 137, (2, 1)),
        (138, 138, (2, 2)),
        (139, 139, (1, 1)),
        (140, 141, (1, 2)),
        (142, 142, (2, 1)),
        (143, 143, (2, 2)),
        (144, 144, (2, 1)),
        (145, 147, (1, 1)),
        (148, 148, (4, 1)),
        (149, 150, (2, 1)),
        (151, 152, (4, 1)),
        (153, 158, (1, 0)),
        (159, 166, (2, 0)),
        (168, 168, (0, 1)),
        (170, 172, (1, 0)),
        (187, 187, (0, 1)),
        (188, 190, (1, 1)),
        (191, 191, (1, 0)),
        (192, 193, (1, 1)),
        (194, 195, (1, 0)),
        (198, 199, (1, 0)),
        (201, 201, (0, 1)),
    ];
    let mut i = 0;
    while i < spans.len() {
        let (mut opcode, last, effect) = spans[i];
        while opcode <= last {
            effects[opcode] = effect;
            opcode += 1;
        }
        i += 1;
    }
    // Arithmetic on long and double: two slots a value, and shifts by an int.
    let mut opcode = 97;
    while opcode <= 131 {
        if opcode % 2 == 1 && (opcode < 116 || opcode > 119) {
            effects[opcode] = if opcode >= 121 && opcode <= 125 { (3, 2) } else { (4, 2) };
        }
        opcode += 1;
    }
    effects
};
