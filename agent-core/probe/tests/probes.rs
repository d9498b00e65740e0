//! Probe classes compiled by javac, read, matched and prepared.

mod support;

use probe::{
    ClassPattern, Error, Kind, Levels, Location, Matcher, MethodPattern, Missing, Parameter, Pattern, Probe, Sampling,
    ValueType, Where, prepare, read, uses_parameter,
};
use std::sync::Arc;

/// Compiles the source of a class `P`.
fn compile(body: &str) -> Vec<u8> {
    let text = format!("import io.btrace.core.annotations.*; import io.btrace.core.types.AnyType;\n{body}");
    support::class(&support::classes(&[("P.java".to_owned(), text)]), "P")
}

fn probe(body: &str) -> Probe {
    read(&compile(body), &[]).expect("a probe")
}

fn refused(body: &str) -> Error {
    read(&compile(body), &[]).expect_err("refused")
}

#[test]
fn reads_patterns_kinds_and_parameters() {
    let probe = probe(
        r#"@BTrace public class P {
            @OnMethod(clazz = "com.acme.Orders", method = "place")
            static void entry(@Self Object self, String id, int n, AnyType any) {}
            @OnMethod(clazz = "/com\\.acme\\..*/", method = "/get.*/", location = @Location(Kind.RETURN))
            static void ret(@Return AnyType r, @Duration long d, @ProbeMethodName(fqn = true) String m, @ProbeClassName String c) {}
            @OnMethod(clazz = "A", location = @Location(Kind.ERROR), type = "void (java.lang.String, int)")
            static void fail(@TargetInstance Throwable t, AnyType[] all) {}
        }"#,
    );
    assert_eq!(probe.name, "P");
    assert!(!probe.is_guarded);
    let [entry, ret, fail] = probe.handlers.as_slice() else { panic!("{:?}", probe.handlers) };
    assert_eq!(entry.class, ClassPattern::Name(Pattern::Exact("com.acme.Orders".into())));
    assert_eq!(entry.location, Location::new(Kind::Entry));
    assert_eq!((entry.levels, entry.sampling, entry.exact), (Levels::ALL, None, false));
    assert_eq!(
        entry.parameters,
        [
            Parameter::This(ValueType::Type("Ljava/lang/Object;".into())),
            Parameter::Argument(ValueType::Type("Ljava/lang/String;".into())),
            Parameter::Argument(ValueType::Type("I".into())),
            Parameter::Argument(ValueType::Any),
        ]
    );
    assert_eq!(entry.descriptor, "(Ljava/lang/Object;Ljava/lang/String;ILjava/lang/Object;)V");
    assert_eq!(ret.class, ClassPattern::Name(Pattern::Regex("com\\.acme\\..*".into())));
    assert_eq!(ret.target, MethodPattern::Name(Pattern::Regex("get.*".into())));
    assert_eq!(ret.location.kind, Kind::Return);
    assert_eq!(
        ret.parameters,
        [
            Parameter::Return(ValueType::Any),
            Parameter::Duration,
            Parameter::MethodName { full: true },
            Parameter::ClassName
        ]
    );
    assert_eq!(
        fail.target,
        MethodPattern::Name(Pattern::Exact("fail".into())),
        "an empty method pattern means the handler's own name"
    );
    assert_eq!(fail.location.kind, Kind::Error);
    assert_eq!(fail.type_constraint, "void(java.lang.String,int)");
    assert_eq!(
        fail.parameters,
        [Parameter::Target(ValueType::Type("Ljava/lang/Throwable;".into())), Parameter::AllArguments]
    );
    assert_eq!(fail.collecting(), Some(1));
}

