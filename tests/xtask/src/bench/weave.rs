//! Weaving and refusing classes, beside ASM and the JDK's `ClassFile` API.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use fixtures::JavaHome;

use super::Bench;
use super::agents::{compile, emptied, finished, jdk, text, tool};
use super::measure::median;
use super::peers::Asm;
use super::report::{Goal, Report};
use crate::tool::say;

/// The release whose `java.base` is woven, and whose `ClassFile` API is a peer.
const RELEASE: u32 = 25;
/// Probes of the example `weave_speed`.
const PROBES: [(&str, &str); 5] = [
    ("bench/EveryProbe.java", include_str!("../../../bench/probes/EveryProbe.java")),
    ("bench/ExactProbe.java", include_str!("../../../bench/probes/ExactProbe.java")),
    ("bench/RegexProbe.java", include_str!("../../../bench/probes/RegexProbe.java")),
    ("bench/AnnotationProbe.java", include_str!("../../../bench/probes/AnnotationProbe.java")),
    ("bench/SubtypeProbe.java", include_str!("../../../bench/probes/SubtypeProbe.java")),
];
const COLD: &str = include_str!("../../../bench/probes/ColdProbe.java");
/// Methods of the first class, and starts of a JVM that are measured.
const METHODS: usize = 20;
const STARTS: usize = 15;

/// What one run of the example `weave_speed` tells.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ours {
    /// Mean size of a class, in bytes.
    size: f64,
    /// MB/s.
    all: f64,
    one: f64,
    /// Nanoseconds for each class.
    exact: f64,
    regex: f64,
    annotation: f64,
    supertype: f64,
}

/// What the peers make in the same round, in MB/s.
#[derive(Debug, Clone, Copy)]
struct Peers {
    all: f64,
    one: f64,
    shared_all: f64,
    shared_one: f64,
    header: f64,
    api_all: f64,
    api_one: f64,
}

impl Bench {
    /// All figures of weaving.
    pub(super) fn weave(&self, figures: &mut Report) -> Result<()> {
        let home = jdk(RELEASE)?;
        let jar = text(&self.java_base(&home)?)?;
        let probes = emptied(self.folder.join("weave-probes"))?;
        compile(&PROBES, &[], &probes)?;
        let asm = Asm::weaving(&self.folder, &home)?;
        let api = Asm::class_file_api(&self.folder, &home)?;
        say(&format!("\n==> java.base of Java {}, one thread, {} rounds", home.feature, self.rounds));
        let mut rounds = Vec::new();
        for number in 1..=self.rounds {
            let peer = |peer: &Asm, words: &[&str]| {
                let words = words.iter().map(|word| (*word).to_owned()).chain([jar.clone()]);
                peer.speed(&words.collect::<Vec<_>>())
            };
            let peers = Peers {
                all: peer(&asm, &["all"])?,
                one: peer(&asm, &["one"])?,
                shared_all: peer(&asm, &["all", "shared"])?,
                shared_one: peer(&asm, &["one", "shared"])?,
                header: peer(&asm, &["header"])?,
                api_all: peer(&api, &["all"])?,
                api_one: peer(&api, &["one"])?,
            };
            let output = finished(Command::new(&self.speed).arg(&probes).arg(&jar))?;
            let ours = ours(&output).with_context(|| format!("no speeds in `{output}`"))?;
            say(&format!(
                "    round {number}, MB/s: all {:.0}, ASM {:.0}, ClassFile API {:.0}; one {:.0}, ASM {:.0}, ClassFile API {:.0}; \
                 head by ASM {:.0}; refused in {:.0} and {:.0} ns",
                ours.all,
                peers.all,
                peers.api_all,
                ours.one,
                peers.one,
                peers.api_one,
                peers.header,
                ours.exact,
                ours.regex
            ));
            rounds.push((ours, peers));
        }
        tell(&rounds, figures);
        self.cold(&home, figures)
    }

