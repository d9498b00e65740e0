use std::io::Write as _;

use fixtures::Jar;
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

fn open(bytes: Vec<u8>) -> Result<Archive> {
    open_with(bytes, Limits::default())
}

fn open_with(bytes: Vec<u8>, limits: Limits) -> Result<Archive> {
    Archive::from_memory("x.jar".into(), bytes, limits)
}

fn message(result: Result<Archive>) -> String {
    let error = result.unwrap_err();
    assert!(error.hint().is_some(), "no hint for: {error}");
    error.to_string()
}

#[test]
fn entries_are_read_with_their_origin() {
    let jar = Jar::new().folder("a/").file("a/b", b"deflated").stored("c", b"stored").bytes().unwrap();
    let archive = open(jar).unwrap();
    let names: Vec<&str> = archive.entries().iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["a/", "a/b", "c"]);
    assert!(archive.entries()[0].is_dir());
    assert_eq!(archive.read_name("a/b").unwrap().unwrap(), b"deflated");
    assert_eq!(archive.read_name("c").unwrap().unwrap(), b"stored");
    assert_eq!(archive.read_name("d").unwrap(), None);
    assert_eq!(archive.origin(2).to_string(), "`c` of `x.jar`");
    let raw = archive.read_raw(2).unwrap();
    assert_eq!(raw, b"stored");
}

#[test]
fn bad_names_are_refused() {
    for (name, reason) in [
        ("../evil", "it holds a `.` or `..` part"),
        ("/etc/evil", "it starts with `/`"),
        ("c:/evil", "it starts with a drive letter"),
        ("a\\evil", "it holds a backslash"),
        ("a\0evil", "it holds a control character"),
        ("a//evil", "it holds an empty part"),
    ] {
        let jar = Jar::new().file("ok", b"").forced(name, b"x").bytes().unwrap();
        let shown = name.escape_default();
        assert_eq!(
            message(open(jar)),
            format!(
                "`x.jar` has an entry whose name is refused because {reason}: `{}`",
                shown.to_string().replace("\\u{0}", "\\x00")
            ),
        );
    }
}

#[test]
fn clashing_names_are_refused() {
    let jar = |first, second| Jar::new().forced(first, b"1").forced(second, b"2").bytes().unwrap();
    assert_eq!(message(open(jar("a/B", "a/B"))), "`x.jar` has two entries of one name: `a/B`");
    assert!(open(jar("a/B", "a/b")).is_ok(), "the JVM tells them apart");
    assert_eq!(message(open(jar("a", "a/b"))), "`x.jar` has a file that is also a folder: `a`, because of `a/b`");
}

#[test]
fn bombs_are_refused() {
    let zeros = Jar::new().file("zeros", &vec![0; 4 << 20]).bytes().unwrap();
    let text = message(open(zeros.clone()));
    assert!(text.starts_with("`zeros` of `x.jar` inflates to more than 200 times its size: "), "{text}");

    let small = Limits { entry_bytes: 1000, ..Limits::default() };
    assert_eq!(message(open_with(zeros, small)), "`zeros` of `x.jar` inflates to more than 1000 bytes: 4194304");
    let two = Jar::new().stored("a", &[1; 600]).stored("b", &[2; 600]).bytes().unwrap();
    assert!(open_with(two.clone(), small).is_ok());
    let total = Limits { total_bytes: 1000, ..Limits::default() };
    assert_eq!(message(open_with(two.clone(), total)), "`x.jar` inflates to more than 1000 bytes");
    let few = Limits { entries: 1, ..Limits::default() };
    assert_eq!(message(open_with(two, few)), "`x.jar` has more than 1 entries: 2");
}

#[test]
fn entries_that_share_bytes_are_refused() {
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    zip.start_file("a", SimpleFileOptions::default().compression_method(CompressionMethod::Stored)).unwrap();
    zip.write_all(b"shared").unwrap();
    zip.shallow_copy_file("a", "b").unwrap();
    let jar = zip.finish().unwrap().into_inner();
    assert_eq!(message(open(jar)), "entries share bytes in jar: `x.jar`");
}

#[test]
fn a_declared_size_that_is_too_small_stops_the_reading() {
    let mut jar = Jar::new().file("a", &[7; 5000]).bytes().unwrap();
    // The inflated size in the central directory, 24 bytes after its signature.
    let at = jar.windows(4).position(|window| window == b"PK\x01\x02").unwrap() + 24;
    jar[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    let error = open(jar).unwrap().read(0).unwrap_err();
    assert!(error.to_string().contains("`a`"), "{error}");
    assert!(
        matches!(error, Error::WrongSize { more: true, declared: 10, .. } | Error::DamagedEntry { .. }),
        "{error:?}"
    );
}

#[test]
fn entries_that_no_jvm_reads_are_refused() {
    let jar = Jar::new().stored("a", b"x").bytes().unwrap();
    let at = jar.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let mut encrypted = jar.clone();
    encrypted[at + 8] |= 1;
    assert_eq!(message(open(encrypted)), "`a` of `x.jar` cannot be read by any JVM: it is encrypted");
    let mut foreign = jar;
    foreign[at + 10..at + 12].copy_from_slice(&14_u16.to_le_bytes());
    let text = message(open(foreign));
    assert!(text.starts_with("`a` of `x.jar` cannot be read by any JVM: it is compressed by "), "{text}");
}

#[test]
fn damaged_data_is_an_error() {
    let mut jar = Jar::new().stored("a", b"some content").bytes().unwrap();
    let at = jar.windows(4).position(|window| window == b"some").unwrap();
    jar[at] = b'S';
    let error = open(jar).unwrap().read(0).unwrap_err();
    assert_eq!(error.to_string(), "damaged entry in `x.jar`: `a`");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn what_is_no_jar_says_so() {
    assert_eq!(message(open(Vec::new())), "not a jar: `x.jar`: it is empty");
    let text = message(open(b"#!/bin/sh\necho not a jar\n".to_vec()));
    assert!(text.starts_with("not a jar: `x.jar`: "), "{text}");
    let whole = Jar::new().file("a", b"content").bytes().unwrap();
    for length in [10, whole.len() / 2, whole.len() - 5] {
        assert_eq!(message(open(whole[..length].to_vec())), "jar is cut short: `x.jar`", "{length} bytes");
    }
}

#[test]
fn missing_files_and_folders_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("absent.jar");
    assert_eq!(message(Archive::open(&path)), format!("file does not exist: `{}`", path.display()));
    let path = folder.path();
    assert_eq!(message(Archive::open(path)), format!("not a jar: `{}`: it is a folder", path.display()));
}

#[test]
fn jars_in_jars_are_read() {
    let inner = Jar::new().file("deep", b"x").bytes().unwrap();
    let outer = open(Jar::new().stored("lib/inner.jar", &inner).bytes().unwrap()).unwrap();
    let nested = outer.nested(0).unwrap();
    assert_eq!(nested.origin(0).to_string(), "`deep` of `x.jar!/lib/inner.jar`");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        if let Ok(archive) = open(bytes) {
            for index in 0..archive.entries().len() {
                let _ = archive.read(index);
            }
        }
    }

    #[test]
    fn a_changed_byte_is_read_or_refused(at in any::<prop::sample::Index>(), value: u8) {
        let mut jar = Jar::new().file("a/b", &[1; 300]).stored("c", b"stored").bytes().unwrap();
        let at = at.index(jar.len());
        jar[at] = value;
        if let Ok(archive) = open(jar) {
            for index in 0..archive.entries().len() {
                let _ = archive.read(index);
                let _ = archive.read_raw(index);
            }
            let _ = archive.check_headers();
        }
    }
}
