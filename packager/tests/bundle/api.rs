//! Which classes are the API, and what it may not show.

use crate::work::{RELEASE_8, Work, entries};

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

/// A project with one service for each of `bodies`, called `S0` and so on, and further sources, compiled into `classes`.
fn services(bodies: &[&str], more: &[(&str, &str)], description: &str, prepare: impl FnOnce(&Work)) -> Work {
    let texts: Vec<(String, String)> = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| {
            let text =
                format!("package acme.metrics; import java.util.*; {}", body.replace('#', &format!("S{number}")));
            (format!("acme/metrics/S{number}.java"), text)
        })
        .collect();
    let providers: Vec<(String, String)> = (0..bodies.len())
        .map(|number| {
            let text = format!("package acme.metrics; public class S{number}Impl {{}}");
            (format!("acme/metrics/S{number}Impl.java"), text)
        })
        .collect();
    let sources = texts.iter().chain(&providers).map(|(path, text)| (path.as_str(), text.as_str()));
    let plain = ("acme/metrics/Plain.java", "package acme.metrics; public interface Plain {}");
    let sources: Vec<(&str, &str)> = sources.chain(more.iter().copied()).chain([plain]).collect();
    let work = Work::new(&format!("exports = [\"acme.metrics.Plain\"]\n{description}"), &sources);
    prepare(&work);
    work.compile_into("classes");
    work
}

#[test]
fn the_api_is_closed_over_everything_that_is_shown() {
    let cases = [
        ("public interface # extends Up {}", "Up"),
        ("public interface # { T<?> field = null; }", "T"),
        ("public interface # { List<? super Map<String, T<?>[]>> method(); }", "T"),
        ("public interface # { void method(T<?>[][] a); }", "T"),
        ("public interface # { <Y extends T<?>> Y method(); }", "T"),
        ("public interface # { Set<T.In> method(); }", "T$In"),
        ("public interface # { void method() throws Oops; }", "Oops"),
        ("public interface # { void method(@Mark int a); }", "Mark"),
        ("@Mark public interface # {}", "OfMark"),
        ("public interface # { List<@OnUse String> method(); }", "OnUse"),
    ];
    let more = [
        ("acme/metrics/T.java", "package acme.metrics; public class T<X> { public static class In {} }"),
        ("acme/metrics/Up.java", "package acme.metrics; public interface Up {}"),
        ("acme/metrics/Oops.java", "package acme.metrics; public class Oops extends Exception {}"),
        (
            "acme/metrics/Mark.java",
            "package acme.metrics; public @interface Mark { Class<?> of() default OfMark.class; }",
        ),
        ("acme/metrics/OfMark.java", "package acme.metrics; public class OfMark {}"),
        (
            "acme/metrics/OnUse.java",
            "package acme.metrics; @java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE_USE)
             public @interface OnUse {}",
        ),
    ];
    let bodies = cases.map(|(body, _)| body);
    let work = services(&bodies, &more, "", |_| {});
    for (number, (body, expected)) in cases.into_iter().enumerate() {
        work.describe(&format!("services = [\"acme.metrics.S{number}\"]\n"));
        work.build().ok();
        let found = entries(&work.api());
        let has = |name: &str| found.contains(&format!("acme/metrics/{name}.class"));
        assert!(has(&format!("S{number}")) && has(expected), "{body}: {found:?}");
        assert!(!has(&format!("S{number}Impl")), "{body}: {found:?}");
        assert!(expected == "Up" || !has("Up"), "{body}: {found:?}");
    }
}

#[test]
fn records_and_sealed_types_show_their_parts() {
    let t = ("acme/metrics/T.java", "package acme.metrics; public class T {}");
    let permitted = ("acme/metrics/P.java", "package acme.metrics; final class P implements S {}");
    let java17 = "java-version = \"17+\"\n";
    let record = ("acme/metrics/R.java", "package acme.metrics; public record R(java.util.List<T> all) {}");
    let found = api(&service("public interface S { R method(); }", &[record, t], java17));
    assert_eq!(found, ["R", "S", "T"]);
    let found = api(&service("public sealed interface S permits P {}", &[permitted], java17));
    assert_eq!(found, ["P", "S"]);
}

#[test]
fn nested_classes_come_with_those_that_they_are_nested_in() {
    let outer = "package acme.metrics; public class Outer { public static class In { private static class Deep {} } }";
    let work = service("public interface S { Outer.In method(); }", &[("acme/metrics/Outer.java", outer)], "");
    assert_eq!(api(&work), ["Outer$In$Deep", "Outer$In", "Outer", "S"]);
}

