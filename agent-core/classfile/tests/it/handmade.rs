//! Code that compilers do not make, or no longer do.

use crate::assemble::{Assembler, Body};
use crate::code;
use crate::harness::{Classes, Link, everything, javac, weave_all};
use crate::programs::same;
use classfile::weave::{Call, Linkage, Plan, Skip, Source, methods, weave};

const PUBLIC_STATIC: u16 = 9;

/// Calls `H.f` with a few numbers and prints what comes back.
const DRIVER: &str = r#"
public class Driver {
    public static void main(String[] args) throws Exception {
        java.lang.reflect.Method f = Class.forName("H").getMethod("f", int.class);
        for (int n = -2; n < 4; n++) {
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

/// Runs a class of one method `static int f(int)` woven and not.
fn run_function(major: u16, body: impl FnOnce(&mut Assembler) -> Body<'static>) {
    let mut h = Assembler::new("H", major);
    let body = body(&mut h);
    h.method(body);
    same("Driver", &with_driver(h.build()), &[]);
}

fn function(stack: u16, locals: u16, code: Vec<u8>) -> Body<'static> {
    Body { access: PUBLIC_STATIC, name: "f", descriptor: "(I)I", stack, locals, code, ..Body::default() }
}

/// `finally` as a subroutine, entered on both ways out, the parameter reassigned in it.
#[test]
fn subroutines() {
    for major in [46, 48, 49] {
        run_function(major, |_| Body {
            handlers: vec![[2, 6, 11, 0]],
            ..function(
                2,
                4,
                code![
                    3_u8, 60_u8, // 0: iconst_0, istore_1
                    6_u8, 26_u8, 108_u8, 60_u8, // 2: iconst_3, iload_0, idiv, istore_1
                    168_u8, 11_u16, // 6: jsr 17
                    27_u8, 172_u8, // 9: iload_1, ireturn
                    77_u8,  // 11: astore_2
                    168_u8, 5_u16, // 12: jsr 17
                    44_u8, 191_u8, // 15: aload_2, athrow
                    78_u8,  // 17: astore_3
                    132_u8, 0_u8, 5_u8, // 18: iinc 0 5
                    132_u8, 1_u8, 1_u8, // 21: iinc 1 1
                    169_u8, 3_u8 // 24: ret 3
                ],
            )
        });
    }
}

/// A jump to the very first instruction, which must not enter twice, with a frame there.
#[test]
fn a_loop_back_to_the_start() {
    run_function(52, |_| Body {
        frames: (1, vec![0]),
        ..function(1, 1, code![132_u8, 0_u8, 255_u8, 26_u8, 157_u8, 65_532_u16, 26_u8, 172_u8])
    });
}

/// Values may lie below the one returned.
#[test]
fn a_return_that_leaves_values_on_the_stack() {
    run_function(52, |_| function(5, 1, code![8_u8, 9_u8, 4_u8, 26_u8, 172_u8]));
}

/// A handler whose first instruction is the return itself, and long jumps to it.
#[test]
fn a_handler_that_is_a_return() {
    let mut h = Assembler::new("H", 52);
    let object = h.class("java/lang/Object");
    let value_of = h.member(10, "java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;");
    let [high, low] = object.to_be_bytes();
    h.method(Body {
        access: PUBLIC_STATIC,
        name: "f",
        descriptor: "(I)Ljava/lang/Object;",
        stack: 2,
        locals: 1,
        // 0: iconst_5; iload_0; idiv; invokestatic; goto_w 11; 11: areturn
        code: code![8_u8, 26_u8, 108_u8, 184_u8, value_of, 200_u8, 0_u16, 5_u16, 176_u8],
        handlers: vec![[0, 11, 11, 0]],
        frames: (1, vec![64 + 11, 7, high, low]),
    });
    same("Driver", &with_driver(h.build()), &[]);
}

/// Frames may forget variables that nothing writes; inserted code at a return still finds them.
#[test]
fn frames_that_forget_arguments() {
    let mut h = Assembler::new("H", 52);
    let sum = h.member(10, "H", "g", "(IJLjava/lang/Object;)I");
    h.method(Body { frames: (0, vec![]), ..function(4, 1, code![26_u8, 10_u8, 1_u8, 184_u8, sum, 172_u8]) });
    h.method(Body {
        access: PUBLIC_STATIC,
        name: "g",
        descriptor: "(IJLjava/lang/Object;)I",
        stack: 2,
        locals: 4,
        // 0: iload_0; ifle 9; iload_0; iinc 0 -1... 4: iinc 0 -1; 7: goto 0 … 10: iconst_3; iload_0; idiv; ireturn
        code: code![26_u8, 158_u8, 9_u16, 132_u8, 0_u8, 255_u8, 167_u8, 65_529_u16, 6_u8, 26_u8, 108_u8, 172_u8],
        // At 0 and at 10 only the counter is known.
        frames: (2, vec![255, 0, 0, 0, 1, 1, 0, 0, 255, 0, 9, 0, 1, 1, 0, 0]),
        ..Body::default()
    });
    same("Driver", &with_driver(h.build()), &[]);
}

/// A class with a constructor of `code`, and `f` that makes one and returns a field.
fn constructor(major: u16, locals: u16, code: impl FnOnce(&mut Assembler) -> (Vec<u8>, (u16, Vec<u8>))) -> Classes {
    let mut h = Assembler::new("H", major);
    h.field(1, "n", "I");
    let (code, frames) = code(&mut h);
    h.method(Body { access: 1, name: "<init>", descriptor: "(I)V", stack: 4, locals, code, frames, ..Body::default() });
    let this = h.class("H");
    let init = h.member(10, "H", "<init>", "(I)V");
    let n = h.member(9, "H", "n", "I");
    h.method(function(3, 1, code![187_u8, this, 89_u8, 26_u8, 183_u8, init, 180_u8, n, 172_u8]));
    with_driver(h.build())
}

/// Several `super()` sites, a field stored before them, the receiver in another variable, and an exception from the prologue.
#[test]
fn constructors_with_several_paths() {
    for major in [49, 52] {
        let classes = constructor(major, 3, |h| {
            let n = h.member(9, "H", "n", "I");
            let object = h.member(10, "java/lang/Object", "<init>", "()V");
            let [high, low] = h.class("H").to_be_bytes();
            let code = code![
                42_u8, 77_u8, // 0: aload_0, astore_2
                42_u8, 8_u8, 27_u8, 108_u8, 181_u8, n, // 2: aload_0, iconst_5, iload_1, idiv, putfield n
                27_u8, 158_u8, 11_u16, // 9: iload_1, ifle 21
                44_u8, 183_u8, object, // 13: aload_2, invokespecial
                132_u8, 1_u8, 1_u8,   // 17: iinc 1 1
                177_u8, // 20: return
                42_u8, 183_u8, object, // 21: aload_0, invokespecial
                27_u8, 154_u8, 3_u16,  // 25: iload_1, ifne 29
                177_u8  // 29: return
            ];
            let frames = if major < 50 {
                (0, vec![])
            } else {
                // 21: append one uninitialised receiver; 29: full, receiver in both.
                (2, vec![252, 0, 21, 6, 255, 0, 7, 0, 3, 7, high, low, 1, 7, high, low, 0, 0])
            };
            (code, frames)
        });
        same("Driver", &classes, &[]);
    }
}

/// The variable of `this` written in a constructor: woven unless the calls need it.
#[test]
fn a_constructor_that_overwrites_this() {
    let classes = constructor(52, 2, |h| {
        let object = h.member(10, "java/lang/Object", "<init>", "()V");
        (code![42_u8, 183_u8, object, 1_u8, 75_u8, 177_u8], (0, vec![]))
    });
    let program = weave_all(&classes, Link::Dynamic, &mut |m| (m.name == "<init>").then(|| everything(m)));
    let skipped: Vec<_> = program.woven.iter().flat_map(|(_, woven)| &woven.skipped).collect();
    assert!(skipped.iter().any(|(name, skip)| name == "<init>(I)V" && *skip == Skip::ThisReassigned), "{skipped:?}");
    let call = |name: &str, source| vec![Call { name: name.into(), parameters: vec![source] }];
    let plan = Plan {
        entry: call("in", Source::Argument(0)),
        returns: call("out", Source::Argument(0)),
        errors: call("error", Source::Thrown),
        ..Plan::default()
    };
    let program = weave_all(&classes, Link::Dynamic, &mut |m| (m.descriptor == "(I)V").then(|| plan.clone()));
    program.expect_none_skipped();
    let output = program.run("Driver").unwrap();
    assert!(output.starts_with("@in Integer:-2\n@out Integer:-2\n0\n@in Integer:-1\n"), "{output}");
}

/// Nothing after the first 16 bits: too long, and a jump that would no longer reach.
#[test]
fn methods_near_the_limits_are_left_alone() {
    let mut source = String::from("public class Long {\n  static int f(int x) { ");
    source += &"x++; ".repeat(21_840);
    source += "return x; }\n  static int g(int x) { return x + 1; }\n  static int far(int x) { if (x > 0) { ";
    source += &"x++; ".repeat(10_919);
    source += "return x; } return -1; }\n";
    source += "  public static void main(String[] a) { System.out.println(f(0) + \" \" + g(1) + \" \" + far(1) + far(-1)); }\n}";
    let classes = javac(&[("Long.java", &source)], &[]);
    for link in [Link::Dynamic, Link::Direct] {
        let program = weave_all(&classes, link, &mut |m| (m.name != "main").then(|| everything(m)));
        let woven = &program.woven[0].1;
        assert_eq!(woven.methods.iter().collect::<Vec<_>>(), ["<init>()V", "g(I)I"]);
        assert!(matches!(woven.skipped[0], (ref f, Skip::CodeTooLarge { size: 65_536.., .. }) if f == "f(I)I"));
        assert!(matches!(woven.skipped[1], (ref f, Skip::JumpTooFar { .. }) if f == "far(I)I"), "{:?}", woven.skipped);
        let output = program.run("Long").unwrap();
        assert!(output.contains("@return:g null Integer:2"), "{output}");
        assert!(output.ends_with("21840 2 10920-1\n"), "{output}");
    }
}

/// Small files that ask for much are refused before it is spent.
#[test]
fn methods_made_to_exhaust_are_left_alone() {
    let mut h = Assembler::new("H", 52);
    let count = 60_000;
    let mut frames = vec![255, 0, 0];
    frames.extend(60_000u16.to_be_bytes());
    frames.extend(vec![1; 60_000]);
    frames.extend([0, 0]);
    // One frame for each instruction, all with the same variables.
    frames.extend(vec![0; count - 1]);
    let mut code = vec![0; count];
    code.push(177);
    h.method(Body {
        access: PUBLIC_STATIC,
        name: "frames",
        descriptor: "()V",
        locals: 60_000,
        code,
        frames: (count as u16, frames),
        ..Body::default()
    });
    // The receiver is copied to thousands of variables, which every handler is to merge at every instruction.
    let mut code = vec![];
    for slot in 1..12_000u16 {
        code.extend(code![42_u8, 196_u8, 58_u8, slot]);
    }
    code.push(177);
    let end = code.len() as u16;
    code.push(177);
    let handlers = vec![[0, end, end, 0]; 2000];
    h.method(Body {
        access: 1,
        name: "<init>",
        descriptor: "()V",
        stack: 1,
        locals: 12_000,
        code,
        handlers,
        ..Body::default()
    });
    let class = h.build();
    let linkage = Linkage::Dynamic { class: "rt/Rt", method: "bootstrap" };
    let woven = weave(&class, linkage, &mut methods(|m| Some(everything(m)))).unwrap();
    let reasons: Vec<_> = woven.skipped.iter().map(|(_, skip)| skip).collect();
    assert!(matches!(reasons[..], [Skip::TooMany { .. }, Skip::TooComplex { .. }]), "{reasons:?}");
}
