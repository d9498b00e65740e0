//! The JDK's own verifier, one process for each corpus.

use crate::Failure;
use crate::corpora::Classes;
use crate::forms::Form;
use fixtures::JavaHome;
use std::fmt;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tempfile::TempDir;

/// How long one corpus may take.
const LIMIT: Duration = Duration::from_hours(1);
/// How many failures are shown for each corpus.
const SHOWN: usize = 20;

/// A process that verifies what it is sent.
pub(crate) struct Judge {
    stdin: BufWriter<ChildStdin>,
    child: Arc<Mutex<Child>>,
    reader: JoinHandle<Vec<String>>,
    done: Option<mpsc::Sender<()>>,
    _folder: TempDir,
}

/// What it says.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Woven classes that passed the class-file API's verifier.
    verified: usize,
    /// Woven classes that passed the JVM's verifier: old ones, and those whose originals the class-file API refuses.
    loaded: usize,
    /// Classes that fail before they are woven and after.
    unsound: usize,
    /// Classes that cannot be verified for lack of others, before they are woven and after.
    lacking: usize,
    /// Classes that pass before and fail after.
    pub(crate) failures: usize,
}

impl Verdict {
    pub(crate) fn add(&mut self, other: &Self) {
        self.verified += other.verified;
        self.loaded += other.loaded;
        self.unsound += other.unsound;
        self.lacking += other.lacking;
        self.failures += other.failures;
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verified, loaded, unsound, lacking, failures } = self;
        write!(
            f,
            "{verified} woven classes verified and {loaded} loaded; {unsound} fail unwoven too, {lacking} lack others unwoven too; {failures} FAILED"
        )
    }
}

impl Judge {
    /// Starts the verifier for the classes of one corpus.
    pub(crate) fn start(home: &JavaHome, classes: &Classes) -> Result<Self, Failure> {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR"))?;
        fixtures::javac_of(home, &[("Judge.java", include_str!("java/Judge.java"))], &["-Xlint:none"], folder.path())?;
        fs_err::write(folder.path().join("hierarchy"), &classes.hierarchy)?;
        let jars: Vec<String> = classes.jars.iter().map(|jar| jar.display().to_string()).collect();
        fs_err::write(folder.path().join("jars"), jars.join("\n"))?;
        let mut java = Command::new(home.path.join("bin/java"));
        // Classes of an ordinary class loader are verified without being asked for.
        let log = folder.path().join("verification.log");
        java.args([
            "-Xmx2g",
            "-XX:+UseParallelGC",
            &format!("-Xlog:class+init=info:file={}:none", log.display()),
            "-cp",
        ])
        .arg(folder.path())
        .arg("Judge")
        .arg(folder.path().join("hierarchy"))
        .arg(folder.path().join("jars"))
        .arg(&log);
        let mut child = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = BufWriter::with_capacity(1 << 20, child.stdin.take().ok_or("no standard input")?);
        let stdout = child.stdout.take().ok_or("no standard output")?;
        let reader = thread::spawn(move || BufReader::new(stdout).lines().map_while(Result::ok).collect());
        let child = Arc::new(Mutex::new(child));
        let (done, waiting) = mpsc::channel();
        watch(Arc::clone(&child), waiting);
        Ok(Self { stdin, child, reader, done: Some(done), _folder: folder })
    }

    /// Has a woven class verified, and its original if it fails.
    pub(crate) fn send(&mut self, form: Form, original: &[u8], woven: &[u8]) -> Result<(), Failure> {
        self.stdin.write_all(&[0, form as u8])?;
        for class in [original, woven] {
            self.stdin.write_all(&u32::try_from(class.len())?.to_be_bytes())?;
            self.stdin.write_all(class)?;
        }
        Ok(())
    }

    /// Has those loaded that can only be judged together.
    pub(crate) fn end_of_form(&mut self, form: Form) -> Result<(), Failure> {
        Ok(self.stdin.write_all(&[1, form as u8])?)
    }

    /// Waits for the verdict, and prints each failure.
    pub(crate) fn finish(mut self) -> Result<Verdict, Failure> {
        self.stdin.flush()?;
        drop(self.stdin);
        let lines = self.reader.join().map_err(|_| "the reader of the verifier's output panicked")?;
        self.done.take();
        let status = self.child.lock().unwrap_or_else(PoisonError::into_inner).wait()?;
        let mut verdict = Verdict::default();
        let mut ended = false;
        for line in &lines {
            let parts: Vec<&str> = line.split('\t').collect();
            match parts[..] {
                ["FAILED", form, class, message] => {
                    verdict.failures += 1;
                    if verdict.failures <= SHOWN {
                        println!("  FAILED {class} ({}): {message}", Form::ALL[form.parse::<usize>()?].name());
                    }
                }
                ["UNSOUND", _, class, message] if std::env::var_os("FATAGENT_WEAVING_UNSOUND").is_some() => {
                    println!("  unsound before it was woven: {class}: {message}");
                }
                ["DONE", verified, loaded, unsound, lacking] => {
                    verdict.verified = verified.parse()?;
                    verdict.loaded = loaded.parse()?;
                    verdict.unsound = unsound.parse()?;
                    verdict.lacking = lacking.parse()?;
                    ended = true;
                }
                _ => {}
            }
        }
        if !ended || !status.success() {
            return Err(format!("the verifier ended early with {status}:\n{}", lines.join("\n")).into());
        }
        Ok(verdict)
    }
}

/// Ends the process when it takes too long.
fn watch(child: Arc<Mutex<Child>>, done: Receiver<()>) {
    thread::spawn(move || {
        if done.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        }
    });
}
