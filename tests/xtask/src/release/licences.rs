//! The licences of everything that a release is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// What is in the program and has no package: compilers link it.
const LINKED: &str = "Rust's standard library: MIT OR Apache-2.0\nmusl, the C library of the static program: MIT\n\
                      libunwind of LLVM: Apache-2.0 WITH LLVM-exception\n";

/// One text: who is in it under which licence, then each licence file once with the packages that it belongs to.
///
/// `metadata` is what `cargo metadata` says for one target.
pub(crate) fn text(metadata: &Value) -> Result<String> {
    let packages = by_id(metadata, "packages");
    let (mut list, mut texts) = (BTreeSet::new(), BTreeMap::<String, BTreeSet<String>>::new());
    for id in linked(metadata, &packages)? {
        let package = packages[id.as_str()];
        // Packages of the workspace have no source.
        if package["source"].is_null() {
            continue;
        }
        let said = |key: &str| package[key].as_str().unwrap_or("unknown");
        let name = format!("{} {}", said("name"), said("version"));
        list.insert(format!("{name}: {}", said("license")));
        let folder = Path::new(said("manifest_path")).parent().context("a manifest without a folder")?;
        for file in licence_files(folder)? {
            texts.entry(file).or_default().insert(name.clone());
        }
    }
    let mut out = format!("What fatagent and the agent core are made of, and its licences.\n\n{LINKED}");
    for line in &list {
        let _ = writeln!(out, "{line}");
    }
    let mut texts: Vec<(String, Vec<String>)> =
        texts.into_iter().map(|(text, names)| (text, names.into_iter().collect())).collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    for (text, names) in texts {
        let _ = write!(out, "\n{}\n{}\n\n{}\n", "=".repeat(80), names.join(", "), text.trim_end());
    }
    Ok(out)
}

fn by_id<'a>(metadata: &'a Value, key: &str) -> BTreeMap<&'a str, &'a Value> {
    let all = metadata[key].as_array().into_iter().flatten();
    all.filter_map(|value| Some((value["id"].as_str()?, value))).collect()
}

/// Ids of the packages that the program and the core link, their build scripts left out.
fn linked(metadata: &Value, packages: &BTreeMap<&str, &Value>) -> Result<BTreeSet<String>> {
    let nodes = by_id(&metadata["resolve"], "nodes");
    let has = |package: &Value, name: &str| {
        package["targets"].as_array().is_some_and(|targets| targets.iter().any(|target| target["name"] == name))
    };
    let roots = packages.iter().filter(|(_, package)| has(package, "fatagent") || has(package, "agent_core"));
    let mut waiting: Vec<&str> = roots.map(|(id, _)| *id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id.to_owned()) {
            continue;
        }
        let node = nodes.get(id).with_context(|| format!("cargo did not resolve `{id}`"))?;
        for dependency in node["deps"].as_array().into_iter().flatten() {
            // The kind of a normal dependency is null.
            let is_normal =
                dependency["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()));
            waiting.extend(dependency["pkg"].as_str().filter(|_| is_normal));
        }
    }
    Ok(seen)
}

/// The texts of files that are called as licences are.
fn licence_files(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|start| name.starts_with(start));
        if is_licence && path.is_file() {
            texts.push(String::from_utf8_lossy(&fs_err::read(&path)?).replace("\r\n", "\n"));
        }
    }
    Ok(texts)
}
