//! Compiles the Java half of the agent and sorts its classes into the sections of the jar.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use walkdir::WalkDir;

use crate::{Places, jdk::Javac};

/// A folder of Java sources and where its classes go in the jar.
struct Root {
    folder: &'static str,
    prefix: &'static str,
    suffix: &'static str,
}

/// Compiled together, in one call, because they name each other.
const ROOTS: [Root; 5] = [
    Root { folder: "agent-core/java/boot", prefix: "", suffix: "class" },
    Root { folder: "agent-core/java/agent", prefix: "META-INF/btrace/agent/", suffix: "classdata" },
    Root { folder: "agent-core/java/client", prefix: "META-INF/btrace/client/", suffix: "classdata" },
    // Holds `java.lang` classes, which the core defines itself; no loader ever looks for them.
    Root { folder: "agent-core/java/lang", prefix: "META-INF/btrace/agent/", suffix: "classdata" },
    Root { folder: "extension-sdk/java", prefix: "META-INF/btrace/shared/", suffix: "classdata" },
];

/// Compiled apart: it names a package that `--release 8` does not have, and is loaded only where the JVM is new enough.
const JAVA24: Root = Root { folder: "agent-core/java/java24", prefix: "", suffix: "class" };

/// Compiles everything; the result maps names in the jar to class bytes.
pub(crate) fn compile(places: &Places, javac: &Javac) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut trees = Vec::new();
    let mut sources = Vec::new();
    for root in &ROOTS {
        let folder = places.workspace.join(root.folder);
        let found = java_sources(&folder)?;
        sources.extend(found.iter().cloned());
        trees.push((root, folder));
    }
    let classes = places.out.join("shim");
    javac.compile(&["--release", "8"], Path::new(""), &sources, &classes)?;
    let mut entries = BTreeMap::new();
    collect(&classes, &trees, &mut entries)?;

    let folder = places.workspace.join(JAVA24.folder);
    let sources = java_sources(&folder)?;
    let classes24 = places.out.join("shim24");
    let options = ["--add-exports", "java.base/jdk.internal.loader=ALL-UNNAMED", "-source", "17", "-target", "17"];
    javac.compile(&options, &classes, &sources, &classes24)?;
    collect(&classes24, &[(&JAVA24, folder)], &mut entries)?;
    Ok(entries)
}

/// All sources below a folder, sorted. Anything else there is an error: it would silently not be in the jar.
pub(crate) fn java_sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot list `{}`", folder.display()))?;
        if entry.file_type().is_dir() {
            continue;
        }
        match entry.path().extension() {
            Some(extension) if extension == "java" => sources.push(entry.into_path()),
            _ => bail!("not a Java source: `{}`", entry.path().display()),
        }
    }
    ensure!(!sources.is_empty(), "no Java source below `{}`", folder.display());
    Ok(sources)
}

/// Files below a folder as (path with `/`, bytes), sorted.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot list `{}`", folder.display()))?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path().strip_prefix(folder)?;
        let parts: Option<Vec<_>> = path.iter().map(|part| part.to_str()).collect();
        let name = parts.with_context(|| format!("not UTF-8: `{}`", path.display()))?.join("/");
        files.push((name, fs_err::read(entry.path())?));
    }
    Ok(files)
}

fn collect(classes: &Path, trees: &[(&Root, PathBuf)], entries: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    for (path, bytes) in files_below(classes)? {
        let stem = path.strip_suffix(".class").with_context(|| format!("javac wrote an unexpected file: `{path}`"))?;
        let owners: Vec<_> = trees.iter().filter(|(_, folder)| has_source(folder, stem)).collect();
        let [(root, _)] = owners[..] else {
            let folders: Vec<_> = owners.iter().map(|(root, _)| root.folder).collect();
            bail!("the source of class `{stem}` must be in exactly one folder: found in [{}]", folders.join(", "));
        };
        let name = format!("{}{stem}.{}", root.prefix, root.suffix);
        ensure!(entries.insert(name, bytes).is_none(), "class compiled twice: `{stem}`");
    }
    Ok(())
}

/// Whether a tree holds the source of a class: `a/b/C.java` for `a/b/C` and for `a/b/C$D$1`.
///
/// Each `$` may be part of the class's own name, so every prefix that ends before one is tried.
fn has_source(folder: &Path, stem: &str) -> bool {
    let name_start = stem.rfind('/').map_or(0, |slash| slash + 1);
    let ends = stem[name_start..].match_indices('$').map(|(at, _)| name_start + at).chain([stem.len()]);
    ends.into_iter().any(|end| folder.join(format!("{}.java", &stem[..end])).is_file())
}
