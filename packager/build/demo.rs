//! Compiles the classes of `templates/demo`, so that the demo also runs on a machine whose Java has no compiler.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::{Places, archive, jdk, shim};

/// The folder of the demo's sources.
const TEMPLATE: &str = "templates/demo";

/// Folders of sources, each with the folder of the example project that its classes go into. Each one sees the agent's
/// API and the ones before it.
const PARTS: [(&str, &str); 2] = [("extension/src", "extension/classes"), ("probes", "probes")];

/// Returns a zip of the compiled classes, by their path in the example project.
///
/// It is empty where there is no javac, which only happens when `FATAGENT_BASE` is set; the demo then says so.
pub(crate) fn build(places: &Places, base: &[u8]) -> Result<Vec<u8>> {
    let mut zip = archive::Writer::new();
    let Ok(javac) = jdk::Search::from_environment().javac() else { return zip.finish() };
    let template = places.workspace.join(TEMPLATE);
    let api = unpack_api(base, &places.out.join("api"))?;

    let application = places.out.join("demo").join("app");
    javac.compile(&["--release", "8"], Path::new(""), &[template.join("DemoApp.java")], &application)?;
    add(&mut zip, &application, "classes")?;

    let mut class_path = api.into_os_string();
    for (sources, output) in PARTS {
        let sources = shim::java_sources(&template.join(sources))?;
        let classes = places.out.join("demo").join(output);
        javac.compile(&["--release", "8"], Path::new(&class_path), &sources, &classes)?;
        add(&mut zip, &classes, output)?;
        class_path.push(if cfg!(windows) { ";" } else { ":" });
        class_path.push(classes);
    }
    zip.finish()
}

/// Writes the classes that probes and extensions are compiled against, from the jar and not from the sources, so that
/// a jar given by `FATAGENT_BASE` is what counts.
fn unpack_api(base: &[u8], into: &Path) -> Result<PathBuf> {
    if into.exists() {
        fs_err::remove_dir_all(into)?;
    }
    for name in archive::names(base)? {
        let visible = name.strip_suffix(".class").filter(|name| name.starts_with("io/btrace/core/"));
        let shared = name.strip_prefix("META-INF/btrace/shared/").and_then(|name| name.strip_suffix(".classdata"));
        let Some(class) = visible.or(shared) else { continue };
        ensure!(class.split('/').all(|part| !["", ".", ".."].contains(&part)), "unsafe entry name: `{name}`");
        let file = into.join(format!("{class}.class"));
        fs_err::create_dir_all(file.parent().context("a class file without a folder")?)?;
        fs_err::write(file, archive::content(base, &name)?)?;
    }
    Ok(into.to_owned())
}

fn add(zip: &mut archive::Writer, classes: &Path, output: &str) -> Result<()> {
    for (path, bytes) in shim::class_files(classes)? {
        zip.file(&format!("{output}/{path}"), &bytes)?;
    }
    Ok(())
}