#[test]
fn exports_add_to_the_api_and_excluded_ones_do_not_belong_to_it() {
    let more = [
        ("acme/metrics/More.java", "package acme.metrics; public class More { public Deep deep; }"),
        ("acme/metrics/Deep.java", "package acme.metrics; public class Deep {}"),
        ("acme/metrics/Apart.java", "package acme.metrics; public class Apart {}"),
    ];
    let work = service("public interface S {}", &more, "exports = [\"acme.metrics.More\"]\n");
    assert_eq!(api(&work), ["Deep", "More", "S"]);
    work.describe("exports = [\"acme.metrics.More\"]\nexcluded-exports = [\"acme.metrics.Apart\"]\n");
    assert_eq!(api(&work), ["Deep", "More", "S"]);
    for (exported, excluded, what) in [("Apart", "Apart", "in `exports`"), ("Apart", "S", "a service")] {
        work.describe(&format!(
            "exports = [\"acme.metrics.{exported}\"]\nexcluded-exports = [\"acme.metrics.{excluded}\"]\n"
        ));
        assert_eq!(
            work.compile().error(),
            format!(
                "error: extension.toml: `excluded-exports` keeps out a class that is {what}: `acme.metrics.{excluded}`\n\
                 hint: keep the class, or the one that it is nested in, in one of the two"
            )
        );
    }
    for key in ["exports", "excluded-exports"] {
        work.describe(&format!("{key} = [\"acme.metrics.Absent\"]\n"));
        assert_eq!(
            work.compile().error(),
            format!(
                "error: extension `acme-metrics` has no class that its `{key}` names: `acme.metrics.Absent`\n\
                 hint: add `acme.metrics.Absent`, or correct the name"
            )
        );
    }
}

#[test]
fn an_api_that_names_what_its_users_cannot_see_is_refused() {
    let application = "a class that the application provides (`org.app`): `org.app.A`";
    let dependency = "a class of a dependency (`org/dep/D.class` of `dep.jar`): `org.dep.D`";
    let cases = [
        ("public interface # extends org.app.A {}", "its interfaces", application),
        ("public interface # { org.app.A field = null; }", "field `field`", application),
        ("public interface # { org.app.A[] method(); }", "method `method`", application),
        ("public interface # { void method(List<org.app.A> a); }", "method `method`", application),
        ("@org.dep.D public interface # {}", "its header", dependency),
        ("public interface # { void method(@org.dep.D int a); }", "method `method`", dependency),
        (
            "public interface # { void method() throws org.dep.D.E; }",
            "method `method`",
            "a class of a dependency (`org/dep/D$E.class` of `dep.jar`): `org.dep.D$E`",
        ),
        (
            "public interface # { Out method(); }",
            "method `method`",
            "a class that `excluded-exports` keeps out of it: `acme.metrics.Out`",
        ),
        (
            "public interface # { io.btrace.core.extensions.ExtensionContext method(); }",
            "method `method`",
            "a masked class of the agent: `io.btrace.core.extensions.ExtensionContext`",
        ),
        (
            "public interface # { default void method() { new S0Impl(); } }",
            "its code",
            "an implementation class, which the bootstrap loader does not find: `acme.metrics.S0Impl`",
        ),
        ("public interface # { default void method() { org.dep.D.class.getName(); } }", "its code", dependency),
    ];
    let out = ("acme/metrics/Out.java", "package acme.metrics; public class Out { public static void go() {} }");
    let description = "dependencies = [\"dep.jar\", \"app.jar\"]\nprovided = [\"org.app\"]\n\
                       excluded-exports = [\"acme.metrics.Out\"]\n";
    let both = "public interface # extends org.app.A { @org.dep.D Out method(); }";
    let bodies: Vec<&str> = cases.iter().map(|(body, ..)| *body).chain([both]).collect();
    let work = services(&bodies, &[out], description, |work| {
        let d = "package org.dep; public @interface D { class E extends Exception {} }";
        work.library("dep.jar", &[("org/dep/D.java", d)], |jar| jar);
        work.library("app.jar", &[("org/app/A.java", "package org.app; public interface A {}")], |jar| jar);
    });
    for (number, (_, place, what)) in cases.into_iter().enumerate() {
        work.describe(&format!("services = [\"acme.metrics.S{number}\"]\n{description}"));
        let error = work.build().error();
        let expected = format!("error: API class `acme.metrics.S{number}` names in {place} {what}\nhint: ");
        assert!(error.starts_with(&expected), "{error}");
    }
    work.describe(&format!("services = [\"acme.metrics.S{}\"]\n{description}", cases.len()));
    let error = work.build().error();
    assert!(error.contains("; and further names of that kind: 2\n"), "{error}");
    assert!(!work.zip().exists());
}

