//! Sites in code that compilers do not make, in old classes, and in whole programs.

use crate::assemble::{Assembler, Body};
use crate::code;
use crate::harness::{Classes, Link, javac, weave_sites};
use crate::sites::{Everywhere, expect_classes};
use classfile::Error;
use classfile::weave::SiteKind as K;
use classfile::weave::{Call, Linkage, MethodInfo, Plan, Planner, Site, SiteKind, SitePlan, Skip, Source, weave};
use std::fmt::Write as _;

const PUBLIC_STATIC: u16 = 9;

/// Calls `H.f` with a few numbers and prints what comes back.
const DRIVER: &str = r#"
public class Driver {
    public static void main(String[] args) throws Exception {
        java.lang.reflect.Method f = Class.forName("H").getMethod("f", int.class);
        for (int n = -1; n < 3; n++) {
            try { System.out.println(f.invoke(null, n)); }
            catch (java.lang.reflect.InvocationTargetException e) { System.out.println(e.getCause()); }
        }
    }
}"#;

fn with_driver(class: Vec<u8>) -> Classes {
    let mut classes = javac(&[("Driver.java", DRIVER)], &["--release", "8"]);
    classes.insert("H".into(), class);
    classes
}

fn everywhere(ends: bool) -> Everywhere {
    Everywhere { kinds: SiteKind::ALL.to_vec(), only: Vec::new(), ends }
}

/// The lines that the program itself prints.
fn own(output: &str) -> Vec<&str> {
    output.lines().filter(|line| !line.starts_with('@')).collect()
}

