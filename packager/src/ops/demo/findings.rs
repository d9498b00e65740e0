//! Makes sense of what the probes printed. Everything here is read from their lines; nothing is known beforehand.

use std::collections::BTreeMap;

/// The calls of one method that took longer than the probe's limit, in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slow {
    pub(super) calls: u64,
    pub(super) fastest: u64,
    pub(super) slowest: u64,
    total: u64,
}

/// The failures of one method by one type of exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) calls: u64,
    /// The exception's text when it was first seen.
    pub(super) example: String,
    /// The frame of the method, `Class.method(File:line)`.
    pub(super) frame: Option<String>,
}

/// What the probes saw.
#[derive(Debug, Default)]
pub(super) struct Findings {
    slow: BTreeMap<String, Slow>,
    /// By method and exception type.
    failures: BTreeMap<(String, String), Failure>,
    /// The last line of totals, which the extension made.
    pub(super) totals: Option<String>,
}

impl Findings {
    /// Takes the next line of the probes' output.
    pub(super) fn add(&mut self, line: &str) {
        if let Some((method, time)) = line.strip_prefix("slow: ").and_then(|rest| rest.split_once(" took ")) {
            if let Some(milliseconds) = time.strip_suffix(" ms").and_then(|number| number.parse().ok()) {
                self.add_slow(method, milliseconds);
            }
        } else if let Some((method, example)) =
            line.strip_prefix("failed: ").and_then(|rest| rest.split_once(" threw "))
        {
            let kind = example.split(':').next().unwrap_or(example);
            let failure = self.failures.entry((method.to_owned(), kind.to_owned())).or_insert_with(|| Failure {
                calls: 0,
                example: example.to_owned(),
                frame: None,
            });
            failure.calls += 1;
        } else if let Some(totals) = line.strip_prefix("totals: ") {
            self.totals = Some(totals.to_owned());
        } else if line.ends_with(')') {
            // Lines of several threads can alternate, so a frame is told by its method and not by its place.
            for ((method, _), failure) in &mut self.failures {
                if failure.frame.is_none() && line.contains(&format!(".{method}(")) {
                    failure.frame = Some(line.to_owned());
                }
            }
        }
    }

    fn add_slow(&mut self, method: &str, milliseconds: u64) {
        let slow = self.slow.entry(method.to_owned()).or_insert(Slow {
            calls: 0,
            fastest: milliseconds,
            slowest: milliseconds,
            total: 0,
        });
        slow.calls += 1;
        slow.total += milliseconds;
        slow.fastest = slow.fastest.min(milliseconds);
        slow.slowest = slow.slowest.max(milliseconds);
    }

    /// The slow method that is to blame, and those that wait for it.
    ///
    /// A method is at least as slow as what it calls, so the one with the lowest mean is the innermost. Methods that were
    /// slow less than half as often as others are left out: a busy machine can hold up anything for once.
    pub(super) fn slowest(&self) -> Option<(&str, &Slow, Vec<&str>)> {
        let most = self.slow.values().map(|slow| slow.calls).max()?;
        let often = || self.slow.iter().filter(|(_, slow)| slow.calls * 2 >= most);
        let (culprit, slow) = often().min_by_key(|(_, slow)| slow.total / slow.calls)?;
        let callers = often().map(|(method, _)| method.as_str()).filter(|method| method != culprit).collect();
        Some((culprit, slow, callers))
    }

    /// The most frequent failure as (method, exception type, details).
    pub(super) fn failure(&self) -> Option<(&str, &str, &Failure)> {
        let ((method, kind), failure) = self.failures.iter().max_by_key(|(_, failure)| failure.calls)?;
        Some((method, kind, failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(lines: &[&str]) -> Findings {
        let mut findings = Findings::default();
        for line in lines {
            findings.add(line);
        }
        findings
    }

    #[test]
    fn the_innermost_slow_method_is_to_blame() {
        let found = findings(&[
            "slow: zebra took 301 ms",
            "slow: aCaller took 330 ms",
            "slow: stalledOnce took 201 ms",
            "slow: zebra took 302 ms",
            "slow: aCaller took 331 ms",
            "totals: aCaller entered 50 times",
            "slow: zebra took 305 ms",
            "slow: aCaller took 340 ms",
        ]);
        let (method, slow, others) = found.slowest().unwrap();
        assert_eq!((method, slow.calls, slow.fastest, slow.slowest), ("zebra", 3, 301, 305));
        assert_eq!(others, ["aCaller"]);
        assert_eq!(found.totals.as_deref(), Some("aCaller entered 50 times"));
    }

    #[test]
    fn failures_are_counted_by_type_and_found_among_lines_of_other_threads() {
        let found = findings(&[
            "failed: check threw java.lang.IllegalStateException: order 12",
            "slow: pay took 300 ms",
            "Shop.check(Shop.java:7)",
            "Shop.order(Shop.java:3)",
            "failed: check threw java.lang.IllegalStateException: order 24",
            "Shop.check(Shop.java:7)",
            "failed: check threw java.lang.Error",
        ]);
        let (method, kind, failure) = found.failure().unwrap();
        assert_eq!((method, kind), ("check", "java.lang.IllegalStateException"));
        assert_eq!(failure.calls, 2);
        assert_eq!(failure.example, "java.lang.IllegalStateException: order 12");
        assert_eq!(failure.frame.as_deref(), Some("Shop.check(Shop.java:7)"));
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        let found = findings(&["", "slow: x", "slow: x took long", "failed:", "some (text)"]);
        assert_eq!(found.slowest(), None);
        assert_eq!(found.failure(), None);
        assert_eq!(found.totals, None);
    }
}