#[test]
fn classes_of_nobody_are_refused_and_those_of_other_loaders_pointed_out() {
    let work = service("public interface S { java.sql.Connection method(); }", &[], "");
    let run = work.compile().ok();
    run.says(
        "warning: API class `acme.metrics.S` names in method `method` a class of module `java.sql`, which the bootstrap loader \
         does not see from Java 9 on: `java.sql.Connection`",
    );
    // Compiled against a library that the description does not name.
    let work = service("public interface S {}", &[], "");
    work.compile_into("classes");
    let sources = [
        ("org/x/X.java", "package org.x; public class X {}"),
        ("acme/metrics/S.java", "package acme.metrics; public interface S { org.x.X method(); }"),
    ];
    fixtures::javac(&sources, &RELEASE_8, &work.path("more")).unwrap();
    fs_err::copy(work.path("more/acme/metrics/S.class"), work.path("classes/acme/metrics/S.class")).unwrap();
    work.describe("services = [\"acme.metrics.S\"]\n");
    let error = work.build().error();
    assert!(error.contains("a class that is neither the extension's nor the JDK's: `org.x.X`"), "{error}");
}

#[test]
fn api_packages_are_the_extensions_own() {
    let more = ("acme/metrics/sub/More.java", "package acme.metrics.sub; public class More {}");
    let other = ("org/other/Other.java", "package org.other; public class Other {}");
    let work = service("public interface S { acme.metrics.sub.More a(); org.other.Other b(); }", &[more, other], "");
    work.compile().ok();
    work.describe("api-packages = [\"org.wrong\"]\n");
    let error = work.compile().error();
    assert!(
        error.starts_with("error: API class `org.other.Other` of extension `acme-metrics` is in a package that `api-packages` does not name\n"),
        "{error}"
    );
    work.describe("api-packages = [\"org.other\"]\n");
    work.compile().ok();

    let dependency = ("org/other/Theirs.java", "package org.other; public class Theirs {}");
    work.library("dep.jar", &[dependency], |jar| jar);
    work.describe("api-packages = [\"org.other\"]\ndependencies = [\"dep.jar\"]\n");
    let error = work.compile().error();
    assert!(
        error.contains("is in a package that a dependency has too (`org/other/Theirs.class` of `dep.jar`)"),
        "{error}"
    );
}

#[test]
fn reserved_packages_are_refused() {
    for package in ["io.btrace.core.x", "io.btrace.agent"] {
        let text = format!("package {package}; public class Added {{}}");
        let work = service("public interface S {}", &[("Added.java", &text)], "");
        let error = work.compile().error();
        assert!(
            error.starts_with(&format!(
                "error: extension `acme-metrics` has a class in a reserved package: `{package}.Added`"
            )),
            "{error}"
        );
    }
}

#[test]
fn services_are_public_interfaces_with_an_implementation() {
    for (body, wanted) in [
        ("public class S {}", "interface"),
        ("interface S {}", "public interface"),
        ("public @interface S {}", "interface"),
    ] {
        let error = service(body, &[], "").compile().error();
        assert!(
            error.starts_with(&format!("error: `acme.metrics.S` cannot be a service: it is no {wanted} (")),
            "{error}"
        );
    }
    let work = service("public interface S {}", &[], "services = [\"acme.metrics.Absent\"]\n");
    let run = work.compile();
    run.says("warning: `acme.metrics.S` has `@ServiceDescriptor`, but `services` does not list it: it is no service");
    assert_eq!(
        run.error(),
        "error: extension `acme-metrics` has no class for its service: `acme.metrics.Absent`\n\
         hint: compile the class along with the others, or correct `services` of the description"
    );
    let work = service("public interface S {}", &[], "");
    fs_err::remove_file(work.path("src/main/java/acme/metrics/SImpl.java")).unwrap();
    assert_eq!(
        work.compile().error(),
        "error: extension `acme-metrics` has no implementation of its service: `acme.metrics.S`\n\
         hint: add the class `acme.metrics.SImpl`, or name another in `META-INF/services/acme.metrics.S`"
    );
}

