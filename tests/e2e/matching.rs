//! Which classes and methods are woven: by supertypes, by annotations, by the types of values, and up to a limit.

use crate::harness::each_jdk;
use crate::traced::{Traced, end, round};

const WORK: &str = r#"package work;
import java.lang.annotation.*;
@Retention(RetentionPolicy.CLASS) @interface Marked {}
@Retention(RetentionPolicy.RUNTIME) @interface Timed {}
interface Task { default void hello(String s) {} void run(String s); }
abstract class Base implements Task { }
class Leaf extends Base { public void run(String s) {} static { Leaf.initialized(); } static void initialized() {} }
class Bare extends Base { public void run(String s) {} }
class Other { public void run(String s) {} }
@Marked class Noted { void work(String s) {} }
class Named { @Timed void timed(Text t) {} void untimed(Text t) {} void take(Job job, String s) {} }
class Job implements Runnable { final String s; Job(String s) { this.s = s; } public void run() {} }
class Text implements CharSequence {
    final String s;
    Text(String s) { this.s = s; }
    public int length() { return s.length(); }
    public char charAt(int i) { return s.charAt(i); }
    public CharSequence subSequence(int a, int b) { return s.subSequence(a, b); }
}
public class Work {
    static String round(String s) {
        new Leaf().run(s); new Leaf().hello(s); new Bare().run(s); new Other().run(s); new Noted().work(s);
        Named named = new Named();
        named.timed(new Text(s)); named.untimed(new Text(s)); named.take(new Job(s), s); named.take(null, s);
        new Job(s).run();
        return "done";
    }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Matching {
    @OnMethod(clazz = "+work.Task", method = "/run|hello|initialized/")
    public static void below(@ProbeClassName String type, @ProbeMethodName String method) { println("below " + type + " " + method); }
    @OnMethod(clazz = "+work.Base", method = "run")
    public static void base(@ProbeClassName String type, String s) { println("base " + type + " " + s); }
    @OnMethod(clazz = "@work.Marked", method = "work")
    public static void marked(@ProbeClassName String type) { println("marked " + type); }
    @OnMethod(clazz = "@/work\\.Mar.*/", method = "/w.*/")
    public static void expression(@ProbeClassName String type) { println("expression " + type); }
    @OnMethod(clazz = "work.Named", method = "@work.Timed")
    public static void timed(@ProbeMethodName String method, CharSequence text) { println("timed " + method + " " + text.length()); }
    @OnMethod(clazz = "work.Named", method = "take")
    public static void job(Runnable job, CharSequence s) { println("job " + (job != null) + " " + s); }
    @OnMethod(clazz = "/work\\..*/", method = "run")
    public static void self(@Self Runnable self, @ProbeClassName String type) { println("runnable " + type); }
}
"#;

fn expected(round: &str) -> Vec<String> {
    vec![
        "below work.Leaf run".to_owned(),
        format!("base work.Leaf {round}"),
        "below work.Task hello".to_owned(),
        "below work.Bare run".to_owned(),
        format!("base work.Bare {round}"),
        "marked work.Noted".to_owned(),
        "expression work.Noted".to_owned(),
        format!("timed timed {}", round.len()),
        format!("job true {round}"),
        format!("job false {round}"),
        "runnable work.Job".to_owned(),
    ]
}

/// Without what the VM does not keep of loaded classes.
fn visible(round: &str) -> Vec<String> {
    expected(round).into_iter().filter(|line| !line.ends_with("work.Noted")).collect()
}

/// Classes come after the probe: their supertypes are loaded after them, and the types of values even later.
#[test]
fn supertypes_and_annotations_decide_for_classes_to_come() {
    each_jdk("matching, from the start", |test, jdk| {
        let traced = Traced::new(test, "Matching", WORK, PROBE);
        let target = traced.started(jdk, "");
        let mut seen = 0;
        round(&target, "one");
        let mut first = expected("one");
        // Woven before its initializer runs.
        first.insert(0, "below work.Leaf initialized".to_owned());
        assert_eq!(traced.written(&mut seen, first.len()), first);
        round(&target, "three");
        assert_eq!(traced.written(&mut seen, 11), expected("three"));
        assert_eq!(end(&target), "");
    });
}

/// Classes are there already: the VM tells their supertypes, and their constants which may be annotated. What it does not
/// keep of loaded classes, annotations that are not visible at run time, is told.
#[test]
fn supertypes_and_annotations_decide_for_loaded_classes() {
    each_jdk("matching, attached", |test, jdk| {
        let traced = Traced::new(test, "Matching", WORK, PROBE);
        let target = traced.plain(jdk, &[]);
        round(&target, "zero");
        traced.load(jdk, &target, &traced.arguments(""));
        let mut seen = 0;
        round(&target, "one");
        assert_eq!(traced.written(&mut seen, 9), visible("one"));
        traced.load(jdk, &target, "off");
        round(&target, "off");
        traced.load(jdk, &target, &traced.arguments(""));
        round(&target, "again");
        assert_eq!(traced.written(&mut seen, 9), visible("again"));
        let said = end(&target);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 1, "{said}");
        assert!(lines[0].contains("whether class work.Noted has the annotation work.Marked is not known"), "{said}");
        assert!(lines[0].contains("hint: "), "{said}");
    });
}

/// A probe that asks for too much is refused whole, with its count, before anything is retransformed.
#[test]
fn a_probe_on_too_many_loaded_methods_is_refused() {
    each_jdk("maxMethods, attached", |test, jdk| {
        let traced = Traced::new(test, "Matching", WORK, PROBE);
        let target = traced.plain(jdk, &[]);
        round(&target, "zero");
        traced.load(jdk, &target, &traced.arguments("maxMethods=3,dumpClasses=true,dumpDir=woven"));
        let line = target.wait_for_error_line("maxMethods=3");
        assert!(
            line.contains("probe trace.Matching asks for 7 methods of loaded classes, more than maxMethods=3; hint: "),
            "{line}"
        );
        round(&target, "one");
        assert_eq!(fs_err::read_to_string(&traced.out).unwrap_or_default(), "");
        // The limit is that of one submission.
        traced.load(jdk, &target, &traced.arguments("maxMethods=7"));
        round(&target, "two");
        assert_eq!(traced.written(&mut 0, 9), visible("two"));
        end(&target);
    });
}

/// Of classes to come nobody knows how many there are; the probe stays within its limit, and one line says so.
#[test]
fn a_probe_stops_at_its_limit_where_classes_come_later() {
    each_jdk("maxMethods, from the start", |test, jdk| {
        let probe = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class All {
    @OnMethod(clazz = "/work\\..*/", method = "/run|work|timed/") public static void all(@ProbeClassName String type) { println(type); }
}
"#;
        let traced = Traced::new(test, "All", WORK, probe);
        let target = traced.started(jdk, "maxMethods=2");
        round(&target, "one");
        assert_eq!(traced.written(&mut 0, 2), ["work.Leaf", "work.Bare"]);
        let said = end(&target);
        let lines: Vec<&str> = said.lines().filter(|l| l.contains("maxMethods=2")).collect();
        assert_eq!(lines.len(), 1, "{said}");
        assert!(lines[0].contains("probe trace.All has reached maxMethods=2") && lines[0].contains("hint: "), "{said}");
    });
}
