//! Which handlers are called at the places of real methods, and with which values.

mod support;

use classfile::ClassFile;
use probe::weaving::{Call, Planner, Source};
use probe::{Hierarchy, Kind, Matcher, NoHierarchy};
use std::sync::Arc;

const TARGET: &str = r#"package t;
import java.io.*;
public class Places {
  int count; static String text;
  static int calls(StringBuilder b, int[] a) {
    b.append("x", 0, 1); b.setLength(3);
    Math.max(1, 2);
    return a.clone().length; }
  void fields(Places o) { o.count = 1; text = "a"; int c = o.count; String t = text; }
  static void arrays(int[] a, String[] b, long[][] c, boolean[] d) {
    a[1] = a[0]; b[0] = null; c[0][1] = 2; d[0] = d[1]; }
  static Object types(Object o) { return o instanceof String ? (int[]) o : (String) o; }
  static void make() { new Places(); Object a = new int[1]; Object b = new String[1]; Object c = new long[1][2][]; }
  static void fail() throws IOException {
    try { throw new IOException(); }
    catch (EOFException | FileNotFoundException e) { count(1); }
    finally { count(2); } }
  static void count(int i) {}
  static void lock(Object o) { synchronized (o) { count(3); } }
}
"#;

/// What is called at the places of the methods called `method`: side, handler, values.
fn calls(bytes: &[u8], matcher: &Matcher, hierarchy: &dyn Hierarchy, method: &str) -> Vec<(String, Vec<Source>)> {
    let file = ClassFile::parse(bytes).expect("a class");
    let mut class = matcher.class(&file, hierarchy).expect("readable");
    let mut found = Vec::new();
    support::methods(&file, |info| {
        if info.name != method {
            return;
        }
        let plan = class.plan(info);
        for place in support::sites::of(&file, &info.member) {
            let site = place.site();
            if !plan.sites.contains(site.kind) {
                continue;
            }
            let at = class.site(info, &site);
            let name = |side: &str, call: &Call| format!("{side} {}", call.name.rsplit(':').next().unwrap_or_default());
            found.extend(at.before.into_iter().map(|call| (name("before", &call), call.parameters)));
            found.extend(at.after.into_iter().map(|call| (name("after", &call), call.parameters)));
        }
    });
    assert!(found.iter().all(|(name, _)| !name.contains('?')), "{found:?}");
    found
}

/// Expands `before call(Object, "text", 7)` notation: `T` target, `R` result, `D` duration, `S` self, `0`… operands, `#7` an
/// int, `N` null, anything else a text.
fn expect(lines: &[&str]) -> Vec<(String, Vec<Source>)> {
    lines
        .iter()
        .map(|line| {
            let (name, values) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
            let source = |value: &str| match value {
                "T" => Source::Target,
                "R" => Source::Result,
                "D" => Source::Duration,
                "S" => Source::This,
                "N" => Source::Null,
                _ if value.len() == 1 => Source::Operand(value.parse().expect("a digit")),
                _ => value
                    .strip_prefix('#')
                    .map_or_else(|| Source::Text(value.into()), |n| Source::Int(n.parse().expect("a number"))),
            };
            (name.to_owned(), values.split("; ").filter(|v| !v.is_empty()).map(source).collect())
        })
        .collect()
}

/// Knows what a class of the target's exceptions extends.
#[derive(Debug)]
struct Io;
impl Hierarchy for Io {
    fn is_subtype(&self, class: &str, ancestor: &str) -> Option<bool> {
        (class == "java/io/FileNotFoundException").then_some(ancestor == "java/io/IOException")
    }
}

