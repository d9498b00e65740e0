//! Arguments and entry: what methods there are, and what handlers take of them.

use super::{Situation, run, situation};

#[test]
fn handlers_at_entry_get_the_arguments() {
    run("arguments", values().into_iter().chain(fitting()).collect());
}

/// Values, and where they lie.
fn values() -> Vec<Situation> {
    vec![
        situation(
            "EveryType",
            r#"
    static String m(boolean z, byte b, char c, short s, int i, long j, float f, double d, String t, int[] a) { return t + b + c + s; }
    public static Object run() { return m(true, (byte) -1, 'x', (short) -2, 3, 1L << 40, 1.5f, -2.5, "text", new int[] {7, 8}); }"#,
            r#"
    @OnMethod(clazz = T, method = "m")
    public static void m(boolean z, byte b, char c, short s, int i, long j, float f, double d, String t, int[] a) {
        println(z + " " + b + " " + c + " " + s + " " + i + " " + j + " " + f + " " + d + " " + t + " " + a[1]);
    }"#,
            &["true -1 x -2 3 1099511627776 1.5 -2.5 text 8"],
        ),
        situation(
            "Instance",
            r"
    double m(long a, int b, double c) { return a + b + c; }
    public static Object run() { return new Instance().m(1, 2, 3.5); }",
            r#"
    @OnMethod(clazz = T, method = "m") public static void m(long a, @Self Object self, int b, double c) {
        println(a + " " + self.getClass().getName() + " " + b + " " + c);
    }
    @OnMethod(clazz = T, method = "run") public static void run(@Self Object self) { println("static " + str(self)); }"#,
            &["static null", "1 situation.Instance 2 3.5"],
        ),
        situation(
            "Varargs",
            r#"
    private static int sum(String name, int... more) { int n = 0; for (int i : more) n += i; return n; }
    public static Object run() { return sum("none") + sum("two", 1, 2); }"#,
            r#"
    @OnMethod(clazz = T, method = "sum") public static void sum(String name, int[] more) { println(name + " " + more.length); }"#,
            &["none 0", "two 2"],
        ),
        situation(
            "Collected",
            r#"
    static void none() {}
    static void some(byte b, long j, double d, String s, Object o) {}
    void own(char c) {}
    public static Object run() { none(); some((byte) 1, 2, 3, "four", null); new Collected().own('c'); return "done"; }"#,
            r#"
    @OnMethod(clazz = T, method = "/none|some|own/") public static void all(@ProbeMethodName String name, AnyType[] all, @Self Object self) {
        String text = name + " " + (self != null);
        for (int i = 0; i < all.length; i++) text += " " + (all[i] == null ? "null" : ((Object) all[i]).getClass().getSimpleName() + ":" + str(all[i]));
        println(text);
    }"#,
            &["none false", "some false Byte:1 Long:2 Double:3.0 String:four null", "own true Character:c"],
        ),
        situation(
            "Overwritten",
            r#"
    static long m(int i, long j, String s, double d) { i = 9; j = i; s = "other"; d = 0; Object o = s; return j + i; }
    static long thrown(int i, long j) { i++; j = -1; throw new IllegalStateException("on purpose"); }
    public static Object run() {
        try { return thrown(5, 6); } catch (IllegalStateException e) { return m(1, 2, "first", 4.5); }
    }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void m(int i, long j, String s, @Return long r, double d) {
        println(i + " " + j + " " + s + " " + d + " " + r);
    }
    @OnMethod(clazz = T, method = "thrown", location = @Location(ERROR))
    public static void thrown(int i, @TargetInstance Throwable t, long j) { println(i + " " + j + " " + t.getMessage()); }"#,
            &["5 6 on purpose", "1 2 first 4.5 18"],
        ),
        situation(
            "ThisOverwrittenByLoop",
            r#"
    ThisOverwrittenByLoop next; String name;
    String last(String prefix, int from) {
        for (ThisOverwrittenByLoop one = this; one != null; one = one.next) { prefix += one.name; from++; }
        return prefix + from;
    }
    public static Object run() {
        ThisOverwrittenByLoop a = new ThisOverwrittenByLoop(); a.name = "a"; a.next = new ThisOverwrittenByLoop(); a.next.name = "b";
        return a.last("-", 3);
    }"#,
            r#"
    @OnMethod(clazz = T, method = "last", location = @Location(RETURN))
    public static void last(@Self Object self, AnyType[] all, @Return String r) { println(str(all[0]) + str(all[1]) + " " + r + " " + (self != null)); }"#,
            &["-3 -ab5 true"],
        ),
        situation(
            "ManyArguments",
            format!(
                "static int m({}) {{ return p0 + p250; }}\n    static long w({}) {{ return q0 + q120; }}\n    public static Object run() {{ return m({}) + w({}); }}",
                list(251, |i| format!("int p{i}")),
                list(121, |i| format!("long q{i}")),
                list(251, |i| i.to_string()),
                list(121, |i| format!("{i}L")),
            ),
            r#"
    @OnMethod(clazz = T, method = "/m|w/") public static void all(AnyType[] all) { println(all.length + " " + str(all[all.length - 1])); }"#,
            &["251 250", "121 120"],
        ),
        situation(
            "MoreThanACallTakes",
            format!(
                "static int m({}) {{ return p0 + p254; }}\n    public static Object run() {{ return m({}); }}",
                list(255, |i| format!("int p{i}")),
                list(255, |i| i.to_string()),
            ),
            r#"
    @OnMethod(clazz = T, method = "m") public static void all(AnyType[] all) { println("never"); }"#,
            &[],
        )
        // By the name of the class where the method is not woven, by that of the probe where its site cannot be linked.
        .told(&["MoreThanACallTakes"]),
        situation(
            "OfTheJdk",
            r#"
    public static Object run() {
        java.text.StringCharacterIterator it = new java.text.StringCharacterIterator("abc", 1);
        return "" + it.current() + it.setIndex(2) + it.next();
    }"#,
            r#"
    @OnMethod(clazz = "java.text.StringCharacterIterator", method = "<init>") public static void made(@Self Object self, String s, int a, int b, int c) {
        println(self.getClass().getSimpleName() + " " + s + " " + a + " " + b + " " + c);
    }
    @OnMethod(clazz = "java.text.StringCharacterIterator", method = "setIndex") public static void set(AnyType[] all) { println("set " + str(all[0])); }
    @OnMethod(clazz = "java.text.StringCharacterIterator", method = "/current|next/", location = @Location(RETURN))
    public static void got(@ProbeMethodName String name, @Return char c, @Duration long d) { println(name + " " + (int) c + " " + (d >= 0)); }"#,
            &["StringCharacterIterator abc 0 3 1", "current 98 true", "set 2", "current 99 true", "next 65535 true"],
        ),
    ]
}

