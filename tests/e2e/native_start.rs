//! `-agentpath` without a probe: no Java code of ours runs, and whatever comes later still finds the core.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Builder, Jdk, Target, Test, each_jdk, each_jdk_of};
use crate::product::{
    TOML, agent, app, expect_file, expect_undisturbed, expected_lines, jcmd_load, library, project, rounds,
};

const QUIET: &str = "-Dbtrace.agent.suppressDeprecation=true";

/// The application with the core alone.
fn native(test: &Test, jdk: &Jdk) -> Builder {
    app(test, jdk).jvm_option(QUIET).jvm_option(agentpath(library(), &agent().jar, ""))
}

fn agentpath(library: &Path, jar: &Path, arguments: &str) -> String {
    format!("-agentpath:{}=jar={}{arguments}", library.display(), jar.display())
}

fn probing(file: &Path) -> String {
    format!("probes=OrderTrace,scriptOutputFile={}", file.display())
}

/// A copy of a file under another name, in a folder of its own.
fn copied(test: &Test, from: &Path, name: &str) -> PathBuf {
    let to = test.folder().join("copies").join(name);
    fs_err::create_dir_all(to.parent().expect("a folder")).expect("a folder");
    fs_err::copy(from, &to).expect("a copy");
    to
}

/// The lines of the agent among those that the JVM wrote.
fn ours(stderr: &str) -> Vec<&str> {
    stderr.lines().filter(|line| line.starts_with("[fatagent]")).collect()
}

#[test]
fn without_a_probe_no_class_of_ours_is_loaded() {
    each_jdk("native start", |test, jdk| {
        let log = test.folder().join("classes.log");
        let logging = if jdk.feature < 9 {
            "-verbose:class".to_owned()
        } else {
            format!("-Xlog:class+load:file={}", log.display())
        };
        if jdk.feature < 9 {
            // Its class log goes to standard output.
            return;
        }
        let target = native(test, jdk).jvm_option(logging).launch();
        rounds(&target, &["x"]);
        let jar = agent().jar;
        let mut properties = Command::new(jdk.jcmd());
        let properties = test.run(properties.arg(target.pid().to_string()).arg("VM.system_properties")).expect_code(0);
        let line =
            properties.stdout.lines().find_map(|line| line.strip_prefix("btrace.agent.core=")).expect("published");
        let words: Vec<&str> = line.split(' ').collect();
        assert!(words.len() == 3 && words[1].len() == 64 && words[2] == jar.to_str().expect("UTF-8"), "{line}");
        assert_eq!(expect_undisturbed(&target, &["x"]), "");
        let classes = fs_err::read_to_string(&log).expect("a log");
        assert!(classes.contains(" app.App "), "the log holds classes");
        assert!(!classes.contains("io.btrace") && !classes.contains("FatAgent"), "no class of ours");
    });
}

#[test]
fn the_jar_attaches_to_a_native_start() {
    each_jdk("native start, jar attached", |test, jdk| {
        let (file, jar) = (test.folder().join("out.txt"), agent().jar);
        let target = native(test, jdk).launch();
        rounds(&target, &["a"]);
        // Nothing to take away yet, which is no reason to start anything.
        jcmd_load(test, jdk, &target, &jar, "off");
        jcmd_load(test, jdk, &target, &jar, &probing(&file));
        rounds(&target, &["b"]);
        expect_file(test, &file, &expected_lines("b", 101));
        jcmd_load(test, jdk, &target, &jar, "off");
        rounds(&target, &["c"]);
        jcmd_load(test, jdk, &target, &jar, &probing(&file));
        rounds(&target, &["d"]);
        expect_file(test, &file, &[expected_lines("b", 101), expected_lines("d", 101)].concat());
        assert_eq!(ours(&expect_undisturbed(&target, &["a", "b", "c", "d"])), Vec::<&str>::new());
    });
}

#[test]
fn a_renamed_jar_attaches_to_a_native_start() {
    each_jdk("native start, renamed jar attached", |test, jdk| {
        let file = test.folder().join("out.txt");
        let jar = copied(test, &agent().jar, "renamed.jar");
        let target = native(test, jdk).launch();
        rounds(&target, &["a"]);
        jcmd_load(test, jdk, &target, &jar, &probing(&file));
        rounds(&target, &["b"]);
        expect_file(test, &file, &expected_lines("b", 101));
        jcmd_load(test, jdk, &target, &jar, "off");
        rounds(&target, &["c"]);
        expect_file(test, &file, &expected_lines("b", 101));
        expect_undisturbed(&target, &["a", "b", "c"]);
    });
}

#[test]
fn the_library_attaches_to_a_native_start() {
    each_jdk("native start, library attached", |test, jdk| {
        // The same file, and a copy of it, which is another library to the JVM.
        for library in [library().to_owned(), copied(test, library(), "libagent_core.so")] {
            let file = test.folder().join(format!("{}.txt", library.components().count()));
            let jar = agent().jar;
            let target = native(test, jdk).launch();
            rounds(&target, &["a"]);
            let arguments = format!("jar={},{}", jar.display(), probing(&file));
            jcmd_load(test, jdk, &target, &library, &arguments);
            rounds(&target, &["b"]);
            expect_file(test, &file, &expected_lines("b", 101));
            jcmd_load(test, jdk, &target, &library, &format!("jar={},off", jar.display()));
            rounds(&target, &["c"]);
            expect_file(test, &file, &expected_lines("b", 101));
            assert_eq!(ours(&expect_undisturbed(&target, &["a", "b", "c"])), Vec::<&str>::new());
        }
    });
}

