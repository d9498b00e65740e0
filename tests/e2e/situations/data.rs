//! Fields, arrays, and what is made.

use super::{Situation, run, situation};

#[test]
fn handlers_at_fields_and_arrays_get_the_values() {
    run("data", fields().into_iter().chain(arrays()).chain(made()).collect());
}

fn fields() -> Vec<Situation> {
    vec![
        situation(
            "StaticFields",
            r#"
    static boolean z; static byte b; static char c; static short s; static int i; static long j; static float f; static double d; static String t;
    static void set(int v) { z = v > 0; b = (byte) (v + 255); c = (char) ('a' + v); s = (short) (v + 65535); i = v; j = (long) v << 40; f = v / 2f; d = v / 4.0; t = "t" + v; }
    static String get() { return "" + z + b + c + s + i + j + f + d + t; }
    public static Object run() { set(1); return get(); }"#,
            r#"
    @OnMethod(clazz = T, method = "set", location = @Location(value = FIELD_SET, clazz = T)) public static void set(@TargetInstance Object of, @TargetMethodOrField String name, AnyType v) { println("set " + of + " " + name + " " + ((Object) v).getClass().getSimpleName() + " " + str(v)); }
    @OnMethod(clazz = T, method = "get", location = @Location(value = FIELD_GET, where = AFTER, clazz = T)) public static void get(@TargetMethodOrField(fqn = true) String name, @Return AnyType v) { println("get " + name + " " + str(v)); }"#,
            &[
                "set null z Boolean true",
                "set null b Byte 0",
                "set null c Character b",
                "set null s Short 0",
                "set null i Integer 1",
                "set null j Long 1099511627776",
                "set null f Float 0.5",
                "set null d Double 0.25",
                "set null t String t1",
                "get boolean situation.StaticFields#z true",
                "get byte situation.StaticFields#b 0",
                "get char situation.StaticFields#c b",
                "get short situation.StaticFields#s 0",
                "get int situation.StaticFields#i 1",
                "get long situation.StaticFields#j 1099511627776",
                "get float situation.StaticFields#f 0.5",
                "get double situation.StaticFields#d 0.25",
                "get java.lang.String situation.StaticFields#t t1",
            ],
        ),
        situation(
            "InstanceFields",
            r#"
    long j; double d; Object o; byte b;
    double use() { j = 1; d = 2.5; o = "o"; b = (byte) j; return j + d + b + o.toString().length(); }
    public static Object run() { return new InstanceFields().use(); }"#,
            r#"
    @OnMethod(clazz = T, method = "use", location = @Location(value = FIELD_SET, clazz = T)) public static void before(@Self Object self, @TargetInstance Object of, @TargetMethodOrField String name, Object v) { println("set " + (self == of) + " " + name + " " + str(v)); }
    @OnMethod(clazz = T, method = "use", location = @Location(value = FIELD_SET, where = AFTER, clazz = T)) public static void after(@TargetInstance Object of, double v) { println("was set " + (of != null) + " " + v); }
    @OnMethod(clazz = T, method = "use", location = @Location(value = FIELD_GET, clazz = T)) public static void get(@TargetInstance Object of, @TargetMethodOrField String name) { println("get " + (of != null) + " " + name); }
    @OnMethod(clazz = T, method = "use", location = @Location(value = FIELD_GET, where = AFTER, clazz = T)) public static void got(@TargetInstance Object of, @Return long v) { println("got " + (of != null) + " " + v); }"#,
            &[
                "set true j 1",
                "set true d 2.5",
                "was set true 2.5",
                "set true o o",
                "get true j",
                "got true 1",
                "set true b 1",
                "get true j",
                "got true 1",
                "get true d",
                "get true b",
                "get true o",
            ],
        ),
        situation(
            "FieldsBeforeSuper",
            r#"
    static class Base { final String s; Base() { s = text(); } String text() { return "base"; } }
    Base in(final int n, final long k) { return new Base() { String text() { return "n" + n + k; } }; }
    public static Object run() { return new FieldsBeforeSuper().in(3, 4).s; }"#,
            r#"
    @OnMethod(clazz = T + "$1", method = "<init>", location = @Location(value = FIELD_SET)) public static void set(@Self Object self, @TargetInstance Object of, @TargetMethodOrField String name, AnyType v) { println(name + " " + self + " " + of + " " + (v instanceof Object)); }
    @OnMethod(clazz = T + "$1", method = "<init>", location = @Location(value = FIELD_SET, where = AFTER)) public static void after(long v) { println("long " + v); }"#,
            &["this$0 null null true", "val$n null null true", "val$k null null true", "long 4"],
        ),
        situation(
            "FieldsAfterSuper",
            r"
    final int a; long b = 5; static int made; double c;
    FieldsAfterSuper(int a) { this.a = a; made++; c = b * a; }
    public static Object run() { return new FieldsAfterSuper(2).c + made; }",
            r#"
    @OnMethod(clazz = T, method = "<init>", location = @Location(value = FIELD_SET)) public static void set(@Self Object self, @TargetInstance Object of, @TargetMethodOrField String name, AnyType v) { println(name + " " + (self != null) + " " + (of == self) + " " + str(v)); }
    @OnMethod(clazz = T, method = "<init>", location = @Location(value = FIELD_GET, where = AFTER)) public static void get(@TargetMethodOrField String name, @Return AnyType v) { println("get " + name + " " + str(v)); }"#,
            &["b true true 5", "a true true 2", "get made 0", "made true false 1", "get b 5", "c true true 10.0"],
        ),
        situation(
            "FieldFilters",
            r#"
    static int n; static String s; String t; static class In { static int n; }
    public static Object run() { n = 1; In.n = 2; s = "s"; FieldFilters f = new FieldFilters(); f.t = s; return n + In.n + f.t + Integer.MAX_VALUE + System.out.hashCode() * 0; }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = FIELD_SET, clazz = T, field = "n")) public static void n(int v) { println("n " + v); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = FIELD_SET, field = "/[a-z]/", type = "java.lang.String")) public static void text(@TargetMethodOrField String name, CharSequence v) { println(name + " " + v); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = FIELD_GET, clazz = "java.lang.System")) public static void system(@TargetMethodOrField(fqn = true) String name) { println(name); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = FIELD_SET), exactTypeMatch = true) public static void never(CharSequence v) { println("never"); }"#,
            &["n 1", "s s", "t s", "java.io.PrintStream java.lang.System#out"],
        ),
        situation(
            "CompoundFields",
            r#"
    static CompoundFields f = new CompoundFields(); CompoundFields next; long n = 1; int i; double d = 0.5; String s = "s";
    public static Object run() { f.next = f; f.next.n += 2 + f.i++; f.next.next.d *= 3; f.s += f.n; int k = f.i = ++f.next.i; return f.n + f.d + f.s + k + f.i; }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = FIELD_SET)) public static void set(@TargetInstance Object of, @TargetMethodOrField String name, AnyType v) { println(name + " " + (of != null) + (name.equals("next") ? "" : " " + str(v))); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = FIELD_GET, where = AFTER, field = "/[nd]/")) public static void get(@TargetInstance Object of, @TargetMethodOrField String name, @Return AnyType v) { println("get " + name + " " + (of != null) + " " + str(v)); }"#,
            &[
                "next true",
                "get n true 1",
                "i true 1",
                "n true 3",
                "get d true 0.5",
                "d true 1.5",
                "get n true 3",
                "s true s3",
                "i true 2",
                "i true 2",
                "get n true 3",
                "get d true 1.5",
            ],
        ),
        situation(
            "FieldOfNull",
            r"
    int n = 4; static int of(FieldOfNull f) { try { return f.n; } catch (NullPointerException e) { try { f.n = 1; } catch (NullPointerException again) { return -1; } return 0; } }
    public static Object run() { return of(null) + of(new FieldOfNull()); }",
            r#"
    @OnMethod(clazz = T, method = "of", location = @Location(value = FIELD_GET)) public static void get(@TargetInstance Object of) { println("get " + (of != null)); }
    @OnMethod(clazz = T, method = "of", location = @Location(value = FIELD_GET, where = AFTER)) public static void got(@TargetInstance Object of, @Return int v) { println("got " + v); }
    @OnMethod(clazz = T, method = "of", location = @Location(value = FIELD_SET)) public static void set(@TargetInstance Object of, int v) { println("set " + (of != null) + v); }
    @OnMethod(clazz = T, method = "of", location = @Location(value = FIELD_SET, where = AFTER)) public static void was(int v) { println("was set " + v); }"#,
            &["get false", "set false1", "get true", "got 4"],
        ),
        situation(
            "InheritedFields",
            r#"
    static class Base { int n = 3; static String s = "s"; } static class Sub extends Base { int own() { return n + super.n; } }
    public static Object run() { return new Sub().own() + Sub.s + new Sub().n; }"#,
            r#"
    @OnMethod(clazz = "/situation\\.InheritedFields.*/", method = "/own|run/", location = @Location(value = FIELD_GET)) public static void get(@ProbeMethodName String in, @TargetMethodOrField(fqn = true) String name, @TargetInstance Object of) { println(in + " " + name + " " + (of != null)); }"#,
            &[
                "own int situation.InheritedFields$Sub#n true",
                "own int situation.InheritedFields$Base#n true",
                "run java.lang.String situation.InheritedFields$Sub#s false",
                "run int situation.InheritedFields$Sub#n true",
            ],
        ),
    ]
}

