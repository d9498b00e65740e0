//! Native libraries of extensions, loaded by name: put where the JVM takes them, one copy for each loader.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::bad_input::mounted;
use crate::harness::{AgentProject, Builder, Jdk, Target, each_jdk};
use crate::product::{api_classes, compile, jcmd_load, library};

/// Counts in a variable of its own, so that a library that is loaded anew begins anew.
const LIBRARY: &str = "#![allow(non_snake_case)]
static COUNT: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(0);
#[unsafe(no_mangle)]
pub extern \"C\" fn Java_counting_CountingImpl_next(_: *const u8, _: *const u8) -> i32 {
    COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1
}
";

const SERVICE: &str = "package counting; public interface Counting { String say(); }";
const IMPLEMENTATION: &str = r#"package counting;
public final class CountingImpl implements Counting {
    static { System.loadLibrary("counting"); System.loadLibrary("counting"); System.loadLibrary("anywhere"); }
    private static native int next();
    public String say() { return next() + " " + missing(); }
    private static boolean missing() {
        try {
            System.loadLibrary("nowhere");
            return false;
        } catch (UnsatisfiedLinkError e) {
            return true;
        }
    }
}
"#;

const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        work();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            work();
            System.out.println("done " + line);
        }
    }
    static void work() { }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Counted {
    @Injected private static counting.Counting counting;
    @OnMethod(clazz = "app.Host", method = "work") public static void work() { println(counting.say()); }
}
"#;

struct Built {
    folder: PathBuf,
    agent: PathBuf,
    library: Vec<u8>,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(crate::harness::process_folder()).expect("a folder").keep();
        let library = fixtures::shared_library(LIBRARY).expect("a library");
        let target = format!("linux-{}-gnu", std::env::consts::ARCH);
        let extension = fixtures::ExtensionZip::new("counting", "1.0.0")
            .class_path(api_classes())
            .api("counting/Counting.java", SERVICE)
            .implementation("counting/CountingImpl.java", IMPLEMENTATION)
            .resource(&format!("META-INF/native/{target}/libcounting.so"), &library)
            // Another system's, and one for all that have none of their own.
            .resource("META-INF/native/linux-riscv64-gnu/libcounting.so", b"\x7fELF")
            .resource("META-INF/native/libcounting.so", b"\x7fELF")
            .resource("META-INF/native/libanywhere.so", &library)
            .attribute("BTrace-Extension-Services", "counting.Counting")
            .attribute("BTrace-Extension-Permissions", "NATIVE")
            .build(&folder)
            .expect("an extension");
        compile(&[("trace/Counted.java", PROBE)], &[&folder.join("counting-classes/api")], &folder.join("probes"));
        let toml = "[agent]\nname = \"counting-agent\"\nversion = \"1\"\n[[extension]]\nfile = \"counting.zip\"\n\
                    [probes]\ninclude = [\"probes/**/*.class\"]\n[policy]\nallowPrivileged = true\n";
        let agent = AgentProject::new("counting-agent", toml)
            .file("counting.zip", fs_err::read(&extension).expect("a zip"))
            .tree("probes", &folder.join("probes"))
            .build();
        fixtures::javac(&[("app/Host.java", HOST)], &["--release", "8", "-Xlint:-options"], &folder.join("host"))
            .expect("classes");
        Built { folder, agent: agent.jar, library }
    })
}

/// What one start has.
struct Work {
    home: PathBuf,
    temp: PathBuf,
    file: PathBuf,
}

impl Work {
    fn new(folder: &Path) -> Self {
        let (home, temp) = (folder.join("home é"), folder.join("temp"));
        for made in [home.join(".btrace"), temp.clone()] {
            fs_err::create_dir_all(made).expect("a folder");
        }
        Self { home, temp, file: folder.join("out.txt") }
    }

    fn arguments(&self) -> String {
        format!("probes=Counted,scriptOutputFile={}", self.file.display())
    }

    fn builder(&self, jdk: &Jdk) -> Builder {
        let mut builder = self.denying(jdk);
        if jdk.feature >= 24 {
            builder = builder.jvm_option("--enable-native-access=ALL-UNNAMED");
        }
        builder
    }

    /// A JVM that allows native code to nobody, where it knows how to.
    fn denying(&self, jdk: &Jdk) -> Builder {
        let mut builder = Target::builder(jdk)
            .class_path(built().folder.join("host"))
            .main("app.Host")
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option("-XX:-UsePerfData")
            .jvm_option(format!("-Duser.home={}", self.home.display()))
            .jvm_option(format!("-Djava.io.tmpdir={}", self.temp.display()));
        if jdk.feature >= 24 {
            builder = builder.jvm_option("--illegal-native-access=deny");
        }
        builder
    }

