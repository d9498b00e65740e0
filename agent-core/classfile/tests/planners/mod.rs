//! Plans that ask for everything, shared by the test programs.

#![allow(dead_code, reason = "not every test program uses every plan")]

use classfile::weave::{Call, MethodInfo, Plan, Site, SiteKind, Source};

/// A plan that reports everything: entry with receiver and arguments, return with value and time, error with exception and time.
pub(crate) fn everything(info: &MethodInfo<'_>) -> Plan {
    let count = classfile::descriptor::method(info.descriptor).unwrap().parameters.len();
    let arguments = (0..count).map(|i| Source::Argument(i as u16));
    // `<` and `>` are no part of an unqualified name. The number tells `Rt` which argument is a duration.
    let name = info.name.replace(['<', '>'], "_");
    let call = |kind: &str, sources: Vec<Source>| {
        let clock = sources.iter().position(|s| *s == Source::Duration);
        let clock = clock.map_or(String::new(), |index| format!("#{index}"));
        Call { name: format!("{kind}:{name}{clock}").into(), parameters: sources }
    };
    Plan {
        entry: vec![call("entry", [Source::This].into_iter().chain(arguments.clone()).collect())],
        returns: vec![call(
            "return",
            [Source::This, Source::Return, Source::Duration].into_iter().chain(arguments.clone()).collect(),
        )],
        errors: vec![call(
            "error",
            [Source::Thrown, Source::This, Source::Duration].into_iter().chain(arguments).collect(),
        )],
        ..Plan::default()
    }
}

/// Number of operands that a site has.
pub(crate) fn operands(site: &Site<'_>) -> u16 {
    match site.kind {
        SiteKind::Call => classfile::descriptor::method(site.descriptor).unwrap().parameters.len() as u16,
        SiteKind::ArraySet => 2,
        SiteKind::ArrayGet | SiteKind::FieldSet | SiteKind::NewArray => 1,
        _ => 0,
    }
}

/// Whether something is left behind such a site.
pub(crate) fn has_result(kind: SiteKind) -> bool {
    use SiteKind as K;
    matches!(kind, K::Call | K::FieldGet | K::ArrayGet | K::CheckCast | K::InstanceOf | K::New | K::NewArray)
}

/// Everything that a site can pass, before it and after it.
pub(crate) fn all_of(site: &Site<'_>) -> (Vec<Source>, Vec<Source>) {
    let before: Vec<Source> =
        [Source::This, Source::Target].into_iter().chain((0..operands(site)).map(Source::Operand)).collect();
    let mut after = before.clone();
    if has_result(site.kind) {
        after.push(Source::Result);
    }
    (before, after)
}