#[test]
fn every_kind_passes_what_the_language_says() {
    let folder = support::classes(&[("t/Places.java".into(), TARGET.into())]);
    let bytes = support::class(&folder, "t/Places");
    let members: &[(&str, &str, &[&str])] = &[
        (
            "calls",
            r#"@OnMethod(clazz = "t.Places", method = "calls", location = @Location(value = Kind.CALL))
               static void any(@Self Object s, @TargetInstance AnyType t, AnyType[] all, @TargetMethodOrField String m) {}
               @OnMethod(clazz = "t.Places", method = "calls", location = @Location(value = Kind.CALL, where = Where.AFTER, clazz = "/java\\.lang\\..*/", method = "max"))
               static void max(@Return int r, @Duration long d, int a, int b, @TargetMethodOrField(fqn = true) String m) {}
               @OnMethod(clazz = "t.Places", method = "calls", location = @Location(value = Kind.CALL, type = "void (int)"))
               static void typed(Number n, @TargetInstance StringBuilder b) {}
               @OnMethod(clazz = "t.Places", method = "calls", location = @Location(value = Kind.CALL, clazz = "int[]"))
               static void array() {}"#,
            &[
                "before any: N; T; 0; 1; 2; append",
                "before any: N; T; 0; setLength",
                "before typed: 0; T",
                "before any: N; T; 0; 1; max",
                "after max: R; D; 0; 1; int java.lang.Math#max(int, int)",
                "before any: N; T; clone",
                "before array:",
            ],
        ),
        (
            "fields",
            r#"@OnMethod(clazz = "t.Places", method = "fields", location = @Location(value = Kind.FIELD_SET, clazz = "t.Places", field = "count"))
               static void set(@Self Object s, @TargetInstance Object t, int value, @TargetMethodOrField(fqn = true) String m) {}
               @OnMethod(clazz = "t.Places", method = "fields", location = @Location(value = Kind.FIELD_SET))
               static void text(CharSequence value) {}
               @OnMethod(clazz = "t.Places", method = "fields", location = @Location(value = Kind.FIELD_GET, where = Where.AFTER, type = "java.lang.String"))
               static void get(@Return String r, @TargetMethodOrField String m) {}
               @OnMethod(clazz = "t.Places", method = "fields", location = @Location(value = Kind.FIELD_GET, field = "/c.*/"))
               static void before(AnyType[] none) {}"#,
            &["before set: S; T; 0; int t.Places#count", "before text: 0", "before before:", "after get: R; text"],
        ),
        (
            "arrays",
            r#"@OnMethod(clazz = "t.Places", method = "arrays", location = @Location(value = Kind.ARRAY_GET, where = Where.AFTER))
               static void get(@TargetInstance Object a, int i, @Return AnyType r, @TargetMethodOrField String m) {}
               @OnMethod(clazz = "t.Places", method = "arrays", location = @Location(value = Kind.ARRAY_GET, type = "int"))
               static void ints(int[] array, int i) {}
               @OnMethod(clazz = "t.Places", method = "arrays", location = @Location(value = Kind.ARRAY_SET, type = "java.lang.Object[]"))
               static void objects(Object[] array, int i, Object value) {}
               @OnMethod(clazz = "t.Places", method = "arrays", location = @Location(value = Kind.ARRAY_SET))
               static void longs(int i, long value) {}
               @OnMethod(clazz = "t.Places", method = "arrays", location = @Location(value = Kind.ARRAY_SET))
               static void bytes(@TargetInstance byte[] t, AnyType[] all) {}"#,
            &[
                "before ints: T; 0",
                "after get: T; 0; R; int[]",
                "before objects: T; 0; 1",
                "after get: T; 0; R; java.lang.Object[]",
                "before longs: 0; 1",
                "after get: T; 0; R; byte[]",
                "before bytes: T; 0; 1",
            ],
        ),
        (
            "types",
            r#"@OnMethod(clazz = "t.Places", method = "types", location = @Location(value = Kind.INSTANCEOF))
               static void test(@TargetInstance Object o, String type) {}
               @OnMethod(clazz = "t.Places", method = "types", location = @Location(value = Kind.CHECKCAST, where = Where.AFTER))
               static void cast(String type, @TargetInstance AnyType o) {}
               @OnMethod(clazz = "t.Places", method = "types", location = @Location(value = Kind.CHECKCAST, clazz = "java.lang.String"))
               static void text() {}"#,
            &[
                "before test: T; java.lang.String",
                "after cast: int[]; T",
                "before text:",
                "after cast: java.lang.String; T",
            ],
        ),
        (
            "make",
            r#"@OnMethod(clazz = "t.Places", method = "make", location = @Location(value = Kind.NEW, where = Where.AFTER))
               static void made(@Return Object o, String type) {}
               @OnMethod(clazz = "t.Places", method = "make", location = @Location(value = Kind.NEW, clazz = "t.Other"))
               static void other() {}
               @OnMethod(clazz = "t.Places", method = "make", location = @Location(value = Kind.NEWARRAY))
               static void array(String type, int dimensions) {}
               @OnMethod(clazz = "t.Places", method = "make", location = @Location(value = Kind.NEWARRAY, where = Where.AFTER, clazz = "long"))
               static void longs(@Return Object[] o) {}"#,
            &[
                "after made: R; t.Places",
                "before array: int; #1",
                "before array: java.lang.String; #1",
                "before array: long; #3",
                "after longs: R",
            ],
        ),
        (
            "fail",
            r#"@OnMethod(clazz = "t.Places", method = "fail", location = @Location(value = Kind.THROW))
               static void thrown(Throwable t, @Self Object o) {}
               @OnMethod(clazz = "t.Places", method = "fail", location = @Location(value = Kind.CATCH, clazz = "/java\\.io\\..*/"))
               static void eof(@TargetInstance java.io.EOFException e) {}
               @OnMethod(clazz = "t.Places", method = "fail", location = @Location(value = Kind.CATCH, clazz = "java.lang.Throwable"))
               static void all(Throwable t) {}"#,
            // The statement's own throw, then that of its `finally`.
            &["before thrown: T; N", "before eof: T", "before all: T", "before thrown: T; N"],
        ),
        (
            "lock",
            r#"@OnMethod(clazz = "t.Places", method = "lock", location = @Location(value = Kind.SYNC_ENTRY, where = Where.AFTER))
               static void taken(Object lock) {}
               @OnMethod(clazz = "t.Places", method = "lock", location = @Location(value = Kind.SYNC_EXIT))
               static void released(@TargetInstance AnyType lock) {}
               @OnMethod(clazz = "t.Places", method = "lock", location = @Location(value = Kind.LINE, line = 19))
               static void line(int line) {}
               @OnMethod(clazz = "t.Places", method = "lock", location = @Location(value = Kind.LINE, line = 20))
               static void never() {}"#,
            &["before line: #19", "after taken: T", "before released: T", "before released: T"],
        ),
        (
            "calls",
            r#"@OnMethod(clazz = "t.Places", method = "calls", location = @Location(value = Kind.LINE, line = -1))
               static void line(int line, @ProbeMethodName(fqn = true) String m) {}"#,
            &[
                "before line: #6; int t.Places#calls(java.lang.StringBuilder, int[])",
                "before line: #7; int t.Places#calls(java.lang.StringBuilder, int[])",
                "before line: #8; int t.Places#calls(java.lang.StringBuilder, int[])",
            ],
        ),
    ];
    let sources: Vec<&str> = members.iter().map(|(_, body, _)| *body).collect();
    for (probe, (method, body, expected)) in support::probes(&sources).into_iter().zip(members) {
        let matcher = Matcher::new(vec![(1, Arc::new(probe.expect("a probe")))]).expect("patterns compile");
        assert_eq!(calls(&bytes, &matcher, &Io, method), expect(expected), "{body}");
    }
}

