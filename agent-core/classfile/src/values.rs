//! Follows constants through operand stack and local variables to the calls that take them.
//!
//! Values are followed along straight lines: where paths join, nothing is known, so that a constant is never taken for the
//! only possible one where it is not.

use crate::bytecode::{Bytecode, Call, Instruction, Op};
use crate::reader::{ConstantPool, MemberRef, tag};

/// What is known of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'s> {
    /// Nothing.
    Unknown,
    /// A text, in modified UTF-8.
    Text(&'s [u8]),
    /// A class, by its internal name.
    Class(Vec<u8>),
    /// What a static field holds: the internal name of the class that it is read from, and its name.
    Static(&'s [u8], &'s [u8]),
    /// A small `int`.
    Int(i32),
    /// An array, for [`Machine::array`].
    Array(usize),
    /// What somebody who watches the calls put in the place of a result.
    Mark(usize),
}

/// Classes of the JDK whose methods only read the arrays that they are given.
const READERS: [&[u8]; 6] = [
    b"java/lang/Class",
    b"java/lang/invoke/MethodHandles$Lookup",
    b"java/lang/invoke/MethodType",
    b"java/nio/channels/AsynchronousFileChannel",
    b"java/nio/channels/FileChannel",
    b"java/nio/file/Files",
];

/// What is known of an array.
#[derive(Debug)]
struct Elements<'s> {
    stored: Vec<Value<'s>>,
    length: Option<usize>,
    /// Other code has it too, which may store what is not seen here.
    shared: bool,
}

/// The state at one instruction. A stack that runs empty holds unknown values below.
#[derive(Debug)]
pub struct Machine<'s, 'p> {
    pool: &'p ConstantPool<'s>,
    stack: Vec<Value<'s>>,
    locals: Vec<Value<'s>>,
    arrays: Vec<Elements<'s>>,
}

impl<'s, 'p> Machine<'s, 'p> {
    /// Nothing is known yet.
    pub fn new(pool: &'p ConstantPool<'s>) -> Self {
        Self { pool, stack: Vec::new(), locals: Vec::new(), arrays: Vec::new() }
    }

    /// Forgets everything, where paths join.
    pub fn forget(&mut self) {
        self.stack.clear();
        self.locals.clear();
    }

    /// Elements that were stored into an array; `None` if there may be others.
    pub fn array(&self, array: usize) -> Option<&[Value<'s>]> {
        let elements = &self.arrays[array];
        (!elements.shared && elements.length == Some(elements.stored.len())).then_some(&elements.stored)
    }

    /// Other code gets a value.
    fn share(&mut self, value: &Value<'s>) {
        if let Value::Array(array) = value {
            self.arrays[*array].shared = true;
        }
    }

    /// Pops a value of one slot.
    pub fn pop(&mut self) -> Value<'s> {
        self.stack.pop().unwrap_or(Value::Unknown)
    }

    fn push(&mut self, value: Value<'s>) {
        self.stack.push(value);
    }

    fn push_unknown(&mut self, slots: usize) {
        self.stack.extend(std::iter::repeat_n(Value::Unknown, slots));
    }

    fn pop_slots(&mut self, slots: usize) {
        self.stack.truncate(self.stack.len().saturating_sub(slots));
    }

    /// Pops the arguments of a call, the first one first; `None` for a malformed descriptor.
    pub fn pop_arguments(&mut self, descriptor: &[u8]) -> Option<Vec<Value<'s>>> {
        let widths = parameter_slots(descriptor)?;
        let mut values = Vec::with_capacity(widths.len());
        for width in widths.into_iter().rev() {
            let value = self.pop();
            if width == 2 {
                self.pop_slots(1);
                values.push(Value::Unknown);
            } else {
                values.push(value);
            }
        }
        values.reverse();
        Some(values)
    }

    /// Pushes what a call returns.
    pub fn push_result(&mut self, descriptor: &[u8], value: Option<Value<'s>>) {
        let result = descriptor.iter().rposition(|&byte| byte == b')').and_then(|at| descriptor.get(at + 1));
        match (result, value) {
            (Some(b'V') | None, _) => {}
            (Some(b'J' | b'D'), _) => self.push_unknown(2),
            (_, value) => self.push(value.unwrap_or(Value::Unknown)),
        }
    }

    /// Does what an instruction other than a call does.
    pub fn step(&mut self, instruction: &Instruction<'_>) {
        let (pops, pushes) = instruction.effect();
        match instruction.op {
            Op::Constant(index) if pushes == 1 => {
                let value = match self.pool.tag(index) {
                    Some(tag::STRING) => self.pool.string(index).map(Value::Text),
                    Some(tag::CLASS) => self.pool.class_name(index).map(|name| Value::Class(name.to_vec())),
                    _ => Ok(Value::Unknown),
                };
                self.push(value.unwrap_or(Value::Unknown));
            }
            Op::Int(value) => self.push(Value::Int(value)),
            Op::Load(local) if pushes == 1 => {
                let value = self.locals.get(usize::from(local)).cloned().unwrap_or(Value::Unknown);
                self.push(value);
            }
            Op::Store(local, slots) => {
                let value = self.pop();
                self.pop_slots(usize::from(slots) - 1);
                let local = usize::from(local);
                if self.locals.len() < local + 2 {
                    self.locals.resize(local + 2, Value::Unknown);
                }
                if slots == 2 {
                    self.locals[local + 1] = Value::Unknown;
                }
                self.locals[local] = if slots == 1 { value } else { Value::Unknown };
            }
            Op::Increment(local) => {
                if let Some(local) = self.locals.get_mut(usize::from(local)) {
                    *local = Value::Unknown;
                }
            }
            Op::Field { constant, is_static, is_read } => self.field(constant, is_static, is_read),
            Op::Dynamic(index) => {
                let Ok(dynamic) = self.pool.dynamic(index) else { return self.forget() };
                let values = self.pop_arguments(dynamic.descriptor);
                values.iter().flatten().for_each(|value| self.share(value));
                self.push_result(dynamic.descriptor, None);
            }
            Op::NewArray(_) => {
                let length = if let Value::Int(length) = self.pop() { usize::try_from(length).ok() } else { None };
                self.arrays.push(Elements { stored: Vec::new(), length, shared: false });
                self.push(Value::Array(self.arrays.len() - 1));
            }
            Op::StoreElement => {
                let value = self.pop();
                self.share(&value);
                self.pop();
                if let Value::Array(array) = self.pop() {
                    self.arrays[array].stored.push(value);
                }
            }
            Op::Cast(_) => {}
            Op::Shuffle(opcode) => self.shuffle(opcode),
            _ => {
                self.pop_slots(usize::from(pops));
                self.push_unknown(usize::from(pushes));
            }
        }
    }

    fn field(&mut self, constant: u16, is_static: bool, is_read: bool) {
        let Ok(field) = self.pool.member_ref(constant) else { return self.forget() };
        let wide = matches!(field.descriptor, b"J" | b"D");
        if !is_read {
            let value = self.pop();
            self.share(&value);
            self.pop_slots(usize::from(wide));
        }
        if !is_static {
            self.pop();
        }
        if is_read {
            match (wide, field.class) {
                (true, _) => self.push_unknown(2),
                (false, class) if is_static => self.push(Value::Static(class, field.name)),
                _ => self.push(Value::Unknown),
            }
        }
    }

    /// `dup` to `swap`: the values that are copied go below others.
    fn shuffle(&mut self, opcode: u8) {
        // How many slots are copied, and below how many further ones.
        let (copied, below): (usize, usize) = match opcode {
            89 => (1, 0),
            90 => (1, 1),
            91 => (1, 2),
            92 => (2, 0),
            93 => (2, 1),
            94 => (2, 2),
            _ => {
                let (one, two) = (self.pop(), self.pop());
                self.push(one);
                return self.push(two);
            }
        };
        let missing = (copied + below).saturating_sub(self.stack.len());
        self.stack.splice(0..0, std::iter::repeat_n(Value::Unknown, missing));
        let top = self.stack[self.stack.len() - copied..].to_vec();
        let at = self.stack.len() - copied - below;
        self.stack.splice(at..at, top);
    }
}

