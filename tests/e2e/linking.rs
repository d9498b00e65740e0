//! Services from their first use to the end of their loader.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::harness::{AgentProject, BuiltAgent, Jdk, Target, Test, each_jdk, fatagent};
use crate::product::{compile, expect_file, jcmd_load};

/// Works for each line on standard input; some lines are more than work.
const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) throws Exception {
        ClassLoader own = new ClassLoader(Host.class.getClassLoader()) { };
        Thread.currentThread().setContextClassLoader(own);
        System.out.println("ready");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            switch (line) {
                case "fail": throw new IllegalStateException("the application's own failure");
                case "slow": slow(); break;
                case "collect": collect(); break;
                default: work(line);
            }
            System.out.println("done " + line + " " + (Thread.currentThread().getContextClassLoader() == own));
        }
        System.exit(5);
    }
    static void work(String what) { }
    static void slow() { }
    /** Waits until a loader that extensions have left a weak reference to is gone. */
    static void collect() throws Exception {
        java.lang.ref.WeakReference<?> loader = (java.lang.ref.WeakReference<?>) System.getProperties().get("kit.loader");
        for (int i = 0; i < 50 && loader.get() != null; i++) {
            System.gc();
            Thread.sleep(20);
        }
        System.out.println("collected " + (loader.get() == null));
    }
}
"#;

const APIS: [(&str, &str); 6] = [
    ("kit/Kit.java", "package kit; public interface Kit { String about(String what); }"),
    ("kit/Running.java", "package kit; public interface Running { void tell(); }"),
    ("kit/Made.java", "package kit; public interface Made { String how(); }"),
    ("kit/Broken.java", "package kit; public interface Broken { String text(); }"),
    ("kit/Slow.java", "package kit; public interface Slow { int count(); default long more() { return 7; } }"),
    (
        "kit/Absent.java",
        "package kit; public interface Absent extends Comparable<String> { double number(long a, String[] b); int[] many(); boolean is(); }",
    ),
];

const KIT: &str = r#"package kit.impl;
import io.btrace.core.extensions.*;
import java.util.ServiceLoader;
public class KitImpl extends Extension implements kit.Kit {
    @Override public void initialize(ExtensionContext context) {
        super.initialize(context);
        System.getProperties().put("kit.loader", new java.lang.ref.WeakReference<ClassLoader>(getClass().getClassLoader()));
    }
    public String about(String what) {
        try {
            switch (what) {
                case "version":
                    Package own = getClass().getPackage();
                    return V.v() + " " + own.getImplementationVersion() + " " + own.getImplementationTitle();
                case "resource":
                    byte[] bytes = new byte[100];
                    int n = getClass().getClassLoader().getResource("kit/impl/text.txt").openStream().read(bytes);
                    return new String(bytes, 0, n, "UTF-8") + new java.io.DataInputStream(getClass().getClassLoader().getResource("kit/impl/V.class").openStream()).readInt();
                case "services":
                    StringBuilder found = new StringBuilder();
                    for (Runnable one : ServiceLoader.load(Runnable.class, getClass().getClassLoader())) found.append(one);
                    return found.toString();
                case "place":
                    return new java.io.File(getClass().getProtectionDomain().getCodeSource().getLocation().toURI()).getName();
                case "visible":
                    String text = "";
                    for (String name : new String[] {"app.Host", "io.btrace.agent.Main", "lone.LoneImpl", "java.sql.Driver",
                            "io.btrace.core.extensions.Permission", "kit.impl.Helper"}) {
                        boolean seen = true;
                        try { Class.forName(name); } catch (ClassNotFoundException e) { seen = false; }
                        text += seen ? "+" : "-";
                    }
                    return text;
                default: return "?";
            }
        } catch (Exception e) { return e.toString(); }
    }
    @Override public void close() { getContext().send("kit closed"); }
}
"#;

