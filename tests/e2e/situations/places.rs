//! Types, exceptions, locks and lines.

use super::{Situation, run, situation};

#[test]
fn handlers_at_types_exceptions_locks_and_lines_are_called() {
    run("places", types().into_iter().chain(exceptions()).chain(locks()).chain(lines()).collect());
}

fn types() -> Vec<Situation> {
    vec![
        situation(
            "Casts",
            r#"
    static String text(Object o) { try { return (String) o; } catch (ClassCastException e) { return "refused"; } }
    static int ints(Object o) { return ((int[][]) o).length; }
    public static Object run() { List<String> l = new ArrayList<String>(Arrays.asList("g")); String g = l.get(0); return text("s") + text(1) + text(null) + ints(new int[2][1]) + g; }"#,
            r#"
    @OnMethod(clazz = T, method = "/text|ints|run/", location = @Location(value = CHECKCAST)) public static void before(@TargetInstance Object o, String type) { println("before " + type + " " + (o == null ? "null" : o.getClass().getSimpleName())); }
    @OnMethod(clazz = T, method = "/text|ints|run/", location = @Location(value = CHECKCAST, where = AFTER, clazz = "/.*String/")) public static void after(@TargetInstance Object o) { println("after " + str(o)); }"#,
            &[
                "before java.lang.String String",
                "after g",
                "before java.lang.String String",
                "after s",
                "before java.lang.String Integer",
                "before java.lang.String null",
                "after null",
                "before int[][] int[][]",
            ],
        ),
        situation(
            "Tests",
            r#"
    static int m(Object o) { if (o instanceof CharSequence && !(o instanceof String)) return 1; return o instanceof long[] ? 2 : 3; }
    public static Object run() { return "" + m("s") + m(new StringBuilder()) + m(new long[1]) + m(null); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = INSTANCEOF)) public static void before(@TargetInstance Object o, String type) { println(type + " " + (o == null ? "null" : o.getClass().getSimpleName())); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = INSTANCEOF, where = AFTER, clazz = "long[]")) public static void after(@TargetInstance Object o) { println("after " + (o == null)); }"#,
            &[
                "java.lang.CharSequence String",
                "java.lang.String String",
                "long[] String",
                "after false",
                "java.lang.CharSequence StringBuilder",
                "java.lang.String StringBuilder",
                "java.lang.CharSequence long[]",
                "long[] long[]",
                "after false",
                "java.lang.CharSequence null",
                "long[] null",
                "after true",
            ],
        ),
    ]
}

