//! Measures how long it takes to find 100 installed extensions and to decide about them, without and with the cache.
//!
//! Half of them are folders with two jars, half are zips with both; each API has 10 classes and each implementation 100. The files
//! are in the system's own cache, as they are where a second JVM starts. Prints medians in milliseconds.

#![expect(clippy::print_stdout, reason = "prints its result")]

use std::path::Path;
use std::time::Instant;

use extensions::{Host, Request, Resolved, resolve};
use fixtures::Jar;
use manifests::arguments::AgentArguments;

type AnyError = Box<dyn std::error::Error>;

const EXTENSIONS: usize = 100;
const ROUNDS: usize = 31;

/// Bytes that do not shrink to nothing.
fn content(seed: usize, length: usize) -> Vec<u8> {
    let mut state = seed as u32 ^ 0x9e37_79b9;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        // As compressible as class files are, more or less.
        (state & 31) as u8
    };
    (0..length).map(next).collect()
}

fn install(folder: &Path) -> Result<(), AnyError> {
    for number in 0..EXTENSIONS {
        let id = format!("extension-{number}");
        let package = format!("acme/e{number}");
        let mut api = Jar::new()
            .attribute("BTrace-Extension-Id", &id)
            .attribute("BTrace-Extension-Version", "1.0.0")
            .attribute("BTrace-Extension-Services", &format!("acme.e{number}.Service"))
            .attribute("BTrace-Extension-Permissions", "MESSAGING,FILE_READ");
        if number > 0 {
            api = api.attribute("BTrace-Extension-Requires", &format!("extension-{}", number - 1));
        }
        let mut implementation = Jar::new();
        for class in 0..10 {
            api = api.file(&format!("{package}/Api{class}.class"), &content(class, 1_000));
        }
        for class in 0..100 {
            implementation = implementation.file(&format!("{package}/impl/Class{class}.class"), &content(class, 3_000));
        }
        let names = (format!("{id}-1.0.0-api.jar"), format!("{id}-1.0.0-impl.jar"));
        if number % 2 == 0 {
            let own = folder.join(&id);
            fs_err::create_dir_all(&own)?;
            api.write(&own.join(names.0))?;
            implementation.write(&own.join(names.1))?;
        } else {
            let zip = Jar::new().file(&names.0, &api.bytes()?).file(&names.1, &implementation.bytes()?);
            zip.write(&folder.join(format!("{id}-1.0.0-extension.zip")))?;
        }
    }
    Ok(())
}

fn main() -> Result<(), AnyError> {
    let home = tempfile::tempdir()?;
    install(&home.path().join(".btrace/extensions"))?;
    let cache = home.path().join(".btrace/cache/extensions");
    let measured = || -> Result<(f64, Resolved), AnyError> {
        let mut host = Host { java: Some(17), ..Host::of_process() };
        host.variables = vec![("HOME".to_owned(), home.path().into())];
        // Whatever the machine has is not counted.
        let arguments = AgentArguments::parse("systemExtensions=")?;
        let start = Instant::now();
        let resolved = resolve(&Request { host, arguments, cached: true, ..Request::default() });
        Ok((start.elapsed().as_secs_f64() * 1e3, resolved))
    };
    let (mut cold, mut cached) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let _ = fs_err::remove_file(&cache);
        for times in [&mut cold, &mut cached] {
            let (time, resolved) = measured()?;
            let usable = resolved.usable().count();
            if usable != EXTENSIONS || !resolved.reports.is_empty() {
                return Err(format!("{usable} extensions, {:?}", resolved.reports).into());
            }
            times.push(time);
        }
    }
    for times in [&mut cold, &mut cached] {
        times.sort_by(f64::total_cmp);
    }
    println!("cold {:.3} ms, cached {:.3} ms", cold[ROUNDS / 2], cached[ROUNDS / 2]);
    Ok(())
}
