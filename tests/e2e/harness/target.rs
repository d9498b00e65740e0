//! Starting a process under a test, usually a JVM, and waiting for what it does.

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::jvm::Jdk;
use super::registry::{self, Process, Running, hold, step};
use super::streams::{Stream, Streams};

/// How long a wait lasts before it fails: enough for a slow machine, and below a test's own limit.
const PATIENCE: Duration = Duration::from_mins(1);
/// Lines of each stream that a failed wait shows.
const TAIL: usize = 60;
/// How often a wait looks whether the process has ended.
const TICK: Duration = Duration::from_millis(20);

/// Variables that would change what a JVM does or writes behind the test's back.
const SCRUBBED: [&str; 11] = [
    "BTRACE_AGENT_ARGS",
    "BTRACE_AGENT_ENABLED",
    "BTRACE_EXT_LAZY_LOAD",
    "BTRACE_EXT_PATH",
    "BTRACE_HOME",
    "CLASSPATH",
    "JAVA_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "SOURCE_DATE_EPOCH",
];

/// Gives `command` an environment that does not depend on the machine.
pub(crate) fn scrub(command: &mut Command) -> &mut Command {
    for name in SCRUBBED {
        command.env_remove(name);
    }
    // JVMs read file names in the encoding of the locale.
    command.env("LC_ALL", "C.UTF-8")
}

/// A JVM to be.
#[derive(Debug)]
pub(crate) struct Builder {
    jdk: Jdk,
    label: Option<String>,
    class_path: Vec<PathBuf>,
    options: Vec<OsString>,
    verify: bool,
    main: Vec<OsString>,
    arguments: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
}

impl Builder {
    /// Names the process in messages and dumps; the main class by default.
    pub(crate) fn label(mut self, label: &str) -> Self {
        self.label = Some(label.to_owned());
        self
    }

    /// Adds a folder or jar to the class path.
    pub(crate) fn class_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.class_path.push(path.into());
        self
    }

    /// Adds an option of the JVM, `-javaagent:…` for instance.
    pub(crate) fn jvm_option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Leaves out `-Xverify:all`.
    pub(crate) fn unverified(mut self) -> Self {
        self.verify = false;
        self
    }

    /// Runs a main class (or a source file).
    pub(crate) fn main(mut self, main: impl Into<OsString>) -> Self {
        self.main = vec![main.into()];
        self
    }

    /// Runs a jar with `-jar`.
    pub(crate) fn jar(mut self, jar: impl Into<OsString>) -> Self {
        self.main = vec!["-jar".into(), jar.into()];
        self
    }

    /// Adds an argument of the program.
    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets a variable of the environment, of this process only.
    pub(crate) fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the working folder; the test's own folder by default.
    pub(crate) fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The command line as it will be run.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.jdk.java());
        scrub(&mut command);
        if self.verify {
            command.arg("-Xverify:all");
        }
        command.args(&self.options);
        if !self.class_path.is_empty() {
            let class_path = env::join_paths(&self.class_path).expect("a class path without colons in it");
            command.arg("-cp").arg(class_path);
        }
        command.args(&self.main).args(&self.arguments);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// Starts the JVM. Its standard input is open, see [`Target::close_stdin`].
    #[track_caller]
    pub(crate) fn launch(self) -> Target {
        let main = self.main.last().map_or_else(|| "java".into(), |main| main.to_string_lossy().into_owned());
        let label = self.label.clone().unwrap_or_else(|| {
            Path::new(&main).file_name().map_or_else(|| main.clone(), |name| name.to_string_lossy().into_owned())
        });
        let label = format!("{label} on {}", self.jdk.feature);
        let mut command = self.command();
        let test = registry::current();
        if let (None, Some(folder)) = (&self.folder, test.as_ref().and_then(|test| test.folder())) {
            command.current_dir(folder);
        }
        Target::start(&label, Some(self.jdk.jcmd()), command.stdin(Stdio::piped()))
    }
}