fn exceptions() -> Vec<Situation> {
    vec![
        situation(
            "Throws",
            r#"
    static class Own extends Exception { Own(String m, Throwable c) { super(m, c); } }
    static void m(int i) throws Exception {
        if (i == 0) throw new Own("zero", null);
        try { Integer.parseInt("x"); } catch (NumberFormatException e) { if (i == 1) throw e; throw new Own("wrapped", e); }
    }
    static Throwable none() { try { RuntimeException e = null; throw e; } catch (NullPointerException e) { return e; } }
    public static Object run() { String s = ""; for (int i = 0; i < 3; i++) try { m(i); } catch (Exception e) { s += e.getClass().getSimpleName(); } return s + none().getClass().getSimpleName(); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(THROW)) public static void plain(Throwable t, @Self Object self) { println("throw " + t.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "m", location = @Location(THROW)) public static void target(@TargetInstance Throwable t) { println("cause " + (t.getCause() != null)); }
    @OnMethod(clazz = T, method = "none", location = @Location(THROW)) public static void none(@TargetInstance Throwable t) { println("none " + t); }"#,
            &[
                "throw Own",
                "cause false",
                "throw NumberFormatException",
                "cause false",
                "throw Own",
                "cause true",
                "none null",
            ],
        ),
        situation(
            "Catches",
            r#"
    static String m(int i) {
        try { switch (i) { case 0: throw new IllegalStateException("0"); case 1: throw new ArithmeticException("1"); case 2: return "" + new int[1][2].length / 0; case 3: throw new Error("3"); default: return "none"; } }
        catch (IllegalStateException | UnsupportedOperationException e) { return "multi" + e.getMessage(); }
        catch (RuntimeException e) { return "runtime"; }
        catch (Throwable t) { return "any"; }
    }
    public static Object run() { return m(0) + m(1) + m(2) + m(3) + m(4); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(CATCH)) public static void all(@TargetInstance Throwable t) { println("caught " + t.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CATCH, clazz = "java.lang.RuntimeException")) public static void runtime(RuntimeException e) { println("runtime " + e.getMessage()); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CATCH, clazz = "/.*(Illegal|Unsupported).*/")) public static void multi(@Self Object self, Object e) { println("multi " + (e instanceof IllegalStateException)); }"#,
            &[
                "caught IllegalStateException",
                "multi true",
                "caught ArithmeticException",
                "runtime 1",
                "caught ArithmeticException",
                "runtime / by zero",
                "caught Error",
            ],
        ),
        situation(
            "FinallyAndResources",
            r#"
    static int log;
    static class R implements AutoCloseable { final int n; R(int n) { this.n = n; } public void close() { log += n; if (n > 1) throw new IllegalStateException("close"); } }
    static String m(int i) throws Exception { try (R r = new R(i)) { if (i > 0) throw new IllegalArgumentException("body"); return "ok"; } finally { log += 100; } }
    static Object of(int i) { try { return m(i); } catch (Exception e) { return e.getMessage() + e.getSuppressed().length; } }
    public static Object run() { return of(0) + "" + of(1) + of(2) + log; }"#,
            r#"
    static int finals;
    @OnMethod(clazz = T, method = "m", location = @Location(value = CATCH, clazz = "java.lang.Throwable")) public static void any(Throwable t) { finals++; if (finals < 0) println(""); }
    @OnMethod(clazz = T, method = "m", location = @Location(ERROR)) public static void error(@TargetInstance Throwable t, int i) { println("error " + t.getMessage() + i + " " + (finals > 0)); finals = 0; }
    @OnMethod(clazz = T, method = "of", location = @Location(CATCH)) public static void of(Exception e) { println("of " + e.getMessage() + " " + e.getSuppressed().length); }"#,
            &["error body1 true", "of body 0", "error body2 true", "of body 1"],
        ),
        situation(
            "CatchThatFails",
            r#"
    static final Object LOCK = new Object(); static int log;
    static int m(int i) { try { synchronized (LOCK) { return 10 / i; } } catch (ArithmeticException e) { return -1; } finally { log++; } }
    public static Object run() { return m(0) + m(5) + m(0) + "" + log + Thread.holdsLock(LOCK); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(CATCH)) public static void fails(Throwable t) { throw new IllegalStateException("in the handler"); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CATCH, clazz = "java.lang.ArithmeticException")) public static void goesOn(ArithmeticException t) { println("goes on"); }"#,
            &[
                "handler trace.CatchThatFails.fails failed: java.lang.IllegalStateException: in the handler; the same again is not shown",
                "goes on",
                "goes on",
            ],
        ),
        situation(
            "ThroughFrames",
            r#"
    static class Own extends RuntimeException { final int n; Own(int n) { super("own" + n); this.n = n; } }
    static int a(int i) { return b(i + 1L) + 1; } static int b(long j) { try { return c("x", j); } finally { j = -1; } } static int c(String s, double d) { throw new Own((int) d); }
    static int top(int i) { try { return a(i); } catch (Own e) { return e.n; } }
    public static Object run() { return top(4); }"#,
            r#"
    @OnMethod(clazz = T, method = "/[abc]|top/", location = @Location(ERROR)) public static void own(@TargetInstance Throwable t, @ProbeMethodName String m) { println(m + " " + t.getMessage()); }
    @OnMethod(clazz = T, method = "/[abc]/", location = @Location(ERROR)) public static void all(@ProbeMethodName String m, AnyType[] all) { println(m + " " + all.length + str(all[0])); }
    @OnMethod(clazz = T, method = "/[abc]/", location = @Location(ERROR)) public static void b(long j, @TargetInstance Throwable t) { println("long " + j); }
    @OnMethod(clazz = T, method = "c", location = @Location(ERROR)) public static void thrown(Throwable t) { println("plain " + t.getMessage()); }
    @OnMethod(clazz = T, method = "/[abc]|top/", location = @Location(RETURN)) public static void ret(@ProbeMethodName String m, @Return int r) { println(m + " returned " + r); }"#,
            &["c own5", "c 2x", "plain own5", "b own5", "b 15", "long 5", "a own5", "a 14", "top returned 5"],
        ),
        situation(
            "ErrorsOfConstructors",
            r#"
    static class Base { Base(int i) { if (i == 0) throw new IllegalStateException("base"); } }
    static class Sub extends Base { int n; Sub(int i) { super(i); n = i; if (i == 1) throw new IllegalStateException("sub"); } }
    static String m(int i) { try { return "ok" + new Sub(i).n; } catch (IllegalStateException e) { return e.getMessage(); } }
    public static Object run() { return m(0) + m(1) + m(2); }"#,
            r#"
    @OnMethod(clazz = "/situation\\.ErrorsOfConstructors.(Base|Sub)/", method = "<init>", location = @Location(ERROR))
    public static void error(@ProbeClassName String type, @Self Object self, int i, @TargetInstance Throwable t) { println(type + " " + self.getClass().getSimpleName() + i + t.getMessage()); }"#,
            &["situation.ErrorsOfConstructors$Base Sub0base", "situation.ErrorsOfConstructors$Sub Sub1sub"],
        ),
        situation(
            "ErrorsOfTheJvm",
            r#"
    static int deep(int i) { return i == 0 ? 1 / i : deep(i - 1); }
    static Object cast(Object o) { return (Integer) o; } static int at(int[] a) { return a[3]; } static int[] size(int n) { return new int[n]; }
    static String of(Supplier<Object> s) { try { return "" + s.get(); } catch (RuntimeException e) { return e.getClass().getSimpleName(); } }
    public static Object run() { return of(() -> deep(2)) + of(() -> cast("s")) + of(() -> at(new int[1])) + of(() -> at(null)) + of(() -> size(-1)); }"#,
            r#"
    @OnMethod(clazz = T, method = "/deep|cast|at|size/", location = @Location(ERROR)) public static void error(@ProbeMethodName String m, @TargetInstance Throwable t, AnyType[] all) { println(m + " " + t.getClass().getSimpleName() + " " + (all[0] == null)); }"#,
            &[
                "deep ArithmeticException false",
                "deep ArithmeticException false",
                "deep ArithmeticException false",
                "cast ClassCastException false",
                "at ArrayIndexOutOfBoundsException false",
                "at NullPointerException true",
                "size NegativeArraySizeException false",
            ],
        )
        .newer(),
    ]
}

