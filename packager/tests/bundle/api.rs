//! Which classes are the API, and what it may not show.

use crate::work::{Work, entries};

/// The service `a.S` with `body`, its implementation, and further sources.
fn service(body: &str, more: &[(&str, &str)], description: &str) -> Work {
    let text = format!("package acme.metrics; import java.util.*; @io.btrace.core.extensions.ServiceDescriptor {body}");
    let sources: Vec<(&str, &str)> = [
        ("acme/metrics/S.java", text.as_str()),
        ("acme/metrics/SImpl.java", "package acme.metrics; public class SImpl {}"),
    ]
    .into_iter()
    .chain(more.iter().copied())
    .collect();
    Work::new(description, &sources)
}

/// Names of the API classes.
fn api(work: &Work) -> Vec<String> {
    work.compile().ok();
    let names = entries(&work.api());
    names.iter().filter_map(|name| name.strip_suffix(".class")).map(|name| name.replace("acme/metrics/", "")).collect()
}

#[test]
fn the_api_is_closed_over_everything_that_is_shown() {
    let t = ("acme/metrics/T.java", "package acme.metrics; public class T<X> { public static class In {} }");
    for (body, more) in [
        ("public interface S extends Up {}", ("acme/metrics/Up.java", "package acme.metrics; public interface Up {}")),
        ("public interface S { T<?> field = null; }", t),
        ("public interface S { List<? super Map<String, T<?>[]>> method(); }", t),
        ("public interface S { void method(T<?>[][] a); }", t),
        ("public interface S { <Y extends T<?>> Y method(); }", t),
        ("public interface S { Set<T.In> method(); }", t),
        (
            "public interface S { void method() throws Oops; }",
            ("acme/metrics/Oops.java", "package acme.metrics; public class Oops extends Exception {}"),
        ),
        (
            "public interface S { void method(@Mark int a); }",
            ("acme/metrics/Mark.java", "package acme.metrics; public @interface Mark {}"),
        ),
        (
            "@Mark public interface S {}",
            (
                "acme/metrics/Mark.java",
                "package acme.metrics; public @interface Mark { Class<?> of() default Mark.class; }",
            ),
        ),
        (
            "public interface S { List<@Mark String> method(); }",
            (
                "acme/metrics/Mark.java",
                "package acme.metrics; @java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE_USE) public @interface Mark {}",
            ),
        ),
    ] {
        let found = api(&service(body, &[more], ""));
        let name = more.0.replace("acme/metrics/", "").replace(".java", "");
        assert!(found.contains(&name) && !found.contains(&"SImpl".to_owned()), "{body}: {found:?}");
    }
}
