//! Mistakes of a plan. They are the caller's, so they concern more than one method.

use super::instruction::Found;
use super::{Call, MethodInfo, Plan, SiteKind, SitePlan, Source};
use crate::Error;
use crate::descriptor::MethodType;

/// Fails if a call at the entry or an exit asks for what is not there.
pub(super) fn plan(info: &MethodInfo<'_>, plan: &Plan, shape: &MethodType<'_>) -> Result<(), Error> {
    for (calls, place) in [(&plan.entry, "at the entry"), (&plan.returns, "at a return"), (&plan.errors, "at an error")]
    {
        for call in calls {
            check_call(info, call, shape, |source| match source {
                Source::Target | Source::Operand(_) | Source::Result => Some(place.to_owned()),
                _ => None,
            })?;
        }
    }
    Ok(())
}

/// The same for a site.
pub(super) fn site(
    info: &MethodInfo<'_>,
    found: &Found<'_>,
    plan: &SitePlan,
    shape: &MethodType<'_>,
) -> Result<(), Error> {
    let kind = found.kind;
    if !plan.after.is_empty() && !kind.has_after() {
        return Err(Error::NoAfter { method: title(info), kind });
    }
    for (calls, after) in [(&plan.before, false), (&plan.after, true)] {
        for call in calls {
            check_call(info, call, shape, |source| {
                let legal = match *source {
                    Source::Return | Source::Thrown => false,
                    Source::Duration => after && kind == SiteKind::Call,
                    Source::Result => after && has_result(kind),
                    Source::Operand(index) => usize::from(index) < found.operands.len(),
                    _ => true,
                };
                let of = if found.name.is_empty() { &found.descriptor } else { &found.name };
                (!legal).then(|| format!("{} a {kind} of `{of}`", if after { "after" } else { "before" }))
            })?;
        }
    }
    Ok(())
}

fn has_result(kind: SiteKind) -> bool {
    matches!(
        kind,
        SiteKind::Call
            | SiteKind::FieldGet
            | SiteKind::ArrayGet
            | SiteKind::CheckCast
            | SiteKind::InstanceOf
            | SiteKind::New
            | SiteKind::NewArray
    )
}

/// `refused` gives the place where the source is none that can be had there.
fn check_call(
    info: &MethodInfo<'_>,
    call: &Call,
    shape: &MethodType<'_>,
    refused: impl Fn(&Source) -> Option<String>,
) -> Result<(), Error> {
    let name = &call.name;
    if name.is_empty() || name.bytes().any(|byte| matches!(byte, b'.' | b';' | b'[' | b'/' | b'<' | b'>')) {
        return Err(Error::CallName { name: name.to_string() });
    }
    let count = shape.parameters.len();
    for source in &call.parameters {
        if let Source::Argument(index) = *source
            && usize::from(index) >= count
        {
            return Err(Error::Parameter { method: title(info), count, index: index.into() });
        }
        if let Some(place) = refused(source) {
            return Err(Error::Value { method: title(info), value: format!("{source:?}"), place });
        }
    }
    Ok(())
}

fn title(info: &MethodInfo<'_>) -> String {
    format!("{}{}", info.name, info.descriptor)
}