/// Which methods a handler's parameters fit.
fn fitting() -> Vec<Situation> {
    vec![
        situation(
            "AnyOverload",
            r#"
    static void m() {} static int m(int i) { return i; } static String[] m(String[] s, long[][] j) { return s; }
    static class In { static void m(In in) {} }
    public static Object run() { m(); m(1); m(null, null); In.m(null); return "done"; }"#,
            r#"
    @OnMethod(clazz = "/situation\\.AnyOverload.*/", method = "m")
    public static void any(@ProbeClassName String type, @ProbeMethodName String name, @ProbeMethodName(fqn = true) String full) { println(type + " " + name + ": " + full); }"#,
            &[
                "situation.AnyOverload m: void situation.AnyOverload#m()",
                "situation.AnyOverload m: int situation.AnyOverload#m(int)",
                "situation.AnyOverload m: java.lang.String[] situation.AnyOverload#m(java.lang.String[], long[][])",
                "situation.AnyOverload$In m: void situation.AnyOverload$In#m(situation.AnyOverload$In)",
            ],
        ),
        situation(
            "OverloadByParameters",
            r#"
    static void m(int i) {} static void m(long j) {} static void m(String s) {} static void m(int i, String s) {} static void m(Integer i) {}
    public static Object run() { m(1); m(2L); m("three"); m(4, "four"); m(Integer.valueOf(5)); return "done"; }"#,
            r#"
    @OnMethod(clazz = T, method = "m") public static void i(int i) { println("int " + i); }
    @OnMethod(clazz = T, method = "m") public static void j(long j) { println("long " + j); }
    @OnMethod(clazz = T, method = "m") public static void s(String s) { println("String " + s); }
    @OnMethod(clazz = T, method = "m") public static void is(int i, String s) { println("both " + i + s); }
    @OnMethod(clazz = T, method = "m") public static void never(String s, int i) { println("never"); }"#,
            &["int 1", "long 2", "String three", "both 4four"],
        ),
        situation(
            "OverloadByType",
            r#"
    static void m(String s, int i) {} static int m(int i) { return i; } static String m(Object... o) { return "o"; }
    public static Object run() { m("a", 1); m(2); m(); return "done"; }"#,
            r#"
    @OnMethod(clazz = T, method = "m", type = "void (java.lang.String, int)") public static void one(@ProbeMethodName String m) { println("one " + m); }
    @OnMethod(clazz = T, method = "m", type = "int(int)") public static void two(AnyType a) { println("two " + str(a)); }
    @OnMethod(clazz = T, method = "m", type = "java.lang.String (java.lang.Object[])") public static void three(Object[] o) { println("three " + o.length); }
    @OnMethod(clazz = T, method = "m", type = "void (int)") public static void never() { println("never"); }"#,
            &["one m", "two 2", "three 0"],
        ),
        situation(
            "Subtypes",
            r#"
    static void s(String s) {} static void b(StringBuilder b) {} static void l(ArrayList<String> l) {} static void a(String[] a) {} static void o(Object o) {}
    public static Object run() { s("s"); b(new StringBuilder("b")); l(new ArrayList<String>()); a(new String[1]); o("o"); return "done"; }"#,
            r#"
    @OnMethod(clazz = T, method = "/./") public static void text(@ProbeMethodName String m, CharSequence s) { println("text " + m + " " + s); }
    @OnMethod(clazz = T, method = "/./") public static void list(@ProbeMethodName String m, Collection<?> c) { println("list " + m + " " + c.size()); }
    @OnMethod(clazz = T, method = "/./") public static void array(@ProbeMethodName String m, CharSequence[] a) { println("array " + m + " " + a.length); }
    @OnMethod(clazz = T, method = "/./") public static void objects(@ProbeMethodName String m, Object[] a) { println("objects " + m); }
    @OnMethod(clazz = T, method = "/./") public static void all(@ProbeMethodName String m, Object a) { println("all " + m); }"#,
            &[
                "text s s",
                "all s",
                "text b b",
                "all b",
                "list l 0",
                "all l",
                "array a 1",
                "objects a",
                "all a",
                "all o",
            ],
        ),
        situation(
            "ExactTypes",
            r#"
    static void m(String s) {} static void m(CharSequence s) {} static void m(int i) {} static void m(Integer i) {}
    public static Object run() { m("s"); m((CharSequence) "c"); m(1); m(Integer.valueOf(2)); return "done"; }"#,
            r#"
    @OnMethod(clazz = T, method = "m", exactTypeMatch = true) public static void text(CharSequence s) { println("text " + s); }
    @OnMethod(clazz = T, method = "m", exactTypeMatch = true) public static void boxed(Integer i) { println("boxed " + i); }
    @OnMethod(clazz = T, method = "m", exactTypeMatch = true) public static void never(Object i) { println("never"); }
    @OnMethod(clazz = T, method = "m", exactTypeMatch = true) public static void any(AnyType a) { println("any " + str(a)); }"#,
            &["any s", "text c", "any c", "any 1", "boxed 2", "any 2"],
        ),
        situation(
            "Boxed",
            r#"
    static void i(int i) {} static void j(long j) {} static void z(boolean z) {} static void c(char c) {} static void b(Integer b) {}
    public static Object run() { i(1); j(2); z(true); c('c'); b(3); return "done"; }"#,
            r#"
    @OnMethod(clazz = T, method = "/./") public static void number(@ProbeMethodName String m, Number n) { println("number " + m + " " + n); }
    @OnMethod(clazz = T, method = "/./") public static void integer(@ProbeMethodName String m, Integer n) { println("integer " + m + " " + n); }
    @OnMethod(clazz = T, method = "/./") public static void comparable(@ProbeMethodName String m, Comparable<?> n) { println("comparable " + m); }
    @OnMethod(clazz = T, method = "/./") public static void plain(@ProbeMethodName String m, int n) { println("int " + m + " " + n); }
    @OnMethod(clazz = T, method = "/./") public static void object(@ProbeMethodName String m, Object n) { println("object " + m + " " + n.getClass().getName()); }"#,
            &[
                "number i 1",
                "integer i 1",
                "comparable i",
                "int i 1",
                "object i java.lang.Integer",
                "number j 2",
                "comparable j",
                "object j java.lang.Long",
                "comparable z",
                "object z java.lang.Boolean",
                "comparable c",
                "object c java.lang.Character",
                "number b 3",
                "integer b 3",
                "comparable b",
                "object b java.lang.Integer",
            ],
        ),
        situation(
            "Anything",
            r#"
    static void m(int i, String s) {} static void m(long[] a, double d) {} static void m(Object o) {}
    public static Object run() { m(1, "one"); m(new long[3], 2.5); m(null); return "done"; }"#,
            r#"
    @OnMethod(clazz = T, method = "m") public static void two(AnyType a, AnyType b) { println(((Object) a).getClass().getName() + " " + str(b)); }
    @OnMethod(clazz = T, method = "m") public static void half(int a, AnyType b) { println("half " + a + str(b)); }"#,
            &["java.lang.Integer one", "half 1one", "[J 2.5"],
        ),
        situation(
            "Generic",
            r#"
    static <C extends Comparable<C>> C max(C a, C b) { return a.compareTo(b) > 0 ? a : b; }
    static <X> X id(X x) { return x; }
    public static Object run() { return max("a", "b") + max(1, 2) + id("x"); }"#,
            r#"
    @OnMethod(clazz = T, method = "max") public static void max(Comparable<?> a, Comparable<?> b) { println("max " + a + " " + b); }
    @OnMethod(clazz = T, method = "max") public static void never(String a, String b) { println("never"); }
    @OnMethod(clazz = T, method = "id") public static void id(Object x) { println("id " + str(x)); }"#,
            &["max a b", "max 1 2", "id x"],
        ),
        situation(
            "Ordered",
            r"
    static int m(int i) { return i; }
    public static Object run() { return m(1); }",
            r#"
    @OnMethod(clazz = T, method = "m") public static void second(int i) { println("second, declared first"); }
    @OnMethod(clazz = T, method = "/m/") public static void first() { println("first, declared second"); }
    @OnMethod(clazz = T, method = "m") public static void second(AnyType[] all) { println("again"); }
    @OnMethod(clazz = "/.*Ordered/", method = "m", location = @Location(RETURN)) public static void end() { println("end"); }"#,
            &[
                "second, declared first",
                "first, declared second",
                "again",
                "from another probe",
                "end",
                "end of another probe",
            ],
        ),
        situation(
            "OrderedLater",
            r#"
    public static Object run() { return "nothing of its own"; }"#,
            r#"
    @OnMethod(clazz = "situation.Ordered", method = "m") public static void m() { println("from another probe"); }
    @OnMethod(clazz = "situation.Ordered", method = "m", location = @Location(RETURN)) public static void end() { println("end of another probe"); }"#,
            &[],
        ),
    ]
}

fn list(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(", ")
}
