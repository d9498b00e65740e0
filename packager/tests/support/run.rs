//! What a run of `fatagent` left, and what is expected of it.
#![allow(dead_code, reason = "each test binary uses another part")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What a run left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program with `arguments`, in `folder`, which is told no time.
pub(crate) fn fatagent(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    command.current_dir(folder).args(arguments).env_remove("SOURCE_DATE_EPOCH");
    command
}

impl Run {
    /// Waits for `command`, at most for `limit`.
    pub(crate) fn of(mut command: Command, limit: Duration) -> Self {
        let output = fixtures::run(&mut command, limit).unwrap();
        Self { code: output.status.code(), stdout: output.stdout, stderr: output.stderr }
    }

    /// It, if it succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self
    }

    /// The lines from `error:` on, if it failed as it should.
    #[track_caller]
    pub(crate) fn error(&self) -> String {
        assert_eq!(self.code, Some(1), "{}{}", self.stdout, self.stderr);
        let lines: Vec<&str> = self.stderr.lines().skip_while(|line| !line.starts_with("error:")).collect();
        assert!(lines.iter().any(|line| line.starts_with("hint: ")), "no hint: {}", self.stderr);
        lines.join("\n")
    }

    /// It, if it ended with an error of this text and any hint.
    #[track_caller]
    pub(crate) fn failed(self, text: &str) -> Self {
        self.error();
        self.says(text);
        self
    }

    /// Checks that stderr holds `text`, however verbs are indented and files are called.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(self.stderr.contains(text), "no {text:?} in\n{}", self.stderr);
    }

    /// Checks that stderr does not hold `text`.
    #[track_caller]
    pub(crate) fn is_silent_about(&self, text: &str) {
        assert!(!self.stderr.contains(text), "{text:?} in\n{}", self.stderr);
    }
}
