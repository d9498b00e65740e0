//! Preprocessing of probe classes: types, flags, and fields that become dynamic calls.

use crate::harness::{Classes, javac, run, runtime, tool, write_classes};
use classfile::edit::{DynamicRead, Edits, Shield, rewrite_class};
use classfile::{ClassFile, Error, access};
use std::process::Command;

const PROBE: &str = r#"
package p;

import java.util.*;

class Probe<T extends AnyType> {
    private static List<String> service;
    static private Map<Long, String> other;
    private static final String LOOKS = "p/AnyType";
    protected AnyType[] held;

    static class Wide { static long wide; }

    private static AnyType any(AnyType a, AnyType[][] b, Class<?> c) {
        AnyType local = a;
        if (b != null && c == AnyType.class) {
            for (AnyType[] row : b) { local = row[0]; }
        }
        return local;
    }

    private static String calls(int n) {
        String text = "";
        while (n-- > 0) {
            try {
                switch (n) {
                    case 0: text += service.size(); break;
                    case 1: text += service.get(0) + other.get(1L); break;
                    default: text += service.get(7);
                }
            } catch (IndexOutOfBoundsException e) {
                text += service == service ? "!" : "?";
            }
        }
        return text;
    }

    static void main(String[] args) {
        System.out.println(any((AnyType) (Object) null, null, null) == null ? LOOKS : "");
        System.out.println(calls(3));
    }

    List<? super AnyType> generic(Map<AnyType, ? extends T> m) { return null; }
}

interface AnyType {}
"#;

const MAIN: &str = r#"
public class Main {
    static final java.util.List<Object> BOOTSTRAPPED = new java.util.ArrayList<>();

    public static java.lang.invoke.CallSite link(java.lang.invoke.MethodHandles.Lookup lookup, String name,
            java.lang.invoke.MethodType type, String a, String b) {
        BOOTSTRAPPED.add(name + type + a + b);
        Object value = type.returnType() == java.util.List.class ? java.util.Arrays.asList("zero") : java.util.Collections.singletonMap(1L, "one");
        return new java.lang.invoke.ConstantCallSite(java.lang.invoke.MethodHandles.constant(type.returnType(), value));
    }

    public static void main(String[] args) throws Exception {
        Class<?> probe = Class.forName("p.Probe");
        probe.getMethod("main", String[].class).invoke(null, (Object) args);
        System.out.println(probe.getMethod("any", Object.class, Object[][].class, Class.class).invoke(null, "x", new Object[][] {{"y"}}, Object.class));
        System.out.println(probe.getMethod("generic", java.util.Map.class).toGenericString());
        System.out.println(probe.getField("held").getType().getName() + probe.getTypeParameters()[0].getBounds()[0]);
        BOOTSTRAPPED.sort(null);
        BOOTSTRAPPED.forEach(System.out::println);
    }
}"#;

fn read(name: &str) -> DynamicRead {
    DynamicRead {
        name: name.into(),
        class: "Main".into(),
        method: "link".into(),
        descriptor: "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;\
                     Ljava/lang/String;Ljava/lang/String;)Ljava/lang/invoke/CallSite;"
            .into(),
        arguments: vec![format!("[{name}"), "é]".into()],
    }
}

#[test]
fn a_probe_is_made_ready() {
    let mut classes = javac(&[("p/Probe.java", PROBE), ("Main.java", MAIN)], &["-g", "-encoding", "UTF-8"]);
    let open = |flags: u16| flags & !(access::PRIVATE | access::PROTECTED) | access::PUBLIC;
    let mut class_access = open;
    let mut field_access = |field: &classfile::Member<'_>| open(field.access);
    let mut method_access = |method: &classfile::Member<'_>| {
        if method.name == b"<init>" { method.access } else { open(method.access) }
    };
    let mut edits = Edits {
        types: [("p/AnyType".into(), "java/lang/Object".into())].into(),
        fields: [("service".into(), read("service")), ("other".into(), read("other"))].into(),
        class_access: Some(&mut class_access),
        field_access: Some(&mut field_access),
        method_access: Some(&mut method_access),
        ..Edits::default()
    };
    let new = rewrite_class(&classes["p/Probe"], &mut edits).unwrap();
    cafebabe::parse_class(&new).unwrap();
    let class = ClassFile::parse(&new).unwrap();
    assert_eq!(class.access() & access::PUBLIC, access::PUBLIC);
    assert!(class.fields().all(|f| f.access & 7 == access::PUBLIC));
    let any = class.methods().find(|m| m.name == b"any").unwrap();
    assert_eq!(
        any.descriptor_str(),
        Some("(Ljava/lang/Object;[[Ljava/lang/Object;Ljava/lang/Class;)Ljava/lang/Object;")
    );
    classes.insert("p/Probe".into(), new);
    // Proof that nothing names the type any more.
    classes.remove("p/AnyType").unwrap();
    assert_eq!(run_main(&classes), expected());
}

fn expected() -> String {
    let site = |name: &str, kind: &str| format!("{name}(){kind}[{name}é]\n");
    // Each instruction links by itself, so two reads of a field need not give the same object.
    let mut sites = vec![site("other", "Map")];
    sites.resize(6, site("service", "List"));
    format!(
        "p/AnyType\n?zeroone1\ny\n\
         public java.util.List<? super java.lang.Object> p.Probe.generic(java.util.Map<java.lang.Object, ? extends T>)\n\
         [Ljava.lang.Object;class java.lang.Object\n{}",
        sites.concat()
    )
}

