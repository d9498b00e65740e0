//! Public bug reports about jars as containers, one test for each case and for each of its variants.

mod support;

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use fixtures::Jar;
use support::Project;
use support::raw_zip::{RawEntry, crc32, raw_zip};
use support::readers::{entry_counts, python_view};

fn fatagent(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    command.current_dir(folder).args(arguments).env_remove("SOURCE_DATE_EPOCH").env_remove("NO_COLOR");
    command
}

/// Exit code, stdout and stderr.
fn run(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Builds the project, which must work, and returns the jar and stderr.
fn build(project: &Project) -> (PathBuf, String) {
    let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["build"]));
    assert_eq!(code, 0, "{stderr}");
    (project.path("acme-agent.jar"), stderr)
}

/// All files of a jar, with their contents.
fn files(jar: &Path) -> Vec<(String, Vec<u8>)> {
    let names = fixtures::entry_names(jar).unwrap();
    names.into_iter().map(|name| (name.clone(), fixtures::read_entry(jar, &name).unwrap())).collect()
}

/// Puts more entries into the project's base.
fn extend_base(project: &Project, more: impl IntoIterator<Item = (String, Vec<u8>)>) {
    let base = project.path("base.jar");
    let all = files(&base).into_iter().chain(more);
    let jar = all.fold(
        Jar::new(),
        |jar, (name, bytes)| {
            if name.ends_with('/') { jar.folder(&name) } else { jar.file(&name, &bytes) }
        },
    );
    jar.write(&base).unwrap();
}

/// Whether the file holds a zip64 end record in its last bytes.
fn has_zip64_record(jar: &Path) -> bool {
    let bytes = fs_err::read(jar).unwrap();
    let tail = &bytes[bytes.len().saturating_sub(200)..];
    tail.windows(4).any(|window| window == b"PK\x06\x06")
}

#[test]
fn case_11_zip64_where_the_number_of_entries_needs_it_and_only_there() {
    let plain = {
        let project = Project::new();
        project.toml("");
        fixtures::entry_names(&build(&project).0).unwrap().len()
    };
    for (count, zip64) in [(65_534, false), (65_535, true), (65_536, true)] {
        let project = Project::new();
        project.toml("");
        extend_base(&project, (0..count - plain).map(|number| (format!("META-INF/r/{number}"), Vec::new())));
        let (jar, _) = build(&project);
        assert_eq!(has_zip64_record(&jar), zip64, "{count}");
        let counts = entry_counts(&jar);
        assert!(counts.len() >= 4 && counts.iter().all(|seen| *seen == count), "{count}: {counts:?}");
        let (code, stdout, stderr) = run(&mut fatagent(&project.path(""), &["verify", "acme-agent.jar"]));
        assert_eq!((code, stdout), (0, format!("acme-agent.jar: {count} entries verified\n")), "{stderr}");
    }
}

#[test]
fn case_12_stored_entries_with_descriptors_small_files_and_nested_jars() {
    for signed in [true, false] {
        let project = Project::new();
        let nested = Jar::new().file("deep/x.txt", &[7; 3000]).bytes().unwrap();
        let mut entries: Vec<RawEntry> = files(&project.path("base.jar"))
            .iter()
            .filter(|(name, _)| !name.ends_with('/'))
            .map(|(name, bytes)| RawEntry { descriptor: Some(signed), ..RawEntry::new(name, bytes) })
            .collect();
        entries.push(RawEntry::new("META-INF/btrace/shared/", b""));
        for size in 0..4 {
            entries.push(RawEntry {
                descriptor: Some(signed),
                ..RawEntry::new(&format!("META-INF/n/{size}"), &b"PK\x03"[..size])
            });
        }
        entries.push(RawEntry { descriptor: Some(signed), ..RawEntry::new("META-INF/lib/in.jar", &nested) });
        fs_err::write(project.path("base.jar"), raw_zip(&entries)).unwrap();

        let (jar, _) = build(&project);
        for entry in entries.iter().filter(|entry| !entry.name.ends_with('/') && entry.name != "META-INF/MANIFEST.MF") {
            assert_eq!(fixtures::read_entry(&jar, &entry.name).unwrap(), entry.data, "{}", entry.name);
        }
        // A stored entry's bytes stand in the file as they are, so the nested jar can be opened in place.
        let bytes = fs_err::read(&jar).unwrap();
        assert!(bytes.windows(nested.len()).any(|window| window == nested), "the nested jar was compressed again");
        let count = fixtures::entry_names(&jar).unwrap().len();
        let counts = entry_counts(&jar);
        assert!(counts.iter().all(|seen| *seen == count), "{counts:?} of {count}");
    }
}