fn locks() -> Vec<Situation> {
    vec![
        situation(
            "Blocks",
            r#"
    final Object lock = "lock"; int n;
    int m(int i) { synchronized (lock) { synchronized (this) { n += i; if (i == 2) return n; } if (i == 3) throw new IllegalStateException(); } return -n; }
    public static Object run() { Blocks b = new Blocks(); int n = b.m(1) + b.m(2); try { b.m(3); } catch (IllegalStateException e) { n++; } return n + "" + Thread.holdsLock(b) + Thread.holdsLock(b.lock); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(SYNC_ENTRY)) public static void before(@Self Object self, Object lock) { println("before " + (lock == self) + " " + Thread.holdsLock(lock)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = SYNC_ENTRY, where = AFTER)) public static void held(@TargetInstance Object lock) { println("held " + Thread.holdsLock(lock)); }
    @OnMethod(clazz = T, method = "m", location = @Location(SYNC_EXIT)) public static void leaving(Object lock) { println("leaving " + Thread.holdsLock(lock)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = SYNC_EXIT, where = AFTER)) public static void left(@TargetInstance Object lock) { println("left " + Thread.holdsLock(lock)); }"#,
            &[
                "before false false",
                "held true",
                "before true false",
                "held true",
                "leaving true",
                "left false",
                "leaving true",
                "left false",
                "before false false",
                "held true",
                "before true false",
                "held true",
                "leaving true",
                "left false",
                "leaving true",
                "left false",
                "before false false",
                "held true",
                "before true false",
                "held true",
                "leaving true",
                "left false",
                "leaving true",
                "left false",
            ],
        ),
        situation(
            "SynchronizedMethods",
            r#"
    synchronized int own(int i) { if (i == 1) throw new IllegalStateException(); return i; }
    static synchronized int shared(int i) { return i; }
    public static Object run() { SynchronizedMethods s = new SynchronizedMethods(); int n = s.own(0) + shared(2); try { s.own(1); } catch (IllegalStateException e) { n++; } return n + "" + Thread.holdsLock(s); }"#,
            r#"
    @OnMethod(clazz = T, method = "/own|shared/", location = @Location(SYNC_ENTRY)) public static void entry(@ProbeMethodName String m, @Self Object self, Object lock) { println("entry " + m + " " + (lock == self) + " " + (lock instanceof Class) + " " + Thread.holdsLock(lock)); }
    @OnMethod(clazz = T, method = "/own|shared/", location = @Location(SYNC_EXIT)) public static void exit(@ProbeMethodName String m, @TargetInstance Object lock) { println("exit " + m + " " + Thread.holdsLock(lock)); }
    @OnMethod(clazz = T, method = "/own|shared/") public static void in(int i) { println("in " + i); }
    @OnMethod(clazz = T, method = "/own|shared/", location = @Location(RETURN)) public static void out(int i) { println("out " + i); }"#,
            &[
                "entry own true false true",
                "in 0",
                "out 0",
                "exit own true",
                "entry shared false true true",
                "in 2",
                "out 2",
                "exit shared true",
                "entry own true false true",
                "in 1",
                "exit own true",
            ],
        ),
        situation(
            "LocksOfNull",
            r#"
    static String m(Object o) { try { synchronized (o) { return "held"; } } catch (NullPointerException e) { return "null"; } }
    public static Object run() { return m(null) + m("x"); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(SYNC_ENTRY)) public static void before(Object lock) { println("before " + str(lock)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = SYNC_ENTRY, where = AFTER)) public static void after(Object lock) { println("after " + str(lock)); }"#,
            &["before null", "before x", "after x"],
        ),
    ]
}

