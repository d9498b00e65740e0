//! The stall watchdog against real JVMs: it captures, it degrades, it is silent when all is well.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::stall::file_name;
use crate::harness::{
    Frame, Jdk, Process, Settings, Target, Test, current_test, e2e_test, e2e_test_with, each_jdk, panic_message,
    remove_stale, stall_dumps, step, write_frame,
};

/// Writes `ready`, then does nothing until its standard input ends.
const PARKED: &str = r#"public class Parked {
    public static void main(String[] arguments) throws Exception {
        Thread worker = new Thread("parked-worker") {
            public void run() {
                try { Thread.sleep(1000000L); } catch (InterruptedException e) { }
            }
        };
        worker.setDaemon(true);
        worker.start();
        System.out.println("ready");
        System.in.read();
    }
}"#;

/// No process can have it: Linux ends at 4194304.
const NO_SUCH_PROCESS: u32 = 4_194_305;

fn parked(test: &Test, jdk: &Jdk) -> Target {
    let classes = test.compile(&[("Parked.java", PARKED)]);
    let target = Target::builder(jdk).class_path(classes).main("Parked").launch();
    target.wait_for_line("ready");
    target
}

/// The text of one frame of the calling test.
fn frame(targets: &[Arc<Process>], budget: Duration) -> String {
    let mut bytes = Vec::new();
    let frame = Frame { test: "the test's name", elapsed: Duration::from_millis(1500), number: 1, targets };
    write_frame(&mut bytes, &frame, budget);
    let text = String::from_utf8(bytes).expect("UTF-8");
    for line in text.lines() {
        assert!(line.starts_with("[stall-dump] "), "{line}");
    }
    text
}

/// The part of a frame that is about one target.
fn section(frame: &str, label: &str) -> String {
    let start = frame.find(&format!("---- target `{label}")).unwrap_or_else(|| panic!("no `{label}` in\n{frame}"));
    let rest = &frame[start..];
    let end = rest[4..].find("---- target").map_or(rest.len(), |end| end + 4);
    rest[..end].to_owned()
}

/// Stops a process, which then answers nothing.
fn stop(test: &Test, pid: u32) {
    let status = Command::new("sh").args(["-c", &format!("kill -STOP {pid}")]).status().expect("a shell");
    assert!(status.success());
    test.wait_until("the process is stopped", || {
        let status = fs_err::read_to_string(format!("/proc/{pid}/status")).expect("its status");
        status.contains("State:\tT").then_some(())
    });
}

#[test]
fn a_frame_shows_the_threads_of_the_test_and_of_its_target() {
    each_jdk("stall frame", |test, jdk| {
        let target = parked(test, jdk);
        step("a step to be seen");
        let text = frame(&current_test().live_processes(), Duration::from_mins(1));
        assert!(text.contains("==== stall frame 1 of test `the test's name` after 1.5 s ===="), "{text}");
        // The kernel keeps 15 bytes of a thread's name.
        assert!(text.contains("`stall frame on`: state R"), "{text}");
        assert!(text.contains("s ago: a step to be seen"), "{text}");
        assert!(text.contains("`out Parked on "), "the reader threads are missing:\n{text}");
        let section = section(&text, "Parked on ");
        assert!(section.contains(&format!("jcmd {} Thread.print -l", target.pid())), "{section}");
        assert!(section.contains("\"parked-worker\"") && section.contains("java.lang.Thread.sleep"), "{section}");
        assert!(section.contains("Locked ownable synchronizers"), "{section}");
        assert!(target.is_alive(), "the dump must not end the target");
        assert_eq!(target.stdout(), "ready\n", "the dump must not write into the target's output");
        target.close_stdin();
        target.wait_exit().expect_code(0);
    });
}

