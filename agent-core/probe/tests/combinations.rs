//! Which combinations of kind, side, special parameters, filters and plain parameters are probes; each refusal by its reason.

mod support;

use probe::Kind;

const AFTER: &str = "where = Where.AFTER";

/// The location of a kind with what it needs to be legal at all.
fn location(kind: &str, more: &str) -> String {
    let line = if kind == "LINE" && !more.contains("line") { ", line = -1" } else { "" };
    let comma = if more.is_empty() { "" } else { ", " };
    format!("location = @Location(value = Kind.{kind}{line}{comma}{more})")
}

fn handler(kind: &str, more: &str, parameters: &str) -> String {
    format!(r#"@OnMethod(clazz = "A", method = "b", {}) static void h({parameters}) {{}}"#, location(kind, more))
}

/// Checks members of probes against the reason to refuse each, `None` where it is legal.
fn check(cases: &[(String, Option<String>)]) {
    let members: Vec<&str> = cases.iter().map(|(body, _)| body.as_str()).collect();
    for (probe, (body, reason)) in support::probes(&members).into_iter().zip(cases) {
        match (probe, reason) {
            (Ok(_), None) => {}
            (Err(e), Some(reason)) => {
                assert!(e.to_string().contains(reason), "{body}: {e}");
                assert!(e.hint().is_some());
            }
            (Ok(_), Some(reason)) => panic!("not refused, {reason}: {body}"),
            (Err(e), None) => panic!("{body}: {e}"),
        }
    }
}

/// Every kind on both sides with every special parameter, against the language as its reference tells it.
#[test]
fn special_parameters() {
    let returns = [
        ("RETURN", false),
        ("CALL", true),
        ("ARRAY_GET", true),
        ("FIELD_GET", true),
        ("NEW", true),
        ("NEWARRAY", true),
    ];
    let durations = [("RETURN", false), ("ERROR", false), ("CALL", true)];
    let members = ["CALL", "FIELD_GET", "FIELD_SET", "ARRAY_GET", "ARRAY_SET"];
    let objects = ["INSTANCEOF", "CHECKCAST", "ERROR", "THROW", "CATCH", "SYNC_ENTRY", "SYNC_EXIT"];
    let sampled = ["ENTRY", "RETURN", "ERROR", "CALL"];
    let no_after = ["ENTRY", "RETURN", "ERROR", "THROW", "CATCH"];
    let mut cases = Vec::new();
    for kind in Kind::ALL.map(Kind::name) {
        for after in [false, true] {
            let more = if after { AFTER } else { "" };
            if after && no_after.contains(&kind) {
                cases.push((handler(kind, more, ""), Some(format!("{kind} has no `where = AFTER`"))));
                continue;
            }
            let mut case = |legal: bool, parameter: &str| {
                let name = parameter.split([' ', '(']).next().unwrap_or_default();
                cases.push((handler(kind, more, parameter), (!legal).then(|| format!("`{name}` is legal on "))));
            };
            for everywhere in [
                "",
                "@Self Object o",
                "@Self AnyType o",
                "@ProbeClassName String s",
                "@ProbeMethodName(fqn = true) String s",
                "AnyType[] all",
            ] {
                case(true, everywhere);
            }
            case(returns.contains(&(kind, after)), "@Return AnyType r");
            case(durations.contains(&(kind, after)), "@Duration long d");
            case(members.contains(&kind), "@TargetMethodOrField String s");
            case(members.contains(&kind) || objects.contains(&kind), "@TargetInstance Object o");
            let body = format!("@Sampled(mean = 5) {}", handler(kind, more, ""));
            cases.push((
                body,
                (!sampled.contains(&kind)).then(|| "`@Sampled` is legal on ENTRY, RETURN, ERROR and CALL only".into()),
            ));
        }
    }
    check(&cases);
}

#[test]
fn filters() {
    let filters = [
        (
            r#"clazz = "x.Y""#,
            "clazz",
            &["CALL", "FIELD_GET", "FIELD_SET", "CHECKCAST", "INSTANCEOF", "CATCH", "NEW", "NEWARRAY"][..],
        ),
        (r#"method = "/m.*/""#, "method", &["CALL"]),
        (r#"field = "f""#, "field", &["FIELD_GET", "FIELD_SET"]),
        (r#"type = "int""#, "type", &["FIELD_GET", "FIELD_SET", "ARRAY_GET", "ARRAY_SET"]),
        (r#"type = "void ()""#, "type", &["CALL"]),
        ("line = 3", "line", &["LINE"]),
    ];
    let mut cases = Vec::new();
    for kind in Kind::ALL.map(Kind::name) {
        for (filter, name, kinds) in filters {
            let reason = if kinds.contains(&kind) {
                None
            } else if name == "type" && ["CALL", "FIELD_GET", "FIELD_SET", "ARRAY_GET", "ARRAY_SET"].contains(&kind) {
                Some("`type` is not a ".to_owned())
            } else {
                Some(format!("`{name}` in `@Location` is legal on "))
            };
            cases.push((handler(kind, filter, ""), reason));
        }
        // Defaults that are written out ask for nothing.
        cases.push((handler(kind, r#"clazz = "", method = "", field = "", type = """#, ""), None));
    }
    let refused = |body: String, reason: &str| (body, Some(reason.to_owned()));
    cases.extend([
        refused(handler("LINE", "line = 0", ""), "LINE needs the `line`, or -1 for every line"),
        refused(handler("LINE", "line = -2", ""), "`line` is a number from 1 to 65535, or -1: -2"),
        refused(handler("LINE", "line = 70000", ""), "`line` is a number from 1 to 65535, or -1: 70000"),
        refused(
            handler("CALL", r#"clazz = "+x.Y""#, ""),
            "in `@Location` a pattern, which this version does not support: `+x.Y`",
        ),
        refused(handler("CALL", r#"clazz = "/a(/""#, ""), "has a bad pattern `/a(/`"),
        refused(handler("CALL", r#"method = "/a""#, ""), "the expression `/a` has no closing slash"),
    ]);
    check(&cases);
}

#[test]
fn plain_parameters() {
    let legal = |kind: &str, parameters: &str| (handler(kind, "", parameters), None);
    let refused = |kind: &str, parameters: &str| {
        (handler(kind, "", parameters), Some(format!("plain parameters of {kind} are: ")))
    };
    check(&[
        legal("ENTRY", "String a, int b, AnyType c"),
        legal("RETURN", "String a"),
        legal("ERROR", "Throwable t"),
        legal("ERROR", "String a, int b"),
        legal("CALL", "String a, int b, AnyType c"),
        legal("LINE", "int line"),
        legal("LINE", "Integer line"),
        legal("LINE", "AnyType line"),
        refused("LINE", "long line"),
        refused("LINE", "int line, int more"),
        legal("FIELD_GET", ""),
        refused("FIELD_GET", "AnyType value"),
        legal("FIELD_SET", "String value"),
        refused("FIELD_SET", "String value, int more"),
        legal("ARRAY_GET", "int index"),
        legal("ARRAY_GET", "int[] array, int index"),
        legal("ARRAY_GET", "Object array, int index"),
        refused("ARRAY_GET", "String[] array, int index"),
        refused("ARRAY_GET", "boolean[] array, int index"),
        refused("ARRAY_GET", "String index"),
        legal("ARRAY_SET", "int index, long value"),
        legal("ARRAY_SET", "AnyType array, int index, AnyType value"),
        legal("ARRAY_SET", "int index, Number value"),
        refused("ARRAY_SET", "int index"),
        refused("ARRAY_SET", "int index, String value"),
        refused("ARRAY_SET", "int index, boolean value"),
        legal("CHECKCAST", "String type"),
        legal("INSTANCEOF", "CharSequence type"),
        refused("INSTANCEOF", "Class type"),
        legal("THROW", "Throwable t"),
        legal("THROW", "Object t"),
        refused("THROW", "java.io.IOException t"),
        legal("CATCH", "java.io.IOException t"),
        refused("CATCH", "int t"),
        legal("NEW", "String type"),
        refused("NEW", "String type, int more"),
        legal("NEWARRAY", "String type, int dimensions"),
        refused("NEWARRAY", "String type"),
        legal("SYNC_ENTRY", "Object lock"),
        refused("SYNC_ENTRY", "String lock"),
        legal("SYNC_EXIT", "AnyType lock"),
        (
            handler("LINE", "", "Object line").replace("method = \"b\",", "method = \"b\", exactTypeMatch = true,"),
            Some("plain parameters of LINE are: `int` line".into()),
        ),
    ]);
}

#[test]
fn types_of_special_parameters() {
    let refused = |kind: &str, more: &str, parameters: &str, reason: &str| {
        (handler(kind, more, parameters), Some(reason.to_owned()))
    };
    check(&[
        refused("RETURN", "", "@Duration int d", "`@Duration` takes a `long`"),
        refused("ENTRY", "", "@Self int o", "`@Self` takes a `Object`"),
        refused("ENTRY", "", "@ProbeClassName Object s", "`@ProbeClassName` takes a `String`"),
        refused("ENTRY", "", "@ProbeMethodName AnyType s", "`@ProbeMethodName` takes a `String`"),
        refused("CALL", "", "@TargetMethodOrField Object s", "`@TargetMethodOrField` takes a `String`"),
        refused("CALL", "", "@TargetInstance int o", "`@TargetInstance` takes a `reference`"),
        refused("ERROR", "", "@TargetInstance String o", "`@TargetInstance` takes a `Throwable`"),
        refused("THROW", "", "@TargetInstance Exception o", "`@TargetInstance` takes a `Throwable`"),
        refused("SYNC_EXIT", "", "@TargetInstance String o", "`@TargetInstance` takes a `Object`"),
        refused("ARRAY_SET", "", "@TargetInstance String[] o", "`@TargetInstance` takes a `Object, Object[] or"),
        refused("ARRAY_GET", AFTER, "@Return boolean r", "`@Return` takes a `primitive but boolean, or Object`"),
        refused("NEW", AFTER, "@Return int r", "`@Return` takes a `reference`"),
        refused("RETURN", "", "@Return @Self Object o", "parameter 1 has two meanings"),
        (handler("ARRAY_SET", "", "@TargetInstance long[] o"), None),
        (handler("CATCH", "", "@TargetInstance java.io.IOException o"), None),
        (handler("NEWARRAY", AFTER, "@Return int[] r"), None),
    ]);
}

#[test]
fn patterns_levels_and_the_rest() {
    let on = |members: &str, reason: &str| {
        let reason = (!reason.is_empty()).then(|| reason.to_owned());
        (format!("@OnMethod({members}) static void h() {{}}"), reason)
    };
    check(&[
        on(r#"clazz = "a.B$C", method = "<init>""#, ""),
        on(r#"clazz = "+a.B", method = "@/x.*/""#, ""),
        on(r#"clazz = "A", method = "does it work?""#, ""),
        on(r#"clazz = "A", method = "run()""#, "`run()` is neither a name nor a `/regex/`"),
        on(r#"clazz = """#, "`clazz` is empty"),
        on(r#"clazz = "@""#, "`clazz` names no annotation"),
        on(r#"clazz = "+""#, "`clazz` names no type"),
        on(r#"clazz = "+/a.*/""#, "`+` takes the name of one type, no expression"),
        on(r#"clazz = "A", method = "@""#, "`method` names no annotation"),
        on(r#"clazz = "/a""#, "the expression `/a` has no closing slash"),
        on(r#"clazz = "com/acme/A""#, "`com/acme/A` is neither a name nor a `/regex/`"),
        on(r#"clazz = "com.acme.*""#, "`com.acme.*` is neither a name nor a `/regex/`"),
        on(r#"clazz = "A", method = "+run""#, "`+run` is neither a name nor a `/regex/`"),
        on(r#"clazz = "@/a(/""#, "has a bad pattern `/a(/`"),
        on(r#"clazz = "${name}""#, "needs the parameter `name`, which was not given"),
        on(r#"clazz = "a.${name""#, "`a.${name` has no closing brace"),
        on(r#"clazz = "A", type = "void""#, "`type` is not a signature such as `void (java.lang.String, int)`: `void`"),
        on(r#"clazz = "A", enableAt = @Level("x")"#, "`enableAt` is no range of levels, `x` is no number: `x`"),
        on(r#"clazz = "A", enableAt = @Level("3..1")"#, "`enableAt` is no range of levels, it holds no level: `3..1`"),
        on(r#"clazz = "A", enableAt = @Level("<= 4")"#, ""),
        (r"@Sampled static void h() {}".into(), Some("`@Sampled` needs an `@OnMethod` beside it".into())),
        (
            r#"@OnMethod(clazz = "A") @Sampled(mean = 0) static void h() {}"#.into(),
            Some("the mean of `@Sampled` is at least 1".into()),
        ),
        (
            r#"@OnMethod(clazz = "A") void h() {}"#.into(),
            Some("a handler is a static method that returns nothing".into()),
        ),
        (
            r#"@OnMethod(clazz = "A") static int h() { return 1; }"#.into(),
            Some("a handler is a static method that returns nothing".into()),
        ),
        (
            r#"@OnMethod(clazz = "A") static void h(AnyType[] a, int b) {}"#.into(),
            Some("`AnyType[]` takes all arguments and stands alone".into()),
        ),
    ]);
}
