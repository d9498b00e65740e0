//! One jar, four ways to start it, and the same result.

use crate::harness::{Target, each_jdk};
use crate::product::{agent, app, expect_file, expect_undisturbed, expected_lines, jcmd_load, library, rounds};

/// What every start on Java 24 and newer must not say.
fn expect_no_warning(stderr: &str) {
    assert!(!stderr.contains("WARNING"), "{stderr}");
}

#[test]
fn javaagent_weaves_and_says_nothing() {
    each_jdk("javaagent", |test, jdk| {
        let file = test.folder().join("out.txt");
        let agent = agent();
        let option =
            format!("-javaagent:{}=probes=OrderTrace,scriptOutputFile={}", agent.jar.display(), file.display());
        let target = app(test, jdk).jvm_option(option).launch();
        rounds(&target, &["one", "two"]);
        let expected = [expected_lines("one", 101), expected_lines("two", 102)].concat();
        expect_file(test, &file, &expected);
        let stderr = expect_undisturbed(&target, &["one", "two"]);
        let lines: Vec<&str> = stderr.lines().collect();
        if jdk.feature < 17 {
            assert_eq!(lines.len(), 1, "exactly the deprecation line: {stderr}");
            assert!(
                lines[0].contains("deprecated") && lines[0].contains("btrace.agent.suppressDeprecation"),
                "{stderr}"
            );
        } else {
            assert_eq!(stderr, "");
        }
    });
}

#[test]
fn javaagent_works_where_native_access_is_denied() {
    each_jdk("native access denied", |test, jdk| {
        if jdk.feature < 24 {
            return;
        }
        let file = test.folder().join("out.txt");
        let option =
            format!("-javaagent:{}=probes=OrderTrace,scriptOutputFile={}", agent().jar.display(), file.display());
        let target = app(test, jdk).jvm_option("--illegal-native-access=deny").jvm_option(option).launch();
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        assert_eq!(expect_undisturbed(&target, &["x"]), "");
    });
}

#[test]
fn agentpath_weaves_and_says_nothing() {
    each_jdk("agentpath", |test, jdk| {
        let file = test.folder().join("out.txt");
        let option = format!(
            "-agentpath:{}=jar={},probes=OrderTrace,scriptOutputFile={}",
            library().display(),
            agent().jar.display(),
            file.display()
        );
        let target = app(test, jdk).jvm_option("-Dbtrace.agent.suppressDeprecation=true").jvm_option(option).launch();
        rounds(&target, &["one"]);
        expect_file(test, &file, &expected_lines("one", 101));
        assert_eq!(expect_undisturbed(&target, &["one"]), "", "not even the deprecation line, which was silenced");
    });
}

#[test]
fn attached_by_jcmd_weaves_loaded_classes() {
    each_jdk("jcmd", |test, jdk| {
        let file = test.folder().join("out.txt");
        let target = app(test, jdk).launch();
        // The class is loaded and has run before the agent comes.
        rounds(&target, &["before"]);
        jcmd_load(test, jdk, &target, &agent().jar, &format!("probes=OrderTrace,scriptOutputFile={}", file.display()));
        rounds(&target, &["after"]);
        expect_file(test, &file, &expected_lines("after", 101));
        expect_undisturbed(&target, &["before", "after"]);
    });
}

#[test]
fn attached_by_java_jar_weaves_loaded_classes() {
    each_jdk("java -jar", |test, jdk| {
        let file = test.folder().join("out.txt");
        let target = app(test, jdk).launch();
        rounds(&target, &["before"]);
        let client = Target::builder(jdk)
            .jar(agent().jar)
            .arg(target.pid().to_string())
            .arg(format!("probes=OrderTrace,scriptOutputFile={}", file.display()))
            .label("client")
            .launch();
        let output = client.wait_exit().expect_code(0);
        assert_eq!(output.stdout, "");
        expect_no_warning(&output.stderr);
        rounds(&target, &["after"]);
        expect_file(test, &file, &expected_lines("after", 101));
        expect_undisturbed(&target, &["before", "after"]);
    });
}

#[test]
fn the_library_attaches_by_path() {
    each_jdk("library attach", |test, jdk| {
        let file = test.folder().join("out.txt");
        let target = app(test, jdk).launch();
        rounds(&target, &["before"]);
        let arguments = format!("jar={},probes=OrderTrace,scriptOutputFile={}", agent().jar.display(), file.display());
        jcmd_load(test, jdk, &target, library(), &arguments);
        rounds(&target, &["after"]);
        expect_file(test, &file, &expected_lines("after", 101));
        expect_undisturbed(&target, &["before", "after"]);
    });
}

#[test]
fn the_client_explains_itself() {
    each_jdk("client", |test, jdk| {
        let run = |arguments: &[&str]| {
            let builder = Target::builder(jdk).jar(agent().jar).label("client");
            arguments.iter().fold(builder, |b, a| b.arg(*a)).launch().wait_exit()
        };
        let version = run(&["--version"]).expect_code(0);
        assert!(version.stdout.starts_with("order-agent 1.2.3 (build "), "{}", version.stdout);
        assert!(run(&["--help"]).expect_code(0).stdout.contains("off PID"));
        assert!(run(&["what"]).expect_code(2).stderr.contains("not understood: what"));
        let nobody = run(&["999999999"]).expect_code(1);
        assert!(nobody.stderr.contains("error: ") && nobody.stderr.contains("hint: "), "{}", nobody.stderr);
        let folder = test.folder().join("taken out");
        let extracted = run(&["extract", folder.to_str().expect("UTF-8")]).expect_code(0);
        let path = extracted.stdout.trim_end();
        assert_eq!(fs_err::read(path).expect("the library"), fs_err::read(library()).expect("the library"));
    });
}
