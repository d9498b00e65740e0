//! What the machine may have in store for an agent with extensions: damaged files, folders that cannot be written or run from, files
//! that change, any character in any path. The application is to notice nothing of it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::harness::{AgentProject, Builder, Jdk, Output, Target, Test, each_jdk, missing};
use crate::product::{api_classes, compile, expect_file, library, with_entry};

/// Works once for each line on standard input, and once before.
const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        work("first");
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            if (!line.equals("late")) work(line); else late();
            System.out.println("done " + line);
        }
        System.exit(5);
    }
    static void work(String what) { }
    static void late() { }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Bad {
    @Injected private static inside.Inside inside;
    @Injected private static beside.Beside beside;
    @Injected private static beside.Beside again;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void inside(String what) { println(what + " " + inside.say(what)); }
    @OnMethod(clazz = "app.Host", method = "work")
    public static void beside(String what) { println(what + " " + beside.say(what)); }
    @OnMethod(clazz = "app.Host", method = "late")
    public static void late() { println("late " + again.say("more")); }
}
"#;
/// Wants its service late, long after the API was loaded.
const LATE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Late {
    @Injected private static beside.Beside beside;
    @OnMethod(clazz = "app.Host", method = "late")
    public static void late() { println("late " + beside.say("more")); }
}
"#;

const QUIET: &str = "-Dbtrace.agent.suppressDeprecation=true";

/// An extension with a class that is loaded when `more` is asked for.
fn extension(id: &str, says: &str) -> fixtures::ExtensionZip {
    let name = format!("{}{}", id[..1].to_uppercase(), &id[1..]);
    let body = format!(
        "package {id}; public class {name}Impl implements {name} {{ \
         public String say(String what) {{ return what.equals(\"more\") ? More.text() : \"{says}\"; }} }}"
    );
    fixtures::ExtensionZip::new(id, "1.0.0")
        .class_path(api_classes())
        .api(
            &format!("{id}/{name}.java"),
            &format!("package {id}; public interface {name} {{ String say(String what); }}"),
        )
        .implementation(&format!("{id}/{name}Impl.java"), &body)
        .implementation(
            &format!("{id}/More.java"),
            &format!("package {id}; class More {{ static String text() {{ return \"more {says}\"; }} }}"),
        )
        .attribute("BTrace-Extension-Services", &format!("{id}.{name}"))
        .attribute("BTrace-Extension-Permissions", "")
}

struct Built {
    folder: PathBuf,
    agent: PathBuf,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(crate::harness::process_folder()).expect("a folder").keep();
        let inside = extension("inside", "inside").build(&folder).expect("an extension");
        extension("beside", "beside").build(&folder).expect("an extension");
        let other = folder.join("other");
        fs_err::create_dir(&other).expect("a folder");
        extension("beside", "another").build(&other).expect("an extension");
        let apis = [folder.join("inside-classes/api"), folder.join("beside-classes/api")];
        let apis = apis.each_ref().map(PathBuf::as_path);
        compile(&[("trace/Bad.java", PROBE), ("trace/Late.java", LATE)], &apis, &folder.join("probes"));
        let toml = "[agent]\nname = \"bad-input\"\nversion = \"1\"\n[[extension]]\nfile = \"inside.zip\"\n\
                    [probes]\ninclude = [\"probes/**/*.class\"]\n";
        let agent = AgentProject::new("bad-input", toml)
            .file("inside.zip", fs_err::read(&inside).expect("a zip"))
            .tree("probes", &folder.join("probes"))
            .build();
        fixtures::javac(&[("app/Host.java", HOST)], &["--release", "11", "-Xlint:-options"], &folder.join("host"))
            .expect("classes");
        Built { folder, agent: agent.jar }
    })
}

fn zip() -> PathBuf {
    built().folder.join("beside-1.0.0-extension.zip")
}

/// What one start has.
struct Work {
    home: PathBuf,
    temp: PathBuf,
    agent: PathBuf,
    file: PathBuf,
}

