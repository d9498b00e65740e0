//! `fatagent demo`: an example project, its fat agent, and what its probes see in a running application.

mod findings;
mod java;
mod project;

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use self::findings::Findings;
use self::java::{Java, Run, quoted};
use super::build;
use crate::error::{Error, Result};
use crate::printer::Printer;

/// How long the application works, in seconds: some twenty slow payments and as many failures.
const SECONDS: u64 = 8;
/// How much longer the JVM may take to start, to compile the source and to end.
const GRACE: Duration = Duration::from_secs(45);
/// The agent that `agent.toml` of the project makes.
const JAR: &str = "demo-agent.jar";
/// Where the probes write, relative to the project.
const OUTPUT: &str = "probe-output.txt";

/// Writes the example project into `folder`, builds its agent, runs its application with it, and reports what the probes
/// saw. Without a folder it is `fatagent-demo`, inside `target` where the current folder has one.
///
/// The path of the jar and then, as they come, the lines of the probes go to stdout, everything else to stderr.
///
/// # Errors
/// The folder holds other files; the agent cannot be built; no Java is found; the application fails or does not end; or
/// the probes did not see the slow method, the swallowed exception and the extension's totals.
pub fn demo(folder: Option<&Path>, printer: &Printer) -> Result<()> {
    let folder = folder.map_or_else(project::default_folder, PathBuf::from);
    let java = Java::find()?;
    project::write(&folder)?;
    printer.status("Wrote", &format!("the example project `{}`", folder.display()));

    let (file, jar) = (folder.join("agent.toml"), folder.join(JAR));
    let tool = std::env::current_exe().map_or_else(|_| "fatagent".to_owned(), |path| path.display().to_string());
    let [shown_tool, shown_file, shown_jar] =
        [&tool, &file.display().to_string(), &jar.display().to_string()].map(|argument| quoted(argument));
    printer.status("Running", &format!("{shown_tool} build --file {shown_file} -o {shown_jar}"));
    build::build(&build::Options { file: Some(file), output: Some(jar), ..build::Options::default() }, printer)?;

    let mut output = Output::new(folder.join(OUTPUT))?;
    let arguments = java.arguments(&format!("{JAR}=scriptOutputFile={OUTPUT}"), SECONDS);
    printer.status("Running", &java.command_line(&arguments, &folder));
    let limit = Duration::from_secs(SECONDS) + GRACE;
    let run = java.run(&arguments, &folder, limit, *printer, || output.show_new(*printer))?;
    output.show_rest(*printer)?;
    check_run(&run, limit)?;
    report(&output.findings, &run, *printer)
}

/// The file that the probes write, read as it grows.
struct Output {
    path: PathBuf,
    /// Bytes read so far.
    position: u64,
    /// The start of a line whose end was not written yet.
    pending: Vec<u8>,
    findings: Findings,
}

impl Output {
    /// Starts without the output of an earlier run.
    fn new(path: PathBuf) -> Result<Self> {
        if path.exists() {
            fs_err::remove_file(&path)?;
        }
        Ok(Self { path, position: 0, pending: Vec::new(), findings: Findings::default() })
    }

    /// Shows the lines that were completed since the last time.
    fn show_new(&mut self, printer: Printer) -> Result<()> {
        // Until the agent has started there is no file; if it never comes, the findings are empty and say so.
        if !self.path.is_file() {
            return Ok(());
        }
        let mut file = fs_err::File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.position))?;
        let mut bytes = Vec::new();
        self.position += file.read_to_end(&mut bytes)? as u64;
        for byte in bytes {
            if byte == b'\n' {
                self.show_line(printer);
            } else {
                self.pending.push(byte);
            }
        }
        Ok(())
    }

    /// Shows everything, also a last line without an end.
    fn show_rest(&mut self, printer: Printer) -> Result<()> {
        self.show_new(printer)?;
        if !self.pending.is_empty() {
            self.show_line(printer);
        }
        Ok(())
    }

    fn show_line(&mut self, printer: Printer) {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.pending)).trim_end_matches('\r').to_owned();
        self.findings.add(&line);
        printer.text(&line);
        let mut fields = Map::new();
        fields.insert("line".into(), line.into());
        printer.json("probe-output", fields);
    }
}

/// Fails when the application did not do what it does without an agent.
fn check_run(run: &Run, limit: Duration) -> Result<()> {
    let shown = || Some("what it wrote is shown above; run the command above in a terminal to look closer");
    match run.status {
        None => {
            return Err(failed(format!("the application did not end within {} seconds", limit.as_secs()), shown()));
        }
        Some(status) if !status.success() => {
            return Err(failed(format!("the application failed with {status}"), shown()));
        }
        Some(_) => {}
    }
    match run.stdout.iter().find(|line| !line.starts_with("[demo] ")) {
        Some(line) => {
            Err(failed(format!("stdout of the application has a line that is not its own: `{line}`"), shown()))
        }
        None => Ok(()),
    }
}

