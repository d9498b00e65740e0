//! Renamed jars, odd folders, second agents, and the kill switch.

use crate::harness::{BuiltAgent, Jdk, Target, Test, each_jdk};
use crate::product::{
    TOML, agent, app, expect_file, expect_undisturbed, expected_lines, jcmd_load, library, project, rounds,
};
use std::path::{Path, PathBuf};

/// Says nothing on any Java.
const QUIET: &str = "-Dbtrace.agent.suppressDeprecation=true";

/// Another build with the same name: one more attribute makes it another.
fn other_agent() -> BuiltAgent {
    let toml = format!("{TOML}\n[manifest]\nattributes = {{ Specification-Title = \"another\" }}\n");
    project().clone().file("agent.toml", toml).build()
}

fn copied(test: &Test, folder: &str, name: &str) -> PathBuf {
    let folder = test.folder().join(folder);
    fs_err::create_dir_all(&folder).expect("a folder");
    let to = folder.join(name);
    fs_err::copy(agent().jar, &to).expect("a copy");
    to
}

fn launch(test: &Test, jdk: &Jdk, jar: &Path, file: &Path) -> Target {
    let option = format!("-javaagent:{}=probes=OrderTrace,scriptOutputFile={}", jar.display(), file.display());
    app(test, jdk).jvm_option(QUIET).jvm_option(option).launch()
}

#[test]
fn a_renamed_jar_works_and_says_so_in_one_line() {
    each_jdk("renamed", |test, jdk| {
        let file = test.folder().join("out.txt");
        let jar = copied(test, "alone", "renamed.jar");
        let target = launch(test, jdk, &jar, &file);
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        let stderr = expect_undisturbed(&target, &["x"]);
        let ours: Vec<&str> = stderr.lines().filter(|l| l.starts_with("[fatagent]")).collect();
        assert_eq!(ours.len(), 1, "{stderr}");
        assert!(ours[0].contains("renamed.jar") && ours[0].contains("renamed after it was built"), "{stderr}");
    });
}

#[test]
fn a_renamed_jar_attaches() {
    each_jdk("renamed, attached", |test, jdk| {
        let file = test.folder().join("out.txt");
        let jar = copied(test, "alone", "renamed.jar");
        let target = app(test, jdk).jvm_option(QUIET).launch();
        rounds(&target, &["a"]);
        jcmd_load(test, jdk, &target, &jar, &format!("probes=OrderTrace,scriptOutputFile={}", file.display()));
        rounds(&target, &["b"]);
        expect_file(test, &file, &expected_lines("b", 101));
        // A second attach reaches the running core, whose Loader is the boot copy.
        jcmd_load(test, jdk, &target, &jar, "off");
        rounds(&target, &["c"]);
        expect_file(test, &file, &expected_lines("b", 101));
        expect_undisturbed(&target, &["a", "b", "c"]);
    });
}

#[test]
fn a_renamed_jar_beside_another_build_of_its_old_name_is_off() {
    each_jdk("beside another build", |test, jdk| {
        let jar = copied(test, "both", "renamed.jar");
        let other = test.folder().join("both/order-agent.jar");
        fs_err::copy(other_agent().jar, other).expect("a copy");
        let file = test.folder().join("out.txt");
        let target = launch(test, jdk, &jar, &file);
        rounds(&target, &["x"]);
        let stderr = expect_undisturbed(&target, &["x"]);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("agent is off") && stderr.contains("boot classes come from another jar"), "{stderr}");
        assert!(!file.exists());
    });
}

#[test]
fn odd_characters_in_the_path_do_no_harm() {
    each_jdk("odd folder", |test, jdk| {
        let file = test.folder().join("out.txt");
        let jar = copied(test, "p a+b%20c#é", "order-agent.jar");
        let target = launch(test, jdk, &jar, &file);
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        assert_eq!(expect_undisturbed(&target, &["x"]), "");
        // The client section and the library work from there as well.
        let help = Target::builder(jdk).jar(&jar).arg("--help").launch().wait_exit().expect_code(0);
        assert!(help.stdout.contains("usage"));
        let second = test.folder().join("second.txt");
        let option = format!(
            "-agentpath:{}=jar={},probes=OrderTrace,scriptOutputFile={}",
            library().display(),
            jar.display(),
            second.display()
        );
        let target = app(test, jdk).jvm_option(QUIET).jvm_option(option).launch();
        rounds(&target, &["y"]);
        expect_file(test, &second, &expected_lines("y", 101));
        assert_eq!(expect_undisturbed(&target, &["y"]), "");
    });
}

