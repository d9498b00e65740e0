//! `fatagent`: builds and checks fat Java agents.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "a printer is one shared switch, not a value, however small it is"
)]

mod cli;

use std::ffi::{OsStr, OsString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use packager::error::Error;
use packager::printer::{Color, Format, Printer};

use cli::Cli;
use cli::cargo::CargoCli;

/// The user can do something about it.
const USER_ERROR: u8 = 1;
/// The command line is wrong, or this program is.
const USAGE_OR_INTERNAL: u8 = 2;

pub(crate) fn main() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if is_called(&words, "cargo-fatagent") {
        // Cargo hands on the name of its subcommand.
        if words.get(1).is_some_and(|word| word == "fatagent") {
            words.remove(1);
        }
        return match CargoCli::try_parse_from(words) {
            Ok(cli) => {
                let printer = cli.printer();
                run(&printer, false, || cli.run(&printer).map(|()| ExitCode::SUCCESS))
            }
            Err(error) => usage(&error),
        };
    }
    // Extensions were managed with a program of this name; its words are those after `fatagent ext`.
    let asks_version = words.get(1).is_some_and(|word| word == "--version" || word == "-V");
    if is_called(&words, "btracex") && !asks_version {
        words.insert(1, "ext".into());
    }
    match Cli::try_parse_from(words) {
        Ok(cli) => {
            let printer = cli.printer();
            run(&printer, cli.answers_by_code(), || cli.run(&printer))
        }
        Err(error) => usage(&error),
    }
}

/// Whether this program is called so.
fn is_called(words: &[OsString], name: &str) -> bool {
    words.first().is_some_and(|own| Path::new(own).file_stem() == Some(OsStr::new(name)))
}

fn run(printer: &Printer, answers_by_code: bool, command: impl FnOnce() -> anyhow::Result<ExitCode>) -> ExitCode {
    // The panic itself is printed by the standard hook; what is left is an exit code that says whose fault it is.
    match catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => match failure(&error, printer) {
            _ if answers_by_code => ExitCode::from(USAGE_OR_INTERNAL),
            code => code,
        },
        Err(_) => failure(&anyhow::anyhow!("fatagent stopped unexpectedly"), printer),
    }
}

/// Shows help or version, or says what is wrong with the command line.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help and version are what was asked for. If stdout is closed, nobody wants them any more.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let mut lines = text.trim_end().lines();
    let first = lines.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first);
    let rest: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    // The options could not be read, so the format is looked for in the words themselves.
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let json = words.windows(2).any(|pair| pair == ["--message-format", "json"])
        || words.iter().any(|word| word == "--message-format=json");
    let format = if json { Format::Json } else { Format::Text };
    let printer = Printer { color: Color::Auto, format, ..Printer::default() };
    printer.error(message, &[], Some(&rest.join("\n      ")).filter(|hint| !hint.is_empty()).map(String::as_str));
    ExitCode::from(USAGE_OR_INTERNAL)
}

/// Prints an error with its causes and its remedy.
fn failure(error: &anyhow::Error, printer: &Printer) -> ExitCode {
    let known = error.downcast_ref::<Error>();
    let internal = known.is_none_or(Error::is_internal);
    // A cause whose text its consequence already holds says nothing new.
    let mut shown = error.to_string();
    let mut causes = Vec::new();
    for cause in error.chain().skip(1) {
        let text = cause.to_string();
        if !shown.contains(&text) {
            causes.push(text.clone());
        }
        shown = text;
    }
    let hint = known
        .and_then(Error::hint)
        .or_else(|| internal.then(|| "this is a defect of fatagent: please report it with the command".to_owned()));
    printer.error(&error.to_string(), &causes, hint.as_deref());
    ExitCode::from(if internal { USAGE_OR_INTERNAL } else { USER_ERROR })
}
