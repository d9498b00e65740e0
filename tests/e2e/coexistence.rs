//! Beside other agents, loaders of all kinds, many threads, and the JVM's own archive of classes.

use crate::harness::{Target, each_jdk, each_jdk_of, maven_artifact};
use crate::traced::{Traced, agent_option, end, round};
use std::collections::BTreeSet;
use std::path::Path;

const WORK: &str = r#"package work;
public class Work {
    int n;
    Work(int n) { this.n = n; }
    int half() { if (n % 2 != 0) throw new IllegalArgumentException("odd " + n); return n / 2; }
    static String round(String s) {
        String result = "" + new Work(4).half();
        try { new Work(3).half(); } catch (IllegalArgumentException e) { result += " " + e.getMessage(); }
        return result;
    }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Half {
    @OnMethod(clazz = "work.Work", method = "half") public static void enter(@Self Object self) { println("enter " + (self != null)); }
    @OnMethod(clazz = "work.Work", method = "half", location = @Location(Kind.RETURN))
    public static void leave(@Return int result, @Duration long time) { println("leave " + result + " " + (time >= 0)); }
    @OnMethod(clazz = "work.Work", method = "half", location = @Location(Kind.ERROR))
    public static void fail(Throwable t) { println("fail " + t.getMessage()); }
    @OnMethod(clazz = "work.Work", method = "round", location = @Location(value = Kind.CALL, clazz = "work.Work", method = "half"))
    public static void call(@TargetMethodOrField String name) { println("call " + name); }
}
"#;

const LINES: [&str; 6] = ["call half", "enter true", "leave 2 true", "call half", "enter true", "fail odd 3"];

/// `JaCoCo` adds a field, a method and code to every class; whoever comes first, both see their own.
#[test]
fn jacoco_before_and_after_sees_what_it_saw_alone() {
    each_jdk("JaCoCo beside us", |test, jdk| {
        let jacoco = maven_artifact("org.jacoco:org.jacoco.agent:0.8.14:jar:runtime");
        let traced = Traced::new(test, "Half", WORK, PROBE);
        let mut seen = 0;
        for is_first in [true, false] {
            let file = test.folder().join(format!("{is_first}.exec"));
            let other = agent_option(&jacoco, &format!("destfile={},includes=work.*", file.display()));
            let ours = traced.option("");
            let options: [&str; 2] = if is_first { [&other, &ours] } else { [&ours, &other] };
            let target = traced.plain(jdk, &options);
            assert_eq!(round(&target, "a"), "2 odd 3");
            assert_eq!(traced.written(&mut seen, 6), LINES, "JaCoCo first: {is_first}");
            assert_eq!(end(&target), "");
            let coverage = fs_err::read(&file).expect("coverage");
            assert!(coverage.windows(9).any(|part| part == b"work/Work"), "JaCoCo first: {is_first}");
        }
    });
}

/// An agent that retransforms woven classes gets them again without our code, and we weave what it returns.
#[test]
fn retransformation_by_another_agent_weaves_once() {
    const OTHER: &str = r#"import java.lang.instrument.*;
public class Other implements ClassFileTransformer {
    public static void agentmain(String mode, Instrumentation inst) throws Exception {
        inst.addTransformer(new Other(), true);
        for (int i = 0; i < 3; i++)
            for (Class<?> c : inst.getAllLoadedClasses()) if (c.getName().equals("work.Work")) inst.retransformClasses(c);
        System.out.println("retransformed");
    }
    // The same bytes, but given: the JVM takes the class for changed.
    public byte[] transform(ClassLoader l, String name, Class<?> c, java.security.ProtectionDomain d, byte[] bytes) {
        return "work/Work".equals(name) ? bytes.clone() : null;
    }
}
"#;
    each_jdk("retransformed by others", |test, jdk| {
        let classes = test.compile_with(&[("Other.java", OTHER)], &["--release", "8", "-Xlint:-options"]);
        let jar = test.folder().join("other.jar");
        fixtures::Jar::new()
            .attributes(&[("Agent-Class", "Other"), ("Can-Retransform-Classes", "true")])
            .tree(&classes)
            .and_then(|j| j.write(&jar))
            .expect("a jar");
        let traced = Traced::new(test, "Half", WORK, PROBE);
        let mut seen = 0;
        let target = traced.started(jdk, "");
        round(&target, "a");
        assert_eq!(traced.written(&mut seen, 6), LINES);
        crate::product::jcmd_load(test, jdk, &target, &jar, "");
        target.wait_for_line("retransformed");
        assert_eq!(round(&target, "b"), "2 odd 3");
        assert_eq!(traced.written(&mut seen, 6), LINES);
        traced.load(jdk, &target, "off");
        assert_eq!(round(&target, "c"), "2 odd 3");
        traced.load(jdk, &target, &traced.arguments(""));
        round(&target, "d");
        assert_eq!(traced.written(&mut seen, 6), LINES);
        assert_eq!(end(&target), "");
    });
}

/// Classes that are defined without saying their name are woven; hidden classes are left alone.
#[test]
fn nameless_classes_are_woven_and_hidden_ones_left_alone() {
    const WORK: &str = r#"package work;
import java.lang.invoke.*; import java.util.concurrent.Callable;
class Plain implements Callable<Object> { public Object call() { return "called"; } }
class Definer extends ClassLoader {
    Definer() { super(Work.class.getClassLoader()); }
    Class<?> nameless(byte[] b) { return defineClass(null, b, 0, b.length); }
}
public class Work {
    static byte[] bytes() throws Exception {
        java.io.InputStream in = Work.class.getResourceAsStream("Plain.class");
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) out.write(b);
        return out.toByteArray();
    }
    @SuppressWarnings("unchecked")
    static String round(String s) throws Exception {
        Callable<String> lambda = () -> "lambda";
        java.lang.reflect.Constructor<?> c = new Definer().nameless(bytes()).getDeclaredConstructor();
        c.setAccessible(true);
        String result = ((Callable<Object>) c.newInstance()).call() + " " + lambda.call();
        try {
            // Since Java 15, hence by reflection.
            Class<?> option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
            Class<?> options = java.lang.reflect.Array.newInstance(option, 0).getClass();
            MethodHandles.Lookup own = MethodHandles.lookup();
            Object hidden = MethodHandles.Lookup.class.getMethod("defineHiddenClass", byte[].class, boolean.class, options)
                .invoke(own, bytes(), true, java.lang.reflect.Array.newInstance(option, 0));
            java.lang.reflect.Constructor<?> h = ((MethodHandles.Lookup) hidden).lookupClass().getDeclaredConstructor();
            h.setAccessible(true);
            result += " hidden " + ((Callable<Object>) h.newInstance()).call();
        } catch (ClassNotFoundException e) { result += " hidden called"; }
        return result;
    }
}
"#;
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Nameless {
    @OnMethod(clazz = "/work\\..*/", method = "call") public static void call(@ProbeClassName String type) { println(type); }
}
"#;
    each_jdk("nameless and hidden", |test, jdk| {
        let traced = Traced::new(test, "Nameless", WORK, PROBE);
        let target = traced.started(jdk, "");
        assert_eq!(round(&target, "a"), "called lambda hidden called");
        assert_eq!(traced.written(&mut 0, 1), ["work.Plain"]);
        assert_eq!(end(&target), "");
    });
}