/// Runs woven and not: the program's own lines must agree.
fn same(main: &str, classes: &Classes) {
    struct Nothing;
    impl Planner for Nothing {
        fn method(&mut self, _: &MethodInfo<'_>, _: &mut Plan) {}
    }
    let plain = weave_sites(classes, Link::Direct, &mut Nothing).run(main).unwrap();
    for link in [Link::Dynamic, Link::Direct] {
        if link == Link::Dynamic && classes.values().any(|bytes| bytes[7] < 51) {
            continue;
        }
        for ends in [false, true] {
            let program = weave_sites(classes, link, &mut everywhere(ends));
            program.expect_none_skipped();
            let output = program.run(main).unwrap_or_else(|e| panic!("{main} {link:?} {ends}: {e}"));
            assert_eq!(own(&output), own(&plain), "{main} {link:?} {ends}");
            assert!(output.contains("\n@after:Call:"), "{main} {link:?} {ends}: {output}");
        }
    }
}

#[test]
fn programs_do_the_same_with_every_site() {
    for (name, source, options) in [
        ("Flow", include_str!("java/programs/Flow.java"), &["-g"][..]),
        ("Types", include_str!("java/programs/Types.java"), &["--release", "8"]),
        ("Construction", include_str!("java/programs/Construction.java"), &["-g"]),
        ("Modern", include_str!("java/programs/Modern.java"), &["-g"]),
        ("Annotated", include_str!("java/programs/Annotated.java"), &["-g"]),
    ] {
        same(name, &javac(&[(&format!("{name}.java"), source)], options));
    }
}

/// What was woven once can be woven again, as when a second probe comes.
#[test]
fn woven_twice() {
    let classes = javac(&[("Construction.java", include_str!("java/programs/Construction.java"))], &["-g"]);
    let once = weave_sites(&classes, Link::Dynamic, &mut everywhere(true));
    same("Construction", &once.classes);
}

#[test]
fn old_classes_do_the_same_with_every_site() {
    let classes = javac(&[("Old.java", include_str!("java/programs/Old.java"))], &["--release", "8", "-g"]);
    for major in [46, 48, 49, 50] {
        let mut classes = classes.clone();
        for class in classes.values_mut() {
            *class = if major < 50 { crate::old::without_frames(class) } else { class.clone() };
            class[6..8].copy_from_slice(&u16::to_be_bytes(major));
        }
        same("Old", &classes);
    }
}

/// A handler that is also fallen into and jumped to: only exceptions are catches.
#[test]
fn a_handler_reached_otherwise() {
    let mut h = Assembler::new("H", 52);
    let exception = h.class("java/lang/ArithmeticException");
    let throwable = h.class("java/lang/Throwable");
    let [high, low] = throwable.to_be_bytes();
    h.method(Body {
        access: PUBLIC_STATIC,
        name: "f",
        descriptor: "(I)Ljava/lang/Object;",
        stack: 2,
        locals: 1,
        code: code![
            26_u8, 158_u8, 9_u16, // 0: iload_0, ifle 10
            8_u8, 26_u8, 108_u8, 87_u8, // 4: iconst_5, iload_0, idiv, pop
            1_u8, 176_u8, // 8: aconst_null, areturn
            8_u8, 26_u8, 108_u8, 87_u8, // 10: iconst_5, iload_0, idiv, pop
            1_u8,  // 14: aconst_null, and falls into 15
            89_u8, 199_u8, 6_u16, // 15: dup, ifnonnull 22
            87_u8, 1_u8,   // 19: pop, aconst_null
            176_u8, // 21: areturn
            176_u8  // 22: areturn
        ],
        handlers: vec![[4, 8, 15, exception], [10, 14, 15, exception], [10, 14, 15, 0]],
        // 10: same; 15: one of Throwable; 22: the same.
        frames: (3, vec![10, 64 + 4, 7, high, low, 64 + 6, 7, high, low]),
    });
    let expected = "@before:Catch: null java.lang.ArithmeticException
java.lang.ArithmeticException: / by zero";
    let classes = with_driver(h.build());
    expect_classes(&[SiteKind::Catch], &["f"], &classes, "Driver", &format!("null\n{expected}\nnull\nnull"));
    same("Driver", &classes);
}

/// Plans every site of some kinds in methods called `f` or `run`.
struct Fixed<F>(&'static [SiteKind], F);

impl<F: FnMut(&Site<'_>) -> SitePlan> Planner for Fixed<F> {
    fn method(&mut self, method: &MethodInfo<'_>, plan: &mut Plan) {
        if matches!(method.name, "f" | "run" | "<init>") {
            plan.sites = self.0.iter().copied().collect();
        }
    }

    fn site(&mut self, _: &MethodInfo<'_>, site: &Site<'_>) -> SitePlan {
        (self.1)(site)
    }
}

fn call(name: &str, parameters: Vec<Source>) -> Call {
    Call { name: name.into(), parameters }
}

/// An object of which nothing is left behind its constructor, one that never gets a constructor, and one with two on two paths.
#[test]
fn objects_made_in_other_ways() {
    let mut h = Assembler::new("H", 52);
    let list = h.class("java/util/ArrayList");
    let sized = h.member(10, "java/util/ArrayList", "<init>", "(I)V");
    let plain = h.member(10, "java/util/ArrayList", "<init>", "()V");
    let [high, low] = list.to_be_bytes();
    h.method(Body {
        access: PUBLIC_STATIC,
        name: "f",
        descriptor: "(I)Ljava/lang/Object;",
        stack: 3,
        locals: 1,
        code: code![
            187_u8, list, 26_u8, 183_u8, sized, // 0: new, iload_0, invokespecial
            187_u8, list, 87_u8, // 7: new, pop
            187_u8, list, 89_u8, // 11: new, dup
            26_u8, 153_u8, 10_u16, // 15: iload_0, ifeq 26
            8_u8, 183_u8, sized, // 19: iconst_5, invokespecial
            167_u8, 6_u16, // 23: goto 29
            183_u8, plain,  // 26: invokespecial
            176_u8  // 29: areturn
        ],
        frames: (2, vec![255, 0, 26, 0, 1, 1, 0, 2, 8, 0, 11, 8, 0, 11, 64 + 2, 7, high, low]),
        ..Body::default()
    });
    let classes = with_driver(h.build());
    for link in [Link::Dynamic, Link::Direct] {
        // Calls too, as they share their place with what runs after the constructor.
        let mut planner = Fixed(&[SiteKind::New, SiteKind::Call], |site: &Site<'_>| {
            if site.kind == SiteKind::New {
                let made = ["made", "again"].map(|name| call(name, vec![Source::Result]));
                return SitePlan { before: vec![call("new", vec![])], after: made.into() };
            }
            let operands: Vec<_> = (0..crate::sites::operands(site)).map(Source::Operand).collect();
            SitePlan { before: vec![], after: vec![call("called", operands)] }
        });
        let program = weave_sites(&classes, link, &mut planner);
        let skipped: Vec<_> = program.woven.iter().flat_map(|(_, woven)| &woven.skipped_sites).collect();
        assert_eq!(skipped.len(), 1, "{skipped:?}");
        assert_eq!((skipped[0].offset, skipped[0].kind, &skipped[0].reason), (7, SiteKind::New, &Skip::NotConstructed));
        assert_eq!(skipped[0].method, "f(I)Ljava/lang/Object;");
        let output = program.run("Driver").unwrap();
        let made = "@made java.util.ArrayList\n@again java.util.ArrayList\n";
        let mut expected = String::from("@new\njava.lang.IllegalArgumentException: Illegal Capacity: -1\n");
        for n in 0..3 {
            let second = if n == 0 { "@called\n" } else { "@called Integer:5\n" };
            write!(expected, "@new\n@called Integer:{n}\n{made}@new\n{second}{made}[]\n").unwrap();
        }
        assert_eq!(output, expected, "{link:?}");
    }
}

/// The value is cut to what the instruction stores.
#[test]
fn values_with_more_bits_than_their_type() {
    let mut h = Assembler::new("H", 52);
    h.field(9, "c", "C");
    h.field(9, "z", "Z");
    let (c, z) = (h.member(9, "H", "c", "C"), h.member(9, "H", "z", "Z"));
    h.method(Body {
        access: PUBLIC_STATIC,
        name: "f",
        descriptor: "(I)I",
        stack: 3,
        locals: 1,
        code: code![
            26_u8, 179_u8, c, // iload_0, putstatic c
            5_u8, 179_u8, z, // iconst_2, putstatic z
            4_u8, 188_u8, 8_u8, 3_u8, 17_u8, 0x0141_u16, 84_u8, // new byte[1], iconst_0, sipush 0x141, bastore
            178_u8, c, 172_u8
        ],
        ..Body::default()
    });
    let classes = with_driver(h.build());
    let mut planner = Fixed(&[SiteKind::FieldSet, SiteKind::ArraySet], |site: &Site<'_>| {
        let value = u16::from(site.kind == SiteKind::ArraySet);
        SitePlan { before: vec![call("set", vec![Source::Operand(value)])], after: vec![] }
    });
    let program = weave_sites(&classes, Link::Direct, &mut planner);
    let output = program.run("Driver").unwrap();
    let first = "@set Character:\u{FFFF}\n@set Boolean:false\n@set Byte:65\n65535\n";
    let second = "@set Character:\0\n@set Boolean:false\n@set Byte:65\n0\n";
    // The character is none that every console can show.
    let output = output.replace("Character:?", "Character:\u{FFFF}");
    assert!(output.starts_with(&format!("{first}{second}")), "{output}");
}

