//! `fatagent extension check`: real extensions against real releases of a library, all compiled by javac.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use fixtures::{ExtensionZip, Jar};
use serde_json::Value;
use tempfile::TempDir;

/// How long one program may run.
const LIMIT: Duration = Duration::from_mins(2);
const JAVA_8: [&str; 2] = ["--release", "8"];

/// The first release of a library.
const FIRST: [(&str, &str); 4] = [
    (
        "org/app/Job.java",
        "package org.app; public class Job extends Base { public int id() { return 1; } public static Job of(String n) { return null; }
         public String name; public Job() {} protected void run(int[] a, String b) {} void inner() {} @Watched public void go() {} }",
    ),
    ("org/app/Base.java", "package org.app; public class Base { public long started() { return 0; } public static final int MAX = new Object().hashCode(); }"),
    ("org/app/Watched.java", "package org.app; public @interface Watched {}"),
    ("org/app/Optional.java", "package org.app; public class Optional {}"),
];

/// The second release: members changed in every way that breaks an extension.
const SECOND: [(&str, &str); 4] = [
    (
        "org/app/Job.java",
        "package org.app; public class Job extends Base { public long id() { return 1; } public Job of(String n) { return null; }
         String name; public Job(int i) {} protected void run(int[] a, Object b) {} public void gone() {} }",
    ),
    ("org/app/Base.java", "package org.app; public class Base { long started() { return 0; } }"),
    ("org/app/Watched.java", "package org.app; public @interface Watched {}"),
    ("org/app/Other.java", "package org.app; public class Other { void inner() {} }"),
];

const HELPERS: [(&str, &str); 3] = [
    (
        "io/btrace/extension/util/ClassLoadingUtil.java",
        "package io.btrace.extension.util; public class ClassLoadingUtil {
         public static Class<?> load(String n, ClassLoader l) { return null; } public static Class<?> tryLoad(String n, ClassLoader l) { return null; } }",
    ),
    (
        "io/btrace/extension/util/MethodHandleCache.java",
        "package io.btrace.extension.util; public class MethodHandleCache {
         public java.lang.invoke.MethodHandle findVirtual(Class<?> c, String n, Class<?> r, Class<?>... p) { return null; } }",
    ),
    (
        "io/btrace/core/annotations/OnMethod.java",
        "package io.btrace.core.annotations; public @interface OnMethod { String clazz(); String method() default \"\"; String type() default \"\";
         Location location() default @Location; @interface Location { String clazz() default \"\"; String method() default \"\"; String field() default \"\"; } }",
    ),
];

const API: (&str, &str) = ("acme/Jobs.java", "package acme; public interface Jobs { void on(Object job); }");

