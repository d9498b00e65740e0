//! Small classes of which is known what they do, compiled by a real javac.

use fixtures::javac;
use manifests::permission::Permission;
use scan::{Class, Report, Roots, scan};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

mod coverage;
mod reaching;
mod reports;

const IMPORTS: &str = "package t; import java.io.*; import java.lang.invoke.*; import java.net.*; import java.nio.channels.*; \
    import java.nio.file.*; import java.util.*; import java.util.concurrent.*; import java.util.function.*;\n";

/// Classes that not every javac has or shows. They are compiled under names of the same length and then get their own.
const STUBS: [&str; 15] = [
    "zava.lang.foreign.Linker",
    "zava.util.concurrent.StructuredTaskScope",
    "zun.net.NetHooks",
    "zun.nio.ch.IOUtil",
    "zun.reflect.Reflection",
    "zdk.internal.reflect.Reflection",
    "zdk.internal.access.SharedSecrets",
    "zdk.internal.misc.Unsafe",
    "zdk.internal.misc.VM",
    "zdk.internal.foreign.MemorySegments",
    "zdk.internal.net.Hooks",
    "zdk.incubator.foreign.CLinker",
    "zdk.nashorn.api.scripting.NashornScriptEngineFactory",
    "zava.lang.Thread",
    "io.btrace.core.extensions.ExtensionContext",
];

/// Beginnings of the names of stubs, and what they become.
const BECOME: [(&[u8], &[u8]); 3] = [(b"zava/", b"java/"), (b"zun/", b"sun/"), (b"zdk/", b"jdk/")];

/// The source of a stub.
fn stub(name: &str) -> (String, String) {
    let (package, class) = name.rsplit_once('.').unwrap();
    let body = match class {
        "Unsafe" => "public long allocateMemory(long n) { return n; } public int getInt(long at) { return 0; }",
        "ExtensionContext" => "public void send(String text) { }",
        "Thread" => {
            "public interface Builder { void start(); interface OfPlatform { void daemon(); } interface OfVirtual { void name(); } }"
        }
        _ => "",
    };
    let source =
        format!("package {package}; public class {class} {{ public static {class} get() {{ return null; }} {body} }}");
    (format!("{}.java", name.replace('.', "/")), source)
}

/// One case: its name, what it needs, whether it cannot be scanned, and its source.
struct Case {
    name: String,
    permissions: Vec<Permission>,
    unscannable: bool,
    source: String,
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in include_str!("cases.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix("== ") {
            let (name, expected) = header.split_once(':').expect("a colon");
            let (permissions, blind) = expected.split_once('|').unwrap_or((expected, ""));
            cases.push(Case {
                name: name.to_owned(),
                permissions: permissions.split_whitespace().map(|name| name.parse().unwrap()).collect(),
                unscannable: blind.trim() == "unscannable",
                source: String::new(),
            });
        } else {
            cases.last_mut().expect("a header").source.push_str(line);
        }
    }
    cases
}

/// The classes of all cases, by their internal names.
static COMPILED: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let source = |case: &Case| (format!("t/{}.java", case.name), format!("{IMPORTS}{}", case.source));
    compile(&cases().iter().map(source).collect::<Vec<_>>())
});

/// Compiles sources and returns each class by its internal name.
fn compile(sources: &[(String, String)]) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let mut all: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let stubs = STUBS.map(stub);
    all.extend(stubs.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    javac(&all, &["-Xlint:none", "-nowarn", "-proc:none"], folder.path()).unwrap();
    let mut classes = BTreeMap::new();
    read(folder.path(), folder.path(), &mut classes);
    let stubs = STUBS.map(|name| name.replace('.', "/"));
    classes.retain(|name, _| !stubs.iter().any(|stub| name.starts_with(stub)));
    classes
}

fn read(root: &Path, folder: &Path, classes: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(root, &path, classes);
        } else {
            let name = path.strip_prefix(root).unwrap().with_extension("");
            let mut bytes = fs_err::read(&path).unwrap();
            for (stub, real) in BECOME {
                let places: Vec<usize> =
                    bytes.windows(stub.len()).enumerate().filter(|(_, w)| *w == stub).map(|(at, _)| at).collect();
                for at in places {
                    bytes[at..at + real.len()].copy_from_slice(real);
                }
            }
            classes.insert(name.to_str().unwrap().to_owned(), bytes);
        }
    }
}

fn scan_all<'a>(classes: impl IntoIterator<Item = &'a Vec<u8>>, roots: &Roots) -> Report {
    let classes: Vec<Class<'_>> = classes.into_iter().map(|bytes| Class { bytes }).collect();
    scan(&classes, roots).unwrap()
}

#[test]
fn every_small_class_needs_what_it_needs() {
    let cases = cases();
    assert!(cases.len() >= 80, "only {}", cases.len());
    let classes = &*COMPILED;
    let mut wrong = Vec::new();
    for case in &cases {
        let own = format!("t/{}", case.name);
        let nested = format!("{own}$");
        let of_case = classes.iter().filter(|(name, _)| **name == own || name.starts_with(&nested));
        let report = scan_all(of_case.map(|(_, bytes)| bytes), &Roots::default());
        if report.present() != case.permissions || report.is_unscannable() != case.unscannable {
            wrong.push(format!(
                "{}: {:?}, unscannable {}; expected {:?}, {}\n  {:?}\n  {:?}",
                case.name,
                report.present(),
                report.is_unscannable(),
                case.permissions,
                case.unscannable,
                report.findings.iter().map(|f| format!("{} {} {}", f.how.name(), f.target, f.why)).collect::<Vec<_>>(),
                report.unscannable,
            ));
        }
        for finding in &report.findings {
            assert!(!finding.target.is_empty() && !finding.permissions.is_empty(), "{}: {finding:?}", case.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