/// Class-data sharing stays: every class that comes from the archive beside an empty agent does so beside ours, without a
/// probe and with one that matches nothing.
#[test]
fn classes_still_come_from_the_shared_archive() {
    const EMPTY: &str =
        r"public class Empty { public static void premain(String a, java.lang.instrument.Instrumentation i) {} }";
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
@BTrace public class Idle { @OnMethod(clazz = "nobody.Has", method = "this") public static void idle() {} }
"#;
    // The small runtimes that are fetched for 11 and 21 come without an archive.
    each_jdk_of(&[17, 25], "class-data sharing", |test, jdk| {
        let classes = test.compile_with(&[("Empty.java", EMPTY)], &["--release", "8", "-Xlint:-options"]);
        let jar = test.folder().join("empty.jar");
        let attributes = [("Premain-Class", "Empty"), ("Can-Retransform-Classes", "true")];
        fixtures::Jar::new().attributes(&attributes).tree(&classes).and_then(|j| j.write(&jar)).expect("a jar");
        let traced = Traced::new(test, "Idle", WORK, PROBE);
        // Names of the JDK's classes that were loaded: from the archive, and from elsewhere.
        let loaded = |name: &str, option: &str| -> (BTreeSet<String>, BTreeSet<String>) {
            let log = test.folder().join(format!("{name}.txt"));
            // With `-Xverify:all` the JVM leaves the archive alone.
            let target = Target::builder(jdk)
                .unverified()
                .class_path(&traced.classes)
                .jvm_option("-Xshare:auto")
                .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
                .jvm_option(format!("-Xlog:class+load:file={}", log.display()))
                .jvm_option(option)
                .main("work.Main")
                .launch();
            round(&target, "a");
            end(&target);
            let text = fs_err::read_to_string(&log).expect("the JVM's log");
            let lines = text.lines().filter_map(|line| line.split_once(" source: "));
            let (shared, other): (Vec<_>, Vec<_>) =
                lines.partition(|(_, source)| source.starts_with("shared objects file"));
            let names = |lines: Vec<(&str, &str)>| {
                let names = lines.into_iter().filter_map(|(left, _)| left.split(' ').next_back());
                names.filter(|name| name.starts_with("java.")).map(str::to_owned).collect()
            };
            (names(shared), names(other))
        };
        let (shared, _) = loaded("empty", &agent_option(&jar, ""));
        assert!(shared.len() > 200, "{} classes are shared", shared.len());
        for (name, option) in [("none", agent_option(&traced.agent.jar, "")), ("idle", traced.option(""))] {
            let (_, other) = loaded(name, &option);
            let lost: Vec<_> = shared.intersection(&other).collect();
            assert!(lost.is_empty(), "{name}: {lost:?}");
        }
    });
}

