//! What compilers make of newer Java.

use super::{Situation, run_newer, situation};

#[test]
fn classes_of_java_17_are_woven() {
    run_newer("java 17", 17, records().into_iter().chain(others()).collect());
}

/// Constructors that do something before `super(…)`.
#[test]
fn classes_of_java_25_are_woven() {
    run_newer("java 25", 25, prologues());
}

fn records() -> Vec<Situation> {
    vec![
        situation(
            "Records",
            r#"
    record Point(int x, double y, String... names) {
        static int made;
        Point { if (x < 0) throw new IllegalArgumentException("x"); names = names.clone(); made++; }
        Point(int x) { this(x, x / 2.0, "one"); }
        double sum() { return x + y; }
    }
    public static Object run() { Point p = new Point(3); try { new Point(-1, 0); } catch (IllegalArgumentException e) { return p.sum() + p.names()[0] + p.equals(new Point(3)) + new Point(1, 2).toString().startsWith("Point[x=1, y=2.0") + p.hashCode() * 0; } return "never"; }"#,
            r#"
    @OnMethod(clazz = T + "$Point", method = "<init>") public static void made(@Self Object self, int x, double y, String[] names) { println("made " + (self != null) + " " + x + " " + y + " " + names.length); }
    @OnMethod(clazz = T + "$Point", method = "<init>", location = @Location(ERROR)) public static void failed(@Self Object self, int x, AnyType y, AnyType names, @TargetInstance Throwable t) { println("failed " + x + " " + t.getMessage()); }
    @OnMethod(clazz = T + "$Point", method = "<init>", location = @Location(value = FIELD_SET, clazz = T + "$Point")) public static void set(@TargetInstance Object of, @TargetMethodOrField String f, AnyType v) { println("set " + f + " " + (of != null)); }
    @OnMethod(clazz = T + "$Point", method = "/x|y|names|sum|toString|equals|hashCode/", location = @Location(RETURN)) public static void out(@ProbeMethodName String m, @Return AnyType r) { println(m + " " + (m.equals("sum") ? str(r) : "")); }"#,
            &[
                "made true 3 1.5 1",
                "set made false",
                "set x true",
                "set y true",
                "set names true",
                "made true -1 0.0 0",
                "failed -1 x",
                "sum 4.5",
                "names ",
                "made true 3 1.5 1",
                "set made false",
                "set x true",
                "set y true",
                "set names true",
                "equals ",
                "made true 1 2.0 0",
                "set made false",
                "set x true",
                "set y true",
                "set names true",
                "toString ",
                "hashCode ",
            ],
        ),
        situation(
            "Sealed",
            r#"
    sealed interface Shape permits Circle, Square {} record Circle(int r) implements Shape {} record Square(int a) implements Shape {}
    static int area(Shape s) { if (s instanceof Circle c && c.r() > 1) return 3 * c.r(); return s instanceof Square q ? q.a() : 0; }
    static String day(int i) { return switch (i) { case 1, 7 -> "weekend"; case 2 -> { String t = "mon"; yield t + "day"; } default -> throw new IllegalStateException("d" + i); }; }
    public static Object run() { String s = area(new Circle(2)) + day(1) + area(new Square(5)) + day(2); try { day(3); } catch (IllegalStateException e) { s += e.getMessage(); } return s; }"#,
            r#"
    @OnMethod(clazz = T, method = "area", location = @Location(value = CHECKCAST, where = AFTER)) public static void cast(String type, @TargetInstance Object o) { println("cast " + type); }
    @OnMethod(clazz = T, method = "/area|day/", location = @Location(RETURN)) public static void out(@ProbeMethodName String m, @Return AnyType r, @Duration long d) { println(m + " " + str(r)); }
    @OnMethod(clazz = T, method = "day", location = @Location(THROW)) public static void thrown(Throwable t) { println("throw " + t.getMessage()); }"#,
            &[
                "cast situation.Sealed$Circle",
                "area 6",
                "day weekend",
                "cast situation.Sealed$Square",
                "area 5",
                "day monday",
                "throw d3",
            ],
        ),
    ]
}