const IMPLEMENTATIONS: [(&str, &str); 9] = [
    ("kit/impl/KitImpl.java", KIT),
    ("kit/impl/V.java", "package kit.impl; class V { static int v() { return 8; } }"),
    (
        "kit/impl/Helper.java",
        "package kit.impl; public class Helper { public static String help() { return \"helped\"; } }",
    ),
    (
        "kit/impl/Task.java",
        "package kit.impl; public class Task implements Runnable { public void run() { } public String toString() { return \"task\"; } }",
    ),
    (
        "kit/RunningImpl.java",
        "package kit; public class RunningImpl implements Running { private final io.btrace.runtime.BTraceRuntime.Impl runtime; \
         public RunningImpl(io.btrace.runtime.BTraceRuntime.Impl runtime) { this.runtime = runtime; } \
         public void tell() { runtime.send(\"running for \" + runtime.getClassName()); } }",
    ),
    (
        "kit/MadeImpl.java",
        "package kit; public class MadeImpl implements Made { private MadeImpl() { } \
         public static MadeImpl getInstance() { return new MadeImpl(); } public String how() { return \"made\"; } }",
    ),
    (
        "kit/BrokenImpl.java",
        "package kit; public class BrokenImpl extends io.btrace.core.extensions.Extension implements Broken { \
         public void initialize(io.btrace.core.extensions.ExtensionContext c) { throw new IllegalStateException(\"no disk\"); } \
         public String text() { return \"?\"; } }",
    ),
    (
        "kit/AbsentImpl.java",
        "package kit; public class AbsentImpl implements Absent { public AbsentImpl() { throw new UnsupportedOperationException(\"none\"); } \
         public double number(long a, String[] b) { return 1; } public int[] many() { return new int[1]; } public boolean is() { return true; } \
         public int compareTo(String o) { return 1; } }",
    ),
    (
        "kit/SlowImpl.java",
        "package kit; public class SlowImpl extends io.btrace.core.extensions.Extension implements Slow { \
         public void initialize(io.btrace.core.extensions.ExtensionContext c) { for (;;) { try { Thread.sleep(60000); } catch (InterruptedException e) { return; } } } \
         public int count() { return 1; } }",
    ),
];

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Kits {
    @Injected private static kit.Kit kit;
    @Injected private static kit.Running running;
    @Injected private static kit.Made made;
    @Injected private static kit.Broken broken;
    @Injected(mode = Injected.Mode.SHIM) private static kit.Broken brokenShim;
    @Injected(mode = Injected.Mode.THROW) private static kit.Broken brokenThrow;
    @Injected(optional = true) private static kit.Absent absent;
    @Injected private static user.User user;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all(String what) {
        println("version " + kit.about("version"));
        println("resource " + kit.about("resource"));
        println("services " + kit.about("services"));
        println("place " + kit.about("place"));
        println("visible " + kit.about("visible"));
        running.tell();
        println(made.how());
        println(user.use());
    }
    @OnMethod(clazz = "app.Host", method = "work")
    public static void bad(String what) { println(broken.text()); }
    @OnMethod(clazz = "app.Host", method = "work")
    public static void shims(String what) {
        println("shims " + brokenShim.text() + " " + absent.number(1L, null) + " " + absent.many() + " " + absent.is() + " " + absent.compareTo("x"));
        println(brokenThrow.text());
    }
}
"#;

const SLOW: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Slows {
    @Injected(optional = true) private static kit.Slow slow;
    @OnMethod(clazz = "app.Host", method = "slow")
    public static void slow() { println("slow " + slow.count() + " " + slow.more()); }
}
"#;

const MANIFEST: &str = "Manifest-Version: 1.0\r\nMulti-Release: true\r\nImplementation-Version: 1.2.3\r\n\r\n\
                        Name: kit/impl/\r\nImplementation-Title: T\r\nImplementation-Version: 1.2.3\r\n\r\n";

/// The zip of an extension, and the folder of its API's classes.
fn kit(work: &Path) -> (PathBuf, PathBuf) {
    let newer = work.join("newer");
    let source = ("kit/impl/V.java", "package kit.impl; class V { static int v() { return 11; } }");
    compile(&[source], &[], &newer);
    let zip = fixtures::ExtensionZip::new("kit", "1.2.3").class_path(crate::product::api_classes());
    let zip = APIS.iter().fold(zip, |zip, (path, text)| zip.api(path, text));
    let zip = IMPLEMENTATIONS.iter().fold(zip, |zip, (path, text)| zip.implementation(path, text));
    let services: Vec<String> = APIS.iter().map(|(path, _)| path.trim_end_matches(".java").replace('/', ".")).collect();
    let zip = zip
        .implementation_manifest(MANIFEST)
        .resource(
            "META-INF/versions/11/kit/impl/V.class",
            &fs_err::read(newer.join("kit/impl/V.class")).expect("a class"),
        )
        .resource("META-INF/services/kit.Kit", b"kit.impl.KitImpl # the only one\n")
        .resource("META-INF/services/java.lang.Runnable", b"kit.impl.Task\n")
        .resource("kit/impl/text.txt", b"eight ")
        .resource("META-INF/versions/9/kit/impl/text.txt", b"nine ")
        .attribute("BTrace-Extension-Services", &services.join(","))
        .attribute("BTrace-Extension-Permissions", "SYSTEM_PROPS,CLASSLOADER,REFLECTION,FILE_READ,THREADS")
        .build(work)
        .expect("an extension");
    (zip, work.join("kit-classes/api"))
}

