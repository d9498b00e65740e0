//! The harness keeps its own promises.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use crate::harness::{
    AgentProject, Jdk, Process, Settings, Target, e2e_test, e2e_test_with, maven_artifact, maven_file_name, once,
    panic_message, step,
};

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// The message that `body` fails with.
#[track_caller]
fn failure(body: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(body)).expect_err("it had to fail");
    panic_message(panic.as_ref()).to_owned()
}

#[test]
fn a_wait_that_times_out_fails_with_the_end_of_both_streams() {
    e2e_test("timed out wait", |_| {
        let script = "seq 100; echo on stderr >&2; printf 'no line break'; exec sleep 100";
        let target = Target::program("sleeper", &mut shell(script)).patience(Duration::from_millis(500));
        target.wait_for_line("100");
        target.wait_for_error_line("on stderr");
        let text = failure(|| drop(target.wait_for_line("no line break")));
        assert!(text.contains("a line with `no line break` did not come on Stdout within 500ms"), "{text}");
        assert!(text.contains("running"), "{text}");
        assert!(text.contains("(41 earlier lines)\n42\n43\n"), "{text}");
        assert!(text.contains("100\nno line break\n--- stderr of `sleeper`\non stderr"), "{text}");
        let text = failure(|| drop(target.wait_exit()));
        assert!(text.contains("the process did not end within 500ms"), "{text}");
        assert!(target.wait_for_stdout(|text| text.ends_with("no line break")).starts_with("1\n2\n"));
    });
}

#[test]
fn a_wait_fails_at_once_when_the_process_has_ended() {
    e2e_test("ended process", |_| {
        let target = Target::program("ender", &mut shell("echo last words; exit 5")).patience(Duration::from_hours(1));
        let text = failure(|| drop(target.wait_for_line("never")));
        assert!(text.contains("a line with `never` did not come: Stdout ended"), "{text}");
        assert!(text.contains("last words"), "{text}");
        assert_eq!(target.wait_for_line("last"), "last words");
        assert_eq!(target.wait_exit().code, Some(5));
        assert!(failure(|| drop(target.wait_exit().expect_code(0))).starts_with("exit code Some(5)"));
    });
}

#[test]
fn the_environment_of_processes_does_not_depend_on_the_machine() {
    e2e_test("environment", |test| {
        let jdk = Jdk::any();
        let source = "public class Env { public static void main(String[] a) {
            System.out.println(System.getenv(\"JAVA_TOOL_OPTIONS\") + \" \" + System.getenv(\"MINE\")
                + \" \" + System.getProperty(\"sun.jnu.encoding\")); } }";
        let classes = test.compile(&[("Env.java", source)]);
        let builder = Target::builder(&jdk).class_path(classes).main("Env").env("MINE", "set");
        let command = builder.command();
        assert!(command.get_envs().any(|(name, value)| name == "JAVA_TOOL_OPTIONS" && value.is_none()));
        assert!(command.get_args().any(|argument| argument == "-Xverify:all"));
        assert_eq!(builder.launch().wait_exit().expect_code(0).stdout, "null set UTF-8\n");
    });
}

#[test]
fn processes_end_with_their_target_and_with_their_test() {
    let (send, receive) = mpsc::channel();
    e2e_test("leaking test", move |_| {
        let dropped = Target::program("dropped", &mut shell("exec sleep 1000"));
        let pid = dropped.pid();
        drop(dropped);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
        let leaked = Target::program("leaked", &mut shell("exec sleep 1000"));
        send.send(leaked.pid()).unwrap();
        std::mem::forget(leaked);
    });
    let pid = receive.recv().unwrap();
    e2e_test("after the leaking test", move |test| {
        test.wait_until("the leaked process is dead", || {
            let status = fs_err::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            (status.is_empty() || status.contains("State:\tZ")).then_some(())
        });
    });
}

#[test]
fn a_test_that_overruns_its_limit_fails_and_its_processes_die() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::within(Duration::from_secs(2), None);
    let settings = Settings { echo: false, folder: folder.path().to_path_buf(), ..settings };
    let (send, receive) = mpsc::channel::<()>();
    let text = failure(|| {
        e2e_test_with("overrun", &settings, move |_| {
            let target = Target::program("sleeper", &mut shell("exec sleep 1000"));
            // Not a wait of the harness, so nothing but the limit ends it; the sender is dropped below.
            let _ = receive.recv();
            assert!(!target.is_alive());
        });
    });
    drop(send);
    assert!(text.starts_with("`overrun` did not end within its limit of 2s"), "{text}");
}

#[test]
fn the_watchdog_comes_well_before_the_limit_whatever_is_asked() {
    let usual = Settings::within(Duration::from_mins(4), None);
    assert_eq!((usual.deadline.as_secs(), usual.gap.as_secs(), usual.budget.as_secs()), (140, 30, 20));
    for limit in [1, 2, 10, 60, 240, 3600] {
        for wanted in [None, Some(1), Some(50), Some(100_000)] {
            let limit = Duration::from_secs(limit);
            let settings = Settings::within(limit, wanted.map(Duration::from_secs));
            let Settings { deadline, gap, budget, .. } = settings;
            assert!(deadline + gap + budget * 2 <= limit, "{limit:?} {wanted:?}");
            assert!(wanted.is_none_or(|wanted| deadline <= Duration::from_secs(wanted)));
        }
    }
}

#[test]
fn the_environment_is_read_strictly() {
    e2e_test("strict environment", |test| {
        for (name, value) in
            [("FATAGENT_TEST_LIMIT_SECS", "long"), ("FATAGENT_STALL_SECS", "0"), ("FATAGENT_TEST_JDKS", "8")]
        {
            // This very program, with one test that reads all of them.
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "smoke::hello_world_runs_on_every_jdk"]).env(name, value);
            let output = test.run(&mut command).expect_code(101);
            let (message, got) = (format!("`{name}` "), format!("not: `{value}`"));
            assert!(output.stdout.contains(&message) && output.stdout.contains(&got), "{}", output.stdout);
        }
    });
}

