//! Other readers of jars, which have to agree with ours.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// How long one reader may take.
const LIMIT: Duration = Duration::from_mins(3);

/// Prints how many entries `ZipFile` sees, how many a stream gives, whether the stream finds the manifest, and the sum of
/// all bytes by both ways.
const COUNT: &str = r#"
import java.io.*; import java.util.*; import java.util.jar.*; import java.util.zip.*;
public class Count {
    static long drain(InputStream in) throws IOException {
        byte[] buffer = new byte[1 << 16];
        long sum = 0;
        for (int n; (n = in.read(buffer)) > 0; ) sum += n;
        return sum;
    }
    public static void main(String[] a) throws Exception {
        int listed = 0; long sum = 0;
        try (ZipFile zip = new ZipFile(a[0])) {
            for (Enumeration<? extends ZipEntry> e = zip.entries(); e.hasMoreElements(); listed++) {
                sum += drain(zip.getInputStream(e.nextElement()));
            }
        }
        int streamed = 0; long streamedSum = 0; boolean manifest;
        try (JarInputStream in = new JarInputStream(new BufferedInputStream(new FileInputStream(a[0])))) {
            manifest = in.getManifest() != null;
            while (in.getNextJarEntry() != null) { streamed++; streamedSum += drain(in); }
        }
        // The stream keeps META-INF/ and the manifest to itself.
        System.out.println(listed + " " + (streamed + 2) + " " + manifest + " " + (sum > streamedSum));
    }
}"#;

/// Sees names and times, and reads everything.
const PYTHON: &str = "import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(len(z.infolist()), sorted({i.date_time for i in z.infolist()}), any(i.flag_bits & 8 for i in z.infolist()))";

/// Runs `command`, which has to succeed, and returns its standard output.
fn succeed(command: &mut Command) -> String {
    let output = fixtures::run(command, LIMIT).unwrap();
    assert!(output.status.success(), "{command:?}: {}", output.both());
    output.stdout
}

fn jdk_tool(name: &str) -> PathBuf {
    fixtures::compiler_home().unwrap().tool(name).unwrap()
}

/// Numbers of entries that `jar tf`, Python, `java.util.zip.ZipFile`, `JarInputStream`, and `unzip` where it is installed
/// find in the jar, after each has read everything in it. The jar has no data descriptors and a manifest where streams
/// look for it.
pub(crate) fn entry_counts(jar: &Path) -> Vec<usize> {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    let classes = CLASSES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        fixtures::javac(&[("Count.java", COUNT)], &["--release", "8", "-Xlint:-options"], folder.path()).unwrap();
        folder
    });
    let mut counts = vec![succeed(Command::new(jdk_tool("jar")).arg("tf").arg(jar)).lines().count()];

    let python = python_view(jar);
    let (count, rest) = python.split_once(' ').unwrap();
    assert!(rest.ends_with("False"), "data descriptors: {python}");
    counts.push(count.parse().unwrap());

    let java = succeed(Command::new(jdk_tool("java")).arg("-cp").arg(classes.path()).arg("Count").arg(jar));
    let fields: Vec<&str> = java.split_whitespace().collect();
    assert_eq!(fields[2..], ["true", "true"], "{java}");
    counts.extend(fields[..2].iter().map(|field| field.parse::<usize>().unwrap()));

    if Command::new("unzip").arg("-v").output().is_ok() {
        let listing = succeed(Command::new("unzip").arg("-tqq").arg(jar));
        assert_eq!(listing.trim(), "", "{listing}");
        counts.push(succeed(Command::new("unzip").arg("-Z1").arg(jar)).lines().count());
    }
    counts
}

/// What Python says of the jar: number of entries, set of their times, whether any has a data descriptor.
pub(crate) fn python_view(jar: &Path) -> String {
    succeed(Command::new("python3").args(["-c", PYTHON]).arg(jar)).trim().to_owned()
}