fn agent() -> BuiltAgent {
    static PROJECT: OnceLock<AgentProject> = OnceLock::new();
    PROJECT
        .get_or_init(|| {
            let work = tempfile::tempdir().expect("a folder");
            let (kit_zip, kit_api) = kit(work.path());
            let small = |id: &str, package: &str, body: &str, requires: &[(&str, &str)]| {
                let name = format!("{}{}", package[..1].to_uppercase(), &package[1..]);
                let zip = fixtures::ExtensionZip::new(id, "1.0.0")
                    .class_path(&work.path().join("kit-classes/impl"))
                    .api(&format!("{package}/{name}.java"), &format!("package {package}; public interface {name} {{ String use(); }}"))
                    .implementation(&format!("{package}/{name}Impl.java"), body)
                    .attribute("BTrace-Extension-Services", &format!("{package}.{name}"))
                    .attribute("BTrace-Extension-Permissions", "CLASSLOADER");
                requires.iter().fold(zip, |zip, (name, value)| zip.attribute(name, value)).build(work.path()).expect("an extension")
            };
            let user = small(
                "user",
                "user",
                "package user; public class UserImpl implements User { public String use() { return \"user \" + kit.impl.Helper.help(); } }",
                &[("BTrace-Extension-Requires", "kit")],
            );
            let lone = small(
                "lone",
                "lone",
                "package lone; public class LoneImpl implements Lone { public String use() { \
                 try { return \"lone \" + kit.impl.Helper.help(); } catch (NoClassDefFoundError e) { return \"lone sees nothing\"; } } }",
                &[],
            );
            let probes = work.path().join("probes");
            compile(
                &[("trace/Kits.java", PROBE), ("trace/Slows.java", SLOW)],
                &[&kit_api, &work.path().join("user-classes/api")],
                &probes,
            );
            let lones = "package trace; import io.btrace.core.annotations.*; import static io.btrace.core.BTraceUtils.*; \
                         @BTrace public class Lones { @Injected private static lone.Lone lone; \
                         @OnMethod(clazz = \"app.Host\", method = \"work\") public static void all(String what) { println(lone.use()); } }";
            compile(&[("trace/Lones.java", lones)], &[&work.path().join("lone-classes/api")], &probes);
            let toml = "[agent]\nname = \"kits\"\nversion = \"1\"\n[[extension]]\nfile = \"kit.zip\"\n\
                        [[extension]]\nfile = \"user.zip\"\n[[extension]]\nfile = \"lone.zip\"\n\
                        [probes]\ninclude = [\"probes/**/*.class\"]\n[policy]\nallowPrivileged = true\n";
            let bytes = |path: &Path| fs_err::read(path).expect("a zip");
            AgentProject::new("kits", toml)
                .file("kit.zip", bytes(&kit_zip))
                .file("user.zip", bytes(&user))
                .file("lone.zip", bytes(&lone))
                .tree("probes", &probes)
        })
        .build()
}

fn host(test: &Test, jdk: &Jdk, probes: &str, file: &Path) -> Target {
    host_with(test, jdk, probes, file, "-Dbtrace.agent.suppressDeprecation=true")
}

fn host_with(test: &Test, jdk: &Jdk, probes: &str, file: &Path, jvm_option: &str) -> Target {
    let classes = test.compile(&[("app/Host.java", HOST)]);
    let option = format!("-javaagent:{}=probes={probes},scriptOutputFile={}", agent().jar.display(), file.display());
    Target::builder(jdk).class_path(classes).main("app.Host").jvm_option(jvm_option).jvm_option(option).launch()
}

fn work(target: &Target, lines: &[&str]) {
    for line in lines {
        target.send_line(line);
        target.wait_for_line(&format!("done {line} true"));
    }
}

