//! Collecting what a process writes while it runs.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use super::registry::hold;

/// One of a process's two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

#[derive(Debug, Default)]
struct Collected {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// Streams that have not ended.
    open: u32,
}

/// Both output streams of one process, as far as they have come.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    collected: Mutex<Collected>,
    changed: Condvar,
}

impl Streams {
    /// Starts a thread that reads `source` to its end.
    pub(crate) fn collect(self: &Arc<Self>, stream: Stream, label: &str, mut source: impl Read + Send + 'static) {
        hold(&self.collected).open += 1;
        let streams = Arc::clone(self);
        let name = match stream {
            Stream::Stdout => format!("out {label}"),
            Stream::Stderr => format!("err {label}"),
        };
        let read = move || {
            let mut buffer = [0; 8192];
            // A read error means that the stream is of no further use: the same as its end.
            while let Ok(length @ 1..) = source.read(&mut buffer) {
                let mut collected = hold(&streams.collected);
                match stream {
                    Stream::Stdout => collected.stdout.extend_from_slice(&buffer[..length]),
                    Stream::Stderr => collected.stderr.extend_from_slice(&buffer[..length]),
                }
                streams.changed.notify_all();
            }
            hold(&streams.collected).open -= 1;
            streams.changed.notify_all();
        };
        thread::Builder::new().name(name).spawn(read).expect("a reader thread");
    }

    /// What came on one stream so far, invalid UTF-8 replaced.
    pub(crate) fn text(&self, stream: Stream) -> String {
        let collected = hold(&self.collected);
        let bytes = match stream {
            Stream::Stdout => &collected.stdout,
            Stream::Stderr => &collected.stderr,
        };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Whether both streams have ended.
    pub(crate) fn ended(&self) -> bool {
        hold(&self.collected).open == 0
    }

    /// Waits until more comes or a stream ends, at most for `patience`. It may return for no reason.
    pub(crate) fn wait_for_more(&self, seen: usize, patience: Duration) {
        let collected = hold(&self.collected);
        let nothing_new =
            |collected: &mut Collected| collected.stdout.len() + collected.stderr.len() == seen && collected.open > 0;
        drop(self.changed.wait_timeout_while(collected, patience, nothing_new));
    }

    /// How many bytes came on both streams, for [`Self::wait_for_more`].
    pub(crate) fn length(&self) -> usize {
        let collected = hold(&self.collected);
        collected.stdout.len() + collected.stderr.len()
    }
}
