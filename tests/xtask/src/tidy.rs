//! Checks of the tree itself, over every file that is tracked or about to be.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::tool::{root, say};

/// Above this a source is listed with a reason.
const LONG: usize = 500;
/// Above this nothing helps but splitting.
const TOO_LONG: usize = 1000;
/// Where long sources are listed.
const LIST: &str = "tests/xtask/long-files.txt";
/// Where paths of somebody's machine begin. Put together here, so that this file passes its own check.
const MACHINE: [&str; 6] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("/usr/lib/", "jvm"),
    concat!("C:\\", "Users"),
];
/// Files that nobody writes by hand: the lock file names where crates come from.
const GENERATED: [&str; 1] = ["Cargo.lock"];
/// What has no business being ignored.
const SOURCES: [&str; 9] = ["rs", "java", "toml", "txt", "md", "snap", "properties", "xml", "sh"];

/// Checks the workspace and reports everything that is wrong with it.
pub(crate) fn run() -> Result<()> {
    say("\n==> tidy");
    let root = root();
    let files = git(&root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    let ignored = git(&root, &["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ":!target"])?;
    let mut faults = check(&root, &files)?;
    faults.extend(
        ignored
            .iter()
            .filter(|path| is_source(path))
            .map(|path| format!("`{path}` is ignored by git, so it is missing from every clone")),
    );
    if faults.is_empty() {
        say(&format!("    {} files", files.len()));
        return Ok(());
    }
    bail!("{}", faults.join("\n       "));
}

fn is_source(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| SOURCES.iter().any(|source| extension == *source))
}

/// The paths that a git command lists, separated by NUL bytes.
fn git(root: &Path, arguments: &[&str]) -> Result<Vec<String>> {
    let mut command = Command::new("git");
    command.current_dir(root).args(arguments);
    let output = fixtures::run(&mut command, Duration::from_mins(1))?;
    if !output.status.success() {
        bail!("`git {}` failed, a git checkout is needed: {}", arguments.join(" "), output.stderr.trim());
    }
    Ok(output.stdout.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn check(root: &Path, files: &[String]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut listed = match fs_err::read_to_string(root.join(LIST)) {
        Ok(text) => parse_list(&text)?,
        Err(_) => BTreeMap::new(),
    };
    for path in files {
        let file = root.join(path);
        // Deleted but still in the index.
        if !file.is_file() {
            continue;
        }
        let bytes = fs_err::read(&file).context("cannot check a file")?;
        let Ok(text) = String::from_utf8(bytes) else {
            faults.push(format!("`{path}` is not text; inputs are made from sources, see the crate `fixtures`"));
            continue;
        };
        if text.contains('\0') {
            faults.push(format!("`{path}` is not text; inputs are made from sources, see the crate `fixtures`"));
            continue;
        }
        if !GENERATED.contains(&path.as_str()) {
            faults.extend(machine_paths(path, &text));
        }
        faults.extend(length_fault(path, text.lines().count(), listed.remove(path.as_str()).as_deref()));
    }
    faults.extend(listed.keys().map(|path| format!("`{path}` is listed in `{LIST}` but does not exist")));
    Ok(faults)
}

/// The listed files with their reasons.
fn parse_list(text: &str) -> Result<BTreeMap<String, String>> {
    let mut listed = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(": ") {
            Some((path, reason)) if !reason.trim().is_empty() => listed.insert(path.to_owned(), reason.to_owned()),
            _ => bail!("`{LIST}` has lines of the form `path: reason`, not: `{line}`"),
        };
    }
    Ok(listed)
}

fn length_fault(path: &str, lines: usize, reason: Option<&str>) -> Option<String> {
    let extension = Path::new(path).extension()?;
    if extension != "rs" && extension != "java" {
        return None;
    }
    if lines > TOO_LONG {
        return Some(format!("`{path}` has to be split, its lines: {lines}"));
    }
    match reason {
        None if lines > LONG => Some(format!("`{path}` is to be split, or listed in `{LIST}`; its lines: {lines}")),
        Some(_) if lines <= LONG => Some(format!("`{path}` needs no line in `{LIST}` any more; its lines: {lines}")),
        _ => None,
    }
}

/// Each place where the text names a path of somebody's machine.
fn machine_paths(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for start in MACHINE {
            for (position, _) in line.match_indices(start) {
                // `target/work/` and `a.b/home/` are relative, `${x}/home/` belongs to somebody else.
                let before = line[..position].chars().next_back();
                if before.is_none_or(|before| !before.is_alphanumeric() && !"_-./})>~*".contains(before)) {
                    faults.push(format!("`{path}`, line {}, names a path of one machine: `{start}`", index + 1));
                }
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_judged_with_their_reasons() {
        let fault = |lines, reason| length_fault("a/b.rs", lines, reason).unwrap_or_default();
        assert_eq!(fault(500, None), "");
        assert!(fault(501, None).contains("or listed in"));
        assert_eq!(fault(501, Some("a table")), "");
        assert!(fault(500, Some("a table")).contains("needs no line"));
        assert!(fault(1001, Some("a table")).contains("has to be split"));
        assert_eq!(length_fault("notes.md", 5000, None), None);
        assert!(length_fault("A.java", 501, None).is_some());
    }

    #[test]
    fn lists_have_reasons() {
        let listed = parse_list("# comment\n\na/b.rs: one table of opcodes\n").unwrap();
        assert_eq!(listed["a/b.rs"], "one table of opcodes");
        for bad in ["a/b.rs", "a/b.rs: "] {
            assert!(parse_list(bad).unwrap_err().to_string().ends_with(&format!("`{}`", bad.trim())), "{bad}");
        }
    }

    #[test]
    fn paths_of_machines_are_found_relative_ones_are_not() {
        for start in MACHINE {
            for text in [format!("see {start}x"), format!("\"{start}x\""), format!("file://{start}x"), start.to_owned()]
            {
                let found = machine_paths("f", &text).len();
                assert_eq!(found, usize::from(!text.starts_with("file")), "{text}");
            }
        }
        let relative = ["target/wo", "rk/x ${dir}/ho", "me/x ../ro", "ot/x"].concat();
        assert_eq!(machine_paths("f", &relative), Vec::<String>::new());
        let faults = machine_paths("f", &format!("one\ntwo {}a", MACHINE[0]));
        assert!(faults[0].starts_with("`f`, line 2,"), "{faults:?}");
    }

    #[test]
    fn everything_wrong_is_reported_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, bytes: &[u8]| {
            let file = folder.path().join(path);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, bytes).unwrap();
        };
        write(LIST, b"gone.rs: was long\nlong.rs: a table\n");
        write("long.rs", "\n".repeat(600).as_bytes());
        write("longer.rs", "\n".repeat(700).as_bytes());
        write("A.class", &[0xca, 0xfe, 0xba, 0xbe]);
        write("zero.txt", b"a\0b");
        write("path.md", MACHINE[1].as_bytes());
        let files = ["long.rs", "longer.rs", "A.class", "zero.txt", "path.md", "deleted.rs", LIST].map(str::to_owned);
        let faults = check(folder.path(), &files).unwrap();
        for (fault, start) in faults.iter().zip(["`longer.rs`", "`A.class`", "`zero.txt`", "`path.md`", "`gone.rs`"]) {
            assert!(fault.starts_with(start), "{faults:?}");
        }
        assert_eq!(faults.len(), 5, "{faults:?}");
    }

    #[test]
    fn ignored_sources_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let list = |arguments: &[&str]| git(folder.path(), arguments).unwrap();
        let init = Command::new("git").current_dir(folder.path()).args(["init", "--quiet"]).status().unwrap();
        assert!(init.success());
        fs_err::write(folder.path().join(".gitignore"), "junit*\n").unwrap();
        fs_err::write(folder.path().join("junit.properties"), "").unwrap();
        fs_err::write(folder.path().join("päth.rs"), "").unwrap();
        let ignored = list(&["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ":!target"]);
        assert_eq!(ignored, ["junit.properties"]);
        assert!(is_source(&ignored[0]) && !is_source("a.class"));
        assert_eq!(list(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]), [".gitignore", "päth.rs"]);
    }
}
