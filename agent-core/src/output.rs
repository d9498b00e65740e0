//! Where probes write.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A sink of whole texts.
#[derive(Clone)]
pub(crate) enum Output {
    /// The default.
    Stderr,
    /// Asked for by `stdout=true`.
    Stdout,
    /// `scriptOutputFile=`; opened for appending, so that several JVMs can share it line by line.
    File(Arc<File>),
}

impl Output {
    /// One call of the system per text: lines of several threads and JVMs never mix.
    fn write(&self, text: &str) {
        // A full disk or a closed stream is no reason to disturb the application.
        let _ = match self {
            Self::Stderr => io::stderr().write_all(text.as_bytes()),
            Self::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes()).and_then(|()| out.flush())
            }
            Self::File(file) => (&**file).write_all(text.as_bytes()),
        };
    }
}

/// Outputs by probe.
#[derive(Default)]
pub(crate) struct Outputs {
    by_probe: Mutex<HashMap<u32, Output>>,
    files: Mutex<HashMap<PathBuf, Arc<File>>>,
}

impl Outputs {
    /// Opens a file, or takes the one that is open already.
    pub(crate) fn file(&self, path: &Path) -> io::Result<Output> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(path) {
            return Ok(Output::File(Arc::clone(file)));
        }
        let file = Arc::new(OpenOptions::new().create(true).append(true).open(path)?);
        files.insert(path.to_owned(), Arc::clone(&file));
        Ok(Output::File(file))
    }

    /// Gives a probe its output.
    pub(crate) fn set(&self, probe: u32, output: Output) {
        self.by_probe.lock().unwrap_or_else(PoisonError::into_inner).insert(probe, output);
    }

    /// Closes the files that no probe uses any more.
    pub(crate) fn clear(&self) {
        self.by_probe.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Writes for a probe; one that is unknown or 0 writes to the log.
    pub(crate) fn write(&self, probe: u32, text: &str) {
        let output = self.by_probe.lock().unwrap_or_else(PoisonError::into_inner).get(&probe).cloned();
        match output {
            Some(output) => output.write(text),
            None => crate::log::line(text.trim_end_matches('\n')),
        }
    }
}