/// A class in a jar in a jar, loaded by Spring Boot's own loader.
#[test]
fn a_class_in_a_nested_jar_of_spring_boot_is_woven() {
    each_jdk("Spring Boot", |test, jdk| {
        let loader = maven_artifact("org.springframework.boot:spring-boot-loader:2.7.18");
        let library = "package work; public class Library { public static int twice(int n) { return 2 * n; } }";
        let work = "package work; public class Work { static String round(String s) {\
                    return Library.twice(21) + \" \" + Work.class.getClassLoader().getClass().getSimpleName(); } }";
        let probe = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Nested {
    @OnMethod(clazz = "work.Library", method = "twice", location = @Location(Kind.RETURN))
    public static void twice(@Return int result, int n) { println("twice " + n + " " + result); }
}
"#;
        let options = ["--release", "8", "-Xlint:-options"];
        let inner = test.compile_with(&[("work/Library.java", library)], &options);
        let nested = test.folder().join("library.jar");
        fixtures::Jar::new().tree(&inner).and_then(|j| j.write(&nested)).expect("a jar");
        let traced = Traced::with_options(
            test,
            "Nested",
            work,
            probe,
            &[&options[..], &["-cp", inner.to_str().expect("UTF-8")]].concat(),
        );
        let unpacked = test.folder().join("loader");
        fixtures::unzip(&loader, &unpacked).expect("a jar");
        let jar = test.folder().join("app.jar");
        let attributes = [("Main-Class", "org.springframework.boot.loader.JarLauncher"), ("Start-Class", "work.Main")];
        fixtures::Jar::new()
            .attributes(&attributes)
            .tree_as(&unpacked, |name| {
                Path::new(name).extension().is_some_and(|e| e == "class").then(|| name.to_owned())
            })
            .map(|j| j.folder("BOOT-INF/").folder("BOOT-INF/classes/").folder("BOOT-INF/lib/"))
            .and_then(|j| j.tree_as(&traced.classes, |name| Some(format!("BOOT-INF/classes/{name}"))))
            .map(|j| j.stored("BOOT-INF/lib/library.jar", &fs_err::read(&nested).expect("a jar")))
            .and_then(|j| j.write(&jar))
            .expect("a jar");
        let target = Target::builder(jdk)
            .jvm_option("-Xverify:all")
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option(traced.option(""))
            .jar(&jar)
            .launch();
        assert_eq!(round(&target, "a"), "42 LaunchedURLClassLoader");
        assert_eq!(traced.written(&mut 0, 1), ["twice 21 42"]);
        assert_eq!(end(&target), "");
    });
}

