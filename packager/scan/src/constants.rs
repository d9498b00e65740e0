//! Follows constant texts, classes and options to the calls that take them.
//!
//! Only methods with such a call are looked at again.

mod evaluate;

pub(crate) use evaluate::unknown;

use crate::classes::Classes;
use crate::outcome::{Found, Target};
use crate::present::Verdicts;
use crate::rules::Check;
use classfile::bytecode::Bytecode;
use classfile::values::each_call;
use evaluate::{Arguments, Evaluator};

/// Evaluates the calls of `method` whose permissions depend on their arguments.
pub(crate) fn run<'s>(
    set: &Classes<'s>,
    class: u32,
    method: u32,
    code: Bytecode<'s>,
    verdicts: &Verdicts,
    found: &mut Found,
) {
    let pool = set.entry(class).file.pool();
    let mut evaluator = Evaluator { set, class, method, found };
    each_call(pool, code, |machine, given| {
        let rule = verdicts.rule(given.constant).filter(|rule| rule.check != Check::None)?;
        let arguments = Arguments { receiver: given.receiver.clone(), values: given.arguments };
        evaluator.call(machine, rule, Target::Constant(given.constant), &arguments)
    });
}
