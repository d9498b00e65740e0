//! Extensions to measure with, and what the first use of a service takes.

use std::process::Command;

use anyhow::{Context as _, Result};
use fixtures::ExtensionZip;

use super::Bench;
use super::agents::{ExtensionFile, emptied, finished, jdk, text, tool};
use super::measure::median;
use super::report::{Goal, Report};
use crate::tool::{root, say};

const API: &str = include_str!("../../../bench/extension/Counter.java");
const IMPLEMENTATION: &str = include_str!("../../../bench/extension/CounterImpl.java");
const PROGRAM: (&str, &str) = ("bench/Link.java", include_str!("../../../bench/Link.java"));
const PROBE: (&str, &str) = ("bench/LinkProbe.java", include_str!("../../../bench/probes/LinkProbe.java"));
/// Starts of a JVM that are measured.
const STARTS: usize = 15;
/// The releases of Java that are measured.
const RELEASES: [u32; 2] = [17, 25];

impl Bench {
    /// Extensions alike, of which each has a service `bench.service<number>.Counter`.
    pub(super) fn services(&self, count: usize) -> Result<Vec<ExtensionFile>> {
        let folder = emptied(self.folder.join("services"))?;
        let sdk = folder.join("sdk");
        let sources = root().join("extension-sdk/java");
        let base = "io/btrace/core/extensions/Extension.java";
        let options = ["--release", "8", "-Xlint:-options", "-sourcepath", &text(&sources)?];
        let used = "import io.btrace.core.extensions.*; class Used { Extension a; ServiceDescriptor b; }";
        fixtures::javac(&[(base, &fs_err::read_to_string(sources.join(base))?), ("Used.java", used)], &options, &sdk)?;
        let one = |number: usize| {
            let package = format!("bench.service{number}");
            let (id, path) = (format!("bench-service-{number}"), package.replace('.', "/"));
            let zip = ExtensionZip::new(&id, "1.0.0")
                .class_path(&sdk)
                .attribute("BTrace-Extension-Services", &format!("{package}.Counter"))
                .attribute("BTrace-Extension-Permissions", "")
                .api(&format!("{path}/Counter.java"), &API.replace("bench.service", &package))
                .implementation(&format!("{path}/CounterImpl.java"), &IMPLEMENTATION.replace("bench.service", &package))
                .build(&folder)?;
            Ok(ExtensionFile { zip, api: folder.join(format!("{id}-classes/api")) })
        };
        (0..count).map(one).collect()
    }

    /// From the read of an `@Injected` field to the service's answer, the first of its JVM, among ten embedded extensions.
    pub(super) fn first_link(&self, figures: &mut Report) -> Result<()> {
        let agent = self.agent("link-agent", &[PROBE], &self.services(10)?)?;
        let classes = emptied(self.folder.join("link-classes"))?;
        fixtures::javac(&[PROGRAM], &["--release", "8", "-Xlint:-options"], &classes)?;
        for release in RELEASES {
            let java = tool(&jdk(release)?, "java")?;
            say(&format!("\n==> first use of a service on Java {release}, {STARTS} starts"));
            let mut times = Vec::new();
            for _ in 0..=STARTS {
                let mut start = Command::new(&java);
                start.arg(format!("-javaagent:{}=probes=LinkProbe", text(&agent.jar)?));
                let output = finished(start.args(["-cp", &text(&classes)?, "bench.Link"]))?;
                let time: f64 = output.trim().parse().with_context(|| format!("no time in `{output}`"))?;
                times.push(time / 1e6);
            }
            // The first start puts the core into its folder.
            times.remove(0);
            let list: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
            say(&format!("    ms: {}", list.join(" ")));
            figures.add(format!("Java {release}, first link of a service"), median(times), "ms", Goal::AtMost(5.0));
        }
        Ok(())
    }
}
