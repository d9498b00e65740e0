//! Switches, wide variables, long jumps, and methods near the limits of the format.

use super::{Situation, run, situation};
use std::fmt::Write;

#[test]
fn methods_of_every_size_are_woven_or_left_alone() {
    run(
        "sizes",
        vec![
            switches(),
            switches_of_text(),
            wide(),
            wide_with_sites(),
            far_jumps(),
            far_switch(),
            many_sites(),
            many_lines(),
            near_the_limit(),
            beyond_with_sites(),
            deep(),
            full_pool(),
        ],
    );
}

fn switches() -> Situation {
    situation(
        "Switches",
        r#"
    static String table(int i) { switch (i) { case 0: return "a"; case 1: i += 5; case 2: return "c" + i; case 4: break; default: return "d"; } return "e"; }
    static int lookup(int i) { int r = 0; switch (i) { case -1000000: r = 1; break; case 7: r = 2; case 1 << 30: r += 3; break; case Integer.MAX_VALUE: return 9; } return r; }
    public static Object run() { String s = ""; for (int i = -1; i < 6; i++) s += table(i); return s + lookup(-1000000) + lookup(7) + lookup(1 << 30) + lookup(Integer.MAX_VALUE) + lookup(0); }"#,
        r#"
    static long sum; static int n;
    @OnMethod(clazz = T, method = "/table|lookup/") public static void in(int i) { n++; }
    @OnMethod(clazz = T, method = "/table|lookup/", location = @Location(value = LINE, line = -1)) public static void line() { n += 100; }
    @OnMethod(clazz = T, method = "table", location = @Location(RETURN)) public static void table(int i, @Return String r, @Duration long d) { println(i + r); }
    @OnMethod(clazz = T, method = "lookup", location = @Location(RETURN)) public static void lookup(@Return int r, int i) { println(i + " " + r); }
    @OnMethod(clazz = T, method = "run", location = @Location(RETURN)) public static void run() { println(n); }"#,
        &[
            "-1d",
            "0a",
            "1c6",
            "2c2",
            "3d",
            "4e",
            "5d",
            "-1000000 1",
            "7 5",
            "1073741824 3",
            "2147483647 9",
            "0 0",
            "1212",
        ],
    )
}

fn switches_of_text() -> Situation {
    situation(
        "SwitchesOfText",
        r#"
    enum E { A, B }
    static int m(String s) { switch (s) { case "Aa": case "BB": return 1; case "x": return 2; default: return 3; } }
    static String e(E e) { switch (e) { case A: return "a"; default: return "b"; } }
    public static Object run() { return "" + m("Aa") + m("BB") + m("x") + m("C") + e(E.A) + e(E.B); }"#,
        r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void m(String s, @Return int r) { println(s + r); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER, method = "equals")) public static void equals(@Return boolean r, @TargetInstance Object s, Object o) { println(str(s) + " " + str(o) + " " + r); }
    @OnMethod(clazz = T, method = "e", location = @Location(value = ARRAY_GET, where = AFTER)) public static void e(@Return int n) { println("case " + n); }"#,
        &["Aa BB false", "Aa Aa true", "Aa1", "BB BB true", "BB1", "x x true", "x2", "C3", "case 1", "case 0"],
    )
}

/// More than 255 variables, so that instructions need `wide`.
fn wide() -> Situation {
    let mut body = String::new();
    for i in 0..300 {
        let _ = write!(body, "long v{i} = a + {i}; ");
    }
    situation(
        "WideVariables",
        format!(
            "\n    static long m(int a, double b) {{ {body} int k = 0; while (k < 1000) k += 300; a = k; long r = a; for (int i = 0; i < 3; i++) {{ k += i; v299 += k; b++; }} return r + v299 + (long) b; }}\n    \
             public static Object run() {{ return m(1, 2.5); }}"
        ),
        r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void m(int a, @Return long r, double b, @Duration long d) { println(a + " " + b + " " + r + " " + (d > 0)); }"#,
        &["1 2.5 5109 true"],
    )
}

