//! From plans of [`crate::weaving`] to those that the weaver takes today.

use crate::weaving;
use classfile::weave::{Call, Plan, Source};

/// The plan without its sites.
pub(crate) fn plan(plan: weaving::Plan) -> Plan {
    Plan { entry: calls(plan.entry), returns: calls(plan.returns), errors: calls(plan.errors) }
}

fn calls(calls: Vec<weaving::Call>) -> Vec<Call> {
    calls
        .into_iter()
        .map(|call| Call { name: call.name, parameters: call.parameters.into_iter().map(source).collect() })
        .collect()
}

fn source(source: weaving::Source) -> Source {
    match source {
        weaving::Source::This => Source::This,
        weaving::Source::Argument(index) => Source::Argument(index),
        weaving::Source::Return => Source::Return,
        weaving::Source::Duration => Source::Duration,
        weaving::Source::Thrown => Source::Thrown,
        weaving::Source::Text(text) => Source::Text(text),
        // Only places within a method pass these.
        weaving::Source::Null
        | weaving::Source::Int(_)
        | weaving::Source::Target
        | weaving::Source::Operand(_)
        | weaving::Source::Result => Source::Null,
    }
}