/// Tells what was found out, or fails naming what was not.
fn report(findings: &Findings, run: &Run, printer: Printer) -> Result<()> {
    let missing = |what: &str| {
        failed(
            format!("the probes did not see {what}"),
            Some("the probes' own lines and those of the agent, shown above, say why"),
        )
    };
    let (slow_method, slow, callers) = findings.slowest().ok_or_else(|| missing("the slow method"))?;
    let (failed_method, kind, failure) = findings.failure().ok_or_else(|| missing("the failing method"))?;
    let frame = failure.frame.as_deref().ok_or_else(|| missing("where the exception comes from"))?;
    let totals = findings.totals.as_deref().ok_or_else(|| missing("the totals of the extension"))?;
    if let Some(line) = run.stdout.iter().chain(&run.stderr).find(|line| line.contains(kind)) {
        return Err(failed(format!("the exception is not swallowed, the application shows it: `{line}`"), None));
    }

    let waiting = match callers.as_slice() {
        [] => String::new(),
        names => format!("; waiting for it: `{}`", names.join("`, `")),
    };
    let times = format!("{} calls of {} ms to {} ms", slow.calls, slow.fastest, slow.slowest);
    printer.status("Found", &format!("slow method `{slow_method}`: {times}{waiting}"));
    printer.status(
        "Found",
        &format!(
            "swallowed exception in `{failed_method}`: {} times, first `{}`, at `{frame}`, and nothing of it in the \
             application's own output",
            failure.calls, failure.example
        ),
    );
    printer.status("Counted", &format!("by the extension: {totals}"));

    let mut fields = Map::new();
    let values: [(&str, Value); 5] = [
        ("slow_method", slow_method.into()),
        ("slow_calls", slow.calls.into()),
        ("failed_method", failed_method.into()),
        ("failures", failure.calls.into()),
        ("exception", kind.into()),
    ];
    fields.extend(values.map(|(key, value)| (key.to_owned(), value)));
    printer.json("demo", fields);
    Ok(())
}

/// An error of the demo itself.
fn failed(reason: impl Into<String>, hint: Option<&str>) -> Error {
    Error::Demo { reason: reason.into(), hint: hint.map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Printer = Printer {
        quiet: true,
        verbose: false,
        no_progress: true,
        color: crate::printer::Color::Never,
        format: crate::printer::Format::Text,
    };

    fn findings(lines: &[&str]) -> Findings {
        let mut findings = Findings::default();
        for line in lines {
            findings.add(line);
        }
        findings
    }

    fn run(stdout: &[&str]) -> Run {
        Run { stdout: stdout.iter().map(|line| (*line).to_owned()).collect(), stderr: Vec::new(), status: None }
    }

    const ALL: [&str; 4] = [
        "slow: pay took 300 ms",
        "failed: check threw java.lang.Error: no",
        "Shop.check(Shop.java:7)",
        "totals: check entered 50 times",
    ];

    #[test]
    fn each_finding_is_required() {
        report(&findings(&ALL), &run(&[]), QUIET).unwrap();
        let names = ["the slow method", "the failing method", "where the exception comes from", "the totals"];
        for (without, name) in names.iter().enumerate() {
            let lines: Vec<_> = ALL.iter().enumerate().filter(|(i, _)| *i != without).map(|(_, line)| *line).collect();
            let error = report(&findings(&lines), &run(&[]), QUIET).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn an_exception_that_the_application_shows_is_not_swallowed() {
        let error = report(&findings(&ALL), &run(&["[demo] java.lang.Error"]), QUIET).unwrap_err();
        assert!(error.to_string().contains("not swallowed"), "{error}");
    }

    #[test]
    fn an_application_that_was_killed_is_an_error() {
        let error = check_run(&run(&[]), Duration::from_secs(5)).unwrap_err();
        assert_eq!(error.to_string(), "the demo failed: the application did not end within 5 seconds");
    }

    #[test]
    fn lines_are_taken_when_they_are_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        fs_err::write(&path, "of an earlier run\n").unwrap();
        let mut output = Output::new(path.clone()).unwrap();
        assert!(!path.exists());
        output.show_new(QUIET).unwrap();
        let mut text = String::new();
        for (more, slow_calls) in [("slow: a took 300", None), (" ms\nslow: a ", Some(1)), ("took 300 ms", Some(1))] {
            text.push_str(more);
            fs_err::write(&path, &text).unwrap();
            output.show_new(QUIET).unwrap();
            assert_eq!(output.findings.slowest().map(|(_, slow, _)| slow.calls), slow_calls, "after {text:?}");
        }
        output.show_rest(QUIET).unwrap();
        assert_eq!(output.findings.slowest().map(|(_, slow, _)| slow.calls), Some(2));
    }
}
