//! What is going on right now: tests, their processes, and the step that each thread reached.
//!
//! This is what the stall watchdog reads, so nothing here waits for anything but a short lock.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use super::folders;

thread_local! {
    static CURRENT: RefCell<Option<Arc<Running>>> = const { RefCell::new(None) };
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

static STEPS: Mutex<BTreeMap<u32, Step>> = Mutex::new(BTreeMap::new());

/// The last step that a thread reached.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The test it works for.
    pub(crate) test: String,
    /// What it was about to do.
    pub(crate) text: String,
    /// Since when.
    pub(crate) since: Instant,
}

/// Notes what the calling thread is about to do, for the stall watchdog. The harness's own waits do it by themselves.
pub(crate) fn step(text: impl Into<String>) {
    let test = current().map_or_else(String::new, |running| running.id.clone());
    let step = Step { test, text: text.into(), since: Instant::now() };
    hold(&STEPS).insert(thread_id(), step);
}

/// The last step of each thread, by kernel thread number.
pub(crate) fn steps() -> BTreeMap<u32, Step> {
    hold(&STEPS).clone()
}

/// A test that is running.
#[derive(Debug)]
pub(crate) struct Running {
    /// Its name.
    pub(crate) id: String,
    /// When it began.
    pub(crate) began: Instant,
    folder: OnceLock<PathBuf>,
    processes: Mutex<Vec<Arc<Process>>>,
    released: OnceLock<String>,
}

impl Running {
    /// A test that begins now.
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            began: Instant::now(),
            folder: OnceLock::new(),
            processes: Mutex::default(),
            released: OnceLock::new(),
        }
    }

    /// Makes this the calling thread's test until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>) -> Entered {
        CURRENT.with_borrow_mut(|current| *current = Some(Arc::clone(self)));
        Entered
    }

    /// Sets the folder that its processes work in.
    pub(crate) fn set_folder(&self, folder: &Path) {
        let _ = self.folder.set(folder.to_path_buf());
    }

    /// The folder that its processes work in.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.get().map(PathBuf::as_path)
    }

    /// Puts a process under this test's name, so that it is seen by the watchdog and killed with the test.
    pub(crate) fn register(&self, process: Arc<Process>) {
        hold(&self.processes).push(process);
    }

    /// The processes that have not ended.
    pub(crate) fn live_processes(&self) -> Vec<Arc<Process>> {
        let processes = hold(&self.processes).clone();
        processes.into_iter().filter(|process| process.is_alive()).collect()
    }

    /// Ends the test: every process of it is killed, so that what waits for one wakes up, and waits fail from now on.
    pub(crate) fn release(&self, why: &str) {
        let _ = self.released.set(why.to_owned());
        self.kill_all();
    }

    /// Kills every process that is left.
    pub(crate) fn kill_all(&self) {
        for process in hold(&self.processes).iter() {
            process.kill();
        }
    }

    /// Why the test was released, if it was.
    pub(crate) fn released(&self) -> Option<&str> {
        self.released.get().map(String::as_str)
    }
}

/// Ends [`Running::enter`].
#[derive(Debug)]
pub(crate) struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|current| *current = None);
        hold(&STEPS).remove(&thread_id());
    }
}

/// The test that the calling thread runs; there must be one.
#[track_caller]
pub(crate) fn current_test() -> Arc<Running> {
    current().expect("this is for use inside `e2e_test`, on its own thread")
}

/// The calling thread's test.
pub(crate) fn current() -> Option<Arc<Running>> {
    CURRENT.with_borrow(Clone::clone)
}

/// A process that a test started.
#[derive(Debug)]
pub(crate) struct Process {
    /// What it is for.
    pub(crate) label: String,
    /// Its number.
    pub(crate) pid: u32,
    /// The `jcmd` that fits it, if it is a JVM.
    pub(crate) jcmd: Option<PathBuf>,
    /// Absent in the watchdog's own tests only.
    child: Option<Mutex<Child>>,
}

impl Process {
    /// A process just started.
    pub(crate) fn of(label: &str, jcmd: Option<PathBuf>, child: Child) -> Self {
        Self { label: label.to_owned(), pid: child.id(), jcmd, child: Some(Mutex::new(child)) }
    }

    /// A process that this one did not start and may not exist; it counts as alive.
    pub(crate) fn foreign(label: &str, jcmd: Option<PathBuf>, pid: u32) -> Self {
        Self { label: label.to_owned(), pid, jcmd, child: None }
    }

    /// Its exit status, once it has ended.
    pub(crate) fn exited(&self) -> Option<ExitStatus> {
        // An error would mean that somebody else reaped it; nobody does.
        hold(self.child.as_ref()?).try_wait().ok().flatten()
    }

    /// Whether it has not ended. A number can be given out again afterwards, so nothing is done by number alone.
    pub(crate) fn is_alive(&self) -> bool {
        self.exited().is_none()
    }

    /// Kills it if it is alive.
    pub(crate) fn kill(&self) {
        if let Some(child) = &self.child {
            // It may have ended by itself.
            let _ = hold(child).kill();
        }
    }

    /// Kills it if it is alive and takes its exit status, so that no zombie stays.
    pub(crate) fn kill_and_reap(&self) {
        if let Some(child) = &self.child {
            let mut child = hold(child);
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A lock that a failed test has not spoiled for the others: no invariant spans more than one statement here.
pub(crate) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The kernel's number of the calling thread.
pub(crate) fn thread_id() -> u32 {
    THREAD.with(|thread| {
        if thread.get() == 0 {
            // `/proc/thread-self` leads to `<process>/task/<thread>`.
            let link = fs_err::read_link("/proc/thread-self").unwrap_or_default();
            let number = link.file_name().and_then(|name| name.to_str()?.parse().ok());
            thread.set(number.unwrap_or_else(std::process::id));
        }
        thread.get()
    })
}

/// Removes from `folder` what test processes that are gone left there: files whose name starts with their number.
pub(crate) fn remove_stale(folder: &Path) {
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.split_once('-')).and_then(|(pid, _)| pid.parse().ok());
        if owner.is_some_and(|pid| !folders::is_running(pid)) {
            let _ = fs_err::remove_file(entry.path());
        }
    }
}
