//! What is reported at instructions, to the letter.

use crate::harness::{Classes, Link, everything, javac, weave_sites};
pub(crate) use crate::planners::{all_of, operands};
use classfile::weave::{Call, MethodInfo, Plan, Planner, Site, SiteKind, SitePlan};

/// Asks at every site of some kinds for everything that can be had there.
pub(crate) struct Everywhere {
    pub(crate) kinds: Vec<SiteKind>,
    /// Names of the methods; all if empty.
    pub(crate) only: Vec<&'static str>,
    /// Whether entries and exits are reported too.
    pub(crate) ends: bool,
}

impl Planner for Everywhere {
    fn method(&mut self, method: &MethodInfo<'_>, plan: &mut Plan) {
        let wanted = self.only.is_empty() || self.only.contains(&method.name);
        if wanted && method.member.attribute("Code").is_some() {
            if self.ends {
                *plan = everything(method);
            }
            plan.sites = self.kinds.iter().copied().collect();
        }
    }

    fn site(&mut self, _: &MethodInfo<'_>, site: &Site<'_>) -> SitePlan {
        let (before, after) = all_of(site);
        let name = site.name.replace(['<', '>'], "_");
        let line = if site.kind == SiteKind::Line { site.line.to_string() } else { String::new() };
        let call =
            |at: &str, parameters| Call { name: format!("{at}:{:?}:{name}{line}", site.kind).into(), parameters };
        SitePlan {
            before: vec![call("before", before)],
            after: if site.kind.has_after() { vec![call("after", after)] } else { Vec::new() },
        }
    }
}

/// Weaves some kinds of site in the methods named, runs under both linkages, and compares the output.
pub(crate) fn expect(kinds: &[SiteKind], only: &[&'static str], source: &str, expected: &str) {
    let classes = javac(&[("T.java", source)], &["-g"]);
    expect_classes(kinds, only, &classes, "T", expected);
}

pub(crate) fn expect_classes(kinds: &[SiteKind], only: &[&'static str], classes: &Classes, main: &str, expected: &str) {
    for link in [Link::Dynamic, Link::Direct] {
        let mut planner = Everywhere { kinds: kinds.to_vec(), only: only.to_vec(), ends: false };
        let program = weave_sites(classes, link, &mut planner);
        program.expect_none_skipped();
        let output = program.run(main).unwrap_or_else(|e| panic!("{link:?}: {e}"));
        let lines = |text: &str| text.trim().lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&output), lines(expected), "{link:?}\n{output}");
    }
}

#[test]
fn calls_of_every_shape() {
    expect(
        &[SiteKind::Call],
        &["run"],
        r#"
public class T {
    interface I { default double twice(double d) { return 2 * d; } }
    static class Base { String name(Object o) { return "base " + o; } }
    static class Sub extends Base implements I {
        String name(Object o) { return run(o); }
        String run(Object o) { return super.name(o); }
    }
    static long add(int a, long b, byte c, double d, String s, float f) { return a + b + c + (long) d; }
    static void nothing() {}
    static int fail(int n) { throw new IllegalStateException("no"); }
    static void run() {
        add(1, 2L, (byte) 3, 4.5, "five", 6f);
        nothing();
        I i = new Sub();
        i.twice(1.5);
        try { fail(7); } catch (IllegalStateException e) { nothing(); }
    }
    public static void main(String[] args) {
        run();
        System.out.println(new Sub().name("x"));
    }
}"#,
        r#"
@before:Call:add null null Integer:1 Long:2 Byte:3 Double:4.5 "five" Float:6.0
@after:Call:add null null Integer:1 Long:2 Byte:3 Double:4.5 "five" Float:6.0 Long:10
@before:Call:nothing null null
@after:Call:nothing null null null
@before:Call:_init_ null null
@after:Call:_init_ null null null
@before:Call:twice null T$Sub Double:1.5
@after:Call:twice null T$Sub Double:1.5 Double:3.0
@before:Call:fail null null Integer:7
@before:Call:nothing null null
@after:Call:nothing null null null
@before:Call:name T$Sub T$Sub "x"
@after:Call:name T$Sub T$Sub "x" "base x"
base x"#,
    );
}

