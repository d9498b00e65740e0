//! Follows constant texts, classes and options to the calls that take them.
//!
//! Only methods with such a call are looked at again. Values are followed along straight lines: where paths join, nothing is
//! known, so that a constant is never taken for the only possible one where it is not.

mod evaluate;
mod machine;

pub(crate) use evaluate::unknown;

use crate::classes::Classes;
use crate::outcome::{Found, Target};
use crate::present::Verdicts;
use crate::rules::Check;
use classfile::bytecode::{Bytecode, Call, Op};
use evaluate::{Arguments, Evaluator};
use machine::{Machine, Value};

/// Evaluates the calls of `method` whose permissions depend on their arguments.
pub(crate) fn run<'s>(
    set: &Classes<'s>,
    class: u32,
    method: u32,
    code: Bytecode<'s>,
    verdicts: &Verdicts,
    found: &mut Found,
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
    let pool = set.entry(class).file.pool();
    let mut machine = Machine::new(pool);
    let mut evaluator = Evaluator { set, class, method, found };
    for instruction in code.instructions().flatten() {
        if joins[instruction.offset] {
            machine.forget();
        }
        match instruction.op {
            Op::Call(kind, index) => {
                let Ok(member) = pool.member_ref(index) else { return };
                let Some(values) = machine.pop_arguments(member.descriptor) else { return };
                let receiver = if kind == Call::Static { Value::Unknown } else { machine.pop() };
                let arguments = Arguments { receiver, values: &values };
                let result = match verdicts.rule(index) {
                    Some(rule) if rule.check != Check::None => {
                        evaluator.call(&machine, rule, Target::Constant(index), &arguments)
                    }
                    _ => None,
                };
                machine.push_result(member.descriptor, result);
            }
            _ => machine.step(&instruction),
        }
        if instruction.ends_flow() {
            machine.forget();
        }
    }
}
