//! What is rare: names, handlers and classes out of the ordinary, exhausted stacks, and every kind of place at once.

use super::{Situation, run, situation};

#[test]
fn what_is_rare_works_too() {
    run("edges", names().into_iter().chain(handlers()).chain(together()).collect());
}

fn names() -> Vec<Situation> {
    vec![
        situation(
            "Names",
            r#"
    static int größe(int länge) { return länge; } static int $m_1$(int i) { return i; } static String 名(String s) { return s; }
    int naïve = 3; int read() { return naïve; }
    public static Object run() { return größe(1) + $m_1$(2) + 名("x") + new Names().read(); }"#,
            r#"
    @OnMethod(clazz = T, method = "größe") public static void größe(int länge, @ProbeMethodName String m) { println(m + " " + länge); }
    @OnMethod(clazz = T, method = "/gr.*e|名|.*m_.*/", location = @Location(RETURN)) public static void $any$(@ProbeMethodName(fqn = true) String m, @Return AnyType r) { println(m + " " + str(r)); }
    @OnMethod(clazz = T, method = "read", location = @Location(value = FIELD_GET, field = "naïve", where = AFTER)) public static void field(@TargetMethodOrField String f, @Return int i) { println(f + i); }"#,
            &[
                "größe 1",
                "int situation.Names#größe(int) 1",
                "int situation.Names#$m_1$(int) 2",
                "java.lang.String situation.Names#名(java.lang.String) x",
                "naïve3",
            ],
        ),
        situation(
            "HiddenClasses",
            r#"
    interface I { String get(String s); }
    static String use(I i) { return i.get("u"); }
    public static Object run() {
        I proxy = (I) java.lang.reflect.Proxy.newProxyInstance(I.class.getClassLoader(), new Class<?>[] {I.class}, (p, m, a) -> "p" + a[0]);
        return use(s -> s + 1) + use(String::trim) + use(proxy);
    }"#,
            r#"
    @OnMethod(clazz = "/situation\\.HiddenClasses.*/", method = "/get|use|lambda.*/") public static void any(@ProbeMethodName String m) { println(m.startsWith("lambda") ? "lambda" : m); }"#,
            &["use", "lambda", "use", "use", "lambda"],
        )
        .newer(),
        situation(
            "TypeAnnotations",
            r#"
    @java.lang.annotation.Target({java.lang.annotation.ElementType.TYPE_USE, java.lang.annotation.ElementType.LOCAL_VARIABLE})
    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface A { String value() default ""; }
    static int m(@A("p") Object o) throws @A("t") Exception {
        @A("l") String s = (@A("c") String) o; List<@A("g") String> l = new @A("n") ArrayList<@A String>();
        try { l.add(s); @A int n = l.size(); return n; } catch (@A("x") RuntimeException e) { return o instanceof @A("i") String ? 1 : 0; }
    }
    public static Object run() throws Exception { return m("s") + (m("t") > 0 ? "ok" : ""); }"#,
            r#"
    @OnMethod(clazz = T, method = "m") public static void in(Object o) { println("in " + str(o)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CHECKCAST, where = AFTER)) public static void cast(String type) { println("cast " + type); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = NEW, where = AFTER)) public static void made(String type) { println("made " + type); }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Return int r) { println("out " + r); }"#,
            &[
                "in s", "cast java.lang.String", "made java.util.ArrayList", "out 1", "in t", "cast java.lang.String",
                "made java.util.ArrayList", "out 1",
            ],
        ),
    ]
}