fn lines() -> Vec<Situation> {
    vec![
        situation(
            "OneLine",
            r"
    static int m(int i) {
        int r = i;
        if (i > 0)
            r += 10;
        return r;
    }
    public static Object run() { return m(0) + m(1); }",
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, line = 5)) public static void only(int line, @ProbeMethodName String m) { println(m + " " + line); }
    @OnMethod(clazz = T, method = "/.*/", location = @Location(value = LINE, line = 4)) public static void test(@Self Object self) { println("test " + self); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, line = 99)) public static void never() { println("never"); }"#,
            &["test null", "test null", "m 5"],
        ),
        situation(
            "EveryLine",
            r"
    static int m(int n) {
        int r = 0;
        for (int i = 0;
             i < n;
             i++)
            r += i;
        return r;
    }
    public static Object run() {
        return m(2);
    }",
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, line = -1)) public static void all(int line) { println("line " + line); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = LINE, where = AFTER, line = -1)) public static void after(int line) { println("after " + line); }"#,
            &["line 3", "line 4", "line 5", "line 7", "line 6", "line 5", "line 7", "line 6", "line 5", "line 8"],
        ),
        situation(
            "AfterALine",
            r"
    static int m(int i) {
        i += 1;
        i *= 2;
        if (i > 5) {
            i = 0;
        }
        return i;
    }
    public static Object run() { return m(1) + m(4); }",
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, line = 3)) public static void before(int line) { println("before " + line); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, where = AFTER, line = 3)) public static void after(int line) { println("after " + line); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, where = AFTER, line = 5)) public static void branch(int line) { println("entered " + line); }"#,
            &["before 3", "after 3", "before 3", "after 3", "entered 5"],
        ),
        situation(
            "LinesElsewhere",
            r"
    static int
        a = 3;
    final int b;
    LinesElsewhere() {
        super();
        b = a;
    }
    public static Object run() {
        Supplier<Integer> s = () -> {
            int n = new LinesElsewhere().b;
            return n;
        };
        return s.get();
    }",
            r#"
    @OnMethod(clazz = T, method = "/<.*|lambda.*/", location = @Location(value = LINE, line = -1)) public static void all(@ProbeMethodName String m, @Self Object self, int line) { println((m.startsWith("l") ? "lambda" : m) + " " + (self != null) + " " + line); }"#,
            &[
                "<clinit> false 3",
                "lambda false 11",
                "<init> false 6",
                "<init> true 7",
                "<init> true 8",
                "lambda false 12",
            ],
        )
        .newer(),
    ]
}
