//! The JDK's own readers and writers agree with ours.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use manifests::manifest::{Attributes, Manifest};
use manifests::properties::Properties;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Reads `in.mf` and `in.properties` as the JDK does, lists what it finds as code units in hexadecimal, and writes both
/// again in its own way.
const READER: &str = r#"
import java.io.*;
import java.util.*;
import java.util.jar.*;

public class Reader {
    static String hex(String text) {
        StringBuilder out = new StringBuilder("-");
        for (char unit : text.toCharArray()) {
            out.append(String.format("%04x", (int) unit));
        }
        return out.toString();
    }

    static void list(PrintStream out, String kind, Attributes attributes) {
        for (Map.Entry<Object, Object> entry : attributes.entrySet()) {
            out.println(kind + " " + hex(entry.getKey().toString()) + " " + hex(entry.getValue().toString()));
        }
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream("found"), false, "US-ASCII");
        Manifest manifest = new Manifest(new FileInputStream("in.mf"));
        list(out, "main", manifest.getMainAttributes());
        for (Map.Entry<String, Attributes> section : manifest.getEntries().entrySet()) {
            list(out, hex(section.getKey()), section.getValue());
        }
        Properties properties = new Properties();
        properties.load(new FileInputStream("in.properties"));
        for (String key : properties.stringPropertyNames()) {
            out.println("property " + hex(key) + " " + hex(properties.getProperty(key)));
        }
        out.close();
        manifest.write(new FileOutputStream("out.mf"));
        properties.store(new FileOutputStream("out.properties"), "a comment");
    }
}
"#;

/// Texts of every kind that wrapping and escaping can stumble over.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> =
        ["", " ", "  x ", "=:#! \\", "\\u0041", "é€😀", ":", "a b", "\u{7f}\u{80}\u{ff}\u{100}"]
            .map(str::to_owned)
            .into();
    for length in 60..80 {
        texts.push("x".repeat(length));
        texts.push(format!("{}é", "x".repeat(length)));
        texts.push(format!("{}😀 ", " ".repeat(length)));
    }
    texts.push("€".repeat(200));
    texts
}

fn hex(text: &str) -> String {
    text.encode_utf16().fold("-".to_owned(), |out, unit| format!("{out}{unit:04x}"))
}

fn sample() -> (Manifest, Properties) {
    let mut manifest = Manifest::default();
    let mut properties = Properties::default();
    manifest.main.set("Manifest-Version", "1.0").unwrap();
    let mut section = Attributes::default();
    for (at, text) in texts().iter().enumerate() {
        let name = format!("{}{at}", "N".repeat(at % 68 + 1));
        manifest.main.set(&name, text).unwrap();
        section.set(&name, text).unwrap();
        properties.set(text, &format!("{text}\t\n\r\u{c}"));
        properties.set(&format!("key{at}"), text);
    }
    manifest.add_section(&format!("a/{}/é.class", "long".repeat(40)), section).unwrap();
    (manifest, properties)
}

fn list(kind: &str, attributes: &Attributes) -> Vec<String> {
    attributes.iter().map(|(name, value)| format!("{kind} {} {}", hex(name), hex(value))).collect()
}

fn run_java(home: &fixtures::JavaHome, folder: &Path, class: &str) {
    let mut command = Command::new(home.tool("java").unwrap());
    command.arg("-cp").arg(folder.join("classes")).arg(class).current_dir(folder);
    let output = fixtures::run(&mut command, Duration::from_mins(1)).unwrap();
    assert!(output.status.success(), "{}", output.both());
}