#[test]
fn a_javaagent_beside_a_native_start_passes_its_probes_on() {
    each_jdk("native start, javaagent", |test, jdk| {
        let (file, jar) = (test.folder().join("out.txt"), agent().jar);
        let target = native(test, jdk).jvm_option(format!("-javaagent:{}={}", jar.display(), probing(&file))).launch();
        rounds(&target, &["a"]);
        expect_file(test, &file, &expected_lines("a", 101));
        assert_eq!(expect_undisturbed(&target, &["a"]), "");
    });
}

#[test]
fn a_second_library_beside_a_native_start_passes_its_probes_on() {
    each_jdk("native start, twice", |test, jdk| {
        let (file, jar) = (test.folder().join("out.txt"), agent().jar);
        let second = copied(test, library(), "libagent_core.so");
        for arguments in [String::new(), format!(",{}", probing(&file))] {
            let target = native(test, jdk).jvm_option(agentpath(&second, &jar, &arguments)).launch();
            rounds(&target, &["a"]);
            if !arguments.is_empty() {
                expect_file(test, &file, &expected_lines("a", 101));
            }
            assert_eq!(ours(&expect_undisturbed(&target, &["a"])), Vec::<&str>::new());
        }
    });
}

#[test]
fn another_build_beside_a_native_start_is_refused_with_one_line_naming_both() {
    each_jdk("native start, another build", |test, jdk| {
        let toml = format!("{TOML}\n[manifest]\nattributes = {{ Specification-Title = \"another\" }}\n");
        let (first, other) = (agent().jar, project().clone().file("agent.toml", toml).build().jar);
        let (file, second) = (test.folder().join("out.txt"), copied(test, library(), "libagent_core.so"));
        let options = [format!("-javaagent:{}={}", other.display(), probing(&file)), agentpath(&second, &other, "")];
        for option in options {
            let target = native(test, jdk).jvm_option(option).launch();
            rounds(&target, &["a"]);
            jcmd_load(test, jdk, &target, &other, &probing(&file));
            rounds(&target, &["b"]);
            let stderr = expect_undisturbed(&target, &["a", "b"]);
            let lines = ours(&stderr);
            assert_eq!(lines.len(), 2, "one line each time: {stderr}");
            for line in lines {
                assert!(line.contains("not started: "), "{line}");
                for jar in [&first, &other] {
                    assert!(line.contains(jar.to_str().expect("UTF-8")), "{line}");
                }
            }
        }
        assert!(!file.exists(), "the second agent did nothing");
    });
}

#[test]
fn default_arguments_of_the_jar_start_their_probes() {
    each_jdk("native start, defaults", |test, jdk| {
        let file = test.folder().join("out.txt");
        let toml = format!("{TOML}\n[args]\nprobes = \"OrderTrace\"\n");
        let jar = project().clone().file("agent.toml", toml).build().jar;
        let arguments = format!(",scriptOutputFile={}", file.display());
        let target = app(test, jdk).jvm_option(QUIET).jvm_option(agentpath(library(), &jar, &arguments)).launch();
        rounds(&target, &["a"]);
        expect_file(test, &file, &expected_lines("a", 101));
        assert_eq!(expect_undisturbed(&target, &["a"]), "");
    });
}

#[test]
fn other_arguments_work_without_java() {
    each_jdk("native start, arguments", |test, jdk| {
        let arguments = ",$shop.level=7,probez=x";
        let target = app(test, jdk).jvm_option(QUIET);
        let target = target.jvm_option(agentpath(library(), &agent().jar, arguments)).launch();
        rounds(&target, &["a"]);
        let mut properties = Command::new(jdk.jcmd());
        let properties = test.run(properties.arg(target.pid().to_string()).arg("VM.system_properties")).expect_code(0);
        assert!(properties.stdout.contains("shop.level=7"), "{}", properties.stdout);
        let stderr = expect_undisturbed(&target, &["a"]);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("unknown agent argument `probez`") && stderr.contains("hint: "), "{stderr}");
    });
}

/// With `AOTMode=on` a JVM ends where the cache cannot be used.
#[test]
fn an_aot_cache_stays_in_use() {
    each_jdk_of(&[25], "AOT cache", |test, jdk| {
        let classes = test.compile(&[(
            "Hello.java",
            "public class Hello { public static void main(String[] a) { System.out.println(\"hello\"); } }",
        )]);
        let (jar, cache) = (test.folder().join("hello.jar"), test.folder().join("hello.aot"));
        fixtures::Jar::new().tree(&classes).and_then(|j| j.write(&jar)).expect("a jar");
        let hello =
            |option: String| Target::builder(jdk).unverified().jvm_option(option).class_path(&jar).main("Hello");
        hello(format!("-XX:AOTCacheOutput={}", cache.display())).launch().wait_exit().expect_code(0);
        for arguments in ["", ",probes=OrderTrace"] {
            let target = hello(format!("-XX:AOTCache={}", cache.display())).jvm_option("-XX:AOTMode=on");
            let target = target.jvm_option(agentpath(library(), &agent().jar, arguments)).launch();
            let output = target.wait_exit().expect_code(0);
            assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("hello\n", ""));
        }
    });
}