#[test]
fn bad_targets_are_recorded_and_do_not_spoil_the_rest() {
    e2e_test("bad targets", |test| {
        let jdk = Jdk::any();
        let target = parked(test, &jdk);
        let ended = parked(test, &jdk);
        let mut processes = current_test().live_processes();
        ended.kill();
        let plain = Target::program("plain", Command::new("sh").args(["-c", "exec sleep 100"]));
        processes.extend(current_test().live_processes().into_iter().filter(|process| process.pid == plain.pid()));
        processes.push(Arc::new(Process::foreign("bogus", Some(jdk.jcmd()), NO_SUCH_PROCESS)));
        processes.push(Arc::new(Process::foreign("refused", Some(PathBuf::from("false")), target.pid())));
        processes.push(Arc::new(Process::foreign("no jcmd", Some(PathBuf::from("no-such-jcmd")), target.pid())));
        processes.push(Arc::new(Process::foreign("deaf", Some(jdk.jcmd()), plain.pid())));
        let text = frame(&processes, Duration::from_mins(1));
        assert!(text.contains("---- threads of the test process"), "{text}");
        assert!(section(&text, "Parked on ").contains("parked-worker"), "{text}");
        assert!(text.contains("has ended since the watchdog fired"), "{text}");
        assert!(section(&text, "plain").contains("no thread dump: not a JVM"), "{text}");
        assert!(section(&text, "plain").contains("`sleep`: state S"), "{text}");
        let bogus = section(&text, "bogus");
        assert!(bogus.contains("threads unknown") && bogus.contains("no thread dump: the process is gone"), "{bogus}");
        assert!(section(&text, "refused").contains("failed with exit status: 1"), "{text}");
        assert!(section(&text, "no jcmd").contains("failed: cannot start `no-such-jcmd`"), "{text}");
        // An attach request would have killed it.
        assert!(section(&text, "deaf").contains("does not accept an attach request"), "{text}");
        assert!(plain.is_alive() && target.is_alive());
        assert!(text.ends_with("[stall-dump] ==== end of frame 1 ====\n"), "{text}");
    });
}

#[test]
fn targets_that_do_not_answer_share_one_budget() {
    e2e_test("shared budget", |test| {
        let jdk = Jdk::any();
        let targets = [parked(test, &jdk), parked(test, &jdk), parked(test, &jdk)];
        for target in &targets {
            stop(test, target.pid());
        }
        let budget = Duration::from_secs(3);
        let text = frame(&current_test().live_processes(), budget);
        let mut shares = 0;
        for target in &targets {
            let marker = format!("jcmd {} Thread.print -l, within ", target.pid());
            let rest = text.split(&marker).nth(1).unwrap_or_else(|| panic!("no `{marker}` in\n{text}"));
            let share: u128 = rest.split(' ').next().unwrap().parse().unwrap();
            assert!(share > 0, "{text}");
            shares += share;
        }
        // Each of them used up its share, so the frame took their sum.
        assert_eq!(text.matches("did not end within its limit").count(), 3, "{text}");
        assert!(shares <= budget.as_millis(), "{shares} ms:\n{text}");
        assert!(text.contains("threads as the kernel sees them") && text.contains("state T (stopped)"), "{text}");

        let text = frame(&current_test().live_processes(), Duration::ZERO);
        assert_eq!(text.matches("no thread dump: the frame's time is used up").count(), 3, "{text}");
        assert!(text.contains("---- threads of the test process"), "{text}");
    });
}

fn quick(folder: &Path, deadline: Duration, gap: Duration) -> Settings {
    let budget = Duration::from_secs(30);
    Settings { limit: Duration::from_mins(3), deadline, gap, budget, folder: folder.to_path_buf(), echo: false }
}

fn dumps(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs_err::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn a_stalled_test_leaves_two_frames_and_is_released() {
    let folder = tempfile::tempdir().unwrap();
    // Late enough for the JVM to be up on a busy machine.
    let settings = quick(folder.path(), Duration::from_secs(10), Duration::from_secs(2));
    let name = format!("a/stalled: {} end", "test ".repeat(60));
    let began = Instant::now();
    let stalled = || {
        e2e_test_with(&name, &settings, |test| {
            let target = parked(test, &Jdk::any()).patience(Duration::from_mins(10));
            target.wait_for_line("never written");
        });
    };
    let panic = catch_unwind(AssertUnwindSafe(stalled)).expect_err("a stalled test fails");
    let message = panic_message(panic.as_ref());
    assert!(message.contains("a line with `never written`"), "{message}");
    assert!(message.contains("the stall watchdog killed the test's processes"), "{message}");
    assert!(message.contains("`\nready"), "{message}");
    assert!(began.elapsed() < settings.limit, "the release, not the limit, ended it");

    let paths = dumps(folder.path());
    let [first, second] = &paths[..] else { panic!("not two frames: {paths:?}") };
    let mut elapsed = Vec::new();
    for (path, number) in [(first, 1), (second, 2)] {
        let file = path.file_name().unwrap().to_str().unwrap();
        assert!(file.len() < 200 && file.ends_with(&format!("-frame{number}.txt")), "{file}");
        assert!(file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)), "{file}");
        assert!(message.contains(file), "the message names each file: {message}");
        let text = fs_err::read_to_string(path).unwrap();
        assert!(text.contains("parked-worker"), "{text}");
        assert!(text.contains("waiting for a line with `never written` on Stdout of `Parked on "), "{text}");
        let after = text.lines().next().unwrap().rsplit(" after ").next().unwrap();
        elapsed.push(after.split(' ').next().unwrap().parse::<f64>().unwrap());
    }
    assert!(elapsed[0] >= 10.0 && elapsed[1] >= elapsed[0] + 1.9, "{elapsed:?}");
}