impl Work {
    /// Folders below this one, with the extension in the home.
    fn new(folder: &Path) -> Self {
        let (home, temp) = (folder.join("home"), folder.join("temp"));
        for made in [home.join(".btrace/extensions"), temp.clone()] {
            fs_err::create_dir_all(made).expect("a folder");
        }
        fs_err::copy(zip(), home.join(".btrace/extensions/beside.zip")).expect("a copy");
        Self { home, temp, agent: built().agent.clone(), file: folder.join("out.txt") }
    }

    fn builder(&self, jdk: &Jdk, arguments: &str) -> Builder {
        let arguments = format!("{arguments},scriptOutputFile={}", self.file.display());
        Target::builder(jdk)
            .class_path(built().folder.join("host"))
            .main("app.Host")
            .jvm_option(QUIET)
            .jvm_option("-XX:-UsePerfData")
            .jvm_option(format!("-Duser.home={}", self.home.display()))
            .jvm_option(format!("-Djava.io.tmpdir={}", self.temp.display()))
            .jvm_option(format!("-javaagent:{}={arguments}", self.agent.display()))
    }

    fn written(&self) -> String {
        fs_err::read_to_string(&self.file).unwrap_or_default()
    }
}

/// Runs the builder's JVM after a shell command that mounts things for it alone.
pub(crate) fn mounted(test: &Test, mounts: &str, jvm: &Builder) -> Output {
    // An ordinary user becomes root of a namespace of its own.
    let flags = ["-m", "-rm"].into_iter().find(|flags| {
        let tried = Command::new("unshare").args([flags, "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).output();
        tried.is_ok_and(|output| output.status.success())
    });
    let Some(flags) = flags else { missing("unshare with the right to mount", "apt-get install util-linux, as root") };
    let jvm = jvm.command();
    let mut command = Command::new("unshare");
    command
        .args([flags, "sh", "-ec", &format!("{mounts}\nexec \"$@\""), "sh"])
        .arg(jvm.get_program())
        .args(jvm.get_args());
    crate::harness::scrub(&mut command);
    test.run(&mut command)
}

/// The application saw nothing; what the agent said.
fn undisturbed(output: Output, lines: &[&str]) -> Vec<String> {
    let output = output.expect_code(5);
    let done = lines.iter().map(|line| format!("done {line}"));
    let expected: Vec<String> = std::iter::once("ready".to_owned()).chain(done).collect();
    assert_eq!(output.stdout, expected.join("\n") + "\n", "{}", output.stderr);
    output.stderr.lines().map(str::to_owned).collect()
}

const BOTH: &str = "first inside\nfirst beside\n";

#[test]
fn a_home_that_cannot_be_written_costs_the_caches_only() {
    each_jdk("read-only home", |test, jdk| {
        let work = Work::new(test.folder());
        let home = work.home.display();
        let mounts = format!("mount --bind '{home}' '{home}'\nmount -o remount,bind,ro '{home}'");
        let output = mounted(test, &mounts, &work.builder(jdk, "probes=Bad"));
        assert_eq!(undisturbed(output, &[]), [""; 0]);
        assert_eq!(work.written(), BOTH);
        assert_eq!(
            fs_err::read_dir(work.home.join(".btrace")).expect("a folder").count(),
            1,
            "nothing was written there"
        );
        assert_eq!(fs_err::read_dir(&work.temp).expect("a folder").count(), 0, "nothing was left");
        // It is the mount that keeps it from being written.
        let target = work.builder(jdk, "probes=Bad").launch();
        target.close_stdin();
        assert_eq!(undisturbed(target.wait_exit(), &[]), [""; 0]);
        assert!(work.home.join(".btrace/native").is_dir() && work.home.join(".btrace/cache/extensions").is_file());
    });
}

#[test]
fn folders_that_nothing_is_run_from_are_named_and_another_one_serves() {
    each_jdk("noexec", |test, jdk| {
        let work = Work::new(test.folder());
        let noexec = |folder: &Path| format!("mount -t tmpfs -o noexec tmpfs '{}'", folder.display());
        let temp = noexec(&work.temp);
        let both = format!("{}\n{temp}", noexec(&work.home.join(".btrace")));
        // The home serves.
        let output = mounted(test, &temp, &work.builder(jdk, "probes=Late"));
        assert_eq!(undisturbed(output, &[]), [""; 0]);
        // Nothing serves, and the line says which setting helps.
        let output = mounted(test, &both, &work.builder(jdk, "probes=Late"));
        let lines = undisturbed(output, &[]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        let (native, temp) = (work.home.join(".btrace/native"), work.temp.join("fatagent-"));
        for part in [
            "[fatagent] agent is off: ",
            native.to_str().expect("UTF-8"),
            temp.to_str().expect("UTF-8"),
            "; hint: set -Dbtrace.native.dir= to a folder that allows execution",
        ] {
            assert!(lines[0].contains(part), "`{part}`: {}", lines[0]);
        }
        // It does.
        let own = format!("-Dbtrace.native.dir={}", test.folder().join("own").display());
        let jvm = work.builder(jdk, &format!("probes=Bad,extPath={}", zip().display())).jvm_option(own);
        assert_eq!(undisturbed(mounted(test, &both, &jvm), &[]), [""; 0]);
        assert_eq!(work.written(), BOTH);
    });
}

#[test]
fn an_extension_that_is_replaced_while_the_jvm_runs_is_not_mixed_with_what_it_was() {
    each_jdk("replaced extensions", |test, jdk| {
        let start = |name: &str, probe: &str| {
            let work = Work::new(&test.folder().join(name));
            let target = work.builder(jdk, &format!("probes={probe}")).launch();
            target.wait_for_line("ready");
            (work, target)
        };
        let say = |target: &Target, line: &str| {
            target.send_line(line);
            target.wait_for_line(&format!("done {line}"));
        };
        let other = built().folder.join("other/beside-1.0.0-extension.zip");
        let file = ".btrace/extensions/beside.zip";
        // In use: it goes on as it was, whether another file takes its name or its bytes.
        for in_place in [false, true] {
            let (work, target) = start(&format!("used {in_place}"), "Bad");
            say(&target, "a");
            let zip = work.home.join(file);
            if in_place {
                fs_err::write(&zip, fs_err::read(&other).expect("a zip")).expect("a zip");
            } else {
                fs_err::copy(&other, work.home.join("new.zip")).expect("a copy");
                fs_err::rename(work.home.join("new.zip"), &zip).expect("a zip");
            }
            say(&target, "late");
            target.send_line("end");
            assert_eq!(undisturbed(target.wait_exit(), &["a", "late"]), [""; 0]);
            assert_eq!(work.written(), format!("{BOTH}a inside\na beside\nlate more beside\n"));
        }
        // Its API is loaded, the other half is not: they may no longer fit.
        let (work, target) = start("begun", "Late");
        fs_err::write(work.home.join(file), fs_err::read(&other).expect("a zip")).expect("a zip");
        say(&target, "late");
        say(&target, "late");
        target.send_line("end");
        assert_eq!(undisturbed(target.wait_exit(), &["late", "late"]), [""; 0]);
        let text = work.written();
        let parts = [
            "handler trace.Late.late failed: ",
            "extension beside cannot be read: ",
            " was changed after its API had been loaded; hint: ",
        ];
        assert!(text.lines().count() == 1 && parts.iter().all(|part| text.contains(part)), "{text}");

        // A jar that is read as it is needed: what was not read yet is gone, and that is an error of the handler.
        let pair = test.folder().join("pair/beside");
        fs_err::create_dir_all(&pair).expect("a folder");
        for name in ["beside-1.0.0-api.jar", "beside-1.0.0-impl.jar"] {
            fs_err::copy(built().folder.join(name), pair.join(name)).expect("a copy");
        }
        let work = Work::new(&test.folder().join("pair work"));
        fs_err::remove_file(work.home.join(file)).expect("removed");
        let target =
            work.builder(jdk, &format!("probes=Bad,extPath={}", pair.parent().expect("a folder").display())).launch();
        target.wait_for_line("ready");
        say(&target, "a");
        fs_err::write(pair.join("beside-1.0.0-impl.jar"), "short").expect("a file");
        say(&target, "late");
        target.send_line("end");
        assert_eq!(undisturbed(target.wait_exit(), &["a", "late"]), [""; 0]);
        let text = work.written();
        let last = text.lines().last().unwrap_or_default();
        assert!(text.starts_with(&format!("{BOTH}a inside\na beside\nhandler trace.Bad.late failed: ")), "{text}");
        assert!(last.contains("beside/More.class in ") && last.contains("beside-1.0.0-impl.jar: "), "{text}");
    });
}

#[test]
fn classes_that_are_cut_short_are_named() {
    each_jdk("cut classes", |test, jdk| {
        let cut = |name: &str, entry: &str| {
            let mut work = Work::new(&test.folder().join(name));
            work.agent = test.folder().join(name).join(built().agent.file_name().expect("a name"));
            with_entry(&built().agent, entry, |bytes| bytes[..bytes.len() / 2].to_vec(), &work.agent);
            let target = work.builder(jdk, "probes=Bad").launch();
            target.close_stdin();
            (undisturbed(target.wait_exit(), &[]), work)
        };
        // Of an extension: the other one works.
        let (lines, work) = cut("extension", "META-INF/btrace-extensions/inside/classes/inside/InsideImpl.classdata");
        assert_eq!(lines, [""; 0]);
        let text = work.written();
        let damaged = |line: &str| {
            line.starts_with("handler trace.Bad.inside failed: ")
                && line.contains(" is damaged; hint: run `fatagent verify`")
        };
        assert!(text.lines().any(damaged) && text.contains("first beside\n") && text.lines().count() == 2, "{text}");
        // Of the agent: it is off.
        let (lines, work) = cut("agent", "META-INF/btrace/agent/io/btrace/agent/Main.classdata");
        assert!(
            matches!(&lines[..], [line] if line.starts_with("[fatagent] agent is off: ") && line.contains("io/btrace/agent/Main")),
            "{lines:?}"
        );
        assert_eq!(work.written(), "");
    });
}

#[test]
fn every_path_may_hold_any_character() {
    each_jdk("odd paths", |test, jdk| {
        let folder = test.folder().join("a b+%41%#é");
        let mut work = Work::new(&folder);
        work.agent = folder.join("jar %20+#é").join(built().agent.file_name().expect("a name"));
        fs_err::create_dir_all(work.agent.parent().expect("a folder")).expect("a folder");
        fs_err::copy(&built().agent, &work.agent).expect("a copy");
        let installed = work.home.join(".btrace/extensions");
        fs_err::rename(installed.join("beside.zip"), installed.join("be %73+#é side.zip")).expect("renamed");
        let expect = |target: &Target, work: &Work| {
            target.wait_for_line("ready");
            target.send_line("more");
            target.wait_for_line("done more");
            expect_file(
                test,
                &work.file,
                &["first inside", "first beside", "more more inside", "more more beside"].map(str::to_owned),
            );
            target.send_line("end");
        };
        let target = work.builder(jdk, "probes=Bad").launch();
        expect(&target, &work);
        assert_eq!(undisturbed(target.wait_exit(), &["more"]), [""; 0]);

        // By an argument, beside a copy of the library.
        let place = folder.join("ext %2C#é");
        fs_err::create_dir_all(&place).expect("a folder");
        fs_err::rename(installed.join("be %73+#é side.zip"), place.join("%zip é.zip")).expect("renamed");
        work.file = folder.join("second %.txt");
        let core = folder.join("core #%é.so");
        fs_err::copy(library(), &core).expect("a copy");
        let option = format!(
            "-agentpath:{}=jar={},probes=Bad,extPath={},scriptOutputFile={}",
            core.display(),
            work.agent.display(),
            place.display(),
            work.file.display()
        );
        let target = Target::builder(jdk)
            .class_path(built().folder.join("host"))
            .main("app.Host")
            .jvm_option(QUIET)
            .jvm_option(format!("-Duser.home={}", work.home.display()))
            .jvm_option(option)
            .launch();
        expect(&target, &work);
        assert_eq!(undisturbed(target.wait_exit(), &["more"]), [""; 0]);
    });
}