    /// The classes of `java.base` as a jar.
    fn java_base(&self, home: &JavaHome) -> Result<PathBuf> {
        let jar = self.folder.join(format!("java.base-{}.jar", home.feature));
        if !jar.is_file() {
            let folder = emptied(self.folder.join("java.base"))?;
            let mut extract = Command::new(tool(home, "jimage")?);
            extract.arg("extract").arg("--dir").arg(&folder).args(["--include", "regex:/java.base/.*\\.class"]);
            finished(extract.arg(home.path.join("lib/modules")))?;
            let partial = self.folder.join("java.base.partial");
            fixtures::Jar::new().tree(&folder.join("java.base"))?.write(&partial)?;
            fs_err::rename(&partial, &jar)?;
            fs_err::remove_dir_all(&folder)?;
        }
        Ok(jar)
    }

    /// The first class of a JVM, woven by the agent's hook, and by ASM in a JVM of its own.
    fn cold(&self, home: &JavaHome, figures: &mut Report) -> Result<()> {
        say(&format!("\n==> the first class of a cold JVM, {METHODS} methods, {STARTS} rounds"));
        let classes = emptied(self.folder.join("cold"))?;
        let source = cold_source();
        fixtures::javac(&[("Cold.java", &source)], &["--release", "8", "-Xlint:-options"], &classes)?;
        let agent = self.agent("cold-agent", &[("bench/ColdProbe.java", COLD)], &[])?;
        let asm = Asm::weaving(&self.folder, home)?;
        let java = tool(home, "java")?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let mut command = Command::new(&java);
            command.arg(format!("-javaagent:{}=probes=ColdProbe,debug", agent.jar.display()));
            let output = fixtures::run(command.arg("-cp").arg(&classes).arg("Cold"), Duration::from_mins(1))?;
            let text = output.both();
            ours.push(first_woven(&text).with_context(|| format!("no class was woven: {text}"))?);
            theirs.push(asm.cold(&classes.join("Cold.class"))?);
        }
        let (ours, theirs) = (median(ours), median(theirs));
        figures.add("first class in a cold JVM", ours, "us", Goal::AtMost(100.0));
        figures.add("the same class by cold ASM", theirs, "us", Goal::Told);
        Ok(())
    }
}

fn tell(rounds: &[(Ours, Peers)], figures: &mut Report) {
    let of =
        |value: &dyn Fn(&Ours, &Peers) -> f64| median(rounds.iter().map(|(ours, peers)| value(ours, peers)).collect());
    let mut speed = |what: &str, value: &dyn Fn(&Ours, &Peers) -> f64| figures.add(what, of(value), "MB/s", Goal::Told);
    speed("all methods", &|ours, _| ours.all);
    speed("all methods, warm ASM", &|_, peers| peers.all);
    speed("all methods, warm ASM with a shared pool", &|_, peers| peers.shared_all);
    speed("all methods, warm ClassFile API", &|_, peers| peers.api_all);
    speed("one method of each class", &|ours, _| ours.one);
    speed("one method, warm ASM", &|_, peers| peers.one);
    speed("one method, warm ASM with a shared pool", &|_, peers| peers.shared_one);
    speed("one method, warm ClassFile API", &|_, peers| peers.api_one);
    let mut times =
        |what: &str, value: &dyn Fn(&Ours, &Peers) -> f64, goal| figures.add(what, of(value), "times", goal);
    times("all methods over warm ASM", &|ours, peers| ours.all / peers.all, Goal::AtLeast(3.0));
    times("all methods over ASM with a shared pool", &|ours, peers| ours.all / peers.shared_all, Goal::Told);
    times("all methods over the ClassFile API", &|ours, peers| ours.all / peers.api_all, Goal::Told);
    times("one method over warm ASM", &|ours, peers| ours.one / peers.one, Goal::AtLeast(5.0));
    times("one method over ASM with a shared pool", &|ours, peers| ours.one / peers.shared_one, Goal::Told);
    times("one method over the ClassFile API", &|ours, peers| ours.one / peers.api_one, Goal::Told);
    // Nanoseconds that ASM takes for the head of a class.
    let head = |ours: &Ours, peers: &Peers| ours.size / peers.header * 1e3;
    times(
        "refusal by exact name, ASM's header over it",
        &|ours, peers| head(ours, peers) / ours.exact,
        Goal::AtLeast(20.0),
    );
    times("refusal by regex, ASM's header over it", &|ours, peers| head(ours, peers) / ours.regex, Goal::AtLeast(20.0));
    times(
        "refusal by annotation, ASM's header over it",
        &|ours, peers| head(ours, peers) / ours.annotation,
        Goal::Told,
    );
    times("refusal by supertype, ASM's header over it", &|ours, peers| head(ours, peers) / ours.supertype, Goal::Told);
    let mut nanos = |what: &str, value: &dyn Fn(&Ours, &Peers) -> f64| figures.add(what, of(value), "ns", Goal::Told);
    nanos("warm ASM, header of a class", &head);
    nanos("refusal by exact name", &|ours, _| ours.exact);
    nanos("refusal by regex", &|ours, _| ours.regex);
    nanos("refusal by annotation", &|ours, _| ours.annotation);
    nanos("refusal by supertype", &|ours, _| ours.supertype);
}