fn handlers() -> Vec<Situation> {
    vec![
        situation(
            "HandlersOfEveryAccess",
            r"
    static int m(int i) { return i; }
    public static Object run() { return m(1); }",
            r#"
    private static int calls;
    private static final Map<String, Integer> SEEN = new TreeMap<String, Integer>();
    private static String text(int i) { return "t" + i; }
    @OnMethod(clazz = T, method = "m") private static void hidden(int i) { calls++; println("private " + text(i)); }
    @OnMethod(clazz = T, method = "m") protected static void lent(int i) { SEEN.put("m", i + calls); println("protected " + SEEN.get("m")); }
    @OnMethod(clazz = T) static void m(int i) { for (int k = 0; k < 2; k++) println("package " + k); }
    @OnMethod(clazz = T, method = "m") public static final synchronized void locked(@Self AnyType self, AnyType i) { println("locked " + self + str(i)); }"#,
            &["private t1", "protected 2", "package 0", "package 1", "locked null1"],
        ),
        situation(
            "FailingInManyWays",
            r"
    static int m(int i) { return i; }
    public static Object run() { int n = 0; for (int i = 0; i < 3; i++) n += m(i); return n; }",
            r#"
    @OnMethod(clazz = T, method = "m") public static void second(int i) { if (i == 1) throw new IllegalStateException("one"); if (i == 2) throw new Error("two"); println("fine " + i); }
    @OnMethod(clazz = T, method = "m") public static void missing(int i) { if (i == 1) java.sql.Driver.class.getName(); println("after " + i); }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void last(int i) { println("last " + i); }"#,
            &[
                "fine 0",
                "after 0",
                "last 0",
                "handler trace.FailingInManyWays.second failed: java.lang.IllegalStateException: one; the same again is not shown",
                "handler trace.FailingInManyWays.missing failed: java.lang.NoClassDefFoundError: java/sql/Driver; the same again is not shown",
                "last 1",
                "handler trace.FailingInManyWays.second failed: java.lang.Error: two; the same again is not shown",
                "after 2",
                "last 2",
            ],
        ),
        situation(
            "ExhaustedStacks",
            r#"
    static int down(int n) { return n < 0 ? n : down(n + 1) + 1; }
    static long wide(int n, long a, double b, Object c) { return n < 0 ? n : wide(n + 1, a, b, c) + a; }
    static int after(int i) { return i; }
    static void stuck(int i) { try { if (i % 2 == 0) down(0); else wide(0, i, i, "c"); } catch (StackOverflowError e) { i++; } }
    public static Object run() throws Exception {
        int n = 0;
        for (int i = 0; i < 40; i++) { final int k = i; Thread t = new Thread(null, null, "t" + i, 400000 + 40 * i) { public void run() { stuck(k); for (int j = 0; j < 64; j++) after(k); } }; t.start(); t.join(); n++; }
        return n;
    }"#,
            r#"
    static int entered, thrown; static final Set<Integer> SEEN = new TreeSet<Integer>();
    @OnMethod(clazz = T, method = "/down|wide/") public static void in(int n) { entered++; }
    @OnMethod(clazz = T, method = "/down|wide/", location = @Location(ERROR)) public static void error(@TargetInstance Throwable t, @Duration long d) { thrown++; if (entered < 0) println(""); }
    @OnMethod(clazz = T, method = "after") public static void after(int i) { SEEN.add(i); }
    @OnMethod(clazz = T, method = "run", location = @Location(RETURN)) public static void out() { println(SEEN.size() + " " + (thrown > 0)); }"#,
            &["40 true"],
        ),
        // An overflow can leave a guard behind, too rarely to be waited for: these threads take both guards and keep them.
        situation(
            "GuardsLeftBehind",
            r#"
    static int after(int i) { return i; }
    static void busy(Runnable r) {}
    static void leave(int probe) { try { Class.forName("io.btrace.runtime.BTraceRuntime", true, null).getMethod("enter", int.class).invoke(null, probe); } catch (ReflectiveOperationException e) {} }
    static void occupy() { try { java.lang.reflect.Field f = Class.forName("java.lang.FatAgentLinker", true, null).getDeclaredField("BUSY"); f.setAccessible(true); Thread[][] busy = (Thread[][]) f.get(null); Thread self = Thread.currentThread(); synchronized (busy) { busy[System.identityHashCode(self) & 63][0] = self; } } catch (ReflectiveOperationException e) {} }
    public static Object run() throws Exception {
        for (int i = 0; i < 160; i++) { final int k = i; Thread t = new Thread() { public void run() { leave(k); occupy(); for (int j = 0; j < 64; j++) after(k); } }; t.start(); t.join(); }
        busy(new Runnable() { public void run() { after(-1); } });
        return 1;
    }"#,
            r#"
    static final Set<Integer> SEEN = new TreeSet<Integer>();
    @OnMethod(clazz = T, method = "after") public static void after(int i) { SEEN.add(i); }
    @OnMethod(clazz = T, method = "busy") public static void busy(Runnable r) { for (int i = 0; i < 64; i++) r.run(); }
    @OnMethod(clazz = T, method = "run", location = @Location(RETURN)) public static void out() { println(SEEN.size() + " " + SEEN.contains(-1)); }"#,
            &["160 false"],
        ),
    ]
}