#[test]
fn case_12_jars_of_a_folder_are_stored() {
    let project = Project::new();
    let nested = Jar::new().file("deep/x.txt", &[7; 3000]).bytes().unwrap();
    project.write("metrics/lib/in.jar", &nested);
    let (jar, _) = build(&project);
    assert!(fs_err::read(&jar).unwrap().windows(nested.len()).any(|window| window == nested));
}

#[test]
fn case_13_names_that_climb_out_are_refused_by_every_command() {
    let outside = tempfile::tempdir().unwrap();
    for name in
        ["../../evil", "/abs/evil", "C:/evil", "a/../../evil", "..\\..\\evil", "org\\dep\\A.class", "a/..", "./a"]
    {
        let project = Project::new();
        let forced = files(&project.path("base.jar"))
            .iter()
            .fold(
                Jar::new(),
                |jar, (name, bytes)| if name.ends_with('/') { jar.folder(name) } else { jar.file(name, bytes) },
            )
            .forced(name, b"evil");
        forced.write(&project.path("base.jar")).unwrap();
        let target = outside.path().display().to_string();
        for arguments in [
            &["build"][..],
            &["verify", "base.jar"],
            &["inspect", "base.jar"],
            &["extract", "base.jar", "-o", &target],
            &["diff", "base.jar", "base.jar"],
        ] {
            let before = listing(&project.path(""));
            let (code, _, stderr) = run(&mut fatagent(&project.path(""), arguments));
            assert_ne!(code, 0, "{name}, {arguments:?}");
            assert!(stderr.contains("base.jar"), "{name}, {arguments:?}: {stderr}");
            assert!(stderr.contains(&name.escape_default().to_string()), "{name}, {arguments:?}: {stderr}");
            assert_eq!(listing(&project.path("")), before, "{name}, {arguments:?}");
        }
        assert_eq!(listing(outside.path()).len(), 1, "{name}: something was written");

        // The same in the jar inside an extension zip.
        let project = Project::new();
        let zip = project.path("statsd.zip");
        let changed = files(&zip).into_iter().fold(Jar::new(), |jar, (entry, bytes)| {
            let bytes =
                if entry.ends_with("-impl.jar") { Jar::new().forced(name, b"evil").bytes().unwrap() } else { bytes };
            jar.file(&entry, &bytes)
        });
        changed.write(&zip).unwrap();
        let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["build"]));
        assert_eq!(code, 1, "{name}: {stderr}");
        assert!(stderr.contains("statsd.zip!/") && stderr.contains("is refused because"), "{name}: {stderr}");
    }
}

#[test]
fn case_13_two_dots_inside_a_name_are_ordinary() {
    let project = Project::new();
    extend_base(&project, [("META-INF/a..b/x..txt".to_owned(), b"fine".to_vec())]);
    let (jar, _) = build(&project);
    assert_eq!(fixtures::read_entry(&jar, "META-INF/a..b/x..txt").unwrap(), b"fine");
}