#[test]
fn reads_locations_levels_and_sampling() {
    let probe = probe(
        r#"@BTrace public class P {
            @OnMethod(clazz = "+java.util.List", method = "@java.lang.Deprecated", enableAt = @Level("1..2"), exactTypeMatch = true,
                location = @Location(value = Kind.CALL, where = Where.AFTER, clazz = "/java\\.io\\..*/", method = "write", type = "void (byte[], int)"))
            @Sampled(kind = Sampled.Sampler.Adaptive, mean = 500)
            static void call(@TargetInstance Object o, @TargetMethodOrField(fqn = true) String m, @Return AnyType r, @Duration long d) {}
            @OnMethod(clazz = "@/javax\\..*/", location = @Location(value = Kind.FIELD_SET, clazz = "a.B", field = "/n.*/", type = "java.lang.String []"))
            static void field(Object value) {}
            @OnMethod(clazz = "@a.Anno", location = @Location(value = Kind.LINE, line = 7))
            static void line() {}
        }"#,
    );
    let [call, field, line] = probe.handlers.as_slice() else { panic!("{:?}", probe.handlers) };
    assert_eq!(call.class, ClassPattern::Subtype("java.util.List".into()));
    assert_eq!(call.target, MethodPattern::Annotated(Pattern::Exact("java.lang.Deprecated".into())));
    assert_eq!(call.levels, Levels { from: 1, to: 2 });
    assert_eq!(call.sampling, Some(Sampling::Adaptive { mean: 500 }));
    assert!(call.exact);
    assert_eq!(
        call.location,
        Location {
            place: Where::After,
            class: Some(Pattern::Regex("java\\.io\\..*".into())),
            member: Some(Pattern::Exact("write".into())),
            type_constraint: "void(byte[],int)".into(),
            ..Location::new(Kind::Call)
        }
    );
    assert_eq!(
        call.parameters,
        [
            Parameter::Target(ValueType::Type("Ljava/lang/Object;".into())),
            Parameter::TargetName { full: true },
            Parameter::Return(ValueType::Any),
            Parameter::Duration,
        ]
    );
    assert_eq!(field.class, ClassPattern::Annotated(Pattern::Regex("javax\\..*".into())));
    assert_eq!(
        field.location,
        Location {
            class: Some(Pattern::Exact("a.B".into())),
            member: Some(Pattern::Regex("n.*".into())),
            type_constraint: "java.lang.String[]".into(),
            ..Location::new(Kind::FieldSet)
        }
    );
    assert_eq!(line.class, ClassPattern::Annotated(Pattern::Exact("a.Anno".into())));
    assert_eq!(line.location, Location { line: Some(7), ..Location::new(Kind::Line) });
}

/// Whatever might come back to woven code, or needs to know which probe runs, is guarded.
#[test]
fn only_probes_that_call_leaves_go_without_a_guard() {
    let on = r#"@OnMethod(clazz = "A", method = "b")"#;
    let bodies = [
        ("static long n; ON static void h() { n++; }", false),
        (
            "static final java.util.concurrent.atomic.AtomicLong N = new java.util.concurrent.atomic.AtomicLong(); \
             ON static void h(int a) { N.addAndGet(Math.abs(a) + System.nanoTime()); more(Integer.valueOf(a)); } \
             static void more(Integer i) { N.set(i); }",
            false,
        ),
        ("static Object o; ON static void h(@Self Object self) { o = self; }", false),
        ("ON static void h(@Self Object self) { self.hashCode(); }", true),
        ("ON static void h(CharSequence text) { text.length(); }", true),
        ("ON static void h() { io.btrace.core.BTraceUtils.println(); }", true),
        ("ON static void h() { Runnable r = () -> { }; }", true),
        ("ON static void h(String text) { String.valueOf((Object) text); }", true),
        ("@Injected static Runnable r; ON static void h() { }", true),
    ];
    let sources: Vec<String> = bodies.iter().map(|(body, _)| body.replace("ON", on)).collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    for (probe, (body, guarded)) in support::probes(&sources).into_iter().zip(bodies) {
        assert_eq!(probe.expect("a probe").is_guarded, guarded, "{body}");
    }
}

