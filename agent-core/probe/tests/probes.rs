//! Probe classes compiled by javac, read, matched and prepared.

use probe::{Error, Kind, Matcher, Parameter, Pattern, Probe, ValueType, prepare, read};
use std::path::Path;
use std::sync::Arc;

/// Compiles sources beside the annotations that probes are written with; returns the class of the first one.
fn compile(name: &str, body: &str) -> Vec<u8> {
    let api = Path::new(env!("CARGO_MANIFEST_DIR")).join("../java/boot");
    let out = tempfile::tempdir().expect("a folder");
    let text = format!(
        "import io.btrace.core.annotations.*; import io.btrace.core.types.AnyType;\n{}",
        body.replace("NAME", name)
    );
    let path = format!("{name}.java");
    let options = ["--release", "8", "-Xlint:-options", "-proc:none", "-sourcepath", api.to_str().expect("UTF-8")];
    fixtures::javac(&[(&path, &text)], &options, out.path()).expect("the probe compiles");
    std::fs::File::open(out.path().join(format!("{name}.class")))
        .and_then(|mut f| {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut f, &mut bytes).map(|_| bytes)
        })
        .expect("a class")
}

fn probe(body: &str) -> Probe {
    read(&compile("P", body)).expect("a probe")
}

fn refused(body: &str) -> Error {
    read(&compile("P", body)).expect_err("refused")
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
    assert!(!probe.uses_runtime);
    let [entry, ret, fail] = probe.handlers.as_slice() else { panic!("{:?}", probe.handlers) };
    assert_eq!(entry.class, Pattern::Exact("com.acme.Orders".into()));
    assert_eq!(entry.kind, Kind::Entry);
    assert_eq!(
        entry.parameters,
        [
            Parameter::This,
            Parameter::Argument(ValueType::Type("Ljava/lang/String;".into())),
            Parameter::Argument(ValueType::Type("I".into())),
            Parameter::Argument(ValueType::Any),
        ]
    );
    assert_eq!(entry.descriptor, "(Ljava/lang/Object;Ljava/lang/String;ILjava/lang/Object;)V");
    assert_eq!(ret.class, Pattern::Regex("com\\.acme\\..*".into()));
    assert_eq!(ret.target, Pattern::Regex("get.*".into()));
    assert_eq!(ret.kind, Kind::Return);
    assert_eq!(
        ret.parameters,
        [
            Parameter::Return(ValueType::Any),
            Parameter::Duration,
            Parameter::MethodName { full: true },
            Parameter::ClassName
        ]
    );
    assert_eq!(fail.target, Pattern::Exact("fail".into()), "an empty method pattern means the handler's own name");
    assert_eq!(fail.kind, Kind::Error);
    assert_eq!(fail.type_constraint, "void(java.lang.String,int)");
    assert_eq!(fail.parameters, [Parameter::Thrown, Parameter::AllArguments]);
    assert_eq!(fail.collecting(), Some(1));
}

#[test]
fn refuses_what_this_version_does_not_weave() {
    let kind = refused(
        r#"@BTrace public class P { @OnMethod(clazz = "A", method = "b", location = @Location(Kind.CALL)) static void h() {} }"#,
    );
    assert_eq!(
        kind.to_string(),
        "handler `h` of probe `P` uses the location kind, which this version does not support: `CALL`"
    );
    assert!(kind.hint().is_some_and(|h| h.contains("ENTRY")));
    let subtype = refused(
        r#"@BTrace public class P { @OnMethod(clazz = "+java.lang.Runnable", method = "run") static void h() {} }"#,
    );
    assert!(
        subtype.to_string().ends_with("a subtype pattern, which this version does not support: `+java.lang.Runnable`")
    );
    let annotated =
        refused(r#"@BTrace public class P { @OnMethod(clazz = "@Deprecated", method = "run") static void h() {} }"#);
    assert!(annotated.to_string().contains("an annotation pattern"));
    let level = refused(
        r#"@BTrace public class P { @OnMethod(clazz = "A", method = "b", enableAt = @Level("1")) static void h() {} }"#,
    );
    assert!(level.to_string().contains("enableAt"));
    let filter = refused(
        r#"@BTrace public class P { @OnMethod(clazz = "A", method = "b", location = @Location(value = Kind.ENTRY, field = "x")) static void h() {} }"#,
    );
    assert!(filter.to_string().contains("a location filter"));
}

#[test]
fn refuses_illegal_combinations_by_name() {
    let cases = [
        ("@OnMethod(clazz=\"A\", method=\"b\") static void h(@Return int r) {}", "`@Return` is legal on RETURN only"),
        (
            "@OnMethod(clazz=\"A\", method=\"b\") static void h(@Duration long d) {}",
            "`@Duration` is legal on RETURN and ERROR only",
        ),
        (
            "@OnMethod(clazz=\"A\", method=\"b\", location=@Location(Kind.RETURN)) static void h(@Duration int d) {}",
            "`@Duration` takes a `long`",
        ),
        (
            "@OnMethod(clazz=\"A\", method=\"b\", location=@Location(Kind.RETURN)) static void h(@TargetInstance Object o) {}",
            "`@TargetInstance` is legal on ERROR only",
        ),
        ("@OnMethod(clazz=\"A\", method=\"b\") void h() {}", "a handler is a static method that returns nothing"),
        ("@OnMethod(clazz=\"A\", method=\"b\") static int h() { return 1; }", "a handler is a static method"),
        (
            "@OnMethod(clazz=\"A\", method=\"b\") static void h(AnyType[] a, int b) {}",
            "`AnyType[]` takes all arguments and stands alone",
        ),
        ("@OnMethod(clazz=\"\", method=\"b\") static void h() {}", "`clazz` is empty"),
    ];
    for (body, reason) in cases {
        let error = refused(&format!("@BTrace public class P {{ {body} }}"));
        assert!(error.to_string().contains(reason), "{body}: {error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn refuses_what_is_no_probe() {
    assert!(matches!(read(b"\xCA\xFE"), Err(Error::Class(_))));
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
fn prepared_classes_load_and_their_handlers_are_public() {
    let bytes = compile(
        "P",
        r#"@BTrace class P {
            @Injected private static Runnable service;
            @Injected(optional = true) private static Comparable<String> other;
            @OnMethod(clazz = "A", method = "b") private static void h(@Self AnyType a, AnyType[] all) { service.run(); other.compareTo("x"); }
        }"#,
    );
    let probe = read(&bytes).expect("a probe");
    assert!(probe.uses_runtime);
    assert_eq!(probe.injected.len(), 2);
    assert_eq!(probe.injected[0].service, "java.lang.Runnable");
    assert!(probe.injected[1].optional);
    let prepared = prepare(&probe, &bytes).expect("prepared");
    let class = classfile::ClassFile::parse(&prepared).expect("a class");
    assert_ne!(class.access() & classfile::access::PUBLIC, 0);
    let handler = class.methods().find(|m| m.name_str() == Some("h")).expect("the handler");
    assert_eq!(handler.descriptor_str(), Some("(Ljava/lang/Object;[Ljava/lang/Object;)V"));
    assert_eq!(handler.access & (classfile::access::PUBLIC | classfile::access::PRIVATE), classfile::access::PUBLIC);
    let dynamic = (1..class.pool().len()).filter(|&i| class.pool().tag(i).is_some_and(|t| t == 18)).count();
    assert_eq!(dynamic, 2, "each read of an injected field is an invokedynamic");
}
