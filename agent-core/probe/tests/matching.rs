//! Which real classes and methods handlers ask for, and with which values.

mod support;

use classfile::ClassFile;
use probe::weaving::{Planner, Source};
use probe::{Condition, Counts, Hierarchy, Matcher, NoHierarchy, Probe};
use std::sync::Arc;
use tempfile::TempDir;

const TARGETS: &str = r#"
package t;
import java.lang.annotation.*;
import java.util.*;

@Retention(RetentionPolicy.RUNTIME) @interface Visible {}
@Retention(RetentionPolicy.CLASS) @interface Hidden { String value() default ""; }
class Outer { @Retention(RetentionPolicy.RUNTIME) @interface Nested {} }

@Visible class Marked {}
@Hidden("x") class Half extends Marked {}
@Outer.Nested @Visible class Both {}
class Plain implements Runnable { public void run() {} }
class Below extends Plain implements Comparable<Below> {
  public int compareTo(Below o) { return 0; }
}
class Far extends Below {}
abstract class Methods<T extends Number> extends ArrayList<T> {
  @Deprecated void old() {}
  @Hidden void hidden() {}
  abstract void missing();
  native void outside();
  static void none() {}
  static int one(int i) { return i; }
  static String one(String s) { return s; }
  static Integer one(Integer i) { return i; }
  static void one(Object o) {}
  static long one(long l) { return l; }
  void one(List<String> l) {}
  T one(T t) { return t; }
  void one(int[] a) {}
  void two(String s, int i) throws Exception {}
  void two(StringBuilder s, int i) {}
  void two(ArrayList<T> s, Integer i) {}
}
"#;

fn targets() -> TempDir {
    support::classes(&[("t/Targets.java".to_owned(), TARGETS.to_owned())])
}

fn matcher(members: &[&str]) -> Matcher {
    let probes = support::probes(members).into_iter().map(|probe| Arc::new(probe.expect("a probe")));
    numbered(probes)
}

fn numbered(probes: impl Iterator<Item = Arc<Probe>>) -> Matcher {
    Matcher::new((1..).zip(probes).collect()).expect("patterns compile")
}

/// Which handlers, by name, a class means: those with a method `run`, `<init>` or whatever they name.
fn handlers(matcher: &Matcher, bytes: &[u8], hierarchy: &dyn Hierarchy, supertypes: &[&str]) -> (Vec<String>, bool) {
    let file = ClassFile::parse(bytes).expect("a class");
    let mut class = matcher.class(&file, hierarchy).expect("readable annotations");
    let undecided = class.needs_hierarchy();
    if !supertypes.is_empty() {
        class.add_supertypes(supertypes.iter().copied());
        assert!(!class.needs_hierarchy());
    }
    let mut found = Vec::new();
    support::methods(&file, |method| {
        for call in class.plan(method).entry {
            found.push(call.name.rsplit(':').next().expect("a name").to_owned());
        }
    });
    assert_eq!(class.is_empty(), found.is_empty());
    (found, undecided)
}