/// A class of a named module in a layer of its own, which reads nothing of ours.
#[test]
fn a_class_in_a_module_layer_is_woven() {
    const INFO: &str = "module layered { exports layered; }";
    const SERVICE: &str = "package layered; public class Service implements java.util.function.IntUnaryOperator {\
        public int applyAsInt(int n) { return n + 1; } }";
    const WORK: &str = r#"package work;
import java.lang.module.*; import java.nio.file.*;
public class Work {
    static String round(String s) throws Exception {
        ModuleFinder finder = ModuleFinder.of(Paths.get(System.getProperty("layer")));
        ModuleLayer boot = ModuleLayer.boot();
        Configuration configuration = boot.configuration().resolve(finder, ModuleFinder.of(), java.util.Set.of("layered"));
        ModuleLayer layer = boot.defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader());
        Class<?> type = layer.findLoader("layered").loadClass("layered.Service");
        int result = ((java.util.function.IntUnaryOperator) type.getConstructor().newInstance()).applyAsInt(41);
        return result + " " + type.getModule().getName();
    }
}
"#;
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Layer {
    @OnMethod(clazz = "+java.util.function.IntUnaryOperator", method = "applyAsInt", location = @Location(Kind.RETURN))
    public static void apply(@Return int result, @ProbeClassName String type) { println(type + " " + result); }
}
"#;
    each_jdk("module layer", |test, jdk| {
        let options = ["--release", "11", "-Xlint:-options"];
        let module = test.compile_with(&[("module-info.java", INFO), ("layered/Service.java", SERVICE)], &options);
        let traced = Traced::with_options(test, "Layer", WORK, PROBE, &options);
        let target = traced.plain(jdk, &[&format!("-Dlayer={}", module.display()), &traced.option("")]);
        for name in ["a", "b"] {
            assert_eq!(round(&target, name), "42 layered");
        }
        assert_eq!(traced.written(&mut 0, 2), ["layered.Service 42"; 2]);
        assert_eq!(end(&target), "");
    });
}

/// 32 threads load 64 classes, each thread by a loader of its own and in an order of its own; each class is asked for by
/// name, by its supertype, and by a parameter whose type comes later.
#[test]
fn classes_loaded_by_32_threads_at_once_are_all_woven() {
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import java.util.concurrent.atomic.AtomicLong;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Crowd {
    static final AtomicLong RUN = new AtomicLong(); static final AtomicLong BELOW = new AtomicLong(); static final AtomicLong TAKE = new AtomicLong();
    @OnMethod(clazz = "/work\\.C\\d+/", method = "run", location = @Location(Kind.RETURN)) public static void run(@Duration long d) { RUN.incrementAndGet(); }
    @OnMethod(clazz = "+work.Task", method = "run") public static void below() { BELOW.incrementAndGet(); }
    @OnMethod(clazz = "/work\\.C\\d+/", method = "take") public static void take(Runnable r) { TAKE.incrementAndGet(); }
    @OnMethod(clazz = "work.Work", method = "done") public static void done() { println(RUN.get() + " " + BELOW.get() + " " + TAKE.get()); }
}
"#;
    let classes: Vec<String> = (0..64)
        .map(|i| format!("class C{i} extends Task {{ public C{i}() {{}} public void run() {{ take(new T{i}()); }} void take(T{i} t) {{}} }}\n\
                          class T{i} implements Runnable {{ public void run() {{}} }}\n"))
        .collect();
    let classes = classes.concat();
    let work = format!(
        r#"package work;
import java.net.*; import java.util.*;
abstract class Task implements Runnable {{ public Task() {{}} }}
{classes}
public class Work {{
    static String round(String s) throws Exception {{
        final URL[] urls = {{ Work.class.getProtectionDomain().getCodeSource().getLocation() }};
        final List<Throwable> failures = Collections.synchronizedList(new ArrayList<Throwable>());
        final java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
        Thread[] threads = new Thread[32];
        for (int i = 0; i < threads.length; i++) {{
            final int seed = i;
            threads[i] = new Thread() {{ public void run() {{
                try {{
                    List<Integer> order = new ArrayList<Integer>();
                    for (int k = 0; k < 64; k++) order.add(k);
                    Collections.shuffle(order, new Random(seed));
                    URLClassLoader loader = new URLClassLoader(urls, null);
                    go.await();
                    for (int k : order) {{
                        java.lang.reflect.Constructor<?> c = loader.loadClass("work.C" + k).getDeclaredConstructor();
                        c.setAccessible(true);
                        ((Runnable) c.newInstance()).run();
                    }}
                }} catch (Throwable t) {{ failures.add(t); }}
            }} }};
            threads[i].start();
        }}
        go.countDown();
        for (Thread t : threads) t.join();
        done();
        return failures.toString();
    }}
    static void done() {{}}
}}
"#
    );
    each_jdk_of(&[11, 17, 21, 25], "32 threads", move |test, jdk| {
        let traced = Traced::new(test, "Crowd", &work, PROBE);
        let target = traced.started(jdk, "");
        assert_eq!(round(&target, "a"), "[]");
        let all = 32 * 64;
        assert_eq!(traced.written(&mut 0, 1), [format!("{all} {all} {all}")]);
        assert_eq!(end(&target), "");
    });
}