fn arrays() -> Vec<Situation> {
    vec![
        situation(
            "EveryElement",
            r#"
    static String m(boolean[] z, byte[] b, char[] c, short[] s, int[] i, long[] j, float[] f, double[] d, String[] t) {
        z[0] = true; b[0] = (byte) 257; c[0] = 'c'; s[0] = (short) 65537; i[0] = 3; j[0] = 4; f[0] = 5.5f; d[0] = 6.5; t[0] = "t";
        return "" + z[0] + b[0] + c[0] + s[0] + i[0] + j[0] + f[0] + d[0] + t[0];
    }
    public static Object run() { return m(new boolean[1], new byte[1], new char[1], new short[1], new int[1], new long[1], new float[1], new double[1], new String[1]); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = ARRAY_SET)) public static void set(@TargetMethodOrField String type, int index, AnyType v) { println("set " + type + index + " " + str(v)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = ARRAY_GET, where = AFTER)) public static void get(@TargetMethodOrField String type, @TargetInstance Object array, @Return AnyType v) { println("get " + type + " " + array.getClass().getSimpleName() + " " + str(v)); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = ARRAY_GET, type = "short")) public static void shorts(short[] array, int index) { println("short " + array[index]); }"#,
            &[
                "set byte[]0 1",
                "set byte[]0 1",
                "set char[]0 c",
                "set short[]0 1",
                "set int[]0 3",
                "set long[]0 4",
                "set float[]0 5.5",
                "set double[]0 6.5",
                "set java.lang.Object[]0 t",
                "get byte[] boolean[] 1",
                "get byte[] byte[] 1",
                "get char[] char[] c",
                "short 1",
                "get short[] short[] 1",
                "get int[] int[] 3",
                "get long[] long[] 4",
                "get float[] float[] 5.5",
                "get double[] double[] 6.5",
                "get java.lang.Object[] String[] t",
            ],
        ),
        situation(
            "ManyDimensions",
            r#"
    public static Object run() { double[][] d = {{1.5}, {2.5, 3.5}}; d[1][0] += d[0][0]; String[][] s = new String[2][1]; s[1][0] = "x"; s[0] = s[1]; return d[1][0] + s[0][0]; }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = ARRAY_SET, type = "double[]")) public static void d(double[] a, int i, double v) { println("double " + a.length + " " + i + " " + v); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = ARRAY_SET, type = "java.lang.Object")) public static void o(@TargetInstance Object a, int i, Object v) { println(a.getClass().getSimpleName() + " " + i + " " + v.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = ARRAY_GET, where = AFTER, type = "java.lang.Object[]")) public static void got(int i, @Return Object v) { println("got " + i + " " + v.getClass().getSimpleName()); }"#,
            &[
                "double 1 0 1.5",
                "double[][] 0 double[]",
                "double 2 0 2.5",
                "double 2 1 3.5",
                "double[][] 1 double[]",
                "got 1 double[]",
                "got 0 double[]",
                "double 2 0 4.0",
                "got 1 String[]",
                "String[] 0 String",
                "got 1 String[]",
                "String[][] 0 String[]",
                "got 1 double[]",
                "got 0 String[]",
                "got 0 String",
            ],
        ),
        situation(
            "CompoundElements",
            r#"
    static int next(int[] i) { return i[0]++; }
    public static Object run() { long[] a = {1, 2, 3}; int[] i = {0}; a[next(i)] += a[next(i)] * 10; a[2]--; char[] c = "ab".toCharArray(); c[1] += 1; return a[0] + a[2] + "" + c[1] + i[0]; }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = ARRAY_GET, where = AFTER, type = "long[]")) public static void get(int i, @Return long v) { println("get " + i + " " + v); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = ARRAY_SET, where = AFTER, type = "long[]")) public static void set(long[] a, int i, long v) { println("set " + i + " " + (a[i] == v)); }
    @OnMethod(clazz = T, method = "next", location = @Location(value = ARRAY_SET)) public static void next(int i, int v) { println("next " + v); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = ARRAY_SET, type = "char")) public static void c(int i, char v) { println("char " + v); }"#,
            &[
                "set 0 true",
                "set 1 true",
                "set 2 true",
                "next 1",
                "get 0 1",
                "next 2",
                "get 1 2",
                "set 0 true",
                "get 2 3",
                "set 2 true",
                "char c",
                "get 0 21",
                "get 2 2",
            ],
        ),
        situation(
            "OutsideOfArrays",
            r#"
    static int get(int[] a, int i) { try { return a[i]; } catch (ArrayIndexOutOfBoundsException e) { return -1; } catch (NullPointerException e) { return -2; } }
    static String set(Object[] a, Object v) { try { a[0] = v; return "set"; } catch (ArrayStoreException e) { return "refused"; } }
    public static Object run() { return get(new int[1], 0) + get(new int[1], 1) + get(null, 2) + set(new String[1], 1) + set(new String[1], "s"); }"#,
            r#"
    @OnMethod(clazz = T, method = "get", location = @Location(value = ARRAY_GET)) public static void before(@TargetInstance int[] a, int i) { println("before " + (a != null) + i); }
    @OnMethod(clazz = T, method = "get", location = @Location(value = ARRAY_GET, where = AFTER)) public static void after(int i, @Return int v) { println("after " + i + " " + v); }
    @OnMethod(clazz = T, method = "set", location = @Location(value = ARRAY_SET)) public static void set(int i, Object v) { println("before " + str(v)); }
    @OnMethod(clazz = T, method = "set", location = @Location(value = ARRAY_SET, where = AFTER)) public static void was(int i, Object v) { println("after " + str(v)); }"#,
            &["before true0", "after 0 0", "before true1", "before false2", "before 1", "before s", "after s"],
        ),
    ]
}