#[test]
fn marks_of_older_agents_are_refused_and_others_pointed_out() {
    let old = (
        "org/openjdk/btrace/core/extensions/ServiceDescriptor.java",
        "package org.openjdk.btrace.core.extensions; public @interface ServiceDescriptor {}",
    );
    let marked = (
        "acme/metrics/Old.java",
        "package acme.metrics; @org.openjdk.btrace.core.extensions.ServiceDescriptor public interface Old {}",
    );
    let error = service("public interface S {}", &[old, marked], "").compile().error();
    assert!(
        error.starts_with(
            "error: `acme.metrics.Old` has an annotation of an older agent, which marks nothing: \
             `org.openjdk.btrace.core.extensions.ServiceDescriptor` ("
        ),
        "{error}"
    );
    let other = ("x/ServiceDescriptor.java", "package x; public @interface ServiceDescriptor {}");
    let marked = ("acme/metrics/Old.java", "package acme.metrics; @x.ServiceDescriptor public interface Old {}");
    service("public interface S {}", &[other, marked], "").compile().ok().says(
        "warning: `acme.metrics.Old` has an annotation that marks nothing: `x.ServiceDescriptor`, not \
         `io.btrace.core.extensions.ServiceDescriptor`",
    );
}

#[test]
fn the_implementation_uses_what_is_public_of_the_api() {
    let sample = "package acme.metrics; public class Sample { long value; public long open; protected void set() {} \
                  static class Part { public static int n; } public static class Open {} }";
    for (code, used) in [
        ("s.value++;", Some("acme.metrics.Sample.value")),
        ("Sample.Part.n++;", Some("acme.metrics.Sample$Part")),
        ("s.open++; new Sample.Open();", None),
    ] {
        let provider = format!("package acme.metrics; public class SImpl {{ void go(Sample s) {{ {code} }} }}");
        let more = [("acme/metrics/Sample.java", sample)];
        let work = service("public interface S { Sample sample(); }", &more, "");
        work.write("src/main/java/acme/metrics/SImpl.java", provider);
        let run = work.compile();
        match used {
            Some(used) => {
                let expected =
                    format!("error: `acme.metrics.SImpl` uses something of the API that is not public: `{used}` (");
                assert!(run.error().starts_with(&expected), "{}", run.stderr);
            }
            None => drop(run.ok()),
        }
    }
}

#[test]
fn members_that_the_implementation_inherits_are_within_reach_too() {
    let base = "package acme.metrics; public class Base { int count; void add() {} static int all; protected void set() {} \
                protected int open; public void clear() {} }";
    for (code, used) in [
        ("n.count++;", Some("count")),
        ("n.add();", Some("add")),
        ("super.add();", Some("add")),
        ("Near.all++;", Some("all")),
        ("new SubApi().add();", Some("add")),
        // Protected members are inherited, but what shares a package only by name does not reach them.
        ("Other.go(n);", Some("set")),
        ("n.clear(); set(); open++; super.set();", None),
        ("n.own(); n.own++;", None),
    ] {
        let provider = format!(
            "package acme.metrics; public class SImpl extends Near implements S {{ void go(Near n) {{ {code} }} \
             public Base base() {{ return null; }} }}
             class Near extends Base {{ int own; void own() {{ }} }}
             class Other {{ static void go(Near n) {{ {} }} }}",
            if code.starts_with("Other") { "n.set();" } else { "" }
        );
        let more = [
            ("acme/metrics/Base.java", base),
            ("acme/metrics/SubApi.java", "package acme.metrics; public class SubApi extends Base {}"),
        ];
        let work = service("public interface S { Base base(); }", &more, "exports = [\"acme.metrics.SubApi\"]\n");
        work.write("src/main/java/acme/metrics/SImpl.java", provider);
        let run = work.compile();
        match used {
            Some(used) => {
                let said = format!("` uses something of the API that is not public: `acme.metrics.Base.{used}` (");
                assert!(run.error().contains(&said), "{code}: {}", run.stderr);
            }
            None => drop(run.ok()),
        }
    }
}

#[test]
fn an_api_class_has_no_copy_for_newer_versions() {
    let work = service("public interface S {}", &[], "");
    work.compile_into("classes");
    for (class, is_api) in [("SImpl", false), ("S", true)] {
        let bytes = fs_err::read(work.path(&format!("classes/acme/metrics/{class}.class"))).unwrap();
        let copy = format!("META-INF/versions/11/acme/metrics/{class}.class");
        work.write(&format!("classes/{copy}"), bytes);
        let run = work.build();
        if is_api {
            assert_eq!(
                run.error(),
                format!(
                    "error: API class `acme.metrics.S` has a copy for a newer Java version, which nobody would take (`classes/{copy}`)\n\
                     hint: the bootstrap loader has one class of a name for all versions: keep one, and tell the versions apart \
                     at run time"
                )
            );
        } else {
            run.ok();
        }
    }
}
