//! The log.

use std::io::Write as _;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Instant, SystemTime};

use crate::cause::Causes;
use crate::{Level, RollingFile, timestamp};

/// What lines on stderr begin with, which they share with the application's.
const PREFIX: &str = "[fatagent] ";

/// Lines by level. Where there is no file they go to stderr, and there those of one cause at most once a minute, unless
/// the threshold is lower than by default.
#[derive(Debug)]
pub struct Log {
    threshold: AtomicU8,
    file: RwLock<Option<Arc<RollingFile>>>,
    causes: Mutex<Causes>,
}

impl Default for Log {
    fn default() -> Self {
        Self::new()
    }
}

impl Log {
    /// A log of warnings and errors to stderr.
    pub fn new() -> Self {
        Self {
            threshold: AtomicU8::new(Level::Warn as u8),
            file: RwLock::new(None),
            causes: Mutex::new(Causes::default()),
        }
    }

    /// From which level on lines are written.
    pub fn level(&self) -> Level {
        Level::from_number(self.threshold.load(Ordering::Relaxed))
    }

    /// Sets from which level on lines are written.
    pub fn set_level(&self, level: Level) {
        self.threshold.store(level as u8, Ordering::Relaxed);
    }

    /// Whether lines of this level are written.
    pub fn is_enabled(&self, level: Level) -> bool {
        level >= self.level() && level != Level::Off
    }

    /// Writes to a file from now on, or to stderr again.
    pub fn set_file(&self, file: Option<RollingFile>) {
        *self.file.write().unwrap_or_else(PoisonError::into_inner) = file.map(Arc::new);
    }

    /// Whether lines go to a file.
    pub fn has_file(&self) -> bool {
        self.file.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Writes a line if its level is enabled; what it says is its cause.
    pub fn write(&self, level: Level, name: &str, text: &str) {
        self.write_cause(level, name, text, text);
    }

    /// Writes a line if its level is enabled. Lines that differ only in what they speak of have one cause.
    pub fn write_cause(&self, level: Level, name: &str, cause: &str, text: &str) {
        if self.is_enabled(level) {
            self.put(level, name, Some(cause), text);
        }
    }

    /// Writes a line that somebody asked for, whatever its level and however often.
    pub fn say(&self, level: Level, name: &str, text: &str) {
        self.put(level, name, None, text);
    }

    fn put(&self, level: Level, name: &str, cause: Option<&str>, text: &str) {
        let file = self.file.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(file) = file {
            let line = format!("{} {level} {name} - {text}\n", timestamp(SystemTime::now()));
            match file.append(&line) {
                Ok(()) => return,
                Err(e) => self.to_stderr(
                    Some("the log file"),
                    &format!(
                        "the log file {} cannot be written: {e}; what it lacks is here; hint: make room, or name another with `logFile`",
                        file.path().display()
                    ),
                ),
            }
        }
        self.to_stderr(cause, text);
    }

    fn to_stderr(&self, cause: Option<&str>, text: &str) {
        let mut more = String::new();
        if let Some(cause) = cause.filter(|_| self.level() >= Level::Warn) {
            let mut causes = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
            match causes.admit(cause, Instant::now()) {
                None => return,
                Some(0) => {}
                Some(silenced) => more = format!(" (and {silenced} times more since the last such line)"),
            }
        }
        // A closed stderr is no reason to disturb the application.
        let _ = std::io::stderr().write_all(format!("{PREFIX}{text}{more}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn a_file_has_every_line_of_an_enabled_level_with_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let log = Log::new();
        log.set_file(Some(RollingFile::open(&path, Limits::NONE).unwrap()));
        for _ in 0..3 {
            log.write(Level::Warn, "a.b", "again");
        }
        log.write(Level::Info, "a.b", "not asked for");
        log.say(Level::Info, "a.b", "asked for");
        log.set_level(Level::Debug);
        log.write(Level::Debug, "c", "now");
        log.write(Level::Trace, "c", "not yet");
        log.set_level(Level::Off);
        log.write(Level::Error, "c", "never");
        log.write(Level::Off, "c", "never");
        let text = fs_err::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().map(|line| line.split_once("Z ").expect("a time").1).collect();
        let expected = ["WARN a.b - again"; 3].into_iter().chain(["INFO a.b - asked for", "DEBUG c - now"]);
        assert_eq!(lines, expected.collect::<Vec<_>>());
    }

    #[test]
    fn thresholds_are_those_of_levels() {
        let log = Log::default();
        assert_eq!(log.level(), Level::Warn);
        assert!(log.is_enabled(Level::Error) && log.is_enabled(Level::Warn) && !log.is_enabled(Level::Info));
        log.set_level(Level::Off);
        assert!(Level::ALL.iter().all(|level| !log.is_enabled(*level)));
    }
}
