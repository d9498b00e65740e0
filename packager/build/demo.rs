//! Packs the example project, with its classes compiled, so that the demo also runs on a machine whose Java has no
//! compiler.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{Places, archive, jdk, sdk, shim};

/// The folder of the demo's sources.
const TEMPLATE: &str = "templates/demo";

/// Folders of sources, each with the folder of the example project that its classes go into. Each one sees the agent's
/// API and the ones before it.
const PARTS: [(&str, &str); 2] = [("extension/src", "extension/classes"), ("probes", "probes")];

/// Returns a zip of the example project and its compiled classes, by their path in it.
///
/// It has no classes where there is no javac, which only happens when `FATAGENT_BASE` is set; the demo then says so.
pub(crate) fn build(places: &Places, base: &[u8]) -> Result<Vec<u8>> {
    let mut zip = archive::Writer::new();
    let template = places.workspace.join(TEMPLATE);
    add(&mut zip, &template, "")?;
    let Ok(javac) = jdk::Search::from_environment().javac() else { return zip.finish() };
    let api = unpack_api(base, &places.out.join("api"))?;

    let application = places.out.join("demo").join("app");
    javac.compile(&["--release", "8"], Path::new(""), &[template.join("DemoApp.java")], &application)?;
    add(&mut zip, &application, "classes/")?;

    let mut class_path = api.into_os_string();
    for (sources, output) in PARTS {
        let sources = shim::java_sources(&template.join(sources))?;
        let classes = places.out.join("demo").join(output);
        javac.compile(&["--release", "8"], Path::new(&class_path), &sources, &classes)?;
        add(&mut zip, &classes, &format!("{output}/"))?;
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
    for (class, bytes) in sdk::api(base)? {
        let file = into.join(class);
        fs_err::create_dir_all(file.parent().context("a class file without a folder")?)?;
        fs_err::write(file, bytes)?;
    }
    Ok(into.to_owned())
}

/// Adds the files below a folder, `start` before their paths.
fn add(zip: &mut archive::Writer, folder: &Path, start: &str) -> Result<()> {
    for (path, bytes) in shim::files_below(folder)? {
        zip.file(&format!("{start}{path}"), &bytes)?;
    }
    Ok(())
}