/// What `a_stall_under_the_default_settings_shows_itself` runs in a process of its own; green otherwise.
#[test]
fn stalls_when_asked_to() {
    if std::env::var_os(STALL_VARIABLE).is_some() {
        e2e_test("stalls on purpose", |_| {
            let target = Target::program("sleeper", Command::new("sh").args(["-c", "exec sleep 1000"]));
            target.wait_for_line("never");
        });
    }
}

const STALL_VARIABLE: &str = "FATAGENT_SELF_TEST_STALL";

#[test]
fn a_stall_under_the_default_settings_shows_itself() {
    e2e_test("default settings", |_| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "stall_watchdog::stalls_when_asked_to"]);
        // The limit of 24 s makes the gap 3 s.
        command.env(STALL_VARIABLE, "1").env("FATAGENT_STALL_SECS", "1").env("FATAGENT_TEST_LIMIT_SECS", "24");
        let child = Target::program("the stalled run", &mut command);
        let output = child.wait_exit().expect_code(101);
        let own =
            |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&format!("{}-", child.pid()));
        let files: Vec<_> = dumps(&stall_dumps()).into_iter().filter(own).collect();
        assert_eq!(files.len(), 2, "{files:?}");
        let written: String = files.iter().map(|file| fs_err::read_to_string(file).unwrap()).collect();
        assert_eq!(output.stderr, written, "standard error gets a copy, past the capture of the test runner");
        assert!(output.stdout.contains("the stall watchdog killed the test's processes"), "{}", output.stdout);
        for file in files {
            assert!(output.stdout.contains(file.to_str().unwrap()), "{}", output.stdout);
            fs_err::remove_file(file).unwrap();
        }
    });
}

#[test]
fn dumps_of_processes_that_are_gone_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let own = format!("{}-own.txt", std::process::id());
    for name in [format!("{NO_SUCH_PROCESS}-old.txt"), own.clone(), "notes.txt".to_owned()] {
        fs_err::write(folder.path().join(name), "").unwrap();
    }
    remove_stale(folder.path());
    let left = dumps(folder.path());
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left.contains(&folder.path().join(own)) && left.contains(&folder.path().join("notes.txt")), "{left:?}");
}

#[test]
fn a_test_that_moves_on_after_the_first_frame_is_not_released() {
    let folder = tempfile::tempdir().unwrap();
    let gap = Duration::from_secs(3);
    let settings = quick(folder.path(), Duration::from_millis(200), gap);
    let place = folder.path().to_path_buf();
    e2e_test_with("slow but alive", &settings, move |test| {
        test.wait_until("the first frame is complete", || {
            let text = fs_err::read_to_string(dumps(&place).first()?).ok()?;
            text.contains("==== end of frame 1").then_some(())
        });
    });
    thread::sleep(gap + Duration::from_millis(500));
    assert_eq!(dumps(folder.path()).len(), 1, "the second frame is for tests that still hang");
}

#[test]
fn a_green_test_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let deadline = Duration::from_secs(3);
    e2e_test_with("green", &quick(folder.path(), deadline, deadline), |_| step("done at once"));
    thread::sleep(deadline + Duration::from_millis(500));
    assert_eq!(dumps(folder.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_test_that_the_watchdog_ended_is_not_green() {
    let folder = tempfile::tempdir().unwrap();
    let settings = quick(folder.path(), Duration::from_millis(500), Duration::from_millis(200));
    let stalled = || {
        e2e_test_with("swallows its failure", &settings, |_| {
            let target = Target::program("sleeper", Command::new("sh").args(["-c", "exec sleep 1000"]));
            let wait = || drop(target.wait_for_line("never"));
            assert!(catch_unwind(AssertUnwindSafe(wait)).is_err());
            let start = || drop(Target::program("late", Command::new("sh").args(["-c", "exit"])));
            assert!(catch_unwind(AssertUnwindSafe(start)).is_err(), "a released test starts nothing new");
        });
    };
    let panic = catch_unwind(AssertUnwindSafe(stalled)).expect_err("it had to be ended");
    let message = panic_message(panic.as_ref());
    assert!(message.starts_with("`swallows its failure` ended only because the stall watchdog"), "{message}");
}

#[test]
fn dumps_are_named_apart() {
    let long = "x".repeat(500);
    let names: Vec<_> = [format!("{long} on 17"), format!("{long} on 17"), format!("{long} on 21")]
        .iter()
        .map(|test| file_name(test, 1))
        .collect();
    assert!(names[0] != names[1] && names[1] != names[2]);
    assert!(names[0].contains("-on-17-") && names[2].contains("-on-21-"), "{names:?}");
}
