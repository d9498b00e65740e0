//! The one switch for all output: data on stdout, everything for people on stderr.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value};

/// Version of the JSON messages on stdout; it changes when a key changes its meaning or goes away.
pub const MESSAGE_VERSION: u64 = 1;

/// Whether stderr is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Color {
    /// When it is a terminal and `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The form of the data on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people and simple scripts.
    #[default]
    Text,
    /// One JSON object a line, each with `version` and `reason`.
    Json,
}

/// Where and how much is printed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Printer {
    /// Only errors and data.
    pub quiet: bool,
    /// Also what is done in detail.
    pub verbose: bool,
    /// No progress bars.
    pub no_progress: bool,
    /// Colour of stderr.
    pub color: Color,
    /// Form of stdout.
    pub format: Format,
}

const STATUS: Style = AnsiColor::Green.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

impl Printer {
    /// One line of what is being done: a verb and its object.
    pub fn status(&self, verb: &str, object: &str) {
        if !self.quiet {
            self.line(&format!("{STATUS}{verb:>12}{STATUS:#} {object}"));
        }
    }

    /// One line that only `-v` shows.
    pub fn detail(&self, text: &str) {
        if self.verbose && !self.quiet {
            self.line(&format!("{:>12} {text}", ""));
        }
    }

    /// A line that another program wrote, as it is, shown unless `-q`.
    pub fn passed_on(&self, line: &str) {
        if !self.quiet {
            self.line(line);
        }
    }

    /// Something that is not an error but that the user should know, shown unless `-q`.
    pub fn warning(&self, text: &str) {
        if !self.quiet {
            self.line(&format!("{WARNING}warning:{WARNING:#} {text}"));
        }
    }

    /// An error with its causes and its remedy. With JSON messages the same goes to stdout as one object.
    pub fn error(&self, message: &str, causes: &[String], hint: Option<&str>) {
        self.line(&format!("{ERROR}error:{ERROR:#} {message}"));
        for cause in causes {
            self.line(&format!("  caused by: {cause}"));
        }
        if let Some(hint) = hint {
            self.line(&format!("{HINT}hint:{HINT:#} {hint}"));
        }
        if self.format == Format::Json {
            let mut fields = Map::new();
            fields.insert("message".into(), message.into());
            fields.insert("causes".into(), causes.into());
            fields.insert("hint".into(), hint.map_or(Value::Null, Value::from));
            self.json("error", fields);
        }
    }

    /// Data for people: `text` goes to stdout in text format only. A line break is added.
    pub fn text(&self, text: &str) {
        if self.format == Format::Text {
            write_stdout(&format!("{text}\n"));
        }
    }

    /// Data for programs: one object on stdout in JSON format only, after `version` and `reason`.
    pub fn json(&self, reason: &str, fields: Map<String, Value>) {
        if self.format == Format::Json {
            let mut object = Map::new();
            object.insert("version".into(), MESSAGE_VERSION.into());
            object.insert("reason".into(), reason.into());
            object.extend(fields);
            write_stdout(&format!("{}\n", Value::Object(object)));
        }
    }

    /// A document in a format of its own: it is the whole output, in either format.
    pub fn document(&self, document: &Value) {
        write_stdout(&format!("{document:#}\n"));
    }

    /// A progress bar on stderr, hidden when stderr is no terminal and under `-q`, `-v` and `--no-progress`.
    pub fn progress(&self, verb: &'static str, length: u64) -> ProgressBar {
        if self.quiet || self.verbose || self.no_progress || !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        // The template is a constant; should it ever be wrong, the default style is good enough.
        if let Ok(style) = ProgressStyle::with_template("{msg:>12} [{bar:30}] {pos}/{len}") {
            bar.set_style(style);
        }
        bar.set_message(verb);
        bar
    }

    fn line(&self, text: &str) {
        let choice = match self.color {
            Color::Auto => AutoStream::choice(&io::stderr()),
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        // Nobody can be told that stderr is closed.
        let _ = writeln!(AutoStream::new(io::stderr().lock(), choice), "{text}");
    }
}

/// Writes to stdout. A reader that went away, such as `head`, ends the program quietly, as it would end any other; a full
/// disk ends it with a message, since the data would be incomplete.
fn write_stdout(text: &str) {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: cannot write to stdout: {error}");
            std::process::exit(1);
        }
    }
}
