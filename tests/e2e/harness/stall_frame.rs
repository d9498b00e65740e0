//! One frame of the stall watchdog: what this process and the test's processes are doing at one moment.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::registry::{self, Process};
use super::target::scrub;

/// Marks every line, so that one search finds a frame between other output.
const PREFIX: &str = "[stall-dump] ";
/// Below this, a JVM cannot answer.
const LEAST: Duration = Duration::from_millis(50);

/// What a frame is about.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// The test's name.
    pub(crate) test: &'a str,
    /// Since it began.
    pub(crate) elapsed: Duration,
    /// 1 or 2.
    pub(crate) number: u32,
    /// The processes that it had when the watchdog fired.
    pub(crate) targets: &'a [Arc<Process>],
}

/// Writes the frame, flushed after each section, so that whatever hangs later does not lose what came before. It never
/// fails: what cannot be had is said in its place. All targets together get `budget`.
pub(crate) fn write_frame(sink: &mut impl Write, frame: &Frame<'_>, budget: Duration) {
    let Frame { test, elapsed, number, targets } = frame;
    section(sink, &format!("==== stall frame {number} of test `{test}` after {:.1} s ====", elapsed.as_secs_f64()));
    section(sink, &own_threads());
    let end = Instant::now() + budget;
    for (index, target) in targets.iter().enumerate() {
        let rest = end.saturating_duration_since(Instant::now());
        // A fair share, so that one that does not answer leaves something for the others.
        let share = rest / (targets.len() - index) as u32;
        section(sink, &describe(target, share));
    }
    section(sink, &format!("==== end of frame {number} ===="));
}

fn section(sink: &mut impl Write, text: &str) {
    let mut lines = String::new();
    for line in text.lines() {
        let _ = writeln!(lines, "{PREFIX}{line}");
    }
    // There is nobody to tell.
    let _ = sink.write_all(lines.as_bytes()).and_then(|()| sink.flush());
}

/// The threads of this process, with the steps that the harness noted.
fn own_threads() -> String {
    let mut text = format!("---- threads of the test process {} ----", std::process::id());
    let steps = registry::steps();
    for thread in threads(Path::new("/proc/self/task"), &mut text) {
        let _ = write!(text, "\n{}", thread.line);
        if let Some(step) = steps.get(&thread.id) {
            let since = step.since.elapsed().as_secs_f64();
            let _ = write!(text, "; test `{}`, last step {since:.1} s ago: {}", step.test, step.text);
        }
    }
    text
}

fn describe(target: &Process, share: Duration) -> String {
    let Process { label, pid, jcmd, .. } = target;
    let mut text = format!("---- target `{label}`, process {pid} ----");
    if !target.is_alive() {
        text.push_str("\nhas ended since the watchdog fired");
        return text;
    }
    let folder = Path::new("/proc").join(pid.to_string());
    let threads = threads(&folder.join("task"), &mut text);
    let _ = write!(text, "\nthreads as the kernel sees them: {}", threads.len());
    for thread in threads {
        let _ = write!(text, "\n{}", thread.line);
    }
    let milliseconds = share.as_millis();
    match jcmd {
        None => text.push_str("\nno thread dump: not a JVM"),
        Some(_) if share < LEAST => {
            let _ = write!(text, "\nno thread dump: the frame's time is used up ({milliseconds} ms left)");
        }
        // Attaching signals the target; one that does not handle that signal yet would die of it.
        Some(_) if !catches_quit(&folder) => {
            text.push_str("\nno thread dump: the process is gone, or does not accept an attach request");
        }
        Some(jcmd) => {
            let mut command = Command::new(jcmd);
            scrub(&mut command).arg(pid.to_string()).args(["Thread.print", "-l"]);
            let _ = write!(text, "\njcmd {pid} Thread.print -l, within {milliseconds} ms");
            match fixtures::run(&mut command, share) {
                Ok(output) if output.status.success() => {
                    let _ = write!(text, "\n{}", output.both());
                }
                Ok(output) => {
                    let _ = write!(text, "\nfailed with {}:\n{}", output.status, output.both());
                }
                Err(error) => {
                    let _ = write!(text, "\nfailed: {error}{}", cause(&error));
                }
            }
        }
    }
    text
}

fn cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(String::new, |cause| format!(": {cause}"))
}

struct Thread {
    id: u32,
    line: String,
}

/// The threads in a `task` folder; a failure is added to `text`.
fn threads(folder: &Path, text: &mut String) -> Vec<Thread> {
    let mut numbers: Vec<u32> = match fs_err::read_dir(folder) {
        Ok(entries) => entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect(),
        Err(error) => {
            let _ = write!(text, "\nthreads unknown: {error}");
            return Vec::new();
        }
    };
    numbers.sort_unstable();
    numbers
        .into_iter()
        .map(|id| {
            let folder = folder.join(id.to_string());
            let read = |name: &str| -> io::Result<String> { fs_err::read_to_string(folder.join(name)) };
            let status = read("status").unwrap_or_default();
            let field = |name: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(name));
                line.map_or("?", |value| value.trim_start_matches(':').trim()).to_owned()
            };
            let (name, state) = (field("Name"), field("State"));
            // `0` where the kernel does not tell; the system call then says most of it.
            let channel = read("wchan").unwrap_or_else(|_| "?".to_owned());
            let call = read("syscall").unwrap_or_else(|_| "?".to_owned());
            let call = call.split_whitespace().next().unwrap_or("?");
            Thread {
                id,
                line: format!("thread {id} `{name}`: state {state}, wait channel {channel}, system call {call}"),
            }
        })
        .collect()
}

/// Whether the process has a handler for the signal that an attach request sends, by the bit mask of the kernel.
fn catches_quit(folder: &Path) -> bool {
    const SIGQUIT: u32 = 3;
    let status = fs_err::read_to_string(folder.join("status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (SIGQUIT - 1) & 1 == 1)
}
