//! `[[generate]]`: commands that add files which depend on all others, such as an index.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use manifests::agent_toml;
use manifests::manifest::Manifest;

use super::Error as ForeignError;
use super::globs::Globs;
use super::tree::{Changes, Tree};
use crate::assemble::{Content, Layout};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;

/// How long one command may take.
const LIMIT: Duration = Duration::from_mins(15);
/// How long its output is waited for once it has ended: what it left running may hold it open.
const GRACE: Duration = Duration::from_secs(2);
/// Lines of its standard error that a message shows.
const LAST: usize = 5;
/// Environment variables that tell it where the files and `agent.toml` are.
const STAGE: &str = "FATAGENT_STAGE";
const PROJECT: &str = "FATAGENT_PROJECT";

/// Runs all commands, one after the other, each on the files that the jar has by then.
///
/// # Errors
/// One cannot be started, fails, or does something else than it declares.
pub(super) fn run(config: &Config, manifest: &Manifest, layout: &mut Layout, printer: &Printer) -> Result<Vec<Tree>> {
    let mut trees = Vec::new();
    for table in &config.toml.generate {
        let generate = Generate { table, at: table.at.to_string(), command: table.run.join(" ") };
        trees.push(generate.run(config, manifest, layout, printer)?);
    }
    Ok(trees)
}

/// One command.
struct Generate<'a> {
    table: &'a agent_toml::Generate,
    at: String,
    command: String,
}

impl Generate<'_> {
    fn run(&self, config: &Config, manifest: &Manifest, layout: &mut Layout, printer: &Printer) -> Result<Tree> {
        let outputs = Globs::new(&self.at, "outputs", "file after the command", &self.table.outputs)?;
        layout.check_paths(Path::new(&config.origin))?;
        printer.status("Generating", &format!("by `{}`", self.command));
        let tree = Tree::lay_out(layout, (paths::MANIFEST, &manifest.to_bytes()), &self.at)?;
        self.execute(config, tree.path(), printer)?;
        let (changes, there) = tree.changes(|path, problem| ForeignError::NotAFile {
            at: self.at.clone(),
            command: self.command.clone(),
            path: path.to_owned(),
            problem,
        })?;
        self.check(outputs, &changes, &there)?;
        self.take(&changes, &tree, layout, printer)?;
        Ok(tree)
    }

    /// Runs the command in `stage` to its end.
    fn execute(&self, config: &Config, stage: &Path, printer: &Printer) -> Result<()> {
        let absolute = if config.folder.as_os_str().is_empty() { Path::new(".") } else { &config.folder };
        let project = std::path::absolute(absolute)?.canonicalize()?;
        let (program, arguments) = self.table.run.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
        let program = if program.contains('/') { project.join(program) } else { PathBuf::from(program) };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(stage).env(STAGE, stage).env(PROJECT, project);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| ForeignError::NotStarted {
            at: self.at.clone(),
            command: self.command.clone(),
            source,
        })?;
        let (ended, last) = watch(&mut child, LIMIT, printer)?;
        let status = match ended {
            Some(status) if status.success() => return Ok(()),
            Some(status) => status.to_string(),
            None => format!("it took more than {} minutes", LIMIT.as_secs() / 60),
        };
        let last = last.into_iter().collect();
        Err(ForeignError::Failed { at: self.at.clone(), command: self.command.clone(), status, last }.into())
    }

    /// Refuses what is not declared, and a declaration without a file.
    fn check(&self, mut outputs: Globs, changes: &Changes, there: &[String]) -> Result<()> {
        let mut undeclared = Vec::new();
        for (what, paths) in [
            ("wrote a new file", &changes.added),
            ("changed a file", &changes.changed),
            ("deleted a file", &changes.deleted),
        ] {
            for path in paths {
                // The manifest follows from `[manifest]`; what a command made of it would be lost.
                if outputs.find(path).is_none() || path == paths::MANIFEST {
                    undeclared.push((what, path.clone()));
                }
            }
        }
        let mut undeclared = undeclared.into_iter();
        if let Some((what, path)) = undeclared.next() {
            let others = undeclared.map(|(_, path)| path).collect();
            let (at, command) = (self.at.clone(), self.command.clone());
            return Err(ForeignError::Undeclared { at, command, what, path, others }.into());
        }
        for path in there {
            outputs.find(path);
        }
        outputs.check()
    }

    /// Makes entries of the outputs.
    fn take(&self, changes: &Changes, tree: &Tree, layout: &mut Layout, printer: &Printer) -> Result<()> {
        for path in changes.added.iter().chain(&changes.changed) {
            let (what, old) = match layout.get(path).filter(|_| tree.had(path)) {
                Some(item) => ("replaced", format!(", which was {}", item.origin)),
                None => ("made", String::new()),
            };
            printer.detail(&format!("`{path}` is {what}{old}"));
            let origin = Origin::Generated(format!("by `{}`", self.command));
            layout.replace(path, Content::File(tree.file(path)), origin);
        }
        for path in &changes.deleted {
            printer.detail(&format!("`{path}` is left out"));
            layout.remove(path);
        }
        let Changes { added, changed, deleted } = changes;
        printer.status(
            "Generated",
            &format!(
                "by `{}`: {} new, {} changed, {} left out: {}",
                self.command,
                added.len(),
                changed.len(),
                deleted.len(),
                super::slots::sample(&[added.as_slice(), changed, deleted].concat())
            ),
        );
        layout.check_paths(Path::new(&self.at))
    }
}