#[test]
fn case_14_names_that_differ_in_case_are_all_kept_and_pointed_out() {
    let project = Project::new();
    project.compile(&[("org/dep/a.java", "package org.dep; public class a { int lower; }")], "lower");
    project.compile(&[("org/dep/A.java", "package org.dep; public class A { long upper; }")], "upper");
    let (lower, upper) = (
        fs_err::read(project.path("lower/org/dep/a.class")).unwrap(),
        fs_err::read(project.path("upper/org/dep/A.class")).unwrap(),
    );
    extend_base(
        &project,
        [
            ("META-INF/LICENSE".to_owned(), b"text".to_vec()),
            ("META-INF/license/N.txt".to_owned(), b"note".to_vec()),
            ("META-INF/license/M.txt".to_owned(), b"more".to_vec()),
            ("META-INF/btrace/agent/org/dep/a.classdata".to_owned(), lower.clone()),
            ("META-INF/btrace/agent/org/dep/A.classdata".to_owned(), upper.clone()),
        ],
    );
    let (jar, stderr) = build(&project);
    assert_eq!(fixtures::read_entry(&jar, "META-INF/btrace/agent/org/dep/a.classdata").unwrap(), lower);
    assert_eq!(fixtures::read_entry(&jar, "META-INF/btrace/agent/org/dep/A.classdata").unwrap(), upper);
    assert_eq!(fixtures::read_entry(&jar, "META-INF/license/N.txt").unwrap(), b"note");
    let files = "files clash: `META-INF/LICENSE` and `META-INF/license/M.txt`";
    let classes =
        "classes clash: `META-INF/btrace/agent/org/dep/A.classdata` and `META-INF/btrace/agent/org/dep/a.classdata`";
    for text in [files, classes] {
        assert_eq!(stderr.matches(text).count(), 1, "{text}: {stderr}");
    }
    let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["verify", "acme-agent.jar"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains(files) && stderr.contains(classes), "{stderr}");
}

/// Builds a copy of the project in `folder` under an environment of its own.
fn build_in(
    project: &Project,
    folder: &str,
    zone: &str,
    umask: libc::mode_t,
    threads: &str,
    epoch: Option<&str>,
) -> PathBuf {
    let mut command = fatagent(&project.path(""), &["build", "--file"]);
    command.arg(format!("{folder}/agent.toml")).env("TZ", zone).env("RAYON_NUM_THREADS", threads);
    if let Some(epoch) = epoch {
        command.env("SOURCE_DATE_EPOCH", epoch);
    }
    // SAFETY: `umask` is async-signal-safe and changes the child only.
    unsafe {
        command.pre_exec(move || {
            libc::umask(umask);
            Ok(())
        });
    }
    let (code, _, stderr) = run(&mut command);
    assert_eq!(code, 0, "{stderr}");
    project.path(folder).join("acme-agent.jar")
}

/// Copies the project's inputs to `folder`, the files of a folder in the order given, with a time of their own.
fn copy_inputs(project: &Project, folder: &str, reverse: bool, seconds: u64) {
    let mut names = listing(&project.path("metrics"));
    names.extend(
        ["agent.toml", "base.jar", "statsd.zip", "probes/Trace.class"]
            .map(|name| project.path(name).display().to_string()),
    );
    if reverse {
        names.reverse();
    }
    let root = project.path("");
    for name in names.iter().map(Path::new).filter(|path| path.is_file()) {
        let target = project.path(folder).join(name.strip_prefix(&root).unwrap());
        fs_err::create_dir_all(target.parent().unwrap()).unwrap();
        fs_err::copy(name, &target).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        fs_err::OpenOptions::new().write(true).open(&target).unwrap().set_modified(time).unwrap();
    }
}

