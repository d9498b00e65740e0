//! Running one test within its limit.

use std::any::Any;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::folders;
use super::jvm::{Jdk, jdks};
use super::missing::reported_missing;
use super::registry::{Running, step};
use super::stall::Watch;
use super::target::{Output, Target};

/// How long a test may take by default, in seconds.
const LIMIT: u64 = 240;
/// How long a test's own polling lasts before it fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// When a test is looked at, and when it is given up.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// When the test is given up.
    pub(crate) limit: Duration,
    /// When the stall watchdog writes its first frame.
    pub(crate) deadline: Duration,
    /// From the first frame to the second.
    pub(crate) gap: Duration,
    /// What one frame may spend on all targets together.
    pub(crate) budget: Duration,
    /// Where the frames go.
    pub(crate) folder: PathBuf,
    /// Whether frames are copied to standard error.
    pub(crate) echo: bool,
}

impl Settings {
    /// Everything derived from the limit: both frames and the release of the targets come well before it.
    pub(crate) fn within(limit: Duration, wanted_deadline: Option<Duration>) -> Self {
        let gap = Duration::from_secs(30).min(limit / 8);
        let budget = Duration::from_secs(20).min(limit / 12);
        // Two frames and what lies between them.
        let latest = limit.saturating_sub(gap + budget * 2);
        // The last eighth is for the test to fail by itself once its targets are released.
        let deadline = wanted_deadline.map_or(latest.saturating_sub(limit / 8), |wanted| wanted.min(latest));
        Self { limit, deadline, gap, budget, folder: folders::stall_dumps(), echo: true }
    }

    fn from_environment() -> Self {
        let limit = seconds("FATAGENT_TEST_LIMIT_SECS").unwrap_or(Duration::from_secs(LIMIT));
        Self::within(limit, seconds("FATAGENT_STALL_SECS"))
    }
}

fn seconds(name: &str) -> Option<Duration> {
    let text = env::var(name).ok()?;
    match text.parse() {
        Ok(number @ 1..) => Some(Duration::from_secs(number)),
        _ => panic!("`{name}` is a whole number of seconds, not: `{text}`"),
    }
}

/// What a test's body gets.
#[derive(Debug)]
pub(crate) struct Test {
    folder: tempfile::TempDir,
    running: Arc<Running>,
}

impl Test {
    fn new(running: &Arc<Running>) -> Self {
        let folder = tempfile::tempdir_in(folders::process_folder()).expect("the test's folder");
        running.set_folder(folder.path());
        Self { folder, running: Arc::clone(running) }
    }

    /// A folder of the test's own, removed when it ends.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles Java sources (pairs of path and text) for every supported JVM and returns the folder of their classes.
    #[track_caller]
    pub(crate) fn compile(&self, sources: &[(&str, &str)]) -> PathBuf {
        self.compile_with(sources, &["--release", "11", "-Xlint:-options"])
    }

    /// As [`Self::compile`], with the given options of javac.
    #[track_caller]
    pub(crate) fn compile_with(&self, sources: &[(&str, &str)], options: &[&str]) -> PathBuf {
        step("compiling");
        let folder = tempfile::Builder::new().prefix("classes-").tempdir_in(self.folder()).expect("a folder").keep();
        fixtures::javac(sources, options, &folder).unwrap_or_else(|error| panic!("{error}"));
        folder
    }

    /// Runs a program to its end, registered as any other process of the test; in the test's folder unless the command
    /// names another.
    #[track_caller]
    pub(crate) fn run(&self, command: &mut Command) -> Output {
        let label = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
        if command.get_current_dir().is_none() {
            command.current_dir(self.folder());
        }
        Target::program(&label, command).patience(Duration::from_mins(3)).wait_exit()
    }

    /// Asks again and again until `look` finds something; fails after a minute.
    #[track_caller]
    pub(crate) fn wait_until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        step(format!("waiting until {what}"));
        let end = Instant::now() + PATIENCE;
        loop {
            let late = Instant::now() >= end;
            if let Some(found) = look() {
                return found;
            }
            if let Some(why) = self.running.released() {
                panic!("not until {what}: {why}");
            }
            assert!(!late, "not within {PATIENCE:?}: {what}");
            thread::sleep(Duration::from_millis(25));
        }
    }
}

/// Runs one test: `body` on a thread of its own, watched, within the limit. All its processes end with it.
#[track_caller]
pub(crate) fn e2e_test(name: &str, body: impl FnOnce(&Test) + Send + 'static) {
    e2e_test_with(name, &Settings::from_environment(), body);
}

/// As [`e2e_test`], with times of its own.
#[track_caller]
pub(crate) fn e2e_test_with(name: &str, settings: &Settings, body: impl FnOnce(&Test) + Send + 'static) {
    let running = Arc::new(Running::new(name));
    let watch = Watch::arm(&running, settings);
    let (send, receive) = mpsc::channel();
    let inside = {
        let running = Arc::clone(&running);
        move || {
            let entered = running.enter();
            step("beginning");
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                body(&Test::new(&running));
            }));
            drop(entered);
            // Nobody listens any more after an overrun.
            let _ = send.send(outcome);
        }
    };
    let thread = thread::Builder::new().name(name.to_owned()).spawn(inside).expect("the test's thread");
    let outcome = receive.recv_timeout(settings.limit);
    watch.disarm();
    let released = running.released();
    let dumps = watch.dumps();
    match outcome {
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("`{name}` ended without a result"),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            // The body may go on, but not start anything more.
            running.release("its test has overrun its limit");
            panic!("`{name}` did not end within its limit of {:?}; stall dumps: {dumps:?}", settings.limit)
        }
        Ok(outcome) => {
            let _ = thread.join();
            running.kill_all();
            match (outcome, released) {
                (Err(panic), None) if reported_missing(name, panic.as_ref()) => {}
                (Err(panic), _) => resume_unwind(panic),
                (Ok(()), Some(why)) => panic!("`{name}` ended only because {why}; stall dumps: {dumps:?}"),
                (Ok(()), None) => {}
            }
        }
    }
}

/// Runs one test on every JDK of [`jdks`], each time with the whole limit, and fails at the end if any failed.
#[track_caller]
pub(crate) fn each_jdk(name: &str, body: impl Fn(&Test, &Jdk) + Clone + Send + 'static) {
    on_each(name, jdks().iter().map(|jdk| jdk.feature).collect(), body);
}

/// As [`each_jdk`], on exactly these releases, which are fetched if need be.
#[track_caller]
pub(crate) fn each_jdk_of(features: &[u32], name: &str, body: impl Fn(&Test, &Jdk) + Clone + Send + 'static) {
    on_each(name, features.to_vec(), body);
}

#[track_caller]
fn on_each(name: &str, features: Vec<u32>, body: impl Fn(&Test, &Jdk) + Clone + Send + 'static) {
    let mut failures = Vec::new();
    for feature in features {
        let body = body.clone();
        // The JDK is looked for inside, so that one that cannot be had is a result like any other.
        let run = || e2e_test(&format!("{name} on {feature}"), move |test| body(test, &Jdk::of(feature)));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            failures.push(format!("on {feature}: {}", panic_message(panic.as_ref())));
        }
    }
    assert!(failures.is_empty(), "`{name}` failed {}", failures.join("\nand "));
}

/// The text of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a text")
}