/// An implementation that asks for everything of the first release, in each way there is.
const IMPLEMENTATION: (&str, &str) = (
    "acme/JobsImpl.java",
    "package acme;
     import io.btrace.extension.util.*; import java.lang.invoke.*; import org.app.*;
     public class JobsImpl implements Jobs {
       private final MethodHandleCache cache = new MethodHandleCache();
       public void on(Object job) { direct((Job) job); }
       int direct(Job job) { Job.of(job.name); return job.id() + Job.MAX; }
       long inherited(Job job) { return job.started(); }
       java.util.function.Supplier<Object> reference() { return Job::new; }
       void cached(ClassLoader l) throws Throwable {
         Class<?> job = ClassLoadingUtil.load(\"org.app.Job\", l);
         cache.findVirtual(job, \"id\", int.class);
       }
       void handles(ClassLoader l) throws Throwable {
         Class<?> job = Class.forName(\"org.app.Job\", false, l);
         MethodHandles.publicLookup().findConstructor(job, MethodType.methodType(void.class));
         MethodHandles.publicLookup().findStatic(job, \"of\", MethodType.methodType(Job.class, String.class));
         MethodHandles.publicLookup().findGetter(job, \"name\", String.class);
       }
       void reflection(ClassLoader l) throws Throwable {
         Class<?> job = l.loadClass(\"org.app.Job\");
         job.getDeclaredMethod(\"run\", int[].class, String.class);
         job.getDeclaredMethod(\"inner\");
         job.getField(\"name\");
       }
       void may(ClassLoader l) { ClassLoadingUtil.tryLoad(\"org.app.Optional\", l); }
       void computed(String n, ClassLoader l) throws Throwable { Class.forName(n, false, l); l.loadClass(\"org.app.Job\"); }
       void jdk() throws Throwable { Class.forName(\"java.util.ArrayList\").getMethod(\"nothing\"); }
     }",
);

const PROBE: (&str, &str) = (
    "demo/Trace.java",
    "package demo; import io.btrace.core.annotations.OnMethod;
     public class Trace {
       @OnMethod(clazz = \"org.app.Job\", method = \"id\", type = \"int ()\") public static void exact() {}
       @OnMethod(clazz = \"/org\\\\.app\\\\.J.*/\", method = \"/go|ran/\") public static void regex() {}
       @OnMethod(clazz = \"+org.app.Base\", method = \"inner\") public static void below() {}
       @OnMethod(clazz = \"/.*/\", method = \"@org.app.Watched\") public static void annotated() {}
       @OnMethod(clazz = \"org.app.Job\", method = \"id\", location = @OnMethod.Location(clazz = \"org.app.Base\", method = \"started\")) public static void call() {}
       @OnMethod(clazz = \"java.lang.Thread\", method = \"nothing\") public static void jdk() {}
     }",
);

/// A folder with both releases, as classes and as jars, and the helpers of the extension API.
fn compiled() -> &'static Path {
    static COMPILED: OnceLock<TempDir> = OnceLock::new();
    let folder = COMPILED.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for (name, sources) in [("first", &FIRST[..]), ("second", &SECOND[..]), ("helpers", &HELPERS[..])] {
            let classes = folder.path().join(name);
            fixtures::javac(sources, &JAVA_8, &classes).unwrap();
            Jar::new().tree(&classes).unwrap().write(&folder.path().join(format!("{name}.jar"))).unwrap();
        }
        folder
    });
    folder.path()
}

struct Work {
    folder: TempDir,
}

impl Work {
    /// Both releases as `first.jar` and `second.jar`, and the extension as `jobs-1.0.0-extension.zip`.
    fn new(implementation: (&str, &str), probe: (&str, &str)) -> Self {
        let work = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["first", "second"] {
            let jar = format!("{name}.jar");
            fs_err::copy(compiled().join(&jar), work.path(&jar)).unwrap();
        }
        let class_path = compiled().join("helpers").display().to_string();
        fixtures::javac(&[probe], &[&JAVA_8[..], &["-cp", &class_path]].concat(), &work.path("probe")).unwrap();
        let trace = fs_err::read(work.path("probe/demo/Trace.class")).unwrap();
        ExtensionZip::new("jobs", "1.0.0")
            .class_path(&compiled().join("first"))
            .class_path(&compiled().join("helpers"))
            .api(API.0, API.1)
            .implementation(implementation.0, implementation.1)
            .resource("META-INF/services/acme.Jobs", b"acme.JobsImpl\n")
            .resource("META-INF/btrace-probes/demo/Trace.class", &trace)
            .attribute("BTrace-Extension-Services", "acme.Jobs")
            .attribute("BTrace-Extension-Permissions", "REFLECTION")
            .build(&work.path(""))
            .unwrap();
        work
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
        let all = [&["extension", "check", "jobs-1.0.0-extension.zip"], arguments].concat();
        command.current_dir(self.folder.path()).args(all).env("HOME", self.folder.path());
        let output = fixtures::run(&mut command, LIMIT).unwrap();
        (output.status.code(), output.stdout, output.stderr)
    }
}

#[test]
fn a_release_that_has_everything_passes() {
    let work = Work::new(IMPLEMENTATION, PROBE);
    let (code, stdout, stderr) = work.run(&["--against", "first.jar", "-v"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("missing: 0, not checked: 0"), "{stdout}");
    assert!(stderr.contains("computed and cannot be checked: 1"), "{stderr}");
    assert!(stderr.contains("not checked, computed: acme.JobsImpl.computed: java.lang.Class.forName"), "{stderr}");
}

#[test]
fn what_a_release_lacks_is_named_with_place_and_reason() {
    let work = Work::new(IMPLEMENTATION, PROBE);
    let (code, stdout, stderr) = work.run(&["--against", "first.jar,second.jar"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("error: extension `jobs` does not fit all releases, unresolved: "), "{stderr}");
    assert!(stderr.contains("releases: 1") && stderr.contains("hint: "), "{stderr}");
    let (_, second) = stdout.split_once("second.jar: ").unwrap();
    for line in [
        "reference method `org.app.Job.id()I` at acme.JobsImpl.direct: it has other types there: `()J`",
        "reference method `org.app.Job.of(Ljava/lang/String;)Lorg/app/Job;` at acme.JobsImpl.direct: `org.app.Job.of` is not static",
        "reference field `org.app.Job.name Ljava/lang/String;` at acme.JobsImpl.direct: `org.app.Job.name` is not public",
        "reference field `org.app.Job.MAX I` at acme.JobsImpl.direct: there is no field of that name",
        "reference method `org.app.Job.started()J` at acme.JobsImpl.inherited: `org.app.Base.started` is not public",
        "reference constructor `org.app.Job.<init>()V` at acme.JobsImpl: it has other types there: `(I)V`",
        "look-up method `org.app.Job.id()I` at acme.JobsImpl.cached: it has other types there: `()J`",
        "look-up constructor `org.app.Job.<init>()V` at acme.JobsImpl.handles: it has other types there: `(I)V`",
        "look-up method `org.app.Job.of(Ljava/lang/String;)Lorg/app/Job;` at acme.JobsImpl.handles: `org.app.Job.of` is not static",
        "look-up field `org.app.Job.name Ljava/lang/String;` at acme.JobsImpl.handles: `org.app.Job.name` is not public",
        "look-up method `org.app.Job.run([ILjava/lang/String;)` at acme.JobsImpl.reflection: \
         it has other types there: `([ILjava/lang/Object;)V`",
        "look-up method `org.app.Job.inner()` at acme.JobsImpl.reflection: there is no method of that name",
        "look-up field `org.app.Job.name` at acme.JobsImpl.reflection: `org.app.Job.name` is not public",
        "look-up class `org.app.Optional` at acme.JobsImpl.may, which may be missing: there is no class `org.app.Optional`",
        "probe pattern `org.app.Job`, method `id`, type `int()` at demo.Trace.exact: the class has no method `id` with type `int()`",
        "probe pattern `/org\\.app\\.J.*/`, method `/go|ran/` at demo.Trace.regex: the class has no method `/go|ran/`",
        "probe pattern `+org.app.Base`, method `inner` at demo.Trace.below: the class has no method `inner`",
        "probe pattern `/.*/`, method `@org.app.Watched` at demo.Trace.annotated: \
         the 4 classes that match have no method `@org.app.Watched`",
    ] {
        assert!(second.contains(line), "{line}\n{second}");
    }
    assert!(!second.contains("java.lang") || !second.contains("Trace.jdk"), "{second}");
}

#[test]
fn json_has_every_release_and_what_it_lacks() {
    let work = Work::new(IMPLEMENTATION, PROBE);
    let (code, stdout, _) =
        work.run(&["--message-format", "json", "--against", "first.jar", "--against", "second.jar"]);
    assert_eq!(code, Some(1));
    let check: Value = serde_json::from_str(stdout.lines().next().unwrap()).unwrap();
    assert_eq!((check["reason"].as_str(), check["extension"].as_str()), (Some("check"), Some("jobs")));
    assert_eq!(check["releases"][0]["missing"].as_array().unwrap().len(), 0);
    let missing = check["releases"][1]["missing"].as_array().unwrap();
    let optional: Vec<&Value> = missing.iter().filter(|one| one["optional"] == true).collect();
    assert_eq!(optional.len(), 1);
    assert_eq!(optional[0]["kind"], "look-up");
}

#[test]
fn only_what_may_be_missing_is_missing() {
    let source = "package acme; import io.btrace.extension.util.*; public class JobsImpl implements Jobs {
        public void on(Object job) { ClassLoadingUtil.tryLoad(\"org.app.Optional\", null); } }";
    let probe = "package demo; public class Trace {}";
    let work = Work::new((IMPLEMENTATION.0, source), (PROBE.0, probe));
    let (code, stdout, stderr) = work.run(&["--against", "second.jar"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("second.jar: resolved: 0, missing: 1, not checked: 0"), "{stdout}");

    // Nor are members of a class that may be missing needed.
    let source = "package acme; import io.btrace.extension.util.*; public class JobsImpl implements Jobs {
        public void on(Object job) {
          Class<?> optional = ClassLoadingUtil.tryLoad(\"org.app.Optional\", null);
          if (optional != null) try { optional.getMethod(\"gone\"); } catch (Exception e) { }
        } }";
    let work = Work::new((IMPLEMENTATION.0, source), (PROBE.0, probe));
    let (code, stdout, stderr) = work.run(&["--against", "second.jar"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(
        stdout.contains("method `org.app.Optional.gone()` at acme.JobsImpl.on, which may be missing: "),
        "{stdout}"
    );
    let loaded = source.replace("tryLoad", "load");
    let work = Work::new((IMPLEMENTATION.0, &loaded), (PROBE.0, probe));
    assert_eq!(work.run(&["--against", "second.jar"]).0, Some(1));
}

#[test]
fn supertypes_outside_are_told_and_other_jars_help() {
    let work = Work::new(IMPLEMENTATION, PROBE);
    let (mut base, mut rest) = (Jar::new(), Jar::new());
    for name in
        fixtures::entry_names(&work.path("first.jar")).unwrap().iter().filter(|name| !name.starts_with("META-INF/"))
    {
        let bytes = fixtures::read_entry(&work.path("first.jar"), name).unwrap();
        if name.ends_with("Base.class") {
            base = base.file(name, &bytes);
        } else {
            rest = rest.file(name, &bytes);
        }
    }
    base.write(&work.path("base.jar")).unwrap();
    rest.write(&work.path("rest.jar")).unwrap();
    let (_, stdout, stderr) = work.run(&["--against", "rest.jar", "-v"]);
    assert!(
        stderr.contains("not checked in rest.jar: method `org.app.Job.started()J`: `org.app.Base` is outside"),
        "{stderr}"
    );
    assert!(stdout.contains("class `org.app.Base`"), "{stdout}");
    let (code, stdout, stderr) = work.run(&["--against", "rest.jar", "--class-path", "base.jar"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let (code, stdout, _) = work.run(&["--against", "second.jar", "--ignore", "org.app"]);
    assert_eq!(code, Some(1), "patterns without a name stay: {stdout}");
    assert!(!stdout.contains("reference method"), "{stdout}");
    let patterns = ["--ignore", "/org\\.app", "--ignore", "/.*/"];
    let (code, stdout, stderr) =
        work.run(&[&["--against", "first.jar,second.jar", "--ignore", "org.app.Job"], &patterns[..]].concat());
    assert_eq!(code, Some(1));
    assert!(!stdout.contains("/org") && !stdout.contains("/.*/") && stdout.contains("`+org.app.Base`"), "{stdout}");
    assert!(stderr.contains("beginnings of probe patterns such as `/org\\.acme`"), "{stderr}");
    let (code, stdout, stderr) = work.run(
        &[&["--against", "first.jar,second.jar", "--ignore", "org.app", "--ignore", "+org"], &patterns[..]].concat(),
    );
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stderr.contains("names nothing that an application's library could have"), "{stderr}");
}

#[test]
fn releases_come_from_the_local_repository() {
    let work = Work::new(IMPLEMENTATION, PROBE);
    let (code, _, stderr) = work.run(&["--against", "org.app:job:1.0"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("the local Maven repository does not have `org.app:job:1.0`"), "{stderr}");
    let folder = work.path(".m2/repository/org/app/job/1.0");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::copy(work.path("first.jar"), folder.join("job-1.0.jar")).unwrap();
    let (code, stdout, stderr) = work.run(&["--against", "org.app:job:1.0"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("org.app:job:1.0: resolved: "), "{stdout}");
}

#[test]
fn bad_input_is_an_error() {
    let bad = "package demo; import io.btrace.core.annotations.OnMethod;
        public class Trace { @OnMethod(clazz = \"/org(/\", method = \"x\") public static void a() {} }";
    let work = Work::new(IMPLEMENTATION, (PROBE.0, bad));
    let refused = |arguments: &[&str], message: &str| {
        let (code, _, stderr) = work.run(arguments);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains(message) && stderr.contains("hint: "), "{stderr}");
    };
    refused(&["--against", "first.jar"], "`demo.Trace.a` has a pattern that cannot be used: `/org(/`: ");
    let work = Work::new(IMPLEMENTATION, PROBE);
    let refused = |arguments: &[&str], message: &str| {
        let (code, _, stderr) = work.run(arguments);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains(message), "{stderr}");
    };
    refused(&["--against", "none.jar"], "file does not exist: `none.jar`");
    truncate(&work.path("first.jar"));
    refused(&["--against", "first.jar"], "jar is cut short: `first.jar`");
    let source = "package acme; public class JobsImpl implements Jobs { public void on(Object job) {} }";
    let work = Work::new((IMPLEMENTATION.0, source), (PROBE.0, "package demo; public class Trace {}"));
    let (code, _, stderr) = work.run(&["--against", "first.jar"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("extension `jobs` names nothing that an application's library could have"), "{stderr}");
}

fn truncate(path: &Path) {
    let bytes = fs_err::read(path).unwrap();
    fs_err::write(path, &bytes[..bytes.len() / 2]).unwrap();
}
