//! Measures the scan in memory, on one thread: `scan_speed JAR…`.
//!
//! Inflates every class of the jars and scans them as one program: without roots, and with every class open, so that all of it
//! is reached. Prints medians of processor time and the speed in MB/s of class bytes. Beside them stands what reading the structure
//! of the classes takes alone, which no scan can do without.

#![expect(clippy::print_stdout, reason = "prints its result")]
#![expect(clippy::cast_precision_loss, reason = "sizes of jars are far below that")]

use scan::{Class, Report, Roots, scan};
use std::hint::black_box;
use std::io::{Cursor, Read as _};

type AnyError = Box<dyn std::error::Error>;

/// Rounds of the measurement.
const ROUNDS: usize = 11;

/// Seconds of processor time that this thread has used.
fn processor_time() -> Result<f64, AnyError> {
    let text = fs_err::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().ok_or("a number")?.parse()?;
    Ok(nanoseconds / 1e9)
}

/// The median of some times, and the speeds.
fn told(times: &mut [f64], total: usize) -> String {
    times.sort_by(f64::total_cmp);
    let (median, total) = (times[times.len() / 2], total as f64 / 1e6);
    format!("median {median:.3} CPU s, {:.0} MB/s, best {:.0}", total / median, total / times[0])
}

fn main() -> Result<(), AnyError> {
    // The scan's tasks then run on this very thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    let mut files = Vec::new();
    let start = processor_time()?;
    // One inflater for all, as the packager keeps one for each thread.
    let mut inflater = flate2::Decompress::new(false);
    let mut raw = Vec::new();
    for jar in std::env::args().skip(1) {
        // At once: a file as it is costs several calls of the system for each entry, which the packager does not make either.
        let mut archive = zip::ZipArchive::new(Cursor::new(fs_err::read(jar)?))?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index_raw(index)?;
            if !entry.name()?.ends_with(".class") || entry.name()?.ends_with("module-info.class") {
                continue;
            }
            let mut bytes = Vec::with_capacity(entry.size() as usize);
            if entry.compression() == zip::CompressionMethod::Stored {
                entry.read_to_end(&mut bytes)?;
            } else {
                raw.clear();
                entry.read_to_end(&mut raw)?;
                inflater.reset(false);
                inflater.decompress_vec(&raw, &mut bytes, flate2::FlushDecompress::Finish)?;
            }
            files.push(bytes);
        }
    }
    let inflating = processor_time()? - start;
    let total: usize = files.iter().map(Vec::len).sum();
    println!("{} classes, {:.1} MB, inflated in {inflating:.3} CPU s", files.len(), total as f64 / 1e6);
    let classes: Vec<Class<'_>> = files.iter().map(|bytes| Class { bytes }).collect();
    let names =
        files.iter().map(|bytes| classfile::ClassFile::parse(bytes).map(|file| file.this_str().map(str::to_owned)));
    let open = names.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = processor_time()?;
        for bytes in &files {
            black_box(classfile::ClassFile::parse(black_box(bytes))?);
        }
        times.push(processor_time()? - start);
    }
    println!("structure: {}", told(&mut times, total));
    for (what, roots) in [("no roots", Roots::default()), ("all reached", Roots { open, ..Roots::default() })] {
        let mut times = Vec::new();
        let mut report = Report::default();
        for _ in 0..ROUNDS {
            let start = processor_time()?;
            report = black_box(scan(black_box(&classes), &roots)?);
            times.push(processor_time()? - start);
        }
        println!(
            "{what}: {}; {} findings, {} unscannable, reached {:?}, present {:?}",
            told(&mut times, total),
            report.findings.len(),
            report.unscannable.len(),
            report.reached,
            report.present(),
        );
    }
    Ok(())
}
