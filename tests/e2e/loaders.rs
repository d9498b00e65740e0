//! Class loaders that do not know us: one that delegates `java.*` only, `OSGi`, and the JDK's own classes.

use crate::harness::{AgentProject, BuiltAgent, Target, each_jdk, each_jdk_of, maven_artifact};
use crate::product::{compile, expect_file};
use std::path::Path;

const TOML: &str = "[agent]\nname = \"bundle-agent\"\nversion = \"1\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n";

/// An agent with one probe that prints each call of `bundle.Service.work`.
fn bundle_agent() -> BuiltAgent {
    with_probe(
        "BundleProbe",
        r#"import io.btrace.core.annotations.*; import static io.btrace.core.BTraceUtils.*;
@BTrace public class BundleProbe {
    @OnMethod(clazz = "bundle.Service", method = "work", location = @Location(Kind.RETURN))
    public static void work(@Return int result, @Duration long d) { println("worked " + result); }
    @OnMethod(clazz = "bundle.Service", method = "fail", location = @Location(Kind.ERROR))
    public static void fail(@TargetInstance Throwable t) { println("failed " + t.getMessage()); }
}"#,
    )
}

fn with_probe(name: &str, source: &str) -> BuiltAgent {
    let out = tempfile::tempdir().expect("a folder");
    compile(&[(&format!("{name}.java"), source)], &[], out.path());
    AgentProject::new("bundle-agent", TOML).tree("probes", out.path()).build()
}

const SERVICE: (&str, &str) = (
    "bundle/Service.java",
    r#"package bundle;
public class Service implements Runnable {
    public void run() {
        System.out.println("work " + work(4));
        try { fail(); } catch (IllegalArgumentException e) { System.out.println("caught " + e.getMessage()); }
    }
    static int work(int n) { return n * 2; }
    static void fail() { throw new IllegalArgumentException("no luck"); }
}"#,
);

#[test]
fn a_loader_that_delegates_only_java_packages_is_woven() {
    each_jdk("java.* only", |test, jdk| {
        let host = r#"import java.io.*; import java.nio.file.*;
public class Host extends ClassLoader {
    final Path folder;
    Host(Path folder) { super(Host.class.getClassLoader()); this.folder = folder; }
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> c = findLoadedClass(name);
            if (c != null) return c;
            if (name.startsWith("java.")) return super.loadClass(name, resolve);
            try {
                byte[] b = Files.readAllBytes(folder.resolve(name.replace('.', '/') + ".class"));
                return defineClass(name, b, 0, b.length);
            } catch (IOException e) { throw new ClassNotFoundException(name, e); }
        }
    }
    public static void main(String[] a) throws Exception {
        Runnable r = (Runnable) new Host(Paths.get(a[0])).loadClass("bundle.Service").getConstructor().newInstance();
        r.run();
        r.run();
    }
}"#;
        let bundle = test.compile(&[SERVICE]);
        let classes = test.compile(&[("Host.java", host)]);
        let file = test.folder().join("out.txt");
        let output = Target::builder(jdk)
            .class_path(classes)
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option(option(&bundle_agent(), "BundleProbe", &file))
            .main("Host")
            .arg(bundle)
            .launch()
            .wait_exit()
            .expect_code(0);
        assert_eq!(output.stdout, "work 8\ncaught no luck\n".repeat(2));
        assert_eq!(output.stderr, "");
        let lines = ["worked 8", "failed no luck", "worked 8", "failed no luck"].map(str::to_owned);
        expect_file(test, &file, &lines);
    });
}

/// Apache Felix, with the framework's own strict delegation.
#[test]
fn in_apache_felix_the_handler_fires_and_the_bundle_sees_no_error() {
    each_jdk_of(&[17], "felix", |test, jdk| {
        let felix = maven_artifact("org.apache.felix:org.apache.felix.framework:7.0.5");
        let activator = r"package bundle;
public class Activator implements org.osgi.framework.BundleActivator {
    public void start(org.osgi.framework.BundleContext context) { new Service().run(); }
    public void stop(org.osgi.framework.BundleContext context) {}
}";
        let host = r#"import java.util.*; import org.osgi.framework.*; import org.osgi.framework.launch.*;
public class Host {
    public static void main(String[] a) throws Exception {
        Map<String, String> config = new HashMap<>();
        config.put("org.osgi.framework.storage", a[1]);
        Framework framework = ServiceLoader.load(FrameworkFactory.class).iterator().next().newFramework(config);
        framework.start();
        Bundle bundle = framework.getBundleContext().installBundle(new java.io.File(a[0]).toURI().toString());
        bundle.start();
        try { bundle.loadClass("io.btrace.runtime.IndyDispatcher"); System.out.println("visible"); }
        catch (ClassNotFoundException e) { System.out.println("not visible"); }
        framework.stop();
        framework.waitForStop(20000);
        System.exit(0);
    }
}"#;
        let felix_path = felix.to_str().expect("UTF-8");
        let options = ["--release", "11", "-Xlint:-options", "-cp", felix_path];
        let bundle = test.compile_with(&[SERVICE, ("bundle/Activator.java", activator)], &options);
        let jar = test.folder().join("bundle.jar");
        fixtures::Jar::new()
            .attributes(&[
                ("Bundle-ManifestVersion", "2"),
                ("Bundle-SymbolicName", "bundle"),
                ("Bundle-Version", "1.0.0"),
                ("Bundle-Activator", "bundle.Activator"),
                ("Import-Package", "org.osgi.framework"),
            ])
            .tree(&bundle)
            .and_then(|j| j.write(&jar))
            .expect("a bundle");
        let classes = test.compile_with(&[("Host.java", host)], &options);
        let file = test.folder().join("out.txt");
        let output = Target::builder(jdk)
            .class_path(classes)
            .class_path(&felix)
            .jvm_option(option(&bundle_agent(), "BundleProbe", &file))
            .main("Host")
            .arg(jar)
            .arg(test.folder().join("storage"))
            .launch()
            .wait_exit()
            .expect_code(0);
        assert_eq!(output.stdout, "work 8\ncaught no luck\nnot visible\n", "{}", output.stderr);
        expect_file(test, &file, &["worked 8".to_owned(), "failed no luck".to_owned()]);
    });
}