#[test]
fn classes_by_name_and_annotation() {
    let folder = targets();
    let matcher = matcher(&[r#"
        @OnMethod(clazz = "t.Marked", method = "<init>") static void name() {}
        @OnMethod(clazz = "/t\\.(Half|Both)/", method = "<init>") static void regex() {}
        @OnMethod(clazz = "@t.Visible", method = "<init>") static void visible() {}
        @OnMethod(clazz = "@t.Hidden", method = "<init>") static void hidden() {}
        @OnMethod(clazz = "@t.Outer$Nested", method = "<init>") static void nested() {}
        @OnMethod(clazz = "@/t\\..*/", method = "<init>") static void any() {}
        @OnMethod(clazz = "@Visible", method = "<init>") static void simple() {}
    "#]);
    assert!(matcher.reads_annotations() && !matcher.reads_hierarchy());
    for (class, expected) in [
        ("Marked", &["name", "visible", "any"][..]),
        // Annotations of a superclass are not its own.
        ("Half", &["regex", "hidden", "any"]),
        // Two annotations, one handler: once.
        ("Both", &["regex", "visible", "nested", "any"]),
        ("Plain", &[]),
    ] {
        let bytes = support::class(&folder, &format!("t/{class}"));
        assert_eq!(
            handlers(&matcher, &bytes, &NoHierarchy, &[]),
            (expected.iter().map(|&e| e.to_owned()).collect(), false)
        );
        let by_name = expected.iter().any(|&e| e == "name" || e == "regex");
        assert_eq!(matcher.wants(format!("t/{class}").as_bytes()), by_name);
    }
}

#[derive(Debug)]
struct Known;

impl Hierarchy for Known {
    fn is_subtype(&self, class: &str, ancestor: &str) -> Option<bool> {
        (class == "t/Far")
            .then(|| ["t/Far", "t/Below", "t/Plain", "java/lang/Runnable", "java/lang/Comparable"].contains(&ancestor))
    }
}

#[test]
fn classes_by_supertype() {
    let folder = targets();
    let matcher = matcher(&[r#"
        @OnMethod(clazz = "+java.lang.Runnable", method = "<init>") static void runnable() {}
        @OnMethod(clazz = "+t.Plain", method = "<init>") static void plain() {}
        @OnMethod(clazz = "+java.lang.Object", method = "<init>") static void object() {}
    "#]);
    let all = ["t/Below", "t/Plain", "java/lang/Runnable", "java/lang/Comparable", "java/lang/Object"];
    let (object, plain, runnable) = ("object", "plain", "runnable");
    for (class, hierarchy, supertypes, expected, undecided) in [
        // `Marked` extends `Object` and implements nothing: its file says it all.
        ("Marked", &NoHierarchy as &dyn Hierarchy, &[][..], &[object][..], false),
        // What it extends is known, not what that extends.
        ("Half", &NoHierarchy, &[], &[object], true),
        // A class is a subtype of itself.
        ("Plain", &NoHierarchy, &[], &[runnable, plain, object], false),
        ("Below", &NoHierarchy, &[], &[plain, object], true),
        ("Far", &NoHierarchy, &[], &[object], true),
        ("Far", &NoHierarchy, &all, &[runnable, plain, object], true),
        ("Far", &Known, &[], &[runnable, plain, object], false),
    ] {
        let bytes = support::class(&folder, &format!("t/{class}"));
        let expected = expected.iter().map(|&e| e.to_owned()).collect();
        assert_eq!(handlers(&matcher, &bytes, hierarchy, supertypes), (expected, undecided), "{class}");
    }
    assert!(matcher.reads_hierarchy() && !matcher.wants(b"t/Plain"), "the name alone says nothing");
    assert!(matcher.wants_subtype(b"t/Far", all));
    assert!(!matcher.wants_subtype(b"t/Other", ["java/util/List"]));
    assert!(!matcher.wants_subtype(b"java/lang/invoke/Thing", ["java/lang/Runnable"]), "never woven");
}

#[test]
fn methods_by_pattern_and_signature() {
    let folder = targets();
    let bytes = support::class(&folder, "t/Methods");
    let file = ClassFile::parse(&bytes).expect("a class");
    let cases = [
        (r#"method = "@java.lang.Deprecated""#, "", &["old()V"][..]),
        (r#"method = "@/t\\..*/""#, "", &["hidden()V"]),
        (r#"method = "/missing|outside|none/""#, "", &["none()V"]),
        (r#"method = "/t[w]o/", type = "void (java.lang.String, int)""#, "", &["two(Ljava/lang/String;I)V"]),
        (
            r#"method = "one", type = "java.lang.Number (java.lang.Number)""#,
            "",
            &["one(Ljava/lang/Number;)Ljava/lang/Number;"],
        ),
        (r#"method = "one""#, "int i", &["one(I)I"]),
        (r#"method = "one""#, "Integer i", &["one(I)I", "one(Ljava/lang/Integer;)Ljava/lang/Integer;"]),
        (r#"method = "one", exactTypeMatch = true"#, "Integer i", &["one(Ljava/lang/Integer;)Ljava/lang/Integer;"]),
        (
            r#"method = "one""#,
            "Number n",
            &[
                "one(I)I",
                "one(Ljava/lang/Integer;)Ljava/lang/Integer;",
                "one(J)J",
                "one(Ljava/lang/Number;)Ljava/lang/Number;",
            ],
        ),
        (r#"method = "one""#, "CharSequence s", &["one(Ljava/lang/String;)Ljava/lang/String;"]),
        (r#"method = "one", exactTypeMatch = true"#, "@Self Object s, Object o", &["one(Ljava/lang/Object;)V"]),
        (r#"method = "one", exactTypeMatch = true"#, "@Self Object s, int[] a", &["one([I)V"]),
        (r#"method = "one", exactTypeMatch = true"#, "java.util.List o", &["one(Ljava/util/List;)V"]),
        (r#"method = "one""#, "Cloneable c", &["one([I)V"]),
        (r#"method = "one""#, "String a, int b", &[]),
        (r#"method = "two""#, "String a, int b", &["two(Ljava/lang/String;I)V"]),
        (
            r#"method = "two""#,
            "AnyType a, Integer b",
            &[
                "two(Ljava/lang/String;I)V",
                "two(Ljava/lang/StringBuilder;I)V",
                "two(Ljava/util/ArrayList;Ljava/lang/Integer;)V",
            ],
        ),
    ];
    let members: Vec<String> = cases
        .iter()
        .map(|(on, parameters, _)| format!(r#"@OnMethod(clazz = "t.Methods", {on}) static void h({parameters}) {{}}"#))
        .collect();
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    for (probe, (on, parameters, expected)) in support::probes(&members).into_iter().zip(cases) {
        let matcher = numbered(std::iter::once(Arc::new(probe.expect("a probe"))));
        let mut class = matcher.class(&file, &NoHierarchy).expect("readable");
        let mut found = Vec::new();
        support::methods(&file, |method| {
            // Of calls that depend on what is not known, nothing is said here.
            let plan = class.plan(method);
            let mut calls = [plan.entry, plan.returns, plan.errors].into_iter().flatten();
            if calls.any(|call| Condition::in_name(&call.name).is_empty()) {
                found.push(format!("{}{}", method.name, method.descriptor));
            }
        });
        assert_eq!(found, expected, "{on} ({parameters})");
    }
}

#[test]
fn values_of_entry_return_and_error() {
    let folder = targets();
    let bytes = support::class(&folder, "t/Methods");
    let file = ClassFile::parse(&bytes).expect("a class");
    let matcher = matcher(&[r#"
        @OnMethod(clazz = "t.Methods", method = "two", type = "void (java.lang.String, int)")
        static void entry(@Self Object o, @ProbeMethodName(fqn = true) String m) {}
        @OnMethod(clazz = "t.Methods", method = "two", type = "void (java.lang.String, int)")
        static void all(@ProbeClassName String c, AnyType[] all, @ProbeMethodName String m) {}
        @OnMethod(clazz = "t.Methods", method = "two", type = "void (java.lang.String, int)", location = @Location(Kind.RETURN))
        static void nothing(@Return AnyType r, @Duration long d, String s, int i) {}
        @OnMethod(clazz = "t.Methods", method = "two", type = "void (java.lang.String, int)", location = @Location(Kind.RETURN))
        static void never(@Return Object r) {}
        @OnMethod(clazz = "t.Methods", method = "two", type = "void (java.lang.String, int)", location = @Location(Kind.ERROR))
        static void thrown(Throwable t, @Duration long d) {}
        @OnMethod(clazz = "t.Methods", method = "two", type = "void (java.lang.String, int)", location = @Location(Kind.ERROR))
        static void arguments(@TargetInstance Object t, String s, int i) {}
        @OnMethod(clazz = "t.Methods", method = "two", type = "void (java.lang.String, int)", location = @Location(Kind.ERROR))
        static void collected(AnyType[] all) {}
        @OnMethod(clazz = "t.Methods", method = "none") static void none(@Self Object o, AnyType[] all) {}
        @OnMethod(clazz = "t.Methods", method = "one", type = "int (int)", location = @Location(Kind.RETURN))
        static void boxed(@Return Number r) {}
    "#]);
    let mut class = matcher.class(&file, &NoHierarchy).expect("readable");
    let mut found = Vec::new();
    support::methods(&file, |method| {
        let plan = class.plan(method);
        assert!(plan.sites.is_empty());
        for (place, calls) in [("entry", plan.entry), ("return", plan.returns), ("error", plan.errors)] {
            found.extend(calls.into_iter().map(|call| (place, call.name.to_string(), call.parameters)));
        }
    });
    let (text, arguments) = (|t: &str| Source::Text(t.into()), [Source::Argument(0), Source::Argument(1)]);
    let full = "void t.Methods#two(java.lang.String, int)";
    assert_eq!(
        found,
        [
            ("entry", "1:7:none".to_owned(), vec![Source::Null]),
            ("return", "1:8:boxed".to_owned(), vec![Source::Return]),
            ("entry", "1:0:entry".to_owned(), vec![Source::This, text(full)]),
            ("entry", "1:1:all".to_owned(), [&[text("t.Methods")], &arguments[..], &[text("two")]].concat()),
            ("return", "1:2:nothing".to_owned(), [&[Source::Return, Source::Duration], &arguments[..]].concat()),
            ("error", "1:4:thrown".to_owned(), vec![Source::Thrown, Source::Duration]),
            ("error", "1:5:arguments".to_owned(), [&[Source::Thrown], &arguments[..]].concat()),
            ("error", "1:6:collected".to_owned(), arguments.to_vec()),
        ]
    );
}

/// A call whose types are not known yet carries what has to hold; once they are known, it is there or not.
#[test]
fn calls_carry_what_is_not_known_yet() {
    let folder = targets();
    let bytes = support::class(&folder, "t/Methods");
    let file = ClassFile::parse(&bytes).expect("a class");
    let matcher = matcher(&[r#"
        @OnMethod(clazz = "t.Methods", method = "two") static void h(Comparable c, int i) {}
        @OnMethod(clazz = "t.Methods", method = "one", type = "void (int[])") static void self(@Self java.util.Collection c) {}
    "#]);
    let mut class = matcher.class(&file, &NoHierarchy).expect("readable");
    let mut names = Vec::new();
    support::methods(&file, |method| {
        names.extend(class.plan(method).entry.into_iter().map(|call| call.name.to_string()));
    });
    let known = "1:0:h".to_owned();
    let open = "1:0:h?java|lang|StringBuilder=java|lang|Comparable".to_owned();
    names.sort();
    assert_eq!(names, [known, open.clone(), "1:1:self?t|Methods=java|util|Collection".to_owned()]);
    let [condition] = &Condition::in_name(&open)[..] else { panic!("one condition") };
    assert_eq!(
        (condition.class.as_str(), condition.ancestor.as_str()),
        ("java/lang/StringBuilder", "java/lang/Comparable")
    );
    class.add_supertypes(["java/util/ArrayList", "java/util/Collection"]);
    let mut names = Vec::new();
    support::methods(&file, |method| {
        names.extend(class.plan(method).entry.into_iter().map(|call| call.name.to_string()));
    });
    names.sort();
    assert_eq!(names, ["1:0:h", &open, "1:1:self"]);
}

#[test]
fn counts_methods_of_each_probe() {
    let folder = targets();
    let matcher = matcher(&[
        r#"@OnMethod(clazz = "t.Methods", method = "one") static void a() {}
           @OnMethod(clazz = "t.Methods", method = "one", location = @Location(Kind.RETURN)) static void b() {}
           @OnMethod(clazz = "t.Methods", method = "one", location = @Location(Kind.CALL)) static void c() {}"#,
        r#"@OnMethod(clazz = "@/.*/", method = "/.*/") static void a() {}"#,
        r#"@OnMethod(clazz = "t.Nowhere", method = "/.*/") static void a() {}"#,
        r#"@OnMethod(clazz = "/t\\..*/", method = "/.*/", location = @Location(Kind.CALL)) static void a() {}"#,
    ]);
    let mut counts = Counts::default();
    for name in ["Methods", "Marked", "Both", "Plain"] {
        let bytes = support::class(&folder, &format!("t/{name}"));
        let file = ClassFile::parse(&bytes).expect("a class");
        counts.add(&mut matcher.class(&file, &NoHierarchy).expect("readable"), &file);
    }
    assert_eq!((counts.of(1), counts.of(2), counts.of(3)), (8, 2, 0));
    // All but the abstract and the native one, and the constructors.
    assert_eq!(counts.of(4), 15 + 4);
    assert_eq!(counts.iter().map(|(probe, _)| probe).collect::<Vec<_>>(), [1, 2, 4]);
}