/// Types that have no subtypes are told apart without knowing any.
#[test]
fn says_whether_supertypes_matter() {
    let bodies = [
        (r#"@OnMethod(clazz = "A", method = "b") static void h() {}"#, false),
        (r#"@OnMethod(clazz = "A", method = "b") static void h(int a, String b, Object c, Integer d) {}"#, false),
        (r#"@OnMethod(clazz = "A", method = "b") static void h(CharSequence a) {}"#, true),
        (r#"@OnMethod(clazz = "A", method = "b", exactTypeMatch = true) static void h(CharSequence a) {}"#, false),
        (r#"@OnMethod(clazz = "A", method = "b") static void h(Runnable[] a) {}"#, true),
        (r#"@OnMethod(clazz = "A", method = "b") static void h(@Self Runnable a) {}"#, true),
        (r#"@OnMethod(clazz = "A", method = "b") static void h(AnyType[] a) {}"#, false),
    ];
    for (probe, (body, compares)) in support::probes(&bodies.map(|(body, _)| body)).into_iter().zip(bodies) {
        let handlers = match probe {
            Ok(probe) => probe.handlers,
            Err(e) => panic!("{body}: {e}"),
        };
        assert_eq!(handlers.iter().any(probe::Handler::compares_types), compares, "{body}");
    }
}

#[test]
fn refuses_what_is_no_probe() {
    assert!(matches!(read(b"\xCA\xFE", &[]), Err(Error::Class(_))));
    assert!(matches!(refused("public class P {}"), Error::NotAProbe { .. }));
    assert!(matches!(refused("@BTrace public class P {}"), Error::NoHandler { .. }));
    let bad = refused(r#"@BTrace public class P { @OnMethod(clazz = "/a(/", method = "b") static void h() {} }"#);
    assert_eq!(bad.to_string(), "handler `h` of probe `P` has a bad pattern `/a(/`");
    for target in ["java.lang.invoke.MethodHandle", "io.btrace.runtime.BTraceRuntime", "java.lang.FatAgentLinker"] {
        let error = refused(&format!(
            r#"@BTrace public class P {{ @OnMethod(clazz = "{target}", method = "b") static void h() {{}} }}"#
        ));
        assert_eq!(
            error.to_string(),
            format!("handler `h` of probe `P` names a class that is never woven: `{target}`")
        );
    }
}

#[test]
fn matches_exact_names_and_whole_regexes() {
    let probe = Arc::new(probe(
        r#"@BTrace public class P {
            @OnMethod(clazz = "com.acme.Orders", method = "a") static void a() {}
            @OnMethod(clazz = "/com\\.acme\\.[A-Z]\\w+/", method = "b") static void b() {}
            @OnMethod(clazz = "/java\\..*/", method = "c") static void c() {}
        }"#,
    ));
    let matcher = Matcher::new(vec![(7, probe)]).expect("patterns compile");
    for wanted in ["com/acme/Orders", "com/acme/Other", "java/util/HashMap"] {
        assert!(matcher.wants(wanted.as_bytes()), "{wanted}");
    }
    for other in
        ["com/acme/orders", "xcom/acme/Orders", "com/acme/Orders$Inner", "java/lang/invoke/CallSite", "io/btrace/x"]
    {
        assert!(!matcher.wants(other.as_bytes()), "{other}");
    }
}

#[test]
fn parameters_fill_patterns() {
    let bytes = compile(
        r#"@BTrace public class P {
            @OnMethod(clazz = "/${package}\\..*/", method = "${verb}${}s", type = "${type} (int)",
                location = @Location(value = Kind.CALL, clazz = "${package}.X", method = "${verb}"))
            static void a() {}
            @OnMethod(clazz = "${package}.Y$Z", location = @Location(value = Kind.FIELD_GET, field = "f", type = "${type}[]")) static void b() {}
        }"#,
    );
    let given = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let parameters = given(&[("package", "com.acme"), ("verb", "get"), ("", ""), ("type", "int")]);
    let probe = read(&bytes, &parameters).expect("a probe");
    let [a, b] = probe.handlers.as_slice() else { panic!("{:?}", probe.handlers) };
    assert_eq!(a.class, ClassPattern::Name(Pattern::Regex("com.acme\\..*".into())));
    assert_eq!(a.target, MethodPattern::Name(Pattern::Exact("gets".into())));
    assert_eq!(a.type_constraint, "int(int)");
    assert_eq!(a.location.class, Some(Pattern::Exact("com.acme.X".into())));
    assert_eq!(a.location.member, Some(Pattern::Exact("get".into())));
    assert_eq!(b.class, ClassPattern::Name(Pattern::Exact("com.acme.Y$Z".into())));
    assert_eq!(b.location.type_constraint, "int[]");
    let error = read(&bytes, &given(&[("package", "a"), ("", ""), ("verb", "b")])).expect_err("refused");
    assert!(error.to_string().contains("needs the parameter `type`, which was not given"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("`type=…`")), "{:?}", error.hint());
    for (name, is_used) in [("package", true), ("verb", true), ("", true), ("pack", false), ("a", false)] {
        assert_eq!(uses_parameter(&bytes, name), is_used, "{name}");
    }
    let called = compile(r#"@BTrace public class P { static String s() { return "limit".trim(); } }"#);
    assert!(uses_parameter(&called, "limit") && !uses_parameter(&called, "trim") && !uses_parameter(b"none", "limit"));
    // What was filled in is a pattern like any other.
    let error =
        read(&bytes, &given(&[("package", "a)"), ("", ""), ("verb", "b"), ("type", "int")])).expect_err("refused");
    assert!(matches!(error, Error::Pattern { .. }), "{error}");
}

#[test]
fn prepared_classes_have_a_public_method_beside_each_handler() {
    let bytes = compile(
        r#"@BTrace class P {
            @Injected private static Runnable service;
            @Injected(optional = true) private static Comparable<String> other;
            @OnMethod(clazz = "A", method = "b") private static void h(@Self AnyType a, AnyType[] all) { service.run(); other.compareTo("x"); }
        }"#,
    );
    let probe = read(&bytes, &[]).expect("a probe");
    assert!(probe.is_guarded);
    assert_eq!(probe.injected.len(), 2);
    assert_eq!(probe.injected[0].service, "java.lang.Runnable");
    assert_eq!([probe.injected[0].missing, probe.injected[1].missing], [Missing::Fails, Missing::Nothing]);
    let prepared = prepare(&probe, 7, &bytes).expect("prepared");
    let class = classfile::ClassFile::parse(&prepared).expect("a class");
    assert_ne!(class.access() & classfile::access::PUBLIC, 0);
    let handler = class.methods().find(|m| m.name_str() == Some("h")).expect("the handler");
    assert_eq!(handler.descriptor_str(), Some("(Ljava/lang/Object;[Ljava/lang/Object;)V"));
    assert_eq!(handler.access & classfile::access::PRIVATE, classfile::access::PRIVATE);
    let called = class.methods().find(|m| m.name_str() == Some("$0")).expect("what sites call");
    assert_eq!(called.descriptor_str(), Some("(Ljava/lang/Object;Ljava/lang/Object;)V"));
    assert_eq!(called.access & (classfile::access::PUBLIC | classfile::access::STATIC), 0x9);
    let dynamic = (1..class.pool().len()).filter(|&i| class.pool().tag(i).is_some_and(|t| t == 18)).count();
    assert_eq!(
        dynamic, 3,
        "each read of an injected field is an invokedynamic, and the question whether the probe is on"
    );
}

/// Whatever a damaged class holds: an error or a probe, and no panic, in neither role.
#[test]
fn damaged_classes_are_errors() {
    let bytes = compile(
        r#"@BTrace public class P {
            @Injected private static Runnable service;
            @OnMethod(clazz = "@/.*/", method = "@/.*/", enableAt = @Level("1..2"),
                location = @Location(value = Kind.CALL, where = Where.AFTER, clazz = "/.*/", type = "void (int)"))
            @Sampled(mean = 2) @Deprecated
            static void call(@Self P s, @TargetInstance Object o, @Return AnyType r, @Duration long d, Number n) { service.run(); }
            @OnMethod(clazz = "+P", method = "/.*/", location = @Location(value = Kind.ERROR))
            static void error(@ProbeMethodName(fqn = true) String m, P t) {}
        }"#,
    );
    let matcher = Matcher::new(vec![(1, Arc::new(read(&bytes, &[]).expect("a probe")))]).expect("patterns compile");
    let (mut probes, mut planned) = (0, 0);
    for at in 0..bytes.len() {
        for change in [0x01, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            if let Ok(probe) = read(&damaged, &[]) {
                probes += 1;
                let _ = prepare(&probe, 7, &damaged);
            }
            let Ok(file) = classfile::ClassFile::parse(&damaged) else { continue };
            let Ok(mut class) = matcher.class(&file, &probe::NoHierarchy) else { continue };
            for member in file.methods() {
                let (Some(name), Some(descriptor)) = (member.name_str(), member.descriptor_str()) else { continue };
                let info = probe::weaving::MethodInfo { class: &file, member, access: member.access, name, descriptor };
                planned += usize::from(!probe::weaving::Planner::plan(&mut class, &info).is_empty());
            }
        }
    }
    assert!(probes > 100 && planned > 100, "{probes} {planned}");
}