/// Inside the JDK an invokedynamic would recurse into its own linking: trampolines, with a guard.
#[test]
fn classes_of_the_jdk_are_woven_with_direct_calls() {
    each_jdk("JDK classes", |test, jdk| {
        let agent = with_probe(
            "JdkProbe",
            r#"import io.btrace.core.annotations.*; import io.btrace.core.types.AnyType;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class JdkProbe {
    @OnMethod(clazz = "java.util.BitSet", method = "set", type = "void (int, int)")
    public static void set(@Self Object self, int from, int to) { println("set " + from + " " + to); }
    @OnMethod(clazz = "java.lang.Math", method = "scalb", location = @Location(Kind.RETURN))
    public static void scalb(@Return double r, double d, int n, @Duration long t) {
        // The JDK calls it for itself as well.
        if (d == 1.5) println("scalb " + r + " " + n + " " + (t >= 0));
    }
    @OnMethod(clazz = "/java\\.util\\.(HashMap|ArrayList)/", method = "/.*/")
    public static void any(@ProbeMethodName String m) { }
    @OnMethod(clazz = "java.util.ArrayList", method = "get", location = @Location(Kind.ERROR))
    public static void get(@TargetInstance Throwable t, AnyType[] all) { println("get " + (t instanceof IndexOutOfBoundsException) + " " + all.length + " " + all[0]); }
}"#,
        );
        let main = r#"import java.util.*;
public class Main {
    public static void main(String[] a) {
        BitSet set = new BitSet();
        set.set(2, 5);
        double d = 0;
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; i < 20000; i++) { map.put(i, "x" + i); }
        d = Math.scalb(1.5, 2);
        try { new ArrayList<String>().get(3); } catch (IndexOutOfBoundsException e) { System.out.println("out of bounds"); }
        System.out.println(set + " " + d + " " + map.size());
    }
}"#;
        let classes = test.compile(&[("Main.java", main)]);
        let file = test.folder().join("out.txt");
        let output = Target::builder(jdk)
            .class_path(classes)
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option(option(&agent, "JdkProbe", &file))
            .main("Main")
            .launch()
            .wait_exit()
            .expect_code(0);
        assert_eq!(output.stdout, "out of bounds\n{2, 3, 4} 6.0 20000\n");
        assert_eq!(output.stderr, "");
        expect_file(test, &file, &["set 2 5", "scalb 6.0 2 true", "get true 1 3"].map(str::to_owned));
    });
}

fn option(agent: &BuiltAgent, probe: &str, file: &Path) -> String {
    format!("-javaagent:{}=probes={probe},scriptOutputFile={}", agent.jar.display(), file.display())
}

/// A pattern that covers everything covers the probe and its extensions too; weaving those would call the handler from
/// inside the handler.
#[test]
fn our_own_classes_are_left_alone_by_patterns_that_cover_everything() {
    each_jdk("everything", |test, jdk| {
        let agent = with_probe(
            "EverythingProbe",
            r#"import io.btrace.core.annotations.*;
@BTrace public class EverythingProbe {
    @OnMethod(clazz = "/(?!java|jdk|sun).*/", method = "/.*/")
    public static void bad() { }
}"#,
        );
        let file = test.folder().join("out.txt");
        let classes = test.compile(&[
            SERVICE,
            ("Main.java", "public class Main { public static void main(String[] a) { new bundle.Service().run(); } }"),
        ]);
        let output = Target::builder(jdk)
            .class_path(&classes)
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option(option(&agent, "EverythingProbe", &file))
            .main("Main")
            .launch()
            .wait_exit()
            .expect_code(0);
        // Look-around is not known; the message says so and the application runs.
        assert_eq!(output.stdout, "work 8\ncaught no luck\n");
        assert!(output.stderr.contains("has a bad pattern") && output.stderr.contains("hint: "), "{}", output.stderr);

        let agent = with_probe(
            "AllProbe",
            r#"import io.btrace.core.annotations.*;
@BTrace public class AllProbe {
    private static int depth;
    @OnMethod(clazz = "/[A-Zbt].*/", method = "/.*/")
    public static void all(@ProbeClassName String type) {
        if (++depth > 1) throw new IllegalStateException("woven itself");
        helper();
        depth--;
    }
    private static void helper() {}
}"#,
        );
        let woven = test.folder().join("woven");
        let arguments = format!("{},dumpClasses=true,dumpDir={}", option(&agent, "AllProbe", &file), woven.display());
        let output = Target::builder(jdk)
            .class_path(&classes)
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option(arguments)
            .main("Main")
            .launch()
            .wait_exit()
            .expect_code(0);
        assert_eq!(output.stdout, "work 8\ncaught no luck\n");
        assert_eq!(output.stderr, "");
        assert!(woven.join("Main.class").is_file() && woven.join("bundle/Service.class").is_file());
        assert!(!woven.join("AllProbe.class").exists());
        assert_eq!(fs_err::read_to_string(&file).unwrap_or_default(), "", "no handler failed");
    });
}
