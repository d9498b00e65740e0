//! What woven programs report, to the letter.

use crate::harness::{Link, everything, javac, weave_all};
use classfile::weave::{Call, Plan, Source};
use std::fmt::Write as _;

/// Weaves everything but `main`, runs under both linkages, and compares the output.
fn expect(source: &str, expected: &str) {
    let classes = javac(&[("T.java", source)], &[]);
    for link in [Link::Dynamic, Link::Direct] {
        let program = weave_all(&classes, link, &mut |m| (m.name != "main").then(|| everything(m)));
        program.expect_none_skipped();
        let output = program.run("T").unwrap_or_else(|e| panic!("{link:?}: {e}"));
        let lines = |text: &str| text.trim().lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&output), lines(expected), "{link:?}");
    }
}

#[test]
fn every_kind_of_argument_and_result() {
    expect(
        r#"
public class T {
    static boolean z(boolean v) { return v; }
    static byte b(byte v) { return v; }
    static char c(char v) { return v; }
    static short s(short v) { return v; }
    static int i(int v) { return v; }
    static long j(long v) { return v; }
    static float f(float v) { return v; }
    static double d(double v) { return v; }
    static Object l(String v) { return v; }
    static int[] a(int[][] v) { return v[0]; }
    static void v() {}
    synchronized long mixed(long a, int b, double c, String d, float e, byte f) { return a + b; }
    public static void main(String[] args) {
        z(true); b((byte) -1); c('x'); s((short) -300); i(1 << 30); j(1L << 60); f(1.5f); d(-2.25); l("hi");
        a(new int[][] {{1}}); v(); new T().mixed(-5L, 3, 0.5, null, -1f, (byte) 7);
    }
}"#,
        r#"
@entry:z null Boolean:true
@return:z null Boolean:true <ns> Boolean:true
@entry:b null Byte:-1
@return:b null Byte:-1 <ns> Byte:-1
@entry:c null Character:x
@return:c null Character:x <ns> Character:x
@entry:s null Short:-300
@return:s null Short:-300 <ns> Short:-300
@entry:i null Integer:1073741824
@return:i null Integer:1073741824 <ns> Integer:1073741824
@entry:j null Long:1152921504606846976
@return:j null Long:1152921504606846976 <ns> Long:1152921504606846976
@entry:f null Float:1.5
@return:f null Float:1.5 <ns> Float:1.5
@entry:d null Double:-2.25
@return:d null Double:-2.25 <ns> Double:-2.25
@entry:l null "hi"
@return:l null "hi" <ns> "hi"
@entry:a null [[I
@return:a null [I <ns> [[I
@entry:v null
@return:v null null <ns>
@entry:_init_ T
@return:_init_ T null <ns>
@entry:mixed T Long:-5 Integer:3 Double:0.5 null Float:-1.0 Byte:7
@return:mixed T Long:-2 <ns> Long:-5 Integer:3 Double:0.5 null Float:-1.0 Byte:7"#,
    );
}

#[test]
fn arguments_keep_the_value_they_came_with() {
    expect(
        r#"
public class T {
    static long sum(int n, long start, String s, double d) {
        while (n-- > 0) { start += n; s = s + n; d = d / 2; }
        if (s.length() > 5) { throw new IllegalStateException(s); }
        return start;
    }
    String reuse(String a, int b) {
        if (b > 0) { a = null; Object c = this; return c.getClass().getName(); }
        return a;
    }
    public static void main(String[] args) {
        sum(2, 10, "x", 8);
        try { sum(6, 1, "long", 1); } catch (IllegalStateException e) { System.out.println(e.getMessage() + (rt.Rt.last[0] == e)); }
        new T().reuse("a", 1);
        new T().reuse("b", 0);
    }
}"#,
        r#"
@entry:sum null Integer:2 Long:10 "x" Double:8.0
@return:sum null Long:11 <ns> Integer:2 Long:10 "x" Double:8.0
@entry:sum null Integer:6 Long:1 "long" Double:1.0
@error:sum java.lang.IllegalStateException null <ns> Integer:6 Long:1 "long" Double:1.0
long543210true
@entry:_init_ T
@return:_init_ T null <ns>
@entry:reuse T "a" Integer:1
@return:reuse T "T" <ns> "a" Integer:1
@entry:_init_ T
@return:_init_ T null <ns>
@entry:reuse T "b" Integer:0
@return:reuse T "b" <ns> "b" Integer:0"#,
    );
}

#[test]
fn constructors_report_this_once_it_is_initialised() {
    expect(
        r#"
public class T {
    static class Base {
        Base(Object o) { if (o == null) { throw new NullPointerException("base"); } }
    }
    static class Sub extends Base {
        final int captured;
        Sub(boolean first, Object o) { super(first ? new Sub(o, 1) : o); captured = 1; }
        Sub(Object o, int n) { super(n > 0 ? o : "none"); captured = n; if (n == 7) { throw new Error("late"); } }
        Sub(String s) { this(s.length() > 2 ? s.substring(1) : null, 5); }
    }
    class Inner { Object outer() { return T.this; } }
    public static void main(String[] args) {
        new Sub(true, "x");
        try { new Sub("ab"); } catch (NullPointerException e) { System.out.println(e.getMessage()); }
        try { new Sub((String) null); } catch (NullPointerException e) { System.out.println("no string"); }
        try { new Sub("x", 7); } catch (Error e) { System.out.println(e.getMessage() + (rt.Rt.last[0] == e)); }
        new T().new Inner().outer();
    }
}"#,
        // The base constructor also runs on a `Sub`.
        r#"
@entry:_init_ T$Sub "x"
@return:_init_ T$Sub null <ns> "x"
@entry:_init_ T$Sub "x" Integer:1
@return:_init_ T$Sub null <ns> "x" Integer:1
@entry:_init_ T$Sub T$Sub
@return:_init_ T$Sub null <ns> T$Sub
@entry:_init_ T$Sub Boolean:true "x"
@return:_init_ T$Sub null <ns> Boolean:true "x"
@entry:_init_ T$Sub null
@error:_init_ java.lang.NullPointerException T$Sub <ns> null
base
no string
@entry:_init_ T$Sub "x"
@return:_init_ T$Sub null <ns> "x"
@entry:_init_ T$Sub "x" Integer:7
@error:_init_ java.lang.Error T$Sub <ns> "x" Integer:7
latetrue
@entry:_init_ T
@return:_init_ T null <ns>
@entry:_init_ T$Inner T
@return:_init_ T$Inner null <ns> T
@entry:outer T$Inner
@return:outer T$Inner T <ns>"#,
    );
}

#[test]
fn only_what_leaves_the_method_is_an_error() {
    expect(
        r#"
public class T {
    static int nested(int n) {
        try {
            try {
                if (n == 0) { throw new IllegalArgumentException(); }
                if (n == 1) { throw new RuntimeException(); }
                return n / (n - 2);
            } catch (IllegalArgumentException e) {
                return -1;
            } finally {
                n = 99;
            }
        } catch (ArithmeticException e) {
            throw new IllegalStateException(e);
        }
    }
    static void locked(Object lock) {
        synchronized (lock) { lock.hashCode(); }
    }
    static int loop() {
        int n = 0;
        do { try { if (n++ < 3) { continue; } break; } finally { n += 10; } } while (true);
        return n;
    }
    public static void main(String[] args) {
        for (int n = 0; n < 4; n++) {
            try { nested(n); } catch (RuntimeException e) { System.out.println(rt.Rt.last[0] == e); }
        }
        try { locked(null); } catch (NullPointerException e) { System.out.println(rt.Rt.last[0] == e); }
        locked("");
        loop();
    }
}"#,
        r#"
@entry:nested null Integer:0
@return:nested null Integer:-1 <ns> Integer:0
@entry:nested null Integer:1
@error:nested java.lang.RuntimeException null <ns> Integer:1
true
@entry:nested null Integer:2
@error:nested java.lang.IllegalStateException null <ns> Integer:2
true
@entry:nested null Integer:3
@return:nested null Integer:3 <ns> Integer:3
@entry:locked null null
@error:locked java.lang.NullPointerException null <ns> null
true
@entry:locked null ""
@return:locked null null <ns> ""
@entry:loop null
@return:loop null Integer:22 <ns>"#,
    );
}

/// An exception of a handler is the agent's fault; the method's own handlers and our error handler must not see it.
#[test]
fn exceptions_of_inserted_code_bypass_the_method() {
    let source = r#"
public class T {
    static int caught(int n) {
        try { if (n > 0) { return n; } n += 2; } catch (Throwable t) { System.out.println("seen"); } finally { System.out.println("finally"); }
        return n;
    }
    public static void main(String[] args) {
        for (int n = 0; n < 2; n++) {
            try { caught(n); } catch (Throwable e) { System.out.println(e.getClass().getName()); }
        }
    }
}"#;
    let classes = javac(&[("T.java", source)], &[]);
    let call = |name: &str| Call { name: name.into(), parameters: vec![Source::Null] };
    // `Rt` reads a number behind the mark, so this one throws.
    let plan = Plan { returns: vec![call("bad#x")], errors: vec![call("error")], ..Plan::default() };
    for link in [Link::Dynamic, Link::Direct] {
        let program = weave_all(&classes, link, &mut |m| (m.name == "caught").then(|| plan.clone()));
        let output = program.run("T").unwrap();
        assert_eq!(output, "finally\njava.lang.NumberFormatException\nfinally\njava.lang.NumberFormatException\n");
    }
}

#[test]
fn several_calls_run_in_order_and_pass_constants() {
    let source = "
public class T {
    T(int n) {}
    static int f(int n) { return n + 1; }
    public static void main(String[] args) { f(1); new T(2); }
}";
    let classes = javac(&[("T.java", source)], &[]);
    let call = |name: &str, parameters| Call { name: name.into(), parameters };
    let text = Source::Text("a\0\u{1F600}é".into());
    let plan = Plan {
        entry: vec![
            call("e1", vec![Source::This, Source::Argument(0)]),
            call("e2", vec![text, Source::Null, Source::Return, Source::Thrown, Source::Duration]),
        ],
        returns: vec![
            call("r1", vec![Source::Argument(0), Source::Return, Source::Return]),
            call("r2", vec![Source::Thrown]),
        ],
        ..Plan::default()
    };
    for link in [Link::Dynamic, Link::Direct] {
        let program = weave_all(&classes, link, &mut |m| (m.name != "main").then(|| plan.clone()));
        let output = program.run_with("T", &["-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"]).unwrap();
        let e2 = "@e2 \"a\0\u{1F600}é\" null null null Long:0\n";
        // In a constructor `e1` waits for `super()` because it passes `this`; `e2` does not.
        let expected = format!(
            "@e1 null Integer:1\n{e2}@r1 Integer:1 Integer:2 Integer:2\n@r2 null\n{e2}@e1 T Integer:2\n@r1 Integer:2 null null\n@r2 null\n"
        );
        assert_eq!(output, expected, "{link:?}");
    }
}

#[test]
fn wide_variables_and_many_arguments() {
    let mut many = String::from("public class T {\n  static int wide(int a) {\n");
    for i in 0..300 {
        writeln!(many, "    long v{i} = a + {i};").unwrap();
    }
    many += "    a += 40000; long s = 0;\n    for (int k = 0; k < 2; k++) {\n";
    for i in 0..300 {
        writeln!(many, "      s += v{i};").unwrap();
    }
    many += "    }\n    return (int) s + a;\n  }\n";
    let parameters = |n: usize| (0..n).map(|i| format!("int p{i}")).collect::<Vec<_>>().join(", ");
    let values = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    writeln!(many, "  static int most({}) {{ return p254; }}", parameters(255)).unwrap();
    writeln!(many, "  int fewer({}) {{ return p251; }}", parameters(252)).unwrap();
    write!(
        many,
        "  public static void main(String[] a) {{ wide(1); most({}); new T().fewer({}); }}\n}}",
        values(255),
        values(252)
    )
    .unwrap();
    let classes = javac(&[("T.java", &many)], &[]);
    for link in [Link::Dynamic, Link::Direct] {
        let program = weave_all(&classes, link, &mut |m| {
            matches!(m.name, "wide" | "most" | "fewer").then(|| {
                let mut plan = everything(m);
                if m.name != "wide" && link == Link::Dynamic {
                    // All that a dynamic call can take.
                    plan.entry[0].parameters.resize(253, Source::Null);
                    plan.returns = vec![Call { name: "return".into(), parameters: vec![Source::Argument(251)] }];
                    plan.errors.clear();
                }
                plan
            })
        });
        program.expect_none_skipped();
        let output = program.run("T").unwrap();
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines[0], "@entry:wide null Integer:1", "{link:?}");
        assert_eq!(lines[1], "@return:wide null Integer:130301 <ns> Integer:1", "{link:?}");
        assert!(lines[2].starts_with("@entry:most null Integer:0 Integer:1 "), "{link:?}");
        assert!(lines[3].contains("Integer:251"), "{link:?}");
        assert!(lines[4].starts_with("@entry:fewer T Integer:0 Integer:1 "), "{link:?}");
        assert!(lines[5].contains("Integer:251"), "{link:?}");
    }
    let program = weave_all(&classes, Link::Dynamic, &mut |m| (m.name == "most").then(|| everything(m)));
    let skipped = &program.woven[0].1.skipped;
    assert_eq!(skipped[0].1.to_string(), "call `entry:most` passes too much, limit 253 slots, needed: 256");
    program.run("T").unwrap();
}