/// Several probes at one place run as they were submitted.
#[test]
fn order_is_that_of_submission() {
    let folder = support::classes(&[("t/Places.java".into(), TARGET.into())]);
    let bytes = support::class(&folder, "t/Places");
    let on = |name: &str| {
        format!(
            r#"@OnMethod(clazz = "/t\\..*/", method = "lock", location = @Location(value = Kind.CALL)) static void {name}1() {{}}
               @OnMethod(clazz = "t.Places", method = "/l.*/", location = @Location(value = Kind.CALL)) static void {name}2() {{}}"#
        )
    };
    let probes = support::probes(&[&on("a"), &on("b")]);
    let numbers = [9, 4];
    let matcher =
        Matcher::new(numbers.into_iter().zip(probes.into_iter().map(|p| Arc::new(p.expect("a probe")))).collect());
    let names: Vec<String> =
        calls(&bytes, &matcher.expect("patterns"), &NoHierarchy, "lock").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["before a1", "before a2", "before b1", "before b2"]);
}

/// On every method of real classes, a handler that takes everything is called at each place once, and passes only what the
/// place has.
#[test]
fn handlers_for_everything_fit_every_place() {
    // The agent's own runtime, under a name that may be woven.
    let api = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../java/boot");
    let mut sources = vec![("t/Places.java".to_owned(), TARGET.to_owned())];
    for path in walk(&api, "java") {
        let name = path.strip_prefix(&api).expect("below").to_str().expect("UTF-8").replacen("io/", "t/", 1);
        sources.push((name, fs_err::read_to_string(&path).expect("a source").replace("io.btrace.", "t.btrace.")));
    }
    let folder = support::classes(&sources);
    let members: Vec<String> = Kind::ALL
        .iter()
        .map(|kind| {
            let line = if *kind == Kind::Line { ", line = -1" } else { "" };
            format!(
                r#"@OnMethod(clazz = "/.*/", method = "/.*/", location = @Location(value = Kind.{kind}{line})) static void h{kind}(AnyType[] all, @Self AnyType s) {{}}"#
            )
        })
        .collect();
    let probe = support::probes(&[&members.concat()]).remove(0).expect("a probe");
    let matcher = Matcher::new(vec![(1, Arc::new(probe))]).expect("patterns compile");
    let mut places = 0;
    for entry in walk(folder.path(), "class") {
        let bytes = fs_err::read(&entry).expect("a class");
        let file = ClassFile::parse(&bytes).expect("a class");
        let mut class = matcher.class(&file, &NoHierarchy).expect("readable");
        support::methods(&file, |info| {
            let plan = class.plan(info);
            if plan.is_empty() {
                return;
            }
            let declared = classfile::descriptor::method(info.descriptor).expect("a descriptor").parameters.len();
            for calls in [&plan.entry, &plan.returns, &plan.errors] {
                assert_eq!(calls.len(), 1);
                assert_eq!(calls[0].parameters.len(), declared + 1);
            }
            for place in support::sites::of(&file, &info.member) {
                let site = place.site();
                assert!(plan.sites.contains(site.kind));
                let at = class.site(info, &site);
                assert_eq!((at.before.len(), at.after.len()), (1, 0), "{place:?}");
                let operands = at.before[0].parameters.iter().filter(|s| matches!(s, Source::Operand(_))).count();
                assert!(at.before[0].parameters.iter().all(|s| !matches!(s, Source::Result)), "{place:?}");
                if site.descriptor.starts_with('(') {
                    let called = classfile::descriptor::method(site.descriptor).expect("a descriptor");
                    assert_eq!(operands, called.parameters.len());
                }
                places += 1;
            }
        });
    }
    assert!(places > 2000, "{places}");
}

fn walk(folder: &std::path::Path, extension: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(walk(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found
}
