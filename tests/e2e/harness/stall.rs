//! The stall watchdog: a test that hangs says where, before it is given up.
//!
//! At a deadline below the test's own limit it writes a frame: what every thread of this process was doing, and a
//! thread dump of every process that the test had running at that moment. If the test still hangs after a while, a
//! second frame shows whether anything moved: one frame alone cannot tell wedged from slow. Then the test's processes
//! are killed, which ends whatever waited for them and lets the test fail by itself.
//!
//! Files come first, because a run that is cut off loses its output but keeps them; standard error is a copy.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, Once, mpsc};
use std::time::{Duration, Instant};
use std::{io, process, thread};

use super::folders;
use super::registry::{self, Running, hold};
use super::stall_frame::{Frame, write_frame};
use super::test::Settings;

/// Longest file name stem: with the rest of the name it stays far below the 255 bytes that file systems allow.
const STEM: usize = 100;
/// How long the copy to standard error may keep the watchdog waiting: the other end may be stuck.
const ECHO_LIMIT: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
struct State {
    disarmed: Mutex<bool>,
    changed: Condvar,
    dumps: Mutex<Vec<PathBuf>>,
}

/// An armed watchdog of one test; disarmed when dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    state: Arc<State>,
}

impl Watch {
    /// Watches the test from now on.
    pub(crate) fn arm(test: &Arc<Running>, settings: &Settings) -> Self {
        static CLEARED: Once = Once::new();
        CLEARED.call_once(|| registry::remove_stale(&folders::stall_dumps()));
        let state = Arc::new(State::default());
        let watch = Self { state: Arc::clone(&state) };
        let (test, settings) = (Arc::clone(test), settings.clone());
        let run = move || state.watch(&test, &settings);
        thread::Builder::new().name("stall-watchdog".to_owned()).spawn(run).expect("the watchdog's thread");
        watch
    }

    /// Ends the watch. A frame that is being written is not waited for; it is of this test, whatever comes next.
    pub(crate) fn disarm(&self) {
        *hold(&self.state.disarmed) = true;
        self.state.changed.notify_all();
    }

    /// The files written so far.
    pub(crate) fn dumps(&self) -> Vec<PathBuf> {
        hold(&self.state.dumps).clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.disarm();
    }
}

impl State {
    fn watch(&self, test: &Running, settings: &Settings) {
        let deadline = test.began + settings.deadline;
        if !self.sleep_until(deadline) {
            return;
        }
        // Both frames look at the same processes: those of the stall, not of what came after it.
        let targets = test.live_processes();
        let fired = Instant::now();
        for number in [1, 2] {
            if !self.sleep_until(fired + settings.gap * (number - 1)) {
                return;
            }
            let frame = Frame { test: &test.id, elapsed: test.began.elapsed(), number, targets: &targets };
            self.write(&frame, settings);
        }
        // Under the lock, so that a test that ends at this moment is either not released or not green.
        let disarmed = hold(&self.disarmed);
        if !*disarmed {
            let files = self.dumps.lock().map(|dumps| format!("{dumps:?}")).unwrap_or_default();
            test.release(&format!("the stall watchdog killed the test's processes, see {files}"));
        }
    }

    /// Waits; false means that the watch is over.
    fn sleep_until(&self, when: Instant) -> bool {
        let disarmed = hold(&self.disarmed);
        let rest = when.saturating_duration_since(Instant::now());
        let waited = self.changed.wait_timeout_while(disarmed, rest, |disarmed| !*disarmed);
        waited.is_ok_and(|(disarmed, _)| !*disarmed)
    }

    fn write(&self, frame: &Frame<'_>, settings: &Settings) {
        let path = settings.folder.join(file_name(frame.test, frame.number));
        match create(&path) {
            Ok(mut file) => {
                hold(&self.dumps).push(path.clone());
                write_frame(&mut file, frame, settings.budget);
                if settings.echo {
                    echo(fs_err::read(&path).unwrap_or_default());
                }
            }
            Err(error) => {
                // A dump on standard error alone is better than none.
                let mut bytes = format!("[stall-dump] no file: {error}\n").into_bytes();
                write_frame(&mut bytes, frame, settings.budget);
                echo(bytes);
            }
        }
    }
}

fn create(path: &Path) -> io::Result<fs_err::File> {
    if let Some(parent) = path.parent() {
        fs_err::create_dir_all(parent)?;
    }
    fs_err::File::options().write(true).create_new(true).open(path)
}

/// Copies to standard error on a thread of its own, past the capture of the test runner, which shows nothing when the
/// run is cut off.
fn echo(bytes: Vec<u8>) {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let written = io::stderr().write_all(&bytes);
        let _ = send.send(written);
    });
    let _ = receive.recv_timeout(ECHO_LIMIT);
}

/// A name that is unique: by process, by a running number, and by a hash of the whole name of the test. Of a long name
/// the end is kept, where names of one test on several JDKs differ.
pub(crate) fn file_name(test: &str, frame: u32) -> String {
    static SEQUENCE: AtomicU32 = AtomicU32::new(0);
    let clean: Vec<char> =
        test.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' || c == '_' { c } else { '-' }).collect();
    let stem: String = clean[clean.len().saturating_sub(STEM)..].iter().collect();
    let mut name = format!("{}-{stem}", process::id());
    let sequence = SEQUENCE.fetch_add(1, Ordering::Relaxed);
    let _ = write!(name, "-{:08x}-{sequence}-frame{frame}.txt", hash(test));
    name
}

/// FNV-1a: short, and the same in every run.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