/// A call, and what is known of what it is given.
#[derive(Debug)]
pub struct Given<'m, 's> {
    /// Index of the method in the constant pool.
    pub constant: u16,
    /// The method.
    pub member: MemberRef<'s>,
    /// The receiver; unknown where there is none.
    pub receiver: Value<'s>,
    /// The arguments, in their order.
    pub arguments: &'m [Value<'s>],
}

/// Shows every call of `code` to `visit`, in file order, with what is known of its arguments. What `visit` returns stands for the
/// result of the call. A malformed call ends it.
pub fn each_call<'s>(
    pool: &ConstantPool<'s>,
    code: Bytecode<'s>,
    mut visit: impl FnMut(&Machine<'s, '_>, &Given<'_, 's>) -> Option<Value<'s>>,
) {
    let mut joins = vec![false; code.len()];
    let mut join = |target: usize| {
        if let Some(join) = joins.get_mut(target) {
            *join = true;
        }
    };
    code.handlers().for_each(&mut join);
    for instruction in code.instructions().flatten() {
        instruction.each_target(&mut join);
    }
    let mut machine = Machine::new(pool);
    for instruction in code.instructions().flatten() {
        if joins[instruction.offset] {
            machine.forget();
        }
        match instruction.op {
            Op::Call(kind, constant) => {
                let Ok(member) = pool.member_ref(constant) else { return };
                let Some(values) = machine.pop_arguments(member.descriptor) else { return };
                let receiver = if kind == Call::Static { Value::Unknown } else { machine.pop() };
                let given = Given { constant, member, receiver, arguments: &values };
                let result = visit(&machine, &given);
                if !READERS.contains(&member.class) {
                    for value in &values {
                        machine.share(value);
                    }
                }
                machine.push_result(member.descriptor, result);
            }
            _ => machine.step(&instruction),
        }
        if instruction.ends_flow() {
            machine.forget();
        }
    }
}

/// Slots of each parameter; `None` for a malformed descriptor.
fn parameter_slots(descriptor: &[u8]) -> Option<Vec<u8>> {
    let mut at = 1;
    let mut slots = Vec::new();
    if descriptor.first() != Some(&b'(') {
        return None;
    }
    while *descriptor.get(at)? != b')' {
        let mut slot = if matches!(descriptor[at], b'J' | b'D') { 2 } else { 1 };
        while *descriptor.get(at)? == b'[' {
            slot = 1;
            at += 1;
        }
        if descriptor[at] == b'L' {
            at += descriptor[at..].iter().position(|&byte| byte == b';')?;
        }
        at += 1;
        slots.push(slot);
    }
    Some(slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters() {
        assert_eq!(parameter_slots(b"(IJ[J[Ljava/lang/String;DLa/B;)V"), Some(vec![1, 2, 1, 1, 2, 1]));
        assert_eq!(parameter_slots(b"()V"), Some(vec![]));
        assert_eq!(parameter_slots(b"(Lx"), None);
        assert_eq!(parameter_slots(b"(["), None);
        assert_eq!(parameter_slots(b""), None);
    }
}
