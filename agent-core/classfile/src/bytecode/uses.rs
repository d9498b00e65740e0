//! The constants that instructions name, found as fast as instructions can be told from each other.

use super::Call;
use crate::bytes::get2;
use crate::code::opcode;
use crate::weave::Skip;

/// What an instruction does with the constant that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Pushes it.
    Constant(u16),
    /// Reads or writes a static field.
    StaticField(u16),
    /// Reads or writes a field of an instance.
    Field(u16),
    /// Calls a method.
    Call(Call, u16),
    /// Calls what a bootstrap method links.
    Dynamic(u16),
    /// Makes an instance.
    New(u16),
}

/// Iterates what instructions use; an error is the last item.
#[derive(Debug, Clone)]
pub struct Uses<'a> {
    pub(super) code: &'a [u8],
    pub(super) at: usize,
}

impl Iterator for Uses<'_> {
    type Item = Result<Use, Skip>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        use opcode as o;
        let code = self.code;
        loop {
            let at = self.at;
            let opcode = *code.get(at)?;
            let step = STEPS[usize::from(opcode)];
            if step < NAMES {
                if step == 0 {
                    // Switches, `wide`, and what there is not.
                    match opcode::length(code, at) {
                        Ok(length) => self.at += length,
                        Err(skip) => {
                            self.at = code.len();
                            return Some(Err(skip));
                        }
                    }
                } else {
                    self.at += usize::from(step);
                    if self.at > code.len() {
                        return Some(Err(Skip::Malformed { offset: at, what: "truncated instruction" }));
                    }
                }
                continue;
            }
            self.at += usize::from(step - NAMES);
            if self.at > code.len() {
                self.at = code.len();
                return Some(Err(Skip::Malformed { offset: at, what: "truncated instruction" }));
            }
            if opcode == o::LDC {
                return Some(Ok(Use::Constant(u16::from(code[at + 1]))));
            }
            let index = get2(code, at + 1);
            return Some(Ok(match opcode {
                o::GETSTATIC | o::PUTSTATIC => Use::StaticField(index),
                o::GETFIELD | o::PUTFIELD => Use::Field(index),
                o::INVOKEVIRTUAL => Use::Call(Call::Virtual, index),
                o::INVOKESPECIAL => Use::Call(Call::Special, index),
                o::INVOKESTATIC => Use::Call(Call::Static, index),
                o::INVOKEINTERFACE => Use::Call(Call::Interface, index),
                o::INVOKEDYNAMIC => Use::Dynamic(index),
                opcode::NEW => Use::New(index),
                _ => Use::Constant(index),
            }));
        }
    }
}

/// In [`STEPS`], what is added for instructions that name a constant.
const NAMES: u8 = 16;

/// Length of each instruction, 0 where it has to be computed, and whether [`Uses`] stops at it.
const STEPS: [u8; 256] = {
    let mut steps = [0; 256];
    let mut at = 0;
    while at < opcode::LENGTHS.len() {
        let names = matches!(at as u8, opcode::LDC..=20 | opcode::GETSTATIC..=opcode::NEW);
        steps[at] = opcode::LENGTHS[at] + if names { NAMES } else { 0 };
        at += 1;
    }
    steps
};

#[cfg(test)]
mod tests {
    use super::super::{Bytecode, Op};
    use super::*;
    use crate::ClassFile;

    #[test]
    fn uses_are_the_instructions_that_name_constants() {
        let folder = tempfile::tempdir().unwrap();
        let source = "class A { static long s = 1L << 40; int f; Object m(int n, Object o) { long big = 123456789012L; double d = 2.5;
            switch (n) { case 1: return \"x\"; case 2: return new int[n][n]; case 900: return A.class; default: }
            Runnable r = () -> s++; f += n; for (int i = 0; i < n; i += 1000) { f += i; } r.run(); o.hashCode();
            return n > 3 ? new StringBuilder(\"\" + big + d) : (A) o; } }";
        fixtures::javac(&[("A.java", source)], &[], folder.path()).unwrap();
        let bytes = fs_err::read(folder.path().join("A.class")).unwrap();
        let file = ClassFile::parse(&bytes).unwrap();
        let mut kinds = Vec::new();
        for method in file.methods() {
            let Some(code) = Bytecode::of(&method).unwrap() else { continue };
            let named = code.instructions().map(Result::unwrap).filter_map(|instruction| match instruction.op {
                Op::Constant(index) => Some(Use::Constant(index)),
                Op::Field { constant, is_static: true, .. } => Some(Use::StaticField(constant)),
                Op::Field { constant, .. } => Some(Use::Field(constant)),
                Op::Call(call, index) => Some(Use::Call(call, index)),
                Op::Dynamic(index) => Some(Use::Dynamic(index)),
                Op::New(index) => Some(Use::New(index)),
                _ => None,
            });
            let named: Vec<Use> = named.collect();
            assert_eq!(code.uses().map(Result::unwrap).collect::<Vec<_>>(), named);
            kinds.extend(named.iter().map(std::mem::discriminant));
        }
        kinds.dedup();
        let distinct: std::collections::HashSet<_> = kinds.into_iter().collect();
        assert_eq!(distinct.len(), 6);
    }

    #[test]
    fn uses_end_with_what_is_wrong() {
        let ends = |code: &[u8]| Uses { code, at: 0 }.collect::<Vec<_>>();
        assert_eq!(ends(&[opcode::INVOKESTATIC, 0, 7, 177]), [Ok(Use::Call(Call::Static, 7))]);
        for code in [&[opcode::INVOKESTATIC, 0][..], &[opcode::SIPUSH, 1], &[opcode::TABLESWITCH], &[255]] {
            assert!(matches!(ends(code)[..], [Err(_)]), "{code:?}");
        }
    }
}
