//! What was woven and what was left out, beside the goals.

use crate::forms::Form;
use crate::judge::Verdict;
use classfile::ClassFile;
use std::collections::BTreeMap;
use std::time::Duration;

/// The greatest part of the methods that may be left out, in percent.
const SKIPPED: f64 = 0.1;
/// The least number of classes that the whole corpus has.
const CLASSES: usize = 100_000;
/// How many methods left out are named for each form.
const NAMED: usize = 5;

/// Counts of one form.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Methods with code.
    pub(crate) methods: usize,
    /// Methods that came out changed.
    pub(crate) woven: usize,
    /// Sites in them.
    pub(crate) sites: usize,
    /// Methods left as they were, by reason.
    skipped: BTreeMap<String, usize>,
    /// Sites left as they were, by reason.
    skipped_sites: BTreeMap<String, usize>,
    /// Some of those methods, each with its reason.
    named: Vec<String>,
}

/// Counts of one corpus.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) classes: usize,
    pub(crate) counts: [Counts; 3],
}

#[allow(clippy::cast_precision_loss, reason = "counts of methods are far below 2^52")]
fn percent(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64 * 100.0
}

/// A reason without its numbers and names.
fn general(reason: &str) -> String {
    reason.split(|c: char| c.is_ascii_digit() || c == '`' || c == ':').next().unwrap_or_default().trim().to_owned()
}

impl Counts {
    /// A method was left out.
    pub(crate) fn skip(&mut self, class: &[u8], method: &str, reason: &str) {
        *self.skipped.entry(general(reason)).or_default() += 1;
        if self.named.len() < NAMED {
            let class = ClassFile::parse(class).ok().and_then(|class| class.this_str().map(str::to_owned));
            self.named.push(format!("{}.{method}: {reason}", class.unwrap_or_default()));
        }
    }

    /// A site was left out.
    pub(crate) fn skip_site(&mut self, reason: &str) {
        *self.skipped_sites.entry(general(reason)).or_default() += 1;
    }

    /// A class was left out, with so many methods.
    pub(crate) fn refuse(&mut self, class: &[u8], methods: usize, reason: &str) {
        self.skip(class, "*", reason);
        *self.skipped.entry(general(reason)).or_default() += methods.saturating_sub(1);
    }

    fn skipped(&self) -> usize {
        self.skipped.values().sum()
    }

    fn add(&mut self, other: &Self) {
        self.methods += other.methods;
        self.woven += other.woven;
        self.sites += other.sites;
        for (of, from) in [(&mut self.skipped, &other.skipped), (&mut self.skipped_sites, &other.skipped_sites)] {
            for (reason, count) in from {
                *of.entry(reason.clone()).or_default() += count;
            }
        }
    }

    fn print(&self, form: Form) {
        println!(
            "  {}: {} methods, {} woven, {} sites; skipped {} methods ({:.3} %)",
            form.name(),
            self.methods,
            self.woven,
            self.sites,
            self.skipped(),
            percent(self.skipped(), self.methods)
        );
        for (reason, count) in &self.skipped {
            println!("    {count} methods: {reason}");
        }
        for (reason, count) in &self.skipped_sites {
            println!("    {count} sites: {reason}");
        }
        for named in &self.named {
            println!("      {named}");
        }
    }
}

impl Tally {
    pub(crate) fn of(&mut self, form: Form) -> &mut Counts {
        &mut self.counts[form as usize]
    }
}

/// Everything that ran.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    tally: Tally,
    verdict: Verdict,
}

impl Sum {
    /// Prints one corpus and adds it.
    pub(crate) fn add(&mut self, name: &str, tally: &Tally, verdict: &Verdict, took: Duration) {
        println!("{name}: {} classes in {} s", tally.classes, took.as_secs());
        for form in Form::ALL {
            tally.counts[form as usize].print(form);
            self.tally.of(form).add(&tally.counts[form as usize]);
        }
        println!("  {verdict}");
        self.tally.classes += tally.classes;
        self.verdict.add(verdict);
    }

    /// Prints all of it beside the goals; whether it reached them. How many classes there are, and how many methods are left
    /// out, are goals for the `whole` corpus: in a part of it the JDK's long initialisers weigh more.
    pub(crate) fn conclude(&self, whole: bool) -> bool {
        let least = if whole { CLASSES } else { 0 };
        println!(
            "together: {} classes{}",
            self.tally.classes,
            if least > 0 { format!(" (goal: over {least})") } else { String::new() }
        );
        let mut good = self.tally.classes > least && self.verdict.failures == 0;
        for form in Form::ALL {
            let counts = &self.tally.counts[form as usize];
            counts.print(form);
            let rate = percent(counts.skipped(), counts.methods);
            let reached = rate <= SKIPPED;
            let verdict = if reached {
                "reached"
            } else if whole {
                "MISSED"
            } else {
                "more, in a part of the corpus"
            };
            println!("    skipped {rate:.3} % of methods (goal: at most {SKIPPED:.1} %): {verdict}");
            good &= reached || !whole;
        }
        println!(
            "  {} (goal: 0 failures): {}",
            self.verdict,
            if self.verdict.failures == 0 { "reached" } else { "MISSED" }
        );
        good
    }
}