    fn with_agent(&self, builder: Builder) -> Builder {
        builder.jvm_option(format!("-javaagent:{}={}", built().agent.display(), self.arguments()))
    }

    fn written(&self) -> String {
        fs_err::read_to_string(&self.file).unwrap_or_default()
    }

    /// The libraries that were put into the home.
    fn kept(&self) -> Vec<PathBuf> {
        let all = walkdir::WalkDir::new(self.home.join(".btrace/native")).into_iter();
        let files = all.map(|entry| entry.expect("a readable folder").into_path());
        files.filter(|path| path.ends_with("libcounting.so")).collect()
    }

    fn left(&self) -> usize {
        fs_err::read_dir(&self.temp).expect("a folder").count()
    }
}

#[test]
fn a_library_is_found_by_its_name_and_kept_for_the_next_start() {
    each_jdk("library by name", |test, jdk| {
        let work = Work::new(test.folder());
        let mut before = None;
        for start in 1..=3 {
            let target = work.with_agent(work.builder(jdk)).launch();
            target.close_stdin();
            let output = target.wait_exit().expect_code(0);
            assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ready\n", ""));
            assert_eq!(work.written(), "1 true\n".repeat(start));
            let kept = work.kept();
            assert!(
                matches!(&kept[..], [one] if fs_err::read(one).is_ok_and(|bytes| bytes == built().library)),
                "{kept:?}"
            );
            let written = fs_err::metadata(&kept[0]).expect("a file").modified().expect("a time");
            match start {
                1 => before = Some(written),
                // As it was: no start writes what is there, and what somebody spoiled is written anew.
                2 => {
                    assert_eq!(before, Some(written));
                    fs_err::write(&kept[0], b"\x7fELF").expect("a file");
                }
                _ => {}
            }
            assert_eq!(work.left(), 0, "nothing was left");
        }
    });
}

/// The JVM gives a file to one loader only, and does not say when it takes it back.
#[test]
fn a_loader_that_comes_later_gets_a_copy_of_its_own() {
    each_jdk("library again", |test, jdk| {
        let work = Work::new(test.folder());
        let target = work.builder(jdk).launch();
        target.wait_for_line("ready");
        for name in ["a", "b", "c"] {
            jcmd_load(test, jdk, &target, &built().agent, &work.arguments());
            target.send_line(name);
            target.wait_for_line(&format!("done {name}"));
            jcmd_load(test, jdk, &target, &built().agent, "off");
            assert_eq!(work.left(), 0, "what is loaded needs no file any more");
        }
        target.close_stdin();
        target.wait_exit().expect_code(0);
        assert_eq!(work.written(), "1 true\n".repeat(3));
        assert_eq!((work.kept().len(), work.left()), (1, 0));
    });
}

#[test]
fn a_folder_that_nothing_is_run_from_is_left_out() {
    each_jdk("library noexec", |test, jdk| {
        let noexec = |folder: &Path| format!("mount -t tmpfs -o noexec tmpfs '{}'", folder.display());
        let work = Work::new(test.folder());
        let home = noexec(&work.home.join(".btrace"));
        let output = mounted(test, &home, &work.with_agent(work.builder(jdk))).expect_code(0);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ready\n", ""));
        assert_eq!((work.written().as_str(), work.left()), ("1 true\n", 0));
        // The core comes from elsewhere, and no folder serves.
        let both = format!("{home}\n{}", noexec(&work.temp));
        let jar = built().agent.display();
        let agent = format!("-agentpath:{}=jar={jar},{}", library().display(), work.arguments());
        let output = mounted(test, &both, &work.builder(jdk).jvm_option(agent)).expect_code(0);
        assert_eq!(output.stdout, "ready\n");
        for part in [
            "library libcounting.so of extension counting cannot be put anywhere: ",
            work.home.to_str().expect("UTF-8"),
            "; hint: set -Dbtrace.native.dir= to a folder that allows execution",
        ] {
            assert!(output.stderr.contains(part), "`{part}`: {}", output.stderr);
        }
    });
}

/// From Java 24 on the JVM may be told to let nobody run native code that was not named.
#[test]
fn what_the_jvm_denies_is_told_with_its_reason() {
    each_jdk("library denied", |test, jdk| {
        let work = Work::new(test.folder());
        let target = work.with_agent(work.denying(jdk)).launch();
        target.close_stdin();
        let output = target.wait_exit().expect_code(0);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ready\n", ""));
        let written = work.written();
        if jdk.feature < 24 {
            assert_eq!(written, "1 true\n");
        } else {
            let reason = "the service counting.Counting in the field counting cannot be used: \
                          java.lang.ExceptionInInitializerError: java.lang.IllegalCallerException: Illegal native access";
            assert!(written.contains(reason), "{written}");
        }
    });
}