/// What a process left behind.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// Its exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    /// All of its standard output.
    pub(crate) stdout: String,
    /// All of its standard error.
    pub(crate) stderr: String,
}

impl Output {
    /// Fails, showing both streams, unless the exit code is this one.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        let Self { code: actual, stdout, stderr } = &self;
        assert!(*actual == Some(code), "exit code {actual:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
        self
    }
}

/// A process under a test. It is killed when this is dropped, and when its test ends or stalls.
#[derive(Debug)]
pub(crate) struct Target {
    process: Arc<Process>,
    streams: Arc<Streams>,
    stdin: Mutex<Option<ChildStdin>>,
    patience: Duration,
    test: Arc<Running>,
}

impl Target {
    /// Describes a JVM of the given JDK.
    pub(crate) fn builder(jdk: &Jdk) -> Builder {
        Builder {
            jdk: jdk.clone(),
            label: None,
            class_path: Vec::new(),
            options: Vec::new(),
            verify: true,
            main: Vec::new(),
            arguments: Vec::new(),
            env: Vec::new(),
            folder: None,
        }
    }

    /// Starts any other program, with no standard input.
    #[track_caller]
    pub(crate) fn program(label: &str, command: &mut Command) -> Self {
        Self::start(label, None, command.stdin(Stdio::null()))
    }

    #[track_caller]
    fn start(label: &str, jcmd: Option<PathBuf>, command: &mut Command) -> Self {
        let test = registry::current().expect("processes are started inside `e2e_test`, on its own thread");
        if let Some(why) = test.released() {
            panic!("`{label}` is not started: {why}");
        }
        step(format!("starting `{label}`"));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start `{label}` ({command:?}): {error}"));
        let streams = Arc::new(Streams::default());
        streams.collect(Stream::Stdout, label, child.stdout.take().expect("a piped stream"));
        streams.collect(Stream::Stderr, label, child.stderr.take().expect("a piped stream"));
        let stdin = Mutex::new(child.stdin.take());
        let process = Arc::new(Process::of(label, jcmd, child));
        test.register(Arc::clone(&process));
        step(format!("started `{label}`, process {}", process.pid));
        Self { process, streams, stdin, patience: PATIENCE, test }
    }

    /// Sets how long each wait may last; a minute by default.
    pub(crate) fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The process's number.
    pub(crate) fn pid(&self) -> u32 {
        self.process.pid
    }

    /// Whether the process has not ended.
    pub(crate) fn is_alive(&self) -> bool {
        self.process.is_alive()
    }

    /// Standard output so far.
    pub(crate) fn stdout(&self) -> String {
        self.streams.text(Stream::Stdout)
    }

    /// Standard error so far.
    pub(crate) fn stderr(&self) -> String {
        self.streams.text(Stream::Stderr)
    }

    /// Writes one line to the process's standard input.
    #[track_caller]
    pub(crate) fn send_line(&self, line: &str) {
        let mut stdin = hold(&self.stdin);
        let stdin = stdin.as_mut().expect("standard input is open");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("the process reads its standard input");
    }

    /// Ends the process's standard input: the usual way to tell a test program to end by itself. It also ends when the
    /// test process dies, whatever the reason, so that such a program never outlives it.
    pub(crate) fn close_stdin(&self) {
        hold(&self.stdin).take();
    }

    /// Waits until standard output as a whole satisfies `condition`, and returns it.
    #[track_caller]
    pub(crate) fn wait_for_stdout(&self, condition: impl Fn(&str) -> bool) -> String {
        self.wait_on(Stream::Stdout, "the expected content", |text| condition(text).then(|| text.to_owned()))
    }

    /// Waits until standard error as a whole satisfies `condition`, and returns it.
    #[track_caller]
    pub(crate) fn wait_for_stderr(&self, condition: impl Fn(&str) -> bool) -> String {
        self.wait_on(Stream::Stderr, "the expected content", |text| condition(text).then(|| text.to_owned()))
    }