#[test]
fn fields_of_every_shape() {
    expect(
        &[SiteKind::FieldGet, SiteKind::FieldSet],
        &["run", "<init>"],
        r#"
public class T {
    static long count = 5;
    double d; boolean flag; char c; Object o;
    class Inner { int n; Inner(int n) { this.n = n; } }
    void run() {
        d = 2.5;
        d *= 2;
        count++;
        flag = !flag;
        c += 1;
        o = this;
        o = null;
    }
    public static void main(String[] args) {
        T t = new T();
        t.run();
        t.new Inner(3);
        System.out.println(t.d + " " + count + " " + t.flag);
    }
}"#,
        r"
@before:FieldSet:d T T Double:2.5
@after:FieldSet:d T T Double:2.5
@before:FieldGet:d T T
@after:FieldGet:d T T Double:2.5
@before:FieldSet:d T T Double:5.0
@after:FieldSet:d T T Double:5.0
@before:FieldGet:count T null
@after:FieldGet:count T null Long:5
@before:FieldSet:count T null Long:6
@after:FieldSet:count T null Long:6
@before:FieldGet:flag T T
@after:FieldGet:flag T T Boolean:false
@before:FieldSet:flag T T Boolean:true
@after:FieldSet:flag T T Boolean:true
@before:FieldGet:c T T
@after:FieldGet:c T T Character:
@before:FieldSet:c T T Character:
@after:FieldSet:c T T Character:
@before:FieldSet:o T T T
@after:FieldSet:o T T T
@before:FieldSet:o T T null
@after:FieldSet:o T T null
@before:FieldSet:this$0 null null T
@after:FieldSet:this$0 null null T
@before:FieldSet:n T$Inner T$Inner Integer:3
@after:FieldSet:n T$Inner T$Inner Integer:3
5.0 6 true"
            .replace("Get:c T T Character:\n", "Get:c T T Character:\0\n")
            .replace("Set:c T T Character:\n", "Set:c T T Character:\u{1}\n")
            .as_str(),
    );
}