fn made() -> Vec<Situation> {
    vec![
        situation(
            "Objects",
            r#"
    static class A { final int n; A(int n) { this.n = n; } A(long a, double b, A c) { this((int) (a + b + c.n)); } int n() { return n; } }
    public static Object run() { new A(0); A a = new A(1L, 2.5, new A(3)); return a.n() + new A(a.n).n() + new StringBuilder("s").append(new A(9).n).toString(); }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = NEW, clazz = "/situation.*/")) public static void before(String type) { println("before " + type); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = NEW, where = AFTER, clazz = T + "$A")) public static void after(@Return Object made, String type) { println("after " + made.getClass().getSimpleName()); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = NEW, where = AFTER, clazz = "java.lang.StringBuilder")) public static void text(@Return CharSequence made) { println("text " + made); }"#,
            &[
                "before situation.Objects$A",
                "after A",
                "before situation.Objects$A",
                "before situation.Objects$A",
                "after A",
                "after A",
                "text ",
                "before situation.Objects$A",
                "after A",
                "text s",
                "before situation.Objects$A",
                "after A",
            ],
        ),
        situation(
            "ObjectsOnBranches",
            r#"
    static class A { final Object o; A(Object o, long j) { this.o = o; } }
    static Object m(int i) { return new A(i > 0 ? new A("left", 1) : i < 0 ? "right" : null, i == 0 ? 2L : 3L).o; }
    public static Object run() { return ((A) m(1)).o + "" + m(-1) + m(0); }"#,
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = NEW, where = AFTER)) public static void after(@Return Object made, String type) { println("made " + (made != null)); }"#,
            &["made true", "made true", "made true", "made true"],
        ),
        situation(
            "ObjectsThatFail",
            r"
    static class A { A(int i) { if (i == 1) throw new IllegalStateException(); } }
    static int m(int i) { try { new A(i); return i; } catch (IllegalStateException e) { return -1; } }
    public static Object run() { return m(0) + m(1) + m(2); }",
            r#"
    @OnMethod(clazz = T, method = "m", location = @Location(value = NEW, clazz = T + "$A")) public static void before() { println("before"); }
    @OnMethod(clazz = T, method = "m", location = @Location(value = NEW, where = AFTER, clazz = T + "$A")) public static void after(@Return Object a) { println("after " + (a != null)); }"#,
            &["before", "after true", "before", "before", "after true"],
        ),
        situation(
            "ObjectsInConstructors",
            r#"
    static class Base { final Object o; Base(Object o, int n) { this.o = o; } }
    static class Sub extends Base { final Object p; Sub() { super(new ArrayList<String>(4), new int[] {1, 2}.length); p = new Object[] {new ArrayList<String>()}; } }
    public static Object run() { return new Sub().o + "" + ((Object[]) new Sub().p)[0]; }"#,
            r#"
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(value = NEW, where = AFTER)) public static void made(@Self Object self, @Return Collection<?> c, String type) { println(type + " " + (self != null) + " " + c.size()); }
    @OnMethod(clazz = T + "$Sub", method = "<init>", location = @Location(value = NEWARRAY, where = AFTER)) public static void array(@Self Object self, @Return Object a, String type, int n) { println(type + n + " " + (self != null) + " " + a.getClass().getSimpleName()); }"#,
            &[
                "java.util.ArrayList false 0",
                "int1 false int[]",
                "java.lang.Object1 true Object[]",
                "java.util.ArrayList true 0",
                "java.util.ArrayList false 0",
                "int1 false int[]",
                "java.lang.Object1 true Object[]",
                "java.util.ArrayList true 0",
            ],
        ),
        situation(
            "Arrays",
            r"
    static int[] negative(int n) { try { return new int[n]; } catch (NegativeArraySizeException e) { return new int[0]; } }
    public static Object run() { return new int[3].length + new String[2].length + new long[2][3].length + new byte[2][][].length + new int[] {1}.length + new boolean[1][1].length + negative(-1).length + new List<?>[4].length; }",
            r#"
    @OnMethod(clazz = T, method = "/run|negative/", location = @Location(value = NEWARRAY)) public static void before(String type, int dimensions) { println("before " + type + " " + dimensions); }
    @OnMethod(clazz = T, method = "/run|negative/", location = @Location(value = NEWARRAY, where = AFTER)) public static void after(@Return Object made) { println("after " + made.getClass().getSimpleName() + java.lang.reflect.Array.getLength(made)); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = NEWARRAY, where = AFTER, clazz = "int")) public static void ints(@Return int[] made) { println("ints " + made.length); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = NEWARRAY, where = AFTER, clazz = "/java\\..*/")) public static void objects(@Return Object[] made, String type, int n) { println("objects " + made.length + type + n); }"#,
            &[
                "before int 1",
                "after int[]3",
                "ints 3",
                "before java.lang.String 1",
                "after String[]2",
                "objects 2java.lang.String1",
                "before long 2",
                "after long[][]2",
                "before byte 3",
                "after byte[][][]2",
                "before int 1",
                "after int[]1",
                "ints 1",
                "before boolean 2",
                "after boolean[][]1",
                "before int 1",
                "before int 1",
                "after int[]0",
                "before java.util.List 1",
                "after List[]4",
                "objects 4java.util.List1",
            ],
        ),
        situation(
            "MadeByOthers",
            r#"
    interface I { Object get(); }
    static Object varargs(Object... o) { return o.length; }
    public static Object run() { I i = new I() { public Object get() { return "anonymous"; } }; Supplier<Object> s = Object::new; Integer boxed = 5; return i.get() + "" + varargs(1, "2") + (s.get() != null) + boxed; }"#,
            r#"
    @OnMethod(clazz = T, method = "run", location = @Location(value = NEW)) public static void before(String type) { println(type); }
    @OnMethod(clazz = T, method = "run", location = @Location(value = NEWARRAY)) public static void array(String type, int n) { println(type + n); }"#,
            &["situation.MadeByOthers$1", "java.lang.StringBuilder", "java.lang.Object1"],
        )
        .newer(),
    ]
}
