use std::io::{Cursor, Write as _};
use std::sync::Arc;

use fixtures::Jar;
use proptest::prelude::*;
use zip::{DateTime, ZipArchive, ZipWriter};

use super::*;
use crate::archive::{Archive, Limits};
use crate::assemble::Content;
use crate::origin::Origin;

const MANIFEST: &[u8] = b"Manifest-Version: 1.0\r\n\r\n";

fn made(layout: &mut Layout, path: &str, bytes: &[u8]) {
    layout.add(path, Content::Bytes(bytes.to_vec()), Origin::Generated("for a test".into())).unwrap();
}

/// A layout with generated, copied and renamed entries, added in the order given.
fn layout(order: &[usize]) -> Layout {
    let jar = Jar::new().file("x/A.class", &[5; 2000]).stored("x/stored", b"stored").bytes().unwrap();
    let archive = Arc::new(Archive::from_memory("in.jar".into(), jar, Limits::default()).unwrap());
    let mut layout = Layout::default();
    for step in order {
        match step {
            0 => layout.add_entry("META-INF/btrace/agent/x/A.classdata", &archive, 0).unwrap(),
            1 => layout.add_entry("x/stored", &archive, 1).unwrap(),
            2 => made(&mut layout, "z/last", &[9; 3000]),
            _ => made(&mut layout, "META-INF/btrace/shared/y/B.classdata", b"made"),
        }
    }
    layout
}

fn written(order: &[usize], time: EntryTime) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.jar");
    write_jar(&target, MANIFEST, &layout(order), time, &Printer::default(), |_| Ok(())).unwrap();
    fs_err::read(target).unwrap()
}

#[test]
fn the_order_is_fixed_and_the_manifest_comes_first() {
    let bytes = written(&[2, 1, 0, 3], EntryTime::default());
    let archive = Archive::from_memory("out.jar".into(), bytes.clone(), Limits::default()).unwrap();
    let names: Vec<&str> = archive.entries().iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "META-INF/",
            "META-INF/MANIFEST.MF",
            "META-INF/btrace/agent/x/A.classdata",
            "META-INF/btrace/shared/",
            "META-INF/btrace/shared/y/B.classdata",
            "x/stored",
            "z/last",
        ]
    );
    assert_eq!(archive.read_name("META-INF/btrace/agent/x/A.classdata").unwrap().unwrap(), [5; 2000]);
    assert_eq!(archive.read_name("x/stored").unwrap().unwrap(), b"stored");
    archive.check_headers().unwrap();
    assert_eq!(written(&[0, 1, 2, 3], EntryTime::default()), bytes, "the order of the inputs must not show");
}

#[test]
fn every_entry_has_the_same_time_and_mode_and_no_extra_fields() {
    let time = EntryTime::parse("1709210096").unwrap();
    let mut zip = ZipArchive::new(Cursor::new(written(&[0, 1, 2, 3], time))).unwrap();
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        assert_eq!(entry.last_modified(), Some(time.zip()), "{name}");
        let mode = if entry.is_dir() { 0o040_755 } else { 0o100_644 };
        assert_eq!(entry.unix_mode(), Some(mode), "{name}");
        assert_eq!(entry.extra_data(), None, "{name}");
        assert_eq!(entry.comment(), "", "{name}");
        assert!(!entry.flags().is_using_data_descriptor(), "{name}");
    }
}

#[test]
fn copied_entries_keep_their_compressed_bytes() {
    let jar = Jar::new().file("a", &[5; 2000]).bytes().unwrap();
    let source = Arc::new(Archive::from_memory("in.jar".into(), jar, Limits::default()).unwrap());
    let mut layout = Layout::default();
    layout.add_entry("b", &source, 0).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.jar");
    write_jar(&target, MANIFEST, &layout, EntryTime::default(), &Printer::default(), |_| Ok(())).unwrap();
    let copy = Archive::open(&target).unwrap();
    assert_eq!(copy.read_raw(copy.index_of("b").unwrap()).unwrap(), source.read_raw(0).unwrap());
}

#[test]
fn extra_fields_and_times_of_the_input_do_not_show() {
    let plain = Jar::new().file("a", &[5; 2000]).bytes().unwrap();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::FullFileOptions::default()
        .last_modified_time(DateTime::from_date_and_time(2020, 5, 6, 7, 8, 10).unwrap())
        .unix_permissions(0o600)
        .with_file_comment("made on a Tuesday")
        .with_extended_timestamp(Some(1_600_000_000), None, None)
        .unwrap();
    zip.start_file("a", options).unwrap();
    zip.write_all(&[5; 2000]).unwrap();
    let dressed = zip.finish().unwrap().into_inner();
    assert_ne!(plain, dressed);

    let out = |jar: Vec<u8>| {
        let source = Arc::new(Archive::from_memory("in.jar".into(), jar, Limits::default()).unwrap());
        let mut layout = Layout::default();
        layout.add_entry("a", &source, 0).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.jar");
        write_jar(&target, MANIFEST, &layout, EntryTime::default(), &Printer::default(), |_| Ok(())).unwrap();
        fs_err::read(target).unwrap()
    };
    assert_eq!(out(plain), out(dressed));
}

#[test]
fn a_failed_check_leaves_the_old_output_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.jar");
    fs_err::write(&target, "old").unwrap();
    let refuse = |_: &Path| Err(Error::SelfCheck { count: 1, first: "x".into(), base: None });
    let failed = write_jar(&target, MANIFEST, &layout(&[0]), EntryTime::default(), &Printer::default(), refuse);
    assert!(failed.is_err());
    assert_eq!(fs_err::read(&target).unwrap(), b"old");
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn an_unwritable_target_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for target in [folder.path().join("absent/out.jar"), folder.path().to_owned()] {
        let error = write_jar(&target, MANIFEST, &layout(&[0]), EntryTime::default(), &Printer::default(), |_| Ok(()))
            .unwrap_err();
        assert_eq!(error.to_string(), format!("cannot write `{}`", target.display()));
    }
}

#[cfg(unix)]
#[test]
fn the_mode_of_the_output_is_that_of_an_ordinary_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.jar");
    write_jar(&target, MANIFEST, &layout(&[0]), EntryTime::default(), &Printer::default(), |_| Ok(())).unwrap();
    assert_eq!(fs_err::metadata(&target).unwrap().permissions().mode() & 0o777, 0o644);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_files_in_any_order_give_the_same_readable_jar(
        files in prop::collection::btree_map("[a-c]{1,3}/[d-f]{1,3}", prop::collection::vec(any::<u8>(), 0..200), 1..12),
        rotation in any::<prop::sample::Index>(),
    ) {
        let write = |order: Vec<(&String, &Vec<u8>)>| {
            let mut layout = Layout::default();
            for (path, bytes) in order {
                made(&mut layout, path, bytes);
            }
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("out.jar");
            write_jar(&target, MANIFEST, &layout, EntryTime::default(), &Printer::default(), |_| Ok(())).unwrap();
            fs_err::read(target).unwrap()
        };
        let mut order: Vec<_> = files.iter().collect();
        let first = write(order.clone());
        let middle = rotation.index(order.len());
        order.rotate_left(middle);
        prop_assert_eq!(&first, &write(order));
        let archive = Archive::from_memory("out.jar".into(), first, Limits::default()).unwrap();
        for (path, bytes) in &files {
            let read = archive.read_name(path).unwrap();
            prop_assert_eq!(read.as_ref(), Some(bytes));
        }
    }
}
