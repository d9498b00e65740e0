//! Calls of methods and constructors.

use super::{Situation, run, situation};

#[test]
fn handlers_at_calls_get_arguments_target_and_result() {
    run("calls", plain().into_iter().chain(entangled()).collect());
}

fn plain() -> Vec<Situation> {
    vec![
        situation(
            "EveryForm",
            r#"
    interface I { long twice(long n); }
    static class Base implements I { public long twice(long n) { return 2 * n; } String name() { return "base"; } }
    static class Sub extends Base { String name() { return super.name() + own(); } private String own() { return "sub"; } }
    static int s(byte b, char c) { return b + c; }
    public static Object run() { I i = new Sub(); return i.twice(4) + ((Base) i).name() + s((byte) 1, 'a'); }"#,
            r#"
    @OnMethod(clazz = "/situation\\.EveryForm.*/", method = "/run|name/", location = @Location(value = CALL, clazz = "/situation\\..*/"))
    public static void call(@ProbeMethodName String in, @TargetInstance Object to, @TargetMethodOrField(fqn = true) String name, AnyType[] all) {
        println(in + ": " + name + " " + (to == null ? "null" : to.getClass().getSimpleName()) + " " + all.length);
    }"#,
            &[
                "run: void situation.EveryForm$Sub#<init>() null 0",
                "run: long situation.EveryForm$I#twice(long) Sub 1",
                "run: java.lang.String situation.EveryForm$Base#name() Sub 0",
                "name: java.lang.String situation.EveryForm$Base#name() Sub 0",
                "name: java.lang.String situation.EveryForm$Sub#own() Sub 0",
                "run: int situation.EveryForm#s(byte, char) null 2",
            ],
        ),
        situation(
            "EveryResult",
            r#"
    static boolean z() { return true; } static byte b() { return -1; } static char c() { return 'c'; } static short s() { return -2; } static int i() { return 3; }
    static long j() { return 4; } static float f() { return 5.5f; } static double d() { return 6.5; } static String t() { return "t"; } static int[] a() { return null; } static void v() {}
    public static Object run() { v(); return "" + z() + b() + c() + s() + i() + j() + f() + d() + t() + (a() == null); }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = T, method = "/./"))
    public static void after(@TargetMethodOrField String m, @Return AnyType r) { println(m + " " + (r == null ? "null" : ((Object) r).getClass().getSimpleName() + " " + str(r))); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = T, method = "/./"))
    public static void number(@Return double r) { println("double " + r); }"#,
            &[
                "v null",
                "z Boolean true",
                "b Byte -1",
                "c Character c",
                "s Short -2",
                "i Integer 3",
                "j Long 4",
                "f Float 5.5",
                "d Double 6.5",
                "double 6.5",
                "t String t",
                "a null",
            ],
        ),
        situation(
            "Filtered",
            r#"
    static void m(int i) {} static void m(String s) {} static void n(int i) {}
    public static Object run() { m(1); m("two"); n(3); List<String> l = new ArrayList<String>(); l.add("x"); Collection<String> c = l; c.add("y"); return l.size() + c.size(); }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T, method = "m", type = "void (int)")) public static void typed(int i) { println("typed " + i); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T)) public static void text(@TargetMethodOrField String m, String s) { println("text " + m + " " + s); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = "java.util.List")) public static void list(@TargetMethodOrField String m) { println("list " + m); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = "/java\\.util\\.[A-Z]o.*/", method = "/a.*/")) public static void add(Object o, @TargetInstance Collection<?> c) { println("collection " + str(o) + c.size()); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, method = "size")) public static void size(@TargetMethodOrField(fqn = true) String m) { println(m); }"#,
            &[
                "typed 1",
                "text m two",
                "list add",
                "collection y1",
                "list size",
                "int java.util.List#size()",
                "int java.util.Collection#size()",
            ],
        ),
        situation(
            "Fitting",
            r#"
    static void i(int i) {} static void b(Integer i) {} static void t(StringBuilder t) {} static void two(long a, Object b) {}
    public static Object run() { i(1); b(2); t(new StringBuilder("t")); two(3, "x"); return "done"; }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T)) public static void number(@TargetMethodOrField String m, Number n) { println("number " + m + n); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T)) public static void text(CharSequence s) { println("text " + s); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T), exactTypeMatch = true) public static void never(Number n) { println("never"); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T)) public static void two(AnyType a, AnyType b) { println("two " + str(a) + str(b)); }"#,
            &["number i1", "number b2", "text t", "two 3x"],
        ),
        situation(
            "ConstructorCalls",
            r#"
    static class Base { final String s; Base(String s, long n) { this.s = s + n; } }
    static class Sub extends Base { Sub(int i) { super(text(i), 2L * i); check(); } Sub() { this(3); } static String text(int i) { return "t" + i; } void check() {} }
    public static Object run() { return new Sub().s; }"#,
            r#"
    @OnMethod(clazz = "/situation\\.ConstructorCalls.*/", method = "/<init>|run/", location = @Location(value = CALL, clazz = "/situation.*/"))
    public static void before(@Self Object self, @TargetInstance Object to, @TargetMethodOrField(fqn = true) String m, AnyType[] all) { println("before " + m + " " + (self != null) + " " + (to != null) + (all.length > 1 ? str(all[0]) + str(all[1]) : "")); }
    @OnMethod(clazz = "/situation\\.ConstructorCalls.*/", method = "<init>", location = @Location(value = CALL, where = AFTER, clazz = "/situation.*/"))
    public static void after(@Self Object self, @TargetMethodOrField String m, @Duration long d) { println("after " + m + " " + (self != null) + " " + (d >= 0)); }"#,
            &[
                "before void situation.ConstructorCalls$Sub#<init>() false false",
                "before void situation.ConstructorCalls$Sub#<init>(int) false false",
                "before java.lang.String situation.ConstructorCalls$Sub#text(int) false false",
                "after text false true",
                "before void situation.ConstructorCalls$Base#<init>(java.lang.String, long) false falset36",
                "after <init> true true",
                "before void situation.ConstructorCalls$Sub#check() true true",
                "after check true true",
                "after <init> true true",
            ],
        ),
        situation(
            "Throwing",
            r#"
    static int m(int i) { if (i == 1) throw new IllegalStateException("one"); return i; }
    public static Object run() { int n = 0; for (int i = 0; i < 3; i++) try { n += m(i); } catch (IllegalStateException e) { n += 10; } return n; }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T)) public static void before(int i) { println("before " + i); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = T)) public static void after(int i, @Return int r) { println("after " + i); }"#,
            &["before 0", "after 0", "before 1", "before 2", "after 2"],
        ),
        situation(
            "NullReceiver",
            r#"
    String s() { return "s"; }
    static Object of(NullReceiver n) { try { return n.s(); } catch (NullPointerException e) { return "null"; } }
    public static Object run() { return of(null) + "" + of(new NullReceiver()); }"#,
            r#"
    @OnMethod(clazz = T, method = "of", location = @Location(value = CALL, clazz = T)) public static void before(@TargetInstance Object to) { println("before " + (to != null)); }
    @OnMethod(clazz = T, method = "of", location = @Location(value = CALL, where = AFTER, clazz = T)) public static void after(@TargetInstance Object to, @Return String s) { println("after " + (to != null) + s); }"#,
            &["before false", "before true", "after trues"],
        ),
        situation(
            "OfArrays",
            r#"
    public static Object run() { int[] a = {1, 2}; String[][] s = {{"x"}}; return a.clone()[1] + s.clone()[0][0] + s.getClass().getSimpleName() + s.equals(s); }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, method = "clone")) public static void cloned(@TargetInstance Object a, @TargetMethodOrField(fqn = true) String m, @Return Object r) { println(m + " " + (a != r)); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = "int[]")) public static void ints(@TargetInstance int[] a) { println("ints " + a.length); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = "java.lang.Object", method = "/equals|getClass/")) public static void object(@TargetMethodOrField String m) { println(m); }"#,
            &[
                "ints 2",
                "java.lang.Object int[]#clone() true",
                "java.lang.Object java.lang.String[][]#clone() true",
                "getClass",
                "equals",
            ],
        ),
        situation(
            "Accessors",
            r#"
    private static long hidden(long a) { return a + 1; }
    static class In { long reach() { return hidden(4); } private String own(int i) { return "own" + i; } }
    public static Object run() { In in = new In(); return in.reach() + in.own(2); }"#,
            r#"
    @OnMethod(clazz = "/situation\\.Accessors.*/", method = "/.*/", location = @Location(value = CALL, clazz = "/situation.*/", method = "/hidden|own/"))
    public static void call(AnyType[] all, @TargetMethodOrField String m, @TargetInstance Object to) { println(m + " " + all.length + " " + (to != null)); }"#,
            &["hidden 1 false", "own 1 true"],
        ),
        situation(
            "ReferencesAndLambdas",
            r#"
    static String up(String s) { return s + "!"; }
    static String apply(Function<String, String> f, String s) { return f.apply(s); }
    public static Object run() { return apply(ReferencesAndLambdas::up, "a") + apply(s -> up(s), "b"); }"#,
            r#"
    @OnMethod(clazz = T, method = "/.*/", location = @Location(value = CALL, clazz = T, method = "up")) public static void up(@ProbeMethodName String in, String s) { println((in.startsWith("lambda") ? "lambda" : in) + " " + s); }
    @OnMethod(clazz = T, method = "apply", location = @Location(value = CALL, where = AFTER, clazz = "/.*/")) public static void apply(Object s, @Return Object r, @TargetMethodOrField String m) { println(m + " " + s + " " + r); }"#,
            &["apply a a!", "lambda b", "apply b b!"],
        )
        .newer(),
    ]
}