fn wide_with_sites() -> Situation {
    let mut body = String::new();
    for i in 0..260 {
        let _ = write!(body, "int v{i} = a + {i}; ");
    }
    situation(
        "WideSites",
        format!(
            "\n    static long f(int a, long b, double c) {{ return a + b + (long) c; }} static long s; long o;\n    \
             static long m(int a) {{ {body} long[] x = new long[300]; x[v259] = f(v258, v257, v256); s = x[v259] + 1; try {{ WideSites w = new WideSites(); w.o = s; synchronized (w) {{ return f(1, w.o, 2.5) / (a - 1); }} }} catch (ArithmeticException e) {{ return v0; }} }}\n    \
             public static Object run() {{ return m(2) + m(1); }}"
        ),
        r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER, method = "f")) public static void f(int a, long b, double c, @Return long r, @Duration long d) { println("f " + a + " " + b + " " + c + " " + r); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = ARRAY_SET, type = "long")) public static void x(long[] x, int i, long v) { println("x " + x.length + " " + i + " " + v); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = FIELD_SET)) public static void s(@TargetMethodOrField String n, long v) { println(n + " " + v); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = NEW, where = AFTER)) public static void made(@Return Object o) { println(o.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = SYNC_EXIT)) public static void exit(Object o) { println("exit " + o.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CATCH, clazz = "java.lang.ArithmeticException")) public static void caught(Throwable t) { println("caught " + t.getMessage()); }"#,
        &[
            "f 260 259 258.0 777",
            "x 300 261 777",
            "s 778",
            "WideSites",
            "o 778",
            "f 1 778 2.5 781",
            "exit WideSites",
            "f 259 258 257.0 774",
            "x 300 260 774",
            "s 775",
            "WideSites",
            "o 775",
            "f 1 775 2.5 778",
            "exit WideSites",
            "caught / by zero",
        ],
    )
}

/// Jumps over more than 32 KB, which the compiler makes of two jumps, and that grow by what is inserted.
fn far_jumps() -> Situation {
    let body = "x += Math.abs(x) % 7;\n".repeat(3600);
    situation(
        "FarJumps",
        format!(
            "\n    static int m(int n) {{ int x = 1; for (int i = 0; i < n; i++) {{ if (i == 1) continue; {body} if (x < 0) break; }} return x; }}\n    \
             public static Object run() {{ return m(3); }}"
        ),
        r#"
    @OnMethod(clazz = T, method = "m") public static void in(int n) { println("in " + n); }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Return int r, int n, @Duration long d) { println("out " + n + " " + (r > 0) + " " + (d > 0)); }"#,
        &["in 3", "out 3 true true"],
    )
}

/// Jumps of just below 32 KB, which what is inserted makes too long.
fn far_switch() -> Situation {
    let body = "x += Math.abs(x) % 7;\n".repeat(2300);
    situation(
        "LengthenedJumps",
        format!(
            "\n    static int m(int n) {{ int x = 1; for (int i = 0; i < n; i++) {{ switch (i) {{ case 1: continue; case 2: x++; default: {body} }} if (x < 0) return x; }} return x; }}\n    \
             public static Object run() {{ return m(3); }}"
        ),
        r#"
    static int calls;
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, method = "abs")) public static void call(int n) { calls++; }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Return int r, int n) { println(n + " " + calls); }"#,
        &["3 4600"],
    )
}

fn many_sites() -> Situation {
    let mut body = String::new();
    for i in 0..800 {
        let _ = write!(body, "s += f({i}); ");
    }
    situation(
        "ManySites",
        format!(
            "\n    static long s; static int f(int i) {{ return i; }}\n    static long m() {{ {body} return s; }}\n    public static Object run() {{ return m(); }}"
        ),
        r#"
    static long before, after, sets;
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, clazz = T)) public static void before(int i) { before += i; }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER, clazz = T)) public static void after(@Return int i, @Duration long d) { after += i; }
    @OnMethod(clazz = T, method = "m", location = @Location(value = FIELD_SET)) public static void set(long s) { sets++; }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Return long r) { println(before + " " + after + " " + sets + " " + r); }"#,
        &["319600 319600 800 319600"],
    )
}

