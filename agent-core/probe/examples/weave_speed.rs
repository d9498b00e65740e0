//! Measures weaving and refusing classes in memory, on one thread: `weave_speed PROBES JAR`, with a third word only the
//! weaving of all methods, for a profile.
//!
//! Inflates every class of the jar and weaves it as the load hook does, with the probes of `tests/bench/probes`, compiled
//! below the folder `PROBES`. Prints the median of several rounds: MB/s of class bytes where classes are woven, nanoseconds
//! for each class where they are refused.

#![expect(clippy::print_stdout, reason = "prints its result")]
#![expect(clippy::cast_precision_loss, reason = "sizes of jars are far below that")]

use classfile::ClassFile;
use classfile::access::{ABSTRACT, NATIVE};
use classfile::weave::{Linkage, Planner, Woven, weave};
use probe::weaving::{Call, MethodInfo, Plan};
use probe::{Matcher, NoHierarchy, is_refused, needs_direct_calls};
use std::collections::HashMap;
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

type AnyError = Box<dyn std::error::Error>;

/// Rounds of the measurement, after one that warms the caches.
const ROUNDS: usize = 7;

/// A class with its internal name.
struct Class {
    name: Vec<u8>,
    bytes: Vec<u8>,
}

/// Seconds of processor time that this thread has used, so that other work on the machine does not count; where the
/// system does not tell, seconds since the first call.
fn processor_time() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let text = fs_err::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text.split(' ').next().and_then(|field| field.parse::<f64>().ok()) {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => START.get_or_init(Instant::now).elapsed().as_secs_f64(),
    }
}

fn matcher(probes: &Path, name: &str) -> Result<Matcher, AnyError> {
    let bytes = fs_err::read(probes.join("bench").join(format!("{name}.class")))?;
    Ok(Matcher::new(vec![(1, Arc::new(probe::read(&bytes, &[])?))])?)
}

fn classes(jar: &str) -> Result<Vec<Class>, AnyError> {
    let mut classes = Vec::new();
    let mut archive = zip::ZipArchive::new(fs_err::File::open(jar)?)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let name = entry.name()?.into_owned();
        if let Some(name) = name.strip_suffix(".class").filter(|name| !name.ends_with("module-info")) {
            let mut bytes = Vec::with_capacity(entry.size() as usize);
            entry.read_to_end(&mut bytes)?;
            classes.push(Class { name: name.as_bytes().to_vec(), bytes });
        }
    }
    Ok(classes)
}

/// Weaves a class with the linkage that the load hook would choose.
fn woven(class: &Class, sites: &mut HashMap<String, i32>, planner: &mut dyn Planner) -> Result<Woven, AnyError> {
    let mut number = |name: &str, descriptor: &str| {
        let next = i32::try_from(sites.len()).unwrap_or(i32::MAX);
        *sites.entry(format!("{name} {descriptor}")).or_insert(next)
    };
    let major = class.bytes.get(6..8).map_or(0, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
    let linker = "java/lang/FatAgentLinker";
    let linkage = if needs_direct_calls(&class.name, major) {
        Linkage::Direct { class: linker, method: "call", site: &mut number }
    } else {
        Linkage::Dynamic { class: linker, method: "link" }
    };
    Ok(weave(&class.bytes, linkage, planner)?)
}

/// Weaves the first method that has code.
struct First(bool);

impl Planner for First {
    fn method(&mut self, method: &MethodInfo<'_>, plan: &mut Plan) {
        if self.0 || method.access & (ABSTRACT | NATIVE) != 0 {
            return;
        }
        self.0 = true;
        plan.entry.push(Call { name: "1:0:entry".into(), parameters: Vec::new() });
        plan.returns.push(Call { name: "1:1:exit".into(), parameters: Vec::new() });
    }
}

/// The median time of a round, in seconds.
fn median(classes: &[Class], mut work: impl FnMut(&Class) -> Result<(), AnyError>) -> Result<f64, AnyError> {
    let mut times = Vec::new();
    for round in 0..=ROUNDS {
        let start = processor_time();
        for class in classes {
            work(black_box(class))?;
        }
        if round > 0 {
            times.push(processor_time() - start);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [probes, jar, only @ ..] = &arguments[..] else { return Err("usage: weave_speed PROBES JAR [all]".into()) };
    let (probes, classes) = (Path::new(probes), classes(jar)?);
    let total: usize = classes.iter().map(|class| class.bytes.len()).sum();
    println!("classes {}, bytes {total}", classes.len());
    let mut sites = HashMap::new();

    let every = matcher(probes, "EveryProbe")?;
    let (mut methods, mut skipped) = (0, 0);
    let time = median(&classes, |class| {
        if every.wants(&class.name) {
            let result = woven(class, &mut sites, &mut every.for_class(&class.name))?;
            methods += result.methods.len();
            skipped += result.skipped.len();
            black_box(result);
        }
        Ok(())
    })?;
    let (methods, skipped) = (methods / (ROUNDS + 1), skipped / (ROUNDS + 1));
    let speed = |time: f64| total as f64 / time / 1e6;
    println!("all methods: {:.0} MB/s, {methods} woven, {skipped} skipped", speed(time));
    if !only.is_empty() {
        return Ok(());
    }
    let time = median(&classes, |class| {
        if !is_refused(&class.name) {
            black_box(woven(class, &mut sites, &mut First(false))?);
        }
        Ok(())
    })?;
    println!("one method: {:.0} MB/s", speed(time));

    let each = |time: f64| time / classes.len() as f64 * 1e9;
    for (what, name) in [("exact name", "ExactProbe"), ("regex", "RegexProbe")] {
        let matcher = matcher(probes, name)?;
        let mut wanted = 0;
        // The names alone take too little time for the clock: each round looks at all of them ten times.
        let time = median(&classes, |class| {
            for _ in 0..10 {
                wanted += usize::from(black_box(&matcher).wants(black_box(&class.name)));
            }
            Ok(())
        })?;
        println!("refused by {what}: {:.1} ns, {wanted} wanted", each(time) / 10.0);
    }
    for (what, name) in [("annotation", "AnnotationProbe"), ("supertype", "SubtypeProbe")] {
        let matcher = matcher(probes, name)?;
        let mut wanted = 0;
        let time = median(&classes, |class| {
            let file = ClassFile::parse(&class.bytes)?;
            wanted += usize::from(!matcher.class(&file, &NoHierarchy)?.is_empty());
            Ok(())
        })?;
        println!("refused by {what}: {:.1} ns, {wanted} wanted", each(time));
    }
    Ok(())
}