/// Calls with other values below them on the stack.
fn entangled() -> Vec<Situation> {
    vec![
        situation(
            "InExpressions",
            r#"
    static long f(long a, int b) { return a * b; } static double g(double d) { return d + 0.5; } static int h() { return 7; }
    public static Object run() {
        long big = 1L << 33; double d = 2.5; int[] a = {1, 2, 3}; String s = "s";
        a[h() - 6] += (int) f(3, h()) * (int) g(4);
        return s + (big - f(2, h()) / 2) + d * g(f(1, (int) g(1))) + a[1] + (h() > 6 ? f(5, 6) : g(0)) + new StringBuilder(s).append(g(3)).append(f(1, 2));
    }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T)) public static void before(@TargetMethodOrField String m, AnyType[] all) { println("> " + m + (all.length > 0 ? " " + str(all[0]) : "")); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = T)) public static void after(@TargetMethodOrField String m, @Return AnyType r) { println("< " + m + " " + str(r)); }"#,
            &[
                "> h", "< h 7", "> h", "< h 7", "> f 3", "< f 21", "> g 4.0", "< g 4.5", "> h", "< h 7", "> f 2",
                "< f 14", "> g 1.0", "< g 1.5", "> f 1", "< f 1", "> g 1.0", "< g 1.5", "> h", "< h 7", "> f 5",
                "< f 30", "> g 3.0", "< g 3.5", "> f 1", "< f 2",
            ],
        ),
        situation(
            "SomeArguments",
            r#"
    String m(String s, double d, int i, long j, float f) { return s + d + i + j + f; }
    public static Object run() { return 1L + new SomeArguments().m("s", 1.5, 2, 3, 4.5f) + 2.5; }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T, method = "m")) public static void all(String s, double d, int i, long j, float f) { println(s + d + i + j + f); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T, method = "m")) public static void target(@TargetInstance Object to) { println(to.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, clazz = T, method = "m")) public static void none() { println("none"); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = T, method = "m")) public static void after(String s, double d, int i, long j, float f, @TargetInstance Object to, @Return String r, @Duration long t) { println((to != null) + s + d + i + j + f + " " + r); }"#,
            &["s1.5234.5", "SomeArguments", "none", "trues1.5234.5 s1.5234.5"],
        ),
        situation(
            "Choices",
            r#"
    static boolean z(int i) { return i > 1; } static String s(String a, String b) { return a + b; } static String c(int i) { return "c" + i; }
    static String choose(int i) { return s(z(i) ? c(i) : s("x", z(-i) || z(i + 1) ? "y" : "z"), c(-i)); }
    public static Object run() { return choose(0) + choose(1) + choose(2); }"#,
            r#"
    @OnMethod(clazz = T, method = "choose", location = @Location(value = CALL, where = AFTER, clazz = T, method = "s")) public static void after(String a, String b, @Return String r) { println(a + "+" + b); }
    @OnMethod(clazz = T, method = "choose", location = @Location(value = CALL, clazz = T, method = "z")) public static void z(int i) { println("z " + i); }"#,
            &["z 0", "z 0", "z 1", "x+z", "xz+c0", "z 1", "z -1", "z 2", "x+y", "xy+c-1", "z 2", "c2+c-2"],
        ),
        situation(
            "Concatenation",
            r#"
    static String m(int i, Object o) { return "i" + i + o + 'c' + 2.5; }
    public static Object run() { return m(1, null); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, clazz = "java.lang.StringBuilder", method = "append")) public static void append(@TargetInstance Object to, AnyType a) { println(str(to) + " + " + str(a)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER, clazz = "java.lang.StringBuilder", method = "toString")) public static void end(@Return String s) { println(s); }"#,
            &[" + i", "i + 1", "i1 + null", "i1null + c", "i1nullc + 2.5", "i1nullc2.5"],
        ),
        situation(
            "BeforeSuper",
            r#"
    static class Base { final long n; Base(long n, Object o) { this.n = n; } }
    static class Sub extends Base { Sub(int i) { super(f(i) + f(i + 1), i > 1 ? new Object() : make("x")); } static long f(int i) { return i * 10L; } static Object make(String s) { return s; } }
    public static Object run() { return new Sub(1).n + new Sub(2).n; }"#,
            r#"
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(value = CALL, where = AFTER)) public static void any(@Self Object self, @TargetMethodOrField String m, @Return AnyType r, @TargetInstance Object to) { println(m + " " + (self != null) + " " + (to != null) + " " + (r instanceof Object)); }"#,
            &[
                "f false false true",
                "f false false true",
                "make false false true",
                "<init> true false false",
                "f false false true",
                "f false false true",
                "<init> false false false",
                "<init> true false false",
            ],
        ),
        situation(
            "InLoopsAndFinally",
            r"
    static int n(int i) { return i; }
    static int m() { int r = 0; for (int i = n(0); i < n(2); i += n(1)) { try { r += n(10); if (i == 1) continue; } finally { r += n(100); } } return r; }
    public static Object run() { return m(); }",
            r#"
    static int calls;
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER, clazz = T)) public static void n(int i, @Return int r) { if (i == r) calls++; }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void m(@Return int r) { println(calls + " " + r); }"#,
            &["10 220"],
        ),
        situation(
            "JdkFromWithin",
            r#"
    static String next() { StringTokenizer t = new StringTokenizer("a b"); t.nextToken(); return t.nextToken(); }
    public static Object run() { return next() + next() + Math.max(1, 2L) + String.valueOf(new char[] {'x'}) + Integer.valueOf(3).hashCode(); }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = "/java\\.lang\\.(Math|Integer|String)/")) public static void any(@TargetMethodOrField(fqn = true) String m, @Return Object r) { println(m + " = " + str(r)); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, clazz = "java.util.StringTokenizer", method = "nextToken")) public static void never() { println("never"); }
    // Nothing has loaded StringTokenizer when this is woven: the site looks when it is called.
    @OnMethod(clazz = T, method = "next", location = @Location(value = CALL, where = AFTER, method = "nextToken")) public static void next(@Return String r, @TargetInstance Enumeration<?> t) { println(r + t.hasMoreElements()); }"#,
            &[
                "atrue",
                "bfalse",
                "atrue",
                "bfalse",
                "long java.lang.Math#max(long, long) = 2",
                "java.lang.String java.lang.String#valueOf(char[]) = x",
                "java.lang.Integer java.lang.Integer#valueOf(int) = 3",
                "int java.lang.Integer#hashCode() = 3",
            ],
        ),
        situation(
            "SeveralAtOneCall",
            r"
    static int m(int i) { return i + 1; }
    public static Object run() { return m(m(1)); }",
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, method = "m")) public static void c(@Return int r) { println("c " + r); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, method = "m")) public static void a(int i) { println("a " + i); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, method = "m")) public static void b() { throw new IllegalStateException("b"); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = CALL, where = AFTER, method = "m")) public static void d(int i) { println("d " + i); }
    @OnMethod(clazz = T, method = "m") public static void in(int i) { println("in " + i); }"#,
            &[
                "a 1",
                "handler trace.SeveralAtOneCall.b failed: java.lang.IllegalStateException: b; the same again is not shown",
                "in 1",
                "c 2",
                "d 1",
                "a 2",
                "in 2",
                "c 3",
                "d 2",
            ],
        ),
    ]
}
