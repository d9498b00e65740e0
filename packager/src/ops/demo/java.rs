//! Finds a Java and runs the demo application with the agent.

use std::env::{self, consts::EXE_SUFFIX};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::failed;
use crate::error::Result;
use crate::printer::Printer;

/// How long a question to Java may take, such as which modules it has. The first start after installation is slow.
const ANSWER: Duration = Duration::from_secs(30);
/// How often a running process is looked at.
const POLL: Duration = Duration::from_millis(100);

/// A Java that was found.
#[derive(Debug)]
pub(super) struct Java {
    program: PathBuf,
    has_compiler: bool,
}

/// What the application wrote, and how it ended.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) stdout: Vec<String>,
    pub(super) stderr: Vec<String>,
    /// Nothing when it was killed because it did not end in time.
    pub(super) status: Option<ExitStatus>,
}

impl Java {
    /// Takes the Java of `JAVA_HOME`, else the one in `PATH`.
    ///
    /// # Errors
    /// There is none, or it does not answer.
    pub(super) fn find() -> Result<Self> {
        let name = format!("java{EXE_SUFFIX}");
        let home = env::var_os("JAVA_HOME").filter(|home| !home.is_empty()).map(|home| Path::new(&home).join("bin"));
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = home.into_iter().chain(env::split_paths(&path));
        let program = folders.map(|folder| folder.join(&name)).find(|program| program.is_file()).ok_or_else(|| {
            failed("no `java` is in `JAVA_HOME` or in `PATH`", Some("install a JDK and set `JAVA_HOME` to its folder"))
        })?;
        // Java 8 has no modules, does not know the option and cannot run a source file: exactly what "no" means here.
        let modules = answer(Command::new(&program).arg("--list-modules"))?;
        let has_compiler = modules.lines().any(|module| module.split('@').next() == Some("jdk.compiler"));
        Ok(Self { program, has_compiler })
    }

    /// The arguments that run the application for a while, from the source where this Java has a compiler.
    pub(super) fn arguments(&self, agent: &str, seconds: u64) -> Vec<String> {
        let mut arguments = vec![format!("-javaagent:{agent}")];
        if self.has_compiler {
            arguments.push("DemoApp.java".to_owned());
        } else {
            arguments.extend(["-cp", "classes", "DemoApp"].map(str::to_owned));
        }
        arguments.push(seconds.to_string());
        arguments
    }

    /// The command line that does the same in a shell.
    pub(super) fn command_line(&self, arguments: &[String], folder: &Path) -> String {
        let [folder, program] = [folder, &self.program].map(|path| quoted(&path.display().to_string()));
        let mut line = format!("(cd {folder} && {program}");
        for argument in arguments {
            line.push(' ');
            line.push_str(&quoted(argument));
        }
        line.push(')');
        line
    }

    /// Runs the application in `folder` and shows what it writes; `tick` is called in between.
    ///
    /// It is killed after `limit`.
    ///
    /// # Errors
    /// It cannot be started or waited for.
    pub(super) fn run(
        &self,
        arguments: &[String],
        folder: &Path,
        limit: Duration,
        printer: Printer,
        mut tick: impl FnMut() -> Result<()>,
    ) -> Result<Run> {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(folder);
        let mut child = spawn(&mut command)?;
        let stdout = child.stdout.take().map(|pipe| thread::spawn(move || show(pipe, printer, "App")));
        let stderr = child.stderr.take().map(|pipe| thread::spawn(move || show(pipe, printer, "App stderr")));
        let status = wait(&mut child, limit, &mut tick);
        // The process has ended, and it starts no others, so its pipes are closed and both threads end.
        let stdout = stdout.and_then(|reader| reader.join().ok()).unwrap_or_default();
        let stderr = stderr.and_then(|reader| reader.join().ok()).unwrap_or_default();
        Ok(Run { stdout, stderr, status: status? })
    }
}

/// Quotes an argument for a POSIX shell where it needs it.
pub(super) fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

fn spawn(command: &mut Command) -> Result<Child> {
    let program = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    child.map_err(|error| {
        failed(format!("`{program}` cannot be started: {error}"), Some("set `JAVA_HOME` to the folder of a JDK"))
    })
}

/// What a short command writes to stdout; nothing useful when it fails, which the caller sees from its content.
fn answer(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = spawn(command)?;
    let stdout = child.stdout.take().map(|pipe| thread::spawn(move || text(pipe)));
    let stderr = child.stderr.take().map(|pipe| thread::spawn(move || text(pipe)));
    let status = wait(&mut child, ANSWER, &mut || Ok(()));
    let stdout = stdout.and_then(|reader| reader.join().ok()).unwrap_or_default();
    drop(stderr.map(thread::JoinHandle::join));
    match status? {
        Some(_) => Ok(stdout),
        None => Err(failed(
            format!("`{program}` does not answer within {} seconds", ANSWER.as_secs()),
            Some("run it in a terminal to see why"),
        )),
    }
}

fn text(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before a failure is still what the process wrote.
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Shows each line as it comes, and returns all of them.
fn show(pipe: impl Read, printer: Printer, verb: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in BufReader::new(pipe).split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
        printer.status(verb, &line);
        lines.push(line);
    }
    lines
}

/// Waits for the end; kills the process and returns nothing when `limit` is over. It never leaves the process running.
fn wait(child: &mut Child, limit: Duration, tick: &mut dyn FnMut() -> Result<()>) -> Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    let outcome = loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Some(status)),
            Ok(None) if Instant::now() >= deadline => break Ok(None),
            Ok(None) => {}
            Err(error) => break Err(error.into()),
        }
        if let Err(error) = tick() {
            break Err(error);
        }
        thread::sleep(POLL);
    };
    // Killing fails only when it has ended by itself meanwhile.
    let _ = child.kill();
    let _ = child.wait();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(quoted("-javaagent:demo-agent.jar=a=b,c=d"), "-javaagent:demo-agent.jar=a=b,c=d");
        assert_eq!(quoted("p a+b%20c#é"), "'p a+b%20c#é'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn without_a_compiler_the_compiled_classes_run() {
        let mut java = Java { program: "java".into(), has_compiler: true };
        assert_eq!(java.arguments("a.jar", 8), ["-javaagent:a.jar", "DemoApp.java", "8"]);
        java.has_compiler = false;
        let arguments = java.arguments("a.jar", 8);
        assert_eq!(arguments, ["-javaagent:a.jar", "-cp", "classes", "DemoApp", "8"]);
        let line = java.command_line(&arguments, Path::new("my demo"));
        assert_eq!(line, "(cd 'my demo' && java -javaagent:a.jar -cp classes DemoApp 8)");
    }

    #[test]
    fn a_process_that_does_not_end_is_killed() {
        let mut child = spawn(Command::new("sleep").arg("600")).unwrap();
        let status = wait(&mut child, Duration::from_millis(1), &mut || Ok(()));
        assert_eq!(status.unwrap(), None);
        assert!(child.try_wait().unwrap().is_some(), "it is still running");
    }
}