/// `finally` as a subroutine.
#[test]
fn sites_around_subroutines() {
    for major in [46, 49] {
        let mut h = Assembler::new("H", major);
        let abs = h.member(10, "java/lang/Math", "abs", "(I)I");
        h.method(Body {
            access: PUBLIC_STATIC,
            name: "f",
            descriptor: "(I)I",
            stack: 2,
            locals: 4,
            code: code![
                3_u8, 60_u8, // 0: iconst_0, istore_1
                6_u8, 26_u8, 108_u8, 60_u8, // 2: iconst_3, iload_0, idiv, istore_1
                168_u8, 11_u16, // 6: jsr 17
                27_u8, 172_u8, // 9: iload_1, ireturn
                77_u8,  // 11: astore_2
                168_u8, 5_u16, // 12: jsr 17
                44_u8, 191_u8, // 15: aload_2, athrow
                78_u8,  // 17: astore_3
                27_u8, 184_u8, abs, 60_u8, // 18: iload_1, abs, istore_1
                169_u8, 3_u8 // 23: ret 3
            ],
            handlers: vec![[2, 6, 11, 0]],
            ..Body::default()
        });
        same("Driver", &with_driver(h.build()));
    }
}

/// A handler of a probe that throws inside the compiler's self-covering handler must not be called for ever.
#[test]
fn a_throwing_catch_handler_does_not_loop() {
    let source = r#"
public class T {
    static void run(Object lock) { synchronized (lock) { throw new IllegalStateException(); } }
    public static void main(String[] args) {
        try { run("lock"); } catch (Throwable e) { System.out.println(e.getClass().getName()); }
    }
}"#;
    let classes = javac(&[("T.java", source)], &[]);
    for link in [Link::Dynamic, Link::Direct] {
        let mut planner = Fixed(&[SiteKind::Catch], |_: &Site<'_>| SitePlan {
            // `Rt` reads a number behind the mark, so this one throws.
            before: vec![call("bad#x", vec![Source::Target])],
            after: vec![],
        });
        let output = weave_sites(&classes, link, &mut planner).run("T").unwrap();
        // The handler's own exception leaves the method at once, past the code that would unlock, of which the JVM complains.
        assert_eq!(output, "java.lang.IllegalMonitorStateException\n");
    }
}

