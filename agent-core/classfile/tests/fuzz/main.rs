//! The fuzz targets where there is no `cargo fuzz`: a fixed number of changed classes of the JDK, the same ones each time.
//!
//! `FATAGENT_FUZZ_ROUNDS` and `FATAGENT_FUZZ_SEED` ask for more, or for others.

mod mutate;
#[path = "../planners/mod.rs"]
mod planners;
#[path = "../targets/mod.rs"]
mod targets;

use fixtures::{compiler_home, extract_modules};
use mutate::{Random, mutate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// Changed classes for each target.
const ROUNDS: u64 = 3_000;
/// Classes longer than this are not changed: their rounds would take most of the time.
const LONGEST: usize = 24_000;

/// Classes of the JDK, of every compiler's output that it has.
fn samples() -> &'static [Vec<u8>] {
    static SAMPLES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let home = compiler_home().expect("a JDK");
        let folder = tempfile::TempDir::new().expect("a folder");
        extract_modules(&home, Some("java.base"), folder.path()).expect("classes");
        let mut files: Vec<_> = walkdir::WalkDir::new(folder.path())
            .sort_by_file_name()
            .into_iter()
            .map(|entry| entry.expect("a readable folder").into_path())
            .filter(|path| path.extension().is_some_and(|end| end == "class"))
            .collect();
        files.retain(|path| path.metadata().is_ok_and(|file| file.len() < LONGEST as u64));
        assert!(files.len() > 5_000, "{}", files.len());
        files.iter().map(|path| fs_err::read(path).expect("a class")).collect()
    })
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("`{name}` is a number: `{text}`")))
}

/// Runs a target on changed classes, and says which one it failed on.
fn run(name: &str, target: fn(&[u8])) {
    let seed = number("FATAGENT_FUZZ_SEED", 1);
    let samples = samples();
    for round in 0..number("FATAGENT_FUZZ_ROUNDS", ROUNDS) {
        let mut random = Random::new(seed ^ round.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let bytes = mutate(samples, &mut random);
        if catch_unwind(AssertUnwindSafe(|| target(&bytes))).is_err() {
            let file =
                std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}-{seed}-{round}.class"));
            fs_err::write(&file, &bytes).expect("a file");
            panic!("the {name} failed on the bytes in `{}`", file.display());
        }
    }
}

#[test]
fn the_reader_takes_any_bytes() {
    run("reader", targets::reader);
}

#[test]
fn the_weaver_takes_any_bytes() {
    run("weaver", targets::weaver);
}

#[test]
fn the_relocator_takes_any_bytes() {
    run("relocator", targets::relocator);
}