    /// Waits for a complete line on standard output that contains `part`, and returns it.
    #[track_caller]
    pub(crate) fn wait_for_line(&self, part: &str) -> String {
        self.wait_on(Stream::Stdout, &format!("a line with `{part}`"), |text| line_with(text, part))
    }

    /// Waits for a complete line on standard error that contains `part`, and returns it.
    #[track_caller]
    pub(crate) fn wait_for_error_line(&self, part: &str) -> String {
        self.wait_on(Stream::Stderr, &format!("a line with `{part}`"), |text| line_with(text, part))
    }

    #[track_caller]
    fn wait_on(&self, stream: Stream, what: &str, find: impl Fn(&str) -> Option<String>) -> String {
        step(format!("waiting for {what} on {stream:?} of `{}`", self.process.label));
        let end = Instant::now() + self.patience;
        loop {
            // In this order: what was written before the end must have been looked at before giving up.
            let (over, seen, late) = (self.streams.ended(), self.streams.length(), Instant::now() >= end);
            let text = self.streams.text(stream);
            if let Some(found) = find(&text) {
                return found;
            }
            if let Some(why) = self.test.released() {
                self.fail(&format!("{what} on {stream:?} did not come: {why}"));
            }
            if over {
                self.fail(&format!("{what} did not come: {stream:?} ended"));
            }
            if late {
                self.fail(&format!("{what} did not come on {stream:?} within {:?}", self.patience));
            }
            self.streams.wait_for_more(seen, TICK * 5);
        }
    }

    /// Waits until the process has ended by itself, and returns all that it wrote.
    #[track_caller]
    pub(crate) fn wait_exit(&self) -> Output {
        step(format!("waiting for the end of `{}`", self.process.label));
        let end = Instant::now() + self.patience;
        let status = loop {
            let late = Instant::now() >= end;
            if let Some(status) = self.process.exited() {
                break status;
            }
            if late {
                self.fail(&format!("the process did not end within {:?}", self.patience));
            }
            thread::sleep(TICK);
        };
        if let Some(why) = self.test.released() {
            self.fail(&format!("the process did not end by itself: {why}"));
        }
        while !self.streams.ended() {
            if Instant::now() >= end {
                self.fail("the process has ended, but another one holds its streams open");
            }
            self.streams.wait_for_more(self.streams.length(), TICK);
        }
        Output { code: status.code(), stdout: self.stdout(), stderr: self.stderr() }
    }

    /// Kills the process now, as an operator would with `kill -9`.
    pub(crate) fn kill(&self) {
        self.process.kill_and_reap();
    }

    /// Fails the test with `message` and the ends of both streams; for a test's own checks on a running target.
    #[track_caller]
    pub(crate) fn fail(&self, message: &str) -> ! {
        let mut text = format!("`{}` (process {}, {}): {message}", self.process.label, self.pid(), self.state());
        for (name, content) in [("stdout", self.stdout()), ("stderr", self.stderr())] {
            let _ = write!(text, "\n--- {name} of `{}`\n{}", self.process.label, tail(&content));
        }
        panic!("{text}");
    }

    fn state(&self) -> String {
        self.process.exited().map_or_else(|| "running".to_owned(), describe)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.process.kill_and_reap();
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// The first complete line that contains `part`; what has no line break yet may still grow.
fn line_with(text: &str, part: &str) -> Option<String> {
    let line = text.split_inclusive('\n').find(|line| line.ends_with('\n') && line.contains(part))?;
    Some(line.trim_end_matches(['\n', '\r']).to_owned())
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let omitted = lines.len().saturating_sub(TAIL);
    let shown = lines[omitted..].join("\n");
    match omitted {
        0 => shown,
        omitted => format!("({omitted} earlier lines)\n{shown}"),
    }
}