fn others() -> Vec<Situation> {
    vec![
        situation(
            "DynamicConcatenation",
            r#"
    static long n = 1; static String f(String s) { n++; return s + n; }
    static String m(int i, long j, double d, Object o) { return "i" + i + f("a") + j + (i > 0 ? f("b") : o) + d + '\1' + n + o; }
    public static Object run() { return m(1, 2, 3.5, "o") + m(0, 1L << 40, -1, null); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER)) public static void f(@TargetMethodOrField String m, @Return String r, String s) { println(m + " " + s + " " + r); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = FIELD_GET, where = AFTER)) public static void n(@Return long n) { println("n " + n); }
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Return String r, int i, long j, double d, Object o) { println(r.length() + " " + i + j + d + o); }"#,
            &["f a a2", "f b b3", "n 3", "13 123.5o", "f a a4", "n 4", "31 01099511627776-1.0null"],
        ),
        situation(
            "Nestmates",
            r#"
    private long hidden = 4; private static int secret(int i) { return i + 1; }
    class In { private int own(int i) { return i * 2; } long reach() { hidden += secret(1); return hidden; } }
    interface I { private String inner(String s) { return s + "i"; } default String outer() { return inner("o"); } private static int st() { return 3; } static int pub() { return st(); } }
    public static Object run() { Nestmates n = new Nestmates(); In in = n.new In(); return in.reach() + in.own(3) + new I() {}.outer() + I.pub(); }"#,
            r#"
    @OnMethod(clazz = "/situation\\.Nestmates.*/", method = "/secret|own|inner|st/") public static void in(@ProbeMethodName(fqn = true) String m, @Self Object self) { println("in " + m + " " + (self != null)); }
    @OnMethod(clazz = "/situation\\.Nestmates.*/", method = "/run|reach|outer|pub/", location = @Location(value = CALL, clazz = "/situation.*/", method = "/secret|own|inner|st/")) public static void call(@TargetMethodOrField String m, @TargetInstance Object to) { println("call " + m + " " + (to != null)); }
    @OnMethod(clazz = T + "$In", method = "reach", location = @Location(value = FIELD_SET, clazz = T)) public static void set(@TargetInstance Object of, long v) { println("set " + (of != null) + v); }"#,
            &[
                "call secret false",
                "in int situation.Nestmates#secret(int) false",
                "set true6",
                "call own true",
                "in int situation.Nestmates$In#own(int) true",
                "call inner true",
                "in java.lang.String situation.Nestmates$I#inner(java.lang.String) true",
                "call st false",
                "in int situation.Nestmates$I#st() false",
            ],
        ),
        situation(
            "DynamicConstants",
            r#"
    enum E { A { int v() { return 1; } }, B { int v() { return 2; } }; abstract int v(); }
    static int on(E e) { return switch (e) { case A -> 10; case B -> 20; }; }
    static String text(String s) { return switch (s) { case "a", "b" -> "ab"; case "c" -> "c"; default -> "?"; }; }
    static int resources() throws Exception { try (var a = new java.io.StringReader("a"); var b = new java.io.StringReader("b")) { return a.read() + b.read(); } }
    public static Object run() throws Exception { return on(E.A) + E.B.v() + text("b") + text("x") + resources(); }"#,
            r#"
    @OnMethod(clazz = T, method = "/on|text|resources/", location = @Location(RETURN)) public static void out(@ProbeMethodName String m, AnyType[] all, @Return AnyType r) { println(m + " " + all.length + " " + str(r)); }
    @OnMethod(clazz = T, method = "resources", location = @Location(value = CALL, where = AFTER, method = "/read|close/")) public static void call(@TargetMethodOrField String m, @Return AnyType r) { println(m + " " + str(r)); }
    @OnMethod(clazz = "+" + T + "$E", method = "v", location = @Location(RETURN)) public static void v(@ProbeClassName String type, @Return int r) { println(type + r); }"#,
            &[
                "on 1 10",
                "situation.DynamicConstants$E$22",
                "text 1 ab",
                "text 1 ?",
                "read 97",
                "read 98",
                "close null",
                "close null",
                "resources 0 195",
            ],
        ),
    ]
}