/// A class of some methods with loops, branches and calls; its main runs them.
fn cold_source() -> String {
    let method = |number: usize| {
        format!(
            "  static int m{number}(int a, String b) {{\n    int sum = {number};\n    for (int i = 0; i < a; i++) {{\n      \
             switch (i % 4) {{ case 0: sum += b.length(); break; case 1: sum ^= i; break; default: sum -= a; }}\n      \
             if (sum > 1000) return sum;\n    }}\n    try {{ sum += Integer.parseInt(b); }} \
             catch (NumberFormatException e) {{ sum--; }}\n    return sum;\n  }}\n"
        )
    };
    let methods: String = (0..METHODS - 2).map(method).collect();
    format!("public class Cold {{\n  public static void main(String[] a) {{ m0(5, \"7\"); }}\n{methods}}}\n")
}

/// Microseconds that the hook took for the first class, by its debug line.
fn first_woven(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.contains(" methods of Cold in "))?;
    line.split_once(" of Cold in ")?.1.split(' ').next()?.parse().ok()
}

/// What the example printed.
fn ours(text: &str) -> Option<Ours> {
    let after = |start: &str| -> Option<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(start))?;
        line.split(' ').next()?.trim_end_matches(',').parse().ok()
    };
    let bytes: f64 = text.lines().next()?.rsplit_once("bytes ")?.1.parse().ok()?;
    Some(Ours {
        size: bytes / after("classes ")?,
        all: after("all methods: ")?,
        one: after("one method: ")?,
        exact: after("refused by exact name: ")?,
        regex: after("refused by regex: ")?,
        annotation: after("refused by annotation: ")?,
        supertype: after("refused by supertype: ")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_example_are_understood() {
        let text = "classes 100, bytes 400000\nall methods: 510 MB/s, 9000 woven, 1 skipped\none method: 900 MB/s\n\
                    refused by exact name: 20.5 ns, 0 wanted\nrefused by regex: 40.0 ns, 0 wanted\n\
                    refused by annotation: 800.0 ns, 0 wanted\nrefused by supertype: 700.0 ns, 0 wanted\n";
        let expected = Ours {
            size: 4000.0,
            all: 510.0,
            one: 900.0,
            exact: 20.5,
            regex: 40.0,
            annotation: 800.0,
            supertype: 700.0,
        };
        assert_eq!(ours(text), Some(expected));
        assert_eq!(ours("nothing"), None);
    }

    #[test]
    fn the_first_class_is_found_in_debug_lines() {
        let text = "[fatagent] probe ColdProbe is number 1\n[fatagent] wove 20 methods of Cold in 48 us: main m0\n";
        assert_eq!(first_woven(text), Some(48.0));
        assert_eq!(cold_source().matches("static").count(), METHODS - 1);
    }
}
