//! Returns, and how long methods and calls took.

use super::{Situation, run, situation};

#[test]
fn handlers_at_return_get_the_value() {
    run("returns", values());
}

/// How long something took is compared only with what the program or the probe has measured within it or around it.
#[test]
fn durations_lie_within_what_lies_around_them() {
    run("durations", durations());
}

fn values() -> Vec<Situation> {
    vec![
        situation(
            "EachPrimitive",
            r#"
    static boolean z() { return true; } static byte b() { return -1; } static char c() { return 'c'; } static short s() { return -2; }
    static int i() { return 3; } static long j() { return 4L << 40; } static float f() { return 5.5f; } static double d() { return -6.25; }
    public static Object run() { return "" + z() + b() + c() + s() + i() + j() + f() + d(); }"#,
            r#"
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void z(@Return boolean r) { println("boolean " + r); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void b(@Return byte r) { println("byte " + r); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void c(@Return char r) { println("char " + r); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void s(@Return short r) { println("short " + r); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void i(@Return int r) { println("int " + r); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void j(@Return long r) { println("long " + r); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void f(@Return float r) { println("float " + r); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void d(@Return double r) { println("double " + r); }"#,
            &[
                "boolean true",
                "byte -1",
                "char c",
                "short -2",
                "int 3",
                "long 4398046511104",
                "float 5.5",
                "double -6.25",
            ],
        ),
        situation(
            "Narrow",
            r#"
    static byte b(int i) { return (byte) i; } static short s(int i) { return (short) i; } static char c(int i) { return (char) i; } static boolean z(int i) { return (i & 2) != 0; }
    public static Object run() { return "" + b(511) + s(70000) + (int) c(-1) + z(6); }"#,
            r#"
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void any(@Return AnyType r, int i) { println(i + " " + ((Object) r).getClass().getSimpleName() + " " + (r instanceof Object ? str(r).length() : 0)); }"#,
            &["511 Byte 2", "70000 Short 4", "-1 Character 1", "6 Boolean 4"],
        ),
        situation(
            "Nothing",
            r"
    static void m() {} static int i() { return 1; }
    public static Object run() { m(); return i(); }",
            r#"
    @OnMethod(clazz = T, method = "/m|i/", location = @Location(RETURN)) public static void any(@ProbeMethodName String m, @Return AnyType r) { println("any " + m + " " + str(r)); }
    @OnMethod(clazz = T, method = "/m|i/", location = @Location(RETURN)) public static void object(@ProbeMethodName String m, @Return Object r) { println("object " + m + " " + str(r)); }
    @OnMethod(clazz = T, method = "/m|i/", location = @Location(RETURN)) public static void number(@ProbeMethodName String m, @Return int r) { println("int " + m + " " + r); }
    @OnMethod(clazz = T, method = "/m|i/", location = @Location(RETURN)) public static void bare(@ProbeMethodName String m) { println("bare " + m); }"#,
            &["any m null", "bare m", "any i 1", "object i 1", "int i 1", "bare i"],
        ),
        situation(
            "References",
            r#"
    static String s(String s) { return s; } static int[][] a() { return new int[][] {{1}, {2, 3}}; } static String[] t() { return new String[] {"t"}; } static List<String> l() { return new ArrayList<String>(); }
    public static Object run() { return s("s") + s(null) + a().length + t().length + l(); }"#,
            r#"
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void s(@Return CharSequence r) { println("text " + r); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN), exactTypeMatch = true) public static void never(@Return CharSequence r) { println("never"); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void a(@Return int[][] r) { println("ints " + r[1][1]); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void o(@ProbeMethodName String m, @Return Object[] r) { println("objects " + m + r.length); }
    @OnMethod(clazz = T, method = "/./", location = @Location(RETURN)) public static void l(@Return Iterable<?> r) { println("iterable " + r.iterator().hasNext()); }"#,
            &["text s", "text null", "ints 3", "objects a2", "objects t1", "iterable false"],
        ),
        situation(
            "Several",
            r#"
    static String m(int i, String s) {
        if (i < 0) return "negative";
        switch (i) { case 0: return "zero"; case 1: return s; default: for (int k = 0; ; k++) if (k * k > i) return s + k; }
    }
    public static Object run() { return m(-1, "") + m(0, "") + m(1, "one") + m(10, "s"); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void m(int i, @Return String r, String s) { println(i + " " + r + " " + s); }"#,
            &["-1 negative ", "0 zero ", "1 one one", "10 s4 s"],
        ),
        situation(
            "Finally",
            r#"
    static int log;
    static int in(int i) { try { return i; } finally { log += i; i = 9; } }
    @SuppressWarnings("finally") static int over(int i) { try { return i; } finally { return -i; } }
    @SuppressWarnings("finally") static int swallowed() { try { throw new IllegalStateException(); } finally { return 5; } }
    static int nested(int i) { try { try { if (i > 0) return 10 / (i - 1); } finally { log++; } } catch (ArithmeticException e) { return -2; } finally { log += 100; } return 0; }
    public static Object run() { return in(1) + over(2) + swallowed() + nested(0) + nested(1) + nested(2) + log; }"#,
            r#"
    @OnMethod(clazz = T, method = "/in|over|swallowed|nested/", location = @Location(RETURN)) public static void any(@ProbeMethodName String m, @Return int r, AnyType[] all) {
        println(m + " " + r + (all.length > 0 ? " " + str(all[0]) : ""));
    }
    @OnMethod(clazz = T, method = "/.*/", location = @Location(ERROR)) public static void never() { println("never"); }"#,
            &["in 1 1", "over -2 2", "swallowed 5", "nested 0 0", "nested -2 1", "nested 10 2"],
        ),
        situation(
            "NotWhenThrown",
            r#"
    static int m(int i) { if (i > 0) throw new IllegalArgumentException("i" + i); return i; }
    public static Object run() { int n = m(0); try { m(1); } catch (IllegalArgumentException e) { n--; } return n; }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void m(int i) { println("return " + i); }"#,
            &["return 0"],
        ),
        situation(
            "KeptByHandlers",
            r#"
    static long m(long a, double b) { return a + (long) b; }
    static String s() { return "kept"; }
    public static Object run() { long n = 0; for (int i = 0; i < 3; i++) n += m(i, 1.5); return n + s(); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void fails(@Return long r) { throw new IllegalStateException("r" + r); }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void goesOn(@Return long r) { println("goes on " + r); }
    @OnMethod(clazz = T, method = "s", location = @Location(RETURN)) public static void divides(@Return CharSequence r) { println(1 / (r.length() - 4)); }
    @OnMethod(clazz = T, method = "s") public static void deep() { deep(); }"#,
            &[
                "handler trace.KeptByHandlers.fails failed: java.lang.IllegalStateException: r1; the same again is not shown",
                "goes on 1",
                "goes on 2",
                "goes on 3",
                "handler trace.KeptByHandlers.deep failed: java.lang.StackOverflowError; the same again is not shown",
                "handler trace.KeptByHandlers.divides failed: java.lang.ArithmeticException: / by zero; the same again is not shown",
            ],
        ),
        situation(
            "EverythingAtReturn",
            r#"
    final String name = "n";
    String m(int i, long j, Object o) { return name + i + j + o; }
    public static Object run() { return new EverythingAtReturn().m(1, 2, 3.5); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN))
    public static void m(int i, @Return CharSequence r, @ProbeClassName String c, long j, @Duration long d, @Self Object self, Object o, @ProbeMethodName(fqn = true) String m) {
        println(i + " " + r + " " + c + " " + j + " " + (d > 0) + " " + self.getClass().getSimpleName() + " " + o + " " + m);
    }"#,
            &[
                "1 n123.5 situation.EverythingAtReturn 2 true EverythingAtReturn 3.5 java.lang.String situation.EverythingAtReturn#m(int, long, java.lang.Object)",
            ],
        ),
        situation(
            "InASynchronizedBlock",
            r"
    static final Object LOCK = new Object();
    static int m(int i) { synchronized (LOCK) { if (i > 0) return i; } return -1; }
    static synchronized int s(int i) { return i + (Thread.holdsLock(InASynchronizedBlock.class) ? 1 : 0); }
    public static Object run() { return m(1) + m(0) + s(1); }",
            r#"
    @OnMethod(clazz = T, method = "/m|s/", location = @Location(RETURN)) public static void any(@ProbeMethodName String m, @Return int r) { println(m + r); }"#,
            &["m1", "m-1", "s2"],
        ),
    ]
}

fn durations() -> Vec<Situation> {
    vec![
        situation(
            "OfAReturn",
            r"
    static long own(int n) { long t = System.nanoTime(); double x = n; for (int i = 0; i < 20000; i++) x = Math.sqrt(x + i); return System.nanoTime() - t + (x < 0 ? 1 : 0); }
    public static Object run() { return own(3) >= 0; }",
            r#"
    @OnMethod(clazz = T, method = "own", location = @Location(RETURN)) public static void out(@Return long own, @Duration long d) { println("covers " + (own > 0 && d >= own)); }"#,
            &["covers true"],
        ),
        situation(
            "OfAnError",
            r#"
    static class Timed extends RuntimeException { Timed(long t) { super(Long.toString(t)); } }
    static void m(long start) { long t = System.nanoTime(); for (int i = 0; i < 1000; i++) start += Math.abs(i); throw new Timed(System.nanoTime() - t); }
    public static Object run() { try { m(1); } catch (Timed e) { return "caught"; } return "never"; }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(ERROR)) public static void out(@TargetInstance Throwable t, @Duration long d) { println("covers " + (d >= Long.parseLong(t.getMessage()))); }"#,
            &["covers true"],
        ),
        situation(
            "OfACall",
            r"
    static long own(int n) { long t = System.nanoTime(); for (int i = 0; i < 1000; i++) n += Math.abs(i); return System.nanoTime() - t; }
    public static Object run() { long t = 0; for (int i = 0; i < 3; i++) t += own(i); return t >= 0; }",
            r#"
    static long sum;
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = T, method = "own")) public static void call(@Return long own, @Duration long d, int n) { sum += d; println("call " + n + " " + (d >= own)); }
    @OnMethod(clazz = T, method = "run", location = @Location(RETURN)) public static void out(@Duration long d) { println("all " + (d >= sum)); }"#,
            &["call 0 true", "call 1 true", "call 2 true", "all true"],
        ),
        situation(
            "OfNestedCalls",
            r"
    static long a(long x) { return x + 1; } static double b(long x, double y) { return x + y; } static int c(double z) { return (int) z; }
    public static Object run() { return c(b(a(1), b(a(2), 0.5))); }",
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = T, method = "/[abc]/"))
    public static void call(@TargetMethodOrField String m, AnyType[] all, @Return AnyType r, @Duration long d) { println(m + " " + str(all[0]) + " " + str(r) + " " + (d >= 0)); }"#,
            &["a 1 2 true", "a 2 3 true", "b 3 3.5 true", "b 2 5.5 true", "c 5.5 5 true"],
        ),
        situation(
            "OfRecursion",
            r"
    static long fac(int n) { return n < 2 ? 1 : n * fac(n - 1); }
    public static Object run() { return fac(4); }",
            r#"
    static long inner;
    @OnMethod(clazz = T, method = "fac", location = @Location(RETURN)) public static void out(int n, @Duration long d) { println(n + " " + (d >= inner)); inner = d; }"#,
            &["1 true", "2 true", "3 true", "4 true"],
        ),
        situation(
            "OfFinally",
            r"
    static int log;
    static int m(int i) { try { return 10 / i; } finally { log++; } }
    static int n(int i) { try { return m(i); } catch (ArithmeticException e) { return -1; } }
    public static Object run() { return n(0) + n(5) + log; }",
            r#"
    static long inner;
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void ret(int i, @Duration long d) { inner = d; println("return m " + i); }
    @OnMethod(clazz = T, method = "m", location = @Location(ERROR)) public static void err(@Duration long d, int i) { inner = d; println("error m " + i); }
    @OnMethod(clazz = T, method = "n", location = @Location(RETURN)) public static void retn(int i, @Duration long d) { println("return n " + i + " " + (d >= inner)); }
    @OnMethod(clazz = T, method = "n", location = @Location(ERROR)) public static void errn(@Duration long d, int i) { println("never"); }"#,
            &["error m 0", "return n 0 true", "return m 5", "return n 5 true"],
        ),
        situation(
            "OfConstructors",
            r#"
    static class Base { long own; Base(int n) { long t = System.nanoTime(); for (int i = 0; i < 1000; i++) n += Math.abs(i); own = System.nanoTime() - t; } long own() { return own; } }
    static class Sub extends Base implements LongSupplier { Sub(int n, double d) { super(n); if (d < 0) throw new IllegalArgumentException(); } public long getAsLong() { return own; } }
    public static Object run() { try { new Sub(1, 2.5); new Sub(2, -1); } catch (IllegalArgumentException e) { return "caught"; } return "never"; }"#,
            r#"
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(RETURN)) public static void out(@Self Object self, int n, double e, @Duration long d) { println(n + " " + (d >= ((java.util.function.LongSupplier) self).getAsLong())); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(ERROR)) public static void err(@Self Object self, int n, double e, @Duration long d) { println("error " + n + " " + (d >= ((java.util.function.LongSupplier) self).getAsLong())); }"#,
            &["1 true", "error 2 true"],
        ),
        situation(
            "WithoutTheEntry",
            r"
    static int m(int i) { return i; }
    public static Object run() { return m(1); }",
            r#"
    static long entered;
    @OnMethod(clazz = T, method = "m") public static void in() { for (int i = 0; i < 100; i++) System.getProperty("none" + i); entered = timeNanos(); }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Duration long d) { println("not counted " + (timeNanos() - entered >= d)); }"#,
            &["not counted true"],
        ),
        situation(
            "BesideManyVariables",
            r#"
    static double m(int a, long b, double c, String s) {
        double r = 0;
        for (int i = 0; i < a; i++) { long x = b + i; double y = c * x; String t = s + i; r += y + t.length(); }
        { int i = a; long j = i; r += j; } { double u = r; Object v = s; r += u + v.hashCode(); } { float w = 2f; r -= w; }
        return r;
    }
    public static Object run() { return m(2, 3, 0.5, "s"); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Duration long d, int a, long b, @Return double r, double c, String s) { println(a + " " + b + " " + c + " " + s + " " + r + " " + (d > 0)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER, method = "length")) public static void length(@Duration long d, @Return int n) { println("length " + n); }"#,
            &["length 2", "length 2", "2 3 0.5 s 132.0 true"],
        ),
        situation(
            "OfACallThatThrows",
            r"
    static long m(int i) { return 10 / i; }
    public static Object run() { long n = 0; for (int i = -1; i < 2; i++) try { n += m(i); } catch (ArithmeticException e) { n++; } return n; }",
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, method = "m")) public static void after(int i, @Duration long d, @Return long r) { println(i + " " + r + " " + (d >= 0)); }"#,
            &["-1 -10 true", "1 10 true"],
        ),
        situation(
            "OfSynchronized",
            r#"
    synchronized long m(long a) { return a * 2; }
    static synchronized void s(boolean fail) { if (fail) throw new IllegalStateException(); }
    public static Object run() { long n = new OfSynchronized().m(4); s(false); try { s(true); } catch (IllegalStateException e) { n++; } return n + (Thread.holdsLock(OfSynchronized.class) ? "held" : "free"); }"#,
            r#"
    @OnMethod(clazz = T, method = "/m|s/", location = @Location(RETURN)) public static void out(@ProbeMethodName String m, @Duration long d) { println(m + " " + (d >= 0)); }
    @OnMethod(clazz = T, method = "s", location = @Location(ERROR)) public static void err(@Duration long d, @TargetInstance Throwable t) { println("error " + (d >= 0) + " " + (t != null)); }"#,
            &["m true", "s true", "error true true"],
        ),
    ]
}
