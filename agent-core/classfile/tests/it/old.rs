//! Classes without stack map frames, and class-file versions before `invokedynamic`.

use crate::harness::{Classes, Link, everything, javac, weave_all, weave_sites};
use crate::programs::same;
use crate::sites::Everywhere;
use classfile::ClassFile;
use classfile::weave::{SiteKind, Skip, methods, weave};

/// Nothing that old versions lack: no class literals, lambdas or string switches.
const OLD: &str = include_str!("java/programs/Old.java");

fn compile() -> Classes {
    javac(&[("Old.java", OLD)], &["--release", "8", "-g"])
}

fn set_major(class: &mut [u8], major: u16) {
    class[6..8].copy_from_slice(&major.to_be_bytes());
}

/// Takes every `StackMapTable` out.
pub(crate) fn without_frames(class: &[u8]) -> Vec<u8> {
    let parsed = ClassFile::parse(class).unwrap();
    let mut out = Vec::new();
    let mut copied = 0;
    for method in parsed.methods() {
        let Some(code) = method.attribute("Code") else { continue };
        let u2 = |at: usize| usize::from(u16::from_be_bytes([code.data[at], code.data[at + 1]]));
        let length = u2(4) << 16 | u2(6);
        let count_at = 8 + length + 2 + 8 * u2(8 + length);
        let mut body = code.data[..count_at].to_vec();
        let mut kept = Vec::new();
        let mut count = 0u16;
        let mut at = count_at + 2;
        for _ in 0..u2(count_at) {
            let end = at + 6 + (u2(at + 2) << 16 | u2(at + 4));
            if parsed.pool().utf8(u2(at) as u16).unwrap() != b"StackMapTable" {
                kept.extend_from_slice(&code.data[at..end]);
                count += 1;
            }
            at = end;
        }
        body.extend(count.to_be_bytes());
        body.extend(kept);
        out.extend_from_slice(&class[copied..code.offset - 4]);
        out.extend((body.len() as u32).to_be_bytes());
        out.extend(body);
        copied = code.offset + code.data.len();
    }
    out.extend_from_slice(&class[copied..]);
    out
}

#[test]
fn classes_without_frames_keep_running() {
    for major in [46, 48, 49, 50] {
        let mut classes = compile();
        for class in classes.values_mut() {
            *class = without_frames(class);
            set_major(class, major);
        }
        same("Old", &classes, &[]);
    }
}

#[test]
fn version_50_with_frames_stays_with_the_type_checker() {
    let mut classes = compile();
    for class in classes.values_mut() {
        set_major(class, 50);
    }
    same("Old", &classes, &[]);
    // A class that fails the type checker would be given to the inferring verifier.
    let program = weave_all(&classes, Link::Direct, &mut |m| (m.name != "main").then(|| everything(m)));
    let output = program.run_with("Old", &["-Xlog:verification=info:stdout"]).unwrap();
    assert!(output.contains("Verifying class Old with new format"), "{output}");
    assert!(!output.contains("Fail over class verification"), "{output}");
}

/// Where the JVM infers types it loads classes to join them. A class that is absent, and that the program never gets to,
/// must not be missed because inserted code left one of its objects in a variable.
#[test]
fn absent_classes_are_not_missed() {
    let source = r#"
public class T {
    static void run(int n) {
        if (n == 1) { new A().hit("a"); } else { new B().hit("b"); }
        n++;
    }
    static int caught(int n) {
        try { new A().hit("a"); new B().hit("b"); return n; } catch (IllegalStateException e) { return -n; }
    }
    static void results(int n, Object[] to) {
        if (n == 5) { to[0] = new B().next(); } else { to[0] = new A().field; }
        n++;
    }
    static Object made(int n) {
        if (n == 1) { return new A(); }
        return new B();
    }
    public static void main(String[] a) { System.out.println(a.length == 0 ? "fine" : made(1)); }
}
class A { B field; void hit(String s) { } }
class B { void hit(String s) { } A next() { return null; } }"#;
    let compiled = javac(&[("T.java", source)], &["--release", "8", "-g"]);
    for major in [46, 49, 50] {
        let mut class = without_frames(&compiled["T"]);
        set_major(&mut class, major);
        let classes = Classes::from([("T".to_owned(), class)]);
        let mut everywhere = Everywhere { kinds: SiteKind::ALL.to_vec(), only: Vec::new(), ends: true };
        let program = weave_sites(&classes, Link::Direct, &mut everywhere);
        program.expect_none_skipped();
        let output = program.run("T").unwrap_or_else(|e| panic!("{major}: {e}"));
        assert!(output.contains("\nfine\n"), "{output}");
    }
}

#[test]
fn frames_are_never_made_up() {
    for major in [46, 50] {
        let mut classes = compile();
        for class in classes.values_mut() {
            *class = without_frames(class);
            set_major(class, major);
        }
        let program = weave_all(&classes, Link::Direct, &mut |m| (m.name == "loops").then(|| everything(m)));
        let class = ClassFile::parse(&program.classes["Old"]).unwrap();
        let loops = class.methods().find(|m| m.name == b"loops").unwrap();
        let code = loops.attribute("Code").unwrap().data;
        let name = (1..class.pool().len()).find(|&i| class.pool().utf8(i) == Ok(b"StackMapTable")).unwrap_or(0);
        assert!(!code.windows(2).any(|pair| name != 0 && pair == name.to_be_bytes()), "{major}");
    }
}

/// What an unknown attribute of the code means is unknown, so its offsets cannot be moved.
#[test]
fn unknown_attributes_of_the_code_keep_a_method_as_it_is() {
    for major in [46, 50] {
        let mut classes = compile();
        for class in classes.values_mut() {
            set_major(class, major);
            let at = class.windows(13).position(|name| name == b"StackMapTable").unwrap();
            class[at] = b'X';
        }
        let program = weave_all(&classes, Link::Direct, &mut |m| (m.name != "main").then(|| everything(m)));
        let (_, woven) = program.woven.iter().find(|(name, _)| name == "Old").unwrap();
        let unknown = Skip::UnknownAttribute { name: "XtackMapTable".into() };
        assert!(
            woven.skipped.iter().any(|(name, skip)| name == "loops(I)J" && *skip == unknown),
            "{:?}",
            woven.skipped
        );
        assert!(
            woven.methods.iter().any(|title| title == "straight(JLjava/lang/String;)Ljava/lang/String;"),
            "{:?}",
            woven.methods
        );
        let output = program.run("Old").unwrap();
        assert!(output.contains("@return:straight null \"s3\" <ns> Long:3 \"s\""), "{output}");
    }
}

#[test]
fn dynamic_calls_need_version_51() {
    let mut classes = compile();
    let class = classes.get_mut("Old").unwrap();
    set_major(class, 50);
    let linkage = classfile::weave::Linkage::Dynamic { class: "rt/Rt", method: "bootstrap" };
    let error = weave(class, linkage, &mut methods(|m| (m.name == "loops").then(|| everything(m)))).unwrap_err();
    assert_eq!(error.to_string(), "`invokedynamic` needs class-file version 51, got: 50");
}
