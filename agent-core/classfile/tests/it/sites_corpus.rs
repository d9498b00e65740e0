//! Every kind of site at once, over the JDK's own classes.

#![allow(clippy::print_stderr, reason = "the counts are what the long run is for")]

use crate::harness::{Classes, module, run, write_classes};
use crate::sites::{all_of, has_result};
use classfile::weave::{
    Call, Linkage, MethodInfo, Plan, Planner, Site, SiteKind, SitePlan, SkippedSite, Source, weave,
};
use fs_err as fs;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Everything at every site, beside entries, returns and errors.
struct All {
    sites: usize,
}

impl Planner for All {
    fn method(&mut self, method: &MethodInfo<'_>) -> Option<Plan> {
        method.member.attribute("Code")?;
        let mut plan = crate::harness::everything(method);
        for call in plan.entry.iter_mut().chain(&mut plan.returns).chain(&mut plan.errors) {
            call.name = "exit".into();
        }
        Some(Plan { sites: SiteKind::ALL.into_iter().collect(), ..plan })
    }

    fn site(&mut self, _: &MethodInfo<'_>, site: &Site<'_>) -> SitePlan {
        self.sites += 1;
        let (before, mut after) = all_of(site);
        if site.kind == SiteKind::Call {
            after.push(Source::Duration);
        }
        assert_eq!(after.contains(&Source::Result), has_result(site.kind));
        let call = |parameters| vec![Call { name: "site".into(), parameters }];
        SitePlan { before: call(before), after: if site.kind.has_after() { call(after) } else { Vec::new() } }
    }
}

#[derive(Default)]
struct Tally {
    methods: usize,
    sites: usize,
    skipped: BTreeMap<String, usize>,
    skipped_sites: Vec<SkippedSite>,
}

/// Weaves a module; the class that is called need not exist, because nothing is linked.
fn weave_module(classes: &Classes, direct: bool) -> (Classes, Tally) {
    let mut out = Classes::new();
    let mut tally = Tally::default();
    let mut planner = All { sites: 0 };
    for (name, bytes) in classes {
        let mut site = |_: &str, _: &str| 70_000;
        // Below version 51 there is no invokedynamic.
        let linkage = if direct || bytes[7] < 51 {
            Linkage::Direct { class: "java/lang/Trampoline", method: "hit", site: &mut site }
        } else {
            Linkage::Dynamic { class: "java/lang/Trampoline", method: "link" }
        };
        let woven = weave(bytes, linkage, &mut planner).unwrap_or_else(|e| panic!("{name}: {e}"));
        tally.methods += woven.methods.len();
        tally.skipped_sites.extend(woven.skipped_sites);
        for (method, skip) in woven.skipped {
            let reason = skip.to_string();
            let reason = reason.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().trim().to_owned();
            eprintln!("skipped {name}.{method}: {skip}");
            *tally.skipped.entry(reason).or_default() += 1;
        }
        if let Some(new) = woven.bytes {
            out.insert(name.clone(), new);
        }
    }
    tally.sites = planner.sites;
    (out, tally)
}

/// A JDK with the class-file API, which verifies without loading.
fn verifier() -> PathBuf {
    let homes = fixtures::java_homes();
    let newer = homes.into_iter().find(|home| home.feature >= 24 && home.tool("javac").is_some());
    newer.expect("a JDK of 24 or newer beside the one under test").path
}

/// Verifies classes, none of which is loaded.
fn verify(woven: &Classes, home: &Path) {
    let folder = TempDir::new().unwrap();
    write_classes(&folder.path().join("woven"), woven);
    fs::write(folder.path().join("Verify.java"), include_str!("java/Verify.java")).unwrap();
    let output = run(Command::new(home.join("bin/java"))
        .arg("-Xmx1g")
        .arg(folder.path().join("Verify.java"))
        .arg(folder.path().join("woven")))
    .unwrap();
    assert!(!output.contains("FAILED"), "{}", output.chars().take(6000).collect::<String>());
    let verified: usize = output.lines().last().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(verified, woven.len(), "{output}");
}

fn check(classes: &Classes, home: &Path) {
    for direct in [false, true] {
        let (woven, tally) = weave_module(classes, direct);
        let skipped: usize = tally.skipped.values().sum();
        eprintln!(
            "direct {direct}: {} classes, {} methods, {} sites, skipped methods {:?}, skipped sites {}",
            woven.len(),
            tally.methods,
            tally.sites,
            tally.skipped,
            tally.skipped_sites.len()
        );
        for site in tally.skipped_sites.iter().take(5) {
            eprintln!("  {site:?}");
        }
        // Those without code too, for the hierarchy.
        let mut all: Classes = classes.clone();
        all.extend(woven);
        all.remove("module-info");
        verify(&all, home);
        assert!(skipped * 100 < tally.methods, "{:?}", tally.skipped);
    }
}

/// A part of the base module whose classes have every kind of site.
#[test]
fn a_part_of_the_base_module_verifies_with_every_site() {
    let home = verifier();
    let classes: Classes =
        module("java.base").into_iter().filter(|(name, _)| name.starts_with("java/util/concurrent/")).collect();
    assert!(classes.len() > 100);
    check(&classes, &home);
}

/// The whole, which takes minutes: `cargo test -p classfile --release --test it -- --ignored every_class`.
#[test]
#[ignore = "takes minutes"]
fn every_class_of_the_base_module_verifies_with_every_site() {
    let home = verifier();
    check(&module("java.base"), &home);
}

/// More classes, some with long methods full of jumps.
#[test]
#[ignore = "takes minutes"]
fn every_class_of_other_modules_verifies_with_every_site() {
    let home = verifier();
    for name in ["jdk.compiler", "java.xml"] {
        check(&module(name), &home);
    }
}