#[test]
fn case_15_the_same_inputs_give_the_same_bytes_everywhere() {
    let project = Project::new();
    // Extended timestamps of the input must not show: `UT`, 5 bytes, a modification time.
    let stamped: Vec<RawEntry> = files(&project.path("base.jar"))
        .iter()
        .map(|(name, bytes)| {
            let stamp = b"UT\x05\x00\x01\x00\x00\x00\x60".to_vec();
            RawEntry { local_extra: stamp.clone(), central_extra: stamp, ..RawEntry::new(name, bytes) }
        })
        .collect();
    fs_err::write(project.path("base.jar"), raw_zip(&stamped)).unwrap();
    copy_inputs(&project, "one", false, 1_000_000_000);
    copy_inputs(&project, "another folder", true, 1_600_000_000);
    let first = build_in(&project, "one", "UTC", 0o022, "1", None);
    let second = build_in(&project, "another folder", "Asia/Tokyo", 0o077, "16", None);
    assert!(fs_err::read(&first).unwrap() == fs_err::read(&second).unwrap(), "the jars differ");
    assert!(python_view(&first).contains("[(1980, 1, 1, 0, 0, 0)]"), "{}", python_view(&first));
    let root = project.path("").display().to_string();
    let host = fs_err::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    for (name, bytes) in files(&first) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(root.trim_end_matches('/')), "{name} holds the folder of the build");
        assert!(host.trim().len() < 5 || !text.contains(host.trim()), "{name} holds the name of the host");
    }

    let zones = ["UTC", "Asia/Tokyo", "America/New_York"];
    let dated: Vec<Vec<u8>> = zones
        .iter()
        .map(|zone| {
            let jar = build_in(&project, "one", zone, 0o022, "2", Some("1700000000"));
            assert!(python_view(&jar).contains("[(2023, 11, 14, 22, 13, 20)]"), "{zone}: {}", python_view(&jar));
            fs_err::read(jar).unwrap()
        })
        .collect();
    assert!(dated.iter().all(|bytes| *bytes == dated[0]));
}

#[test]
fn extra_fields_that_do_not_fit_or_rename_are_refused() {
    let extra = |local: &[u8], central: &[u8]| {
        let project = Project::new();
        let mut entries: Vec<RawEntry> =
            files(&project.path("base.jar")).iter().map(|(name, bytes)| RawEntry::new(name, bytes)).collect();
        entries.push(RawEntry {
            local_extra: local.to_vec(),
            central_extra: central.to_vec(),
            ..RawEntry::new("META-INF/x", b"x")
        });
        fs_err::write(project.path("base.jar"), raw_zip(&entries)).unwrap();
        let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["build"]));
        (code, stderr)
    };
    let renaming = |name: &[u8]| {
        let mut field = b"up".to_vec();
        field.extend((5 + name.len() as u16).to_le_bytes());
        field.push(1);
        field.extend(crc32(b"META-INF/x").to_le_bytes());
        field.extend(name);
        field
    };
    for (central, reason) in [
        (&b"\xfe\xca\x08\0ab"[..], "a block of them is longer than they are themselves"),
        (b"UT\xff\xff\x01", "a block of them is longer than they are themselves"),
        (&renaming(b"META-INF/y"), "they give it another name"),
        (&renaming(b"../../evil"), "they give it another name"),
    ] {
        let (code, stderr) = extra(b"", central);
        assert_eq!(code, 1, "{stderr}");
        let message = format!("has an entry whose extra fields are refused because {reason}: `META-INF/x`");
        assert!(stderr.contains(&message), "{stderr}");
    }
    // Padding of alignment tools, a known field, and whatever stands in front of the data only.
    for (local, central) in
        [(&b""[..], &b"\0\0\0"[..]), (b"", b"\xfe\xca\0\0"), (b"\0\0", b""), (b"", &renaming(b"META-INF/x"))]
    {
        let (code, stderr) = extra(local, central);
        assert_eq!(code, 0, "{stderr}");
    }
}