fn many_lines() -> Situation {
    let body = "        x += 1;\n".repeat(2000);
    situation(
        "ManyLines",
        format!(
            "\n    static int m(int x) {{\n{body}        return x;\n    }}\n    public static Object run() {{ return m(1); }}"
        ),
        r#"
    static int n, last;
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, line = -1)) public static void line(int line) { n++; last = line; }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Return int r) { println(n + " " + last + " " + r); }"#,
        &["2001 2003 2001"],
    )
}

/// 65,5xx bytes: there is no room for a call.
fn near_the_limit() -> Situation {
    let body = "x += Math.abs(x) % 7;\n".repeat(6553);
    situation(
        "NearTheLimit",
        format!("\n    static int m(int x) {{ {body} return x; }}\n    static int n(int x) {{ return m(x); }}\n    public static Object run() {{ return n(1); }}"),
        r#"
    @OnMethod(clazz = T, method = "/[mn]/") public static void in(@ProbeMethodName String m, int x) { println("in " + m); }
    @OnMethod(clazz = T, method = "/[mn]/", location = @Location(RETURN)) public static void out(@ProbeMethodName String m, @Return int r) { println("out " + m); }"#,
        &["in n", "out n"],
    )
    .told(&["method situation.NearTheLimit.m(I)I was not woven: code would pass 65535 bytes"])
}

/// Sites that together would pass the limit.
fn beyond_with_sites() -> Situation {
    let body = "x += Math.abs(x) % 7;\n".repeat(4000);
    situation(
        "TooManySites",
        format!("\n    static int m(int x) {{ {body} return x; }}\n    public static Object run() {{ return m(1); }}"),
        r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER)) public static void call(int x, @Return int r, @Duration long d) { println("never"); }
    @OnMethod(clazz = T, method = "run") public static void run() { println("run"); }"#,
        &["run"],
    )
    .told(&["method situation.TooManySites.m(I)I was not woven: code would pass 65535 bytes"])
}

/// Deep stacks around a call.
fn deep() -> Situation {
    let mut call = "f(1L, 2.5)".to_owned();
    for i in 0..60 {
        call = format!("{i} + {i}L * ({i}.5 - {call})");
    }
    situation(
        "DeepStacks",
        format!(
            "\n    static double f(long a, double b) {{ return a + b; }}\n    static double m() {{ return {call}; }}\n    public static Object run() {{ return m(); }}"
        ),
        r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER)) public static void f(long a, double b, @Return double r, @Duration long d) { println(a + " " + b + " " + r); }"#,
        &["1 2.5 3.5"],
    )
}

/// No constants can be added.
fn full_pool() -> Situation {
    let mut body = String::new();
    for method in 0..7 {
        let numbers: Vec<String> = (0..9355).map(|i| format!("x += {};\n", 100_000 + method * 10_000 + i)).collect();
        let numbers = numbers.concat();
        let _ = writeln!(body, "    static int m{method}(int x) {{ {numbers} return x; }}");
    }
    situation(
        "FullConstantPool",
        format!("\n{body}    public static Object run() {{ return m0(1) + m6(1) + new Other().m0(2); }}\n    static class Other {{ int m0(int x) {{ return x; }} }}"),
        r#"
    @OnMethod(clazz = "/situation\\.FullConstantPool.*/", method = "m0") public static void in(@ProbeClassName String type, int x) { println(type + " " + x); }"#,
        &["situation.FullConstantPool$Other 2"],
    )
    .told(&["class situation.FullConstantPool was not woven"])
}
