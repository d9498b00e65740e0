//! Measures relocation in memory, on one thread: `relocate_speed [--rules N] JAR…`.
//!
//! Inflates every class of the jars, relocates them with the eight rules of the medium set, or with N rules of which
//! those eight are a part, and prints the median of several rounds in MB/s of class bytes: streamed from main memory, and
//! again and again from the cache, where a packager that has just inflated a class finds it.

#![expect(clippy::print_stdout, reason = "prints its result")]
#![expect(clippy::cast_precision_loss, reason = "sizes of jars are far below that")]

use classfile::relocate::{Literals, Rule, Rules, relocate};
use std::collections::BTreeSet;
use std::hint::black_box;
use std::io::Read as _;
use std::sync::OnceLock;
use std::time::Instant;

type AnyError = Box<dyn std::error::Error>;

/// Rounds of the measurement.
const ROUNDS: usize = 15;

/// How many classes fit into the cache, and how often they are relocated before the next ones are.
const GROUP: (usize, usize) = (64, 10);

fn rules(count: usize) -> Result<Rules, AnyError> {
    let mut rules: Vec<Rule> = [
        "com.google.common",
        "com.google.gson",
        "io.netty",
        "com.fasterxml.jackson",
        "kotlin",
        "net.bytebuddy",
        "io.grpc",
        "io.perfmark",
    ]
    .map(|from| Rule { from: from.into(), to: format!("shadow.{from}"), excludes: Vec::new() })
    .into();
    rules[6].excludes.push("io.grpc.netty.shaded.**".into());
    // Further rules that share beginnings with real names.
    let roots = ["com.google", "org.apache", "io.opentelemetry", "net", "java2.util", "org", "kotlinx", "javax"];
    for number in rules.len()..count {
        let from = format!("{}.p{}.q{number}", roots[number % roots.len()], number / 7);
        rules.push(Rule { to: format!("shadow.{from}"), from, excludes: Vec::new() });
    }
    rules.truncate(count.max(1));
    Ok(Rules::with_excludes(rules)?)
}

/// Seconds of processor time that this thread has used, so that other work on the machine does not count; where the
/// system does not tell, seconds since the first call.
fn processor_time() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let text = fs_err::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text.split(' ').next().and_then(|field| field.parse::<f64>().ok()) {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => START.get_or_init(Instant::now).elapsed().as_secs_f64(),
    }
}

fn main() -> Result<(), AnyError> {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut count = 8;
    if arguments.next_if(|a| a == "--rules").is_some() {
        count = arguments.next().ok_or("a number of rules")?.parse()?;
    }
    let mut classes = Vec::new();
    for jar in arguments {
        let mut archive = zip::ZipArchive::new(fs_err::File::open(jar)?)?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index)?;
            let name = entry.name()?.into_owned();
            if name.strip_suffix(".class").is_some() {
                let mut bytes = Vec::with_capacity(entry.size() as usize);
                entry.read_to_end(&mut bytes)?;
                classes.push((name, bytes));
            }
        }
    }
    let total: usize = classes.iter().map(|(_, bytes)| bytes.len()).sum();
    let names: BTreeSet<&str> = classes.iter().filter_map(|(path, _)| path.strip_suffix(".class")).collect();
    let known = |name: &str| names.contains(name);
    let rules = rules(count)?;
    for (policy, literals) in
        [("off", Literals::Off), ("descriptors", Literals::OnlyDescriptors), ("names", Literals::Descriptors(&known))]
    {
        let mut times = Vec::new();
        let (mut changed, mut reported, mut failed) = (0, 0, 0);
        for round in 0..=ROUNDS {
            (changed, reported, failed) = (0, 0, 0);
            let start = processor_time();
            for (_, bytes) in &classes {
                match black_box(relocate(black_box(bytes), &rules, &literals)) {
                    Ok(relocated) => {
                        changed += usize::from(relocated.bytes.is_some());
                        reported += relocated.literals.len();
                    }
                    Err(_) => failed += 1,
                }
            }
            // The first round warms the caches.
            if round > 0 {
                times.push(processor_time() - start);
            }
        }
        times.sort_by(f64::total_cmp);
        let speed = |time: f64| total as f64 / time / 1e6;
        let mut cached = Vec::new();
        for _ in 0..3 {
            let start = processor_time();
            for group in classes.chunks(GROUP.0) {
                for _ in 0..GROUP.1 {
                    for (_, bytes) in group {
                        let _ = black_box(relocate(black_box(bytes), &rules, &literals));
                    }
                }
            }
            cached.push((processor_time() - start) / GROUP.1 as f64);
        }
        cached.sort_by(f64::total_cmp);
        println!(
            "{count} rules, literals {policy}: {} classes, {:.1} MB, median {:.0} MB/s, best {:.0}, from cache {:.0}, \
             {changed} changed, {reported} literals reported, {failed} failed",
            classes.len(),
            total as f64 / 1e6,
            speed(times[times.len() / 2]),
            speed(times[0]),
            speed(cached[cached.len() / 2]),
        );
    }
    Ok(())
}
