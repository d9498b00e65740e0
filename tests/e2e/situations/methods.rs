//! Entry into every shape of method and class.

use super::{Situation, run, situation};

#[test]
fn every_shape_of_method_is_entered() {
    run("methods", shapes().into_iter().chain(construction()).collect());
}

fn shapes() -> Vec<Situation> {
    vec![
        situation(
            "WithoutBody",
            r"
    static abstract class Base { abstract int a(); native int n(); int c() { return 1; } }
    interface I { int i(); }
    static class Sub extends Base implements I { int a() { return 2; } public int i() { return 3; } }
    public static Object run() { Sub s = new Sub(); return s.a() + s.c() + s.i(); }",
            r#"
    @OnMethod(clazz = "/situation\\.WithoutBody.*/", method = "/[acin]/") public static void any(@ProbeClassName String type, @ProbeMethodName String m) { println(type + " " + m); }"#,
            &["situation.WithoutBody$Sub a", "situation.WithoutBody$Base c", "situation.WithoutBody$Sub i"],
        ),
        situation(
            "Bridge",
            r#"
    interface Shape<V> { String put(V v); }
    static class Text implements Shape<String> { public String put(String s) { return s; } }
    static class Base { Object get() { return "base"; } }
    static class Sub extends Base { String get() { return "sub"; } }
    @SuppressWarnings("unchecked") public static Object run() { Shape<String> s = new Text(); Base b = new Sub(); return s.put("x") + b.get(); }"#,
            r#"
    @OnMethod(clazz = "/situation\\.Bridge.(Text|Sub)/", method = "/put|get/") public static void any(@ProbeMethodName(fqn = true) String m) { println(m); }
    @OnMethod(clazz = T + "$Text", method = "put", exactTypeMatch = true) public static void text(String s) { println("only " + s); }"#,
            &[
                "java.lang.String situation.Bridge$Text#put(java.lang.Object)",
                "java.lang.String situation.Bridge$Text#put(java.lang.String)",
                "only x",
                "java.lang.Object situation.Bridge$Sub#get()",
                "java.lang.String situation.Bridge$Sub#get()",
            ],
        ),
        situation(
            "Synthetic",
            r"
    private int hidden = 4; private int secret(int i) { return i + hidden; }
    class In { int reach(int i) { return secret(i) + hidden; } }
    public static Object run() { Synthetic s = new Synthetic(); return s.new In().reach(1); }",
            r#"
    @OnMethod(clazz = T, method = "/access.*|secret/") public static void any(@ProbeMethodName String m, AnyType[] all) {
        println((m.startsWith("access") ? "accessor" : m) + " " + all.length);
    }"#,
            &["accessor 2", "secret 1", "accessor 1"],
        ),
        situation(
            "Interfaces",
            r#"
    interface I { default String hi(String s) { return own(s); } static String own(String s) { return "I" + s; } String not(); }
    static class A implements I { public String not() { return hi("a"); } }
    static class B implements I { public String hi(String s) { return I.super.hi("B" + s); } public String not() { return hi("b"); } }
    public static Object run() { return new A().not() + new B().not(); }"#,
            r#"
    @OnMethod(clazz = T + "$I", method = "/hi|own|not/") public static void any(@Self Object self, @ProbeMethodName String m, String s) {
        println(m + " " + s + " " + (self == null ? "null" : self.getClass().getSimpleName()));
    }
    @OnMethod(clazz = "+" + T + "$I", method = "not", location = @Location(RETURN)) public static void not(@ProbeClassName String type, @Return String s) { println(type + " " + s); }"#,
            &[
                "hi a A",
                "own a null",
                "situation.Interfaces$A Ia",
                "hi Bb B",
                "own Bb null",
                "situation.Interfaces$B IBb",
            ],
        )
        .newer(),
        situation(
            "LambdaBodies",
            r#"
    final int base = 10;
    IntUnaryOperator adder(long more) { return i -> (int) (i + base + more); }
    static String twice(Supplier<String> s) { return s.get() + s.get(); }
    public static Object run() { String t = "t"; return new LambdaBodies().adder(5).applyAsInt(1) + twice(() -> t + 1) + twice(String::new); }"#,
            r#"
    @OnMethod(clazz = T, method = "/lambda\\$adder\\$.*/") public static void adder(@Self Object self, long more, int i) { println("adder " + (self != null) + " " + more + " " + i); }
    @OnMethod(clazz = T, method = "/lambda\\$run\\$.*/", location = @Location(RETURN)) public static void supplier(@Return String r, String t) { println("supplier " + t + " " + r); }"#,
            &["adder true 5 1", "supplier t t1", "supplier t t1"],
        )
        .newer(),
        situation(
            "NestedAndAnonymous",
            r#"
    static class A { class B { String m(int i) { return "B" + i; } } }
    static String local(final String s) { class Local { String m(int i) { return s + i; } } return new Local().m(2); }
    public static Object run() {
        Comparator<String> c = new Comparator<String>() { public int compare(String a, String b) { return a.length() - b.length(); } };
        return new A().new B().m(1) + local("L") + c.compare("a", "bb");
    }"#,
            r#"
    @OnMethod(clazz = "/situation\\.NestedAndAnonymous\\$.*/", method = "m") public static void m(@ProbeClassName String type, int i) { println(type + " " + i); }
    @OnMethod(clazz = "/situation\\.NestedAndAnonymous\\$[0-9]+/", method = "compare") public static void compare(@ProbeClassName String type, String a, String b) { println(type + " " + a + b); }"#,
            &[
                "situation.NestedAndAnonymous$A$B 1",
                "situation.NestedAndAnonymous$1Local 2",
                "situation.NestedAndAnonymous$1 abb",
            ],
        ),
        situation(
            "Recursive",
            r"
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    public static Object run() { return fib(3); }",
            r#"
    @OnMethod(clazz = T, method = "fib") public static void in(int n) { println("in " + n); }
    @OnMethod(clazz = T, method = "fib", location = @Location(RETURN)) public static void out(int n, @Return int r) { println("out " + n + " " + r); }"#,
            &["in 3", "in 2", "in 1", "out 1 1", "in 0", "out 0 0", "out 2 1", "in 1", "out 1 1", "out 3 2"],
        ),
        situation(
            "Threads",
            r#"
    static void m(String s) {}
    public static Object run() throws Exception {
        for (int i = 0; i < 2; i++) { String s = "t" + i; Thread t = new Thread(() -> m(s), s); t.start(); t.join(); }
        return "done";
    }"#,
            r#"
    @OnMethod(clazz = T, method = "m") public static void m(String s) { println(s + " " + Thread.currentThread().getName()); }"#,
            &["t0 t0", "t1 t1"],
        )
        .newer(),
        situation(
            "JumpToTheStart",
            r"
    static int spin(int n) { while (true) { if (--n < 0) return n; } }
    static int more(int n) { do { n -= 2; } while (n > 0); return n; }
    public static Object run() { return spin(3) + more(5); }",
            r#"
    @OnMethod(clazz = T, method = "/spin|more/") public static void in(@ProbeMethodName String m, int n) { println(m + " " + n); }"#,
            &["spin 3", "more 5"],
        ),
    ]
}