#[test]
fn several_calls_keep_their_order_and_see_arguments_and_time() {
    let source = "
public class T {
    static int half(int n) { return n / 2; }
    static void run(int a, String b) { a = half(a); b = null; a = half(a); }
    public static void main(String[] args) { run(8, \"b\"); }
}";
    let classes = javac(&[("T.java", source)], &["-g"]);
    for link in [Link::Dynamic, Link::Direct] {
        let mut lines = Vec::new();
        let mut planner = Fixed(&[SiteKind::Call], |site: &Site<'_>| {
            if site.name != "half" {
                return SitePlan::default();
            }
            lines.push((site.class.to_owned(), site.name.to_owned(), site.is_static, site.line));
            SitePlan {
                before: vec![
                    call("one", vec![Source::Argument(0), Source::Argument(1), Source::Operand(0)]),
                    call("two", vec![Source::Text("t".into()), Source::Null]),
                ],
                after: vec![
                    call("three#0", vec![Source::Duration, Source::Result]),
                    call("four", vec![Source::Argument(0)]),
                ],
            }
        });
        let program = weave_sites(&classes, link, &mut planner);
        let output = program.run("T").unwrap();
        let round = |n: i32| {
            format!(
                "@one Integer:8 \"b\" Integer:{n}\n@two \"t\" null\n@three <ns> Integer:{}\n@four Integer:8\n",
                n / 2
            )
        };
        assert_eq!(output, round(8) + &round(4), "{link:?}");
        let expected = ("T".to_owned(), "half".to_owned(), true, 4);
        assert_eq!(lines, [expected.clone(), expected]);
    }
}

#[test]
fn wide_variables_and_calls_with_many_operands() {
    let list = |n: usize, what: fn(usize) -> String| (0..n).map(what).collect::<Vec<_>>().join(", ");
    let mut source = String::from("public class T {\n");
    writeln!(source, "  static long most({}) {{ return p126; }}", list(127, |i| format!("long p{i}"))).unwrap();
    writeln!(source, "  static void run(int n) {{").unwrap();
    for i in 0..300 {
        writeln!(source, "    long v{i} = n + {i};").unwrap();
    }
    writeln!(source, "    System.out.println(most({}));", list(127, |i| format!("v{}", i + 100))).unwrap();
    source += "    for (int i = 0; i < 2; i++) { n++; }\n  }\n";
    source += "  public static void main(String[] args) { run(1); }\n}";
    let classes = javac(&[("T.java", &source)], &["-g"]);
    for link in [Link::Dynamic, Link::Direct] {
        let mut planner = Everywhere { kinds: SiteKind::ALL.to_vec(), only: vec!["run"], ends: true };
        let program = weave_sites(&classes, link, &mut planner);
        let output = program.run("T").unwrap();
        let woven = &program.woven[0].1;
        if link == Link::Dynamic {
            // The site passes 254 slots and two references; the rest of the method is woven all the same.
            assert!(matches!(woven.skipped_sites[0].reason, Skip::CallTooLarge { slots: 256, .. }), "{woven:?}");
            assert_eq!(woven.skipped_sites.len(), 1);
            assert!(output.contains("@after:Call:println null "), "{output}");
        } else {
            assert_eq!(woven.skipped_sites, []);
            assert!(output.contains(" Long:226 Long:227 Long:227\n"), "{output}");
        }
        assert!(output.contains("\n227\n"), "{output}");
    }
}

/// Too long for its sites: left alone with one message, the rest of the class woven.
#[test]
fn methods_near_the_limit_are_left_alone() {
    let mut source = String::from("public class T {\n  static int run(int x) { ");
    source += &"x++; ".repeat(21_830);
    source += "f(x); return x; }\n  static int f(int x) { return Math.abs(x); }\n";
    source += "  public static void main(String[] a) { System.out.println(run(0)); }\n}";
    let classes = javac(&[("T.java", &source)], &[]);
    let program = weave_sites(&classes, Link::Direct, &mut everywhere(false));
    let woven = &program.woven[0].1;
    assert_eq!(woven.skipped.len(), 1);
    assert!(matches!(woven.skipped[0], (ref f, Skip::CodeTooLarge { .. }) if f == "run(I)I"), "{:?}", woven.skipped);
    let output = program.run("T").unwrap();
    assert!(output.contains("@after:Call:abs null null Integer:21830 Integer:21830\n"), "{output}");
    assert!(output.contains("\n21830\n"), "{output}");
}

/// Jumps over so much code that they no longer reach, forwards and backwards, with frames and without.
#[test]
fn far_jumps_take_their_long_form_or_a_step() {
    let mut source = String::from("public class T {\n  static int run(int x) {\n    int[] seen = {0};\n");
    source += "    if (x == 5) { return 5; }\n    while (x > 0) {\n      seen[0]++;\n      x = Math.abs(x) - 20000; ";
    source += &"x++; ".repeat(10_870);
    source += "\n      if (seen[0] == 3) { return -x; }\n    }\n    return x;\n  }\n";
    source +=
        "  public static void main(String[] a) { for (int x = -1; x < 8; x += 3) { System.out.println(run(x)); } }\n}";
    let compiled = javac(&[("T.java", &source)], &["--release", "8"]);
    let wide = |class: &[u8]| {
        let class = classfile::ClassFile::parse(class).unwrap();
        let run = class.methods().find(|m| m.name == b"run").unwrap();
        let code = classfile::bytecode::Bytecode::of(&run).unwrap().unwrap();
        code.instructions().filter(|i| i.as_ref().unwrap().op == classfile::bytecode::Op::Jump).count()
    };
    for major in [49, 52] {
        let mut classes = compiled.clone();
        for class in classes.values_mut().filter(|_| major < 50) {
            *class = crate::old::without_frames(class);
            class[6..8].copy_from_slice(&u16::to_be_bytes(major));
        }
        same("T", &classes);
        let program = weave_sites(&classes, Link::Direct, &mut everywhere(true));
        assert!(wide(&program.classes["T"]) > wide(&classes["T"]), "no jump took a step");
    }
}

#[test]
fn what_a_site_does_not_have_is_refused() {
    let source = "
public class T {
    int n;
    void run(Object o) { try { n = o.hashCode(); throw new Error(); } catch (Error e) { synchronized (o) { } } }
}";
    let classes = javac(&[("T.java", source)], &[]);
    let refuse = |kind: SiteKind, after: bool, source: Source| {
        let kinds: &'static [SiteKind] = Vec::leak(vec![kind]);
        let mut planner = Fixed(kinds, |_: &Site<'_>| {
            let calls = vec![call("c", vec![source.clone()])];
            if after { SitePlan { before: vec![], after: calls } } else { SitePlan { before: calls, after: vec![] } }
        });
        let linkage = Linkage::Dynamic { class: "rt/Rt", method: "bootstrap" };
        weave(&classes["T"], linkage, &mut planner).map(|woven| woven.methods.len())
    };
    let message = |kind, after, source| refuse(kind, after, source).unwrap_err().to_string();
    assert_eq!(
        message(K::Call, false, Source::Result),
        "`<init>()V`: Result cannot be passed before a call of `<init>`"
    );
    assert_eq!(
        message(K::FieldSet, true, Source::Result),
        "`run(Ljava/lang/Object;)V`: Result cannot be passed after a field write of `n`"
    );
    assert_eq!(
        message(K::FieldSet, false, Source::Operand(1)),
        "`run(Ljava/lang/Object;)V`: Operand(1) cannot be passed before a field write of `n`"
    );
    for (kind, after, source) in [
        (K::Call, false, Source::Duration),
        (K::FieldSet, true, Source::Duration),
        (K::Line, false, Source::Operand(0)),
        (K::Throw, false, Source::Thrown),
        (K::Catch, false, Source::Return),
        (K::New, false, Source::Result),
        (K::SyncExit, true, Source::Result),
    ] {
        let error = refuse(kind, after, source.clone()).unwrap_err();
        assert!(matches!(error, Error::Value { .. }), "{kind} {source:?}: {error}");
    }
    for kind in [K::Throw, K::Catch] {
        let error = refuse(kind, true, Source::Target).unwrap_err();
        assert!(matches!(error, Error::NoAfter { .. }), "{kind}: {error}");
    }
    assert_eq!(refuse(K::SyncExit, true, Source::Target), Ok(1));
    for source in [Source::Target, Source::Operand(0), Source::Result] {
        let mut plan = |m: &MethodInfo<'_>| {
            (m.name == "run").then(|| Plan { returns: vec![call("c", vec![source.clone()])], ..Plan::default() })
        };
        let linkage = Linkage::Dynamic { class: "rt/Rt", method: "bootstrap" };
        let error = weave(&classes["T"], linkage, &mut classfile::weave::methods(&mut plan)).unwrap_err();
        assert!(matches!(error, Error::Value { ref place, .. } if place == "at a return"), "{error}");
    }
}
