//! Every method of every class of real systems, woven in three forms and given to the JDK's own verifier.
//!
//! A program of its own, because it takes minutes and fetches hundreds of megabytes: `cargo xtask e2e weaving`, or directly
//! `cargo test --package fatagent-classfile --test weaving -- [--slice] [CORPUS…]`. It prints what it did beside the goals, and fails
//! with class and method of whatever does not verify.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the figures are what this program is for")]

mod corpora;
mod forms;
mod judge;
#[path = "../planners/mod.rs"]
mod planners;
mod tally;

use corpora::{CORPORA, Corpus};
use fixtures::{JavaHome, java_homes};
use forms::Form;
use judge::Judge;
use std::process::ExitCode;
use std::time::Instant;
use tally::{Sum, Tally};

/// The first release with the class-file API.
const VERIFIER_SINCE: u32 = 24;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether every goal was reached.
fn run(mut arguments: Vec<String>) -> Result<bool, Failure> {
    let slice = arguments.iter().any(|argument| argument == "--slice");
    arguments.retain(|argument| argument != "--slice");
    if let Some(unknown) = arguments.iter().find(|name| CORPORA.iter().all(|corpus| corpus.name != **name)) {
        let names: Vec<_> = CORPORA.iter().map(|corpus| corpus.name).collect();
        return Err(
            format!("no such corpus: `{unknown}`; hint: name some of {}, or none for all", names.join(", ")).into()
        );
    }
    let verifier = verifier()?;
    println!("verified by Java {} in {}", verifier.feature, verifier.path.display());
    let chosen: Vec<&Corpus> = CORPORA
        .iter()
        .filter(|corpus| arguments.is_empty() || arguments.iter().any(|name| name == corpus.name))
        .filter(|corpus| !slice || corpus.every.is_some())
        .collect();
    let mut sum = Sum::default();
    for corpus in chosen {
        let begun = Instant::now();
        let classes = corpus.classes(slice)?;
        let judge = Judge::start(&verifier, &classes)?;
        let (tally, verdict) = weave_all(corpus.name, &classes, judge)?;
        sum.add(corpus.name, &tally, &verdict, begun.elapsed());
    }
    Ok(sum.conclude(!slice && arguments.is_empty()))
}

fn weave_all(name: &str, classes: &corpora::Classes, mut judge: Judge) -> Result<(Tally, judge::Verdict), Failure> {
    let mut tally = Tally { classes: classes.len(), ..Tally::default() };
    for form in Form::ALL {
        classes.each(&mut |class| {
            for woven in form.weave(class, tally.of(form)) {
                judge.send(form, class, &woven)?;
            }
            Ok(())
        })?;
        judge.end_of_form(form)?;
        eprintln!("  {name}: {} sent", form.name());
    }
    Ok((tally, judge.finish()?))
}

fn verifier() -> Result<JavaHome, Failure> {
    let newer = java_homes().into_iter().find(|home| home.feature >= VERIFIER_SINCE && home.tool("javac").is_some());
    newer.ok_or_else(|| {
        format!("no JDK of {VERIFIER_SINCE} or newer; hint: install one beside the others, or set `JAVA_HOME`").into()
    })
}
