//! The operand stack as [`super::flow`] sees it, and what instructions do to it.

use super::Failure;
use super::flow::{OTHER, Value};
use crate::reader::ConstantPool;
use crate::weave::Skip;
use crate::{descriptor, mutf8};

/// The operand stack before one instruction.
pub(super) struct Stack<'s> {
    pub(super) slots: &'s mut Vec<Value>,
    pub(super) at: usize,
    pub(super) limit: usize,
}

impl Stack<'_> {
    pub(super) fn need(&self, count: usize) -> Result<(), Skip> {
        if self.slots.len() < count {
            return Err(Skip::Malformed { offset: self.at, what: "stack underflow" });
        }
        Ok(())
    }

    pub(super) fn pop(&mut self, count: usize) -> Result<(), Skip> {
        self.need(count)?;
        self.slots.truncate(self.slots.len() - count);
        Ok(())
    }

    pub(super) fn push(&mut self, value: Value) -> Result<(), Skip> {
        if self.slots.len() >= self.limit {
            return Err(Skip::Malformed { offset: self.at, what: "stack overflow" });
        }
        self.slots.push(value);
        Ok(())
    }

    /// Pushes slots that hold no uninitialised object.
    pub(super) fn others(&mut self, count: usize) -> Result<(), Skip> {
        (0..count).try_for_each(|_| self.push(OTHER))
    }

    /// Copies the top `count` slots to below the `below` slots beneath them.
    pub(super) fn duplicate(&mut self, count: usize, below: usize) -> Result<(), Skip> {
        self.need(count + below)?;
        if self.slots.len() + count > self.limit {
            return Err(Skip::Malformed { offset: self.at, what: "stack overflow" });
        }
        let length = self.slots.len();
        let copied = self.slots[length - count..].to_vec();
        let place = length - count - below;
        self.slots.splice(place..place, copied);
        Ok(())
    }
}

pub(super) fn field_slots(pool: &ConstantPool<'_>, index: u16) -> Result<usize, Failure> {
    let member = pool.member_ref(index)?;
    Ok(if matches!(member.descriptor, b"J" | b"D") { 2 } else { 1 })
}

/// Name, slots of the arguments and slots of the result.
pub(super) fn call_slots<'a>(
    pool: &ConstantPool<'a>,
    index: u16,
    dynamic: bool,
) -> Result<(&'a [u8], usize, usize), Failure> {
    let (name, text) = if dynamic {
        let site = pool.dynamic(index)?;
        (site.name, site.descriptor)
    } else {
        let member = pool.member_ref(index)?;
        (member.name, member.descriptor)
    };
    let text = mutf8::decode_lossy(text)?;
    let parsed = descriptor::method(&text)?;
    let result = parsed.result.map_or(0, |result| usize::from(result.kind.slots()));
    Ok((name, parsed.parameter_slots(), result))
}

/// Slots popped and pushed by instructions whose effect the opcode alone decides, the rest being handled above.
pub(super) fn effect(op: u8) -> (usize, usize) {
    match op {
        1..=8 | 11..=13 | 16..=19 | 21 | 23 | 26..=29 | 34..=37 | 187 => (0, 1),
        9 | 10 | 14 | 15 | 20 | 22 | 24 | 30..=33 | 38..=41 => (0, 2),
        79 | 81 | 83..=86 => (3, 0),
        80 | 82 => (4, 0),
        46
        | 48
        | 50..=53
        | 96
        | 98
        | 100
        | 102
        | 104
        | 106
        | 108
        | 110
        | 112
        | 114
        | 120
        | 122
        | 124
        | 126
        | 128
        | 130
        | 136
        | 137
        | 142
        | 144
        | 149
        | 150 => (2, 1),
        97 | 99 | 101 | 103 | 105 | 107 | 109 | 111 | 113 | 115 | 127 | 129 | 131 => (4, 2),
        116 | 118 | 134 | 139 | 145..=147 | 188..=190 | 192 | 193 => (1, 1),
        47 | 49 | 117 | 119 | 138 | 143 => (2, 2),
        121 | 123 | 125 => (3, 2),
        133 | 135 | 140 | 141 => (1, 2),
        148 | 151 | 152 => (4, 1),
        153..=158 | 170..=172 | 174 | 176 | 191 | 194 | 195 | 198 | 199 => (1, 0),
        159..=166 | 173 | 175 => (2, 0),
        _ => (0, 0),
    }
}
