//! What `fatagent scan` finds in ten libraries: beside what `javap` shows of them, beside a listing, and after shading and masking.
//!
//! The listings in `scans` say what the scan finds beyond the floor, and why. They are written anew with
//! `FATAGENT_UPDATE_LISTINGS=1`, and a change of one is a change to be explained.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Settings, Test, e2e_test_with, fatagent, maven_artifact, step};
use crate::oracle;

/// A library: its name, its jars, and the packages that shading moves. Classes whose native methods a library exports stay.
struct Library(&'static str, &'static [&'static str], &'static [&'static str]);

static GUAVA: Library = Library("guava", &["com.google.guava:guava:33.4.0-jre"], &["com.google"]);
static NETTY: Library = Library(
    "netty",
    &[
        "io.netty:netty-buffer:4.1.118.Final",
        "io.netty:netty-handler:4.1.118.Final",
        "io.netty:netty-transport:4.1.118.Final",
        "io.netty:netty-transport-classes-epoll:4.1.118.Final",
        "io.netty:netty-transport-native-epoll:4.1.118.Final:jar:linux-x86_64",
    ],
    &["io.netty"],
);
static OKHTTP: Library = Library("okhttp", &["com.squareup.okhttp3:okhttp:4.12.0"], &["okhttp3"]);
static HISTOGRAM: Library = Library("hdrhistogram", &["org.hdrhistogram:HdrHistogram:2.2.2"], &["org.HdrHistogram"]);
static JACKSON: Library = Library(
    "jackson",
    &["com.fasterxml.jackson.core:jackson-core:2.18.2", "com.fasterxml.jackson.core:jackson-databind:2.18.2"],
    &["com.fasterxml"],
);
static EXEC: Library =
    Library("commons-exec", &["org.apache.commons:commons-exec:1.4.0"], &["org.apache.commons.exec"]);
static JNA: Library = Library("jna", &["net.java.dev.jna:jna:5.15.0"], &["com.sun.jna.internal", "com.sun.jna.ptr"]);
static HADOOP: Library = Library("hadoop", &["org.apache.hadoop:hadoop-common:3.4.1"], &["org.apache.hadoop"]);
static GRPC: Library = Library("grpc", &["io.grpc:grpc-netty-shaded:1.69.0"], &["io.grpc.netty.shaded.io.grpc"]);
static SLF4J: Library = Library("slf4j", &["org.slf4j:slf4j-api:2.0.16"], &["org.slf4j"]);

/// One finding: the class and its method without descriptor, how it is used, the target, the permissions, and whether it is reached.
type Use = (String, String, String, String, Vec<String>, bool);

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().expect("an array").iter().map(text).collect()
}

/// `fatagent scan` of some jars.
fn scan(test: &Test, options: &[&str], jars: &[PathBuf]) -> Value {
    let mut command = fatagent();
    command.args(["--message-format", "json", "scan"]).args(options).args(jars);
    let output = test.run(&mut command).expect_code(0);
    serde_json::from_str(&output.stdout).expect("one JSON object")
}

fn findings(scan: &Value) -> &[Value] {
    scan["findings"].as_array().expect("an array")
}

/// Everything about one library.
fn check(library: &'static Library) {
    let Library(name, coordinates, _) = library;
    e2e_test_with(name, &Settings::within(Duration::from_mins(30), None), move |test| {
        let jars: Vec<PathBuf> = coordinates.iter().map(|coordinates| maven_artifact(coordinates)).collect();
        let report = scan(test, &["--everything"], &jars);
        let expected = expected(test, &jars);
        let found: BTreeSet<(String, String)> = findings(&report)
            .iter()
            .flat_map(|finding| texts(&finding["permissions"]).into_iter().map(|one| (text(&finding["class"]), one)))
            .collect();
        let missed: Vec<_> = expected.difference(&found).collect();
        assert!(missed.is_empty(), "{name}: {} of {} are missed: {missed:#?}", missed.len(), expected.len());
        compare(name, &listing(name, &report, &expected));
        same_after_moving(test, library, &jars);
    });
}

/// What `javap` shows of some jars.
fn expected(test: &Test, jars: &[PathBuf]) -> BTreeSet<(String, String)> {
    let home = fixtures::compiler_home().expect("a JDK");
    let javap = home.tool("javap").expect("the JDK has `javap`");
    let mut expected = BTreeSet::new();
    for (number, jar) in jars.iter().enumerate() {
        step(format!("javap over `{}`", jar.display()));
        let folder = test.folder().join(format!("classes-{number}"));
        fixtures::unzip(jar, &folder).expect("a jar");
        expected.extend(oracle::of(&javap, &folder));
    }
    expected
}

/// What the scan finds, by permission: how many classes `javap` shows too, and all others by the rule that says why.
fn listing(name: &str, report: &Value, expected: &BTreeSet<(String, String)>) -> String {
    let mut beyond: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for finding in findings(report) {
        let class = text(&finding["class"]);
        for permission in texts(&finding["permissions"]) {
            if expected.contains(&(class.clone(), permission.clone())) {
                seen.entry(permission).or_default().insert(class.clone());
            } else {
                let (how, target) = (text(&finding["use"]), text(&finding["target"]));
                // The class counts, and the member where the rule is about members.
                let line = format!("{how} {target}: {}", text(&finding["why"]));
                beyond.entry((permission, line)).or_default().insert(class.clone());
            }
        }
    }
    let mut out = format!("# What the scan finds in {name}, whatever is reached.\n");
    let unscannable = report["unscannable-code"].as_array().expect("an array").len();
    let _ = writeln!(out, "present: {}\nunscannable places: {unscannable}", texts(&report["present"]).join(" "));
    for library in report["libraries"].as_array().expect("an array") {
        let origin = text(&library["origin"]);
        let file = origin.split('`').nth(1).unwrap_or_default();
        let _ = writeln!(out, "library {file}: {}", texts(&library["permissions"]).join(" "));
    }
    out.push_str("\n# Classes that javap shows to need it too.\n");
    for (permission, classes) in &seen {
        let _ = writeln!(out, "{permission} {}", classes.len());
    }
    out.push_str("\n# Classes for which the floor has no such rule, and what they use.\n");
    for ((permission, line), classes) in &beyond {
        let _ = writeln!(out, "{permission} {} {line}", classes.len());
    }
    out
}

/// Compares a listing with the one that is kept, or writes it.
fn compare(name: &str, listing: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/scans").join(format!("{name}.txt"));
    if std::env::var_os("FATAGENT_UPDATE_LISTINGS").is_some() {
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("the folder of the listings");
        return fs_err::write(path, listing).expect("a listing");
    }
    let kept = fs_err::read_to_string(&path).expect("a listing");
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (kept.lines().collect(), listing.lines().collect());
    let (gone, added): (Vec<_>, Vec<_>) = (old.difference(&new).collect(), new.difference(&old).collect());
    assert_eq!(kept, listing, "{name}: gone {gone:#?}, new {added:#?}");
}

/// The findings of a report, with the names that shading gave taken back.
fn uses(report: &Value) -> BTreeSet<Use> {
    let back = |value: &Value| text(value).replace("shadow.", "").replace("shadow/", "");
    findings(report)
        .iter()
        .map(|finding| {
            let method = back(&finding["method"]);
            (
                back(&finding["class"]),
                method.split('(').next().unwrap_or_default().to_owned(),
                text(&finding["use"]),
                back(&finding["target"]),
                texts(&finding["permissions"]),
                finding["reachable"] == true,
            )
        })
        .collect()
}

/// The answer is the same for one merged jar, with its packages moved, and masked.
fn same_after_moving(test: &Test, Library(name, _, packages): &Library, jars: &[PathBuf]) {
    let main = findings(&scan(test, &["--everything"], jars)).first().map(|finding| text(&finding["class"]));
    let main = main.expect("a finding");
    let jar = |file: &str| test.folder().join(file);
    let merge = |file: &str, main: &str, options: &[String]| {
        let mut command = fatagent();
        // Any class may stand for an agent's: it is not started.
        command.args(["merge", "-q", "--attribute", &format!("Premain-Class={main}"), "-o"]).arg(jar(file));
        command.args(["--merge", "META-INF/**=first"]).args(jars).args(options);
        test.run(&mut command).expect_code(0);
    };
    merge("plain.jar", &main, &[]);
    let moved: Vec<String> = packages.iter().map(|package| format!("--relocate={package}=shadow.{package}")).collect();
    let moves = packages.iter().any(|package| main.starts_with(&format!("{package}.")));
    merge("shaded.jar", &if moves { format!("shadow.{main}") } else { main.clone() }, &moved);
    let mut mask = fatagent();
    mask.args(["mask", "-q", "--agent"]).arg(jar("plain.jar")).arg("-o").arg(jar("masked.jar"));
    test.run(&mut mask).expect_code(0);
    let plain = scan(test, &[], &[jar("plain.jar")]);
    let shaded = scan(test, &[], &[jar("shaded.jar")]);
    let masked = scan(test, &[], &[jar("masked.jar")]);
    for set in ["present", "reachable", "declared", "unscannable"] {
        assert_eq!(shaded[set], plain[set], "{name}: {set} after shading");
    }
    let expected = uses(&plain);
    assert_same(&format!("{name} after shading"), &expected, &uses(&shaded));
    // Our own loader is in the masked jar too.
    let own = |class: &str| class.starts_with("io.btrace.");
    let found = uses(&masked).into_iter().filter(|(class, ..)| !own(class)).collect();
    assert_same(&format!("{name} after masking"), &expected, &found);
}

fn assert_same(what: &str, expected: &BTreeSet<Use>, found: &BTreeSet<Use>) {
    let gone: Vec<_> = expected.difference(found).take(10).collect();
    let new: Vec<_> = found.difference(expected).take(10).collect();
    assert!(gone.is_empty() && new.is_empty(), "{what}: gone {gone:#?}, new {new:#?}");
}

macro_rules! libraries {
    ($($test:ident: $library:ident,)*) => { $(#[test] fn $test() { check(&$library); })* };
}

libraries! {
    guava_is_known: GUAVA,
    netty_is_known: NETTY,
    okhttp_is_known: OKHTTP,
    hdrhistogram_is_known: HISTOGRAM,
    jackson_is_known: JACKSON,
    commons_exec_is_known: EXEC,
    jna_is_known: JNA,
    hadoop_is_known: HADOOP,
    grpc_is_known: GRPC,
    slf4j_is_known: SLF4J,
}