#[test]
fn a_test_that_needs_more_than_a_jdk_says_so_and_fails_where_it_must_run() {
    e2e_test("missing tools", |test| {
        for (name, tool) in [
            ("a_jdk_that_is_not_installed_is_fetched_and_runs", "python3 with pip"),
            ("artifacts_come_from_maven", "Maven"),
        ] {
            let run = |strict: bool| {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.args(["--exact", &format!("harness_tests::{name}")]);
                // Neither in the cache nor on the machine.
                command.env("PATH", test.folder()).env("FATAGENT_TEST_CACHE", test.folder().join("cache"));
                command.env_remove("FATAGENT_TEST_JDKS");
                if strict {
                    command.env("FATAGENT_TEST_JDKS", "11");
                }
                test.run(&mut command)
            };
            let usual = run(false).expect_code(0);
            let hint = format!("{tool} is needed: `apt-get install -y ");
            assert!(usual.stderr.contains("not run: `") && usual.stderr.contains(&hint), "{}", usual.stderr);
            let strict = run(true).expect_code(101);
            assert!(strict.stdout.contains(&hint), "{}", strict.stdout);
        }
    });
}

#[test]
fn processes_are_started_inside_tests_only() {
    let text = failure(|| drop(Target::program("stray", &mut shell("exit"))));
    assert!(text.contains("inside `e2e_test`"), "{text}");
}

#[test]
fn one_place_in_the_cache_is_made_once() {
    e2e_test("cache", |test| {
        let place = test.folder().join("kind/thing");
        let made = Arc::new(AtomicU32::new(0));
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let (place, made) = (place.clone(), Arc::clone(&made));
                thread::spawn(move || {
                    once(&place, |folder| {
                        made.fetch_add(1, Ordering::SeqCst);
                        fs_err::write(folder.join("file"), "content")
                    })
                    .unwrap();
                    fs_err::read_to_string(place.join("file")).unwrap()
                })
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), "content");
        }
        assert_eq!(made.load(Ordering::SeqCst), 1);
        // A failure leaves nothing behind, so the next one tries again.
        let other = test.folder().join("kind/other");
        assert_eq!(
            once(&other, |folder| fs_err::write(folder.join("part"), "").map_or(Ok(()), |()| Err("no"))),
            Err("no")
        );
        assert!(!other.exists());
        assert_eq!(fs_err::read_dir(test.folder().join("kind")).unwrap().count(), 3, "one place and two locks");
    });
}

#[test]
fn a_jdk_that_is_not_installed_is_fetched_and_runs() {
    e2e_test("fetched JDK", |test| {
        let home = crate::harness::provision(11).unwrap_or_else(|why| panic!("{why}"));
        let output = test.run(Command::new(home.join("bin/java")).arg("-version")).expect_code(0);
        assert!(output.stderr.contains("\"11."), "{}", output.stderr);
        assert!(home.join("bin/jcmd").is_file() && home.join("lib/libinstrument.so").is_file());
    });
}

#[test]
fn artifacts_come_from_maven() {
    assert_eq!(maven_file_name("g:a:1").as_deref(), Some("a-1.jar"));
    assert_eq!(maven_file_name("g:a:1:zip:all").as_deref(), Some("a-1-all.zip"));
    for bad in ["a", "g:a", "g::1", "g:a:1:jar:c:x"] {
        assert_eq!(maven_file_name(bad), None, "{bad}");
    }
    e2e_test("maven", |_| {
        let jar = maven_artifact("org.apache.felix:org.apache.felix.framework:7.0.5");
        assert!(fixtures::entry_names(&jar).unwrap().contains(&"org/apache/felix/framework/Felix.class".to_owned()));
        let text = failure(|| drop(maven_artifact("a:b")));
        assert!(text.contains("`a:b`"), "{text}");
    });
}

#[test]
fn agents_are_built_once_for_each_project() {
    e2e_test("agent project", |test| {
        let log = test.folder().join("log");
        // In place of `fatagent`: takes `build --file agent.toml -o OUT`.
        let script =
            format!("echo built >> '{}'; cat agent.toml probes/P > \"$5\"; echo done; echo note >&2", log.display());
        let program = || {
            let mut command = shell(&script);
            command.arg("fatagent");
            command
        };
        let project = AgentProject::new("a-b", "[agent]\n").file("probes/P", "probe\n");
        let built = project.build_by(program);
        assert_eq!(built.jar.file_name().unwrap(), "a-b.jar");
        assert_eq!(fs_err::read_to_string(&built.jar).unwrap(), "[agent]\nprobe\n");
        assert_eq!((built.stdout.as_str(), built.stderr.as_str()), ("done\n", "note\n"));
        assert_eq!(project.build_by(program).jar, built.jar);
        let other = project.clone().file("probes/P", "another\n").build_by(program);
        assert_ne!(other.jar, built.jar);
        assert_eq!(fs_err::read_to_string(&log).unwrap(), "built\nbuilt\n");
        let text = failure(|| drop(AgentProject::new("bad", "").build_by(|| shell("echo the cause >&2; exit 1"))));
        assert!(text.contains("building `bad` failed") && text.contains("the cause"), "{text}");
        let text = failure(|| drop(AgentProject::new("none", "").build_by(|| shell("exit 0"))));
        assert!(text.contains("none.jar` was written"), "{text}");
    });
}

#[test]
fn a_foreign_process_counts_as_alive() {
    step("outside of any test");
    assert!(Process::foreign("x", None, u32::MAX).is_alive());
}