/// Shows what the child writes until it ends; nothing as its status where it had to be killed after `limit`. The lines are
/// the last ones of its standard error.
fn watch(child: &mut Child, limit: Duration, printer: &Printer) -> Result<(Option<ExitStatus>, VecDeque<String>)> {
    let (sender, lines) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        read_lines(stdout, false, sender.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        read_lines(stderr, true, sender);
    }
    let end = Instant::now() + limit;
    let mut last = VecDeque::new();
    let mut status = None;
    loop {
        if status.is_none() {
            status = child.try_wait().map_err(Error::from)?;
            if status.is_none() && Instant::now() >= end {
                // It may have ended just now; both results are fine then.
                let _ = child.kill();
                child.wait().map_err(Error::from)?;
                return Ok((None, last));
            }
        }
        let closed = show(&lines, Duration::from_millis(20), &mut last, printer);
        if status.is_some() {
            let until = Instant::now() + GRACE;
            while !closed && Instant::now() < until {
                if show(&lines, GRACE, &mut last, printer) {
                    break;
                }
            }
            return Ok((status, last));
        }
        if closed {
            // Nothing more will come, so only its end is waited for.
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Shows one line if it comes within `wait`; returns whether there will be no more.
fn show(lines: &Receiver<(bool, String)>, wait: Duration, last: &mut VecDeque<String>, printer: &Printer) -> bool {
    match lines.recv_timeout(wait) {
        Ok((is_error, line)) => {
            printer.passed_on(&line);
            if is_error {
                if last.len() == LAST {
                    last.pop_front();
                }
                last.push_back(line);
            }
            false
        }
        Err(RecvTimeoutError::Timeout) => false,
        Err(RecvTimeoutError::Disconnected) => true,
    }
}

/// Sends each line of a stream, with whether it is standard error.
fn read_lines(stream: impl Read + Send + 'static, is_error: bool, to: Sender<(bool, String)>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while let Ok(count) = reader.read_until(b'\n', &mut line) {
            if count == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if to.send((is_error, text)).is_err() {
                break;
            }
            line.clear();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_does_not_end_is_killed() {
        let mut command = Command::new("sleep");
        command.arg("1000").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let quiet = Printer { quiet: true, ..Printer::default() };
        let (status, _) = watch(&mut child, Duration::from_millis(50), &quiet).unwrap();
        assert_eq!(status, None);
        assert!(!child.wait().unwrap().success());
    }
}
