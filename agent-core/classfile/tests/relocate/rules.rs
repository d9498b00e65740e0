//! What rules match, against a plain reading of their definition.

use classfile::relocate::{Error, Rule, Rules};
use proptest::prelude::*;

/// The definition, one rule after another.
fn model(rules: &[(String, String)], name: &str) -> Option<String> {
    let mut best: Option<(usize, bool, String)> = None;
    for (from, to) in rules {
        let (source, exact) = from.strip_prefix('=').map_or((from.as_str(), false), |source| (source, true));
        let Some(rest) = name.strip_prefix(source) else { continue };
        let boundary = rest.is_empty() || rest.starts_with('$') || (rest.starts_with('.') && !exact);
        if boundary && best.as_ref().is_none_or(|(length, other, _)| (source.len(), exact) > (*length, *other)) {
            best = Some((source.len(), exact, format!("{to}{rest}")));
        }
    }
    best.map(|(_, _, new)| new).filter(|new| new != name)
}

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec("[ab$]{1,2}|org|dep|é|\u{1F600}", 1..5).prop_map(|parts| parts.join("."))
}

fn rule() -> impl Strategy<Value = (String, String)> {
    (name(), name(), any::<bool>()).prop_map(|(from, to, exact)| (if exact { format!("={from}") } else { from }, to))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn names_follow_the_definition(given in prop::collection::vec(rule(), 0..12), names in prop::collection::vec(name(), 1..20)) {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for rule in given {
            if pairs.iter().all(|(from, _)| *from != rule.0) && Rules::new([rule.clone()]).is_ok() {
                pairs.push(rule);
            }
        }
        let rules = Rules::new(pairs.clone()).unwrap();
        for name in &names {
            let expected = model(&pairs, name);
            prop_assert_eq!(rules.dotted(name), expected.clone(), "{}", name);
            let encode = |text: &str| classfile::mutf8::encode(&text.replace('.', "/")).into_owned();
            let internal = encode(name);
            let expected = expected.as_deref().map(encode);
            prop_assert_eq!(rules.class(&internal), expected.clone());
            let wrap = |before: &[u8], name: &[u8], after: &[u8]| [before, name, after].concat();
            let new = expected.clone().unwrap_or_else(|| internal.clone());
            for (before, after) in [("(IL", ";)V"), ("[[L", ";"), ("(ZBCSFDL", ";[[Ljava/lang/String;)J"), ("()L", ";")] {
                let descriptor = wrap(before.as_bytes(), &internal, after.as_bytes());
                let wanted = expected.as_ref().map(|_| wrap(before.as_bytes(), &new, after.as_bytes()));
                prop_assert_eq!(rules.descriptor(&descriptor), wanted);
            }
            let signature = |name: &[u8]| {
                let pattern = "<La:L#;T::L#<+L#<*>.b;-TLa;>;:L#;b:Ljava/lang/Object;>(TLa;[L#<[I>;)L#;^L#;^TT;";
                pattern.split('#').map(str::as_bytes).collect::<Vec<_>>().join(name)
            };
            let wanted = expected.as_ref().map(|_| signature(&new));
            prop_assert_eq!(rules.signature(&signature(&internal)), wanted);
            let path = name.replace('.', "/");
            let wanted = model(&pairs, name).map(|new| format!("META-INF/versions/11/{}.class", new.replace('.', "/")));
            let versioned = format!("META-INF/versions/11/{path}.class");
            prop_assert_eq!(rules.path(&versioned), wanted);
        }
    }

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(prop::sample::select(b"LT;<>:.*+-^()[IVorg/dep$".to_vec()), 0..60)) {
        let rules = Rules::new([("org.dep", "x"), ("=o", "y"), ("d", "z.z")]).unwrap();
        let _ = (rules.class(&bytes), rules.descriptor(&bytes), rules.signature(&bytes), rules.internal_package(&bytes));
        let text = String::from_utf8(bytes).unwrap();
        let _ = (rules.dotted(&text), rules.package(&text), rules.path(&text), Rules::new([(text.clone(), text)]));
    }
}

#[test]
fn boundaries_paths_and_packages() {
    let rules = Rules::new([("org.dep", "x.org.dep"), ("=a.B", "y.B"), ("org.dep.keep", "org.dep.keep")]).unwrap();
    for (name, new) in [
        ("org/dep/A", Some("x/org/dep/A")),
        ("org/dep", Some("x/org/dep")),
        ("org/dep$In", Some("x/org/dep$In")),
        ("org/depot/A", None),
        ("org/de", None),
        ("x/org/dep/A", None),
        ("org/dep/keep/A", None),
        ("org/dep/keeper/A", Some("x/org/dep/keeper/A")),
        ("a/B", Some("y/B")),
        ("a/B$C$D", Some("y/B$C$D")),
        ("a/B/C", None),
        ("a/BC", None),
        ("[Lorg/dep/A;", Some("[Lx/org/dep/A;")),
        ("[[I", None),
        ("", None),
    ] {
        assert_eq!(rules.class(name.as_bytes()).as_deref(), new.map(str::as_bytes), "{name}");
    }
    for (path, new) in [
        ("org/dep/A.class", Some("x/org/dep/A.class")),
        ("org/dep/r.txt", Some("x/org/dep/r.txt")),
        ("org/dep/", Some("x/org/dep/")),
        ("org/dep", None),
        ("org/dep.txt", None),
        ("org/depot/r.txt", None),
        ("META-INF/versions/11/org/dep/r.txt", Some("META-INF/versions/11/x/org/dep/r.txt")),
        ("META-INF/versions/9x/org/dep/r.txt", None),
        ("META-INF/services/org.dep.Spi", None),
        ("org/dep/keep/r.txt", None),
        ("a/B.class", Some("y/B.class")),
        ("a/B$C.classdata", Some("y/B$C.classdata")),
        ("a/B.esclazz", Some("y/B.esclazz")),
        ("a/B/r.txt", None),
        ("a/B.txt", None),
        ("", None),
    ] {
        assert_eq!(rules.path(path).as_deref(), new, "{path}");
    }
    assert_eq!(rules.package("org.dep.sub").as_deref(), Some("x.org.dep.sub"));
    assert_eq!(rules.package("a.B"), None);
    assert_eq!(rules.package("org.dep$x"), None);
    assert_eq!(rules.internal_package(b"org/dep").as_deref(), Some(&b"x/org/dep"[..]));
    assert_eq!(rules.rule_of(b"a/B$C").map(|rule| rule.from.as_str()), Some("=a.B"));
}