fn construction() -> Vec<Situation> {
    vec![
        situation(
            "Constructors",
            r#"
    static class Base { final String s; Base(String s) { this.s = s; } }
    static class Sub extends Base {
        final int n;
        Sub() { this(7); }
        Sub(int n) { super("n" + n); this.n = n; }
    }
    public static Object run() { return new Sub().n + new Sub(8).s; }"#,
            r#"
    @OnMethod(clazz = "/situation\\.Constructors.(Base|Sub)/", method = "<init>") public static void start(@ProbeMethodName(fqn = true) String m, AnyType[] all) { println("start " + m + " " + all.length); }
    @OnMethod(clazz = "+" + T + "$Base", method = "<init>") public static void made(@Self Object self, @ProbeMethodName(fqn = true) String m) { println("made " + m + " " + self.getClass().getSimpleName()); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(RETURN)) public static void end(@Self Object self, @Return AnyType none, AnyType[] all) {
        println("end " + (self != null) + " " + none + " " + all.length);
    }"#,
            &[
                "start void situation.Constructors$Sub#<init>() 0",
                "start void situation.Constructors$Sub#<init>(int) 1",
                "start void situation.Constructors$Base#<init>(java.lang.String) 1",
                "made void situation.Constructors$Base#<init>(java.lang.String) Sub",
                "made void situation.Constructors$Sub#<init>(int) Sub",
                "end true null 1",
                "made void situation.Constructors$Sub#<init>() Sub",
                "end true null 0",
                "start void situation.Constructors$Sub#<init>(int) 1",
                "start void situation.Constructors$Base#<init>(java.lang.String) 1",
                "made void situation.Constructors$Base#<init>(java.lang.String) Sub",
                "made void situation.Constructors$Sub#<init>(int) Sub",
                "end true null 1",
            ],
        ),
        situation(
            "StoresBeforeSuper",
            r#"
    final long base = 3;
    static class Named { final String text; Named() { text = name(); } String name() { return "named"; } }
    Named in(final int i, final double d) { return new Named() { String name() { return base + "/" + i + "/" + d; } }; }
    public static Object run() { return new StoresBeforeSuper().in(4, 5.5).text; }"#,
            r#"
    @OnMethod(clazz = T + "$1", method = "<init>") public static void start(AnyType[] all) { println("start " + all.length + " " + str(all[1]) + " " + str(all[2])); }
    @OnMethod(clazz = T + "$1", method = "<init>") public static void made(@Self Object self, AnyType[] all) { println("made " + self.getClass().getName() + " " + str(all[1])); }
    @OnMethod(clazz = T + "$1", method = "<init>", location = @Location(RETURN)) public static void end(@Self Object self, @Duration long d) { println("end " + (self != null) + " " + (d > 0)); }"#,
            &["start 3 4 5.5", "made situation.StoresBeforeSuper$1 4", "end true true"],
        ),
        situation(
            "BranchesBeforeSuper",
            r#"
    static class Base { final Object o; Base(Object o) { this.o = o; } }
    static class Sub extends Base { Sub(boolean left, String a, String b) { super(left ? a : b != null ? b : new Base(a)); } }
    public static Object run() { return "" + new Sub(true, "a", "b").o + new Sub(false, "a", "b").o + (new Sub(false, "a", null).o instanceof Base); }"#,
            r#"
    @OnMethod(clazz = T + "$Sub", method = "<init>") public static void made(@Self Object self, boolean left, String a, String b) { println("made " + (self != null) + " " + left + a + b); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(RETURN)) public static void end(@Self Object self, @Duration long d) { println("end " + (self != null)); }"#,
            &["made true trueab", "end true", "made true falseab", "end true", "made true falseanull", "end true"],
        ),
        situation(
            "EarlyReturn",
            r"
    int n; EarlyReturn(int i) { if (i > 1) { n = i; return; } n = -i; }
    public static Object run() { return new EarlyReturn(1).n + new EarlyReturn(2).n; }",
            r#"
    @OnMethod(clazz = T, method = "<init>", location = @Location(RETURN)) public static void end(@Self Object self, int i) { println("end " + i + " " + (self != null)); }"#,
            &["end 1 true", "end 2 true"],
        ),
        situation(
            "Initializers",
            r#"
    static int count = 1;
    static { count += 2; }
    static class In { static final Object O = new Object(); static String s = "in"; }
    interface Constants { Object O = String.valueOf(5); }
    public static Object run() { return count + In.s + Constants.O; }"#,
            r#"
    @OnMethod(clazz = "/situation\\.Initializers.*/", method = "<clinit>") public static void in(@ProbeClassName String type, @Self Object self) { println(type + " " + self); }
    @OnMethod(clazz = "/situation\\.Initializers.*/", method = "<clinit>", location = @Location(RETURN)) public static void out(@Duration long d) { println("initialized " + (d >= 0)); }"#,
            &[
                "situation.Initializers null",
                "initialized true",
                "situation.Initializers$In null",
                "initialized true",
                "situation.Initializers$Constants null",
                "initialized true",
            ],
        ),
        situation(
            "Enums",
            r#"
    enum Level { LOW("l") { int weight() { return 1; } }, HIGH("h"); final String label; Level(String label) { this.label = label; } int weight() { return ordinal() * 10; } }
    public static Object run() { return Level.valueOf("HIGH").label + Level.values().length + Level.LOW.weight() + Level.HIGH.weight(); }"#,
            r#"
    @OnMethod(clazz = T + "$Level", method = "<init>") public static void made(@Self Object self, String name, int ordinal, String label) { println("made " + name + ordinal + label + " " + str(self.getClass().getName())); }
    @OnMethod(clazz = T + "$Level", method = "/values|valueOf|weight/") public static void m(@ProbeMethodName String m, AnyType[] all) { println(m + " " + all.length); }
    @OnMethod(clazz = "+" + T + "$Level", method = "weight", location = @Location(RETURN)) public static void weight(@Return int w) { println("weight " + w); }"#,
            &[
                "made LOW0l situation.Enums$Level$1",
                "made HIGH1h situation.Enums$Level",
                "valueOf 1",
                "values 0",
                "values 0",
                "weight 1",
                "weight 0",
                "weight 10",
            ],
        ),
        situation(
            "LikeARecord",
            r#"
    static final class Point {
        private final int x; private final double y;
        Point(int x, double y) { this.x = x; this.y = y; }
        int x() { return x; } double y() { return y; }
        @Override public boolean equals(Object o) { return o instanceof Point && ((Point) o).x == x && ((Point) o).y == y; }
        @Override public int hashCode() { return 31 * x + Double.hashCode(y); }
        @Override public String toString() { return "Point[" + x + ", " + y + "]"; }
    }
    public static Object run() { Point p = new Point(1, 2); return p + " " + p.equals(new Point(1, 2)) + new HashSet<>(Arrays.asList(p, p)).size() + p.x() + p.y(); }"#,
            r#"
    @OnMethod(clazz = T + "$Point", method = "/.*/") public static void any(@ProbeMethodName String m) { if (!m.equals("hashCode")) println(m); }
    @OnMethod(clazz = T + "$Point", method = "equals", location = @Location(RETURN)) public static void same(@Return boolean r, Object o) { println("equals " + r + " " + (o != null)); }"#,
            &["<init>", "toString", "<init>", "equals", "equals true true", "x", "y"],
        ),
        situation(
            "Finalizers",
            r"
    static class Empty { protected void finalize() {} }
    public static Object run() { return new Empty() != null; }",
            r#"
    @OnMethod(clazz = T + "$Empty", method = "finalize") public static void never() { println("never"); }"#,
            &[],
        )
        .told(&["method situation.Finalizers$Empty.finalize()V was not woven: an empty finalizer must stay empty"]),
    ]
}