#[test]
fn java_reads_what_we_write_and_the_reverse() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fixtures::javac(&[("Reader.java", READER)], &["--release", "8", "-Xlint:-options"], &path("classes")).unwrap();
    let (manifest, properties) = sample();
    fs_err::write(path("in.mf"), manifest.to_bytes()).unwrap();
    fs_err::write(path("in.properties"), properties.to_bytes()).unwrap();
    let (name, attributes) = &manifest.sections()[0];
    let mut expected = list("main", &manifest.main);
    expected.extend(list(&hex(name), attributes));
    expected.extend(properties.iter().map(|(key, value)| format!("property {} {}", hex(key), hex(value))));
    expected.sort();

    for home in fixtures::java_homes() {
        run_java(&home, folder.path(), "Reader");
        let found = fs_err::read_to_string(path("found")).unwrap();
        let mut found: Vec<&str> = found.lines().collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{}", home.feature);

        // The JDK keeps no order of properties, and sections have one here only.
        let written = Manifest::parse(&fs_err::read(path("out.mf")).unwrap()).unwrap();
        let sorted = |attributes: &Attributes| {
            let mut lines = list("", attributes);
            lines.sort();
            lines
        };
        assert_eq!(sorted(&written.main), sorted(&manifest.main), "{}", home.feature);
        assert_eq!(sorted(written.section(name).unwrap()), sorted(attributes), "{}", home.feature);
        let written = Properties::parse(&fs_err::read(path("out.properties")).unwrap()).unwrap();
        assert_eq!(written.len(), properties.len());
        for (key, value) in properties.iter() {
            assert_eq!(written.get(key), Some(value), "{key:?} on {}", home.feature);
        }
    }
}

/// Reads each manifest of `many`, a number of bytes and the manifest at a time, and lists all of them.
const MANY: &str = r#"
import java.io.*;
import java.util.*;
import java.util.jar.*;

public class Many {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream("found"), false, "US-ASCII");
        DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream("many")));
        for (int number = 0; in.available() > 0; number++) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            Manifest manifest = new Manifest(new ByteArrayInputStream(bytes));
            Reader.list(out, number + " main", manifest.getMainAttributes());
            for (Map.Entry<String, Attributes> section : manifest.getEntries().entrySet()) {
                Reader.list(out, number + " " + Reader.hex(section.getKey()), section.getValue());
            }
        }
        out.close();
    }
}
"#;

/// Manifests of any names and values that can be written.
fn manifests() -> impl Strategy<Value = Manifest> {
    let attributes = || prop::collection::vec(("[A-Za-z0-9][A-Za-z0-9_-]{0,69}", "[^\\r\\n\\x00]{0,120}"), 0..6);
    let sections = prop::collection::btree_map("[^\\r\\n\\x00]{1,120}", attributes(), 0..4);
    (attributes(), sections).prop_map(|(main, sections)| {
        let filled = |entries: &[(String, String)]| {
            let mut attributes = Attributes::default();
            // A `Name` among them would begin a section.
            for (name, value) in entries.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("Name")) {
                attributes.set(name, value).unwrap();
            }
            attributes
        };
        let mut manifest = Manifest::default();
        manifest.main = filled(&main);
        manifest.main.set("Manifest-Version", "1.0").unwrap();
        for (name, entries) in sections {
            manifest.add_section(&name, filled(&entries)).unwrap();
        }
        manifest
    })
}

#[test]
fn java_reads_any_manifest_that_we_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let sources = [("Reader.java", READER), ("Many.java", MANY)];
    fixtures::javac(&sources, &["--release", "8", "-Xlint:-options"], &path("classes")).unwrap();
    // One JVM reads all of them: starting one for each would take minutes.
    let mut runner = TestRunner::default();
    let (mut many, mut expected) = (Vec::new(), Vec::new());
    for number in 0..500 {
        let manifest = manifests().new_tree(&mut runner).unwrap().current();
        let bytes = manifest.to_bytes();
        many.extend((bytes.len() as u32).to_be_bytes());
        many.extend(bytes);
        expected.extend(list(&format!("{number} main"), &manifest.main));
        for (name, attributes) in manifest.sections() {
            expected.extend(list(&format!("{number} {}", hex(name)), attributes));
        }
    }
    fs_err::write(path("many"), many).unwrap();
    expected.sort();
    for home in fixtures::java_homes() {
        run_java(&home, folder.path(), "Many");
        let found = fs_err::read_to_string(path("found")).unwrap();
        let mut found: Vec<&str> = found.lines().collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{}", home.feature);
    }
}