fn together() -> Vec<Situation> {
    vec![situation(
        "EveryKindAtOnce",
        r#"
    long n = 1; static double[] a = {1.5, 2.5};
    synchronized long m(Object o, int i) {
        Object[] made = {o, null}; made[1] = made[0];
        try {
            synchronized (made) { n += (long) (a[i] *= 2) + ((String) o).length() + other(n, a[0], new StringBuilder("b").append(i)); }
            if (o instanceof CharSequence && i > 1) throw new IllegalStateException("i");
            return n;
        } catch (IllegalStateException e) {
            n = -n;
        } finally {
            a[0]++;
        }
        return n + i;
    }
    static int other(long n, double d, Object o) { return (int) (n + d); }
    public static Object run() { EveryKindAtOnce e = new EveryKindAtOnce(); String s = "" + e.m("x", 0) + e.m("yy", 1); try { s += e.m("zzz", 2); } catch (ArrayIndexOutOfBoundsException x) { s += "out"; } try { s += e.m(1, 0); } catch (ClassCastException x) { s += "cast"; } return s + e.n + a[0]; }"#,
        r#"
    static final TreeMap<String, Integer> SEEN = new TreeMap<String, Integer>();
    static void seen(String what) { Integer n = SEEN.get(what); SEEN.put(what, n == null ? 1 : n + 1); }
    @OnMethod(clazz = T, method = "m") public static void entry(@Self Object self, Object o, int i) { seen("a entry" + str(o) + i); }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void ret(@Self Object self, Object o, int i, @Return long r, @Duration long d) { seen("b return" + str(o) + i + r); }
    @OnMethod(clazz = T, method = "m", location = @Location(ERROR)) public static void err(@Self Object self, Object o, int i, @TargetInstance Throwable t, @Duration long d) { seen("c error" + str(o) + i + t.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "m", location = @Location(CALL)) public static void call(@TargetInstance Object t, @TargetMethodOrField String m, AnyType[] all) { seen("d call " + m); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER)) public static void called(@TargetInstance Object t, @TargetMethodOrField String m, AnyType[] all, @Return AnyType r, @Duration long d) { seen("e called " + m + " " + (r instanceof Object)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, line = -1)) public static void line(@Self Object self, int line) { if (line == 0) seen("never"); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = LINE, where = AFTER, line = -1)) public static void lineAfter(@Self Object self, int line) { if (line == 0) seen("never"); }
    @OnMethod(clazz = T, method = "m", location = @Location(FIELD_GET)) public static void get(@TargetInstance Object t, @TargetMethodOrField String f) { seen("h get " + f); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = FIELD_GET, where = AFTER)) public static void got(@TargetInstance Object t, @TargetMethodOrField String f, @Return AnyType r) { seen("i got " + f); }
    @OnMethod(clazz = T, method = "m", location = @Location(FIELD_SET)) public static void set(@TargetInstance Object t, long v) { seen("j set" + v); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = FIELD_SET, where = AFTER)) public static void was(@TargetInstance Object t, long v) { seen("k was set"); }
    @OnMethod(clazz = T, method = "m", location = @Location(ARRAY_GET)) public static void aget(@TargetInstance Object t, int i) { seen("l element"); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = ARRAY_GET, where = AFTER)) public static void agot(@TargetInstance Object t, int i, @Return AnyType r) { seen("m element " + str(r)); }
    @OnMethod(clazz = T, method = "m", location = @Location(ARRAY_SET)) public static void aset(@TargetInstance Object t, int i, AnyType v) { seen("n store"); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = ARRAY_SET, where = AFTER)) public static void astored(@TargetInstance Object t, int i, AnyType v) { seen("o stored"); }
    @OnMethod(clazz = T, method = "m", location = @Location(CHECKCAST)) public static void cast(@TargetInstance Object o, String type) { seen("p cast"); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = INSTANCEOF, where = AFTER)) public static void test(@TargetInstance Object o, String type) { seen("q instanceof"); }
    @OnMethod(clazz = T, method = "m", location = @Location(THROW)) public static void thrown(Throwable t) { seen("r throw " + t.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "m", location = @Location(CATCH)) public static void caught(Throwable t) { seen("s catch " + t.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "m", location = @Location(NEW)) public static void make(String type) { seen("t new " + type); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = NEW, where = AFTER)) public static void made(@Return Object o, String type) { seen("u made " + type); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = NEWARRAY, where = AFTER)) public static void array(@Return Object o, String type, int n) { seen("v array " + type + n); }
    @OnMethod(clazz = T, method = "m", location = @Location(SYNC_ENTRY)) public static void lock(@Self Object self, Object lock) { seen("w lock " + (lock == self) + Thread.holdsLock(lock)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = SYNC_EXIT, where = AFTER)) public static void unlock(@Self Object self, Object lock) { seen("x unlock " + (lock == self) + Thread.holdsLock(lock)); }
    @OnMethod(clazz = T, method = "run", location = @Location(RETURN)) public static void out() { for (Map.Entry<String, Integer> e : SEEN.entrySet()) println(e.getKey() + " * " + e.getValue()); }"#,
        &[
            "a entry10 * 1",
            "a entryx0 * 1",
            "a entryyy1 * 1",
            "a entryzzz2 * 1",
            "b returnx09 * 1",
            "b returnyy129 * 1",
            "c error10ClassCastException * 1",
            "c errorzzz2ArrayIndexOutOfBoundsException * 1",
            "d call <init> * 2",
            "d call append * 2",
            "d call length * 2",
            "d call other * 2",
            "e called <init> false * 2",
            "e called append true * 2",
            "e called length true * 2",
            "e called other true * 2",
            "h get a * 10",
            "h get n * 8",
            "i got a * 10",
            "i got n * 8",
            "j set29 * 1",
            "j set9 * 1",
            "k was set * 2",
            "l element * 14",
            "m element 1 * 1",
            "m element 1.5 * 1",
            "m element 12.0 * 1",
            "m element 2.5 * 1",
            "m element 3.0 * 2",
            "m element 4.0 * 2",
            "m element 5.0 * 1",
            "m element 6.0 * 1",
            "m element x * 1",
            "m element yy * 1",
            "m element zzz * 1",
            "n store * 19",
            "o stored * 19",
            "p cast * 3",
            "q instanceof * 2",
            "r throw ArrayIndexOutOfBoundsException * 2",
            "r throw ClassCastException * 2",
            "s catch ArrayIndexOutOfBoundsException * 2",
            "s catch ClassCastException * 2",
            "t new java.lang.StringBuilder * 2",
            "u made java.lang.StringBuilder * 2",
            "v array java.lang.Object1 * 4",
            "w lock falsefalse * 4",
            "w lock truetrue * 4",
            "x unlock falsefalse * 4",
            "x unlock truetrue * 4",
        ],
    )]
}