fn prologues() -> Vec<Situation> {
    vec![
        situation(
            "Prologues",
            r#"
    static class Base { final String seen; Base(String s) { seen = s + text(); } String text() { return "base"; } }
    static class Sub extends Base {
        final int early; long late;
        Sub(int n, String s) {
            if (n < 0) throw new IllegalArgumentException("negative");
            String t;
            try { t = Integer.parseInt(s) + "!"; } catch (NumberFormatException e) { t = check(s) + "?"; }
            early = n * 2;
            for (int i = 0; i < n; i++) t += i;
            super(t);
            late = early + n;
            if (n == 5) throw new IllegalStateException("five");
        }
        static String check(String s) { return s.trim(); }
        String text() { return "sub" + early; }
    }
    static String of(int n, String s) { try { Sub made = new Sub(n, s); return made.seen + made.late; } catch (RuntimeException e) { return e.getMessage(); } }
    public static Object run() { return of(2, "7") + of(1, " x ") + of(-1, "") + of(5, "5"); }"#,
            r#"
    @OnMethod(clazz = T + "$Sub", method = "<init>") public static void start(int n, String s) { println("start " + n + s); }
    @OnMethod(clazz = T + "$Sub", method = "<init>") public static void made(@Self Object self, int n, String s) { println("made " + self.getClass().getSimpleName() + n); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(RETURN)) public static void end(@Self Object self, int n, String s, @Duration long d) { println("end " + n + " " + (d > 0)); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(ERROR)) public static void error(@Self Object self, @TargetInstance Throwable t, @Duration long d) { println("error " + t.getMessage() + " " + (self != null)); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(value = FIELD_SET)) public static void set(@Self Object self, @TargetInstance Object of, @TargetMethodOrField String f, AnyType v) { println("set " + f + " " + (self != null) + (of != null) + str(v)); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(value = CATCH)) public static void caught(@Self Object self, Throwable t) { println("caught " + (self != null) + t.getClass().getSimpleName()); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(THROW)) public static void thrown(@Self Object self, Throwable t) { println("throw " + (self != null) + t.getMessage()); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(value = CALL, where = AFTER, clazz = "/situation.*/")) public static void call(@Self Object self, @TargetMethodOrField String m, @TargetInstance Object to) { println("call " + m + " " + (self != null) + (to != null)); }
    @OnMethod(clazz = T + "$Base", method = "<init>", location = @Location(value = CALL, where = AFTER, method = "text")) public static void text(@Self Object self, @TargetInstance Object to, @Return String s) { println("text " + (to == self) + s); }"#,
            &[
                "start 27",
                "set early falsefalse4",
                "text truesub4",
                "call <init> truefalse",
                "made Sub2",
                "set late truetrue6",
                "end 2 true",
                "start 1 x ",
                "caught falseNumberFormatException",
                "call check falsefalse",
                "set early falsefalse2",
                "text truesub2",
                "call <init> truefalse",
                "made Sub1",
                "set late truetrue3",
                "end 1 true",
                "start -1",
                "throw falsenegative",
                "start 55",
                "set early falsefalse10",
                "text truesub10",
                "call <init> truefalse",
                "made Sub5",
                "set late truetrue15",
                "throw truefive",
                "error five true",
            ],
        ),
        situation(
            "LinesOfPrologues",
            r"
    static class Base { Base(int i) {} }
    static class Sub extends Base {
        long n;
        Sub(int i) {
            n = i;
            if (i > 1)
                i *= 2;
            super(i);
            n += i;
        }
    }
    public static Object run() { return new Sub(1).n + new Sub(2).n; }",
            r#"
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(value = LINE, line = -1)) public static void line(@Self Object self, int line) { println(line + " " + (self != null)); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(value = LINE, where = AFTER, line = 9)) public static void after(@Self Object self, int line) { println("after " + line + " " + (self != null)); }"#,
            &[
                "6 false",
                "7 false",
                "9 false",
                "after 9 true",
                "10 true",
                "11 true",
                "6 false",
                "7 false",
                "8 false",
                "9 false",
                "after 9 true",
                "10 true",
                "11 true",
            ],
        ),
        situation(
            "PatternSwitches",
            r#"
    sealed interface S permits A, B {} record A(int n) implements S {} record B(String s, S in) implements S {}
    static String m(Object o) { return switch (o) { case null -> "null"; case A(int n) when n > 3 -> "big" + n; case A a -> "a" + a.n(); case B(String s, A(var n)) -> s + n; case Integer i -> "i" + i; default -> o.toString(); }; }
    public static Object run() { return m(null) + m(new A(5)) + m(new A(1)) + m(new B("b", new A(2))) + m(7) + m("x"); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(RETURN)) public static void out(@Return String r, Object o) { println(r + " " + (o != null)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CHECKCAST)) public static void cast(String type) { println("cast " + type); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = CALL, where = AFTER, clazz = "/situation.*/")) public static void call(@TargetMethodOrField String m, @Return AnyType r, @Duration long d) { println(m + " " + (r instanceof Object)); }"#,
            &[
                "null false",
                "cast situation.PatternSwitches$A",
                "n true",
                "big5 true",
                "cast situation.PatternSwitches$A",
                "n true",
                "cast situation.PatternSwitches$A",
                "n true",
                "a1 true",
                "cast situation.PatternSwitches$B",
                "s true",
                "in true",
                "cast situation.PatternSwitches$A",
                "n true",
                "b2 true",
                "cast java.lang.Integer",
                "i7 true",
                "x true",
            ],
        ),
    ]
}
