//! An agent whose bootstrap part loads the rest from a section, as vendors' agents do.

use std::sync::OnceLock;

use fixtures::Jar;

use crate::run::Run;
use crate::work::{RELEASE_8, Work};

/// Where the loader reads is in system properties, so that one source serves all layouts.
const PREMAIN: &str = r#"package acme.boot;
import java.io.File;
import java.lang.instrument.Instrumentation;
public class Premain {
    public static void premain(String arguments, Instrumentation i) throws Exception { start(arguments); }
    public static void agentmain(String arguments, Instrumentation i) throws Exception { start(arguments); }
    private static void start(String arguments) throws Exception {
        File jar = new File(Premain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String[] parts = arguments.split(",");
        Loader loader = new Loader(jar, parts[0], parts[1], parts[2].equals("root"));
        loader.loadClass(parts[3]).getMethod("start").invoke(null);
    }
}"#;
const LOADER: &str = r#"package acme.boot;
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.jar.*;
public class Loader extends ClassLoader {
    private final File file; private final JarFile jar; private final String folder, suffix; private final boolean root;
    private final int java = (int) Double.parseDouble(System.getProperty("java.specification.version"));
    Loader(File file, String folder, String suffix, boolean root) throws IOException {
        super(null);
        this.file = file; this.jar = new JarFile(file); this.folder = folder; this.suffix = suffix; this.root = root;
    }
    private String find(String name) {
        for (int version = java; version >= 9; version--) {
            String copies = "META-INF/versions/" + version + "/";
            String path = root ? copies + folder + name : folder + copies + name;
            if (jar.getEntry(path) != null) return path;
        }
        return jar.getEntry(folder + name) == null ? null : folder + name;
    }
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (name.startsWith("acme.boot.")) return Loader.class.getClassLoader().loadClass(name);
        String path = find(name.replace('.', '/') + suffix);
        if (path == null) throw new ClassNotFoundException(name);
        try {
            InputStream in = jar.getInputStream(jar.getEntry(path));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int n; (n = in.read(buffer)) > 0; ) out.write(buffer, 0, n);
            return defineClass(name, out.toByteArray(), 0, out.size());
        } catch (IOException e) { throw new ClassNotFoundException(name, e); }
    }
    protected URL findResource(String name) {
        String path = find(name);
        try { return path == null ? null : new URL("jar:" + file.toURI() + "!/" + path); }
        catch (MalformedURLException e) { throw new IllegalStateException(e); }
    }
    protected Enumeration<URL> findResources(String name) {
        URL url = findResource(name);
        return url == null ? Collections.<URL>emptyEnumeration() : Collections.enumeration(Collections.singleton(url));
    }
}"#;
const START: &str = r#"package acme.agent;
import java.util.*;
public class Start {
    public static void start() throws Exception {
        ClassLoader own = Start.class.getClassLoader();
        StringBuilder out = new StringBuilder("agent in " + own.getClass().getSimpleName() + ", copy " + Copy.value());
        for (Spi spi : ServiceLoader.load(Spi.class, own)) out.append(", ").append(spi.getClass().getSimpleName());
        Scanner text = new Scanner(own.getResourceAsStream("acme/agent/text.txt"));
        out.append(", ").append(text.nextLine());
        try { Class.forName("acme.agent.Start", false, ClassLoader.getSystemClassLoader()); out.append(", visible"); }
        catch (ClassNotFoundException e) { out.append(", hidden"); }
        System.out.println(out);
    }
}"#;
const COPY: &str = "package acme.agent; public class Copy { public static int value() { return NUMBER; } }";
const SPI: &str = "package acme.agent; public interface Spi { }";
const ONE: &str = "package acme.agent; public class One implements Spi { }";
const TWO: &str = "package acme.more; public class Two implements acme.agent.Spi { }";
const EXTRA: &str = r#"package acme.extra; public class Extra implements acme.agent.Spi {
    public static void start() { System.out.println("extra in " + Extra.class.getClassLoader().getClass().getSimpleName()); }
}"#;
const APP: &str = r#"package app; public class App {
    public static void main(String[] a) { System.out.println("application"); }
}"#;

/// Attributes that start the agent.
pub(crate) const ATTRIBUTES: &str = "[manifest]\nattributes = { Premain-Class = \"acme.boot.Premain\", Agent-Class = \
                                     \"acme.boot.Premain\" }\n";
/// `[bootstrap]` with the agent's bootstrap jar.
pub(crate) const BOOT: &str = "[bootstrap]\nfrom = [\"boot.jar\"]\n";
/// The head of an `agent.toml`.
pub(crate) const HEAD: &str = "name = \"acme\"\nversion = \"1.4.0\"\nlayout = \"foreign\"\n";