const LINES: [&str; 12] = [
    "version 11 1.2.3 T",
    "resource nine -889275714",
    "services task",
    "place kits.jar",
    "visible ---+++",
    "running for trace.Kits",
    "made",
    "user helped",
    "handler trace.Kits.bad failed: java.lang.BootstrapMethodError: the service kit.Broken in the field broken cannot be used: \
     no disk; the same again is not shown",
    "shims null 0.0 null false 0",
    "handler trace.Kits.shims failed: java.lang.IllegalStateException: the service kit.Broken in the field brokenThrow cannot be \
     used: no disk; the same again is not shown",
    "lone sees nothing",
];

/// The agent's own classes come to the JVM at once, not by their loader one after the other.
#[test]
fn the_first_service_asks_no_loader_for_a_class_of_the_agent() {
    each_jdk("preload", |test, jdk| {
        let file = test.folder().join("out.txt");
        let target = host_with(test, jdk, "Lones", &file, "-Dbtrace.boot.debug=true");
        work(&target, &["a"]);
        expect_file(test, &file, &["lone sees nothing".to_owned()]);
        target.send_line("end");
        let stderr = target.wait_exit().expect_code(5).stderr;
        let asked = stderr.lines().filter_map(|line| line.strip_prefix("[BTrace Boot] agent: class "));
        let loaded: Vec<&str> = asked.filter(|line| !line.ends_with(" -> parent")).collect();
        assert!(stderr.contains("[BTrace Boot] lone: class lone.LoneImpl\n"), "{stderr}");
        assert_eq!(loaded, ["io.btrace.agent.Main -> agent"], "{stderr}");
    });
}

#[test]
fn services_are_made_once_see_their_own_and_go_with_their_loader() {
    each_jdk("services", |test, jdk| {
        test.run(fatagent().arg("verify").arg(&agent().jar)).expect_code(0);
        let file = test.folder().join("out.txt");
        let target = host(test, jdk, "Kits;Lones", &file);
        work(&target, &["a"]);
        expect_file(test, &file, &LINES.map(str::to_owned));
        jcmd_load(test, jdk, &target, &agent().jar, "off");
        let closed: Vec<String> = LINES.iter().chain(&["kit closed"]).map(|line| (*line).to_owned()).collect();
        expect_file(test, &file, &closed);
        work(&target, &["b"]);
        target.send_line("collect");
        target.wait_for_line("collected true");

        // Again, with loaders and instances of their own, and a level at which no line is left out for having been there.
        let arguments = format!("probes=Kits,scriptOutputFile={},logLevel=info", file.display());
        jcmd_load(test, jdk, &target, &agent().jar, &arguments);
        work(&target, &["c"]);
        target.send_line("end");
        let output = target.wait_exit().expect_code(5);
        let again: Vec<String> = closed
            .iter()
            .cloned()
            .chain(LINES[..11].iter().chain(&["kit closed"]).map(|line| (*line).to_owned()))
            .collect();
        expect_file(test, &file, &again);
        let lines: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("[fatagent] ")).collect();
        let told = [
            "[fatagent] probe trace.Kits: the service kit.Broken in the field brokenShim cannot be used: no disk; its calls do nothing",
            "[fatagent] probe trace.Kits: the service kit.Absent in the field absent cannot be used: \
             java.lang.UnsupportedOperationException: none; its calls do nothing",
        ];
        assert_eq!(lines, [told, told].concat(), "{}", output.stderr);
    });
}

#[test]
fn an_extension_that_hangs_is_off_and_an_error_exit_closes_services() {
    each_jdk("a slow service", |test, jdk| {
        let file = test.folder().join("out.txt");
        let target = host(test, jdk, "Kits;Slows", &file);
        work(&target, &["a", "slow"]);
        target.send_line("fail");
        let output = target.wait_exit().expect_code(1);
        let text = fs_err::read_to_string(&file).expect("output");
        assert!(text.ends_with("slow 0 0\nkit closed\n"), "{text}");
        let off = "[fatagent] extension kit is off: its service kit.Slow was not ready after 5 s; hint: what takes long belongs to a \
                   thread of its own\n";
        assert_eq!(output.stderr.matches(off).count(), 1, "{}", output.stderr);
        assert!(output.stderr.contains("IllegalStateException: the application's own failure"), "{}", output.stderr);
    });
}
