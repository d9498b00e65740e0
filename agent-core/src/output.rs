//! Where probes write.

use crate::{files, log};
use journal::{Limits, RollingFile};
use manifests::arguments::AgentArguments;
use std::collections::HashMap;
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
    /// Opened for appending, so that several JVMs can share it line by line.
    File(Arc<RollingFile>),
}

impl Output {
    /// One call of the system per text: lines of several threads and JVMs never mix.
    fn write(&self, text: &str) {
        // A full disk or a closed stream is no reason to disturb the application.
        match self {
            Self::Stderr => {
                let _ = io::stderr().write_all(text.as_bytes());
            }
            Self::Stdout => {
                let mut out = io::stdout().lock();
                let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            }
            Self::File(file) => {
                if let Err(e) = file.append(text) {
                    let path = file.path().display();
                    log::line_of(
                        &format!("output {path}"),
                        &format!(
                            "what a probe writes is lost: {path} cannot be written: {e}; hint: make room on its disk"
                        ),
                    );
                }
            }
        }
    }
}

/// Where the probes of one submission write.
pub(crate) enum Destination {
    /// All to the same.
    Same(Output),
    /// Each to a file of its own in a folder, so that neither probes nor JVMs mix.
    Each { folder: PathBuf, limits: Limits },
}

impl Destination {
    /// What the arguments say, if anything. Fails where a file or folder that they name cannot be had.
    pub(crate) fn given(outputs: &Outputs, arguments: &AgentArguments) -> Result<Option<Self>, String> {
        let limits = files::limits(arguments)?;
        let folder =
            arguments.get("scriptOutputDir").map(|folder| files::path("scriptOutputDir", folder)).transpose()?;
        if let Some(folder) = &folder {
            fs_err::create_dir_all(folder)
                .map_err(|e| format!("scriptOutputDir={} cannot be made: {e}", folder.display()))?;
        }
        if let Some(path) = arguments.get("scriptOutputFile") {
            let path = files::path("scriptOutputFile", path)?;
            let path = folder.map_or(path.clone(), |folder| folder.join(path));
            let file = outputs.file(&path, limits).map_err(|e| {
                let hint = "hint: name a file in a folder that exists";
                format!("scriptOutputFile={} cannot be written: {e}; {hint}", path.display())
            })?;
            return Ok(Some(Self::Same(file)));
        }
        match arguments.get("output") {
            Some("stdout") => return Ok(Some(Self::Same(Output::Stdout))),
            Some("file") if folder.is_none() => {
                let folder = std::env::temp_dir();
                log::line(&format!("each probe writes to a file of its own in {}", folder.display()));
                return Ok(Some(Self::Each { folder, limits }));
            }
            Some("file") | None => {}
            Some("jfr") => log::line(
                "the agent argument `output=jfr` does nothing: there is no output to the flight recorder yet; hint: name a file \
                 with `scriptOutputFile=`",
            ),
            Some(other) => {
                log::line(&format!("the agent argument `output={other}` does nothing; hint: write `stdout` or `file`"));
            }
        }
        if arguments.flag("stdout") {
            return Ok(Some(Self::Same(Output::Stdout)));
        }
        Ok(folder.map(|folder| Self::Each { folder, limits }))
    }
}

/// Outputs by probe.
#[derive(Default)]
pub(crate) struct Outputs {
    by_probe: Mutex<HashMap<u32, Output>>,
    files: Mutex<HashMap<PathBuf, Arc<RollingFile>>>,
}

impl Outputs {
    /// Opens a file, or takes the one that is open already.
    pub(crate) fn file(&self, path: &Path, limits: Limits) -> io::Result<Output> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(path) {
            return Ok(Output::File(Arc::clone(file)));
        }
        let file = Arc::new(RollingFile::open(path, limits)?);
        files.insert(path.to_owned(), Arc::clone(&file));
        Ok(Output::File(file))
    }

    /// The output of a probe of this name.
    pub(crate) fn of(&self, destination: &Destination, probe: &str) -> Result<Output, String> {
        match destination {
            Destination::Same(output) => Ok(output.clone()),
            Destination::Each { folder, limits } => {
                let path = folder.join(own_name(probe));
                log::debug(|| format!("probe {probe} writes to {}", path.display()));
                self.file(&path, *limits).map_err(|e| {
                    format!("{} cannot be written: {e}; hint: name a folder that can be written", path.display())
                })
            }
        }
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
            None => log::line(text.trim_end_matches('\n')),
        }
    }
}

/// The file of whoever names none: a probe or an extension, in this process.
pub(crate) fn own_name(whose: &str) -> String {
    format!("btrace-{whose}-{}.txt", std::process::id())
}