#[test]
fn limits_can_be_raised_and_lowered() {
    let project = Project::new();
    extend_base(&project, [("META-INF/zeros".to_owned(), vec![0; 3 << 20])]);
    let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["build"]));
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stderr.contains("inflates to more than 200 times its size") && stderr.contains("`--limits ratio=…`"),
        "{stderr}"
    );
    let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["build", "--limits", "ratio=2000"]));
    assert_eq!(code, 0, "{stderr}");
    let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["inspect", "base.jar", "--limits", "entries=5"]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("has more than 5 entries"), "{stderr}");
    let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["inspect", "base.jar", "--limits", "size=5"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("not a limit, which are `entries`"), "{stderr}");
}

/// Runs `command`, which has to succeed, and returns the most memory that it held, in MiB.
#[allow(clippy::zombie_processes, reason = "`wait4` waits for it, and says what it used")]
fn peak_mib(command: &mut Command) -> i64 {
    let child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let pid = child.id().cast_signed();
    let mut status = 0;
    // SAFETY: all zeros are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to values of this function, and the process is a child that nobody else waits for.
    let ended = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
    assert_eq!(ended, pid);
    assert_eq!(status, 0, "{command:?}");
    usage.ru_maxrss / 1024
}

/// A base with many small entries, and with `chunks` stored entries of `chunk` bytes, written without holding them.
fn write_large_base(project: &Project, entries: usize, chunks: usize, chunk: u64) {
    use std::io::Write as _;
    use zip::write::SimpleFileOptions;
    let small = files(&project.path("base.jar"));
    let mut zip = zip::ZipWriter::new(std::io::BufWriter::new(fs_err::File::create(project.path("base.jar")).unwrap()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in small {
        if name.ends_with('/') {
            zip.add_directory(name, options).unwrap();
        } else {
            zip.start_file(name, options).unwrap();
            zip.write_all(&bytes).unwrap();
        }
    }
    for number in 0..entries {
        zip.start_file(format!("META-INF/r/{number}"), options).unwrap();
        zip.write_all(number.to_string().as_bytes()).unwrap();
    }
    let block = vec![0x5a; 1 << 20];
    for number in 0..chunks {
        zip.start_file(format!("META-INF/big/{number}"), options.large_file(chunk > u64::from(u32::MAX) - 1)).unwrap();
        for _ in 0..chunk >> 20 {
            zip.write_all(&block).unwrap();
        }
    }
    zip.finish().unwrap();
}

#[test]
fn memory_stays_bounded_with_many_entries_and_with_a_large_one() {
    let project = Project::new();
    write_large_base(&project, 70_000, 1, 256 << 20);
    project.toml("");
    for arguments in [&["-q", "build"][..], &["-q", "verify", "acme-agent.jar"], &["-q", "inspect", "acme-agent.jar"]] {
        let peak = peak_mib(&mut fatagent(&project.path(""), arguments));
        assert!(peak <= 200, "{arguments:?} held {peak} MiB");
    }
}

/// Takes 15 GB of disk and minutes: `cargo test --release -p fatagent --test cases_container -- --ignored`.
#[test]
#[ignore = "takes 15 GB of disk and minutes; run by hand, and before a release"]
fn five_gigabytes_in_and_out_with_an_entry_of_more_than_four() {
    let project = Project::new();
    write_large_base(&project, 10, 1, 5 << 30);
    project.toml("");
    let limits = "entry-bytes=6GiB";
    for arguments in [&["-q", "build", "--limits", limits][..], &["-q", "verify", "acme-agent.jar", "--limits", limits]]
    {
        let peak = peak_mib(&mut fatagent(&project.path(""), arguments));
        assert!(peak <= 200, "{arguments:?} held {peak} MiB");
    }
    let count = fixtures::entry_names(&project.path("acme-agent.jar")).unwrap().len();
    let counts = entry_counts(&project.path("acme-agent.jar"));
    assert!(counts.iter().all(|seen| *seen == count), "{counts:?} of {count}");
}

fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.unwrap().path().display().to_string()).collect();
    names.sort();
    names
}