/// A folder with the jars of the agent: `boot.jar`, `agent.jar` with versioned copies, `more.jar` with a second provider,
/// `extra.jar`, and the application's `app.jar`.
pub(crate) fn work() -> Work {
    static JARS: OnceLock<Work> = OnceLock::new();
    let made = JARS.get_or_init(make);
    let work = Work::new();
    for name in ["boot.jar", "agent.jar", "more.jar", "extra.jar", "app.jar"] {
        fs_err::copy(made.path(name), work.path(name)).unwrap();
    }
    work
}

fn make() -> Work {
    let work = Work::new();
    let copy = |number: &str| {
        let source = COPY.replace("NUMBER", number);
        work.class(&[("acme/agent/Copy.java", &source)], &RELEASE_8, "acme/agent/Copy.class")
    };
    let sources = [
        ("acme/boot/Premain.java", PREMAIN),
        ("acme/boot/Loader.java", LOADER),
        ("acme/agent/Start.java", START),
        ("acme/agent/Copy.java", &COPY.replace("NUMBER", "8")),
        ("acme/agent/Spi.java", SPI),
        ("acme/agent/One.java", ONE),
        ("acme/more/Two.java", TWO),
        ("acme/extra/Extra.java", EXTRA),
        ("app/App.java", APP),
    ];
    let classes = work.path("classes");
    fixtures::javac(&sources, &RELEASE_8, &classes).unwrap();
    let of = |package: &str| {
        let own = |name: &str| name.starts_with(package).then(|| name.to_owned());
        Jar::new().tree_as(&classes, own).unwrap()
    };
    work.jar("boot.jar", &of("acme/boot/").attribute("Premain-Class", "other.Name"));
    work.jar(
        "agent.jar",
        &of("acme/agent/")
            .attribute("Multi-Release", "true")
            .file("META-INF/versions/11/acme/agent/Copy.class", &copy("11"))
            .file("META-INF/versions/9/acme/agent/Copy.class", &copy("9"))
            .file("META-INF/services/acme.agent.Spi", b"acme.agent.One")
            .file("acme/agent/text.txt", b"text\n")
            .file("META-INF/INDEX.LIST", b"stale"),
    );
    let providers = b"# more\nacme.more.Two\nacme.agent.One\n";
    work.jar("more.jar", &of("acme/more/").file("META-INF/services/acme.agent.Spi", providers));
    work.jar("extra.jar", &of("acme/extra/").file("META-INF/services/acme.agent.Spi", b"acme.extra.Extra"));
    work.jar("app.jar", &of("app/"));
    work
}

/// Writes `agent.toml`: `top` comes before `[agent]`, `of_agent` into it.
pub(crate) fn toml(work: &Work, top: &str, of_agent: &str, rest: &str) {
    fs_err::write(work.path("agent.toml"), format!("{top}[agent]\n{HEAD}{of_agent}{rest}")).unwrap();
}

/// A section of `agent.jar` and `more.jar`.
pub(crate) fn section(path: &str, more: &str) -> String {
    format!("[[section]]\npath = \"{path}\"\nfrom = [\"agent.jar\", \"more.jar\"]\n{more}")
}

/// Builds `out.jar`, which must succeed and pass `verify`; returns standard error of the build.
#[track_caller]
pub(crate) fn build(work: &Work, arguments: &[&str]) -> String {
    let run = work.fatagent(&[&["build", "-o", "out.jar"], arguments].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "out.jar\n"), "{}", run.stderr);
    let checked = work.fatagent(&["verify", "out.jar"]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    run.stderr
}

/// Builds, which must fail and leave nothing; returns standard error.
#[track_caller]
pub(crate) fn refused(work: &Work) -> String {
    let Run { code, stdout, stderr } = work.fatagent(&["build", "-o", "refused.jar"]);
    assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
    assert!(!work.path("refused.jar").exists(), "{stderr}");
    assert!(stderr.lines().any(|line| line.starts_with("hint: ")), "no hint: {stderr}");
    stderr
}

/// Starts the application with the agent on each JDK; `arguments` tell the loader where to read.
#[track_caller]
pub(crate) fn expect(work: &Work, arguments: &str, agent: &str) {
    let option = format!("-javaagent:out.jar={arguments}");
    work.java(&[&option, "-cp", "app.jar", "app.App"], &format!("{agent}\napplication\n"));
}

/// What the agent says.
pub(crate) fn says(copy: u32, providers: &str) -> String {
    format!("agent in Loader, copy {copy}, {providers}, text, hidden")
}
