//! Every location kind, with the parameters it has, on real JVMs.

use crate::harness::{AgentProject, each_jdk};
use crate::product::compile;

/// What is traced: a method for each kind, and what they print.
const WORK: &str = r#"package work;
public class Work {
    static int total; String name = "first"; final long[] numbers = {5, 6}; final String[] words = {"a", null};
    String call(String text, int times, double factor) { return text + times + factor; }
    static long twice(long value) { return 2 * value; }
    String calls() { return call("x", 2, 0.5) + twice(21); }
    int lines() {
        int a = 1;
        return a + 1;
    }
    String fields() { total = total + 7; name = "second"; return name + total; }
    long arrays() { numbers[0] = numbers[1] + 1; words[1] = words[0]; return numbers[0]; }
    Object types(Object o) { return o instanceof String ? (String) o : null; }
    String thrown() {
        try { throw new IllegalStateException("on purpose"); } catch (IllegalStateException e) { return e.getMessage(); }
    }
    Object made() { return new StringBuilder("made").append(new int[3].length).append(new long[2][3].length); }
    int locked() { synchronized (words) { return 1; } }
    public static void main(String[] arguments) {
        Work work = new Work();
        System.out.println(work.calls() + " " + work.lines() + " " + work.fields() + " " + work.arrays() + " "
            + work.types("s") + " " + work.types(3) + " " + work.thrown() + " " + work.made() + " " + work.locked());
    }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Kinds {
    @OnMethod(clazz = "work.Work", method = "calls", location = @Location(value = Kind.CALL, clazz = "work.Work", method = "call"))
    public static void call(@TargetInstance Object to, @TargetMethodOrField String name, String text, int times, double factor) {
        println("call " + name + " " + (to != null) + " " + text + " " + times + " " + factor);
    }
    @OnMethod(clazz = "work.Work", method = "calls", location = @Location(value = Kind.CALL, where = Where.AFTER, clazz = "/.*/", method = "twice"))
    public static void called(@Return long result, @Duration long duration, long value) {
        println("called " + value + " " + result + " " + (duration >= 0));
    }
    @OnMethod(clazz = "work.Work", method = "lines", location = @Location(value = Kind.LINE, line = 9))
    public static void line(@ProbeMethodName String method, int line) { println("line " + method + " " + line); }
    @OnMethod(clazz = "work.Work", method = "fields", location = @Location(value = Kind.FIELD_GET, where = Where.AFTER, clazz = "work.Work", field = "total"))
    public static void read(@Return int value) { println("read " + value); }
    @OnMethod(clazz = "work.Work", method = "fields", location = @Location(value = Kind.FIELD_SET, clazz = "work.Work", field = "name"))
    public static void write(@TargetInstance Object of, @TargetMethodOrField String name, String value) {
        println("write " + name + " " + (of != null) + " " + value);
    }
    @OnMethod(clazz = "work.Work", method = "arrays", location = @Location(value = Kind.ARRAY_GET, where = Where.AFTER, type = "long[]"))
    public static void element(@Return long value, long[] array, int index) { println("element " + array.length + " " + index + " " + value); }
    @OnMethod(clazz = "work.Work", method = "arrays", location = @Location(value = Kind.ARRAY_SET, type = "long[]"))
    public static void store(int index, long value) { println("store " + index + " " + value); }
    @OnMethod(clazz = "work.Work", method = "types", location = @Location(value = Kind.INSTANCEOF, clazz = "java.lang.String"))
    public static void tested(@TargetInstance Object of, String type) { println("instanceof " + type + " " + str(of)); }
    @OnMethod(clazz = "work.Work", method = "types", location = @Location(value = Kind.CHECKCAST, clazz = "java.lang.String"))
    public static void cast(@TargetInstance Object of, String type) { println("cast " + type + " " + str(of)); }
    @OnMethod(clazz = "work.Work", method = "thrown", location = @Location(Kind.THROW))
    public static void thrown(Throwable thrown) { println("throw " + thrown.getMessage()); }
    @OnMethod(clazz = "work.Work", method = "thrown", location = @Location(Kind.CATCH))
    public static void caught(@TargetInstance Throwable caught) { println("catch " + caught.getMessage()); }
    @OnMethod(clazz = "work.Work", method = "made", location = @Location(value = Kind.NEW, where = Where.AFTER, clazz = "java.lang.StringBuilder"))
    public static void made(@Return Object made, String type) { println("new " + type + " " + str(made)); }
    @OnMethod(clazz = "work.Work", method = "made", location = @Location(value = Kind.NEWARRAY, where = Where.AFTER))
    public static void array(@Return Object made, String type, int dimensions) { println("newarray " + type + " " + dimensions + " " + (made != null)); }
    @OnMethod(clazz = "work.Work", method = "locked", location = @Location(Kind.SYNC_ENTRY))
    public static void lock(Object lock) { println("lock " + (lock != null)); }
    @OnMethod(clazz = "work.Work", method = "locked", location = @Location(value = Kind.SYNC_EXIT, where = Where.AFTER))
    public static void unlock(@TargetInstance Object lock) { println("unlock " + (lock != null)); }
}
"#;

#[test]
fn every_kind_of_place_is_woven_with_its_values() {
    each_jdk("location kinds", |test, jdk| {
        let classes = test.compile_with(&[("work/Work.java", WORK)], &["--release", "8", "-g", "-Xlint:-options"]);
        let probes = test.folder().join("probes");
        compile(&[("trace/Kinds.java", PROBE)], &[], &probes);
        let toml = "[agent]\nname = \"kinds\"\nversion = \"1\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n";
        let agent = AgentProject::new("kinds", toml).tree("probes", &probes).build();
        let file = test.folder().join("out.txt");
        let mut command = std::process::Command::new(jdk.java());
        command.args(["-Xverify:all", "-Dbtrace.agent.suppressDeprecation=true"]).arg(format!(
            "-javaagent:{}=probes=Kinds,scriptOutputFile={}",
            agent.jar.display(),
            file.display()
        ));
        let done = test.run(command.arg("-cp").arg(&classes).arg("work.Work")).expect_code(0);
        assert_eq!(done.stdout.trim_end(), "x20.542 2 second7 7 s null on purpose made32 1");
        assert_eq!(done.stderr, "");
        let text = fs_err::read_to_string(&file).expect("what the probe wrote");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "call call true x 2 0.5",
                "called 21 42 true",
                "line lines 9",
                "read 0",
                "write name true second",
                "read 7",
                "element 2 1 6",
                "store 0 7",
                "element 2 0 7",
                "instanceof java.lang.String s",
                "cast java.lang.String s",
                "instanceof java.lang.String 3",
                "throw on purpose",
                "catch on purpose",
                "new java.lang.StringBuilder made",
                "newarray int 1 true",
                "newarray long 2 true",
                "lock true",
                "unlock true",
            ]
        );
    });
}