#[test]
fn exclusions_fall_back_to_the_next_rule() {
    let rule = |from: &str, to: &str, excludes: &[&str]| Rule {
        from: from.into(),
        to: to.into(),
        excludes: excludes.iter().map(|e| (*e).into()).collect(),
    };
    let rules = Rules::with_excludes([
        rule("io.grpc", "shadow.io.grpc", &["io.grpc.netty.shaded.**"]),
        rule("a", "x.a", &[]),
        rule("a.b", "y.b", &["a.b.*Test", "a.b.Kept", "**.inner.**"]),
    ])
    .unwrap();
    for (name, new) in [
        ("io/grpc/Channel", Some("shadow/io/grpc/Channel")),
        ("io/grpc/netty/shaded/io/netty/A", None),
        ("io/grpc/netty/shadedx/A", Some("shadow/io/grpc/netty/shadedx/A")),
        ("a/b/C", Some("y/b/C")),
        ("a/b/CTest", Some("x/a/b/CTest")),
        ("a/b/c/CTest", Some("y/b/c/CTest")),
        ("a/b/Kept$1", Some("x/a/b/Kept$1")),
        ("a/b/inner/C", Some("x/a/b/inner/C")),
    ] {
        assert_eq!(rules.class(name.as_bytes()).as_deref(), new.map(str::as_bytes), "{name}");
        let descriptor = format!("(IL{name};)V");
        let wanted = new.map(|new| format!("(IL{new};)V").into_bytes());
        assert_eq!(rules.descriptor(descriptor.as_bytes()), wanted);
        assert_eq!(rules.path(&format!("{name}.class")), new.map(|new| format!("{new}.class")));
    }
}

#[test]
fn bad_rules_are_refused() {
    for (from, to) in [
        ("", "x"),
        ("x", ""),
        ("=", "x"),
        ("a..b", "x"),
        (".a", "x"),
        ("a.", "x"),
        ("a.*", "x"),
        ("a/b", "x"),
        ("a b", "x"),
        ("a", "x;y"),
        ("==a", "b"),
        ("a", "=b"),
        ("a", "x\n"),
    ] {
        assert!(matches!(Rules::new([(from, to)]), Err(Error::Name { .. })), "{from} {to}");
    }
    for (from, to) in [("java", "x"), ("java.util", "x"), ("x", "java.util"), ("=java.A", "x.A"), ("x", "java")] {
        assert!(matches!(Rules::new([(from, to)]), Err(Error::JavaPackage { .. })), "{from} {to}");
    }
    assert!(Rules::new([("javax.inject", "x.inject"), ("javafx", "y")]).is_ok());
    assert!(matches!(Rules::new([("a", "b"), ("a", "c")]), Err(Error::Conflict { .. })));
    assert!(matches!(Rules::new([("=a.B$C", "x.D")]), Err(Error::NestedName { .. })));
    assert_eq!(Rules::new([("a", "b"), ("a", "b"), ("=a", "c"), ("b", "a")]).unwrap().rules().len(), 3);
    let long = "a.".repeat(40_000) + "b";
    assert!(matches!(Rules::new([(long, "x".to_owned())]), Err(Error::Name { .. })));
}

/// D14: two names that become one are found, two that differ by case are not.
#[test]
fn collisions() {
    let rules = Rules::new([("a", "x"), ("b", "x")]).unwrap();
    let found = rules.collisions(["a/C.class", "b/C.class", "a/c.class", "x/C.class", "a/C.class", "m.txt"]);
    let shown: Vec<_> = found.iter().map(|c| (&*c.target, &*c.first, &*c.second)).collect();
    assert_eq!(shown, [("x/C.class", "a/C.class", "b/C.class"), ("x/C.class", "a/C.class", "x/C.class")]);
}

/// OpenTelemetry moves its API and SDK with rules such as these.
#[test]
fn published_prefixes() {
    let rules = Rules::new([
        ("io.opentelemetry.api", "io.opentelemetry.javaagent.shaded.io.opentelemetry.api"),
        ("io.opentelemetry.context", "io.opentelemetry.javaagent.shaded.io.opentelemetry.context"),
        ("io.opentelemetry.instrumentation", "io.opentelemetry.javaagent.shaded.instrumentation"),
        ("=java_cup", "x.java_cup"),
    ])
    .unwrap();
    assert_eq!(
        rules.dotted("io.opentelemetry.api.trace.Span").as_deref(),
        Some("io.opentelemetry.javaagent.shaded.io.opentelemetry.api.trace.Span")
    );
    // Moved once, a name stays.
    assert_eq!(rules.dotted("io.opentelemetry.javaagent.shaded.io.opentelemetry.api.trace.Span"), None);
}