#[test]
fn the_same_build_twice_passes_its_arguments_on() {
    each_jdk("twice", |test, jdk| {
        let file = test.folder().join("out.txt");
        let jar = agent().jar;
        let target = app(test, jdk)
            .jvm_option(QUIET)
            .jvm_option(format!("-javaagent:{}", jar.display()))
            .jvm_option(format!("-javaagent:{}=probes=OrderTrace,scriptOutputFile={}", jar.display(), file.display()))
            .launch();
        rounds(&target, &["x"]);
        expect_file(test, &file, &expected_lines("x", 101));
        assert_eq!(expect_undisturbed(&target, &["x"]), "");
    });
}

/// Case 41 (b): two agents built from one kit share their entry class.
#[test]
fn case_41_a_second_build_is_refused_with_one_line_naming_both() {
    each_jdk("second agent", |test, jdk| {
        let (first, second) = (agent().jar, other_agent().jar);
        let file = test.folder().join("out.txt");
        let target = app(test, jdk)
            .jvm_option(QUIET)
            .jvm_option(format!("-javaagent:{}", first.display()))
            .jvm_option(format!(
                "-javaagent:{}=probes=OrderTrace,scriptOutputFile={}",
                second.display(),
                file.display()
            ))
            .launch();
        rounds(&target, &["x"]);
        // Attaching it later, or giving it to -agentpath, is no way round.
        jcmd_load(test, jdk, &target, &second, &format!("probes=OrderTrace,scriptOutputFile={}", file.display()));
        rounds(&target, &["y"]);
        let stderr = expect_undisturbed(&target, &["x", "y"]);
        let ours: Vec<&str> = stderr.lines().filter(|l| l.starts_with("[fatagent]")).collect();
        assert_eq!(ours.len(), 2, "one line each time: {stderr}");
        for line in ours {
            for jar in [&first, &second] {
                assert!(line.contains(jar.to_str().expect("UTF-8")), "{line}");
            }
        }
        assert!(!file.exists(), "the second agent did nothing");

        let target = app(test, jdk)
            .jvm_option(QUIET)
            .jvm_option(format!("-javaagent:{}", first.display()))
            .jvm_option(format!("-agentpath:{}=jar={},probes=OrderTrace", library().display(), second.display()))
            .launch();
        let stderr = expect_undisturbed(&target, &[]);
        assert_eq!(stderr.lines().filter(|l| l.contains("not started: ")).count(), 1, "{stderr}");
    });
}

#[test]
fn the_kill_switch_works_in_every_form_and_mode() {
    each_jdk("kill switch", |test, jdk| {
        let (jar, library) = (agent().jar, library());
        let off_file = test.folder().join("off");
        fs_err::write(&off_file, "").expect("a file");
        let file = test.folder().join("out.txt");
        let arguments = format!("probes=OrderTrace,scriptOutputFile={}", file.display());
        let javaagent = format!("-javaagent:{}={arguments}", jar.display());
        let agentpath = format!("-agentpath:{}=jar={},{arguments}", library.display(), jar.display());
        for switch in 0..3 {
            let app = || {
                let builder = app(test, jdk);
                match switch {
                    0 => builder.env("BTRACE_AGENT_ENABLED", "false"),
                    1 => builder.jvm_option("-Dbtrace.agent.enabled=false"),
                    _ => builder.jvm_option(format!("-Dbtrace.agent.offFile={}", off_file.display())),
                }
            };
            for option in [&javaagent, &agentpath] {
                let target = app().jvm_option(option).launch();
                rounds(&target, &["x"]);
                assert_eq!(expect_undisturbed(&target, &["x"]), "", "{option}");
            }
            let target = app().launch();
            rounds(&target, &["x"]);
            jcmd_load(test, jdk, &target, &jar, &arguments);
            rounds(&target, &["y"]);
            let stderr = expect_undisturbed(&target, &["x", "y"]);
            assert!(!stderr.contains("[fatagent]"), "{stderr}");
        }
        assert!(!file.exists(), "no probe ever ran");
    });
}