fn run_main(classes: &Classes) -> String {
    let folder = tempfile::TempDir::new().unwrap();
    write_classes(folder.path(), classes);
    let path = std::env::join_paths([folder.path(), runtime()]).unwrap();
    let mut java = Command::new(tool("java"));
    java.args(["-Xverify:all", "-XX:-PrintWarnings", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp"]);
    run(java.arg(path).arg("Main")).unwrap()
}

#[test]
fn what_no_edit_touches_is_the_same_byte_for_byte() {
    let classes = javac(&[("p/Probe.java", PROBE)], &["-g"]);
    for bytes in classes.values() {
        assert_eq!(rewrite_class(bytes, &mut Edits::default()).as_ref(), Ok(bytes));
        let mut edits = Edits {
            types: [("p/Any".into(), "x/Y".into()), ("p".into(), "x".into()), ("T".into(), "U".into())].into(),
            ..Edits::default()
        };
        assert_eq!(rewrite_class(bytes, &mut edits).as_ref(), Ok(bytes));
    }
}

#[test]
fn fields_of_other_classes_and_old_versions() {
    let classes = javac(&[("p/Probe.java", PROBE)], &["-g"]);
    let fields = || [("wide".into(), read("wide"))].into();
    let mut edits = Edits { fields: fields(), ..Edits::default() };
    assert_eq!(rewrite_class(&classes["p/Probe"], &mut edits).as_ref(), Ok(&classes["p/Probe"]));
    let mut old = classes["p/Probe"].clone();
    old[6..8].copy_from_slice(&50u16.to_be_bytes());
    let mut edits = Edits { fields: fields(), ..Edits::default() };
    assert_eq!(rewrite_class(&old, &mut edits), Err(Error::Version { expected: 51, got: 50 }));
}

const SHIELDED: &str = r#"
package p;
public class Shielded {
    private static void none() { System.out.print("none "); }
    private static void all(boolean z, long j, String s, double d, int[][] a, float f, Object o) {
        System.out.print(z + " " + j + " " + s + " " + d + " " + a.length + " " + f + " " + o + " ");
    }
    private static long wide(Long boxed) { return boxed; }
    private static void bad(String s) { throw new IllegalStateException(s); }
}"#;

const SHIELD_MAIN: &str = r#"
import java.lang.invoke.*;
public class Main {
    static final MutableCallSite LIVE = new MutableCallSite(MethodHandles.constant(Object.class, "live"));
    static boolean on = true, throwing;
    static final Running RUNNING = new Running();
    public static class Running { public long state; }
    public static CallSite live(MethodHandles.Lookup lookup, String name, MethodType type) {
        System.out.print("[" + name + type + "] ");
        return LIVE;
    }
    public static boolean isLive(int probe) { return on; }
    public static Running enter(int probe) {
        if (throwing) throw new StackOverflowError();
        if (RUNNING.state != 0) return null;
        RUNNING.state = probe;
        return RUNNING;
    }
    public static void failed(Throwable thrown, int probe, int number) {
        System.out.print(thrown.getClass().getSimpleName() + " of " + probe + "." + number + " ");
        if (throwing) throw new StackOverflowError();
    }
    static void call(String name, Object... arguments) throws Exception {
        for (java.lang.reflect.Method m : Class.forName("p.Shielded").getMethods()) {
            if (m.getName().equals(name)) m.invoke(null, arguments);
        }
        System.out.println(RUNNING.state);
    }
    static void round() throws Exception {
        call("$0");
        call("$1", true, 1L << 40, "text", 0.5, new int[2][], 2f, null);
        call("$2", 7L);
        call("$2", "no number");
        call("$3", "why");
    }
    public static void main(String[] a) throws Exception {
        round();
        throwing = true;
        call("$3", "why");
        throwing = false;
        RUNNING.state = 9;
        call("$0");
        RUNNING.state = 0;
        on = false;
        LIVE.setTarget(MethodHandles.constant(Object.class, null));
        round();
    }
}"#;

/// In every version of the format: what the methods do, and that nothing gets out of them, whatever throws.
#[test]
fn shields_let_nothing_out() {
    let sources = [("p/Shielded.java", SHIELDED), ("Main.java", SHIELD_MAIN)];
    let classes = javac(&sources, &["--release", "8"]);
    for (guarded, major) in [(false, 52), (true, 52), (false, 50), (true, 50)] {
        let handlers = [
            ("none", "()V"),
            ("all", "(ZJLjava/lang/String;D[[IFLjava/lang/Object;)V"),
            ("wide", "(Ljava/lang/Long;)J"),
            ("bad", "(Ljava/lang/String;)V"),
        ];
        let shield = |(number, (method, descriptor)): (i32, (&str, &str))| Shield {
            name: format!("${number}"),
            method: method.into(),
            descriptor: descriptor.into(),
            runtime: "Main".into(),
            running: "Main$Running".into(),
            probe: 300,
            number,
            guarded,
        };
        let mut classes = classes.clone();
        let shielded = classes.get_mut("p/Shielded").unwrap();
        shielded[6..8].copy_from_slice(&u16::to_be_bytes(major));
        let mut edits = Edits { shields: (0..).zip(handlers).map(shield).collect(), ..Edits::default() };
        *shielded = rewrite_class(shielded, &mut edits).unwrap();
        cafebabe::parse_class(shielded).unwrap();
        let asked = if major > 50 { "[300()Object] " } else { "" };
        let round = format!(
            "{asked}none 0\n{asked}true 1099511627776 text 0.5 2 2.0 null 0\n{asked}0\nClassCastException of 300.2 0\n\
             {asked}IllegalStateException of 300.3 0\n"
        );
        let more = if guarded { "0\n9\n" } else { "IllegalStateException of 300.3 0\nnone 9\n" };
        assert_eq!(
            run_main(&classes),
            format!("{round}{more}{}", "0\n".repeat(5)),
            "guarded {guarded}, version {major}"
        );
    }
}