#[test]
fn arrays_of_every_element() {
    expect(
        &[SiteKind::ArrayGet, SiteKind::ArraySet, SiteKind::NewArray],
        &["run"],
        r#"
public class T {
    static void run(int n) {
        long[] j = new long[n];
        j[1] = 7L;
        j[0] += j[1];
        boolean[] z = {true};
        z[0] = !z[0];
        byte[] b = new byte[1];
        b[0]--;
        char[] c = {'x'};
        short[] s = {3};
        float[] f = {1.5f};
        double[] d = {2.5};
        Object[] o = {null, "o"};
        o[0] = o[1];
        int[][] i = new int[2][3];
        i[1][2] = 9;
        try { j[n] = 1; } catch (ArrayIndexOutOfBoundsException e) { }
        try { o = new Object[-1]; } catch (NegativeArraySizeException e) { }
    }
    public static void main(String[] args) { run(2); }
}"#,
        r#"
@before:NewArray: null null Integer:2
@after:NewArray: null null Integer:2 [J
@before:ArraySet: null [J Integer:1 Long:7
@after:ArraySet: null [J Integer:1 Long:7
@before:ArrayGet: null [J Integer:0
@after:ArrayGet: null [J Integer:0 Long:0
@before:ArrayGet: null [J Integer:1
@after:ArrayGet: null [J Integer:1 Long:7
@before:ArraySet: null [J Integer:0 Long:7
@after:ArraySet: null [J Integer:0 Long:7
@before:NewArray: null null Integer:1
@after:NewArray: null null Integer:1 [Z
@before:ArraySet: null [Z Integer:0 Byte:1
@after:ArraySet: null [Z Integer:0 Byte:1
@before:ArrayGet: null [Z Integer:0
@after:ArrayGet: null [Z Integer:0 Byte:1
@before:ArraySet: null [Z Integer:0 Byte:0
@after:ArraySet: null [Z Integer:0 Byte:0
@before:NewArray: null null Integer:1
@after:NewArray: null null Integer:1 [B
@before:ArrayGet: null [B Integer:0
@after:ArrayGet: null [B Integer:0 Byte:0
@before:ArraySet: null [B Integer:0 Byte:-1
@after:ArraySet: null [B Integer:0 Byte:-1
@before:NewArray: null null Integer:1
@after:NewArray: null null Integer:1 [C
@before:ArraySet: null [C Integer:0 Character:x
@after:ArraySet: null [C Integer:0 Character:x
@before:NewArray: null null Integer:1
@after:NewArray: null null Integer:1 [S
@before:ArraySet: null [S Integer:0 Short:3
@after:ArraySet: null [S Integer:0 Short:3
@before:NewArray: null null Integer:1
@after:NewArray: null null Integer:1 [F
@before:ArraySet: null [F Integer:0 Float:1.5
@after:ArraySet: null [F Integer:0 Float:1.5
@before:NewArray: null null Integer:1
@after:NewArray: null null Integer:1 [D
@before:ArraySet: null [D Integer:0 Double:2.5
@after:ArraySet: null [D Integer:0 Double:2.5
@before:NewArray: null null Integer:2
@after:NewArray: null null Integer:2 [Ljava.lang.Object;
@before:ArraySet: null [Ljava.lang.Object; Integer:0 null
@after:ArraySet: null [Ljava.lang.Object; Integer:0 null
@before:ArraySet: null [Ljava.lang.Object; Integer:1 "o"
@after:ArraySet: null [Ljava.lang.Object; Integer:1 "o"
@before:ArrayGet: null [Ljava.lang.Object; Integer:1
@after:ArrayGet: null [Ljava.lang.Object; Integer:1 "o"
@before:ArraySet: null [Ljava.lang.Object; Integer:0 "o"
@after:ArraySet: null [Ljava.lang.Object; Integer:0 "o"
@before:NewArray: null null Integer:2
@after:NewArray: null null Integer:2 [[I
@before:ArrayGet: null [[I Integer:1
@after:ArrayGet: null [[I Integer:1 [I
@before:ArraySet: null [I Integer:2 Integer:9
@after:ArraySet: null [I Integer:2 Integer:9
@before:ArraySet: null [J Integer:2 Long:1
@before:NewArray: null null Integer:-1"#,
    );
}

#[test]
fn types_and_exceptions() {
    expect(
        &[SiteKind::CheckCast, SiteKind::InstanceOf, SiteKind::Throw, SiteKind::Catch],
        &["run"],
        r#"
public class T {
    static void run(Object o) {
        try {
            if (o instanceof Integer) { System.out.println((Integer) o + 1); }
            String s = (String) o;
            throw new IllegalStateException(s);
        } catch (IllegalStateException | ClassCastException e) {
            System.out.println("caught");
        } finally {
            System.out.println("finally");
        }
    }
    public static void main(String[] args) {
        run("text");
        run(1);
        run(null);
    }
}"#,
        r#"
@before:InstanceOf: null "text"
@after:InstanceOf: null "text" Boolean:false
@before:CheckCast: null "text"
@after:CheckCast: null "text" "text"
@before:Throw: null java.lang.IllegalStateException
@before:Catch: null java.lang.IllegalStateException
caught
finally
@before:InstanceOf: null Integer:1
@after:InstanceOf: null Integer:1 Boolean:true
@before:CheckCast: null Integer:1
@after:CheckCast: null Integer:1 Integer:1
2
@before:CheckCast: null Integer:1
@before:Catch: null java.lang.ClassCastException
caught
finally
@before:InstanceOf: null null
@after:InstanceOf: null null Boolean:false
@before:CheckCast: null null
@after:CheckCast: null null null
@before:Throw: null java.lang.IllegalStateException
@before:Catch: null java.lang.IllegalStateException
caught
finally"#,
    );
}

#[test]
fn locks() {
    expect(
        &[SiteKind::SyncEntry, SiteKind::SyncExit],
        &["block", "method", "fixed", "fail"],
        r#"
public class T {
    static int block(Object lock) { synchronized (lock) { return lock.hashCode(); } }
    synchronized int method(int n) { n = n + 1; return n; }
    static synchronized void fixed() { System.out.println(Thread.holdsLock(T.class)); }
    synchronized void fail() { throw new IllegalStateException(); }
    public static void main(String[] args) {
        block("lock");
        try { block(null); } catch (NullPointerException e) { }
        new T().method(1);
        fixed();
        try { new T().fail(); } catch (IllegalStateException e) { System.out.println("left"); }
    }
}"#,
        r#"
@before:SyncEntry: null "lock"
@after:SyncEntry: null "lock"
@before:SyncExit: null "lock"
@after:SyncExit: null "lock"
@before:SyncEntry: null null
@before:SyncEntry: T T
@after:SyncEntry: T T
@before:SyncExit: T T
@after:SyncExit: T T
@before:SyncEntry: null java.lang.Class
@after:SyncEntry: null java.lang.Class
true
@before:SyncExit: null java.lang.Class
@after:SyncExit: null java.lang.Class
@before:SyncEntry: T T
@after:SyncEntry: T T
@before:SyncExit: T T
@after:SyncExit: T T
left"#,
    );
}

#[test]
fn objects_made() {
    expect(
        &[SiteKind::New],
        &["run", "<init>"],
        r#"
public class T extends java.util.ArrayList<Object> {
    final Object held;
    T(boolean b, Object o) { super(new java.util.HashSet<>(b ? 1 : 2)); held = new StringBuilder("a").append(o); }
    static void run(int n) {
        Object o = n > 0 ? new String(new char[] {'x', (char) n}, 0, n > 5 ? 2 : 1) : new Object();
        try { new java.util.ArrayList<Object>(-n); } catch (IllegalArgumentException e) { }
    }
    public static void main(String[] args) {
        run(1);
        run(0);
        new T(true, "o");
    }
}"#,
        r#"
@before:New: null null
@after:New: null null "x"
@before:New: null null
@before:New: null null
@after:New: null null java.lang.Object
@before:New: null null
@after:New: null null java.util.ArrayList
@before:New: null null
@after:New: null null java.util.HashSet
@before:New: T null
@after:New: T null java.lang.StringBuilder"#,
    );
}

#[test]
fn lines_of_code() {
    expect(
        &[SiteKind::Line],
        &["run"],
        "public class T {
    static int run(int n) {
        int sum = 0;
        while (n > 0) {
            sum += n;
            n--;
        }
        return sum;
    }
    public static void main(String[] args) { System.out.println(run(2)); }
}",
        "@before:Line:3 null null
@after:Line:3 null null
@before:Line:4 null null
@after:Line:4 null null
@before:Line:5 null null
@after:Line:5 null null
@before:Line:6 null null
@before:Line:4 null null
@after:Line:4 null null
@before:Line:5 null null
@after:Line:5 null null
@before:Line:6 null null
@before:Line:4 null null
@before:Line:8 null null
3",
    );
}
